#include "report/junit.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
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
static const char *why_skipped(const cli_bench_row *row)
{
    if (row->not_run[0] != '\0') return row->not_run;
    return row->passed || cli_bench_is_wrong(row) ? NULL : "not verified";
}

/* Seconds of one product's kernel. */
static double seconds_of(const cli_bench_row *row)
{
    return isfinite(row->figures.median_ms) ? row->figures.median_ms / 1000 : 0;
}

static int is_failure(const cli_junit_case *one)
{
    return one->failure[0] != '\0' || cli_bench_is_wrong(one->row);
}

static void put_case(FILE *out, const cli_junit_case *one, const char *device)
{
    const cli_bench_row *row = one->row;
    char difference[CLI_TEXT_DIFFERENCE], name[800], xml[XML_TEXT], of[XML_TEXT];
    cli_text_difference(difference, sizeof difference, &row->problem);
    VKMM_PUT(name, "%s %s %s%s%s%s", CLI_NAME(&row->problem, 1), cli_text_type(&row->problem, 1),
             row->asked[0] != '\0' ? row->asked : row->kernel.name, difference[0] != '\0' ? ", " : "", difference,
             row->rotating_bytes > 0 ? ", cold caches" : "");
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
    if (cli_bench_is_wrong(row))
        fprintf(out, "      <failure type=\"wrong\" message=\"%s\"/>\n", xml_of(xml, row->sentence));
    else if (one->failure[0] != '\0')
        fprintf(out, "      <failure type=\"slower\" message=\"%s\"/>\n", xml_of(xml, one->failure));
    else if (why_skipped(row) != NULL)
        fprintf(out, "      <skipped message=\"%s\"/>\n", xml_of(xml, why_skipped(row)));
    fputs("    </testcase>\n", out);
}

static void put_properties(FILE *out, const cli_bench *bench, const cli_bench_device *device)
{
    fputs("    <properties>\n", out);
    put_property(out, "driver", device->info.driver.name);
    put_property(out, "driver_info", device->info.driver.info);
    put_property(out, "version", bench->version);
    put_property(out, "shader_hash", bench->shader_hash);
    put_property(out, "suite", bench->settings.suite);
    put_property(out, "command", bench->command != NULL ? bench->command : "");
    put_property(out, "host", bench->host);
    put_property(out, "os", bench->os);
    put_property(out, "unfinished", bench->complete ? "" : bench->note[0] != '\0' ? bench->note : "true");
    fputs("    </properties>\n", out);
}

void cli_junit_suite(FILE *out, const cli_bench *bench, const cli_bench_device *device, const char *label,
                     const cli_junit_case *cases, uint32_t count)
{
    uint32_t failures = 0, skipped = 0, errors = device->failed[0] != '\0';
    double seconds = 0;
    char xml[XML_TEXT];
    for (uint32_t i = 0; i < count; i++) {
        failures += (uint32_t)is_failure(&cases[i]);
        skipped += why_skipped(cases[i].row) != NULL;
        seconds += seconds_of(cases[i].row);
    }
    fprintf(out, "  <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.9f\"",
            xml_of(xml, label), count + errors, failures, errors, skipped, seconds);
    if (bench->created[0] != '\0') fprintf(out, " timestamp=\"%s\"", xml_of(xml, bench->created));
    fputs(">\n", out);
    put_properties(out, bench, device);
    for (uint32_t i = 0; i < count; i++) put_case(out, &cases[i], label);
    if (errors) cli_junit_plain(out, label, "the device finished", "error", device->failed);
    fputs("  </testsuite>\n", out);
}

void cli_junit_begin(FILE *out, const char *command)
{
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"%s\">\n", command);
}

void cli_junit_begin_suite(FILE *out, const char *name)
{
    char xml[XML_TEXT];
    fprintf(out, "  <testsuite name=\"%s\">\n", xml_of(xml, name));
}

void cli_junit_plain(FILE *out, const char *suite, const char *name, const char *kind, const char *why)
{
    char xml[XML_TEXT], of[XML_TEXT];
    fprintf(out, "    <testcase name=\"%s\" classname=\"%s\"%s>\n", xml_of(xml, name), xml_of(of, suite),
            kind == NULL ? "/" : "");
    if (kind != NULL)
        fprintf(out, "      <%s type=\"failed\" message=\"%s\"/>\n    </testcase>\n", kind, xml_of(xml, why));
}

/* Everything is written at the end, because a suite begins with its counts. */
static vkmm_status end(cli_report *report, const cli_bench *bench)
{
    cli_junit_case *cases = vkmm_alloc((size_t)bench->row_count + 1, sizeof *cases);
    if (cases == NULL) return VKMM_OUT_OF_MEMORY;
    cli_junit_begin(report->out, "vkmatmul bench");
    for (uint32_t d = 0; d < bench->device_count; d++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < bench->row_count; i++)
            if (bench->rows[i].device == d) cases[count++].row = &bench->rows[i];
        cli_junit_suite(report->out, bench, &bench->devices[d], bench->devices[d].label, cases, count);
    }
    fputs("</testsuites>\n", report->out);
    vkmm_free(cases);
    return VKMM_OK;
}

/* A row of run is written as soon as it is known, in a suite without counts. */
static vkmm_status run(cli_report *report, const cli_bench_row *row)
{
    if (report->rows == 0) {
        cli_junit_begin(report->out, "vkmatmul");
        cli_junit_begin_suite(report->out, report->command);
    }
    put_case(report->out, &(cli_junit_case){.row = row}, row->on != NULL ? row->on->name : row->host);
    return VKMM_OK;
}

static vkmm_status run_end(cli_report *report)
{
    if (report->rows > 0)
        fputs("  </testsuite>\n", report->out);
    else
        cli_junit_begin(report->out, "vkmatmul");
    fputs("</testsuites>\n", report->out);
    return VKMM_OK;
}

const cli_writer cli_junit_writer = {"junit",
                                     ".xml",
                                     .end = end,
                                     .run = run,
                                     .run_end = run_end,
                                     .compare = cli_compare_junit,
                                     .document = cli_junit_document};
