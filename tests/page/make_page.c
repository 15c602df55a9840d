/* make_page: a trace's JSON on stdin, its page on stdout. The page's tests draw traces with it that no device has to
 * make. */
#include <stdio.h>
#include "base/alloc.h"
#include "trace_page_parts.h"

int main(void)
{
    static char json[1 << 24];
    size_t length = fread(json, 1, sizeof json - 1, stdin), bytes = 0;
    char *page = NULL;
    json[length] = '\0';
    vkmm_alloc_fail_after(1);
    if (cli_page_make(&cli_trace_template, json, &page, &bytes) != VKMM_OUT_OF_MEMORY || page != NULL || bytes != 0)
        return 1;
    if (!feof(stdin) || cli_page_make(&cli_trace_template, json, &page, &bytes) != VKMM_OK) return 1;
    int ok = fwrite(page, 1, bytes, stdout) == bytes && fflush(stdout) == 0;
    vkmm_free(page);
    return ok ? 0 : 1;
}
