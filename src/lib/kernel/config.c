#include "kernel/config.h"

#include <string.h>

#include "base/log.h"
#include "kernel/table.h"

void vkmm_config_text(const vkmm_kernel *kernel, const vkmm_config *config, char text[VKMM_CONFIG_TEXT])
{
    text[0] = '\0';
    for (int i = 0; i < VKMM_MAX_TUNABLES && kernel->tunables; i++)
        if (kernel->tunables[i].name)
            vkmm_join(text, VKMM_CONFIG_TEXT, ",", "%s=%u", kernel->tunables[i].name, config->values[i]);
}

static const vkmm_tunable *find(const vkmm_kernel *kernel, const char *name, size_t length)
{
    for (int i = 0; i < VKMM_MAX_TUNABLES && kernel->tunables; i++) {
        const char *known = kernel->tunables[i].name;
        if (known && strlen(known) == length && memcmp(known, name, length) == 0) return &kernel->tunables[i];
    }
    return NULL;
}

static vkmm_status refuse_name(const vkmm_kernel *kernel, const char *name, size_t length)
{
    char names[256] = "";
    for (int i = 0; i < VKMM_MAX_TUNABLES && kernel->tunables; i++)
        if (kernel->tunables[i].name) VKMM_JOIN(names, ", ", "%s", kernel->tunables[i].name);
    return vkmm_fail(VKMM_INVALID, "the kernel %s has no tunable \"%.*s\"; it has %s", kernel->name,
                     (int)(length < 40 ? length : 40), name, names[0] ? names : "none");
}

/* Digits at *text, moved past: 1 and *value, or 0 for anything that is not 0 … 2^20. */
static int read_value(const char **text, uint32_t *value)
{
    const char *start = *text;
    *value = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++)
        if (*value <= 1u << 20) *value = 10 * *value + (uint32_t)(**text - '0');
    return *text > start && *value <= 1u << 20;
}

vkmm_status vkmm_config_parse(const vkmm_kernel *kernel, const char *text, vkmm_config *config)
{
    vkmm_config read = *config;
    for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
        size_t length = strcspn(text, "=, ");
        const vkmm_tunable *tunable = find(kernel, text, length);
        if (!tunable) return refuse_name(kernel, text, length);
        text += length;
        if (*text == '=') text++;
        if (!read_value(&text, &read.values[tunable - kernel->tunables]) || (*text && *text != ',' && *text != ' '))
            return vkmm_fail(VKMM_INVALID, "the tunable %s takes a whole number from 0 to %u", tunable->name, 1u << 20);
    }
    *config = read;
    return VKMM_OK;
}
