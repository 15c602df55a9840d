/* Drawings by gnuplot, made fit for a page: read as markup, and written anew from what is known to draw. */
#include "bench/page.h"
#include "report/build.h"
#include "report_page_parts.h" /* made by page/embed.py: vkmm_chart_style_text */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 24, NAME = 24, VALUE = 65536 };

typedef struct cleaner {
    vkmm_builder out;
    const char *prefix;
    struct {
        char name[NAME];
        size_t begin, after; /* of its first tag in the output */
    } open[DEEPEST];
    unsigned depth;
    unsigned skipped; /* how deep within an element that is left out; 0: not in one */
    int roots, ends;  /* <svg> and </svg> */
} cleaner;

static int is_one_of(const char *const *words, const char *word)
{
    while (*words != NULL && strcmp(*words, word) != 0) words++;
    return *words != NULL;
}

static int is_drawing(const char *name)
{
    static const char *const names[] = {"g",      "path",    "text", "tspan", "rect", "polygon", "polyline",
                                        "circle", "ellipse", "line", "use",   "defs", NULL};
    return is_one_of(names, name);
}

static int is_kept(const char *attribute)
{
    static const char *const names[] = {"d",
                                        "x",
                                        "y",
                                        "x1",
                                        "y1",
                                        "x2",
                                        "y2",
                                        "width",
                                        "height",
                                        "cx",
                                        "cy",
                                        "r",
                                        "rx",
                                        "ry",
                                        "points",
                                        "transform",
                                        "fill",
                                        "stroke",
                                        "stroke-width",
                                        "stroke-dasharray",
                                        "color",
                                        "font-size",
                                        "opacity",
                                        "id",
                                        "xlink:href",
                                        "stroke-linecap",
                                        "stroke-linejoin",
                                        "fill-opacity",
                                        "text-anchor",
                                        NULL};
    return is_one_of(names, attribute);
}

static int is_harmless(const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)value[i]) && (value[i] == '\0' || strchr(" .,-+#()%_\n\t", value[i]) == NULL))
            return 0;
    }
    return 1;
}

/* Colours as #rrggbb, so that a style sheet can name them; black is ink. */
static void write_value(cleaner *c, const char *name, const char *value, size_t length)
{
    char text[64];
    unsigned red, green, blue;

    snprintf(text, sizeof text, "%.*s", length < sizeof text ? (int)length : 0, value);
    if (strcmp(name, "id") == 0)
        vkmm_build(&c->out, " id=\"%s-%.*s\"", c->prefix, (int)length, value);
    else if (strcmp(name, "xlink:href") == 0) {
        if (length > 1 && value[0] == '#')
            vkmm_build(&c->out, " xlink:href=\"#%s-%.*s\"", c->prefix, (int)length - 1, value + 1);
    } else if (sscanf(text, "rgb(%u ,%u ,%u )", &red, &green, &blue) == 3 && red < 256 && green < 256 && blue < 256)
        vkmm_build(&c->out, " %s=\"#%02x%02x%02x\"", name, red, green, blue);
    else if (strcmp(text, "black") == 0)
        vkmm_build(&c->out, " %s=\"#1b2430\"", name);
    else
        vkmm_build(&c->out, " %s=\"%.*s\"", name, (int)length, value);
}

static const char *after_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

/* One attribute from *at on; 0 at the tag's end. */
static int attribute(cleaner *c, const char **at, const char *end)
{
    const char *begin = after_space(*at, end), *after = begin, *value, *close;
    char name[NAME];
    size_t length;

    while (after < end && *after != '=' && *after != '/' && !isspace((unsigned char)*after)) after++;
    length = (size_t)(after - begin);
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, begin);
    after = after_space(after, end);
    if (length == 0 || after == end || *after != '=') return 0;
    value = after_space(after + 1, end);
    if (value == end || (*value != '"' && *value != '\'')) return 0;
    close = memchr(value + 1, *value, (size_t)(end - value - 1));
    if (close == NULL) return 0;
    *at = close + 1;
    length = (size_t)(close - ++value);
    if (length < VALUE && is_kept(name) && is_harmless(value, length)) write_value(c, name, value, length);
    return 1;
}

static void close_element(cleaner *c)
{
    c->depth--;
    if (c->out.used == c->open[c->depth].after) { /* gnuplot sets many colours that it then does not use */
        c->out.used = c->open[c->depth].begin;
        return;
    }
    vkmm_build(&c->out, "</%s>", c->open[c->depth].name);
}

/* A tag between < and >. Returns 0 when the drawing cannot go on. */
static int tag(cleaner *c, const char *at, const char *end)
{
    const int closes = *at == '/', empty = end[-1] == '/';
    const char *begin = at + closes;
    char name[NAME];
    size_t length;

    for (at = begin; at < end && !isspace((unsigned char)*at) && *at != '/';) at++;
    length = (size_t)(at - begin);
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, begin);
    if (*begin == '?' || *begin == '!') return 1;
    if (c->skipped > 0) {
        c->skipped += closes ? (unsigned)-1 : !empty;
        return 1;
    }
    if (strcmp(name, "svg") == 0) {
        c->roots += !closes;
        c->ends += closes;
        return c->roots == 1;
    }
    if (closes) {
        if (c->depth > 0 && strcmp(c->open[c->depth - 1].name, name) == 0) close_element(c);
        return 1;
    }
    if (!is_drawing(name)) {
        c->skipped = !empty;
        return 1;
    }
    if (c->depth == DEEPEST) return 0;
    c->open[c->depth].begin = c->out.used;
    vkmm_build(&c->out, "<%s", name);
    while (attribute(c, &at, end)) continue;
    vkmm_build_text(&c->out, empty ? "/>" : ">");
    if (empty) return 1;
    memcpy(c->open[c->depth].name, name, sizeof name);
    c->open[c->depth++].after = c->out.used;
    return 1;
}

/* Text within <text>, entities as they are. */
static void text(cleaner *c, const char *at, const char *end)
{
    if (c->skipped > 0 || c->depth == 0) return;
    if (strcmp(c->open[c->depth - 1].name, "text") != 0 && strcmp(c->open[c->depth - 1].name, "tspan") != 0) return;
    for (; at < end; at++) {
        if (*at == '>')
            vkmm_build_text(&c->out, "&gt;");
        else if (*at == '&' && strncmp(at, "&amp;", 5) != 0 && strncmp(at, "&lt;", 4) != 0 &&
                 strncmp(at, "&gt;", 4) != 0)
            vkmm_build_text(&c->out, "&amp;");
        else if ((unsigned char)*at >= 0x20)
            vkmm_build_bytes(&c->out, at, 1);
    }
}

static void begin(cleaner *c, const char *title, double width, double height, int standalone)
{
    if (!standalone) {
        vkmm_build(&c->out, "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", width, height);
        vkmm_build_html(&c->out, title);
        vkmm_build_text(&c->out, "\">");
        return;
    }
    vkmm_build(&c->out,
               "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
               "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
               "font-family=\"sans-serif\">\n<title>",
               width, height, width, height);
    vkmm_build_html(&c->out, title);
    vkmm_build_text(&c->out, "</title>\n<style>\n");
    vkmm_build_bytes(&c->out, (const char *)vkmm_chart_style_text, sizeof vkmm_chart_style_text);
    vkmm_build(&c->out, "</style>\n<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n", width, height);
}

char *vkmm_chart_clean(const char *svg, const char *prefix, const char *title, int standalone)
{
    cleaner c = {.prefix = prefix};
    const char *box = strstr(svg, "viewBox=\"0 0 "), *at = svg;
    double width = 0, height = 0;
    int good = box != NULL && sscanf(box, "viewBox=\"0 0 %lf %lf\"", &width, &height) == 2 && width > 0 && height > 0;

    if (good) begin(&c, title, width, height, standalone);
    while (good && *at != '\0') {
        const char *less = strchr(at, '<'), *more = less != NULL ? strchr(less, '>') : NULL;
        text(&c, at, less != NULL ? less : at + strlen(at));
        if (less == NULL) break;
        good = more != NULL && more > less + 1 && tag(&c, less + 1, more);
        at = more != NULL ? more + 1 : at;
    }
    while (c.depth > 0) close_element(&c);
    vkmm_build_text(&c.out, standalone ? "</svg>\n" : "</svg>");
    if (good && c.ends == 1) return vkmm_build_take(&c.out, NULL);
    vkmm_build_free(&c.out);
    return NULL;
}
