/* An instance without Vulkan: what it keeps, in a folder of the test's own. For
 * TEST_WITH(name, enter_folder, leave_folder). */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "unit.h"
#include "vk/instance.h"

static char folder[64]; /* the instance's cache_dir is `cache` in it */

static inline int enter_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/vkmm-instance-XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static inline int leave_folder(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* A process: what is kept in memory ends with it. */
static inline vkmm_instance *begin(heard *h)
{
    vkmm_instance *instance = vkmm_alloc(1, sizeof *instance);
    char cache[100];
    snprintf(cache, sizeof cache, "%s/cache", folder);
    instance->log = hear_with(h);
    instance->cache_dir = vkmm_strdup(cache);
    return instance;
}

static inline void end(vkmm_instance *instance)
{
    vkmm_attachment *tuning = atomic_load(&instance->tuning);
    if (tuning != NULL) tuning->destroy(tuning);
    vkmm_free(instance->cache_dir);
    vkmm_free(instance);
}
