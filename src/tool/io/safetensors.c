#include "io/safetensors.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/array_format.h"
#include "io/safetensors_parts.h"

enum { PREFIX = 8, ALIGNMENT = 64 }; /* the format asks for multiples of 8; 64 suits any vector instruction */

const char *vkmm_safetensors_dtype(vkmm_type type)
{
    static const char *const names[VKMM_TYPE_COUNT] = {
        [VKMM_F32] = "F32", [VKMM_F64] = "F64",   [VKMM_I32] = "I32", [VKMM_U32] = "U32",
        [VKMM_F16] = "F16", [VKMM_BF16] = "BF16", [VKMM_I8] = "I8",   [VKMM_U8] = "U8"};
    return names[type];
}

/* UTF-8, as JSON is, and not what the format keeps for itself. */
static int is_name(const char *tensor)
{
    json_t *text = json_string(tensor);
    const int well = text != NULL && tensor[0] != '\0' && strcmp(tensor, "__metadata__") != 0;
    json_decref(text);
    return well;
}

static json_t *make_tree(const char *tensor, const vkmm_array *array, uint64_t data_bytes)
{
    const vkmm_view *view = &array->first;
    const json_int_t count = (json_int_t)array->count, rows = (json_int_t)view->rows, cols = (json_int_t)view->cols;
    json_t *shape = array->dimensions == 3 ? json_pack("[I,I,I]", count, rows, cols) : json_pack("[I,I]", rows, cols);
    return json_pack("{s:{s:s,s:o,s:[I,I]}}", tensor, "dtype", vkmm_safetensors_dtype(view->type), "shape", shape,
                     "data_offsets", (json_int_t)0, (json_int_t)data_bytes);
}

/* Blanks at the header's end put the elements where they can be mapped. */
static char *make_header(const char *tensor, const vkmm_array *array, uint64_t data_bytes, size_t *header_bytes)
{
    json_t *tree = make_tree(tensor != NULL ? tensor : "C", array, data_bytes);
    char *text = json_dumps(tree, JSON_COMPACT), *header = NULL;
    if (text != NULL) {
        const size_t length = strlen(text), bytes = (PREFIX + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        header = vkmm_alloc(1, bytes);
        if (header != NULL) {
            memset(header, ' ', bytes);
            for (unsigned i = 0; i < PREFIX; i++) header[i] = (char)((uint64_t)(bytes - PREFIX) >> (8 * i));
            memcpy(header + PREFIX, text, length);
            *header_bytes = bytes;
        }
    }
    free(text);
    json_decref(tree);
    return header;
}

const vkmm_array_format vkmm_safetensors_format = {"safetensors", ".safetensors",         vkmm_safetensors_dtype,
                                                   is_name,       vkmm_safetensors_parse, vkmm_safetensors_count,
                                                   make_header};
