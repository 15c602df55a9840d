#include "system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"

extern char **environ;

enum { FIRST_ROOM = 1024 };
enum { SLICE_MS = 50 };  /* a signal may arrive just before poll begins, so this is how often to check for one */
enum { HASTE_MS = 200 }; /* for a child to end, and to be gone, once this process is asked to end */

struct vkmm_process {
    pid_t pid;
    int socket;
    int broken;        /* a line was too long for its reader: nothing more is read */
    size_t used, room; /* bytes of `text` that were read, and that there are */
    size_t given;      /* bytes at its start that the last vkmm_process_hear gave away */
    char *text;
};

/* Starts a program in its own process group, with the socket as its standard input and output, and nothing as its
 * standard error. Returns 0, or the error's number. */
static int spawn(const char *path, char *const *arguments, int socket, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files); /* neither fails in any libc for Linux */
    posix_spawnattr_init(&attributes);
    int error = posix_spawn_file_actions_adddup2(&files, socket, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&files, socket, 1);
    if (error == 0) error = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_RDWR, 0);
    if (error == 0) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (error == 0) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (error == 0) error = posix_spawn(pid, path, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

vkmm_status vkmm_process_start(const vkmm_log *log, const char *path, char *const *arguments, vkmm_process **out)
{
    const char *program = path != NULL ? path : "/proc/self/exe";
    int sockets[2];
    *out = NULL;
    vkmm_process *process = vkmm_alloc(1, sizeof *process);
    if (process == NULL) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory to start %s", program);
    /* A socket rather than two pipes: writing to a child that has ended is then an error, not a signal. */
    int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 ? 0 : errno;
    if (error == 0) {
        error = spawn(program, arguments, sockets[1], &process->pid);
        close(sockets[1]);
        if (error != 0) close(sockets[0]);
    }
    if (error != 0) {
        vkmm_free(process);
        return vkmm_fail(log, VKMM_INVALID, "cannot start %s: %s", program, strerror(error));
    }
    process->socket = sockets[0];
    *out = process;
    return VKMM_OK;
}

int vkmm_process_send(vkmm_process *process, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t sent = send(process->socket, text, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return 0;
        text += sent;
        left -= (size_t)sent;
    }
    return 1;
}

/* Reads more into the text, which grows if it is full: VKMM_HEARD_LINE if something came. */
static vkmm_heard read_more(vkmm_process *process, double deadline_ms)
{
    if (process->used == process->room) {
        size_t room = process->room > 0 ? process->room * 2 : FIRST_ROOM;
        char *text = vkmm_realloc(process->text, room, 1);
        if (text == NULL) return VKMM_HEARD_END;
        process->text = text;
        process->room = room;
    }
    for (;;) {
        struct pollfd socket = {process->socket, POLLIN, 0};
        double left = deadline_ms - vkmm_now_ms();
        if (vkmm_interrupted()) return VKMM_HEARD_INTERRUPTED;
        if (left <= 0) return VKMM_HEARD_NOTHING;
        if (poll(&socket, 1, left < SLICE_MS ? (int)left + 1 : SLICE_MS) <= 0) continue;
        ssize_t got = read(process->socket, process->text + process->used, process->room - process->used);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) return VKMM_HEARD_END;
        process->used += (size_t)got;
        return VKMM_HEARD_LINE;
    }
}

vkmm_heard vkmm_process_hear(vkmm_process *process, double deadline_ms, size_t most, const char **text)
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
            return VKMM_HEARD_LINE;
        }
        searched = process->used;
        vkmm_heard heard = read_more(process, deadline_ms);
        if (heard != VKMM_HEARD_LINE) return heard;
    }
    return VKMM_HEARD_END;
}

/* 1 if the child ended within the time. */
static int wait_for(pid_t pid, double patience_ms, int *status)
{
    double start = vkmm_now_ms();
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) return 1;
        if (vkmm_now_ms() - start >= (vkmm_interrupted() ? fmin(patience_ms, HASTE_MS) : patience_ms)) return 0;
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

void vkmm_process_end(vkmm_process **pointer, double patience_ms, char how[VKMM_PROCESS_END])
{
    vkmm_process *process = *pointer;
    int status = 0;
    if (process == NULL) return;
    shutdown(process->socket, SHUT_WR);
    int killed = !wait_for(process->pid, patience_ms, &status);
    if (killed) {
        kill(process->pid, SIGKILL);
        /* A process inside a hanging driver may never end: it is not waited for. */
        wait_for(process->pid, 2000, &status);
    }
    if (how != NULL) {
        if (killed)
            snprintf(how, VKMM_PROCESS_END, "was killed");
        else if (WIFSIGNALED(status))
            snprintf(how, VKMM_PROCESS_END, "was killed by signal %d (%s)", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
        else
            snprintf(how, VKMM_PROCESS_END, "ended with status %d", WEXITSTATUS(status));
    }
    close(process->socket);
    vkmm_free(process->text);
    vkmm_free(process);
    *pointer = NULL;
}

void vkmm_process_follow_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the parent ended before this, standard input is at its end */
}
