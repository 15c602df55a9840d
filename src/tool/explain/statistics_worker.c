/* vkmatmul statistics-worker, a hidden command: it compiles what explain/statistics.h asks for. */
#include "explain/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "look/steps.h"
#include "report/records.h"
#include "session/commands.h"
#include "session/drivers.h"
#include "worker/worker.h"

enum { MOST_STATISTICS = 64 };

#define AT(member) offsetof(cli_compiled, member)

/* Drivers' names of these statistics, in any case. Statistics with the same offset are added up. NVIDIA's "Local Memory
 * Size" is left out: it was 64 GiB for every kernel of an H200. */
static const struct {
    const char *name;
    size_t offset;
} names[] = {
    {"Subgroup Size", AT(subgroup_size)},
    {"VGPRs", AT(registers)},              /* AMD */
    {"Number of GPRs", AT(registers)},     /* NVIDIA by Mesa */
    {"Register Count", AT(registers)},     /* NVIDIA */
    {"Registers used", AT(registers)},     /* Qualcomm */
    {"GPRs", AT(registers)},               /* Apple: of 16 bits */
    {"Max live registers", AT(registers)}, /* Intel: of 32 bytes, before they are assigned */
    {"Spilled VGPRs", AT(spills)},
    {"Spilled SGPRs", AT(spills)},
    {"Spill Count", AT(spills)},
    {"Spills to memory", AT(spills)},
    {"STP Count", AT(spills)}, /* stores to private memory */
    {"Spills", AT(spills)},
    {"Scratch size", AT(scratch_bytes)},
    {"Scratch Memory Size", AT(scratch_bytes)},
    {"SLM size", AT(scratch_bytes)},
    {"Scratch", AT(scratch_bytes)},
    {"Subgroups per SIMD", AT(occupancy)},
    {"Max warps/SM", AT(occupancy)},
    {"Max Waves Per Core", AT(occupancy)},
    {"Threads", AT(occupancy)}, /* Apple: invocations on a compute unit */
    {"Inverse Throughput", AT(cycles)},
    {"Cycles", AT(cycles)},
    {"Cycle Count", AT(cycles)},
    {"Static cycle count", AT(cycles)},
    {"ALU", AT(cycles)},
    {"Instructions", AT(instructions)},
    {"Instruction Count", AT(instructions)},
};

static json_t *put_whole(const void *at)
{
    const double *value = at;
    return isfinite(*value) ? json_integer((json_int_t)*value) : json_null();
}

static void take_whole(const cli_node *node, void *at)
{
    cli_node_number(node, 0x1p62, at);
}

static void start(void *record)
{
    *(cli_compiled *)record = (cli_compiled){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

#define WHOLE(member) CLI_KEY(CUSTOM, cli_compiled, member), .put = put_whole, .take = take_whole

static const cli_field compiled_fields[] = {
    {WHOLE(registers)},
    {WHOLE(spills)},
    {WHOLE(scratch_bytes)},
    {WHOLE(occupancy)},
    {WHOLE(cycles)},
    {WHOLE(instructions)},
    {WHOLE(subgroup_size)},
    {CLI_KEY(REAL, cli_compiled, compile_ms)},
    {CLI_KEY(REAL, cli_compiled, compile_cpu_ms)},
};
const vkmm_record cli_compiled_record = {NULL, CLI_FIELDS(compiled_fields), .start = start};

static void sort_out(const vkmm_statistic *statistics, uint32_t count, cli_compiled *compiled)
{
    for (uint32_t i = 0; i < count; i++)
        for (size_t n = 0; n < VKMM_COUNT(names); n++) {
            double *figure = (double *)(void *)((char *)compiled + names[n].offset);
            if (strcasecmp(names[n].name, statistics[i].name) != 0) continue;
            *figure = (isfinite(*figure) ? *figure : 0) + strtod(statistics[i].value, NULL);
        }
}

static vkmm_status compile(cli_session *session, const json_t *request, json_t *answer)
{
    vkmm_statistic statistics[MOST_STATISTICS];
    uint32_t count = MOST_STATISTICS;
    cli_compiled compiled;
    char sentence[CLI_SENTENCE];
    vkmm_job_params params = {.kernel = cli_json_text(request, "kernel", NULL),
                              .config = cli_json_text(request, "config", NULL),
                              .tile_rows = (uint32_t)cli_json_number(request, "rows", 0),
                              .tile_cols = (uint32_t)cli_json_number(request, "cols", 0)};
    vkmm_status status;
    if (!cli_record_parse(json_object_get(request, "problem"), &cli_problem_record, &params.problem, sentence))
        return VKMM_FAIL(session->log, VKMM_INVALID, "invalid problem: %s", sentence);
    start(&compiled);
    const double before = vkmm_cpu_ms();
    status = vkmm_kernel_statistics(session->device, &params, (uint32_t)cli_json_number(request, "step", 0), statistics,
                                    &count, &compiled.compile_ms);
    if (status != VKMM_OK) return status;
    compiled.compile_cpu_ms = vkmm_cpu_ms() - before;
    sort_out(statistics, count, &compiled);
    /* Intel's driver of Mesa 26.1 says so even if it spills. */
    if (session->info->driver.id == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA && compiled.spills > 0 &&
        compiled.scratch_bytes == 0)
        compiled.scratch_bytes = NAN;
    json_t *keys = cli_record_json(&cli_compiled_record, &compiled);
    json_object_update(answer, keys);
    json_decref(keys);
    return VKMM_OK;
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    cli_session *session = user;
    vkmm_status status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    if (strcmp(ask, "hello") == 0) return cli_worker_introduce(session, answer);
    if (strcmp(ask, "compile") == 0) return compile(session, request, answer);
    return cli_worker_refuse(session, ask);
}

vkmm_status cli_command_statistics_worker(cli_session *session)
{
    const vkmm_status status = vkmm_tell(session->log, cli_drivers_uncached());
    return status == VKMM_OK ? cli_worker_serve(session, obey, session) : status;
}
