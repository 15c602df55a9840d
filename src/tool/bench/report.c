#include "base/alloc.h"
#include "base/file.h"
#include "bench/read.h"
#include "session/commands.h"
#include "bench/page.h"

static vkmm_status check(const vkmm_log *log, const cli_options *options)
{
    if (options->operand_count == 0)
        return vkmm_fail(
            log, VKMM_INVALID,
            "report needs at least one file: the report of 'vkmatmul bench -o FILE.json', or a tune's --json");
    return VKMM_OK;
}

static vkmm_status read_all(const vkmm_log *log, const cli_options *options, vkmm_bench *benches)
{
    vkmm_status status = VKMM_OK;

    for (uint32_t i = 0; i < options->operand_count && status == VKMM_OK; i++)
        status = vkmm_bench_open(log, options->operands[i], &benches[i]);
    return status;
}

static vkmm_status write_page(cli_session *session, const vkmm_bench *benches, vkmm_output **output)
{
    char *page = NULL;
    size_t bytes = 0;
    vkmm_status status = vkmm_bench_page(&session->report, benches, session->options->operand_count, &page, &bytes);

    if (status != VKMM_OK) return vkmm_fail(&session->console.log, status, "no memory to write the page");
    status = vkmm_output_write(*output, page, bytes);
    vkmm_free(page);
    return status == VKMM_OK ? vkmm_output_commit(output) : status;
}

static vkmm_status write_bars(cli_session *session, const vkmm_bench *benches)
{
    const vkmm_log *log = &session->console.log;
    vkmm_status status = vkmm_bench_bars(&session->report, benches, session->options->operand_count);

    return status == VKMM_OK ? vkmm_report_flush(&session->report, log) : vkmm_fail(log, status, "no memory to draw");
}

vkmm_status cli_report(cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = &session->console.log;
    vkmm_output *output = NULL;
    vkmm_bench *benches = NULL;
    vkmm_status status = check(log, options);

    if (status == VKMM_OK && options->output != NULL) status = vkmm_output_open(log, options->output, &output);
    if (status == VKMM_OK) benches = vkmm_alloc(options->operand_count, sizeof *benches);
    if (status == VKMM_OK && benches == NULL)
        status = vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for %u reports", options->operand_count);
    if (status == VKMM_OK) status = read_all(log, options, benches);
    if (status == VKMM_OK)
        status = output != NULL ? write_page(session, benches, &output) : write_bars(session, benches);
    for (uint32_t i = 0; benches != NULL && i < options->operand_count; i++) vkmm_bench_free(&benches[i]);
    vkmm_free(benches);
    vkmm_output_discard(&output);
    return status;
}
