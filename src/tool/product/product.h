/* One product from request to row: multiplied, verified, and only then timed. How it is multiplied is one const struct
 * of functions: as one job (resident.c), in panels (panels.c), or with the host's BLAS (host_product.c). */
#pragma once

#include "product/inputs.h"
#include "base/workers.h"
#include "math/blas.h"
#include "session/session.h"

/* Iterations after which llvmpipe of older Mesa releases leaves a shader's loops. */
enum { CLI_MOST_ITERATIONS = 65535 };

typedef struct cli_product_kind cli_product_kind;
typedef struct cli_product cli_product;

/* One product, and all that the command line says about it, resolved: the code that carries it out does not read
 * options. */
typedef struct cli_request {
    vkmm_job_params job; /* the checked problem; kernel, tile, configuration or shader */
    const cli_inputs *inputs;
    vkmm_measure_params measure;
    cli_verify_method verify;
    const cli_product_kind *kind;      /* how to carry it out; NULL: as a whole, or in panels if it does not fit */
    const cli_product_kind *in_panels; /* the kind then; NULL: cli_in_panels */
    vkmm_blas *blas;                   /* of the kind that multiplies on the host */
    uint64_t memory_limit;             /* bytes of device memory; 0: all that is free */
    const char *shader_file;           /* NULL: a kernel of the library */
    const char *out;                   /* NULL, or where the product is to be saved */
    int print;                         /* show the matrices, too */
    /* Called between the verdict and the timing, while C may be read, for example to save the product. status: VKMM_OK
     * or VKMM_WRONG_RESULT. Returns it, or why not to time the product. NULL: nothing is called */
    vkmm_status (*judged)(cli_product *product, vkmm_status status);
} cli_request;

/* Everything that all products of a command line share: the job's problem, kernel and shader, kind, out, print and
 * judged are left zero. If the product is saved, its only run gives the times, unless samples are requested. */
cli_request cli_request_make(const cli_options *options, const cli_inputs *inputs);

/* Sets the problem of the given size and type, with everything else from the options. VKMM_INVALID: it is not valid, or
 * does not match the files of the inputs or of -o. */
vkmm_status cli_request_problem(const vkmm_log *log, const cli_options *options, const cli_size *size, vkmm_type type,
                                cli_request *request);

/* A shader of --shader, for one element type: SPIR-V if the name ends in .spv; otherwise GLSL, which is compiled with
 * the type as a macro. Ended by vkmm_shader_destroy. VKMM_INVALID also for types that users' shaders do not support. */
vkmm_status cli_shader_open(const vkmm_log *log, const char *path, vkmm_type type, vkmm_shader **shader);

/* Whether the shaders of --shader are meant for a type: for those of --type, or f32. */
int cli_shaders_are_for(const cli_options *options, vkmm_type type);

/* Opens each shader of --shader for each type of --type (default f32) that it supports, and ends it again: an error in
 * one ends the command before it measures anything. */
vkmm_status cli_shaders_check(const vkmm_log *log, const cli_options *options);

/* Whether the kernel serial, which needs no device, is requested. */
int cli_request_is_serial(const cli_request *request);

struct cli_product {
    cli_session *session;
    const cli_request *request;
    const cli_product_kind *kind;
    vkmm_job *job;                 /* of a resident product; owned */
    void *own;                     /* what the kind keeps; owned */
    vkmm_workers *workers;         /* of a large product, until it is proved; owned; NULL: none */
    void *memory[CLI_STACKS];      /* as the problem describes; NULL: in a file, or absent; the kind's */
    cli_stack stack[CLI_EVIDENCE]; /* wherever they lie, and what C is compared with */
    void *elements[2];             /* of A and B in blocks, as plain matrices; owned; NULL: of others */
    unsigned in_files;             /* those that are mapped files, 1 << operand */
    char reason[512];              /* in panels: why; "": as a whole */
    const char *doing;             /* "planning", "multiplying": a lost device is reported with it */
    const char *fault;             /* what the kernel did wrong, other than wrong elements; NULL: nothing */
    cli_product *plain;            /* its A·B alone, by the same kernel; NULL: not needed; owned, */
    cli_request *plain_request;    /* as is what it borrows from */
    const cli_product *same;       /* of such a product: its A and B are those; else NULL */
    cli_verdict verdict;
    uint64_t judged;                /* the fingerprint of the verified product, */
    double run_ms;                  /* how long it took, copies included */
    const vkmm_kernel_info *kernel; /* NULL: there is no row */
    cli_bench_row row;              /* borrows from this struct, the session and the request */
};

/* Work, in milliseconds, after which a GPU that waited for the host has raised its clocks: an NVIDIA H200 sometimes
 * takes more than 300. */
#define CLI_WARM_GPU_MS 500.0

/* Each function sets what the next one needs, in this order; `end` works after any of them. The
 * caller reports their errors. */
struct cli_product_kind {
    vkmm_status (*plan)(cli_product *product); /* kernel */
    vkmm_status (*hold)(cli_product *product, int operand,
                        uint64_t bytes); /* its memory; or, where it is in a file, its stack and in_files */
    vkmm_status (*multiply)(cli_product *product, double *ms); /* once; VKMM_WRONG_RESULT with product->fault */
    vkmm_status (*measure)(cli_product *product, const vkmm_measure_params *params, vkmm_measurement *time);
    /* Before save, to save time: begins the file of request->out, and writes C while others read it. NULL: save does
     * everything, or C is there already. */
    vkmm_status (*open_out)(cli_product *product);
    vkmm_status (*write_out)(cli_product *product);
    vkmm_status (*save)(cli_product *product); /* to request->out; C must not be read afterwards */
    void (*end)(cli_product *product);
    int repeats; /* the operands stay in memory: it can be multiplied again, */
    int exact;   /* with the same bits */
};

extern const cli_product_kind cli_resident, cli_in_panels,
    cli_in_panels_again, /* of generated matrices, timed as often as requested */
    cli_host_product;    /* with the request's BLAS; 200 samples at most */

/* Fills a zeroed product. VKMM_OK: the product is right, or verification was not requested. VKMM_WRONG_RESULT: the row
 * has no speed. Otherwise there is no row, and nothing to end. Errors are not shown: the console's last_error has the
 * sentence, which the caller may show. Ended by cli_product_end. If the request does not set the kind, it is chosen
 * here: panels if the device's memory cannot hold the product as a whole. */
vkmm_status cli_product_run(cli_session *session, const cli_request *request, cli_product *product);
void cli_product_end(cli_product *product);

/* The first half of cli_product_run: everything but the timing. */
vkmm_status cli_product_prove(cli_session *session, const cli_request *request, cli_product *product);

/* After more runs: VKMM_WRONG_RESULT if the last product differs from the verified one in any bit. Errors as above. */
vkmm_status cli_product_again(cli_product *product);

/* A row that describes the request, without results. */
void cli_product_row(const cli_session *session, const cli_request *request, cli_bench_row *row);

/* Records in a row how the product was verified. */
void cli_product_judged(const cli_product *product, cli_bench_row *row);

/* Shows a line of progress about the product. */
void cli_product_progress(const cli_product *product, const char *what);

/* Whether the product has a speed: an empty product has none, and neither has one that does not depend on A and B. */
int cli_product_is_work(const vkmm_problem *problem);
