/* NumPy's .npz files, which are only read: ZIP archives of .npy files, NAME.npy being the array NAME, stored or
 * deflated, with Zip64 or without. minizip, a part of zlib, reads the archives; a build without it lacks this file. */
#include "base/alloc.h"
#include "base/folder.h"
#include "base/host.h"
#include "base/limits.h"
#include "base/log.h"
#include "io/array_format.h"

#include <string.h>
#include <unzip.h>

enum {
    NAME_BYTES = 256,
    MOST_AT_ONCE = 1 << 30,
    DEFLATED_MOST = 1032 /* most bytes that one byte becomes */
};

/* An archive in memory, for minizip. */
typedef struct archive {
    const char *data;
    uint64_t bytes, at;
} archive;

static void *open_archive(void *opaque, const void *name, int mode)
{
    (void)name, (void)mode;
    return opaque;
}

static unsigned long read_archive(void *opaque, void *stream, void *to, unsigned long bytes)
{
    archive *a = opaque;
    (void)stream;
    if (a->at >= a->bytes) return 0;
    if (bytes > a->bytes - a->at) bytes = (unsigned long)(a->bytes - a->at);
    memcpy(to, a->data + a->at, bytes);
    a->at += bytes;
    return bytes;
}

static ZPOS64_T tell_archive(void *opaque, void *stream)
{
    (void)stream;
    return ((archive *)opaque)->at;
}

static long seek_archive(void *opaque, void *stream, ZPOS64_T offset, int origin)
{
    archive *a = opaque;
    (void)stream;
    const uint64_t from = origin == ZLIB_FILEFUNC_SEEK_SET ? 0 : origin == ZLIB_FILEFUNC_SEEK_CUR ? a->at : a->bytes;
    if (from + offset > a->bytes) return -1;
    a->at = from + offset;
    return 0;
}

static int nothing(void *opaque, void *stream)
{
    (void)opaque, (void)stream;
    return 0;
}

static zlib_filefunc64_def functions_of(archive *a)
{
    return (zlib_filefunc64_def){open_archive, read_archive, NULL, tell_archive, seek_archive, nothing, nothing, a};
}

/* The name of the archive's current file, without .npy. */
static int read_name(unzFile zip, char name[NAME_BYTES], unz_file_info64 *info)
{
    memset(name, 0, NAME_BYTES);
    if (unzGetCurrentFileInfo64(zip, info, name, NAME_BYTES - 1, NULL, 0, NULL, 0) != UNZ_OK) return 0;
    if (vkmm_path_ends(name, ".npy")) name[strlen(name) - strlen(".npy")] = '\0';
    return 1;
}

/* Makes the wanted array the current file; if none is named, the only one. */
static vkmm_status find(const char *path, const char *wanted, unzFile zip, unz_file_info64 *info)
{
    char name[NAME_BYTES];
    cli_array_names names = {0};
    unz_global_info64 all = {0};
    unzGetGlobalInfo64(zip, &all);
    for (int at = unzGoToFirstFile(zip); at == UNZ_OK && read_name(zip, name, info); at = unzGoToNextFile(zip)) {
        if (wanted != NULL ? strcmp(name, wanted) == 0 : all.number_entry == 1) return VKMM_OK;
        cli_array_names_add(&names, name, strlen(name));
    }
    return cli_array_names_refuse(path, ".npz", wanted, &names);
}

static uint64_t read_member(unzFile zip, char *to, uint64_t bytes)
{
    uint64_t read = 0;
    for (int some = 1; read < bytes && some > 0; read += some > 0 ? (uint64_t)some : 0)
        some = unzReadCurrentFile(zip, to + read, (unsigned)vkmm_least(bytes - read, MOST_AT_ONCE));
    return read;
}

/* The current file. Its size is as the archive says: a deflated byte becomes no more than DEFLATED_MOST. */
static vkmm_status extract(const char *path, unzFile zip, const unz_file_info64 *info, uint64_t archive_bytes,
                           void **content)
{
    const uint64_t size = info->uncompressed_size, free_bytes = vkmm_host_free_memory();
    if (size / DEFLATED_MOST > archive_bytes || (info->flag & 1) != 0 || unzOpenCurrentFile(zip) != UNZ_OK)
        return vkmm_fail(VKMM_INVALID,
                         "%s: the array is damaged, encrypted, or compressed by a method other than deflate", path);
    if (free_bytes == 0 || size <= free_bytes) *content = vkmm_alloc(1, size);
    const uint64_t read = *content != NULL ? read_member(zip, *content, size) : 0;
    const int closed = unzCloseCurrentFile(zip); /* compares the checksum */
    if (*content == NULL) return VKMM_NO_MEMORY("for the %llu bytes of %s", (unsigned long long)size, path);
    if (read == size && closed == UNZ_OK) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s: the array is damaged", path);
}

static vkmm_status unpack(const char *path, const char *wanted, const void *data, uint64_t bytes, void **content,
                          uint64_t *content_bytes)
{
    archive whole = {data, bytes, 0};
    zlib_filefunc64_def functions = functions_of(&whole);
    unz_file_info64 info;
    const unzFile zip = unzOpen2_64(path, &functions);
    if (zip == NULL) return vkmm_fail(VKMM_INVALID, "%s: not a .npz file, or a truncated one", path);
    vkmm_status status = find(path, wanted, zip, &info);
    if (status == VKMM_OK) status = extract(path, zip, &info, bytes, content);
    if (status == VKMM_OK) *content_bytes = info.uncompressed_size;
    unzClose(zip);
    return status;
}

const cli_array_format cli_npz_format = {.suffix = ".npz", .magic = "PK", .has_names = 1, .unpack = unpack};
