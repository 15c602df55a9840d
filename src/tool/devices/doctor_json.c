/* vkmatmul.doctor/1: one object a run. */
#include "devices/findings.h"

#include "report/json.h"

static const char *grade_word(uint32_t grade)
{
    return vkmm_grade_name((vkmm_grade)grade);
}

static int is_of_device(const void *finding)
{
    return ((const vkmm_finding *)finding)->device != VKMM_OF_SYSTEM;
}

static const vkmm_words grade_words = {grade_word, VKMM_GRADE_PROBLEM + 1, NULL};

static const vkmm_field finding_fields[] = {
    {"check", VKMM_FIELD_TEXT, VKMM_AT(vkmm_finding, check), .flags = VKMM_NEEDED},
    {"verdict", VKMM_FIELD_WORD, VKMM_AT(vkmm_finding, grade), .flags = VKMM_NEEDED, .words = &grade_words},
    {"device", VKMM_FIELD_U32, VKMM_AT(vkmm_finding, device), .known = is_of_device},
    {"sentence", VKMM_FIELD_TEXT, VKMM_AT(vkmm_finding, sentence), .flags = VKMM_NEEDED},
    {"advice", VKMM_FIELD_TEXT, VKMM_AT(vkmm_finding, advice), .flags = VKMM_MAYBE},
};
const vkmm_record vkmm_finding_record = {"finding", VKMM_FIELDS(finding_fields), VKMM_RECORD_OF(vkmm_finding)};

static const vkmm_field file_fields[] = {
    {"kind", VKMM_FIELD_STRING, VKMM_AT(vkmm_doctor_file, kind)},
    {"path", VKMM_FIELD_STRING, VKMM_AT(vkmm_doctor_file, path)},
    {"name", VKMM_FIELD_STRING, VKMM_AT(vkmm_doctor_file, name)},
    {"library", VKMM_FIELD_STRING, VKMM_AT(vkmm_doctor_file, library), .flags = VKMM_MAYBE},
    {"active", VKMM_FIELD_TRUTH, VKMM_AT(vkmm_doctor_file, active)},
    {"broken", VKMM_FIELD_STRING, VKMM_AT(vkmm_doctor_file, broken), .flags = VKMM_MAYBE},
};
static const vkmm_record file_record = {"manifest", VKMM_FIELDS(file_fields), VKMM_RECORD_OF(vkmm_doctor_file)};

static vkmm_grade worst_of(const vkmm_doctor *doctor, uint32_t device)
{
    vkmm_grade worst = VKMM_GRADE_OK;

    for (uint32_t i = 0; i < doctor->finding_count; i++)
        if (doctor->findings[i].device == device && doctor->findings[i].grade > worst)
            worst = doctor->findings[i].grade;
    return worst;
}

static json_t *devices(const vkmm_doctor *doctor)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = 0; i < doctor->device_count; i++) {
        const vkmm_device_info *info = doctor->devices[i];
        json_t *device = vkmm_json_device(info, NULL);
        bad += vkmm_json_put(device, "default", json_boolean(info->index == doctor->chosen));
        bad += vkmm_json_put(device, "verdict", json_string(vkmm_grade_name(worst_of(doctor, info->index))));
        bad += json_array_append_new(array, device) != 0;
    }
    return vkmm_json_done(array, bad);
}

vkmm_status vkmm_doctor_json(const vkmm_report *report, const vkmm_doctor *doctor)
{
    json_t *object = json_object(), *checks = json_array(), *files = json_array();
    const char *advice[VKMM_MOST_ADVICE];
    uint32_t count = vkmm_doctor_advice(doctor, advice, VKMM_MOST_ADVICE);
    char version[32] = "";
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.doctor/1"));

    if (doctor->loader_version != 0) vkmm_text_version(version, sizeof version, doctor->loader_version);
    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "loader", vkmm_json_text(doctor->loader_version != 0 ? version : NULL));
    for (uint32_t i = 0; i < doctor->finding_count; i++)
        bad += json_array_append_new(checks, vkmm_record_json(&vkmm_finding_record, &doctor->findings[i])) != 0;
    for (uint32_t i = 0; i < doctor->file_count; i++)
        bad += json_array_append_new(files, vkmm_record_json(&file_record, &doctor->files[i])) != 0;
    bad += vkmm_json_put(object, "checks", checks);
    bad += vkmm_json_put(object, "devices", devices(doctor));
    bad += vkmm_json_put(object, "manifests", files);
    bad += vkmm_json_put(object, "advice", vkmm_json_texts(advice, count));
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
