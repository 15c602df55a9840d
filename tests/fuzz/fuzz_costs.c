/* Any bytes as libvkblas's file of costs: every value within its limits, every choice one of the four, and what was
 * read is written the same way again. */
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "../../src/blas/cost.h"

#define KEY "vkblas 3 host=/lib/libblas.so.3 threads=2 device="

enum { TEXT = 1 << 20 }; /* more than all cells need */

static int is_time(double ms)
{
    return ms >= 0 && ms < 1.1e6;
}

static void check_values(const vkblas_cost *cost)
{
    if (!is_time(cost->open_ms) || cost->host_ms != 0 || cost->trials_ms != 0 || cost->is_open != 0) abort();
    for (int where = 0; where < VKBLAS_PLACES; where++)
        for (int type = 0; type < VKBLAS_TYPES; type++) {
            const vkblas_class *classes = cost->classes[where][type][0];
            for (int i = 0; i < VKBLAS_VOLUMES * VKBLAS_EXTENTS; i++) {
                if (classes[i].count < 0 || classes[i].count > VKBLAS_SURE ||
                    (classes[i].count > 0) != (classes[i].ns > 0))
                    abort();
                if (!is_time(classes[i].ns)) abort();
            }
        }
}

static void check_choices(vkblas_cost *cost)
{
    static const vkblas_extents extents[] = {
        {0, 0, 0}, {1, 1, 1}, {512, 512, 512}, {8192, 8192, 16}, {INT64_MAX, INT64_MAX, INT64_MAX}};
    for (int type = 0; type < VKBLAS_TYPES; type++)
        for (size_t i = 0; i < VKBLAS_COUNT(extents); i++) {
            vkblas_turn turn;
            const vkblas_choice choice = vkblas_cost_choose(cost, (vkblas_type)type, extents[i], &turn);
            if ((int)choice < VKBLAS_TO_HOST || choice > VKBLAS_TO_OPEN) abort();
            if (!isfinite(turn.host_ms) || !isfinite(turn.gpu_ms)) abort();
            vkblas_cost_learn(cost, VKBLAS_DEVICE, (vkblas_type)type, extents[i], 1);
        }
    if (!isfinite(cost->wasted_ms) || !isfinite(cost->host_ms)) abort();
}

static int read_text(vkblas_cost *cost, const void *text, size_t bytes)
{
    memset(cost, 0, sizeof *cost);
    FILE *file = bytes > 0 ? fmemopen((void *)(uintptr_t)text, bytes, "r") : NULL;
    const int is_read = file != NULL && vkblas_cost_read(cost, KEY, file);
    if (file != NULL) fclose(file);
    return is_read;
}

static size_t write_text(const vkblas_cost *cost, char text[TEXT])
{
    FILE *file = fmemopen(text, TEXT, "w");
    if (file == NULL) abort();
    vkblas_cost_write(cost, KEY, file);
    const long bytes = ftell(file);
    if (fclose(file) != 0 || bytes <= 0) abort();
    return (size_t)bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static vkblas_cost cost, again;
    static char text[2][TEXT];
    if (read_text(&cost, data, bytes)) {
        check_values(&cost);
        const size_t length = write_text(&cost, text[0]);
        if (!read_text(&again, text[0], length)) abort();
        if (write_text(&again, text[1]) != length || memcmp(text[0], text[1], length) != 0) abort();
    }
    check_choices(&cost);
    return 0;
}
