/* How many moduli the lines of A and B need. */
#include "unit.h"

#include "math/modular.h"

enum { ONE = 1087, NEVER = VKMM_MODULAR_MOST + 1 };

/* Elements of 53 bits whose largest is 1 to 2; `large` of 255 are large at levels from `level` on, none before. */
static vkmm_modular_line line(uint32_t level, uint32_t large, uint32_t range)
{
    vkmm_modular_line made = {.squares = 64, .bits = ONE << 16 | (ONE - 80)};
    for (uint32_t i = level; i < VKMM_MODULAR_LEVELS; i++) made.shares[i / 4] |= large << 8 * (i % 4);
    made.shares[1] |= range << 24;
    return made;
}

static vkmm_modular_line whole(uint32_t highest, uint32_t lowest)
{
    return (vkmm_modular_line){.shares = {0, 255u << 24}, .squares = 1, .bits = (ONE + highest) << 16 | (ONE + lowest)};
}

static uint32_t needs(vkmm_modular_line a, vkmm_modular_line b)
{
    const uint32_t one = vkmm_modular_needs(&a, 1, &b, 1);
    assert_int_equal(vkmm_modular_needs(&b, 1, &a, 1), one);
    return one;
}

/* 15 to 18 moduli have 58.38, 62.18, 65.97 and 69.72 bits; half of the bound is 53. */
TEST(test_large_elements_that_overlap)
{
    assert_int_equal(needs(line(0, 255, 255), line(0, 255, 255)), 15);    /* 1 + 1 */
    assert_int_equal(needs(line(0, 153, 255), line(0, 127, 255)), 15);    /* + 3.35 */
    assert_int_equal(needs(line(0, 152, 255), line(0, 127, 255)), 16);    /* + 3.41 */
    assert_int_equal(needs(line(0, 127, 255), line(0, 128, 255)), NEVER); /* nothing need overlap */
    assert_int_equal(needs(line(0, 128, 255), line(0, 128, 255)), 17);    /* + 8 */
    assert_int_equal(needs(line(4, 255, 255), line(0, 255, 255)), 15);    /* 4 + 1 */
    assert_int_equal(needs(line(4, 255, 255), line(1, 255, 255)), 16);    /* 4 + 1.5 */
    assert_int_equal(needs(line(5, 255, 255), line(3, 255, 255)), 16);    /* 6 + 3 */
    assert_int_equal(needs(line(6, 255, 255), line(5, 255, 255)), 18);    /* 9 + 6 */
    assert_int_equal(needs(line(6, 255, 255), line(6, 255, 255)), NEVER); /* 9 + 9 */
}

/* Each element of a line keeps its bits, whatever it is multiplied by; of both operands one is not enough. */
TEST(test_small_elements)
{
    static const uint32_t most[] = {43, 73, 103, 133}; /* eighths of a bit */
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(needs(line(0, 0, most[i]), line(0, 0, 0)), 15 + i);
        assert_int_equal(needs(line(0, 0, most[i] + 1), line(0, 0, 0)), 16 + i);
    }
    assert_int_equal(needs(line(0, 0, 40), line(0, 0, 255)), NEVER);
    assert_int_equal(needs(line(0, 255, 40), line(0, 0, 255)), NEVER);
}

/* Lines without any rounding, of which the worst counts; lines of zeros do not. */
TEST(test_exact_lines)
{
    vkmm_modular_line lines[3] = {line(0, 0, 255), {.squares = 1, .bits = 0xffff}, line(0, 0, 0)};
    lines[0].bits = ONE << 16 | (ONE - 55); /* and 3 bits by the squares */
    assert_int_equal(vkmm_modular_needs(lines, 3, lines, 3), 15);
    lines[0].bits = ONE << 16 | (ONE - 56);
    assert_int_equal(vkmm_modular_needs(lines, 3, lines, 3), 16);
    assert_int_equal(vkmm_modular_needs(lines + 1, 2, lines + 1, 1), 15);
}

TEST(test_integers_are_exact)
{
    assert_int_equal(needs(whole(53, 0), whole(10, 0)), 15);
    vkmm_modular_line wide = whole(53, 0), kept = wide;
    wide.squares = 0x1p17f; /* 61.5 bits */
    kept.shares[0] = UINT32_MAX;
    assert_int_equal(needs(wide, kept), 16);
    wide.bits--; /* a half */
    wide.shares[0] = UINT32_MAX;
    assert_int_equal(needs(wide, kept), 15);
    assert_true(needs(whole(0, 0), (vkmm_modular_line){.bits = 0xffff0000}) == UINT32_MAX);
}

/* The bits of the longest line, at most 61 of f64 or 32 of f32 and those of its norm; the moduli hold them all. */
TEST(test_moduli_that_hold_any_line)
{
    vkmm_modular_line lines[3] = {line(0, 0, 255), {.squares = 1, .bits = 0xffff}, {.squares = 1, .bits = 0xffff0000}};
    static const struct {
        vkmm_type type;
        int lows[6];
        uint32_t holds[6], longest[6]; /* of a line of 1 element, and of as many as there may be */
    } rows[] = {{VKMM_F64, {0, 54, 58, 59, 60, 1000}, {13, 14, 15, 16, 16, 16}, {13, 17, 18, 18, 18, 18}},
                {VKMM_F32, {0, 27, 28, 30, 31, 1000}, {8, 8, 8, 8, 8, 8}, {8, 10, 10, 11, 11, 11}}};
    for (size_t r = 0; r < 2; r++) {
        const vkmm_modular_range *range = vkmm_modular_range_of(rows[r].type);
        for (int i = 0; i < 6; i++) {
            lines[0].squares = 1;
            lines[0].bits = ONE << 16 | (uint32_t)(ONE - rows[r].lows[i]);
            assert_int_equal(vkmm_modular_holds(range, lines, 3), rows[r].holds[i]);
            lines[0].squares = VKMM_MODULAR_DEPTH * 4.0f * 1.002f;
            assert_int_equal(vkmm_modular_holds(range, lines, 3), rows[r].longest[i]);
        }
        assert_true(vkmm_modular_room(range->most) > range->unit + 0.5 * log2(VKMM_MODULAR_DEPTH * 4.0 * 1.002));
    }
}
