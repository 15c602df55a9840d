/* NumPy's .npy files, versions 1.0, 2.0 and 3.0 (NEP 1; numpy/lib/format.py documents the header). Read: C and
 * Fortran order, f2, f4, f8, i4, u4, i1 and u1, and i8 and u8 as i4 and u4; both byte orders; one to three
 * dimensions; extents may be 0.
 * Anything else is an error that says what was found. Bytes after the data are ignored, as in NumPy. Written:
 * version 1.0, C order. The format has no bf16. */
#include "base/alloc.h"
#include "base/log.h"
#include "io/array_format.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "a view points straight into the file, whose numbers are little-endian: this host's are not"
#endif

enum {
    MAX_DIMENSIONS = 32, /* NumPy 1's limit */
    SHOWN = 60,          /* bytes of a file's text that a message repeats */
    LONGEST_START = 12,  /* before the header's text */
    MOST_HEAD = 1 << 20  /* bytes; NumPy reads 10,000 by default */
};

static const char *dtype(vkmm_type type)
{
    static const char *const names[VKMM_TYPE_COUNT] = {
        [VKMM_F32] = "<f4", [VKMM_F64] = "<f8", [VKMM_I32] = "<i4", [VKMM_U32] = "<u4",
        [VKMM_F16] = "<f2", [VKMM_I8] = "|i1",  [VKMM_U8] = "|u1"};
    return names[type];
}

/* The header is the text of a Python dictionary. The cursor never passes `end`; the first error stops everything. */
typedef struct parser {
    const vkmm_log *log;
    const char *name;
    const char *at, *end;
    vkmm_status status;
    unsigned seen; /* keys, by bit */
    vkmm_type type;
    cli_encoding stored;
    int fortran;
    uint64_t extents[3];
    uint32_t dimensions;
} parser;

/* Reports what is wrong, and where in the text. */
static void refuse(parser *p, const char *what)
{
    size_t left = (size_t)(p->end - p->at);
    if (p->status != VKMM_OK) return;
    p->status = VKMM_FAIL(p->log, VKMM_INVALID, "%s: the .npy header %s at \"%.*s\"", p->name, what,
                          (int)(left < SHOWN ? left : SHOWN), p->at);
}

static void skip_space(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) p->at++;
}

/* Consumes `c`, after white space, if it is next. */
static int take(parser *p, char c)
{
    skip_space(p);
    if (p->status != VKMM_OK || p->at == p->end || *p->at != c) return 0;
    p->at++;
    return 1;
}

static int take_word(parser *p, const char *word)
{
    size_t length = strlen(word);
    skip_space(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return 0;
    p->at += length;
    return 1;
}

/* 'text' or "text"; its bytes are not copied. No string that matters here has an escape. */
static int take_string(parser *p, const char **text, size_t *length)
{
    skip_space(p);
    if (p->status != VKMM_OK || p->at == p->end || (*p->at != '\'' && *p->at != '"')) return 0;
    const char *close = memchr(p->at + 1, *p->at, (size_t)(p->end - p->at - 1));
    if (close == NULL) return 0;
    *text = p->at + 1;
    *length = (size_t)(close - *text);
    p->at = close + 1;
    return 1;
}

#define DTYPES "f2, f4, f8, i1, i4, i8, u1, u4 and u8"

/* '=' is the byte order of the machine that wrote the file, which is assumed to be little-endian;
 * a byte has none. VKMM_AUTO: there is no such type. */
static vkmm_type type_of(const char *text, size_t length, cli_encoding *stored)
{
    if (length != 3 || memchr("<>=|", text[0], 4) == NULL) return VKMM_AUTO;
    *stored = (cli_encoding){.wide = text[2] == '8' && text[1] != 'f', .swapped = text[0] == '>'};
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) {
        const char *descr = dtype((vkmm_type)type);
        if (descr != NULL && text[1] == descr[1] && (stored->wide ? '4' : text[2]) == descr[2] &&
            (text[0] != '|' || text[2] == '1'))
            return (vkmm_type)type;
    }
    return VKMM_AUTO;
}

static void parse_descr(parser *p)
{
    const char *text = NULL;
    size_t length = 0;
    skip_space(p);
    if (p->at < p->end && *p->at == '[') {
        p->status = VKMM_FAIL(p->log, VKMM_INVALID,
                              "%s: records (a structured dtype) are not supported; only " DTYPES " are", p->name);
        return;
    }
    if (!take_string(p, &text, &length)) {
        refuse(p, "needs a string for 'descr'");
        return;
    }
    p->type = type_of(text, length, &p->stored);
    if (p->type == VKMM_AUTO)
        p->status = VKMM_FAIL(p->log, VKMM_INVALID, "%s: dtype '%.*s' is not supported; only " DTYPES " are", p->name,
                              (int)(length < SHOWN ? length : SHOWN), text);
}

static void parse_order(parser *p)
{
    if (take_word(p, "True"))
        p->fortran = 1;
    else if (take_word(p, "False"))
        p->fortran = 0;
    else
        refuse(p, "needs True or False for 'fortran_order'");
}

/* One extent; Python 2 wrote long integers as 12L. */
static int take_extent(parser *p, uint64_t *extent)
{
    skip_space(p);
    const char *start = p->at;
    *extent = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        if (vkmm_mul_u64(*extent, 10, extent) && vkmm_add_u64(*extent, (uint64_t)(*p->at - '0'), extent)) continue;
        p->at = start;
        refuse(p, "has an extent that does not fit in 64 bits");
        return 0;
    }
    if (p->at == start) return 0;
    if (p->at < p->end && *p->at == 'L') p->at++;
    return 1;
}

static void parse_shape(parser *p)
{
    uint64_t extent = 0;
    unsigned count = 0;
    skip_space(p);
    const char *start = p->at;
    if (!take(p, '(')) {
        refuse(p, "needs a tuple for 'shape'");
        return;
    }
    int comma = 1; /* an extent may follow */
    while (comma && count < MAX_DIMENSIONS && take_extent(p, &extent)) {
        if (count < 3) p->extents[count] = extent;
        count++;
        comma = take(p, ',');
    }
    /* (3) is a number in Python, (3,) a tuple; (,) is nothing. */
    if (!take(p, ')') || (count == 1 && !comma)) {
        refuse(p, "needs a tuple of extents for 'shape'");
        return;
    }
    p->dimensions = count;
    if (count >= 1 && count <= 3) return;
    size_t length = (size_t)(p->at - start);
    p->status =
        VKMM_FAIL(p->log, VKMM_INVALID, "%s: shape %.*s has %u dimensions; a matrix has 2, and a batch of them 3",
                  p->name, (int)(length < SHOWN ? length : SHOWN), start, count);
}

static const struct {
    const char *name;
    void (*parse)(parser *p);
} keys[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};

enum { KEYS = VKMM_COUNT(keys) };

static void parse_pair(parser *p)
{
    const char *key = NULL;
    size_t length = 0;
    unsigned i = 0;
    if (!take_string(p, &key, &length)) {
        refuse(p, "should have a key");
        return;
    }
    while (i < KEYS && (strlen(keys[i].name) != length || memcmp(key, keys[i].name, length) != 0)) i++;
    const int twice = (p->seen & 1U << i) != 0;
    if (i == KEYS || twice || !take(p, ':')) {
        refuse(p, i == KEYS ? "has an unknown key" : twice ? "has a key twice" : "should have a ':'");
        return;
    }
    p->seen |= 1U << i;
    keys[i].parse(p);
}

static void parse_dictionary(parser *p)
{
    if (!take(p, '{')) {
        refuse(p, "should begin with '{'");
        return;
    }
    int comma = 1; /* a pair may follow */
    while (p->status == VKMM_OK && !take(p, '}')) {
        if (!comma) refuse(p, "should have a ',' or '}'");
        if (p->status == VKMM_OK) parse_pair(p);
        comma = take(p, ',');
    }
    skip_space(p);
    if (p->at != p->end) refuse(p, "should end after '}'");
    for (unsigned i = 0; i < KEYS && p->status == VKMM_OK; i++)
        if ((p->seen & 1U << i) == 0)
            p->status =
                VKMM_FAIL(p->log, VKMM_INVALID, "%s: the .npy header lacks the key '%s'", p->name, keys[i].name);
}

/* Where the data begin. Reads the version and the length after it. */
static uint64_t head_bytes(const unsigned char *u)
{
    if (u[6] == 1) return 10 + (u[8] | (uint64_t)u[9] << 8);
    return 12 + (u[8] | (uint64_t)u[9] << 8 | (uint64_t)u[10] << 16 | (uint64_t)u[11] << 24);
}

/* Finds the header's text; the data follow it. */
static vkmm_status find_header(parser *p, const char *file, uint64_t bytes)
{
    const unsigned char *u = (const unsigned char *)file;
    if (bytes < 10 || memcmp(file, "\x93NUMPY", 6) != 0)
        return VKMM_FAIL(p->log, VKMM_INVALID,
                         "%s: not a .npy file: it does not begin with \"\\x93NUMPY\" and a version", p->name);
    if (u[6] < 1 || u[6] > 3 || u[7] != 0)
        return VKMM_FAIL(p->log, VKMM_INVALID, "%s: .npy version %u.%u is unknown; 1.0, 2.0 and 3.0 are supported",
                         p->name, u[6], u[7]);
    const uint64_t start = u[6] == 1 ? 10 : 12, head = bytes < start ? start : head_bytes(u);
    if (head > MOST_HEAD)
        return VKMM_FAIL(p->log, VKMM_INVALID, "%s: the .npy header has %llu bytes; at most %d are read", p->name,
                         (unsigned long long)head, MOST_HEAD);
    if (bytes < head)
        return VKMM_FAIL(p->log, VKMM_INVALID,
                         "%s: the file ends inside its header, which needs %llu bytes of the file's %llu", p->name,
                         (unsigned long long)head, (unsigned long long)bytes);
    p->at = file + start;
    p->end = file + head;
    return VKMM_OK;
}

static uint32_t element_bytes(const parser *p)
{
    return p->stored.wide ? 8 : vkmm_type_of(p->type)->bytes;
}

/* Data that is not aligned for its type is refused. */
static vkmm_status parse(const vkmm_log *log, const char *name, const char *tensor, const void *data, uint64_t bytes,
                         cli_array *array)
{
    (void)tensor;
    parser p = {.log = log, .name = name};
    vkmm_status status = find_header(&p, data, bytes);
    if (status != VKMM_OK) return status;
    parse_dictionary(&p);
    if (p.status != VKMM_OK) return p.status;

    const vkmm_type_info *type = vkmm_type_of(p.type);
    cli_array read = cli_array_packed(p.end, p.type, p.extents, p.dimensions, p.fortran);
    const uint32_t size = element_bytes(&p);
    uint64_t have = bytes - (uint64_t)(p.end - (const char *)data), need = 0;
    char shape[80];
    cli_array_shape(&read, shape, sizeof shape);
    read.stored = p.stored;
    if (!cli_array_bytes(p.extents, p.dimensions, size, &need))
        return VKMM_FAIL(log, VKMM_INVALID, "%s: the size in bytes of %s elements of type %s does not fit in 64 bits",
                         name, shape, type->name);
    if (have < need)
        return VKMM_FAIL(log, VKMM_INVALID,
                         "%s: %s elements of type %s need %llu bytes of data; the last %llu are missing", name, shape,
                         type->name, (unsigned long long)need, (unsigned long long)(need - have));
    if (need > 0 && (uintptr_t)p.end % size != 0)
        return VKMM_FAIL(log, VKMM_INVALID,
                         "%s: the data begin at byte %llu, which is not aligned for %s; numpy.save aligns it", name,
                         (unsigned long long)(bytes - have), type->name);
    *array = read;
    return VKMM_OK;
}

static uint64_t least(const void *data, uint64_t bytes)
{
    parser p = {.name = ""};
    uint64_t whole = 0;
    if (bytes < LONGEST_START) return LONGEST_START;
    if (find_header(&p, data, UINT64_MAX) != VKMM_OK) return bytes;
    if (bytes < head_bytes(data)) return head_bytes(data);
    parse_dictionary(&p);
    if (p.status != VKMM_OK || !cli_array_bytes(p.extents, p.dimensions, element_bytes(&p), &whole)) return bytes;
    return vkmm_add_u64(whole, head_bytes(data), &whole) ? whole : bytes;
}

/* NumPy starts the data at a multiple of 64 bytes, so mapped data are aligned for any vector instruction. The longest
 * dictionary (three extents of 20 digits) fits in three such units with the 10 bytes before it; with two extents, in
 * two. */
enum { ALIGNMENT = 64, MOST_HEADER_BYTES = 3 * ALIGNMENT };

static char *make_header(const char *tensor, const cli_array *array, uint64_t data_bytes, size_t *header_bytes)
{
    char text[MOST_HEADER_BYTES], count[32] = "", *header;
    size_t bytes = array->dimensions < 3 ? 2 * ALIGNMENT : 3 * ALIGNMENT;
    (void)tensor, (void)data_bytes;
    if (array->dimensions == 3) VKMM_PUT(count, "%llu, ", (unsigned long long)array->count);
    int length =
        VKMM_PUT(text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%llu, %llu), }", dtype(array->first.type),
                 count, (unsigned long long)array->first.rows, (unsigned long long)array->first.cols);
    header = vkmm_alloc(1, bytes);
    if (header == NULL) return NULL;
    memset(header, ' ', bytes);
    memcpy(header, "\x93NUMPY\x01\x00", 8); /* and 16 bits: the length of what follows */
    header[8] = (char)(bytes - 10);
    header[9] = 0;
    memcpy(header + 10, text, (size_t)length);
    header[bytes - 1] = '\n';
    *header_bytes = bytes;
    return header;
}

const cli_array_format cli_npy_format = {".npy", ".npy", "\x93NUMPY", 0,    dtype, NULL, parse,
                                         least,  NULL,   make_header, NULL, NULL,  0};
