/* A trace and the index picture, as text for people and as JSON. */
#ifndef VKMM_REPORT_TRACE_H
#define VKMM_REPORT_TRACE_H

#include "math/matrix.h"
#include "report/report.h"

/* A trace and where its inputs came from. Borrows everything. */
typedef struct vkmm_trace_row {
    const vkmm_device_info *device;
    const vkmm_trace *trace;
    uint64_t seed;
    const char *init; /* "index" …, or "file" */
} vkmm_trace_row;

/* Step by step, at most report->columns wide (80 when 0). The followed invocation bears a mark, and stands out where
 * there is colour. */
vkmm_status vkmm_trace_text(const vkmm_report *report, const vkmm_trace_row *row);

/* One object of schema "vkmatmul.trace/1" in one line, without its end, to be freed with vkmm_free; NULL when memory
 * ends. */
char *vkmm_trace_json(const vkmm_report *report, const vkmm_trace_row *row);

/* Parts of a trace as matrices: the tiles of one load, and all sums (a row for each k, a column for each
 * invocation). */
vkmm_view vkmm_trace_tile_a(const vkmm_trace *trace, uint32_t load);
vkmm_view vkmm_trace_tile_b(const vkmm_trace *trace, uint32_t load);
vkmm_view vkmm_trace_sums(const vkmm_trace *trace);

/* Whether an invocation adds terms: all do in kernels with tiles, in others those within C. */
int vkmm_trace_takes_part(const vkmm_trace *trace, uint32_t invocation);

/* What the invocation, one that takes part, multiplies for k: from shared memory where the kernel has tiles, else
 * from A and B. */
void vkmm_trace_term(const vkmm_trace *trace, uint32_t k, uint32_t invocation, double term[2]);

/* Who computes which element of C. place gives the invocation of C[row][col]. */
typedef struct vkmm_indices_row {
    const vkmm_device_info *device;
    vkmm_problem problem; /* K and the type do not count */
    const vkmm_kernel_info *kernel;
    void (*place)(const struct vkmm_indices_row *row, uint64_t i, uint64_t j, vkmm_invocation *invocation);
} vkmm_indices_row;

/* The picture. Of extents that do not fit, the first, the last and those at the first tile's edge are shown. */
vkmm_status vkmm_indices_text(const vkmm_report *report, const vkmm_indices_row *row);

/* One object of schema "vkmatmul.indices/1", a line. All elements. */
vkmm_status vkmm_indices_json(const vkmm_report *report, const vkmm_indices_row *row);

#endif
