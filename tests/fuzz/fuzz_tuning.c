/* Any bytes as a file of tuning results: the parser takes whole lines alone, each of which it would write the same
 * way again. */
#include "fuzz.h"

#include "math/type.h"
#include "plan/tuned.h"

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
    if (list.count > state.read || (state.damaged > 0) != (state.first_damaged > 0)) abort();
    check_again(&list);
    vkmm_tuning_list_free(&list);
    return 0;
}
