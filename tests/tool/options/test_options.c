/* Command lines, one after another in one process, as a suite's file has them. */
#include "test.h"
#include "options/options.h"

#include <string.h>

static vkmm_status parse(unsigned command, char *first, char *second, cli_options *options)
{
    char name[] = "vkmatmul", *words[] = {name, first, second, NULL};

    memset(options, 0, sizeof *options);
    return cli_options_parse(command, "x", second != NULL ? 3 : 2, words, options);
}

/* A word of several letters that is refused at its first leaves none of them behind. */
TEST(a_refused_line_is_forgotten)
{
    char refused[] = "-zs", json[] = "--json", quiet[] = "--quiet";
    cli_options options;

    assert_int_equal(parse(CLI_RUN, refused, NULL, &options), VKMM_INVALID);
    assert_int_equal(parse(CLI_RUN, json, quiet, &options), VKMM_OK);
    assert_int_equal(options.json, 1);
    assert_int_equal(options.quiet, 1);
    assert_int_equal(options.sizes.count, 0);
    cli_options_free(&options);
}

/* What strtod takes beyond a decimal number is refused. */
TEST(shares_and_mebibytes_are_decimal)
{
    static const char *const bad[] = {"0x10", "1e1", "0x1p3%", "1e1%", "1.2.3", "",  "%",
                                      "+5",   "-5",  "nan",    "inf",  " 5",    "5 "};
    char rotating[] = "--rotating", noise[] = "--max-noise", regression[] = "--fail-on-regression", whole[] = "16",
         part[] = "0.5%";
    cli_options options;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[16];
        strcpy(text, bad[i]);
        assert_int_equal(parse(CLI_BENCH, rotating, text, &options), VKMM_INVALID);
        assert_int_equal(parse(CLI_BENCH, noise, text, &options), VKMM_INVALID);
        assert_int_equal(parse(CLI_COMPARE, regression, text, &options), VKMM_INVALID);
    }
    assert_int_equal(parse(CLI_BENCH, rotating, whole, &options), VKMM_OK);
    assert_true(options.rotating_bytes == 16777216.0);
    assert_int_equal(parse(CLI_BENCH, noise, part, &options), VKMM_OK);
    assert_true(options.max_noise == 0.5 / 100);
}
