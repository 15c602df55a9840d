#include "base/alloc.h"
#include "base/clean.h"
#include "base/folder.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/problem.h"
#include "math/type.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_array_bytes(const uint64_t *extents, uint32_t dimensions, uint32_t element_bytes, uint64_t *bytes)
{
    int fits = 1, empty = 0;
    *bytes = element_bytes;
    for (uint32_t i = 0; i < dimensions; i++) {
        empty = empty || extents[i] == 0;
        fits = fits && vkmm_mul_u64(*bytes, extents[i], bytes);
    }
    if (empty) *bytes = 0;
    return fits || empty;
}

cli_array cli_array_packed(const void *data, vkmm_type type, const uint64_t *extents, uint32_t dimensions, int fortran)
{
    const uint64_t cols = extents[dimensions - 1], rows = dimensions > 1 ? extents[dimensions - 2] : 1,
                   count = dimensions > 2 ? extents[0] : 1;
    cli_array array = {vkmm_view_rows(data, rows, cols, type), dimensions, count, rows * cols};
    if (!fortran) return array;
    array.first.row_stride = count;
    array.first.col_stride = count * rows;
    array.stride = 1;
    return array;
}

cli_array cli_array_of(const vkmm_view *first, uint64_t count, uint64_t stride)
{
    return (cli_array){*first, count == 1 ? 2 : 3, count, stride};
}

vkmm_view cli_array_at(const cli_array *array, uint64_t x)
{
    vkmm_view view = array->first;
    if (view.rows > 0 && view.cols > 0)
        view.data = (const char *)view.data + vkmm_span(array->format, view.type, x * array->stride);
    return view;
}

/* Those whose files hold several arrays come first: FILE.npz:NAME may end as any file. */
static const cli_array_format *const formats[] = {&cli_safetensors_format, &cli_gguf_format,
#ifdef VKMM_HAVE_MINIZIP
                                                  &cli_npz_format,
#endif
                                                  &cli_npy_format,         &cli_csv_format,  &cli_tsv_format};
enum { FORMATS = VKMM_COUNT(formats) };

cli_array_name cli_array_name_of(const char *path)
{
    cli_array_name name = {0};
    size_t length = strlen(path);
    for (int i = 0; i < FORMATS && name.format == NULL; i++) {
        const char *suffix = formats[i]->suffix, *colon = strstr(path, suffix);
        const size_t bytes = strlen(suffix);
        while (colon != NULL && colon[bytes] != ':') colon = strstr(colon + 1, suffix);
        if (vkmm_path_ends(path, suffix)) {
            name.format = formats[i]; /* all of it is the file name */
        } else if (colon != NULL && formats[i]->has_names) {
            name.format = formats[i];
            length = (size_t)(colon - path) + bytes;
            name.tensor = path + length + 1;
        }
    }
    name.file = vkmm_alloc(1, length + 1);
    if (name.file != NULL) memcpy(name.file, path, length);
    return name;
}

void cli_array_suffixes(int written, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < FORMATS; i++)
        if (!written || formats[i]->dtype != NULL)
            vkmm_join(text, size, i + 1 < FORMATS ? ", " : " or ", "%s", formats[i]->suffix);
}

void cli_array_quote(const char *name, size_t bytes, char text[CLI_NAME_BYTES])
{
    json_t *value = json_stringn(name, bytes);
    char *quoted = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    snprintf(text, CLI_NAME_BYTES, "%s", quoted != NULL ? quoted : "\"?\"");
    if (quoted != NULL && strlen(quoted) >= CLI_NAME_BYTES) snprintf(text + CLI_NAME_BYTES - 5, 5, "...\"");
    free(quoted);
    json_decref(value);
}

void cli_array_names_add(cli_array_names *names, const char *name, size_t bytes)
{
    char quoted[CLI_NAME_BYTES];
    if (names->count++ != names->listed || strlen(names->text) + CLI_NAME_BYTES + 2 > CLI_NAMES_BYTES) return;
    cli_array_quote(name, bytes, quoted);
    VKMM_JOIN(names->text, ", ", "%s", quoted);
    names->listed++;
}

vkmm_status cli_array_names_refuse(const char *path, const char *suffix, const char *wanted,
                                   const cli_array_names *names)
{
    char quoted[CLI_NAME_BYTES], more[40] = "";
    if (names->count == 0) return vkmm_fail(VKMM_INVALID, "%s: the file holds no tensor", path);
    if (names->listed < names->count)
        VKMM_PUT(more, " and %llu more", (unsigned long long)(names->count - names->listed));
    if (wanted == NULL)
        return vkmm_fail(VKMM_INVALID, "%s: the file holds %llu tensors: pick one as FILE%s:NAME of %s%s", path,
                         (unsigned long long)names->count, suffix, names->text, more);
    cli_array_quote(wanted, strlen(wanted), quoted);
    return vkmm_fail(VKMM_INVALID, "%s: the file holds no tensor %s; it holds %s%s", path, quoted, names->text, more);
}

const cli_array_format *cli_array_recognise(const char *data, uint64_t bytes)
{
    static const char numbers[] = "0123456789+-. \tnNiI\xef";
    for (int i = 0; i < FORMATS; i++) {
        const char *magic = formats[i]->magic;
        if (magic != NULL && bytes >= formats[i]->magic_at + strlen(magic) &&
            memcmp(data + formats[i]->magic_at, magic, strlen(magic)) == 0)
            return formats[i];
    }
    if (bytes == 0 || memchr(numbers, *data, sizeof numbers - 1) == NULL) return NULL;
    const char *tab = memchr(data, '\t', (size_t)bytes), *line_end = memchr(data, '\n', (size_t)bytes);
    return tab != NULL && (line_end == NULL || tab < line_end) ? &cli_tsv_format : &cli_csv_format;
}
