/* vkmatmul.devices/1: one object a run. */
#include "math/problem.h"
#include "math/type.h"
#include "report/json.h"
#include "report/records.h"
#include "report/writers.h"

#define KERNEL(member) VKMM_AT(vkmm_ability, member)

static const vkmm_field kernel_fields[] = {
    {"name", VKMM_FIELD_STRING, KERNEL(kernel)},
    {"summary", VKMM_FIELD_STRING, KERNEL(summary)},
    {"types", VKMM_FIELD_STRING, VKMM_LIST(vkmm_ability, types, type_count), VKMM_HERE},
};
static const vkmm_record kernel_record = {"ability", VKMM_FIELDS(kernel_fields), VKMM_RECORD_OF(vkmm_ability)};

static const vkmm_field lack_fields[] = {
    {"what", VKMM_FIELD_TEXT, VKMM_AT(vkmm_lack, what)},
    {"reason", VKMM_FIELD_TEXT, VKMM_AT(vkmm_lack, reason)},
};
static const vkmm_record lack_record = {"lack", VKMM_FIELDS(lack_fields), VKMM_RECORD_OF(vkmm_lack)};

/* Every combination of types, and what computes a large product of it. */
static int has_way(const void *record)
{
    return ((const vkmm_way *)record)->by != NULL;
}

static const vkmm_field way_fields[] = {
    {"type", VKMM_FIELD_WORD, VKMM_AT(vkmm_way, types.in), .words = &vkmm_type_words},
    {"out_type", VKMM_FIELD_WORD, VKMM_AT(vkmm_way, types.out), .words = &vkmm_type_words},
    {"compute", VKMM_FIELD_WORD, VKMM_AT(vkmm_way, types.compute), .words = &vkmm_type_words},
    {"by", VKMM_FIELD_STRING, VKMM_AT(vkmm_way, by)},
    {"kernel", VKMM_FIELD_TEXT, VKMM_AT(vkmm_way, kernel.name), .known = has_way},
};
static const vkmm_record way_record = {"way", VKMM_FIELDS(way_fields), VKMM_RECORD_OF(vkmm_way)};

static json_t *put_out_type(const void *record)
{
    return json_string(vkmm_type_of(vkmm_problem_types(&((const vkmm_choice *)record)->problem).out)->name);
}

static json_t *put_compute(const void *record)
{
    return json_string(vkmm_type_of(vkmm_problem_types(&((const vkmm_choice *)record)->problem).compute)->name);
}

#define CHOICE(member) VKMM_AT(vkmm_choice, member)

static const vkmm_field choice_fields[] = {
    {"type", VKMM_FIELD_WORD, CHOICE(problem.type), .words = &vkmm_type_words},
    {"out_type", VKMM_FIELD_CUSTOM, .put = put_out_type},
    {"compute", VKMM_FIELD_CUSTOM, .put = put_compute},
    {"m", VKMM_FIELD_U64, CHOICE(problem.m)},
    {"n", VKMM_FIELD_U64, CHOICE(problem.n)},
    {"k", VKMM_FIELD_U64, CHOICE(problem.k)},
    {"kernel", VKMM_FIELD_RECORD, CHOICE(kernel), .record = &vkmm_kernel_record},
    {"reason", VKMM_FIELD_TEXT, CHOICE(reason), VKMM_MAYBE},
};
static const vkmm_record choice_record = {"choice", VKMM_FIELDS(choice_fields), VKMM_RECORD_OF(vkmm_choice)};

#define LIST(member, counter) VKMM_LIST(vkmm_device_row, member, counter), VKMM_HERE

static const vkmm_field row_fields[] = {
    {"default", VKMM_FIELD_TRUTH, VKMM_AT(vkmm_device_row, chosen)},
    {"types", VKMM_FIELD_STRING, LIST(types, type_count)},
    {"arithmetic", VKMM_FIELD_RECORD, VKMM_ARRAY(vkmm_device_row, ways, VKMM_TYPES_COUNT), .record = &way_record},
    {"kernels", VKMM_FIELD_RECORD, LIST(kernels, kernel_count), .record = &kernel_record},
    {"missing", VKMM_FIELD_RECORD, LIST(lacks, lack_count), .record = &lack_record},
    {"best", VKMM_FIELD_RECORD, LIST(choices, choice_count), .record = &choice_record},
    {"matrix_shapes", VKMM_FIELD_RECORD, LIST(shapes, shape_count), .record = &vkmm_shape_record},
    {"no_matrix_shapes", VKMM_FIELD_STRING, VKMM_AT(vkmm_device_row, no_shapes), VKMM_MAYBE},
};
static const vkmm_record row_record = {"device", VKMM_FIELDS(row_fields), VKMM_RECORD_OF(vkmm_device_row)};

static json_t *device_json(const vkmm_device_row *row)
{
    const vkmm_bench_device device = {.info = *row->info};
    json_t *object = vkmm_record_json(&vkmm_identity_record, &device);
    json_t *hardware = vkmm_record_json(&vkmm_hardware_record, &device), *rest = vkmm_record_json(&row_record, row);
    int bad = json_object_update(object, hardware) != 0;

    bad += json_object_update(object, rest) != 0;
    json_decref(hardware);
    json_decref(rest);
    return vkmm_json_done(object, bad);
}

/* A driver that is here, where no loader looks. */
static json_t *unloaded(const vkmm_report *report)
{
    if (report->unloaded == NULL) return json_array();
    return json_pack("[{s:s, s:o}]", "name", "SwiftShader", "manifest", vkmm_json_text(report->unloaded));
}

vkmm_status vkmm_json_devices(vkmm_report *report, const vkmm_device_row *devices, uint32_t count)
{
    json_t *object = json_object(), *array = json_array();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.devices/1"));

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    for (uint32_t i = 0; i < count; i++) bad += json_array_append_new(array, device_json(&devices[i])) != 0;
    bad += vkmm_json_put(object, "devices", array);
    bad += vkmm_json_put(object, "unloaded", unloaded(report));
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
