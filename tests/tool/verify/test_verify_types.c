/* Every combination of narrow types: what devices make of random numbers passes, and a wrong element, a missing
 * term, a dropped block of K and swapped rows do not. */
#include "sums.h"

enum { M = 20, N = 70, K = 512 };

static int is_new(const vkmm_types *types)
{
    return types->in >= VKMM_F16 || types->in != types->compute;
}

static const char *name_of(const vkmm_types *types)
{
    static char text[64];
    snprintf(text, sizeof text, "%s to %s in %s", vkmm_type_of(types->in)->name, vkmm_type_of(types->out)->name,
             vkmm_type_of(types->compute)->name);
    return text;
}

static void assert_passes(const sums *s, cli_verify_method method, cli_numbers numbers)
{
    const cli_verdict v = sums_verify(s, method, numbers);
    if (!v.passed) fail_msg("%s, K %u: %s", name_of(&s->types), (unsigned)s->p.k, v.sentence);
}

static void assert_fails(const sums *s, cli_verify_method method, const char *what)
{
    const cli_verdict v = sums_verify(s, method, CLI_NUMBERS_RANDOM);
    if (v.passed) fail_msg("%s, K %u: %s passed: %s", name_of(&s->types), (unsigned)s->p.k, what, v.sentence);
}

TEST(test_right_products_pass)
{
    static const uint64_t depths[] = {1, 3, 16, 130, K};
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        if (!is_new(vkmm_types_at(t))) continue;
        for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++) {
            for (int init = VKMM_INIT_UNIFORM; init <= VKMM_INIT_INT; init++) {
                sums s = sums_make(*vkmm_types_at(t), M, N, depths[d], (vkmm_init)init);
                for (int how = 0; how < WAYS; how++) {
                    sums_multiply(&s, (way)how, depths[d]);
                    assert_passes(&s, CLI_VERIFY_FULL, CLI_NUMBERS_RANDOM);
                    assert_passes(&s, CLI_VERIFY_FREIVALDS, CLI_NUMBERS_RANDOM);
                }
                sums_end(&s);
            }
        }
    }
}

/* 1, 2, 3, … of f16 and ones: with a pattern, cutting off has a direction. */
TEST(test_numbers_with_a_pattern_pass)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        if (!is_new(vkmm_types_at(t))) continue;
        for (int init = VKMM_INIT_ONES; init <= VKMM_INIT_INDEX; init++) {
            sums s = sums_make(*vkmm_types_at(t), 4, 5, 4000, (vkmm_init)init);
            for (int how = 0; how < WAYS; how++) {
                sums_multiply(&s, (way)how, s.p.k);
                assert_passes(&s, CLI_VERIFY_FULL, CLI_NUMBERS_ANY);
            }
            sums_end(&s);
        }
    }
}

/* One term of average size; f16 sums of more than 40 terms have errors of that size. */
TEST(test_a_missing_term_is_found)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        if (!is_new(vkmm_types_at(t))) continue;
        sums s = sums_make(*vkmm_types_at(t), M, N, vkmm_types_at(t)->compute == VKMM_F16 ? 40 : K, VKMM_INIT_UNIFORM);
        double average = 0.0;
        for (uint64_t k = 0; k < s.p.k; k++) average += fabs(s.a[3 * s.p.k + k] * s.b[k * N + 5]) / (double)s.p.k;
        for (int how = 0; how < WAYS; how++) {
            sums_multiply(&s, (way)how, s.p.k);
            for (uint64_t k = 0; k < s.p.k; k++) {
                if (fabs(s.a[3 * s.p.k + k] * s.b[k * N + 5]) < average) continue;
                const double right = got(&s, 3, 5);
                put(&s, 3, 5, sum_of(&s, 3, 5, (way)how, s.p.k, k));
                if (got(&s, 3, 5) != right) assert_fails(&s, CLI_VERIFY_FULL, "a missing term");
                put(&s, 3, 5, right);
                k += 11;
            }
        }
        sums_end(&s);
    }
}

TEST(test_a_dropped_block_and_swapped_rows_are_found)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        if (!is_new(vkmm_types_at(t))) continue;
        sums s = sums_make(*vkmm_types_at(t), M, N, K, VKMM_INIT_UNIFORM);
        const size_t row = N * vkmm_type_of(s.types.out)->bytes;
        char *c = s.memory[2], kept[N * sizeof(double)];
        for (int m = 0; m < 2; m++) {
            sums_multiply(&s, BLOCKS_CUT, K - 16);
            assert_fails(&s, verify_methods[m], "a dropped block");
            sums_multiply(&s, BLOCKS_CUT, K);
            memcpy(kept, c + 4 * row, row);
            memcpy(c + 4 * row, c + 9 * row, row);
            memcpy(c + 9 * row, kept, row);
            assert_fails(&s, verify_methods[m], "a product with two rows swapped");
        }
        sums_end(&s);
    }
}

/* The bound is as tight as it says: at its edge, right; beyond it, wrong. One column of ones, so that s is K. */
TEST(test_the_bound)
{
    const struct {
        vkmm_types types;
        uint64_t k;
        cli_numbers numbers;
        double limit; /* beside the rounding of C */
    } cases[] = {
        {{VKMM_F16, VKMM_F32, VKMM_F32}, 4, CLI_NUMBERS_RANDOM, 16 * 0x1p-23 * 4},
        {{VKMM_F16, VKMM_F32, VKMM_F32}, 1024, CLI_NUMBERS_RANDOM, 32 * 0x1p-23 * 1024},
        {{VKMM_BF16, VKMM_F32, VKMM_F32}, 1024, CLI_NUMBERS_ANY, 1282 * 0x1p-23 * 1024},
        {{VKMM_F16, VKMM_F32, VKMM_F16}, 1024, CLI_NUMBERS_RANDOM, 6 * 0x1p-10 * 1024},
        {{VKMM_F32, VKMM_F32, VKMM_F16}, 4, CLI_NUMBERS_ANY, 7 * 0x1p-10 * 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sums s = sums_make(cases[i].types, 1, 1, cases[i].k, VKMM_INIT_ONES);
        const double flush = cases[i].types.compute == VKMM_F16 ? (double)cases[i].k * 0x1p-14 : 0.0;
        for (int sign = -1; sign <= 1; sign += 2) {
            put(&s, 0, 0, (double)cases[i].k + sign * (cases[i].limit + flush));
            assert_passes(&s, CLI_VERIFY_FULL, cases[i].numbers);
            put(&s, 0, 0, (double)cases[i].k + sign * (1.07 * cases[i].limit + flush));
            assert_false(sums_verify(&s, CLI_VERIFY_FULL, cases[i].numbers).passed);
        }
        sums_end(&s);
    }
}

/* A number of a line as parts of f16, whose scale puts the line's largest one at 2^14. */
static double part_of(double x, double largest, double *lo)
{
    const double unit = ldexp(1.0, 15 - ilogb(largest) - 1), hi = half(x * unit);
    *lo = half((x * unit - hi) * 2048) / 2048 / unit;
    return hi / unit;
}

static double largest_of(const double *line, uint64_t count, uint64_t stride)
{
    double most = 0.0;
    for (uint64_t k = 0; k < count; k++) most = fmax(most, fabs(line[k * stride]));
    return most;
}

/* As a matrix unit that cuts off sums them; dropped: without B's lo. */
static double split_sum(const sums *s, uint64_t i, uint64_t j, int dropped)
{
    const double *row = s->a + i * s->p.k, *col = s->b + j;
    const double most_a = largest_of(row, s->p.k, 1), most_b = largest_of(col, s->p.k, s->p.n);
    double hi[16], small[2], low = 0.0, slice = 0.0, lo_a, lo_b;
    float single = 0.0F;
    for (uint64_t k = 0; k < s->p.k; k++) {
        const double a = part_of(row[k], most_a, &lo_a), b = part_of(col[k * s->p.n], most_b, &lo_b);
        hi[k % 4] = a * b;
        small[0] = lo_a * b;
        small[1] = dropped ? 0.0 : a * lo_b;
        low = add_block(low, small, 2);
        if (k % 4 == 3 || k + 1 == s->p.k) slice = add_block(slice, hi, k % 4 + 1);
        if (k % 16 != 15 && k + 1 < s->p.k) continue;
        single += (float)slice;
        slice = 0.0;
    }
    return (double)(single + (float)low);
}

/* The root mean square of a line over its mean magnitude, and its unit as an integer whose norm is 2^bits. */
static double spread_of(const double *line, uint64_t count, uint64_t stride, double bits, double *unit)
{
    double squares = 0.0, sum = 0.0;
    for (uint64_t k = 0; k < count; k++) {
        squares += line[k * stride] * line[k * stride];
        sum += fabs(line[k * stride]);
    }
    *unit = sqrt(squares) * exp2(-bits);
    return sqrt(squares * (double)count) / sum;
}

/* Lines as integers, as coarse as math/modular.h allows, or `dropped` bits more. */
static double modular_sum(const sums *s, uint64_t i, uint64_t j, int dropped)
{
    const double *row = s->a + i * s->p.k, *col = s->b + j;
    double unit_a, unit_b;
    const double bits =
        55 - dropped + log2(spread_of(row, s->p.k, 1, 0, &unit_a)) + log2(spread_of(col, s->p.k, s->p.n, 0, &unit_b));
    long double sum = 0.0L;
    spread_of(row, s->p.k, 1, bits, &unit_a);
    spread_of(col, s->p.k, s->p.n, bits, &unit_b);
    for (uint64_t k = 0; k < s->p.k; k++)
        sum += rintl((long double)row[k] / unit_a) * unit_a * (rintl((long double)col[k * s->p.n] / unit_b) * unit_b);
    return (double)sum;
}

/* Bytes times bytes; in one element of C, A's first byte may be one off. */
static double bytes_sum(const sums *s, uint64_t i, uint64_t j, int is_off)
{
    const double *row = s->a + i * s->p.k, *col = s->b + j;
    const double most_a = largest_of(row, s->p.k, 1), most_b = largest_of(col, s->p.k, s->p.n);
    double sum = 0.0;
    for (uint64_t k = 0; k < s->p.k; k++) {
        const double a = nearbyint(127 * row[k] / most_a) + (is_off && k == 0 && i == 3 && j == 5 ? 1 : 0);
        sum += a * nearbyint(127 * col[k * s->p.n] / most_b);
    }
    return (double)(float)(sum * (most_a / 127) * (most_b / 127));
}

TEST(test_bytes_are_known_exactly)
{
    for (int is_off = 0; is_off < 2; is_off++)
        for (int m = 0; m < 2; m++) {
            sums s = sums_make((vkmm_types){VKMM_BF16, VKMM_F32, VKMM_F32}, 17, 18, 1000, VKMM_INIT_UNIFORM);
            s.p.method = VKMM_COMPUTE_W8A8;
            for (uint64_t at = 0; at < s.p.m * s.p.n; at++)
                put(&s, at / s.p.n, at % s.p.n, bytes_sum(&s, at / s.p.n, at % s.p.n, is_off));
            const cli_verdict v = sums_verify(&s, verify_methods[m], CLI_NUMBERS_RANDOM);
            if (v.passed == is_off) fail_msg("method %d: %s", m, v.sentence);
            sums_end(&s);
        }
}

/* Without one part, or with seven bits too few, a product has errors that direct sums may have, and it must not. */
TEST(test_methods_have_bounds_of_their_own)
{
    static const uint64_t depths[] = {128, 1000, 16384};
    for (int how = VKMM_COMPUTE_SPLIT; how <= VKMM_COMPUTE_REPRODUCIBLE; how++)
        for (size_t d = 0; d < 3; d++)
            for (int init = VKMM_INIT_UNIFORM; init <= VKMM_INIT_INDEX; init += VKMM_INIT_INDEX - VKMM_INIT_UNIFORM) {
                const int is_split = how == VKMM_COMPUTE_SPLIT;
                sums s =
                    sums_make(vkmm_types_default(is_split ? VKMM_F32 : VKMM_F64), 17, 18, depths[d], (vkmm_init)init);
                const cli_numbers numbers = init == VKMM_INIT_INDEX ? CLI_NUMBERS_ANY : CLI_NUMBERS_RANDOM;
                s.p.method = (vkmm_method)how;
                for (int dropped = 0; dropped <= (init == VKMM_INIT_INDEX ? 0 : 1); dropped++) {
                    for (uint64_t at = 0; at < s.p.m * s.p.n; at++)
                        put(&s, at / s.p.n, at % s.p.n,
                            (is_split ? split_sum : modular_sum)(&s, at / s.p.n, at % s.p.n, 7 * dropped));
                    for (int m = 0; m < 2; m++) {
                        const cli_verdict v = sums_verify(&s, verify_methods[m], numbers);
                        if (v.passed == dropped) fail_msg("method %d, K %u: %s", how, (unsigned)s.p.k, v.sentence);
                    }
                }
                s.p.method = VKMM_COMPUTE_DIRECT;
                if (depths[d] > 4096) assert_passes(&s, CLI_VERIFY_FULL, numbers);
                sums_end(&s);
            }
}
