/* vkmatmul.doctor/1: one object a run. */
#include "devices/findings.h"

#include "report/json.h"

static json_t *check(const vkmm_finding *finding)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "check", vkmm_json_text(finding->check));

    bad += vkmm_json_put(object, "verdict", json_string(vkmm_grade_name(finding->grade)));
    bad += vkmm_json_put(object, "device",
                         finding->device == VKMM_OF_SYSTEM ? json_null() : json_integer(finding->device));
    bad += vkmm_json_put(object, "sentence", vkmm_json_text(finding->sentence));
    bad += vkmm_json_put(object, "advice", vkmm_json_text(finding->advice[0] != '\0' ? finding->advice : NULL));
    return vkmm_json_done(object, bad);
}

static json_t *file(const vkmm_doctor_file *file)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "kind", vkmm_json_text(file->kind));

    bad += vkmm_json_put(object, "path", vkmm_json_text(file->path));
    bad += vkmm_json_put(object, "name", vkmm_json_text(file->name));
    bad += vkmm_json_put(object, "library", vkmm_json_text(file->library[0] != '\0' ? file->library : NULL));
    bad += vkmm_json_put(object, "active", json_boolean(file->active));
    bad += vkmm_json_put(object, "broken", vkmm_json_text(file->broken[0] != '\0' ? file->broken : NULL));
    return vkmm_json_done(object, bad);
}

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
        bad += json_array_append_new(checks, check(&doctor->findings[i])) != 0;
    for (uint32_t i = 0; i < doctor->file_count; i++) bad += json_array_append_new(files, file(&doctor->files[i])) != 0;
    bad += vkmm_json_put(object, "checks", checks);
    bad += vkmm_json_put(object, "devices", devices(doctor));
    bad += vkmm_json_put(object, "manifests", files);
    bad += vkmm_json_put(object, "advice", vkmm_json_texts(advice, count));
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
