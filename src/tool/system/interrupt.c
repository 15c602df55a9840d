#include "system/interrupt.h"

#include "base/leftovers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 1, GRACE_S = 4 }; /* until somebody notices, and until the work is over then */

static volatile sig_atomic_t interrupt, noticed, catching, patience, wipes;
static const char *volatile last_words;
static pthread_t writer; /* the thread that writes to the terminal, and asks for signals */

/* In a signal handler, where little is allowed: write, unlink and _exit are. */
static void end_at_once(int number)
{
    static const char wipe[] = "\r\033[K";
    signal(number, SIG_DFL); /* if removing a file hangs, the next signal still ends the process */
    if (wipes && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) errno = 0;
    if (last_words && write(STDERR_FILENO, last_words, strlen(last_words)) < 0) errno = 0;
    vkmm_leftovers_unlink();
    _exit(128 + number);
}

/* The reader of the output has gone: the process ends as usual, but removes its files first. */
static void lose_reader(int number)
{
    signal(number, SIG_DFL);
    vkmm_leftovers_unlink();
    raise(number);
}

/* A truncated file's pages were read, perhaps by several threads at once: the first one ends the process. */
static void lose_input(int number)
{
    static const char cause[] = "vkmatmul: bus error: a file was truncated while it was read, or cannot be read\n";
    static atomic_flag lost = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&lost)) pause();
    if (write(STDERR_FILENO, cause, sizeof cause - 1) < 0) errno = 0;
    vkmm_leftovers_unlink(); /* while the other threads still come here */
    lose_reader(number);
}

/* A signal may come to any thread, such as a driver's, while the writer writes: its words would come between. */
static int passes_on(int number)
{
    if (pthread_equal(pthread_self(), writer)) return 0;
    pthread_kill(writer, number);
    return 1;
}

static void take(int number)
{
    if (passes_on(number)) return;
    if (!catching || interrupt != 0) end_at_once(number);
    interrupt = number;
    if (!patience) alarm(PATIENCE_S);
}

static void wake(int number)
{
    static volatile sig_atomic_t again;
    if (passes_on(number) || interrupt == 0) return;
    if (!noticed || again) end_at_once(interrupt);
    again = 1;
    alarm(GRACE_S);
}

/* SA_RESTART: stdio forgets what a terminal does not take because a signal comes (EINTR). */
static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER | SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaction(number, NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void cli_interrupt_install(void)
{
    writer = pthread_self();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of write(), EFBIG, as a full disk is */
    handle(SIGINT, take);
    handle(SIGTERM, take);
    handle(SIGHUP, take);
    handle(SIGALRM, wake);
    handle(SIGPIPE, lose_reader);
    handle(SIGBUS, lose_input);
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
    alarm(0);
}

int cli_interrupted(void)
{
    if (interrupt != 0) noticed = 1;
    return interrupt;
}

void cli_interrupt_repeat(int number)
{
    raise(number);
}

void cli_interrupt_says(const char *sentence)
{
    last_words = sentence;
}

void cli_interrupt_wipes(int shown)
{
    wipes = shown;
}
