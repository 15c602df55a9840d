#include "unit.h"

#include "base/file.h"
#include "base/leftovers.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[40];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/vkmm-leftovers-XXXXXX");
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static int is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_what_is_noted_goes(void **state)
{
    (void)state;
    put("one"), put("two"), put("three");
    int one = vkmm_leftover_add("one"), two = vkmm_leftover_add("two");
    assert_true(one >= 0 && two >= 0 && one != two);
    vkmm_leftover_remove(one);
    vkmm_leftover_remove(one); /* again: nothing */
    vkmm_leftover_remove(-1);
    errno = ERANGE;
    vkmm_leftovers_unlink();
    assert_int_equal(errno, ERANGE);
    assert_true(is_there("one") && !is_there("two") && is_there("three"));
    put("two"); /* a name is noted once for one file */
    vkmm_leftovers_unlink();
    assert_true(is_there("two"));
}

/* What was held by one who is gone does not touch the next one in the same place. */
static void test_an_old_name_frees_nobody(void **state)
{
    (void)state;
    put("one"), put("two");
    int one = vkmm_leftover_add("one");
    vkmm_leftovers_unlink();
    int two = vkmm_leftover_add("two");
    assert_true(two != one);
    vkmm_leftover_remove(one);
    vkmm_leftovers_unlink();
    assert_false(is_there("two"));
}

static void test_names_that_do_not_fit(void **state)
{
    (void)state;
    static char name[PATH_MAX + 10];
    memset(name, 'x', sizeof name - 1);
    assert_int_equal(vkmm_leftover_add(name), -1);
    name[0] = '/';
    assert_int_equal(vkmm_leftover_add(name), -1);
    int noted[100], count = 0;
    for (int i = 0; i < 100; i++) noted[i] = vkmm_leftover_add("many");
    for (int i = 0; i < 100; i++) count += noted[i] >= 0;
    assert_int_equal(count, 32); /* failures above have kept no place */
    for (int i = 0; i < 100; i++) vkmm_leftover_remove(noted[i]);
    put("many");
    vkmm_leftovers_unlink();
    assert_true(is_there("many"));
}

static void test_another_working_directory(void **state)
{
    (void)state;
    put("here");
    assert_true(vkmm_leftover_add("here") >= 0);
    assert_int_equal(chdir("/"), 0);
    vkmm_leftovers_unlink();
    assert_int_equal(chdir(folder), 0);
    assert_false(is_there("here"));
}

static void test_a_child_has_noted_none(void **state)
{
    (void)state;
    put("mine");
    int mine = vkmm_leftover_add("mine"), status = -1;
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
static void test_an_output_when_a_signal_comes(void **state)
{
    (void)state;
    int status = -1;
    put("out");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        vkmm_output *output = NULL;
        signal(SIGTERM, end_by_signal);
        if (vkmm_output_open(NULL, "out", &output) != VKMM_OK || vkmm_output_write(output, "new", 3) != VKMM_OK)
            _exit(1);
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
static void test_a_committed_output_stays(void **state)
{
    (void)state;
    vkmm_output *output = NULL;
    assert_int_equal(vkmm_output_open(NULL, "out", &output), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    vkmm_leftovers_unlink();
    assert_true(is_there("out"));
}

enum { ROUNDS = 3000, THREADS = 4 };
static atomic_int at_work;

static void *note_and_forget(void *user)
{
    char name[20];
    snprintf(name, sizeof name, "%c", *(const char *)user);
    for (int i = 0; i < ROUNDS; i++) {
        int noted = vkmm_leftover_add(name);
        if (noted < 0) abort();
        vkmm_leftover_remove(noted);
    }
    at_work--;
    return NULL;
}

/* Whoever forgets in time keeps the file of the same name that comes later, whatever happens meanwhile. */
static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    at_work = THREADS;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, note_and_forget, (void *)(uintptr_t) & "abcd"[i]), 0);
    while (at_work > 0) vkmm_leftovers_unlink();
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    put("a"), put("d");
    vkmm_leftovers_unlink();
    assert_true(is_there("a") && is_there("d"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_what_is_noted_goes),       IN_FOLDER(test_an_old_name_frees_nobody),
        IN_FOLDER(test_names_that_do_not_fit),    IN_FOLDER(test_another_working_directory),
        IN_FOLDER(test_a_child_has_noted_none),   IN_FOLDER(test_an_output_when_a_signal_comes),
        IN_FOLDER(test_a_committed_output_stays), IN_FOLDER(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
