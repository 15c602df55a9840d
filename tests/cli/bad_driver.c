/* A Vulkan driver that fails as VKMM_TEST_FAULT says, while it is loaded ("load-…") or when the loader first calls it
 * ("call-…"): …abort, …exit (with status 0) or …loop. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) int vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
__attribute__((visibility("default"))) void *vk_icdGetInstanceProcAddr(void *instance, const char *name);

static void fail(const char *stage)
{
    const char *fault = getenv("VKMM_TEST_FAULT");
    if (fault == NULL || strncmp(fault, stage, strlen(stage)) != 0) return;
    fault += strlen(stage);
    if (strcmp(fault, "abort") == 0) abort();
    if (strcmp(fault, "exit") == 0) exit(0);
    while (strcmp(fault, "loop") == 0) continue;
}

__attribute__((constructor)) static void load(void)
{
    fail("load-");
}

int vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    fail("call-");
    *version = 5;
    return 0;
}

void *vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
    (void)instance, (void)name;
    return NULL;
}
