/* One product, and all that the command line says about it, resolved: what carries it out asks no option again. */
#ifndef VKMM_CLI_REQUEST_H
#define VKMM_CLI_REQUEST_H

#include "product/inputs.h"
#include "math/blas.h"

typedef struct cli_product_kind cli_product_kind;

typedef struct cli_request {
    vkmm_job_params job; /* the checked problem; kernel, tile, configuration or shader */
    const cli_inputs *inputs;
    vkmm_measure_params measure;
    vkmm_verify_method verify;
    const cli_product_kind *kind; /* how to carry it out (product.h); NULL: as the device's memory demands */
    vkmm_blas *blas;              /* of the kind that multiplies on the host (bench/jobs.h) */
    uint64_t memory_limit;        /* bytes of device memory; 0: all that is free */
    const char *shader_file;      /* NULL: a kernel of the library */
    const char *out;              /* NULL, or where the product is to be saved */
} cli_request;

/* Everything that all products of a command line share: the job's problem, kernel and shader, kind and out are left
 * zero. */
cli_request cli_request_make(const cli_options *options, const cli_inputs *inputs);

/* Sets the problem, of the given size and type and with everything else that the options say. VKMM_INVALID: it makes
 * no sense, or does not fit to the files of inputs or to that of -o. */
vkmm_status cli_request_problem(const vkmm_log *log, const cli_options *options, const cli_size *size, vkmm_type type,
                                cli_request *request);

/* Whether the kernel serial is asked for, which needs no device. */
int cli_request_is_serial(const cli_request *request);

#endif
