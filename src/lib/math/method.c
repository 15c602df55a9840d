#include "math/method.h"

#include "math/modular.h"

const vkmm_method_info *vkmm_method_at(uint32_t method)
{
    static const vkmm_method_info methods[VKMM_METHOD_COUNT] = {
        {.name = "direct", .products = 1},
        {.name = "split",
         .title = "f32 (split)",
         .type = VKMM_F32,
         .inner = {VKMM_F16, VKMM_F32, VKMM_F32},
         .products = 3, /* hi·hi + hi·lo + lo·hi */
         .pieces = "parts",
         .packs = "split",
         .of = ""},
        {.name = "modular",
         .title = "f64 (modular)",
         .type = VKMM_F64,
         .inner = {VKMM_I8, VKMM_I32, VKMM_I32},
         .products = VKMM_MODULAR_USUAL,
         .pieces = "residues",
         .packs = "residues",
         .of = ", each by another modulus",
         .finishes = 1},
        {.name = "reproducible",
         .title = "f64 (reproducible)",
         .type = VKMM_F64,
         .inner = {VKMM_I8, VKMM_I32, VKMM_I32},
         .products = VKMM_MODULAR_USUAL,
         .pieces = "residues",
         .packs = "residues",
         .of = ", each by another modulus",
         .finishes = 1,
         .needs_depth = 1},
    };
    return method < VKMM_METHOD_COUNT ? &methods[method] : NULL;
}

vkmm_method vkmm_method_where(int has_f64, const vkmm_problem *problem)
{
    return problem->type == VKMM_F64 && !has_f64 && problem->method == VKMM_COMPUTE_DIRECT ? VKMM_COMPUTE_MODULAR
                                                                                           : problem->method;
}
