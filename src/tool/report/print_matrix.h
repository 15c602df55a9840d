/* Matrices for people: rows of aligned numbers, without the middle of large matrices. */
#pragma once

#include "math/matrix.h"
#include "report/report.h"

/* title, the shape, then one line per row. At most 16 rows and as many columns as fit in report->columns (120 when 0),
 * with an ellipsis in place of what is left out. Floats show 6 significant digits, f16 5, bf16 4. */
void cli_print_matrix(const cli_report *report, const char *title, const vkmm_view *view);
