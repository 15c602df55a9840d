/* Who is compared: the devices of some reports. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/columns.h"
#include "report/text.h"

/* Adds to each label that is not unique: the file's name, then the version, then a number. All are judged by what
 * they were called before. */
static void tell_apart(vkmm_contender *contenders, uint32_t count)
{
    enum { BY_FILE, BY_VERSION, BY_NUMBER, WAYS };

    for (int way = BY_FILE; way < WAYS; way++) {
        for (uint32_t i = 0; i < count; i++) {
            contenders[i].shared = 0;
            for (uint32_t j = 0; j < count && !contenders[i].shared; j++)
                contenders[i].shared = j != i && strcmp(contenders[i].label, contenders[j].label) == 0;
        }
        for (uint32_t i = 0; i < count; i++) {
            vkmm_contender *one = &contenders[i];
            const char *more = way == BY_FILE ? one->bench->name : one->bench->version;
            char label[2 * VKMM_BENCH_TEXT + 16];
            if (!one->shared) continue;
            if (way == BY_NUMBER) /* in front: nothing cuts it off */
                snprintf(label, sizeof label, "#%u: %s", i + 1, one->label);
            else
                snprintf(label, sizeof label, "%s%s%s", one->label, more[0] != '\0' ? ", " : "", more);
            vkmm_text_clean(one->label, sizeof one->label, label);
        }
    }
}

/* Whether the device has a speed somewhere, or, with `wrong`, a wrong product. */
static int is_contender(const vkmm_bench *bench, uint32_t device, int wrong)
{
    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (row->device != device) continue;
        if (isfinite(row->figures.median_ms) || (wrong && vkmm_bench_is_wrong(row))) return 1;
    }
    return 0;
}

vkmm_contender *vkmm_contenders_of(const vkmm_bench *benches, uint32_t bench_count, uint32_t *count)
{
    vkmm_contender *contenders;
    size_t most = 1;

    *count = 0;
    for (uint32_t i = 0; i < bench_count; i++) most += benches[i].device_count;
    contenders = vkmm_alloc(most, sizeof *contenders);
    for (uint32_t i = 0; contenders != NULL && i < bench_count; i++) {
        for (uint32_t d = 0; d < benches[i].device_count; d++) {
            vkmm_contender *contender = &contenders[*count];
            if (!is_contender(&benches[i], d, i > 0)) continue;
            (*count)++;
            contender->bench = &benches[i];
            contender->device = d;
            contender->on = &benches[i].devices[d];
            vkmm_text_clean(contender->label, sizeof contender->label, contender->on->label);
        }
    }
    tell_apart(contenders, *count);
    return contenders;
}
