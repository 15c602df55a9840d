/* The doctor's findings, for people and as JSON. */
#include "devices/doctor.h"

#include "report/columns.h"
#include "report/json.h"
#include "report/text.h"
#include "report/wrap.h"

static const char *grade_word(uint32_t grade)
{
    static const char *const words[] = {"ok", "note", "warning", "problem"};

    return words[grade];
}

void cli_doctor_show(cli_exam *exam, const cli_finding *finding)
{
    static const vkmm_paint paints[] = {VKMM_GOOD, VKMM_DIM, VKMM_STRONG, VKMM_BAD};
    const vkmm_report *report = &exam->session->report;
    const char *on = vkmm_paint_on(report, VKMM_STRONG), *off = vkmm_paint_off(report, VKMM_STRONG);
    const vkmm_paint paint = paints[finding->grade];
    char sentence[2 * sizeof finding->sentence], check[4 * sizeof finding->check], name[300];

    cli_progress_end(&exam->session->console);
    if (exam->heading != finding->device && finding->device == CLI_OF_SYSTEM) {
        fprintf(report->out, "%sSystem%s\n", on, off);
    } else if (exam->heading != finding->device) {
        VKMM_CLEAN(name, vkmm_instance_device_info(exam->session->instance, finding->device)->name);
        fprintf(report->out, "\n%sDevice %u  %s%s\n", on, finding->device, name, off);
    }
    exam->heading = finding->device;
    VKMM_CLEAN(sentence, finding->sentence);
    VKMM_CLEAN(check, finding->check);
    fprintf(report->out, "  %s%-8s%s %-12s ", vkmm_paint_on(report, paint), grade_word(finding->grade),
            vkmm_paint_off(report, paint), check);
    vkmm_wrap(report, 24, sentence);
    fflush(report->out);
}

void cli_doctor_show_advice(cli_exam *exam)
{
    const vkmm_report *report = &exam->session->report;
    char text[800];

    fprintf(report->out, "\n%sAdvice%s\n", vkmm_paint_on(report, VKMM_STRONG), vkmm_paint_off(report, VKMM_STRONG));
    if (exam->advice_count == 0) fputs("  no advice\n", report->out);
    for (uint32_t i = 0; i < exam->advice_count; i++) {
        VKMM_CLEAN(text, exam->advice[i]);
        fprintf(report->out, "  %2u. ", i + 1);
        vkmm_wrap(report, 6, text);
    }
}

/* ---- vkmatmul.doctor/1: one object per run ---- */

VKMM_KNOWN(is_of_device, cli_finding, device != CLI_OF_SYSTEM)

static const vkmm_words grade_words = {grade_word, CLI_PROBLEM + 1, NULL};

#define FINDING_KEY(kind, member) VKMM_KEY(kind, cli_finding, member)

static const vkmm_field finding_fields[] = {
    {FINDING_KEY(TEXT, check), .flags = VKMM_NEEDED},
    {"verdict", VKMM_FIELD_WORD, VKMM_AT(cli_finding, grade), .flags = VKMM_NEEDED, .words = &grade_words},
    {FINDING_KEY(U32, device), .known = is_of_device},
    {FINDING_KEY(TEXT, sentence), .flags = VKMM_NEEDED},
    {FINDING_KEY(TEXT, advice), .flags = VKMM_MAYBE},
};
const vkmm_record cli_finding_record = {"finding", VKMM_FIELDS(finding_fields)};

static const char *kind_word(uint32_t kind)
{
    static const char *const words[] = {[VKMM_MANIFEST_DRIVER] = "driver",
                                        [VKMM_MANIFEST_IMPLICIT_LAYER] = "implicit layer",
                                        [VKMM_MANIFEST_EXPLICIT_LAYER] = "explicit layer"};

    return words[kind];
}

static const vkmm_words kind_words = {kind_word, VKMM_MANIFEST_EXPLICIT_LAYER + 1, NULL};

#define MANIFEST_KEY(kind, member) VKMM_KEY(kind, vkmm_manifest, member)

static const vkmm_field file_fields[] = {
    {MANIFEST_KEY(WORD, kind), .words = &kind_words},
    {MANIFEST_KEY(TEXT, path)},
    {MANIFEST_KEY(TEXT, name)},
    {MANIFEST_KEY(TEXT, library), .flags = VKMM_MAYBE},
    {MANIFEST_KEY(TRUTH, active)},
    {MANIFEST_KEY(TEXT, broken), .flags = VKMM_MAYBE},
};
static const vkmm_record file_record = {"manifest", VKMM_FIELDS(file_fields)};

static json_t *put_tool(const void *record)
{
    return vkmm_json_tool(&((const cli_exam *)record)->session->report);
}

static json_t *put_loader(const void *record)
{
    const uint32_t version = vkmm_loader_version();

    (void)record;
    return version != 0 ? json_string(VKMM_API_VERSION(version)) : json_null();
}

static json_t *put_devices(const void *record)
{
    const cli_exam *exam = record;
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = exam->first; i < exam->end; i++) {
        json_t *device = vkmm_json_device(vkmm_instance_device_info(exam->session->instance, i), NULL);
        cli_grade worst = CLI_OK;
        for (uint32_t f = 0; f < exam->finding_count; f++)
            if (exam->findings[f].device == i && exam->findings[f].grade > worst) worst = exam->findings[f].grade;
        bad += vkmm_json_put(device, "default", json_boolean(i == exam->chosen));
        bad += vkmm_json_put(device, "verdict", json_string(grade_word(worst)));
        bad += vkmm_json_add(array, device);
    }
    return vkmm_json_done(array, bad);
}

static const vkmm_field exam_fields[] = {
    {"tool", VKMM_FIELD_CUSTOM, .put = put_tool},
    {"loader", VKMM_FIELD_CUSTOM, .put = put_loader},
    {"checks", VKMM_FIELD_RECORD, VKMM_LIST(cli_exam, findings, finding_count), .record = &cli_finding_record},
    {"devices", VKMM_FIELD_CUSTOM, .put = put_devices},
    {"manifests", VKMM_FIELD_RECORD, VKMM_LIST(cli_exam, manifests, manifest_count), .record = &file_record},
    {"advice", VKMM_FIELD_STRING, VKMM_LIST(cli_exam, advice, advice_count), VKMM_HERE},
};
static const vkmm_record exam_record = {NULL, VKMM_FIELDS(exam_fields), .schema = "vkmatmul.doctor/1"};

vkmm_status cli_doctor_json(cli_exam *exam)
{
    return vkmm_json_line(&exam->session->report, vkmm_record_json(&exam_record, exam));
}
