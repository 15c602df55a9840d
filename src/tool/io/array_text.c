/* Matrices as text, CSV and TSV: a row of numbers on each line, without a header line. Lines end with LF or CRLF.
 * Numbers are decimal, or nan or inf in any case. A text does not state its elements' type. */
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_DIGITS = 500, SHOWN = 40 };

typedef struct lines {
    const char *at, *end;
    uint64_t line; /* the number of the last one that was read */
    char separator;
} lines;

/* The next line without its line end. */
static int next_line(lines *l, const char **begin, const char **end)
{
    if (l->at >= l->end) return 0;
    const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    *begin = l->at;
    *end = stop != NULL ? stop : l->end;
    l->at = stop != NULL ? stop + 1 : l->end;
    l->line++;
    while (*end > *begin && ((*end)[-1] == '\r' || (*end)[-1] == ' ')) --*end;
    return 1;
}

/* The next field of a line, without spaces around it; the line then begins after it, and is NULL after the last. */
static void next_field(const char **line, const char *line_end, char separator, const char **begin, const char **end)
{
    const char *stop = memchr(*line, separator, (size_t)(line_end - *line));
    *begin = *line;
    *end = stop != NULL ? stop : line_end;
    *line = stop != NULL ? stop + 1 : NULL;
    while (*begin < *end && **begin == ' ') ++*begin;
    while (*end > *begin && (*end)[-1] == ' ') --*end;
}

/* Rows, and the columns of each. */
static vkmm_status count_fields(const char *name, lines l, uint64_t extents[2])
{
    const char *begin = NULL, *end = NULL;
    uint64_t first = 0;
    extents[0] = extents[1] = 0;
    for (; next_line(&l, &begin, &end); extents[0]++) {
        uint64_t fields = 1;
        for (; (begin = memchr(begin, l.separator, (size_t)(end - begin))) != NULL; begin++) fields++;
        if (extents[0] == 0) first = l.line;
        if (extents[0] > 0 && fields != extents[1])
            return vkmm_fail(VKMM_INVALID, "%s:%llu: %llu column%s, but line %llu has %llu", name,
                             (unsigned long long)l.line, (unsigned long long)fields, fields == 1 ? "" : "s",
                             (unsigned long long)first, (unsigned long long)extents[1]);
        extents[1] = fields;
    }
    return VKMM_OK;
}

/* Blank lines at the end are ignored; so is a byte order mark. */
static lines begin_lines(const void *data, uint64_t bytes, char separator)
{
    lines l = {data, data, 0, separator};
    if (bytes > 0) l.end += bytes;
    if (bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) l.at += 3;
    while (l.end > l.at && strchr("\r\n ", l.end[-1]) != NULL && l.end[-1] != '\0') l.end--;
    return l;
}

static vkmm_status parse(const char *name, const char *tensor, const void *data, uint64_t bytes, cli_array *array)
{
    lines l = begin_lines(data, bytes, array->stored.separator);
    uint64_t extents[2];
    const vkmm_status status = count_fields(name, l, extents);
    (void)tensor;
    if (status != VKMM_OK) return status;
    if (extents[0] == 0) return vkmm_fail(VKMM_INVALID, "%s: the file holds no numbers", name);
    *array = cli_array_packed(l.at, VKMM_AUTO, extents, 2, 0);
    array->stored = (cli_encoding){.text_end = l.end, .separator = l.separator};
    return VKMM_OK;
}

/* VKMM_INVALID without a sentence; *why: what is wrong. strtod follows LC_NUMERIC, which the program does not set. */
static vkmm_status read_number(const char *begin, const char *end, vkmm_type type, char *to, const char **why)
{
    char text[MOST_DIGITS + 1], *stop = NULL;
    const size_t length = (size_t)(end - begin);
    *why = "is not a number";
    if (length == 0 || length > MOST_DIGITS) return VKMM_INVALID;
    memcpy(text, begin, length);
    text[length] = '\0';
    const double value = type == VKMM_F32 ? strtof(text, &stop) : strtod(text, &stop);
    if (stop != text + length || strpbrk(text, "xX(") != NULL) return VKMM_INVALID;
    *why = NULL;
    return cli_array_put(type, to, value) && (!isinf(value) || strpbrk(text, "nN") != NULL) ? VKMM_OK : VKMM_INVALID;
}

vkmm_status cli_text_read(const char *name, const cli_array *array, char *to)
{
    const cli_encoding *stored = &array->stored;
    const vkmm_type_info *type = vkmm_type_of(array->first.type);
    lines l = {array->first.data, stored->text_end, 0, stored->separator};
    const char *line = NULL, *line_end = NULL, *begin = NULL, *end = NULL, *why = NULL;
    while (next_line(&l, &line, &line_end)) {
        for (unsigned long long column = 1; line != NULL; column++, to += type->bytes) {
            next_field(&line, line_end, l.separator, &begin, &end);
            if (read_number(begin, end, array->first.type, to, &why) == VKMM_OK) continue;
            const int shown = end - begin > SHOWN ? SHOWN : (int)(end - begin);
            if (begin == end)
                return vkmm_fail(VKMM_INVALID, "%s:%llu: column %llu is empty", name, (unsigned long long)l.line,
                                 column);
            if (why == NULL)
                return vkmm_fail(VKMM_INVALID, "%s:%llu: column %llu: %.*s does not fit in %s", name,
                                 (unsigned long long)l.line, column, shown, begin, type->name);
            return vkmm_fail(VKMM_INVALID, "%s:%llu: column %llu: '%.*s' %s%s", name, (unsigned long long)l.line,
                             column, shown, begin, why, l.line == 1 ? "; a header line must be removed" : "");
        }
    }
    return VKMM_OK;
}

static const char *type_name(vkmm_type type)
{
    return vkmm_type_of(type)->name;
}

/* With enough digits to restore the same bits. NaN and Inf are spelled as in R; NumPy and Octave accept any spelling.
 */
static size_t write_number(char *text, size_t size, double value, int digits)
{
    if (isnan(value)) return (size_t)snprintf(text, size, "NaN");
    if (isinf(value)) return (size_t)snprintf(text, size, value < 0 ? "-Inf" : "Inf");
    return (size_t)snprintf(text, size, "%.*g", digits, value);
}

static vkmm_status write_rows(vkmm_output *output, const vkmm_view *view, char separator)
{
    enum { LONGEST = 32 };
    const vkmm_type_info *type = vkmm_type_of(view->type);
    const int digits = type->is_float && type->bytes <= 4 ? 9 : 17;
    char block[1 << 14];
    size_t used = 0;
    vkmm_status status = VKMM_OK;
    for (uint64_t i = 0; i < view->rows && status == VKMM_OK; i++) {
        for (uint64_t j = 0; j < view->cols && status == VKMM_OK; j++) {
            used += write_number(block + used, LONGEST, vkmm_view_get(view, i, j), digits);
            block[used++] = (char)(j + 1 < view->cols ? separator : '\n');
            if (used <= sizeof block - LONGEST - 1) continue;
            status = vkmm_output_write(output, block, used);
            used = 0;
        }
    }
    return status == VKMM_OK ? vkmm_output_write(output, block, used) : status;
}

vkmm_status cli_text_write(const cli_array *array, vkmm_output *output)
{
    if (array->first.rows == 0 || array->first.cols == 0)
        return vkmm_fail(VKMM_INVALID, "a .csv or .tsv file cannot hold a matrix without elements: use .npy");
    return write_rows(output, &array->first, array->stored.separator);
}

#define TEXT(ending, ...)                                                 \
    {                                                                     \
        .suffix = ending, .dtype = type_name, .parse = parse, __VA_ARGS__ \
    }

const cli_array_format cli_csv_format = TEXT(".csv", .separator = ','),
                       cli_tsv_format = TEXT(".tsv", .separator = '\t');
