#include "math/modular.h"

#include <math.h>

enum { ONE = 1087, NOT_FINITE = 0xffff };

const vkmm_modular_range *vkmm_modular_range_of(vkmm_type type)
{
    static const vkmm_modular_range f64 = {13, VKMM_MODULAR_USUAL, VKMM_MODULAR_MOST, 60}, f32 = {8, 10, 11, 31};
    return type == VKMM_F32 ? &f32 : &f64;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b > 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void vkmm_modular_numbers(uint32_t bits, uint32_t count, uint32_t numbers[VKMM_MODULAR_MOST])
{
    for (uint32_t n = 0, next = 1u << bits; n < count; next--) {
        uint32_t i = 0;
        while (i < n && common_divisor(next, numbers[i]) == 1) i++;
        if (i == n) numbers[n++] = next;
    }
}

/* Π/2, but for 2^-8 of it: quotients by Π are rounded from sums that are good to 2^-10. */
static double half_product(uint32_t bits, uint32_t count)
{
    uint32_t moduli[VKMM_MODULAR_MOST];
    double product = 0.5 * (1 - 0x1p-8);
    vkmm_modular_numbers(bits, count, moduli);
    for (uint32_t i = 0; i < count; i++) product *= moduli[i];
    return product;
}

/* A residue is at most 2^(bits - 1). Where sums reach 2^31 the modulus is a power of two, and what is lost does not
 * matter. */
uint32_t vkmm_modular_bits(uint64_t depth)
{
    uint32_t bits = 11;
    while (depth > 1ull << (33 - 2 * bits)) bits--;
    return bits;
}

uint32_t vkmm_modular_products(uint32_t bits, uint32_t moduli)
{
    const double enough = half_product(8, moduli);
    uint32_t numbers[VKMM_MODULAR_MOST], count = 0;
    vkmm_modular_numbers(bits, VKMM_MODULAR_MOST, numbers);
    for (double product = half_product(8, 0); product < enough; count++) product *= numbers[count];
    return count;
}

vkmm_modular_limit vkmm_modular_limit_of(uint32_t count)
{
    int exponent;
    const double fraction = frexp(half_product(8, count), &exponent); /* from 1/2 to 1 */
    const int power = (exponent - 1) / 2;
    return (vkmm_modular_limit){(uint32_t)power, (float)ldexp(fraction, exponent - 2 * power)};
}

/* The levels of vkmm_modular_line.shares (shaders/lib/modular.glsl). */
static const double levels[VKMM_MODULAR_LEVELS] = {1, 1.5, 2, 3, 4, 6, 9};

/* With P = log2 √(Π/2), rounding changes an element by at most 2^-P of its line's norm, which is √K·2^-P of the root
 * mean square; SLACK covers the device's roundings. Each operand may cost half of √K·2^-52·Σ|a||b|, which is 53 bits.
 */
#define HALF  53.0
#define SLACK 0.01

/* Bits that the lines of one operand need, at most. */
typedef struct needs {
    double exact;                         /* for no line to be rounded */
    double own;                           /* for no element to lose more than its part of the error */
    uint32_t shares[VKMM_MODULAR_LEVELS]; /* of the line that has least */
    int whole, finite;
} needs;

static uint32_t byte_of(const vkmm_modular_line *line, int byte)
{
    return line->shares[byte / 4] >> 8 * (byte % 4) & 0xff;
}

static needs needs_of(const vkmm_modular_line *lines, uint64_t count)
{
    needs n = {.whole = 1, .finite = 1};
    for (int l = 0; l < VKMM_MODULAR_LEVELS; l++) n.shares[l] = 255;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t highest = lines[i].bits >> 16, lowest = lines[i].bits & 0xffff,
                       range = byte_of(&lines[i], VKMM_MODULAR_LEVELS);
        if (highest == NOT_FINITE) n.finite = 0;
        if (highest == 0) continue;
        const double exact = (int)(highest - lowest) + 0.5 * log2((double)lines[i].squares);
        n.exact = fmax(n.exact, exact);
        n.own = fmax(n.own, range < 255 ? fmin(exact, HALF + range / 8.0) : exact);
        if (lowest < ONE || highest > ONE + 53) n.whole = 0;
        for (int l = 0; l < VKMM_MODULAR_LEVELS; l++) {
            const uint32_t share = byte_of(&lines[i], l);
            if (share < n.shares[l]) n.shares[l] = share;
        }
    }
    return n;
}

/* If a share f of each row of A is at least 2^-s of its root mean square, and a share g of each column of B at least
 * 2^-t, then both factors are in a share f + g - 1 of the terms of any element of C. */
static double overlap_of(const needs *a, const needs *b)
{
    double least = INFINITY;
    for (int s = 0; s < VKMM_MODULAR_LEVELS; s++)
        for (int t = 0; t < VKMM_MODULAR_LEVELS; t++) {
            const double both = ((double)a->shares[s] + b->shares[t]) / 255 - 1;
            if (both > 0) least = fmin(least, levels[s] + levels[t] - log2(both));
        }
    return HALF + least;
}

double vkmm_modular_room(uint32_t moduli)
{
    return 0.5 * log2(half_product(8, moduli)) - SLACK;
}

uint32_t vkmm_modular_needs(const vkmm_modular_line *a, uint64_t a_count, const vkmm_modular_line *b, uint64_t b_count)
{
    const needs of_a = needs_of(a, a_count), of_b = needs_of(b, b_count);
    const double overlap = overlap_of(&of_a, &of_b),
                 bits = of_a.whole && of_b.whole ? fmax(of_a.exact, of_b.exact)
                                                 : fmax(fmin(of_a.own, overlap), fmin(of_b.own, overlap));
    uint32_t count = VKMM_MODULAR_USUAL;
    if (!of_a.finite || !of_b.finite) return UINT32_MAX;
    while (count <= VKMM_MODULAR_MOST && vkmm_modular_room(count) < bits) count++;
    return count;
}

uint32_t vkmm_modular_holds(const vkmm_modular_range *range, const vkmm_modular_line *lines, uint64_t count)
{
    uint32_t moduli = range->fewest;
    double bits = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t highest = lines[i].bits >> 16, digits = highest - (lines[i].bits & 0xffff);
        if (highest == 0 || highest == NOT_FINITE) continue;
        bits = fmax(bits, fmin(digits, range->unit) + 0.5 * log2((double)lines[i].squares));
    }
    while (moduli < range->most && vkmm_modular_room(moduli) < bits) moduli++;
    return moduli;
}
