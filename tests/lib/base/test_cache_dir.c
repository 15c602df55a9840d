/* Where caches go: the XDG rules, and folders for this user alone. */
#include "folder.h"

#include "base/alloc.h"
#include "base/cache_dir.h"

static void set(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void expect(const char *xdg, const char *home, const char *given, const char *want)
{
    char *path = (char *)"untouched";
    set("XDG_CACHE_HOME", xdg);
    set("HOME", home);
    assert_ok(vkmm_cache_dir_resolve(NULL, given, &path));
    if (want)
        assert_string_equal(path ? path : "nowhere", want);
    else
        assert_null(path);
    vkmm_free(path);
}

TEST(resolves_by_the_xdg_rules)
{
    expect("/x", "/h", NULL, "/x/vkmatmul");
    expect("/x/", "/h", NULL, "/x/vkmatmul");
    expect(NULL, "/h", NULL, "/h/.cache/vkmatmul");
    expect("", "/h", NULL, "/h/.cache/vkmatmul");
    expect("relative/x", "/h", NULL, "/h/.cache/vkmatmul"); /* "should consider the path invalid and ignore it" */
    expect(NULL, NULL, NULL, NULL);
    expect(NULL, "", NULL, NULL);
    expect(NULL, "h", NULL, NULL);
    expect("/x", "/h", "", NULL);
    expect("/x", "/h", "own/place", "own/place");
    expect(NULL, NULL, "/own", "/own");
}

TEST(tells_when_memory_ends)
{
    char *path = (char *)"untouched";
    vkmm_alloc_fail_after(1);
    assert_int_equal(vkmm_cache_dir_resolve(NULL, "/own", &path), VKMM_OUT_OF_MEMORY);
    vkmm_alloc_fail_after(0);
    assert_null(path);
    assert_string_equal(vkmm_last_error(), "no memory for the name of the cache folder");
}

static unsigned mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    return status.st_mode & 0777;
}

IN_FOLDER(makes_what_is_missing_for_this_user_alone)
{
    mode_t before = umask(022);
    assert_int_equal(mkdir("there", 0755), 0);
    assert_ok(vkmm_cache_dir_make(NULL, "there/a/b"));
    assert_ok(vkmm_cache_dir_make(NULL, "there/a/b")); /* again */
    assert_ok(vkmm_cache_dir_make(NULL, "there/c/"));
    assert_ok(vkmm_cache_dir_make(NULL, "d"));
    umask(before);
    assert_int_equal(mode_of("there"), 0755);
    assert_int_equal(mode_of("there/a"), 0700);
    assert_int_equal(mode_of("there/a/b"), 0700);
    assert_int_equal(mode_of("there/c"), 0700);
    assert_int_equal(mode_of("d"), 0700);
    char absolute[200];
    snprintf(absolute, sizeof absolute, "%s/e/f", (char *)*state);
    assert_ok(vkmm_cache_dir_make(NULL, absolute));
    assert_int_equal(mode_of("e/f"), 0700);
}

IN_FOLDER(what_cannot_be_made_is_no_error)
{
    heard h;
    vkmm_log log = hear_with(&h);
    put("file", "");
    assert_int_equal(vkmm_cache_dir_make(&log, "file"), VKMM_INVALID);
    assert_int_equal(h.level, VKMM_LOG_INFO);
    assert_contains(h.last, "nothing is kept in file");
    assert_int_equal(vkmm_cache_dir_make(&log, "file/below/it"), VKMM_INVALID);
    assert_contains(h.last, "Not a directory");
    assert_int_equal(vkmm_cache_dir_make(&log, "/proc/vkmatmul/cache"), VKMM_INVALID); /* even root cannot */
    assert_contains(h.last, "No such file");
    assert_int_equal(vkmm_cache_dir_make(&log, ""), VKMM_INVALID);
    assert_int_equal(h.count, 4);
}

/* Others may not put there what a driver is given, whoever made the folder. */
IN_FOLDER(what_others_may_write_is_not_used)
{
    static const unsigned shared[] = {0777, 0770, 0702, 01777, 0720}, alone[] = {0700, 0755, 0750, 0500};
    heard h;
    vkmm_log log = hear_with(&h);
    char why[VKMM_CACHE_DIR_WHY], *path = NULL;
    assert_int_equal(mkdir("cache", 0700), 0);
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        assert_int_equal(chmod("cache", alone[i]), 0);
        assert_false(vkmm_cache_dir_is_shared("cache", why, sizeof why));
        assert_string_equal(why, "");
        assert_ok(vkmm_cache_dir_make(&log, "cache"));
        assert_ok(vkmm_cache_dir_resolve(&log, "cache", &path));
        assert_string_equal(path, "cache");
        vkmm_free(path);
    }
    assert_int_equal(h.count, 0);
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        assert_int_equal(chmod("cache", shared[i]), 0);
        assert_true(vkmm_cache_dir_is_shared("cache", why, sizeof why));
        assert_contains(why, "others may write to it (mode ");
        h.count = 0;
        assert_ok(vkmm_cache_dir_resolve(&log, "cache", &path));
        assert_null(path);
        assert_int_equal(h.count, i == 0); /* told once */
        if (i == 0) assert_int_equal(h.level, VKMM_LOG_WARNING);
        if (i == 0)
            assert_contains(
                h.last, "cache is neither read nor written: others may write to it (mode 0777; fix it with chmod go-w");
        assert_int_equal(vkmm_cache_dir_make(&log, "cache"), VKMM_INVALID);
        assert_int_equal(h.level, VKMM_LOG_INFO);
        assert_contains(h.last, "nothing is kept in cache: others may write to it");
        assert_ok(vkmm_tell(&log, vkmm_cache_dir_name("cache", &path)));
        assert_string_equal(path, "cache");
        vkmm_free(path);
    }
    assert_int_equal(chmod("cache", 0700), 0);
    assert_false(vkmm_cache_dir_is_shared("cache/missing", why, sizeof why));
    assert_int_equal(symlink("cache", "link"), 0); /* what it leads to counts */
    assert_ok(vkmm_cache_dir_make(&log, "link"));
}

IN_FOLDER(what_is_another_users_is_not_used)
{
    heard h;
    vkmm_log log = hear_with(&h);
    char why[VKMM_CACHE_DIR_WHY], *path = NULL;
    const char *theirs = "/"; /* root's, who else's */
    if (geteuid() == 0) {
        theirs = "theirs";
        assert_int_equal(mkdir(theirs, 0700), 0);
        if (chown(theirs, 12345, 12345) != 0) skip();
    }
    assert_true(vkmm_cache_dir_is_shared(theirs, why, sizeof why));
    assert_contains(why, "it belongs to another user (");
    assert_int_equal(vkmm_cache_dir_make(&log, theirs), VKMM_INVALID);
    assert_contains(h.last, "belongs to another user");
    assert_ok(vkmm_cache_dir_resolve(NULL, theirs, &path));
    assert_null(path);
}
