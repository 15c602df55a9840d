/* JUnit XML, as CI servers read it: suites of test cases, each case a row. */
#ifndef VKMM_REPORT_JUNIT_H
#define VKMM_REPORT_JUNIT_H

#include <stdio.h>

#include "report/document.h"

typedef struct vkmm_junit_case {
    const vkmm_bench_row *row;          /* a wrong one is a failure */
    char failure[VKMM_BENCH_TEXT + 64]; /* why it fails although it is right; "": it does not */
} vkmm_junit_case;

/* Writes the suite of one device of a report. A device that could not finish is an error, in a case of its own. */
void vkmm_junit_suite(FILE *out, const vkmm_bench *bench, const vkmm_bench_device *device, const char *label,
                      const vkmm_junit_case *cases, uint32_t count);

#endif
