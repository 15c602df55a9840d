/* Any bytes as a .npz archive: each array is refused with one sentence, or taken no further than its header says, and
 * every element can be read. */
#include "base/log.h"
#include "fuzz.h"

#include "base/alloc.h"
#include "io/array_format.h"

#include <stdlib.h>
#include <string.h>

static volatile double sink; /* what is read must not be optimised away */
static unsigned sentences;

static void read_all(const cli_array *array)
{
    for (uint64_t x = 0; x < array->count; x++) {
        const vkmm_view view = cli_array_at(array, x);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++) sink = vkmm_view_get(&view, i, j);
    }
}

static void hear(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user, (void)level;
    sentences++;
    for (; *sentence != '\0'; sentence++)
        if ((unsigned char)*sentence < ' ') abort();
}

/* No array may have more bytes than its header states: what is read ends with the last element. */
static void open_array(const uint8_t *data, size_t bytes, const char *name)
{
    const vkmm_log log = {hear, NULL};
    void *content = NULL;
    uint64_t length = 0;
    cli_array array;
    sentences = 0;
    vkmm_status status = vkmm_tell(&log, cli_npz_format.unpack("fuzz", name, data, bytes, &content, &length));
    if (status == VKMM_OK) {
        status = vkmm_tell(&log, cli_npy_format.parse("fuzz", NULL, content, length, &array));
        if (status == VKMM_OK && cli_npy_format.least(content, length) != length) abort();
    }
    if (sentences != (status != VKMM_OK)) abort();
    /* Elements of 0 bytes are many in few bytes. */
    if (status == VKMM_OK && array.first.rows > 0 && array.first.cols > 0) read_all(&array);
    vkmm_free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const names[] = {NULL, "x", "y/1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) open_array(data, bytes, names[i]);
    if (cli_npz_format.count) cli_npz_format.count(data, bytes);
    return 0;
}

typedef struct entry {
    const char *name;
    const char *header;
    unsigned data_bytes, claims; /* bytes after the header, and more that the archive claims */
    int is_deflated;
} entry;

/* A little-endian number of `size` bytes. */
static uint8_t *put(uint8_t *to, uint32_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

static uint32_t checksum(const uint8_t *data, size_t bytes)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* The fields that a file's local header and its entry in the directory share. */
static uint8_t *put_fields(uint8_t *to, const entry *e, uint32_t crc, unsigned stored, unsigned bytes)
{
    const uint32_t fields[][2] = {{20, 2},
                                  {0, 2},
                                  {e->is_deflated ? 8 : 0, 2},
                                  {0, 2},
                                  {0x21, 2},
                                  {crc, 4},
                                  {stored, 4},
                                  {bytes + e->claims, 4},
                                  {(uint32_t)strlen(e->name), 2},
                                  {0, 2}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) to = put(to, fields[i][0], fields[i][1]);
    return to;
}

/* An archive of up to two arrays; what is deflated is one stored block. */
static size_t make(const entry entries[2], uint8_t out[VKMM_FUZZ_SEED_BYTES])
{
    uint8_t directory[256] = {0}, *to = out, *end = directory;
    unsigned count = 0;
    for (; count < 2 && entries[count].name != NULL; count++) {
        const entry *e = &entries[count];
        const unsigned text = (unsigned)strlen(e->header), head = (10 + text + 15) / 16 * 16 - 10,
                       bytes = 10 + head + e->data_bytes, block = e->is_deflated ? 5 : 0;
        const uint32_t at = (uint32_t)(to - out);
        uint8_t file[400] = "\x93NUMPY\x01";
        put(file + 8, head, 2);
        memset(file + 10, ' ', head);
        memcpy(file + 10, e->header, text);
        const uint32_t crc = checksum(file, bytes);
        to = put_fields(put(to, 0x04034b50, 4), e, crc, bytes + block, bytes);
        memcpy(to, e->name, strlen(e->name));
        to += strlen(e->name);
        if (e->is_deflated) to = put(put(put(to, 1, 1), bytes, 2), ~bytes, 2);
        memcpy(to, file, bytes);
        to += bytes;
        end = put_fields(put(put(end, 0x02014b50, 4), 20, 2), e, crc, bytes + block, bytes);
        memset(end, 0, 10);
        end = put(end + 10, at, 4);
        memcpy(end, e->name, strlen(e->name));
        end += strlen(e->name);
    }
    const uint32_t at = (uint32_t)(to - out), size = (uint32_t)(end - directory);
    memcpy(to, directory, size);
    to = put(put(to + size, 0x06054b50, 4), 0, 4);
    to = put(put(put(put(to, count, 2), count, 2), size, 4), at, 4);
    return (size_t)(put(to, 0, 2) - out);
}

#define HEADER(type, order, shape) "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }"

size_t vkmm_fuzz_seed(unsigned index, uint8_t out[VKMM_FUZZ_SEED_BYTES])
{
    static const entry seeds[][2] = {
        {{"x.npy", HEADER("<f4", "False", "(2, 3)"), 24, 0, 0}},
        {{"x.npy", HEADER("<f4", "False", "(2, 3)"), 24, 0, 1}},
        {{"x.npy", HEADER("<f8", "True", "(3, 1)"), 24, 0, 0},
         {"y/1.npy", HEADER("|i1", "False", "(2, 2, 2)"), 8, 0, 1}},
        {{"y/1.npy", HEADER("<i8", "False", "(3,)"), 24, 0, 1}, {"z", "{}", 0, 0, 0}},
        {{"x.npy", HEADER("<f4", "False", "(2, 2)"), 40, 0, 1}},      /* longer than its header says, */
        {{"x.npy", HEADER("<f4", "False", "(2, 2)"), 13, 0, 0}},      /* shorter, */
        {{"x.npy", HEADER("<f4", "False", "(2, 2)"), 16, 100000, 1}}, /* than the archive claims */
        {{"x.npy", HEADER("<f4", "False", "(0, 9)"), 0, 0, 0}},
        {{"x.npy", HEADER("<f4", "False", "(4294967296, 4294967296)"), 0, 0, 0}},
        {{"x.npy", HEADER("<f4", "False", "(99999999, 99999999)"), 8, 0, 1}},
        {{"x.npy", HEADER("<c8", "False", "(1, 1)"), 8, 0, 0}},
        {{"x.npy", "{'descr': ", 0, 0, 1}},
    };
    if (index >= sizeof seeds / sizeof seeds[0]) return 0;
    return make(seeds[index], out);
}
