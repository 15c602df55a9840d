/* Any bytes as a file of compiled pipelines: the parser refuses them, or gives a part of them that may be read, and
 * that begins as the driver's own data must. Inputs whose first byte is odd get the right length and checksum, so
 * that the parser looks further. */
#include "fuzz.h"

#include "base/hash.h"
#include "vk/pipeline_cache_file.h"

#include <stddef.h>
#include <string.h>

enum { HEADER = sizeof(vkmm_pipelines_head), DRIVER_HEADER = 32 };
enum { AT_LENGTH = offsetof(vkmm_pipelines_head, bytes), AT_SUM = offsetof(vkmm_pipelines_head, sum) };

static vkmm_physical owner(void)
{
    vkmm_physical o = {.info = {.driver.version = 5, .vendor_id = 0x10de, .device_id = 0x2330}};
    memset(o.info.uuid, 'd', VK_UUID_SIZE);
    memset(o.info.driver.uuid, 'r', VK_UUID_SIZE);
    memset(o.pipeline_cache_uuid, 'c', VK_UUID_SIZE);
    return o;
}

static void put(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void repair(uint8_t *file, size_t bytes)
{
    put(file + AT_LENGTH, bytes - HEADER);
    put(file + AT_SUM, vkmm_hash(vkmm_hash(VKMM_HASH_START, file, AT_SUM), file + HEADER, bytes - HEADER));
}

static void judge(const uint8_t *file, size_t bytes)
{
    const vkmm_physical o = owner();
    const char *damage = NULL;
    uint64_t length = 0;
    const uint8_t *data = vkmm_pipelines_parse(file, bytes, &o, &length, &damage);
    if (data && (damage || data != file + HEADER || length != bytes - HEADER || length < DRIVER_HEADER ||
                 memcmp(data + 16, o.pipeline_cache_uuid, VK_UUID_SIZE) != 0))
        abort();
    if (damage && !*damage) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    int repaired = bytes > 0 && data[0] & 1;
    if (bytes < 1) return 0;
    uint8_t *file = malloc(bytes > 1 ? bytes - 1 : 1);
    if (!file) return 0;
    memcpy(file, data + 1, bytes - 1);
    if (repaired && bytes - 1 >= HEADER) repair(file, bytes - 1);
    judge(file, bytes - 1);
    free(file);
    return 0;
}
