#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

static int by_bytes(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

int vkmm_folder_list(const char *path, vkmm_names *names)
{
    uint32_t room = 0;
    int whole = 1;
    *names = (vkmm_names){NULL, 0};
    DIR *folder = opendir(path);
    if (folder == NULL) return 0;
    for (struct dirent *entry; whole && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        if (names->count == room) {
            char **grown = vkmm_realloc(names->name, 2 * (size_t)room + 16, sizeof *grown);
            whole = grown != NULL;
            if (!whole) break;
            names->name = grown;
            room = 2 * room + 16;
        }
        names->name[names->count] = vkmm_strdup(entry->d_name);
        whole = names->name[names->count] != NULL;
        names->count += (uint32_t)whole;
    }
    closedir(folder);
    if (!whole) vkmm_names_free(names);
    if (names->count > 0) qsort(names->name, names->count, sizeof *names->name, by_bytes);
    return whole;
}

void vkmm_names_free(vkmm_names *names)
{
    for (uint32_t i = 0; i < names->count; i++) vkmm_free(names->name[i]);
    vkmm_free(names->name);
    *names = (vkmm_names){NULL, 0};
}

size_t vkmm_file_head(const char *path, void *bytes, size_t size)
{
    struct stat about;
    size_t used = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its writer */
    if (file < 0) return 0;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
        while (used < size) {
            ssize_t got = read(file, (char *)bytes + used, size - used);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            used += (size_t)got;
        }
    }
    close(file);
    return used;
}

int vkmm_file_text(const char *path, char *text, size_t size)
{
    size_t used = vkmm_file_head(path, text, size - 1);
    text[used] = '\0';
    used = strlen(text);
    while (used > 0 && strchr(" \t\r\n", text[used - 1]) != NULL) text[--used] = '\0';
    return used > 0;
}

int vkmm_link_name(const char *path, char *text, size_t size)
{
    char target[512];
    ssize_t length = readlink(path, target, sizeof target - 1);
    text[0] = '\0';
    if (length <= 0) return 0;
    target[length] = '\0';
    const char *slash = strrchr(target, '/');
    snprintf(text, size, "%s", slash != NULL ? slash + 1 : target);
    return 1;
}

const char *vkmm_folder_temporary(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL && named[0] != '\0' ? named : "/tmp";
}

vkmm_access_look vkmm_path_look(const char *path, int write)
{
    if (access(path, F_OK) != 0) return errno == EACCES ? VKMM_PATH_CLOSED : VKMM_PATH_MISSING;
    return access(path, write ? R_OK | W_OK : R_OK) == 0 ? VKMM_PATH_OPEN : VKMM_PATH_CLOSED;
}

int vkmm_path_ends(const char *path, const char *ending)
{
    const size_t length = strlen(path), least = strlen(ending);
    return length > least && strcmp(path + length - least, ending) == 0;
}

static int look(const char *path, struct stat *about)
{
    char *name = vkmm_strdup(path), *colon = name;
    int found = 0;
    while (colon != NULL && !found) {
        found = stat(name, about) == 0;
        colon = strrchr(name, ':');
        if (colon != NULL) *colon = '\0';
    }
    vkmm_free(name);
    return found && S_ISREG(about->st_mode);
}

int vkmm_path_same(const char *left, const char *right)
{
    struct stat l, r;
    return look(left, &l) && look(right, &r) && l.st_dev == r.st_dev && l.st_ino == r.st_ino;
}
