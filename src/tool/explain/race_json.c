/* vkmatmul.race/1: one object a device and matrix. */
#include "report/json.h"
#include "report/writers.h"

static json_t *version(const vkmm_race_count *count)
{
    json_t *object = json_object(), *wrong = json_null();
    int bad = vkmm_json_put(object, "wrong_runs", json_integer(count->wrong_runs));

    bad += vkmm_json_put(object, "wrong_elements", vkmm_json_integer(count->wrong_elements));
    if (count->wrong_runs > 0) {
        wrong = json_object();
        bad += vkmm_json_put(wrong, "row", json_integer(count->row));
        bad += vkmm_json_put(wrong, "col", json_integer(count->col));
        bad += vkmm_json_put(wrong, "got", json_integer(count->got));
        bad += vkmm_json_put(wrong, "want", json_integer(count->want));
    }
    bad += vkmm_json_put(object, "wrong", wrong);
    return vkmm_json_done(object, bad);
}

static json_t *matrix(const vkmm_race_row *row)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "rows", json_integer(row->rows));

    bad += vkmm_json_put(object, "cols", json_integer(row->cols));
    bad += vkmm_json_put(object, "type", json_string("i32"));
    bad += vkmm_json_put(object, "init", vkmm_json_text(row->init));
    return vkmm_json_done(object, bad);
}

vkmm_status vkmm_json_race(vkmm_report *report, const vkmm_race_row *row)
{
    const vkmm_kernel_info *kernel = &row->result->kernel;
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.race/1"));

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(row->device, NULL));
    bad += vkmm_json_put(object, "subgroup_size", json_integer(row->device->subgroup_size));
    bad += vkmm_json_put(object, "matrix", matrix(row));
    bad += vkmm_json_put(object, "tile", vkmm_json_integers(kernel->tile, 2));
    bad += vkmm_json_put(object, "workgroup", vkmm_json_integers(kernel->workgroup, 3));
    bad += vkmm_json_put(object, "groups", vkmm_json_integers(kernel->groups, 3));
    bad += vkmm_json_put(object, "runs", json_integer(row->result->runs));
    bad += vkmm_json_put(object, "with_barrier", version(&row->result->with_barrier));
    bad += vkmm_json_put(object, "without_barrier", version(&row->result->without_barrier));
    bad += vkmm_json_put(object, "passed", json_boolean(row->result->with_barrier.wrong_runs == 0));
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
