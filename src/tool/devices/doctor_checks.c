/* Checks of what is often wrong with a device: its clock, its shared memory, its large buffers, its types. */
#include "base/clock.h"
#include "base/limits.h"
#include "devices/doctor.h"
#include "look/kernel.h"
#include "product/product.h"
#include "report/text.h"

#include <stdio.h>

#define LARGEST_RANGE (UINT64_C(64) << 20) /* bytes: larger operands take too long here */
#define PRODUCTS_MS   1000.0               /* a processor's driver compiles for most of it */

/* Times within this factor of each other agree; if they differ by twice as much, something is wrong. */
#define CLOCKS_AGREE    1.5
#define CLOCKS_DISAGREE 3.0

static void report_clocks(cli_exam *exam, const vkmm_measurement *time, const vkmm_device_info *info)
{
    double wall = time->slope_ms > 0 ? time->slope_ms : time->submit.median,
           ratio = wall > 0 ? time->kernel.median / wall : 0;
    const char *by = time->slope_ms > 0 ? "the slope of the host's clock" : "submission to the fence";
    const char *device_ms = CLI_FIGURE(time->kernel.median), *wall_ms = CLI_FIGURE(wall);
    /* Submission adds time to a dispatch, so only a longer device time is wrong there. */
    if (ratio > 0 && ratio < 1 && time->slope_ms > 0) ratio = 1 / ratio;
    if (ratio <= CLOCKS_AGREE)
        cli_doctor_find(exam, CLI_OK, "", "%u bits, %.4g ns per tick: a dispatch takes %s ms by them, %s ms by %s",
                        info->limits.timestamp_bits, info->limits.timestamp_period_ns, device_ms, wall_ms, by);
    else
        cli_doctor_find(
            exam, ratio <= CLOCKS_DISAGREE ? CLI_NOTE : CLI_WARNING,
            ratio <= CLOCKS_DISAGREE ? "" : "Do not trust kernel times of this device; compare submit times instead.",
            "a dispatch takes %s ms by the device's timestamps and %s ms by %s", device_ms, wall_ms, by);
}

void cli_check_timestamps(cli_exam *exam)
{
    cli_session *session = exam->session;
    const vkmm_device_info *info = session->info;
    uint64_t n = vkmm_is_processor(info) ? 128 : 512;
    const vkmm_measure_params how = {
        .iters = 10, .warm_time_ms = 20, .min_time_ms = 20, .max_time_ms = 100, .skip_transfers = 1, .cross_check = 1};
    const cli_inputs inputs = {.init = VKMM_INIT_UNIFORM, .seed = 1};
    const cli_request request = {
        .job = {.problem = VKMM_PROBLEM(.m = n, .n = n, .k = n, .type = VKMM_F32), .untuned = 1},
        .inputs = &inputs,
        .kind = &cli_resident};
    vkmm_measurement time = {0};
    cli_product product = {0};
    vkmm_status status;
    if (info->limits.timestamp_bits == 0) {
        cli_doctor_find(exam, CLI_NOTE, "", "the device has none: kernel times come from the host's clock");
        return;
    }
    if (info->limits.timestamp_period_ns > 1e6)
        cli_doctor_find(exam, CLI_WARNING, "", "a tick of %g ns is not valid", info->limits.timestamp_period_ns);
    status = cli_product_prove(session, &request, &product);
    if (status == VKMM_WRONG_RESULT) exam->status = status;
    if (status == VKMM_OK) status = vkmm_job_measure(product.job, &how, &time);
    if (status != VKMM_OK)
        cli_doctor_find(exam, CLI_PROBLEM, "", "a product of %u^3 failed: %.400s", (unsigned)n,
                        session->console.last_error);
    else if (time.clock != VKMM_CLOCK_DEVICE)
        cli_doctor_find(exam, CLI_NOTE, "", "they are not used; the host's clock is used instead: %s", time.clock_note);
    else
        report_clocks(exam, &time, info);
    cli_product_end(&product);
}

/* One verified product. */
static vkmm_status multiply(cli_exam *exam, const vkmm_job_params *params)
{
    const cli_inputs inputs = {.init = VKMM_INIT_INT, .seed = 3};
    const cli_request request = {.job = *params, .inputs = &inputs, .kind = &cli_resident};
    cli_product product = {0};
    const vkmm_status status = cli_product_prove(exam->session, &request, &product);
    cli_product_end(&product);
    if (status == VKMM_WRONG_RESULT) exam->status = status;
    return status;
}

/* The sentence begins with `what`. */
static void report_product(cli_exam *exam, vkmm_status status, const char *what)
{
    const char *why = exam->session->console.last_error;
    if (status == VKMM_OK)
        cli_doctor_find(exam, CLI_OK, "", "%s: right", what);
    else if (status == VKMM_WRONG_RESULT)
        cli_doctor_find(exam, CLI_PROBLEM,
                        "Do not trust products of this device with this driver: try another version of it.",
                        "%s: %.400s", what, why);
    else if (status == VKMM_OUT_OF_MEMORY)
        cli_doctor_find(exam, CLI_NOTE, "", "not checked: %.400s", why);
    else
        cli_doctor_find(exam, CLI_PROBLEM, "", "%s: %.400s", what, why);
}

/* The configuration of the blocked kernel that takes the most shared memory of those that are legal here. 0: there
 * is none. */
static uint32_t most_shared(const vkmm_device_info *info, vkmm_job_params *params, char config[VKMM_CONFIG_TEXT])
{
    static const unsigned sides[] = {16, 32, 64, 128, 256}, depths[] = {8, 16, 32}, blocks[] = {4, 8};
    unsigned choices = 5 * 5 * 3 * 2 * 2;
    char text[VKMM_CONFIG_TEXT];
    uint32_t most = 0;
    vkmm_kernel_info kernel;
    params->config = text;
    /* A processor's driver compiles large blocks for seconds. */
    if (!vkmm_is_processor(info)) choices *= 2;
    for (unsigned i = 0; i < choices; i++) {
        VKMM_PUT(text, "rows=%u,cols=%u,depth=%u,buffers=%u,pad=%u,splits=1,thread-rows=%u,thread-cols=%u",
                 sides[i % 5], sides[i / 5 % 5], depths[i / 25 % 3], 1 + i / 75 % 2, i / 150 % 2, blocks[i / 300],
                 blocks[i / 300]);
        if (vkmm_kernel_choose(NULL, info, params, &kernel) != VKMM_OK || kernel.shared_bytes <= most) continue;
        most = kernel.shared_bytes;
        snprintf(config, VKMM_CONFIG_TEXT, "%s", text);
    }
    params->config = config;
    return most;
}

void cli_check_shared(cli_exam *exam)
{
    const vkmm_device_info *info = exam->session->info;
    vkmm_job_params params = {
        .problem = VKMM_PROBLEM(.m = 256, .n = 256, .k = 96, .type = VKMM_F32), .kernel = "blocked", .untuned = 1};
    char config[VKMM_CONFIG_TEXT] = "", what[160];
    const char *limit = CLI_BYTES(info->limits.max_shared_bytes);
    uint32_t most = most_shared(info, &params, config);
    if (most == 0) {
        cli_doctor_find(exam, CLI_NOTE, "", "no tile of the kernel blocked is legal within %s of shared memory", limit);
        return;
    }
    VKMM_PUT(what, "a tile that takes %s of the %s of shared memory", CLI_BYTES(most), limit);
    report_product(exam, multiply(exam, &params), what);
}

void cli_check_range(cli_exam *exam)
{
    enum { COLUMNS = 4096 };
    const vkmm_device_info *info = exam->session->info;
    uint64_t range = info->limits.max_storage_range, bytes = range < LARGEST_RANGE ? range : LARGEST_RANGE,
             row = COLUMNS * sizeof(float);
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = bytes / row, .n = 1, .k = COLUMNS, .type = VKMM_F32),
                                    .untuned = 1};
    char what[160];
    VKMM_PUT(what, "an operand of %s, where a binding may have %s", CLI_BYTES(bytes / row * row), CLI_BYTES(range));
    report_product(exam, multiply(exam, &params), what);
}

void cli_check_products(cli_exam *exam)
{
    const double end_ms = vkmm_now_ms() + PRODUCTS_MS;
    uint32_t right = 0;
    for (uint32_t i = 0; i < VKMM_TYPES_COUNT && (i == 0 || vkmm_now_ms() < end_ms); i++) {
        const vkmm_types *types = vkmm_types_at(i);
        const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 77, .n = 45, .k = 101, .type = types->in,
                                                                .out_type = types->out, .compute = types->compute),
                                        .untuned = 1};
        const vkmm_status status = multiply(exam, &params);
        if (status != VKMM_OK && status != VKMM_UNSUPPORTED) {
            report_product(exam, status, cli_text_type(&params.problem, exam->session->console.utf8));
            return;
        }
        right += status == VKMM_OK;
    }
    if (right > 0)
        cli_doctor_find(exam, CLI_OK, "", "products of %u combination%s of types, all correct", right,
                        right == 1 ? "" : "s");
    else
        cli_doctor_find(exam, CLI_WARNING, "", "no kernel runs on this device");
}
