#include "system/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <windows.h>

#include "base/leftovers.h"

/* Until somebody notices, and until the work is over then: Windows ends a process 5 s after its console was closed. */
enum { PATIENCE_MS = 1000, GRACE_MS = 3000 };
enum { HANGUP = 1 }; /* the number of SIGHUP, which Windows does not have */

static atomic_int interrupt, noticed, catching, patience, wipes;
static _Atomic(const char *) last_words;

static void say(const char *text)
{
    DWORD written;
    if (text != NULL) WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)strlen(text), &written, NULL);
}

static void end_at_once(int number)
{
    if (wipes) say("\r\033[K");
    say(last_words);
    vkmm_leftovers_unlink();
    TerminateProcess(GetCurrentProcess(), 128 + (UINT)number);
}

static DWORD WINAPI wake(void *user)
{
    (void)user;
    Sleep(PATIENCE_MS);
    if (catching && interrupt != 0 && !noticed) end_at_once(interrupt);
    Sleep(GRACE_MS);
    if (catching && interrupt != 0) end_at_once(interrupt);
    return 0;
}

static void take(int number)
{
    int none = 0;
    if (!catching || !atomic_compare_exchange_strong(&interrupt, &none, number)) end_at_once(number);
    if (patience) return;
    HANDLE thread = CreateThread(NULL, 0, wake, NULL, 0, NULL);
    if (thread == NULL) end_at_once(number);
    CloseHandle(thread);
}

/* Windows calls it in a thread of its own, and ends the process when it returns from any event but the first two. */
static BOOL WINAPI on_event(DWORD event)
{
    const int typed = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
    take(typed ? SIGINT : event == CTRL_CLOSE_EVENT ? HANGUP : SIGTERM);
    if (!typed) Sleep(INFINITE);
    return TRUE;
}

void cli_interrupt_install(void)
{
    SetConsoleCtrlHandler(on_event, TRUE);
}

void cli_interrupt_catch(int patient)
{
    interrupt = 0;
    patience = patient;
    noticed = 0;
    catching = 1;
}

void cli_interrupt_release(void)
{
    catching = 0;
}

void cli_interrupt_repeat(int number)
{
    take(number);
}

int cli_interrupted(void)
{
    if (interrupt != 0) noticed = 1;
    return interrupt;
}

void cli_interrupt_says(const char *sentence)
{
    last_words = sentence;
}

void cli_interrupt_wipes(int shown)
{
    wipes = shown;
}
