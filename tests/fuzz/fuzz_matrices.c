/* Any bytes as a file of matrices whose name says nothing: what is opened has elements that can all be read, a text as
 * each type or with one sentence, and what is refused is refused with one sentence on one line. */
#include "fuzz.h"

#include "io/array_file.h"
#include "math/type.h"

#include <sys/mman.h>
#include <unistd.h>

static volatile double sink; /* what is read must not be optimised away */

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
        const vkmm_log log = {fuzz_hear, &errors};
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
