/* Drives a fuzz target without libFuzzer, the same way every time:
 *
 *     fuzz_npy [PATH…]        the files, or those in the folders, the target's own examples, then random mutations of
 *                             the examples for about a second
 *     fuzz_npy --write FOLDER writes the examples there, as a corpus for libFuzzer
 *
 * Each input is a block of exactly its own size, so that a sanitizer sees the first byte read beyond it. */
#include "fuzz.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MUTATIONS = 5000000, LIMIT_MS = 1000, EDITS = 4 };

static void feed(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = malloc(bytes > 0 ? bytes : 1);
    if (copy == NULL) abort();
    memcpy(copy, data, bytes);
    LLVMFuzzerTestOneInput(copy, bytes);
    free(copy);
}

/* 0 when it cannot be read. */
static int feed_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 0;
    }
    size_t used = 0, got = 0, room = 1 << 20;
    uint8_t *data = malloc(room);
    while (data != NULL && (got = fread(data + used, 1, room - used, file)) > 0) used += got;
    if (data != NULL) feed(data, used);
    free(data);
    fclose(file);
    return data != NULL;
}

/* How many files there were; 0 is a failure. */
static unsigned feed_path(const char *path)
{
    vkmm_names names = {0};
    char inner[4096];
    unsigned fed = 0;
    if (!vkmm_folder_list(path, &names)) return (unsigned)feed_file(path);
    for (uint32_t i = 0; i < names.count; i++) {
        snprintf(inner, sizeof inner, "%s/%s", path, names.name[i]);
        if (!feed_file(inner)) break;
        fed++;
    }
    if (fed < names.count) fed = 0;
    vkmm_names_free(&names);
    return fed;
}

/* Bytes that mean something to a header are likelier than others. */
static uint8_t interesting(uint64_t bits)
{
    static const char meaningful[] = "'\"(){}[],:<>|=0123456789L TrueFalsdcipo\\\n\x93";
    return bits & 1 ? (uint8_t)meaningful[(bits >> 8) % (sizeof meaningful - 1)] : (uint8_t)(bits >> 8);
}

/* One edit: change a byte, take some away, repeat some, or cut the end off. */
static size_t edit(uint8_t *data, size_t bytes, size_t capacity, uint64_t bits)
{
    if (bytes == 0) return 0;
    size_t at = (size_t)(bits >> 32) % bytes, length = 1 + (size_t)(bits >> 20) % 8;
    if (length > bytes - at) length = bytes - at;
    switch (bits % 8) {
    case 0:
        memmove(data + at, data + at + length, bytes - at - length);
        return bytes - length;
    case 1:
        if (bytes + length > capacity) return bytes;
        memmove(data + at + length, data + at, bytes - at);
        return bytes + length;
    case 2:
        return at;
    default:
        data[at] = interesting(bits >> 4);
        return bytes;
    }
}

static unsigned mutate(unsigned examples)
{
    unsigned done = 0;
    double start = vkmm_now_ms();
    for (uint64_t n = 0; examples > 0 && n < MUTATIONS && vkmm_now_ms() - start < LIMIT_MS; n++) {
        uint8_t data[2 * VKMM_FUZZ_SEED_BYTES];
        size_t bytes = vkmm_fuzz_seed((unsigned)(n % examples), data);
        uint64_t edits = 1 + vkmm_random_bits(n, 0) % EDITS;
        for (uint64_t e = 1; e <= edits; e++) bytes = edit(data, bytes, sizeof data, vkmm_random_bits(n, e));
        feed(data, bytes);
        done++;
    }
    return done;
}

static int write_examples(const char *folder)
{
    uint8_t data[VKMM_FUZZ_SEED_BYTES];
    char path[4096];
    size_t bytes = 0;
    if (mkdir(folder, 0777) != 0) perror(folder); /* it may be there already; if it cannot be made, fopen tells */
    for (unsigned i = 0; (bytes = vkmm_fuzz_seed(i, data)) > 0; i++) {
        snprintf(path, sizeof path, "%s/seed-%u", folder, i);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

int main(int count, char **arguments)
{
    uint8_t data[VKMM_FUZZ_SEED_BYTES];
    size_t bytes = 0;
    unsigned examples = 0, files = 0;
    if (count == 3 && strcmp(arguments[1], "--write") == 0) return write_examples(arguments[2]);
    for (int i = 1; i < count; i++) {
        const unsigned fed = feed_path(arguments[i]);
        if (fed == 0) return 1;
        files += fed;
    }
    for (; (bytes = vkmm_fuzz_seed(examples, data)) > 0; examples++) feed(data, bytes);
    printf("%u files, %u examples and %u mutations\n", files, examples, mutate(examples));
    return 0;
}
