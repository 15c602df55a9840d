/* An instance without Vulkan: what it keeps, in the folder of a test (folder.h). */
#pragma once

#include "base/alloc.h"
#include "folder.h"
#include "vk/instance.h"

/* A process: what is kept in memory ends with it. */
static inline vkmm_instance *begin(heard *h)
{
    vkmm_instance *instance = vkmm_alloc(1, sizeof *instance);
    instance->log = hear_with(h);
    instance->cache_dir = vkmm_strdup("cache");
    return instance;
}

static inline void end(vkmm_instance *instance)
{
    vkmm_attachment *tuning = atomic_load(&instance->tuning);
    if (tuning != NULL) tuning->destroy(tuning);
    vkmm_free(instance->cache_dir);
    vkmm_free(instance);
}
