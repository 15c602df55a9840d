/* Choosing a device by name or kind. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "vk/instance.h"

static int contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && text[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
        if (i == length) return 1;
    }
    return 0;
}

/* 32 hexadecimal digits, dashes ignored. */
static int is_uuid(const char *text, uint8_t uuid[VK_UUID_SIZE])
{
    size_t digits = 0;
    for (; *text; text++) {
        if (*text == '-') continue;
        if (!isxdigit((unsigned char)*text) || digits == 2 * VK_UUID_SIZE) return 0;
        int value = isdigit((unsigned char)*text) ? *text - '0' : tolower((unsigned char)*text) - 'a' + 10;
        uuid[digits / 2] = (uint8_t)(digits % 2 ? uuid[digits / 2] * 16 + value : value);
        digits++;
    }
    return digits == 2 * VK_UUID_SIZE;
}

/* Lower is better. */
static int rank(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return 3;
    default:
        return 4;
    }
}

/* Mesa's driver is called lavapipe, but names itself and its device llvmpipe. */
static int has_name(const vkmm_device_info *info, const char *what)
{
    return contains(info->name, what) || contains(info->driver_name, what) ||
           (info->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE && contains("lavapipe", what));
}

/* Whether the word names a kind of device; *is_one: and this is one of them. */
static int is_sort(const char *what, const vkmm_device_info *info, int *is_one)
{
    static const struct {
        const char *name;
        uint32_t id; /* as assigned by PCI or Khronos */
    } vendors[] = {{"nvidia", 0x10de}, {"amd", 0x1002},      {"intel", 0x8086},      {"apple", 0x106b},
                   {"arm", 0x13b5},    {"qualcomm", 0x5143}, {"imagination", 0x1010}};
    static const char *const types[] = {"gpu", "gpu", "gpu", "cpu"}; /* by rank */
    const int at = rank(info->type);

    *is_one = at < 4 && strcasecmp(what, types[at]) == 0;
    if (strcasecmp(what, "gpu") == 0 || strcasecmp(what, "cpu") == 0) return 1;
    for (size_t i = 0; i < VKMM_COUNT(vendors); i++) {
        if (strcasecmp(what, vendors[i].name) != 0) continue;
        *is_one = info->vendor_id == vendors[i].id || has_name(info, what);
        return 1;
    }
    return 0;
}

/* A short number is an index; a long one may be part of a name, as in "4090". */
static int is_index(const char *what)
{
    const size_t length = strlen(what);

    return length > 0 && length <= 2 && strspn(what, "0123456789") == length;
}

static int is_meant(const vkmm_instance *instance, uint32_t index, const char *what)
{
    const vkmm_device_info *info = &instance->physicals[index].info;
    uint8_t uuid[VK_UUID_SIZE] = {0};
    int is_one;

    if (strcasecmp(what, "all") == 0) return 1;
    if (is_index(what)) return strtoul(what, NULL, 10) == index;
    if (is_uuid(what, uuid)) return memcmp(info->uuid, uuid, sizeof uuid) == 0;
    return is_sort(what, info, &is_one) ? is_one : has_name(info, what);
}

/* Adds the devices that `what` may match, each once; returns how many it matches. */
static uint32_t add_meant(const vkmm_instance *instance, const char *what, uint32_t *found, uint32_t *count)
{
    uint32_t hits = 0;

    for (uint32_t i = 0; i < instance->physical_count; i++) {
        uint32_t at = 0;
        if (!is_meant(instance, i, what)) continue;
        hits++;
        while (at < *count && found[at] != i) at++;
        if (at == *count) found[(*count)++] = i;
    }
    return hits;
}

static uint32_t best(const vkmm_instance *instance, const uint32_t *indices, uint32_t count)
{
    uint32_t at = 0;

    for (uint32_t i = 1; i < count; i++)
        if (rank(instance->physicals[indices[i]].info.type) < rank(instance->physicals[indices[at]].info.type)) at = i;
    return indices[at];
}

static void list_names(const vkmm_instance *instance, const uint32_t *indices, uint32_t count, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = indices != NULL ? indices[i] : i;
        vkmm_join(text, size, ", ", "%u \"%s\"", index, instance->physicals[index].info.name);
    }
}

static vkmm_status fail_none(const vkmm_instance *instance, const char *what)
{
    const uint32_t count = instance->physical_count;
    char names[768];

    if (is_index(what) && count == 1)
        return vkmm_fail(&instance->log, VKMM_NO_DEVICE, "there is no device %s; the only device is 0", what);
    if (is_index(what))
        return vkmm_fail(&instance->log, VKMM_NO_DEVICE, "there is no device %s; there are devices 0 to %u", what,
                         count - 1);
    list_names(instance, NULL, count, names, sizeof names);
    return vkmm_fail(&instance->log, VKMM_NO_DEVICE, "no device matches \"%s\"; there are: %s", what, names);
}

vkmm_status vkmm_instance_find_devices(const vkmm_instance *instance, const char *what, uint32_t *indices,
                                       uint32_t *count)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, indices);
    VKMM_NEED(&instance->log, count);
    *count = 0;
    if (instance->physical_count == 0 && instance->left_out[0] != '\0')
        return vkmm_fail(&instance->log, VKMM_NO_DEVICE, "no Vulkan device can be used: %s", instance->left_out);
    if (instance->physical_count == 0) return vkmm_fail_missing(&instance->log, "device with compute");
    /* A name may have commas. */
    if (what == NULL || *what == '\0') what = "all";
    if (add_meant(instance, what, indices, count) > 0) return VKMM_OK;
    for (const char *at = what;; at++) {
        const size_t length = strcspn(at, ",");
        char item[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
        VKMM_PUT(item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), at);
        if (item[0] == '\0' || add_meant(instance, item, indices, count) == 0) return fail_none(instance, item);
        at += length;
        if (*at == '\0') return VKMM_OK;
    }
}

vkmm_status vkmm_instance_find_device(const vkmm_instance *instance, const char *what, uint32_t *index)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, index);
    uint32_t count = 0, *found = vkmm_alloc(instance->physical_count, sizeof *found);
    vkmm_status status = found != NULL ? vkmm_instance_find_devices(instance, what, found, &count)
                                       : VKMM_NO_MEMORY(&instance->log, "to look for a device");
    char names[768];
    int is_one;

    if (status == VKMM_OK &&
        (count == 1 || what == NULL || *what == '\0' || is_sort(what, &instance->physicals[0].info, &is_one))) {
        *index = best(instance, found, count);
    } else if (status == VKMM_OK) {
        list_names(instance, found, count, names, sizeof names);
        status = vkmm_fail(&instance->log, VKMM_NO_DEVICE, "\"%s\" matches several devices: %s; use an index or a UUID",
                           what, names);
    }
    vkmm_free(found);
    return status;
}
