#include "report/markdown.h"

#include <string.h>

#include "report/text.h"

void vkmm_md_text(FILE *out, const char *text)
{
    char clean[4000];

    vkmm_text_clean(clean, sizeof clean, text);
    for (const char *c = clean; *c != '\0'; c++) {
        int links = strncmp(c, "://", 3) == 0 || (*c == '.' && c - clean >= 3 && strncmp(c - 3, "www", 3) == 0);
        if (links || strchr("\\`*_{}[]<>#|~&!$^=", *c) != NULL) putc('\\', out);
        putc(*c, out);
        if (*c == '@') fputs("<!-- -->", out); /* no escape keeps a mention from being one */
    }
}
