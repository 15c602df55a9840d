/* Inspecting the file system: folders, small files, access rights. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The names in a folder, in the order of their bytes, without those that begin with a dot. Freed by vkmm_names_free. */
typedef struct vkmm_names {
    char **name;
    uint32_t count;
} vkmm_names;

/* 0 if the folder cannot be read, or memory runs out; there are then no names. */
int vkmm_folder_list(const char *path, vkmm_names *names);
void vkmm_names_free(vkmm_names *names); /* zeroed names are legal */

/* Adds a name, which now belongs to the list; 0: it is NULL, or there is no memory. end: sorts a whole list, or frees
 * one that is not; returns `whole`. */
int vkmm_names_add(vkmm_names *names, char *name);
int vkmm_names_end(vkmm_names *names, int whole);

/* The beginning of a small file, as text without trailing white space. 0 if it cannot be read; the text is then "". The
 * text ends before the first zero byte. */
int vkmm_file_text(const char *path, char *text, size_t size);

/* The first `size` bytes of a regular file: how many there are, 0 if it cannot be read. Never blocks, whatever the path
 * names. */
size_t vkmm_file_head(const char *path, void *bytes, size_t size);

/* The last component of a symbolic link's target. 0 if it is not a link; the text is then "". */
int vkmm_link_name(const char *path, char *text, size_t size);

/* The default folder of temporary files: TMPDIR, or /tmp; on Windows, TEMP. Valid until the environment changes
 * or, on Windows, until the next call in this thread. */
const char *vkmm_folder_temporary(void);

typedef enum vkmm_access_look { VKMM_PATH_MISSING, VKMM_PATH_CLOSED, VKMM_PATH_OPEN } vkmm_access_look;

/* Whether a path ends in these bytes, and has more before them. */
int vkmm_path_ends(const char *path, const char *ending);

/* Whether both name the same regular file, also through links. FILE:NAME is FILE, unless there is a file of that
 * name. */
int vkmm_path_same(const char *left, const char *right);

/* Whether a path exists and this user may read it (and write it, if `write` is not 0). Opens nothing. */
vkmm_access_look vkmm_path_look(const char *path, int write);
