/* Fields of CSV for the newer tables: RFC 4180, and safe in a spreadsheet, which takes a text that begins with = + -
 * or @ for a formula. */
#ifndef VKMM_REPORT_CSV_FIELDS_H
#define VKMM_REPORT_CSV_FIELDS_H

#include <stdint.h>
#include <stdio.h>
#include "vkmatmul.h"

/* Each of the first two writes one field, without a comma. */

/* A name, as vkmm_text_clean leaves it; in double quotes where it must be, after an apostrophe where it would be a
 * formula. NULL: "". */
void vkmm_csv_text(FILE *out, const char *text);

/* Nothing where the figure is not finite. */
void vkmm_csv_number(FILE *out, double value);

/* The same after a comma. */
void vkmm_csv_next_text(FILE *out, const char *text);
void vkmm_csv_next_number(FILE *out, double value);

/* Four fields, each after a comma: out_type, compute, activation, bias. */
void vkmm_csv_next_types(FILE *out, const vkmm_problem *problem);

#endif
