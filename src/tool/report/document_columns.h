/* The columns of a bench's rows, for the table and for Markdown. */
#pragma once

#include "report/columns.h"
#include "report/wrap.h"

#define CLI_BENCH_COLUMNS 14

extern const cli_column cli_bench_columns[CLI_BENCH_COLUMNS];

/* "256³ f32 tiled", "300×200×100 f64 (column-major)": a row in a sentence; its kernel as it ran, or
 * as requested if none ran, unless "auto". Clean. */
void cli_bench_row_name(const cli_report *report, const cli_bench_row *row, char *text, size_t size);

enum { CLI_REMARKS = 1024 };

/* Remarks on a row in addition to its figures: how its problem differs from the plain product, why it did not run,
 * what is wrong with it, that it was throttled. "": none. */
void cli_bench_remarks(const cli_bench_row *row, char text[CLI_REMARKS]);

/* Writes the notes at the end of a run: rows timed by the host's clock, figures that do not add up, devices
 * that failed, that it is unfinished. */
void cli_bench_close(const cli_report *report, const cli_bench *bench);

enum { CLI_PEAKS = 4000 };

/* A device's measured peaks that are known: "f32 33.2 TFLOP/s, copy 4.10 TB/s, f16·f16+f32 16×16×16 629
 * TFLOP/s". */
void cli_bench_peaks_text(const cli_report *report, const cli_bench_peaks *peaks, char text[CLI_PEAKS]);
