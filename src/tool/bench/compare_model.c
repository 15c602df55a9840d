#include "bench/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/hash.h"
#include "math/problem.h"
#include "report/records.h"
#include "report/record.h"

/* ---- contenders ---- */

/* Names a contender: the file's name, then the version, then a number tell it from others of the same label. A number
 * comes first, where it cannot be cut off. */
static void name_contender(const cli_comparison *model, uint32_t index, int same_version)
{
    cli_contender *one = &model->contenders[index];
    char label[3 * CLI_BENCH_TEXT] = "";
    int same_label = 0, same_file = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        const cli_contender *other = &model->contenders[i];
        if (i == index || strcmp(other->on->label, one->on->label) != 0) continue;
        same_label = 1;
        if (strcmp(other->bench->name, one->bench->name) != 0) continue;
        same_file = 1;
        same_version |= strcmp(other->bench->version, one->bench->version) == 0;
    }
    if (same_version) VKMM_PUT(label, "#%u: ", index + 1);
    VKMM_JOIN(label, "", "%s", one->on->label);
    if (same_label && one->bench->name[0] != '\0') VKMM_JOIN(label, ", ", "%s", one->bench->name);
    if (same_file && one->bench->version[0] != '\0') VKMM_JOIN(label, ", ", "%s", one->bench->version);
    VKMM_CLEAN(one->label, label);
}

/* Labels that are equal because they were cut get numbers too. */
static void name_contenders(const cli_comparison *model)
{
    for (uint32_t i = 0; i < model->count; i++) name_contender(model, i, 0);
    for (uint32_t i = 1; i < model->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(model->contenders[i].label, model->contenders[j].label) == 0) name_contender(model, i, 1);
}

/* Whether any row of the device has a speed, or, with `wrong`, a wrong product. */
static int is_contender(const cli_bench *bench, uint32_t device, int wrong)
{
    for (uint32_t i = 0; i < bench->row_count; i++) {
        const cli_bench_row *row = &bench->rows[i];
        if (row->device != device) continue;
        if (isfinite(row->figures.median_ms) || (wrong && cli_bench_is_wrong(row))) return 1;
    }
    return 0;
}

static vkmm_status find_contenders(cli_comparison *model)
{
    const cli_bench *benches = model->reports.benches;
    size_t most = 0;
    for (uint32_t i = 0; i < model->reports.count; i++) most += benches[i].device_count;
    model->contenders = vkmm_alloc(most, sizeof *model->contenders);
    if (model->contenders == NULL) return VKMM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < model->reports.count; i++) {
        for (uint32_t d = 0; d < benches[i].device_count; d++) {
            cli_contender *contender = &model->contenders[model->count];
            if (!is_contender(&benches[i], d, i > 0)) continue;
            *contender = (cli_contender){.bench = &benches[i], .device = d, .on = &benches[i].devices[d]};
            model->count++;
        }
    }
    name_contenders(model);
    return VKMM_OK;
}

/* ---- which contenders are the same device ---- */

/* Score of two devices' similarity, needed because drivers rename devices. 0: different; from LIKE_DRIVER on: same
 * driver; odd: same driver version. */
enum { LIKE_DRIVER = 8, LIKE_MOST = 15 };

static int likeness(const cli_bench_device *a, const cli_bench_device *b)
{
    static const uint8_t nothing[VK_UUID_SIZE];
    const vkmm_device_info *x = &a->info, *y = &b->info;
    const int driver = strcmp(x->driver.name, y->driver.name) == 0;
    int device = 0;
    if (!a->is_host != !b->is_host) return 0;
    if (driver && memcmp(x->uuid, nothing, VK_UUID_SIZE) != 0 && memcmp(x->uuid, y->uuid, VK_UUID_SIZE) == 0)
        device = 3;
    else if (strcmp(x->name, y->name) == 0)
        device = 2;
    else if (x->vendor_id != 0 && x->vendor_id == y->vendor_id && x->device_id == y->device_id)
        device = 1;
    if (device == 0) return 0;
    return LIKE_DRIVER * driver + 2 * device + (driver && strcmp(x->driver.info, y->driver.info) == 0);
}

/* The only device of its kind, or CLI_NOBODY. */
static uint32_t only_device(const cli_bench *bench, int is_host)
{
    uint32_t only = CLI_NOBODY, count = 0;
    for (uint32_t i = 0; i < bench->device_count; i++) {
        if (!bench->devices[i].is_host != !is_host) continue;
        only = i;
        count++;
    }
    return count == 1 ? only : CLI_NOBODY;
}

/* For each device, the same device in another report, or CLI_NOBODY. The most similar devices are paired first.
 * Devices without a speed are paired too, so that no other takes their place. Different devices are paired only if each
 * report has a single one. */
static void find_twins(const cli_bench *bench, const cli_bench *other, uint32_t twins[CLI_MOST_DEVICES])
{
    uint8_t taken[CLI_MOST_DEVICES] = {0};
    for (uint32_t i = 0; i < bench->device_count; i++) twins[i] = CLI_NOBODY;
    for (int alike = LIKE_MOST; alike > 0; alike--) {
        for (uint32_t i = 0; i < bench->device_count; i++) {
            for (uint32_t j = 0; j < other->device_count && twins[i] == CLI_NOBODY; j++)
                if (!taken[j] && likeness(&bench->devices[i], &other->devices[j]) == alike) taken[twins[i] = j] = 1;
        }
    }
    for (int is_host = 0; is_host < 2; is_host++) {
        const uint32_t only = only_device(bench, is_host);
        if (only != CLI_NOBODY && twins[only] == CLI_NOBODY) twins[only] = only_device(other, is_host);
    }
}

static void find_bases(const cli_comparison *comparison)
{
    cli_contender *all = comparison->contenders;
    const cli_bench *first = all[0].bench;
    const int single = all[comparison->count - 1].bench == first; /* contenders are sorted by report */
    uint32_t twins[CLI_MOST_DEVICES], pairs = 0;
    for (uint32_t i = 0; i < comparison->count; i++) {
        const int is_first = all[i].bench == first;
        all[i].base = is_first ? i : CLI_NOBODY;
        all[i].judged = single && i > 0 && !all[i].on->is_host == !all[0].on->is_host;
        if (is_first) continue;
        if (all[i].bench != all[i - 1].bench) find_twins(all[i].bench, first, twins);
        for (uint32_t j = 0; all[j].bench == first; j++) {
            if (all[j].device != twins[all[i].device]) continue;
            all[i].base = j;
            all[i].judged = 1;
            pairs++;
        }
    }
    for (uint32_t i = 0; i < comparison->count && pairs == 0; i++) all[i].base = 0;
}

/* ---- rows that belong together ---- */

/* The model's row for the same measurement, added if there is none. Found by hash, because reports are large, and
 * hostile ones may be made to be slow to compare. `slots` holds row numbers from 1; 0: free. */
static cli_compare_row *find_row(cli_comparison *model, uint32_t *slots, uint32_t mask, const cli_bench_row *like)
{
    const uint64_t words[] = {like->problem.m, like->problem.n, like->problem.k,
                              vkmm_types_index(vkmm_problem_types(&like->problem)), like->rotating_bytes};
    const uint64_t hash = vkmm_hash(vkmm_hash(VKMM_HASH_START, words, sizeof words), like->asked, strlen(like->asked));
    const uint32_t contenders = model->count;
    uint32_t slot = (uint32_t)(hash ^ hash >> 32) & mask;
    for (; slots[slot] != 0; slot = (slot + 1) & mask)
        if (cli_bench_same(model->rows[slots[slot] - 1].like, like)) return &model->rows[slots[slot] - 1];
    model->rows[model->row_count] = (cli_compare_row){.like = like,
                                                      .cells = model->cells + (size_t)model->row_count * contenders,
                                                      .count = contenders,
                                                      .winner = CLI_NOBODY};
    slots[slot] = ++model->row_count;
    return &model->rows[model->row_count - 1];
}

static int has_speed(const cli_bench_row *row)
{
    return row != NULL && isfinite(row->figures.median_ms);
}

/* Adds a contender's rows. If several rows measure the same product, the first with a speed counts. */
static void add_contender(cli_comparison *model, uint32_t *slots, uint32_t mask, uint32_t index)
{
    const cli_contender *contender = &model->contenders[index];
    for (uint32_t i = 0; i < contender->bench->row_count; i++) {
        const cli_bench_row *row = &contender->bench->rows[i];
        cli_compare_row *found;
        if (row->device != contender->device || row->not_run[0] != '\0') continue;
        found = find_row(model, slots, mask, row);
        if (found->cells[index].row != NULL && (!has_speed(row) || has_speed(found->cells[index].row))) continue;
        found->cells[index].row = row;
        found->cells[index].wrong = cli_bench_is_wrong(row);
        found->timed += has_speed(row) ? 1 : 0;
    }
}

static uint32_t fastest(const cli_compare_row *row, uint32_t beside)
{
    uint32_t first = CLI_NOBODY;
    for (uint32_t i = 0; i < row->count; i++) {
        if (i == beside || !has_speed(row->cells[i].row)) continue;
        if (first == CLI_NOBODY || row->cells[i].row->figures.median_ms < row->cells[first].row->figures.median_ms)
            first = i;
    }
    return first;
}

static void set_ratio(cli_compare_ratio *ratio, cli_interval of, int is_base)
{
    static const char *const verdicts[] = {"slower", "unclear", "faster"};
    ratio->of = of;
    ratio->verdict = is_base ? "base" : isfinite(of.middle) ? verdicts[cli_interval_verdict(&of) + 1] : NULL;
}

static cli_interval ratio_to(const cli_comparison *comparison, const cli_compare_row *row, uint32_t base, uint32_t c)
{
    const cli_contender *all = comparison->contenders;
    if (base == CLI_NOBODY || !has_speed(row->cells[base].row) || !has_speed(row->cells[c].row))
        return (cli_interval){NAN, NAN, NAN};
    if (base == c) return (cli_interval){1, 1, 1};
    return cli_bench_ratio(row->cells[base].row, row->cells[c].row,
                           all[base].bench == all[c].bench && all[c].bench->paired);
}

/* The fastest wins if the next is slower beyond the noise. */
static void compare_row(const cli_comparison *comparison, cli_compare_row *row)
{
    const uint32_t first = fastest(row, CLI_NOBODY), second = fastest(row, first);
    for (uint32_t c = 0; c < row->count; c++) {
        cli_compare_cell *cell = &row->cells[c];
        const uint32_t base = comparison->contenders[c].base;
        set_ratio(&cell->ratio, ratio_to(comparison, row, base, c), c == base);
    }
    if (second == CLI_NOBODY) return;
    const cli_interval ratio = ratio_to(comparison, row, second, first);
    if (cli_interval_verdict(&ratio) > 0) row->winner = first;
}

/* Two have a speed, or one has and another is wrong. */
static int is_worth(const cli_compare_row *row)
{
    int wrong = 0;
    for (uint32_t i = 0; i < row->count; i++) wrong |= row->cells[i].wrong;
    return row->timed > 1 || (row->timed == 1 && wrong);
}

/* Keeps those, in place; of the rest, counts the rows for which one contender has a speed. */
static void keep_shared(cli_comparison *model)
{
    const uint32_t found = model->row_count;
    model->row_count = 0;
    for (uint32_t i = 0; i < found; i++) {
        cli_compare_row *row = &model->rows[i];
        if (!is_worth(row)) {
            model->alone += row->timed;
            continue;
        }
        compare_row(model, row);
        if (row->winner != CLI_NOBODY)
            model->contenders[row->winner].wins++;
        else if (row->timed > 1)
            model->unclear++;
        model->rows[model->row_count++] = *row;
    }
}

static vkmm_status find_rows(cli_comparison *model)
{
    size_t most = 0, size = 16;
    uint32_t *slots;
    for (uint32_t i = 0; i < model->count; i++)
        if (i == 0 || model->contenders[i].bench != model->contenders[i - 1].bench)
            most += model->contenders[i].bench->row_count;
    while (size < 2 * most) size *= 2;
    model->rows = vkmm_alloc(most, sizeof *model->rows);
    model->cells = vkmm_alloc(most * model->count, sizeof *model->cells);
    slots = vkmm_alloc(size, sizeof *slots);
    if (model->rows != NULL && model->cells != NULL && slots != NULL) {
        for (uint32_t i = 0; i < model->count; i++) add_contender(model, slots, (uint32_t)(size - 1), i);
        keep_shared(model);
    }
    vkmm_free(slots);
    return model->rows != NULL && model->cells != NULL && slots != NULL ? VKMM_OK : VKMM_OUT_OF_MEMORY;
}

/* ---- means ---- */

static int is_in(const cli_compare_mean *mean, const cli_bench_row *row)
{
    return mean->group == NULL ||
           (vkmm_types_equal(mean->types, vkmm_problem_types(&row->problem)) && strcmp(mean->group, row->group) == 0);
}

/* A line for each group and type in the order of the rows, and one for all. */
static void list_means(cli_comparison *model)
{
    for (uint32_t i = 0; i < model->row_count; i++) {
        const cli_bench_row *row = model->rows[i].like;
        uint32_t at = 0;
        while (at < model->mean_count && !is_in(&model->means[at], row)) at++;
        if (at == model->mean_count)
            model->means[model->mean_count++] =
                (cli_compare_mean){.group = row->group, .types = vkmm_problem_types(&row->problem)};
    }
    model->means[model->mean_count++] = (cli_compare_mean){.group = NULL};
}

static void fill_mean(const cli_comparison *model, cli_compare_mean *mean)
{
    for (uint32_t i = 0; i < model->row_count; i++) {
        const cli_compare_row *row = &model->rows[i];
        if (!is_in(mean, row->like)) continue;
        mean->rows++;
        for (uint32_t c = 0; c < row->count; c++) cli_mean_add(&mean->cells[c].mean, &row->cells[c].ratio.of);
    }
    for (uint32_t c = 0; c < mean->count; c++)
        set_ratio(&mean->cells[c].ratio, cli_mean_of(&mean->cells[c].mean), c == model->contenders[c].base);
}

static vkmm_status make_means(cli_comparison *model)
{
    const uint32_t contenders = model->count;
    model->means = vkmm_alloc((size_t)model->row_count + 1, sizeof *model->means);
    if (model->means != NULL) list_means(model);
    model->mean_cells = vkmm_alloc((size_t)model->mean_count * contenders, sizeof *model->mean_cells);
    if (model->means == NULL || model->mean_cells == NULL) return VKMM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < model->mean_count; i++) {
        model->means[i].cells = model->mean_cells + (size_t)i * contenders;
        model->means[i].count = contenders;
        fill_mean(model, &model->means[i]);
    }
    return VKMM_OK;
}

/* ---- regressions and notes ---- */

/* Whether contender c is worse than its base in this row. */
static int is_regression(const cli_comparison *comparison, const cli_compare_row *row, uint32_t c)
{
    const cli_contender *contender = &comparison->contenders[c];
    const cli_compare_cell *cell = &row->cells[c];
    const double tolerated = comparison->regression > 0 ? comparison->regression : 0;
    if (!contender->judged || cell->row == NULL || !has_speed(row->cells[contender->base].row)) return 0;
    return cell->wrong || (cli_interval_verdict(&cell->ratio.of) < 0 && cell->ratio.of.middle < 1 - tolerated);
}

static void find_regressions(cli_comparison *model)
{
    for (uint32_t i = 0; i < model->row_count; i++) {
        for (uint32_t c = 1; c < model->count; c++) {
            cli_compare_cell *cell = &model->rows[i].cells[c];
            cell->regressed = is_regression(model, &model->rows[i], c);
            model->regressions += (uint32_t)cell->regressed;
        }
    }
}

static VKMM_PRINTF(2, 3) void add_note(cli_comparison *model, const char *format, ...)
{
    char *note = vkmm_list_add(&model->notes, &model->note_count, 1, sizeof *model->notes);
    va_list arguments;
    model->failed |= note == NULL;
    if (note == NULL) return;
    va_start(arguments, format);
    vsnprintf(note, sizeof *model->notes, format, arguments);
    va_end(arguments);
}

/* Contenders that are judged against another device, driver or version. */
static void note_base(cli_comparison *model, const cli_contender *contender)
{
    const cli_contender *first = model->contenders, *base = &first[contender->base];
    int alike;
    if (contender->bench == first->bench || !contender->judged) return;
    alike = likeness(contender->on, base->on);
    if (alike < LIKE_DRIVER || alike % 2 == 0)
        add_note(model, "%s is judged against %s: a different %s%s", contender->label, base->label,
                 alike == 0               ? "device"
                 : contender->on->is_host ? "library"
                                          : "driver",
                 alike < LIKE_DRIVER ? "" : " version");
}

/* One line for the devices of several reports that are neither judged nor a base. */
static void note_alone(cli_comparison *model)
{
    const cli_contender *all = model->contenders;
    const uint32_t count = model->count;
    char labels[sizeof *model->notes / 2] = "";
    for (uint32_t i = 0; i < count && all[count - 1].bench != all[0].bench; i++) {
        int alone = !all[i].judged;
        for (uint32_t j = i + 1; j < count; j++) alone &= all[j].base != i;
        if (alone) VKMM_JOIN(labels, "; ", "%s", all[i].label);
    }
    if (labels[0] != '\0') add_note(model, "without a counterpart, so not checked for regressions: %s", labels);
}

static void find_notes(cli_comparison *model)
{
    const cli_contender *all = model->contenders;
    const cli_bench *first = all[0].bench, *version = NULL, *hash = NULL, *open = NULL;
    for (uint32_t i = model->count; i-- > 0;) {
        if (strcmp(all[i].bench->version, first->version) != 0) version = all[i].bench;
        if (strcmp(all[i].bench->shader_hash, first->shader_hash) != 0) hash = all[i].bench;
        if (!all[i].bench->complete) open = all[i].bench;
    }
    if (version != NULL) add_note(model, "different versions of vkmatmul: %s and %s", first->version, version->version);
    if (hash != NULL) add_note(model, "different shaders: ratios reflect the kernels as well as the devices");
    if (open != NULL) add_note(model, "%s is unfinished", open->name[0] != '\0' ? open->name : "this run");
    if (model->alone > 0)
        add_note(model, "%u row%s with a speed for only one of them %s left out", model->alone,
                 model->alone == 1 ? "" : "s", model->alone == 1 ? "is" : "are");
    note_alone(model);
    for (uint32_t i = 0; i < model->count; i++) {
        const cli_bench *bench = all[i].bench;
        const int named = bench->name[0] != '\0';
        note_base(model, &all[i]);
        /* Devices that could not finish, including those that are not contenders because they have no speed. */
        for (uint32_t d = 0; d < bench->device_count && (i == 0 || bench != all[i - 1].bench); d++)
            if (bench->devices[d].failed[0] != '\0')
                add_note(model, "%s%s%s%s failed: %s", bench->devices[d].label, named ? " (" : "", bench->name,
                         named ? ")" : "", bench->devices[d].failed);
    }
}

vkmm_status cli_comparison_make(cli_comparison *model)
{
    vkmm_status status = find_contenders(model);
    if (status != VKMM_OK || model->count < 2) return status;
    find_bases(model);
    status = find_rows(model);
    if (status == VKMM_OK) status = make_means(model);
    if (status != VKMM_OK) return status;
    find_regressions(model);
    find_notes(model);
    return model->failed ? VKMM_OUT_OF_MEMORY : VKMM_OK;
}

void cli_comparison_free(cli_comparison *model)
{
    vkmm_free(model->contenders);
    vkmm_free(model->rows);
    vkmm_free(model->cells);
    vkmm_free(model->means);
    vkmm_free(model->mean_cells);
    vkmm_free(model->notes);
}
