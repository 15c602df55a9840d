/* vkmatmul check-worker, a hidden command: it runs the cases that check/conform.h asks for. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "check/conform.h"
#include "session/commands.h"

const cli_case_part *const cli_case_parts[] = {&cli_numbers_part,    &cli_device_part,   &cli_matrices_part,
                                               &cli_reductions_part, &cli_products_part, NULL};

/* ---- cases that are one small shader ---- */

enum { MOST_SHADER = 8192, MOST_HEAD = 4096 /* of its comments */, SHOWN = 16 };

static const struct {
    const char *name, *text;
} texts[] = {
#include "conform_texts.inc"
};

int cli_trial_wrong(cli_trial *trial, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trial->result->why, sizeof trial->result->why, format, arguments);
    va_end(arguments);
    return 0;
}

/* The usual judge. */
static int compare(cli_trial *trial)
{
    for (uint32_t i = 0; i < trial->probe.out_words; i++)
        if (trial->probe.out[i] != trial->want[i])
            return cli_trial_wrong(trial, "word %u of %u is 0x%08x, should be 0x%08x", i, trial->probe.out_words,
                                   trial->probe.out[i], trial->want[i]);
    return 1;
}

void cli_trial_spread(cli_trial *trial, uint32_t invocations, uint32_t count, uint32_t constant)
{
    uint32_t size = 1;
    while (2 * size <= invocations && 2 * size <= count && 2 * size <= trial->info->limits.max_invocations &&
           2 * size <= trial->info->limits.max_workgroup_size[0])
        size *= 2;
    trial->probe.constants[0] = size;
    trial->probe.constants[1] = constant;
    trial->probe.constant_count = 2;
    trial->probe.groups[0] = count / size;
    trial->probe.groups[1] = trial->probe.groups[2] = 1;
}

/* The shader text of a module, whose name is "check_" or "check-", the text's name, and perhaps more. */
static const char *text_of(const char *module)
{
    for (size_t i = 0; i < VKMM_COUNT(texts); i++)
        if (strncmp(module + strlen("check_"), texts[i].name, strlen(texts[i].name)) == 0) return texts[i].text;
    return texts[0].text;
}

/* The shader, and what it is run with. */
static vkmm_status write_shader(const cli_trial *trial)
{
    const vkmm_probe *p = &trial->probe;
    const vkmm_device_driver *driver = &trial->info->driver;
    const uint32_t end = trial->first + (trial->count > 0 ? trial->count : SHOWN);
    char text[MOST_SHADER] = "";
    vkmm_join(text, MOST_HEAD, "", "// %.100s, %.100s %.100s: %s\n// %.400s\n", trial->info->name, driver->name,
              driver->info, trial->result->name, trial->result->why);
    vkmm_join(text, MOST_HEAD, "", "// %s of %ux%ux%u workgroups, %u time(s); constants",
              p->indirect ? "An indirect dispatch" : "A dispatch", p->groups[0], p->groups[1], p->groups[2],
              p->turns == 0 ? 1 : p->turns);
    for (uint32_t i = 0; i < p->constant_count; i++) vkmm_join(text, MOST_HEAD, " ", "%u", p->constants[i]);
    vkmm_join(text, MOST_HEAD, "",
              "; binding 1 begins as %u words 0x%08x;\n// binding 0 has %u words; from word %u:", p->out_words, p->fill,
              p->in_words, trial->first);
    for (uint32_t i = trial->first; i < p->in_words && i < end; i++)
        vkmm_join(text, MOST_HEAD, " ", "0x%08x", p->in[i]);
    vkmm_join(text, MOST_SHADER, "\n", "#version 450\n%s%s", trial->defines,
              text_of(p->module) + strlen("#version 450\n"));
    return vkmm_output_whole(trial->result->file, 0, text, strlen(text));
}

vkmm_status cli_trial_run(cli_session *session, const cli_trial_kind *kind, uint32_t operation, cli_case *result)
{
    cli_trial trial = {.info = session->info, .result = result, .probe = {.module = kind->module, .fill = 0xdeadbeef}};
    trial.probe.in = trial.in = vkmm_alloc(3 * CLI_TRIAL_WORDS, sizeof *trial.in);
    if (trial.in == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for a case of a check"));
    trial.want = trial.in + CLI_TRIAL_WORDS;
    trial.probe.out = trial.want + CLI_TRIAL_WORDS;
    kind->make(&trial, operation);
    vkmm_status status = vkmm_probe_run(session->device, &trial.probe);
    if (status == VKMM_OK) {
        result->passed = kind->judge != NULL ? kind->judge(&trial, operation) : compare(&trial);
    } else if (status != VKMM_OUT_OF_MEMORY && status != VKMM_DEVICE_LOST) {
        cli_trial_wrong(&trial, "%.400s", session->console.last_error);
        status = VKMM_OK;
    }
    if (status == VKMM_OK && !result->passed && result->file[0] != '\0' &&
        vkmm_tell(session->log, write_shader(&trial)) != VKMM_OK) {
        result->file[0] = '\0';
        VKMM_JOIN(result->why, "; ", "its shader was not written: %.200s", session->console.last_error);
    }
    vkmm_free(trial.in);
    return status;
}

/* ---- the command ---- */

static int find_case(const cli_session *session, const cli_case_part *part, uint32_t index, cli_case *found)
{
    if (part->kinds == NULL) return part->find(session, index, found);
    if (index >= part->kind_count) return CLI_NO_CASE;
    VKMM_PUT(found->name, "%s", part->kinds[index].name);
    return part->kinds[index].has == NULL || part->kinds[index].has(session->info);
}

static vkmm_status run_case(cli_session *session, const cli_case_part *part, const char *file, cli_case *found)
{
    const cli_trial_kind *kinds = part->kinds;
    const uint32_t index = found->index;
    VKMM_PUT(found->file, "%s", file);
    vkmm_status status = kinds == NULL ? part->run(session, index, found)
                                       : cli_trial_run(session, &kinds[index], kinds[index].operation, found);
    if (found->passed) found->file[0] = '\0';
    if (status == VKMM_OK && found->passed && session->options->validate && cli_session_validated(session) != VKMM_OK) {
        found->passed = 0;
        VKMM_PUT(found->why, "%.480s", session->console.last_error);
    }
    return status;
}

static vkmm_status answer_case(cli_session *session, const json_t *request, int runs, json_t *answer)
{
    const char *name = cli_json_text(request, "part", "");
    cli_case found = {.index = (uint32_t)cli_json_number(request, "first", 0)};
    vkmm_status status = VKMM_OK;
    const cli_case_part *const *part = cli_case_parts;
    int is_there;
    while (*part != NULL && strcmp((*part)->name, name) != 0) part++;
    if (*part == NULL) return cli_worker_refuse(session, name);
    while ((is_there = find_case(session, *part, found.index, &found)) == 0) found.index++;
    if (is_there == CLI_NO_CASE) return VKMM_OK;
    if (runs) status = run_case(session, *part, cli_json_text(request, "file", ""), &found);
    json_t *json = cli_record_json(&cli_case_record, &found);
    json_object_update(answer, json);
    json_decref(json);
    return status;
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    cli_session *session = user;
    const vkmm_status status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    if (strcmp(ask, "hello") == 0) return cli_worker_introduce(session, answer);
    if (strcmp(ask, "case") == 0) return answer_case(session, request, 1, answer);
    if (strcmp(ask, "name") == 0) return answer_case(session, request, 0, answer);
    return cli_worker_refuse(session, ask);
}

vkmm_status cli_command_check_worker(cli_session *session)
{
    return cli_worker_serve(session, obey, session);
}
