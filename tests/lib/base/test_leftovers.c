#include "folder.h"

#include "base/file.h"
#include "base/leftovers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

static int is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* First, because the table remembers for ever that the process ends. */
IN_FOLDER(test_who_frees_a_name)
{
    static const char name[] = "one", other[] = "two";
    assert_true(vkmm_leftover_remove(name)); /* never recorded */
    vkmm_leftover_add(name);
    assert_true(vkmm_leftover_remove(name));
    vkmm_leftover_add(name), vkmm_leftover_add(other);
    vkmm_leftovers_unlink();
    assert_false(vkmm_leftover_remove(name));
}

IN_FOLDER(test_what_is_noted_goes)
{
    static const char one[] = "one", two[] = "two";
    put("one", ""), put("two", ""), put("three", "");
    vkmm_leftover_add(one), vkmm_leftover_add(two);
    vkmm_leftover_remove(one);
    errno = ERANGE;
    vkmm_leftovers_unlink();
    assert_int_equal(errno, ERANGE);
    assert_true(is_there("one") && !is_there("two") && is_there("three"));
    put("two", ""); /* a name is noted once for one file */
    vkmm_leftovers_unlink();
    assert_true(is_there("two"));
}

IN_FOLDER(test_a_full_table)
{
    static char names[40][4];
    int gone = 0;
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        put(names[i], "");
        vkmm_leftover_add(names[i]);
    }
    vkmm_leftovers_unlink();
    for (int i = 0; i < 40; i++) gone += !is_there(names[i]);
    assert_int_equal(gone, 32);
}

IN_FOLDER(test_a_child_has_noted_none)
{
    static const char mine[] = "mine";
    put("mine", "");
    vkmm_leftover_add(mine);
    int status = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        vkmm_leftovers_unlink();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(is_there("mine"));
    vkmm_leftover_remove(mine);
}

static void end_by_signal(int number)
{
    vkmm_leftovers_unlink();
    _exit(128 + number);
}

/* The output of a process that a signal ends leaves nothing behind, and what it would have replaced as it was. */
IN_FOLDER(test_an_output_when_a_signal_comes)
{
    int status = -1;
    put("out", "");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        vkmm_output *output = NULL;
        signal(SIGTERM, end_by_signal);
        if (vkmm_output_open("out", 0, &output) != VKMM_OK || vkmm_output_write(output, "new", 3) != VKMM_OK) _exit(1);
        if (system("test \"$(ls -A | wc -l)\" = 2") != 0) _exit(2);
        raise(SIGTERM);
        _exit(3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
    assert_int_equal(system("test \"$(ls -A)\" = out"), 0);
    assert_true(is_there("out"));
}

/* A committed output is nobody's leftover. */
IN_FOLDER(test_a_committed_output_stays)
{
    vkmm_output *output = NULL;
    assert_ok(vkmm_output_open("out", 0, &output));
    assert_ok(vkmm_output_commit(&output));
    vkmm_leftovers_unlink();
    assert_true(is_there("out"));
}

enum { ROUNDS = 3000, THREADS = 4 };
static atomic_int at_work;

static void *note_and_forget(void *user)
{
    for (int i = 0; i < ROUNDS; i++) {
        vkmm_leftover_add(user);
        vkmm_leftover_remove(user);
    }
    at_work--;
    return NULL;
}

/* Whoever forgets in time keeps the file of the same name that comes later, whatever happens meanwhile. */
IN_FOLDER(test_threads)
{
    static char names[THREADS][2] = {"a", "b", "c", "d"};
    pthread_t threads[THREADS];
    at_work = THREADS;
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, note_and_forget, names[i]), 0);
    while (at_work > 0) vkmm_leftovers_unlink();
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    put("a", ""), put("d", "");
    vkmm_leftovers_unlink();
    assert_true(is_there("a") && is_there("d"));
}
