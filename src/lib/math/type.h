/* Element types. */
#pragma once

#include "vkmatmul.h"

typedef struct vkmm_type_info {
    const char *name;    /* "f32" */
    const char *rocblas; /* "f32_r", the spelling of rocblas-bench */
    const char *glsl;    /* "float" */
    uint32_t bytes;
    int is_float;
    int digits;        /* significant decimal digits that tell any two values apart */
    const char *tag;   /* "F32", the spelling of safetensors files */
    double epsilon;    /* spacing of 1: 2^-23, 2^-52, f16 2^-10, bf16 2^-7, e4m3 2^-3, e5m2 2^-2; 0 for integers */
    double min_normal; /* smallest normal magnitude; 0 for integers */
    struct {
        int exponent_bits, fraction_bits, has_infinity; /* math/half.h */
    } narrow;                                           /* zeros, unless it is a float of fewer bytes than f32 */
} vkmm_type_info;

/* Static storage. VKMM_AUTO and invalid values have 0 bytes. */
const vkmm_type_info *vkmm_type_of(vkmm_type type);

/* Whether it is a float of fewer bytes than f32: its values are rounded to few digits, in a small range. */
int vkmm_type_is_narrow(vkmm_type type);

/* Accepts either spelling, not "auto": 1 and *type, or 0. */
int vkmm_type_parse(const char *name, vkmm_type *type);

/* A supported combination of types: of A and B, of C, of the sums. */
typedef struct vkmm_types {
    vkmm_type in, out, compute;
} vkmm_types;

/* All of them (the table of vkmm_problem), those of one `in` together, the default first; NULL past the end. Static
 * storage. */
const vkmm_types *vkmm_types_at(uint32_t index);

/* The default for A and B of a type (all AUTO if the type is invalid); whether the table has a combination.
 */
vkmm_types vkmm_types_default(vkmm_type in);
int vkmm_types_legal(vkmm_types types);

/* The type in which α, β, the bias and the activation are computed, and in which the workspace holds the parts of a
 * split K: f32, f64, i32 or u32. f32 where sums of integers are scaled to a float. */
vkmm_type vkmm_types_scale(vkmm_types types);

/* "none", "relu", "gelu"; NULL past the end. Static storage. */
const char *vkmm_activation_name(uint32_t activation);

/* x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))): VKMM_GELU. The verification has a formula of its own. */
double vkmm_gelu(double x);

/* Bytes to and from the type, one element; rounded as math/half.h has it. Integers: modulo 2^32 (2^8); value is
 * whole. */
double vkmm_type_get(vkmm_type type, const void *element);
void vkmm_type_put(vkmm_type type, void *element, double value);

/* The number of entries of vkmm_types_at. */
#define VKMM_TYPES_COUNT 19

/* The index of vkmm_types_at; VKMM_TYPES_COUNT for a combination that is not in the table. */
uint32_t vkmm_types_index(vkmm_types types);
int vkmm_types_equal(vkmm_types a, vkmm_types b);

/* The type of A and B if the rest follows from it; otherwise also the types of C and of the sums: "f16", "f16→f32",
 * "f32 (sum f16)", "f16→f32 (sum f16)"; "->" without utf8. Static storage. */
const char *vkmm_types_name(vkmm_types types, int utf8);

/* ---- the element types of matrix units ---- */

/* "f16", "f32", "i8", "u8", "bf16" …; "type 1000491000" for one without a name. Static storage, or `text`. */
const char *vkmm_component_name(uint32_t component, char text[32]);

/* 1 and *component for a name that vkmm_component_name gives, or 0. */
int vkmm_component_parse(const char *name, uint32_t *component);

/* The element type of matrices of a type; UINT32_MAX where there is none. */
uint32_t vkmm_component_of(vkmm_type type);

/* One word for each bit VKMM_MATRIX2_*, by its place: "workgroup" …; NULL past the last. Static storage. */
const char *vkmm_matrix2_name(uint32_t bit);
