#include "vk/pipeline_cache_file.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

enum { AT_VERSION = 8, AT_DRIVER_VERSION = 12, AT_DEVICE = 16, AT_DRIVER = 32, AT_LENGTH = 48, AT_SUM = 56 };
enum { IN_SIZE = 0, IN_VERSION = 4, IN_VENDOR = 8, IN_DEVICE = 12, IN_UUID = 16 }; /* of the driver's header */

static const char magic[8] = "VKMMPIPE"; /* without a zero */

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | at[i];
    return value;
}

static void put(uint8_t *at, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t sum_of(const uint8_t *header, const void *data, uint64_t bytes)
{
    return vkmm_hash(vkmm_hash(VKMM_HASH_START, header, AT_SUM), data, bytes);
}

void vkmm_pipelines_name(const vkmm_pipelines_owner *owner, char name[VKMM_PIPELINES_NAME])
{
    char uuid[2 * VK_UUID_SIZE + 1];
    uint8_t version[4];
    put(version, 4, owner->driver_version);
    for (size_t i = 0; i < VK_UUID_SIZE; i++) snprintf(uuid + 2 * i, 3, "%02x", owner->device_uuid[i]);
    uint64_t driver = vkmm_hash(vkmm_hash(VKMM_HASH_START, owner->driver_uuid, VK_UUID_SIZE), version, sizeof version);
    snprintf(name, VKMM_PIPELINES_NAME, "pipelines-%s-%016llx.bin", uuid, (unsigned long long)driver);
}

/* The driver's own header. */
static const char *foreign(const vkmm_pipelines_owner *owner, const uint8_t *data, uint64_t bytes)
{
    if (bytes < VKMM_PIPELINES_DRIVER_HEADER || get(data + IN_SIZE, 4) < VKMM_PIPELINES_DRIVER_HEADER ||
        get(data + IN_SIZE, 4) > bytes || get(data + IN_VERSION, 4) != VK_PIPELINE_CACHE_HEADER_VERSION_ONE)
        return "the driver's header is of another kind";
    if (get(data + IN_VENDOR, 4) != owner->vendor_id || get(data + IN_DEVICE, 4) != owner->device_id)
        return "it is another device's";
    if (memcmp(data + IN_UUID, owner->cache_uuid, VK_UUID_SIZE) != 0) return "it is another driver's";
    return NULL;
}

vkmm_pipelines_state vkmm_pipelines_parse(const void *file, uint64_t bytes, const vkmm_pipelines_owner *owner,
                                          const void **data, uint64_t *data_bytes, const char **why)
{
    *why = "it is shorter than its header";
    if (bytes < VKMM_PIPELINES_HEADER) return VKMM_PIPELINES_DAMAGED;
    const uint8_t *header = file, *body = header + VKMM_PIPELINES_HEADER;
    uint64_t length = bytes - VKMM_PIPELINES_HEADER;
    *why = "it does not begin as it should";
    if (memcmp(header, magic, sizeof magic) != 0) return VKMM_PIPELINES_DAMAGED;
    *why = "it is of another version of vkmatmul";
    if (get(header + AT_VERSION, 4) != VKMM_PIPELINES_VERSION) return VKMM_PIPELINES_STALE;
    *why = "its length is not what it says";
    if (get(header + AT_LENGTH, 8) != length) return VKMM_PIPELINES_DAMAGED;
    *why = "its checksum is wrong";
    if (get(header + AT_SUM, 8) != sum_of(header, body, length)) return VKMM_PIPELINES_DAMAGED;
    *why = "it is another device's or driver's";
    if (memcmp(header + AT_DEVICE, owner->device_uuid, VK_UUID_SIZE) != 0 ||
        memcmp(header + AT_DRIVER, owner->driver_uuid, VK_UUID_SIZE) != 0 ||
        get(header + AT_DRIVER_VERSION, 4) != owner->driver_version)
        return VKMM_PIPELINES_STALE;
    *why = foreign(owner, body, length);
    if (*why) return VKMM_PIPELINES_STALE;
    *data = body;
    *data_bytes = length;
    return VKMM_PIPELINES_WHOLE;
}

int vkmm_pipelines_worth_keeping(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes)
{
    return bytes > VKMM_PIPELINES_DRIVER_HEADER && !foreign(owner, data, bytes) && get(data, 4) < bytes;
}

void vkmm_pipelines_header(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes,
                           uint8_t header[VKMM_PIPELINES_HEADER])
{
    memcpy(header, magic, sizeof magic);
    put(header + AT_VERSION, 4, VKMM_PIPELINES_VERSION);
    put(header + AT_DRIVER_VERSION, 4, owner->driver_version);
    memcpy(header + AT_DEVICE, owner->device_uuid, VK_UUID_SIZE);
    memcpy(header + AT_DRIVER, owner->driver_uuid, VK_UUID_SIZE);
    put(header + AT_LENGTH, 8, bytes);
    put(header + AT_SUM, 8, sum_of(header, data, bytes));
}
