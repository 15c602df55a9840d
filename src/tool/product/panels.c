/* A product in panels (vkmatmul_stream.h): one that does not fit on the device as a whole, or not into --memory-limit.
 * Matrices in files are read panel by panel, and the file of -o is written so; generated ones are in the host's memory.
 * A command that shows one product multiplies each panel once, so that the times are those of one run; a bench repeats
 * the whole product. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/host.h"
#include "base/order.h"
#include "product/product.h"
#include "io/array_file.h"
#include "math/problem.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SAMPLES = 16 }; /* of one measurement */

typedef struct panels {
    vkmm_stream *stream;
    vkmm_stream_part *parts;  /* of several devices; owned */
    cli_array_writer *writer; /* NULL: C is in memory */
    double kernel_ms[MOST_SAMPLES], wall_ms[MOST_SAMPLES], sorted[MOST_SAMPLES];
} panels;

static vkmm_status plan(cli_product *p)
{
    const cli_session *session = p->session;
    const vkmm_stream_params params = {.job = p->request->job,
                                       .memory_limit = p->request->memory_limit,
                                       .others = session->others,
                                       .other_count = session->other_count};
    panels *own = p->own = vkmm_alloc(1, sizeof *own);
    vkmm_status status;
    if (own != NULL) own->parts = vkmm_alloc(session->other_count + 1, sizeof *own->parts);
    if (own == NULL || own->parts == NULL) return VKMM_NO_MEMORY("for a product in panels");
    status = vkmm_stream_create(session->device, session->log, &params, &own->stream);
    if (status == VKMM_OK) p->kernel = vkmm_stream_kernel(own->stream);
    return status;
}

static vkmm_status open_writer(cli_product *p)
{
    const vkmm_problem *problem = &p->request->job.problem;
    const uint64_t batches = vkmm_problem_batches(problem);
    const vkmm_view first = vkmm_view_rows(NULL, problem->m, problem->n, vkmm_operand_type(problem, VKMM_C));
    const cli_array shape = cli_array_of(&first, batches, problem->m * problem->n);
    panels *own = p->own;
    return cli_array_writer_open(p->request->out, &shape, &own->writer);
}

/* What is left for everything else. */
#define RESERVE (UINT64_C(256) << 20)

/* Zeroed memory of the host's. Linux overcommits memory, and kills a process that uses what is not there. */
static vkmm_status hold_in_memory(cli_product *p, int operand, const char *what, uint64_t bytes)
{
    const uint64_t available = vkmm_host_free_memory(); /* 0: unknown */
    if (bytes == 0) return VKMM_OK;
    if (available == 0 || bytes + RESERVE < available) p->memory[operand] = vkmm_alloc(1, bytes);
    if (p->memory[operand] != NULL) return VKMM_OK;
    return VKMM_FAIL(
        p->session->log, VKMM_OUT_OF_MEMORY,
        "%s needs %llu bytes of host memory, and %llu are free; matrices in files (-a, -b, -c, -o) need none", what,
        (unsigned long long)bytes, (unsigned long long)available);
}

/* Matrices in files stay there, and are read and written panel by panel. A new file has no gaps to preserve. */
static vkmm_status hold(cli_product *p, int operand, uint64_t bytes)
{
    const vkmm_problem *problem = &p->request->job.problem;
    const int is_before = operand == CLI_BEFORE, scaled = vkmm_problem_beta(problem) != 0;
    const int to_file = p->request->out != NULL && (operand == VKMM_C || (is_before && !scaled));
    const vkmm_operand source = is_before ? VKMM_C : (vkmm_operand)operand;
    if (to_file || ((operand < VKMM_C || (is_before && scaled)) &&
                    cli_inputs_stack(p->request->inputs, problem, source, &p->stack[operand]))) {
        p->in_files |= 1U << operand;
        return operand == VKMM_C ? open_writer(p) : VKMM_OK;
    }
    if (p->same != NULL && operand <= VKMM_B) { /* only read */
        p->memory[operand] = p->same->memory[operand];
        return VKMM_OK;
    }
    return hold_in_memory(p, operand, is_before ? "C as it was" : vkmm_operand_name(source), bytes);
}

static vkmm_status read_panel(void *user, const vkmm_panel *panel)
{
    const cli_product *p = user;
    const int operand = panel->operand == VKMM_C ? CLI_BEFORE : (int)panel->operand;
    const vkmm_view matrix = cli_stack_at(&p->stack[operand], panel->batch);
    const vkmm_view part = vkmm_view_part(&matrix, panel->row, panel->col, panel->rows, panel->cols);
    if (panel->rows == 0 || panel->cols == 0) return VKMM_OK;
    vkmm_view_copy(&part, panel->data, panel->row_stride, panel->col_stride);
    return VKMM_OK;
}

static vkmm_status write_panel(void *user, const vkmm_panel *panel)
{
    const cli_product *p = user;
    const panels *own = p->own;
    const vkmm_type type = vkmm_operand_type(&p->request->job.problem, VKMM_C);
    const vkmm_view part = {panel->data, panel->rows, panel->cols, panel->row_stride, panel->col_stride, type};
    return cli_array_writer_put(own->writer, panel->batch, panel->row, panel->col, &part);
}

static int show_progress(void *user, const vkmm_stream_state *state)
{
    const int is_long = state->left_ms >= 120e3;
    char text[128], left[48] = "";
    if (state->left_ms >= 0)
        VKMM_PUT(left, is_long ? ", %.0f min left" : ", %.0f s left", state->left_ms / (is_long ? 60e3 : 1e3));
    VKMM_PUT(text, "%llu of %llu panels%s", (unsigned long long)state->done, (unsigned long long)state->panels, left);
    cli_product_progress(user, text);
    return 0;
}

/* Whether each of several devices would store the same bits: all have the same driver, kernel and parts of K. */
static int are_alike(const cli_row_panels *row)
{
    const vkmm_stream_part *a = row->parts;
    int alike = 1;
    for (uint32_t i = 1; i < row->part_count; i++) {
        const vkmm_stream_part *b = &row->parts[i];
        alike &= strcmp(a->device->name, b->device->name) == 0 &&
                 strcmp(a->device->driver.info, b->device->driver.info) == 0 &&
                 strcmp(a->kernel->name, b->kernel->name) == 0 && strcmp(a->kernel->config, b->kernel->config) == 0 &&
                 a->partition.depth == b->partition.depth;
    }
    return alike;
}

/* Collects the partition and, with several devices, each one's share. */
static void look(cli_product *p)
{
    const panels *own = p->own;
    cli_row_panels *row = &p->row.panels;
    row->partition = vkmm_stream_partition(own->stream);
    row->parts = own->parts;
    for (row->part_count = 0; p->session->other_count > 0; row->part_count++) {
        const vkmm_stream_part part = vkmm_stream_part_at(own->stream, row->part_count);
        if (part.device == NULL) break;
        own->parts[row->part_count] = part;
    }
    if (!are_alike(row) && vkmm_type_of(p->request->job.problem.type)->is_float)
        VKMM_PUT(p->reason, "%u devices share it; they may add in another order, or round differently",
                 row->part_count);
}

static vkmm_status multiply(cli_product *p, double *ms)
{
    panels *own = p->own;
    const vkmm_stream_io io = {.a = p->memory[VKMM_A],
                               .b = p->memory[VKMM_B],
                               .bias = p->memory[VKMM_BIAS],
                               .c = p->memory[VKMM_C],
                               .read = read_panel,
                               .write = own->writer != NULL ? write_panel : NULL,
                               .progress = show_progress,
                               .user = p};
    const vkmm_status ran = vkmm_stream_run(own->stream, &io, &p->row.panels.times);
    vkmm_status status = VKMM_OK;
    cli_array written;
    look(p);
    p->row.problem.method = p->kernel->method;
    *ms = p->row.panels.times.wall_ms;
    p->fault = ran == VKMM_WRONG_RESULT ? "the kernel stored outside its panel" : NULL;
    if (own->writer == NULL || (ran != VKMM_OK && ran != VKMM_WRONG_RESULT)) return ran;
    status = cli_array_writer_look(own->writer, &written);
    p->stack[VKMM_C] = (cli_stack){written.first, written.stride};
    return status == VKMM_OK ? ran : status;
}

/* Statistics of one sample or more. */
static vkmm_series series_of(panels *own, const double *ms, uint32_t count)
{
    memcpy(own->sorted, ms, count * sizeof *ms);
    vkmm_sort(own->sorted, count);
    return (vkmm_series){.samples = ms,
                         .count = count,
                         .median = vkmm_percentile(own->sorted, count, 0.5),
                         .min = own->sorted[0],
                         .p5 = vkmm_percentile(own->sorted, count, 0.05),
                         .p95 = vkmm_percentile(own->sorted, count, 0.95)};
}

/* The measurement from the times kept; its clock is the last run's. */
static void fill(const cli_product *p, uint32_t count, vkmm_measurement *time)
{
    const vkmm_stream_times *times = &p->row.panels.times;
    panels *own = p->own;
    *time = (vkmm_measurement){
        .kernel = series_of(own, own->kernel_ms, count),
        .transfer = series_of(own, own->wall_ms, count),
        .clock = times->clock,
        .clock_note = times->clock == VKMM_CLOCK_HOST ? "panels were timed from submission to the fence" : "",
        .mapped = p->row.panels.partition.staging_bytes == 0};
}

/* Devices run in parallel, so the kernel time is that of the slowest. */
static void keep_times(const cli_product *p, uint32_t at)
{
    const cli_row_panels *row = &p->row.panels;
    panels *own = p->own;
    own->kernel_ms[at] = row->part_count > 0 ? 0 : row->times.kernel_ms;
    for (uint32_t i = 0; i < row->part_count; i++)
        if (row->parts[i].times.kernel_ms > own->kernel_ms[at]) own->kernel_ms[at] = row->parts[i].times.kernel_ms;
    own->wall_ms[at] = p->row.panels.times.wall_ms;
}

/* The measurement of a single run, the one that computed the product. */
static vkmm_status measure(cli_product *p, const vkmm_measure_params *params, vkmm_measurement *time)
{
    (void)params;
    if (p->row.panels.times.kernel_ms <= 0) return VKMM_OK;
    keep_times(p, 0);
    fill(p, 1, time);
    return VKMM_OK;
}

static vkmm_status measure_again(cli_product *p, const vkmm_measure_params *params, vkmm_measurement *time)
{
    const double start = vkmm_now_ms();
    vkmm_status status = VKMM_OK;
    uint32_t count = 0;
    double ms;
    while (status == VKMM_OK && vkmm_now_ms() - start < params->warm_time_ms) status = multiply(p, &ms);
    for (; status == VKMM_OK && count < params->iters && count < MOST_SAMPLES; count++) {
        status = multiply(p, &ms);
        keep_times(p, count);
    }
    if (status == VKMM_OK) fill(p, count, time);
    return status;
}

static vkmm_status save(cli_product *p)
{
    return cli_array_writer_commit(&((panels *)p->own)->writer);
}

/* A file that was not saved is discarded. */
static void end(cli_product *p)
{
    panels *own = p->own;
    if (own == NULL) return;
    if (own->writer != NULL) cli_array_writer_discard(&own->writer);
    vkmm_stream_destroy(&own->stream);
    vkmm_free(own->parts);
    for (int o = p->same != NULL ? VKMM_C : VKMM_A; o < CLI_STACKS; o++) vkmm_free(p->memory[o]);
    vkmm_free(own);
}

const cli_product_kind cli_in_panels = {plan, hold, multiply, measure, NULL, NULL, save, end, 0, 0};
/* If memory runs out, panels shrink: a different order of sums is not a fault. */
const cli_product_kind cli_in_panels_again = {plan, hold, multiply, measure_again, NULL, NULL, save, end, 1, 0};
