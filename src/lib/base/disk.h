/* Files as the operating system has them: disk.c for POSIX, disk_windows.c. Paths are UTF-8 and of any length on
 * Windows. Descriptors are the C library's and are not inherited by child processes. What fails returns -1, unless it
 * says otherwise, and sets errno. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define VKMM_SLASHES "/\\" /* what separates folders in a path */
#define VKMM_SLASH   "\\"  /* … in a path that is made here */
#else
#define VKMM_SLASHES "/"
#define VKMM_SLASH   "/"
#endif

/* The last component of a path, which may be "". */
const char *vkmm_path_name(const char *path);
int vkmm_path_is_absolute(const char *path);

typedef enum vkmm_disk_kind { VKMM_DISK_FILE, VKMM_DISK_FOLDER, VKMM_DISK_PIPE, VKMM_DISK_OTHER } vkmm_disk_kind;

typedef struct vkmm_disk_entry {
    vkmm_disk_kind kind;
    unsigned mode; /* permissions; 0 on Windows */
    uint64_t bytes;
    uint64_t volume, number; /* together, the file's identity */
} vkmm_disk_entry;

int vkmm_disk_look(const char *path, vkmm_disk_entry *entry); /* what a link points to */
int vkmm_disk_look_open(int fd, vkmm_disk_entry *entry);

/* READ and LOCK never wait for a pipe's other end. DEVICE: to write to what is not a regular file. NEW: to read
 * and write, fails with EEXIST if the name exists. LOCK creates a file that is missing. `mode` is for what is
 * created. */
typedef enum vkmm_disk_how { VKMM_DISK_READ, VKMM_DISK_DEVICE, VKMM_DISK_NEW, VKMM_DISK_LOCK } vkmm_disk_how;
int vkmm_disk_open(const char *path, vkmm_disk_how how, unsigned mode);
int vkmm_disk_open_unnamed(const char *folder); /* a temporary file that ends with the descriptor */
int vkmm_disk_duplicate(int fd);

/* How many bytes were moved, or -1; `offset` -1: at the descriptor's position. */
int64_t vkmm_disk_read(int fd, int64_t offset, void *data, size_t bytes);
int64_t vkmm_disk_write(int fd, int64_t offset, const void *data, size_t bytes);

/* Makes an empty file this long, and allocates the bytes on the disk if the file system can. */
int vkmm_disk_reserve(int fd, uint64_t bytes);
int vkmm_disk_sync(int fd);
void vkmm_disk_sync_soon(int fd, int64_t offset, uint64_t bytes); /* begins, and does not wait, if the system can */
int vkmm_disk_set_mode(int fd, unsigned mode);

/* The path, allocated (vkmm_free), of what is replaced when `path` is written: the file at the end of its links. NULL:
 * errno says why it must not be; ELOOP: it is a dangling link. */
char *vkmm_disk_target(const char *path, int exists);
int vkmm_disk_replace(const char *from,
                      const char *to);       /* in one step; `to` may exist, but Windows refuses if it is open */
int vkmm_disk_remove(const char *path);      /* a signal handler may call it */
int vkmm_disk_try_lock(int fd);              /* EWOULDBLOCK: another descriptor has the lock */
int vkmm_disk_make_folder(const char *path); /* for this user alone */

/* vkmm_cache_dir_name's default, allocated; NULL: there is none, or no memory. */
char *vkmm_disk_cache_folder(void);
