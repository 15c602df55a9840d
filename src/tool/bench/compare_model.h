/* What a comparison finds, for its writers. */
#ifndef VKMM_REPORT_COMPARE_MODEL_H
#define VKMM_REPORT_COMPARE_MODEL_H

#include "math/types_name.h"
#include "bench/writer.h"

#define VKMM_NOBODY UINT32_MAX

/* One product that at least two contenders have a speed for. */
typedef struct vkmm_compare_row {
    const vkmm_bench_row *like; /* the first contender's that has it: problem, group, kernel asked for */
    const vkmm_bench_row **of;  /* by contender; NULL: it has no such row. Not all of them have a speed */
    vkmm_interval *ratio; /* by contender: to the first; NAN where one of the two has no speed. The first's own: 1 */
    uint32_t timed;       /* contenders with a speed */
    uint32_t winner;      /* the contender that is faster than every other, beyond the noise; VKMM_NOBODY: unclear */
} vkmm_compare_row;

/* A row that is slower than it was, or wrong where it was right. */
typedef struct vkmm_regression {
    uint32_t row, contender, base; /* base: the contender that it is measured by */
    vkmm_interval ratio;           /* to the base; NAN where it is wrong */
} vkmm_regression;

/* One line of means: of a group and its types, or of all (group NULL). */
typedef struct vkmm_compare_mean {
    const char *group;
    vkmm_types types;
    uint32_t rows;
    vkmm_interval *ratio; /* by contender */
    uint32_t *counted;    /* rows in it, by contender: those whose ratio has an interval */
} vkmm_compare_mean;

typedef struct vkmm_compare_model {
    const vkmm_comparison *comparison;
    vkmm_compare_row *rows;
    uint32_t count;
    uint32_t alone;          /* rows with a speed for one contender only */
    uint32_t *base;          /* by contender: the one of the first report that is the same device; VKMM_NOBODY: none */
    uint32_t *wins, unclear; /* rows, by contender */
    vkmm_compare_mean *means;
    uint32_t mean_count; /* the last is of all rows */
    vkmm_regression *regressions;
    uint32_t regression_count;
    void *owned[8]; /* what the pointers above point into */
} vkmm_compare_model;

/* Fills a zeroed model, and comparison->regressions. VKMM_OUT_OF_MEMORY. Ended by vkmm_compare_model_free in every
 * case. */
vkmm_status vkmm_compare_model_make(vkmm_comparison *comparison, vkmm_compare_model *model);
void vkmm_compare_model_free(vkmm_compare_model *model);

/* compare_rows.c: rows, alone. */
vkmm_status vkmm_compare_find_rows(vkmm_compare_model *model);

/* compare.c: base. For contender c of another report than the first's: the first report's contender with the same
 * UUID and driver, else the same name and driver, else the same name, else the same vendor and device (drivers
 * rename devices), else its only device where c is a device too. Of a single report: the first contender, for those
 * that are devices as it is. */
void vkmm_compare_find_bases(vkmm_compare_model *model);

/* What a reader has to know of the contenders, by index from 0: "different versions of vkmatmul …". 0: no more. */
int vkmm_compare_note(const vkmm_compare_model *model, unsigned index, char text[512]);

#endif
