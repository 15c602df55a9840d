#include "session/child.h"

#include <stdio.h>

enum { MOST_WORDS = 16 };

vkmm_status cli_child_start(const cli_session *session, const char *command, const vkmm_device_info *device,
                            const char *const *words, vkmm_process **process)
{
    const cli_options *options = session->options;
    const char *all[MOST_WORDS] = {"vkmatmul", command};
    char index[16], *arguments[MOST_WORDS] = {NULL};
    size_t count = 2;

    if (device != NULL) {
        snprintf(index, sizeof index, "%u", device->index);
        all[count++] = "--device";
        all[count++] = index;
    }
    if (options->validate) all[count++] = "--validate";
    if (options->no_layers) all[count++] = "--no-layers";
    for (; *words != NULL && count < MOST_WORDS - 1; words++) all[count++] = *words;
    for (size_t i = 0; i < count; i++) arguments[i] = (char *)(uintptr_t)all[i];
    return vkmm_process_start(&session->console.log, options->worker, arguments, process);
}

void cli_child_lose(vkmm_process **process, vkmm_heard heard, double waited_ms, char *sentence, size_t size)
{
    char how[VKMM_PROCESS_END];

    vkmm_process_end(process, heard == VKMM_HEARD_END ? CLI_CHILD_END_MS : 0, how);
    if (heard == VKMM_HEARD_NOTHING)
        snprintf(sentence, size, "no answer within %.1f s; the process that measured was killed", waited_ms / 1000);
    else
        snprintf(sentence, size, "the process that measured %s", how);
}
