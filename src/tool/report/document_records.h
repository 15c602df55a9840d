/* The records of bench reports: a whole one, and the lines of one that is written during the run. */
#pragma once

#include "report/document.h"
#include "report/records.h"

/* Limits of what is read from one report, and from one file. */
enum { CLI_MOST_DEVICES = 256, CLI_MOST_ROWS = 65536, CLI_MOST_REPORTS = 256 };

extern const vkmm_record cli_report_record;      /* cli_bench: all of it */
extern const vkmm_record cli_report_body_record; /* the same without a schema, to be embedded */
extern const vkmm_record cli_saved_record;       /* cli_bench: with the name of its file */
extern const vkmm_record cli_reports_record;     /* cli_reports: those of a comparison */
extern const vkmm_record cli_head_record;        /* cli_bench: everything but devices and rows */

/* Lines. */
typedef struct cli_device_line {
    uint32_t index;
    const cli_bench_device *device;
} cli_device_line;

extern const vkmm_record cli_head_line_record;   /* cli_bench */
extern const vkmm_record cli_device_line_record; /* cli_device_line */
extern const vkmm_record cli_row_line_record;    /* cli_bench_row */
extern const vkmm_record cli_end_line_record;    /* cli_bench */
