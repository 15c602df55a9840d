/* What the formats of a comparison for people have in common. */
#ifndef VKMM_REPORT_COMPARE_WORDS_H
#define VKMM_REPORT_COMPARE_WORDS_H

#include "report/columns.h"
#include "bench/compare_model.h"

/* "▲ 2.005 (1.950–2.060)": faster, slower (▼) or unclear (≈); a dash where it is not known. */
void vkmm_compare_ratio_cell(const vkmm_report *report, const vkmm_interval *ratio, vkmm_cell *cell);

/* GFLOP/s, with a star after the winner's; "wrong"; a dash. */
void vkmm_compare_speed_cell(const vkmm_report *report, const vkmm_compare_row *row, uint32_t contender,
                             vkmm_cell *cell);

/* "256³ f32 auto" */
void vkmm_compare_row_name(const vkmm_report *report, const vkmm_compare_row *row, char *text, size_t size);

/* "1 wins 12 rows, 2 wins 15; 4 are unclear: their intervals contain 1." Wins are by contender's number. */
void vkmm_compare_wins(const vkmm_compare_model *model, char *text, size_t size);

/* "2 is slower than 1 in 1024³ f32 auto: ▼ 0.900 (0.890–0.910)"; "3 is wrong in …, where 1 is right". */
void vkmm_compare_regression(const vkmm_report *report, const vkmm_compare_model *model,
                             const vkmm_regression *regression, char *text, size_t size);

/* The title of a line of means: "square f32", "all". Clean. */
void vkmm_compare_mean_name(const vkmm_report *report, const vkmm_compare_mean *mean, char *text, size_t size);

#endif
