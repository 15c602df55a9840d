#include "system/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"

extern char **environ;

struct cli_child {
    pid_t pid;
    int socket;
    int status; /* from waitpid */
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

vkmm_status cli_child_start(const vkmm_log *log, const char *path, char *const *arguments, cli_child **out)
{
    const char *program = path != NULL ? path : "/proc/self/exe";
    int sockets[2];
    *out = NULL;
    cli_child *child = vkmm_alloc(1, sizeof *child);
    if (child == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("to start %s", program));
    /* A socket rather than two pipes: writing to a child that has ended is then an error, not a signal. */
    int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 ? 0 : errno;
    if (error == 0) {
        error = spawn(program, arguments, sockets[1], &child->pid);
        close(sockets[1]);
        if (error != 0) close(sockets[0]);
    }
    if (error != 0) {
        vkmm_free(child);
        return VKMM_FAIL(log, VKMM_INVALID, "cannot start %s: %s", program, strerror(error));
    }
    child->socket = sockets[0];
    *out = child;
    return VKMM_OK;
}

int cli_child_send(cli_child *child, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(child->socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return 0;
        bytes += sent;
        count -= (size_t)sent;
    }
    return 1;
}

int64_t cli_child_read(cli_child *child, int wait_ms, char *bytes, size_t room)
{
    struct pollfd socket = {child->socket, POLLIN, 0};
    if (poll(&socket, 1, wait_ms) <= 0) return 0;
    ssize_t got = read(child->socket, bytes, room);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    return got > 0 ? got : -1;
}

void cli_child_close_input(cli_child *child)
{
    shutdown(child->socket, SHUT_WR);
}

int cli_child_ended(cli_child *child)
{
    pid_t ended = waitpid(child->pid, &child->status, WNOHANG);
    return ended == child->pid || (ended < 0 && errno != EINTR);
}

void cli_child_kill(cli_child *child)
{
    kill(child->pid, SIGKILL);
}

void cli_child_how(const cli_child *child, char how[CLI_PROCESS_END])
{
    if (WIFSIGNALED(child->status))
        snprintf(how, CLI_PROCESS_END, "was killed by signal %d (%s)", WTERMSIG(child->status),
                 strsignal(WTERMSIG(child->status)));
    else
        snprintf(how, CLI_PROCESS_END, "ended with status %d", WEXITSTATUS(child->status));
}

void cli_child_free(cli_child *child)
{
    close(child->socket);
    vkmm_free(child);
}

void cli_process_follow_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the parent ended before this, standard input is at its end */
}
