#include "unit.h"

#include "base/alloc.h"
#include "base/clean.h"
#include "base/random.h"

TEST(test_allocation_is_zeroed_and_checked)
{
    unsigned char *block = vkmm_alloc(100, 3);
    assert_non_null(block);
    for (int i = 0; i < 300; i++) assert_int_equal(block[i], 0);
    block[299] = 7;
    block = vkmm_realloc(block, 1000, 3);
    assert_non_null(block);
    assert_int_equal(block[299], 7);
    assert_null(vkmm_realloc(block, SIZE_MAX / 2 + 1, 2)); /* would wrap to 0 bytes */
    assert_int_equal(block[299], 7);
    vkmm_free(block);
    assert_null(vkmm_alloc(SIZE_MAX / 2 + 1, 2));
    void *empty = vkmm_alloc(0, 8);
    assert_non_null(empty);
    empty = vkmm_realloc(empty, 0, 0);
    assert_non_null(empty);
    vkmm_free(empty);
    vkmm_free(NULL);
    char *copy = vkmm_strdup("text");
    assert_string_equal(copy, "text");
    vkmm_free(copy);
}

TEST(test_checked_arithmetic)
{
    uint64_t r = 5;
    assert_true(vkmm_mul_u64(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1, &r));
    assert_true(r == UINT64_MAX - UINT32_MAX);
    assert_false(vkmm_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &r));
    assert_true(vkmm_mul_u64(UINT64_MAX, 0, &r) && r == 0);
    assert_true(vkmm_mul_u64(0, UINT64_MAX, &r) && r == 0);
    assert_true(vkmm_add_u64(UINT64_MAX - 1, 1, &r) && r == UINT64_MAX);
    assert_false(vkmm_add_u64(UINT64_MAX, 1, &r));
}

TEST(test_log_formats_and_returns)
{
    heard h;
    vkmm_log log = hear_with(&h);
    assert_int_equal(VKMM_FAIL(&log, VKMM_INVALID, "tile %d needs %s", 48, "more"), VKMM_INVALID);
    assert_string_equal(h.last, "tile 48 needs more");
    assert_int_equal(h.level, VKMM_LOG_ERROR);
    vkmm_say(&log, VKMM_LOG_INFO, "a%s\xff", "\r\nvkmatmul: passed");
    assert_string_equal(h.last, "a\\x0d\\x0avkmatmul: passed\\xff"); /* one sentence, one line */
    assert_int_equal(h.level, VKMM_LOG_INFO);
    assert_int_equal(h.count, 2);
    vkmm_log silent = {0};
    assert_int_equal(vkmm_fail(VKMM_DEVICE_LOST, "x"), VKMM_DEVICE_LOST);
    assert_int_equal(VKMM_FAIL(&silent, VKMM_NO_DEVICE, "x"), VKMM_NO_DEVICE);
}

TEST(test_errors_are_told_once)
{
    heard h;
    vkmm_log log = hear_with(&h);
    assert_int_equal(vkmm_fail(VKMM_INVALID, "%s of %d", "first", 1), VKMM_INVALID);
    assert_int_equal(vkmm_fail(VKMM_UNSUPPORTED, "then: %s", vkmm_last_error()), VKMM_UNSUPPORTED);
    assert_string_equal(vkmm_last_error(), "then: first of 1");
    assert_ok(vkmm_tell(&log, VKMM_OK));
    assert_int_equal(vkmm_tell(&log, VKMM_INVALID), VKMM_INVALID); /* which is not that error's */
    assert_int_equal(h.count, 0);
    for (int i = 0; i < 2; i++) assert_int_equal(vkmm_tell(&log, VKMM_UNSUPPORTED), VKMM_UNSUPPORTED);
    assert_int_equal(h.count, 1);
    assert_string_equal(h.last, "then: first of 1");
    vkmm_fail(VKMM_STOPPED, "forgotten");
    vkmm_error_clear();
    assert_int_equal(vkmm_tell(&log, VKMM_STOPPED), VKMM_STOPPED);
    assert_string_equal(vkmm_last_error(), "");
    assert_int_equal(h.count, 1);
}

/* Every control character, whatever turns a line around, and whatever is not UTF-8; and nothing else. */
TEST(test_clean)
{
    static const char *const bad[] = {
        "\xc2\x80",     "\xc2\x9f",         "\xe2\x80\xa8",     "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xae",
        "\xe2\x81\xa6", "\xe2\x81\xa9",     "\xe2\x80\x8f",     "\xff",         "\xc0\xaf",     "\xe2\x82",
        "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\x80",         "\xc3"};
    static const char *const good[] = {
        "plain",        "\xc2\xa0",         "é",      "Σ·×³", "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5",
        "\xef\xbf\xbd", "\xf0\x9f\x98\x80", "a\\x1bb"};
    char text[100], want[100];
    for (unsigned c = 1; c < 0x80; c++) {
        const char raw[] = {(char)c, '\0'};
        vkmm_clean(text, sizeof text, raw);
        snprintf(want, sizeof want, c < 0x20 || c == 0x7f ? "\\x%02x" : "%c", c);
        assert_string_equal(text, want);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        want[0] = '\0';
        for (const char *at = bad[i]; *at != '\0'; at++)
            sprintf(want + strlen(want), "\\x%02x", (unsigned)(unsigned char)*at);
        vkmm_clean(text, sizeof text, bad[i]);
        assert_string_equal(text, want);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        vkmm_clean(text, sizeof text, good[i]);
        assert_string_equal(text, good[i]);
    }
    memset(text, '?', sizeof text);
    vkmm_clean(text, 6, "ab\nc");
    assert_string_equal(text, "ab");
    vkmm_clean(text, 7, "ab\nc");
    assert_string_equal(text, "ab\\x0a");
    vkmm_clean(text, 4, "abΣ");
    assert_string_equal(text, "ab");
    vkmm_clean(text, 0, "abc");
    assert_string_equal(text, "ab");
}

TEST(test_join)
{
    char list[8] = "";
    vkmm_join(list, sizeof list, ", ", "%d", 1);
    vkmm_join(list, sizeof list, ", ", "%s", "23");
    assert_string_equal(list, "1, 23");
    vkmm_join(list, sizeof list, ", ", "%s", "45");
    assert_string_equal(list, "1, 23, "); /* cut to fit */
    vkmm_join(list, sizeof list, ", ", "%s", "6");
    assert_string_equal(list, "1, 23, ");
}

TEST(test_log_cuts_whole_characters)
{
    heard h;
    vkmm_log log = hear_with(&h);
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    vkmm_say(&log, VKMM_LOG_ERROR, "%s", text);
    assert_int_equal(strlen(h.last), 1023);
    memcpy(text + 1022, "Σ", strlen("Σ")); /* its second byte would be the 1,024th */
    vkmm_say(&log, VKMM_LOG_ERROR, "%s", text);
    assert_int_equal(strlen(h.last), 1022);
    assert_int_equal(h.last[1021], 'x');
    memcpy(text + 1021, "Σ", strlen("Σ")); /* fits exactly */
    vkmm_say(&log, VKMM_LOG_ERROR, "%s", text);
    assert_int_equal(strlen(h.last), 1023);
    memset(text, '\n', sizeof text - 1);
    vkmm_say(&log, VKMM_LOG_ERROR, "%s", text);
    assert_int_equal(strlen(h.last), 1020); /* 255 times \x0a */
}

/* The stream is part of the program's promise that a seed means one matrix: these values may not change. */
TEST(test_random_seeds_are_different_streams)
{
    const uint64_t step =
        UINT64_C(0x9e3779b97f4a7c15); /* of the counter: the seeds most likely to be one stream, shifted */
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(vkmm_random_bits(1, i) != vkmm_random_bits(2, i));
        assert_true(vkmm_random_bits(1, i + 1) != vkmm_random_bits(1 + step, i));
    }
}

TEST(test_random_stream_is_fixed)
{
    assert_true(vkmm_random_bits(0, 0) == UINT64_C(0xf5dd724ff3b8a536));
    assert_true(vkmm_random_bits(1, 0) == UINT64_C(0x6b00d4b59469b24c));
    assert_true(vkmm_random_bits(42, UINT64_C(1) << 40) == UINT64_C(0x214d6356bd6a50ac));
}
