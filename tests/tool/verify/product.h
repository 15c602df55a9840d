/* A product for tests of the verification: packed matrices, and C by a plain triple loop of its own. */
#ifndef VKMM_TEST_PRODUCT_H
#define VKMM_TEST_PRODUCT_H

#include "unit.h"

#include <stdlib.h>

#include "math/type.h"
#include "claim.h"

typedef struct product {
    void *data[3];
    vkmm_view a, b, c;
} product;

static inline void set(const vkmm_view *view, uint64_t i, uint64_t j, double value)
{
    const uint64_t at = i * view->row_stride + j * view->col_stride;
    vkmm_type_put(view->type, (char *)(uintptr_t)view->data + at * vkmm_type_of(view->type)->bytes, value);
}

static inline double get(const vkmm_view *view, uint64_t i, uint64_t j)
{
    return vkmm_view_get(view, i, j);
}

/* Row by row; to be freed. */
static inline double *numbers(const vkmm_view *view)
{
    double *all = malloc((size_t)(view->rows * view->cols + 1) * sizeof *all);
    assert_non_null(all);
    for (uint64_t i = 0; i < view->rows; i++)
        for (uint64_t j = 0; j < view->cols; j++) all[i * view->cols + j] = get(view, i, j);
    return all;
}

/* C = A·B in the type's own arithmetic, f16 and bf16 in f32, one term after the other. */
static inline void multiply(const product *p)
{
    double *left = numbers(&p->a), *right = numbers(&p->b);
    for (uint64_t i = 0; i < p->c.rows; i++) {
        for (uint64_t j = 0; j < p->c.cols; j++) {
            float f = 0.0F;
            double d = 0.0;
            uint32_t u = 0;
            for (uint64_t k = 0; k < p->a.cols; k++) {
                double x = left[i * p->a.cols + k], y = right[k * p->c.cols + j];
                f += (float)x * (float)y;
                d += x * y;
                if (p->c.type == VKMM_I32 || p->c.type == VKMM_U32) u += (uint32_t)(int64_t)x * (uint32_t)(int64_t)y;
            }
            double integer = p->c.type == VKMM_I32 ? (double)(int32_t)u : (double)u;
            set(&p->c, i, j, p->c.type == VKMM_F64 ? d : vkmm_type_of(p->c.type)->is_float ? (double)f : integer);
        }
    }
    free(left);
    free(right);
}

/* M×K times K×N. `columns` stores all three column by column. */
static inline product make(vkmm_type type, uint64_t m, uint64_t n, uint64_t k, vkmm_init init, int columns)
{
    product p = {0};
    const uint64_t rows[] = {m, k, m}, cols[] = {k, n, n};
    vkmm_view *views[] = {&p.a, &p.b, &p.c};
    for (uint64_t o = 0; o < 3; o++) {
        p.data[o] = calloc(rows[o] * cols[o] + 1, 8);
        assert_non_null(p.data[o]);
        if (o < 2) vkmm_fill(p.data[o], rows[o], cols[o], type, init, 100 + o);
        *views[o] = vkmm_view_rows(p.data[o], rows[o], cols[o], o < 2 ? type : vkmm_types_default(type).out);
        if (!columns) continue;
        views[o]->row_stride = 1;
        views[o]->col_stride = rows[o];
    }
    multiply(&p);
    return p;
}

static inline void discard(product *p)
{
    for (int o = 0; o < 3; o++) free(p->data[o]);
}

static inline cli_verdict verify(const product *p, cli_verify_method method, uint64_t seed)
{
    cli_verdict verdict;
    memset(&verdict, 0xa5, sizeof verdict);
    assert_int_equal(vkmm_verify(NULL, &p->a, &p->b, &p->c, method, seed, &verdict), VKMM_OK);
    assert_true(verdict.passed == 0 || verdict.passed == 1);
    assert_true(strlen(verdict.sentence) > 0 && strlen(verdict.sentence) < sizeof verdict.sentence - 1);
    return verdict;
}

static inline int passes(const product *p, cli_verify_method method)
{
    return verify(p, method, 1).passed;
}

/* Sets one element of C; the verdict must then name it, and this many wrong ones. C is put back. */
static inline void assert_finds(const product *p, cli_verify_method method, uint64_t seed, uint64_t i, uint64_t j,
                                double wrong)
{
    double right = get(&p->c, i, j);
    set(&p->c, i, j, wrong);
    cli_verdict v = verify(p, method, seed);
    if (v.passed)
        fail_msg("C[%u][%u] = %.17g instead of %.17g was not seen: %s", (unsigned)i, (unsigned)j, wrong, right,
                 v.sentence);
    assert_true(v.has_element && v.row == i && v.col == j && v.wrong_count == 1);
    assert_true(!(v.error <= v.bound));
    set(&p->c, i, j, right);
}

#endif
