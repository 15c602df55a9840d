#include "make_bench.h"
#include "bench/derive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "normal.h"
#include "math/problem.h"
#include "report/record.h"

enum { ROUNDS = 5, SAMPLES = 8, FAST = 0, SLOW = 1, HOST = 2 };

/* What is worth a row: its group, the kernel asked for, and the problem. */
typedef struct item {
    const char *group, *kernel;
    vkmm_type type;
    uint64_t m, n, k;
} item;

static const item items[] = {
    {"square", "auto", VKMM_F32, 256, 256, 256},
    {"square", "auto", VKMM_F32, 512, 512, 512},
    {"square", "auto", VKMM_F32, 1024, 1024, 1024},
    {"square", "auto", VKMM_F32, 2048, 2048, 2048},
    {"square", "auto", VKMM_F32, 16384, 16384, 16384},
    {"square", "auto", VKMM_F64, 1024, 1024, 1024},
    {"square", "auto", VKMM_I32, 1024, 1024, 1024},
    {"square", "auto", VKMM_U32, 1024, 1024, 1024},
    {"edge", "auto", VKMM_F32, 511, 511, 511},
    {"edge", "auto", VKMM_F32, 513, 513, 513},
    {"edge", "auto", VKMM_F32, 1023, 1023, 1023},
    {"edge", "auto", VKMM_F32, 1025, 1025, 1025},
    {"edge", "auto", VKMM_F32, 385, 385, 385},
    {"edge", "auto", VKMM_F64, 1000, 1000, 1000},
    {"ladder", "naive", VKMM_F32, 1024, 1024, 1024},
    {"ladder", "grouped", VKMM_F32, 1024, 1024, 1024},
    {"ladder", "tiled", VKMM_F32, 1024, 1024, 1024},
    {"ladder", "band", VKMM_F32, 1024, 1024, 1024},
    {"ladder", "band-tiled", VKMM_F32, 1024, 1024, 1024},
    {"llm", "auto", VKMM_F32, 4096, 1, 14336},
    {"llm", "auto", VKMM_F32, 4096, 32, 14336},
    {"llm", "auto", VKMM_F32, 4096, 512, 14336},
    {"skinny", "auto", VKMM_F32, 16, 8192, 1024},
    {"split-k", "auto", VKMM_F32, 64, 64, 65536},
    {"file", "auto", VKMM_F32, 300, 200, 100},
};

enum { ITEMS = sizeof items / sizeof *items };

static void need(int good)
{
    if (good) return;
    fprintf(stderr, "make_bench: out of memory\n");
    abort();
}

static void make_gpu(cli_bench_device *device)
{
    vkmm_device_info *info = &device->info;
    snprintf(device->label, sizeof device->label, "Example Speedster 9000");
    info->index = 0;
    snprintf(info->name, sizeof info->name, "Example Speedster 9000");
    snprintf(info->driver.name, sizeof info->driver.name, "Example proprietary driver");
    snprintf(info->driver.info, sizeof info->driver.info, "580.1.2");
    memset(info->uuid, 0xa1, sizeof info->uuid);
    memset(info->driver.uuid, 0xb2, sizeof info->driver.uuid);
    info->vendor_id = 0x10de;
    info->device_id = 0x2330;
    info->driver.id = 4;
    info->driver.version = 2433744896u;
    info->driver.api_version = VK_MAKE_API_VERSION(0, 1, 4, 303);
    info->type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    info->limits.max_invocations = 1024;
    for (int i = 0; i < 3; i++)
        info->limits.max_workgroup_size[i] = i < 2 ? 1024 : 64,
        info->limits.max_workgroup_count[i] = i < 1 ? 2147483647 : 65535;
    info->limits.max_shared_bytes = 49152;
    info->subgroup.size = 32;
    info->subgroup.has_broadcast = 1;
    info->processors = 132;
    info->limits.max_storage_range = UINT32_MAX;
    info->memory.max_allocation_bytes = UINT32_MAX;
    info->memory.max_buffer_bytes = UINT64_MAX;
    info->memory.device_heap_bytes = UINT64_C(80) << 30;
    info->limits.offset_alignment = 16;
    info->memory.heap_count = 2;
    info->memory.heaps[0] = (VkMemoryHeap){UINT64_C(80) << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    info->memory.heaps[1] = (VkMemoryHeap){UINT64_C(64) << 30, 0};
    info->has_pci = 1;
    info->pci[1] = 0x65;
    info->limits.timestamp_bits = 64;
    info->limits.timestamp_period_ns = 1;
    info->features.f64 = info->features.statistics = 1;
    device->peaks.copy_bytes_per_s = 4.1e12;
    device->peaks.multiply_adds_per_s[VKMM_F32] = 33e12;
    device->peaks.multiply_adds_per_s[VKMM_F64] = 16e12;
    device->peaks.multiply_adds_per_s[VKMM_I32] = device->peaks.multiply_adds_per_s[VKMM_U32] = 15e12;
    device->peaks.matrix[0] = (cli_bench_matrix){{16, 16, 16, 0, 0, 1, 1, 3, 0}, 314e12};
    device->peaks.matrix[1] = (cli_bench_matrix){{16, 16, 32, 3, 3, 5, 5, 3, 1}, 642e12};
    device->peaks.matrix[2] = (cli_bench_matrix){{16, 16, 16, 1000141000, 1000141000, 1, 1, 3, 0}, NAN};
    device->peaks.matrix_count = 3;
}

static void make_integrated(cli_bench_device *device)
{
    vkmm_device_info *info = &device->info;
    snprintf(device->label, sizeof device->label, "Modest Graphics 630");
    info->index = 1;
    snprintf(info->name, sizeof info->name, "Modest Graphics 630");
    snprintf(info->driver.name, sizeof info->driver.name, "Open driver");
    snprintf(info->driver.info, sizeof info->driver.info, "Mesa 25.0.7");
    memset(info->uuid, 0x33, sizeof info->uuid);
    memset(info->driver.uuid, 0x44, sizeof info->driver.uuid);
    info->vendor_id = 0x8086;
    info->driver.api_version = VK_MAKE_API_VERSION(0, 1, 3, 274);
    info->type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    info->limits.max_invocations = 256;
    for (int i = 0; i < 3; i++) info->limits.max_workgroup_size[i] = 256, info->limits.max_workgroup_count[i] = 65535;
    info->limits.max_shared_bytes = 32768;
    info->subgroup.size = 16;
    info->limits.max_storage_range = UINT64_C(1) << 27;
    info->memory.max_allocation_bytes = info->memory.max_buffer_bytes = UINT64_C(1) << 31;
    info->memory.device_heap_bytes = UINT64_C(12) << 30;
    info->limits.offset_alignment = 64;
    info->memory.heap_count = 1;
    info->memory.heaps[0] = (VkMemoryHeap){UINT64_C(12) << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    info->limits.timestamp_bits = 36;
    info->limits.timestamp_period_ns = 83.333;
    info->features.f64 = info->memory.is_unified = 1;
    device->peaks.copy_bytes_per_s = 28e9;
    device->peaks.multiply_adds_per_s[VKMM_F32] = 210e9;
    device->peaks.multiply_adds_per_s[VKMM_I32] = device->peaks.multiply_adds_per_s[VKMM_U32] = 70e9;
    snprintf(device->failed, sizeof device->failed, "the measuring process was killed by signal 9 (Killed)");
}

static void make_host(cli_bench_device *device)
{
    snprintf(device->label, sizeof device->label, "Example Processor 8-Core (OpenBLAS)");
    device->is_host = 1;
    snprintf(device->info.name, sizeof device->info.name, "Example Processor 8-Core");
    snprintf(device->info.driver.name, sizeof device->info.driver.name, "OpenBLAS");
    snprintf(device->info.driver.info, sizeof device->info.driver.info, "0.3.21, Zen, 8 threads");
    device->info.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    device->peaks.copy_bytes_per_s = 20e9;
}

/* GFLOP/s at best, by device; steps of the ladder and odd sizes are slower, and small products. */
static double gflops_of(uint32_t device, const item *it)
{
    static const double best[] = {45000, 300, 400}, of_type[] = {[VKMM_F32] = 1, 0.4, 0.6, 0.6};
    static const char *const steps[] = {"naive", "grouped", "tiled", "band", "band-tiled"};
    static const double of_step[] = {0.05, 0.06, 0.12, 0.2, 0.3};
    double gflops = best[device] * of_type[it->type], work = 2.0 * (double)it->m * (double)it->n * (double)it->k;
    for (int i = 0; i < 5; i++)
        if (strcmp(steps[i], it->kernel) == 0) gflops *= of_step[i];
    if (it->m % 2 == 1) gflops *= 0.8;
    if (it->n < 64 || it->m < 64) gflops *= 0.1;
    return gflops * work / (work + best[device] * 1e4);
}

static void add_samples(cli_bench_series *series, double ms, double noise, uint64_t key, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char digits[32]; /* nine, as of samples that a measuring process sends */
        snprintf(digits, sizeof digits, "%.9g", ms * (1 + noise * (random_unit(key, series->count) - 0.5)));
        const double sample = strtod(digits, NULL);
        need(cli_bench_series_add(series, &sample, 1));
    }
}

static void add_times(cli_bench_row *row, double ms, double noise, uint64_t key, int throttles)
{
    for (int round = 0; round < ROUNDS; round++) {
        add_samples(&row->kernel_ms, throttles ? ms * (1 + 0.05 * round) : ms, noise, key, SAMPLES);
        need(cli_bench_end_round(row));
    }
    row->slope_ms = ms * 1.003;
    snprintf(row->stopped, sizeof row->stopped, "%s", key % 3 == 0 ? "time" : "stable");
    snprintf(row->clock, sizeof row->clock, "device");
    if (row->device == HOST) {
        snprintf(row->clock, sizeof row->clock, "host");
        row->slope_ms = NAN;
        return;
    }
    add_samples(&row->submit_ms, ms + 0.02, noise, key + 1, ROUNDS * SAMPLES);
    row->mapped = row->device == SLOW;
    if (!row->mapped) add_samples(&row->upload_ms, ms / 2, noise, key + 2, SAMPLES);
    if (!row->mapped) add_samples(&row->download_ms, ms / 4, noise, key + 3, SAMPLES);
    add_samples(&row->total_ms, row->mapped ? ms + 0.02 : ms * 1.78 + 0.02, noise, key + 4, SAMPLES);
}

static void set_kernel(cli_bench_row *row, const item *it)
{
    const int is_auto = strcmp(it->kernel, "auto") == 0;
    snprintf(row->kernel.name, sizeof row->kernel.name, "%s",
             row->device == HOST ? "sgemm"
             : is_auto           ? "blocked"
                                 : it->kernel);
    if (row->device == HOST) return;
    row->kernel.tile[0] = row->kernel.tile[1] = is_auto ? 128 : 16;
    row->kernel.workgroup[0] = row->kernel.workgroup[1] = 16;
    row->kernel.workgroup[2] = row->kernel.groups[2] = 1;
    row->kernel.groups[0] = (uint32_t)((it->n + row->kernel.tile[1] - 1) / row->kernel.tile[1]);
    row->kernel.groups[1] = (uint32_t)((it->m + row->kernel.tile[0] - 1) / row->kernel.tile[0]);
    row->kernel.shared_bytes = is_auto ? 16384 : 2048;
    row->kernel.spec_count = 2;
    row->kernel.spec_ids[1] = 1;
    row->kernel.spec_values[0] = row->kernel.spec_values[1] = 16;
    if (!is_auto) {
        row->asked_bytes = 8.0 * (double)it->m * (double)it->n * (double)it->k / 16;
        return;
    }
    snprintf(row->kernel.config, sizeof row->kernel.config, "rows=128,cols=128,depth=16");
    row->kernel.tuned = row->device == FAST;
    row->kernel.splits = strcmp(it->group, "split-k") == 0 ? 8 : 1;
    row->kernel.items = (uint64_t)row->kernel.groups[0] * row->kernel.groups[1] * row->kernel.splits;
    row->kernel.workspace_bytes = row->kernel.splits > 1 ? 131072 : 0;
}

static void set_verdict(cli_bench_row *row)
{
    const int wrong = row->device == SLOW && row->problem.type == VKMM_F64,
              none = row->device == SLOW && strcmp(row->group, "file") == 0;
    snprintf(row->method, sizeof row->method, none ? "none" : "freivalds");
    row->passed = !wrong && !none;
    row->error = none ? NAN : wrong ? 40000 : 0.4;
    row->bound = none ? NAN : 1;
    if (wrong)
        snprintf(row->sentence, sizeof row->sentence, "row 17 of C is off by 40000 times the bound");
    else
        snprintf(row->sentence, sizeof row->sentence,
                 none ? "not verified" : "4 random vectors agree within 0.4 of the bound");
}

static void add_power(cli_bench_row *row, double ms)
{
    snprintf(row->power.source, sizeof row->power.source, "NVML");
    row->power.watts = 430;
    row->power.joules = 0.430 * ms;
    row->power.mhz[0] = 345;
    row->power.mhz[1] = 1905;
    row->power.mhz[2] = 1980;
}

static cli_bench_row *add_row(cli_bench *bench, uint32_t device, const item *it, double speed, double noise)
{
    cli_bench_row *row = cli_bench_add_row(bench);
    const uint64_t key = 100 * bench->row_count;
    const int throttles = device == FAST && it->type == VKMM_F32 && it->m == 2048;
    double ms;
    need(row != NULL);
    row->device = device;
    snprintf(row->group, sizeof row->group, "%s", it->group);
    snprintf(row->asked, sizeof row->asked, "%s", it->kernel);
    row->problem = VKMM_PROBLEM(.m = it->m, .n = it->n, .k = it->k, .type = it->type);
    row->seed = 1;
    snprintf(row->init, sizeof row->init, "uniform");
    if (it->m == 16384 && device != FAST) {
        snprintf(row->not_run, sizeof row->not_run, "A is 1 GiB; \"%.100s\" allows 128 MiB (maxStorageBufferRange)",
                 bench->devices[device].label);
        return row;
    }
    ms = vkmm_problem_flops(&row->problem) / (gflops_of(device, it) * speed) * 1e-6;
    set_kernel(row, it);
    set_verdict(row);
    if (row->passed) add_times(row, ms, noise, key, throttles);
    if (row->passed && device == FAST) add_power(row, ms);
    if (row->passed && device == HOST && it->m == 2048 && it->type == VKMM_F32) {
        snprintf(row->power.source, sizeof row->power.source, "cpuinfo");
        row->power.others = 7.5;
        row->power.processors = 16;
    }
    if (device == SLOW && it->m == 513) {
        snprintf(row->clock, sizeof row->clock, "host");
        snprintf(row->clock_note, sizeof row->clock_note, "the device's timestamps do not advance");
    }
    return row;
}

void make_bench(cli_bench *bench, double speed, double noise)
{
    cli_bench_device *device;
    snprintf(bench->version, sizeof bench->version, "0.1.0");
    snprintf(bench->shader_hash, sizeof bench->shader_hash, "0123456789abcdef");
    snprintf(bench->created, sizeof bench->created, "2026-11-21T12:00:00Z");
    need((bench->command = vkmm_strdup("vkmatmul compare --suite standard -o desk.json")) != NULL);
    snprintf(bench->host, sizeof bench->host, "Example Processor 8-Core");
    snprintf(bench->os, sizeof bench->os, "Linux 6.1.0-18-amd64 x86_64");
    bench->processors = 16;
    bench->memory_bytes = UINT64_C(64) << 30;
    snprintf(bench->power_source, sizeof bench->power_source, "mains");
    bench->settings = (cli_bench_settings){.suite = "standard", .seed = 1, .max_noise = 0.01, .budget_ms = 240000};
    need(cli_bench_add_layer(bench, "VK_LAYER_EXAMPLE_overlay"));
    bench->paired = bench->complete = 1;
    need((device = cli_bench_add_device(bench)) != NULL);
    make_gpu(device);
    need((device = cli_bench_add_device(bench)) != NULL);
    make_integrated(device);
    need((device = cli_bench_add_device(bench)) != NULL);
    make_host(device);
    for (uint32_t d = FAST; d <= HOST; d++) {
        for (int i = 0; i < ITEMS; i++)
            if (d != HOST || (items[i].type <= VKMM_F64 && strcmp(items[i].kernel, "auto") == 0))
                add_row(bench, d, &items[i], speed, noise);
    }
    add_row(bench, FAST, &items[2], 0.8 * speed, noise)->rotating_bytes = UINT64_C(256) << 20;
    for (uint32_t i = 0; i < bench->row_count; i++) cli_bench_derive(bench, &bench->rows[i]);
    cli_bench_raise_peaks(bench);
}

static void cut(cli_bench_row *row)
{
    if (row->kernel_ms.count == 0) return;
    row->kernel_ms.count = 4;
    row->rounds = 2;
    row->round_ends[0] = 2;
    row->round_ends[1] = 4;
    if (row->submit_ms.count > 2) row->submit_ms.count = 2;
    if (row->total_ms.count > 2) row->total_ms.count = 2;
    if (row->upload_ms.count > 2) row->upload_ms.count = 2;
    if (row->download_ms.count > 2) row->download_ms.count = 2;
}

static int is_kept(const cli_bench_row *row)
{
    if (row->device == HOST) return row->problem.m == 256;
    if (row->device == SLOW) return row->problem.m == 16384 || row->problem.m == 1000;
    return row->problem.m == 256 || strcmp(row->asked, "tiled") == 0;
}

void make_small_bench(cli_bench *bench)
{
    uint32_t kept = 0;
    make_bench(bench, 1, 0.02);
    for (uint32_t i = 0; i < bench->row_count; i++) {
        if (!is_kept(&bench->rows[i])) {
            cli_bench_row_free(&bench->rows[i]);
            continue;
        }
        const cli_bench_row row = bench->rows[i];
        cli_bench_row_init(&bench->rows[i]);
        bench->rows[kept] = row;
        cut(&bench->rows[kept++]);
    }
    bench->row_count = kept;
    snprintf(bench->rows[0].power.limited, sizeof bench->rows[0].power.limited, "heat");
    snprintf(bench->rows[0].clock_note, sizeof bench->rows[0].clock_note, "a note");
    snprintf(bench->rows[1].in_panels, sizeof bench->rows[1].in_panels, "4 panels of 512x512: a reason");
    snprintf(bench->note, sizeof bench->note, "a note");
    for (uint32_t i = 0; i < kept; i++) cli_bench_derive(bench, &bench->rows[i]);
    cli_bench_raise_peaks(bench);
}
