/* JUnit XML, as CI servers read it: a suite per device, a case per row. */
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "report/text.h"

enum { CLEAN_TEXT = 2048, XML_TEXT = 6 * CLEAN_TEXT };

/* The text as an attribute's value, in `xml`. vkmm_clean has replaced control characters by texts that name
 * them. */
static const char *xml_of(char xml[XML_TEXT], const char *text)
{
    static const struct {
        const char *of, *is;
    } entities[] = {{"&", "&amp;"},       {"<", "&lt;"},       {">", "&gt;"}, {"\"", "&quot;"},
                    {"\xef\xbf\xbe", ""}, {"\xef\xbf\xbf", ""}}; /* the last two: UTF-8, and no characters of XML */
    char clean[CLEAN_TEXT], *end = xml;

    VKMM_CLEAN(clean, text);
    for (const char *c = clean; *c != '\0';) {
        size_t i = 0;
        while (i < VKMM_COUNT(entities) && strncmp(c, entities[i].of, strlen(entities[i].of)) != 0) i++;
        if (i < VKMM_COUNT(entities)) {
            end += sprintf(end, "%s", entities[i].is);
            c += strlen(entities[i].of);
        } else {
            *end++ = *c++;
        }
    }
    *end = '\0';
    return xml;
}

static void put_property(FILE *out, const char *name, const char *value)
{
    char xml[XML_TEXT];

    if (value[0] != '\0') fprintf(out, "      <property name=\"%s\" value=\"%s\"/>\n", name, xml_of(xml, value));
}

static void put_figure(FILE *out, const char *name, double value)
{
    if (isfinite(value)) fprintf(out, "      <property name=\"%s\" value=\"%.10g\"/>\n", name, value);
}

/* A row that did not run is skipped, and so is one that was not verified. */
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

static void put_case(FILE *out, const vkmm_bench_row *row, const char *device)
{
    char difference[VKMM_TEXT_DIFFERENCE], name[800], xml[XML_TEXT], of[XML_TEXT];

    vkmm_text_difference(difference, sizeof difference, &row->problem);
    VKMM_PUT(name, "%s %s %s%s%s%s", VKMM_NAME(&row->problem, 1), vkmm_text_type(&row->problem, 1), row->asked,
             difference[0] != '\0' ? ", " : "", difference, row->rotating_bytes > 0 ? ", cold caches" : "");
    fprintf(out, "    <testcase name=\"%s\" classname=\"%s\" time=\"%.9f\">\n      <properties>\n", xml_of(xml, name),
            xml_of(of, device), seconds_of(row));
    put_property(out, "group", row->group);
    put_property(out, "kernel", row->kernel.name);
    put_property(out, "config", row->kernel.config);
    put_figure(out, "kernel_ms", row->figures.median_ms);
    put_figure(out, "noise", row->figures.noise);
    put_figure(out, "gflops", row->figures.gflops);
    put_property(out, "throttled", row->figures.throttled ? "true" : "");
    fputs("      </properties>\n", out);
    if (vkmm_bench_is_wrong(row))
        fprintf(out, "      <failure type=\"wrong\" message=\"%s\"/>\n", xml_of(xml, row->sentence));
    else if (why_skipped(row) != NULL)
        fprintf(out, "      <skipped message=\"%s\"/>\n", xml_of(xml, why_skipped(row)));
    fputs("    </testcase>\n", out);
}

static void put_properties(FILE *out, const vkmm_bench *bench, const vkmm_bench_device *device)
{
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

/* A device that could not finish is an error of its suite, in a separate case. */
static void put_suite(FILE *out, const vkmm_bench *bench, uint32_t index)
{
    const vkmm_bench_device *device = &bench->devices[index];
    uint32_t tests = 0, failures = 0, skipped = 0, errors = device->failed[0] != '\0';
    double seconds = 0;
    char label[XML_TEXT], xml[XML_TEXT];

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (row->device != index) continue;
        tests++;
        failures += (uint32_t)vkmm_bench_is_wrong(row);
        skipped += why_skipped(row) != NULL;
        seconds += seconds_of(row);
    }
    fprintf(out, "  <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.9f\"",
            xml_of(label, device->label), tests + errors, failures, errors, skipped, seconds);
    if (bench->created[0] != '\0') fprintf(out, " timestamp=\"%s\"", xml_of(xml, bench->created));
    fputs(">\n", out);
    put_properties(out, bench, device);
    for (uint32_t i = 0; i < bench->row_count; i++)
        if (bench->rows[i].device == index) put_case(out, &bench->rows[i], device->label);
    if (errors)
        fprintf(out,
                "    <testcase name=\"the device finished\" classname=\"%s\">\n      <error type=\"failed\" "
                "message=\"%s\"/>\n    </testcase>\n",
                label, xml_of(xml, device->failed));
    fputs("  </testsuite>\n", out);
}

/* Everything is written at the end, because a suite begins with its counts. */
static vkmm_status end(vkmm_report *report, const vkmm_bench *bench)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vkmatmul bench\">\n", report->out);
    for (uint32_t i = 0; i < bench->device_count; i++) put_suite(report->out, bench, i);
    fputs("</testsuites>\n", report->out);
    return VKMM_OK;
}

const vkmm_writer vkmm_junit_writer = {"junit", ".xml", .end = end};
