/* Pages: one self-contained HTML file each, a template with a JSON document in its middle. The scripts of the template
 * draw the document; C writes no markup. */
#pragma once

#include <stddef.h>
#include "vkmatmul.h"

/* The parts before and after the document, made by embed.py. */
typedef struct cli_template {
    const unsigned char *head, *tail;
    size_t head_bytes, tail_bytes;
} cli_template;

/* `json` is one document as valid UTF-8, 0-terminated. It becomes data in the page and cannot end or leave its
 * element, whatever names it contains. *page gets the whole file, *bytes long and 0-terminated; the caller frees it
 * with vkmm_free. VKMM_OUT_OF_MEMORY otherwise; *page is then NULL and *bytes 0. */
vkmm_status cli_page_make(const cli_template *around, const char *json, char **page, size_t *bytes);
