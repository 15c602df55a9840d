/* The records of bench reports: a whole one, and the lines of one that is written as the run goes on. */
#ifndef VKMM_BENCH_RECORDS_H
#define VKMM_BENCH_RECORDS_H

#include "bench/document.h"
#include "report/records.h"

/* That are read of one report, and of one file. */
enum { VKMM_MOST_DEVICES = 256, VKMM_MOST_ROWS = 65536, VKMM_MOST_TUNES = 4096, VKMM_MOST_REPORTS = 256 };

extern const vkmm_record vkmm_report_record;  /* vkmm_bench: all of it */
extern const vkmm_record vkmm_saved_record;   /* vkmm_bench: with the name of its file */
extern const vkmm_record vkmm_reports_record; /* vkmm_reports: those of a comparison */
extern const vkmm_record vkmm_head_record;    /* vkmm_bench: what stands beside devices, rows and tunes */
extern const vkmm_record vkmm_end_record;     /* vkmm_bench: how the run ended */
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

/* A row names its device by its place among the report's; node: the row's. */
void vkmm_bench_check_place(const vkmm_node *node, const vkmm_bench *bench, const vkmm_bench_row *row);

#endif
