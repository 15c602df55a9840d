/* The problems of general_edges and general_random. */
#include "base/limits.h"
#include "base/random.h"
#include "general.h"
#include "math/problem.h"
#include "math/type.h"

static const uint64_t extents[] = {0, 1, 2, 3, 5, 9, 15, 16, 17, 31, 32, 33, 37, 63, 64, 65, 101, 127, 128, 129};
enum { EXTENTS = sizeof extents / sizeof extents[0] };

/* α and β; with β = 0, C holds NaN. */
static const double scalars[][2] = {{1, 0}, {-3, 0}, {2, -1}, {0, 3}, {1, 1}};

/* The length of a stored row of an operand (of a column, where the layout is column-major), and how many there are. */
static void stored(const vkmm_problem *problem, vkmm_operand operand, uint64_t *length, uint64_t *count)
{
    vkmm_op op = operand == VKMM_A ? problem->op_a : operand == VKMM_B ? problem->op_b : VKMM_OP_N;
    uint64_t rows = vkmm_operand_rows(problem, operand), cols = vkmm_operand_cols(problem, operand);
    int along_cols = (problem->layout == VKMM_ROW_MAJOR) == (op == VKMM_OP_N);
    *length = along_cols ? cols : rows;
    *count = along_cols ? rows : cols;
}

static void place(vkmm_problem *problem, vkmm_operand operand, general_padding padding, uint64_t extra, uint64_t *ld,
                  uint64_t *offset, uint64_t *stride)
{
    const uint64_t vector = 16 / vkmm_type_of(vkmm_operand_type(problem, operand))->bytes;
    uint64_t length, count;
    stored(problem, operand, &length, &count);
    *ld = padding == GENERAL_ALIGNED ? vkmm_round_up(length + 1, vector) + extra % 2 * vector
                                     : length + (length % 2 ? 2 : 1) + extra % 2 * 2;
    *offset = padding == GENERAL_ALIGNED ? extra % 3 * vector : extra % 3;
    *stride = count * *ld + (padding == GENERAL_ALIGNED ? vector : 1);
    /* Packed, so that rows and matrices of 16 bits share words. */
    if (operand == VKMM_C && padding == GENERAL_UNEVEN && vector == 8 && extra % 2 == 0)
        *ld = length, *stride = count * length;
}

static void place_all(vkmm_problem *problem, general_padding padding, uint64_t extra)
{
    place(problem, VKMM_A, padding, extra, &problem->lda, &problem->offset_a, &problem->stride_a);
    place(problem, VKMM_B, padding, extra / 2, &problem->ldb, &problem->offset_b, &problem->stride_b);
    place(problem, VKMM_C, padding, extra / 3, &problem->ldc, &problem->offset_c, &problem->stride_c);
    if (problem->batch_count <= 1) return;
    if (extra % 4 == 1) problem->stride_a = 0;
    if (extra % 4 == 2) problem->stride_b = 0;
}

static void scale(vkmm_problem *problem, size_t which)
{
    const size_t count = sizeof scalars / sizeof scalars[0];
    const vkmm_type type = vkmm_types_scale(vkmm_problem_types(problem));
    const double fraction = vkmm_type_of(type)->is_float ? 0.75 : 1;
    problem->alpha = which % count == 0 ? 1 : scalars[which % count][0] * fraction;
    problem->beta = which % count == 0 ? 0 : scalars[which % count][1] * fraction;
    if (type == VKMM_U32 && problem->alpha < 0) problem->alpha = 4294967293.0;
    if (type == VKMM_U32 && problem->beta < 0) problem->beta = 4294967295.0;
}

static void set_types(vkmm_problem *problem, vkmm_types types)
{
    problem->type = types.in;
    problem->out_type = types.out;
    problem->compute = types.compute;
}

int general_wrong(general_run *run, const vkmm_problem *problem, uint64_t seed)
{
    char why[512] = "", text[256];
    if (general_product(run, problem, seed, why)) return 0;
    general_text(problem, text);
    printf("# %s %s, %s: %s\n", run->kernel ? run->kernel : "planned", run->config ? run->config : "", text, why);
    return 1;
}

int general_edges(general_run *run, vkmm_op op_a, vkmm_op op_b, general_padding padding, uint64_t seed, uint64_t step,
                  int loud, int stop)
{
    int wrong = 0;
    for (uint64_t i = seed % step; i < EXTENTS; i += step) {
        /* Each extent meets every edge once. */
        vkmm_problem problem = VKMM_PROBLEM(.m = extents[i], .n = extents[(7 * i + seed) % EXTENTS],
                                            .k = extents[(11 * i + 3 * seed + 1) % EXTENTS], .op_a = op_a, .op_b = op_b,
                                            .has_bias = run->has_bias, .activation = run->activation);
        char why[512];
        set_types(&problem, run->types);
        if (run->narrow) problem.n = run->narrow;
        if (i % 3 == 1) { /* column-major: the same shader, seen the other way round */
            problem.layout = VKMM_COL_MAJOR;
            problem.op_a = op_b;
            problem.op_b = op_a;
        }
        problem.batch_count = i % 4 == 2 ? 3 : 0;
        place_all(&problem, padding, i + seed);
        scale(&problem, i + seed);
        run->max_groups = i % 5 == 3 ? 2 : 0;
        run->slice = i % 5 == 4 ? 3 : 0;
        wrong += loud ? general_wrong(run, &problem, 40 + i) : !general_product(run, &problem, 40 + i, why);
        if (wrong > 0 && stop) break;
    }
    return wrong;
}

/* The next of a stream of random numbers below `below`. */
static uint64_t draw(uint64_t stream[2], uint64_t below)
{
    return vkmm_random_bits(stream[0], stream[1]++) % below;
}

static uint64_t draw_extent(uint64_t stream[2])
{
    return 1 + draw(stream, draw(stream, 4) == 0 ? 8 : 140);
}

vkmm_problem general_random(vkmm_types types, uint64_t seed)
{
    uint64_t s[2] = {seed, 0};
    vkmm_problem problem = VKMM_PROBLEM();
    set_types(&problem, types);
    problem.m = draw_extent(s);
    problem.n = draw_extent(s);
    problem.k = draw(s, draw(s, 8) == 0 ? 1500 : 200);
    problem.layout = draw(s, 2) ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
    problem.op_a = draw(s, 2) ? VKMM_OP_T : VKMM_OP_N;
    problem.op_b = draw(s, 2) ? VKMM_OP_T : VKMM_OP_N;
    problem.batch_count = draw(s, 3) ? 0 : 1 + draw(s, 4);
    if (draw(s, 3))
        place_all(&problem, draw(s, 2) ? GENERAL_ALIGNED : GENERAL_UNEVEN, draw(s, 12));
    else
        problem.batch_count = 0; /* packed */
    scale(&problem, (size_t)draw(s, 5));
    problem.has_bias = draw(s, 3) == 0;
    problem.activation = draw(s, 3)                                       ? VKMM_ACTIVATION_NONE
                         : vkmm_type_of(types.in)->is_float && draw(s, 2) ? VKMM_GELU
                                                                          : VKMM_RELU;
    return problem;
}

void general_text(const vkmm_problem *p, char text[256])
{
    snprintf(text, 256,
             "%s/%s/%s %c%c %s %llux%llux%llu ld %llu,%llu,%llu offset %llu,%llu,%llu batch %llu stride %llu,%llu,%llu "
             "alpha %g beta %g bias %d act %d",
             vkmm_type_of(p->type)->name, vkmm_type_of(vkmm_operand_type(p, VKMM_C))->name,
             vkmm_type_of(vkmm_problem_compute(p))->name, "NT"[p->op_a], "NT"[p->op_b], p -> layout ? "col" : "row",
             (unsigned long long)p->m, (unsigned long long)p->n, (unsigned long long)p->k, (unsigned long long)p->lda,
             (unsigned long long)p->ldb, (unsigned long long)p->ldc, (unsigned long long)p->offset_a,
             (unsigned long long)p->offset_b, (unsigned long long)p->offset_c, (unsigned long long)p->batch_count,
             (unsigned long long)p->stride_a, (unsigned long long)p->stride_b, (unsigned long long)p->stride_c,
             vkmm_problem_alpha(p), vkmm_problem_beta(p), p->has_bias, (int)p->activation);
}
