/* Choosing a device by name or kind. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/meant.h"
#include "vk/instance.h"

/* Adds the devices that `what` may match, each once; returns how many it matches. */
static uint32_t add_meant(const vkmm_instance *instance, const char *what, uint32_t *found, uint32_t *count)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < instance->physical_count; i++) {
        uint32_t at = 0;
        if (!vkmm_device_is_meant(&instance->physicals[i].info, i, what)) continue;
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
        if (vkmm_device_rank(instance->physicals[indices[i]].info.type) <
            vkmm_device_rank(instance->physicals[indices[at]].info.type))
            at = i;
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
    if (vkmm_word_is_index(what) && count == 1)
        return vkmm_fail(VKMM_NO_DEVICE, "there is no device %s; the only device is 0", what);
    if (vkmm_word_is_index(what))
        return vkmm_fail(VKMM_NO_DEVICE, "there is no device %s; there are devices 0 to %u", what, count - 1);
    list_names(instance, NULL, count, names, sizeof names);
    return vkmm_fail(VKMM_NO_DEVICE, "no device matches \"%s\"; there are: %s", what, names);
}

vkmm_status vkmm_instance_find_devices(const vkmm_instance *instance, const char *what, uint32_t *indices,
                                       uint32_t *count)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, indices);
    VKMM_NEED(&instance->log, count);
    *count = 0;
    if (instance->physical_count == 0 && instance->left_out[0] != '\0')
        return VKMM_FAIL(&instance->log, VKMM_NO_DEVICE, "no Vulkan device can be used: %s", instance->left_out);
    if (instance->physical_count == 0) return vkmm_tell(&instance->log, vkmm_fail_missing("device with compute"));
    /* A name may have commas. */
    if (what == NULL || *what == '\0') what = "all";
    if (add_meant(instance, what, indices, count) > 0) return VKMM_OK;
    for (const char *at = what;; at++) {
        const size_t length = strcspn(at, ",");
        char item[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
        VKMM_PUT(item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), at);
        if (item[0] == '\0' || add_meant(instance, item, indices, count) == 0)
            return vkmm_tell(&instance->log, fail_none(instance, item));
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
                                       : VKMM_NO_MEMORY("to look for a device");
    char names[768];
    int is_one;
    if (status == VKMM_OK && (count == 1 || what == NULL || *what == '\0' ||
                              vkmm_device_is_sort(what, &instance->physicals[0].info, &is_one))) {
        *index = best(instance, found, count);
    } else if (status == VKMM_OK) {
        list_names(instance, found, count, names, sizeof names);
        status = vkmm_fail(VKMM_NO_DEVICE, "\"%s\" matches several devices: %s; use an index or a UUID", what, names);
    }
    vkmm_free(found);
    return vkmm_tell(&instance->log, status);
}
