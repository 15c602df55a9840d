#include "math/matrix.h"

#include "base/random.h"
#include "math/type.h"

#include <string.h>

static const char *const init_names[VKMM_INIT_COUNT] = {"uniform", "int", "ones", "index", "zeros"};

const char *vkmm_init_name(vkmm_init init)
{
    return init_names[init];
}

int vkmm_init_parse(const char *name, vkmm_init *init)
{
    for (int i = 0; i < VKMM_INIT_COUNT; i++) {
        if (strcmp(name, init_names[i]) != 0) continue;
        *init = (vkmm_init)i;
        return 1;
    }
    return 0;
}

/* Every bit of a float's significand is random and the result is exact: 24 (53) bits, scaled by a power of two, less 1. */
static void fill_uniform(void *data, uint64_t count, vkmm_type type, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = vkmm_random_bits(seed, i);
        switch (type) {
        case VKMM_F64:
            ((double *)data)[i] = (double)(bits >> 11) * 0x1p-52 - 1.0;
            break;
        case VKMM_I32:
            ((int32_t *)data)[i] = (int32_t)(bits >> 48) - 32768;
            break;
        case VKMM_U32:
            ((uint32_t *)data)[i] = (uint32_t)(bits >> 48);
            break;
        case VKMM_F32:
        case VKMM_TYPE_COUNT:
            ((float *)data)[i] = (float)(bits >> 40) * 0x1p-23F - 1.0F;
            break;
        }
    }
}

/* 17 values by the high half of a product: no division, and a bias of 2^-32 at most. */
static void fill_int(void *data, uint64_t count, vkmm_type type, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        int32_t value = (int32_t)(((vkmm_random_bits(seed, i) >> 32) * 17) >> 32);
        switch (type) {
        case VKMM_F64:
            ((double *)data)[i] = value - 8;
            break;
        case VKMM_I32:
            ((int32_t *)data)[i] = value - 8;
            break;
        case VKMM_U32:
            ((uint32_t *)data)[i] = (uint32_t)value;
            break;
        case VKMM_F32:
        case VKMM_TYPE_COUNT:
            ((float *)data)[i] = (float)(value - 8);
            break;
        }
    }
}

/* 1, 1 + step, 1 + 2·step, …: "ones" and "index". */
static void fill_ramp(void *data, uint64_t count, vkmm_type type, uint64_t step)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = 1 + step * i;
        switch (type) {
        case VKMM_F64:
            ((double *)data)[i] = (double)value;
            break;
        case VKMM_I32: /* wraps modulo 2^32 like u32 and has its bits */
        case VKMM_U32:
            ((uint32_t *)data)[i] = (uint32_t)value;
            break;
        case VKMM_F32:
        case VKMM_TYPE_COUNT:
            ((float *)data)[i] = (float)value;
            break;
        }
    }
}

void vkmm_fill(void *data, uint64_t rows, uint64_t cols, vkmm_type type, vkmm_init init, uint64_t seed)
{
    uint64_t count = rows * cols;
    switch (init) {
    case VKMM_INIT_UNIFORM:
        fill_uniform(data, count, type, seed);
        break;
    case VKMM_INIT_INT:
        fill_int(data, count, type, seed);
        break;
    case VKMM_INIT_ONES:
        fill_ramp(data, count, type, 0);
        break;
    case VKMM_INIT_INDEX:
        fill_ramp(data, count, type, 1);
        break;
    case VKMM_INIT_ZEROS:
    case VKMM_INIT_COUNT:
        if (count > 0) memset(data, 0, (size_t)count * vkmm_type_of(type)->bytes);
        break;
    }
}
