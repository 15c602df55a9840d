#include "bench/cell.h"
#include "bench/derive.h"

#include "report/records.h"
#include "product/product.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_MS      30000.0 /* for drivers that compile slowly, and busy machines, */
#define PATIENCE_TIMES   10.0    /* plus so many times the expected time; */
#define PATIENCE_BUDGETS 2.0     /* with a small budget, users do not want to wait long */
#define PATIENCE_LEAST   3000.0
#define EXTRA_FIRST_MS   150.0 /* in the first round, for transfers and the check of the clock */
#define EXTRA_ROUND_MS   30.0  /* for warming up */
#define OVERTIME         1.1   /* times the budget; for rows that have begun */

enum { SLOW_ROUNDS = 3, MOST_ROUNDS = 64 };

/* Kernel time of one round. */
static double round_ms(const cli_suite *suite)
{
    return suite->row_ms / (2.0 * suite->rounds);
}

/* How long to wait for an answer that is expected after so long. */
static double patience_for(const cli_bench_cell *cell, double expected_ms)
{
    double time = PATIENCE_MS + PATIENCE_TIMES * expected_ms,
           most = PATIENCE_LEAST + PATIENCE_BUDGETS * cell->lane->budget_ms;

    return time < most ? time : most;
}

/* Rounds that a row needs at least: of products so long that three fill the row's time, no more. */
static uint32_t least_rounds(const cli_suite *suite, double product_ms)
{
    return product_ms >= suite->row_ms / SLOW_ROUNDS && suite->rounds > SLOW_ROUNDS ? SLOW_ROUNDS : suite->rounds;
}

static double expect_sampling(const cli_suite *suite, double product_ms)
{
    double each = round_ms(suite) > product_ms ? round_ms(suite) : product_ms;

    return EXTRA_FIRST_MS + product_ms + least_rounds(suite, product_ms) * (each + EXTRA_ROUND_MS);
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
    cli_bench_row_free(&cell->row);
    name_row(cell);
    VKMM_PUT(cell->row.not_run, "%.*s", CLI_BENCH_TEXT - 1, reason[0] != '\0' ? reason : "unknown reason");
    cell->state = CLI_BENCH_DONE;
    release(cell);
}

/* For people: "0.4 s", "18 s". */
static void put_seconds(char text[24], double ms)
{
    snprintf(text, 24, ms < 9950 ? "%.1f s" : "%.0f s", ms / 1000);
}

int cli_bench_cell_refuse(cli_bench_cell *cell)
{
    const cli_bench_lane *lane = cell->lane;
    const cli_bench_device *device = &cell->lane->bench->devices[lane->device];
    double product = cli_bench_expect(&lane->speeds, cell->item),
           left = lane->budget_ms - lane->link.spent_ms - lane->reserved_ms;
    double cost =
        product + cli_bench_expect_host(&lane->speeds, cell->item) + expect_sampling(cell->lane->suite, product);
    double longest = cell->lane->suite->longest_ms * (cli_bench_is_guess(&lane->speeds, cell->item) ? 2 : 1);
    char first[24], second[24], third[24], reason[CLI_BENCH_TEXT];

    put_seconds(second, cell->lane->suite->longest_ms);
    put_seconds(third, lane->budget_ms);
    if (lane->over) {
        VKMM_PUT(reason, "the device was abandoned: %.200s", lane->link.sentence);
    } else if (!device->is_host && cell->item->problem.type == VKMM_F64 &&
               cell->item->problem.method == VKMM_COMPUTE_DIRECT && !device->info.features.f64) {
        VKMM_PUT(reason, "the device has no f64 (shaderFloat64)");
    } else if (product > longest) {
        put_seconds(first, product);
        VKMM_PUT(reason, "one product would take about %s; the suite %.40s allows %s", first, cell->lane->suite->name,
                 second);
    } else if (left <= 0) {
        VKMM_PUT(reason, "the suite's time per device, %s, was used up", third);
    } else if (cost > left) {
        put_seconds(first, cost);
        put_seconds(second, left);
        VKMM_PUT(reason, "it would take about %s; of the suite's time per device, %s, %s were left", first, third,
                 second);
    } else {
        return 0;
    }
    cli_bench_cell_drop(cell, reason);
    return 1;
}

/* A request about the cell's job. */
static json_t *about(const char *ask, const cli_bench_cell *cell)
{
    return json_pack("{s:s, s:i}", "ask", ask, "id", cell->id);
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
    cell->reserved_ms = expect_sampling(cell->lane->suite, product_ms);
    lane->reserved_ms += cell->reserved_ms;
}

cli_reply cli_bench_cell_open(cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    double expected = cli_bench_expect(&lane->speeds, cell->item),
           host = cli_bench_expect_host(&lane->speeds, cell->item);
    char seed[32];
    json_t *ask = about("begin", cell), *answer;
    cli_reply reply;

    VKMM_PUT(seed, "%llu", (unsigned long long)cell->row.seed);
    json_object_set_new(ask, "problem", cli_record_json(&cli_problem_record, &cell->item->problem));
    json_object_set_new(ask, "kernel", json_string(cell->item->kernel));
    if (cell->item->shader != NULL) json_object_set_new(ask, "shader", json_string(cell->item->shader));
    json_object_set_new(ask, "seed", json_string(seed));
    json_object_set_new(ask, "rotating_bytes", json_integer((json_int_t)cell->row.rotating_bytes));
    reply = cli_worker_ask(&lane->link, ask, patience_for(cell, expected + 3 * host), &answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    if (lane->link.status != VKMM_OK && lane->link.status != VKMM_WRONG_RESULT) {
        cli_bench_cell_drop(cell, lane->link.sentence);
    } else if (!take_row(cell, json_object_get(answer, "row")) || (lane->link.status == VKMM_OK) != cell->row.passed) {
        json_decref(answer);
        return cli_worker_distrust(&lane->link, "an invalid row");
    } else {
        double product_ms = cli_json_number(answer, "product_ms", expected);
        cli_bench_learn_host(&lane->speeds, cell->item, cli_json_number(answer, "host_ms", 0));
        judge(cell, product_ms);
    }
    json_decref(answer);
    return CLI_REPLY_ANSWER;
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
    const char *stopped = "";
    double sampled_ms;

    cli_bench_derive(cell->lane->bench, row);
    sampled_ms = row->kernel_ms.count * row->figures.median_ms;
    if (row->rounds >= least_rounds(cell->lane->suite, row->figures.median_ms)) {
        if (row->figures.noise <= cell->lane->bench->settings.max_noise)
            stopped = "stable";
        else if (sampled_ms >= cell->lane->suite->row_ms)
            stopped = "time";
        else if (row->rounds >= MOST_ROUNDS)
            stopped = "count";
    }
    if (stopped[0] == '\0' && lane->link.spent_ms >= lane->budget_ms) stopped = "time";
    if (stopped[0] == '\0') return;
    VKMM_PUT(row->stopped, "%s", stopped);
    cell->state = CLI_BENCH_RIPE;
    release(cell);
}

/* A row that its process still holds. */
static void drop_held(cli_bench_cell *cell, const char *reason)
{
    cli_bench_cell_drop(cell, reason);
    cell->state = CLI_BENCH_RIPE;
}

/* The rows took longer than expected: rows without samples get none. */
static int is_too_late(cli_bench_cell *cell)
{
    const cli_bench_lane *lane = cell->lane;
    char reason[CLI_BENCH_TEXT], budget[24];

    if (cell->row.rounds > 0 || lane->link.spent_ms < OVERTIME * lane->budget_ms) return 0;
    put_seconds(budget, lane->budget_ms);
    VKMM_PUT(reason, "the suite's time per device, %s, was used up after the row's first product", budget);
    drop_held(cell, reason);
    return 1;
}

cli_reply cli_bench_cell_round(cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    double expected = cli_bench_expect(&lane->speeds, cell->item), span = round_ms(cell->lane->suite);
    json_t *ask = about("round", cell), *answer;
    cli_bench_row round;
    cli_reply reply;
    char sentence[CLI_SENTENCE];
    int fine;

    if (is_too_late(cell)) {
        json_decref(ask);
        return CLI_REPLY_ANSWER;
    }
    json_object_set_new(ask, "ms", json_real(span));
    json_object_set_new(ask, "full", json_boolean(cell->row.rounds == 0));
    reply = cli_worker_ask(
        &lane->link, ask,
        patience_for(cell, 3 * expected + 2 * span + cli_bench_expect_host(&lane->speeds, cell->item)), &answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    if (lane->link.status != VKMM_OK) {
        drop_held(cell, lane->link.sentence);
        json_decref(answer);
        return CLI_REPLY_ANSWER;
    }
    cli_bench_row_init(&round);
    fine = cli_record_parse(json_object_get(answer, "round"), &cli_round_record, &round, sentence) &&
           add_round(cell, &round);
    json_decref(answer);
    cli_bench_row_free(&round);
    if (!fine) return cli_worker_distrust(&lane->link, "invalid samples");
    look(cell);
    cli_bench_learn(&lane->speeds, cell->item, cell->row.figures.median_ms);
    return CLI_REPLY_ANSWER;
}

/* ---- the end ---- */

cli_reply cli_bench_cell_close(cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    json_t *answer;
    double host = cli_bench_expect_host(&lane->speeds, cell->item),
           expected = cli_bench_expect(&lane->speeds, cell->item);
    cli_reply reply = cli_worker_ask(&lane->link, about("end", cell), patience_for(cell, expected + host), &answer);

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
