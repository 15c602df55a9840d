/* Reading files of matrices: their bytes, their format, and elements that are stored differently than in memory. */
#include "base/alloc.h"
#include "base/host.h"
#include "base/limits.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 }; /* bytes: more than enough to recognise a format */

int cli_array_put(vkmm_type type, void *element, double value)
{
    const vkmm_type_info *info = vkmm_type_of(type);
    const double span = ldexp(1.0, 8 * (int)info->bytes), least = type == VKMM_I32 || type == VKMM_I8 ? -span / 2 : 0.0;
    if (!info->is_float && (value != floor(value) || value < least || value >= least + span)) return 0;
    vkmm_type_put(type, element, value);
    return !isinf(vkmm_type_get(type, element)) || isinf(value);
}

/* The array's element x in the order of the file. */
static void say_place(const cli_array *array, uint64_t x, char *text, size_t size)
{
    const vkmm_view *view = &array->first;
    const unsigned long long count = x / array->stride % array->count, row = x / view->row_stride % view->rows,
                             col = x / view->col_stride % view->cols;
    if (array->dimensions == 1)
        snprintf(text, size, "[%llu]", col);
    else if (array->dimensions == 2)
        snprintf(text, size, "[%llu, %llu]", row, col);
    else
        snprintf(text, size, "[%llu, %llu, %llu]", count, row, col);
}

/* Element x of a file of 64-bit integers; VKMM_INVALID: it does not fit in 32 bits. */
static vkmm_status narrow(const char *path, const cli_array *array, uint64_t x, char *to)
{
    const vkmm_type_info *type = vkmm_type_of(array->first.type);
    char place[80];
    int64_t number;
    memcpy(&number, (const char *)array->first.data + x * sizeof number, sizeof number);
    const int is_signed = array->first.type == VKMM_I32, negative = is_signed && number < 0;
    if (cli_array_put(array->first.type, to, is_signed ? (double)number : (double)(uint64_t)number)) return VKMM_OK;
    say_place(array, x, place, sizeof place);
    return vkmm_fail(VKMM_INVALID, "%s: element %s is %s%llu, which does not fit in %s", path, place,
                     negative ? "-" : "", (unsigned long long)(negative ? 0 - (uint64_t)number : (uint64_t)number),
                     type->name);
}

/* Copies elements that cannot be used as stored in the file. They are contiguous in some order, so all of them are one
 * range of the file. */
static vkmm_status convert(const vkmm_log *log, const char *path, cli_array_file *file)
{
    const cli_encoding stored = file->array.stored;
    vkmm_view *view = &file->array.first;
    const uint64_t size = vkmm_type_of(view->type)->bytes, count = file->array.count * view->rows * view->cols;
    vkmm_status status = VKMM_OK;
    if (stored.text_end == NULL && !stored.wide && (uintptr_t)view->data % size == 0) return VKMM_OK;
    file->copy = vkmm_alloc(count, size);
    if (file->copy == NULL)
        return vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: no memory to convert its %llu elements", path,
                         (unsigned long long)count);
    if (stored.text_end != NULL)
        status = cli_text_read(path, &file->array, file->copy);
    else if (!stored.wide && count > 0)
        memcpy(file->copy, view->data, count * size);
    for (uint64_t x = 0; stored.wide && x < count && status == VKMM_OK; x++)
        status = narrow(path, &file->array, x, (char *)file->copy + x * size);
    view->data = file->copy;
    file->array.stored = (cli_encoding){0};
    if (status == VKMM_OK && stored.wide)
        vkmm_say(log, VKMM_LOG_WARNING, "%s holds %sint64, which is converted to %s", path,
                 view->type == VKMM_I32 ? "" : "u", vkmm_type_of(view->type)->name);
    return status;
}

/* Standard input to its end, unless its first bytes have no known format. On failure too, *content is the caller's. */
static vkmm_status read_stdin(const char *name, uint64_t most, void **content, uint64_t *bytes)
{
    for (uint64_t room = FIRST_ROOM;; room = vkmm_least(2 * room, most + 1)) {
        char *data = vkmm_realloc(*content, room, 1);
        if (data == NULL) return VKMM_NO_MEMORY("for %s after %llu bytes", name, (unsigned long long)*bytes);
        *content = data;
        *bytes += fread(data + *bytes, 1, (size_t)(room - *bytes), stdin);
        if (ferror(stdin)) return vkmm_fail(VKMM_INVALID, "cannot read standard input: %s", strerror(errno));
        if (*bytes > most)
            return vkmm_fail(VKMM_INVALID, "%s: it has more than %llu bytes, its limit (--memory-limit sets it)", name,
                             (unsigned long long)most);
        if (*bytes < room || cli_array_recognise(data, *bytes) == NULL) return VKMM_OK;
    }
}

/* The file's bytes, or those of the .npy file inside it. */
static vkmm_status read_bytes(int is_stdin, uint64_t most, cli_array_name *name, cli_array_file *file,
                              const void **data, uint64_t *bytes)
{
    char suffixes[80];
    void *unpacked = NULL;
    vkmm_status status =
        is_stdin ? read_stdin(name->file, most, &file->content, bytes) : vkmm_mapping_open(name->file, &file->mapping);
    if (status != VKMM_OK) return status;
    if (!is_stdin) *bytes = file->mapping.bytes;
    *data = is_stdin ? file->content : file->mapping.data;
    if (name->format == NULL) name->format = cli_array_recognise(*data, *bytes);
    if (name->format == NULL) {
        cli_array_suffixes(0, suffixes, sizeof suffixes);
        return vkmm_fail(VKMM_INVALID, "%s: unknown format: neither its suffix nor its first bytes match %s",
                         name->file, suffixes);
    }
    if (name->format->unpack == NULL) return VKMM_OK;
    status = name->format->unpack(name->file, name->tensor, *data, *bytes, &unpacked, bytes);
    if (status == VKMM_OK) status = vkmm_mapping_check(name->file, &file->mapping);
    vkmm_mapping_close(&file->mapping);
    vkmm_free(file->content);
    *data = file->content = unpacked;
    name->format = &cli_npy_format;
    return status;
}

vkmm_status cli_array_open(const vkmm_log *log, const char *path, uint64_t most, cli_array_file *file)
{
    cli_array_name name = cli_array_name_of(path);
    cli_array_file opened = {0};
    const void *data = NULL;
    uint64_t bytes = 0;
    const int is_stdin = strcmp(path, "-") == 0;
    if (is_stdin) {
        vkmm_free(name.file);
        path = name.file = vkmm_strdup("standard input");
    }
    if (name.file == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("for the name of a file"));
    if (most == 0) most = vkmm_host_free_memory() / 2;
    if (most == 0) most = UINT64_MAX / 4; /* not known */
    vkmm_status status = read_bytes(is_stdin, most, &name, &opened, &data, &bytes);
    if (status == VKMM_OK) {
        opened.array.stored.separator = name.format->separator;
        status = name.format->parse(name.file, name.tensor, data, bytes, &opened.array);
    }
    if (status == VKMM_OK && opened.array.first.type != VKMM_AUTO) status = convert(log, path, &opened);
    if (status == VKMM_OK) status = vkmm_mapping_check(name.file, &opened.mapping); /* a copy has been read by now */
    vkmm_free(name.file);
    if (status == VKMM_OK)
        *file = opened;
    else
        cli_array_close(&opened);
    return vkmm_tell(log, status);
}

vkmm_status cli_array_text(const vkmm_log *log, const char *path, vkmm_type type, cli_array_file *file)
{
    if (file->array.first.type == VKMM_AUTO) file->array.first.type = type;
    if (file->array.stored.text_end == NULL) return VKMM_OK;
    vkmm_status status = convert(log, path, file);
    if (status == VKMM_OK) status = vkmm_mapping_check(path, &file->mapping);
    return vkmm_tell(log, status);
}

vkmm_status cli_array_whole(const char *path, const cli_array_file *file)
{
    return file->copy == NULL ? vkmm_mapping_check(path, &file->mapping) : VKMM_OK;
}

void cli_array_close(cli_array_file *file)
{
    vkmm_mapping_close(&file->mapping);
    vkmm_free(file->content);
    vkmm_free(file->copy);
    *file = (cli_array_file){0};
}
