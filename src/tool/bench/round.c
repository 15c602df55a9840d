/* The samples of a row. */
#include "report/records.h"
#include "bench/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OVERTIME 1.1 /* times the budget; for rows that have begun */

enum { MOST_ROUNDS = 64 };

static double better(double known, double later)
{
    return isfinite(later) ? later : known;
}

/* The clock before: of the first round that tells; all else of the last that does. */
static void add_power(vkmm_bench_power *to, const vkmm_bench_power *from)
{
    to->joules = better(to->joules, from->joules);
    to->watts = better(to->watts, from->watts);
    if (!isfinite(to->mhz[0])) to->mhz[0] = from->mhz[0];
    to->mhz[1] = better(to->mhz[1], from->mhz[1]);
    to->mhz[2] = better(to->mhz[2], from->mhz[2]);
    if (from->source[0] != '\0') memcpy(to->source, from->source, sizeof to->source);
    if (from->limited[0] != '\0') memcpy(to->limited, from->limited, sizeof to->limited);
}

static int add_round(vkmm_bench_row *row, const vkmm_bench_row *round)
{
    int fine = 1;

    for (int i = 0; i < VKMM_SERIES_COUNT; i++)
        fine = fine && vkmm_bench_series_add(&row->series[i], round->series[i].ms, round->series[i].count);
    fine = fine && vkmm_bench_end_round(row);

    /* Where one round's clock was the host's, the row cannot claim the device's. */
    if (row->rounds <= 1 || strcmp(round->clock, "host") == 0) {
        memcpy(row->clock, round->clock, sizeof row->clock);
        memcpy(row->clock_note, round->clock_note, sizeof row->clock_note);
    }
    row->mapped = round->mapped;
    row->slope_ms = better(row->slope_ms, round->slope_ms);
    add_power(&row->power, &round->power);
    return fine;
}

/* Whether the row has enough: its noise is low, or its time is over. */
static void look(const cli_bench_terms *terms, cli_bench_cell *cell)
{
    vkmm_bench_row *row = &cell->row;
    const cli_bench_lane *lane = cell->lane;
    const char *stopped = "";
    double sampled_ms;

    vkmm_bench_derive(terms->bench, row);
    sampled_ms = row->kernel_ms.count * row->figures.median_ms;
    if (row->rounds >= cli_bench_least_rounds(terms->suite, row->figures.median_ms)) {
        if (row->figures.noise <= terms->bench->settings.max_noise)
            stopped = "stable";
        else if (sampled_ms >= terms->suite->row_ms)
            stopped = "time";
        else if (row->rounds >= MOST_ROUNDS)
            stopped = "count";
    }
    if (stopped[0] == '\0' && lane->link.spent_ms >= lane->budget_ms) stopped = "time";
    if (stopped[0] == '\0') return;
    snprintf(row->stopped, sizeof row->stopped, "%s", stopped);
    cell->state = CLI_BENCH_RIPE;
    cli_bench_release(cell);
}

/* A row that its process still holds. */
static void drop_held(cli_bench_cell *cell, const char *reason)
{
    cli_bench_cell_drop(cell, reason);
    cell->state = CLI_BENCH_RIPE;
}

/* What was expected to fit did not: rows that have no sample by now get none. */
static int is_too_late(cli_bench_cell *cell)
{
    const cli_bench_lane *lane = cell->lane;
    char reason[VKMM_BENCH_TEXT], budget[24];

    if (cell->row.rounds > 0 || lane->link.spent_ms < OVERTIME * lane->budget_ms) return 0;
    cli_bench_seconds(budget, lane->budget_ms);
    snprintf(reason, sizeof reason, "the suite's time for a device, %s, was over after its first product", budget);
    drop_held(cell, reason);
    return 1;
}

cli_reply cli_bench_cell_round(const cli_bench_terms *terms, cli_bench_cell *cell)
{
    cli_bench_lane *lane = cell->lane;
    double expected = cli_bench_expect(&lane->speeds, cell->item), span = cli_bench_round_ms(terms->suite);
    json_t *ask = cli_bench_about("round", cell), *answer;
    vkmm_bench_row round;
    cli_reply reply;
    char sentence[VKMM_SENTENCE];
    int fine;

    if (is_too_late(cell)) {
        json_decref(ask);
        return CLI_REPLY_ANSWER;
    }
    json_object_set_new(ask, "ms", json_real(span));
    json_object_set_new(ask, "full", json_boolean(cell->row.rounds == 0));
    reply = cli_worker_ask(
        &lane->link, ask,
        cli_bench_patience(cell, 3 * expected + 2 * span + cli_bench_expect_host(&lane->speeds, cell->item)), &answer);
    if (reply != CLI_REPLY_ANSWER) return reply;
    if (lane->link.status != VKMM_OK) {
        drop_held(cell, lane->link.sentence);
        json_decref(answer);
        return CLI_REPLY_ANSWER;
    }
    vkmm_bench_row_init(&round);
    fine = vkmm_record_parse(json_object_get(answer, "round"), &vkmm_round_record, &round, sentence) &&
           add_round(&cell->row, &round);
    json_decref(answer);
    vkmm_bench_row_free(&round);
    if (!fine) return cli_worker_distrust(&lane->link, "samples that make no sense");
    look(terms, cell);
    cli_bench_learn(&lane->speeds, cell->item, cell->row.figures.median_ms);
    return CLI_REPLY_ANSWER;
}
