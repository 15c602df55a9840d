#include "explain/trace_page.h"

#include "report/page.h"
#include "trace_page_parts.h" /* made by embed.py: the page before and after its data */

vkmm_status vkmm_trace_page(const char *json, char **page, size_t *bytes)
{
    static const vkmm_template around = {vkmm_trace_head, vkmm_trace_tail, sizeof vkmm_trace_head,
                                         sizeof vkmm_trace_tail};

    return vkmm_page_make(&around, json, page, bytes);
}
