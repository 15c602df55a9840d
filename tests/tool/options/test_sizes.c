/* The grammar of --size, by examples and by many random texts; and the nearest-word suggestions. */
#include "unit.h"
#include "base/log.h"
#include "base/random.h"
#include "options/options.h"

static void expect_sizes(const char *text, const cli_size *want, size_t count)
{
    heard h;
    vkmm_log log = hear_with(&h);
    cli_sizes sizes = {NULL, 0};

    if (vkmm_tell(&log, cli_sizes_parse(text, 3, &sizes)) != VKMM_OK) fail_msg("%s: %s", text, h.last);
    assert_int_equal(sizes.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(sizes.item[i].m, want[i].m);
        assert_int_equal(sizes.item[i].n, want[i].n);
        assert_int_equal(sizes.item[i].k, want[i].k);
    }
    assert_int_equal(h.count, 0);
    cli_sizes_free(&sizes);
}

static void expect_refusal(const char *text, const char *part)
{
    heard h;
    vkmm_log log = hear_with(&h);
    cli_sizes sizes = {NULL, 0};

    assert_int_equal(vkmm_tell(&log, cli_sizes_parse(text, 3, &sizes)), VKMM_INVALID);
    assert_null(sizes.item);
    assert_int_equal(sizes.count, 0);
    assert_int_equal(h.count, 1);
    if (strstr(h.last, part) == NULL) fail_msg("%s: '%s' does not say '%s'", text, h.last, part);
}

TEST(accepts)
{
    expect_sizes("7", (cli_size[]){{7, 7, 7}}, 1);
    expect_sizes("0", (cli_size[]){{0, 0, 0}}, 1);
    expect_sizes("4294967295", (cli_size[]){{4294967295u, 4294967295u, 4294967295u}}, 1);
    expect_sizes("2x6x4", (cli_size[]){{2, 6, 4}}, 1);
    expect_sizes("2X6×4", (cli_size[]){{2, 6, 4}}, 1);
    expect_sizes("256,512,1000", (cli_size[]){{256, 256, 256}, {512, 512, 512}, {1000, 1000, 1000}}, 3);
    expect_sizes("8:40:*2", (cli_size[]){{8, 8, 8}, {16, 16, 16}, {32, 32, 32}}, 3);
    expect_sizes("8:40:x2,8:20:×2", (cli_size[]){{8, 8, 8}, {16, 16, 16}, {32, 32, 32}, {8, 8, 8}, {16, 16, 16}}, 5);
    expect_sizes("1:7:+3", (cli_size[]){{1, 1, 1}, {4, 4, 4}, {7, 7, 7}}, 3);
    expect_sizes("0:4:2", (cli_size[]){{0, 0, 0}, {2, 2, 2}, {4, 4, 4}}, 3);
    expect_sizes("5:5:1,1x2x3", (cli_size[]){{5, 5, 5}, {1, 2, 3}}, 2);
    expect_sizes("4294967294:4294967295:*4294967295", (cli_size[]){{4294967294u, 4294967294u, 4294967294u}}, 1);
    expect_sizes("007", (cli_size[]){{7, 7, 7}}, 1);
}

TEST(refuses)
{
    static const char *const malformed[] = {"",     ",",      "5,",     ",5",    "5,,6",  "x",     "3x",
                                            "3x4",  "3x4x",   "3x4x5x", "-5",    "+5",    " 5",    "5 ",
                                            "5:",   "5:6",    "5:6:",   "5:6:*", "5:6:x", "5:6:+", "5:6:-1",
                                            "5:6:", "5:6:1x", "5:6:1:", "0x10a", "1e3",   "5.0",   "3x4x5:6:1",
                                            "5*6",  "٥",      "5x×5"};

    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) expect_refusal(malformed[i], ": use N, MxNxK");
    expect_refusal("4294967296", "at most 4294967295");
    expect_refusal("1x2x18446744073709551616", "at most 4294967295");
    expect_refusal("6:5:1", "ends (5) before it starts (6)");
    expect_refusal("1:5:0", "step must be at least 1");
    expect_refusal("1:5:*1", "factor must be at least 2");
    expect_refusal("0:5:*2", "never ends");
    expect_refusal("1:4097:1", "has 4097 problems; a list may have at most 4096");
    expect_refusal("1:4096:1,1", "more than 4096 problems");
}

TEST(limit_is_reachable)
{
    cli_sizes sizes = {NULL, 0};

    assert_int_equal(cli_sizes_parse("1:4096:1", 3, &sizes), VKMM_OK);
    assert_int_equal(sizes.count, CLI_MAX_SIZES);
    assert_int_equal(sizes.item[4095].k, 4096);
    cli_sizes_free(&sizes);
}

static const char *some_words(uint32_t index)
{
    static const char *const words[] = {"naive", "grouped", "tiled", "band", "band-tiled"};

    return index < 5 ? words[index] : NULL;
}

TEST(suggests)
{
    assert_string_equal(cli_suggest("tild", some_words), "tiled");
    assert_string_equal(cli_suggest("TILED", some_words), "tiled");
    assert_string_equal(cli_suggest("bnad", some_words), "band"); /* neighbours swapped */
    assert_null(cli_suggest("", some_words));
    assert_string_equal(cli_suggest("bandtiled", some_words), "band-tiled");
    assert_null(cli_suggest("zzz", some_words));
    assert_null(cli_suggest("a text far longer than any word that anyone would type here by accident", some_words));
}

/* The grammar of `race`: two extents, and what it has in common with --size. */
TEST(matrices)
{
    heard h;
    vkmm_log log = hear_with(&h);
    const cli_size want[] = {{2, 6, 0}, {40, 40, 0}, {3, 3, 0}, {5, 5, 0}};
    cli_sizes sizes = {NULL, 0};

    assert_int_equal(vkmm_tell(&log, cli_sizes_parse("2x6,40,3:5:+2", 2, &sizes)), VKMM_OK);
    assert_int_equal(sizes.count, 4);
    assert_memory_equal(sizes.item, want, sizeof want);
    cli_sizes_free(&sizes);
    assert_int_equal(vkmm_tell(&log, cli_sizes_parse("2x6x4", 2, &sizes)), VKMM_INVALID);
    assert_non_null(strstr(h.last, ": use N, MxN,"));
    assert_null(sizes.item);
    expect_refusal("2x6", ": use N, MxNxK,");
}
