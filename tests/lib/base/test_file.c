#include "unit.h"

#include "base/log.h"
#include "base/alloc.h"
#include "base/disk.h"
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Every test runs in an empty folder of its own. */
static int enter_folder(void **state)
{
    char folder[] = "/tmp/vkmm-file-XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) return -1;
    *state = strdup(folder);
    return *state != NULL ? 0 : -1;
}

static int leave_folder(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    free(*state);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
    char found[200] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static unsigned entries(void)
{
    unsigned count = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static unsigned mode_of_partial(void)
{
    struct stat status = {0};
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;)
        if (strncmp(e->d_name, ".vkmatmul-", 10) == 0) assert_int_equal(stat(e->d_name, &status), 0);
    closedir(folder);
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

#define IN_FOLDER(name) TEST_WITH(name, enter_folder, leave_folder)

IN_FOLDER(test_mapping_refusals)
{
    heard h;
    vkmm_log log = hear_with(&h);
    vkmm_mapping mapping = {0};
    assert_int_equal(vkmm_tell(&log, vkmm_mapping_open("missing", &mapping)), VKMM_INVALID);
    assert_contains(h.last, "cannot read missing: No such file");
    assert_int_equal(vkmm_tell(&log, vkmm_mapping_open(".", &mapping)), VKMM_INVALID);
    assert_contains(h.last, "is a directory");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(vkmm_tell(&log, vkmm_mapping_open("pipe", &mapping)),
                     VKMM_INVALID); /* and does not wait for a writer */
    assert_contains(h.last, "not a regular file");
    assert_int_equal(vkmm_tell(&log, vkmm_mapping_open("/dev/null", &mapping)), VKMM_INVALID);
}

IN_FOLDER(test_output_appears_whole_at_commit)
{
    vkmm_output *output = NULL;
    struct stat status;
    put("out", "old");
    assert_int_equal(chmod("out", 0640), 0);
    assert_int_equal(vkmm_output_open("out", &output), VKMM_OK);
    assert_int_equal(vkmm_output_write(output, "new ", 4), VKMM_OK);
    assert_int_equal(vkmm_output_write(output, "text", 4), VKMM_OK);
    assert_holds("out", "old");
    assert_int_equal(entries(), 2);
    assert_int_equal(mode_before, 0600); /* nobody else could open it meanwhile */
    assert_int_equal(mode_of_partial(), 0640);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    assert_null(output);
    assert_holds("out", "new text");
    assert_int_equal(entries(), 1);
    assert_int_equal(stat("out", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

IN_FOLDER(test_output_of_a_new_file_obeys_the_umask)
{
    vkmm_output *output = NULL;
    struct stat status;
    mode_t before = umask(027);
    assert_int_equal(vkmm_output_open("new", &output), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    umask(before);
    assert_int_equal(stat("new", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(status.st_size, 0);
}

IN_FOLDER(test_output_discarded_leaves_nothing)
{
    vkmm_output *output = NULL;
    vkmm_output_discard(&output);
    put("out", "old");
    assert_int_equal(vkmm_output_open("out", &output), VKMM_OK);
    assert_int_equal(vkmm_output_write(output, "new", 3), VKMM_OK);
    vkmm_output_discard(&output);
    assert_null(output);
    assert_holds("out", "old");
    assert_int_equal(entries(), 1);
}

IN_FOLDER(test_output_failed_write_is_not_committed)
{
    heard h;
    vkmm_log log = hear_with(&h);
    vkmm_output *output = NULL;
    struct rlimit limit, small;
    put("out", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 4;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(vkmm_tell(&log, vkmm_output_open("out", &output)), VKMM_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    vkmm_status wrote = vkmm_output_write(output, "too long", 8);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(wrote, VKMM_INVALID);
    assert_contains(vkmm_last_error(), "cannot write out: File too large");
    assert_int_equal(vkmm_output_commit(&output), VKMM_INVALID);
    assert_null(output);
    assert_holds("out", "old");
    assert_int_equal(entries(), 1);
}

IN_FOLDER(test_output_keeps_symbolic_links)
{
    heard h;
    vkmm_log log = hear_with(&h);
    vkmm_output *output = NULL;
    struct stat status;
    assert_int_equal(mkdir("folder", 0700), 0);
    put("folder/target", "old");
    assert_int_equal(symlink("folder/target", "link"), 0);
    assert_int_equal(vkmm_tell(&log, vkmm_output_open("link", &output)), VKMM_OK);
    assert_int_equal(vkmm_output_write(output, "new", 3), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_holds("folder/target", "new");
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(vkmm_tell(&log, vkmm_output_open("dangling", &output)), VKMM_INVALID);
    assert_null(output);
    assert_contains(h.last, "dangling symbolic link");
}

IN_FOLDER(test_output_written_directly)
{
    heard h;
    vkmm_log log = hear_with(&h);
    vkmm_output *output = NULL;
    assert_int_equal(vkmm_tell(&log, vkmm_output_open("/dev/full", &output)), VKMM_OK);
    assert_int_equal(vkmm_output_write(output, "x", 1), VKMM_INVALID);
    assert_contains(vkmm_last_error(), "cannot write /dev/full: No space left");
    assert_int_equal(vkmm_output_commit(&output), VKMM_INVALID);
    assert_int_equal(vkmm_tell(&log, vkmm_output_open("/dev/null", &output)), VKMM_OK);
    assert_int_equal(vkmm_output_write(output, "x", 1), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);

    /* A redirected stream goes on where it stands. */
    char name[32], got[4] = "";
    int fd = open("redirected", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "before ", 7), 7);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(vkmm_tell(&log, vkmm_output_open(name, &output)), VKMM_OK);
    assert_int_equal(vkmm_output_write(output, "matrix", 6), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    assert_int_equal(write(fd, " after", 6), 6);
    int standard = dup(STDOUT_FILENO);
    fflush(stdout);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    vkmm_status opened = vkmm_tell(&log, vkmm_output_open("/dev/stdout", &output));
    assert_int_equal(dup2(standard, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(opened, VKMM_OK);
    assert_int_equal(vkmm_output_write(output, " all", 4), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    close(standard);
    close(fd);
    assert_holds("redirected", "before matrix after all");

    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
    assert_int_equal(vkmm_output_open(name, &output), VKMM_OK);
    assert_int_equal(vkmm_output_write(output, "abc", 3), VKMM_OK);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
    assert_int_equal(read(ends[0], got, 3), 3);
    assert_string_equal(got, "abc");
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(entries(), 1);
}

IN_FOLDER(test_files_of_the_cache_are_no_pipes)
{
    heard h;
    vkmm_log log = hear_with(&h);
    vkmm_output *output = NULL;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    /* Without waiting for a reader. */
    assert_int_equal(vkmm_tell(&log, vkmm_output_open_private("pipe", &output)), VKMM_INVALID);
    assert_null(output);
    assert_contains(h.last, "cannot write pipe: it is not a regular file");
    assert_int_equal(vkmm_output_open_private("new", &output), VKMM_OK);
    assert_int_equal(mode_of_partial(), 0600);
    assert_int_equal(vkmm_output_commit(&output), VKMM_OK);
}

IN_FOLDER(test_output_refusals)
{
    heard h;
    vkmm_log log = hear_with(&h);
    vkmm_output *output = NULL;
    assert_int_equal(vkmm_tell(&log, vkmm_output_open("no/such/folder", &output)), VKMM_INVALID);
    assert_contains(h.last, "cannot write no/such/folder: No such file");
    assert_int_equal(vkmm_tell(&log, vkmm_output_open(".", &output)), VKMM_INVALID);
    assert_contains(h.last, "Is a directory");
    assert_int_equal(vkmm_tell(&log, vkmm_output_open("/dev/fd/9999", &output)), VKMM_INVALID);
    assert_contains(h.last, "Bad file descriptor");
    put("file", "");
    assert_int_equal(vkmm_tell(&log, vkmm_output_open("file/below", &output)), VKMM_INVALID);
    assert_contains(h.last, "Not a directory");
    put("fixed", "old");
    assert_int_equal(chmod("fixed", 0444), 0);
    if (geteuid() != 0) { /* root may write everything */
        assert_int_equal(vkmm_tell(&log, vkmm_output_open("fixed", &output)), VKMM_INVALID);
        assert_contains(h.last, "Permission denied");
    }
    assert_null(output);
}

IN_FOLDER(test_output_without_memory)
{
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    unsigned failures = 0;
    put("out", "old");
    for (uint64_t n = 1; status != VKMM_OK; n++) {
        vkmm_output *output = NULL;
        vkmm_alloc_fail_after(n);
        status = vkmm_output_open("out", &output);
        vkmm_alloc_fail_after(0);
        assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
        assert_true((status == VKMM_OK) == (output != NULL));
        failures += status != VKMM_OK;
        vkmm_output_discard(&output);
        assert_int_equal(entries(), 1);
    }
    assert_int_equal(failures, 4); /* the object, its path, the target, the temporary name */
}
