/* What `vkmatmul trace` recorded, as text, as JSON and as a page. */
#pragma once

#include "look/trace.h"
#include "math/matrix.h"
#include "math/problem.h"
#include "report/record.h"
#include "session/session.h"

/* A trace and where its inputs came from. Borrows everything. */
typedef struct cli_trace_row {
    const vkmm_device_info *device;
    const vkmm_trace *trace;
    uint64_t seed;
    const char *init; /* "index" …, or "file" */
} cli_trace_row;

/* Step by step, at most report->columns wide (80 when 0). The followed invocation is marked, and highlighted if there
 * is colour. */
void cli_trace_text(const cli_report *report, const cli_trace_row *row);

/* One object of schema "vkmatmul.trace/1" on one line, without the line end, to be freed with free; NULL if memory runs
 * out. */
char *cli_trace_json(const cli_report *report, const cli_trace_row *row);

/* A, B or C; its tile of one load, of A or B; and all sums, a row for each k, a column for each invocation. */
vkmm_view cli_trace_matrix(const vkmm_trace *trace, vkmm_operand operand);
vkmm_view cli_trace_tile(const vkmm_trace *trace, vkmm_operand operand, uint32_t load);
vkmm_view cli_trace_sums(const vkmm_trace *trace);

/* Whether an invocation adds terms: in kernels with tiles all do, in others only those within C. */
int cli_trace_takes_part(const vkmm_trace *trace, uint32_t invocation);

/* Where the factors a[row][k] and b[k][col] are that an active invocation multiplies for k: in shared memory if the
 * kernel has tiles, else in A and B. */
typedef struct cli_term {
    vkmm_view a, b;
    uint64_t row, col, k;
} cli_term;

cli_term cli_trace_term(const vkmm_trace *trace, uint32_t k, uint32_t invocation);
