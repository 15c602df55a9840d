#include "base/meant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

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

int vkmm_device_rank(VkPhysicalDeviceType type)
{
    static const int ranks[] = {[VK_PHYSICAL_DEVICE_TYPE_OTHER] = 4,
                                [VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU] = 1,
                                [VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU] = 0,
                                [VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU] = 2,
                                [VK_PHYSICAL_DEVICE_TYPE_CPU] = 3};
    return (unsigned)type < VKMM_COUNT(ranks) ? ranks[type] : 4;
}

/* Mesa's driver is called lavapipe, but names itself and its device llvmpipe. */
static int has_name(const vkmm_device_info *info, const char *what)
{
    return contains(info->name, what) || contains(info->driver.name, what) ||
           (info->driver.id == VK_DRIVER_ID_MESA_LLVMPIPE && contains("lavapipe", what));
}

int vkmm_device_is_sort(const char *what, const vkmm_device_info *info, int *is_one)
{
    static const struct {
        const char *name;
        uint32_t id; /* as assigned by PCI or Khronos */
    } vendors[] = {{"nvidia", 0x10de}, {"amd", 0x1002},      {"intel", 0x8086},      {"apple", 0x106b},
                   {"arm", 0x13b5},    {"qualcomm", 0x5143}, {"imagination", 0x1010}};
    static const char *const types[] = {"gpu", "gpu", "gpu", "cpu"}; /* by rank */
    const int at = vkmm_device_rank(info->type);
    *is_one = at < 4 && strcasecmp(what, types[at]) == 0;
    if (strcasecmp(what, "gpu") == 0 || strcasecmp(what, "cpu") == 0) return 1;
    for (size_t i = 0; i < VKMM_COUNT(vendors); i++) {
        if (strcasecmp(what, vendors[i].name) != 0) continue;
        *is_one = info->vendor_id == vendors[i].id || has_name(info, what);
        return 1;
    }
    return 0;
}

int vkmm_word_is_index(const char *what)
{
    const size_t length = strlen(what);
    return length > 0 && length <= 2 && strspn(what, "0123456789") == length;
}

int vkmm_device_is_meant(const vkmm_device_info *info, uint32_t index, const char *what)
{
    uint8_t uuid[VK_UUID_SIZE] = {0};
    int is_one;
    if (strcasecmp(what, "all") == 0) return 1;
    if (vkmm_word_is_index(what)) return strtoul(what, NULL, 10) == index;
    if (is_uuid(what, uuid)) return memcmp(info->uuid, uuid, sizeof uuid) == 0;
    return vkmm_device_is_sort(what, info, &is_one) ? is_one : has_name(info, what);
}
