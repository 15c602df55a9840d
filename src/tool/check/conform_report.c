/* The results of a check, for people and as JSON. */
#include "check/conform.h"

#include "report/columns.h"
#include "report/wrap.h"

static const cli_field failure_fields[] = {
    {"case", CLI_FIELD_TEXT, CLI_AT(cli_failure, name)},
    {"sentence", CLI_FIELD_TEXT, CLI_AT(cli_failure, why)},
    {"rerun", CLI_FIELD_TEXT, CLI_AT(cli_failure, again), .flags = CLI_MAYBE},
    {"shader", CLI_FIELD_TEXT, CLI_AT(cli_failure, file), .flags = CLI_MAYBE},
};
static const vkmm_record failure_record = {NULL, CLI_FIELDS(failure_fields)};

static const cli_field part_fields[] = {
    {"part", CLI_FIELD_STRING, CLI_AT(cli_part_result, name)},
    {CLI_KEY(U32, cli_part_result, run)},
    {CLI_KEY(U32, cli_part_result, passed)},
    {CLI_KEY(TEXT, cli_part_result, incomplete), .flags = CLI_MAYBE},
    {"failures", CLI_FIELD_RECORD, CLI_LIST(cli_part_result, failures, failure_count), CLI_HERE,
     .record = &failure_record},
};
static const vkmm_record part_record = {NULL, CLI_FIELDS(part_fields)};

static const cli_field fields[] = {
    {CLI_KEY(TRUTH, cli_conformance, passed)},
    {"parts", CLI_FIELD_RECORD, CLI_LIST(cli_conformance, parts, part_count), CLI_HERE, .record = &part_record},
};
const vkmm_record cli_conformance_record = {NULL, CLI_FIELDS(fields)};

static void show_line(const cli_report *report, int indent, const char *text)
{
    char clean[4 * CLI_CASE_TEXT];

    VKMM_CLEAN(clean, text);
    fprintf(report->out, "%*s", indent, "");
    cli_wrap(report, indent, clean);
}

static void show_failure(const cli_report *report, const cli_failure *failure)
{
    char text[CLI_CASE_NAME + CLI_CASE_TEXT + 8];

    VKMM_PUT(text, "%s: %s", failure->name, failure->why);
    show_line(report, 4, text);
    if (failure->again[0] != '\0') show_line(report, 6, failure->again);
    if (failure->file[0] != '\0') show_line(report, 6, failure->file);
}

void cli_conform_show(const cli_report *report, const cli_conformance *result)
{
    for (uint32_t i = 0; i < result->part_count; i++) {
        const cli_part_result *part = &result->parts[i];
        const int bad = part->passed < part->run;
        fprintf(report->out, "  %s%-7s%s %-10s %u of %u right",
                CLI_PAINTED(report, bad ? CLI_BAD : CLI_GOOD, bad ? "wrong" : "ok"), part->name, part->passed,
                part->run);
        fprintf(report->out, "%s%s\n", part->incomplete[0] != '\0' ? "; incomplete: " : "", part->incomplete);
        for (uint32_t f = 0; f < part->failure_count; f++) show_failure(report, &part->failures[f]);
    }
}
