/* The file of tuning results, read and written as a whole. */
#include <errno.h>
#include <string.h>

#include "base/disk.h"
#include "base/file.h"
#include "base/log.h"
#include "plan/tuned.h"

int vkmm_tuning_is_missing(const char *path)
{
    vkmm_disk_entry entry;
    return vkmm_disk_look(path, &entry) != 0 && (errno == ENOENT || errno == ENOTDIR);
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
    vkmm_status status = private ? vkmm_output_open_private(path, &output) : vkmm_output_open(path, &output);
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
