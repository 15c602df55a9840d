/* The devices of a live run, and the processes that measure on them. */
#include "base/alloc.h"
#include "report/records.h"
#include "bench/parts.h"
#include "math/problem.h"
#include "math/type.h"
#include "bench/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define START_PATIENCE   30000.0
#define PEAKS_PATIENCE   60000.0
#define PEAK_PATIENCE    10000.0 /* more for each type, and so much more than the shapes' own time */
#define SHAPES_SHARE     0.05    /* of the budget, for the peaks of matrix shapes */
#define PATIENCE_LEAST   4000.0  /* who gave little time does not want to wait long: so much, */
#define PATIENCE_BUDGETS 4.0     /* and so many times that time */
#define HOST_SHARE       0.12    /* of the budget, for the host's BLAS; */
#define HOST_LEAST_MS    2000.0  /* but so much if the budget has it */

int cli_bench_is_over(const cli_bench_run *run)
{
    return vkmm_interrupted() != 0 || run->failure != VKMM_OK;
}

int cli_bench_is_for(const vkmm_bench_device *device, const vkmm_suite_item *item)
{
    const vkmm_problem *problem = &item->problem;
    const vkmm_types types = vkmm_problem_types(problem);

    if (!device->is_host) return !item->for_gpus || device->info.type != VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (types.in != types.out || types.in != types.compute || problem->has_bias ||
        problem->activation != VKMM_ACTIVATION_NONE)
        return 0;
    return strcmp(item->kernel, "auto") == 0 && vkmm_type_of(types.in)->is_float;
}

static double left_of(const cli_bench_run *run)
{
    double left = 0;

    for (uint32_t i = 0; i < run->bench->device_count; i++) {
        const cli_bench_lane *lane = &run->lanes[i];
        double budget = lane->budget_ms - lane->link.spent_ms,
               each = lane->known > 0 ? lane->link.spent_ms / lane->known : budget;
        double rest = each * (lane->rows - lane->known);
        if (!lane->over && budget > 0 && rest > 0) left += rest < budget ? rest : budget;
    }
    return left / 1000;
}

void cli_bench_show_progress(const cli_bench_run *run, const cli_bench_lane *lane, const vkmm_suite_item *item)
{
    cli_console *console = &run->session->console;
    char size[VKMM_TEXT_PROBLEM];
    const char *label = run->bench->devices[lane->device].label;
    uint32_t rows = 0, known = 0;

    if (!console->interactive) return;
    for (uint32_t i = 0; i < run->bench->device_count; i++) {
        rows += run->lanes[i].rows;
        known += run->lanes[i].known;
    }
    if (item == NULL) {
        cli_progress(console, "%s: what it can do at best", label);
        return;
    }
    vkmm_text_problem(size, sizeof size, &item->problem, console->utf8);
    cli_progress(console, "%u of %u rows, about %.0f s left: %s %s %s, %s", known, rows, left_of(run), size,
                 vkmm_text_type(&item->problem, console->utf8), item->kernel, label);
}

void cli_bench_give_up(cli_bench_run *run, cli_bench_lane *lane)
{
    vkmm_bench_device *device = &run->bench->devices[lane->device];

    if (lane->over) return;
    lane->over = 1;
    snprintf(device->failed, sizeof device->failed, "%.*s", VKMM_BENCH_TEXT - 1, lane->link.sentence);
    vkmm_say(&run->session->console.log, VKMM_LOG_WARNING, "%s is given up: %s", device->label, lane->link.sentence);
}

int cli_bench_is_ready(cli_bench_run *run, cli_bench_lane *lane)
{
    if (lane->over || cli_bench_is_over(run)) return 0;
    switch (cli_worker_start(&lane->link, fmin(START_PATIENCE, PATIENCE_LEAST + PATIENCE_BUDGETS * lane->budget_ms))) {
    case CLI_REPLY_ANSWER:
        return 1;
    case CLI_REPLY_INTERRUPTED:
        return 0;
    case CLI_REPLY_LOST:
    case CLI_REPLY_NO_WORKER:
        cli_bench_give_up(run, lane);
        return 0;
    }
    return 0;
}

/* Those that the suite multiplies or sums in on the device, and whose peak is not known. Some have none. */
static json_t *types_of(const cli_bench_run *run, const vkmm_bench_device *device)
{
    json_t *types = json_array();

    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) {
        int asked = 0;
        for (uint32_t i = 0; i < run->suite->count && !asked; i++) {
            const vkmm_problem *problem = &run->suite->items[i].problem;
            asked = cli_bench_is_for(device, &run->suite->items[i]) &&
                    (problem->type == (vkmm_type)type || vkmm_problem_compute(problem) == (vkmm_type)type);
        }
        if (asked && !(device->peaks.multiply_adds_per_s[type] > 0))
            json_array_append_new(types, json_string(vkmm_type_of((vkmm_type)type)->name));
    }
    return types;
}

/* Peaks that an earlier part of the run has measured stay. */
static void keep_peaks(vkmm_bench_peaks *peaks, const vkmm_bench_peaks *got)
{
    if (!(peaks->copy_bytes_per_s > 0)) *peaks = *got;
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++)
        if (!(peaks->multiply_adds_per_s[type] > 0)) peaks->multiply_adds_per_s[type] = got->multiply_adds_per_s[type];
}

static cli_reply ask_peaks(cli_bench_run *run, cli_bench_lane *lane, json_t *types)
{
    vkmm_bench_device *device = &run->bench->devices[lane->device];
    vkmm_bench_peaks got;
    json_t *ask = json_pack("{s:s}", "ask", "peaks"), *answer = NULL;
    char sentence[VKMM_BENCH_TEXT];
    double shapes = device->peaks.copy_bytes_per_s > 0 ? 0 : SHAPES_SHARE * lane->budget_ms;
    double patience = PEAKS_PATIENCE + PEAK_PATIENCE * (double)json_array_size(types) + 2 * shapes;
    cli_reply reply;

    json_object_set_new(ask, "types", types);
    json_object_set_new(ask, "matrix_ms", json_real(shapes));
    reply =
        cli_worker_ask(&lane->link, ask, fmin(patience, PATIENCE_LEAST + PATIENCE_BUDGETS * lane->budget_ms), &answer);
    if (reply == CLI_REPLY_ANSWER && lane->link.status == VKMM_OK) {
        vkmm_bench_peaks_init(&got);
        if (vkmm_record_parse(json_object_get(answer, "peaks"), &vkmm_peaks_record, &got, sentence))
            keep_peaks(&device->peaks, &got);
        else
            reply = cli_worker_distrust(&lane->link, sentence);
    }
    json_decref(answer);
    return reply;
}

void cli_bench_measure_peaks(cli_bench_run *run, cli_bench_lane *lane)
{
    const vkmm_bench_device *device = &run->bench->devices[lane->device];
    json_t *types = types_of(run, device);

    if (device->is_host || (device->peaks.copy_bytes_per_s > 0 && json_array_size(types) == 0) ||
        !cli_bench_is_ready(run, lane)) {
        json_decref(types);
        return;
    }
    cli_bench_show_progress(run, lane, NULL);
    if (ask_peaks(run, lane, types) != CLI_REPLY_INTERRUPTED && lane->link.status != VKMM_OK)
        vkmm_say(&run->session->console.log, VKMM_LOG_WARNING, "the peaks of %s are not known: %s", device->label,
                 lane->link.sentence);
    lane->link.spent_ms = 0; /* the budget is the rows' */
}

int cli_bench_make_lanes(cli_bench_run *run)
{
    const cli_options *options = run->session->options;

    run->lanes = vkmm_alloc(run->bench->device_count, sizeof *run->lanes);
    run->cells = vkmm_alloc((size_t)run->bench->device_count * CLI_BENCH_BLOCK, sizeof *run->cells);
    if (run->lanes == NULL || run->cells == NULL) return 0;
    for (uint32_t i = 0; i < run->bench->device_count; i++) {
        const vkmm_bench_device *device = &run->bench->devices[i];
        cli_bench_lane *lane = &run->lanes[i];
        double budget = run->suite->budget_ms;
        lane->suite = run->suite;
        lane->bench = run->bench;
        lane->device = i;
        lane->link = (cli_worker){.session = run->session,
                                  .command = "bench-worker",
                                  .device = device->is_host ? NULL : &device->info,
                                  .words = {device->is_host ? "--host" : NULL, options->no_cache ? "--no-cache" : NULL,
                                            options->untuned ? "--untuned" : NULL}};
        lane->speeds.device = device;
        if (device->is_host)
            budget = HOST_SHARE * budget > HOST_LEAST_MS ? HOST_SHARE * budget : fmin(HOST_LEAST_MS, budget);
        lane->budget_ms = budget;
        for (uint32_t j = 0; j < run->suite->count; j++)
            lane->rows += (uint32_t)cli_bench_is_for(device, &run->suite->items[j]);
    }
    return 1;
}
