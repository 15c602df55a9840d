#include "system/process.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "system/child.h"

enum { FIRST_ROOM = 1024 };
enum { SLICE_MS = 50 };  /* a signal may arrive just before waiting begins, so this is how often to check for one */
enum { HASTE_MS = 200 }; /* for a child to end, and to be gone, once this process is asked to end */

struct cli_process {
    cli_child *child;
    int broken;        /* a line was too long for its reader: nothing more is read */
    size_t used, room; /* bytes of `text` that were read, and that there are */
    size_t given;      /* bytes at its start that the last cli_process_hear gave away */
    char *text;
};

vkmm_status cli_process_start(const vkmm_log *log, const char *path, char *const *arguments, cli_process **out)
{
    cli_process *process = vkmm_alloc(1, sizeof *process);
    vkmm_status status = process != NULL ? cli_child_start(log, path, arguments, &process->child)
                                         : vkmm_tell(log, VKMM_NO_MEMORY("to start a process"));
    if (status != VKMM_OK) {
        vkmm_free(process);
        process = NULL;
    }
    *out = process;
    return status;
}

int cli_process_send(cli_process *process, const char *text)
{
    return cli_child_send(process->child, text, strlen(text));
}

/* Reads more into the text, which grows if it is full: CLI_HEARD_LINE if something came. */
static cli_heard read_more(cli_process *process, double deadline_ms)
{
    if (process->used == process->room) {
        size_t room = process->room > 0 ? process->room * 2 : FIRST_ROOM;
        char *text = vkmm_realloc(process->text, room, 1);
        if (text == NULL) return CLI_HEARD_END;
        process->text = text;
        process->room = room;
    }
    for (;;) {
        double left = deadline_ms - vkmm_now_ms();
        if (cli_interrupted()) return CLI_HEARD_INTERRUPTED;
        if (left <= 0) return CLI_HEARD_NOTHING;
        int64_t got = cli_child_read(process->child, left < SLICE_MS ? (int)left + 1 : SLICE_MS,
                                     process->text + process->used, process->room - process->used);
        if (got < 0) return CLI_HEARD_END;
        process->used += (size_t)got;
        if (got > 0) return CLI_HEARD_LINE;
    }
}

cli_heard cli_process_hear(cli_process *process, double deadline_ms, size_t most, const char **text)
{
    size_t searched = 0;
    process->used -= process->given;
    if (process->given > 0) memmove(process->text, process->text + process->given, process->used);
    process->given = 0;
    while (!process->broken) {
        char *end = process->used > searched ? memchr(process->text + searched, '\n', process->used - searched) : NULL;
        size_t length = end != NULL ? (size_t)(end - process->text) : process->used;
        process->broken = length > most;
        if (process->broken) break;
        if (end != NULL) {
            *end = '\0';
            *text = process->text;
            process->given = length + 1;
            return CLI_HEARD_LINE;
        }
        searched = process->used;
        cli_heard heard = read_more(process, deadline_ms);
        if (heard != CLI_HEARD_LINE) return heard;
    }
    return CLI_HEARD_END;
}

/* 1 if the child ended within the time. */
static int wait_for(cli_child *child, double patience_ms)
{
    double start = vkmm_now_ms();
    while (!cli_child_ended(child)) {
        if (vkmm_now_ms() - start >= (cli_interrupted() ? fmin(patience_ms, HASTE_MS) : patience_ms)) return 0;
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    return 1;
}

void cli_process_end(cli_process **pointer, double patience_ms, char how[CLI_PROCESS_END])
{
    cli_process *process = *pointer;
    if (process == NULL) return;
    cli_child_close_input(process->child);
    int killed = !wait_for(process->child, patience_ms);
    if (killed) {
        cli_child_kill(process->child);
        /* A process inside a hanging driver may never end: it is not waited for. */
        wait_for(process->child, 2000);
    }
    if (how != NULL && killed)
        snprintf(how, CLI_PROCESS_END, "was killed");
    else if (how != NULL)
        cli_child_how(process->child, how);
    cli_child_free(process->child);
    vkmm_free(process->text);
    vkmm_free(process);
    *pointer = NULL;
}
