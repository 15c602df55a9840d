#include "bench/bench_run.h"
#include "bench/derive.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "bench/cell.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/records.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_BYTES    ((double)((uint64_t)256 << 20)) /* of operands that are held at once, on each device */
#define START_PATIENCE 30000.0
#define PEAKS_PATIENCE 60000.0
#define PEAK_PATIENCE  10000.0 /* more for each type, and so much more than the shapes' own time */
#define SHAPES_SHARE   0.05    /* of the budget, for the peaks of matrix shapes */
#define HOST_SHARE     0.12    /* of the budget, for the host's BLAS; */
#define HOST_LEAST_MS  2000.0  /* but so much if the budget has it */

enum {
    BLOCK = 8, /* items that are held at once, on each device */
    TRIES = 2
};

typedef struct bench_run {
    cli_session *session;
    const cli_suite *suite;
    cli_bench *bench;
    cli_bench_live *live;
    cli_bench_lane *lanes; /* owned; one per device */
    cli_bench_cell *cells; /* owned; of the block */
    uint32_t cell_count;
    uint32_t first, end; /* the lanes that take turns now */
    int next_id;
    vkmm_status failure; /* of the report, which ends the run */
} bench_run;

/* ---- devices, and the processes that measure on them ---- */

/* Whether the run must stop: a signal came, or the report failed. */
static int is_over(const bench_run *run)
{
    return cli_interrupted() != 0 || run->failure != VKMM_OK;
}

/* Whether the device has a row for the item: a BLAS has no tutorials' kernels, and no integers. */
static int is_for(const cli_bench_device *device, const cli_suite_item *item)
{
    const vkmm_problem *problem = &item->problem;
    const vkmm_types types = vkmm_problem_types(problem);
    if (!device->is_host) return !item->for_gpus || !vkmm_is_processor(&device->info);
    if (types.in != types.out || types.in != types.compute || problem->method != VKMM_COMPUTE_DIRECT ||
        problem->has_bias || problem->activation != VKMM_ACTIVATION_NONE)
        return 0;
    return item->shader == NULL && strcmp(item->kernel, "auto") == 0 && vkmm_type_of(types.in)->is_float;
}

uint32_t cli_bench_rows(const cli_suite *suite, const cli_bench_device *device)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < suite->count; i++) rows += (uint32_t)is_for(device, &suite->items[i]);
    return rows;
}

/* The current step, and the time left; item NULL: peaks. */
static void show_progress(const bench_run *run, const cli_bench_lane *lane, const cli_suite_item *item)
{
    cli_console *console = &run->session->console;
    const char *label = run->bench->devices[lane->device].label;
    uint32_t rows = 0, known = 0;
    double left_ms = 0;
    if (!console->interactive) return;
    if (item == NULL) {
        cli_progress(console, "%s: measuring peaks", label);
        return;
    }
    for (uint32_t i = 0; i < run->bench->device_count; i++) {
        const cli_bench_lane *each = &run->lanes[i];
        const double spent = each->link.spent_ms, budget = each->budget_ms - spent;
        const double rest = (each->known > 0 ? spent / each->known : budget) * (each->rows - each->known);
        rows += each->rows;
        known += each->known;
        if (!each->over) left_ms += fmax(fmin(rest, budget), 0);
    }
    cli_progress(console, "%u of %u rows, about %.0f s left: %s %s %s, %s", known, rows, left_ms / 1000,
                 CLI_NAME(&item->problem, console->utf8), cli_text_type(&item->problem, console->utf8), item->kernel,
                 label);
}

/* Abandons the device, which cannot continue: link.sentence says why. */
static void give_up(bench_run *run, cli_bench_lane *lane)
{
    cli_bench_device *device = &run->bench->devices[lane->device];
    if (lane->over) return;
    lane->over = 1;
    VKMM_PUT(device->failed, "%.*s", CLI_BENCH_TEXT - 1, lane->link.sentence);
    vkmm_say(run->session->log, VKMM_LOG_WARNING, "%s is abandoned: %s", device->label, lane->link.sentence);
}

/* 1: its process runs. Otherwise the run is over, or the device is abandoned. */
static int is_ready(bench_run *run, cli_bench_lane *lane)
{
    cli_reply reply;
    if (lane->over || is_over(run)) return 0;
    reply = cli_worker_start(&lane->link, cli_bench_patience(lane, START_PATIENCE));
    if (reply != CLI_REPLY_ANSWER && reply != CLI_REPLY_INTERRUPTED) give_up(run, lane);
    return reply == CLI_REPLY_ANSWER;
}

/* The types that the suite multiplies or sums in on the device. Some have no peak. */
static json_t *types_of(const bench_run *run, const cli_bench_device *device)
{
    json_t *types = json_array();
    int asked[VKMM_TYPE_COUNT] = {0};
    for (uint32_t i = 0; i < run->suite->count; i++) {
        uint32_t unused;
        const vkmm_types inner = vkmm_problem_inner(&run->suite->items[i].problem, NULL, &unused);
        if (is_for(device, &run->suite->items[i])) asked[inner.in] = asked[inner.compute] = 1;
    }
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++)
        if (asked[type]) json_array_append_new(types, json_string(vkmm_type_of((vkmm_type)type)->name));
    return types;
}

static void measure_peaks(bench_run *run, cli_bench_lane *lane)
{
    cli_bench_device *device = &run->bench->devices[lane->device];
    const double shapes_ms = SHAPES_SHARE * lane->budget_ms;
    cli_bench_peaks got;
    json_t *types, *answer;
    char sentence[CLI_BENCH_TEXT];
    double patience;
    cli_reply reply;
    if (device->is_host || device->together[0] != '\0' || device->peaks.copy_bytes_per_s > 0 || !is_ready(run, lane))
        return;
    show_progress(run, lane, NULL);
    types = types_of(run, device);
    patience = PEAKS_PATIENCE + PEAK_PATIENCE * (double)json_array_size(types) + 2 * shapes_ms;
    reply = cli_worker_ask(&lane->link,
                           json_pack("{s:s, s:o, s:f}", "ask", "peaks", "types", types, "matrix_ms", shapes_ms),
                           cli_bench_patience(lane, patience), &answer);
    cli_bench_peaks_init(&got);
    if (reply == CLI_REPLY_ANSWER && lane->link.status == VKMM_OK) {
        if (cli_record_parse(json_object_get(answer, "peaks"), &cli_peaks_record, &got, sentence))
            device->peaks = got;
        else
            cli_worker_distrust(&lane->link, sentence);
    }
    json_decref(answer);
    if (reply != CLI_REPLY_INTERRUPTED && lane->link.status != VKMM_OK)
        vkmm_say(run->session->log, VKMM_LOG_WARNING, "the peaks of %s are unknown: %s", device->label,
                 lane->link.sentence);
    lane->link.spent_ms = 0; /* the budget is only for rows */
}

/* Fills run->lanes and allocates run->cells; 0 if memory runs out. */
static int make_lanes(bench_run *run)
{
    const cli_options *options = run->session->options;
    run->lanes = vkmm_alloc(run->bench->device_count, sizeof *run->lanes);
    run->cells = vkmm_alloc((size_t)run->bench->device_count * BLOCK, sizeof *run->cells);
    if (run->lanes == NULL || run->cells == NULL) return 0;
    for (uint32_t i = 0; i < run->bench->device_count; i++) {
        const cli_bench_device *device = &run->bench->devices[i];
        cli_bench_lane *lane = &run->lanes[i];
        double budget = run->suite->budget_ms;
        lane->suite = run->suite;
        lane->bench = run->bench;
        lane->device = i;
        lane->link = (cli_worker){.session = run->session,
                                  .command = "bench-worker",
                                  .device = device->is_host ? NULL : &device->info,
                                  .devices = device->together[0] != '\0' ? device->together : NULL,
                                  .words = {device->is_host ? "--host" : NULL, options->no_cache ? "--no-cache" : NULL,
                                            options->untuned ? "--untuned" : NULL,
                                            options->memory_limit > 0 && !device->is_host ? lane->memory : NULL}};
        VKMM_PUT(lane->memory, "--memory-limit=%.0f", options->memory_limit);
        lane->speeds.device = device;
        if (device->is_host)
            budget = HOST_SHARE * budget > HOST_LEAST_MS ? HOST_SHARE * budget : fmin(HOST_LEAST_MS, budget);
        else if (vkmm_is_processor(&device->info) && run->suite->cpu_budget_ms > 0)
            budget = run->suite->cpu_budget_ms;
        lane->budget_ms = budget;
        lane->rows = cli_bench_rows(run->suite, device);
    }
    return 1;
}

/* ---- rows ---- */

static void fill_block(bench_run *run, uint32_t from, uint32_t to)
{
    run->cell_count = 0;
    for (uint32_t i = from; i < to; i++) {
        for (uint32_t j = run->first; j < run->end; j++) {
            if (is_for(&run->bench->devices[j], &run->suite->items[i]))
                cli_bench_cell_init(&run->cells[run->cell_count++], &run->suite->items[i], &run->lanes[j]);
        }
    }
}

/* Whether the cell needs no samples, because its judged product is wrong. */
static int is_final(const cli_bench_cell *cell)
{
    return cell->state == CLI_BENCH_RIPE && cli_bench_is_wrong(&cell->row);
}

/* The process has ended: the rows that it held begin again, once, except for the row that it was working on. */
static void take_loss(bench_run *run, cli_bench_cell *culprit, cli_reply reply)
{
    cli_bench_lane *lane = culprit->lane;
    if (reply == CLI_REPLY_ANSWER || reply == CLI_REPLY_INTERRUPTED) return;
    if (!is_final(culprit)) cli_bench_cell_drop(culprit, lane->link.sentence);
    for (uint32_t i = 0; i < run->cell_count; i++) {
        cli_bench_cell *cell = &run->cells[i];
        if (cell->lane != lane || (cell->state != CLI_BENCH_OPEN && cell->state != CLI_BENCH_RIPE)) continue;
        if (is_final(cell)) { /* known, whatever happened to the process */
            cell->state = CLI_BENCH_DONE;
            continue;
        }
        cli_bench_cell_drop(cell, lane->link.sentence);
        if (cell->retried) continue;
        cli_bench_cell_init(cell, cell->item, lane);
        cell->retried = 1;
    }
    if (lane->link.losses >= CLI_WORKER_MOST_LOSSES) give_up(run, lane);
}

static void open_cells(bench_run *run)
{
    for (uint32_t i = 0; i < run->cell_count && !is_over(run); i++) {
        cli_bench_cell *cell = &run->cells[i];
        if (cell->state != CLI_BENCH_WAITING || cli_bench_cell_refuse(cell)) continue;
        if (!is_ready(run, cell->lane)) {
            if (!is_over(run)) cli_bench_cell_drop(cell, cell->lane->link.sentence);
            continue;
        }
        show_progress(run, cell->lane, cell->item);
        cell->id = ++run->next_id;
        take_loss(run, cell, cli_bench_cell_open(cell));
    }
}

/* Every open row of one device in turn, so that its clocks stay high. Alternately forwards and backwards, so that no
 * row always follows the same one. */
static void sample_cells(bench_run *run)
{
    int open = 1;
    for (uint32_t round = 0; open; round++) {
        const int backwards = round % 2;
        open = 0;
        for (uint32_t i = run->first; i < run->end; i++) {
            const cli_bench_lane *lane = &run->lanes[backwards ? run->end - 1 - (i - run->first) : i];
            for (uint32_t j = 0; j < run->cell_count && !is_over(run); j++) {
                cli_bench_cell *cell = &run->cells[backwards ? run->cell_count - 1 - j : j];
                if (cell->lane != lane || cell->state != CLI_BENCH_OPEN) continue;
                show_progress(run, lane, cell->item);
                take_loss(run, cell, cli_bench_cell_round(cell));
                open = 1;
            }
        }
    }
}

static void close_cells(bench_run *run)
{
    for (uint32_t i = 0; i < run->cell_count && !is_over(run); i++) {
        cli_bench_cell *cell = &run->cells[i];
        if (cell->state == CLI_BENCH_RIPE) take_loss(run, cell, cli_bench_cell_close(cell));
    }
}

/* Hands the row over to the report. */
static void finish(bench_run *run, cli_bench_cell *cell)
{
    cli_bench_row *row = cli_bench_add_row(run->bench);
    if (row == NULL) {
        cli_bench_row_free(&cell->row);
        run->failure = vkmm_tell(run->session->log, VKMM_NO_MEMORY("for a row of the report"));
        return;
    }
    *row = cell->row;
    cli_bench_row_init(&cell->row);
    cli_bench_derive(run->bench, row);
    cli_bench_raise_peaks(run->bench);
    cell->lane->known++;
    cli_progress_end(&run->session->console);
    if (cli_bench_is_wrong(row))
        vkmm_say(run->session->log, VKMM_LOG_ERROR, "wrong result: %s %s %s on %s: %s",
                 CLI_NAME(&row->problem, run->session->console.utf8),
                 cli_text_type(&row->problem, run->session->console.utf8), row->asked,
                 run->bench->devices[row->device].label, row->sentence);
}

static void run_block(bench_run *run, uint32_t from, uint32_t to)
{
    const uint32_t first = run->bench->row_count;
    fill_block(run, from, to);
    for (int try = 0; try < TRIES && !is_over(run); try++) {
        open_cells(run);
        sample_cells(run);
        close_cells(run);
    }
    for (uint32_t i = 0; i < run->cell_count; i++) {
        if (run->cells[i].state == CLI_BENCH_DONE && run->failure == VKMM_OK)
            finish(run, &run->cells[i]);
        else
            cli_bench_row_free(&run->cells[i].row);
    }
    if (run->failure == VKMM_OK) run->failure = cli_bench_know(run->live, run->bench, first);
}

static void run_blocks(bench_run *run, uint32_t first, uint32_t end)
{
    run->first = first;
    run->end = end;
    for (uint32_t from = 0, to; from < run->suite->count && !is_over(run); from = to) {
        double bytes = 0;
        for (to = from; to < run->suite->count && to < from + BLOCK; to++) {
            bytes += cli_bench_bytes(&run->suite->items[to], (double)run->bench->settings.rotating_bytes);
            if (to > from && bytes > BLOCK_BYTES) break;
        }
        run_block(run, from, to);
    }
}

/* Several Vulkan devices take turns, together with the host's BLAS, so that a drift of the machine affects all alike. A
 * single device keeps its clocks high. */
static int takes_turns(const cli_bench *bench)
{
    uint32_t devices = 0;
    for (uint32_t i = 0; i < bench->device_count; i++) devices += !bench->devices[i].is_host;
    return devices > 1;
}

static void run_suite(bench_run *run)
{
    const cli_bench *bench = run->bench;
    if (takes_turns(bench))
        run_blocks(run, 0, bench->device_count);
    else
        for (uint32_t i = 0; i < bench->device_count; i++) run_blocks(run, i, i + 1);
}

/* At the end of a run: reports an error if nothing could be measured. */
static vkmm_status conclude(const bench_run *run)
{
    const vkmm_log *log = run->session->log;
    const cli_bench *bench = run->bench;
    int ran = 0, wrong = 0;
    if (run->failure != VKMM_OK) return run->failure;
    if (cli_interrupted()) return VKMM_OK;
    for (uint32_t i = 0; i < bench->row_count; i++) {
        ran |= bench->rows[i].not_run[0] == '\0';
        wrong |= cli_bench_is_wrong(&bench->rows[i]);
    }
    if (wrong) return VKMM_WRONG_RESULT;
    if (ran || bench->row_count == 0) return VKMM_OK;
    for (uint32_t i = 0; i < bench->device_count; i++) {
        const cli_worker *link = &run->lanes[i].link;
        if (link->status != VKMM_OK)
            return VKMM_FAIL(log, link->status, "nothing could be measured: %s", link->sentence);
    }
    return VKMM_FAIL(log, VKMM_UNSUPPORTED, "nothing could be measured: %s", bench->rows[0].not_run);
}

static void note_end(const bench_run *run)
{
    cli_bench *bench = run->bench;
    if (bench->complete) return;
    if (run->failure != VKMM_OK)
        VKMM_PUT(bench->note, "%.*s", CLI_BENCH_TEXT - 1, run->session->console.last_error);
    else
        VKMM_PUT(bench->note, "interrupted by signal %d", cli_interrupted());
}

vkmm_status cli_bench_go(cli_session *session, const cli_suite *suite, cli_bench *bench, cli_bench_live *live)
{
    bench_run run = {.session = session, .suite = suite, .bench = bench, .live = live};
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    bench->complete = 0;
    bench->paired = takes_turns(bench);
    if (!make_lanes(&run)) {
        VKMM_FAIL(session->log, status, "no memory for %u devices", bench->device_count);
        goto done;
    }
    for (uint32_t i = 0; i < bench->device_count && !is_over(&run); i++) measure_peaks(&run, &run.lanes[i]);
    cli_progress_end(&session->console);
    if (!is_over(&run)) run.failure = cli_bench_begin(live, bench);
    run_suite(&run);
    cli_progress_end(&session->console);
    bench->complete = !is_over(&run);
    note_end(&run);
    status = conclude(&run);
done:
    for (uint32_t i = 0; i < bench->device_count && run.lanes != NULL; i++) cli_worker_close(&run.lanes[i].link);
    vkmm_free(run.lanes);
    vkmm_free(run.cells);
    return status;
}
