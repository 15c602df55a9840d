/* Any bytes as a .npy file: the parser refuses them, or gives a view whose every element can be read. */
#include "fuzz.h"

#include "io/array_format.h"

#include <string.h>

static volatile double sink; /* what is read must not be optimised away */

static void read_row(const vkmm_view *view, uint64_t i)
{
    double sum = 0.0;
    for (uint64_t j = 0; j < view->cols; j++) sum += vkmm_view_get(view, i, j);
    sink = sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    cli_array array;
    if (cli_npy_format.parse("fuzz", NULL, data, bytes, &array) != VKMM_OK || array.first.rows == 0 || array.count == 0)
        return 0;
    read_row(&array.first, 0);
    const vkmm_view last = cli_array_at(&array, array.count - 1);
    read_row(&last, last.rows - 1);
    return 0;
}

static size_t make(unsigned version, const char *dictionary, size_t data_bytes, uint8_t *out)
{
    size_t prefix = version == 1 ? 10 : 12, length = (prefix + strlen(dictionary) + 16) / 16 * 16 - prefix;
    memset(out, 0, prefix + length + data_bytes);
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (uint8_t)version;
    out[8] = (uint8_t)length;
    memset(out + prefix, ' ', length);
    memcpy(out + prefix, dictionary, strlen(dictionary));
    out[prefix + length - 1] = '\n';
    return prefix + length + data_bytes;
}

size_t vkmm_fuzz_seed(unsigned index, uint8_t out[VKMM_FUZZ_SEED_BYTES])
{
    static const struct {
        unsigned version, data_bytes;
        const char *dictionary;
    } seeds[] = {
        {1, 24, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"},
        {1, 24, "{'descr': '<i4', 'fortran_order': True, 'shape': (3, 2), }"},
        {2, 48, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }"},
        {3, 40, "{\"shape\": (10L, 1L), \"descr\": \"<u4\", \"fortran_order\": False}"},
        {1, 0, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 99), }"},
        {1, 0, "{'descr': '<f4', 'fortran_order': True, 'shape': (18446744073709551615, 4294967296), }"},
        {1, 8, "{'descr': [('x', '<f4'), ('y', '>f4')], 'fortran_order': False, 'shape': (1, 1), }"},
        {1, 24, "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 2, 3), }"},
        {1, 3, "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }"},
    };
    if (index >= sizeof seeds / sizeof seeds[0]) return 0;
    return make(seeds[index].version, seeds[index].dictionary, seeds[index].data_bytes, out);
}
