/* The devices for people: a short block each. */
#include "math/component.h"
#include "report/columns.h"
#include "report/text.h"
#include "report/wrap.h"
#include "report/writers.h"

#include <string.h>

enum { VALUES = 15 }; /* the column that they begin in */

static void print_key(const vkmm_report *report, const char *key)
{
    fprintf(report->out, "   %s%-11s%s ", vkmm_paint_on(report, VKMM_DIM), key, vkmm_paint_off(report, VKMM_DIM));
}

static void print_identity(const vkmm_report *report, const vkmm_device_row *device)
{
    const vkmm_device_info *info = device->info;
    char name[300], driver[300], driver_info[300], version[32], uuid[VKMM_UUID_TEXT];
    const char *dot = report->utf8 ? " · " : " | ";

    vkmm_text_clean(name, sizeof name, info->name);
    vkmm_text_clean(driver, sizeof driver, info->driver_name);
    vkmm_text_clean(driver_info, sizeof driver_info, info->driver_info);
    vkmm_text_version(version, sizeof version, info->api_version);
    vkmm_text_uuid(uuid, info->uuid);
    fprintf(report->out, "%u  %s%s%s%s\n", info->index, vkmm_paint_on(report, VKMM_STRONG), name,
            vkmm_paint_off(report, VKMM_STRONG), device->chosen ? "  (default)" : "");
    print_key(report, "driver");
    fprintf(report->out, "%s%s%s%sVulkan %s%s%s\n", driver, driver[0] != '\0' && driver_info[0] != '\0' ? ", " : "",
            driver_info, driver[0] != '\0' || driver_info[0] != '\0' ? dot : "", version, dot,
            vkmm_text_device_type(info->type));
    print_key(report, "uuid");
    fprintf(report->out, "%s\n", uuid);
    if (!info->has_pci) return;
    print_key(report, "pci");
    fprintf(report->out, "%04x:%02x:%02x.%x\n", info->pci[0], info->pci[1], info->pci[2], info->pci[3]);
}

static void print_heaps(const vkmm_report *report, const vkmm_device_info *info)
{
    char text[VK_MAX_MEMORY_HEAPS * 40] = "", bytes[32];
    size_t used = 0;

    for (uint32_t i = 0; i < info->heap_count && i < VK_MAX_MEMORY_HEAPS; i++) {
        vkmm_text_bytes(bytes, sizeof bytes, info->heaps[i].size);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", i > 0 ? ", " : "", bytes,
                                 info->heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? "device" : "host");
    }
    if (used == 0) return;
    print_key(report, "heaps");
    vkmm_wrap(report, VALUES, text);
}

static void print_limits(const vkmm_report *report, const vkmm_device_info *info)
{
    const char *times = report->utf8 ? "×" : "x";
    char shared[32], range[32], allocation[32], heap[32], text[300];

    vkmm_text_bytes(shared, sizeof shared, info->max_shared_bytes);
    vkmm_text_bytes(range, sizeof range, info->max_storage_range);
    vkmm_text_bytes(allocation, sizeof allocation, info->max_allocation_bytes);
    vkmm_text_bytes(heap, sizeof heap, info->device_heap_bytes);
    print_key(report, "workgroup");
    snprintf(text, sizeof text, "%u invocations, at most %u%s%u%s%u; %s shared; subgroup of %u", info->max_invocations,
             info->max_workgroup_size[0], times, info->max_workgroup_size[1], times, info->max_workgroup_size[2],
             shared, info->subgroup_size);
    vkmm_wrap(report, VALUES, text);
    print_key(report, "memory");
    snprintf(text, sizeof text, "%s%s; %s a buffer binding, %s an allocation", heap,
             info->unified_memory ? " unified with the host" : "", range, allocation);
    vkmm_wrap(report, VALUES, text);
    print_key(report, "timestamps");
    if (info->timestamp_bits > 0)
        fprintf(report->out, "%u bits, %.4g ns a tick\n", info->timestamp_bits, info->timestamp_period_ns);
    else
        fprintf(report->out, "none: the host's clock stands in\n");
}

/* Those of one scope and type, once each: "16x16x16 f16 f16 f32". */
static void print_shapes(const vkmm_report *report, const vkmm_device_row *device)
{
    char text[VKMM_MAX_MATRIX_SHAPES * 80] = "", one[96], a[32], c[32];
    const char *times = report->utf8 ? "×" : "x", *arrow = report->utf8 ? "→" : "->";
    size_t used = 0;

    print_key(report, "matrix");
    for (uint32_t i = 0; i < device->shape_count; i++) {
        const vkmm_matrix_shape *s = &device->shapes[i];
        int length = snprintf(one, sizeof one, "%u%s%u%s%u %s%s%s", s->m, times, s->n, times, s->k,
                              vkmm_component_name(s->a, a), arrow, vkmm_component_name(s->result, c));
        if (length <= 0 || (size_t)length >= sizeof one || strstr(text, one) != NULL) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", one);
    }
    if (used == 0)
        snprintf(text, sizeof text, "none: %s",
                 device->no_shapes[0] != '\0' ? device->no_shapes : "the device lists none");
    vkmm_wrap(report, VALUES, text);
}

static size_t add_choice(const vkmm_report *report, char *text, size_t room, const vkmm_choice *choice, int typed)
{
    char size[VKMM_TEXT_PROBLEM];
    int length;

    vkmm_text_problem(size, sizeof size, &choice->problem, report->utf8);
    length = snprintf(text, room, "%s%s%s %s %u%s%u", size, typed ? " " : "",
                      typed ? vkmm_text_type(&choice->problem, report->utf8) : "", choice->kernel.name,
                      choice->kernel.tile[0], report->utf8 ? "×" : "x", choice->kernel.tile[1]);
    return length > 0 && (size_t)length < room ? (size_t)length : 0;
}

/* Of the first type that has any, all; of the others the large square, where another kernel or the same with matrix
 * operations computes it. */
static void print_choices(const vkmm_report *report, const vkmm_device_row *device)
{
    char text[VKMM_MAX_CHOICES * 120] = "";
    const vkmm_choice *first = &device->choices[0];
    size_t used = 0;

    for (uint32_t i = 0; i < device->choice_count; i++) {
        const vkmm_choice *choice = &device->choices[i];
        const int is_first = choice->problem.type == first->problem.type,
                  is_large = choice->problem.n == first->problem.n;
        if (choice->kernel.name[0] == '\0' ||
            (!is_first && !(is_large && strcmp(choice->kernel.name, first->kernel.name) != 0)))
            continue;
        if (used > 0) used += (size_t)snprintf(text + used, sizeof text - used, ", ");
        used += add_choice(report, text + used, sizeof text - used, choice, !is_first);
    }
    if (used == 0) return;
    print_key(report, "best");
    vkmm_wrap(report, VALUES, text);
}

/* "f32 f64 i32 u32; f16 bf16 by matrix operations; i8 u8 by dot products": what is narrower than a word, with what
 * computes it. */
static void print_types(const vkmm_report *report, const vkmm_device_row *device)
{
    static const char *const by[] = {NULL, "matrix", "dot", "shader"}, *const words[] = {"", " by matrix operations",
                                                                                         " by dot products",
                                                                                         " in 32-bit arithmetic"};
    char text[300] = "";

    for (int i = 0; i < 4; i++) {
        int any = 0;
        for (uint32_t t = 0; t < VKMM_TYPES_COUNT; t++) {
            const vkmm_way *way = &device->ways[t];
            const int is_narrow = vkmm_type_of(way->types.in)->bytes < 4;
            const size_t used = strlen(text);
            if (way->by == NULL || !vkmm_types_equal(way->types, vkmm_types_default(way->types.in))) continue;
            if (is_narrow ? by[i] == NULL || strcmp(by[i], way->by) != 0 : by[i] != NULL) continue;
            snprintf(text + used, sizeof text - used, "%s%s",
                     any        ? " "
                     : used > 0 ? "; "
                                : "",
                     vkmm_type_of(way->types.in)->name);
            any = 1;
        }
        if (any) snprintf(text + strlen(text), sizeof text - strlen(text), "%s", words[i]);
    }
    print_key(report, "types");
    vkmm_wrap(report, VALUES, text);
}

static void print_kernels(const vkmm_report *report, const vkmm_device_row *device)
{
    char text[VKMM_MAX_ABILITIES * 34] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < device->kernel_count; i++)
        if (device->kernels[i].type_count > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "",
                                     device->kernels[i].kernel);
    print_key(report, "kernels");
    vkmm_wrap(report, VALUES, text);
}

static void print_matrix2(const vkmm_report *report, const vkmm_device_info *info)
{
    char text[120] = "";
    size_t used = 0;

    for (uint32_t i = 0; vkmm_matrix2_name(i) != NULL; i++)
        if (info->matrix2 >> i & 1)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", vkmm_matrix2_name(i));
    if (used == 0) return;
    print_key(report, "matrix2");
    vkmm_wrap(report, VALUES, text);
}

static void print_abilities(const vkmm_report *report, const vkmm_device_row *device)
{
    print_types(report, device);
    print_kernels(report, device);
    print_choices(report, device);
    print_shapes(report, device);
    print_matrix2(report, device->info);
    for (uint32_t i = 0; i < device->lack_count; i++) {
        char text[400];
        print_key(report, i == 0 ? "not here" : "");
        snprintf(text, sizeof text, "%s: %s", device->lacks[i].what, device->lacks[i].reason);
        vkmm_wrap(report, VALUES, text);
    }
}

vkmm_status vkmm_table_devices(vkmm_report *report, const vkmm_device_row *devices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) putc('\n', report->out);
        print_identity(report, &devices[i]);
        print_limits(report, devices[i].info);
        print_heaps(report, devices[i].info);
        print_abilities(report, &devices[i]);
    }
    if (report->unloaded != NULL) {
        char text[600], path[512];
        vkmm_text_clean(path, sizeof path, report->unloaded);
        snprintf(text, sizeof text,
                 "SwiftShader is here too, where no loader looks (%s): --device swiftshader takes it.", path);
        if (count > 0) putc('\n', report->out);
        vkmm_wrap(report, 0, text);
    }
    return VKMM_OK;
}
