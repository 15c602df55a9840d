#include "session/session.h"

#include "base/alloc.h"
#include "base/disk.h"
#include "base/limits.h"
#include "math/method.h"
#include "system/sensors.h"
#include "system/terminal.h"
#include "session/drivers.h"
#include "report/json.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static void widen(int *width, const char *text)
{
    const int columns = (int)cli_text_columns(text);
    if (columns > *width) *width = columns;
}

void cli_session_widen(cli_session *session, const vkmm_problem *problem)
{
    cli_report *report = &session->report;
    vkmm_problem computed = *problem;
    if (session->info != NULL) computed.method = vkmm_method_where(session->info->features.f64, problem);
    widen(&report->size_width, CLI_NAME(problem, report->utf8));
    widen(&report->type_width, cli_text_type(&computed, report->utf8));
}

/* Computes the widest texts in advance, so that a table stays aligned although rows appear one by one. */
static void measure_columns(cli_session *session)
{
    const cli_options *options = session->options;
    cli_report *report = &session->report;
    char text[CLI_TEXT_PROBLEM];
    if (report->size_width < 5) report->size_width = 5;
    for (size_t i = 0; i < cli_size_count(options); i++) {
        for (uint32_t t = 0; t == 0 || (i == 0 && t < options->types.count); t++) {
            const cli_size size = cli_size_at(options, i, session->square);
            const vkmm_problem problem =
                cli_problem_make(options, &size, options->types.count > 0 ? options->types.type[t] : VKMM_F32);
            cli_session_widen(session, &problem);
        }
    }
    if (options->kernel != NULL) widen(&report->kernel_width, options->kernel);
    for (uint32_t i = 0; i < options->shaders.count; i++) {
        VKMM_CLEAN(text, vkmm_path_name(options->shaders.item[i]));
        widen(&report->kernel_width, text);
    }
}

static int is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

/* Single quotes keep everything but themselves; one of those becomes '\''. */
static char *append_word(char *end, const char *word)
{
    if (is_plain(word)) return end + sprintf(end, "%s", word);
    *end++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            end += sprintf(end, "'\\''");
        else
            *end++ = *word;
    }
    *end++ = '\'';
    return end;
}

char *cli_shell_line(int count, const char *const *words)
{
    size_t bytes = 1;
    char *line, *end;
    for (int i = 0; i < count; i++) bytes += 4 * strlen(words[i]) + 3;
    line = vkmm_alloc(bytes, 1);
    if (line == NULL) return NULL;
    end = line;
    for (int i = 0; i < count; i++) {
        if (i > 0) *end++ = ' ';
        end = append_word(end, words[i]);
    }
    *end = '\0';
    return line;
}

vkmm_status cli_session_start(cli_session *session, const cli_options *options, int argc, char **argv)
{
    session->options = options;
    session->square = CLI_SQUARE;
    cli_processor_name(session->host, sizeof session->host);
    session->command = cli_shell_line(argc, (const char *const *)argv);
    if (session->command == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for the command line"));
    session->writer = cli_writer_find(options->format != NULL ? options->format : "table");
    session->report.out = stdout;
    session->report.utf8 = cli_terminal_utf8();
    session->report.samples = options->samples;
    session->report.verbose = options->verbose;
    session->report.colour = cli_terminal_colour(stdout);
    session->report.columns = cli_terminal_columns(stdout, 0);
    session->report.version = vkmm_version();
    session->report.shader_hash = vkmm_shader_hash();
    session->report.command = session->command;
    measure_columns(session);
    return VKMM_OK;
}

void cli_session_forget_device(cli_session *session)
{
    vkmm_device_destroy(&session->device);
    while (session->other_count > 0) vkmm_device_destroy(&session->others[--session->other_count]);
    vkmm_free(session->others);
    session->others = NULL;
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
    status = vkmm_tell(session->log, cli_drivers_add(name));
    return status == VKMM_OK ? open_instance(session) : status;
}

vkmm_status cli_session_instance(cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    vkmm_status status = VKMM_OK;
    if (session->instance != NULL) return VKMM_OK;
    if (options->driver != NULL) status = vkmm_tell(log, cli_drivers_add(options->driver));
    if (status == VKMM_OK && options->no_layers) status = cli_layers_disable(log);
    if (status != VKMM_OK) return status;
    status = open_instance(session);
    for (const char *at = options->device; status == VKMM_OK && at != NULL && *at != '\0'; at++)
        if (strncasecmp(at, "swiftshader", 11) == 0) return cli_session_add_swiftshader(session);
    return status;
}

vkmm_status cli_session_find_device(cli_session *session)
{
    uint32_t index = 0;
    vkmm_status status = cli_session_instance(session);
    if (status == VKMM_OK) status = vkmm_instance_find_device(session->instance, session->options->device, &index);
    if (status == VKMM_OK) session->info = vkmm_instance_device_info(session->instance, index);
    return status;
}

static int is_on_gpu(const cli_session *session)
{
    return session->info != NULL && !vkmm_is_processor(session->info);
}

void cli_session_square(cli_session *session, uint64_t on_gpu)
{
    session->square = is_on_gpu(session) ? on_gpu : CLI_SQUARE_CPU;
}

void cli_session_note_square(cli_session *session)
{
    if (session->square_noted || cli_size_is_given(session->options)) return;
    session->square_noted = 1;
    cli_note(&session->console, "size %llu, the default on a %s; --size N selects another",
             (unsigned long long)session->square, is_on_gpu(session) ? "GPU" : "processor");
}

/* One of several that share a product: it is an error only if no device is left. */
static vkmm_status open_one(cli_session *session, uint32_t index, int is_last)
{
    const vkmm_log *log = session->log;
    const vkmm_device_info *info = vkmm_instance_device_info(session->instance, index);
    const cli_console before = session->console; /* it may hold errors already */
    vkmm_device *device = NULL;
    vkmm_status status;
    cli_console_hold(&session->console);
    status = vkmm_device_create(session->instance, index, &device);
    session->console = before;
    if (device != NULL && session->device == NULL) {
        session->device = device;
        session->info = info;
    } else if (device != NULL) {
        session->others[session->other_count++] = device;
    } else if (is_last && session->device == NULL) {
        return VKMM_FAIL(log, status, "%s", vkmm_last_error());
    } else {
        vkmm_say(log, VKMM_LOG_WARNING, "\"%s\" is left out: %s", info->name, vkmm_last_error());
    }
    return VKMM_OK;
}

static vkmm_status open_several(cli_session *session, const char *what)
{
    vkmm_status status = cli_session_instance(session);
    const uint32_t most = status == VKMM_OK ? vkmm_instance_device_count(session->instance) : 0;
    uint32_t count = 0, *indices;
    if (status != VKMM_OK) return status;
    indices = vkmm_alloc(most, sizeof *indices);
    session->others = vkmm_alloc(most, sizeof(vkmm_device *));
    if (indices == NULL || session->others == NULL)
        status = vkmm_tell(session->log, VKMM_NO_MEMORY("for a list of devices"));
    if (status == VKMM_OK) status = vkmm_instance_find_devices(session->instance, what, indices, &count);
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++) status = open_one(session, indices[i], i + 1 == count);
    vkmm_free(indices);
    return status;
}

vkmm_status cli_session_device(cli_session *session)
{
    const char *what = session->options->device;
    vkmm_status status;
    if (session->device != NULL) return VKMM_OK;
    if (session->shares && what != NULL && *what != '\0') return open_several(session, what);
    status = cli_session_find_device(session);
    if (status == VKMM_OK) status = vkmm_device_create(session->instance, session->info->index, &session->device);
    if (status != VKMM_OK) session->info = NULL;
    return status;
}

vkmm_status cli_session_validated(cli_session *session)
{
    uint32_t count = session->instance != NULL ? vkmm_instance_validation_messages(session->instance) : 0;
    uint32_t new_ones = count - session->validation_messages;
    session->validation_messages = count;
    if (new_ones == 0) return VKMM_OK;
    return VKMM_FAIL(session->log, VKMM_WRONG_RESULT, "the validation layer reported %u message%s", new_ones,
                     new_ones == 1 ? "" : "s");
}

vkmm_status cli_session_wrote(cli_session *session, vkmm_status status)
{
    if (status != VKMM_OK) return VKMM_FAIL(session->log, status, "no memory to write a result");
    session->report.rows++;
    return cli_report_flush(&session->report, session->log);
}

vkmm_status cli_session_row(cli_session *session, const cli_bench_row *row)
{
    cli_progress_end(&session->console);
    if (session->report.rows == 0) { /* now the device is known */
        measure_columns(session);
        cli_session_widen(session, &row->problem);
    }
    return cli_session_wrote(session, session->writer->run(&session->report, row));
}

vkmm_status cli_session_document(cli_session *session, json_t *document)
{
    cli_progress_end(&session->console);
    session->has_documents = 1;
    return cli_session_wrote(session, session->writer->document(&session->report, document));
}

vkmm_status cli_session_record(cli_session *session, const char *schema, const vkmm_record *record, const void *what)
{
    return cli_session_document(
        session, cli_json_document(&session->report, schema, session->info, NULL, cli_record_json(record, what)));
}

vkmm_status cli_worse(vkmm_status so_far, vkmm_status next)
{
    if (so_far == VKMM_OK || next == VKMM_WRONG_RESULT) return next;
    return so_far;
}
