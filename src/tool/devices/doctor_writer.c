/* The doctor's findings, for people and as JSON. */
#include "devices/doctor.h"

#include "report/columns.h"
#include "report/json.h"
#include "report/records.h"
#include "report/text.h"

static const char *grade_word(uint32_t grade)
{
    static const char *const words[] = {"ok", "note", "warning", "problem"};
    return words[grade];
}

void cli_doctor_show(cli_exam *exam, const cli_finding *finding)
{
    static const cli_paint paints[] = {CLI_GOOD, CLI_DIM, CLI_STRONG, CLI_BAD};
    const cli_report *report = &exam->session->report;
    const char *on = cli_paint_on(report, CLI_STRONG), *off = cli_paint_off(report, CLI_STRONG);
    const cli_paint paint = paints[finding->grade];
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
    fprintf(report->out, "  %s%-8s%s %-12s ", cli_paint_on(report, paint), grade_word(finding->grade),
            cli_paint_off(report, paint), check);
    cli_wrap(report, 24, sentence);
    fflush(report->out);
}

void cli_doctor_show_advice(cli_exam *exam)
{
    const cli_report *report = &exam->session->report;
    char text[800];
    fprintf(report->out, "\n%sAdvice%s\n", cli_paint_on(report, CLI_STRONG), cli_paint_off(report, CLI_STRONG));
    if (exam->advice_count == 0) fputs("  no advice\n", report->out);
    for (uint32_t i = 0; i < exam->advice_count; i++) {
        VKMM_CLEAN(text, exam->advice[i]);
        fprintf(report->out, "  %2u. ", i + 1);
        cli_wrap(report, 6, text);
    }
}

/* ---- vkmatmul.doctor/1: one object per run ---- */

CLI_KNOWN(is_of_device, cli_finding, device != CLI_OF_SYSTEM)

static const cli_field_words grade_words = {grade_word, CLI_PROBLEM + 1, NULL};

#define FINDING_KEY(kind, member) CLI_KEY(kind, cli_finding, member)

static const cli_field finding_fields[] = {
    {FINDING_KEY(TEXT, check), .flags = CLI_NEEDED},
    {"verdict", CLI_FIELD_WORD, CLI_AT(cli_finding, grade), .flags = CLI_NEEDED, .words = &grade_words},
    {FINDING_KEY(U32, device), .known = is_of_device},
    {FINDING_KEY(TEXT, sentence), .flags = CLI_NEEDED},
    {FINDING_KEY(TEXT, advice), .flags = CLI_MAYBE},
};
const vkmm_record cli_finding_record = {"finding", CLI_FIELDS(finding_fields)};

static const char *kind_word(uint32_t kind)
{
    static const char *const words[] = {[CLI_MANIFEST_DRIVER] = "driver",
                                        [CLI_MANIFEST_IMPLICIT_LAYER] = "implicit layer",
                                        [CLI_MANIFEST_EXPLICIT_LAYER] = "explicit layer"};
    return words[kind];
}

static const cli_field_words kind_words = {kind_word, CLI_MANIFEST_EXPLICIT_LAYER + 1, NULL};

#define MANIFEST_KEY(kind, member) CLI_KEY(kind, cli_manifest, member)

static const cli_field file_fields[] = {
    {MANIFEST_KEY(WORD, kind), .words = &kind_words},
    {MANIFEST_KEY(TEXT, path)},
    {MANIFEST_KEY(TEXT, name)},
    {MANIFEST_KEY(TEXT, library), .flags = CLI_MAYBE},
    {MANIFEST_KEY(TRUTH, active)},
    {MANIFEST_KEY(TEXT, broken), .flags = CLI_MAYBE},
};
static const vkmm_record file_record = {"manifest", CLI_FIELDS(file_fields)};

static json_t *put_tool(const void *record)
{
    return cli_record_json(&cli_tool_record, &((const cli_exam *)record)->session->report);
}

static json_t *put_loader(const void *record)
{
    const uint32_t version = vkmm_loader_version();
    (void)record;
    return version != 0 ? json_string(CLI_API_VERSION(version)) : json_null();
}

static json_t *put_devices(const void *record)
{
    const cli_exam *exam = record;
    json_t *array = json_array();
    int bad = 0;
    for (uint32_t i = exam->first; i < exam->end; i++) {
        json_t *device = cli_json_device(vkmm_instance_device_info(exam->session->instance, i), NULL);
        cli_grade worst = CLI_OK;
        for (uint32_t f = 0; f < exam->finding_count; f++)
            if (exam->findings[f].device == i && exam->findings[f].grade > worst) worst = exam->findings[f].grade;
        bad += cli_json_put(device, "default", json_boolean(i == exam->chosen));
        bad += cli_json_put(device, "verdict", json_string(grade_word(worst)));
        bad += cli_json_add(array, device);
    }
    return cli_json_done(array, bad);
}

static const cli_field exam_fields[] = {
    {"tool", CLI_FIELD_CUSTOM, .put = put_tool},
    {"loader", CLI_FIELD_CUSTOM, .put = put_loader},
    {"checks", CLI_FIELD_RECORD, CLI_LIST(cli_exam, findings, finding_count), .record = &cli_finding_record},
    {"devices", CLI_FIELD_CUSTOM, .put = put_devices},
    {"manifests", CLI_FIELD_RECORD, CLI_LIST(cli_exam, manifests, manifest_count), .record = &file_record},
    {"advice", CLI_FIELD_STRING, CLI_LIST(cli_exam, advice, advice_count), CLI_HERE},
};
static const vkmm_record exam_record = {NULL, CLI_FIELDS(exam_fields), .schema = "vkmatmul.doctor/1"};

json_t *cli_doctor_json(cli_exam *exam)
{
    return cli_record_json(&exam_record, exam);
}
