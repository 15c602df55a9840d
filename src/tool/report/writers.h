/* The formats, and the parts of the table format that have files of their own. Only writer.c and those files need
 * this. */
#ifndef VKMM_REPORT_WRITERS_H
#define VKMM_REPORT_WRITERS_H

#include "report/report.h"

extern const vkmm_writer vkmm_writer_table, vkmm_writer_json, vkmm_writer_csv, vkmm_writer_quiet;

vkmm_status vkmm_table_ladder(vkmm_report *report, const vkmm_ladder *ladder);

vkmm_status vkmm_table_tune(vkmm_report *report, const vkmm_tune_row *row);
vkmm_status vkmm_json_tune(vkmm_report *report, const vkmm_tune_row *row);

#endif
