#include "math/type.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "math/half.h"

static const vkmm_type_info types[VKMM_TYPE_COUNT] = {
    [VKMM_AUTO] = {"auto", "auto", "", 0, 0, 0, NULL, 0.0, 0.0},
    [VKMM_F32] = {"f32", "f32_r", "float", 4, 1, 9, "F32", FLT_EPSILON, FLT_MIN},
    [VKMM_F64] = {"f64", "f64_r", "double", 8, 1, 17, "F64", DBL_EPSILON, DBL_MIN},
    [VKMM_I32] = {"i32", "i32_r", "int", 4, 0, 10, "I32", 0.0, 0.0},
    [VKMM_U32] = {"u32", "u32_r", "uint", 4, 0, 10, "U32", 0.0, 0.0},
    [VKMM_F16] = {"f16", "f16_r", "float16_t", 2, 1, 5, "F16", 0x1p-10, 0x1p-14, {5, 10, 1}},
    [VKMM_BF16] = {"bf16", "bf16_r", "bfloat16_t", 2, 1, 4, "BF16", 0x1p-7, FLT_MIN, {8, 7, 1}},
    [VKMM_I8] = {"i8", "i8_r", "int8_t", 1, 0, 3, "I8", 0.0, 0.0},
    [VKMM_U8] = {"u8", "u8_r", "uint8_t", 1, 0, 3, "U8", 0.0, 0.0},
    [VKMM_E4M3] = {"e4m3", "e4m3_r", "", 1, 1, 2, "F8_E4M3", 0x1p-3, 0x1p-6, {4, 3, 0}},
    [VKMM_E5M2] = {"e5m2", "e5m2_r", "", 1, 1, 2, "F8_E5M2", 0x1p-2, 0x1p-14, {5, 2, 1}},
};

const vkmm_type_info *vkmm_type_of(vkmm_type type)
{
    return &types[(unsigned)type < VKMM_TYPE_COUNT ? type : VKMM_AUTO];
}

int vkmm_type_is_narrow(vkmm_type type)
{
    const vkmm_type_info *info = vkmm_type_of(type);
    return info->is_float && info->bytes < sizeof(float);
}

int vkmm_type_parse(const char *name, vkmm_type *type)
{
    for (int i = VKMM_F32; i < VKMM_TYPE_COUNT; i++) {
        if (strcmp(name, types[i].name) != 0 && strcmp(name, types[i].rocblas) != 0) continue;
        *type = (vkmm_type)i;
        return 1;
    }
    return 0;
}

static const struct {
    vkmm_types types;
    const char *utf8, *ascii; /* a test holds them against the rule by which they are made */
} combinations[VKMM_TYPES_COUNT] = {
    {{VKMM_F32, VKMM_F32, VKMM_F32}, "f32", "f32"},
    {{VKMM_F32, VKMM_F32, VKMM_F16}, "f32 (sum f16)", "f32 (sum f16)"},
    {{VKMM_F64, VKMM_F64, VKMM_F64}, "f64", "f64"},
    {{VKMM_I32, VKMM_I32, VKMM_I32}, "i32", "i32"},
    {{VKMM_U32, VKMM_U32, VKMM_U32}, "u32", "u32"},
    {{VKMM_F16, VKMM_F16, VKMM_F32}, "f16", "f16"},
    {{VKMM_F16, VKMM_F32, VKMM_F32}, "f16→f32", "f16->f32"},
    {{VKMM_F16, VKMM_F16, VKMM_F16}, "f16 (sum f16)", "f16 (sum f16)"},
    {{VKMM_F16, VKMM_F32, VKMM_F16}, "f16→f32 (sum f16)", "f16->f32 (sum f16)"},
    {{VKMM_BF16, VKMM_BF16, VKMM_F32}, "bf16", "bf16"},
    {{VKMM_BF16, VKMM_F32, VKMM_F32}, "bf16→f32", "bf16->f32"},
    {{VKMM_I8, VKMM_I32, VKMM_I32}, "i8", "i8"},
    {{VKMM_U8, VKMM_U32, VKMM_U32}, "u8", "u8"},
    {{VKMM_E4M3, VKMM_F32, VKMM_F32}, "e4m3", "e4m3"},
    {{VKMM_E4M3, VKMM_F16, VKMM_F32}, "e4m3→f16", "e4m3->f16"},
    {{VKMM_E4M3, VKMM_BF16, VKMM_F32}, "e4m3→bf16", "e4m3->bf16"},
    {{VKMM_E5M2, VKMM_F32, VKMM_F32}, "e5m2", "e5m2"},
    {{VKMM_E5M2, VKMM_F16, VKMM_F32}, "e5m2→f16", "e5m2->f16"},
    {{VKMM_E5M2, VKMM_BF16, VKMM_F32}, "e5m2→bf16", "e5m2->bf16"},
};

const vkmm_types *vkmm_types_at(uint32_t index)
{
    return index < VKMM_TYPES_COUNT ? &combinations[index].types : NULL;
}

vkmm_types vkmm_types_default(vkmm_type in)
{
    for (uint32_t i = 0; i < VKMM_TYPES_COUNT; i++)
        if (combinations[i].types.in == in) return combinations[i].types;
    return (vkmm_types){VKMM_AUTO, VKMM_AUTO, VKMM_AUTO};
}

int vkmm_types_equal(vkmm_types a, vkmm_types b)
{
    return a.in == b.in && a.out == b.out && a.compute == b.compute;
}

uint32_t vkmm_types_index(vkmm_types of)
{
    uint32_t i = 0;
    while (i < VKMM_TYPES_COUNT && !vkmm_types_equal(combinations[i].types, of)) i++;
    return i;
}

int vkmm_types_legal(vkmm_types wanted)
{
    return vkmm_types_index(wanted) < VKMM_TYPES_COUNT;
}

const char *vkmm_types_name(vkmm_types of, int utf8)
{
    const uint32_t i = vkmm_types_index(of);
    if (i == VKMM_TYPES_COUNT) return vkmm_type_of(of.in)->name;
    return utf8 ? combinations[i].utf8 : combinations[i].ascii;
}

vkmm_type vkmm_types_scale(vkmm_types of)
{
    const int is_scaled = types[of.out].is_float && !types[of.compute].is_float;
    return of.compute == VKMM_F16 || is_scaled ? VKMM_F32 : of.compute;
}

const char *vkmm_activation_name(uint32_t activation)
{
    static const char *const names[VKMM_ACTIVATION_COUNT] = {"none", "relu", "gelu"};
    return activation < VKMM_ACTIVATION_COUNT ? names[activation] : NULL;
}

double vkmm_type_get(vkmm_type type, const void *element)
{
    union {
        float f32;
        double f64;
        int32_t i32;
        uint32_t u32;
        int8_t i8;
    } value = {.u32 = 0};
    const vkmm_type_info *info = vkmm_type_of(type);
    memcpy(&value, element, info->bytes);
    if (vkmm_type_is_narrow(type))
        return (double)vkmm_narrow_value(value.u32, info->narrow.exponent_bits, info->narrow.fraction_bits,
                                         info->narrow.has_infinity);
    if (info->is_float) return type == VKMM_F64 ? value.f64 : (double)value.f32;
    return type == VKMM_I32 ? value.i32 : type == VKMM_I8 ? value.i8 : (double)value.u32;
}

void vkmm_type_put(vkmm_type type, void *element, double value)
{
    const vkmm_type_info *info = vkmm_type_of(type);
    const float single = (float)value;
    const void *bits = &single;
    uint32_t word = 0;
    if (type == VKMM_F64) bits = &value;
    if (!info->is_float) word = (uint32_t)(int64_t)value, bits = &word;
    if (vkmm_type_is_narrow(type)) {
        word =
            vkmm_narrow_bits(value, info->narrow.exponent_bits, info->narrow.fraction_bits, info->narrow.has_infinity);
        bits = &word;
    }
    memcpy(element, bits, info->bytes);
}

double vkmm_gelu(double x)
{
    return x / 2.0 * (1.0 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

/* Named by their numbers: older Vulkan headers lack some. */
static const struct {
    uint32_t component;
    const char *name;
} components[] = {
    {0, "f16"},
    {1, "f32"},
    {2, "f64"},
    {3, "i8"},
    {4, "i16"},
    {5, "i32"},
    {6, "i64"},
    {7, "u8"},
    {8, "u16"},
    {9, "u32"},
    {10, "u64"},
    {1000141000, "bf16"},
    {1000491002, "fp8-e4m3"},
    {1000491003, "fp8-e5m2"},
};

const char *vkmm_component_name(uint32_t component, char text[32])
{
    for (size_t i = 0; i < VKMM_COUNT(components); i++)
        if (components[i].component == component) return components[i].name;
    snprintf(text, 32, "type %u", component);
    return text;
}

int vkmm_component_parse(const char *name, uint32_t *component)
{
    char again[32];
    for (size_t i = 0; i < VKMM_COUNT(components); i++) {
        if (strcmp(components[i].name, name) != 0) continue;
        *component = components[i].component;
        return 1;
    }
    if (strncmp(name, "type ", 5) != 0) return 0;
    const uint32_t number = (uint32_t)strtoul(name + 5, NULL, 10);
    if (strcmp(vkmm_component_name(number, again), name) != 0) return 0;
    *component = number;
    return 1;
}

/* Both are named alike. */
uint32_t vkmm_component_of(vkmm_type type)
{
    uint32_t component = UINT32_MAX;
    vkmm_component_parse(vkmm_type_of(type)->name, &component);
    return component;
}

const char *vkmm_matrix2_name(uint32_t bit)
{
    static const char *const words[] = {"workgroup",  "flexible",  "tensor",  "block",
                                        "conversion", "reduction", "elements"};
    return bit < VKMM_COUNT(words) ? words[bit] : NULL;
}
