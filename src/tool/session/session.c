#include "session/session.h"

#include "base/alloc.h"
#include "system/terminal.h"
#include "session/drivers.h"
#include "session/host.h"
#include "session/problem.h"
#include "report/text.h"

#include <string.h>
#include <strings.h>

/* Tables know the widest size in advance, so that a list stays aligned although rows appear one by one. */
static int widest_size(const cli_options *options, int utf8)
{
    size_t widest = 5;

    for (size_t i = 0; i < cli_size_count(options); i++) {
        const cli_size size = cli_size_at(options, i);
        const vkmm_problem problem = cli_problem_make(options, &size, VKMM_F32);
        char text[VKMM_TEXT_PROBLEM];
        vkmm_text_problem(text, sizeof text, &problem, utf8);
        if (vkmm_text_columns(text) > widest) widest = vkmm_text_columns(text);
    }
    return (int)widest;
}

static int widest_type(const cli_options *options, int utf8)
{
    const cli_size size = cli_size_at(options, 0);
    size_t widest = 0;

    for (uint32_t i = 0; i == 0 || i < options->types.count; i++) {
        const vkmm_problem problem =
            cli_problem_make(options, &size, options->types.count > 0 ? options->types.type[i] : VKMM_F32);
        const size_t columns = vkmm_text_columns(vkmm_text_type(&problem, utf8));
        if (columns > widest) widest = columns;
    }
    return (int)widest;
}

static int widest_kernel(const cli_options *options)
{
    char name[128] = "";
    size_t builtin = options->kernel != NULL ? strlen(options->kernel) : 0, own;

    if (options->shader != NULL) vkmm_text_clean(name, sizeof name, vkmm_text_base_name(options->shader));
    own = vkmm_text_columns(name);
    return (int)(own > builtin ? own : builtin);
}

vkmm_status cli_session_start(cli_session *session, const cli_options *options, int argc, char **argv)
{
    session->options = options;
    cli_host_name(session->host, sizeof session->host);
    session->command = cli_command_line(argc, argv);
    if (session->command == NULL)
        return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for the command line");
    session->writer = vkmm_writer_find(options->json    ? "json"
                                       : options->csv   ? "csv"
                                       : options->quiet ? "quiet"
                                                        : "table");
    session->report.out = stdout;
    session->report.utf8 = vkmm_terminal_utf8();
    session->report.colour = vkmm_terminal_colour(stdout);
    session->report.columns = vkmm_terminal_is(stdout) ? vkmm_terminal_columns(stdout) : 0;
    session->report.version = vkmm_version();
    session->report.shader_hash = vkmm_shader_hash();
    session->report.command = session->command;
    session->report.size_width = widest_size(options, session->report.utf8);
    session->report.type_width = widest_type(options, session->report.utf8);
    session->report.kernel_width = widest_kernel(options);
    return VKMM_OK;
}

void cli_session_forget_device(cli_session *session)
{
    vkmm_device_destroy(&session->device);
    vkmm_instance_destroy(&session->instance);
    session->info = NULL;
    session->validation_messages = 0;
}

void cli_session_end(cli_session *session)
{
    cli_progress_end(&session->console);
    cli_session_forget_device(session);
    vkmm_free(session->command);
    session->command = NULL;
}

static vkmm_status open_instance(cli_session *session)
{
    const vkmm_instance_params params = {.log = session->console.log,
                                         .validate = session->options->validate,
                                         .cache_dir = session->options->no_cache ? "" : NULL};

    return vkmm_instance_create(&params, &session->instance);
}

vkmm_status cli_session_add_swiftshader(cli_session *session)
{
    static const char name[] = "swiftshader";
    vkmm_status status;

    if (session->options->driver != NULL) return VKMM_OK;
    for (uint32_t i = 0; i < vkmm_instance_device_count(session->instance); i++)
        if (strncasecmp(vkmm_instance_device_info(session->instance, i)->name, name, sizeof name - 1) == 0)
            return VKMM_OK;
    vkmm_instance_destroy(&session->instance);
    status = cli_drivers_add(&session->console.log, name);
    return status == VKMM_OK ? open_instance(session) : status;
}

vkmm_status cli_session_instance(cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = &session->console.log;
    vkmm_status status = VKMM_OK;

    if (session->instance != NULL) return VKMM_OK;
    if (options->driver != NULL) status = cli_drivers_add(log, options->driver);
    if (status == VKMM_OK && options->no_layers) status = cli_layers_disable(log);
    if (status != VKMM_OK) return status;
    if (options->no_layers) cli_layers_warn(log);
    status = open_instance(session);
    if (status == VKMM_OK && options->device != NULL && strcasecmp(options->device, "swiftshader") == 0)
        status = cli_session_add_swiftshader(session);
    return status;
}

vkmm_status cli_session_device(cli_session *session)
{
    uint32_t index = 0;
    vkmm_status status;

    if (session->device != NULL) return VKMM_OK;
    status = cli_session_instance(session);
    if (status == VKMM_OK) status = vkmm_instance_find_device(session->instance, session->options->device, &index);
    if (status == VKMM_OK) status = vkmm_device_create(session->instance, index, &session->device);
    if (status == VKMM_OK) session->info = vkmm_instance_device_info(session->instance, index);
    return status;
}

vkmm_status cli_session_validated(cli_session *session)
{
    uint32_t count = session->instance != NULL ? vkmm_instance_validation_messages(session->instance) : 0;
    uint32_t new_ones = count - session->validation_messages;

    session->validation_messages = count;
    if (new_ones == 0) return VKMM_OK;
    return vkmm_fail(&session->console.log, VKMM_WRONG_RESULT, "the validation layer gave %u message%s", new_ones,
                     new_ones == 1 ? "" : "s");
}

vkmm_status cli_session_row(cli_session *session, const vkmm_bench_row *row)
{
    vkmm_status status;

    cli_progress_end(&session->console);
    status = session->writer->row(&session->report, row);
    if (status != VKMM_OK) return vkmm_fail(&session->console.log, status, "no memory to write a result");
    session->report.rows++;
    return vkmm_report_flush(&session->report, &session->console.log);
}

vkmm_status cli_worse(vkmm_status so_far, vkmm_status next)
{
    if (so_far == VKMM_OK || next == VKMM_WRONG_RESULT) return next;
    return so_far;
}
