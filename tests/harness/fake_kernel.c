/* The general kernels, as plain loops: one element of C after the other, sums in the order of K. The contract is
 * kernel/contract.h; items are counted as shaders/lib/contract.glsl says, though which tile of C an item stands for is
 * the driver's own choice. */
#include "fake_state.h"

#include <math.h>
#include <string.h>

typedef struct memory {
    unsigned char *data;
    uint64_t count; /* elements bound */
} memory;

typedef struct work {
    vkmm_push push;
    const uint32_t *constants;
    memory at[4]; /* the bindings */
    int outside;  /* an access went beyond what is bound */
} work;

/* One element of a binding; the first one, after a note, instead of what is not bound. */
static inline unsigned char *element(work *w, int binding, uint64_t index, uint64_t size)
{
    if (index < w->at[binding].count) return w->at[binding].data + index * size;
    w->outside = 1;
    return w->at[binding].data;
}

static double gelu(double x)
{
    return x / 2 * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

/* For one type: the epilogue of an element, one item of the first pass, and the second pass over all elements. */
#define DEFINE(name, type, smooth, is_negative)                                                                      \
    static inline type name##_get(work *w, int binding, uint64_t index)                                              \
    {                                                                                                                \
        type value;                                                                                                  \
        memcpy(&value, element(w, binding, index, sizeof value), sizeof value);                                      \
        return value;                                                                                                \
    }                                                                                                                \
                                                                                                                     \
    static void name##_finish(work *w, uint64_t batch, uint64_t i, uint64_t j, type sum, int bias_binding)           \
    {                                                                                                                \
        const vkmm_push *p = &w->push;                                                                               \
        const uint64_t at = p->offset_c + batch * p->stride_c + i * p->ldc + j;                                      \
        type alpha, beta, value, zero = 0;                                                                           \
        memcpy(&alpha, p->alpha, sizeof alpha);                                                                      \
        memcpy(&beta, p->beta, sizeof beta);                                                                         \
        value = alpha * sum;                                                                                         \
        if (beta != zero) value += beta * name##_get(w, VKMM_C, at);                                                 \
        if (w->constants[VKMM_SPEC_BIAS] == VKMM_BIAS_COLS) value += name##_get(w, bias_binding, j);                 \
        if (w->constants[VKMM_SPEC_BIAS] == VKMM_BIAS_ROWS) value += name##_get(w, bias_binding, i);                 \
        if (w->constants[VKMM_SPEC_ACTIVATION] == VKMM_RELU && is_negative) value = zero;                            \
        if (smooth && w->constants[VKMM_SPEC_ACTIVATION] == VKMM_GELU) value = (type)gelu((double)value);            \
        memcpy(element(w, VKMM_C, at, sizeof value), &value, sizeof value);                                          \
    }                                                                                                                \
                                                                                                                     \
    static void name##_element(work *w, uint64_t batch, uint64_t part, uint64_t i, uint64_t j)                       \
    {                                                                                                                \
        const vkmm_push *p = &w->push;                                                                               \
        const uint32_t *constants = w->constants;                                                                    \
        const uint64_t a = p->offset_a + batch * p->stride_a, b = p->offset_b + batch * p->stride_b;                 \
        const uint64_t begin = part * p->split_depth,                                                                \
                       end = begin + p->split_depth < p->k ? begin + p->split_depth : p->k;                          \
        type sum = 0;                                                                                                \
        for (uint64_t k = begin; k < end; k++)                                                                       \
            sum += name##_get(w, VKMM_A, a + (constants[VKMM_SPEC_TRANSPOSE_A] ? k * p->lda + i : i * p->lda + k)) * \
                   name##_get(w, VKMM_B, b + (constants[VKMM_SPEC_TRANSPOSE_B] ? j * p->ldb + k : k * p->ldb + j));  \
        if (!constants[VKMM_SPEC_SPLIT]) {                                                                           \
            name##_finish(w, batch, i, j, sum, VKMM_BINDING_WORKSPACE);                                              \
            return;                                                                                                  \
        }                                                                                                            \
        const uint64_t at = ((batch * p->splits + part) * p->m + i) * p->n + j;                                      \
        memcpy(element(w, VKMM_BINDING_WORKSPACE, at, sizeof sum), &sum, sizeof sum);                                \
    }                                                                                                                \
                                                                                                                     \
    static void name##_item(work *w, uint64_t item)                                                                  \
    {                                                                                                                \
        const vkmm_push *p = &w->push;                                                                               \
        const uint64_t rows = w->constants[VKMM_SPEC_ROWS], cols = w->constants[VKMM_SPEC_COLS];                     \
        const uint64_t wide = (p->n + cols - 1) / cols, tiles = (p->m + rows - 1) / rows * wide;                     \
        const uint64_t row = item % tiles / wide * rows, col = item % tiles % wide * cols;                           \
        const uint64_t part = item / tiles % p->splits, batch = item / tiles / p->splits;                            \
        for (uint64_t i = row; i < row + rows && i < p->m; i++)                                                      \
            for (uint64_t j = col; j < col + cols && j < p->n; j++) name##_element(w, batch, part, i, j);            \
    }                                                                                                                \
                                                                                                                     \
    static void name##_reduce_item(work *w, uint64_t item)                                                           \
    {                                                                                                                \
        const vkmm_push *p = &w->push;                                                                               \
        const uint64_t size = w->constants[VKMM_SPEC_WORKGROUP_X], elements = (uint64_t)p->m * p->n;                 \
        const uint64_t groups = (elements + size - 1) / size, batch = item / groups, first = item % groups * size;   \
        for (uint64_t at = first; at < first + size && at < elements; at++) {                                        \
            type sum = 0;                                                                                            \
            for (uint64_t part = 0; part < p->splits; part++)                                                        \
                sum += name##_get(w, VKMM_BINDING_WORKSPACE, (batch * p->splits + part) * elements + at);            \
            name##_finish(w, batch, at / p->n, at % p->n, sum, VKMM_A);                                              \
        }                                                                                                            \
    }                                                                                                                \
                                                                                                                     \
    static void name##_run(work *w, int reduce)                                                                      \
    {                                                                                                                \
        for (uint64_t item = w->push.first; item < w->push.end; item++) {                                            \
            if (reduce)                                                                                              \
                name##_reduce_item(w, item);                                                                         \
            else                                                                                                     \
                name##_item(w, item);                                                                                \
        }                                                                                                            \
    }

DEFINE(f32, float, 1, value < 0)
DEFINE(f64, double, 1, value < 0)
DEFINE(i32, uint32_t, 0, (int32_t)value < 0) /* wraps without undefined behaviour */
DEFINE(u32, uint32_t, 0, 0)

/* Gives a tutorial's kernel what a general one has. */
static void complete(work *w, vkmm_type type)
{
    const float f32 = 1;
    const double f64 = 1;
    const uint32_t whole = 1;
    vkmm_push *p = &w->push;
    p->lda = p->split_depth = p->k;
    p->ldb = p->ldc = p->n;
    p->splits = 1;
    p->end = ((p->m - 1) / w->constants[VKMM_SPEC_ROWS] + 1) * ((p->n - 1) / w->constants[VKMM_SPEC_COLS] + 1);
    memcpy(p->alpha, type == VKMM_F32 ? (const void *)&f32 : &whole, sizeof f32);
    if (type == VKMM_F64) memcpy(p->alpha, &f64, sizeof f64);
}

void fake_run_kernel(const fake_step *step, const fake_object *pipeline, const fake_object *set)
{
    const vkmm_module *module = pipeline->pipeline.module;
    work w = {.constants = pipeline->pipeline.constants};
    if (!module || set->set.count < 3) return; /* complained of already */
    const int reduce = strcmp(module->kernel, "reduce") == 0;
    for (uint32_t i = 0; i < set->set.count && i < 4; i++) {
        const fake_binding *binding = &set->set.bindings[i];
        w.at[i].data = fake_bytes(binding->buffer, binding->offset, binding->bytes, "vkCmdDispatch");
        w.at[i].count = binding->bytes / (module->type == VKMM_F64 ? 8 : 4);
        if (!w.at[i].data) return;
    }
    memcpy(&w.push, step->push, sizeof w.push);
    if (w.push.m == 0 || w.push.n == 0 || (!reduce && (!w.constants[VKMM_SPEC_ROWS] || !w.constants[VKMM_SPEC_COLS])))
        return;
    if (set->set.count == 3) complete(&w, module->type);
    if (w.constants[VKMM_SPEC_OUT] != VKMM_OUT_SCALE)
        fake_complain("vkCmdDispatch: the fake driver has no narrow types");
    if (module->type == VKMM_F32) f32_run(&w, reduce);
    if (module->type == VKMM_F64) f64_run(&w, reduce);
    if (module->type == VKMM_I32) i32_run(&w, reduce);
    if (module->type == VKMM_U32) u32_run(&w, reduce);
    if (w.outside) fake_complain("vkCmdDispatch: %s reads or writes outside of what is bound", module->kernel);
}
