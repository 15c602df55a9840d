#include "check/conform_trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

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
    vsnprintf(trial->why, sizeof trial->why, format, arguments);
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

int cli_trial_find(const cli_session *session, const cli_trial_kind *kind, cli_case *found)
{
    VKMM_PUT(found->name, "%s", kind->name);
    return kind->has == NULL || kind->has(session->info);
}

/* The text of a module whose name begins with the text's, in which '-' may stand for '_'. */
static const char *text_of(const char *module)
{
    for (size_t i = 0; i < VKMM_COUNT(texts); i++) {
        const size_t length = strlen(texts[i].name);
        if (strncmp(module, "check", 5) == 0 && strncmp(module + 6, texts[i].name + 6, length - 6) == 0)
            return texts[i].text;
    }
    return texts[0].text;
}

/* The shader, and what it is run with. NULL: no memory. */
static char *reproduce(const cli_trial *trial, const char *name)
{
    const vkmm_probe *p = &trial->probe;
    const vkmm_device_driver *driver = &trial->info->driver;
    char *text = vkmm_alloc(1, MOST_SHADER);
    size_t end = 0;

    if (text == NULL) return NULL;
#define ADD(...) \
    if (end < MOST_HEAD) end += (size_t)snprintf(text + end, MOST_HEAD - end, __VA_ARGS__)
    ADD("// %.100s, %.100s %.100s: %s\n// %.400s\n// %s of %ux%ux%u workgroups, %u time(s); constants",
        trial->info->name, driver->name, driver->info, name, trial->why,
        p->indirect ? "An indirect dispatch" : "A dispatch", p->groups[0], p->groups[1], p->groups[2],
        p->turns == 0 ? 1 : p->turns);
    for (uint32_t i = 0; i < p->constant_count; i++) ADD(" %u", p->constants[i]);
    ADD("; binding 1 begins as %u words 0x%08x;\n// binding 0 has %u words; from word %u:", p->out_words, p->fill,
        p->in_words, trial->first);
    for (uint32_t i = trial->first; i < p->in_words && i < trial->first + (trial->count > 0 ? trial->count : SHOWN);
         i++)
        ADD(" 0x%08x", p->in[i]);
#undef ADD
    if (end >= MOST_HEAD) end = MOST_HEAD - 1; /* it was cut */
    text[end++] = '\n';
    snprintf(text + end, MOST_SHADER - end, "#version 450\n%s%s", trial->defines,
             text_of(p->module) + strlen("#version 450\n"));
    return text;
}

vkmm_status cli_trial_run(cli_session *session, const cli_trial_kind *kind, uint32_t operation, cli_case *result)
{
    cli_trial trial = {.info = session->info, .probe = {.module = kind->module, .fill = 0xdeadbeef}};
    vkmm_status status = VKMM_OK;

    trial.probe.in = trial.in = vkmm_alloc(3 * CLI_TRIAL_WORDS, sizeof *trial.in);
    if (trial.in == NULL) {
        status = vkmm_tell(session->log, VKMM_NO_MEMORY("for a case of a check"));
    } else {
        trial.want = trial.in + CLI_TRIAL_WORDS;
        trial.probe.out = trial.want + CLI_TRIAL_WORDS;
        kind->make(&trial, operation);
        status = vkmm_probe_run(session->device, &trial.probe);
    }
    if (status == VKMM_OK) {
        result->passed = kind->judge != NULL ? kind->judge(&trial, operation) : compare(&trial);
    } else if (status != VKMM_OUT_OF_MEMORY && status != VKMM_DEVICE_LOST) {
        cli_trial_wrong(&trial, "%.400s", session->console.last_error);
        status = VKMM_OK;
    }
    if (status == VKMM_OK && !result->passed) {
        VKMM_PUT(result->why, "%s", trial.why);
        result->shader = reproduce(&trial, result->name);
    }
    vkmm_free(trial.in);
    return status;
}
