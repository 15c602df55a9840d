/* Which rows belong together. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "math/problem.h"
#include "bench/columns.h"
#include "bench/compare_model.h"

#define END UINT32_MAX

/* Rows that measure the same, found by a hash: reports are large, and may be meant to be slow to compare. */
typedef struct row_table {
    vkmm_compare_row *rows;
    uint32_t *next;  /* by row: the next with the same slot */
    uint32_t *slots; /* the first row of each slot */
    uint32_t mask, count, contenders;
    const vkmm_bench_row **of;
    vkmm_interval *ratio;
} row_table;

static uint32_t slot_of(const row_table *table, const vkmm_bench_row *row)
{
    const uint64_t words[] = {row->problem.m, row->problem.n, row->problem.k,
                              vkmm_types_index(vkmm_problem_types(&row->problem)), row->rotating_bytes};
    uint64_t hash = vkmm_hash(vkmm_hash(VKMM_HASH_START, words, sizeof words), row->asked, strlen(row->asked));

    return (uint32_t)(hash ^ hash >> 32) & table->mask;
}

static vkmm_compare_row *find_row(row_table *table, const vkmm_bench_row *like)
{
    uint32_t slot = slot_of(table, like), i = table->slots[slot];
    vkmm_compare_row *row;

    for (; i != END; i = table->next[i])
        if (vkmm_bench_same(table->rows[i].like, like)) return &table->rows[i];
    i = table->count++;
    row = &table->rows[i];
    row->like = like;
    row->of = table->of + (size_t)i * table->contenders;
    row->ratio = table->ratio + (size_t)i * table->contenders;
    row->winner = VKMM_NOBODY;
    table->next[i] = table->slots[slot];
    table->slots[slot] = i;
    return row;
}

static void add_contender(row_table *table, const vkmm_contender *contender, uint32_t index)
{
    for (uint32_t i = 0; i < contender->bench->row_count; i++) {
        const vkmm_bench_row *row = &contender->bench->rows[i];
        vkmm_compare_row *found;
        int timed;
        if (row->device != contender->device || row->not_run[0] != '\0') continue;
        found = find_row(table, row);
        timed = isfinite(row->figures.median_ms);
        if (found->of[index] != NULL && (!timed || isfinite(found->of[index]->figures.median_ms)))
            continue; /* the first with a speed */
        found->of[index] = row;
        found->timed += timed ? 1 : 0;
    }
}

static int has_speed(const vkmm_compare_row *row, uint32_t contender)
{
    return row->of[contender] != NULL && isfinite(row->of[contender]->figures.median_ms);
}

/* The fastest wins where the next is slower beyond the noise. */
static uint32_t winner_of(const vkmm_comparison *comparison, const vkmm_compare_row *row)
{
    uint32_t first = VKMM_NOBODY, second = VKMM_NOBODY;
    vkmm_interval ratio;

    for (uint32_t i = 0; i < comparison->count; i++) {
        if (!has_speed(row, i)) continue;
        if (first == VKMM_NOBODY || row->of[i]->figures.median_ms < row->of[first]->figures.median_ms) {
            second = first;
            first = i;
        } else if (second == VKMM_NOBODY || row->of[i]->figures.median_ms < row->of[second]->figures.median_ms) {
            second = i;
        }
    }
    if (second == VKMM_NOBODY) return VKMM_NOBODY;
    ratio = vkmm_bench_ratio(row->of[second], row->of[first], comparison->paired);
    return vkmm_interval_verdict(&ratio) > 0 ? first : VKMM_NOBODY;
}

static void compare_row(const vkmm_comparison *comparison, vkmm_compare_row *row)
{
    for (uint32_t i = 0; i < comparison->count; i++) {
        row->ratio[i] = (vkmm_interval){NAN, NAN, NAN};
        if (!has_speed(row, 0) || !has_speed(row, i)) continue;
        row->ratio[i] =
            i == 0 ? (vkmm_interval){1, 1, 1} : vkmm_bench_ratio(row->of[0], row->of[i], comparison->paired);
    }
    row->winner = winner_of(comparison, row);
}

/* Two have a speed, or one has and another is wrong. */
static int is_worth(const vkmm_compare_row *row, uint32_t contenders)
{
    if (row->timed != 1) return row->timed > 1;
    for (uint32_t i = 0; i < contenders; i++)
        if (row->of[i] != NULL && vkmm_bench_is_wrong(row->of[i])) return 1;
    return 0;
}

/* Keeps those in place; of the rest, rows that one of them has are counted. */
static void keep_shared(vkmm_compare_model *model, const row_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (!is_worth(&table->rows[i], table->contenders)) {
            model->alone += table->rows[i].timed;
            continue;
        }
        compare_row(model->comparison, &table->rows[i]);
        model->rows[model->count++] = table->rows[i];
    }
}

vkmm_status vkmm_compare_find_rows(vkmm_compare_model *model)
{
    const vkmm_comparison *comparison = model->comparison;
    row_table table = {.contenders = comparison->count};
    uint64_t most = 0, size = 16, cells;

    for (uint32_t i = 0; i < comparison->count; i++)
        if (i == 0 || comparison->contenders[i].bench != comparison->contenders[i - 1].bench)
            most += comparison->contenders[i].bench->row_count;
    while (size < 2 * most) size *= 2;
    if (most >= END / 4 || !vkmm_mul_u64(most, comparison->count, &cells)) return VKMM_OUT_OF_MEMORY;
    model->rows = table.rows = model->owned[0] = vkmm_alloc((size_t)most, sizeof *table.rows);
    table.of = model->owned[1] = vkmm_alloc((size_t)cells, sizeof *table.of);
    table.ratio = model->owned[2] = vkmm_alloc((size_t)cells, sizeof *table.ratio);
    table.next = model->owned[3] = vkmm_alloc((size_t)most, sizeof *table.next);
    table.slots = model->owned[4] = vkmm_alloc((size_t)size, sizeof *table.slots);
    if (table.rows == NULL || table.of == NULL || table.ratio == NULL || table.next == NULL || table.slots == NULL)
        return VKMM_OUT_OF_MEMORY;
    memset(table.slots, 0xff, (size_t)size * sizeof *table.slots);
    table.mask = (uint32_t)(size - 1);
    for (uint32_t i = 0; i < comparison->count; i++) add_contender(&table, &comparison->contenders[i], i);
    keep_shared(model, &table);
    return VKMM_OK;
}
