/* A product that fits on the device as a whole: one job. */
#include "base/alloc.h"
#include "base/clock.h"
#include "product/product.h"
#include "math/problem.h"

static vkmm_status plan(cli_product *p)
{
    const vkmm_job_params *params = &p->request->job;
    const int serial = cli_request_is_serial(p->request);
    vkmm_status status = serial ? VKMM_OK : cli_session_device(p->session);
    if (status == VKMM_OK)
        status = vkmm_job_create(serial ? NULL : p->session->device, p->session->log, params, &p->job);
    if (status == VKMM_OK) p->kernel = vkmm_job_kernel(p->job);
    return status;
}

static vkmm_status hold(cli_product *p, int operand, uint64_t bytes)
{
    p->memory[operand] = operand == CLI_BEFORE ? vkmm_alloc(1, bytes) : vkmm_job_matrix(p->job, (vkmm_operand)operand);
    if (p->memory[operand] != NULL || operand != CLI_BEFORE) return VKMM_OK;
    return VKMM_NO_MEMORY("for a copy of C: %llu bytes", (unsigned long long)bytes);
}

static vkmm_status multiply(cli_product *p, double *ms)
{
    const double start = vkmm_now_ms();
    const vkmm_status status = vkmm_job_run(p->job);
    *ms = vkmm_now_ms() - start;
    p->fault = status == VKMM_WRONG_RESULT ? "the kernel stored outside its matrix" : NULL;
    return status == VKMM_OK ? vkmm_job_method(p->job, &p->row.problem.method) : status;
}

static vkmm_status measure(cli_product *p, const vkmm_measure_params *params, vkmm_measurement *time)
{
    return vkmm_job_measure(p->job, params, time);
}

static cli_array product_of(const cli_product *p)
{
    const cli_stack *c = &p->stack[VKMM_C];
    return cli_array_of(&c->first, vkmm_problem_batches(&p->request->job.problem), c->stride);
}

static vkmm_status open_out(cli_product *p)
{
    const cli_array all = product_of(p);
    cli_array_writer *writer;
    const vkmm_status status = cli_array_writer_open(p->request->out, &all, &writer);
    p->own = writer;
    return status;
}

static void discard(cli_product *p)
{
    cli_array_writer *writer = p->own;
    cli_array_writer_discard(&writer);
    p->own = NULL;
}

/* After a failure nothing is left: save tries again, and reports it. */
static vkmm_status write_out(cli_product *p)
{
    const cli_array all = product_of(p);
    const vkmm_status status = cli_array_writer_put_all(p->own, &all);
    if (status != VKMM_OK) discard(p);
    return status;
}

static vkmm_status save(cli_product *p)
{
    cli_array_writer *writer;
    vkmm_status status = VKMM_OK;
    if (p->own == NULL) {
        status = open_out(p);
        if (status == VKMM_OK) status = write_out(p);
    }
    writer = p->own;
    p->own = NULL;
    return status == VKMM_OK ? cli_array_writer_commit(&writer) : status;
}

static void end(cli_product *p)
{
    discard(p);
    vkmm_job_destroy(&p->job);
    vkmm_free(p->memory[CLI_BEFORE]);
}

const cli_product_kind cli_resident = {plan, hold, multiply, measure, open_out, write_out, save, end, 1, 1};
