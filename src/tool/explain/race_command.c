/* `vkmatmul race`: what a missing barrier does: how often a sum without it was wrong, and a wrong result next to the
 * right one. */

#include "base/alloc.h"
#include "look/race.h"
#include "math/matrix.h"
#include "report/columns.h"
#include "report/wrap.h"
#include "report/json.h"
#include "session/commands.h"

/* Below SMALL elements a matrix holds 1, 2, 3, … in tiles of 2×2, as in the tutorial. From there on it holds ones, so
 * that a sum counts the invocations whose values had arrived, in tiles that several subgroups share. SIDE: columns of
 * a terminal for each of the two matrices, so that both fit into 80. */
enum { SMALL = 100, LARGEST = 1 << 28, MOST_ROWS = 16, SIDE = 38, WIDEST = 79 };

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

static vkmm_status write_json(const cli_report *report, const one_race *race)
{
    const vkmm_kernel_info *kernel = &race->result.kernel;
    const uint32_t *tile = kernel->tile, *workgroup = kernel->workgroup, *groups = kernel->groups;

    return cli_json_line(
        report,
        cli_json_document(
            report, "vkmatmul.race/1", race->device, NULL,
            json_pack("{s:i,s:{s:i,s:i,s:s,s:s},s:[i,i],s:[i,i,i],s:[i,i,i],s:i,s:o,s:o,s:b}", "subgroup_size",
                      race->device->subgroup.size, "matrix", "rows", race->params.rows, "cols", race->params.cols,
                      "type", "i32", "init", vkmm_init_name(race->init), "tile", tile[0], tile[1], "workgroup",
                      workgroup[0], workgroup[1], workgroup[2], "groups", groups[0], groups[1], groups[2], "runs",
                      race->result.runs, "with_barrier", count_json(&race->result.with_barrier), "without_barrier",
                      count_json(&race->result.without_barrier), "passed", race->result.with_barrier.wrong_runs == 0)));
}

/* ---- for people ---- */

/* The part of the matrices that is shown. */
typedef struct window {
    uint32_t row0, col0, rows, cols;
    int width; /* of a number */
} window;

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* All of a small matrix; of a large one, the rows and columns from the wrong element's tile on. */
static window choose(const cli_report *report, const one_race *race)
{
    const int side = report->columns > 0 && report->columns < 2 * SIDE ? report->columns - SIDE : SIDE;
    const vkmm_race_params *p = &race->params;
    const vkmm_race_count *racing = &race->result.without_barrier;
    const uint32_t *tile = race->result.kernel.tile;
    window w = {.rows = smaller(p->rows, MOST_ROWS), .width = 1};

    for (uint64_t i = 0; i < 2 * (uint64_t)p->rows * p->cols; i++) {
        const int digits = snprintf(NULL, 0, "%d", (i % 2 == 0 ? p->right : p->without_barrier)[i / 2]);
        if (w.width < digits) w.width = digits;
    }
    w.cols = smaller(p->cols, (uint32_t)(side > w.width + 2 ? side / (w.width + 2) : 1));
    w.row0 = smaller(racing->row / tile[0] * tile[0], p->rows - w.rows);
    w.col0 = smaller(racing->col / tile[1] * tile[1], p->cols - w.cols);
    return w;
}

/* One row of one matrix: wrong numbers are marked with a star, and with colour if there is any. */
static void print_numbers(const cli_report *report, const vkmm_race_params *p, const int32_t *sums, const window *w,
                          uint32_t i)
{
    for (uint32_t j = w->col0; j < w->col0 + w->cols; j++) {
        const uint64_t at = (uint64_t)i * p->cols + j;
        const int wrong = sums[at] != p->right[at], last = j + 1 == w->col0 + w->cols;
        const cli_paint paint = wrong ? CLI_BAD : CLI_PLAIN;
        fprintf(report->out, " %s%*d%s%s",
                CLI_PAINTED(report, paint, w->width, sums[at],
                            wrong  ? "*"
                            : last ? ""
                                   : " "));
    }
}

static void print_matrices(const cli_report *report, const one_race *race)
{
    const vkmm_race_params *p = &race->params;
    const window w = choose(report, race);
    const int side = (int)w.cols * (w.width + 2), title = side > 16 ? side : 16;

    if (w.rows < p->rows || w.cols < p->cols)
        fprintf(report->out, "   Rows %u to %u, columns %u to %u:\n", w.row0, w.row0 + w.rows - 1, w.col0,
                w.col0 + w.cols - 1);
    fprintf(report->out, "   %-*s   without the barrier%s\n", title, "right",
            race->result.without_barrier.wrong_runs > 0 ? " (* wrong)" : "");
    for (uint32_t i = w.row0; i < w.row0 + w.rows; i++) {
        fprintf(report->out, "  ");
        print_numbers(report, p, p->right, &w, i);
        fprintf(report->out, "%*s", title - side + 4, "");
        print_numbers(report, p, p->without_barrier, &w, i);
        putc('\n', report->out);
    }
}

static void print_count(const cli_report *report, const char *version, const one_race *race,
                        const vkmm_race_count *count)
{
    const cli_paint paint = count->wrong_runs > 0 ? CLI_BAD : CLI_GOOD;

    fprintf(report->out, "   %-8s wrong in %s%u of %u%s runs", version,
            CLI_PAINTED(report, paint, count->wrong_runs, race->result.runs));
    if (count->wrong_runs > 0)
        fprintf(report->out, ", %llu of %llu elements", (unsigned long long)count->wrong_elements,
                (unsigned long long)race->params.rows * race->params.cols * race->result.runs);
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
    vkmm_status status = VKMM_OK;

    cli_progress_end(&session->console);
    if (session->options->json)
        status = write_json(report, race);
    else
        print_race(report, race, first);
    return cli_session_wrote(session, status);
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
                                     .runs = (uint32_t)options->iters.value,
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
                               session->info->name, race.result.with_barrier.wrong_runs, race.result.runs);
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
    if (session->options->json || session->report.rows == 0) return status;
    putc('\n', session->report.out);
    cli_wrap(&page, 0, moral);
    return cli_worse(status, cli_report_flush(&session->report, session->log));
}
