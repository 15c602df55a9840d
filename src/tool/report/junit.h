/* JUnit XML, as CI servers read it: suites of test cases, each case a row. */
#ifndef CLI_REPORT_JUNIT_H
#define CLI_REPORT_JUNIT_H

#include <stdio.h>

#include "report/document.h"

typedef struct cli_junit_case {
    const cli_bench_row *row;          /* a wrong one is a failure */
    char failure[CLI_BENCH_TEXT + 64]; /* why it fails although it is right; "": it does not */
} cli_junit_case;

/* Writes the suite of one device of a report. A device that could not finish is an error, in a case of its own. */
void cli_junit_suite(FILE *out, const cli_bench *bench, const cli_bench_device *device, const char *label,
                     const cli_junit_case *cases, uint32_t count);

#endif
