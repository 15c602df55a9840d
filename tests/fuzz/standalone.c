/* Drives a fuzz target without libFuzzer, the same way every time:
 *
 *     fuzz_arrays FOLDER    the files in the folder, then random mutations of them for about a second
 *
 * Each input is a block of exactly its own size, so that a sanitizer sees the first byte read beyond it. */
#include "fuzz.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/random.h"

#include <string.h>

enum { MUTATIONS = 5000000, LIMIT_MS = 1000, EDITS = 4, MOST_BYTES = 1 << 16 };

static void feed(const void *data, size_t bytes)
{
    uint8_t *copy = malloc(bytes > 0 ? bytes : 1);
    if (copy == NULL) abort();
    if (bytes > 0) memcpy(copy, data, bytes);
    LLVMFuzzerTestOneInput(copy, bytes);
    free(copy);
}

/* Bytes that mean something to a header are likelier than others. */
static uint8_t interesting(uint64_t bits)
{
    static const char meaningful[] = "'\"(){}[],:<>|=0123456789L TrueFalsdcipo\\\n\x93";
    return bits & 1 ? (uint8_t)meaningful[(bits >> 8) % (sizeof meaningful - 1)] : (uint8_t)(bits >> 8);
}

/* One edit: change a byte, take some away, repeat some, or cut the end off. */
static size_t edit(uint8_t data[MOST_BYTES], size_t bytes, uint64_t bits)
{
    if (bytes == 0) return 0;
    size_t at = (size_t)(bits >> 32) % bytes, length = 1 + (size_t)(bits >> 20) % 8;
    if (length > bytes - at) length = bytes - at;
    switch (bits % 8) {
    case 0:
        memmove(data + at, data + at + length, bytes - at - length);
        return bytes - length;
    case 1:
        if (bytes + length > MOST_BYTES) return bytes;
        memmove(data + at + length, data + at, bytes - at);
        return bytes + length;
    case 2:
        return at;
    default:
        data[at] = interesting(bits >> 4);
        return bytes;
    }
}

static unsigned mutate(const vkmm_mapping *files, uint32_t count)
{
    static uint8_t data[MOST_BYTES];
    unsigned done = 0;
    double start = vkmm_now_ms();
    for (uint64_t n = 0; n < MUTATIONS && vkmm_now_ms() - start < LIMIT_MS; n++) {
        const vkmm_mapping *file = &files[n % count];
        size_t bytes = file->bytes < MOST_BYTES ? (size_t)file->bytes : MOST_BYTES;
        uint64_t edits = 1 + vkmm_random_bits(n, 0) % EDITS;
        if (bytes > 0) memcpy(data, file->data, bytes);
        for (uint64_t e = 1; e <= edits; e++) bytes = edit(data, bytes, vkmm_random_bits(n, e));
        feed(data, bytes);
        done++;
    }
    return done;
}

int main(int count, char **arguments)
{
    vkmm_names names = {0};
    if (count != 2 || !vkmm_folder_list(arguments[1], &names) || names.count == 0) {
        fprintf(stderr, "usage: %s FOLDER, which holds examples\n", arguments[0]);
        return 1;
    }
    vkmm_mapping *files = calloc(names.count, sizeof *files);
    if (files == NULL) abort();
    for (uint32_t i = 0; i < names.count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", arguments[1], names.name[i]);
        if (vkmm_mapping_open(path, &files[i]) != VKMM_OK) {
            fprintf(stderr, "%s\n", vkmm_last_error());
            return 1;
        }
        feed(files[i].data, (size_t)files[i].bytes);
    }
    printf("%u files and %u mutations\n", names.count, mutate(files, names.count));
    for (uint32_t i = 0; i < names.count; i++) vkmm_mapping_close(&files[i]);
    free(files);
    vkmm_names_free(&names);
    return 0;
}
