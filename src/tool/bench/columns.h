/* The columns of a bench's rows, for the table and for Markdown. */
#ifndef VKMM_REPORT_BENCH_COLUMNS_H
#define VKMM_REPORT_BENCH_COLUMNS_H

#include "bench/writer.h"
#include "report/columns.h"
#include "report/wrap.h"

#define VKMM_BENCH_COLUMNS 14

extern const vkmm_column vkmm_bench_columns[VKMM_BENCH_COLUMNS];

/* Whether its product was verified, and is wrong. Without a verification, a row has no speed either, but it is not
 * wrong. */
int vkmm_bench_is_wrong(const vkmm_bench_row *row);

/* "256³ f32 tiled", "300×200×100 f64 (column-major)": a row in a sentence; its kernel as it ran, or
 * as it was asked for where none ran, but for "auto". Clean. */
void vkmm_bench_row_name(const vkmm_report *report, const vkmm_bench_row *row, char *text, size_t size);

/* What has to be said of a row beside its figures, by index from 0: how its problem differs from the plain product,
 * why it did not run, what is wrong with it, that it was throttled. Clean. 0: no more. */
int vkmm_bench_remark(const vkmm_bench_row *row, unsigned index, char text[512]);

/* The same of the whole run, for its end: rows timed by the host's clock, figures that do not add up, devices that
 * failed, an unfinished run. */
int vkmm_bench_closing(const vkmm_report *report, const vkmm_bench *bench, unsigned index, char text[512]);

#define VKMM_PEAK_TEXT 240

/* A device's measured peaks by index from 0: "f32 33.2 TFLOP/s", "copy 4.10 TB/s", "f16·f16+f32 16×16×16 629
 * TFLOP/s". 0: no more. Peaks that are not known are left out. */
int vkmm_bench_peak_text(const vkmm_report *report, const vkmm_bench_device *device, unsigned index,
                         char text[VKMM_PEAK_TEXT]);

/* A speed with its unit, from units of 10^9 on: "33.2 TFLOP/s". */
void vkmm_text_speed(char *text, size_t size, double per_s, const char *unit);

#endif
