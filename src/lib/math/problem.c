#include "math/problem.h"

#include "base/alloc.h"
#include "base/clean.h"
#include "base/log.h"
#include "math/method.h"
#include "math/type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *vkmm_operand_name(vkmm_operand operand)
{
    static const char *const names[] = {"A", "B", "C", "the bias"};
    return names[operand];
}

uint64_t vkmm_operand_rows(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_B ? problem->k : problem->m;
}

uint64_t vkmm_operand_cols(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_A ? problem->k : problem->n;
}

static uint64_t given_ld(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_A ? problem->lda : operand == VKMM_B ? problem->ldb : problem->ldc;
}

static uint64_t given_stride(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_A ? problem->stride_a : operand == VKMM_B ? problem->stride_b : problem->stride_c;
}

vkmm_stored vkmm_operand_stored(const vkmm_problem *problem, vkmm_operand operand)
{
    vkmm_op op = operand == VKMM_A ? problem->op_a : operand == VKMM_B ? problem->op_b : VKMM_OP_N;
    uint64_t rows = vkmm_operand_rows(problem, operand), cols = vkmm_operand_cols(problem, operand);
    vkmm_stored l = {.are_rows = (op == VKMM_OP_N) == (problem->layout == VKMM_ROW_MAJOR)};
    l.count = l.are_rows ? rows : cols;
    l.length = l.are_rows ? cols : rows;
    l.ld = given_ld(problem, operand);
    if (l.ld == 0) l.ld = l.length > 0 ? l.length : 1;
    return l;
}

uint64_t vkmm_operand_ld(const vkmm_problem *problem, vkmm_operand operand)
{
    return vkmm_operand_stored(problem, operand).ld;
}

uint64_t vkmm_problem_batches(const vkmm_problem *problem)
{
    return problem->batch_count > 0 ? problem->batch_count : 1;
}

uint64_t vkmm_operand_stride(const vkmm_problem *problem, vkmm_operand operand)
{
    return vkmm_problem_batches(problem) > 1 ? given_stride(problem, operand) : 0;
}

uint64_t vkmm_operand_offset(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_A ? problem->offset_a : operand == VKMM_B ? problem->offset_b : problem->offset_c;
}

/* Elements from the first to the last of one matrix, both included. 0 when that does not fit. */
static int extent_of(const vkmm_stored *l, uint64_t *extent)
{
    *extent = 0;
    if (l->count == 0 || l->length == 0) return 1;
    return vkmm_mul_u64(l->count - 1, l->ld, extent) && vkmm_add_u64(*extent, l->length, extent);
}

/* Elements of the operand's memory, or 0: too many for 64 bits. */
static int elements_of(const vkmm_problem *problem, vkmm_operand operand, uint64_t *elements)
{
    vkmm_stored l = vkmm_operand_stored(problem, operand);
    uint64_t extent = 0, batch = 0;
    *elements = 0;
    if (!extent_of(&l, &extent)) return 0;
    if (extent == 0) return 1;
    return vkmm_mul_u64(vkmm_problem_batches(problem) - 1, vkmm_operand_stride(problem, operand), &batch) &&
           vkmm_add_u64(extent, batch, elements) &&
           vkmm_add_u64(*elements, vkmm_operand_offset(problem, operand), elements);
}

uint64_t vkmm_operand_elements(const vkmm_problem *problem, vkmm_operand operand)
{
    uint64_t elements = 0;
    if (operand == VKMM_BIAS) return problem->has_bias ? problem->n : 0;
    return elements_of(problem, operand, &elements) ? elements : 0;
}

vkmm_types vkmm_problem_types(const vkmm_problem *problem)
{
    vkmm_types types = vkmm_types_default(problem->type);
    if (problem->out_type != VKMM_AUTO) types.out = problem->out_type;
    if (problem->compute != VKMM_AUTO) types.compute = problem->compute;
    return types;
}

vkmm_type vkmm_operand_type(const vkmm_problem *problem, vkmm_operand operand)
{
    if (!problem) return VKMM_AUTO;
    return operand == VKMM_A || operand == VKMM_B ? problem->type : vkmm_problem_types(problem).out;
}

vkmm_type vkmm_problem_compute(const vkmm_problem *problem)
{
    return problem ? vkmm_problem_types(problem).compute : VKMM_AUTO;
}

static uint64_t operand_size(const vkmm_problem *problem, vkmm_operand operand)
{
    return vkmm_type_of(vkmm_operand_type(problem, operand))->bytes;
}

vkmm_format vkmm_operand_format(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_A ? problem->format_a : operand == VKMM_B ? problem->format_b : VKMM_PLAIN;
}

vkmm_format vkmm_problem_format(const vkmm_problem *problem)
{
    return problem->format_a != VKMM_PLAIN ? problem->format_a : problem->format_b;
}

int vkmm_problem_has_blocks(const vkmm_problem *problem)
{
    return vkmm_problem_format(problem) != VKMM_PLAIN;
}

uint64_t vkmm_span(vkmm_format format, vkmm_type type, uint64_t elements)
{
    const vkmm_format_info *block = vkmm_format_at(format);
    return block->bytes > 0 ? elements / block->elements * block->bytes : elements * vkmm_type_of(type)->bytes;
}

uint64_t vkmm_operand_span(const vkmm_problem *problem, vkmm_operand operand, uint64_t elements)
{
    return vkmm_span(vkmm_operand_format(problem, operand), vkmm_operand_type(problem, operand), elements);
}

uint64_t vkmm_operand_bytes(const vkmm_problem *problem, vkmm_operand operand)
{
    return problem ? vkmm_operand_span(problem, operand, vkmm_operand_elements(problem, operand)) : 0;
}

vkmm_view vkmm_operand_view(const vkmm_problem *problem, vkmm_operand operand, const void *data, uint64_t batch)
{
    vkmm_stored l = vkmm_operand_stored(problem, operand);
    vkmm_view view = {
        .data = data, .rows = vkmm_operand_rows(problem, operand), .cols = vkmm_operand_cols(problem, operand)};
    view.row_stride = l.are_rows ? l.ld : 1;
    view.col_stride = l.are_rows ? 1 : l.ld;
    view.type = vkmm_operand_type(problem, operand);
    if (data == NULL || view.rows == 0 || view.cols == 0) return view; /* the offset may be anything */
    uint64_t first = vkmm_operand_offset(problem, operand) + batch * vkmm_operand_stride(problem, operand);
    view.data = (const char *)data + first * operand_size(problem, operand);
    return view;
}

/* Numbers that are enumerators of their kind. */
static vkmm_status check_kinds(const vkmm_problem *problem)
{
    static const char types[] = "types are numbered 1 to 10", ops[] = "it is 0 (N) or 1 (T)",
                      formats[] = "they are numbered 0 to 16";
    _Static_assert(VKMM_TYPE_COUNT == 11 && VKMM_ACTIVATION_COUNT == 3 && VKMM_METHOD_COUNT == 5 &&
                       VKMM_FORMAT_COUNT == 17,
                   "what the sentences say");
    const struct {
        const char *kind, *of, *known;
        unsigned value, most;
    } kinds[] = {
        {"element type", "", types, problem->type, VKMM_TYPE_COUNT - 1},
        {"element type", "", types, problem->out_type, VKMM_TYPE_COUNT - 1},
        {"element type", "", types, problem->compute, VKMM_TYPE_COUNT - 1},
        {"layout", "", "it is 0 (row-major) or 1 (column-major)", problem->layout, VKMM_COL_MAJOR},
        {"op", " of matrix A", ops, problem->op_a, VKMM_OP_T},
        {"op", " of matrix B", ops, problem->op_b, VKMM_OP_T},
        {"activation", "", "they are numbered 0 to 2", problem->activation, VKMM_ACTIVATION_COUNT - 1},
        {"method", "", "they are numbered 0 to 4", problem->method, VKMM_METHOD_COUNT - 1},
        {"format", " of matrix A", formats, problem->format_a, VKMM_FORMAT_COUNT - 1},
        {"format", " of matrix B", formats, problem->format_b, VKMM_FORMAT_COUNT - 1},
    };
    VKMM_NEED_ZEROS(problem->reserved);
    for (size_t i = 0; i < VKMM_COUNT(kinds); i++)
        if (kinds[i].value > kinds[i].most)
            return vkmm_fail(VKMM_INVALID, "%s %d%s is unknown; %s", kinds[i].kind, (int)kinds[i].value, kinds[i].of,
                             kinds[i].known);
    return VKMM_OK;
}

static vkmm_status check_method(const vkmm_problem *problem)
{
    const vkmm_method_info *method = vkmm_method_at(problem->method);
    const vkmm_types types = vkmm_problem_types(problem);
    char legal[16] = "";
    if (method->types[0] == VKMM_AUTO) return VKMM_OK;
    for (size_t i = 0; i < VKMM_COUNT(method->types) && method->types[i] != VKMM_AUTO; i++) {
        if (types.in == method->types[i] && types.compute == vkmm_types_default(types.in).compute) return VKMM_OK;
        VKMM_JOIN(legal, " or ", "%s", vkmm_type_of(method->types[i])->name);
    }
    return vkmm_fail(VKMM_INVALID, "%s multiplies %s, with sums of the usual type; the types are %s", method->name,
                     legal, vkmm_types_name(types, 1));
}

static vkmm_status check_types(const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    char legal[160] = "";
    if (problem->type == VKMM_AUTO)
        return vkmm_fail(VKMM_INVALID, "the problem has no type; VKMM_PROBLEM makes it f32 unless another is given");
    if (problem->activation == VKMM_GELU && !vkmm_type_of(problem->type)->is_float)
        return vkmm_fail(VKMM_INVALID, "gelu is for floats; the type is %s", vkmm_type_of(problem->type)->name);
    if (vkmm_types_legal(types)) return check_method(problem);
    for (uint32_t i = 0; vkmm_types_at(i) != NULL; i++) {
        const vkmm_types *other = vkmm_types_at(i);
        if (other->in == types.in)
            VKMM_JOIN(legal, ", ", "%s summed in %s", vkmm_type_of(other->out)->name,
                      vkmm_type_of(other->compute)->name);
    }
    return vkmm_fail(VKMM_INVALID, "products of %s cannot be stored as %s and summed in %s; supported: %s",
                     vkmm_type_of(types.in)->name, vkmm_type_of(types.out)->name, vkmm_type_of(types.compute)->name,
                     legal);
}

static vkmm_status check_extents(const vkmm_problem *problem)
{
    const uint64_t extents[] = {problem->m, problem->n, problem->k, problem->batch_count};
    static const char *const names[] = {"M", "N", "K", "the batch count"};
    for (int i = 0; i < 4; i++)
        if (extents[i] > UINT32_MAX)
            return vkmm_fail(VKMM_INVALID, "%s is %llu; the largest is %u (2^32 - 1)", names[i],
                             (unsigned long long)extents[i], UINT32_MAX);
    return VKMM_OK;
}

static vkmm_status check_operand(const vkmm_problem *problem, vkmm_operand operand)
{
    const char *type = vkmm_type_of(vkmm_operand_type(problem, operand))->name;
    const vkmm_stored l = vkmm_operand_stored(problem, operand);
    uint64_t elements = 0, bytes = 0, size = operand_size(problem, operand);
    if (l.ld < l.length)
        return vkmm_fail(VKMM_INVALID, "the leading dimension of %c is %llu; its stored %ss have %llu elements",
                         "ABC"[operand], (unsigned long long)l.ld, problem->layout == VKMM_ROW_MAJOR ? "row" : "column",
                         (unsigned long long)l.length);
    if (elements_of(problem, operand, &elements) && vkmm_mul_u64(elements, size, &bytes) && bytes <= INT64_MAX)
        return VKMM_OK;
    uint64_t batches = vkmm_problem_batches(problem), offset = vkmm_operand_offset(problem, operand);
    unsigned long long rows = l.are_rows ? l.count : l.length, cols = l.are_rows ? l.length : l.count;
    if (l.ld == l.length && offset == 0 && batches == 1)
        return vkmm_fail(VKMM_INVALID, "matrix %c has %llu×%llu elements of type %s: its bytes do not fit in 63 bits",
                         "ABC"[operand], rows, cols, type);
    return vkmm_fail(VKMM_INVALID,
                     "matrix %c has %llu×%llu elements of type %s with leading dimension %llu, offset %llu, and %llu "
                     "in the batch with stride %llu: its bytes do not fit in 63 bits",
                     "ABC"[operand], rows, cols, type, (unsigned long long)l.ld, (unsigned long long)offset,
                     (unsigned long long)batches, (unsigned long long)vkmm_operand_stride(problem, operand));
}

/* Whole blocks of neighbours along K. */
static vkmm_status check_blocks(const vkmm_problem *p, vkmm_operand operand)
{
    const vkmm_format_info *block = vkmm_format_at(vkmm_operand_format(p, operand));
    const char *name = block->name;
    const vkmm_types types = vkmm_problem_types(p);
    const vkmm_stored l = vkmm_operand_stored(p, operand);
    const struct {
        const char *what;
        uint64_t value;
    } counts[] = {{"K", p->k},
                  {"the leading dimension", l.ld},
                  {"the offset", vkmm_operand_offset(p, operand)},
                  {"the stride", vkmm_operand_stride(p, operand)}};
    if (block->bytes == 0) return VKMM_OK;
    if (types.compute != VKMM_F32 || vkmm_type_of(types.in)->bytes < 2 || p->method != VKMM_COMPUTE_DIRECT)
        return vkmm_fail(VKMM_INVALID, "%c is in blocks of %s, which are multiplied as f32, f16 or bf16, summed in f32",
                         "AB"[operand], name);
    if (l.are_rows != (operand == VKMM_A))
        return vkmm_fail(VKMM_INVALID,
                         "%c is in blocks of %s along K, but its neighbours in memory are along %c: op_%c "
                         "must be %s in this layout",
                         "AB"[operand], name, "MN"[operand], "ab"[operand],
                         (operand == VKMM_A) == (p->layout == VKMM_ROW_MAJOR) ? "N" : "T");
    for (size_t i = 0; i < VKMM_COUNT(counts); i++)
        if (p->k > 0 && counts[i].value % block->elements != 0)
            return vkmm_fail(VKMM_INVALID, "%s of %c is %llu; a block of %s has %u elements", counts[i].what,
                             "AB"[operand], (unsigned long long)counts[i].value, name, block->elements);
    return VKMM_OK;
}

/* Two invocations must never write one element: the batch's matrices of C may not share any. */
static vkmm_status check_apart(const vkmm_problem *problem)
{
    vkmm_stored l = vkmm_operand_stored(problem, VKMM_C);
    uint64_t extent = 0;
    if (vkmm_problem_batches(problem) == 1 || !extent_of(&l, &extent) || problem->stride_c >= extent) return VKMM_OK;
    return vkmm_fail(
        VKMM_INVALID, "the stride of C is %llu; the %llu matrices of the batch overlap below %llu elements",
        (unsigned long long)problem->stride_c, (unsigned long long)problem->batch_count, (unsigned long long)extent);
}

int vkmm_scalar_is_legal(vkmm_type type, double value)
{
    return vkmm_type_of(type)->is_float || (value >= INT32_MIN && value <= UINT32_MAX && value == floor(value));
}

static vkmm_status check_scalar(vkmm_type type, const char *name, double value)
{
    if (vkmm_scalar_is_legal(type, value)) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s is %.17g; with type %s it must be a whole number from %d to %llu", name, value,
                     vkmm_type_of(type)->name, INT32_MIN, (unsigned long long)UINT32_MAX);
}

/* The bytes of all operands and the bias. */
static vkmm_status check_sum(const vkmm_problem *problem)
{
    uint64_t bytes[VKMM_BIAS + 1], total = 0;
    int fits = 1;
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
        bytes[o] = vkmm_operand_bytes(problem, (vkmm_operand)o);
        fits = fits && vkmm_add_u64(total, bytes[o], &total) && total <= INT64_MAX;
    }
    if (fits) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "the matrices have %llu, %llu and %llu bytes: their sum does not fit in 63 bits",
                     (unsigned long long)bytes[VKMM_A], (unsigned long long)bytes[VKMM_B],
                     (unsigned long long)bytes[VKMM_C]);
}

vkmm_status vkmm_problem_check(const vkmm_problem *problem)
{
    vkmm_status status = check_kinds(problem);
    if (status == VKMM_OK) status = check_types(problem);
    if (status == VKMM_OK) status = check_extents(problem);
    for (int o = VKMM_A; o <= VKMM_C && status == VKMM_OK; o++) status = check_operand(problem, (vkmm_operand)o);
    if (status == VKMM_OK) status = check_apart(problem);
    if (status == VKMM_OK) status = check_blocks(problem, VKMM_A);
    if (status == VKMM_OK) status = check_blocks(problem, VKMM_B);
    if (status == VKMM_OK) status = check_scalar(problem->type, "alpha", problem->alpha);
    if (status == VKMM_OK) status = check_scalar(problem->type, "beta", problem->beta);
    return status == VKMM_OK ? check_sum(problem) : status;
}

int vkmm_problem_c_has_gaps(const vkmm_problem *problem)
{
    return vkmm_operand_elements(problem, VKMM_C) > vkmm_problem_batches(problem) * problem->m * problem->n;
}

int vkmm_problem_is_plain(const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    if (vkmm_type_of(types.in)->bytes < 4 || types.in != types.out || types.in != types.compute) return 0;
    if (vkmm_problem_has_blocks(problem)) return 0;
    if (problem->has_bias || problem->activation != VKMM_ACTIVATION_NONE) return 0;
    if (problem->layout != VKMM_ROW_MAJOR || problem->op_a != VKMM_OP_N || problem->op_b != VKMM_OP_N) return 0;
    if (vkmm_problem_batches(problem) != 1 || vkmm_problem_alpha(problem) != 1.0 || vkmm_problem_beta(problem) != 0.0)
        return 0;
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        vkmm_stored l = vkmm_operand_stored(problem, (vkmm_operand)o);
        if (vkmm_operand_offset(problem, (vkmm_operand)o) != 0) return 0;
        if (l.count > 1 && l.length > 0 && l.ld != l.length) return 0; /* one line is packed whatever its ld */
    }
    return 1;
}

double vkmm_problem_flops(const vkmm_problem *problem)
{
    return 2.0 * (double)problem->m * (double)problem->n * (double)problem->k * (double)vkmm_problem_batches(problem);
}

/* type: vkmm_types_scale. */
static double in_force(vkmm_type type, double value)
{
    if (type == VKMM_F32) return (double)(float)value;
    if (type == VKMM_F64) return value;
    uint32_t bits = (uint32_t)(int64_t)value; /* whole, and small enough: checked */
    return type == VKMM_I32 ? (double)(int32_t)bits : (double)bits;
}

double vkmm_problem_alpha(const vkmm_problem *problem)
{
    return in_force(vkmm_types_scale(vkmm_problem_types(problem)), problem->alpha);
}

double vkmm_problem_beta(const vkmm_problem *problem)
{
    return in_force(vkmm_types_scale(vkmm_problem_types(problem)), problem->beta);
}

vkmm_problem vkmm_problem_row_major(const vkmm_problem *problem, int *swapped)
{
    const int swap = problem->layout == VKMM_COL_MAJOR;
    const vkmm_operand a = swap ? VKMM_B : VKMM_A, b = swap ? VKMM_A : VKMM_B;
    const vkmm_types types = vkmm_problem_types(problem);
    vkmm_problem p = *problem;
    p.layout = VKMM_ROW_MAJOR;
    p.out_type = types.out;
    p.compute = types.compute;
    p.alpha = vkmm_problem_alpha(problem);
    p.beta = vkmm_problem_beta(problem);
    p.m = swap ? problem->n : problem->m;
    p.n = swap ? problem->m : problem->n;
    p.k = p.alpha == 0.0 ? 0 : problem->k;
    if (p.k == 0) p.alpha = 0.0; /* an infinite one would make a NaN of the empty sum */
    p.op_a = swap ? problem->op_b : problem->op_a;
    p.op_b = swap ? problem->op_a : problem->op_b;
    p.format_a = vkmm_operand_format(problem, a);
    p.format_b = vkmm_operand_format(problem, b);
    p.lda = vkmm_operand_ld(problem, a);
    p.ldb = vkmm_operand_ld(problem, b);
    p.ldc = vkmm_operand_ld(problem, VKMM_C);
    p.offset_a = vkmm_operand_offset(problem, a);
    p.offset_b = vkmm_operand_offset(problem, b);
    p.batch_count = vkmm_problem_batches(problem);
    p.stride_a = vkmm_operand_stride(problem, a);
    p.stride_b = vkmm_operand_stride(problem, b);
    p.stride_c = vkmm_operand_stride(problem, VKMM_C);
    *swapped = swap;
    return p;
}
