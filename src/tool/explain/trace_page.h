/* A trace as a page: one self-contained HTML file that steps through it. Its sources are the folder page. */
#ifndef VKMM_REPORT_TRACE_PAGE_H
#define VKMM_REPORT_TRACE_PAGE_H

#include <stddef.h>
#include "vkmatmul.h"

/* `json` is one object of schema "vkmatmul.trace/1"; the rest is as in vkmm_page_make. */
vkmm_status vkmm_trace_page(const char *json, char **page, size_t *bytes);

#endif
