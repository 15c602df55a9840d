#include "system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "system/process_spawn.h"

enum { SLICE_MS = 50, COMPLAINT = 256, CHUNK = 65536 };

/* A program on its way, and the three streams between it and this process; -1: closed. */
typedef struct filter {
    const vkmm_log *log;
    const char *name;
    const char *input;
    size_t left; /* bytes of input that were not sent yet */
    size_t most, used, room;
    char *output;
    char complaint[COMPLAINT]; /* the start of its standard error */
    size_t complained;
    pid_t pid;
    int in, out, err;
} filter;

static void close_stream(int *stream)
{
    if (*stream >= 0) close(*stream);
    *stream = -1;
}

static vkmm_status start(filter *f, char *const *arguments)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, error = 0;
    /* Its input is a socket, because writing to a program that is gone is then an error and not a signal; its output
     * is a pipe, because a socket cannot be opened again as /dev/stdout. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, in) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
        pipe2(err, O_CLOEXEC) != 0)
        error = errno;
    /* Only this end may refuse to block. */
    if (error == 0 && fcntl(in[1], F_SETFL, 0) != 0) error = errno;
    if (error == 0) error = vkmm_process_spawn(NULL, arguments, (int[]){in[1], out[1], err[1]}, &f->pid);
    close_stream(&in[1]);
    close_stream(&out[1]);
    close_stream(&err[1]);
    f->in = in[0];
    f->out = out[0];
    f->err = err[0];
    if (error == 0) return VKMM_OK;
    f->pid = -1;
    return vkmm_fail(f->log, error == ENOENT ? VKMM_NO_DEVICE : VKMM_INVALID, "cannot start %s: %s", f->name,
                     strerror(error));
}

static void send_some(filter *f)
{
    ssize_t sent = send(f->in, f->input, f->left < CHUNK ? f->left : CHUNK, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (sent > 0) {
        f->input += sent;
        f->left -= (size_t)sent;
    }
    if (sent < 0 || f->left == 0) close_stream(&f->in); /* a program need not read all of its input */
}

static vkmm_status read_output(filter *f)
{
    if (f->used + 1 >= f->room) {
        size_t room = f->room > 0 ? f->room * 2 : CHUNK;
        char *output = vkmm_realloc(f->output, room, 1);
        if (output == NULL) return vkmm_fail(f->log, VKMM_OUT_OF_MEMORY, "no memory for what %s wrote", f->name);
        f->output = output;
        f->room = room;
    }
    ssize_t got = read(f->out, f->output + f->used, f->room - f->used - 1);
    if (got < 0 && errno == EINTR) return VKMM_OK;
    if (got <= 0) close_stream(&f->out);
    if (got > 0) f->used += (size_t)got;
    if (f->used > f->most) return vkmm_fail(f->log, VKMM_INVALID, "%s wrote more than %zu bytes", f->name, f->most);
    return VKMM_OK;
}

static void read_complaint(filter *f)
{
    char rest[1024];
    int full = f->complained >= sizeof f->complaint - 1;
    ssize_t got = full ? read(f->err, rest, sizeof rest)
                       : read(f->err, f->complaint + f->complained, sizeof f->complaint - 1 - f->complained);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) close_stream(&f->err);
    if (got > 0 && !full) f->complained += (size_t)got;
}

/* Serves the streams until the program has closed its output and its standard error. */
static vkmm_status serve(filter *f, double deadline_ms, double patience_ms)
{
    while (f->out >= 0 || f->err >= 0) {
        struct pollfd streams[] = {
            {f->in, POLLOUT, 0}, {f->out, POLLIN, 0}, {f->err, POLLIN, 0}}; /* poll passes over negative ones */
        if (vkmm_interrupted()) return vkmm_fail(f->log, VKMM_INVALID, "%s was interrupted", f->name);
        if (vkmm_now_ms() >= deadline_ms)
            return vkmm_fail(f->log, VKMM_INVALID, "%s did not end within %g s", f->name, patience_ms / 1e3);
        if (poll(streams, 3, SLICE_MS) <= 0) continue;
        if (streams[0].revents != 0) send_some(f);
        if (streams[1].revents != 0) {
            vkmm_status status = read_output(f);
            if (status != VKMM_OK) return status;
        }
        if (streams[2].revents != 0) read_complaint(f);
    }
    return VKMM_OK;
}

/* A program that closed its streams is given the rest of the time to end. */
static vkmm_status wait_for_end(filter *f, double deadline_ms, double patience_ms)
{
    int how = 0;
    for (;;) {
        pid_t ended = waitpid(f->pid, &how, WNOHANG);
        if (ended == f->pid) break;
        if (ended < 0 && errno != EINTR)
            return vkmm_fail(f->log, VKMM_INVALID, "cannot wait for %s: %s", f->name, strerror(errno));
        if (vkmm_now_ms() >= deadline_ms)
            return vkmm_fail(f->log, VKMM_INVALID, "%s did not end within %g s", f->name, patience_ms / 1e3);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    f->pid = -1;
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return VKMM_OK;
    f->complaint[f->complained] = '\0';
    const char *said = f->complaint + strspn(f->complaint, " \t\r\n");
    int length = (int)strcspn(said, "\r\n");
    if (WIFSIGNALED(how))
        return vkmm_fail(f->log, VKMM_INVALID, "%s was killed by signal %d (%s)%s%.*s", f->name, WTERMSIG(how),
                         strsignal(WTERMSIG(how)), length > 0 ? ": " : "", length, said);
    return vkmm_fail(f->log, VKMM_INVALID, "%s ended with status %d%s%.*s", f->name, WEXITSTATUS(how),
                     length > 0 ? ": " : "", length, said);
}

vkmm_status vkmm_process_filter(const vkmm_log *log, char *const *arguments, const char *input, double patience_ms,
                                size_t most, char **output, size_t *bytes)
{
    filter f = {.log = log,
                .name = arguments[0],
                .input = input,
                .left = strlen(input),
                .most = most,
                .pid = -1,
                .in = -1,
                .out = -1,
                .err = -1};
    double deadline_ms = vkmm_now_ms() + patience_ms;
    *output = NULL;
    *bytes = 0;
    vkmm_status status = start(&f, arguments);
    if (status == VKMM_OK && f.left == 0) close_stream(&f.in);
    if (status == VKMM_OK) status = serve(&f, deadline_ms, patience_ms);
    if (status == VKMM_OK) {
        close_stream(&f.in);
        status = wait_for_end(&f, deadline_ms, patience_ms);
    }
    close_stream(&f.in);
    close_stream(&f.out);
    close_stream(&f.err);
    if (f.pid > 0) { /* with all that it started */
        kill(-f.pid, SIGKILL);
        waitpid(f.pid, NULL, 0);
    }
    if (status != VKMM_OK) {
        vkmm_free(f.output);
        return status;
    }
    f.output[f.used] = '\0';
    *output = f.output;
    *bytes = f.used;
    return VKMM_OK;
}
