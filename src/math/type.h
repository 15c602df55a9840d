/* Element types. */
#ifndef VKMM_MATH_TYPE_H
#define VKMM_MATH_TYPE_H

#include "vkmatmul.h"

typedef struct vkmm_type_info {
    const char *name;    /* "f32" */
    const char *rocblas; /* "f32_r", the spelling of rocblas-bench */
    const char *glsl;    /* "float" */
    uint32_t bytes;
    int is_float;
    double epsilon;    /* spacing of 1: 2^-23, 2^-52; 0 for integers */
    double min_normal; /* smallest normal magnitude; 0 for integers */
} vkmm_type_info;

/* type < VKMM_TYPE_COUNT; static storage. */
const vkmm_type_info *vkmm_type_of(vkmm_type type);

/* Accepts either spelling: 1 and *type, or 0. */
int vkmm_type_parse(const char *name, vkmm_type *type);

#endif
