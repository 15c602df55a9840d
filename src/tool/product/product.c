#include "product/product.h"

#include "base/alloc.h"
#include "base/random.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COMPILED_MS     2000.0
#define MOST_SAMPLES_MS 3000.0 /* the default of vkmm_measure_params.max_time_ms */

/* Matrices of fewer bytes in all are not worth threads. */
enum { LARGE = 4 << 20, PIECES = 64 };

static const vkmm_problem *problem_of(const cli_product *p)
{
    return &p->request->job.problem;
}

/* A multiplication by an odd number and a rotation are both invertible: two inputs that differ in one word never give
 * the same value. */
static uint64_t mix(uint64_t state, uint64_t word)
{
    state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return state << 29 | state >> 35;
}

/* 64 bits that differ if the bytes differ, except by accident (probability 2^-64; not secure against intent), at memory
 * speed: four lanes, because one chain of multiplications would be slower than memory. */
static uint64_t fingerprint_of(const void *data, uint64_t bytes)
{
    const unsigned char *at = data;
    uint64_t lane[4] = {1, 2, 3, 4}, last[4] = {0}, state = bytes;
    for (; bytes >= 32; bytes -= 32, at += 32) {
        uint64_t word[4];
        memcpy(word, at, 32);
        for (int i = 0; i < 4; i++) lane[i] = mix(lane[i], word[i]);
    }
    if (bytes > 0) memcpy(last, at, bytes);
    for (int i = 0; i < 4; i++) state = mix(mix(state, lane[i]), last[i]);
    return state;
}

typedef struct pieces {
    const char *data;
    uint64_t bytes, each; /* each: of all pieces but the last ones */
    uint64_t prints[PIECES];
} pieces;

static vkmm_status take_print(void *context, uint64_t i)
{
    pieces *all = context;
    const uint64_t at = i * all->each, left = all->bytes > at ? all->bytes - at : 0;
    if (left > 0) all->prints[i] = fingerprint_of(all->data + at, left < all->each ? left : all->each);
    return VKMM_OK;
}

static uint64_t fingerprint(const cli_product *p, vkmm_operand operand)
{
    pieces all = {p->memory[operand], vkmm_operand_bytes(problem_of(p), operand), 0, {0}};
    uint64_t state = 0;
    all.each = (all.bytes / PIECES + 64) / 64 * 64;
    vkmm_workers_run(p->workers, PIECES, take_print, &all);
    for (int i = 0; i < PIECES; i++) state = mix(state, all.prints[i]);
    return state;
}

/* The fingerprint of all read-only operands; their order matters. */
static uint64_t inputs_fingerprint(const cli_product *p)
{
    return fingerprint(p, VKMM_A) + 3 * fingerprint(p, VKMM_B) + 5 * fingerprint(p, VKMM_BIAS);
}

void cli_product_progress(const cli_product *p, const char *what)
{
    cli_console *console = &p->session->console;
    cli_progress(console, "%s %s %s: %s", CLI_NAME(problem_of(p), console->utf8),
                 cli_text_type(problem_of(p), console->utf8), p->kernel->name, what);
}

static void begin(cli_product *p, const char *doing)
{
    p->doing = doing;
    cli_product_progress(p, doing);
}

/* Generates a matrix in blocks; its stack is the plain one. */
static vkmm_status fill_blocks(cli_product *p, vkmm_operand operand)
{
    const vkmm_problem *problem = problem_of(p);
    vkmm_problem plain = *problem;
    plain.format_a = plain.format_b = VKMM_PLAIN;
    p->elements[operand] = vkmm_alloc(1, vkmm_operand_bytes(&plain, operand));
    if (p->elements[operand] == NULL) return VKMM_NO_MEMORY("for the elements of blocks");
    cli_inputs_fill(p->request->inputs, &plain, operand, p->elements[operand], p->workers);
    p->stack[operand] = cli_stack_of(&plain, operand, p->elements[operand]);
    return cli_inputs_encode(p->request->inputs, problem, operand, p->elements[operand], p->memory[operand],
                             p->workers);
}

/* C's memory is an input if β is not 0, or if it has gaps, which must not change. */
static vkmm_status fill(cli_product *p)
{
    static const int order[CLI_STACKS] = {VKMM_C, VKMM_A, VKMM_B, VKMM_BIAS, CLI_BEFORE};
    const vkmm_problem *problem = problem_of(p);
    const uint64_t c_bytes = vkmm_operand_bytes(problem, VKMM_C);
    const int counts = (vkmm_problem_beta(problem) != 0 || vkmm_problem_c_has_gaps(problem)) && c_bytes > 0;
    vkmm_status status = VKMM_OK;
    for (int i = 0; i < CLI_STACKS && status == VKMM_OK; i++) {
        const int o = order[i];
        const vkmm_operand operand = o == CLI_BEFORE ? VKMM_C : (vkmm_operand)o;
        if ((o == VKMM_BIAS && !problem->has_bias) || (o == CLI_BEFORE && !counts)) continue;
        status = p->kind->hold(p, o, vkmm_operand_bytes(problem, operand));
        if (status != VKMM_OK || (p->in_files & 1U << o) != 0) continue;
        p->stack[o] = cli_stack_of(problem, o, p->memory[o]);
        if (o == CLI_BEFORE && p->memory[VKMM_C] != NULL) {
            memcpy(p->memory[o], p->memory[VKMM_C], c_bytes);
        } else if (p->same != NULL && operand <= VKMM_B && p->same->memory[o] != NULL) {
            if (p->memory[o] != p->same->memory[o])
                memcpy(p->memory[o], p->same->memory[o], vkmm_operand_bytes(problem, operand));
            p->stack[o] = p->same->stack[o];
        } else if (operand <= VKMM_B && vkmm_operand_format(problem, operand) != VKMM_PLAIN) {
            status = fill_blocks(p, operand);
        } else if (o != VKMM_C || counts) {
            cli_inputs_fill(p->request->inputs, problem, operand, p->memory[o], p->workers);
        }
    }
    return status;
}

/* Reports why the product is wrong, also in the row. */
static vkmm_status wrong(cli_product *p, const char *sentence)
{
    if (sentence != p->verdict.sentence) VKMM_PUT(p->verdict.sentence, "%s", sentence);
    p->verdict.passed = 0;
    return vkmm_fail(VKMM_WRONG_RESULT, "wrong result: %s", sentence);
}

/* If the driver may be at fault, reports what the user can do. */
static void explain_wrong(const cli_product *p)
{
    const cli_bench_row *row = &p->row;
    const uint32_t *size = row->kernel.workgroup, *tile = row->kernel.tile;
    if (row->shader_file != NULL && (size[0] != tile[1] || size[1] != tile[0] || size[2] != 1))
        vkmm_say(p->session->log, VKMM_LOG_WARNING,
                 "%s: its workgroup is %ux%ux%u and the tile is %ux%u; a workgroup of %ux%ux1 (columns x rows) has one "
                 "invocation per element",
                 row->shader_file, size[0], size[1], size[2], tile[0], tile[1], tile[1], tile[0]);
    if (row->on != NULL && row->on->driver.id == VK_DRIVER_ID_MESA_LLVMPIPE && row->problem.k >= CLI_MOST_ITERATIONS &&
        !vkmm_kernel_is_general(p->kernel->name))
        vkmm_say(p->session->log, VKMM_LOG_WARNING,
                 "this may be the driver's fault: llvmpipe of older Mesa releases leaves a shader's loops after %d "
                 "iterations; --kernel tiled needs fewer",
                 CLI_MOST_ITERATIONS);
}

static vkmm_status verify(cli_product *p)
{
    const vkmm_log *log = p->session->log;
    const cli_numbers numbers = cli_inputs_numbers(p->request->inputs, problem_of(p));
    const cli_verify_method method = p->request->verify;
    const uint64_t seed = vkmm_random_bits(p->request->inputs->seed, CLI_SEED_VERIFY);
    vkmm_problem problem = *problem_of(p);
    /* As it was really multiplied. Too few moduli are the user's choice, and have f64's bound. */
    const int is_free = p->request->job.moduli > 0 && p->row.problem.method == VKMM_COMPUTE_MODULAR;
    problem.method = is_free ? VKMM_COMPUTE_DIRECT : p->row.problem.method;
    const void *gaps = p->in_files == 0 && vkmm_problem_c_has_gaps(&problem) ? p->memory[CLI_BEFORE] : NULL;
    return cli_verify_stacks(log, &problem, p->stack, gaps, p->memory[VKMM_C], numbers, method, seed, &p->verdict);
}

static vkmm_status verify_or_write(void *context, uint64_t i)
{
    cli_product *p = context;
    if (i == 0) return verify(p);
    p->kind->write_out(p); /* save reports what fails */
    return VKMM_OK;
}

/* A large product is written while it is verified, to a file that gets its name only in `save`. */
static vkmm_status verify_and_write(cli_product *p)
{
    const int may_write = p->request->out != NULL && p->kind->open_out != NULL && p->workers != NULL,
              writes = may_write && p->kind->open_out(p) == VKMM_OK; /* `save` reports what fails */
    return vkmm_workers_run(p->workers, writes ? 2 : 1, verify_or_write, p);
}

void cli_product_row(const cli_session *session, const cli_request *request, cli_bench_row *row)
{
    cli_bench_row_init(row);
    row->on = cli_request_is_serial(request) ? NULL : session->info;
    row->host = session->host;
    row->problem = request->job.problem;
    row->seed = request->inputs->seed;
    row->shader_file = request->job.shader != NULL ? request->shader_file : NULL;
    VKMM_PUT(row->init, "%s", cli_inputs_name(request->inputs));
}

void cli_product_judged(const cli_product *p, cli_bench_row *row)
{
    VKMM_PUT(row->method, "%s", cli_verify_method_name(p->verdict.method));
    row->passed = p->verdict.passed;
    row->nans = p->verdict.nans;
    row->infinities = p->verdict.infinities;
    if (p->verdict.method != CLI_VERIFY_NONE) {
        row->error = p->verdict.error;
        row->bound = p->verdict.bound;
    }
    memcpy(row->sentence, p->verdict.sentence, sizeof p->verdict.sentence);
}

/* A·B alone, by the same kernel and configuration, without α, β, the bias and the activation; narrow sums are not
 * rounded. */
static vkmm_status multiply_plainly(cli_product *p)
{
    cli_request *request = p->plain_request = vkmm_alloc(1, sizeof *request);
    cli_product *plain = p->plain = vkmm_alloc(1, sizeof *plain);
    vkmm_problem *problem;
    double ms;
    if (request == NULL || plain == NULL) return VKMM_NO_MEMORY("to verify the product");
    *request = *p->request;
    request->out = NULL;
    request->job.kernel = p->kernel->name;
    request->job.config = p->kernel->config[0] != '\0' ? p->kernel->config : NULL;
    problem = &request->job.problem;
    problem->alpha = 1;
    problem->beta = 0;
    problem->has_bias = 0;
    problem->activation = VKMM_ACTIVATION_NONE;
    problem->method = p->row.problem.method;
    if (vkmm_type_is_narrow(problem->type)) problem->out_type = VKMM_F32;
    *plain =
        (cli_product){.session = p->session, .request = request, .kind = p->kind, .same = p, .row.problem = *problem};
    vkmm_status status = plain->kind->plan(plain);
    if (status == VKMM_OK) status = fill(plain);
    return status == VKMM_OK ? plain->kind->multiply(plain, &ms) : status;
}

/* Sets stack[CLI_SUMS] if the verification needs it, where vectors cannot judge C itself (verify.h). */
static vkmm_status multiply_beside(cli_product *p)
{
    if (!cli_verify_wants_sums(problem_of(p), p->stack, p->request->verify)) return VKMM_OK;
    const vkmm_status status = multiply_plainly(p);
    if (status == VKMM_OK) p->stack[CLI_SUMS] = p->plain->stack[VKMM_C];
    return status == VKMM_DEVICE_LOST || status == VKMM_STOPPED ? status : VKMM_OK; /* else samples must do */
}

/* Multiplies, and verifies. Not only wrong elements make the result wrong: so do stores outside C, and changes of the
 * inputs that the product is verified with, if the kernel can reach them. */
static vkmm_status prove_with_workers(cli_product *p)
{
    const cli_inputs *inputs = p->request->inputs;
    uint64_t before;
    vkmm_status ran, status = p->kind->plan(p);
    if (status != VKMM_OK) return status;
    cli_product_row(p->session, p->request, &p->row);
    p->row.kernel = *p->kernel;
    if (p->reason[0] != '\0')
        p->row.panels = (cli_row_panels){.batches = vkmm_problem_batches(problem_of(p)), .reason = p->reason};
    begin(p, "inputs");
    status = fill(p);
    if (status == VKMM_OK) status = cli_inputs_whole(inputs);
    if (status != VKMM_OK) return status;
    before = p->kind->repeats ? inputs_fingerprint(p) : 0;
    begin(p, "multiplying");
    ran = p->kind->multiply(p, &p->run_ms);
    if (ran != VKMM_OK && ran != VKMM_WRONG_RESULT) return ran;
    p->row.kernel = *p->kernel; /* the plan may depend on the data */
    begin(p, "verifying");
    status = multiply_beside(p);
    if (status == VKMM_OK) status = verify_and_write(p);
    if (status == VKMM_OK) status = cli_inputs_whole(inputs);
    if (status != VKMM_OK) return status;
    if (ran != VKMM_OK) return wrong(p, p->fault);
    if (p->kind->repeats && before != inputs_fingerprint(p)) return wrong(p, "the kernel changed its inputs");
    if (p->kind->repeats) p->judged = fingerprint(p, VKMM_C);
    if (p->verdict.passed || p->verdict.method == CLI_VERIFY_NONE) return VKMM_OK;
    explain_wrong(p);
    return wrong(p, p->verdict.sentence);
}

static vkmm_status prove(cli_product *p)
{
    uint64_t bytes = 0;
    vkmm_status status;
    for (int o = VKMM_A; o <= VKMM_C; o++) bytes += vkmm_operand_bytes(problem_of(p), (vkmm_operand)o);
    if (bytes >= LARGE) p->workers = vkmm_workers_create(0); /* NULL: without */
    status = prove_with_workers(p);
    vkmm_workers_destroy(&p->workers);
    return status;
}

/* Every run with a β changes the C that the next one reads: the last of many is compared after a run from the same
 * initial C. */
static vkmm_status again(cli_product *p)
{
    vkmm_status status = VKMM_OK;
    double ms;
    p->doing = "repeating";
    if (p->memory[CLI_BEFORE] != NULL && vkmm_problem_beta(problem_of(p)) != 0) {
        memcpy(p->memory[VKMM_C], p->memory[CLI_BEFORE], vkmm_operand_bytes(problem_of(p), VKMM_C));
        status = p->kind->multiply(p, &ms);
    }
    if (status == VKMM_WRONG_RESULT) return wrong(p, p->fault);
    if (status != VKMM_OK || p->judged == fingerprint(p, VKMM_C)) return status;
    if (p->kind->exact) return wrong(p, "the product differs between runs");
    status = verify(p);
    return status == VKMM_OK && !p->verdict.passed ? wrong(p, p->verdict.sentence) : status;
}

/* Whether one sample would be all, and the verified run is as good: it took longer than any compiler. */
static int is_one_enough(const cli_product *p)
{
    const vkmm_measure_params *params = &p->request->measure;
    const double most_ms = params->max_time_ms > 0 ? params->max_time_ms : MOST_SAMPLES_MS;
    return p->kind == &cli_resident && params->iters == 0 && !params->cold_iters_given &&
           p->run_ms >= fmax(2 * most_ms, COMPILED_MS);
}

/* Many more runs, unless one is enough: their last product must be bit for bit the verified one. */
static vkmm_status measure(cli_product *p)
{
    vkmm_measure_params params = p->request->measure;
    vkmm_measurement time = {0};
    vkmm_status status;
    begin(p, "timing");
    params.last_run |= is_one_enough(p);
    status = p->kind->measure(p, &params, &time);
    if (status == VKMM_OK && p->kind->repeats && !params.last_run) status = again(p);
    if (status != VKMM_OK || time.kernel.count == 0) return status;
    if (!cli_bench_row_add(&p->row, &time)) return VKMM_NO_MEMORY("for the samples");
    if (p->request->measure.last_run) p->row.stopped[0] = '\0'; /* more were not requested */
    return VKMM_OK;
}

/* Holds errors back until `leave`, which reports the last one. */
static void enter(cli_session *session, const cli_request *request, const cli_product_kind *kind, cli_product *p)
{
    p->session = session;
    p->request = request;
    p->kind = kind;
    p->doing = "planning";
    cli_console_hold(&session->console);
}

/* A lost device is reported with what was running on it. */
static vkmm_status leave(cli_product *p, vkmm_status status)
{
    cli_console *console = &p->session->console;
    const char *kernel = p->kernel != NULL ? p->kernel->name : "";
    char why[sizeof console->last_error];
    vkmm_tell(p->session->log, status);
    cli_console_release(console);
    if (status != VKMM_DEVICE_LOST) return status;
    memcpy(why, console->last_error, sizeof why);
    VKMM_PUT(console->last_error, "the device was lost while %s %s %s%s%s%s%s", p->doing,
             CLI_NAME(problem_of(p), console->utf8), cli_text_type(problem_of(p), console->utf8),
             kernel[0] != '\0' ? " with " : "", kernel, why[0] != '\0' ? ": " : "", why);
    return status;
}

/* Without a verdict there is no row. */
static vkmm_status leave_judged(cli_product *p, vkmm_status status)
{
    leave(p, status);
    if (status != VKMM_OK && status != VKMM_WRONG_RESULT) cli_product_end(p);
    return status;
}

/* As one job if the device has enough memory, else in panels, and p->reason says why. */
static vkmm_status choose_kind(cli_product *p, const cli_product_kind *in_panels)
{
    const cli_request *request = p->request;
    vkmm_status status;
    p->kind = request->kind != NULL ? request->kind : &cli_resident;
    if (request->kind != NULL || cli_request_is_serial(request)) return VKMM_OK;
    status = cli_session_device(p->session);
    if (status == VKMM_OK && p->session->other_count > 0) {
        VKMM_PUT(p->reason, "%u devices share it", p->session->other_count + 1);
        p->kind = in_panels;
    } else if (status == VKMM_OK && vkmm_stream_reason(p->session->device, problem_of(p), request->memory_limit,
                                                       p->reason, sizeof p->reason) != NULL) {
        p->kind = in_panels;
    }
    return status;
}

static vkmm_status prove_fitting(cli_session *session, const cli_request *request, cli_product *p)
{
    const cli_product_kind *in_panels = request->in_panels != NULL ? request->in_panels : &cli_in_panels;
    vkmm_status status;
    enter(session, request, NULL, p);
    status = choose_kind(p, in_panels);
    if (status != VKMM_OK) return status;
    status = prove(p);
    if (status != VKMM_OUT_OF_MEMORY || request->kind != NULL || p->kind != &cli_resident ||
        cli_request_is_serial(request))
        return status;
    /* The device seemed to have enough memory: that error is the reason for panels. */
    cli_product_end(p);
    VKMM_PUT(p->reason, "%.*s", (int)sizeof p->reason - 1, vkmm_last_error());
    enter(session, request, in_panels, p);
    return prove(p);
}

vkmm_status cli_product_prove(cli_session *session, const cli_request *request, cli_product *p)
{
    return leave_judged(p, prove_fitting(session, request, p));
}

vkmm_status cli_product_again(cli_product *p)
{
    cli_console_hold(&p->session->console);
    return leave(p, again(p));
}

vkmm_status cli_product_run(cli_session *session, const cli_request *request, cli_product *p)
{
    vkmm_status status = prove_fitting(session, request, p);
    if (request->judged != NULL && (status == VKMM_OK || status == VKMM_WRONG_RESULT))
        status = request->judged(p, status);
    if (status == VKMM_OK && p->verdict.passed && cli_product_is_work(problem_of(p))) status = measure(p);
    p->row.wall_ms = p->run_ms;
    cli_product_judged(p, &p->row);
    cli_bench_row_speed(&p->row);
    return leave_judged(p, status);
}

int cli_product_is_work(const vkmm_problem *problem)
{
    return vkmm_problem_flops(problem) > 0 && vkmm_problem_alpha(problem) != 0;
}

void cli_product_end(cli_product *p)
{
    if (p->plain != NULL) cli_product_end(p->plain); /* first: it may borrow from this one */
    if (p->kind != NULL) p->kind->end(p);
    vkmm_free(p->plain);
    vkmm_free(p->plain_request);
    for (int o = VKMM_A; o <= VKMM_B; o++) vkmm_free(p->elements[o]);
    cli_bench_row_free(&p->row);
    *p = (cli_product){0};
}
