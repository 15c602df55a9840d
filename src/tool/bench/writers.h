/* The formats of bench reports; only bench_writer.c and their own files need this. */
#ifndef VKMM_REPORT_BENCH_WRITERS_H
#define VKMM_REPORT_BENCH_WRITERS_H

#include "bench/writer.h"

extern const vkmm_bench_writer vkmm_bench_table;                  /* bench_table.c */
extern const vkmm_bench_writer vkmm_bench_json, vkmm_bench_jsonl; /* bench_json.c */
extern const vkmm_bench_writer vkmm_bench_csv;                    /* bench_csv.c */
extern const vkmm_bench_writer vkmm_bench_md;                     /* bench_md.c */
extern const vkmm_bench_writer vkmm_bench_junit;                  /* bench_junit.c */

#endif
