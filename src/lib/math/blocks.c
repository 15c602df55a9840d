/* Blocks of quantised elements, as shaders/lib/blocks.glsl reads them. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "math/half.h"
#include "math/problem.h"

/* After `head` bytes of scales come the codes. Two rows of `step` neighbours share their bytes, the first in the lower
 * four bits; codes of 8 bits have a byte each. A scale is for `group` elements. */
typedef struct layout {
    vkmm_format_info info;
    uint32_t head, step, group;
} layout;

static const layout layouts[VKMM_FORMAT_COUNT] = {
    [VKMM_PLAIN] = {{"plain", 1, 0}, 0, 0, 1},     [VKMM_Q8_0] = {{"q8_0", 32, 34}, 2, 0, 32},
    [VKMM_Q4_0] = {{"q4_0", 32, 18}, 2, 16, 32},   [VKMM_Q4_K] = {{"q4_K", 256, 144}, 16, 32, 32},
    [VKMM_MXFP4] = {{"mxfp4", 32, 17}, 1, 16, 32}, [VKMM_NVFP4] = {{"nvfp4", 64, 36}, 4, 8, 16},
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

/* The scale and the negative offset of the elements of group g: those of Q4_K have the lower four bits of the last
 * groups in eight bytes, and the upper two beside those of the first groups. */
static void scale_of(vkmm_format format, const unsigned char *block, uint32_t g, float *scale, float *offset)
{
    const unsigned char *six = block + 4;
    *offset = 0;
    *scale = f16_at(block); /* Q8_0, Q4_0 */
    if (format == VKMM_MXFP4) *scale = block[0] == 255 ? NAN : ldexpf(1, block[0] - 127);
    if (format == VKMM_NVFP4) *scale = vkmm_e4m3_value(block[g]);
    if (format != VKMM_Q4_K) return;
    const int s = g < 4 ? six[g] & 63 : (six[g + 4] & 15) | six[g - 4] >> 6 << 4,
              t = g < 4 ? six[g + 4] & 63 : six[g + 4] >> 4 | six[g] >> 6 << 4;
    *scale = f16_at(block) * (float)s;
    *offset = f16_at(block + 2) * (float)t;
}

/* The first of the two elements whose codes begin at byte `at`. */
static uint32_t element_at(const layout *l, uint32_t at)
{
    return l->step == 0 ? at : at / l->step * 2 * l->step + at % l->step;
}

static float value_of(vkmm_format format, uint32_t code)
{
    if (format == VKMM_Q8_0) return (int8_t)code;
    if (format == VKMM_Q4_0) return (float)code - 8;
    if (format == VKMM_Q4_K) return (float)code;
    return code & 8 ? -magnitudes[code & 7] : magnitudes[code];
}

void vkmm_blocks_decode(vkmm_format format, const void *blocks, uint64_t count, float *elements)
{
    const layout *l = &layouts[format];
    const unsigned char *block = blocks;
    if (l->info.bytes == 0 || count % l->info.elements != 0) return;
    for (uint64_t i = 0; i < count; i += l->info.elements, block += l->info.bytes)
        for (uint32_t at = 0; at < l->info.bytes - l->head; at++) {
            const uint32_t first = element_at(l, at), code = block[l->head + at];
            for (uint32_t half = 0; half < (l->step > 0 ? 2 : 1); half++) {
                const uint32_t e = first + half * l->step;
                float scale, offset;
                scale_of(format, block, e / l->group, &scale, &offset);
                /* Both products are exact. */
                elements[i + e] = scale * value_of(format, l->step == 0 ? code : code >> 4 * half & 15) - offset;
            }
        }
}

static float clamped(float value, float least, float most)
{
    return value < least ? least : value > most ? most : value;
}

static uint32_t code_of(vkmm_format format, float x)
{
    uint32_t code = x < 0 ? 8 : 0;
    if (format == VKMM_Q8_0) return (uint32_t)(int32_t)clamped(rintf(x), -127, 127) & 255;
    if (format == VKMM_Q4_0) return (uint32_t)clamped(rintf(x) + 8, 0, 15);
    if (format == VKMM_Q4_K) return (uint32_t)clamped(rintf(x), 0, 15);
    for (size_t i = 0; i < VKMM_COUNT(halfway); i++) code += fabsf(x) > halfway[i];
    return code;
}

/* The scales of Q4_K: those of its groups, and their offsets, are multiples of two f16. */
static void put_scales(unsigned char *block, const float *least, const float *most)
{
    float d = 0, e = 0;
    for (int g = 0; g < 8; g++) {
        d = fmaxf(d, (most[g] - fminf(least[g], 0)) / 15 / 63);
        e = fmaxf(e, -least[g] / 63);
    }
    put_f16(block, d);
    put_f16(block + 2, e);
    d = f16_at(block), e = f16_at(block + 2);
    for (int g = 0; g < 8; g++) {
        const float range = (most[g] - fminf(least[g], 0)) / 15;
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

static void put_scale(vkmm_format format, unsigned char *block, uint32_t g, float least, float most)
{
    const float size = fmaxf(-least, most);
    int exponent;
    if (format == VKMM_Q8_0) put_f16(block, size / 127);
    if (format == VKMM_Q4_0) put_f16(block, (size == most ? -most : size) / 8); /* of the code 0, which is -8 */
    if (format == VKMM_NVFP4) block[g] = (unsigned char)vkmm_narrow_bits(fminf(size / 6, 448), 4, 3, 0);
    if (format != VKMM_MXFP4) return;
    frexpf(size, &exponent); /* OCP: the largest power of two in the block over that in e2m1, which is 4 */
    block[0] = (unsigned char)(size > 0 ? clamped((float)(exponent - 3 + 127), 0, 254) : 0);
}

static void encode(vkmm_format format, const float *x, unsigned char *block)
{
    const layout *l = &layouts[format];
    float least[8], most[8], scale, offset;
    int finite = 1;
    memset(block, 0, l->info.bytes);
    for (uint32_t i = 0; i < l->info.elements; i++) finite &= isfinite(x[i]) != 0;
    if (!finite) {
        memset(block, 255, l->head); /* a NaN in every format */
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
    if (format == VKMM_Q4_K) put_scales(block, least, most);
    for (uint32_t at = 0; at < l->info.bytes - l->head; at++)
        for (uint32_t half = 0; half < (l->step > 0 ? 2 : 1); half++) {
            const uint32_t e = element_at(l, at) + half * l->step;
            scale_of(format, block, e / l->group, &scale, &offset);
            const uint32_t code = code_of(format, scale != 0 ? (x[e] + offset) / scale : 0);
            block[l->head + at] |= (unsigned char)(code << (half > 0 ? 4 : 0));
        }
}

void vkmm_blocks_encode(vkmm_format format, const float *elements, uint64_t count, void *blocks)
{
    const vkmm_format_info *info = vkmm_format_at(format);
    if (!info || info->bytes == 0 || count % info->elements != 0) return;
    for (uint64_t i = 0; i < count; i += info->elements)
        encode(format, elements + i, (unsigned char *)blocks + i / info->elements * info->bytes);
}
