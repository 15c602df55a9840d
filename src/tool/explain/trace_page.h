/* A trace as a page: one self-contained HTML file that steps through it. Its sources are src/report/page; they load
 * nothing. */
#ifndef VKMM_REPORT_TRACE_PAGE_H
#define VKMM_REPORT_TRACE_PAGE_H

#include <stddef.h>
#include "vkmatmul.h"

/* `json` is one object of schema "vkmatmul.trace/1" as valid UTF-8, 0-terminated. It becomes data in the page and
 * cannot end or leave its element, whatever names it holds. *page gets the whole file, *bytes long and 0-terminated;
 * the caller frees it with vkmm_free. VKMM_OUT_OF_MEMORY otherwise; *page is then NULL. */
vkmm_status vkmm_trace_page(const char *json, char **page, size_t *bytes);

#endif
