#include "system/child.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/alloc.h"
#include "base/log.h"

enum { BUFFER = 1 << 16, LONGEST = 32767 }; /* LONGEST: characters of a command line, see CreateProcess */

struct cli_child {
    HANDLE process, job; /* the job kills the child when its handle is closed, and so when this process ends */
    HANDLE to, from;     /* the child's standard input and output */
    OVERLAPPED reading;
    int is_reading;
    size_t used, taken; /* bytes of the buffer that were read, and of these, that were given away */
    char buffer[BUFFER];
};

/* Quotes a word as CommandLineToArgvW reads it: backslashes count only before a quotation mark. */
static size_t quote(char *line, size_t at, size_t room, const char *word)
{
    size_t backslashes = 0;
    const int plain = word[0] != '\0' && strpbrk(word, " \t\n\v\"") == NULL;
    if (room - at < 2 * strlen(word) + 4) return room;
    if (at > 0) line[at++] = ' ';
    if (!plain) line[at++] = '"';
    for (; *word != '\0'; word++) {
        for (; *word == '"' && backslashes > 0; backslashes--) line[at++] = '\\';
        backslashes = *word == '\\' ? backslashes + 1 : 0;
        if (*word == '"') line[at++] = '\\';
        line[at++] = *word;
    }
    for (; !plain && backslashes > 0; backslashes--) line[at++] = '\\';
    if (!plain) line[at++] = '"';
    line[at] = '\0';
    return at;
}

/* Our ends of the pipes in child->to and ->from; the child's, which it inherits, in theirs[0] and [1]. */
static int open_pipes(cli_child *child, HANDLE theirs[3])
{
    static atomic_uint count;
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    char name[80];
    /* An unnamed pipe cannot be read with a time limit. */
    snprintf(name, sizeof name, "\\\\.\\pipe\\vkmatmul-%lu-%u", GetCurrentProcessId(), atomic_fetch_add(&count, 1));
    child->from = CreateNamedPipeA(name, PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                   PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, BUFFER, BUFFER, 0, NULL);
    if (child->from == INVALID_HANDLE_VALUE) return 0;
    theirs[1] = CreateFileA(name, GENERIC_WRITE, 0, &inherited, OPEN_EXISTING, 0, NULL);
    theirs[2] = CreateFileA("NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                            OPEN_EXISTING, 0, NULL);
    child->reading.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    return theirs[1] != INVALID_HANDLE_VALUE && theirs[2] != INVALID_HANDLE_VALUE && child->reading.hEvent != NULL &&
           CreatePipe(&theirs[0], &child->to, &inherited, 0) && SetHandleInformation(child->to, HANDLE_FLAG_INHERIT, 0);
}

/* In its own process group, so that Ctrl-C does not reach it, and with no handles but these three. */
static int create(cli_child *child, const char *program, char *line, HANDLE handles[3])
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    PROCESS_INFORMATION created = {0};
    STARTUPINFOEXA start = {.StartupInfo = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES}};
    _Alignas(16) char attributes[256];
    SIZE_T size = sizeof attributes;
    start.StartupInfo.hStdInput = handles[0];
    start.StartupInfo.hStdOutput = handles[1];
    start.StartupInfo.hStdError = handles[2];
    start.lpAttributeList = (LPPROC_THREAD_ATTRIBUTE_LIST)(void *)attributes;
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    child->job = CreateJobObjectA(NULL, NULL);
    if (!SetInformationJobObject(child->job, JobObjectExtendedLimitInformation, &limits, sizeof limits) ||
        !InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &size))
        return 0;
    int good = UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles,
                                         3 * sizeof *handles, NULL, NULL) &&
               CreateProcessA(program, line, NULL, NULL, TRUE,
                              CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT, NULL, NULL,
                              &start.StartupInfo, &created);
    DeleteProcThreadAttributeList(start.lpAttributeList);
    if (!good) return 0;
    child->process = created.hProcess;
    good = AssignProcessToJobObject(child->job, created.hProcess) && ResumeThread(created.hThread) != (DWORD)-1;
    if (!good) TerminateProcess(created.hProcess, 1);
    CloseHandle(created.hThread);
    return good;
}

static void close_handle(HANDLE *handle)
{
    if (*handle != NULL && *handle != INVALID_HANDLE_VALUE) CloseHandle(*handle);
    *handle = NULL;
}

vkmm_status cli_child_start(const vkmm_log *log, const char *path, char *const *arguments, cli_child **out)
{
    HANDLE theirs[3] = {NULL};
    char own[4096] = "", *line = vkmm_alloc(LONGEST, 1), why[256] = "the command line is too long";
    cli_child *child = vkmm_alloc(1, sizeof *child);
    size_t length = 0;
    int good = line != NULL && child != NULL;
    *out = NULL;
    if (path == NULL && GetModuleFileNameA(NULL, own, sizeof own) < sizeof own) path = own;
    for (; good && *arguments != NULL && length < LONGEST; arguments++)
        length = quote(line, length, LONGEST, *arguments);
    vkmm_status status = !good ? vkmm_tell(log, VKMM_NO_MEMORY("to start %s", path)) : VKMM_OK;
    if (good && (length >= LONGEST || !open_pipes(child, theirs) || !create(child, path, line, theirs))) {
        if (length < LONGEST)
            FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, GetLastError(), 0, why,
                           sizeof why, NULL);
        status = VKMM_FAIL(log, VKMM_INVALID, "cannot start %s: %.*s", path, (int)strcspn(why, "\r\n"), why);
    }
    for (int i = 0; i < 3; i++) close_handle(&theirs[i]);
    vkmm_free(line);
    if (status == VKMM_OK)
        *out = child;
    else
        cli_child_free(child);
    return status;
}

int cli_child_send(cli_child *child, const char *bytes, size_t count)
{
    DWORD sent = 0;
    for (; count > 0; bytes += sent, count -= sent)
        if (!WriteFile(child->to, bytes, count < BUFFER ? (DWORD)count : BUFFER, &sent, NULL)) return 0;
    return 1;
}

int64_t cli_child_read(cli_child *child, int wait_ms, char *bytes, size_t room)
{
    DWORD got = 0;
    if (child->taken == child->used) {
        if (!child->is_reading && !ReadFile(child->from, child->buffer, BUFFER, NULL, &child->reading) &&
            GetLastError() != ERROR_IO_PENDING)
            return -1;
        child->is_reading = 1;
        if (WaitForSingleObject(child->reading.hEvent, (DWORD)wait_ms) != WAIT_OBJECT_0) return 0;
        child->is_reading = 0;
        if (!GetOverlappedResult(child->from, &child->reading, &got, FALSE)) return -1;
        child->used = got;
        child->taken = 0;
    }
    if (room > child->used - child->taken) room = child->used - child->taken;
    memcpy(bytes, child->buffer + child->taken, room);
    child->taken += room;
    return (int64_t)room;
}

void cli_child_close_input(cli_child *child)
{
    close_handle(&child->to);
}

int cli_child_ended(cli_child *child)
{
    return WaitForSingleObject(child->process, 0) == WAIT_OBJECT_0;
}

void cli_child_kill(cli_child *child)
{
    TerminateJobObject(child->job, 1);
}

void cli_child_how(const cli_child *child, char how[CLI_PROCESS_END])
{
    DWORD code = 0;
    GetExitCodeProcess(child->process, &code);
    /* A status of ntstatus.h, an error: what nobody handled. */
    snprintf(how, CLI_PROCESS_END, code >> 30 == 3 ? "was killed by exception 0x%08lX" : "ended with status %lu", code);
}

void cli_child_free(cli_child *child)
{
    DWORD got;
    if (child == NULL) return;
    if (child->is_reading && CancelIo(child->from)) GetOverlappedResult(child->from, &child->reading, &got, TRUE);
    close_handle(&child->reading.hEvent);
    close_handle(&child->to);
    close_handle(&child->from);
    close_handle(&child->process);
    close_handle(&child->job);
    vkmm_free(child);
}

void cli_process_follow_parent(void)
{
    /* The job that cli_child_start puts a child into ends it. */
}
