/* Devices and their peaks as records. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "math/type.h"
#include "report/json.h"
#include "report/records.h"
#include "report/text.h"

#define HEX_DIGITS "0123456789abcdefABCDEF"

CLI_KNOWN(is_vulkan, cli_bench_device, is_host == 0)

static json_t *put_type(const void *record)
{
    const cli_bench_device *device = record;
    return json_string(device->is_host ? "host" : cli_text_device_type(device->info.type));
}

static void take_type(const cli_node *node, void *record)
{
    cli_bench_device *device = record;
    char word[16] = "";
    cli_node_text(node, word, sizeof word);
    device->is_host = strcmp(word, "host") == 0;
    device->info.type = device->is_host ? VK_PHYSICAL_DEVICE_TYPE_CPU : VK_PHYSICAL_DEVICE_TYPE_OTHER;
    for (int type = VK_PHYSICAL_DEVICE_TYPE_OTHER; type <= VK_PHYSICAL_DEVICE_TYPE_CPU; type++)
        if (strcmp(word, cli_text_device_type((VkPhysicalDeviceType)type)) == 0)
            device->info.type = (VkPhysicalDeviceType)type;
}

static json_t *put_uuid(const void *uuid)
{
    return json_string(CLI_UUID(uuid));
}

static void take_uuid(const cli_node *node, void *uuid)
{
    char text[64] = "";
    const char *at = text;
    size_t bytes = 0;
    cli_node_text(node, text, sizeof text);
    for (; bytes < VK_UUID_SIZE && strspn(at, HEX_DIGITS) >= 2; bytes++) {
        unsigned value = 0;
        sscanf(at, "%2x", &value);
        ((uint8_t *)uuid)[bytes] = (uint8_t)value;
        at += at[2] == '-' ? 3 : 2;
    }
    if (text[0] != '\0' && (bytes < VK_UUID_SIZE || *at != '\0')) cli_node_fail(node, "is not a UUID");
}

/* "1.3.230" */
static int parse_version(const char *text, uint32_t *version)
{
    uint32_t major = 0, minor = 0, patch = 0;
    int end = 0;
    if (strspn(text, "0123456789.") < strlen(text) ||
        sscanf(text, "%4" SCNu32 ".%5" SCNu32 ".%5" SCNu32 "%n", &major, &minor, &patch, &end) < 3 ||
        text[end] != '\0' || major > 127 || minor > 1023 || patch > 4095)
        return 0;
    *version = VK_MAKE_API_VERSION(0u, major, minor, patch);
    return 1;
}

static const cli_field_words versions = {.what = "version", .name = cli_text_version, .parse = parse_version};

static json_t *put_pci(const void *record)
{
    const vkmm_device_info *info = record;
    char text[48];
    if (!info->has_pci) return json_null();
    VKMM_PUT(text, "%04x:%02x:%02x.%x", info->pci[0], info->pci[1], info->pci[2], info->pci[3]);
    return json_string(text);
}

/* "0000:01:00.0" */
static void take_pci(const cli_node *node, void *record)
{
    vkmm_device_info *info = record;
    uint32_t *pci = info->pci;
    char text[48] = "";
    int end = 0;
    cli_node_text(node, text, sizeof text);
    if (text[0] == '\0') return;
    info->has_pci = strspn(text, HEX_DIGITS ":.") == strlen(text) &&
                    sscanf(text, "%8" SCNx32 ":%8" SCNx32 ":%8" SCNx32 ".%8" SCNx32 "%n", &pci[0], &pci[1], &pci[2],
                           &pci[3], &end) == 4 &&
                    text[end] == '\0';
    if (!info->has_pci) cli_node_fail(node, "is not a PCI bus address");
}

#define VULKAN .known = is_vulkan

#define INFO(kind, member) CLI_IN(kind, cli_bench_device, info, member)

static const cli_field identity_fields[] = {
    {INFO(TEXT, name)},
    {"type", CLI_FIELD_CUSTOM, .put = put_type, .take = take_type},
    {INFO(U32, index), VULKAN},
    {INFO(CUSTOM, uuid), VULKAN, .put = put_uuid, .take = take_uuid},
    {INFO(U32, vendor_id), VULKAN},
    {INFO(U32, device_id), VULKAN},
    {"driver_name", CLI_FIELD_TEXT, CLI_AT(cli_bench_device, info.driver.name), CLI_MAYBE},
    {"driver_info", CLI_FIELD_TEXT, CLI_AT(cli_bench_device, info.driver.info), CLI_MAYBE},
    {"driver_id", CLI_FIELD_U32, CLI_AT(cli_bench_device, info.driver.id), VULKAN},
    {"driver_version", CLI_FIELD_U32, CLI_AT(cli_bench_device, info.driver.version), VULKAN},
    {"driver_uuid", CLI_FIELD_CUSTOM, CLI_AT(cli_bench_device, info.driver.uuid), VULKAN, .put = put_uuid,
     .take = take_uuid},
    {"api_version", CLI_FIELD_WORD, CLI_AT(cli_bench_device, info.driver.api_version), VULKAN, .words = &versions},
};

const vkmm_record cli_identity_record = {NULL, CLI_FIELDS(identity_fields)};

/* ---- limits ---- */

/* A word for each bit. Words of later versions are ignored. */
static json_t *put_matrix2(const void *record)
{
    const uint32_t bits = ((const vkmm_device_info *)record)->matrices.matrix2;
    json_t *array = json_array();
    int bad = 0;
    for (uint32_t i = 0; vkmm_matrix2_name(i) != NULL; i++)
        if (bits >> i & 1) bad += cli_json_add(array, json_string(vkmm_matrix2_name(i)));
    return cli_json_done(array, bad);
}

static void take_matrix2(const cli_node *node, void *record)
{
    if (!cli_node_is_list(node, 32)) return;
    for (size_t i = 0; i < json_array_size(node->json); i++) {
        const cli_node entry = cli_node_at(node, i);
        char word[32] = "";
        cli_node_text(&entry, word, sizeof word);
        for (uint32_t bit = 0; vkmm_matrix2_name(bit) != NULL; bit++)
            if (strcmp(word, vkmm_matrix2_name(bit)) == 0) ((vkmm_device_info *)record)->matrices.matrix2 |= 1u << bit;
    }
}

#define LIMIT_KEY(kind, outer, member) CLI_IN(kind, vkmm_device_info, outer, member)

static const cli_field limit_fields[] = {
    {LIMIT_KEY(U32, limits, max_invocations)},
    {"max_workgroup_size", CLI_FIELD_U32, CLI_ARRAY(vkmm_device_info, limits.max_workgroup_size, 3)},
    {"max_workgroup_count", CLI_FIELD_U32, CLI_ARRAY(vkmm_device_info, limits.max_workgroup_count, 3)},
    {LIMIT_KEY(U32, limits, max_shared_bytes)},
    {"subgroup_size", CLI_FIELD_U32, CLI_AT(vkmm_device_info, subgroup.size)},
    {LIMIT_KEY(U64, limits, max_storage_range)},
    {LIMIT_KEY(U64, memory, max_allocation_bytes)},
    {LIMIT_KEY(U64, memory, max_buffer_bytes)},
    {LIMIT_KEY(U64, memory, device_heap_bytes)},
    {LIMIT_KEY(U32, limits, offset_alignment)},
    {LIMIT_KEY(U32, limits, timestamp_bits)},
    {LIMIT_KEY(REAL, limits, timestamp_period_ns), .most = CLI_MOST_MS},
    {"f64", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, features.f64)},
    {"unified_memory", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, memory.is_unified)},
    {"broadcast", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, subgroup.has_broadcast)},
    {"statistics", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, features.statistics)},
    {CLI_KEY(U32, vkmm_device_info, processors), CLI_MAYBE},
    {"f16", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, features.f16)},
    {"i8", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, features.i8)},
    {"storage16", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, features.storage16)},
    {"storage8", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, features.storage8)},
    {"dot8", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, features.dot8)},
    {"bf16_matrices", CLI_FIELD_TRUTH, CLI_AT(vkmm_device_info, features.bf16_matrices)},
    {"min_subgroup_size", CLI_FIELD_U32, CLI_AT(vkmm_device_info, subgroup.min_size), CLI_MAYBE},
    {"max_subgroup_size", CLI_FIELD_U32, CLI_AT(vkmm_device_info, subgroup.max_size), CLI_MAYBE},
    {"matrix2", CLI_FIELD_CUSTOM, .put = put_matrix2, .take = take_matrix2},
};

const vkmm_record cli_limits_record = {"limits", CLI_FIELDS(limit_fields)};

static json_t *put_device_local(const void *record)
{
    return json_boolean(((const VkMemoryHeap *)record)->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT);
}

static const cli_field heap_fields[] = {
    {"bytes", CLI_FIELD_U64, CLI_AT(VkMemoryHeap, size)},
    {"device_local", CLI_FIELD_CUSTOM, .put = put_device_local},
    {CLI_KEY(U32, VkMemoryHeap, flags)},
};

static const vkmm_record heap_record = {"heap", CLI_FIELDS(heap_fields)};

/* ---- peaks ---- */

static const cli_field_words components = {
    .what = "element type", .name = vkmm_component_name, .parse = vkmm_component_parse};

static const cli_field shape_fields[] = {
    {CLI_KEY(U32, vkmm_matrix_shape, m)},
    {CLI_KEY(U32, vkmm_matrix_shape, n)},
    {CLI_KEY(U32, vkmm_matrix_shape, k)},
    {CLI_KEY(WORD, vkmm_matrix_shape, a), .words = &components},
    {CLI_KEY(WORD, vkmm_matrix_shape, b), .words = &components},
    {CLI_KEY(WORD, vkmm_matrix_shape, c), .words = &components},
    {CLI_KEY(WORD, vkmm_matrix_shape, result), .words = &components},
    {CLI_KEY(U32, vkmm_matrix_shape, scope)},
    {CLI_KEY(TRUTH, vkmm_matrix_shape, saturating)},
};

const vkmm_record cli_shape_record = {NULL, CLI_FIELDS(shape_fields)};

static const cli_field matrix_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_bench_matrix, shape), .record = &cli_shape_record},
    {CLI_KEY(REAL, cli_bench_matrix, multiply_adds_per_s), .most = CLI_MOST_A_S},
};

static void start_matrix(void *record)
{
    ((cli_bench_matrix *)record)->multiply_adds_per_s = NAN;
}

static const vkmm_record matrix_record = {"shape", CLI_FIELDS(matrix_fields), .start = start_matrix};

#define PEAK(type) CLI_FIELD_REAL, CLI_AT(cli_bench_peaks, multiply_adds_per_s[type]), .most = CLI_MOST_A_S

static const cli_field rate_fields[] = {
    {"f32", PEAK(VKMM_F32)}, {"f64", PEAK(VKMM_F64)},   {"i32", PEAK(VKMM_I32)}, {"u32", PEAK(VKMM_U32)},
    {"f16", PEAK(VKMM_F16)}, {"bf16", PEAK(VKMM_BF16)}, {"i8", PEAK(VKMM_I8)},   {"u8", PEAK(VKMM_U8)},
};
_Static_assert(VKMM_COUNT(rate_fields) == VKMM_U8, "types up to u8 have a peak");

static const vkmm_record rate_record = {"rates", CLI_FIELDS(rate_fields)};

static const cli_field peak_fields[] = {
    {CLI_KEY(REAL, cli_bench_peaks, copy_bytes_per_s), .most = CLI_MOST_A_S},
    {"multiply_adds_per_s", CLI_FIELD_RECORD, .record = &rate_record},
    {"matrix", CLI_FIELD_RECORD, CLI_LIST(cli_bench_peaks, matrix, matrix_count), CLI_HERE,
     .length = CLI_BENCH_MATRICES, .record = &matrix_record},
    {CLI_KEY(TRUTH, cli_bench_peaks, raised)},
};

const vkmm_record cli_peaks_record = {"peaks", CLI_FIELDS(peak_fields)};

/* ---- devices ---- */

static const cli_field hardware_fields[] = {
    {"limits", CLI_FIELD_RECORD, CLI_AT(cli_bench_device, info), VULKAN, .record = &cli_limits_record},
    {"heaps", CLI_FIELD_RECORD, CLI_LIST(cli_bench_device, info.memory.heaps, info.memory.heap_count), CLI_HERE, VULKAN,
     .length = VK_MAX_MEMORY_HEAPS, .record = &heap_record},
    {"pci", CLI_FIELD_CUSTOM, CLI_AT(cli_bench_device, info), .put = put_pci, .take = take_pci},
};

const vkmm_record cli_hardware_record = {NULL, CLI_FIELDS(hardware_fields)};

static const cli_field device_fields[] = {
    {NULL, CLI_FIELD_EMBED, .record = &cli_identity_record},
    {CLI_KEY(TEXT, cli_bench_device, label)},
    {CLI_KEY(TEXT, cli_bench_device, failed), CLI_MAYBE},
    {NULL, CLI_FIELD_EMBED, .record = &cli_hardware_record},
    {CLI_KEY(RECORD, cli_bench_device, peaks), .record = &cli_peaks_record},
};

static void start_device(void *record)
{
    cli_bench_device_init(record);
}

static void check_device(const cli_node *node, void *record)
{
    cli_bench_device *device = record;
    (void)node;
    if (device->label[0] == '\0') memcpy(device->label, device->info.name, sizeof device->info.name);
}

const vkmm_record cli_device_record = {"device", CLI_FIELDS(device_fields), .start = start_device,
                                       .check = check_device};
