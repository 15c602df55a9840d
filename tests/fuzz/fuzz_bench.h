/* What the fuzz target of bench reports does with one: fuzz_bench_judge.c. */
#pragma once

#include <jansson.h>
#include "bench/read.h"
#include "bench/compare.h"

/* The report in a format of report/report.h, to be freed; NULL when memory ends. */
char *fuzz_bench_text(const char *format, const cli_bench *bench);

/* Ends the process when a report that was read breaks what report/result.h promises. */
void fuzz_bench_check(const cli_bench *bench);

/* Reads a file's text; writes what was read in every way there is; ends the process when something is not as it must
 * be. `choice` varies what is done beside that. */
void fuzz_bench_judge(const char *text, size_t bytes, unsigned choice);
