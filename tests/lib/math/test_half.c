/* Floats of 16 and 8 bits: all values in both directions, and rounding of doubles and floats between all neighbours. */
#include "unit.h"

#include "math/half.h"
#include "math/type.h"

/* A format, written from its definition. */
typedef struct format {
    vkmm_type type;
    int bits_in_all, fraction_bits, bias;
    uint16_t infinity; /* bit pattern; those above are NaNs. e4m3: its NaN */
} format;

static const format formats[] = {{VKMM_F16, 16, 10, 15, 0x7c00},
                                 {VKMM_BF16, 16, 7, 127, 0x7f80},
                                 {VKMM_E4M3, 8, 3, 7, 0x7f},
                                 {VKMM_E5M2, 8, 2, 15, 0x7c}};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static uint16_t bits_of(const format *f, double value)
{
    uint16_t bits = 0;
    vkmm_type_put(f->type, &bits, value);
    return bits;
}

/* Value of a bit pattern without a sign, by definition; infinity counts as the next number after the largest. */
static double defined(const format *f, unsigned bits)
{
    const int exponent = (int)(bits >> f->fraction_bits);
    const double fraction = (double)(bits & ((1U << f->fraction_bits) - 1));
    if (exponent == 0) return ldexp(fraction, 1 - f->bias - f->fraction_bits);
    return ldexp(fraction + ldexp(1.0, f->fraction_bits), exponent - f->bias - f->fraction_bits);
}

TEST(test_every_value_both_ways)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const format *f = &formats[i];
        for (unsigned b = 0; b < 1U << f->bits_in_all; b++) {
            const unsigned magnitude = b & ((1U << (f->bits_in_all - 1)) - 1);
            const uint16_t element = (uint16_t)b;
            const double value = vkmm_type_get(f->type, &element);
            const uint16_t back = bits_of(f, value);
            assert_int_equal(signbit(value) != 0, b >> (f->bits_in_all - 1));
            if (magnitude > f->infinity) { /* quiet; with its payload */
                assert_true(isnan(value) && back == (b | 1U << (f->fraction_bits - 1)));
                continue;
            }
            assert_true(magnitude == f->infinity ? f->type == VKMM_E4M3 ? isnan(value) : isinf(value)
                                                 : fabs(value) == defined(f, magnitude));
            assert_int_equal(back, b);
            if (f->type == VKMM_BF16) assert_true((double)vkmm_bf16_value(element) == value);
        }
    }
}

static void assert_rounds(const format *f, double value, unsigned bits)
{
    if (bits_of(f, value) != bits || bits_of(f, -value) != (bits | 1U << (f->bits_in_all - 1)))
        fail_msg("%s: %a became %#x and %#x, not %#x", vkmm_type_of(f->type)->name, value, bits_of(f, value),
                 bits_of(f, -value), bits);
}

/* Ties between all neighbours, including subnormals and the end of the range, and the doubles next to each tie, which a
 * detour through float would round to the tie. */
TEST(test_every_tie)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const format *f = &formats[i];
        for (unsigned low = 0; low < f->infinity; low++) {
            const double tie = (defined(f, low) + defined(f, low + 1)) / 2;
            assert_rounds(f, tie, low + (low & 1));
            assert_rounds(f, nextafter(tie, 0.0), low);
            assert_rounds(f, nextafter(tie, INFINITY), low + 1);
        }
    }
}

TEST(test_the_ends_of_the_range)
{
    assert_rounds(&formats[0], 65519.99, 0x7bff);
    assert_rounds(&formats[0], 65520.0, 0x7c00);
    assert_rounds(&formats[1], 0x1.fep127, 0x7f7f);
    assert_rounds(&formats[1], 0x1.fefffffffffffp127, 0x7f7f);
    assert_rounds(&formats[1], 0x1.ffp127, 0x7f80);
    assert_rounds(&formats[2], 448.0, 0x7e);
    assert_rounds(&formats[2], 464.0, 0x7e);
    assert_rounds(&formats[2], 464.0001, 0x7f);
    assert_rounds(&formats[3], 61439.99, 0x7b);
    assert_rounds(&formats[3], 61440.0, 0x7c);
    for (size_t i = 0; i < FORMATS; i++) {
        static const double tiny[] = {0.0, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023, 0x1p-200};
        for (size_t t = 0; t < sizeof tiny / sizeof tiny[0]; t++) assert_rounds(&formats[i], tiny[t], 0);
        assert_rounds(&formats[i], 1e300, formats[i].infinity);
        assert_rounds(&formats[i], 0x1.fffffffffffffp1023, formats[i].infinity);
        assert_rounds(&formats[i], INFINITY, formats[i].infinity);
    }
}

static double nan_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The upper bits of a double's NaN are kept; a NaN without any of them must not become an infinity. */
TEST(test_nan_payloads)
{
    const double low = nan_of(UINT64_C(0x7ff0000000000001)), high = nan_of(UINT64_C(0xfff5540000000000));
    assert_int_equal(vkmm_f16_bits(low), 0x7e00);
    assert_int_equal(vkmm_bf16_bits(low), 0x7fc0);
    assert_int_equal(vkmm_f16_bits(high), 0xff55);
    assert_int_equal(vkmm_bf16_bits(high), 0xffea);
}

/* The values that the OCP 8-bit Floating Point Specification lists in its table 2. */
TEST(test_the_specification_of_8_bits)
{
    static const struct {
        vkmm_type type;
        uint8_t bits;
        double value;
    } listed[] = {{VKMM_E4M3, 0x7e, 448},     {VKMM_E4M3, 0x08, 0x1p-6},    {VKMM_E4M3, 0x07, 0x1.cp-7},
                  {VKMM_E4M3, 0x01, 0x1p-9},  {VKMM_E4M3, 0x80, -0.0},      {VKMM_E4M3, 0x38, 1},
                  {VKMM_E5M2, 0x7b, 57344},   {VKMM_E5M2, 0x04, 0x1p-14},   {VKMM_E5M2, 0x03, 0x1.8p-15},
                  {VKMM_E5M2, 0x01, 0x1p-16}, {VKMM_E5M2, 0xfc, -INFINITY}, {VKMM_E5M2, 0x3c, 1}};
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
        assert_true(vkmm_type_get(listed[i].type, &listed[i].bits) == listed[i].value);
    for (unsigned b = 0; b < 256; b++) {
        const uint8_t bits = (uint8_t)b;
        assert_int_equal(isnan(vkmm_type_get(VKMM_E4M3, &bits)) != 0, (b & 0x7f) == 0x7f);
        assert_int_equal(isnan(vkmm_type_get(VKMM_E5M2, &bits)) != 0, (b & 0x7f) >= 0x7d);
    }
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The quick rounding of floats against that of doubles: around every tie, and all over the range. */
TEST(test_rounded_floats)
{
    for (uint64_t b = 0; b <= UINT32_MAX; b += b % 3 == 0 ? 1 : 1021) {
        const float value = float_of((uint32_t)b), rounded = vkmm_f16_rounded(value),
                    wanted = vkmm_f16_value(vkmm_f16_bits((double)value));
        if (isnan(value) ? !isnan(rounded) : memcmp(&rounded, &wanted, sizeof wanted) != 0)
            fail_msg("%a became %a, not %a", (double)value, (double)rounded, (double)wanted);
    }
    for (unsigned low = 0; low < 0x7c00; low++) {
        const float tie = (float)((defined(&formats[0], low) + defined(&formats[0], low + 1)) / 2);
        const float near[] = {tie, nextafterf(tie, 0.0F), nextafterf(tie, INFINITY)};
        for (int i = 0; i < 3; i++) {
            assert_true(vkmm_f16_rounded(near[i]) == vkmm_f16_value(vkmm_f16_bits((double)near[i])));
            assert_true(vkmm_f16_rounded(-near[i]) == -vkmm_f16_rounded(near[i]));
        }
    }
}
