#include "folder.h"

#include "base/alloc.h"
#include "base/disk.h"
#include "base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static void assert_holds(const char *path, const char *text)
{
    char found[200] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static unsigned mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 0777;
}

/* In place of the C library's: notes the mode that a file had before. */
static unsigned mode_before;
int fchmod(int fd, mode_t mode)
{
    struct stat status;
    mode_before = fstat(fd, &status) == 0 ? status.st_mode & 0777 : 0;
    return (int)syscall(SYS_fchmod, fd, mode);
}

IN_FOLDER(test_mapping_refusals)
{
    static const struct {
        const char *path, *sentence;
    } cases[] = {{"missing", "cannot read missing: No such file"},
                 {".", "is a directory"},
                 {"pipe", "not a regular file"}, /* and does not wait for a writer */
                 {"/dev/null", "not a regular file"}};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vkmm_mapping mapping = {0};
        assert_refused(vkmm_mapping_open(cases[i].path, &mapping), VKMM_INVALID, cases[i].sentence);
    }
}

IN_FOLDER(test_output_appears_whole_at_commit)
{
    vkmm_output *output = NULL;
    DIR *folder = opendir(".");
    put("out", "old");
    assert_int_equal(chmod("out", 0640), 0);
    assert_ok(vkmm_output_open("out", 0, &output));
    assert_ok(vkmm_output_write(output, "new ", 4));
    assert_ok(vkmm_output_write(output, "text", 4));
    assert_holds("out", "old");
    assert_int_equal(entries_of(".", NULL), 2);
    assert_int_equal(mode_before, 0600); /* nobody else could open it meanwhile */
    for (const struct dirent *e; (e = readdir(folder)) != NULL;)
        if (strncmp(e->d_name, ".vkmatmul-", 10) == 0) assert_int_equal(mode_of(e->d_name), 0640);
    closedir(folder);
    assert_ok(vkmm_output_commit(&output));
    assert_null(output);
    assert_holds("out", "new text");
    assert_int_equal(entries_of(".", NULL), 1);
    assert_int_equal(mode_of("out"), 0640);
}

IN_FOLDER(test_output_of_a_new_file_obeys_the_umask)
{
    vkmm_output *output = NULL;
    mode_t before = umask(027);
    assert_ok(vkmm_output_open("new", 0, &output));
    assert_ok(vkmm_output_commit(&output));
    umask(before);
    assert_int_equal(mode_of("new"), 0640);
    assert_holds("new", "");
}

IN_FOLDER(test_output_discarded_leaves_nothing)
{
    vkmm_output *output = NULL;
    vkmm_output_discard(&output);
    put("out", "old");
    assert_ok(vkmm_output_open("out", 0, &output));
    assert_ok(vkmm_output_write(output, "new", 3));
    vkmm_output_discard(&output);
    assert_null(output);
    assert_holds("out", "old");
    assert_int_equal(entries_of(".", NULL), 1);
}

IN_FOLDER(test_output_failed_write_is_not_committed)
{
    vkmm_output *output = NULL;
    struct rlimit limit, small;
    put("out", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 4;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_ok(vkmm_output_open("out", 0, &output));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    vkmm_status wrote = vkmm_output_write(output, "too long", 8);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(wrote, VKMM_INVALID);
    assert_contains(vkmm_last_error(), "cannot write out: File too large");
    assert_int_equal(vkmm_output_commit(&output), VKMM_INVALID);
    assert_null(output);
    assert_holds("out", "old");
    assert_int_equal(entries_of(".", NULL), 1);
}

IN_FOLDER(test_output_keeps_symbolic_links)
{
    vkmm_output *output = NULL;
    struct stat status;
    assert_int_equal(mkdir("folder", 0700), 0);
    put("folder/target", "old");
    assert_int_equal(symlink("folder/target", "link"), 0);
    assert_ok(vkmm_output_open("link", 0, &output));
    assert_ok(vkmm_output_write(output, "new", 3));
    assert_ok(vkmm_output_commit(&output));
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_holds("folder/target", "new");
}

IN_FOLDER(test_output_written_directly)
{
    vkmm_output *output = NULL;
    assert_ok(vkmm_output_open("/dev/full", 0, &output));
    assert_refused(vkmm_output_write(output, "x", 1), VKMM_INVALID, "cannot write /dev/full: No space left");
    assert_int_equal(vkmm_output_commit(&output), VKMM_INVALID);
    assert_ok(vkmm_output_open("/dev/null", 0, &output));
    assert_ok(vkmm_output_write(output, "x", 1));
    assert_ok(vkmm_output_commit(&output));

    /* A redirected stream goes on where it stands. */
    char name[32], got[4] = "";
    int fd = open("redirected", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "before ", 7), 7);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_ok(vkmm_output_open(name, 0, &output));
    assert_ok(vkmm_output_write(output, "matrix", 6));
    assert_ok(vkmm_output_commit(&output));
    assert_int_equal(write(fd, " after", 6), 6);
    int standard = dup(STDOUT_FILENO);
    fflush(stdout);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    vkmm_status opened = vkmm_output_open("/dev/stdout", 0, &output);
    assert_int_equal(dup2(standard, STDOUT_FILENO), STDOUT_FILENO);
    assert_ok(opened);
    assert_ok(vkmm_output_write(output, " all", 4));
    assert_ok(vkmm_output_commit(&output));
    close(standard);
    close(fd);
    assert_holds("redirected", "before matrix after all");

    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
    assert_ok(vkmm_output_open(name, 0, &output));
    assert_ok(vkmm_output_write(output, "abc", 3));
    assert_ok(vkmm_output_commit(&output));
    assert_int_equal(read(ends[0], got, 3), 3);
    assert_string_equal(got, "abc");
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(entries_of(".", NULL), 1);
}

IN_FOLDER(test_files_of_the_cache_are_no_pipes)
{
    vkmm_output *output = NULL;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    /* Without waiting for a reader. */
    assert_int_equal(vkmm_output_open("pipe", 1, &output), VKMM_INVALID);
    assert_null(output);
    assert_contains(vkmm_last_error(), "cannot write pipe: it is not a regular file");
    assert_ok(vkmm_output_whole("new", 1, "", 0));
    assert_int_equal(mode_of("new"), 0600);
}

IN_FOLDER(test_output_refusals)
{
    static const struct {
        const char *path, *sentence;
    } cases[] = {{"no/such/folder", "cannot write no/such/folder: No such file"},
                 {".", "Is a directory"},
                 {"/dev/fd/9999", "Bad file descriptor"},
                 {"file/below", "Not a directory"},
                 {"dangling", "dangling symbolic link"},
                 {"fixed", "Permission denied"}};
    const size_t count = sizeof cases / sizeof *cases - (geteuid() == 0); /* root may write everything */
    vkmm_output *output = NULL;
    put("file", "");
    put("fixed", "old");
    assert_int_equal(chmod("fixed", 0444), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(vkmm_output_open(cases[i].path, 0, &output), VKMM_INVALID);
        assert_null(output);
        assert_contains(vkmm_last_error(), cases[i].sentence);
    }
}

IN_FOLDER(test_output_without_memory)
{
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    unsigned failures = 0;
    put("out", "old");
    for (uint64_t n = 1; status != VKMM_OK; n++) {
        vkmm_output *output = NULL;
        vkmm_alloc_fail_after(n);
        status = vkmm_output_open("out", 0, &output);
        vkmm_alloc_fail_after(0);
        assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
        assert_true((status == VKMM_OK) == (output != NULL));
        failures += status != VKMM_OK;
        vkmm_output_discard(&output);
        assert_int_equal(entries_of(".", NULL), 1);
    }
    assert_int_equal(failures, 4); /* the object, its path, the target, the temporary name */
}
