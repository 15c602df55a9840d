#include "math/method.h"

#include "math/modular.h"
#include "math/problem.h"

const vkmm_method_info *vkmm_method_at(uint32_t method)
{
    static const vkmm_method_info methods[VKMM_METHOD_COUNT] = {
        {.name = "direct", .products = 1},
        {.name = "split",
         .types = {VKMM_F32},
         .titles = {"f32 (split)"},
         .inner = {VKMM_F16, VKMM_F32, VKMM_F32},
         .products = 3, /* hi·hi + hi·lo + lo·hi */
         .parts = 2,
         .pieces = "parts",
         .looks = "scale",
         .packs = "split",
         .of = ""},
        {.name = "modular",
         .types = {VKMM_F64},
         .titles = {"f64 (modular)"},
         .inner = {VKMM_I8, VKMM_I32, VKMM_I32},
         .pieces = "residues",
         .looks = "scale",
         .packs = "residues",
         .of = ", each by another modulus",
         .finishes = "finish"},
        {.name = "reproducible",
         .types = {VKMM_F64, VKMM_F32},
         .titles = {"f64 (reproducible)", "f32 (reproducible)"},
         .inner = {VKMM_I8, VKMM_I32, VKMM_I32},
         .pieces = "residues",
         .looks = "scale",
         .packs = "residues",
         .of = ", each by another modulus",
         .finishes = "finish",
         .needs_depth = 1},
        {.name = "w8a8",
         .types = {VKMM_F16, VKMM_BF16},
         .titles = {"f16 (w8a8)", "bf16 (w8a8)"},
         .inner = {VKMM_I8, VKMM_I32, VKMM_I32},
         .products = 1,
         .pieces = "bytes",
         .packs = "quantize",
         .of = "",
         .finishes = "reduce",
         .needs_depth = 1,
         .binds_packed = 1},
    };
    return method < VKMM_METHOD_COUNT ? &methods[method] : NULL;
}

vkmm_method vkmm_method_where(int has_f64, const vkmm_problem *problem)
{
    return problem->type == VKMM_F64 && !has_f64 && problem->method == VKMM_COMPUTE_DIRECT ? VKMM_COMPUTE_MODULAR
                                                                                           : problem->method;
}

vkmm_types vkmm_problem_inner(const vkmm_problem *problem, const vkmm_kernel_info *kernel, uint32_t *products)
{
    const vkmm_method_info *method = vkmm_method_at(problem->method);
    vkmm_types types = method->inner;
    *products = method->products > 0 ? method->products : vkmm_modular_range_of(problem->type)->usual;
    if (types.in == VKMM_AUTO) return vkmm_problem_types(problem);
    if (kernel && kernel->products > 0) types.in = kernel->residues;
    if (kernel && kernel->moduli > 0) *products = kernel->products > 0 ? kernel->products : kernel->moduli;
    return types;
}
