/* f64, and f32 in reproducible products, as integers that are multiplied modulo several small numbers, which devices
 * multiply as bytes (doc/precision.md; Ozaki, Uchino, Imamura, arXiv:2504.08009). How many moduli a product needs, from
 * what the device found in its lines: the rows of A and the columns of B. */
#pragma once

#include "math/type.h"

enum {
    VKMM_MODULAR_USUAL = 15,                        /* vkmm_modular_range.usual of f64 */
    VKMM_MODULAR_MOST = 18,                         /* of any type */
    VKMM_MODULAR_TABLE = VKMM_MODULAR_MOST * 4 + 2, /* lines follow a table of the moduli, of so many of their size */
    VKMM_MODULAR_DEPTH = (1 << 17) - 1, /* the largest K: its products of bytes, each at most 2^14, fit into 31 bits */
    VKMM_MODULAR_LEVELS = 7             /* vkmm_modular_line.shares */
};

typedef struct vkmm_modular_range {
    uint32_t fewest, usual, most; /* moduli; usual: what data needs whose magnitudes are alike */
    uint32_t unit; /* a reproducible product's integers: its elements in units of 2^-unit of their line's highest power
                      of two, or of the lowest bit in the line, if that is larger */
} vkmm_modular_range;

/* For VKMM_F64 or VKMM_F32. Static storage. */
const vkmm_modular_range *vkmm_modular_range_of(vkmm_type type);

/* The largest numbers up to 2^bits that are coprime in pairs: the moduli. */
void vkmm_modular_numbers(uint32_t bits, uint32_t count, uint32_t numbers[VKMM_MODULAR_MOST]);

/* Residues in words may have more than 8 bits: so many that a sum of `depth` products fits into 32 bits, at most 11
 * (shaders/lib/modular.glsl). And how many such moduli hold what `moduli` of 8 bits hold. */
uint32_t vkmm_modular_bits(uint64_t depth);
uint32_t vkmm_modular_products(uint32_t bits, uint32_t moduli);

/* As shaders/lib/modular.glsl has it, after the second look. The root mean square counts zeros too, and is a little
 * more. A line of zeros has 0 for its highest bit; nothing else of it counts. */
typedef struct vkmm_modular_line {
    /* Bytes, the lowest first: for 7 levels, 255 times the share of elements that are at least 2^-level of the root
     * mean square, rounded down; and 8·log2(root mean square / smallest element but 0), rounded up, from 0 to 255. */
    uint32_t shares[2];
    float squares; /* Σx², in units of the square of the largest power of two in the line, and a little more */
    uint32_t bits; /* the exponents of the highest bit (<< 16) and of the lowest one of all elements, both plus 1087 */
} vkmm_modular_line;

/* The Euclidean norm of a line of integers is at most √limit·2^power: the products of two lines are then between -Π/2
 * and Π/2, Π being the product of so many moduli of 8 bits. 1 ≤ limit < 4; 0: units of
 * 2^-power, as vkmm_modular_range.unit. */
typedef struct vkmm_modular_limit {
    uint32_t power;
    float limit;
} vkmm_modular_limit;
vkmm_modular_limit vkmm_modular_limit_of(uint32_t moduli);

/* Bits for which so many moduli of 8 bits suffice: those that the lines of A and B need (shaders/modular_decide.comp
 * compares them on the device). */
double vkmm_modular_room(uint32_t moduli);

/* How many moduli the product of these lines needs, at least VKMM_MODULAR_USUAL: products of integers are exact, and
 * the sum of each other element is wrong by at most √K·2^-52·Σ|a||b| before it is rounded, K being the lines' length
 * (doc/precision.md derives it). Beyond VKMM_MODULAR_MOST: residues cannot promise that; UINT32_MAX: an element is
 * infinite or a NaN. */
uint32_t vkmm_modular_needs(const vkmm_modular_line *a, uint64_t a_count, const vkmm_modular_line *b, uint64_t b_count);

/* How many moduli of its range hold a reproducible product of these lines; the most hold any. The integers, and so
 * every bit of the result, do not depend on it. Lines with infinities and NaNs do not count. */
uint32_t vkmm_modular_holds(const vkmm_modular_range *range, const vkmm_modular_line *lines, uint64_t count);
