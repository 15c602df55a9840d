/* Files that grow line by line, and what the machine tells of itself. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/append.h"
#include "base/host.h"

static char folder[] = "/tmp/vkmatmul-append-XXXXXX", path[64];

static void check_file(const char *text)
{
    char got[16384] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(got, text);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void append(const char *line)
{
    vkmm_append *a = NULL;
    assert_int_equal(vkmm_append_open(NULL, path, &a), VKMM_OK);
    assert_int_equal(vkmm_append_line(a, line), VKMM_OK);
    vkmm_append_close(&a, 0);
    assert_null(a);
}

static void test_appends(void **state)
{
    (void)state;
    append("one");
    append("two");
    check_file("one\ntwo\n");
}

static void test_a_torn_line_is_cut(void **state)
{
    (void)state;
    char text[12000];
    write_file("one\ntwo");
    append("three");
    check_file("one\nthree\n");
    write_file("torn");
    append("one");
    check_file("one\n");
    memset(text, 'x', sizeof text);
    memcpy(text, "one\n", 4);
    text[sizeof text - 1] = '\0';
    write_file(text);
    append("two");
    check_file("one\ntwo\n");
}

static void test_what_cannot_be_written(void **state)
{
    (void)state;
    vkmm_append *a = NULL;
    assert_int_equal(vkmm_append_open(NULL, "/nonexistent/file", &a), VKMM_INVALID);
    assert_null(a);
    assert_int_equal(vkmm_append_open(NULL, "/dev/null", &a), VKMM_INVALID);
    assert_int_equal(vkmm_append_open(NULL, folder, &a), VKMM_INVALID);
    assert_null(a);
    vkmm_append_close(&a, 1);
}

/* Whoever may write in the folder could let it lead to a file of the user's. */
static void test_a_link_is_not_followed(void **state)
{
    (void)state;
    heard h;
    vkmm_log log = hear_with(&h);
    vkmm_append *a = NULL;
    char other[80];
    snprintf(other, sizeof other, "%s/other", folder);
    unlink(path);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(vkmm_append_open(&log, path, &a), VKMM_INVALID);
    assert_null(a);
    assert_contains(h.last, "cannot write ");
    assert_int_equal(access(other, F_OK), -1);
    assert_int_equal(unlink(path), 0);
}

static void test_removes(void **state)
{
    (void)state;
    vkmm_append *a = NULL;
    assert_int_equal(vkmm_append_open(NULL, path, &a), VKMM_OK);
    assert_int_equal(access(path, F_OK), 0);
    vkmm_append_close(&a, 1);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void test_the_host(void **state)
{
    (void)state;
    char text[128] = "", when[VKMM_HOST_TIME];
    vkmm_host_system(text, sizeof text);
    assert_true(strlen(text) > 4);
    assert_true(vkmm_host_processors() >= 1 && vkmm_host_memory() > 1 << 20);
    vkmm_host_time(when);
    assert_int_equal(strlen(when), 20);
    assert_true(when[4] == '-' && when[10] == 'T' && when[19] == 'Z');
}

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_appends),
        cmocka_unit_test(test_a_torn_line_is_cut),
        cmocka_unit_test(test_what_cannot_be_written),
        cmocka_unit_test(test_a_link_is_not_followed),
        cmocka_unit_test(test_removes),
        cmocka_unit_test(test_the_host),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
