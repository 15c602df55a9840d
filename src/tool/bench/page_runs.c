/* All that is known of the runs: how they were asked for, the machine, each device and its limits. */
#include "bench/page_parts.h"

#include "math/type.h"
#include "bench/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fact_bytes(vkmm_page *page, const char *term, uint64_t bytes)
{
    char text[64];

    vkmm_text_bytes(text, sizeof text, bytes);
    if (bytes > 0) vkmm_page_fact(page, term, text);
}

static void fact_number(vkmm_page *page, const char *term, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    if (number > 0) vkmm_page_fact(page, term, text);
}

static void fact_triple(vkmm_page *page, const char *term, const uint32_t values[3])
{
    char text[64];

    snprintf(text, sizeof text, "%u × %u × %u", values[0], values[1], values[2]);
    if (values[0] > 0) vkmm_page_fact(page, term, text);
}

static void identity(vkmm_page *page, const vkmm_device_info *info)
{
    char text[VKMM_UUID_TEXT + 16];

    vkmm_page_fact(page, "Name", info->name);
    vkmm_page_fact(page, "Driver", info->driver_name);
    vkmm_page_fact(page, "Driver&#39;s version", info->driver_info);
    if (info->api_version == 0) return;
    vkmm_text_version(text, sizeof text, info->api_version);
    vkmm_page_fact(page, "Vulkan", text);
    vkmm_page_fact(page, "Kind", vkmm_text_device_type(info->type));
    snprintf(text, sizeof text, "%04x:%04x", info->vendor_id, info->device_id);
    vkmm_page_fact(page, "Vendor and device", text);
    vkmm_text_uuid(text, info->uuid);
    vkmm_page_fact(page, "UUID", text);
    if (!info->has_pci) return;
    snprintf(text, sizeof text, "%04x:%02x:%02x.%x", info->pci[0], info->pci[1], info->pci[2], info->pci[3]);
    vkmm_page_fact(page, "PCI", text);
}

static void limits(vkmm_page *page, const vkmm_device_info *info)
{
    char text[64];

    if (info->api_version == 0) return;
    fact_number(page, "Invocations of a workgroup, at most", info->max_invocations);
    fact_triple(page, "Sizes of a workgroup, at most", info->max_workgroup_size);
    fact_triple(page, "Workgroups, at most", info->max_workgroup_count);
    fact_bytes(page, "Shared memory of a workgroup", info->max_shared_bytes);
    fact_number(page, "Subgroup size", info->subgroup_size);
    fact_number(page, "Processors", info->processors);
    fact_bytes(page, "One binding sees", info->max_storage_range);
    fact_bytes(page, "One allocation holds", info->max_allocation_bytes);
    fact_bytes(page, "One buffer holds", info->max_buffer_bytes);
    for (uint32_t i = 0; i < info->heap_count && i < VK_MAX_MEMORY_HEAPS; i++)
        fact_bytes(page, (info->heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 ? "Heap, on the device" : "Heap",
                   info->heaps[i].size);
    snprintf(text, sizeof text, "%u bits, %.4g ns a tick", info->timestamp_bits, info->timestamp_period_ns);
    vkmm_page_fact(page, "Timestamps", info->timestamp_bits > 0 ? text : "none");
    vkmm_page_fact(page, "f64", info->has_f64 ? "yes" : "no");
    vkmm_page_fact(page, "Memory shared with the host", info->unified_memory ? "yes" : "no");
}

static void device(vkmm_page *page, const vkmm_bench *bench, uint32_t index)
{
    const vkmm_bench_device *d = &bench->devices[index];

    vkmm_build_text(&page->out, "<details><summary>");
    vkmm_build_html(&page->out, d->label);
    vkmm_build_text(&page->out, d->is_host ? ", the host&#39;s processor</summary>\n<dl class=\"facts\">\n"
                                           : "</summary>\n<dl class=\"facts\">\n");
    vkmm_page_fact(page, "Failed", d->failed);
    identity(page, &d->info);
    if (!d->is_host) limits(page, &d->info);
    for (uint32_t i = 0; i < d->peaks.matrix_count && i < VKMM_BENCH_MATRICES; i++) {
        const vkmm_bench_matrix *matrix = &d->peaks.matrix[i];
        char text[200], speed[48], a[32], b[32], c[32], result[32];
        const int length =
            snprintf(text, sizeof text, "%u×%u×%u, %s · %s + %s = %s%s", matrix->shape.m, matrix->shape.n,
                     matrix->shape.k, vkmm_component_name(matrix->shape.a, a), vkmm_component_name(matrix->shape.b, b),
                     vkmm_component_name(matrix->shape.c, c), vkmm_component_name(matrix->shape.result, result),
                     matrix->shape.saturating ? ", saturating" : "");
        vkmm_text_speed(speed, sizeof speed, 2 * matrix->multiply_adds_per_s, "FLOP/s");
        if (matrix->multiply_adds_per_s > 0 && length > 0 && (size_t)length < sizeof text)
            snprintf(text + length, sizeof text - (size_t)length, ": %s", speed);
        vkmm_page_fact(page, "Matrix shape", text);
    }
    vkmm_build_text(&page->out, "</dl></details>\n");
}

static void settings(vkmm_page *page, const vkmm_bench *bench)
{
    const vkmm_bench_settings *asked = &bench->settings;
    char text[64];

    vkmm_page_fact(page, "Suite", asked->suite);
    fact_number(page, "Seed", asked->seed);
    if (asked->rotating_bytes > 0)
        fact_bytes(page, "Caches cold: operands rotate through", asked->rotating_bytes);
    else if (bench->row_count > 0)
        vkmm_page_fact(page, "Caches", "hot");
    snprintf(text, sizeof text, "%.3g %%", 100 * asked->max_noise);
    if (asked->max_noise > 0) vkmm_page_fact(page, "A row ends below a noise of", text);
    snprintf(text, sizeof text, "%.4g s", asked->budget_ms / 1000);
    if (asked->budget_ms > 0) vkmm_page_fact(page, "Time for each device", text);
}

static void run(vkmm_page *page, const vkmm_bench *bench)
{
    vkmm_build_text(&page->out, "<div class=\"run\"><h3>");
    vkmm_build_html(&page->out, vkmm_page_report_name(bench));
    vkmm_build_text(&page->out, "</h3>\n<dl class=\"facts\">\n");
    if (bench->command != NULL && bench->command[0] != '\0') {
        vkmm_build_text(&page->out, "<dt>Command</dt><dd><code>");
        vkmm_build_html(&page->out, bench->command);
        vkmm_build_text(&page->out, "</code></dd>\n");
    }
    vkmm_page_fact(page, "Measured", bench->created);
    vkmm_page_fact(page, "vkmatmul", bench->version);
    vkmm_page_fact(page, "Hash of its shaders", bench->shader_hash);
    vkmm_page_fact(page, "Host", bench->host);
    vkmm_page_fact(page, "System", bench->os);
    fact_number(page, "Processors", bench->processors);
    fact_bytes(page, "Memory", bench->memory_bytes);
    vkmm_page_fact(page, "Power", bench->power_source);
    for (uint32_t i = 0; i < bench->layer_count; i++) vkmm_page_fact(page, "Vulkan layer", bench->layers[i]);
    settings(page, bench);
    vkmm_page_fact(page, "Note", bench->note);
    vkmm_build_text(&page->out, "</dl>\n");
    for (uint32_t i = 0; i < bench->device_count; i++) device(page, bench, i);
    vkmm_build_text(&page->out, "</div>\n");
}

void vkmm_page_runs(vkmm_page *page)
{
    vkmm_page_section(page, "runs", "About the runs",
                      "All that the reports say of how, where and with what they were made.");
    for (uint32_t i = 0; i < page->all.bench_count; i++) run(page, &page->all.benches[i]);
    vkmm_page_end(page);
}
