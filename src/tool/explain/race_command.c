/* `vkmatmul race`: what a missing barrier does: how often a sum without it was wrong, and a wrong result next to the
 * right one. */

#include "base/alloc.h"
#include "base/limits.h"
#include "look/race.h"
#include "math/matrix.h"
#include "report/columns.h"
#include "report/json.h"
#include "session/commands.h"

/* Below SMALL elements a matrix holds 1, 2, 3, … in tiles of 2×2, as in the tutorial. From there on it holds ones, so
 * that a sum counts the invocations whose values had arrived, in tiles that several subgroups share. Numbers take WIDTH
 * columns. */
enum { SMALL = 100, LARGEST = 1 << 28, MOST_ROWS = 16, WIDTH = 5, WIDEST = 79, DEFAULT_RUNS = 100 };

/* A race on one device. */
typedef struct one_race {
    const vkmm_device_info *device;
    vkmm_init init; /* VKMM_INIT_INDEX, or VKMM_INIT_ONES */
    vkmm_race_params params;
    vkmm_race_result result;
} one_race;

/* ---- vkmatmul.race/1 ---- */

static json_t *count_json(const vkmm_race_count *count)
{
    json_t *wrong = json_null();
    if (count->wrong_runs > 0)
        wrong = json_pack("{s:i,s:i,s:i,s:i}", "row", count->row, "col", count->col, "got", count->got, "want",
                          count->want);
    return json_pack("{s:i,s:I,s:o}", "wrong_runs", count->wrong_runs, "wrong_elements",
                     (json_int_t)count->wrong_elements, "wrong", wrong);
}

static json_t *race_json(const cli_report *report, const one_race *race)
{
    const vkmm_kernel_info *kernel = &race->result.kernel;
    const uint32_t *tile = kernel->tile, *workgroup = kernel->workgroup, *groups = kernel->groups;
    return cli_json_document(
        report, "vkmatmul.race/1", race->device, NULL,
        json_pack("{s:i,s:{s:i,s:i,s:s,s:s},s:[i,i],s:[i,i,i],s:[i,i,i],s:i,s:o,s:o,s:b}", "subgroup_size",
                  race->device->subgroup.size, "matrix", "rows", race->params.rows, "cols", race->params.cols, "type",
                  "i32", "init", vkmm_init_name(race->init), "tile", tile[0], tile[1], "workgroup", workgroup[0],
                  workgroup[1], workgroup[2], "groups", groups[0], groups[1], groups[2], "runs", race->params.runs,
                  "with_barrier", count_json(&race->result.with_barrier), "without_barrier",
                  count_json(&race->result.without_barrier), "passed", race->result.with_barrier.wrong_runs == 0));
}

/* ---- for people ---- */

/* Some numbers of a row: wrong ones are marked with a star, and with colour if there is any. */
static void print_numbers(const cli_report *report, const int32_t *sums, const int32_t *right, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++) {
        const int is_wrong = sums[j] != right[j];
        char text[16];
        VKMM_PUT(text, "%s%d", is_wrong ? "*" : "", sums[j]);
        fprintf(report->out, " %s%*s%s", CLI_PAINTED(report, is_wrong ? CLI_BAD : CLI_PLAIN, WIDTH, text));
    }
}

/* All of a small matrix; of a large one, the rows and columns from the wrong element's tile on. */
static void print_matrices(const cli_report *report, const one_race *race)
{
    const vkmm_race_params *p = &race->params;
    const vkmm_race_count *racing = &race->result.without_barrier;
    const uint32_t *tile = race->result.kernel.tile;
    /* Both fit on the terminal, or on 80 columns. */
    const int columns = report->columns > 0 && report->columns < WIDEST ? report->columns : WIDEST,
              most = (columns - 4) / (2 * (WIDTH + 1));
    const uint32_t rows = (uint32_t)vkmm_least(p->rows, MOST_ROWS),
                   cols = (uint32_t)vkmm_least(p->cols, most > 1 ? (uint32_t)most : 1),
                   row0 = (uint32_t)vkmm_least(racing->row / tile[0] * tile[0], p->rows - rows),
                   col0 = (uint32_t)vkmm_least(racing->col / tile[1] * tile[1], p->cols - cols);
    const int width = (WIDTH + 1) * (int)(cols > 2 ? cols : 2);
    if (rows < p->rows || cols < p->cols)
        fprintf(report->out, "   Rows %u to %u, columns %u to %u:\n", row0, row0 + rows - 1, col0, col0 + cols - 1);
    fprintf(report->out, "   %-*s without the barrier%s\n", width, "right", racing->wrong_runs > 0 ? " (* wrong)" : "");
    for (uint64_t i = row0; i < row0 + rows; i++) {
        const int32_t *right = &p->right[i * p->cols + col0];
        fputs("  ", report->out);
        print_numbers(report, right, right, cols);
        fprintf(report->out, "%*s", width - (WIDTH + 1) * (int)cols + 2, "");
        print_numbers(report, &p->without_barrier[i * p->cols + col0], right, cols);
        putc('\n', report->out);
    }
}

static void print_count(const cli_report *report, const char *version, const one_race *race,
                        const vkmm_race_count *count)
{
    const cli_paint paint = count->wrong_runs > 0 ? CLI_BAD : CLI_GOOD;
    fprintf(report->out, "   %-8s wrong in %s%u of %u%s runs", version,
            CLI_PAINTED(report, paint, count->wrong_runs, race->params.runs));
    if (count->wrong_runs > 0)
        fprintf(report->out, ", %llu of %llu elements", (unsigned long long)count->wrong_elements,
                (unsigned long long)race->params.rows * race->params.cols * race->params.runs);
    putc('\n', report->out);
}

/* Explains the outcome, if it can be explained. */
static void print_reason(const cli_report *report, const one_race *race)
{
    const vkmm_race_count *racing = &race->result.without_barrier;
    const vkmm_kernel_info *kernel = &race->result.kernel;
    const uint32_t invocations = kernel->workgroup[0] * kernel->workgroup[1];
    char seen[120] = "";
    if (race->result.with_barrier.wrong_runs > 0)
        cli_report_say(report, 3, CLI_PLAIN,
                       "With the barrier every run must be right: this device or its driver is at fault.");
    if (race->init == VKMM_INIT_ONES)
        VKMM_PUT(seen, " All values are 1, so it saw what %d of the %d invocations with an element had stored.",
                 racing->got, racing->want);
    if (racing->wrong_runs > 0)
        cli_report_say(report, 3, CLI_PLAIN, "Element (%u, %u): %d without the barrier, %d is right.%s", racing->row,
                       racing->col, racing->got, racing->want, seen);
    else if (invocations <= race->device->subgroup.size)
        cli_report_say(report, 3, CLI_PLAIN,
                       "The race did not show: all %u invocations of a tile are in one subgroup of %u, which this "
                       "device executes in lockstep. No rule requires that.",
                       invocations, race->device->subgroup.size);
    else
        cli_report_say(report, 3, CLI_PLAIN, "The race did not show in these runs. It may show in the next.");
}

/* For sentences, which are wrapped even on wide terminals and in files. */
static cli_report page_of(const cli_report *report)
{
    cli_report page = *report;
    if (page.columns == 0 || page.columns > WIDEST) page.columns = WIDEST;
    return page;
}

static void print_race(const cli_report *report, const one_race *race, int first)
{
    const vkmm_kernel_info *kernel = &race->result.kernel;
    const char *x = report->utf8 ? "×" : "x";
    const cli_report page = page_of(report);
    if (report->rows > 0) putc('\n', report->out);
    if (first) cli_print_device(report, race->device, NULL);
    fprintf(report->out, "%s%u%s%u%s, tiles of %u%s%u (%u invocations), values %s\n",
            CLI_PAINTED(report, CLI_STRONG, race->params.rows, x, race->params.cols), kernel->tile[0], x,
            kernel->tile[1], kernel->workgroup[0] * kernel->workgroup[1],
            race->init == VKMM_INIT_ONES ? "all 1"
            : report->utf8               ? "1, 2, 3, …"
                                         : "1, 2, 3, ...");
    print_count(report, "with", race, &race->result.with_barrier);
    print_count(report, "without", race, &race->result.without_barrier);
    print_reason(&page, race);
    print_matrices(report, race);
}

static const char moral[] =
    "Every element becomes the sum of its tile: each invocation stores its own element in shared memory, then adds up "
    "all of them. Without a barrier between store and sum, nothing makes it wait for the others. A race that never "
    "shows is still a race: another driver, device or load may show it.";

/* ---- the command ---- */

static vkmm_status show(cli_session *session, const one_race *race, int first)
{
    cli_report *report = &session->report;
    cli_progress_end(&session->console);
    if (session->writer->document != NULL) return cli_session_document(session, race_json(report, race));
    print_race(report, race, first);
    return cli_session_wrote(session, VKMM_OK);
}

/* *first: nothing has been shown for this device. */
static vkmm_status race_size(cli_session *session, const cli_size *size, int *first)
{
    const vkmm_log *log = session->log;
    const cli_options *options = session->options;
    const uint64_t count = size->m * size->n;
    const int small = count < SMALL;
    const uint32_t tile = small ? 2 : 0;
    one_race race = {.device = session->info, .init = small ? VKMM_INIT_INDEX : VKMM_INIT_ONES};
    int32_t *matrices;
    vkmm_status status;
    if (count > LARGEST)
        return VKMM_FAIL(log, VKMM_UNSUPPORTED,
                         "a race on %llu elements; the limit is %d: a larger one shows nothing more",
                         (unsigned long long)count, (int)LARGEST);
    matrices = vkmm_alloc(3 * count, sizeof *matrices);
    if (matrices == NULL)
        return vkmm_tell(log, VKMM_NO_MEMORY("for three matrices of %llu elements", (unsigned long long)count));
    vkmm_fill(matrices, size->m, size->n, VKMM_I32, race.init, 0);
    race.params = (vkmm_race_params){.rows = (uint32_t)size->m,
                                     .cols = (uint32_t)size->n,
                                     .tile_rows = options->tile[0] > 0 ? options->tile[0] : tile,
                                     .tile_cols = options->tile[0] > 0 ? options->tile[1] : tile,
                                     .runs = options->iters.given ? (uint32_t)options->iters.value : DEFAULT_RUNS,
                                     .values = matrices,
                                     .right = matrices + count,
                                     .without_barrier = matrices + 2 * count};
    cli_progress(&session->console, "%s: %llux%llu", session->info->name, (unsigned long long)size->m,
                 (unsigned long long)size->n);
    status = vkmm_race_run(session->device, &race.params, &race.result);
    if (status == VKMM_OK) {
        status = show(session, &race, *first);
        *first = 0;
        if (status == VKMM_OK && race.result.with_barrier.wrong_runs > 0)
            status = VKMM_FAIL(log, VKMM_WRONG_RESULT, "%s: the tile sum with its barrier was wrong in %u of %u runs",
                               session->info->name, race.result.with_barrier.wrong_runs, race.params.runs);
    }
    vkmm_free(matrices);
    return cli_worse(status, cli_session_validated(session));
}

static vkmm_status race_device(cli_session *session, uint32_t index)
{
    static cli_size tutorial[] = {{2, 6, 0}, {32, 32, 0}};
    static const cli_sizes standard = {tutorial, 2};
    const cli_sizes *sizes = session->options->sizes.count > 0 ? &session->options->sizes : &standard;
    int first = 1;
    vkmm_status status;
    vkmm_device_destroy(&session->device);
    session->info = vkmm_instance_device_info(session->instance, index);
    status = vkmm_device_create(session->instance, index, &session->device);
    if (status != VKMM_OK) return status;
    for (size_t i = 0; i < sizes->count && status != VKMM_DEVICE_LOST && !ferror(session->report.out); i++)
        status = cli_worse(status, race_size(session, &sizes->item[i], &first));
    return status;
}

vkmm_status cli_command_race(cli_session *session)
{
    const cli_report page = page_of(&session->report);
    uint32_t first = 0, end;
    vkmm_status status = cli_session_instance(session);
    /* Reports that there is no device. */
    if (status == VKMM_OK) status = vkmm_instance_find_device(session->instance, session->options->device, &first);
    if (status != VKMM_OK) return status;
    end = first + 1;
    if (session->options->device == NULL) {
        first = 0;
        end = vkmm_instance_device_count(session->instance);
    }
    /* After a lost device, the next one still races. */
    for (uint32_t index = first; index < end && !ferror(session->report.out); index++)
        status = cli_worse(status, race_device(session, index));
    if (session->writer->document != NULL || session->report.rows == 0) return status;
    putc('\n', session->report.out);
    cli_wrap(&page, 0, moral);
    return cli_worse(status, cli_report_flush(&session->report, session->log));
}
