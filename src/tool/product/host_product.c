/* The host's BLAS as another way to compute a product. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/order.h"
#include "math/problem.h"
#include "product/product.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SAMPLES = 200 };

typedef struct host {
    vkmm_kernel_info kernel; /* only its name */
    double samples[MOST_SAMPLES], sorted[MOST_SAMPLES];
} host;

static vkmm_status plan(cli_product *p)
{
    const vkmm_log *log = p->session->log;
    host *h = p->own = vkmm_alloc(1, sizeof *h);
    if (h == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("for a product"));
    VKMM_PUT(h->kernel.name, "%.31s", vkmm_blas_name(p->request->blas));
    p->kernel = &h->kernel;
    if (vkmm_problem_has_blocks(&p->request->job.problem))
        return VKMM_FAIL(log, VKMM_UNSUPPORTED, "a BLAS multiplies no matrices in blocks");
    return vkmm_tell(log, vkmm_problem_check(&p->request->job.problem));
}

static vkmm_status hold(cli_product *p, int operand, uint64_t bytes)
{
    p->memory[operand] = vkmm_alloc(1, bytes);
    if (p->memory[operand] != NULL) return VKMM_OK;
    return vkmm_tell(p->session->log,
                     VKMM_NO_MEMORY("for %s: %llu bytes",
                                    operand == CLI_BEFORE ? "a copy of C" : vkmm_operand_name((vkmm_operand)operand),
                                    (unsigned long long)bytes));
}

static vkmm_status multiply(cli_product *p, double *ms)
{
    const double start = vkmm_now_ms();
    const vkmm_status status =
        vkmm_tell(p->session->log, vkmm_blas_multiply(p->request->blas, &p->request->job.problem, p->memory[VKMM_A],
                                                      p->memory[VKMM_B], p->memory[VKMM_C]));
    *ms = vkmm_now_ms() - start;
    return status;
}

static vkmm_status measure(cli_product *p, const vkmm_measure_params *params, vkmm_measurement *time)
{
    const double start = vkmm_now_ms();
    host *h = p->own;
    uint32_t count = 0;
    vkmm_status status = VKMM_OK;
    while (status == VKMM_OK && vkmm_now_ms() - start < params->warm_time_ms) status = multiply(p, &h->samples[0]);
    for (; status == VKMM_OK && count < params->iters && count < MOST_SAMPLES; count++)
        status = multiply(p, &h->samples[count]);
    memcpy(h->sorted, h->samples, sizeof h->samples);
    vkmm_sort(h->sorted, count);
    *time = (vkmm_measurement){
        .kernel = {.samples = h->samples, .count = count, .median = vkmm_percentile(h->sorted, count, 0.5)},
        .clock = VKMM_CLOCK_HOST,
        .clock_note = "",
        .mapped = 1};
    return status;
}

static void end(cli_product *p)
{
    for (int o = VKMM_A; o < CLI_STACKS; o++) vkmm_free(p->memory[o]);
    vkmm_free(p->own);
}

/* A library with threads may sum in another order the next time: that is not an error. */
const cli_product_kind cli_host_product = {plan, hold, multiply, measure, NULL, NULL, NULL, end, 1, 0};
