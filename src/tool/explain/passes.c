/* The passes of a split or modular product, and how long each takes at the device's peaks: bytes at the speed of a
 * copy, multiply-adds at the peak of what multiplies. Each matrix is moved once, as if caches were large. */
#include <math.h>

#include "explain/explain.h"
#include "math/component.h"
#include "math/problem.h"
#include "math/type.h"

/* Of matrix operations of such types: of one shape, or of the fastest if the kernel has no fixed shape. */
static vkmm_status matrix_peak(cli_session *session, vkmm_types types, const uint32_t matrix[3], double *peak)
{
    vkmm_matrix_shape shapes[VKMM_MAX_MATRIX_SHAPES];
    uint32_t count = VKMM_MAX_MATRIX_SHAPES, in = 0, out = 0;
    vkmm_status status = vkmm_device_matrix_shapes(session->instance, session->info->index, shapes, &count, NULL);

    vkmm_component_parse(vkmm_type_of(types.in)->name, &in);
    vkmm_component_parse(vkmm_type_of(types.compute)->name, &out);
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++) {
        const vkmm_matrix_shape *s = &shapes[i];
        double found = 0;
        if (s->a != in || s->b != in || s->c != out || s->result != out || s->saturating ||
            (matrix[0] > 0 && (s->m != matrix[0] || s->n != matrix[1] || s->k != matrix[2])))
            continue;
        status = vkmm_device_matrix_peak(session->device, s, &found);
        *peak = fmax(*peak, found);
    }
    return status;
}

static vkmm_status measure(cli_session *session, const vkmm_explanation *all, vkmm_types types, vkmm_explained *plan)
{
    const vkmm_type own = all->problem.type, usual = own == VKMM_F64 && !session->info->has_f64 ? VKMM_F32 : own;
    vkmm_peaks peaks, inner = {0};
    vkmm_status status = vkmm_device_peaks(session->device, usual, &peaks);

    if (status == VKMM_OK && plan->info.uses_matrices)
        status = matrix_peak(session, types, plan->info.matrix, &inner.multiply_adds_per_s);
    else if (status == VKMM_OK)
        status = vkmm_device_peaks(session->device, plan->info.uses_dot8 ? types.in : types.compute, &inner);
    plan->copy_bytes_per_s = peaks.copy_bytes_per_s;
    plan->direct_per_s = usual == own ? peaks.multiply_adds_per_s : NAN;
    plan->inner_per_s = inner.multiply_adds_per_s;
    return status;
}

static double longer_ms(const vkmm_explained *plan, double bytes, double multiply_adds, double per_s)
{
    const double moving = bytes / plan->copy_bytes_per_s, multiplying = multiply_adds / per_s;

    return 1e3 * (moving > multiplying ? moving : multiplying); /* NAN if the speed is */
}

static void add(vkmm_explained *plan, const char *name, double read, double written, double multiply_adds)
{
    const double ms = longer_ms(plan, read + written, multiply_adds, plan->inner_per_s);

    plan->passes[plan->pass_count++] =
        (vkmm_explained_pass){name, (uint64_t)read, (uint64_t)written, (uint64_t)multiply_adds, ms};
    plan->predicted_ms += ms;
}

vkmm_status cli_explain_passes(cli_session *session, const vkmm_explanation *all, vkmm_explained *plan)
{
    const vkmm_problem *p = &all->problem;
    const vkmm_types types = vkmm_problem_inner(p, &plan->info, &plan->products);
    const double batches = (double)vkmm_problem_batches(p), m = (double)p->m, n = (double)p->n, k = (double)p->k,
                 size = vkmm_type_of(p->type)->bytes, a_b = size * batches * (m + n) * k, c = size * batches * m * n,
                 c_read = vkmm_problem_beta(p) != 0 ? c : 0, multiply_adds = vkmm_problem_flops(p) / 2;
    const double parts = (double)plan->info.packed_bytes, sums = 4.0 * plan->products * batches * m * 4 * ceil(n / 4);
    const vkmm_status status = measure(session, all, types, plan);

    if (status != VKMM_OK) return status;
    add(plan, "scale", a_b, 0, 0);
    add(plan, plan->info.moduli == 0 ? "split" : "residues", a_b, parts, 0);
    if (plan->info.moduli == 0) {
        add(plan, "product", parts + c_read, c, plan->products * multiply_adds);
    } else {
        add(plan, "product", parts, sums, plan->products * multiply_adds);
        add(plan, "finish", sums + c_read, c, 0);
    }
    for (uint32_t i = 0; i < plan->pass_count; i++) plan->passes[i].share = plan->passes[i].ms / plan->predicted_ms;
    plan->direct_ms = longer_ms(plan, a_b + c_read + c, multiply_adds, plan->direct_per_s);
    plan->faster = vkmm_method_name(plan->direct_ms <= plan->predicted_ms ? VKMM_COMPUTE_DIRECT : p->method);
    return status;
}
