#include "cli/inputs.h"

#include "base/log.h"
#include "base/random.h"
#include "math/problem.h"
#include "math/type.h"

#include <string.h>

/* A NaN as f32 and as f64, and no number that a product is likely to give as an integer. */
#define CANARY UINT32_C(0x7ff8dead)

/* op of a file's matrix. */
static vkmm_view apply(const vkmm_view *file, int op)
{
    vkmm_view view = *file;

    if (op == VKMM_OP_N) return view;
    view.rows = file->cols;
    view.cols = file->rows;
    view.row_stride = file->col_stride;
    view.col_stride = file->row_stride;
    return view;
}

static vkmm_status check_types(const vkmm_log *log, const cli_options *options, const cli_inputs *inputs)
{
    vkmm_type a = inputs->a.view.type, b = inputs->b.view.type, c = inputs->c.view.type;

    if (a != b)
        return vkmm_fail(log, VKMM_INVALID, "%s holds %s and %s holds %s: both must have one type", options->a, vkmm_type_of(a)->name,
                         options->b, vkmm_type_of(b)->name);
    if (options->c != NULL && c != a)
        return vkmm_fail(log, VKMM_INVALID, "%s holds %s and %s holds %s: all must have one type", options->c, vkmm_type_of(c)->name,
                         options->a, vkmm_type_of(a)->name);
    for (uint32_t i = 0; i < options->types.count; i++) {
        if (options->types.type[i] != a)
            return vkmm_fail(log, VKMM_INVALID, "the files hold %s, not %s as --type says", vkmm_type_of(a)->name,
                             vkmm_type_of(options->types.type[i])->name);
    }
    return VKMM_OK;
}

static vkmm_status check_shapes(const vkmm_log *log, const cli_options *options, const cli_inputs *inputs)
{
    const vkmm_view a = apply(&inputs->a.view, options->op_a), b = apply(&inputs->b.view, options->op_b), *c = &inputs->c.view;
    const char *transposed_a = options->op_a == VKMM_OP_T ? ", transposed" : "";
    const char *transposed_b = options->op_b == VKMM_OP_T ? ", transposed" : "";

    if (a.cols != b.rows)
        return vkmm_fail(log, VKMM_INVALID,
                         "cannot multiply %s (%llux%llu%s) by %s (%llux%llu%s): A must have as many columns as B has rows", options->a,
                         (unsigned long long)a.rows, (unsigned long long)a.cols, transposed_a, options->b, (unsigned long long)b.rows,
                         (unsigned long long)b.cols, transposed_b);
    if (options->c != NULL && (c->rows != a.rows || c->cols != b.cols))
        return vkmm_fail(log, VKMM_INVALID, "%s is %llux%llu, and the product is %llux%llu", options->c, (unsigned long long)c->rows,
                         (unsigned long long)c->cols, (unsigned long long)a.rows, (unsigned long long)b.cols);
    return VKMM_OK;
}

vkmm_status cli_inputs_open(const vkmm_log *log, const cli_options *options, cli_inputs *inputs)
{
    vkmm_status status;

    *inputs = (cli_inputs){.init = (vkmm_init)options->init, .seed = options->seed.value};
    if (options->a == NULL) return VKMM_OK;
    inputs->from_files = 1;
    status = vkmm_npy_open(log, options->a, &inputs->a);
    if (status == VKMM_OK) status = vkmm_npy_open(log, options->b, &inputs->b);
    if (status == VKMM_OK && options->c != NULL) status = vkmm_npy_open(log, options->c, &inputs->c);
    if (status == VKMM_OK) status = check_types(log, options, inputs);
    if (status == VKMM_OK) status = check_shapes(log, options, inputs);
    return status;
}

void cli_inputs_close(cli_inputs *inputs)
{
    vkmm_npy_close(&inputs->a);
    vkmm_npy_close(&inputs->b);
    vkmm_npy_close(&inputs->c);
}

cli_size cli_inputs_size(const cli_inputs *inputs, const cli_options *options)
{
    vkmm_view a = apply(&inputs->a.view, options->op_a), b = apply(&inputs->b.view, options->op_b);

    return (cli_size){a.rows, b.cols, a.cols};
}

static void fill_canary(void *data, uint64_t bytes)
{
    const uint32_t word = CANARY;

    for (uint64_t at = 0; at + sizeof word <= bytes; at += sizeof word) memcpy((char *)data + at, &word, sizeof word);
}

/* Whether the operand is as large as its matrices, so that nothing lies between them. */
static int is_packed(const vkmm_problem *problem, vkmm_operand operand)
{
    uint64_t stride = vkmm_operand_stride(problem, operand), batches = stride > 0 ? vkmm_problem_batches(problem) : 1;
    uint64_t matrix = vkmm_operand_rows(problem, operand) * vkmm_operand_cols(problem, operand);

    return vkmm_operand_elements(problem, operand) == batches * matrix && (batches == 1 || stride >= matrix);
}

/* Copies a matrix into another of the same shape, whose elements are neighbours along rows or along columns: seen along those, each line is packed. */
static void copy(const vkmm_view *from, const vkmm_view *to, void *data)
{
    vkmm_view source = apply(from, to->col_stride != 1), target = apply(to, to->col_stride != 1);
    uint64_t size = vkmm_type_of(to->type)->bytes, rows = source.rows;
    char *at = (char *)data + ((const char *)to->data - (const char *)data);

    if (target.row_stride == target.cols) {
        vkmm_view_pack(&source, at);
        return;
    }
    for (source.rows = 1; rows > 0 && source.cols > 0; rows--) {
        vkmm_view_pack(&source, at);
        source.data = (const char *)source.data + source.row_stride * size;
        at += target.row_stride * size;
    }
}

/* All matrices of an operand. file: NULL, or what goes into every one, as it stands in the product. */
static void fill(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_operand operand, const vkmm_view *file, uint64_t seed,
                 void *data)
{
    uint64_t batches = vkmm_operand_stride(problem, operand) > 0 ? vkmm_problem_batches(problem) : 1;

    if (vkmm_operand_elements(problem, operand) == 0) return;
    for (uint64_t x = 0; x < batches; x++) {
        const vkmm_view view = vkmm_operand_view(problem, operand, data, x);
        if (file != NULL)
            copy(file, &view, data);
        else
            vkmm_fill_view(data, &view, inputs->init, x == 0 ? seed : vkmm_random_bits(seed, x));
    }
}

void cli_inputs_fill(const cli_inputs *inputs, const vkmm_problem *problem, void *a, void *b)
{
    const vkmm_view file_a = apply(&inputs->a.view, (int)problem->op_a), file_b = apply(&inputs->b.view, (int)problem->op_b);

    if (!is_packed(problem, VKMM_A)) fill_canary(a, vkmm_operand_bytes(problem, VKMM_A));
    if (!is_packed(problem, VKMM_B)) fill_canary(b, vkmm_operand_bytes(problem, VKMM_B));
    fill(inputs, problem, VKMM_A, inputs->from_files ? &file_a : NULL, cli_seed_of(inputs->seed, CLI_SEED_A), a);
    fill(inputs, problem, VKMM_B, inputs->from_files ? &file_b : NULL, cli_seed_of(inputs->seed, CLI_SEED_B), b);
}

void cli_inputs_fill_c(const cli_inputs *inputs, const vkmm_problem *problem, void *c)
{
    const vkmm_view *file = inputs->c.mapping.data != NULL ? &inputs->c.view : NULL;

    fill_canary(c, vkmm_operand_bytes(problem, VKMM_C));
    if (vkmm_problem_beta(problem) != 0) fill(inputs, problem, VKMM_C, file, cli_seed_of(inputs->seed, CLI_SEED_C), c);
}

const char *cli_inputs_name(const cli_inputs *inputs)
{
    return inputs->from_files ? "file" : vkmm_init_name(inputs->init);
}

vkmm_numbers cli_inputs_numbers(const cli_inputs *inputs)
{
    return inputs->from_files || inputs->init == VKMM_INIT_INDEX ? VKMM_NUMBERS_ANY : VKMM_NUMBERS_RANDOM;
}

uint64_t cli_seed_of(uint64_t seed, unsigned purpose)
{
    return vkmm_random_bits(seed, purpose);
}
