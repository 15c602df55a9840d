/* The records of bench reports: a whole one, and the lines of one that is written during the run. */
#ifndef VKMM_REPORT_DOCUMENT_RECORDS_H
#define VKMM_REPORT_DOCUMENT_RECORDS_H

#include "report/document.h"
#include "report/records.h"

/* Limits of what is read from one report, and from one file. */
enum { VKMM_MOST_DEVICES = 256, VKMM_MOST_ROWS = 65536, VKMM_MOST_TUNES = 4096, VKMM_MOST_REPORTS = 256 };

extern const vkmm_record vkmm_report_record;  /* vkmm_bench: all of it */
extern const vkmm_record vkmm_saved_record;   /* vkmm_bench: with the name of its file */
extern const vkmm_record vkmm_reports_record; /* vkmm_reports: those of a comparison */
extern const vkmm_record vkmm_head_record;    /* vkmm_bench: everything but devices, rows and tunes */
extern const vkmm_record vkmm_end_record;     /* vkmm_bench: how the run ended */
extern const vkmm_record vkmm_same_record;    /* vkmm_bench: what --resume requires to be the same */
extern const vkmm_record vkmm_tune_record;    /* vkmm_bench_tune */
extern const vkmm_record vkmm_trial_record;   /* vkmm_bench_trial */

/* Lines. */
typedef struct vkmm_device_line {
    uint32_t index;
    const vkmm_bench_device *device;
} vkmm_device_line;

extern const vkmm_record vkmm_head_line_record;   /* vkmm_bench */
extern const vkmm_record vkmm_device_line_record; /* vkmm_device_line */
extern const vkmm_record vkmm_row_line_record;    /* vkmm_bench_row */
extern const vkmm_record vkmm_tune_line_record;   /* vkmm_bench_tune */
extern const vkmm_record vkmm_end_line_record;    /* vkmm_bench */

/* Checks that the device of a row, an index, is in the report. node: of the row. */
void vkmm_bench_check_place(const vkmm_node *node, const vkmm_bench *bench, const vkmm_bench_row *row);

#endif
