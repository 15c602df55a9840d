/* "vkmatmul.compare/1": one object. Contenders are meant by their index from 0. */
#include <math.h>

#include "math/type.h"
#include "bench/columns.h"
#include "bench/compare_model.h"
#include "report/json.h"
#include "report/records.h"

/* null: none. */
static json_t *index_of(uint32_t contender)
{
    return contender != VKMM_NOBODY ? json_integer(contender) : json_null();
}

static json_t *ratio_of(const vkmm_interval *ratio, int is_base)
{
    static const char *const verdicts[] = {"slower", "unclear", "faster"};
    json_t *object;
    int bad;

    if (!isfinite(ratio->middle)) return json_null();
    object = json_object();
    bad = vkmm_json_put(object, "middle", vkmm_json_number(ratio->middle));
    bad += vkmm_json_put(object, "low", vkmm_json_number(ratio->low));
    bad += vkmm_json_put(object, "high", vkmm_json_number(ratio->high));
    bad += vkmm_json_put(object, "verdict", json_string(is_base ? "base" : verdicts[vkmm_interval_verdict(ratio) + 1]));
    return vkmm_json_done(object, bad);
}

static json_t *contender_of(const vkmm_compare_model *model, uint32_t index)
{
    const vkmm_contender *contender = &model->comparison->contenders[index];
    const vkmm_bench *bench = contender->bench;
    const vkmm_bench_device *device = &bench->devices[contender->device];
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "label", vkmm_json_text(contender->label));

    bad += vkmm_json_put(object, "device", vkmm_json_device(device->is_host ? NULL : &device->info, device->info.name));
    bad += vkmm_json_put(object, "driver", vkmm_json_text(device->info.driver_name));
    bad += vkmm_json_put(object, "report", vkmm_json_text(bench->name[0] != '\0' ? bench->name : NULL));
    bad += vkmm_json_put(object, "version", vkmm_json_text(bench->version));
    bad += vkmm_json_put(object, "shader_hash", vkmm_json_text(bench->shader_hash));
    bad += vkmm_json_put(object, "created", vkmm_json_text(bench->created));
    bad += vkmm_json_put(object, "host", vkmm_json_text(bench->host));
    bad += vkmm_json_put(object, "complete", json_boolean(bench->complete));
    bad += vkmm_json_put(object, "same_device_as", index_of(model->base[index]));
    bad += vkmm_json_put(object, "wins", json_integer(model->wins[index]));
    return vkmm_json_done(object, bad);
}

static json_t *cell_of(const vkmm_compare_row *row, uint32_t contender)
{
    const vkmm_bench_row *bench = row->of[contender];
    json_t *object;
    int bad;

    if (bench == NULL) return json_null();
    object = json_object();
    bad = vkmm_json_put(object, "kernel", vkmm_json_text(bench->kernel.name));
    bad += vkmm_json_put(object, "wrong", json_boolean(vkmm_bench_is_wrong(bench)));
    bad += vkmm_json_put(object, "gflops", vkmm_json_number(bench->figures.gflops));
    bad += vkmm_json_put(object, "kernel_ms", vkmm_json_number(bench->figures.median_ms));
    bad += vkmm_json_put(object, "noise", vkmm_json_number(bench->figures.noise));
    bad += vkmm_json_put(object, "throttled", json_boolean(bench->figures.throttled));
    bad += vkmm_json_put(object, "ratio", ratio_of(&row->ratio[contender], contender == 0));
    return vkmm_json_done(object, bad);
}

static json_t *row_of(const vkmm_compare_model *model, const vkmm_compare_row *row)
{
    json_t *object = json_object(), *cells = json_array();
    int bad = vkmm_json_put(object, "group", vkmm_json_text(row->like->group));

    bad += vkmm_json_put(object, "asked", vkmm_json_text(row->like->asked));
    bad += vkmm_json_put(object, "problem", vkmm_record_json(&vkmm_problem_record, &row->like->problem));
    bad += vkmm_json_put(object, "rotating_bytes", vkmm_json_integer(row->like->rotating_bytes));
    for (uint32_t c = 0; c < model->comparison->count; c++) bad += json_array_append_new(cells, cell_of(row, c)) != 0;
    bad += vkmm_json_put(object, "contenders", cells);
    bad += vkmm_json_put(object, "winner", index_of(row->winner));
    return vkmm_json_done(object, bad);
}

/* null for the mean of all. */
static json_t *type_of(const vkmm_compare_mean *mean, vkmm_type type)
{
    return mean->group != NULL ? json_string(vkmm_type_of(type)->name) : json_null();
}

static json_t *mean_of(const vkmm_compare_model *model, const vkmm_compare_mean *mean)
{
    json_t *object = json_object(), *cells = json_array();
    int bad = vkmm_json_put(object, "group", vkmm_json_text(mean->group));

    bad += vkmm_json_put(object, "type", type_of(mean, mean->types.in));
    bad += vkmm_json_put(object, "out_type", type_of(mean, mean->types.out));
    bad += vkmm_json_put(object, "compute", type_of(mean, mean->types.compute));
    bad += vkmm_json_put(object, "rows", json_integer(mean->rows));
    for (uint32_t c = 0; c < model->comparison->count; c++) {
        json_t *cell = json_object();
        int wrong = vkmm_json_put(cell, "rows", json_integer(mean->counted[c]));
        wrong += vkmm_json_put(cell, "ratio", ratio_of(&mean->ratio[c], c == 0));
        bad += json_array_append_new(cells, vkmm_json_done(cell, wrong)) != 0;
    }
    bad += vkmm_json_put(object, "contenders", cells);
    return vkmm_json_done(object, bad);
}

static json_t *regression_of(const vkmm_regression *regression)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "row", json_integer(regression->row));

    bad += vkmm_json_put(object, "contender", json_integer(regression->contender));
    bad += vkmm_json_put(object, "base", json_integer(regression->base));
    bad += vkmm_json_put(object, "wrong", json_boolean(!isfinite(regression->ratio.middle)));
    bad += vkmm_json_put(object, "ratio", ratio_of(&regression->ratio, 0));
    return vkmm_json_done(object, bad);
}

static json_t *notes_of(const vkmm_compare_model *model)
{
    json_t *notes = json_array();
    char text[512];
    int bad = 0;

    for (unsigned i = 0; vkmm_compare_note(model, i, text); i++)
        bad += json_array_append_new(notes, vkmm_json_text(text)) != 0;
    return vkmm_json_done(notes, bad);
}

static json_t *whole(const vkmm_report *report, const vkmm_compare_model *model)
{
    json_t *object = json_object(), *contenders = json_array(), *rows = json_array(), *means = json_array(),
           *regressions = json_array();
    const vkmm_comparison *comparison = model->comparison;
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.compare/1"));

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "paired", json_boolean(comparison->paired));
    for (uint32_t i = 0; i < comparison->count; i++)
        bad += json_array_append_new(contenders, contender_of(model, i)) != 0;
    for (uint32_t i = 0; i < model->count; i++) bad += json_array_append_new(rows, row_of(model, &model->rows[i])) != 0;
    for (uint32_t i = 0; i < model->mean_count; i++)
        bad += json_array_append_new(means, mean_of(model, &model->means[i])) != 0;
    for (uint32_t i = 0; i < model->regression_count; i++)
        bad += json_array_append_new(regressions, regression_of(&model->regressions[i])) != 0;
    bad += vkmm_json_put(object, "contenders", contenders);
    bad += vkmm_json_put(object, "notes", notes_of(model));
    bad += vkmm_json_put(object, "rows", rows);
    bad += vkmm_json_put(object, "means", means);
    bad += vkmm_json_put(object, "unclear", json_integer(model->unclear));
    bad += vkmm_json_put(object, "alone", json_integer(model->alone));
    bad += vkmm_json_put(object, "tolerated",
                         comparison->regression >= 0 ? vkmm_json_number(comparison->regression) : json_null());
    bad += vkmm_json_put(object, "regressions", regressions);
    return vkmm_json_done(object, bad);
}

vkmm_status vkmm_compare_json(vkmm_report *report, vkmm_comparison *comparison)
{
    vkmm_compare_model model = {0};
    vkmm_status status = vkmm_compare_model_make(comparison, &model);

    if (status == VKMM_OK && model.count > 0) status = vkmm_json_line(report, whole(report, &model));
    vkmm_compare_model_free(&model);
    return status;
}
