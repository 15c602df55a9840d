#include "math/types_name.h"

/* In the order of vkmm_types_at; a test holds them against the rule by which they are made. */
static const struct {
    const char *utf8, *ascii;
} names[VKMM_TYPES_COUNT] = {
    {"f32", "f32"},
    {"f32 (sum f16)", "f32 (sum f16)"},
    {"f64", "f64"},
    {"i32", "i32"},
    {"u32", "u32"},
    {"f16", "f16"},
    {"f16→f32", "f16->f32"},
    {"f16 (sum f16)", "f16 (sum f16)"},
    {"f16→f32 (sum f16)", "f16->f32 (sum f16)"},
    {"bf16", "bf16"},
    {"bf16→f32", "bf16->f32"},
    {"i8", "i8"},
    {"u8", "u8"},
};

uint32_t vkmm_types_index(vkmm_types types)
{
    uint32_t i = 0;

    while (vkmm_types_at(i) != NULL && !vkmm_types_equal(*vkmm_types_at(i), types)) i++;
    return i;
}

int vkmm_types_equal(vkmm_types a, vkmm_types b)
{
    return a.in == b.in && a.out == b.out && a.compute == b.compute;
}

const char *vkmm_types_name(vkmm_types types, int utf8)
{
    const uint32_t i = vkmm_types_index(types);

    if (i >= VKMM_TYPES_COUNT) return vkmm_type_of(types.in)->name;
    return utf8 ? names[i].utf8 : names[i].ascii;
}
