/* Looking around in a system: folders, small files, who may open what. */
#ifndef VKMM_BASE_FOLDER_H
#define VKMM_BASE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* The names in a folder, in the order of their bytes, without those that begin with a dot. Freed by vkmm_names_free. */
typedef struct vkmm_names {
    char **name;
    uint32_t count;
} vkmm_names;

/* 0 when the folder cannot be read, or memory ends: then there are no names. */
int vkmm_folder_list(const char *path, vkmm_names *names);
void vkmm_names_free(vkmm_names *names); /* zeroed names are legal */

/* What a small file begins with, as a text without the white space at its end. 0 when it cannot be read: then the
 * text is "". Bytes from the first 0 on are left out. */
int vkmm_file_text(const char *path, char *text, size_t size);

/* The first `size` bytes of a regular file: how many there are, 0 when it cannot be read. Never waits, whatever the
 * path names. */
size_t vkmm_file_head(const char *path, void *bytes, size_t size);

/* The last part of where a symbolic link points to. 0 when it is no link: then the text is "". */
int vkmm_link_name(const char *path, char *text, size_t size);

/* Where temporary files without a place of their own go: TMPDIR, or /tmp. Valid as long as the environment stays. */
const char *vkmm_folder_temporary(void);

typedef enum vkmm_access_look { VKMM_PATH_MISSING, VKMM_PATH_CLOSED, VKMM_PATH_OPEN } vkmm_access_look;

/* Whether a path ends in these bytes, and has more before them. */
int vkmm_path_ends(const char *path, const char *ending);

/* Whether both name one regular file, whatever links lead to it. FILE:NAME is FILE, unless there is a file of that
 * name. */
int vkmm_path_same(const char *left, const char *right);

/* Whether a path is there, and this user may read it (and write it too, when `write` is not 0). Opens nothing. */
vkmm_access_look vkmm_path_look(const char *path, int write);

#endif
