/* A tree of files that plays the system's root: setup and teardown of a test, and what puts files into it. */
#pragma once

#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static inline int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/vkmm-tree-XXXXXX");
    return mkdtemp(root) == NULL;
}

static inline int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* A file of the tree, with the folders that it needs; text NULL: it vanishes. Whoever reads it meanwhile sees all of
 * the old or of the new. */
static inline void put(const char *name, const char *text)
{
    char path[512], fresh[80];
    snprintf(path, sizeof path, "%s%s", root, name);
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
