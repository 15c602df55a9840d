/* Children that answer, stay silent, crash, end, and talk too much; programs that filter; signals; locks. */
#include "../unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/lock.h"
#include "system/process.h"

enum { MOST = 1000 }; /* bytes of a line */

static vkmm_process *start(const char *script)
{
    char *arguments[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)script, NULL};
    vkmm_process *process = NULL;
    assert_int_equal(vkmm_process_start(NULL, "/bin/sh", arguments, &process), VKMM_OK);
    return process;
}

#define GUARD_MS 600000 /* against hanging alone */

static double soon(void)
{
    return vkmm_now_ms() + GUARD_MS;
}

static void answers_line_by_line(void **state)
{
    (void)state;
    const char *line = NULL;
    char how[VKMM_PROCESS_END];
    vkmm_process *process = start("echo ready; while read a b; do echo \"got $b $a\"; done; echo bye; exit 3");
    assert_int_equal(vkmm_process_hear(process, soon(), MOST, &line), VKMM_HEARD_LINE);
    assert_string_equal(line, "ready");
    for (int i = 0; i < 100; i++) {
        assert_true(vkmm_process_send(process, "1 one\n2 two\n"));
        assert_int_equal(vkmm_process_hear(process, soon(), MOST, &line), VKMM_HEARD_LINE);
        assert_string_equal(line, "got one 1");
        assert_int_equal(vkmm_process_hear(process, soon(), MOST, &line), VKMM_HEARD_LINE);
        assert_string_equal(line, "got two 2");
    }
    vkmm_process_end(&process, GUARD_MS, how);
    assert_null(process);
    assert_string_equal(how, "ended with status 3");
    vkmm_process_end(&process, 0, how);
}

static void silence_ends_in_time(void **state)
{
    (void)state;
    const char *line = NULL;
    char how[VKMM_PROCESS_END];
    vkmm_process *process = start("trap '' TERM INT HUP; echo $$; printf half; read line; exec sleep 3000");
    assert_int_equal(vkmm_process_hear(process, soon(), MOST, &line), VKMM_HEARD_LINE);
    pid_t child = (pid_t)atoi(line);
    double before = vkmm_now_ms();
    assert_int_equal(kill(child, 0), 0);
    assert_int_equal(vkmm_process_hear(process, before + 200, MOST, &line), VKMM_HEARD_NOTHING);
    assert_true(vkmm_now_ms() - before >= 200);
    vkmm_process_end(&process, 50, how);
    assert_string_equal(how, "was killed");
    assert_int_equal(kill(child, 0), -1);
}

static void a_child_that_is_gone_is_no_signal(void **state)
{
    (void)state;
    const char *line = NULL;
    char how[VKMM_PROCESS_END];
    vkmm_process *process = start("kill -SEGV $$");
    assert_int_equal(vkmm_process_hear(process, soon(), MOST, &line), VKMM_HEARD_END);
    int sent = 1;
    for (int i = 0; i < 1000 && sent; i++) sent = vkmm_process_send(process, "hello\n");
    assert_false(sent);
    vkmm_process_end(&process, GUARD_MS, how);
    assert_string_equal(how, "was killed by signal 11 (Segmentation fault)");

    char *arguments[] = {(char *)(uintptr_t) "x", NULL};
    heard h;
    vkmm_log log = hear_with(&h);
    assert_int_equal(vkmm_process_start(&log, "/nowhere/program", arguments, &process), VKMM_INVALID);
    assert_null(process);
    assert_contains(h.last, "cannot start /nowhere/program: ");
}

static void texts_have_any_length(void **state)
{
    (void)state;
    const char *text = NULL;
    const char *line = NULL;
    char *xs = test_malloc(300001);
    vkmm_process *process =
        start("head -c 300000 /dev/zero | tr '\\0' x; echo; echo; echo next; echo line; read a; echo $a; printf half");
    memset(xs, 'x', 300000);
    xs[300000] = '\0';
    assert_int_equal(vkmm_process_hear(process, soon(), 300000, &text), VKMM_HEARD_LINE);
    assert_string_equal(text, xs);
    assert_int_equal(vkmm_process_hear(process, soon(), 300000, &text), VKMM_HEARD_LINE);
    assert_string_equal(text, "");
    assert_int_equal(vkmm_process_hear(process, soon(), 4, &text), VKMM_HEARD_LINE);
    assert_string_equal(text, "next");
    assert_int_equal(vkmm_process_hear(process, soon(), MOST, &line), VKMM_HEARD_LINE);
    assert_string_equal(line, "line");
    assert_int_equal(vkmm_process_hear(process, vkmm_now_ms() + 50, 100, &text), VKMM_HEARD_NOTHING);
    assert_true(vkmm_process_send(process, "answer\n"));
    assert_int_equal(vkmm_process_hear(process, soon(), 100, &text), VKMM_HEARD_LINE);
    assert_string_equal(text, "answer");
    assert_int_equal(vkmm_process_hear(process, soon(), 100, &text), VKMM_HEARD_END);
    assert_int_equal(vkmm_process_hear(process, soon(), 100, &text), VKMM_HEARD_END);
    vkmm_process_end(&process, GUARD_MS, NULL);
    test_free(xs);

    process = start("echo 12345; echo next; sleep 3000");
    assert_int_equal(vkmm_process_hear(process, soon(), 4, &text), VKMM_HEARD_END);
    assert_int_equal(vkmm_process_hear(process, soon(), 400, &text), VKMM_HEARD_END);
    assert_int_equal(vkmm_process_hear(process, soon(), MOST, &line), VKMM_HEARD_END);
    vkmm_process_end(&process, 0, NULL);
    process = start("exec cat /dev/zero"); /* a line without an end ends at the bound */
    assert_int_equal(vkmm_process_hear(process, soon(), 100000, &text), VKMM_HEARD_END);
    vkmm_process_end(&process, 0, NULL);
}

/* Ended, but nobody asked how yet: what a child's own child becomes where no init takes it in. */
static int is_zombie(int pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    int got = fscanf(file, "%*d (%*[^)]) %c", &state);
    fclose(file);
    return got == 1 && state == 'Z';
}

static vkmm_status filter(heard *h, const char *script, const char *input, double patience_ms, size_t most,
                          char **output, size_t *bytes)
{
    char *arguments[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)script, NULL};
    vkmm_log log = hear_with(h);
    return vkmm_process_filter(&log, arguments, input, patience_ms, most, output, bytes);
}

static void a_filter_answers(void **state)
{
    (void)state;
    heard h;
    char *output = NULL, *input = test_malloc(3000001);
    size_t bytes = 0;
    for (int i = 0; i < 3000000; i++) input[i] = (char)('a' + i % 23);
    input[3000000] = '\0';
    /* More than any buffer between the two holds: both directions must be served at once. */
    assert_int_equal(filter(&h, "exec cat", input, GUARD_MS, 3000000, &output, &bytes), VKMM_OK);
    assert_int_equal(bytes, 3000000);
    assert_string_equal(output, input);
    assert_int_equal(h.count, 0);
    vkmm_free(output);
    /* A program that does not read, one that writes nothing, one that opens its output by name. */
    assert_int_equal(filter(&h, "echo ok", input, GUARD_MS, 3, &output, &bytes), VKMM_OK);
    assert_string_equal(output, "ok\n");
    vkmm_free(output);
    assert_int_equal(
        filter(&h, "head -c 10 >/dev/stdout; head -c 100000 /dev/zero >&2", input, GUARD_MS, 100, &output, &bytes),
        VKMM_OK);
    assert_string_equal(output, "abcdefghij");
    vkmm_free(output);
    assert_int_equal(filter(&h, "exit 0", "", GUARD_MS, 0, &output, &bytes), VKMM_OK);
    assert_int_equal(bytes, 0);
    assert_string_equal(output, "");
    vkmm_free(output);
    test_free(input);
}

static void a_filter_fails(void **state)
{
    (void)state;
    heard h;
    char *output = NULL;
    size_t bytes = 1;
    assert_int_equal(filter(&h, "exec cat", "12345", GUARD_MS, 4, &output, &bytes), VKMM_INVALID);
    assert_string_equal(h.last, "sh wrote more than 4 bytes");
    assert_null(output);
    assert_int_equal(bytes, 0);
    assert_int_equal(filter(&h, "exec cat /dev/zero", "", GUARD_MS, 1000000, &output, &bytes), VKMM_INVALID);
    assert_int_equal(
        filter(&h, "echo; echo line 3: wrong word >&2; echo more >&2; exit 7", "", GUARD_MS, 100, &output, &bytes),
        VKMM_INVALID);
    assert_string_equal(h.last, "sh ended with status 7: line 3: wrong word");
    assert_int_equal(filter(&h, "kill -KILL $$", "", GUARD_MS, 100, &output, &bytes), VKMM_INVALID);
    assert_string_equal(h.last, "sh was killed by signal 9 (Killed)");
    /* The whole group goes, so that nothing that it started is left behind. */
    char path[] = "/tmp/vkmm-filter-XXXXXX", script[128];
    close(mkstemp(path));
    snprintf(script, sizeof script, "sleep 3000 & echo $! >%s; wait", path);
    assert_int_equal(filter(&h, script, "", 200, 100, &output, &bytes), VKMM_INVALID);
    assert_string_equal(h.last, "sh did not end within 0.2 s");
    FILE *file = fopen(path, "r");
    int child = 0;
    assert_int_equal(fscanf(file, "%d", &child), 1);
    fclose(file);
    unlink(path);
    for (int i = 0; i < 60000 && kill(child, 0) == 0 && !is_zombie(child); i++) usleep(10000);
    assert_true(kill(child, 0) != 0 || is_zombie(child));
    assert_int_equal(filter(&h, "exec >&- 2>&-; sleep 3000", "", 200, 100, &output, &bytes), VKMM_INVALID);
    assert_string_equal(h.last, "sh did not end within 0.2 s");

    char *nowhere[] = {(char *)(uintptr_t) "vkmm-no-such-program", NULL};
    vkmm_log log = hear_with(&h);
    assert_int_equal(vkmm_process_filter(&log, nowhere, "x", 1000, 100, &output, &bytes), VKMM_NO_DEVICE);
    assert_string_equal(h.last, "cannot start vkmm-no-such-program: No such file or directory");
}

static void a_filter_is_interrupted(void **state)
{
    (void)state;
    heard h;
    char *output = NULL;
    size_t bytes = 0;
    vkmm_interrupt_catch();
    raise(SIGINT);
    assert_int_equal(filter(&h, "sleep 3000", "", GUARD_MS, 100, &output, &bytes), VKMM_INVALID);
    assert_string_equal(h.last, "sh was interrupted");
    vkmm_interrupt_release();
    vkmm_interrupt_catch(); /* forgets it */
    vkmm_interrupt_release();
}

static void an_interrupt_is_heard(void **state)
{
    (void)state;
    const char *line = NULL;
    vkmm_process *process = start("sleep 3000");
    vkmm_interrupt_catch();
    assert_int_equal(vkmm_interrupted(), 0);
    raise(SIGINT);
    assert_int_equal(vkmm_interrupted(), SIGINT);
    assert_int_equal(vkmm_process_hear(process, soon(), MOST, &line), VKMM_HEARD_INTERRUPTED);
    vkmm_interrupt_release();
    vkmm_process_end(&process, 0, NULL);
}

static void a_lock_keeps_others_out(void **state)
{
    (void)state;
    char path[] = "/tmp/vkmm-lock-XXXXXX";
    int file = mkstemp(path), lock = vkmm_lock_take(path, 0), status = 0;
    assert_true(lock >= 0);
    double before = vkmm_now_ms();
    assert_int_equal(vkmm_lock_take(path, 100), -1);
    assert_true(vkmm_now_ms() - before >= 100);
    vkmm_lock_leave(lock);
    pid_t child = fork();
    if (child == 0) _exit(vkmm_lock_take(path, 0) >= 0 ? 0 : 1); /* left by ending */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    lock = vkmm_lock_take(path, 0);
    assert_true(lock >= 0);
    vkmm_lock_leave(lock);
    vkmm_lock_leave(-1);
    assert_int_equal(vkmm_lock_take("/nowhere/lock", 1000), -1);
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_line_by_line),
        cmocka_unit_test(silence_ends_in_time),
        cmocka_unit_test(a_child_that_is_gone_is_no_signal),
        cmocka_unit_test(texts_have_any_length),
        cmocka_unit_test(a_filter_answers),
        cmocka_unit_test(a_filter_fails),
        cmocka_unit_test(a_filter_is_interrupted),
        cmocka_unit_test(an_interrupt_is_heard),
        cmocka_unit_test(a_lock_keeps_others_out),
    };
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
