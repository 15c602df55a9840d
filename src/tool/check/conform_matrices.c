/* Matrix operations of every shape that the device lists, fragment by fragment: loads and stores in both layouts,
 * products, changes of single elements, conversions; and reductions. All numbers are small integers, so results are
 * exact. */
#include "check/conform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "look/matrix_peak.h"
#include "math/type.h"

enum { LAYOUTS = 4, SEED = 40, REDUCTION_SEED = 41 };
enum { OF_A, OF_B, OF_C, PRODUCT, ELEMENTS, CONVERSION, OPERATIONS };

static const char *const operations[OPERATIONS] = {"A", "B", "C", "A*B + C", "C[i] + 1", "f32(C)"};

/* An index is a shape, an operation, a layout of loads and one of stores. */
static const vkmm_matrix_shape *shape_of(const vkmm_device_info *info, uint32_t index)
{
    return &info->matrices.shapes[index / (LAYOUTS * OPERATIONS)];
}

static int has_types(const vkmm_device_info *info, const vkmm_matrix_types *types)
{
    if (types->operand == VKMM_BF16) return info->features.bf16_matrices;
    return types->operand == VKMM_F16 ? info->features.f16 : info->features.i8;
}

static void module_of(const vkmm_matrix_shape *s, char name[64])
{
    char a[32], c[32];
    snprintf(name, 64, "check-matrix-%s-%s", vkmm_component_name(s->a, a), vkmm_component_name(s->c, c));
}

/* What this build's shader compiler could not compile, the device cannot get wrong: no kernel of this build uses it. */
static int find(const cli_session *session, uint32_t index, cli_case *found)
{
    const vkmm_matrix_shape *s = shape_of(session->info, index);
    char a[32], c[32], module[64];
    if (index >= session->info->matrices.shape_count * LAYOUTS * OPERATIONS) return CLI_NO_CASE;
    const vkmm_matrix_types *types = vkmm_matrix_types_of(s);
    if (types == NULL || !has_types(session->info, types)) return 0;
    module_of(s, module);
    if (!vkmm_probe_exists(module)) return 0;
    vkmm_finding_of_shape(s, found->finding);
    VKMM_PUT(found->name, "%ux%ux%u %s into %s: %s, loaded by %s, stored by %s", s->m, s->n, s->k,
             vkmm_component_name(s->a, a), vkmm_component_name(s->c, c), operations[index / LAYOUTS % OPERATIONS],
             index & 1 ? "columns" : "rows", index & 2 ? "columns" : "rows");
    return s->m * vkmm_type_of(types->operand)->bytes % 4 == 0 && s->m * vkmm_type_of(types->sum)->bytes % 4 == 0;
}

/* Element (i, j) of A, B or C. Those of A and B differ from their neighbours, and sums of K products stay exact. */
static int32_t element(int matrix, uint32_t i, uint32_t j)
{
    const int32_t value = (int32_t)(vkmm_random_bits(SEED + (uint64_t)matrix, ((uint64_t)i << 16) + j) % 4);
    return matrix == OF_C ? 4 * value + 3 : value;
}

static uint32_t place(int by_columns, uint32_t rows, uint32_t cols, uint32_t i, uint32_t j)
{
    return by_columns ? j * rows + i : i * cols + j;
}

static void make(cli_trial *trial, uint32_t index)
{
    const vkmm_matrix_shape *s = shape_of(trial->info, index);
    const vkmm_matrix_types *types = vkmm_matrix_types_of(s);
    const uint32_t rows[] = {s->m, s->k, s->m}, cols[] = {s->k, s->n, s->n};
    const uint32_t constants[] = {trial->info->subgroup.size,   s->m,      s->n,          s->k,
                                  index / LAYOUTS % OPERATIONS, index & 1, index >> 1 & 1};
    static const char *const names[] = {
        [VKMM_F32] = "float", [VKMM_I32] = "int",    [VKMM_U32] = "uint",       [VKMM_F16] = "float16_t",
        [VKMM_I8] = "int8_t", [VKMM_U8] = "uint8_t", [VKMM_BF16] = "bfloat16_t"};
    char *at = (char *)trial->in;
    memcpy(trial->probe.constants, constants, sizeof constants);
    trial->probe.constant_count = VKMM_COUNT(constants);
    VKMM_PUT(trial->defines, "%s#define TA %s\n#define BYTES_A %u\n#define TC %s\n#define BYTES_C %u\n",
             types->operand == VKMM_BF16 ? "#define BF16\n" : "", names[types->operand],
             vkmm_type_of(types->operand)->bytes, names[types->sum], vkmm_type_of(types->sum)->bytes);
    trial->probe.groups[0] = trial->probe.groups[1] = trial->probe.groups[2] = 1;
    for (int matrix = OF_A; matrix <= OF_C; matrix++) {
        const vkmm_type type = matrix == OF_C ? types->sum : types->operand;
        const uint32_t bytes = vkmm_type_of(type)->bytes;
        for (uint32_t i = 0; i < rows[matrix]; i++)
            for (uint32_t j = 0; j < cols[matrix]; j++)
                vkmm_type_put(type, at + bytes * place((int)(index & 1), rows[matrix], cols[matrix], i, j),
                              element(matrix, i, j));
        at += bytes * rows[matrix] * cols[matrix];
    }
    trial->probe.in_words = (uint32_t)(at - (char *)trial->in) / 4;
    const uint32_t most = s->m > s->k ? s->m : s->k;
    trial->probe.out_words = most * (s->n > s->k ? s->n : s->k);
    trial->probe.fill = 0xcdcdcdcd;
}

static double wanted(const vkmm_matrix_shape *s, uint32_t operation, uint32_t i, uint32_t j)
{
    double sum = element(operation <= OF_C ? (int)operation : OF_C, i, j);
    for (uint32_t k = 0; operation == PRODUCT && k < s->k; k++) sum += element(OF_A, i, k) * element(OF_B, k, j);
    return operation == ELEMENTS ? sum + 1 : sum;
}

static int judge(cli_trial *trial, uint32_t index)
{
    const vkmm_matrix_shape *s = shape_of(trial->info, index);
    const vkmm_matrix_types *types = vkmm_matrix_types_of(s);
    const uint32_t operation = index / LAYOUTS % OPERATIONS;
    const uint32_t rows = operation == OF_B ? s->k : s->m, cols = operation == OF_A ? s->k : s->n;
    const vkmm_type type = operation <= OF_B ? types->operand : operation == CONVERSION ? VKMM_F32 : types->sum;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < cols; j++) {
            const uint32_t at = vkmm_type_of(type)->bytes * place((int)(index >> 1 & 1), rows, cols, i, j);
            const double got = vkmm_type_get(type, (const char *)trial->probe.out + at),
                         want = wanted(s, operation, i, j);
            if (got != want) return cli_trial_wrong(trial, "element (%u, %u) is %g, should be %g", i, j, got, want);
        }
    return 1;
}

static vkmm_status run(cli_session *session, uint32_t index, cli_case *result)
{
    const vkmm_matrix_shape *s = shape_of(session->info, index);
    char name[64];
    const cli_trial_kind kind = {.module = name, .make = make, .judge = judge};
    module_of(s, name);
    return cli_trial_run(session, &kind, index, result);
}

const cli_case_part cli_matrices_part = {"matrices", find, run, NULL, 0};

/* ---- reductions (VK_NV_cooperative_matrix2): 16×16 numbers of f32, owned by a subgroup ---- */

enum { SIDE = 16, SUBGROUP_SCOPE = 3 /* VK_SCOPE_SUBGROUP_KHR, which older headers lack */ };
enum { ROW_SUM, ROW_MOST, COLUMN_SUM, COLUMN_MOST, SUM, MOST, COPY };

/* Whether the device has such matrices; their dimensions may be any multiples of a granule's. */
static int has_reductions(const void *device)
{
    const vkmm_device_info *info = device;
    const uint32_t wanted = VKMM_MATRIX2_REDUCTION | VKMM_MATRIX2_FLEXIBLE;
    for (uint32_t i = 0; i < info->matrices.granule_count; i++) {
        const vkmm_matrix_shape *of = &info->matrices.granules[i].of;
        if (of->scope == SUBGROUP_SCOPE && of->c == vkmm_component_of(VKMM_F32) && SIDE % of->m == 0 &&
            SIDE % of->n == 0)
            return (info->matrices.matrix2 & wanted) == wanted;
    }
    return 0;
}

static float wanted_reduction(const float *in, uint32_t operation, uint32_t row, uint32_t col)
{
    float sum = 0, most = -INFINITY;
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++) {
            if ((operation <= ROW_MOST && i != row) || (operation / 2 == COLUMN_SUM / 2 && j != col)) continue;
            sum += in[i * SIDE + j];
            if (in[i * SIDE + j] > most) most = in[i * SIDE + j];
        }
    if (operation == COPY) return in[row * SIDE + col];
    return operation % 2 == ROW_SUM ? sum : most;
}

/* Small integers of both signs, whose sums are exact. */
static void make_reduction(cli_trial *trial, uint32_t operation)
{
    float *in = (float *)(void *)trial->in, *want = (float *)(void *)trial->want;
    cli_trial_spread(trial, trial->info->subgroup.size, trial->info->subgroup.size, operation);
    trial->probe.in_words = trial->probe.out_words = trial->count = SIDE * SIDE;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) in[i] = (float)(vkmm_random_bits(REDUCTION_SEED, i) % 201) - 100;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) want[i] = wanted_reduction(in, operation, i / SIDE, i % SIDE);
}

static const cli_trial_kind reductions[] = {
    {"sums of rows", has_reductions, "check_reduce", ROW_SUM, make_reduction, NULL},
    {"maxima of rows", has_reductions, "check_reduce", ROW_MOST, make_reduction, NULL},
    {"sums of columns", has_reductions, "check_reduce", COLUMN_SUM, make_reduction, NULL},
    {"maxima of columns", has_reductions, "check_reduce", COLUMN_MOST, make_reduction, NULL},
    {"sum of all", has_reductions, "check_reduce", SUM, make_reduction, NULL},
    {"maximum of all", has_reductions, "check_reduce", MOST, make_reduction, NULL},
    {"loads and stores", has_reductions, "check_reduce", COPY, make_reduction, NULL},
};

const cli_case_part cli_reductions_part = {"reductions", CLI_TRIALS(reductions)};
