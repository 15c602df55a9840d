/* Tuning results: those of vkmm_tuned_put (include/vkmatmul.h) in memory, and between processes in the file `tuning` of
 * the instance's cache_dir.
 *
 * The file is text, one line of words per entry:
 *
 *     vkmatmul tuning 2 DEVICE_UUID DRIVER_UUID DRIVER_VERSION SHADER_HASH TYPE OUT COMPUTE OP_A OP_B ALIGNED M N K
 *     BATCH KERNEL CONFIG FLOPS PLANNED CANDIDATES DATE SUM
 *  all in one line. TYPE, OUT and COMPUTE are those of A and B, of C and of the sums, or COMPUTE is the name of the
 * method (math/method.h); the epilogue is not part of the key. M, N, K and BATCH are classes of the problem seen
 * row-major (vkmm_problem_row_major), as OP_A, OP_B and ALIGNED (VKMM_ALIGNED_*) are: the rounded logarithm to base
 * 2, plus 1; 0 for 0. CONFIG is "-" where there is none, FLOPS and PLANNED are whole FLOP/s, DATE is UTC, SUM the
 * FNV-1a (base/hash.h) of the line before it as 16 hexadecimal digits. A line that is not exactly what vkmm_tuning_line
 * writes is damaged: it is ignored, and the number of the first such line is reported. A file of another version is
 * ignored as a whole. Lines of other devices, drivers and shaders are kept and written again. A file is replaced, never
 * modified: what another process has added since is read again, under a lock, and merged. */
#pragma once

#include "base/host.h"
#include "vkmatmul.h"

enum {
    VKMM_TUNING_DATE = VKMM_HOST_TIME,
    VKMM_TUNING_KEY = 192,
    VKMM_TUNING_LINE = 512,
    VKMM_TUNING_BYTES = 1 << 24 /* of a file, at most */
};

/* Which problems, on which device and driver, with which shaders, an entry is for: the words of its line up to BATCH.
 * Zeroed beyond their end. */
typedef struct vkmm_tuning_key {
    char text[VKMM_TUNING_KEY];
} vkmm_tuning_key;

typedef struct vkmm_tuning_entry {
    vkmm_tuning_key key;
    vkmm_tuned tuned;
    char date[VKMM_TUNING_DATE]; /* "2026-11-21T12:00:00Z": later dates compare greater */
} vkmm_tuning_entry;

/* The key of a checked problem on a device. shader_hash: 16 digits (vkmm_shader_hash). */
vkmm_tuning_key vkmm_tuning_key_of(const vkmm_device_info *device, const vkmm_problem *problem,
                                   const char *shader_hash);

/* ---- Entries as a list and as text (tuned_text.c) ---- */

/* A growing list, at most one entry per key. Zeroed: empty. */
typedef struct vkmm_tuning_list {
    vkmm_tuning_entry *entries; /* owned */
    uint32_t count;
} vkmm_tuning_list;

void vkmm_tuning_list_free(vkmm_tuning_list *list);

/* NULL if there is none; valid until the list changes. */
vkmm_tuning_entry *vkmm_tuning_list_find(const vkmm_tuning_list *list, const vkmm_tuning_key *key);
void vkmm_tuning_list_remove(vkmm_tuning_list *list, const vkmm_tuning_key *key);

/* Adds an entry, in place of one with the same key that is not newer: 1; 0: that one is newer; -1: no memory. */
int vkmm_tuning_list_add(vkmm_tuning_list *list, const vkmm_tuning_entry *entry);

/* The result of parsing a text of entries. */
typedef struct vkmm_tuning_state {
    int known;              /* 0: another version, or not tuning results: nothing was read */
    uint32_t read;          /* whole entries */
    uint32_t damaged;       /* lines */
    uint32_t first_damaged; /* the number of the first of them, from 1 */
} vkmm_tuning_state;

/* Reads any bytes and adds the intact entries. VKMM_OUT_OF_MEMORY is the only failure. */
vkmm_status vkmm_tuning_parse(const char *text, size_t bytes, vkmm_tuning_list *list, vkmm_tuning_state *state);

/* The first line of a file, and the line of an entry, each with its end. Kernel and configuration must be words of
 * at most the length that vkmm_candidate has room for. */
#define VKMM_TUNING_TITLE "vkmatmul tuning 2\n"
void vkmm_tuning_line(const vkmm_tuning_entry *entry, char line[VKMM_TUNING_LINE]);

/* Whether an entry can be read again once its line is written. */
int vkmm_tuning_is_whole(const vkmm_tuning_entry *entry);

/* Adds the intact entries of a file, as vkmm_tuning_parse. VKMM_INVALID: it cannot be read, or is too large;
 * VKMM_OUT_OF_MEMORY. */
vkmm_status vkmm_tuning_read(const char *path, vkmm_tuning_list *list, vkmm_tuning_state *state);

/* Replaces a file by the entries of a list; `private`: for this user alone. */
vkmm_status vkmm_tuning_write(const char *path, const vkmm_tuning_list *list, int private);
