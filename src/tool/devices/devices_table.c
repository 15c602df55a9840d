/* The devices for people: a short block each. */
#include "base/clean.h"
#include "devices/devices.h"
#include "math/type.h"
#include "report/columns.h"
#include "report/text.h"

#include <stdarg.h>
#include <string.h>

enum { VALUES = 15, WIDEST = 4000 }; /* the column that values begin in; bytes of one */

/* A key and its value, wrapped; nothing where the value is empty. */
VKMM_PRINTF(3, 4)
static void print(const cli_report *report, const char *key, const char *format, ...)
{
    char raw[WIDEST], text[WIDEST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    if (raw[0] == '\0') return;
    VKMM_CLEAN(text, raw);
    fprintf(report->out, "   %s%-11s%s ", CLI_PAINTED(report, CLI_DIM, key));
    cli_wrap(report, VALUES, text);
}

static void print_identity(const cli_report *report, const cli_device_row *device)
{
    const vkmm_device_info *info = device->info;
    const char *dot = report->utf8 ? " · " : " | ";
    char name[300], driver[600] = "";
    VKMM_CLEAN(name, info->name);
    if (info->driver.name[0] != '\0') VKMM_JOIN(driver, "", "%s", info->driver.name);
    if (info->driver.info[0] != '\0') VKMM_JOIN(driver, ", ", "%s", info->driver.info);
    VKMM_JOIN(driver, dot, "Vulkan %s%s%s", CLI_API_VERSION(info->driver.api_version), dot,
              cli_text_device_type(info->type));
    fprintf(report->out, "%u  %s%s%s%s\n", info->index, CLI_PAINTED(report, CLI_STRONG, name),
            device->chosen ? "  (default)" : "");
    print(report, "driver", "%s", driver);
    print(report, "uuid", "%s", CLI_UUID(info->uuid));
    if (info->has_pci)
        print(report, "pci", "%04x:%02x:%02x.%x", info->pci[0], info->pci[1], info->pci[2], info->pci[3]);
}

static void print_limits(const cli_report *report, const vkmm_device_info *info)
{
    const char *times = report->utf8 ? "×" : "x";
    char heaps[VK_MAX_MEMORY_HEAPS * 40] = "";
    print(report, "workgroup", "%u invocations, at most %u%s%u%s%u; %s shared; subgroup of %u",
          info->limits.max_invocations, info->limits.max_workgroup_size[0], times, info->limits.max_workgroup_size[1],
          times, info->limits.max_workgroup_size[2], CLI_BYTES(info->limits.max_shared_bytes), info->subgroup.size);
    print(report, "memory", "%s%s; %s per buffer binding, %s per allocation",
          info->memory.device_heap_bytes > 0 ? CLI_BYTES(info->memory.device_heap_bytes) : "unknown",
          info->memory.is_unified ? " unified with the host" : "", CLI_BYTES(info->limits.max_storage_range),
          CLI_BYTES(info->memory.max_allocation_bytes));
    if (info->limits.timestamp_bits > 0)
        print(report, "timestamps", "%u bits, %.4g ns per tick", info->limits.timestamp_bits,
              info->limits.timestamp_period_ns);
    else
        print(report, "timestamps", "none: the host's clock is used instead");
    for (uint32_t i = 0; i < info->memory.heap_count && i < VK_MAX_MEMORY_HEAPS; i++)
        VKMM_JOIN(heaps, ", ", "%s %s", CLI_BYTES(info->memory.heaps[i].size),
                  info->memory.heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? "device" : "host");
    print(report, "heaps", "%s", heaps);
}

/* "f32 f64 i32 u32; f16 bf16 by matrix operations; i8 u8 by dot products": what is narrower than a word, with what
 * computes it. */
static void print_types(const cli_report *report, const cli_device_row *device)
{
    static const struct {
        const char *by, *words;
    } groups[] = {{NULL, ""},
                  {"matrix", " by matrix operations"},
                  {"dot", " by dot products"},
                  {"shader", " in 32-bit arithmetic"}};
    char text[300] = "";
    for (size_t g = 0; g < VKMM_COUNT(groups); g++) {
        char names[100] = "";
        for (uint32_t t = 0; t < VKMM_TYPES_COUNT; t++) {
            const cli_way *way = &device->ways[t];
            const char *by = vkmm_type_of(way->types.in)->bytes < 4 ? way->by : NULL;
            if (way->by == NULL || !vkmm_types_equal(way->types, vkmm_types_default(way->types.in))) continue;
            if (by == groups[g].by || (by != NULL && groups[g].by != NULL && strcmp(by, groups[g].by) == 0))
                VKMM_JOIN(names, " ", "%s", vkmm_type_of(way->types.in)->name);
        }
        if (names[0] != '\0') VKMM_JOIN(text, "; ", "%s%s", names, groups[g].words);
    }
    print(report, "types", "%s", text);
}

/* All choices of the first type that has any; of the other types only the large square, if another kernel, or the same
 * kernel with matrix operations, computes it. */
static void print_choices(const cli_report *report, const cli_device_row *device)
{
    char text[CLI_MAX_CHOICES * 120] = "";
    const cli_choice *first = &device->choices[0];
    for (uint32_t i = 0; i < device->choice_count; i++) {
        const cli_choice *choice = &device->choices[i];
        const int is_first = choice->problem.type == first->problem.type,
                  is_large = choice->problem.n == first->problem.n;
        if (choice->kernel.name[0] == '\0' ||
            (!is_first && !(is_large && strcmp(choice->kernel.name, first->kernel.name) != 0)))
            continue;
        VKMM_JOIN(text, ", ", "%s%s%s %s %u%s%u", CLI_NAME(&choice->problem, report->utf8), is_first ? "" : " ",
                  is_first ? "" : cli_text_type(&choice->problem, report->utf8), choice->kernel.name,
                  choice->kernel.tile[0], report->utf8 ? "×" : "x", choice->kernel.tile[1]);
    }
    print(report, "best", "%s", text);
}

/* Those of one scope and type, once each: "16x16x16 f16->f32". */
static void print_shapes(const cli_report *report, const vkmm_device_matrices *matrices)
{
    char text[VKMM_MAX_MATRIX_SHAPES * 80] = "", one[96], a[32], c[32];
    const char *times = report->utf8 ? "×" : "x", *arrow = report->utf8 ? "→" : "->";
    for (uint32_t i = 0; i < matrices->shape_count; i++) {
        const vkmm_matrix_shape *s = &matrices->shapes[i];
        VKMM_PUT(one, "%u%s%u%s%u %s%s%s", s->m, times, s->n, times, s->k, vkmm_component_name(s->a, a), arrow,
                 vkmm_component_name(s->result, c));
        if (strstr(text, one) == NULL) VKMM_JOIN(text, ", ", "%s", one);
    }
    if (text[0] != '\0')
        print(report, "matrix", "%s", text);
    else
        print(report, "matrix", "none: %s", matrices->refusal[0] != '\0' ? matrices->refusal : "the device lists none");
}

static void print_check(const cli_report *report, const vkmm_device_check *check)
{
    char list[VKMM_MAX_FINDINGS * VKMM_FINDING] = "";
    for (uint32_t i = 0; check != NULL && i < check->finding_count; i++)
        VKMM_JOIN(list, ", ", "%s", check->findings[i]);
    if (check == NULL)
        print(report, "check", "never with this driver; 'vkmatmul check' finds what it gets wrong");
    else
        print(report, "check", "findings: %s (%.10s, with this driver)", list[0] != '\0' ? list : "none", check->date);
}

static void print_abilities(const cli_report *report, const cli_device_row *device)
{
    char kernels[CLI_MAX_ABILITIES * 34] = "", matrix2[120] = "";
    print_types(report, device);
    for (uint32_t i = 0; i < device->kernel_count; i++)
        if (device->kernels[i].type_count > 0) VKMM_JOIN(kernels, " ", "%s", device->kernels[i].kernel);
    print(report, "kernels", "%s", kernels);
    print_choices(report, device);
    print_shapes(report, &device->info->matrices);
    for (uint32_t i = 0; vkmm_matrix2_name(i) != NULL; i++)
        if (device->info->matrices.matrix2 >> i & 1) VKMM_JOIN(matrix2, ", ", "%s", vkmm_matrix2_name(i));
    print(report, "matrix2", "%s", matrix2);
    for (uint32_t i = 0; i < device->lack_count; i++)
        print(report, i == 0 ? "not here" : "", "%s: %s", device->lacks[i].what, device->lacks[i].reason);
}

void cli_devices_table(const cli_device_list *list)
{
    const cli_report *report = list->report;
    for (uint32_t i = 0; i < list->count; i++) {
        if (i > 0) putc('\n', report->out);
        print_identity(report, &list->rows[i]);
        print_limits(report, list->rows[i].info);
        print_check(report, list->rows[i].info->check);
        print_abilities(report, &list->rows[i]);
    }
    if (list->left_out[0] != '\0' && list->count > 0) {
        char text[600];
        VKMM_CLEAN(text, list->left_out);
        putc('\n', report->out);
        cli_wrap(report, 0, text);
    }
    if (list->unloaded != NULL) {
        char text[600], path[512];
        VKMM_CLEAN(path, list->unloaded);
        VKMM_PUT(text, "SwiftShader is installed too, where no loader looks (%s): --device swiftshader uses it.", path);
        if (list->count > 0) putc('\n', report->out);
        cli_wrap(report, 0, text);
    }
}
