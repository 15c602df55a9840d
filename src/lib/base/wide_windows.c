#include "base/wide.h"

#include <errno.h>
#include <string.h>
#include <windows.h>

#include "base/alloc.h"
#include "base/array.h"

int vkmm_windows_failed(void)
{
    static const struct {
        DWORD code;
        int error;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_NOT_READY, ENOENT},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
        {ERROR_USER_MAPPED_FILE, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_FILE_TOO_LARGE, EFBIG},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
    };
    const DWORD code = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < VKMM_COUNT(known); i++)
        if (known[i].code == code) errno = known[i].error;
    return -1;
}

wchar_t *vkmm_wide(const char *text)
{
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = length > 0 ? vkmm_alloc((size_t)length, sizeof *wide) : NULL;
    if (wide != NULL)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, length);
    else
        errno = length > 0 ? ENOMEM : EILSEQ;
    return wide;
}

char *vkmm_narrow(const wchar_t *text)
{
    const int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = length > 0 ? vkmm_alloc((size_t)length, 1) : NULL;
    if (narrow != NULL)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, length, NULL, NULL);
    else
        errno = length > 0 ? ENOMEM : EILSEQ;
    return narrow;
}

wchar_t *vkmm_wide_path(const char *path)
{
    enum { SHORT = MAX_PATH - 13 }; /* CreateDirectory needs room for a file's name */
    static const wchar_t local[] = L"\\\\?\\", share[] = L"\\\\?\\UNC";
    wchar_t *wide = vkmm_wide(path);
    const DWORD size = wide != NULL ? GetFullPathNameW(wide, 0, NULL, NULL) : 0;
    if (size < SHORT || wcsncmp(wide, L"\\\\?\\", 4) == 0) return wide;
    const size_t most = VKMM_COUNT(share);
    wchar_t *room = vkmm_alloc(size + most, sizeof *room);
    if (room != NULL) {
        wchar_t *full = room + most;
        const DWORD length = GetFullPathNameW(wide, size, full, NULL);
        const int is_share = full[0] == L'\\'; /* \\server\share becomes \\?\UNC\server\share */
        const wchar_t *prefix = is_share ? share : local;
        const size_t prefix_length = wcslen(prefix);
        wmemcpy(room, prefix, prefix_length);
        wmemmove(room + prefix_length, full + is_share, length + 1 - (size_t)is_share);
    } else {
        errno = ENOMEM;
    }
    vkmm_free(wide);
    return room;
}

char *vkmm_wide_variable(const wchar_t *name)
{
    const wchar_t *value = _wgetenv(name);
    return value != NULL && value[0] != L'\0' ? vkmm_narrow(value) : NULL;
}
