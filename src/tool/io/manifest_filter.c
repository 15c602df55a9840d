#include "io/manifest_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A pattern with '*' for any characters, whatever the case. */
static int matches(const char *pattern, size_t length, const char *text)
{
    if (length == 0) return text[0] == '\0';
    if (pattern[0] == '*') {
        for (;; text++) {
            if (matches(pattern + 1, length - 1, text)) return 1;
            if (text[0] == '\0') return 0;
        }
    }
    return text[0] != '\0' && tolower((unsigned char)pattern[0]) == tolower((unsigned char)text[0]) &&
           matches(pattern + 1, length - 1, text + 1);
}

/* Stars in a row are one: without them a pattern of many takes for ever. */
static int matches_any(const char *list, char separator, const char *all, const char *text)
{
    char pattern[256];
    while (list != NULL) {
        const char *end = strchr(list, separator);
        size_t length = end != NULL ? (size_t)(end - list) : strlen(list), used = 0;
        unsigned stars = 0;
        for (size_t i = 0; i < length && used < sizeof pattern - 1; i++) {
            if (list[i] == '*' && used > 0 && pattern[used - 1] == '*') continue;
            stars += list[i] == '*';
            pattern[used++] = list[i];
        }
        pattern[used] = '\0';
        if (used > 0 && (strcmp(pattern, "~all~") == 0 || strcmp(pattern, all) == 0)) return 1;
        if (used > 0 && stars <= 4 && matches(pattern, used, text)) return 1;
        list = end != NULL ? end + 1 : NULL;
    }
    return 0;
}

static int is_driver_wanted(const vkmm_manifest *item, int otherwise)
{
    const char *select = getenv("VK_LOADER_DRIVERS_SELECT");
    if (select != NULL && select[0] != '\0' && !matches_any(select, ',', "", item->name)) return 0;
    return matches_any(getenv("VK_LOADER_DRIVERS_DISABLE"), ',', "", item->name) ? 0 : otherwise;
}

int vkmm_scan_wanted(const vkmm_manifest *item, int otherwise)
{
    const char *all = item->kind == VKMM_MANIFEST_IMPLICIT_LAYER ? "~implicit~" : "~explicit~";
    if (item->kind == VKMM_MANIFEST_DRIVER) return is_driver_wanted(item, otherwise);
    if (matches_any(getenv("VK_LOADER_LAYERS_DISABLE"), ',', all, item->name) &&
        !matches_any(getenv("VK_LOADER_LAYERS_ALLOW"), ',', all, item->name))
        return 0;
    if (matches_any(getenv("VK_LOADER_LAYERS_ENABLE"), ',', all, item->name)) return 1;
    return matches_any(getenv("VK_INSTANCE_LAYERS"), ':', "", item->name) ? 1 : otherwise;
}
