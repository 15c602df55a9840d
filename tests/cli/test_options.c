/* Command lines, one after another in one process, as a suite's file has them. */
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static vkmm_status parse(char *first, char *second, cli_options *options)
{
    char name[] = "run", *words[] = {name, first, second, NULL};

    memset(options, 0, sizeof *options);
    return cli_options_parse(NULL, CLI_RUN, "run", second != NULL ? 3 : 2, words, options);
}

/* A word of several letters that is refused at its first leaves none of them behind. */
static void a_refused_line_is_forgotten(void **state)
{
    char refused[] = "-zs", json[] = "--json", quiet[] = "--quiet";
    cli_options options;

    (void)state;
    assert_int_equal(parse(refused, NULL, &options), VKMM_INVALID);
    assert_int_equal(parse(json, quiet, &options), VKMM_OK);
    assert_int_equal(options.json, 1);
    assert_int_equal(options.quiet, 1);
    assert_int_equal(options.sizes.count, 0);
    cli_options_free(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_refused_line_is_forgotten)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
