/* Option arguments of bench and compare. */
#include "options/values.h"

#include "base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits with at most one point, and where they end; -1 when there are none. strtod would take signs, hexadecimals,
 * exponents and "nan" as well. */
static double read_decimal(const char *text, const char **after)
{
    const size_t length = strspn(text, "0123456789.");
    char *end;
    const double value = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : -1;

    *after = text + length;
    return value >= 0 && end == *after ? value : -1;
}

/* "5%", "5" and "0.5%" as shares; negative when it is none. */
static double read_percent(const char *text)
{
    const char *end;
    const double value = read_decimal(text, &end);

    if (*end == '%') end++;
    return *end == '\0' && isfinite(value) ? value / 100 : -1;
}

vkmm_status cli_parse_share(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    double share = read_percent(text);

    if (share > 0 && share < 1) {
        *(double *)field = share;
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "--%s takes a percentage above 0 and below 100, as 5%% or 0.5%%, not '%.60s'",
                     option->name, text);
}

vkmm_status cli_parse_regression(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    double share = read_percent(text);

    if (share >= 0 && share < 1) {
        *(cli_scalar *)field = (cli_scalar){1, share};
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "--%s takes a percentage from 0 to below 100, as 5%%, not '%.60s'",
                     option->name, text);
}

vkmm_status cli_parse_mebibytes(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    const char *end;
    const double mebibytes = read_decimal(text, &end);

    if (mebibytes >= 1 && mebibytes <= 1 << 20 && *end == '\0') {
        *(double *)field = floor(mebibytes * (1 << 20));
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "--%s takes MiB from 1 to 1048576, not '%.60s'", option->name, text);
}
