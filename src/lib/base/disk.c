#include "base/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/folder.h"
#include "base/variable.h"

const char *vkmm_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

int vkmm_path_is_absolute(const char *path)
{
    return path[0] == '/';
}

static int describe(int result, const struct stat *s, vkmm_disk_entry *entry)
{
    if (result != 0) return -1;
    *entry = (vkmm_disk_entry){.kind = S_ISREG(s->st_mode)    ? VKMM_DISK_FILE
                                       : S_ISDIR(s->st_mode)  ? VKMM_DISK_FOLDER
                                       : S_ISFIFO(s->st_mode) ? VKMM_DISK_PIPE
                                                              : VKMM_DISK_OTHER,
                               .mode = s->st_mode & 0777,
                               .bytes = (uint64_t)s->st_size,
                               .volume = (uint64_t)s->st_dev,
                               .number = (uint64_t)s->st_ino};
    return 0;
}

int vkmm_disk_look(const char *path, vkmm_disk_entry *entry)
{
    struct stat status;
    return describe(stat(path, &status), &status, entry);
}

int vkmm_disk_look_open(int fd, vkmm_disk_entry *entry)
{
    struct stat status;
    return describe(fstat(fd, &status), &status, entry);
}

int vkmm_disk_open(const char *path, vkmm_disk_how how, unsigned mode)
{
    static const int flags[] = {
        /* O_NONBLOCK: opening a pipe without its other end would wait for ever. */
        [VKMM_DISK_READ] = O_RDONLY | O_NONBLOCK | O_NOCTTY,
        [VKMM_DISK_DEVICE] = O_WRONLY | O_NOCTTY,
        /* O_EXCL never follows or reuses what is already there. */
        [VKMM_DISK_NEW] = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
        [VKMM_DISK_LOCK] = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
    };
    return open(path, flags[how] | O_CLOEXEC, (mode_t)mode);
}

int vkmm_disk_open_unnamed(const char *folder)
{
    static const char name[] = "/vkmatmul-XXXXXX";
    char *path = vkmm_alloc(strlen(folder) + sizeof name, 1);
    if (path == NULL) return -1;
    int fd = mkostemp(strcat(strcpy(path, folder), name), O_CLOEXEC), error = errno;
    if (fd >= 0) unlink(path);
    vkmm_free(path);
    errno = error;
    return fd;
}

int vkmm_disk_duplicate(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int64_t vkmm_disk_read(int fd, int64_t offset, void *data, size_t bytes)
{
    ssize_t got;
    do got = offset < 0 ? read(fd, data, bytes) : pread(fd, data, bytes, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got;
}

int64_t vkmm_disk_write(int fd, int64_t offset, const void *data, size_t bytes)
{
    ssize_t written;
    do written = offset < 0 ? write(fd, data, bytes) : pwrite(fd, data, bytes, (off_t)offset);
    while (written < 0 && errno == EINTR);
    return written;
}

int vkmm_disk_reserve(int fd, uint64_t bytes)
{
    int error = bytes > INT64_MAX ? EFBIG : EOPNOTSUPP;
#ifdef __linux__
    /* Not posix_fallocate, which writes into every block where the file system has no such call. */
    if (error != EFBIG) {
        do error = fallocate(fd, 0, 0, (off_t)bytes) == 0 ? 0 : errno;
        while (error == EINTR);
    }
#endif
    if (error == EOPNOTSUPP || error == ENOSYS) return ftruncate(fd, (off_t)bytes);
    errno = error;
    return error == 0 ? 0 : -1;
}

int vkmm_disk_sync(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1; /* some file systems have no fsync */
}

void vkmm_disk_sync_soon(int fd, int64_t offset, uint64_t bytes)
{
#ifdef __linux__
    sync_file_range(fd, (off_t)offset, (off_t)bytes, SYNC_FILE_RANGE_WRITE); /* a hint: it may fail */
#else
    (void)fd, (void)offset, (void)bytes;
#endif
}

int vkmm_disk_set_mode(int fd, unsigned mode)
{
    return fchmod(fd, (mode_t)mode);
}

char *vkmm_disk_target(const char *path, int exists)
{
    struct stat status;
    if (!exists) {
        if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode)) return vkmm_strdup(path);
        errno = ELOOP;
        return NULL;
    }
    /* A link keeps pointing where it pointed: the file at its end is replaced, not the link. */
    char *real = realpath(path, NULL), *target = real != NULL ? vkmm_strdup(real) : NULL;
    free(real);
    /* A rename would replace a read-only file without a word. */
    if (target == NULL || access(target, W_OK) == 0) return target;
    vkmm_free(target);
    return NULL;
}

int vkmm_disk_replace(const char *from, const char *to)
{
    return rename(from, to);
}

int vkmm_disk_remove(const char *path)
{
    return unlink(path);
}

int vkmm_disk_try_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB);
}

int vkmm_disk_make_folder(const char *path)
{
    return mkdir(path, 0700);
}

int vkmm_folder_list(const char *path, vkmm_names *names)
{
    int whole = 1;
    *names = (vkmm_names){NULL, 0};
    DIR *folder = opendir(path);
    if (folder == NULL) return 0;
    for (struct dirent *entry; whole && (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.') whole = vkmm_names_add(names, vkmm_strdup(entry->d_name));
    closedir(folder);
    return vkmm_names_end(names, whole);
}

int vkmm_link_name(const char *path, char *text, size_t size)
{
    char target[512];
    ssize_t length = readlink(path, target, sizeof target - 1);
    text[0] = '\0';
    if (length <= 0) return 0;
    target[length] = '\0';
    snprintf(text, size, "%s", vkmm_path_name(target));
    return 1;
}

const char *vkmm_folder_temporary(void)
{
    const char *named = vkmm_variable("TMPDIR");
    return named != NULL && named[0] != '\0' ? named : "/tmp";
}

vkmm_access_look vkmm_path_look(const char *path, int write)
{
    if (access(path, F_OK) != 0) return errno == EACCES ? VKMM_PATH_CLOSED : VKMM_PATH_MISSING;
    return access(path, write ? R_OK | W_OK : R_OK) == 0 ? VKMM_PATH_OPEN : VKMM_PATH_CLOSED;
}

char *vkmm_disk_cache_folder(void)
{
    const char *xdg = vkmm_variable("XDG_CACHE_HOME"), *home = vkmm_variable("HOME");
    if (xdg && xdg[0] == '/') return vkmm_cache_dir_join(xdg, "vkmatmul");
    return home && home[0] == '/' ? vkmm_cache_dir_join(home, ".cache/vkmatmul") : NULL;
}

int vkmm_cache_dir_is_shared(const char *path, char *why, size_t size)
{
    struct stat status;
    if (size > 0) why[0] = '\0';
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return 0;
    if (status.st_uid != geteuid()) {
        snprintf(why, size, "it belongs to another user (%lu, not %lu)", (unsigned long)status.st_uid,
                 (unsigned long)geteuid());
        return 1;
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return 0;
    snprintf(why, size, "others may write to it (mode %04o; fix it with chmod go-w)",
             (unsigned)(status.st_mode & 07777));
    return 1;
}
