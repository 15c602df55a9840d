/* The passes of a product that is not multiplied directly: predicted times at the device's peaks, and times measured
 * in a verified product. Prediction: bytes at the speed of a copy, multiply-adds at the peak of the inner product; each
 * matrix is moved once, as if caches were large. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "explain/explain.h"
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "product/product.h"
#include "session/forecast.h"

enum {
    ENOUGH_MS = 200,   /* time spent on measured runs */
    LONGEST_MS = 1000, /* longest predicted run that is measured */
    MOST_STEPS = 16
};

static vkmm_status measure_peaks(cli_session *session, const vkmm_problem *problem, vkmm_types types,
                                 cli_explained *plan)
{
    const int has_peak =
        !vkmm_type_is_narrow(problem->type) && (problem->type != VKMM_F64 || session->info->features.f64);
    const vkmm_type own = has_peak ? problem->type : VKMM_F32, inner = plan->info.uses_dot8 ? types.in : types.compute;
    vkmm_status status = cli_peaks(session, own);
    if (status == VKMM_OK)
        status = plan->info.uses_matrices ? cli_matrix_peak(session, types, plan->info.matrix, &plan->inner_per_s)
                                          : cli_peaks(session, inner);
    if (!plan->info.uses_matrices) plan->inner_per_s = session->peaks[inner].multiply_adds_per_s;
    plan->copy_bytes_per_s = session->peaks[own].copy_bytes_per_s;
    plan->direct_per_s = has_peak ? session->peaks[own].multiply_adds_per_s : NAN;
    return status;
}

static double longer_ms(const cli_explained *plan, double bytes, double multiply_adds, double per_s)
{
    const double moving = bytes / plan->copy_bytes_per_s, multiplying = multiply_adds / per_s;
    return 1e3 * (moving > multiplying ? moving : multiplying); /* NAN if the speed is */
}

static void add(cli_explained *plan, const char *name, double read, double written, double multiply_adds)
{
    const double ms = longer_ms(plan, read + written, multiply_adds, plan->inner_per_s);
    plan->passes[plan->pass_count++] =
        (cli_explained_pass){name, (uint64_t)read, (uint64_t)written, (uint64_t)multiply_adds, ms, 0, NAN, NAN};
    plan->predicted_ms += ms;
}

/* Keeps the times of the fastest run. Steps without a pass of their own count as the product:
 * the sum of parts of K, and what takes its place. */
static void keep_times(const vkmm_step_info *steps, uint32_t count, cli_explained *plan)
{
    double all = 0, times[CLI_MOST_PASSES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pass = 0, product = 0;
        while (strcmp(plan->passes[product].name, "product") != 0) product++;
        while (pass < plan->pass_count && strcmp(plan->passes[pass].name, steps[i].name) != 0) pass++;
        times[pass < plan->pass_count ? pass : product] += steps[i].ms;
        all += steps[i].ms;
    }
    if (all >= plan->measured_ms) return; /* false at first: NAN */
    plan->measured_ms = all;
    for (uint32_t i = 0; i < plan->pass_count; i++) {
        plan->passes[i].measured_ms = times[i];
        plan->passes[i].measured_share = times[i] / all;
    }
}

static vkmm_status time_runs(const cli_product *product, cli_explained *plan)
{
    vkmm_status status = VKMM_OK;
    const vkmm_problem *p = &product->request->job.problem;
    const char *why = !cli_product_is_work(p)                    ? "the product is empty"
                      : product->row.problem.method != p->method ? "its operands do not suit the method"
                                                                 : "";
    const double start = vkmm_now_ms();
    for (int more = 1; more && status == VKMM_OK && *why == '\0'; more = vkmm_now_ms() - start < ENOUGH_MS) {
        vkmm_step_info steps[MOST_STEPS];
        uint32_t count = MOST_STEPS;
        status = vkmm_job_time_steps(product->job, steps, &count, &why);
        if (status == VKMM_OK && *why == '\0') keep_times(steps, count, plan);
    }
    VKMM_PUT(plan->not_measured, "%s", why);
    return status;
}

/* Measures products that are predicted to be short. */
static vkmm_status measure(cli_session *session, const vkmm_job_params *params, cli_explained *plan)
{
    const cli_inputs inputs = {.init = VKMM_INIT_UNIFORM, .seed = 1};
    const cli_request request = {.job = *params, .inputs = &inputs, .kind = &cli_resident};
    cli_product product = {0};
    vkmm_status status;
    plan->measured_ms = NAN;
    if (plan->predicted_ms > LONGEST_MS) {
        VKMM_PUT(plan->not_measured, "a product takes more than %d ms at the peaks", LONGEST_MS);
        return VKMM_OK;
    }
    status = cli_product_prove(session, &request, &product);
    if (status == VKMM_OUT_OF_MEMORY) {
        VKMM_CLEAN(plan->not_measured, session->console.last_error);
        return VKMM_OK;
    }
    if (status == VKMM_OK)
        status = time_runs(&product, plan);
    else
        vkmm_say(session->log, VKMM_LOG_ERROR, "%s", session->console.last_error); /* not shown yet */
    cli_product_end(&product);
    return status;
}

vkmm_status cli_explain_passes(cli_session *session, const vkmm_job_params *params, cli_explained *plan)
{
    const vkmm_problem *p = &params->problem;
    const vkmm_method_info *method = vkmm_method_at(p->method);
    const vkmm_types types = vkmm_problem_inner(p, &plan->info, &plan->products);
    const double batches = (double)vkmm_problem_batches(p), m = (double)p->m, n = (double)p->n, k = (double)p->k,
                 size = vkmm_type_of(p->type)->bytes, a_b = size * batches * (m + n) * k, c = size * batches * m * n,
                 c_read = vkmm_problem_beta(p) != 0 ? c : 0, multiply_adds = vkmm_problem_flops(p) / 2;
    const double parts = (double)plan->info.packed_bytes,
                 sums = (double)plan->info.sum_bytes * plan->products * batches * m * 4 * ceil(n / 4);
    vkmm_status status = measure_peaks(session, p, types, plan);
    if (status != VKMM_OK) return status;
    if (method->looks) add(plan, method->looks, a_b, 0, 0);
    add(plan, method->packs, a_b, parts, 0);
    if (method->finishes) {
        add(plan, "product", parts, sums, plan->products * multiply_adds);
        add(plan, method->finishes, sums + c_read, c, 0);
    } else {
        add(plan, "product", parts + c_read, c, plan->products * multiply_adds);
    }
    for (uint32_t i = 0; i < plan->pass_count; i++) plan->passes[i].share = plan->passes[i].ms / plan->predicted_ms;
    plan->direct_ms = longer_ms(plan, a_b + c_read + c, multiply_adds, plan->direct_per_s);
    plan->faster = plan->direct_ms <= plan->predicted_ms ? vkmm_method_at(VKMM_COMPUTE_DIRECT)->name : method->name;
    return measure(session, params, plan);
}
