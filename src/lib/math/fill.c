#include "math/matrix.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/type.h"

static const char *const init_names[VKMM_INIT_COUNT] = {"uniform", "int", "ones", "index", "zeros"};

const char *vkmm_init_name(vkmm_init init)
{
    return init_names[init];
}

/* Elements of one row or column: the i-th stands `step` elements after the one before, and is number first + i·pace
 * of its matrix. */
typedef struct line {
    void *data;
    uint64_t count, step, first, pace;
} line;

/* Exact conversion to f16 or bf16 of a float that is zero or a normal number there: nothing to round. */
static inline uint16_t f16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t magnitude = bits & UINT32_C(0x7fffffff);
    return (uint16_t)(bits >> 16 & 0x8000U) | (uint16_t)(magnitude != 0 ? (magnitude >> 13) - (112U << 10) : 0);
}

static inline uint16_t bf16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* Stores a value that the type represents exactly; integers wrap modulo 2^32 (2^8). */
static inline void put(const line *l, vkmm_type type, uint64_t i, double value)
{
    const uint64_t at = i * l->step;
    if (type == VKMM_F32)
        ((float *)l->data)[at] = (float)value;
    else if (type == VKMM_F64)
        ((double *)l->data)[at] = value;
    else if (type == VKMM_F16 || type == VKMM_BF16)
        ((uint16_t *)l->data)[at] = type == VKMM_F16 ? f16_of((float)value) : bf16_of((float)value);
    else if (type == VKMM_I32 || type == VKMM_U32)
        ((uint32_t *)l->data)[at] = (uint32_t)(int64_t)value;
    else if (type == VKMM_I8 || type == VKMM_U8)
        ((uint8_t *)l->data)[at] = (uint8_t)(int64_t)value;
    else
        vkmm_type_put(type, (uint8_t *)l->data + at, value);
}

/* Every bit of a float's significand is random and the result is exact: 24 bits (f64 53, f16 11, bf16 8, e4m3 4,
 * e5m2 3), scaled by a power of two, less 1. Integers have 16 random bits, or 8. */
static void fill_uniform(const line *l, vkmm_type type, uint64_t seed)
{
    const vkmm_type_info *info = vkmm_type_of(type);
    const int drop = info->is_float ? 63 + ilogb(info->epsilon) : info->bytes == 1 ? 56 : 48; /* of 64 random bits */
    const double scale = info->is_float ? info->epsilon : 1.0, least = info->is_float     ? -1.0
                                                                       : type == VKMM_I32 ? -32768.0
                                                                                          : 0.0;
    for (uint64_t i = 0; i < l->count; i++)
        put(l, type, i, (double)(int64_t)(vkmm_random_bits(seed, l->first + i * l->pace) >> drop) * scale + least);
}

/* -most … most, or 0 … 2·most, by the high half of a product: no division, and a bias of 2^-32 at most. */
static void fill_int(const line *l, vkmm_type type, uint64_t seed)
{
    const int is_narrow = vkmm_type_is_narrow(type), is_unsigned = type == VKMM_U32 || type == VKMM_U8;
    const int32_t most = is_narrow ? 2 : 8;
    const uint64_t count = 2 * (uint64_t)most + 1;
    for (uint64_t i = 0; i < l->count; i++) {
        const uint64_t bits = vkmm_random_bits(seed, l->first + i * l->pace);
        put(l, type, i, (int32_t)(((bits >> 32) * count) >> 32) - (is_unsigned ? 0 : most));
    }
}

/* start, start + rise, start + 2·rise, … in the order of the matrix: "ones", "index" and "zeros". */
static void fill_ramp(const line *l, vkmm_type type, uint64_t start, uint64_t rise)
{
    const int rounds = vkmm_type_is_narrow(type);
    for (uint64_t i = 0; i < l->count; i++) {
        const double value = (double)(start + rise * (l->first + i * l->pace));
        if (rounds)
            vkmm_type_put(type, (char *)l->data + i * l->step * vkmm_type_of(type)->bytes, value);
        else
            put(l, type, i, value);
    }
}

static void fill_line(const line *l, vkmm_type type, vkmm_init init, uint64_t seed)
{
    if (init == VKMM_INIT_UNIFORM)
        fill_uniform(l, type, seed);
    else if (init == VKMM_INIT_INT)
        fill_int(l, type, seed);
    else
        fill_ramp(l, type, init != VKMM_INIT_ZEROS, init == VKMM_INIT_INDEX);
}

void vkmm_fill(void *data, uint64_t rows, uint64_t cols, vkmm_type type, vkmm_init init, uint64_t seed)
{
    const line all = {.data = data, .count = rows * cols, .step = 1, .pace = 1};
    fill_line(&all, type, init, seed);
}

void vkmm_fill_view(void *data, const vkmm_view *view, vkmm_init init, uint64_t seed)
{
    if (view->rows == 0 || view->cols == 0) return;
    /* Along what lies close together in memory: a cache line is written once. */
    const int by_rows = view->row_stride >= view->col_stride;
    const uint64_t lines = by_rows ? view->rows : view->cols, apart = by_rows ? view->row_stride : view->col_stride;
    char *begin = (char *)data + ((const char *)view->data - (const char *)data);
    for (uint64_t n = 0; n < lines; n++) {
        line l = {.data = begin + n * apart * vkmm_type_of(view->type)->bytes};
        l.count = by_rows ? view->cols : view->rows;
        l.step = by_rows ? view->col_stride : view->row_stride;
        l.first = by_rows ? n * view->cols : n;
        l.pace = by_rows ? 1 : view->cols;
        fill_line(&l, view->type, init, seed);
    }
}
