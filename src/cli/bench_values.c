/* Option arguments of bench and compare. */
#include "cli/values.h"

#include "base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* "5%", "5" and "0.5%" as shares; negative when it is none. */
static double read_percent(const char *text)
{
    char *end;
    double value;

    if (text[0] < '0' || text[0] > '9') return -1; /* no sign, no "nan" */
    value = strtod(text, &end);
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
    return vkmm_fail(log, VKMM_INVALID, "--%s takes a percentage above 0 and below 100, as 5%% or 0.5%%, not '%.60s'", option->name, text);
}

vkmm_status cli_parse_regression(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    double share = read_percent(text);

    if (share >= 0 && share < 1) {
        *(cli_scalar *)field = (cli_scalar){1, share};
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "--%s takes a percentage from 0 to below 100, as 5%%, not '%.60s'", option->name, text);
}

vkmm_status cli_parse_mebibytes(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    char *end;
    double mebibytes = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : -1;

    if (mebibytes >= 1 && mebibytes <= 1 << 20 && *end == '\0') {
        *(double *)field = floor(mebibytes * (1 << 20));
        return VKMM_OK;
    }
    return vkmm_fail(log, VKMM_INVALID, "--%s takes MiB from 1 to 1048576, not '%.60s'", option->name, text);
}
