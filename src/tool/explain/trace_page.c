#include <string.h>
#include "base/alloc.h"
#include "explain/trace_page.h"
#include "trace_page_parts.h" /* made by page/embed.py: the page before and after its data */

/* "<" occurs in JSON within texts alone, where this escape stands for it: no text can then spell </script> or <!--. */
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

vkmm_status vkmm_trace_page(const char *json, char **page, size_t *bytes)
{
    const size_t data = escape(NULL, json), head = sizeof vkmm_page_head, tail = sizeof vkmm_page_tail;

    *bytes = 0;
    *page = vkmm_alloc(head + data + tail + 1, 1);
    if (*page == NULL) return VKMM_OUT_OF_MEMORY;
    memcpy(*page, vkmm_page_head, head);
    escape(*page + head, json);
    memcpy(*page + head + data, vkmm_page_tail, tail);
    *bytes = head + data + tail;
    return VKMM_OK;
}
