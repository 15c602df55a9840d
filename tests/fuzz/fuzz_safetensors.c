/* Any bytes as a safetensors file: the parser refuses them, or gives an array whose every element can be read. */
#include "base/log.h"
#include "fuzz.h"

#include "io/array_format.h"
#include "math/type.h"

#include <stdlib.h>
#include <string.h>

static volatile unsigned sink; /* what is read must not be optimised away */

/* The first and the last byte of each matrix's first and last row. */
static void read_ends(const cli_array *array)
{
    const vkmm_view *first = &array->first;
    if (array->count == 0 || first->rows == 0 || first->cols == 0) return;
    const vkmm_view ends[] = {*first, cli_array_at(array, array->count - 1)};
    for (int i = 0; i < 2; i++) {
        const unsigned char *at = ends[i].data;
        const uint64_t last = (ends[i].rows - 1) * ends[i].row_stride + ends[i].cols;
        sink = at[0] + at[last * vkmm_type_of(ends[i].type)->bytes - 1];
    }
}

static void hear(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user, (void)level;
    for (; *sentence != '\0'; sentence++)
        if ((unsigned char)*sentence < ' ') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const names[] = {NULL, "a", "b.weight", ""};
    const vkmm_log log = {hear, NULL};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cli_array array;
        if (vkmm_tell(&log, cli_safetensors_format.parse("fuzz", names[i], data, bytes, &array)) == VKMM_OK)
            read_ends(&array);
    }
    return 0;
}

size_t vkmm_fuzz_seed(unsigned index, uint8_t out[VKMM_FUZZ_SEED_BYTES])
{
    static const struct {
        size_t data_bytes;
        const char *header;
    } seeds[] = {
        {12, "{\"a\":{\"dtype\":\"F16\",\"shape\":[2,3],\"data_offsets\":[0,12]}}   "},
        {8,
         "{\"__metadata__\":{\"format\":\"pt\"},\"a\":{\"dtype\":\"BF16\",\"shape\":[2,1,2],\"data_offsets\":[0,8]}}"},
        {20, "{\"a\":{\"dtype\":\"F64\",\"shape\":[1,2],\"data_offsets\":[4,20]},\"b.weight\":{\"dtype\":\"I32\","
             "\"shape\":[1],\"data_"
             "offsets\":[0,4]}}"},
        {6, "{\"a\":{\"dtype\":\"I8\",\"shape\":[2,3],\"data_offsets\":[0,6]},\"\":{\"dtype\":\"U8\",\"shape\":[0,3],"
            "\"data_offsets\":[6,6]"
            "}}"},
        {3, "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[0,3]}}"},
        {0, "{\"\\u0061\":{\"dtype\":\"U32\",\"shape\":[18446744073709551615,4294967296],\"data_offsets\":[0,0]}}"},
        {4, "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387905,4],\"data_offsets\":[0,4]}}"},
        {2, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"a\":{\"dtype\":\"U8\",\"shape\":[1],"
            "\"data_offsets\":[1,2]}}"},
        {0, "{}"},
    };
    if (index >= sizeof seeds / sizeof seeds[0]) return 0;
    const size_t length = strlen(seeds[index].header);
    memset(out, 0, 8 + length + seeds[index].data_bytes);
    out[0] = (uint8_t)length;
    memcpy(out + 8, seeds[index].header, length);
    return 8 + length + seeds[index].data_bytes;
}
