/* JUnit XML, as CI servers read it: a suite a device, a case a row. */
#include <math.h>
#include <string.h>

#include "math/type.h"
#include "bench/columns.h"
#include "bench/writers.h"
#include "report/text.h"

/* Text of an element or an attribute. Control characters are gone after vkmm_text_clean, in words that say which
 * they were. */
static void put_text(FILE *out, const char *text)
{
    char clean[2048];

    vkmm_text_clean(clean, sizeof clean, text);
    for (const char *c = clean; *c != '\0'; c++) {
        const char *entity = *c == '&'   ? "&amp;"
                             : *c == '<' ? "&lt;"
                             : *c == '>' ? "&gt;"
                             : *c == '"' ? "&quot;"
                                         : NULL;
        /* U+FFFE and U+FFFF are UTF-8 and yet no characters of XML. */
        if (strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0)
            c += 2;
        else if (entity != NULL)
            fputs(entity, out);
        else
            putc(*c, out);
    }
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    put_text(out, text);
    putc('"', out);
}

static void put_property(FILE *out, const char *name, const char *value)
{
    if (value[0] == '\0') return;
    fputs("      <property", out);
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    fputs("/>\n", out);
}

static void put_figure(FILE *out, const char *name, double value)
{
    char text[32];

    if (!isfinite(value)) return;
    snprintf(text, sizeof text, "%.10g", value);
    put_property(out, name, text);
}

/* A row that did not run is skipped, and so is one that nobody verified: it proves nothing. */
static const char *why_skipped(const vkmm_bench_row *row)
{
    if (row->not_run[0] != '\0') return row->not_run;
    return row->passed || vkmm_bench_is_wrong(row) ? NULL : "not verified";
}

/* Seconds of one product's kernel. */
static double seconds_of(const vkmm_bench_row *row)
{
    return isfinite(row->figures.median_ms) ? row->figures.median_ms / 1000 : 0;
}

static void put_case(const vkmm_report *report, const vkmm_bench_row *row, const char *device)
{
    char problem[VKMM_TEXT_PROBLEM], difference[VKMM_TEXT_DIFFERENCE], name[800], asked[64];
    FILE *out = report->out;

    vkmm_text_problem(problem, sizeof problem, &row->problem, 1);
    vkmm_text_difference(difference, sizeof difference, &row->problem);
    vkmm_text_clean(asked, sizeof asked, row->asked);
    snprintf(name, sizeof name, "%s %s %s%s%s%s", problem, vkmm_text_type(&row->problem, 1), asked,
             difference[0] != '\0' ? ", " : "", difference, row->rotating_bytes > 0 ? ", cold caches" : "");
    fputs("    <testcase", out);
    put_attribute(out, "name", name);
    put_attribute(out, "classname", device);
    fprintf(out, " time=\"%.9f\">\n", seconds_of(row));
    fputs("      <properties>\n", out);
    put_property(out, "group", row->group);
    put_property(out, "kernel", row->kernel.name);
    put_property(out, "config", row->kernel.config);
    put_figure(out, "kernel_ms", row->figures.median_ms);
    put_figure(out, "noise", row->figures.noise);
    put_figure(out, "gflops", row->figures.gflops);
    put_property(out, "throttled", row->figures.throttled ? "true" : "");
    fputs("      </properties>\n", out);
    if (vkmm_bench_is_wrong(row)) {
        fputs("      <failure type=\"wrong\"", out);
        put_attribute(out, "message", row->sentence);
        fputs("/>\n", out);
    } else if (why_skipped(row) != NULL) {
        fputs("      <skipped", out);
        put_attribute(out, "message", why_skipped(row));
        fputs("/>\n", out);
    }
    fputs("    </testcase>\n", out);
}

static void put_properties(const vkmm_report *report, const vkmm_bench *bench, const vkmm_bench_device *device)
{
    FILE *out = report->out;

    fputs("    <properties>\n", out);
    put_property(out, "driver", device->info.driver_name);
    put_property(out, "driver_info", device->info.driver_info);
    put_property(out, "version", bench->version);
    put_property(out, "shader_hash", bench->shader_hash);
    put_property(out, "suite", bench->settings.suite);
    put_property(out, "command", bench->command != NULL ? bench->command : "");
    put_property(out, "host", bench->host);
    put_property(out, "os", bench->os);
    put_property(out, "unfinished", bench->complete ? "" : bench->note[0] != '\0' ? bench->note : "true");
    fputs("    </properties>\n", out);
}

/* A device that could not finish is an error of its suite, in a case of its own. */
static void put_suite(const vkmm_report *report, const vkmm_bench *bench, uint32_t index)
{
    const vkmm_bench_device *device = &bench->devices[index];
    uint32_t tests = 0, failures = 0, skipped = 0, errors = device->failed[0] != '\0';
    double seconds = 0;
    FILE *out = report->out;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (row->device != index) continue;
        tests++;
        failures += (uint32_t)vkmm_bench_is_wrong(row);
        skipped += why_skipped(row) != NULL;
        seconds += seconds_of(row);
    }
    fputs("  <testsuite", out);
    put_attribute(out, "name", device->label);
    fprintf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.9f\"", tests + errors, failures,
            errors, skipped, seconds);
    if (bench->created[0] != '\0') put_attribute(out, "timestamp", bench->created);
    fputs(">\n", out);
    put_properties(report, bench, device);
    for (uint32_t i = 0; i < bench->row_count; i++)
        if (bench->rows[i].device == index) put_case(report, &bench->rows[i], device->label);
    if (errors) {
        fputs("    <testcase name=\"the device finished\"", out);
        put_attribute(out, "classname", device->label);
        fputs(">\n      <error type=\"failed\"", out);
        put_attribute(out, "message", device->failed);
        fputs("/>\n    </testcase>\n", out);
    }
    fputs("  </testsuite>\n", out);
}

/* All at the end: a suite begins with its counts. */
static vkmm_status end(vkmm_report *report, const vkmm_bench *bench)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vkmatmul bench\">\n", report->out);
    for (uint32_t i = 0; i < bench->device_count; i++) put_suite(report, bench, i);
    fputs("</testsuites>\n", report->out);
    return VKMM_OK;
}

const vkmm_bench_writer vkmm_bench_junit = {"junit", ".xml", NULL, NULL, end};
