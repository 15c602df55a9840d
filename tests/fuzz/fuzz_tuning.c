/* Any bytes as a file of tuning results: the parser takes whole lines alone, each of which it would write the same
 * way again. */
#include "fuzz.h"

#include "math/type.h"
#include "plan/tuned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every entry that was read must be readable again. */
static void check_again(const vkmm_tuning_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        char text[sizeof VKMM_TUNING_TITLE + VKMM_TUNING_LINE] = VKMM_TUNING_TITLE;
        vkmm_tuning_list one = {0};
        vkmm_tuning_state state;
        vkmm_tuning_line(&list->entries[i], text + sizeof VKMM_TUNING_TITLE - 1);
        if (vkmm_tuning_parse(text, strlen(text), &one, &state) != VKMM_OK || state.read != 1 || state.damaged != 0 ||
            memcmp(&one.entries[0], &list->entries[i], sizeof one.entries[0]) != 0)
            abort();
        vkmm_tuning_list_free(&one);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    vkmm_tuning_list list = {0};
    vkmm_tuning_state state;
    if (vkmm_tuning_parse((const char *)data, bytes, &list, &state) != VKMM_OK) abort();
    if (state.read < state.added || list.count > state.added || (state.damaged > 0) != (state.first_damaged > 0))
        abort();
    check_again(&list);
    vkmm_tuning_list_free(&list);
    return 0;
}

static vkmm_tuning_entry example(unsigned index)
{
    const vkmm_types *types = vkmm_types_at(index);
    const unsigned class = 11 - index;
    vkmm_tuning_entry entry = {.tuned = {.best = {.kernel = "blocked", .config = "rows=64,cols=64,thread-rows=8"}},
                               .date = "2026-11-21T12:00:00Z"};
    for (unsigned i = 0; i < VK_UUID_SIZE; i++) snprintf(entry.key.text + 2 * i, 3, "%02x", index);
    snprintf(entry.key.text + 2 * VK_UUID_SIZE, sizeof entry.key.text - 2 * VK_UUID_SIZE,
             " %032u %u 0123456789abcdef %s %s %s N %c 0 %u %u %u 1", 0U, 7 * index, vkmm_type_of(types->in)->name,
             vkmm_type_of(types->out)->name, vkmm_type_of(types->compute)->name, "NT"[index & 1], class, class, class);
    entry.tuned.gflops = 1234.5678 * index;
    entry.tuned.candidates = index;
    if (index == 2) entry.tuned.best = (vkmm_candidate){"tiled", ""};
    return entry;
}

/* Checksums that fit are beyond random edits: the examples hold whole lines, empty ones, and lines that a whole one
 * stands behind. */
size_t vkmm_fuzz_seed(unsigned index, uint8_t out[VKMM_FUZZ_SEED_BYTES])
{
    static const char *const titles[] = {VKMM_TUNING_TITLE,           VKMM_TUNING_TITLE,
                                         VKMM_TUNING_TITLE "\n",      "vkmatmul tuning 1\n",
                                         VKMM_TUNING_TITLE "a b c\n", VKMM_TUNING_TITLE "00 0\n"};
    char line[VKMM_TUNING_LINE];
    if (index >= sizeof titles / sizeof titles[0]) return 0;
    vkmm_tuning_entry entry = example(index);
    vkmm_tuning_line(&entry, line);
    return (size_t)snprintf((char *)out, VKMM_FUZZ_SEED_BYTES, "%s%s", titles[index], line);
}
