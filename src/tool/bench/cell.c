#include "bench/cell.h"

#include "report/records.h"
#include "product/product.h"
#include "math/problem.h"
#include "math/type.h"
#include "bench/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_MS      30000.0 /* for drivers that compile slowly, and busy machines, */
#define PATIENCE_TIMES   10.0    /* and so many times what is expected; */
#define PATIENCE_BUDGETS 2.0     /* who gave little time does not want to wait long */
#define PATIENCE_LEAST   3000.0
#define EXTRA_FIRST_MS   150.0 /* in the first round, for transfers and the check of the clock */
#define EXTRA_ROUND_MS   30.0  /* for warming up */

enum { SLOW_ROUNDS = 3 };

double cli_bench_round_ms(const vkmm_suite *suite)
{
    return suite->row_ms / (2.0 * suite->rounds);
}

double cli_bench_patience(const cli_bench_cell *cell, double expected_ms)
{
    double time = PATIENCE_MS + PATIENCE_TIMES * expected_ms,
           most = PATIENCE_LEAST + PATIENCE_BUDGETS * cell->lane->budget_ms;

    return time < most ? time : most;
}

uint32_t cli_bench_least_rounds(const vkmm_suite *suite, double product_ms)
{
    return product_ms >= suite->row_ms / SLOW_ROUNDS && suite->rounds > SLOW_ROUNDS ? SLOW_ROUNDS : suite->rounds;
}

static double expect_sampling(const vkmm_suite *suite, double product_ms)
{
    double each = cli_bench_round_ms(suite) > product_ms ? cli_bench_round_ms(suite) : product_ms;

    return EXTRA_FIRST_MS + product_ms + cli_bench_least_rounds(suite, product_ms) * (each + EXTRA_ROUND_MS);
}

void cli_bench_cell_init(cli_bench_cell *cell, const cli_bench_terms *terms, const vkmm_suite_item *item,
                         cli_bench_lane *lane)
{
    const vkmm_bench_settings *settings = &terms->bench->settings;

    memset(cell, 0, sizeof *cell);
    cell->item = item;
    cell->lane = lane;
    vkmm_bench_row_init(&cell->row);
    cell->row.device = lane->device;
    cell->row.problem = item->problem;
    cell->row.seed = settings->seed;
    cell->row.rotating_bytes =
        terms->bench->devices[lane->device].is_host ? 0 : settings->rotating_bytes; /* a BLAS has one set of operands */
    snprintf(cell->row.group, sizeof cell->row.group, "%s", item->group);
    snprintf(cell->row.asked, sizeof cell->row.asked, "%s", item->kernel);
    snprintf(cell->row.init, sizeof cell->row.init, "%s", vkmm_init_name(VKMM_INIT_UNIFORM));
}

void cli_bench_release(cli_bench_cell *cell)
{
    cell->lane->reserved_ms -= cell->reserved_ms;
    cell->reserved_ms = 0;
}

/* What a row measured before does not count when it is not run in the end. */
void cli_bench_cell_drop(cli_bench_cell *cell, const char *reason)
{
    vkmm_bench_row known = cell->row, *row = &cell->row;

    vkmm_bench_row_free(&cell->row);
    row->device = known.device;
    row->problem = known.problem;
    row->seed = known.seed;
    row->rotating_bytes = known.rotating_bytes;
    memcpy(row->group, known.group, sizeof row->group);
    memcpy(row->asked, known.asked, sizeof row->asked);
    memcpy(row->init, known.init, sizeof row->init);
    snprintf(row->not_run, sizeof row->not_run, "%.*s", VKMM_BENCH_TEXT - 1,
             reason[0] != '\0' ? reason : "no reason is known");
    cell->state = CLI_BENCH_DONE;
    cli_bench_release(cell);
}

void cli_bench_seconds(char text[24], double ms)
{
    snprintf(text, 24, ms < 9950 ? "%.1f s" : "%.0f s", ms / 1000);
}

int cli_bench_cell_refuse(const cli_bench_terms *terms, cli_bench_cell *cell)
{
    const cli_bench_lane *lane = cell->lane;
    const vkmm_bench_device *device = &terms->bench->devices[lane->device];
    double product = cli_bench_expect(&lane->speeds, cell->item),
           left = lane->budget_ms - lane->link.spent_ms - lane->reserved_ms;
    double cost = product + cli_bench_expect_host(&lane->speeds, cell->item) + expect_sampling(terms->suite, product);
    double longest = terms->suite->longest_ms * (cli_bench_is_guess(&lane->speeds, cell->item) ? 2 : 1);
    char first[24], second[24], third[24], reason[VKMM_BENCH_TEXT];

    cli_bench_seconds(second, terms->suite->longest_ms);
    cli_bench_seconds(third, lane->budget_ms);
    if (lane->over) {
        snprintf(reason, sizeof reason, "the device was given up: %.200s", lane->link.sentence);
    } else if (!device->is_host && cell->item->problem.type == VKMM_F64 && !device->info.has_f64) {
        snprintf(reason, sizeof reason, "the device has no f64 (shaderFloat64)");
    } else if (product > longest) {
        cli_bench_seconds(first, product);
        snprintf(reason, sizeof reason, "one product would take about %s; the suite %.40s allows %s", first,
                 terms->suite->name, second);
    } else if (left <= 0) {
        snprintf(reason, sizeof reason, "the suite's time for a device, %s, was over", third);
    } else if (cost > left) {
        cli_bench_seconds(first, cost);
        cli_bench_seconds(second, left);
        snprintf(reason, sizeof reason, "it would take about %s; of the suite's time for a device, %s, %s were left",
                 first, third, second);
    } else {
        return 0;
    }
    cli_bench_cell_drop(cell, reason);
    return 1;
}

json_t *cli_bench_about(const char *ask, const cli_bench_cell *cell)
{
    return json_pack("{s:s, s:i}", "ask", ask, "id", cell->id);
}

/* The judged row, with what the bench itself knows of it in the place of what the process says. */
static int take_row(cli_bench_cell *cell, const json_t *json, char sentence[VKMM_BENCH_TEXT])
{
    vkmm_bench_row got;

    vkmm_bench_row_init(&got);
    if (!vkmm_record_parse(json, &vkmm_row_record, &got, sentence)) {
        vkmm_bench_row_free(&got);
        return 0;
    }
    cell->row.kernel = got.kernel;
    memcpy(cell->row.method, got.method, sizeof got.method);
    memcpy(cell->row.sentence, got.sentence, sizeof got.sentence);
    cell->row.passed = got.passed;
    cell->row.error = got.error;
    cell->row.bound = got.bound;
    cell->row.asked_bytes = got.asked_bytes;
    cell->row.power = got.power;
    vkmm_bench_row_free(&got);
    return 1;
}

/* A wrong product is final at once; so is one that has no time to take. One took so long: what is left of its
 * device's time has room for its samples. */
static void judge(const cli_bench_terms *terms, cli_bench_cell *cell, double product_ms)
{
    cli_bench_lane *lane = cell->lane;

    cell->state = CLI_BENCH_RIPE;
    if (!cell->row.passed || !cli_product_is_work(&cell->item->problem)) return;
    cli_bench_learn_first(&lane->speeds, cell->item, product_ms);
    cell->state = CLI_BENCH_OPEN;
    cell->reserved_ms = expect_sampling(terms->suite, product_ms);
    lane->reserved_ms += cell->reserved_ms;
}

cli_reply cli_bench_cell_open(const cli_bench_terms *terms, cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    double expected = cli_bench_expect(&lane->speeds, cell->item),
           host = cli_bench_expect_host(&lane->speeds, cell->item);
    char seed[32], sentence[VKMM_BENCH_TEXT];
    json_t *ask = cli_bench_about("begin", cell), *answer;
    cli_reply reply;

    snprintf(seed, sizeof seed, "%llu", (unsigned long long)cell->row.seed);
    json_object_set_new(ask, "problem", vkmm_record_json(&vkmm_problem_record, &cell->item->problem));
    json_object_set_new(ask, "kernel", json_string(cell->item->kernel));
    json_object_set_new(ask, "seed", json_string(seed));
    json_object_set_new(ask, "rotating_bytes", json_integer((json_int_t)cell->row.rotating_bytes));
    reply = cli_worker_ask(&lane->link, ask, cli_bench_patience(cell, expected + 3 * host), &answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    if (lane->link.status != VKMM_OK && lane->link.status != VKMM_WRONG_RESULT) {
        cli_bench_cell_drop(cell, lane->link.sentence);
    } else if (!take_row(cell, json_object_get(answer, "row"), sentence) ||
               (lane->link.status == VKMM_OK) != cell->row.passed) {
        json_decref(answer);
        return cli_worker_distrust(&lane->link, "a row that makes no sense");
    } else {
        double product_ms = cli_json_number(answer, "product_ms", expected);
        cli_bench_learn_host(&lane->speeds, cell->item, cli_json_number(answer, "host_ms", 0));
        judge(terms, cell, product_ms);
    }
    json_decref(answer);
    return CLI_REPLY_ANSWER;
}

cli_reply cli_bench_cell_close(cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    json_t *answer;
    double host = cli_bench_expect_host(&lane->speeds, cell->item),
           expected = cli_bench_expect(&lane->speeds, cell->item);
    cli_reply reply =
        cli_worker_ask(&lane->link, cli_bench_about("end", cell), cli_bench_patience(cell, expected + host), &answer);

    if (reply != CLI_REPLY_ANSWER) return reply;
    json_decref(answer);
    cell->state = CLI_BENCH_DONE;
    lane->link.losses = 0;
    if (cell->row.not_run[0] != '\0') return CLI_REPLY_ANSWER;
    if (lane->link.status == VKMM_WRONG_RESULT) {
        cell->row.passed = 0;
        snprintf(cell->row.sentence, sizeof cell->row.sentence, "%.*s", VKMM_BENCH_TEXT - 1, lane->link.sentence);
    } else if (lane->link.status != VKMM_OK) {
        cli_bench_cell_drop(cell, lane->link.sentence);
    }
    return CLI_REPLY_ANSWER;
}
