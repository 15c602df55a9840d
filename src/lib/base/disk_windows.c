#include "base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <string.h>
#include <windows.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/folder.h"
#include "base/wide.h"

const char *vkmm_path_name(const char *path)
{
    const char *name = path[0] != '\0' && path[1] == ':' ? path + 2 : path;
    for (const char *at = name; *at != '\0'; at++)
        if (*at == '/' || *at == '\\') name = at + 1;
    return name;
}

int vkmm_path_is_absolute(const char *path)
{
    return path[0] == '/' || path[0] == '\\' || (path[0] != '\0' && path[1] == ':');
}

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

static int describe(HANDLE file, vkmm_disk_entry *entry)
{
    BY_HANDLE_FILE_INFORMATION about;
    const DWORD type = GetFileType(file);
    *entry = (vkmm_disk_entry){.kind = type == FILE_TYPE_PIPE ? VKMM_DISK_PIPE : VKMM_DISK_OTHER};
    if (type != FILE_TYPE_DISK) return 0;
    if (!GetFileInformationByHandle(file, &about)) return vkmm_windows_failed();
    *entry =
        (vkmm_disk_entry){.kind = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? VKMM_DISK_FOLDER : VKMM_DISK_FILE,
                          .bytes = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow,
                          .volume = about.dwVolumeSerialNumber,
                          .number = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow};
    return 0;
}

/* Others may read, write, rename and remove the file meanwhile, as everywhere else. */
static HANDLE open_handle(const char *path, DWORD access, DWORD how, DWORD attributes)
{
    wchar_t *wide = vkmm_wide_path(path);
    if (wide == NULL) return INVALID_HANDLE_VALUE;
    HANDLE file =
        CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how, attributes, NULL);
    if (file == INVALID_HANDLE_VALUE) vkmm_windows_failed();
    vkmm_free(wide);
    return file;
}

int vkmm_disk_look(const char *path, vkmm_disk_entry *entry)
{
    HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS); /* folders too */
    if (file == INVALID_HANDLE_VALUE) return -1;
    const int result = describe(file, entry);
    CloseHandle(file);
    return result;
}

int vkmm_disk_look_open(int fd, vkmm_disk_entry *entry)
{
    return describe(handle_of(fd), entry);
}

static int descriptor(HANDLE file, int flags)
{
    if (file == INVALID_HANDLE_VALUE) return -1;
    const int fd = _open_osfhandle((intptr_t)file, flags | _O_BINARY | _O_NOINHERIT);
    if (fd < 0) CloseHandle(file);
    return fd;
}

int vkmm_disk_open(const char *path, vkmm_disk_how how, unsigned mode)
{
    static const struct {
        DWORD access, how;
        int flags;
    } ways[] = {
        [VKMM_DISK_READ] = {GENERIC_READ, OPEN_EXISTING, _O_RDONLY},
        [VKMM_DISK_DEVICE] = {GENERIC_WRITE, OPEN_EXISTING, _O_WRONLY},
        [VKMM_DISK_NEW] = {GENERIC_READ | GENERIC_WRITE, CREATE_NEW, _O_RDWR},
        [VKMM_DISK_LOCK] = {GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, _O_RDWR},
    };
    vkmm_disk_entry entry;
    (void)mode; /* a folder's access control is inherited */
    if (how == VKMM_DISK_DEVICE && vkmm_disk_look(path, &entry) == 0 && entry.kind == VKMM_DISK_FOLDER) {
        errno = EISDIR; /* Windows opens folders */
        return -1;
    }
    return descriptor(open_handle(path, ways[how].access, ways[how].how, FILE_FLAG_BACKUP_SEMANTICS), ways[how].flags);
}

int vkmm_disk_open_unnamed(const char *folder)
{
    wchar_t name[MAX_PATH], *wide = vkmm_wide(folder);
    HANDLE file = INVALID_HANDLE_VALUE;
    if (wide != NULL && GetTempFileNameW(wide, L"vkm", 0, name) != 0)
        file = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                           NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (wide != NULL && file == INVALID_HANDLE_VALUE) vkmm_windows_failed();
    vkmm_free(wide);
    return descriptor(file, _O_RDWR);
}

int vkmm_disk_duplicate(int fd)
{
    HANDLE copy;
    if (!DuplicateHandle(GetCurrentProcess(), handle_of(fd), GetCurrentProcess(), &copy, 0, FALSE,
                         DUPLICATE_SAME_ACCESS))
        return vkmm_windows_failed();
    return descriptor(copy, _O_RDWR);
}

/* Windows moves the position of a file that is read or written at an offset; nobody uses both. */
static OVERLAPPED at(int64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

/* A system call transfers at most this much; the caller asks for the rest. */
static DWORD at_most(size_t bytes)
{
    return bytes < 1u << 30 ? (DWORD)bytes : 1u << 30;
}

int64_t vkmm_disk_read(int fd, int64_t offset, void *data, size_t bytes)
{
    OVERLAPPED place = at(offset);
    DWORD got = 0;
    if (ReadFile(handle_of(fd), data, at_most(bytes), &got, offset < 0 ? NULL : &place)) return got;
    if (GetLastError() == ERROR_HANDLE_EOF || GetLastError() == ERROR_BROKEN_PIPE) return 0;
    return vkmm_windows_failed();
}

int64_t vkmm_disk_write(int fd, int64_t offset, const void *data, size_t bytes)
{
    OVERLAPPED place = at(offset);
    DWORD written = 0;
    if (WriteFile(handle_of(fd), data, at_most(bytes), &written, offset < 0 ? NULL : &place)) return written;
    return vkmm_windows_failed();
}

int vkmm_disk_reserve(int fd, uint64_t bytes)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)bytes};
    if (bytes > INT64_MAX) {
        errno = EFBIG;
        return -1;
    }
    return SetFileInformationByHandle(handle_of(fd), FileEndOfFileInfo, &end, sizeof end) ? 0 : vkmm_windows_failed();
}

void vkmm_disk_sync_soon(int fd, int64_t offset, uint64_t bytes)
{
    (void)fd, (void)offset, (void)bytes;
}

int vkmm_disk_sync(int fd)
{
    return FlushFileBuffers(handle_of(fd)) ? 0 : vkmm_windows_failed();
}

int vkmm_disk_set_mode(int fd, unsigned mode)
{
    (void)fd, (void)mode;
    return 0;
}

char *vkmm_disk_target(const char *path, int exists)
{
    /* Replacing would need no right to write to the file itself. */
    HANDLE file = exists ? open_handle(path, GENERIC_WRITE, OPEN_EXISTING, 0) : NULL;
    if (file == INVALID_HANDLE_VALUE) return NULL;
    if (file != NULL) CloseHandle(file);
    return vkmm_strdup(path);
}

int vkmm_disk_replace(const char *from, const char *to)
{
    wchar_t *wide_from = vkmm_wide_path(from), *wide_to = vkmm_wide_path(to);
    int result = -1;
    if (wide_from != NULL && wide_to != NULL)
        result = MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING) ? 0 : vkmm_windows_failed();
    vkmm_free(wide_from);
    vkmm_free(wide_to);
    return result;
}

int vkmm_disk_remove(const char *path)
{
    wchar_t *wide = vkmm_wide_path(path);
    if (wide == NULL) return -1;
    const int result = DeleteFileW(wide) ? 0 : vkmm_windows_failed();
    vkmm_free(wide);
    return result;
}

int vkmm_disk_try_lock(int fd)
{
    OVERLAPPED place = {0};
    return LockFileEx(handle_of(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)
               ? 0
               : vkmm_windows_failed();
}

int vkmm_disk_make_folder(const char *path)
{
    wchar_t *wide = vkmm_wide_path(path);
    if (wide == NULL) return -1;
    const int result = CreateDirectoryW(wide, NULL) ? 0 : vkmm_windows_failed();
    vkmm_free(wide);
    return result;
}

int vkmm_folder_list(const char *path, vkmm_names *names)
{
    WIN32_FIND_DATAW found;
    char *pattern = vkmm_cache_dir_join(path, "*");
    wchar_t *wide = pattern != NULL ? vkmm_wide_path(pattern) : NULL;
    HANDLE folder = wide != NULL ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
    int whole = 1;
    *names = (vkmm_names){NULL, 0};
    vkmm_free(wide);
    vkmm_free(pattern);
    if (folder == INVALID_HANDLE_VALUE) return 0;
    do {
        if (found.cFileName[0] != L'.') whole = vkmm_names_add(names, vkmm_narrow(found.cFileName));
    } while (whole && FindNextFileW(folder, &found));
    FindClose(folder);
    return vkmm_names_end(names, whole);
}

/* Links that this program follows are those of Linux's /sys. */
int vkmm_link_name(const char *path, char *text, size_t size)
{
    (void)path;
    if (size > 0) text[0] = '\0';
    return 0;
}

const char *vkmm_folder_temporary(void)
{
    static _Thread_local char folder[4 * MAX_PATH];
    wchar_t wide[MAX_PATH + 1] = L".";
    GetTempPathW(MAX_PATH + 1, wide);
    if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, folder, sizeof folder, NULL, NULL)) folder[0] = '\0';
    return folder;
}

vkmm_access_look vkmm_path_look(const char *path, int write)
{
    vkmm_disk_entry entry;
    wchar_t *wide = vkmm_wide_path(path);
    const DWORD attributes = wide != NULL ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    vkmm_free(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES) return VKMM_PATH_MISSING;
    if (vkmm_disk_look(path, &entry) != 0) return VKMM_PATH_CLOSED;
    return write && (attributes & FILE_ATTRIBUTE_READONLY) ? VKMM_PATH_CLOSED : VKMM_PATH_OPEN;
}

char *vkmm_disk_cache_folder(void)
{
    char *local = vkmm_wide_variable(L"LOCALAPPDATA");
    char *folder = local != NULL && vkmm_path_is_absolute(local) ? vkmm_cache_dir_join(local, "vkmatmul") : NULL;
    vkmm_free(local);
    return folder;
}

int vkmm_cache_dir_is_shared(const char *path, char *why, size_t size)
{
    (void)path;
    if (size > 0) why[0] = '\0';
    return 0;
}
