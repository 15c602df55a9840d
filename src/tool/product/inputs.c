#include "product/inputs.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"
#include "math/problem.h"
#include "math/type.h"

#include <string.h>

/* In place of VKMM_CANARY: two NaNs, as f16 and as bf16. */
#define NARROW_CANARY UINT32_C(0x7ff87ff8)

enum { STRIP_ROWS = 32 }; /* a block of vkmm_view_copy */

/* op of a file's matrix. */
static vkmm_view apply(const vkmm_view *file, int transposed)
{
    return transposed ? vkmm_view_transposed(file) : *file;
}

static const vkmm_view *matrix_of(const cli_inputs *inputs, vkmm_operand operand)
{
    return &inputs->file[operand].array.first;
}

/* Whether a file holds the operand transposed. */
static int is_turned(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_operand operand)
{
    if (operand == VKMM_BIAS) return matrix_of(inputs, operand)->rows > 1;
    if (inputs->file[operand].array.along_k) return operand == VKMM_B;
    return (operand == VKMM_A && problem->op_a == VKMM_OP_T) || (operand == VKMM_B && problem->op_b == VKMM_OP_T);
}

/* op(A) or op(B) in its file. */
static vkmm_view factor_of(const cli_inputs *inputs, const cli_options *options, vkmm_operand operand)
{
    return apply(matrix_of(inputs, operand), is_turned(inputs, &options->problem, operand));
}

static const char *type_name(const cli_inputs *inputs, vkmm_operand operand)
{
    return vkmm_type_of(matrix_of(inputs, operand)->type)->name;
}

static vkmm_status check_types(const cli_options *options, const cli_inputs *inputs)
{
    vkmm_type a = matrix_of(inputs, VKMM_A)->type;
    if (a != matrix_of(inputs, VKMM_B)->type)
        return vkmm_fail(VKMM_INVALID, "%s holds %s and %s holds %s: both must have the same type",
                         inputs->path[VKMM_A], type_name(inputs, VKMM_A), inputs->path[VKMM_B],
                         type_name(inputs, VKMM_B));
    for (uint32_t i = 0; i < options->types.count; i++) {
        if (options->types.type[i] != a)
            return vkmm_fail(VKMM_INVALID, "the files hold %s, not %s as --type says", vkmm_type_of(a)->name,
                             vkmm_type_of(options->types.type[i])->name);
    }
    return VKMM_OK;
}

/* As in numpy.matmul, a vector is a row of op(A) or a column of op(B); for C it has the product's shape. */
static void turn_vectors(const cli_options *options, cli_inputs *inputs)
{
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        cli_array *array = &inputs->file[o].array;
        const int is_column = o == VKMM_C ? factor_of(inputs, options, VKMM_B).cols == 1
                                          : is_turned(inputs, &options->problem, (vkmm_operand)o) == (o == VKMM_A);
        if (array->dimensions == 1 && is_column) array->first = vkmm_view_transposed(&array->first);
    }
}

/* Every stack must have one matrix per product of the batch. */
static vkmm_status check_stacks(const cli_options *options, const cli_inputs *inputs)
{
    uint64_t batches = options->problem.batch_count;
    const char *path = batches > 0 ? "--batch_count" : NULL;
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        const cli_array *array = &inputs->file[o].array;
        if (inputs->path[o] == NULL) continue;
        if (array->dimensions != 3) continue;
        if (array->count == 0)
            return vkmm_fail(VKMM_INVALID, "%s holds no matrix: the first of its three extents is 0", inputs->path[o]);
        if (path != NULL && array->count != batches)
            return vkmm_fail(VKMM_INVALID, "%s holds %llu matrices, and %s says %llu", inputs->path[o],
                             (unsigned long long)array->count, path, (unsigned long long)batches);
        if (array->count > 1 && options->stride[o].given && options->stride[o].value == 0)
            return vkmm_fail(VKMM_INVALID, "%s holds %llu matrices, but a stride of 0 would use only the first",
                             inputs->path[o], (unsigned long long)array->count);
        batches = array->count;
        path = inputs->path[o];
    }
    return VKMM_OK;
}

static vkmm_status check_shapes(const vkmm_log *log, const cli_options *options, const cli_inputs *inputs)
{
    const vkmm_view a = factor_of(inputs, options, VKMM_A), b = factor_of(inputs, options, VKMM_B);
    const char *transposed_a = is_turned(inputs, &options->problem, VKMM_A) ? ", transposed" : "";
    const char *transposed_b = is_turned(inputs, &options->problem, VKMM_B) ? ", transposed" : "";
    for (int o = VKMM_A; o <= VKMM_B && a.cols == b.rows; o++)
        if (inputs->file[o].array.dimensions == 1)
            vkmm_say(log, VKMM_LOG_WARNING, "%s is a vector: %llux%llu times %llux%llu is %llux%llu", inputs->path[o],
                     (unsigned long long)a.rows, (unsigned long long)a.cols, (unsigned long long)b.rows,
                     (unsigned long long)b.cols, (unsigned long long)a.rows, (unsigned long long)b.cols);
    if (a.cols == b.rows) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID,
                     "cannot multiply %s (%llux%llu%s) by %s (%llux%llu%s): A must have as many columns as B has rows",
                     inputs->path[VKMM_A], (unsigned long long)a.rows, (unsigned long long)a.cols, transposed_a,
                     inputs->path[VKMM_B], (unsigned long long)b.rows, (unsigned long long)b.cols, transposed_b);
}

/* A text file and blocks get the type of --type, of the other operand, or of C. */
static vkmm_status type_texts(const vkmm_log *log, const cli_options *options, cli_inputs *inputs)
{
    const vkmm_type given = options->types.count > 0 ? options->types.type[0] : VKMM_AUTO;
    const cli_size one = {1, 1, 1};
    vkmm_status status = VKMM_OK;
    for (int o = VKMM_A; o <= VKMM_BIAS && status == VKMM_OK; o++) {
        const int is_c = o >= VKMM_C;
        const vkmm_type other = matrix_of(inputs, is_c || o == VKMM_B ? VKMM_A : VKMM_B)->type;
        vkmm_type type = other != VKMM_AUTO && inputs->from_files ? other : VKMM_F32;
        if (inputs->path[o] == NULL || matrix_of(inputs, o)->type != VKMM_AUTO) continue;
        if (given != VKMM_AUTO && !(is_c && inputs->from_files)) type = given;
        if (is_c) {
            const vkmm_problem problem = cli_problem_make(options, &one, type);
            type = vkmm_operand_type(&problem, VKMM_C);
        }
        status = cli_array_text(log, inputs->path[o], type, &inputs->file[o]);
        if (status == VKMM_OK && given == VKMM_AUTO && inputs->file[o].array.format == VKMM_PLAIN)
            vkmm_say(log, VKMM_LOG_WARNING, "%s is read as %s; --type chooses another type", inputs->path[o],
                     vkmm_type_of(type)->name);
    }
    return status;
}

/* GGUF's tensors leave no choice. */
static vkmm_status check_formats(const cli_options *options, const cli_inputs *inputs)
{
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
        const cli_array *array = &inputs->file[o].array;
        const vkmm_format wanted = vkmm_operand_format(&options->problem, (vkmm_operand)o);
        const char *format = vkmm_format_at(array->format)->name;
        if (array->format != VKMM_PLAIN && o >= VKMM_C)
            return vkmm_fail(VKMM_INVALID, "%s holds blocks of %s; C and the bias have none", inputs->path[o], format);
        if (array->format != VKMM_PLAIN && wanted != VKMM_PLAIN && wanted != array->format)
            return vkmm_fail(VKMM_INVALID, "%s holds blocks of %s, not of %s as --type-%c says", inputs->path[o],
                             format, vkmm_format_at(wanted)->name, "ab"[o]);
        if (o == VKMM_A && array->along_k && options->problem.op_a == VKMM_OP_T)
            return vkmm_fail(VKMM_INVALID, "the rows of a GGUF tensor are along K, so A cannot be transposed: %s",
                             inputs->path[o]);
    }
    return VKMM_OK;
}

static vkmm_status open_files(const vkmm_log *log, const cli_options *options, cli_inputs *inputs)
{
    vkmm_status status = VKMM_OK;
    int pipes = 0;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) pipes += inputs->path[o] != NULL && strcmp(inputs->path[o], "-") == 0;
    if (pipes > 1) return vkmm_fail(VKMM_INVALID, "only one matrix can be read from standard input (-), not %d", pipes);
    for (int o = VKMM_A; o <= VKMM_BIAS && status == VKMM_OK; o++) {
        if (inputs->path[o] == NULL) continue;
        status = cli_array_open(log, inputs->path[o], (uint64_t)options->memory_limit, &inputs->file[o]);
        if (strcmp(inputs->path[o], "-") == 0) inputs->path[o] = "standard input";
    }
    return status;
}

static vkmm_status open_inputs(const vkmm_log *log, const cli_options *options, cli_inputs *inputs)
{
    vkmm_status status;
    *inputs = (cli_inputs){.init = (vkmm_init)options->init, .seed = options->seed.value};
    inputs->from_files = options->a != NULL;
    inputs->path[VKMM_A] = options->a;
    inputs->path[VKMM_B] = options->b;
    inputs->path[VKMM_C] = options->c;
    inputs->path[VKMM_BIAS] = options->bias;
    status = open_files(log, options, inputs);
    if (status == VKMM_OK) status = check_formats(options, inputs);
    if (status == VKMM_OK) status = type_texts(log, options, inputs);
    if (status != VKMM_OK || !inputs->from_files) return status;
    turn_vectors(options, inputs);
    status = check_types(options, inputs);
    if (status == VKMM_OK) status = check_stacks(options, inputs);
    if (status == VKMM_OK) status = check_shapes(log, options, inputs);
    return status;
}

vkmm_status cli_inputs_open(const vkmm_log *log, const cli_options *options, cli_inputs *inputs)
{
    return vkmm_tell(log, open_inputs(log, options, inputs));
}

void cli_inputs_close(cli_inputs *inputs)
{
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) cli_array_close(&inputs->file[o]);
}

cli_size cli_inputs_size(const cli_inputs *inputs, const cli_options *options)
{
    const vkmm_view a = factor_of(inputs, options, VKMM_A), b = factor_of(inputs, options, VKMM_B);
    return (cli_size){a.rows, b.cols, a.cols};
}

vkmm_type cli_inputs_type(const cli_inputs *inputs)
{
    return matrix_of(inputs, VKMM_A)->type;
}

uint64_t cli_inputs_batches(const cli_inputs *inputs)
{
    for (int o = VKMM_A; o <= VKMM_C; o++)
        if (inputs->file[o].array.dimensions == 3) return inputs->file[o].array.count;
    return 0;
}

void cli_inputs_decide(const cli_inputs *inputs, vkmm_problem *problem)
{
    const cli_array *a = &inputs->file[VKMM_A].array, *b = &inputs->file[VKMM_B].array;
    const int by_rows = problem->layout == VKMM_ROW_MAJOR;
    if (cli_inputs_batches(inputs) > 0) problem->batch_count = cli_inputs_batches(inputs);
    if (a->along_k) problem->op_a = by_rows ? VKMM_OP_N : VKMM_OP_T;
    if (b->along_k) problem->op_b = by_rows ? VKMM_OP_T : VKMM_OP_N;
    if (a->format != VKMM_PLAIN) problem->format_a = a->format;
    if (b->format != VKMM_PLAIN) problem->format_b = b->format;
}

vkmm_status cli_inputs_check(const cli_inputs *inputs, const vkmm_problem *problem)
{
    const vkmm_view *c = matrix_of(inputs, VKMM_C), *bias = matrix_of(inputs, VKMM_BIAS);
    const vkmm_type out = vkmm_operand_type(problem, VKMM_C);
    for (int o = VKMM_C; o <= VKMM_BIAS; o++)
        if (inputs->path[o] != NULL && matrix_of(inputs, o)->type != out)
            return vkmm_fail(VKMM_INVALID, "%s holds %s, and C is %s: %s must have C's type", inputs->path[o],
                             type_name(inputs, o), vkmm_type_of(out)->name, o == VKMM_C ? "it" : "the bias");
    if (inputs->path[VKMM_C] != NULL && (c->rows != problem->m || c->cols != problem->n))
        return vkmm_fail(VKMM_INVALID, "%s is %llux%llu, and the product is %llux%llu", inputs->path[VKMM_C],
                         (unsigned long long)c->rows, (unsigned long long)c->cols, (unsigned long long)problem->m,
                         (unsigned long long)problem->n);
    if (inputs->path[VKMM_BIAS] != NULL &&
        ((bias->rows != 1 && bias->cols != 1) || bias->rows * bias->cols != problem->n ||
         inputs->file[VKMM_BIAS].array.count != 1))
        return vkmm_fail(VKMM_INVALID, "%s is %llux%llu, and a bias is a vector of N = %llu elements",
                         inputs->path[VKMM_BIAS], (unsigned long long)bias->rows, (unsigned long long)bias->cols,
                         (unsigned long long)problem->n);
    return VKMM_OK;
}

static void fill_canary(void *data, uint64_t bytes, vkmm_type type)
{
    const uint32_t word = vkmm_type_of(type)->bytes == 2 ? NARROW_CANARY : VKMM_CANARY;
    for (uint64_t at = 0; at < bytes; at += sizeof word)
        memcpy((char *)data + at, &word, bytes - at < sizeof word ? bytes - at : sizeof word);
}

/* Whether the operand has no gaps. */
static int is_packed(const vkmm_problem *problem, vkmm_operand operand)
{
    uint64_t stride = vkmm_operand_stride(problem, operand), batches = stride > 0 ? vkmm_problem_batches(problem) : 1;
    uint64_t matrix = vkmm_operand_rows(problem, operand) * vkmm_operand_cols(problem, operand);
    return vkmm_operand_elements(problem, operand) == batches * matrix && (batches == 1 || stride >= matrix);
}

/* A matrix that goes into rows `ld` elements apart. */
typedef struct transfer {
    vkmm_view from;
    char *to;
    uint64_t ld, strip; /* strip: rows that a thread copies at a time */
} transfer;

static vkmm_status copy_strip(void *context, uint64_t i)
{
    const transfer *t = context;
    const uint64_t first = i * t->strip, left = t->from.rows - first;
    const vkmm_view part = vkmm_view_part(&t->from, first, 0, left < t->strip ? left : t->strip, t->from.cols);
    vkmm_view_copy(&part, t->to + first * t->ld * vkmm_type_of(part.type)->bytes, t->ld, 1);
    return VKMM_OK;
}

/* In strips of a MiB or so. */
static void copy(const vkmm_view *matrix, const vkmm_view *view, void *data, vkmm_workers *workers)
{
    const int by_rows = view->col_stride == 1;
    transfer t = {by_rows ? *matrix : vkmm_view_transposed(matrix),
                  (char *)data + ((const char *)view->data - (const char *)data),
                  by_rows ? view->row_stride : view->col_stride, 0};
    t.strip = ((1 << 20) / (t.from.cols * vkmm_type_of(t.from.type)->bytes) / STRIP_ROWS + 1) * STRIP_ROWS;
    vkmm_workers_run(workers, (t.from.rows + t.strip - 1) / t.strip, copy_strip, &t);
}

void cli_inputs_fill(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_operand operand, void *data,
                     vkmm_workers *workers)
{
    static const unsigned purposes[] = {CLI_SEED_A, CLI_SEED_B, CLI_SEED_C, CLI_SEED_BIAS};
    const uint64_t seed = vkmm_random_bits(inputs->seed, purposes[operand]);
    const cli_array *file = inputs->path[operand] != NULL ? &inputs->file[operand].array : NULL;
    const vkmm_type type = vkmm_operand_type(problem, operand);
    const int is_bias = operand == VKMM_BIAS, counts = operand != VKMM_C || vkmm_problem_beta(problem) != 0;
    const uint64_t batches = !is_bias && vkmm_operand_stride(problem, operand) > 0 ? vkmm_problem_batches(problem) : 1;
    if (vkmm_operand_elements(problem, operand) == 0) return;
    if (!counts || (!is_bias && !is_packed(problem, operand)))
        fill_canary(data, vkmm_operand_bytes(problem, operand), type);
    for (uint64_t x = 0; x < batches && counts && (file == NULL || file->format == VKMM_PLAIN); x++) {
        const vkmm_view view =
            is_bias ? vkmm_view_rows(data, 1, problem->n, type) : vkmm_operand_view(problem, operand, data, x);
        if (file != NULL) {
            const vkmm_view stored = cli_array_at(file, x % file->count),
                            matrix = apply(&stored, is_turned(inputs, problem, operand));
            copy(&matrix, &view, data, workers);
        } else {
            vkmm_fill_view(data, &view, inputs->init, x == 0 ? seed : vkmm_random_bits(seed, x));
        }
    }
}

/* The blocks of a matrix, line by line. */
typedef struct encoding {
    const cli_array *file; /* in blocks already; NULL: not */
    const vkmm_problem *problem;
    vkmm_operand operand;
    char *plain, *blocks;
} encoding;

static vkmm_status encode_line(void *context, uint64_t i)
{
    const encoding *e = context;
    const vkmm_problem *p = e->problem;
    const vkmm_stored stored = vkmm_operand_stored(p, e->operand);
    const uint64_t at = vkmm_operand_offset(p, e->operand) + i / stored.count * vkmm_operand_stride(p, e->operand) +
                        i % stored.count * stored.ld;
    const vkmm_format format = vkmm_operand_format(p, e->operand);
    const uint32_t size = vkmm_type_of(p->type)->bytes;
    char *plain = e->plain + at * size, *blocks = e->blocks + vkmm_operand_span(p, e->operand, at);
    float *line = vkmm_alloc(stored.length, sizeof *line);
    if (line == NULL) return VKMM_NO_MEMORY("for a line of blocks");
    if (e->file != NULL) {
        const uint64_t bytes = vkmm_operand_span(p, e->operand, stored.length);
        const vkmm_view matrix = cli_array_at(e->file, i / stored.count % e->file->count);
        memcpy(blocks, (const char *)matrix.data + i % stored.count * bytes, bytes);
    } else {
        for (uint64_t k = 0; k < stored.length; k++) line[k] = (float)vkmm_type_get(p->type, plain + k * size);
        vkmm_blocks_encode(format, line, stored.length, blocks);
    }
    vkmm_blocks_decode(format, blocks, stored.length, line);
    for (uint64_t k = 0; k < stored.length; k++) vkmm_type_put(p->type, plain + k * size, (double)line[k]);
    vkmm_free(line);
    return VKMM_OK;
}

vkmm_status cli_inputs_encode(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_operand operand, void *plain,
                              void *blocks, vkmm_workers *workers)
{
    const cli_array *file = &inputs->file[operand].array;
    encoding e = {file->format != VKMM_PLAIN ? file : NULL, problem, operand, plain, blocks};
    const uint64_t batches = vkmm_operand_stride(problem, operand) > 0 ? vkmm_problem_batches(problem) : 1;
    memset(blocks, 0xff, vkmm_operand_bytes(problem, operand)); /* NaN where no matrix lies, as most formats read it */
    return vkmm_workers_run(workers, batches * vkmm_operand_stored(problem, operand).count, encode_line, &e);
}

int cli_inputs_stack(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_operand operand, cli_stack *stack)
{
    const cli_array *file = &inputs->file[operand].array;
    if (inputs->path[operand] == NULL) return 0;
    *stack = (cli_stack){apply(&file->first, is_turned(inputs, problem, operand)), file->count == 1 ? 0 : file->stride};
    return 1;
}

vkmm_status cli_inputs_whole(const cli_inputs *inputs)
{
    vkmm_status status = VKMM_OK;
    for (int o = VKMM_A; o <= VKMM_BIAS && status == VKMM_OK; o++)
        if (inputs->path[o] != NULL) status = cli_array_whole(inputs->path[o], &inputs->file[o]);
    return status;
}

const char *cli_inputs_name(const cli_inputs *inputs)
{
    return inputs->from_files ? "file" : vkmm_init_name(inputs->init);
}

cli_numbers cli_inputs_numbers(const cli_inputs *inputs, const vkmm_problem *problem)
{
    /* f16 can count ones only up to 2048. */
    if (inputs->init == VKMM_INIT_ONES && vkmm_problem_compute(problem) == VKMM_F16) return CLI_NUMBERS_ANY;
    return inputs->from_files || inputs->init == VKMM_INIT_INDEX ? CLI_NUMBERS_ANY : CLI_NUMBERS_RANDOM;
}
