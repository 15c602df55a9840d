#include "bench/link.h"

#include "base/clock.h"
#include "report/records.h"
#include "session/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vkmm_status start(cli_bench_link *link)
{
    const cli_options *options = link->session->options;
    const char *words[4] = {NULL};
    size_t count = 0;

    if (link->device->is_host) words[count++] = "--host";
    if (options->no_cache) words[count++] = "--no-cache";
    if (options->untuned) words[count++] = "--untuned";
    return cli_child_start(link->session, "bench-worker", link->device->is_host ? NULL : &link->device->info, words,
                           &link->process);
}

void cli_bench_close(cli_bench_link *link)
{
    vkmm_process_end(&link->process, CLI_CHILD_END_MS, NULL);
}

static void say(cli_bench_link *link, vkmm_status status, const char *sentence)
{
    link->status = status;
    snprintf(link->sentence, sizeof link->sentence, "%.*s", VKMM_BENCH_TEXT - 1, sentence);
}

cli_bench_reply cli_bench_distrust(cli_bench_link *link, const char *what)
{
    char sentence[VKMM_BENCH_TEXT];

    /* It may be the process's own text, which goes with it. */
    snprintf(sentence, sizeof sentence, "the process that measured gave no sensible answer: %.120s", what);
    vkmm_process_end(&link->process, 0, NULL);
    link->losses++;
    say(link, VKMM_DEVICE_LOST, sentence);
    return CLI_BENCH_LOST;
}

/* A process that did not answer. */
static cli_bench_reply lose(cli_bench_link *link, vkmm_heard heard, double waited_ms)
{
    char sentence[VKMM_BENCH_TEXT];

    cli_child_lose(&link->process, heard, waited_ms, sentence, sizeof sentence);
    if (heard == VKMM_HEARD_INTERRUPTED) return CLI_BENCH_INTERRUPTED;
    link->losses++;
    say(link, VKMM_DEVICE_LOST, sentence);
    return CLI_BENCH_LOST;
}

/* Any object with a status of ours is an answer. */
static cli_bench_reply take(cli_bench_link *link, const char *text, json_t **answer)
{
    json_t *object = json_loads(text, 0, NULL);
    const json_t *status = json_object_get(object, "status");

    if (!json_is_integer(status) || json_integer_value(status) < VKMM_OK ||
        json_integer_value(status) > VKMM_DEVICE_LOST) {
        json_decref(object);
        return cli_bench_distrust(link, text);
    }
    say(link, (vkmm_status)json_integer_value(status), cli_bench_text(object, "sentence", ""));
    if (link->status != VKMM_DEVICE_LOST) {
        *answer = object;
        return CLI_BENCH_ANSWER;
    }
    json_decref(object);
    vkmm_process_end(&link->process, 0, NULL);
    link->losses++;
    if (link->sentence[0] == '\0') say(link, VKMM_DEVICE_LOST, "the device was lost");
    return CLI_BENCH_LOST;
}

cli_bench_reply cli_bench_ask(cli_bench_link *link, json_t *request, double patience_ms, json_t **answer)
{
    const double start = vkmm_now_ms();
    char *line = cli_bench_line(request);
    const char *text = NULL;
    vkmm_heard heard;

    *answer = NULL;
    if (line == NULL) return cli_bench_distrust(link, "no memory for a request");
    vkmm_process_send(link->process, line); /* to one that is gone: its end is heard next */
    free(line);
    heard = vkmm_process_hear_text(link->process, start + patience_ms, CLI_BENCH_MOST_BYTES, &text);
    link->spent_ms += vkmm_now_ms() - start;
    if (heard != VKMM_HEARD_LINE) return lose(link, heard, patience_ms);
    return take(link, text, answer);
}

/* An index may mean another device in another process. */
static int is_same(const vkmm_bench_device *expected, const vkmm_bench_device *got)
{
    if (expected->is_host || got->is_host) return expected->is_host && got->is_host;
    return memcmp(expected->info.uuid, got->info.uuid, sizeof got->info.uuid) == 0;
}

/* The first words with a new process. */
static cli_bench_reply greet(cli_bench_link *link, double patience_ms)
{
    vkmm_bench_device device = {0};
    char sentence[VKMM_BENCH_TEXT];
    json_t *answer;
    cli_bench_reply reply = cli_bench_ask(link, cli_bench_request("hello"), patience_ms, &answer);

    if (reply != CLI_BENCH_ANSWER) return reply;
    if (link->status == VKMM_OK &&
        !vkmm_record_parse(json_object_get(answer, "device"), &vkmm_device_record, &device, sentence)) {
        json_decref(answer);
        return cli_bench_distrust(link, sentence);
    }
    json_decref(answer);
    if (link->status == VKMM_OK && is_same(link->device, &device)) return CLI_BENCH_ANSWER;
    if (link->status == VKMM_OK) {
        snprintf(sentence, sizeof sentence, "the process that measures sees another device, \"%.100s\"",
                 device.info.name);
        say(link, VKMM_NO_DEVICE, sentence);
    }
    cli_bench_close(link);
    return CLI_BENCH_NO_DEVICE;
}

cli_bench_reply cli_bench_start(cli_bench_link *link, double patience_ms)
{
    cli_bench_reply reply = CLI_BENCH_ANSWER;

    while (link->process == NULL) {
        vkmm_status status = start(link);
        if (status != VKMM_OK) {
            say(link, status, "the process that measures cannot be started");
            return CLI_BENCH_NO_DEVICE;
        }
        link->starts++;
        reply = greet(link, patience_ms);
        /* A driver may need a moment to get over a lost device. */
        if (reply != CLI_BENCH_LOST || link->losses >= CLI_BENCH_LOSSES) return reply;
    }
    return reply;
}
