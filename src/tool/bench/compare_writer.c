/* Who is compared: the devices of some reports, and which of them are the same one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/columns.h"
#include "bench/compare_model.h"
#include "report/text.h"

static const vkmm_bench_device *device_of(const vkmm_contender *contender)
{
    return &contender->bench->devices[contender->device];
}

/* Adds to each label that is not unique; `add` makes the new one, or leaves it. All are judged by what they were
 * called before. */
static void tell_apart(vkmm_contender *contenders, uint32_t count, unsigned char *shared,
                       void (*add)(const vkmm_contender *contender, uint32_t index, char label[VKMM_BENCH_TEXT]))
{
    for (uint32_t i = 0; i < count; i++) {
        shared[i] = 0;
        for (uint32_t j = 0; j < count && !shared[i]; j++)
            shared[i] = j != i && strcmp(contenders[i].label, contenders[j].label) == 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (shared[i]) add(&contenders[i], i, contenders[i].label);
}

static void append(char label[VKMM_BENCH_TEXT], const char *text)
{
    size_t used = strlen(label);

    if (text[0] != '\0') snprintf(label + used, VKMM_BENCH_TEXT - used, ", %s", text);
}

static void add_file(const vkmm_contender *contender, uint32_t index, char label[VKMM_BENCH_TEXT])
{
    (void)index;
    append(label, contender->bench->name);
}

static void add_version(const vkmm_contender *contender, uint32_t index, char label[VKMM_BENCH_TEXT])
{
    (void)index;
    append(label, contender->bench->version);
}

static void add_number(const vkmm_contender *contender, uint32_t index, char label[VKMM_BENCH_TEXT])
{
    char text[VKMM_BENCH_TEXT + 16];

    (void)contender;
    snprintf(text, sizeof text, "#%u: %s", index + 1, label); /* in front: nothing cuts it off */
    vkmm_text_clean(label, VKMM_BENCH_TEXT, text);
}

/* One byte for each device of the report: whether it has a speed somewhere, or, with `wrong`, a wrong product. */
static void mark_devices(const vkmm_bench *bench, int wrong, unsigned char *marks)
{
    memset(marks, 0, bench->device_count);
    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (row->device >= bench->device_count) continue;
        if (isfinite(row->figures.median_ms) || (wrong && vkmm_bench_is_wrong(row))) marks[row->device] = 1;
    }
}

vkmm_contender *vkmm_contenders_of(const vkmm_bench *benches, uint32_t bench_count, uint32_t *count)
{
    vkmm_contender *contenders = NULL;
    unsigned char *marks;
    size_t most = 0;

    *count = 0;
    for (uint32_t i = 0; i < bench_count; i++) most += benches[i].device_count;
    marks = vkmm_alloc(most, 1);
    if (marks != NULL) contenders = vkmm_alloc(most, sizeof *contenders);
    for (uint32_t i = 0; contenders != NULL && i < bench_count; i++) {
        mark_devices(&benches[i], i > 0, marks);
        for (uint32_t d = 0; d < benches[i].device_count; d++) {
            vkmm_contender *contender = &contenders[*count];
            if (!marks[d]) continue;
            (*count)++;
            contender->bench = &benches[i];
            contender->device = d;
            vkmm_text_clean(contender->label, sizeof contender->label, benches[i].devices[d].label);
        }
    }
    if (contenders != NULL && *count > 0) {
        tell_apart(contenders, *count, marks, add_file);
        tell_apart(contenders, *count, marks, add_version);
        tell_apart(contenders, *count, marks, add_number);
    } else {
        vkmm_free(contenders);
        contenders = NULL;
    }
    vkmm_free(marks);
    return contenders;
}

vkmm_status vkmm_contenders_find(const vkmm_bench *benches, uint32_t bench_count, vkmm_contender **who, uint32_t *count)
{
    *who = vkmm_contenders_of(benches, bench_count, count);
    if (*who != NULL) return VKMM_OK;
    *count = 0;
    for (uint32_t i = 0; i < bench_count; i++) {
        for (uint32_t j = 0; j < benches[i].row_count; j++)
            if (vkmm_bench_is_timed(&benches[i].rows[j])) return VKMM_OUT_OF_MEMORY;
    }
    return VKMM_OK;
}

/* How surely two devices are one: 0, not at all; from 1 to 5. */
static int likeness(const vkmm_bench_device *a, const vkmm_bench_device *b)
{
    static const uint8_t nothing[VK_UUID_SIZE];
    int name = strcmp(a->info.name, b->info.name) == 0, driver = strcmp(a->info.driver_name, b->info.driver_name) == 0;
    int uuid =
        memcmp(a->info.uuid, nothing, VK_UUID_SIZE) != 0 && memcmp(a->info.uuid, b->info.uuid, VK_UUID_SIZE) == 0;

    if (!a->is_host != !b->is_host) return 0;
    if (a->is_host) return 2 + name + driver;
    if (uuid && driver) return 5;
    if (name) return driver ? 4 : 3;
    return a->info.vendor_id != 0 && a->info.vendor_id == b->info.vendor_id && a->info.device_id == b->info.device_id
               ? 2
               : 0;
}

static uint32_t find_base(const vkmm_comparison *comparison, uint32_t index)
{
    const vkmm_contender *contender = &comparison->contenders[index];
    uint32_t best = VKMM_NOBODY, devices = 0, only = VKMM_NOBODY;
    int most = 0;

    for (uint32_t i = 0; i < comparison->count; i++) {
        const vkmm_contender *other = &comparison->contenders[i];
        int alike = likeness(device_of(contender), device_of(other));
        if (other->bench != comparison->contenders[0].bench) continue;
        if (alike > most) {
            most = alike;
            best = i;
        }
        if (device_of(other)->is_host) continue;
        devices++;
        only = i;
    }
    return best == VKMM_NOBODY && devices == 1 && !device_of(contender)->is_host ? only : best;
}

void vkmm_compare_find_bases(vkmm_compare_model *model)
{
    const vkmm_comparison *comparison = model->comparison;
    const vkmm_contender *first = &comparison->contenders[0];
    int single = 1;

    for (uint32_t i = 0; i < comparison->count; i++) single &= comparison->contenders[i].bench == first->bench;
    for (uint32_t i = 0; i < comparison->count; i++) {
        const vkmm_contender *contender = &comparison->contenders[i];
        model->base[i] = VKMM_NOBODY;
        if (contender->bench != first->bench)
            model->base[i] = find_base(comparison, i);
        else if (single && i > 0 && !device_of(contender)->is_host == !device_of(first)->is_host)
            model->base[i] = 0;
    }
}

/* Whether two contenders' reports differ in a text. */
static const vkmm_bench *other_than_first(const vkmm_comparison *comparison, int hash)
{
    const vkmm_bench *first = comparison->contenders[0].bench;

    for (uint32_t i = 1; i < comparison->count; i++) {
        const vkmm_bench *bench = comparison->contenders[i].bench;
        if (strcmp(hash ? bench->shader_hash : bench->version, hash ? first->shader_hash : first->version) != 0)
            return bench;
    }
    return NULL;
}

static const vkmm_bench *unfinished(const vkmm_comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->count; i++)
        if (!comparison->contenders[i].bench->complete) return comparison->contenders[i].bench;
    return NULL;
}

/* Devices that could not finish, those among them that are no contenders for lack of a speed. */
static int tell_failure(const vkmm_comparison *comparison, unsigned index, char text[512])
{
    char label[160], file[80], why[VKMM_BENCH_TEXT - 16];

    for (uint32_t i = 0; i < comparison->count; i++) {
        const vkmm_bench *bench = comparison->contenders[i].bench;
        if (i > 0 && bench == comparison->contenders[i - 1].bench) continue;
        for (uint32_t d = 0; d < bench->device_count; d++) {
            if (bench->devices[d].failed[0] == '\0' || index-- > 0) continue;
            vkmm_text_clean(label, sizeof label, bench->devices[d].label);
            vkmm_text_clean(file, sizeof file, bench->name);
            vkmm_text_clean(why, sizeof why, bench->devices[d].failed);
            return snprintf(text, 512, "%s%s%s%s failed: %s", label, file[0] != '\0' ? " (" : "", file,
                            file[0] != '\0' ? ")" : "", why);
        }
    }
    return 0;
}

int vkmm_compare_note(const vkmm_compare_model *model, unsigned index, char text[512])
{
    const vkmm_comparison *comparison = model->comparison;
    const vkmm_bench *version = other_than_first(comparison, 0), *hash = other_than_first(comparison, 1),
                     *open = unfinished(comparison);
    char one[64], other[128];
    unsigned at = 0;

    if (version != NULL && index == at++) {
        vkmm_text_clean(one, sizeof one, comparison->contenders[0].bench->version);
        vkmm_text_clean(other, sizeof other, version->version);
        return snprintf(text, 512, "different versions of vkmatmul: %s and %s", one, other);
    }
    if (hash != NULL && index == at++)
        return snprintf(text, 512, "different shaders: a ratio tells of the kernels as well as of the devices");
    if (open != NULL && index == at++) {
        vkmm_text_clean(other, sizeof other, open->name[0] != '\0' ? open->name : "this run");
        return snprintf(text, 512, "%s is unfinished", other);
    }
    if (model->alone > 0 && index == at++)
        return snprintf(text, 512, "%u row%s that only one of them has a speed for %s left out", model->alone,
                        model->alone == 1 ? "" : "s", model->alone == 1 ? "is" : "are");
    return index >= at && tell_failure(comparison, index - at, text);
}
