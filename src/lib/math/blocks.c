/* Blocks of quantised elements, as shaders/lib/blocks.glsl reads them. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "math/half.h"
#include "math/problem.h"
#include "math/type.h"

/* After `head` bytes of scales come the codes. Two rows of `step` neighbours share their bytes, the first in the lower
 * four bits; codes of 8 bits have a byte each. A scale is for `group` elements. `zero` is subtracted from codes, which
 * are integers up to `most`, or floats. Codes of 5 and 6 bits have the rest in bytes from `high` on. */
typedef struct layout {
    vkmm_format_info info;
    uint32_t head, step, group, zero, most, high;
    vkmm_type type; /* of floats of 8 bits */
} layout;

static const layout layouts[VKMM_FORMAT_COUNT] = {
    [VKMM_PLAIN] = {{"plain", 1, 0}, 0, 0, 1, 0, 0, 0, VKMM_AUTO},
    [VKMM_Q8_0] = {{"q8_0", 32, 34}, 2, 0, 32, 0, 127, 0, VKMM_AUTO},
    [VKMM_Q4_0] = {{"q4_0", 32, 18}, 2, 16, 32, 8, 15, 0, VKMM_AUTO},
    [VKMM_Q4_K] = {{"q4_K", 256, 144}, 16, 32, 32, 0, 15, 0, VKMM_AUTO},
    [VKMM_MXFP4] = {{"mxfp4", 32, 17}, 1, 16, 32, 0, 0, 0, VKMM_AUTO},
    [VKMM_NVFP4] = {{"nvfp4", 64, 36}, 4, 8, 16, 0, 0, 0, VKMM_AUTO},
    [VKMM_MXFP8_E4M3] = {{"mxfp8_e4m3", 32, 33}, 1, 0, 32, 0, 0, 0, VKMM_E4M3},
    [VKMM_MXFP8_E5M2] = {{"mxfp8_e5m2", 32, 33}, 1, 0, 32, 0, 0, 0, VKMM_E5M2},
    [VKMM_FP8_E4M3] = {{"fp8_e4m3", 128, 132}, 4, 0, 128, 0, 0, 0, VKMM_E4M3},
    [VKMM_FP8_E5M2] = {{"fp8_e5m2", 128, 132}, 4, 0, 128, 0, 0, 0, VKMM_E5M2},
    [VKMM_Q4_Z] = {{"q4_z", 128, 84}, 20, 16, 32, 0, 15, 0, VKMM_AUTO},
    [VKMM_Q8_Z] = {{"q8_z", 128, 148}, 20, 0, 32, 0, 255, 0, VKMM_AUTO},
    [VKMM_Q4_1] = {{"q4_1", 32, 20}, 4, 16, 32, 0, 15, 0, VKMM_AUTO},
    [VKMM_Q5_0] = {{"q5_0", 32, 22}, 6, 16, 32, 16, 31, 2, VKMM_AUTO},
    [VKMM_Q5_1] = {{"q5_1", 32, 24}, 8, 16, 32, 0, 31, 4, VKMM_AUTO},
    [VKMM_Q5_K] = {{"q5_K", 256, 176}, 48, 32, 32, 0, 31, 16, VKMM_AUTO},
    [VKMM_Q6_K] = {{"q6_K", 256, 210}, 0, 64, 16, 32, 63, 128, VKMM_AUTO},
};

/* The magnitudes of e2m1, and those halfway between neighbours. */
static const float magnitudes[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6},
                   halfway[] = {0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5};

const vkmm_format_info *vkmm_format_at(uint32_t format)
{
    return format < VKMM_FORMAT_COUNT ? &layouts[format].info : NULL;
}

static float f16_at(const unsigned char *bytes)
{
    return vkmm_f16_value((uint16_t)(bytes[0] | bytes[1] << 8));
}

static void put_f16(unsigned char *bytes, float value)
{
    const uint16_t bits = vkmm_f16_bits((double)value);
    bytes[0] = (unsigned char)bits;
    bytes[1] = (unsigned char)(bits >> 8);
}

static float f32_at(const unsigned char *bytes)
{
    float value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static int has_power(vkmm_format format)
{
    return format == VKMM_MXFP4 || format == VKMM_MXFP8_E4M3 || format == VKMM_MXFP8_E5M2;
}

static int has_zeros(vkmm_format format)
{
    return format == VKMM_Q4_Z || format == VKMM_Q8_Z;
}

/* An element is scale · (code - zero) - offset. */
typedef struct scaling {
    float scale, zero, offset;
} scaling;

/* The scaling of the elements of group g: Q4_K and Q5_K have the lower four bits of the last groups in eight bytes, and
 * the upper two beside those of the first groups. */
static scaling scaling_of(vkmm_format format, const unsigned char *block, uint32_t g)
{
    const unsigned char *six = block + 4;
    scaling s = {.zero = (float)layouts[format].zero};
    if (has_power(format)) {
        s.scale = block[0] == 255 ? NAN : ldexpf(1, block[0] - 127);
    } else if (format == VKMM_NVFP4) {
        s.scale = vkmm_e4m3_value(block[g]);
    } else if (layouts[format].type != VKMM_AUTO) {
        s.scale = f32_at(block);
    } else if (has_zeros(format)) {
        s.scale = f32_at(block + 4 * (size_t)g);
        s.zero = block[16 + g];
    } else if (format == VKMM_Q6_K) {
        s.scale = f16_at(block + 208) * (float)(int8_t)block[192 + g];
    } else if (format == VKMM_Q4_K || format == VKMM_Q5_K) {
        const int scale = g < 4 ? six[g] & 63 : (six[g + 4] & 15) | six[g - 4] >> 6 << 4,
                  offset = g < 4 ? six[g + 4] & 63 : six[g + 4] >> 4 | six[g] >> 6 << 4;
        s.scale = f16_at(block) * (float)scale;
        s.offset = f16_at(block + 2) * (float)offset;
    } else {
        s.scale = f16_at(block);
        if (format == VKMM_Q4_1 || format == VKMM_Q5_1) s.offset = -f16_at(block + 2);
    }
    return s;
}

/* The byte of element e's code among the codes, and its bits that precede. */
static uint32_t code_at(const layout *l, uint32_t e, uint32_t *shift)
{
    *shift = l->step == 0 ? 0 : e / l->step % 2 * 4;
    return l->step == 0 ? e : e / (2 * l->step) * l->step + e % l->step;
}

/* The same of the bits above 4; `mask` of them. */
static uint32_t high_at(vkmm_format format, uint32_t e, uint32_t *shift, uint32_t *mask)
{
    const int is_six = format == VKMM_Q6_K, is_k = is_six || format == VKMM_Q5_K;
    *mask = layouts[format].high == 0 ? 0 : is_six ? 3 : 1;
    *shift = is_six ? e % 128 / 32 * 2 : is_k ? e / 32 : e % 8;
    return layouts[format].high + (is_six ? e / 128 * 32 + e % 32 : is_k ? e % 32 : e / 8);
}

static uint32_t get_code(vkmm_format format, const unsigned char *block, uint32_t e)
{
    const layout *l = &layouts[format];
    uint32_t shift, high_shift, mask;
    const uint32_t at = code_at(l, e, &shift), high = high_at(format, e, &high_shift, &mask);
    const uint32_t code = (uint32_t)block[l->head + at] >> shift & (l->step == 0 ? 255 : 15);
    return mask == 0 ? code : code | ((uint32_t)block[high] >> high_shift & mask) << 4;
}

/* Into bits that are 0. */
static void put_code(vkmm_format format, unsigned char *block, uint32_t e, uint32_t code)
{
    const layout *l = &layouts[format];
    uint32_t shift, high_shift, mask;
    const uint32_t at = code_at(l, e, &shift), high = high_at(format, e, &high_shift, &mask);
    block[l->head + at] |= (unsigned char)((code & (l->step == 0 ? 255 : 15)) << shift);
    if (mask != 0) block[high] |= (unsigned char)((code >> 4 & mask) << high_shift);
}

static float value_of(vkmm_format format, uint32_t code)
{
    const vkmm_type type = layouts[format].type;
    if (type != VKMM_AUTO) return type == VKMM_E4M3 ? vkmm_e4m3_value((uint8_t)code) : vkmm_e5m2_value((uint8_t)code);
    if (format == VKMM_Q8_0) return (int8_t)code;
    if (layouts[format].most > 0) return (float)code;
    return code & 8 ? -magnitudes[code & 7] : magnitudes[code];
}

void vkmm_blocks_decode(vkmm_format format, const void *blocks, uint64_t count, float *elements)
{
    const layout *l = &layouts[format];
    const unsigned char *block = blocks;
    if (l->info.bytes == 0 || count % l->info.elements != 0) return;
    for (uint64_t i = 0; i < count; i += l->info.elements, block += l->info.bytes)
        for (uint32_t g = 0; g < l->info.elements; g += l->group) {
            const scaling s = scaling_of(format, block, g / l->group);
            for (uint32_t e = g; e < g + l->group; e++) /* where there is an offset, the product is exact */
                elements[i + e] = s.scale * (value_of(format, get_code(format, block, e)) - s.zero) - s.offset;
        }
}

static float clamped(float value, float least, float most)
{
    return value < least ? least : value > most ? most : value;
}

/* The largest magnitudes of floats of 8 bits, and their exponents. */
static float largest_of(vkmm_format format)
{
    return layouts[format].type == VKMM_E4M3 ? 448 : 57344;
}

/* The code of a quotient by the scale. */
static uint32_t code_of(vkmm_format format, float x, float zero)
{
    const layout *l = &layouts[format];
    uint32_t code = x < 0 ? 8 : 0;
    if (l->type != VKMM_AUTO) {
        const int is_e4m3 = l->type == VKMM_E4M3;
        return vkmm_narrow_bits(clamped(x, -largest_of(format), largest_of(format)), is_e4m3 ? 4 : 5, is_e4m3 ? 3 : 2,
                                !is_e4m3);
    }
    if (format == VKMM_Q8_0) return (uint32_t)(int32_t)clamped(rintf(x), -127, 127) & 255;
    if (l->most > 0) return (uint32_t)clamped(rintf(x) + zero, 0, (float)l->most);
    for (size_t i = 0; i < VKMM_COUNT(halfway); i++) code += fabsf(x) > halfway[i];
    return code;
}

/* The scales of Q4_K and Q5_K: those of its groups, and their offsets, are multiples of two f16. */
static void put_sixes(unsigned char *block, float steps, const float *least, const float *most)
{
    float d = 0, e = 0;
    for (int g = 0; g < 8; g++) {
        d = fmaxf(d, (most[g] - fminf(least[g], 0)) / steps / 63);
        e = fmaxf(e, -least[g] / 63);
    }
    put_f16(block, d);
    put_f16(block + 2, e);
    d = f16_at(block), e = f16_at(block + 2);
    for (int g = 0; g < 8; g++) {
        const float range = (most[g] - fminf(least[g], 0)) / steps;
        const int s = d > 0 ? (int)clamped(rintf(range / d), 0, 63) : 0,
                  t = e > 0 ? (int)clamped(rintf(-least[g] / e), 0, 63) : 0;
        unsigned char *six = block + 4;
        if (g < 4) six[g] |= (unsigned char)s, six[g + 4] |= (unsigned char)t;
        if (g < 4) continue;
        six[g + 4] |= (unsigned char)((s & 15) | (t & 15) << 4);
        six[g - 4] |= (unsigned char)(s >> 4 << 6);
        six[g] |= (unsigned char)(t >> 4 << 6);
    }
}

/* The scales of Q6_K, multiples of an f16, so that the code 0, which is -32, has the largest magnitude. */
static void put_bytes(unsigned char *block, const float *least, const float *most)
{
    float d = 0;
    for (int g = 0; g < 16; g++) d = fmaxf(d, fmaxf(-least[g], most[g]) / 32 / 127);
    put_f16(block + 208, d);
    d = f16_at(block + 208);
    for (int g = 0; g < 16; g++) {
        const float size = -least[g] > most[g] ? -least[g] : -most[g];
        block[192 + g] = (unsigned char)(int)(d > 0 ? clamped(rintf(size / 32 / d), -128, 127) : 0);
    }
}

static void put_scale(vkmm_format format, unsigned char *block, uint32_t g, float least, float most)
{
    const layout *l = &layouts[format];
    const float size = fmaxf(-least, most), half = (float)(l->most + 1) / 2;
    int exponent;
    if (format == VKMM_Q8_0) put_f16(block, size / 127);
    if (format == VKMM_Q4_0 || format == VKMM_Q5_0)
        put_f16(block, (size == most ? -most : size) / half); /* of the code 0 */
    if (format == VKMM_Q4_1 || format == VKMM_Q5_1) {
        put_f16(block, (most - least) / (float)l->most);
        put_f16(block + 2, least);
    }
    if (format == VKMM_NVFP4) block[g] = (unsigned char)vkmm_narrow_bits(fminf(size / 6, 448), 4, 3, 0);
    if (has_zeros(format)) {
        const float low = fminf(least, 0), scale = (fmaxf(most, 0) - low) / (float)l->most;
        memcpy(block + 4 * (size_t)g, &scale, sizeof scale);
        block[16 + g] = (unsigned char)(scale > 0 ? clamped(rintf(-low / scale), 0, (float)l->most) : 0);
    } else if (l->type != VKMM_AUTO && l->head == 4) {
        const float scale = size / largest_of(format);
        memcpy(block, &scale, sizeof scale);
    }
    if (!has_power(format)) return;
    frexpf(size, &exponent); /* OCP: the largest power of two in the block over that in the elements' format */
    exponent -= format == VKMM_MXFP4 ? 3 : l->type == VKMM_E4M3 ? 9 : 16;
    block[0] = (unsigned char)(size > 0 ? clamped((float)(exponent + 127), 0, 254) : 0);
}

static void encode(vkmm_format format, const float *x, unsigned char *block)
{
    const layout *l = &layouts[format];
    float least[16], most[16];
    int finite = 1;
    memset(block, 0, l->info.bytes);
    for (uint32_t i = 0; i < l->info.elements; i++) finite &= isfinite(x[i]) != 0;
    if (!finite) {
        memset(block, 255, l->info.bytes); /* a NaN in every format */
        return;
    }
    for (uint32_t g = 0; g < l->info.elements / l->group; g++) {
        least[g] = most[g] = x[g * l->group];
        for (uint32_t i = 1; i < l->group; i++) {
            least[g] = fminf(least[g], x[g * l->group + i]);
            most[g] = fmaxf(most[g], x[g * l->group + i]);
        }
        put_scale(format, block, g, least[g], most[g]);
    }
    if (format == VKMM_Q4_K || format == VKMM_Q5_K) put_sixes(block, (float)l->most, least, most);
    if (format == VKMM_Q6_K) put_bytes(block, least, most);
    for (uint32_t e = 0; e < l->info.elements; e++) {
        const scaling s = scaling_of(format, block, e / l->group);
        put_code(format, block, e, code_of(format, s.scale != 0 ? (x[e] + s.offset) / s.scale : 0, s.zero));
    }
}

void vkmm_blocks_encode(vkmm_format format, const float *elements, uint64_t count, void *blocks)
{
    const vkmm_format_info *info = vkmm_format_at(format);
    if (!info || info->bytes == 0 || count % info->elements != 0) return;
    for (uint64_t i = 0; i < count; i += info->elements)
        encode(format, elements + i, (unsigned char *)blocks + i / info->elements * info->bytes);
}

/* Formats that an array of codes and one of scales can become. */
static int can_join(vkmm_format format)
{
    return layouts[format].type != VKMM_AUTO || has_zeros(format) || has_power(format) || format == VKMM_NVFP4 ||
           format == VKMM_Q8_0 || format == VKMM_Q4_0;
}

/* 8 or 128; 0: codes are floats. */
static uint32_t middle_of(vkmm_format format)
{
    return layouts[format].most == 0 ? 0 : layouts[format].step > 0 ? 8 : 128;
}

static vkmm_status check_join(vkmm_format format, const vkmm_codes *c, uint64_t group)
{
    const layout *l = &layouts[format];
    const char *name = l->info.name;
    const int has_bytes = has_power(format) || format == VKMM_NVFP4;
    if (c->k == 0 || c->k % l->info.elements != 0)
        return vkmm_fail(VKMM_INVALID, "a row has %llu elements; a block of %s has %u", (unsigned long long)c->k, name,
                         l->info.elements);
    if (group % l->group != 0 || c->k % group != 0)
        return vkmm_fail(VKMM_INVALID, "a group has %llu of a row's %llu elements; %s has a scale for %u",
                         (unsigned long long)group, (unsigned long long)c->k, name, l->group);
    if (has_bytes ? c->scale_type != VKMM_U8
                  : c->scale_type != VKMM_F32 && c->scale_type != VKMM_F16 && c->scale_type != VKMM_BF16)
        return vkmm_fail(VKMM_INVALID, "scales of %s are %s", name, has_bytes ? "u8: their bits" : "f32, f16 or bf16");
    if (has_zeros(format) ? c->zero > 255 : c->zeros || (c->zero != 0 && c->zero != middle_of(format)))
        return vkmm_fail(VKMM_INVALID, "the zero point is %u%s; %s", c->zero, c->zeros ? " or one of an array" : "",
                         has_zeros(format)        ? "it has a byte"
                         : middle_of(format) == 0 ? "codes are floats"
                                                  : "blocks with zero points are q4_z and q8_z");
    return VKMM_OK;
}

/* A code as the format stores it. */
static vkmm_status join_code(vkmm_format format, const vkmm_codes *c, uint64_t at, unsigned char *block, uint32_t e)
{
    const uint32_t middle = middle_of(format), code = c->codes[at];
    const int is_signed = middle > 0 && c->zeros == NULL && c->zero == 0, has_four = layouts[format].step > 0;
    const uint32_t moved = is_signed ? (code + middle) & 255 : code; /* from the least one on */
    if (has_four && moved > 15)
        return vkmm_fail(VKMM_INVALID, "code %llu is %d; 4 bits are %s", (unsigned long long)at,
                         is_signed ? (int8_t)code : (int)code, is_signed ? "-8 to 7" : "0 to 15");
    put_code(format, block, e, format == VKMM_Q8_0 ? moved ^ 128 : moved);
    return VKMM_OK;
}

static vkmm_status join_scale(vkmm_format format, const vkmm_codes *c, uint64_t at, unsigned char *block, uint32_t g)
{
    const layout *l = &layouts[format];
    const float scale =
        c->scale_type == VKMM_U8
            ? 0
            : (float)vkmm_type_get(c->scale_type, (const char *)c->scales + at * vkmm_type_of(c->scale_type)->bytes);
    if (c->scale_type == VKMM_U8) {
        block[g] = ((const unsigned char *)c->scales)[at];
    } else if (has_zeros(format)) {
        const uint32_t zero = c->zeros ? c->zeros[at] : c->zero > 0 ? c->zero : middle_of(format);
        block[16 + g] = (unsigned char)zero;
        memcpy(block + 4 * (size_t)g, &scale, sizeof scale);
    } else if (l->type != VKMM_AUTO) {
        memcpy(block, &scale, sizeof scale);
    } else {
        put_f16(block, scale);
        if (!isnan(scale) && f16_at(block) != scale)
            return vkmm_fail(VKMM_INVALID, "scale %llu is %.9g, no f16, as %s has them; q4_z and q8_z have f32",
                             (unsigned long long)at, (double)scale, l->info.name);
    }
    return VKMM_OK;
}

vkmm_status vkmm_blocks_join(vkmm_format format, const vkmm_codes *codes, void *blocks)
{
    const vkmm_codes *c = codes;
    const vkmm_format_info *info = vkmm_format_at((uint32_t)format);
    unsigned char *block = blocks;
    VKMM_NEED(NULL, codes);
    if (c->rows == 0) return VKMM_OK;
    if (!info || !can_join(format))
        return vkmm_fail(VKMM_INVALID, "%s has more than a scale and a zero point for a group",
                         info ? info->name : "an unknown format");
    VKMM_NEED(NULL, c->codes);
    VKMM_NEED(NULL, c->scales);
    VKMM_NEED(NULL, blocks);
    VKMM_NEED_ZEROS(c->reserved);
    const uint64_t group = c->group > 0 ? c->group : c->k, band = c->band > 0 ? c->band : 1;
    const uint32_t scaled = layouts[format].group;
    vkmm_status status = check_join(format, c, group);
    for (uint64_t i = 0; i < c->rows * c->k && status == VKMM_OK; i++) {
        const uint32_t e = (uint32_t)(i % info->elements);
        if (e == 0) {
            block = (unsigned char *)blocks + i / info->elements * info->bytes;
            memset(block, 0, info->bytes);
        }
        if (e % scaled == 0)
            status = join_scale(format, c, i / c->k / band * (c->k / group) + i % c->k / group, block, e / scaled);
        if (status == VKMM_OK) status = join_code(format, c, i, block, e);
    }
    return status;
}
