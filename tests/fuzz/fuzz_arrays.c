/* Any bytes as a file of arrays, in the format that its first bytes identify: the parser refuses it with one sentence,
 * or gives an array whose every element can be read, whichever tensor is asked for. */
#include "fuzz.h"

#include "base/alloc.h"
#include "io/array_format.h"
#include "math/problem.h"

static volatile unsigned sink; /* what is read must not be optimised away */

/* The first and the last byte: elements are contiguous in some order. */
static void read_ends(const cli_array *array)
{
    const vkmm_view *first = &array->first;
    if (array->count == 0 || first->rows == 0 || first->cols == 0 || array->stored.text_end != NULL) return;
    const unsigned char *data = first->data;
    const uint64_t elements = (array->count - 1) * array->stride + (first->rows - 1) * first->row_stride +
                              (first->cols - 1) * first->col_stride + 1;
    sink = data[0] + data[(array->stored.wide ? 8 * elements : vkmm_span(array->format, first->type, elements)) - 1];
}

static void open_array(const cli_array_format *format, const char *name, const void *data, uint64_t bytes)
{
    unsigned errors = 0;
    const vkmm_log log = {fuzz_hear, &errors};
    void *content = NULL;
    cli_array array = {.stored.separator = format->separator};
    vkmm_status status = VKMM_OK;
    if (format->unpack != NULL) {
        status = format->unpack("fuzz", name, data, bytes, &content, &bytes);
        data = content;
        format = &cli_npy_format;
    }
    if (status == VKMM_OK) status = format->parse("fuzz", name, data, bytes, &array);
    if (status == VKMM_OK) read_ends(&array);
    vkmm_tell(&log, status);
    if (errors != (status != VKMM_OK)) abort();
    vkmm_free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const names[] = {NULL, "a", "b.weight", "", "x", "y/1"};
    const cli_array_format *format = cli_array_recognise((const char *)data, bytes);
    if (format == NULL) return 0;
    for (size_t i = 0; i < VKMM_COUNT(names); i++) open_array(format, names[i], data, bytes);
    if (format->count != NULL) format->count(data, bytes);
    return 0;
}
