#include "bench/run.h"

#include "base/alloc.h"
#include "bench/parts.h"
#include "math/type.h"
#include "bench/writer.h"

#include <stdio.h>
#include <string.h>

#define BLOCK_BYTES ((double)((uint64_t)256 << 20)) /* of operands that are held at once, on each device */

enum { TRIES = 2 };

/* Whether an earlier part of the run has the row. */
static int is_known(const cli_bench_run *run, const cli_bench_cell *cell)
{
    const vkmm_bench_row *known = vkmm_bench_find(run->bench, cell->lane->device, &cell->row);

    return known != NULL && known->not_run[0] == '\0';
}

static void fill_block(cli_bench_run *run, uint32_t from, uint32_t to)
{
    run->cell_count = 0;
    for (uint32_t i = from; i < to; i++) {
        for (uint32_t j = run->first; j < run->end; j++) {
            cli_bench_cell *cell = &run->cells[run->cell_count];
            if (!cli_bench_is_for(&run->bench->devices[j], &run->suite->items[i])) continue;
            cli_bench_cell_init(cell, &run->suite->items[i], &run->lanes[j]);
            if (is_known(run, cell))
                run->lanes[j].known++;
            else
                run->cell_count++;
        }
    }
}

/* A judged row that needs no samples. */
static int is_wrong(const cli_bench_cell *cell)
{
    return cell->state == CLI_BENCH_RIPE && cell->row.not_run[0] == '\0' && !cell->row.passed;
}

/* The process has gone: what it held begins anew, once; the row that it was about does not. */
static void take_loss(cli_bench_run *run, cli_bench_cell *culprit, cli_reply reply)
{
    cli_bench_lane *lane = culprit->lane;

    if (reply == CLI_REPLY_ANSWER || reply == CLI_REPLY_INTERRUPTED) return;
    if (!is_wrong(culprit)) cli_bench_cell_drop(culprit, lane->link.sentence);
    for (uint32_t i = 0; i < run->cell_count; i++) {
        cli_bench_cell *cell = &run->cells[i];
        if (cell->lane != lane || (cell->state != CLI_BENCH_OPEN && cell->state != CLI_BENCH_RIPE)) continue;
        if (is_wrong(cell)) { /* that is known, whatever became of the process */
            cell->state = CLI_BENCH_DONE;
            continue;
        }
        cli_bench_cell_drop(cell, lane->link.sentence);
        if (cell->retried) continue;
        cli_bench_cell_init(cell, cell->item, lane);
        cell->retried = 1;
    }
    if (lane->link.losses >= CLI_WORKER_MOST_LOSSES) cli_bench_give_up(run, lane);
}

static void open_cells(cli_bench_run *run)
{
    for (uint32_t i = 0; i < run->cell_count && !cli_bench_is_over(run); i++) {
        cli_bench_cell *cell = &run->cells[i];
        if (cell->state != CLI_BENCH_WAITING || cli_bench_cell_refuse(cell)) continue;
        if (!cli_bench_is_ready(run, cell->lane)) {
            if (!cli_bench_is_over(run)) cli_bench_cell_drop(cell, cell->lane->link.sentence);
            continue;
        }
        cli_bench_show_progress(run, cell->lane, cell->item);
        cell->id = ++run->next_id;
        take_loss(run, cell, cli_bench_cell_open(cell));
    }
}

/* Every open row of one device in turn: its clocks stay up in between. Forwards and backwards by turns, so that no
 * row always follows the same. */
static int sample_lane(cli_bench_run *run, const cli_bench_lane *lane, int backwards)
{
    int open = 0;

    for (uint32_t i = 0; i < run->cell_count && !cli_bench_is_over(run); i++) {
        cli_bench_cell *cell = &run->cells[backwards ? run->cell_count - 1 - i : i];
        if (cell->lane != lane || cell->state != CLI_BENCH_OPEN) continue;
        cli_bench_show_progress(run, lane, cell->item);
        take_loss(run, cell, cli_bench_cell_round(cell));
        open = 1;
    }
    return open;
}

static void sample_cells(cli_bench_run *run)
{
    int open = 1;

    for (uint32_t round = 0; open && !cli_bench_is_over(run); round++) {
        open = 0;
        for (uint32_t i = run->first; i < run->end; i++) {
            uint32_t turn = round % 2 ? run->end - 1 - (i - run->first) : i;
            open |= sample_lane(run, &run->lanes[turn], (int)(round % 2));
        }
    }
}

static void close_cells(cli_bench_run *run)
{
    for (uint32_t i = 0; i < run->cell_count && !cli_bench_is_over(run); i++) {
        cli_bench_cell *cell = &run->cells[i];
        if (cell->state == CLI_BENCH_RIPE) take_loss(run, cell, cli_bench_cell_close(cell));
    }
}

static int has_waiting(const cli_bench_run *run)
{
    for (uint32_t i = 0; i < run->cell_count; i++)
        if (run->cells[i].state == CLI_BENCH_WAITING) return 1;
    return 0;
}

static void say_wrong(const cli_bench_run *run, const vkmm_bench_row *row)
{
    char size[VKMM_TEXT_PROBLEM];

    vkmm_text_problem(size, sizeof size, &row->problem, run->session->console.utf8);
    vkmm_say(&run->session->console.log, VKMM_LOG_ERROR, "wrong result: %s %s %s on %s: %s", size,
             vkmm_text_type(&row->problem, run->session->console.utf8), row->asked,
             run->bench->devices[row->device].label, row->sentence);
}

/* Hands the row over to the report. */
static void finish(cli_bench_run *run, cli_bench_cell *cell)
{
    vkmm_bench_row *row = vkmm_bench_add_row(run->bench);

    if (row == NULL) {
        vkmm_bench_row_free(&cell->row);
        run->failure = vkmm_fail(&run->session->console.log, VKMM_OUT_OF_MEMORY, "no memory for a row of the report");
        return;
    }
    *row = cell->row;
    vkmm_bench_row_init(&cell->row);
    vkmm_bench_derive(run->bench, row);
    cell->lane->known++;
    cli_progress_end(&run->session->console);
    if (row->not_run[0] == '\0') {
        run->ran++;
        if (!row->passed) run->wrong++;
        if (!row->passed) say_wrong(run, row);
    }
    if (run->hook != NULL) run->failure = run->hook->know(run->hook->user, run->bench, row);
}

static void run_block(cli_bench_run *run, uint32_t from, uint32_t to)
{
    fill_block(run, from, to);
    for (int try = 0; try < TRIES && has_waiting(run) && !cli_bench_is_over(run); try++) {
        open_cells(run);
        sample_cells(run);
        close_cells(run);
    }
    for (uint32_t i = 0; i < run->cell_count; i++) {
        if (run->cells[i].state == CLI_BENCH_DONE && run->failure == VKMM_OK)
            finish(run, &run->cells[i]);
        else
            vkmm_bench_row_free(&run->cells[i].row);
    }
}

static void run_blocks(cli_bench_run *run, uint32_t first, uint32_t end)
{
    run->first = first;
    run->end = end;
    for (uint32_t from = 0, to; from < run->suite->count && !cli_bench_is_over(run); from = to) {
        double bytes = 0;
        for (to = from; to < run->suite->count && to < from + CLI_BENCH_BLOCK; to++) {
            bytes += cli_bench_bytes(&run->suite->items[to], (double)run->bench->settings.rotating_bytes);
            if (to > from && bytes > BLOCK_BYTES) break;
        }
        run_block(run, from, to);
    }
}

/* Several Vulkan devices take turns, so that a drift of the machine hits all alike; the host's BLAS with them. One
 * alone keeps its clocks up. */
static void run_suite(cli_bench_run *run)
{
    const vkmm_bench *bench = run->bench;
    uint32_t devices = 0;

    for (uint32_t i = 0; i < bench->device_count; i++) devices += !bench->devices[i].is_host;
    if (devices > 1)
        run_blocks(run, 0, bench->device_count);
    else
        for (uint32_t i = 0; i < bench->device_count; i++) run_blocks(run, i, i + 1);
}

/* Of a run that is over: a sentence when it could measure nothing. */
static vkmm_status conclude(cli_bench_run *run)
{
    const vkmm_log *log = &run->session->console.log;
    const vkmm_bench *bench = run->bench;
    int ran = run->ran;

    if (run->failure != VKMM_OK) return run->failure;
    if (vkmm_interrupted()) return VKMM_OK;
    for (uint32_t i = 0; i < bench->row_count && !ran; i++) ran = bench->rows[i].not_run[0] == '\0';
    if (run->wrong > 0) return VKMM_WRONG_RESULT;
    if (ran || bench->row_count == 0) return VKMM_OK;
    for (uint32_t i = 0; i < bench->device_count; i++) {
        const cli_worker *link = &run->lanes[i].link;
        if (link->status != VKMM_OK)
            return vkmm_fail(log, link->status, "nothing could be measured: %s", link->sentence);
    }
    return vkmm_fail(log, VKMM_UNSUPPORTED, "nothing could be measured: %s", bench->rows[0].not_run);
}

/* Before what it was resumed from, if it was. */
static void note_end(const cli_bench_run *run)
{
    vkmm_bench *bench = run->bench;
    char resumed[VKMM_BENCH_TEXT], why[VKMM_BENCH_TEXT / 2];

    if (bench->complete) return;
    memcpy(resumed, bench->note, sizeof resumed);
    if (run->failure != VKMM_OK)
        snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, run->session->console.last_error);
    else
        snprintf(why, sizeof why, "interrupted by signal %d", vkmm_interrupted());
    snprintf(bench->note, sizeof bench->note, "%s%s%.120s", why, resumed[0] != '\0' ? "; " : "", resumed);
}

vkmm_status cli_bench_go(cli_session *session, const vkmm_suite *suite, vkmm_bench *bench, const cli_bench_hook *hook)
{
    cli_bench_run run = {.session = session, .suite = suite, .bench = bench, .hook = hook};
    vkmm_status status = VKMM_OUT_OF_MEMORY;

    bench->complete = 0;
    if (!cli_bench_make_lanes(&run)) {
        vkmm_fail(&session->console.log, status, "no memory for %u devices", bench->device_count);
        goto done;
    }
    for (uint32_t i = 0; i < bench->row_count; i++)
        run.wrong += bench->rows[i].not_run[0] == '\0' && !bench->rows[i].passed;
    for (uint32_t i = 0; i < bench->device_count && !cli_bench_is_over(&run); i++)
        cli_bench_measure_peaks(&run, &run.lanes[i]);
    cli_progress_end(&session->console);
    if (!cli_bench_is_over(&run) && hook != NULL) run.failure = hook->know(hook->user, bench, NULL);
    run_suite(&run);
    cli_progress_end(&session->console);
    bench->complete = !cli_bench_is_over(&run);
    note_end(&run);
    status = conclude(&run);
done:
    for (uint32_t i = 0; i < bench->device_count && run.lanes != NULL; i++) cli_worker_close(&run.lanes[i].link);
    vkmm_free(run.lanes);
    vkmm_free(run.cells);
    return status;
}
