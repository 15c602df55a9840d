#include "math/modular.h"

#include <math.h>

enum { ONE = 1087, NOT_FINITE = 0xffff };

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

/* What the lines of one operand need, in bits; at most. */
typedef struct needs {
    double spread, geometric; /* vkmm_modular_line.means */
    double exact;             /* log2 of a norm of integers that are the elements without any rounding */
    int whole, finite;
} needs;

static needs needs_of(const vkmm_modular_line *lines, uint64_t count)
{
    needs n = {.whole = 1, .finite = 1};
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t highest = lines[i].bits >> 16, lowest = lines[i].bits & 0xffff;
        if (highest == NOT_FINITE) n.finite = 0;
        if (highest == 0) continue;
        n.spread = fmax(n.spread, (lines[i].means >> 16) / 64.0);
        n.geometric = fmax(n.geometric, (lines[i].means & 0xffff) / 16.0);
        n.exact = fmax(n.exact, (int)(highest - lowest) + 0.5 * log2((double)lines[i].squares));
        if (lowest < ONE || highest > ONE + 53) n.whole = 0;
    }
    return n;
}

/* With T = log2 √(Π/2), rounding elements to integers changes a sum by about 2^-T of the norms of its two lines.
 *   Sums in f64 differ by about 2^-53 of the sum of all magnitudes, which is smaller than the norms by both spreads,
 * unless A's rows and B's columns are large in different places. A quarter of that is asked for, because what counts is
 * the worst element.
 *   They differ by at most K times as much. The sum of magnitudes is never below the norms by more than the geometric
 * means are, so that asking for K·2^-53 with these gives the same guarantee wherever lines are large. (Zeros do not
 * count.) */
uint32_t vkmm_modular_needs(const vkmm_modular_line *a, uint64_t a_count, const vkmm_modular_line *b, uint64_t b_count,
                            uint64_t depth)
{
    const needs of_a = needs_of(a, a_count), of_b = needs_of(b, b_count);
    const double exact = fmax(of_a.exact, of_b.exact) + 1, usual = 53 + 2 + of_a.spread + of_b.spread,
                 sure = 53 + 1 + of_a.geometric + of_b.geometric - log2((double)depth), close = fmax(usual, sure),
                 bits = (of_a.whole && of_b.whole) || exact < close ? exact : close;
    uint32_t count = VKMM_MODULAR_USUAL;
    if (!of_a.finite || !of_b.finite) return UINT32_MAX;
    while (count <= VKMM_MODULAR_MOST && 0.5 * log2(half_product(8, count)) < bits) count++;
    return count;
}
