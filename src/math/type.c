#include "math/type.h"

#include <float.h>
#include <string.h>

static const vkmm_type_info types[VKMM_TYPE_COUNT] = {
    [VKMM_F32] = {"f32", "f32_r", "float", 4, 1, FLT_EPSILON, FLT_MIN},
    [VKMM_F64] = {"f64", "f64_r", "double", 8, 1, DBL_EPSILON, DBL_MIN},
    [VKMM_I32] = {"i32", "i32_r", "int", 4, 0, 0.0, 0.0},
    [VKMM_U32] = {"u32", "u32_r", "uint", 4, 0, 0.0, 0.0},
};

const vkmm_type_info *vkmm_type_of(vkmm_type type)
{
    return &types[type];
}

int vkmm_type_parse(const char *name, vkmm_type *type)
{
    for (int i = 0; i < VKMM_TYPE_COUNT; i++) {
        if (strcmp(name, types[i].name) != 0 && strcmp(name, types[i].rocblas) != 0) continue;
        *type = (vkmm_type)i;
        return 1;
    }
    return 0;
}
