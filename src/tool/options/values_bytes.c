/* Option arguments that are amounts of memory. */
#include "options/values.h"

#include "base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double bytes;
} units[] = {{"", 1},      {"B", 1},        {"kB", 1e3},     {"KB", 1e3},     {"MB", 1e6},    {"GB", 1e9},
             {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};

/* Digits with at most one point among them; strtod would take signs, spaces, hexadecimals and "inf" as well. Returns
 * the unit, NULL for no number. */
static const char *skip_number(const char *text)
{
    size_t whole = strspn(text, "0123456789"), part = 0;
    const char *unit = text + whole;

    if (*unit == '.') {
        part = strspn(unit + 1, "0123456789");
        unit += 1 + part;
    }
    return whole + part > 0 ? unit : NULL;
}

vkmm_status cli_parse_bytes(const vkmm_log *log, const cli_option *option, const char *text, void *field)
{
    const char *unit = strlen(text) < 40 ? skip_number(text) : NULL;
    char name[32];

    for (size_t i = 0; unit != NULL && i < sizeof units / sizeof *units; i++) {
        const double bytes = floor(strtod(text, NULL) * units[i].bytes);
        if (strcmp(unit, units[i].name) != 0 || bytes < 1 || bytes >= 0x1p63) continue;
        *(cli_number *)field = (cli_number){1, (uint64_t)bytes};
        return VKMM_OK;
    }
    cli_option_name(option, name);
    return vkmm_fail(log, VKMM_INVALID,
                     "%s takes bytes from 1 up to 8388607 TiB, as 64MiB, 1.5GiB, 256MB or 1000000 (units: B, kB, MB, "
                     "GB, TB, KiB, MiB, GiB, TiB), "
                     "not '%.60s'",
                     name, text);
}
