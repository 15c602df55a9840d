#include "report/build.h"

#include "base/alloc.h"
#include "report/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Room for so many bytes more, and their end. */
static int reserve(vkmm_builder *builder, size_t more)
{
    size_t room = builder->room > 0 ? builder->room : 4096;
    char *text;

    if (builder->failed) return 0;
    if (builder->used + more < builder->room) return 1;
    while (room <= builder->used + more) room *= 2;
    text = vkmm_realloc(builder->text, room, 1);
    if (text == NULL) {
        builder->failed = 1;
        return 0;
    }
    builder->text = text;
    builder->room = room;
    return 1;
}

void vkmm_build_bytes(vkmm_builder *builder, const char *bytes, size_t count)
{
    if (!reserve(builder, count)) return;
    memcpy(builder->text + builder->used, bytes, count);
    builder->used += count;
    builder->text[builder->used] = '\0';
}

void vkmm_build_text(vkmm_builder *builder, const char *text)
{
    vkmm_build_bytes(builder, text, strlen(text));
}

void vkmm_build(vkmm_builder *builder, const char *format, ...)
{
    va_list arguments, again;
    int length;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) builder->failed = 1;
    if (length >= 0 && reserve(builder, (size_t)length)) {
        vsnprintf(builder->text + builder->used, (size_t)length + 1, format, again);
        builder->used += (size_t)length;
    }
    va_end(again);
}

/* The code point of a well-formed sequence of three bytes; 0 for any other text. */
static uint32_t three_bytes(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    if (s[0] < 0xe0 || s[0] > 0xef) return 0;
    return (uint32_t)(s[0] & 0x0f) << 12 | (uint32_t)(s[1] & 0x3f) << 6 | (uint32_t)(s[2] & 0x3f);
}

/* Marks that are not seen themselves, but change how the text around them is shown. All of them take three bytes. */
static int is_unseen(uint32_t point)
{
    return (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void vkmm_build_html(vkmm_builder *builder, const char *text)
{
    const size_t room = 4 * strlen(text) + 1; /* "\xNN" for each byte */
    char *clean = vkmm_alloc(room, 1);

    if (clean == NULL) {
        builder->failed = 1;
        return;
    }
    vkmm_text_clean(clean, room, text);
    for (const char *c = clean; *c != '\0'; c++) {
        const uint32_t point = three_bytes(c);
        if (is_unseen(point)) {
            vkmm_build(builder, "\\u%04x", point);
            c += 2;
        } else if (entity(*c) != NULL)
            vkmm_build_text(builder, entity(*c));
        else
            vkmm_build_bytes(builder, c, 1);
    }
    vkmm_free(clean);
}

void vkmm_build_plain(vkmm_builder *builder, const char *text, size_t most)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;()[]+-_/=*";
    size_t total = 0, written = 0;

    for (const char *c = text; *c != '\0'; c++) total += strchr(allowed, *c) != NULL;
    for (const char *c = text; *c != '\0' && (total <= most || written + 2 < most); c++) {
        if (strchr(allowed, *c) == NULL) continue;
        vkmm_build_bytes(builder, c, 1);
        written++;
    }
    if (total > most) vkmm_build_text(builder, "..");
}

void vkmm_build_quoted(vkmm_builder *builder, const char *text, size_t most)
{
    vkmm_build_text(builder, "'");
    vkmm_build_plain(builder, text, most);
    vkmm_build_text(builder, "'");
}

char *vkmm_build_take(vkmm_builder *builder, size_t *bytes)
{
    char *text = NULL;

    vkmm_build_text(builder, ""); /* even an empty text has an end */
    if (!builder->failed) {
        text = builder->text;
        if (bytes != NULL) *bytes = builder->used;
        builder->text = NULL;
    } else if (bytes != NULL)
        *bytes = 0;
    vkmm_build_free(builder);
    return text;
}

void vkmm_build_free(vkmm_builder *builder)
{
    vkmm_free(builder->text);
    *builder = (vkmm_builder){0};
}
