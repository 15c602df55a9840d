/* Children that answer, stay silent, crash, end, and talk too much; signals; locks. */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "system/process.h"

enum { MOST = 1000 }; /* bytes of a line */

static cli_process *start(const char *script)
{
    char *arguments[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)script, NULL};
    cli_process *process = NULL;
    assert_ok(cli_process_start(NULL, "/bin/sh", arguments, &process));
    return process;
}

#define GUARD_MS 600000 /* against hanging alone */

static double soon(void)
{
    return vkmm_now_ms() + GUARD_MS;
}

static void expect_line(cli_process *process, const char *text, size_t most)
{
    const char *line = NULL;
    assert_int_equal(cli_process_hear(process, soon(), most, &line), CLI_HEARD_LINE);
    assert_string_equal(line, text);
}

static void expect(cli_process *process, cli_heard what, size_t most)
{
    const char *line = NULL;
    assert_int_equal(cli_process_hear(process, soon(), most, &line), what);
}

TEST(answers_line_by_line)
{
    char how[CLI_PROCESS_END];
    cli_process *process = start("echo ready; while read a b; do echo \"got $b $a\"; done; echo bye; exit 3");
    expect_line(process, "ready", MOST);
    for (int i = 0; i < 100; i++) {
        assert_true(cli_process_send(process, "1 one\n2 two\n"));
        expect_line(process, "got one 1", MOST);
        expect_line(process, "got two 2", MOST);
    }
    cli_process_end(&process, GUARD_MS, how);
    assert_null(process);
    assert_string_equal(how, "ended with status 3");
    cli_process_end(&process, 0, how);
}

TEST(silence_ends_in_time)
{
    const char *line = NULL;
    char how[CLI_PROCESS_END];
    cli_process *process = start("trap '' TERM INT HUP; echo $$; printf half; read line; exec sleep 3000");
    assert_int_equal(cli_process_hear(process, soon(), MOST, &line), CLI_HEARD_LINE);
    pid_t child = (pid_t)atoi(line);
    double before = vkmm_now_ms();
    assert_int_equal(kill(child, 0), 0);
    assert_int_equal(cli_process_hear(process, before + 200, MOST, &line), CLI_HEARD_NOTHING);
    assert_true(vkmm_now_ms() - before >= 200);
    cli_process_end(&process, 50, how);
    assert_string_equal(how, "was killed");
    assert_int_equal(kill(child, 0), -1);
}

TEST(a_child_that_is_gone_is_no_signal)
{
    char how[CLI_PROCESS_END];
    cli_process *process = start("kill -SEGV $$");
    expect(process, CLI_HEARD_END, MOST);
    int sent = 1;
    for (int i = 0; i < 1000 && sent; i++) sent = cli_process_send(process, "hello\n");
    assert_false(sent);
    cli_process_end(&process, GUARD_MS, how);
    assert_string_equal(how, "was killed by signal 11 (Segmentation fault)");

    char *arguments[] = {(char *)(uintptr_t) "x", NULL};
    assert_refused(cli_process_start(NULL, "/nowhere/program", arguments, &process), VKMM_INVALID,
                   "cannot start /nowhere/program: ");
    assert_null(process);
}

TEST(texts_have_any_length)
{
    const char *text = NULL;
    char *xs = test_malloc(300001);
    cli_process *process =
        start("head -c 300000 /dev/zero | tr '\\0' x; echo; echo; echo next; echo line; read a; echo $a; printf half");
    memset(xs, 'x', 300000);
    xs[300000] = '\0';
    expect_line(process, xs, 300000);
    expect_line(process, "", 300000);
    expect_line(process, "next", 4);
    expect_line(process, "line", MOST);
    assert_int_equal(cli_process_hear(process, vkmm_now_ms() + 50, 100, &text), CLI_HEARD_NOTHING);
    assert_true(cli_process_send(process, "answer\n"));
    expect_line(process, "answer", 100);
    expect(process, CLI_HEARD_END, 100);
    expect(process, CLI_HEARD_END, 100);
    cli_process_end(&process, GUARD_MS, NULL);
    test_free(xs);

    process = start("echo 12345; echo next; sleep 3000");
    expect(process, CLI_HEARD_END, 4);
    expect(process, CLI_HEARD_END, 400);
    expect(process, CLI_HEARD_END, MOST);
    cli_process_end(&process, 0, NULL);
    process = start("exec cat /dev/zero"); /* a line without an end ends at the bound */
    expect(process, CLI_HEARD_END, 100000);
    cli_process_end(&process, 0, NULL);
}

TEST(an_interrupt_is_heard)
{
    cli_process *process = start("sleep 3000");
    cli_interrupt_install();
    cli_interrupt_catch(0);
    assert_int_equal(cli_interrupted(), 0);
    raise(SIGINT);
    assert_int_equal(cli_interrupted(), SIGINT);
    expect(process, CLI_HEARD_INTERRUPTED, MOST);
    cli_interrupt_release();
    assert_int_equal(cli_interrupted(), SIGINT); /* still remembered */
    cli_process_end(&process, 0, NULL);
}

TEST(a_lock_keeps_others_out)
{
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
