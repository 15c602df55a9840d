#include "bench/cell.h"
#include "bench/derive.h"

#include "report/records.h"
#include "product/product.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_MS      30000.0 /* for drivers that compile slowly, and busy machines, */
#define PATIENCE_TIMES   10.0    /* plus so many times the expected time; */
#define PATIENCE_LEAST   4000.0  /* but no more than so long, */
#define PATIENCE_BUDGETS 4.0     /* plus so many times the budget */
#define EXTRA_FIRST_MS   150.0   /* in the first round, for transfers and the check of the clock */
#define EXTRA_ROUND_MS   30.0    /* for warming up */

enum { SLOW_ROUNDS = 3, MOST_ROUNDS = 64 };

/* Kernel time of one round. */
static double round_ms(const cli_suite *suite)
{
    return suite->row_ms / (2.0 * suite->rounds);
}

double cli_bench_patience(const cli_bench_lane *lane, double ms)
{
    return fmin(ms, PATIENCE_LEAST + PATIENCE_BUDGETS * lane->budget_ms);
}

/* Sends a request, and waits for longer than any takes: several products, the host's part of them, and a round. */
static cli_reply ask(cli_bench_cell *cell, json_t *request, json_t **answer)
{
    cli_bench_lane *lane = cell->lane;
    const double expected = 3 * cli_bench_expect(&lane->speeds, cell->item) +
                            3 * cli_bench_expect_host(&lane->speeds, cell->item) + 2 * round_ms(lane->suite);
    return cli_worker_ask(&lane->link, request, cli_bench_patience(lane, PATIENCE_MS + PATIENCE_TIMES * expected),
                          answer);
}

/* Rounds that a row needs at least: of products so long that three fill the row's time, no more. */
static uint32_t least_rounds(const cli_suite *suite, double product_ms)
{
    return product_ms >= suite->row_ms / SLOW_ROUNDS && suite->rounds > SLOW_ROUNDS ? SLOW_ROUNDS : suite->rounds;
}

static double expect_sampling(const cli_suite *suite, double product_ms)
{
    const double each = fmax(round_ms(suite), product_ms) + EXTRA_ROUND_MS;
    return EXTRA_FIRST_MS + product_ms + least_rounds(suite, product_ms) * each;
}

/* What the bench itself knows about a row, whatever a process reports. */
static void name_row(cli_bench_cell *cell)
{
    const cli_bench_lane *lane = cell->lane;
    const cli_bench_settings *settings = &lane->bench->settings;
    cli_bench_row *row = &cell->row;
    row->device = lane->device;
    row->problem = cell->item->problem;
    row->seed = settings->seed;
    /* A BLAS has one set of operands. */
    row->rotating_bytes = lane->bench->devices[lane->device].is_host ? 0 : settings->rotating_bytes;
    VKMM_PUT(row->group, "%s", cell->item->group);
    VKMM_PUT(row->asked, "%s", cell->item->kernel);
    VKMM_PUT(row->init, "%s", vkmm_init_name(VKMM_INIT_UNIFORM));
}

void cli_bench_cell_init(cli_bench_cell *cell, const cli_suite_item *item, cli_bench_lane *lane)
{
    *cell = (cli_bench_cell){.item = item, .lane = lane};
    cli_bench_row_init(&cell->row);
    name_row(cell);
}

/* Releases the time that was reserved for the row. */
static void release(cli_bench_cell *cell)
{
    cell->lane->reserved_ms -= cell->reserved_ms;
    cell->reserved_ms = 0;
}

/* Earlier measurements of a row are dropped if it is not run in the end. */
void cli_bench_cell_drop(cli_bench_cell *cell, const char *reason)
{
    const int held = cell->state == CLI_BENCH_OPEN && cell->lane->link.process != NULL;
    cli_bench_row_free(&cell->row);
    name_row(cell);
    VKMM_PUT(cell->row.not_run, "%.*s", CLI_BENCH_TEXT - 1, reason[0] != '\0' ? reason : "unknown reason");
    cell->state = held ? CLI_BENCH_RIPE : CLI_BENCH_DONE;
    release(cell);
}

/* For people: "0.4 s", "18 s". */
static const char *seconds_text(char text[24], double ms)
{
    snprintf(text, 24, ms < 9950 ? "%.1f s" : "%.0f s", ms / 1000);
    return text;
}

#define SECONDS(ms) seconds_text((char[24]){""}, ms)

int cli_bench_cell_refuse(cli_bench_cell *cell)
{
    const cli_bench_lane *lane = cell->lane;
    const cli_suite *suite = lane->suite;
    const cli_bench_device *device = &lane->bench->devices[lane->device];
    const vkmm_problem *problem = &cell->item->problem;
    const double product = cli_bench_expect(&lane->speeds, cell->item),
                 cost = product + cli_bench_expect_host(&lane->speeds, cell->item) + expect_sampling(suite, product),
                 left = lane->budget_ms - lane->link.spent_ms - lane->reserved_ms,
                 longest = suite->longest_ms * (cli_bench_is_guess(&lane->speeds, cell->item) ? 2 : 1);
    char reason[CLI_BENCH_TEXT];
    if (lane->over)
        VKMM_PUT(reason, "the device was abandoned: %.200s", lane->link.sentence);
    else if (!device->is_host && problem->type == VKMM_F64 && problem->method == VKMM_COMPUTE_DIRECT &&
             !device->info.features.f64)
        VKMM_PUT(reason, "the device has no f64 (shaderFloat64)");
    else if (product > longest)
        VKMM_PUT(reason, "one product would take about %s; the suite %.40s allows %s", SECONDS(product), suite->name,
                 SECONDS(suite->longest_ms));
    else if (left <= 0)
        VKMM_PUT(reason, "the suite's time per device, %s, was used up", SECONDS(lane->budget_ms));
    else if (cost > left)
        VKMM_PUT(reason, "it would take about %s; of the suite's time per device, %s, %s were left", SECONDS(cost),
                 SECONDS(lane->budget_ms), SECONDS(left));
    else
        return 0;
    cli_bench_cell_drop(cell, reason);
    return 1;
}

/* The judged row; what the bench itself knows about it replaces what the process reports. */
static int take_row(cli_bench_cell *cell, const json_t *json)
{
    char sentence[CLI_SENTENCE];
    cli_bench_row_free(&cell->row);
    if (!cli_record_parse(json, &cli_row_record, &cell->row, sentence)) return 0;
    name_row(cell);
    if (cell->item->shader != NULL) VKMM_PUT(cell->row.kernel.name, "%s", cell->item->kernel);
    return cell->row.not_run[0] == '\0' && cell->row.kernel_ms.count == 0 && cell->row.rounds == 0;
}

/* A wrong product is final at once; so is one that has no time to take. One took so long: what is left of its
 * device's time has room for its samples. */
static void judge(cli_bench_cell *cell, double product_ms)
{
    cli_bench_lane *lane = cell->lane;
    cell->state = CLI_BENCH_RIPE;
    if (!cell->row.passed || !cli_product_is_work(&cell->item->problem)) return;
    cli_bench_learn(&lane->speeds, cell->item, product_ms);
    cell->state = CLI_BENCH_OPEN;
    cell->reserved_ms = expect_sampling(lane->suite, product_ms);
    lane->reserved_ms += cell->reserved_ms;
}

cli_reply cli_bench_cell_open(cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    const cli_suite_item *item = cell->item;
    char seed[32];
    json_t *answer;
    cli_reply reply;
    VKMM_PUT(seed, "%llu", (unsigned long long)cell->row.seed);
    reply = ask(cell,
                json_pack("{s:s, s:i, s:o, s:s, s:s*, s:s, s:I}", "ask", "begin", "id", cell->id, "problem",
                          cli_record_json(&cli_problem_record, &item->problem), "kernel", item->kernel, "shader",
                          item->shader, "seed", seed, "rotating_bytes", (json_int_t)cell->row.rotating_bytes),
                &answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    if (lane->link.status != VKMM_OK && lane->link.status != VKMM_WRONG_RESULT) {
        cli_bench_cell_drop(cell, lane->link.sentence);
    } else if (!take_row(cell, json_object_get(answer, "row")) || (lane->link.status == VKMM_OK) != cell->row.passed) {
        reply = cli_worker_distrust(&lane->link, "an invalid row");
    } else {
        cli_bench_learn_host(&lane->speeds, item, cli_json_number(answer, "host_ms", 0));
        judge(cell, cli_json_number(answer, "product_ms", cli_bench_expect(&lane->speeds, item)));
    }
    json_decref(answer);
    return reply;
}

/* ---- samples ---- */

static double better(double known, double later)
{
    return isfinite(later) ? later : known;
}

/* The clock before: of the first round that reports it; what others took: the average; all else: of the last round that
 * reports it. */
static void add_power(cli_bench_cell *cell, const cli_bench_power *from)
{
    cli_bench_power *to = &cell->row.power;
    if (isfinite(from->others)) {
        to->others = (isfinite(to->others) ? to->others * cell->heard : 0) + from->others;
        to->others /= ++cell->heard;
        to->processors = from->processors;
    }
    to->joules = better(to->joules, from->joules);
    to->watts = better(to->watts, from->watts);
    if (!isfinite(to->mhz[0])) to->mhz[0] = from->mhz[0];
    to->mhz[1] = better(to->mhz[1], from->mhz[1]);
    to->mhz[2] = better(to->mhz[2], from->mhz[2]);
    if (from->source[0] != '\0') memcpy(to->source, from->source, sizeof to->source);
    if (from->limited[0] != '\0') memcpy(to->limited, from->limited, sizeof to->limited);
}

static int add_round(cli_bench_cell *cell, const cli_bench_row *round)
{
    cli_bench_row *row = &cell->row;
    int fine = 1;
    for (int i = 0; i < VKMM_SERIES_COUNT; i++)
        fine = fine && cli_bench_series_add(&row->series[i], round->series[i].ms, round->series[i].count);
    fine = fine && cli_bench_end_round(row);

    /* If one round used the host's clock, the row cannot claim the device's. */
    if (row->rounds <= 1 || strcmp(round->clock, "host") == 0) {
        memcpy(row->clock, round->clock, sizeof row->clock);
        memcpy(row->clock_note, round->clock_note, sizeof row->clock_note);
    }
    row->mapped = round->mapped;
    row->slope_ms = better(row->slope_ms, round->slope_ms);
    add_power(cell, &round->power);
    return fine;
}

/* Whether the row has enough samples: its noise is low, or its time is used up. */
static void look(cli_bench_cell *cell)
{
    cli_bench_row *row = &cell->row;
    const cli_bench_lane *lane = cell->lane;
    const char *stopped = NULL;
    cli_bench_derive(lane->bench, row);
    if (row->rounds >= least_rounds(lane->suite, row->figures.median_ms)) {
        if (row->figures.noise <= lane->bench->settings.max_noise)
            stopped = "stable";
        else if (row->kernel_ms.count * row->figures.median_ms >= lane->suite->row_ms)
            stopped = "time";
        else if (row->rounds >= MOST_ROUNDS)
            stopped = "count";
    }
    if (stopped == NULL && lane->link.spent_ms >= lane->budget_ms) stopped = "time";
    if (stopped == NULL) return;
    VKMM_PUT(row->stopped, "%s", stopped);
    cell->state = CLI_BENCH_RIPE;
    release(cell);
}

cli_reply cli_bench_cell_round(cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    json_t *answer;
    cli_bench_row round;
    cli_reply reply;
    char sentence[CLI_SENTENCE];
    reply = ask(cell,
                json_pack("{s:s, s:i, s:f, s:b}", "ask", "round", "id", cell->id, "ms", round_ms(lane->suite), "full",
                          cell->row.rounds == 0),
                &answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    cli_bench_row_init(&round);
    if (lane->link.status != VKMM_OK) {
        cli_bench_cell_drop(cell, lane->link.sentence);
    } else if (cli_record_parse(json_object_get(answer, "round"), &cli_round_record, &round, sentence) &&
               add_round(cell, &round)) {
        look(cell);
        cli_bench_learn(&lane->speeds, cell->item, cell->row.figures.median_ms);
    } else {
        reply = cli_worker_distrust(&lane->link, "invalid samples");
    }
    json_decref(answer);
    cli_bench_row_free(&round);
    return reply;
}

/* ---- the end ---- */

cli_reply cli_bench_cell_close(cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    json_t *answer;
    const cli_reply reply = ask(cell, json_pack("{s:s, s:i}", "ask", "end", "id", cell->id), &answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    json_decref(answer);
    cell->state = CLI_BENCH_DONE;
    lane->link.losses = 0;
    if (cell->row.not_run[0] != '\0') return CLI_REPLY_ANSWER;
    if (lane->link.status == VKMM_WRONG_RESULT) {
        cell->row.passed = 0;
        VKMM_PUT(cell->row.sentence, "%.*s", CLI_BENCH_TEXT - 1, lane->link.sentence);
    } else if (lane->link.status != VKMM_OK) {
        cli_bench_cell_drop(cell, lane->link.sentence);
    }
    return CLI_REPLY_ANSWER;
}
