#include "cli/inputs.h"

#include "base/log.h"
#include "base/random.h"
#include "math/problem.h"
#include "math/type.h"

static vkmm_status check_pair(const vkmm_log *log, const cli_options *options, const cli_inputs *inputs)
{
    const vkmm_view *a = &inputs->a.view, *b = &inputs->b.view;

    if (a->type != b->type)
        return vkmm_fail(log, VKMM_INVALID, "%s holds %s and %s holds %s: both must have one type", options->a, vkmm_type_of(a->type)->name,
                         options->b, vkmm_type_of(b->type)->name);
    for (uint32_t i = 0; i < options->types.count; i++) {
        if (options->types.type[i] != a->type)
            return vkmm_fail(log, VKMM_INVALID, "the files hold %s, not %s as --type says", vkmm_type_of(a->type)->name,
                             vkmm_type_of(options->types.type[i])->name);
    }
    if (a->cols != b->rows)
        return vkmm_fail(log, VKMM_INVALID, "cannot multiply %s (%llux%llu) by %s (%llux%llu): A must have as many columns as B has rows",
                         options->a, (unsigned long long)a->rows, (unsigned long long)a->cols, options->b, (unsigned long long)b->rows,
                         (unsigned long long)b->cols);
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
    if (status == VKMM_OK) status = check_pair(log, options, inputs);
    return status;
}

void cli_inputs_close(cli_inputs *inputs)
{
    vkmm_npy_close(&inputs->a);
    vkmm_npy_close(&inputs->b);
}

vkmm_problem cli_inputs_problem(const cli_inputs *inputs)
{
    return (vkmm_problem){inputs->a.view.rows, inputs->b.view.cols, inputs->a.view.cols, inputs->a.view.type};
}

void cli_inputs_fill(const cli_inputs *inputs, const vkmm_problem *problem, vkmm_job *job, vkmm_view *a, vkmm_view *b)
{
    void *packed_a = vkmm_job_matrix(job, VKMM_A), *packed_b = vkmm_job_matrix(job, VKMM_B);

    if (inputs->from_files) {
        vkmm_view_pack(&inputs->a.view, packed_a);
        vkmm_view_pack(&inputs->b.view, packed_b);
        *a = inputs->a.view;
        *b = inputs->b.view;
        return;
    }
    vkmm_fill(packed_a, problem->m, problem->k, problem->type, inputs->init, cli_seed_of(inputs->seed, CLI_SEED_A));
    vkmm_fill(packed_b, problem->k, problem->n, problem->type, inputs->init, cli_seed_of(inputs->seed, CLI_SEED_B));
    *a = vkmm_view_rows(packed_a, problem->m, problem->k, problem->type);
    *b = vkmm_view_rows(packed_b, problem->k, problem->n, problem->type);
}

const char *cli_inputs_name(const cli_inputs *inputs)
{
    return inputs->from_files ? "file" : vkmm_init_name(inputs->init);
}

uint64_t cli_seed_of(uint64_t seed, unsigned purpose)
{
    return vkmm_random_bits(seed, purpose);
}
