/* Reductions of matrices (VK_NV_cooperative_matrix2): 16×16 numbers of f32, owned by a subgroup. */
#include "check/conform_trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "math/component.h"

enum { SIDE = 16, SEED = 41, SUBGROUP_SCOPE = 3 /* VK_SCOPE_SUBGROUP_KHR, which older headers lack */ };
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

/* Small integers of both signs, whose sums are exact. */
static void make(cli_trial *trial, uint32_t operation)
{
    float *in = (float *)(void *)trial->in;

    cli_trial_spread(trial, trial->info->subgroup.size, trial->info->subgroup.size, operation);
    trial->probe.in_words = trial->probe.out_words = SIDE * SIDE;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) in[i] = (float)(vkmm_random_bits(SEED, i) % 201) - 100;
}

static float wanted(const float *in, uint32_t operation, uint32_t row, uint32_t col)
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

static int judge(cli_trial *trial, uint32_t operation)
{
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const float want = wanted((const float *)(const void *)trial->in, operation, i / SIDE, i % SIDE);
        float got;
        memcpy(&got, &trial->probe.out[i], sizeof got);
        if (got == want) continue;
        trial->count = SIDE * SIDE;
        return cli_trial_wrong(trial, "element (%u, %u) is %g, should be %g", i / SIDE, i % SIDE, (double)got,
                               (double)want);
    }
    return 1;
}

static const cli_trial_kind kinds[] = {
    {"sums of rows", has_reductions, "check_reduce", ROW_SUM, make, judge},
    {"maxima of rows", has_reductions, "check_reduce", ROW_MOST, make, judge},
    {"sums of columns", has_reductions, "check_reduce", COLUMN_SUM, make, judge},
    {"maxima of columns", has_reductions, "check_reduce", COLUMN_MOST, make, judge},
    {"sum of all", has_reductions, "check_reduce", SUM, make, judge},
    {"maximum of all", has_reductions, "check_reduce", MOST, make, judge},
    {"loads and stores", has_reductions, "check_reduce", COPY, make, judge},
};

const cli_case_part cli_reductions_part = {"reductions", CLI_TRIALS(kinds)};
