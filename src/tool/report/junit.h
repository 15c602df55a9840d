/* JUnit XML, as CI servers read it: suites of test cases, each case a row. */
#pragma once

#include <stdio.h>

#include "report/result.h"

typedef struct cli_junit_case {
    const cli_bench_row *row;          /* a wrong one is a failure */
    char failure[CLI_BENCH_TEXT + 64]; /* why it fails although it is right; "": it does not */
} cli_junit_case;

/* The beginning of a document, which "</testsuites>" ends, and of a suite without counts. */
void cli_junit_begin(FILE *out, const char *command);
void cli_junit_begin_suite(FILE *out, const char *name);

/* A case that is no row. kind: NULL if it passed, or "failure", "error", "skipped"; why. */
void cli_junit_plain(FILE *out, const char *suite, const char *name, const char *kind, const char *why);

/* Writes the suite of one device of a report. A device that could not finish is an error, in a case of its own. */
void cli_junit_suite(FILE *out, const cli_bench *bench, const cli_bench_device *device, const char *label,
                     const cli_junit_case *cases, uint32_t count);
