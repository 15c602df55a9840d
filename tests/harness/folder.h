/* A test in an empty folder of its own, which is its working directory: IN_FOLDER(name) { … }; *state is its path. */
#pragma once

#include "unit.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* In memory where there is such a place: files that are committed wait for a disk. */
static inline int enter_folder(void **state)
{
    char folder[40];
    snprintf(folder, sizeof folder, "%s/vkmm-test-XXXXXX", access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) return -1;
    *state = strdup(folder);
    return *state != NULL ? 0 : -1;
}

static inline int leave_folder(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", (char *)*state, (char *)*state);
    free(*state);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

#define IN_FOLDER(name) TEST_WITH(name, enter_folder, leave_folder)

static inline void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
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
