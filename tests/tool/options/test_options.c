/* Command lines, one after another in one process, as a suite's file has them; the values of options; and the steps of
 * the ladder that general kernels make: what they make of a product, and when the reason for one is shown. */
#include "unit.h"

#include "base/array.h"
#include "options/options.h"
#include "options/step_table.h"

static vkmm_status parse(unsigned command, const char *first, const char *second, cli_options *options)
{
    char name[] = "vkmatmul", words[2][64], *all[] = {name, words[0], words[1], NULL};
    memset(options, 0, sizeof *options);
    snprintf(words[0], sizeof words[0], "%s", first);
    snprintf(words[1], sizeof words[1], "%s", second);
    return cli_options_parse(command, "x", 3, all, options);
}

/* A word of several letters that is refused at its first leaves none of them behind. */
TEST(a_refused_line_is_forgotten)
{
    cli_options options;
    assert_int_equal(parse(CLI_RUN, "-zs", "--json", &options), VKMM_INVALID);
    assert_ok(parse(CLI_RUN, "--json", "--samples", &options));
    assert_string_equal(options.format, "json");
    assert_int_equal(options.samples, 1);
    assert_int_equal(options.sizes.count, 0);
    cli_options_free(&options);
}

/* What strtod takes beyond a decimal number is refused, and so are other spellings of the units. */
TEST(amounts_are_decimal)
{
    static const struct {
        unsigned command;
        const char *option;
    } amounts[] = {{CLI_BENCH, "--rotating"},   {CLI_BENCH, "--max-noise"}, {CLI_COMPARE, "--fail-on-regression"},
                   {CLI_RUN, "--memory-limit"}, {CLI_RUN, "--min-time"},    {CLI_TUNE, "--budget"}};
    static const char *const bad[] = {"0x10", "1e1",   "0x1p3%", "1e1%",   "1.2.3", "",    "%", "+5",
                                      "-5",   "-3s",   "nan",    "inf",    " 5",    "5 ",  "x", "5x",
                                      "1gib", "1 GiB", "64MiBs", "1.5.2s", ".",     "1e3s"};
    /* Bytes of --memory-limit; 0: refused. */
    static const char *const limits[] = {"64MiB", "1GiB",       "256MB", "99.5kB", "90000",     "1000000B",
                                         "1TB",   "8388607TiB", "0",     "0.4",    "9000000TiB"};
    static const double bytes[] = {67108864, 1073741824, 256e6, 99500, 90000, 1e6, 1e12, 0x7fffffp40, 0, 0, 0};
    static const char *const budgets[] = {"60", "0s", "25h"};
    cli_options options;
    for (size_t i = 0; i < VKMM_COUNT(bad); i++)
        for (size_t a = 0; a < VKMM_COUNT(amounts); a++)
            if (parse(amounts[a].command, amounts[a].option, bad[i], &options) != VKMM_INVALID)
                fail_msg("%s takes '%s'", amounts[a].option, bad[i]);
    for (size_t i = 0; i < VKMM_COUNT(limits); i++) {
        const vkmm_status want = bytes[i] > 0 ? VKMM_OK : VKMM_INVALID;
        assert_int_equal(parse(CLI_RUN, "--memory-limit", limits[i], &options), want);
        assert_true(want != VKMM_OK || options.memory_limit == bytes[i]);
    }
    for (size_t i = 0; i < VKMM_COUNT(budgets); i++)
        assert_int_equal(parse(CLI_TUNE, "--budget", budgets[i], &options), VKMM_INVALID);
    assert_ok(parse(CLI_BENCH, "--rotating", "16", &options));
    assert_true(options.rotating_bytes == 16777216.0);
    assert_ok(parse(CLI_BENCH, "--max-noise", "0.5%", &options));
    assert_true(options.max_noise == 0.5 / 100);
}

/* The grammar of --size, by examples. */
static void expect_sizes(const char *text, const cli_size *want, size_t count)
{
    cli_sizes sizes = {NULL, 0};
    assert_ok(cli_sizes_parse(text, 3, &sizes));
    assert_int_equal(sizes.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(sizes.item[i].m, want[i].m);
        assert_int_equal(sizes.item[i].n, want[i].n);
        assert_int_equal(sizes.item[i].k, want[i].k);
    }
    cli_sizes_free(&sizes);
}

static void expect_refusal(const char *text, const char *part)
{
    cli_sizes sizes = {NULL, 0};
    assert_refused(cli_sizes_parse(text, 3, &sizes), VKMM_INVALID, part);
    assert_null(sizes.item);
    assert_int_equal(sizes.count, 0);
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
    assert_ok(cli_sizes_parse("1:4096:1", 3, &sizes));
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
    const cli_size want[] = {{2, 6, 0}, {40, 40, 0}, {3, 3, 0}, {5, 5, 0}};
    cli_sizes sizes = {NULL, 0};
    assert_ok(cli_sizes_parse("2x6,40,3:5:+2", 2, &sizes));
    assert_int_equal(sizes.count, 4);
    assert_memory_equal(sizes.item, want, sizeof want);
    cli_sizes_free(&sizes);
    assert_refused(cli_sizes_parse("2x6x4", 2, &sizes), VKMM_INVALID, ": use N, MxN,");
    assert_null(sizes.item);
    expect_refusal("2x6", ": use N, MxNxK,");
}

TEST(a_step_has_a_reason_when_it_needs_one)
{
    assert_null(cli_step_why("naive", 2.4, 1, 1.3));
    assert_non_null(cli_step_why("naive", 2.6, 1, 1));
    assert_non_null(cli_step_why("naive", 0, 1, 1.5));
    assert_non_null(cli_step_why("naive", 0, 1, 0.7));
    assert_null(cli_step_why("naive", 0, NAN, 1));
    assert_null(cli_step_why("example.comp", 9, NAN, 1));
}

TEST(a_step_changes_the_product)
{
    const vkmm_device_info cpu = {.type = VK_PHYSICAL_DEVICE_TYPE_CPU}, gpu = {.type = VK_PHYSICAL_DEVICE_TYPE_OTHER};
    cli_step step;
    for (int is_cpu = 0; is_cpu < 2; is_cpu++) {
        vkmm_job_params parts = {.problem.type = VKMM_F32}, direct = parts, staged = parts;
        assert_true(cli_step_of_option("parts", &step));
        cli_step_apply(&step, is_cpu ? &cpu : &gpu, &parts);
        assert_int_equal(parts.problem.k, is_cpu ? 2048 : 16384);
        assert_true(cli_step_of_option("direct", &step));
        cli_step_apply(&step, is_cpu ? &cpu : &gpu, &direct);
        assert_int_equal(direct.problem.type, VKMM_F16);
        assert_int_equal(direct.problem.out_type, VKMM_F32);
        assert_true(cli_step_of_option("staged", &step));
        cli_step_apply(&step, is_cpu ? &cpu : &gpu, &staged);
        assert_memory_equal(staged.config, is_cpu ? "rows=32" : "rows=64", 7);
    }
    assert_false(cli_step_of_option("blocked", &step)); /* a kernel takes each problem */
    assert_false(cli_step_of_option("auto", &step));
}
