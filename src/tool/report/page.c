#include "report/page.h"

#include <string.h>
#include "base/alloc.h"

/* "<" occurs in JSON only in strings, where this escape replaces it: no string can then contain </script> or <!--. */
static const char LESS[] = "\\u003c";
enum { LESS_BYTES = sizeof LESS - 1 };

/* Returns the bytes of the escaped text; writes them unless `out` is NULL. */
static size_t escape(char *out, const char *json)
{
    size_t at = 0;

    for (; *json != '\0'; json++) {
        if (*json == '<') {
            if (out != NULL) memcpy(out + at, LESS, LESS_BYTES);
            at += LESS_BYTES;
        } else {
            if (out != NULL) out[at] = *json;
            at++;
        }
    }
    return at;
}

vkmm_status cli_page_make(const cli_template *around, const char *json, char **page, size_t *bytes)
{
    const size_t data = escape(NULL, json), whole = around->head_bytes + data + around->tail_bytes;

    *bytes = 0;
    *page = vkmm_alloc(whole + 1, 1);
    if (*page == NULL) return VKMM_OUT_OF_MEMORY;
    memcpy(*page, around->head, around->head_bytes);
    escape(*page + around->head_bytes, json);
    memcpy(*page + around->head_bytes + data, around->tail, around->tail_bytes);
    *bytes = whole;
    return VKMM_OK;
}
