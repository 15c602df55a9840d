#include "system/sensors_source.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"

void vkmm_sensor_path(char path[VKMM_SENSOR_PATH], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, VKMM_SENSOR_PATH, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= VKMM_SENSOR_PATH) path[0] = '\0';
}

double vkmm_sensor_number(const char *path)
{
    char line[64], *end = line;
    if (!vkmm_file_text(path, line, sizeof line) || line[0] < '0' || line[0] > '9') return NAN;
    double number = strtod(line, &end);
    return *end == '\0' && isfinite(number) ? number : NAN;
}

void vkmm_sensor_entries(const char *folder, const char *prefix,
                         int (*each)(void *user, const char *folder, const char *name), void *user)
{
    vkmm_names names;
    size_t length = strlen(prefix);
    vkmm_folder_list(folder, &names);
    for (uint32_t i = 0; i < names.count; i++) {
        const char *name = names.name[i];
        int numbered = strncmp(name, prefix, length) == 0 && name[length] >= '0' && name[length] <= '9';
        if ((numbered || length == 0) && each(user, folder, name)) break;
    }
    vkmm_names_free(&names);
}

void vkmm_sensor_look(vkmm_sensor_steps *steps, double ms, double joules)
{
    if (isnan(joules)) return;
    if (!isnan(steps->joules) && joules != steps->joules) {
        if (steps->count == 0) {
            steps->first_ms = ms;
            steps->first_joules = joules;
        }
        steps->last_ms = ms;
        steps->last_joules = joules;
        steps->count++;
    }
    steps->joules = joules;
}

double vkmm_sensor_power(const vkmm_sensor_steps *steps, double least_ms)
{
    double ms = steps->last_ms - steps->first_ms, joules = steps->last_joules - steps->first_joules;
    return steps->count > 1 && ms >= least_ms && joules > 0 ? joules / (ms / 1e3) : NAN;
}

typedef struct supplies {
    int mains, discharging, charged; /* non-zero: seen */
} supplies;

static int look_at_supply(void *user, const char *folder, const char *name)
{
    supplies *seen = user;
    char path[VKMM_SENSOR_PATH], type[32], text[32];
    vkmm_sensor_path(path, "%s/%s/scope", folder, name);
    if (vkmm_file_text(path, text, sizeof text) && strcmp(text, "Device") == 0) return 0; /* a mouse's */
    vkmm_sensor_path(path, "%s/%s/type", folder, name);
    vkmm_file_text(path, type, sizeof type);
    if (strcmp(type, "Battery") == 0) {
        vkmm_sensor_path(path, "%s/%s/status", folder, name);
        vkmm_file_text(path, text, sizeof text);
        seen->discharging |= strcmp(text, "Discharging") == 0;
        seen->charged |=
            strcmp(text, "Charging") == 0 || strcmp(text, "Full") == 0 || strcmp(text, "Not charging") == 0;
    } else if (strcmp(type, "Mains") == 0 || strncmp(type, "USB", 3) == 0) {
        vkmm_sensor_path(path, "%s/%s/online", folder, name);
        seen->mains |= vkmm_sensor_number(path) > 0;
    }
    return 0;
}

const char *vkmm_power_source(const char *root)
{
    char folder[VKMM_SENSOR_PATH];
    supplies seen = {0};
    vkmm_sensor_path(folder, "%s/sys/class/power_supply", root);
    vkmm_sensor_entries(folder, "", look_at_supply, &seen);
    /* Plugged in counts, even where a weak charger lets the battery run down. */
    if (seen.mains) return "mains";
    if (seen.discharging) return "battery";
    return seen.charged ? "mains" : "";
}
