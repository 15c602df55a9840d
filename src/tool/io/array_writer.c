#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

#include <stdatomic.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 64, STRIP_BYTES = 8 << 20 };

struct cli_array_writer {
    cli_array_name name;
    cli_array shape; /* packed; without data */
    char *header;    /* owned; NULL: the file is a text, which is written at commit */
    size_t header_bytes;
    char *elements; /* owned: the elements until then; else NULL */
    vkmm_output *output;
    vkmm_mapping seen; /* the mapping of look */
    atomic_int failed;
};

void cli_array_writer_discard(cli_array_writer **writer)
{
    cli_array_writer *w = *writer;
    if (w == NULL) return;
    vkmm_mapping_close(&w->seen);
    vkmm_output_discard(&w->output);
    vkmm_free(w->header);
    vkmm_free(w->elements);
    vkmm_free(w->name.file);
    vkmm_free(w);
    *writer = NULL;
}

/* Standard output and devices have no suffix. */
static cli_array_name name_output(const char *path)
{
    cli_array_name name = cli_array_name_of(strcmp(path, "-") == 0 ? "/dev/stdout" : path);
    if (name.format == NULL && name.file != NULL && strncmp(name.file, "/dev/", 5) == 0) name.format = &cli_npy_format;
    return name;
}

static vkmm_status check_name(const cli_array_name *name, vkmm_type type, uint64_t count)
{
    if (name->file == NULL) return VKMM_NO_MEMORY("for the name of a file");
    if (name->format == NULL) {
        char suffixes[80];
        cli_array_suffixes(1, suffixes, sizeof suffixes);
        return vkmm_fail(VKMM_INVALID, "%s: unknown format; the name must end in %s", name->file, suffixes);
    }
    if (name->format->dtype == NULL)
        return vkmm_fail(VKMM_INVALID, "%s: %s files are only read: use .npy or .safetensors", name->file,
                         name->format->suffix);
    if (name->format->separator != '\0' && count != 1)
        return vkmm_fail(VKMM_INVALID, "%s: a %s file holds one matrix, not %llu: use .npy", name->file,
                         name->format->suffix, (unsigned long long)count);
    if (name->tensor != NULL && !name->format->is_name(name->tensor))
        return vkmm_fail(VKMM_INVALID, "%s: '%.60s' is not a valid array name", name->file, name->tensor);
    if (name->format->dtype(type) != NULL) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s: %s cannot store %s: use FILE.safetensors or another type (--out-type f32)",
                     name->file, name->format->suffix, vkmm_type_of(type)->name);
}

static vkmm_status begin_file(cli_array_writer *w)
{
    const cli_array *shape = &w->shape;
    const uint64_t bytes =
        shape->count * shape->first.rows * shape->first.cols * vkmm_type_of(shape->first.type)->bytes;
    vkmm_status status = check_name(&w->name, shape->first.type, shape->count);
    if (status != VKMM_OK) return status;
    if (w->name.format->header == NULL) {
        w->elements = vkmm_alloc(1, bytes);
        if (w->elements == NULL)
            return vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: no memory for its %llu bytes; .npy needs none", w->name.file,
                             (unsigned long long)bytes);
        return vkmm_output_open(w->name.file, 0, &w->output);
    }
    w->header = w->name.format->header(w->name.tensor, shape, bytes, &w->header_bytes);
    if (w->header == NULL)
        return vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: no memory for the header of the product", w->name.file);
    status = vkmm_output_open(w->name.file, 0, &w->output);
    if (status == VKMM_OK) status = vkmm_output_reserve(w->output, w->header_bytes + bytes);
    if (status == VKMM_OK) status = vkmm_output_write_at(w->output, 0, w->header, w->header_bytes);
    return status;
}

vkmm_status cli_array_writer_open(const char *path, const cli_array *shape, cli_array_writer **writer)
{
    cli_array_writer *w = vkmm_alloc(1, sizeof *w);
    *writer = NULL;
    if (w == NULL) return VKMM_NO_MEMORY("to write %s", path);
    w->name = name_output(path);
    w->shape = *shape;
    w->shape.first = vkmm_view_rows(NULL, shape->first.rows, shape->first.cols, shape->first.type);
    w->shape.stride = shape->first.rows * shape->first.cols;
    vkmm_status status = begin_file(w);
    if (status != VKMM_OK) cli_array_writer_discard(&w);
    *writer = w;
    return status;
}

/* The position of an element of matrix x in the file. */
static uint64_t place_of(const cli_array_writer *w, uint64_t x, uint64_t row, uint64_t col)
{
    const vkmm_view *first = &w->shape.first;
    return w->header_bytes + ((x * first->rows + row) * first->cols + col) * vkmm_type_of(first->type)->bytes;
}

/* Whether the view's elements are stored as in the file: row-major, contiguous. */
static int is_packed(const vkmm_view *view)
{
    return (view->rows <= 1 || view->row_stride == view->cols) && (view->cols <= 1 || view->col_stride == 1);
}

/* Rows that are stored in memory as in the file: all at once if they are contiguous there too, else one by one. */
static vkmm_status put_rows(cli_array_writer *w, uint64_t x, uint64_t row, uint64_t col, const vkmm_view *view)
{
    const uint64_t size = vkmm_type_of(view->type)->bytes;
    const int whole = is_packed(view) && (view->rows == 1 || view->cols == w->shape.first.cols);
    vkmm_status status = VKMM_OK;
    if (whole)
        return vkmm_output_write_at(w->output, place_of(w, x, row, col), view->data, view->rows * view->cols * size);
    for (uint64_t i = 0; i < view->rows && status == VKMM_OK; i++) {
        const vkmm_view one = vkmm_view_part(view, i, 0, 1, view->cols);
        status = vkmm_output_write_at(w->output, place_of(w, x, row + i, col), one.data, view->cols * size);
    }
    return status;
}

/* Blocks: whole rows if a block holds enough of them for reading along columns, else parts of BLOCK_ROWS rows. */
static vkmm_status put_packed(cli_array_writer *w, uint64_t x, uint64_t row, uint64_t col, const vkmm_view *view)
{
    const uint64_t most = BLOCK_BYTES / vkmm_type_of(view->type)->bytes,
                   widest = view->col_stride == 1 ? most : most / BLOCK_ROWS;
    const uint64_t cols = vkmm_least(view->cols, widest), rows = vkmm_least(view->rows, most / cols);
    vkmm_status status = VKMM_OK;
    void *block = vkmm_alloc(rows * cols, vkmm_type_of(view->type)->bytes);
    if (block == NULL) return vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: no memory to pack the product", w->name.file);
    for (uint64_t i = 0; i < view->rows && status == VKMM_OK; i += rows) {
        for (uint64_t j = 0; j < view->cols && status == VKMM_OK; j += cols) {
            const vkmm_view part =
                vkmm_view_part(view, i, j, vkmm_least(view->rows - i, rows), vkmm_least(view->cols - j, cols));
            vkmm_view_copy(&part, block, part.cols, 1);
            const vkmm_view packed = vkmm_view_rows(block, part.rows, part.cols, part.type);
            status = put_rows(w, x, row + i, col + j, &packed);
        }
    }
    vkmm_free(block);
    return status;
}

vkmm_status cli_array_writer_put(cli_array_writer *w, uint64_t x, uint64_t row, uint64_t col, const vkmm_view *view)
{
    const int contiguous = view->col_stride == 1 || view->cols == 1;
    vkmm_status status = VKMM_OK;
    if (view->rows == 0 || view->cols == 0) return VKMM_OK;
    if (w->elements != NULL)
        vkmm_view_copy(view, w->elements + place_of(w, x, row, col), w->shape.first.cols, 1);
    else if (is_packed(view) || (contiguous && view->cols < w->shape.first.cols))
        status = put_rows(w, x, row, col, view);
    else /* short rows of a matrix as wide as the view too: one write for many */
        status = put_packed(w, x, row, col, view);
    if (status != VKMM_OK) w->failed = 1;
    return status;
}

/* In strips: the system writes one to the disk while the next is copied. */
vkmm_status cli_array_writer_put_all(cli_array_writer *w, const cli_array *array)
{
    const uint64_t rows = array->first.rows, cols = array->first.cols,
                   strip = STRIP_BYTES / (cols * vkmm_type_of(array->first.type)->bytes + 1) + 1;
    vkmm_status status = VKMM_OK;
    for (uint64_t x = 0; x < array->count && rows > 0 && cols > 0; x++) {
        const vkmm_view view = cli_array_at(array, x);
        for (uint64_t i = 0; i < rows && status == VKMM_OK; i += strip) {
            const vkmm_view part = vkmm_view_part(&view, i, 0, vkmm_least(rows - i, strip), cols);
            status = cli_array_writer_put(w, x, i, 0, &part);
        }
    }
    return status;
}

vkmm_status cli_array_writer_look(cli_array_writer *w, cli_array *array)
{
    vkmm_status status = w->seen.data == NULL && w->elements == NULL ? vkmm_output_look(w->output, &w->seen) : VKMM_OK;
    if (status != VKMM_OK) return status;
    *array = w->shape;
    array->first.data = w->elements != NULL ? w->elements : (const char *)w->seen.data + w->header_bytes;
    return VKMM_OK;
}

static vkmm_status write_text(cli_array_writer *w)
{
    cli_array all;
    cli_array_writer_look(w, &all);
    all.stored.separator = w->name.format->separator;
    const vkmm_status status = cli_text_write(&all, w->output);
    return status == VKMM_OK ? vkmm_output_commit(&w->output) : status;
}

vkmm_status cli_array_writer_commit(cli_array_writer **writer)
{
    cli_array_writer *w = *writer;
    vkmm_status status;
    vkmm_mapping_close(&w->seen);
    if (w->failed)
        status = vkmm_fail(VKMM_INVALID, "%s is unchanged, because writing it failed", w->name.file);
    else
        status = w->elements != NULL ? write_text(w) : vkmm_output_commit(&w->output);
    cli_array_writer_discard(writer);
    return status;
}

vkmm_status cli_array_write(const char *path, const cli_array *array)
{
    cli_array_writer *writer;
    vkmm_status status = cli_array_writer_open(path, array, &writer);
    if (status == VKMM_OK) status = cli_array_writer_put_all(writer, array);
    if (status == VKMM_OK) return cli_array_writer_commit(&writer);
    cli_array_writer_discard(&writer);
    return status;
}

/* The file would be replaced, and its other arrays lost. */
static vkmm_status check_others(const cli_array_name *name)
{
    vkmm_mapping mapping = {0};
    uint64_t count = 0;
    if (name->format->count == NULL || vkmm_mapping_open(name->file, &mapping) != VKMM_OK) return VKMM_OK;
    if (mapping.bytes > 0) count = name->format->count(mapping.data, mapping.bytes);
    vkmm_mapping_close(&mapping);
    if (count <= 1) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s holds %llu arrays, and writing it would leave only one: choose another file",
                     name->file, (unsigned long long)count);
}

vkmm_status cli_array_takes(const char *path, vkmm_type type, uint64_t count, uint64_t bytes)
{
    cli_array_name name = name_output(path);
    vkmm_status status = check_name(&name, type, count);
    if (status == VKMM_OK) status = check_others(&name);
    if (status == VKMM_OK) status = vkmm_output_try(name.file, bytes);
    vkmm_free(name.file);
    return status;
}
