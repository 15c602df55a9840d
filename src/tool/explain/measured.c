/* Measured times of kernels compared with the predictions from their counts, and why the two differ. */
#include "explain/explain.h"

#include <math.h>

#include "base/clean.h"
#include "math/type.h"
#include "product/product.h"

#define NEAR 1.2 /* times up to this multiple of the prediction agree with it */

static const cli_inputs inputs = {.init = VKMM_INIT_UNIFORM, .seed = 1};

vkmm_status cli_explain_time(cli_session *session, const vkmm_job_params *params, cli_explained *kernel)
{
    const cli_request request = {
        .job = *params,
        .inputs = &inputs,
        .kind = &cli_resident,
        .measure = {.warm_time_ms = 20, .min_time_ms = 20, .max_time_ms = 200, .skip_transfers = 1}};
    cli_product product = {0};
    const vkmm_status status = cli_product_run(session, &request, &product);

    kernel->measured_ms = product.row.figures.median_ms;
    if (status != VKMM_OK || product.kernel == NULL) kernel->measured_ms = NAN;
    cli_product_end(&product);
    return status;
}

/* Elements read per multiply-add, from global and shared memory. */
static double reads(const cli_explanation *all, const cli_explained *kernel)
{
    const vkmm_problem *p = &all->problem;
    const double shared = (double)kernel->a.shared.counted * (double)p->m * (double)p->k +
                          (double)kernel->b.shared.counted * (double)p->k * (double)p->n;

    return ((double)kernel->bytes_read.counted / vkmm_type_of(p->type)->bytes + shared) /
           (double)kernel->multiply_adds.counted;
}

/* Compares two kernels, which may be the same: the fastest predicted one and the fastest measured one. */
static void compare(cli_explanation *all, const cli_explained *foreseen, const cli_explained *fastest)
{
    char *why = all->why;
    const size_t room = sizeof all->why;
    const double over = foreseen->measured_ms / foreseen->predicted_ms;

    if (over > NEAR)
        vkmm_join(why, room, "; ",
                  "%s takes %.*f times as long as its bytes and its multiply-adds need: it is bound by neither",
                  foreseen->info.name, over < 10, over);
    if (foreseen != fastest)
        vkmm_join(why, room, "; ",
                  "%s is %.3g times as fast: from both memories together, %s reads %.3g elements per multiply-add, and "
                  "%s %.3g",
                  fastest->info.name, foreseen->measured_ms / fastest->measured_ms, foreseen->info.name,
                  reads(all, foreseen), fastest->info.name, reads(all, fastest));
    if (foreseen != fastest && all->device->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        vkmm_join(why, room, "; ", "this device is a processor, whose shared memory is ordinary memory");
    if (fastest->measured_ms * NEAR < fastest->memory_ms)
        vkmm_join(why, room, "; ", "%s takes less than its bytes at copy speed: caches serve at least %.0f %% of them",
                  fastest->info.name, 100 * (1 - fastest->measured_ms / fastest->memory_ms));
    if (why[0] == '\0') vkmm_join(why, room, "", "as predicted, within %.0f %%", 100 * (NEAR - 1));
}

void cli_explain_why(cli_explanation *all)
{
    const cli_explained *foreseen = NULL, *fastest = NULL;

    for (uint32_t i = 0; i < all->count; i++) {
        const cli_explained *kernel = &all->kernels[i];
        if (!(kernel->measured_ms > 0)) continue;
        if (foreseen == NULL || kernel->predicted_ms < foreseen->predicted_ms) foreseen = kernel;
        if (fastest == NULL || kernel->measured_ms < fastest->measured_ms) fastest = kernel;
    }
    if (foreseen == NULL) return;
    if (all->agree)
        compare(all, foreseen, fastest);
    else
        VKMM_JOIN(all->why, "", "formula and count differ, so the prediction is not valid");
}
