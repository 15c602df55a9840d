/* What a device can do at best, as `vkmatmul peak` measured it. Plain values that borrow what they point to. */
#ifndef VKMM_REPORT_PEAK_H
#define VKMM_REPORT_PEAK_H

#include "report/report.h"

/* A figure is 0 where it was not measured; `reason` then says why. */
typedef struct vkmm_peak_type {
    vkmm_type type;
    double flops; /* a second: two a multiply-add; integers: operations */
    char reason[240];
} vkmm_peak_type;

typedef struct vkmm_peak_shape {
    vkmm_matrix_shape shape;
    double flops;
    char reason[240];
} vkmm_peak_shape;

typedef struct vkmm_peak_row {
    const vkmm_device_info *device;
    double copy_bytes_per_s; /* read and written */
    uint64_t copy_bytes;     /* of the buffer that was copied */
    char copy_reason[240];
    vkmm_peak_type types[VKMM_TYPE_COUNT];
    uint32_t type_count;
    vkmm_peak_shape shapes[VKMM_MAX_MATRIX_SHAPES];
    uint32_t shape_count;
    const char *no_shapes; /* why there are none; "" */
} vkmm_peak_row;

vkmm_status vkmm_peak_table(const vkmm_report *report, const vkmm_peak_row *row);
vkmm_status vkmm_peak_json(const vkmm_report *report, const vkmm_peak_row *row); /* "vkmatmul.peak/1" */

#endif
