/* Files on every operating system: names in UTF-8, long paths, outputs that appear whole, locks, mappings. */
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/dynlib.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/host.h"
#include "base/leftovers.h"
#include "base/workers.h"

static char *folder; /* of this test; its name has an umlaut and CJK characters */

static int make_folder(void **state)
{
    char name[128];
    snprintf(name, sizeof name, "vkmatmul-\xc3\xa4-\xe8\xa1\x8c\xe5\x88\x97-%d-%.0f", (int)getpid(),
             vkmm_now_ms() * 1e3);
    folder = vkmm_cache_dir_join(vkmm_folder_temporary(), name);
    return folder != NULL && vkmm_cache_dir_make(NULL, folder) == VKMM_OK ? 0 : -1;
}

static int forget_folder(void **state)
{
    vkmm_free(folder);
    folder = NULL;
    return 0;
}

#define IN_FOLDER(name) TEST_WITH(name, make_folder, forget_folder)

static char *in(const char *name)
{
    char *path = vkmm_cache_dir_join(folder, name);
    assert_non_null(path);
    return path;
}

static void assert_content(const char *path, const char *expected)
{
    char text[64];
    assert_true(vkmm_file_text(path, text, sizeof text));
    assert_string_equal(text, expected);
}

static void assert_count(const char *path, uint32_t count)
{
    vkmm_names names;
    assert_true(vkmm_folder_list(path, &names));
    assert_int_equal(names.count, count);
    vkmm_names_free(&names);
}

IN_FOLDER(test_an_output_replaces_a_mapped_file)
{
    char *path = in("\xc3\xbc.txt");
    vkmm_mapping old;
    vkmm_output *output;
    assert_ok(vkmm_output_whole(path, 0, "one\r\n", 5));
    assert_ok(vkmm_mapping_open(path, &old));
    assert_int_equal(old.bytes, 5); /* no line end was translated */
    assert_memory_equal(old.data, "one\r\n", 5);
    vkmm_mapping_close(&old);
    assert_ok(vkmm_output_open(path, 0, &output));
    assert_ok(vkmm_output_write(output, "two", 3));
    assert_content(path, "one");
    assert_ok(vkmm_output_commit(&output));
    assert_content(path, "two");
    assert_true(vkmm_path_same(path, path));
    assert_count(folder, 1);
    assert_int_equal(vkmm_disk_remove(path), 0);
    assert_int_equal(vkmm_disk_remove(path), -1);
    assert_int_equal(errno, ENOENT);
    vkmm_free(path);
}

IN_FOLDER(test_an_open_file_is_replaced_or_kept)
{
    char *path = in("open"), byte;
    assert_ok(vkmm_output_whole(path, 0, "1", 1));
    const int reader = vkmm_disk_open(path, VKMM_DISK_READ, 0);
    assert_true(reader >= 0);
    const vkmm_status status = vkmm_output_whole(path, 0, "2", 1);
#ifndef _WIN32
    assert_ok(status);
#endif
    assert_int_equal(vkmm_disk_read(reader, 0, &byte, 1), 1);
    assert_int_equal(byte, '1');
    close(reader);
    assert_content(path, status == VKMM_OK ? "2" : "1");
    assert_count(folder, 1);
    vkmm_disk_remove(path);
    vkmm_free(path);
}

IN_FOLDER(test_parts)
{
    char *path = in("parts");
    vkmm_output *output;
    vkmm_mapping seen;
    assert_ok(vkmm_output_open(path, 0, &output));
    assert_ok(vkmm_output_reserve(output, 1 << 20));
    assert_ok(vkmm_output_write_at(output, 1000000, "x", 1));
    assert_ok(vkmm_output_write_at(output, 0, "y", 1));
    assert_ok(vkmm_output_look(output, &seen));
    assert_int_equal(seen.bytes, 1 << 20);
    assert_int_equal(((const char *)seen.data)[1000000], 'x');
    assert_int_equal(((const char *)seen.data)[1], 0);
    vkmm_mapping_close(&seen);
    vkmm_output_discard(&output);
    assert_count(folder, 0);
    vkmm_free(path);
}

IN_FOLDER(test_long_paths)
{
    char part[101], *deep = vkmm_strdup(folder), *path;
    memset(part, 'd', 100);
    part[100] = '\0';
    for (int i = 0; i < 4; i++) {
        char *next = vkmm_cache_dir_join(deep, part);
        vkmm_free(deep);
        deep = next;
    }
    assert_ok(vkmm_cache_dir_make(NULL, deep));
    path = vkmm_cache_dir_join(deep, "file");
    assert_ok(vkmm_output_whole(path, 0, "deep", 4));
    assert_content(path, "deep");
    assert_count(deep, 1);
    assert_string_equal(vkmm_path_name(path), "file");
    vkmm_leftover_add(path);
    vkmm_leftovers_unlink();
    assert_count(deep, 0);
    assert_int_equal(vkmm_path_look(path, 0), VKMM_PATH_MISSING);
    assert_int_equal(vkmm_path_look(deep, 1), VKMM_PATH_OPEN);
    vkmm_free(path);
    vkmm_free(deep);
}

IN_FOLDER(test_refusals)
{
    vkmm_mapping mapping;
    vkmm_output *output = NULL;
    char *inside = in("missing" VKMM_SLASH "file");
    assert_int_equal(vkmm_mapping_open(folder, &mapping), VKMM_INVALID);
    assert_int_equal(vkmm_mapping_open(inside, &mapping), VKMM_INVALID);
    assert_int_equal(vkmm_output_open(inside, 0, &output), VKMM_INVALID);
    assert_null(output);
    vkmm_free(inside);
}

IN_FOLDER(test_a_lock_is_held_once)
{
    char *path = in("lock");
    const int first = vkmm_lock_take(path, 0);
    assert_true(first >= 0);
    assert_int_equal(vkmm_lock_take(path, 20), -1);
    vkmm_lock_leave(first);
    const int second = vkmm_lock_take(path, 0);
    assert_true(second >= 0);
    vkmm_lock_leave(second);
    vkmm_disk_remove(path);
    vkmm_free(path);
}

static vkmm_status count(void *context, uint64_t i)
{
    ((unsigned char *)context)[i]++;
    return VKMM_OK;
}

TEST(test_workers_share_a_loop)
{
    static unsigned char times[10000];
    vkmm_workers *workers = vkmm_workers_create(4);
    assert_non_null(workers);
    for (int round = 0; round < 3; round++) assert_ok(vkmm_workers_run(workers, sizeof times, count, times));
    vkmm_workers_destroy(&workers);
    for (size_t i = 0; i < sizeof times; i++) assert_int_equal(times[i], 3);
}

static vkmm_status refuse(void *context, uint64_t i)
{
    (void)context;
    return vkmm_fail(VKMM_UNSUPPORTED, "%llu", (unsigned long long)i);
}

/* An error in any thread becomes the caller's. */
TEST(test_workers_hand_errors_over)
{
    vkmm_workers *workers = vkmm_workers_create(4);
    for (int i = 0; i < 100; i++) {
        vkmm_fail(VKMM_INVALID, "before");
        assert_int_equal(vkmm_workers_run(workers, 64, refuse, NULL), VKMM_UNSUPPORTED);
        assert_string_not_equal(vkmm_last_error(), "before");
    }
    vkmm_workers_destroy(&workers);
}

TEST(test_the_machine)
{
    char text[128], now[VKMM_HOST_TIME];
    const double start = vkmm_now_ms();
    vkmm_host_system(text, sizeof text);
    vkmm_host_time(now);
#ifdef _WIN32
    assert_memory_equal(text, "Windows ", 8);
    assert_true(vkmm_dynlib_there("", "kernel32.dll"));
#else
    assert_true(strlen(text) > 0);
#endif
    assert_false(vkmm_dynlib_there("", "no-such-library-of-vkmatmul"));
    assert_int_equal(strlen(now), strlen("2026-01-31T12:00:00Z"));
    assert_int_equal(now[19], 'Z');
    assert_true(vkmm_host_processors() > 0);
    assert_true(vkmm_host_memory() >= vkmm_host_free_memory() && vkmm_host_free_memory() > 0);
    assert_true(vkmm_now_ms() >= start);
}

#ifdef _WIN32
TEST(test_the_cache_is_local)
{
    char *path = NULL;
    assert_int_equal(_wputenv(L"LOCALAPPDATA=C:\\\u00fc"), 0);
    assert_ok(vkmm_cache_dir_name(NULL, &path));
    assert_string_equal(path, "C:\\\xc3\xbc\\vkmatmul");
    vkmm_free(path);
}
#endif
