#include "plan/tuned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/parts.h"

static unsigned class_of(uint64_t extent)
{
    return extent > 0 ? (unsigned)(1 + lround(log2((double)extent))) : 0;
}

static void write_hex(char text[2 * VK_UUID_SIZE + 1], const uint8_t bytes[VK_UUID_SIZE])
{
    for (size_t i = 0; i < VK_UUID_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

vkmm_tuning_key vkmm_tuning_key_of(const vkmm_device_info *device, const vkmm_problem *problem, const char *shader_hash)
{
    int swapped;
    const vkmm_problem seen = vkmm_problem_row_major(problem, &swapped);
    const vkmm_types types = vkmm_problem_types(&seen);
    const vkmm_method method = vkmm_method_where(device->features.f64, problem);
    char uuid[2 * VK_UUID_SIZE + 1], driver[2 * VK_UUID_SIZE + 1];
    vkmm_tuning_key key = {""};
    write_hex(uuid, device->uuid);
    write_hex(driver, device->driver.uuid);
    VKMM_PUT(key.text, "%s %s %u %.16s %s %s %s %c %c %u %u %u %u %u", uuid, driver, device->driver.version,
             shader_hash, vkmm_type_of(types.in)->name, vkmm_type_of(types.out)->name,
             method ? vkmm_method_at(method)->name : vkmm_type_of(types.compute)->name, "NT"[seen.op_a],
             "NT"[seen.op_b], vkmm_problem_alignment(&seen), class_of(seen.m), class_of(seen.n), class_of(seen.k),
             class_of(vkmm_problem_batches(&seen)));
    return key;
}

void vkmm_tuning_list_free(vkmm_tuning_list *list)
{
    vkmm_free(list->entries);
    *list = (vkmm_tuning_list){0};
}

vkmm_tuning_entry *vkmm_tuning_list_find(const vkmm_tuning_list *list, const vkmm_tuning_key *key)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->entries[i].key.text, key->text) == 0) return &list->entries[i];
    return NULL;
}

void vkmm_tuning_list_remove(vkmm_tuning_list *list, const vkmm_tuning_key *key)
{
    vkmm_tuning_entry *entry = vkmm_tuning_list_find(list, key);
    if (entry != NULL) *entry = list->entries[--list->count];
}

int vkmm_tuning_list_add(vkmm_tuning_list *list, const vkmm_tuning_entry *entry)
{
    vkmm_tuning_entry *old = vkmm_tuning_list_find(list, &entry->key);
    if (old != NULL) {
        if (strcmp(old->date, entry->date) > 0) return 0;
        *old = *entry;
        return 1;
    }
    vkmm_tuning_entry *added = vkmm_list_add(&list->entries, &list->count, 1, sizeof *added);
    if (added != NULL) *added = *entry;
    return added != NULL ? 1 : -1;
}

static uint64_t whole(double gflops)
{
    double flops = gflops * 1e9 + 0.5;
    return flops >= 1 && flops < 9e15 ? (uint64_t)flops : 0;
}

/* Only whole numbers: a decimal point would follow the locale of the program that this library is a part of. */
void vkmm_tuning_line(const vkmm_tuning_entry *entry, char line[VKMM_TUNING_LINE])
{
    const vkmm_tuned *tuned = &entry->tuned;
    int length = snprintf(line, VKMM_TUNING_LINE, "%s %s %s %llu %llu %u %s ", entry->key.text, tuned->best.kernel,
                          tuned->best.config[0] ? tuned->best.config : "-", (unsigned long long)whole(tuned->gflops),
                          (unsigned long long)whole(tuned->planned_gflops), tuned->candidates, entry->date);
    snprintf(line + length, (size_t)(VKMM_TUNING_LINE - length), "%016llx\n",
             (unsigned long long)vkmm_hash(VKMM_HASH_START, line, (size_t)length - 1));
}

enum { KEY_WORDS = 14, WORDS = 8 };

/* Cuts a line at its spaces, in place: the words of the key together, and exactly so many more. */
static int split(char *line, char *words[WORDS])
{
    char *at = line;
    for (int i = 1; i < KEY_WORDS && at != NULL; i++) at = strchr(at + strspn(at, " "), ' ');
    for (int i = 0; i < WORDS; i++) {
        char *space = at != NULL ? strchr(at + (i == 0), ' ') : NULL;
        words[i] = line;
        if (space == NULL) return i == WORDS - 1;
        *space = '\0';
        line = at = space + 1;
    }
    return 0;
}

static int read_word(const char *text, const char *letters, char *word, size_t size)
{
    size_t length = strlen(text);
    if (length == 0 || length >= size || strspn(text, letters) != length) return 0;
    memcpy(word, text, length + 1);
    return 1;
}

/* Numbers are not checked strictly here: writing the entry must give exactly the same line. */
static int read_entry(char *words[WORDS], vkmm_tuning_entry *entry)
{
    static const char key_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789NT ",
                      letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_=,";
    vkmm_tuned *tuned = &entry->tuned;
    if (!read_word(words[0], key_letters, entry->key.text, sizeof entry->key.text)) return 0;
    if (!read_word(words[1], letters, tuned->best.kernel, sizeof tuned->best.kernel)) return 0;
    if (!read_word(words[2], letters, tuned->best.config, sizeof tuned->best.config)) return 0;
    if (strcmp(tuned->best.config, "-") == 0) tuned->best.config[0] = '\0';
    tuned->gflops = (double)strtoull(words[3], NULL, 10) * 1e-9;
    tuned->planned_gflops = (double)strtoull(words[4], NULL, 10) * 1e-9;
    tuned->candidates = (uint32_t)strtoul(words[5], NULL, 10);
    return read_word(words[6], "0123456789-:TZ", entry->date, sizeof entry->date);
}

static int parse_line(const char *text, size_t bytes, vkmm_tuning_entry *entry)
{
    char line[VKMM_TUNING_LINE], again[VKMM_TUNING_LINE];
    char *words[WORDS];
    if (bytes >= sizeof line || memchr(text, '\0', bytes) != NULL) return 0;
    memcpy(line, text, bytes);
    line[bytes] = '\0';
    memset(entry, 0, sizeof *entry);
    if (!split(line, words) || !read_entry(words, entry)) return 0;
    vkmm_tuning_line(entry, again);
    return strlen(again) == bytes + 1 && memcmp(again, text, bytes) == 0;
}

int vkmm_tuning_is_whole(const vkmm_tuning_entry *entry)
{
    char line[VKMM_TUNING_LINE];
    vkmm_tuning_entry again;
    vkmm_tuning_line(entry, line);
    return parse_line(line, strlen(line) - 1, &again);
}

vkmm_status vkmm_tuning_parse(const char *text, size_t bytes, vkmm_tuning_list *list, vkmm_tuning_state *state)
{
    const size_t title = sizeof VKMM_TUNING_TITLE - 1;
    const char *at = text, *end = text + bytes;
    *state = (vkmm_tuning_state){.known = bytes >= title && memcmp(text, VKMM_TUNING_TITLE, title) == 0};
    if (!state->known) return VKMM_OK;
    at += title;
    for (uint32_t number = 2; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        vkmm_tuning_entry entry;
        if (stop != NULL && parse_line(at, (size_t)(stop - at), &entry)) {
            if (vkmm_tuning_list_add(list, &entry) < 0) return VKMM_NO_MEMORY("for %u tuning results", list->count + 1);
            state->read++;
        } else if (state->damaged++ == 0) {
            state->first_damaged = number;
        }
        at = stop != NULL ? stop + 1 : end;
    }
    return VKMM_OK;
}

vkmm_status vkmm_tuning_read(const char *path, vkmm_tuning_list *list, vkmm_tuning_state *state)
{
    vkmm_mapping mapping;
    vkmm_status status = vkmm_mapping_open(path, &mapping);
    *state = (vkmm_tuning_state){0};
    if (status != VKMM_OK) return status;
    if (mapping.bytes > VKMM_TUNING_BYTES)
        status = vkmm_fail(VKMM_INVALID, "%s has %llu bytes; tuning results have %d at most", path,
                           (unsigned long long)mapping.bytes, (int)VKMM_TUNING_BYTES);
    else
        status = vkmm_tuning_parse(mapping.data, (size_t)mapping.bytes, list, state);
    if (status == VKMM_OK) status = vkmm_mapping_check(path, &mapping);
    vkmm_mapping_close(&mapping);
    return status;
}

vkmm_status vkmm_tuning_write(const char *path, const vkmm_tuning_list *list, int private)
{
    vkmm_output *output = NULL;
    vkmm_status status = vkmm_output_open(path, private, &output);
    if (status != VKMM_OK) return status;
    status = vkmm_output_write(output, VKMM_TUNING_TITLE, sizeof VKMM_TUNING_TITLE - 1);
    for (uint32_t i = 0; i < list->count && status == VKMM_OK; i++) {
        char line[VKMM_TUNING_LINE];
        vkmm_tuning_line(&list->entries[i], line);
        status = vkmm_output_write(output, line, strlen(line));
    }
    if (status == VKMM_OK) return vkmm_output_commit(&output);
    vkmm_output_discard(&output);
    return status;
}
