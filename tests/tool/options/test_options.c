/* Command lines, one after another in one process, as a suite's file has them. */
#include "unit.h"

#include "base/array.h"
#include "options/options.h"

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
    assert_int_equal(parse(CLI_RUN, "--json", "--quiet", &options), VKMM_OK);
    assert_int_equal(options.json, 1);
    assert_int_equal(options.quiet, 1);
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
    assert_int_equal(parse(CLI_BENCH, "--rotating", "16", &options), VKMM_OK);
    assert_true(options.rotating_bytes == 16777216.0);
    assert_int_equal(parse(CLI_BENCH, "--max-noise", "0.5%", &options), VKMM_OK);
    assert_true(options.max_noise == 0.5 / 100);
}
