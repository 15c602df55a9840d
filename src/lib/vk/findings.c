#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/clean.h"
#include "base/file.h"
#include "base/folder.h"
#include "vk/instance.h"
#include "vk/pipeline_cache_file.h"

enum { MOST_BYTES = VKMM_FINDING * (VKMM_MAX_FINDINGS + 1) };

/* NULL: nothing is kept, or no memory. The caller frees it with vkmm_free. */
static char *path_of(const vkmm_instance *instance, const vkmm_device_info *info)
{
    char name[VKMM_PIPELINES_NAME];
    vkmm_pipelines_name(info, "check", "txt", name);
    return instance->cache_dir ? vkmm_cache_dir_join(instance->cache_dir, name) : NULL;
}

void vkmm_finding_of_shape(const vkmm_matrix_shape *shape, char finding[VKMM_FINDING])
{
    snprintf(finding, VKMM_FINDING, "matrix %ux%ux%u %u %u %u %u", shape->m, shape->n, shape->k, shape->a, shape->b,
             shape->c, shape->result);
}

static void remove_shape(vkmm_device_matrices *matrices, const char *finding)
{
    uint32_t left = 0;
    char text[VKMM_FINDING];
    for (uint32_t i = 0; i < matrices->shape_count; i++) {
        vkmm_finding_of_shape(&matrices->shapes[i], text);
        if (strcmp(text, finding) != 0) matrices->shapes[left++] = matrices->shapes[i];
    }
    if (left == 0 && matrices->shape_count > 0) {
        matrices->refusal = "'vkmatmul check' found every shape wrong with this driver; it can be run again";
        matrices->matrix2 = 0;
    }
    matrices->shape_count = left;
}

/* A line that is no finding is ignored. The date is the first. */
static void parse(char *text, vkmm_device_check *check, vkmm_device_matrices *matrices)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_:TZ ";
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        if (strspn(at, letters) != (size_t)(end - at) || end - at >= VKMM_FINDING) continue;
        if (check->date[0] == '\0') {
            VKMM_PUT(check->date, "%.31s", at);
        } else if (check->finding_count < VKMM_MAX_FINDINGS) {
            VKMM_PUT(check->findings[check->finding_count++], "%s", at);
            remove_shape(matrices, at);
        }
    }
}

void vkmm_findings_read(const vkmm_instance *instance, vkmm_physical *physical)
{
    char *path = path_of(instance, &physical->info), text[MOST_BYTES] = "";
    if (path && vkmm_file_head(path, text, sizeof text) == sizeof text) text[0] = '\0'; /* longer than any written */
    parse(text, &physical->check, &physical->info.matrices);
    if (physical->check.date[0]) physical->info.check = &physical->check;
    vkmm_free(path);
}

void vkmm_findings_write(const vkmm_instance *instance, const vkmm_device_info *info, const vkmm_device_check *check)
{
    char *path = path_of(instance, info), text[MOST_BYTES] = "";
    vkmm_status status = path ? vkmm_cache_dir_make(&instance->log, instance->cache_dir) : VKMM_OUT_OF_MEMORY;
    if (!instance->cache_dir) return;
    VKMM_JOIN(text, "", "%s\n", check->date);
    for (uint32_t i = 0; i < check->finding_count; i++) VKMM_JOIN(text, "", "%s\n", check->findings[i]);
    if (status == VKMM_OK) status = vkmm_output_whole(path, 1, text, strlen(text));
    if (status != VKMM_OK)
        vkmm_say(&instance->log, VKMM_LOG_WARNING,
                 "what the check found is not kept in %s, so products do not avoid it", instance->cache_dir);
    vkmm_free(path);
}
