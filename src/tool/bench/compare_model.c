#include "bench/compare_model.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "math/problem.h"
#include "bench/columns.h"

static int is_in(const vkmm_compare_mean *mean, const vkmm_bench_row *row)
{
    return mean->group == NULL ||
           (vkmm_types_equal(mean->types, vkmm_problem_types(&row->problem)) && strcmp(mean->group, row->group) == 0);
}

/* A line for each group and type in the order of the rows, and one for all. */
static uint32_t list_means(const vkmm_compare_model *model, vkmm_compare_mean *means)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < model->count; i++) {
        const vkmm_bench_row *row = model->rows[i].like;
        uint32_t at = 0;
        while (at < count && !is_in(&means[at], row)) at++;
        if (at < count) continue;
        means[count++] = (vkmm_compare_mean){.group = row->group, .types = vkmm_problem_types(&row->problem)};
    }
    means[count++] = (vkmm_compare_mean){.group = NULL};
    return count;
}

/* `room` is for as many intervals as there are rows. */
static void fill_mean(const vkmm_compare_model *model, vkmm_compare_mean *mean, vkmm_interval *room)
{
    for (uint32_t c = 0; c < model->comparison->count; c++) {
        uint32_t rows = 0, known = 0;
        for (uint32_t i = 0; i < model->count; i++) {
            if (!is_in(mean, model->rows[i].like)) continue;
            rows++;
            if (isfinite(model->rows[i].ratio[c].low)) room[known++] = model->rows[i].ratio[c];
        }
        mean->rows = rows;
        mean->counted[c] = known;
        mean->ratio[c] = vkmm_bench_mean(room, known);
    }
}

static vkmm_status make_means(vkmm_compare_model *model)
{
    uint32_t contenders = model->comparison->count;
    vkmm_interval *ratios, *room = vkmm_alloc(model->count, sizeof *room);
    uint32_t *counted;

    model->means = model->owned[5] = vkmm_alloc((size_t)model->count + 1, sizeof *model->means);
    if (room == NULL || model->means == NULL) {
        vkmm_free(room);
        return VKMM_OUT_OF_MEMORY;
    }
    model->mean_count = list_means(model, model->means);
    ratios = model->owned[6] = vkmm_alloc((size_t)model->mean_count * contenders, sizeof *ratios + sizeof *counted);
    if (ratios != NULL) {
        counted = (uint32_t *)(void *)(ratios + (size_t)model->mean_count * contenders);
        for (uint32_t i = 0; i < model->mean_count; i++) {
            model->means[i].ratio = ratios + (size_t)i * contenders;
            model->means[i].counted = counted + (size_t)i * contenders;
            fill_mean(model, &model->means[i], room);
        }
    }
    vkmm_free(room);
    return ratios != NULL ? VKMM_OK : VKMM_OUT_OF_MEMORY;
}

/* 1 and *ratio where contender c is worse than its base in this row. */
static int is_regression(const vkmm_compare_model *model, const vkmm_compare_row *row, uint32_t c, vkmm_interval *ratio)
{
    const vkmm_comparison *comparison = model->comparison;
    double tolerated = comparison->regression > 0 ? comparison->regression : 0;

    *ratio = (vkmm_interval){NAN, NAN, NAN};
    if (model->base[c] == VKMM_NOBODY || row->of[c] == NULL || row->of[model->base[c]] == NULL) return 0;
    if (!vkmm_bench_is_timed(row->of[model->base[c]])) return 0;
    if (vkmm_bench_is_wrong(row->of[c])) return 1;
    *ratio = vkmm_bench_ratio(row->of[model->base[c]], row->of[c], comparison->paired);
    return vkmm_interval_verdict(ratio) < 0 && ratio->middle < 1 - tolerated;
}

static vkmm_status find_regressions(vkmm_compare_model *model)
{
    uint32_t contenders = model->comparison->count;
    vkmm_interval ratio;

    model->regressions = model->owned[7] = vkmm_alloc((size_t)model->count * contenders, sizeof *model->regressions);
    if (model->regressions == NULL) return VKMM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < model->count; i++) {
        for (uint32_t c = 1; c < contenders; c++) {
            if (!is_regression(model, &model->rows[i], c, &ratio)) continue;
            model->regressions[model->regression_count++] = (vkmm_regression){i, c, model->base[c], ratio};
        }
    }
    return VKMM_OK;
}

vkmm_status vkmm_compare_model_make(vkmm_comparison *comparison, vkmm_compare_model *model)
{
    vkmm_status status;

    model->comparison = comparison;
    comparison->regressions = comparison->rows = 0;
    model->base = vkmm_alloc(comparison->count, sizeof *model->base);
    model->wins = vkmm_alloc(comparison->count, sizeof *model->wins);
    status = model->base != NULL && model->wins != NULL ? vkmm_compare_find_rows(model) : VKMM_OUT_OF_MEMORY;
    if (status != VKMM_OK) return status;
    comparison->rows = model->count;
    vkmm_compare_find_bases(model);
    for (uint32_t i = 0; i < model->count; i++) {
        if (model->rows[i].winner != VKMM_NOBODY)
            model->wins[model->rows[i].winner]++;
        else if (model->rows[i].timed > 1)
            model->unclear++;
    }
    status = make_means(model);
    if (status == VKMM_OK) status = find_regressions(model);
    comparison->regressions = model->regression_count;
    return status;
}

void vkmm_compare_model_free(vkmm_compare_model *model)
{
    for (size_t i = 0; i < sizeof model->owned / sizeof *model->owned; i++) vkmm_free(model->owned[i]);
    vkmm_free(model->base);
    vkmm_free(model->wins);
    *model = (vkmm_compare_model){0};
}
