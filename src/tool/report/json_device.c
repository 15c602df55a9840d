/* What a device is, and what it has. */
#include <stdio.h>
#include "math/component.h"
#include "report/json.h"
#include "report/text.h"

/* The host's processor has the same keys, with null for what only a Vulkan device has. */
json_t *vkmm_json_device(const vkmm_device_info *device, const char *host)
{
    json_t *object = json_object();
    char version[32] = "", uuid[VKMM_UUID_TEXT] = "", driver_uuid[VKMM_UUID_TEXT] = "";
    int bad = vkmm_json_put(object, "name", vkmm_json_text(device != NULL ? device->name : host)), has = device != NULL;

    if (has) {
        vkmm_text_version(version, sizeof version, device->api_version);
        vkmm_text_uuid(uuid, device->uuid);
        vkmm_text_uuid(driver_uuid, device->driver_uuid);
    }
    bad += vkmm_json_put(object, "type", json_string(has ? vkmm_text_device_type(device->type) : "host"));
    bad += vkmm_json_put(object, "index", has ? json_integer(device->index) : json_null());
    bad += vkmm_json_put(object, "uuid", vkmm_json_text(has ? uuid : NULL));
    bad += vkmm_json_put(object, "vendor_id", has ? json_integer(device->vendor_id) : json_null());
    bad += vkmm_json_put(object, "device_id", has ? json_integer(device->device_id) : json_null());
    bad += vkmm_json_put(object, "driver_name", vkmm_json_text(has ? device->driver_name : NULL));
    bad += vkmm_json_put(object, "driver_info", vkmm_json_text(has ? device->driver_info : NULL));
    bad += vkmm_json_put(object, "driver_id", has ? json_integer(device->driver_id) : json_null());
    bad += vkmm_json_put(object, "driver_version", has ? json_integer(device->driver_version) : json_null());
    bad += vkmm_json_put(object, "driver_uuid", vkmm_json_text(has ? driver_uuid : NULL));
    bad += vkmm_json_put(object, "api_version", vkmm_json_text(has ? version : NULL));
    return vkmm_json_done(object, bad);
}

/* That a shader can ask for; null where it cannot. */
static json_t *subgroup_size(uint32_t size)
{
    return size > 0 ? json_integer(size) : json_null();
}

json_t *vkmm_json_matrix2(uint32_t bits)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = 0; vkmm_matrix2_name(i) != NULL; i++)
        if (bits >> i & 1) bad += json_array_append_new(array, json_string(vkmm_matrix2_name(i))) != 0;
    return vkmm_json_done(array, bad);
}

json_t *vkmm_json_limits(const vkmm_device_info *device)
{
    json_t *limits = json_object();
    int bad = vkmm_json_put(limits, "max_invocations", json_integer(device->max_invocations));

    bad += vkmm_json_put(limits, "max_workgroup_size", vkmm_json_integers(device->max_workgroup_size, 3));
    bad += vkmm_json_put(limits, "max_workgroup_count", vkmm_json_integers(device->max_workgroup_count, 3));
    bad += vkmm_json_put(limits, "max_shared_bytes", json_integer(device->max_shared_bytes));
    bad += vkmm_json_put(limits, "subgroup_size", json_integer(device->subgroup_size));
    bad += vkmm_json_put(limits, "max_storage_range", vkmm_json_integer(device->max_storage_range));
    bad += vkmm_json_put(limits, "max_allocation_bytes", vkmm_json_integer(device->max_allocation_bytes));
    bad += vkmm_json_put(limits, "max_buffer_bytes", vkmm_json_integer(device->max_buffer_bytes));
    bad += vkmm_json_put(limits, "device_heap_bytes", vkmm_json_integer(device->device_heap_bytes));
    bad += vkmm_json_put(limits, "offset_alignment", json_integer(device->offset_alignment));
    bad += vkmm_json_put(limits, "timestamp_bits", json_integer(device->timestamp_bits));
    bad += vkmm_json_put(limits, "timestamp_period_ns", vkmm_json_number(device->timestamp_period_ns));
    bad += vkmm_json_put(limits, "f64", json_boolean(device->has_f64));
    bad += vkmm_json_put(limits, "unified_memory", json_boolean(device->unified_memory));
    bad += vkmm_json_put(limits, "broadcast", json_boolean(device->has_broadcast));
    bad += vkmm_json_put(limits, "statistics", json_boolean(device->has_statistics));
    bad += vkmm_json_put(limits, "processors", device->processors > 0 ? json_integer(device->processors) : json_null());
    bad += vkmm_json_put(limits, "f16", json_boolean(device->has_f16));
    bad += vkmm_json_put(limits, "i8", json_boolean(device->has_i8));
    bad += vkmm_json_put(limits, "storage16", json_boolean(device->has_storage16));
    bad += vkmm_json_put(limits, "storage8", json_boolean(device->has_storage8));
    bad += vkmm_json_put(limits, "dot8", json_boolean(device->has_dot8));
    bad += vkmm_json_put(limits, "bf16_matrices", json_boolean(device->has_bf16_matrices));
    bad += vkmm_json_put(limits, "min_subgroup_size", subgroup_size(device->min_subgroup_size));
    bad += vkmm_json_put(limits, "max_subgroup_size", subgroup_size(device->max_subgroup_size));
    bad += vkmm_json_put(limits, "matrix2", vkmm_json_matrix2(device->matrix2));
    return vkmm_json_done(limits, bad);
}

json_t *vkmm_json_heaps(const vkmm_device_info *device)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = 0; i < device->heap_count && i < VK_MAX_MEMORY_HEAPS; i++) {
        json_t *heap = json_object();
        bad += vkmm_json_put(heap, "bytes", vkmm_json_integer(device->heaps[i].size));
        bad +=
            vkmm_json_put(heap, "device_local", json_boolean(device->heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT));
        bad += vkmm_json_put(heap, "flags", json_integer(device->heaps[i].flags));
        bad += json_array_append_new(array, heap) != 0;
    }
    return vkmm_json_done(array, bad);
}

json_t *vkmm_json_pci(const vkmm_device_info *device)
{
    char text[48];

    if (!device->has_pci) return json_null();
    snprintf(text, sizeof text, "%04x:%02x:%02x.%x", device->pci[0], device->pci[1], device->pci[2], device->pci[3]);
    return json_string(text);
}

json_t *vkmm_json_matrix_shape(const vkmm_matrix_shape *shape)
{
    json_t *object = json_object();
    char text[32];
    int bad = vkmm_json_put(object, "m", json_integer(shape->m));

    bad += vkmm_json_put(object, "n", json_integer(shape->n));
    bad += vkmm_json_put(object, "k", json_integer(shape->k));
    bad += vkmm_json_put(object, "a", json_string(vkmm_component_name(shape->a, text)));
    bad += vkmm_json_put(object, "b", json_string(vkmm_component_name(shape->b, text)));
    bad += vkmm_json_put(object, "c", json_string(vkmm_component_name(shape->c, text)));
    bad += vkmm_json_put(object, "result", json_string(vkmm_component_name(shape->result, text)));
    bad += vkmm_json_put(object, "scope", json_integer(shape->scope));
    bad += vkmm_json_put(object, "saturating", json_boolean(shape->saturating));
    return vkmm_json_done(object, bad);
}
