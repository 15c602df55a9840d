/* A test in an empty folder of its own: IN_FOLDER(name) { … }. The folder is its working directory, and plays the
 * system's root. */
#pragma once

#include "unit.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[40]; /* the folder's path, as *state is */

/* In memory where there is such a place: files that are committed wait for a disk. */
static inline int enter_folder(void **state)
{
    snprintf(root, sizeof root, "%s/vkmm-test-XXXXXX", access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
    *state = root;
    return mkdtemp(root) != NULL && chdir(root) == 0 ? 0 : -1;
}

static inline int leave_folder(void **state)
{
    char command[110];
    (void)state;
    snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", root, root);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

#define IN_FOLDER(name) TEST_WITH(name, enter_folder, leave_folder)

/* A file of the folder, with the folders that it needs; text NULL: it vanishes. Whoever reads it meanwhile sees all of
 * the old or of the new. */
static inline void put(const char *name, const char *text)
{
    char path[512], fresh[80];
    snprintf(path, sizeof path, "%s/%s", root, name);
    snprintf(fresh, sizeof fresh, "%s/.fresh", root);
    if (text == NULL) {
        assert_int_equal(unlink(path), 0);
        return;
    }
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(fresh, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(fresh, path), 0);
}

/* How many entries a folder has, those that begin with a dot too; the last one's name if that is wanted. */
static inline unsigned entries_of(const char *path, char last[256])
{
    unsigned count = 0;
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (last != NULL) snprintf(last, 256, "%s", e->d_name);
        count++;
    }
    if (folder != NULL) closedir(folder);
    return count;
}
