/* Any bytes as a file of matrices whose name says nothing: what is opened has elements that can all be read, a text as
 * each type or with one sentence, and what is refused is refused with one sentence on one line. */
#include "fuzz.h"

#include "io/array_file.h"
#include "math/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile double sink; /* what is read must not be optimised away */

static void hear(void *user, vkmm_log_level level, const char *sentence)
{
    *(unsigned *)user += level == VKMM_LOG_ERROR;
    for (; *sentence != '\0'; sentence++)
        if ((unsigned char)*sentence < ' ') abort();
}

static void read_all(const cli_array *array)
{
    if (array->first.rows == 0 || array->first.cols == 0) return;
    for (uint64_t x = 0; x < array->count && array->format != VKMM_PLAIN; x++) {
        const vkmm_format_info *block = vkmm_format_at(array->format);
        const uint64_t blocks = array->first.rows * array->first.cols / block->elements;
        float elements[256];
        for (uint64_t i = 0; i < blocks; i++) {
            const char *at = (const char *)cli_array_at(array, x).data + i * block->bytes;
            vkmm_blocks_decode(array->format, at, block->elements, elements);
            sink = (double)elements[block->elements - 1];
        }
    }
    if (array->format != VKMM_PLAIN) return;
    for (uint64_t x = 0; x < array->count; x++) {
        const vkmm_view view = cli_array_at(array, x);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++) sink = vkmm_view_get(&view, i, j);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static int fd = -1;
    char path[40];
    int is_text = 1;
    if (fd < 0) fd = memfd_create("matrices", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, bytes, 0) != (ssize_t)bytes) return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT && is_text; type++) {
        unsigned errors = 0;
        const vkmm_log log = {hear, &errors};
        cli_array_file file = {0};
        vkmm_status status = cli_array_open(&log, path, 0, &file);
        is_text = status == VKMM_OK && file.array.first.type == VKMM_AUTO;
        if (is_text) status = cli_array_text(&log, path, (vkmm_type)type, &file);
        if (errors != (status != VKMM_OK)) abort();
        if (status == VKMM_OK) read_all(&file.array);
        cli_array_close(&file);
    }
    return 0;
}

size_t vkmm_fuzz_seed(unsigned index, uint8_t out[VKMM_FUZZ_SEED_BYTES])
{
#define SEED(text)            \
    {                         \
        sizeof text - 1, text \
    }
    static const struct {
        size_t bytes;
        const char *text;
    } seeds[] = {
        SEED("1,2.5,-3e-7\n4,5,6\n"),
        SEED("\xef\xbb\xbf 1\tnan\r\n-Inf\t255\r\n\r\n"),
        SEED("%%MatrixMarket matrix array real general\n% comment\n2 2\n1\n2\n\n3\n4e300\n"),
        SEED("%%MatrixMarket matrix array integer general\n1 1\n-129"),
        SEED("\x93NUMPY\1\0F\0{'descr': '<i8', 'fortran_order': True, 'shape': (1, 2), }           \n\1\0\0\0\0\0\0\0"
             "\377\377\377\377\377\377\377\377"),
        SEED("\x93NUMPY\1\0F\0{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }            \n\77\200\0\0"
             "\100\0\0\0"),
        SEED("GGUF\3\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
             "\1\0\0\0\0\0\0\0k\t\0\0\0\t\0\0\0\1\0\0\0\0\0\0\0\b\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0x"
             "\21\0\0\0\0\0\0\0general.alignment\4\0\0\0\1\0\0\0"
             "\1\0\0\0\0\0\0\0w\3\0\0\0\40\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
             "\2\0\0\0\0\0\0\0\0\0\0\0"
             "\0\074................\0\074................"),
        SEED("GGUF\2\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
             "\1\0\0\0\0\0\0\0v\1\0\0\0\1\0\0\0\0\0\0\0\16\0\0\0\0\0\0\0\0\0\0\0"
             "\1\0\0\0\0\0\0\0w\2\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0"),
    };
    if (index >= sizeof seeds / sizeof seeds[0]) return 0;
    memcpy(out, seeds[index].text, seeds[index].bytes);
    return seeds[index].bytes;
}
