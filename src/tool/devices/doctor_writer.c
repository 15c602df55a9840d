/* The doctor's findings for people. */
#include "devices/findings.h"

#include "report/columns.h"
#include "report/wrap.h"

#include <string.h>

static const char *const grades[] = {"ok", "note", "warning", "problem"};

const char *vkmm_grade_name(vkmm_grade grade)
{
    return grades[grade];
}

static int is_listed(const char *const *advice, uint32_t count, const char *text)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(advice[i], text) == 0) return 1;
    return 0;
}

uint32_t vkmm_doctor_advice(const vkmm_doctor *doctor, const char **advice, uint32_t room)
{
    uint32_t count = 0;

    for (int grade = VKMM_GRADE_PROBLEM; grade >= VKMM_GRADE_OK; grade--) {
        for (uint32_t i = 0; i < doctor->finding_count && count < room; i++) {
            const vkmm_finding *finding = &doctor->findings[i];
            if ((int)finding->grade != grade || finding->advice[0] == '\0' || is_listed(advice, count, finding->advice))
                continue;
            advice[count++] = finding->advice;
        }
    }
    return count;
}

static vkmm_paint paint_of(vkmm_grade grade)
{
    return grade == VKMM_GRADE_OK        ? VKMM_GOOD
           : grade == VKMM_GRADE_NOTE    ? VKMM_DIM
           : grade == VKMM_GRADE_WARNING ? VKMM_STRONG
                                         : VKMM_BAD;
}

static void show_heading(const vkmm_report *report, const vkmm_finding *finding, const vkmm_device_info *info)
{
    char name[300];

    if (finding->device == VKMM_OF_SYSTEM) {
        fprintf(report->out, "%sSystem%s\n", vkmm_paint_on(report, VKMM_STRONG), vkmm_paint_off(report, VKMM_STRONG));
        return;
    }
    vkmm_text_clean(name, sizeof name, info != NULL ? info->name : "");
    fprintf(report->out, "\n%sDevice %u  %s%s\n", vkmm_paint_on(report, VKMM_STRONG), finding->device, name,
            vkmm_paint_off(report, VKMM_STRONG));
}

void vkmm_doctor_show(const vkmm_report *report, const vkmm_finding *finding, const vkmm_device_info *info,
                      uint32_t *heading)
{
    char sentence[2 * sizeof finding->sentence], check[4 * sizeof finding->check];
    vkmm_paint paint = paint_of(finding->grade);

    if (*heading != finding->device) show_heading(report, finding, info);
    *heading = finding->device;
    vkmm_text_clean(sentence, sizeof sentence, finding->sentence);
    vkmm_text_clean(check, sizeof check, finding->check);
    fprintf(report->out, "  %s%-8s%s %-12s ", vkmm_paint_on(report, paint), grades[finding->grade],
            vkmm_paint_off(report, paint), check);
    vkmm_wrap(report, 24, sentence);
}

void vkmm_doctor_show_advice(const vkmm_report *report, const vkmm_doctor *doctor)
{
    const char *advice[VKMM_MOST_ADVICE];
    char text[800];
    uint32_t count = vkmm_doctor_advice(doctor, advice, VKMM_MOST_ADVICE);

    fprintf(report->out, "\n%sAdvice%s\n", vkmm_paint_on(report, VKMM_STRONG), vkmm_paint_off(report, VKMM_STRONG));
    if (count == 0) fputs("  nothing to advise\n", report->out);
    for (uint32_t i = 0; i < count; i++) {
        vkmm_text_clean(text, sizeof text, advice[i]);
        fprintf(report->out, "  %2u. ", i + 1);
        vkmm_wrap(report, 6, text);
    }
}
