#include "plan/tuned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/parts.h"

static uint8_t class_of(uint64_t extent)
{
    return extent > 0 ? (uint8_t)(1 + lround(log2((double)extent))) : 0;
}

vkmm_tuning_key vkmm_tuning_key_of(const vkmm_device_info *device, const vkmm_problem *problem, const char *shader_hash)
{
    int swapped;
    vkmm_problem seen = vkmm_problem_row_major(problem, &swapped);
    const vkmm_types types = vkmm_problem_types(&seen);
    vkmm_tuning_key key = {.driver_version = device->driver_version,
                           .in = (uint8_t)types.in,
                           .out = (uint8_t)types.out,
                           .compute = (uint8_t)types.compute,
                           .op_a = (uint8_t)seen.op_a,
                           .op_b = (uint8_t)seen.op_b,
                           .aligned = (uint8_t)vkmm_problem_alignment(&seen),
                           .m = class_of(seen.m),
                           .n = class_of(seen.n),
                           .k = class_of(seen.k),
                           .batch = class_of(vkmm_problem_batches(&seen))};
    memcpy(key.device_uuid, device->uuid, VK_UUID_SIZE);
    memcpy(key.driver_uuid, device->driver_uuid, VK_UUID_SIZE);
    memcpy(key.shader_hash, shader_hash, sizeof key.shader_hash);
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
        if (memcmp(&list->entries[i].key, key, sizeof *key) == 0) return &list->entries[i];
    return NULL;
}

void vkmm_tuning_list_remove(vkmm_tuning_list *list, const vkmm_tuning_key *key)
{
    vkmm_tuning_entry *entry = vkmm_tuning_list_find(list, key);
    if (entry != NULL) *entry = list->entries[--list->count];
}

static vkmm_tuning_entry *oldest(const vkmm_tuning_list *list)
{
    vkmm_tuning_entry *found = list->entries;
    for (uint32_t i = 1; i < list->count; i++)
        if (strcmp(list->entries[i].date, found->date) < 0) found = &list->entries[i];
    return found;
}

int vkmm_tuning_list_add(vkmm_tuning_list *list, const vkmm_tuning_entry *entry)
{
    vkmm_tuning_entry *old = vkmm_tuning_list_find(list, &entry->key);
    if (old == NULL && list->count == VKMM_TUNING_MOST) old = oldest(list);
    if (old != NULL) {
        if (strcmp(old->date, entry->date) > 0) return 0;
        *old = *entry;
        return 1;
    }
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity > 0 ? 2 * list->capacity : 16;
        vkmm_tuning_entry *grown = vkmm_realloc(list->entries, capacity, sizeof *grown);
        if (grown == NULL) return -1;
        list->entries = grown;
        list->capacity = capacity;
    }
    list->entries[list->count++] = *entry;
    return 1;
}

static uint64_t whole(double gflops)
{
    double flops = gflops * 1e9 + 0.5;
    return flops >= 1 && flops < 9e15 ? (uint64_t)flops : 0;
}

static void write_hex(char *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static const char *type_name(uint8_t type)
{
    return vkmm_type_of((vkmm_type)type)->name;
}

/* Whole numbers alone: a decimal point would follow the locale of the program that this library is a part of. */
void vkmm_tuning_line(const vkmm_tuning_entry *entry, char line[VKMM_TUNING_LINE])
{
    const vkmm_tuning_key *key = &entry->key;
    const vkmm_tuned *tuned = &entry->tuned;
    char device[2 * VK_UUID_SIZE + 1], driver[2 * VK_UUID_SIZE + 1];
    write_hex(device, key->device_uuid, VK_UUID_SIZE);
    write_hex(driver, key->driver_uuid, VK_UUID_SIZE);
    int length = snprintf(line, VKMM_TUNING_LINE, "%s %s %u %.16s %s %s %s %c %c %u %u %u %u %u %s %s %llu %llu %u %s ",
                          device, driver, key->driver_version, key->shader_hash, type_name(key->in),
                          type_name(key->out), type_name(key->compute), "NT"[key->op_a], "NT"[key->op_b],
                          key -> aligned, key -> m, key -> n, key -> k, key -> batch, tuned -> best.kernel,
                          tuned->best.config[0] ? tuned->best.config : "-", (unsigned long long)whole(tuned->gflops),
                          (unsigned long long)whole(tuned->planned_gflops), tuned->candidates, entry->date);
    snprintf(line + length, (size_t)(VKMM_TUNING_LINE - length), "%016llx\n",
             (unsigned long long)vkmm_hash(VKMM_HASH_START, line, (size_t)length - 1));
}

enum { WORDS = 21 };

/* Cuts a line at its spaces, in place: exactly so many words. */
static int split(char *line, char *words[WORDS])
{
    for (int i = 0; i < WORDS; i++) {
        char *space = strchr(line, ' ');
        words[i] = line;
        if (space == NULL) return i == WORDS - 1;
        *space = '\0';
        line = space + 1;
    }
    return 0;
}

static int read_hex(const char *text, uint8_t *bytes, size_t count)
{
    if (strlen(text) != 2 * count) return 0;
    for (size_t i = 0; i < count; i++) {
        char digits[3] = {text[2 * i], text[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return 1;
}

static uint8_t read_byte(const char *text)
{
    return (uint8_t)strtoul(text, NULL, 10);
}

static int read_word(const char *text, const char *letters, char *word, size_t size)
{
    size_t length = strlen(text);
    if (length == 0 || length >= size || strspn(text, letters) != length) return 0;
    memcpy(word, text, length + 1);
    return 1;
}

/* Numbers are read with less care than they could be: the entry must write the very same line again. */
static int read_entry(char *words[WORDS], vkmm_tuning_entry *entry)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_=,";
    vkmm_tuning_key *key = &entry->key;
    vkmm_tuned *tuned = &entry->tuned;
    vkmm_types types;
    if (!read_hex(words[0], key->device_uuid, VK_UUID_SIZE) || !read_hex(words[1], key->driver_uuid, VK_UUID_SIZE))
        return 0;
    if (strlen(words[3]) != sizeof key->shader_hash || !vkmm_type_parse(words[4], &types.in)) return 0;
    if (!vkmm_type_parse(words[5], &types.out) || !vkmm_type_parse(words[6], &types.compute) ||
        !vkmm_types_legal(types))
        return 0;
    key->driver_version = (uint32_t)strtoul(words[2], NULL, 10);
    memcpy(key->shader_hash, words[3], sizeof key->shader_hash);
    key->in = (uint8_t)types.in;
    key->out = (uint8_t)types.out;
    key->compute = (uint8_t)types.compute;
    key->op_a = words[7][0] == 'T';
    key->op_b = words[8][0] == 'T';
    key->aligned = read_byte(words[9]);
    key->m = read_byte(words[10]);
    key->n = read_byte(words[11]);
    key->k = read_byte(words[12]);
    key->batch = read_byte(words[13]);
    if (!read_word(words[14], letters, tuned->best.kernel, sizeof tuned->best.kernel)) return 0;
    if (!read_word(words[15], letters, tuned->best.config, sizeof tuned->best.config)) return 0;
    if (strcmp(tuned->best.config, "-") == 0) tuned->best.config[0] = '\0';
    tuned->gflops = (double)strtoull(words[16], NULL, 10) * 1e-9;
    tuned->planned_gflops = (double)strtoull(words[17], NULL, 10) * 1e-9;
    tuned->candidates = (uint32_t)strtoul(words[18], NULL, 10);
    return read_word(words[19], "0123456789-:TZ", entry->date, sizeof entry->date);
}

static int parse_line(const char *text, size_t bytes, vkmm_tuning_entry *entry)
{
    char line[VKMM_TUNING_LINE], again[VKMM_TUNING_LINE];
    char *words[WORDS];
    if (bytes >= sizeof line || memchr(text, '\0', bytes) != NULL) return 0;
    memcpy(line, text, bytes);
    line[bytes] = '\0';
    *entry = (vkmm_tuning_entry){.key = {.in = 0}};
    if (!split(line, words) || !read_entry(words, entry)) return 0;
    vkmm_tuning_line(entry, again);
    return strlen(again) == bytes + 1 && memcmp(again, text, bytes) == 0;
}

vkmm_status vkmm_tuning_parse(const vkmm_log *log, const char *text, size_t bytes, vkmm_tuning_list *list,
                              vkmm_tuning_state *state)
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
            int added = vkmm_tuning_list_add(list, &entry);
            if (added < 0)
                return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for %u tuning results", list->count + 1);
            state->read++;
            state->added += (uint32_t)added;
        } else if (state->damaged++ == 0) {
            state->first_damaged = number;
        }
        at = stop != NULL ? stop + 1 : end;
    }
    return VKMM_OK;
}
