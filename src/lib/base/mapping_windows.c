#include "base/file.h"

#include <errno.h>
#include <io.h>
#include <string.h>
#include <windows.h>

#include "base/log.h"
#include "base/wide.h"

/* Windows refuses to make a file shorter while it is mapped, so that a mapping is always whole; only a network or a
 * disk that fails can end the process. */

vkmm_status vkmm_mapping_of(const char *path, int fd, uint64_t bytes, int shared, vkmm_mapping *mapping)
{
    void *data = NULL;
    HANDLE section = NULL;
    (void)shared; /* all mappings are */
    if (bytes > 0) section = CreateFileMappingW((HANDLE)_get_osfhandle(fd), NULL, PAGE_READONLY, 0, 0, NULL);
    if (section != NULL) data = MapViewOfFile(section, FILE_MAP_READ, 0, 0, (size_t)bytes);
    if (bytes > 0 && data == NULL) vkmm_windows_failed();
    if (section != NULL) CloseHandle(section); /* the view keeps it */
    if (bytes > 0 && data == NULL) return vkmm_fail(VKMM_INVALID, "cannot map %s: %s", path, strerror(errno));
    *mapping = (vkmm_mapping){data, bytes, -1};
    return VKMM_OK;
}

void vkmm_mapping_close(vkmm_mapping *mapping)
{
    if (mapping->data != NULL) UnmapViewOfFile(mapping->data);
    *mapping = (vkmm_mapping){0};
}
