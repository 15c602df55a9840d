/* Where the operands of a product in panels come from, and where C goes. */
#include "product/large_parts.h"
#include "math/problem.h"
#include "math/type.h"

static vkmm_stack stack_in_memory(const vkmm_problem *problem, vkmm_operand operand, const void *data)
{
    return (vkmm_stack){vkmm_operand_view(problem, operand, data, 0), vkmm_operand_stride(problem, operand)};
}

static vkmm_status open_room(cli_large *large, const vkmm_problem *problem, vkmm_operand operand, const char *what,
                             vkmm_room *room)
{
    return vkmm_room_open(&large->session->console.log, vkmm_operand_bytes(problem, operand), what, room);
}

static vkmm_status get_factor(cli_large *large, const vkmm_problem *problem, vkmm_operand operand)
{
    vkmm_array file;
    vkmm_status status;

    if (cli_inputs_stack(large->inputs, problem, operand, &file)) {
        large->from_file[operand] = 1;
        large->stack[operand] = (vkmm_stack){file.first, file.stride};
        return VKMM_OK;
    }
    status = open_room(large, problem, operand, vkmm_operand_name(operand), &large->room[operand]);
    if (status != VKMM_OK) return status;
    cli_inputs_fill_one(large->inputs, problem, operand, large->room[operand].data);
    large->stack[operand] = stack_in_memory(problem, operand, large->room[operand].data);
    return VKMM_OK;
}

/* Where β counts; and where C's memory has gaps, which must stay as they are. */
static vkmm_status get_before(cli_large *large, const vkmm_problem *problem)
{
    const int scaled = vkmm_problem_beta(problem) != 0;
    vkmm_array file;
    vkmm_status status;

    if (scaled && cli_inputs_stack(large->inputs, problem, VKMM_C, &file)) {
        large->before_from_file = 1;
        large->before_stack = (vkmm_stack){file.first, file.stride};
        return VKMM_OK;
    }
    if (!scaled && (large->writer != NULL || !vkmm_problem_c_has_gaps(problem))) return VKMM_OK;
    status = open_room(large, problem, VKMM_C, "C as it was", &large->before);
    if (status != VKMM_OK) return status;
    cli_inputs_fill_c(large->inputs, problem, large->before.data);
    large->before_stack = stack_in_memory(problem, VKMM_C, large->before.data);
    return VKMM_OK;
}

static vkmm_status make_target(cli_large *large, const vkmm_problem *problem, const char *out)
{
    const vkmm_log *log = &large->session->console.log;
    const uint64_t batches = vkmm_problem_batches(problem);
    const vkmm_view first = vkmm_view_rows(NULL, problem->m, problem->n, vkmm_operand_type(problem, VKMM_C));
    const vkmm_array shape =
        batches == 1 ? vkmm_array_of(&first) : vkmm_array_stack(&first, batches, problem->m * problem->n);
    vkmm_status status;

    if (out != NULL) return vkmm_array_writer_open(log, out, &shape, &large->writer);
    status = open_room(large, problem, VKMM_C, "C", &large->room[VKMM_C]);
    if (status != VKMM_OK) return status;
    cli_inputs_fill_c(large->inputs, problem, large->room[VKMM_C].data);
    large->stack[VKMM_C] = stack_in_memory(problem, VKMM_C, large->room[VKMM_C].data);
    return VKMM_OK;
}

vkmm_status cli_large_operands(cli_large *large, const vkmm_problem *problem, const char *out)
{
    vkmm_status status = make_target(large, problem, out);

    if (status == VKMM_OK) status = get_factor(large, problem, VKMM_A);
    if (status == VKMM_OK) status = get_factor(large, problem, VKMM_B);
    if (status == VKMM_OK && problem->has_bias) {
        status = open_room(large, problem, VKMM_BIAS, vkmm_operand_name(VKMM_BIAS), &large->room[VKMM_BIAS]);
        if (status == VKMM_OK) cli_inputs_fill_bias(large->inputs, problem, large->room[VKMM_BIAS].data);
    }
    if (status == VKMM_OK) status = get_before(large, problem);
    return status;
}

/* The pages that a part lies in are let go: what is read of a file does not stay in memory. */
static void forget(const vkmm_view *part)
{
    const uint64_t elements = (part->rows - 1) * part->row_stride + (part->cols - 1) * part->col_stride + 1;

    vkmm_mappings_forget(part->data, elements * vkmm_type_of(part->type)->bytes);
}

static vkmm_status read_panel(void *user, const vkmm_panel *panel)
{
    const cli_large *large = user;
    const int is_before = panel->operand == VKMM_C;
    const vkmm_view matrix =
        vkmm_stack_at(is_before ? &large->before_stack : &large->stack[panel->operand], panel->batch);
    const vkmm_view part = vkmm_view_part(&matrix, panel->row, panel->col, panel->rows, panel->cols);

    if (panel->rows == 0 || panel->cols == 0) return VKMM_OK;
    vkmm_view_copy(&part, panel->data, panel->row_stride, panel->col_stride);
    if (is_before ? large->before_from_file : large->from_file[panel->operand]) forget(&part);
    return VKMM_OK;
}

static vkmm_status write_panel(void *user, const vkmm_panel *panel)
{
    const cli_large *large = user;
    const vkmm_type type = vkmm_operand_type(&large->product->row.problem, VKMM_C);
    const vkmm_view part = {panel->data, panel->rows, panel->cols, panel->row_stride, panel->col_stride, type};

    return vkmm_array_writer_put(large->writer, panel->batch, panel->row, panel->col, &part);
}

vkmm_stream_io cli_large_io(cli_large *large)
{
    return (vkmm_stream_io){.a = large->room[VKMM_A].data,
                            .b = large->room[VKMM_B].data,
                            .bias = large->room[VKMM_BIAS].data,
                            .c = large->room[VKMM_C].data,
                            .read = read_panel,
                            .write = large->writer != NULL ? write_panel : NULL,
                            .user = large};
}

vkmm_status cli_large_verify(cli_large *large, const vkmm_problem *problem, vkmm_verdict *verdict)
{
    const vkmm_log *log = &large->session->console.log;
    const vkmm_numbers numbers = cli_inputs_numbers(large->inputs, problem);
    const vkmm_verify_method method = (vkmm_verify_method)large->session->options->verify;
    const uint64_t seed = cli_seed_of(large->inputs->seed, CLI_SEED_VERIFY);
    const vkmm_room *room = large->room;
    vkmm_status status = VKMM_OK;
    vkmm_array written;

    if (large->writer != NULL) {
        status = vkmm_array_writer_look(large->writer, &written);
        if (status != VKMM_OK) return status;
        large->stack[VKMM_C] = (vkmm_stack){written.first, written.stride};
    }
    if (large->writer == NULL && !large->from_file[VKMM_A] && !large->from_file[VKMM_B] && !large->before_from_file)
        return vkmm_verify_problem(log, problem, room[VKMM_A].data, room[VKMM_B].data, room[VKMM_BIAS].data,
                                   large->before.data, room[VKMM_C].data, numbers, method, seed, verdict);
    return vkmm_verify_stacks(log, problem, &large->stack[VKMM_A], &large->stack[VKMM_B], &large->stack[VKMM_C],
                              &large->before_stack, room[VKMM_BIAS].data, numbers, method, seed, verdict);
}

vkmm_view cli_large_view(const cli_large *large, vkmm_operand operand, uint64_t batch)
{
    return vkmm_stack_at(&large->stack[operand], batch);
}

vkmm_view cli_large_before(const cli_large *large, uint64_t batch)
{
    return vkmm_stack_at(&large->before_stack, batch);
}

const void *cli_large_bias(const cli_large *large)
{
    return large->room[VKMM_BIAS].data;
}
