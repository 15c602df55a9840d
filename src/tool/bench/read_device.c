/* Devices of a report, and their peaks. */
#include "bench/lines.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/component.h"
#include "math/type.h"

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static void read_uuid(const vkmm_node *device, const char *key, uint8_t uuid[VK_UUID_SIZE])
{
    const vkmm_node node = vkmm_node_key(device, key);
    char text[64] = "";
    int digits = 0;

    vkmm_node_text(&node, text, sizeof text);
    for (const char *c = text; *c != '\0'; c++) {
        const int digit = digit_of(*c);
        if (*c == '-') continue;
        if (digit < 0 || digits == 2 * VK_UUID_SIZE) {
            vkmm_node_fail(&node, "is no UUID");
            return;
        }
        uuid[digits / 2] = (uint8_t)(digits % 2 == 0 ? digit << 4 : uuid[digits / 2] | digit);
        digits++;
    }
    if (digits != 0 && digits != 2 * VK_UUID_SIZE) vkmm_node_fail(&node, "is no UUID");
}

/* "1.3.230" */
static void read_api_version(const vkmm_node *device, uint32_t *version)
{
    static const unsigned long most[] = {127, 1023, 4095};
    const vkmm_node node = vkmm_node_key(device, "api_version");
    char text[32] = "", *at = text;
    unsigned long parts[3] = {0};

    vkmm_node_text(&node, text, sizeof text);
    if (text[0] == '\0') return;
    for (int i = 0; i < 3; i++) {
        if (digit_of(*at) >= 0 && digit_of(*at) <= 9) parts[i] = strtoul(at, &at, 10);
        if (at == text || parts[i] > most[i] || *at != (i < 2 ? '.' : '\0')) {
            vkmm_node_fail(&node, "is no version");
            return;
        }
        at++;
    }
    *version = VK_MAKE_API_VERSION(0u, (uint32_t)parts[0], (uint32_t)parts[1], (uint32_t)parts[2]);
}

/* "0000:01:00.0" */
static void read_pci(const vkmm_node *device, vkmm_device_info *info)
{
    const vkmm_node node = vkmm_node_key(device, "pci");
    char text[48] = "", *at = text;

    vkmm_node_text(&node, text, sizeof text);
    if (text[0] == '\0') return;
    for (int i = 0; i < 4; i++) {
        const unsigned long part = digit_of(*at) >= 0 ? strtoul(at, &at, 16) : ULONG_MAX;
        if (part > UINT32_MAX || *at != "::.\0"[i]) {
            vkmm_node_fail(&node, "is no address on a PCI bus");
            return;
        }
        info->pci[i] = (uint32_t)part;
        at++;
    }
    info->has_pci = 1;
}

static void read_type(const vkmm_node *device_node, vkmm_bench_device *device)
{
    static const char *const words[] = {"other", "integrated", "discrete", "virtual", "cpu"}; /* by Vulkan's numbers */
    const vkmm_node node = vkmm_node_key(device_node, "type");
    char word[16] = "";

    vkmm_node_text(&node, word, sizeof word);
    device->is_host = strcmp(word, "host") == 0;
    device->info.type = device->is_host ? VK_PHYSICAL_DEVICE_TYPE_CPU : VK_PHYSICAL_DEVICE_TYPE_OTHER;
    for (int i = 0; i < 5; i++)
        if (strcmp(word, words[i]) == 0) device->info.type = (VkPhysicalDeviceType)i;
}

/* Words of later versions are none of ours. */
static void read_matrix2(const vkmm_node *limits, uint32_t *bits)
{
    const vkmm_node node = vkmm_node_key(limits, "matrix2");

    if (!vkmm_node_is_list(&node, 0, 32)) return;
    for (size_t i = 0; i < json_array_size(node.json); i++) {
        const vkmm_node entry = vkmm_node_at(&node, i);
        char word[32] = "";
        vkmm_node_text(&entry, word, sizeof word);
        for (uint32_t bit = 0; vkmm_matrix2_name(bit) != NULL; bit++)
            if (strcmp(word, vkmm_matrix2_name(bit)) == 0) *bits |= 1u << bit;
    }
}

static void read_limits(const vkmm_node *device, vkmm_device_info *info)
{
    const vkmm_node node = vkmm_node_key(device, "limits");

    if (!vkmm_node_is_object(&node, 0)) return;
    vkmm_key_u32(&node, "max_invocations", &info->max_invocations);
    vkmm_key_integers(&node, "max_workgroup_size", info->max_workgroup_size, 3);
    vkmm_key_integers(&node, "max_workgroup_count", info->max_workgroup_count, 3);
    vkmm_key_u32(&node, "max_shared_bytes", &info->max_shared_bytes);
    vkmm_key_u32(&node, "subgroup_size", &info->subgroup_size);
    vkmm_key_u64(&node, "max_storage_range", &info->max_storage_range);
    vkmm_key_u64(&node, "max_allocation_bytes", &info->max_allocation_bytes);
    vkmm_key_u64(&node, "max_buffer_bytes", &info->max_buffer_bytes);
    vkmm_key_u64(&node, "device_heap_bytes", &info->device_heap_bytes);
    vkmm_key_u32(&node, "offset_alignment", &info->offset_alignment);
    vkmm_key_u32(&node, "timestamp_bits", &info->timestamp_bits);
    vkmm_key_number(&node, "timestamp_period_ns", VKMM_MOST_MS, &info->timestamp_period_ns);
    vkmm_key_truth(&node, "f64", &info->has_f64);
    vkmm_key_truth(&node, "unified_memory", &info->unified_memory);
    vkmm_key_truth(&node, "broadcast", &info->has_broadcast);
    vkmm_key_truth(&node, "statistics", &info->has_statistics);
    vkmm_key_u32(&node, "processors", &info->processors);
    vkmm_key_truth(&node, "f16", &info->has_f16);
    vkmm_key_truth(&node, "i8", &info->has_i8);
    vkmm_key_truth(&node, "storage16", &info->has_storage16);
    vkmm_key_truth(&node, "storage8", &info->has_storage8);
    vkmm_key_truth(&node, "dot8", &info->has_dot8);
    vkmm_key_truth(&node, "bf16_matrices", &info->has_bf16_matrices);
    vkmm_key_u32(&node, "min_subgroup_size", &info->min_subgroup_size);
    vkmm_key_u32(&node, "max_subgroup_size", &info->max_subgroup_size);
    read_matrix2(&node, &info->matrix2);
}

static void read_heaps(const vkmm_node *device, vkmm_device_info *info)
{
    const vkmm_node node = vkmm_node_key(device, "heaps");

    if (!vkmm_node_is_list(&node, 0, VK_MAX_MEMORY_HEAPS)) return;
    for (size_t i = 0; i < json_array_size(node.json); i++) {
        const vkmm_node heap = vkmm_node_at(&node, i);
        uint32_t flags = 0;
        uint64_t bytes = 0;
        if (!vkmm_node_is_object(&heap, 1)) return;
        vkmm_key_u64(&heap, "bytes", &bytes);
        vkmm_key_u32(&heap, "flags", &flags);
        info->heaps[info->heap_count++] = (VkMemoryHeap){bytes, flags};
    }
}

static void read_component(const vkmm_node *shape, const char *key, uint32_t *component)
{
    const vkmm_node node = vkmm_node_key(shape, key);
    char word[32] = "";

    vkmm_node_text(&node, word, sizeof word);
    if (word[0] != '\0' && !vkmm_component_parse(word, component))
        vkmm_node_fail(&node, "is \"%s\", no element type", word);
}

static void read_matrix(const vkmm_node *node, vkmm_bench_matrix *matrix)
{
    vkmm_key_u32(node, "m", &matrix->shape.m);
    vkmm_key_u32(node, "n", &matrix->shape.n);
    vkmm_key_u32(node, "k", &matrix->shape.k);
    read_component(node, "a", &matrix->shape.a);
    read_component(node, "b", &matrix->shape.b);
    read_component(node, "c", &matrix->shape.c);
    read_component(node, "result", &matrix->shape.result);
    vkmm_key_u32(node, "scope", &matrix->shape.scope);
    vkmm_key_truth(node, "saturating", &matrix->shape.saturating);
    vkmm_key_number(node, "multiply_adds_per_s", VKMM_MOST_A_S, &matrix->multiply_adds_per_s);
}

void vkmm_read_peaks(const vkmm_node *node, vkmm_bench_peaks *peaks)
{
    const vkmm_node types = vkmm_node_key(node, "multiply_adds_per_s"), matrices = vkmm_node_key(node, "matrix");

    vkmm_bench_peaks_init(peaks);
    if (!vkmm_node_is_object(node, 0)) return;
    vkmm_key_number(node, "copy_bytes_per_s", VKMM_MOST_A_S, &peaks->copy_bytes_per_s);
    if (vkmm_node_is_object(&types, 0)) {
        for (int type = 0; type < VKMM_TYPE_COUNT; type++)
            vkmm_key_number(&types, vkmm_type_of((vkmm_type)type)->name, VKMM_MOST_A_S,
                            &peaks->multiply_adds_per_s[type]);
    }
    if (!vkmm_node_is_list(&matrices, 0, VKMM_BENCH_MATRICES)) return;
    for (size_t i = 0; i < json_array_size(matrices.json); i++) {
        const vkmm_node entry = vkmm_node_at(&matrices, i);
        if (!vkmm_node_is_object(&entry, 1)) return;
        read_matrix(&entry, &peaks->matrix[peaks->matrix_count++]);
    }
}

void vkmm_read_device(const vkmm_node *node, vkmm_bench_device *device)
{
    const vkmm_node peaks = vkmm_node_key(node, "peaks");
    vkmm_device_info *info = &device->info;

    if (!vkmm_node_is_object(node, 1)) return;
    read_type(node, device);
    vkmm_key_u32(node, "index", &info->index);
    vkmm_key_text(node, "name", info->name, sizeof info->name);
    vkmm_key_text(node, "driver_name", info->driver_name, sizeof info->driver_name);
    vkmm_key_text(node, "driver_info", info->driver_info, sizeof info->driver_info);
    read_uuid(node, "uuid", info->uuid);
    read_uuid(node, "driver_uuid", info->driver_uuid);
    vkmm_key_u32(node, "vendor_id", &info->vendor_id);
    vkmm_key_u32(node, "device_id", &info->device_id);
    vkmm_key_u32(node, "driver_id", &info->driver_id);
    vkmm_key_u32(node, "driver_version", &info->driver_version);
    read_api_version(node, &info->api_version);
    snprintf(device->label, sizeof device->label, "%s", info->name);
    vkmm_key_text(node, "label", device->label, sizeof device->label);
    vkmm_key_text(node, "failed", device->failed, sizeof device->failed);
    read_limits(node, info);
    read_heaps(node, info);
    read_pci(node, info);
    vkmm_read_peaks(&peaks, &device->peaks);
}
