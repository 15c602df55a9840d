/* Choosing a device by what people call it. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void list_names(const vkmm_instance *instance, const uint32_t *indices, uint32_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count && used < size; i++) {
        int added = snprintf(text + used, size - used, "%s%u \"%s\"", i ? ", " : "", indices[i],
                             instance->physicals[indices[i]].info.name);
        used += added > 0 ? (size_t)added : 0;
    }
}

/* Mesa's driver is called lavapipe, but names itself and its device llvmpipe. */
static int has_name(const vkmm_device_info *info, const char *what)
{
    return contains(info->name, what) || contains(info->driver_name, what) ||
           (info->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE && contains("lavapipe", what));
}

/* Writes the indices of the devices, up to `limit`, that `what` may mean. */
static uint32_t matches(const vkmm_instance *instance, const char *what, uint32_t *found, uint32_t limit)
{
    uint8_t uuid[VK_UUID_SIZE] = {0};
    int by_uuid = is_uuid(what, uuid);
    uint32_t count = 0;
    for (uint32_t i = 0; i < instance->physical_count && count < limit; i++) {
        const vkmm_device_info *info = &instance->physicals[i].info;
        if (by_uuid ? memcmp(info->uuid, uuid, sizeof uuid) == 0 : has_name(info, what)) found[count++] = i;
    }
    return count;
}

static uint32_t best(const vkmm_instance *instance)
{
    uint32_t index = 0;
    for (uint32_t i = 1; i < instance->physical_count; i++)
        if (rank(instance->physicals[i].info.type) < rank(instance->physicals[index].info.type)) index = i;
    return index;
}

vkmm_status vkmm_instance_find_device(const vkmm_instance *instance, const char *what, uint32_t *index)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, index);
    uint32_t count = instance->physical_count;
    if (count == 0) return vkmm_fail_missing(&instance->log, "device with compute");
    if (!what || !*what) {
        *index = best(instance);
        return VKMM_OK;
    }
    /* A short number is an index; a long one may be part of a name, as in "4090". */
    size_t length = strlen(what);
    if (length < 10 && strspn(what, "0123456789") == length) {
        unsigned long number = strtoul(what, NULL, 10);
        if (number < count) {
            *index = (uint32_t)number;
            return VKMM_OK;
        }
        if (length <= 2)
            return vkmm_fail(&instance->log, VKMM_NO_DEVICE, "there is no device %lu; the indices are 0 to %u", number,
                             count - 1);
    }
    enum { LIMIT = 64 };
    uint32_t found[LIMIT], hits = matches(instance, what, found, LIMIT);
    char names[768];
    if (hits == 1) {
        *index = found[0];
        return VKMM_OK;
    }
    if (hits > 1) {
        list_names(instance, found, hits, names, sizeof names);
        return vkmm_fail(&instance->log, VKMM_NO_DEVICE,
                         "\"%s\" matches several devices: %s; name one by its index or UUID", what, names);
    }
    for (uint32_t i = 0; i < count && i < LIMIT; i++) found[i] = i;
    list_names(instance, found, count < LIMIT ? count : LIMIT, names, sizeof names);
    return vkmm_fail(&instance->log, VKMM_NO_DEVICE, "no device matches \"%s\"; there are: %s", what, names);
}
