/* Rows and tunes of a report. */
#include "bench/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_series(const vkmm_node *time, const char *key, vkmm_bench_series *series)
{
    const vkmm_node node = vkmm_node_key(time, key), samples = vkmm_node_key(&node, "samples");
    size_t count;

    if (!vkmm_node_is_object(&node, 0) || !vkmm_node_is_list(&samples, 1, time->reading->samples_left)) return;
    count = json_array_size(samples.json);
    time->reading->samples_left -= (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const vkmm_node sample = vkmm_node_at(&samples, i);
        double ms = 0;
        if (sample.json == NULL) vkmm_node_fail(&sample, "is null, not a number");
        vkmm_node_number(&sample, VKMM_MOST_MS, &ms);
        if (time->reading->sentence[0] != '\0') return;
        if (!vkmm_bench_series_add(series, &ms, 1)) {
            time->reading->out_of_memory = 1;
            return;
        }
    }
}

static void read_rounds(const vkmm_node *time, vkmm_bench_row *row)
{
    const vkmm_node node = vkmm_node_key(time, "round_ends");
    const uint32_t samples = row->kernel_ms.count;

    if (!vkmm_node_is_list(&node, 0, time->reading->samples_left)) return;
    for (size_t i = 0; i < json_array_size(node.json); i++) {
        const vkmm_node entry = vkmm_node_at(&node, i);
        const uint64_t before = i > 0 ? row->round_ends[i - 1] : 0;
        uint64_t end = 0;
        if (entry.json == NULL) vkmm_node_fail(&entry, "is null, not a number");
        vkmm_node_integer(&entry, samples, &end);
        if (end < before)
            vkmm_node_fail(&entry, "is %llu, less than the end of the round before, %llu", (unsigned long long)end,
                           (unsigned long long)before);
        if (time->reading->sentence[0] != '\0') return;
        if (!vkmm_bench_end_round(row)) {
            time->reading->out_of_memory = 1;
            return;
        }
        row->round_ends[i] = (uint32_t)end;
    }
}

static void read_time(const vkmm_node *row_node, vkmm_bench_row *row)
{
    const vkmm_node node = vkmm_node_key(row_node, "time");

    if (!vkmm_node_is_object(&node, 0)) return;
    read_series(&node, "kernel_ms", &row->kernel_ms);
    read_series(&node, "submit_ms", &row->submit_ms);
    read_series(&node, "transfer_ms", &row->transfer_ms);
    read_series(&node, "upload_ms", &row->upload_ms);
    read_series(&node, "download_ms", &row->download_ms);
    read_rounds(&node, row);
    vkmm_key_text(&node, "clock", row->clock, sizeof row->clock);
    vkmm_key_text(&node, "clock_note", row->clock_note, sizeof row->clock_note);
    vkmm_key_number(&node, "slope_ms", VKMM_MOST_MS, &row->slope_ms);
    vkmm_key_truth(&node, "mapped", &row->mapped);
    vkmm_key_text(&node, "stopped", row->stopped, sizeof row->stopped);
}

static void read_constants(const vkmm_node *kernel_node, vkmm_kernel_info *kernel)
{
    const vkmm_node node = vkmm_node_key(kernel_node, "spec_constants");
    const char *key;
    json_t *value;

    if (!vkmm_node_is_object(&node, 0)) return;
    if (json_object_size(node.json) > VKMM_MAX_SPEC_CONSTANTS) {
        vkmm_node_fail(&node, "has %zu entries; at most %d are read", json_object_size(node.json),
                       VKMM_MAX_SPEC_CONSTANTS);
        return;
    }
    json_object_foreach((json_t *)node.json, key, value)
    {
        const vkmm_node entry = vkmm_node_key(&node, key);
        char *end;
        const unsigned long id = strtoul(key, &end, 10);
        if (key[0] < '0' || key[0] > '9' || *end != '\0' || id > UINT32_MAX) {
            vkmm_node_fail(&entry, "is no constant's number");
            return;
        }
        kernel->spec_ids[kernel->spec_count] = (uint32_t)id;
        vkmm_key_u32(&node, key, &kernel->spec_values[kernel->spec_count++]);
    }
}

static void read_kernel(const vkmm_node *row_node, vkmm_kernel_info *kernel)
{
    const vkmm_node node = vkmm_node_key(row_node, "kernel");

    if (!vkmm_node_is_object(&node, 0)) return;
    vkmm_key_text(&node, "name", kernel->name, sizeof kernel->name);
    vkmm_key_integers(&node, "tile", kernel->tile, 2);
    vkmm_key_integers(&node, "workgroup", kernel->workgroup, 3);
    vkmm_key_integers(&node, "groups", kernel->groups, 3);
    vkmm_key_u32(&node, "shared_bytes", &kernel->shared_bytes);
    read_constants(&node, kernel);
    vkmm_key_text(&node, "config", kernel->config, sizeof kernel->config);
    vkmm_key_truth(&node, "tuned", &kernel->tuned);
    vkmm_key_u32(&node, "splits", &kernel->splits);
    vkmm_key_u64(&node, "items", &kernel->items);
    vkmm_key_u64(&node, "workspace_bytes", &kernel->workspace_bytes);
    vkmm_key_integers(&node, "matrix", kernel->matrix, 3);
    vkmm_key_u32(&node, "subgroup_size", &kernel->subgroup_size);
    vkmm_key_truth(&node, "dot8", &kernel->uses_dot8);
}

static void read_verify(const vkmm_node *row_node, vkmm_bench_row *row)
{
    const vkmm_node node = vkmm_node_key(row_node, "verify");

    if (!vkmm_node_is_object(&node, 0)) return;
    vkmm_key_text(&node, "method", row->method, sizeof row->method);
    vkmm_key_truth(&node, "passed", &row->passed);
    vkmm_key_number(&node, "error", INFINITY, &row->error);
    vkmm_key_number(&node, "bound", INFINITY, &row->bound);
    vkmm_key_text(&node, "sentence", row->sentence, sizeof row->sentence);
    if (strcmp(row->method, "none") == 0 || row->method[0] == '\0') row->passed = 0; /* whatever it says */
}

static void read_power(const vkmm_node *row_node, vkmm_bench_power *power)
{
    const vkmm_node node = vkmm_node_key(row_node, "power");
    static const char *const keys[] = {"mhz_before", "mhz_during", "mhz_after"};

    if (!vkmm_node_is_object(&node, 0)) return;
    vkmm_key_text(&node, "source", power->source, sizeof power->source);
    vkmm_key_number(&node, "joules", 1e12, &power->joules);
    vkmm_key_number(&node, "watts", 1e9, &power->watts);
    for (int i = 0; i < 3; i++) vkmm_key_number(&node, keys[i], 1e9, &power->mhz[i]);
    vkmm_key_text(&node, "limited", power->limited, sizeof power->limited);
}

void vkmm_read_row(const vkmm_node *node, vkmm_bench_row *row)
{
    const vkmm_node device = vkmm_node_key(node, "device"), problem = vkmm_node_key(node, "problem");

    if (!vkmm_node_is_object(node, 1)) return;
    if (device.json == NULL) vkmm_node_fail(&device, "is missing");
    vkmm_key_u32(node, "device", &row->device);
    vkmm_key_text(node, "group", row->group, sizeof row->group);
    vkmm_key_text(node, "asked", row->asked, sizeof row->asked);
    vkmm_read_problem(&problem, &row->problem);
    vkmm_key_u64(&problem, "seed", &row->seed);
    vkmm_key_text(&problem, "init", row->init, sizeof row->init);
    vkmm_key_u64(node, "rotating_bytes", &row->rotating_bytes);
    vkmm_key_text(node, "not_run", row->not_run, sizeof row->not_run);
    if (row->not_run[0] != '\0') return;
    read_kernel(node, &row->kernel);
    read_verify(node, row);
    read_time(node, row);
    vkmm_key_number(node, "asked_bytes", VKMM_MOST_A_S, &row->asked_bytes);
    read_power(node, &row->power);
}

/* A device's label, or the device as `vkmatmul tune --json` has it. */
static void read_tune_device(const vkmm_node *tune, char device[VKMM_BENCH_TEXT])
{
    const vkmm_node node = vkmm_node_key(tune, "device");

    if (json_is_object(node.json))
        vkmm_key_text(&node, "name", device, VKMM_BENCH_TEXT);
    else
        vkmm_node_text(&node, device, VKMM_BENCH_TEXT);
}

void vkmm_read_tune(const vkmm_node *node, vkmm_bench_tune *tune)
{
    const vkmm_node problem = vkmm_node_key(node, "problem"), trials = vkmm_node_key(node, "trials");

    if (!vkmm_node_is_object(node, 1)) return;
    read_tune_device(node, tune->device);
    vkmm_read_problem(&problem, &tune->problem);
    if (!vkmm_node_is_list(&trials, 0, node->reading->samples_left / 16)) return; /* an entry is larger than a sample */
    node->reading->samples_left -= 16 * (uint32_t)json_array_size(trials.json);
    for (size_t i = 0; i < json_array_size(trials.json); i++) {
        const vkmm_node entry = vkmm_node_at(&trials, i);
        vkmm_bench_trial *trial = vkmm_node_is_object(&entry, 1) ? vkmm_bench_add_trial(tune) : NULL;
        if (node->reading->sentence[0] != '\0') return;
        if (trial == NULL) {
            node->reading->out_of_memory = 1;
            return;
        }
        vkmm_key_text(&entry, "kernel", trial->kernel, sizeof trial->kernel);
        vkmm_key_text(&entry, "config", trial->config, sizeof trial->config);
        vkmm_key_number(&entry, "ms", VKMM_MOST_MS, &trial->ms);
    }
}
