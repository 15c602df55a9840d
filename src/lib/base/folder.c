#include "base/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/disk.h"

int vkmm_names_add(vkmm_names *names, char *name)
{
    char **added = name != NULL ? vkmm_list_add(&names->name, &names->count, 1, sizeof *added) : NULL;
    if (added != NULL)
        *added = name;
    else
        vkmm_free(name);
    return added != NULL;
}

static int by_bytes(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

int vkmm_names_end(vkmm_names *names, int whole)
{
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
    vkmm_disk_entry entry;
    size_t used = 0;
    int file = vkmm_disk_open(path, VKMM_DISK_READ, 0);
    if (file < 0) return 0;
    if (vkmm_disk_look_open(file, &entry) == 0 && entry.kind == VKMM_DISK_FILE) {
        while (used < size) {
            const int64_t got = vkmm_disk_read(file, -1, (char *)bytes + used, size - used);
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

int vkmm_path_ends(const char *path, const char *ending)
{
    const size_t length = strlen(path), least = strlen(ending);
    return length > least && strcmp(path + length - least, ending) == 0;
}

static int look(const char *path, vkmm_disk_entry *entry)
{
    char *name = vkmm_strdup(path), *colon = name;
    int found = 0;
    while (colon != NULL && !found) {
        found = vkmm_disk_look(name, entry) == 0;
        colon = strrchr(name, ':');
        if (colon != NULL) *colon = '\0';
    }
    vkmm_free(name);
    return found && entry->kind == VKMM_DISK_FILE;
}

int vkmm_path_same(const char *left, const char *right)
{
    vkmm_disk_entry l, r;
    return look(left, &l) && look(right, &r) && l.volume == r.volume && l.number == r.number;
}
