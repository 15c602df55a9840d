#include "product/product.h"

#include "base/file.h"
#include "base/folder.h"
#include "math/problem.h"
#include "math/type.h"
#include "options/values.h"

#include <string.h>

/* The default must not cut a long sample that the user requested. */
#define LONG_SAMPLE_MS 1500

cli_request cli_request_make(const cli_options *options, const cli_inputs *inputs)
{
    const int samples = options->bench || options->iters.given || options->cold_iters.given ||
                        options->min_time_ms > 0 || options->max_time_ms > 0;
    cli_request request = {.inputs = inputs,
                           .verify = (cli_verify_method)options->verify,
                           .memory_limit = (uint64_t)options->memory_limit};
    request.job.tile_rows = options->tile[0];
    request.job.tile_cols = options->tile[1];
    request.job.untuned = options->untuned;
    request.job.moduli = (uint32_t)options->moduli.value;
    if (options->pack_b) request.job.pack = VKMM_PACK_B | VKMM_PACK_ONCE;
    request.measure = (vkmm_measure_params){.iters = (uint32_t)options->iters.value,
                                            .cold_iters = (uint32_t)options->cold_iters.value,
                                            .cold_iters_given = options->cold_iters.given,
                                            .min_time_ms = options->min_time_ms,
                                            .max_time_ms = options->max_time_ms,
                                            .last_run = (options->a != NULL || options->out != NULL) && !samples};
    if (options->max_time_ms <= 0 && options->min_time_ms > LONG_SAMPLE_MS)
        request.measure.max_time_ms = 2 * options->min_time_ms;
    return request;
}

vkmm_status cli_request_problem(const vkmm_log *log, const cli_options *options, const cli_size *size, vkmm_type type,
                                cli_request *request)
{
    vkmm_problem *problem = &request->job.problem;
    cli_options stacked = *options;
    vkmm_type type_c;
    uint64_t elements;
    vkmm_status status;
    cli_inputs_decide(request->inputs, &stacked.problem);
    *problem = cli_problem_make(&stacked, size, type);
    status = vkmm_tell(log, cli_inputs_check(request->inputs, problem));
    if (status == VKMM_OK) status = vkmm_tell(log, vkmm_problem_check(problem));
    if (status != VKMM_OK || options->out == NULL) return status;
    type_c = vkmm_operand_type(problem, VKMM_C);
    elements = problem->m * problem->n * vkmm_problem_batches(problem);
    return vkmm_tell(log, cli_array_takes(options->out, type_c, vkmm_problem_batches(problem),
                                          elements * vkmm_type_of(type_c)->bytes));
}

vkmm_status cli_shader_open(const vkmm_log *log, const char *path, vkmm_type type, vkmm_shader **shader)
{
    vkmm_mapping file = {0};
    vkmm_status status = vkmm_tell(log, vkmm_mapping_open(path, &file));
    const char *text = file.data != NULL ? file.data : "";
    *shader = NULL;
    if (status == VKMM_OK && !cli_is_plain_type(type))
        status = VKMM_FAIL(log, VKMM_INVALID, "--shader supports f32, f64, i32 and u32; --type says %s",
                           vkmm_type_of(type)->name);
    if (status == VKMM_OK && vkmm_path_ends(path, ".spv"))
        status = vkmm_shader_load(log, path, text, (size_t)file.bytes, type, shader);
    else if (status == VKMM_OK)
        status = vkmm_shader_compile(log, path, text, (size_t)file.bytes, type, shader);
    vkmm_mapping_close(&file);
    return status;
}

int cli_shaders_are_for(const cli_options *options, vkmm_type type)
{
    return options->types.count > 0 || type == VKMM_F32;
}

vkmm_status cli_shaders_check(const vkmm_log *log, const cli_options *options)
{
    static const cli_types f32 = {1, {VKMM_F32}};
    const cli_types *types = options->types.count > 0 ? &options->types : &f32;
    vkmm_status status = VKMM_OK;
    uint32_t plain = 0;
    for (uint32_t t = 0; t < types->count; t++) {
        plain += (uint32_t)cli_is_plain_type(types->type[t]);
        if (!cli_is_plain_type(types->type[t]) && (plain > 0 || t + 1 < types->count)) continue;
        for (uint32_t i = 0; i < options->shaders.count && status == VKMM_OK; i++) {
            vkmm_shader *shader;
            status = cli_shader_open(log, options->shaders.item[i], types->type[t], &shader);
            vkmm_shader_destroy(&shader);
        }
    }
    return status;
}

int cli_request_is_serial(const cli_request *request)
{
    return request->job.shader == NULL && request->job.kernel != NULL && strcmp(request->job.kernel, "serial") == 0;
}
