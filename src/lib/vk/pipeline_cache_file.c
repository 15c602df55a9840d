#include "vk/pipeline_cache_file.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

static const char magic[8] = "VKMMPIPE"; /* without a zero */

static uint64_t sum_of(const vkmm_pipelines_head *head, const void *data, uint64_t bytes)
{
    return vkmm_hash(vkmm_hash(VKMM_HASH_START, head, offsetof(vkmm_pipelines_head, sum)), data, bytes);
}

void vkmm_pipelines_name(const vkmm_pipelines_owner *owner, const char *what, const char *suffix,
                         char name[VKMM_PIPELINES_NAME])
{
    char uuid[2 * VK_UUID_SIZE + 1];
    for (size_t i = 0; i < VK_UUID_SIZE; i++) snprintf(uuid + 2 * i, 3, "%02x", owner->device_uuid[i]);
    uint64_t driver = vkmm_hash(vkmm_hash(VKMM_HASH_START, owner->driver_uuid, VK_UUID_SIZE), &owner->driver_version,
                                sizeof owner->driver_version);
    snprintf(name, VKMM_PIPELINES_NAME, "%s-%s-%016llx.%s", what, uuid, (unsigned long long)driver, suffix);
}

/* By the driver's own header. NULL: it is the owner's. */
static const char *foreign(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes)
{
    VkPipelineCacheHeaderVersionOne head = {0};
    if (bytes >= sizeof head) memcpy(&head, data, sizeof head);
    if (head.headerSize < sizeof head || head.headerSize > bytes ||
        head.headerVersion != VK_PIPELINE_CACHE_HEADER_VERSION_ONE)
        return "the driver's header is not valid";
    if (head.vendorID != owner->vendor_id || head.deviceID != owner->device_id) return "it is for another device";
    if (memcmp(head.pipelineCacheUUID, owner->cache_uuid, VK_UUID_SIZE) != 0) return "it is for another driver";
    return NULL;
}

vkmm_pipelines_state vkmm_pipelines_parse(const void *file, uint64_t bytes, const vkmm_pipelines_owner *owner,
                                          const void **data, uint64_t *data_bytes, const char **why)
{
    const char *body = (const char *)file + VKMM_PIPELINES_HEADER;
    const uint64_t length = bytes - VKMM_PIPELINES_HEADER;
    vkmm_pipelines_head head;
    *why = "it is shorter than its header";
    if (bytes < VKMM_PIPELINES_HEADER) return VKMM_PIPELINES_DAMAGED;
    memcpy(&head, file, sizeof head);
    *why = "its first bytes are wrong";
    if (memcmp(head.magic, magic, sizeof magic) != 0) return VKMM_PIPELINES_DAMAGED;
    *why = "it is from another version of vkmatmul";
    if (head.version != VKMM_PIPELINES_VERSION) return VKMM_PIPELINES_STALE;
    *why = "its length does not match its header";
    if (head.bytes != length) return VKMM_PIPELINES_DAMAGED;
    *why = "its checksum is wrong";
    if (head.sum != sum_of(&head, body, length)) return VKMM_PIPELINES_DAMAGED;
    *why = "it is for another device or driver";
    if (memcmp(head.device_uuid, owner->device_uuid, VK_UUID_SIZE) != 0 ||
        memcmp(head.driver_uuid, owner->driver_uuid, VK_UUID_SIZE) != 0 || head.driver_version != owner->driver_version)
        return VKMM_PIPELINES_STALE;
    *why = foreign(owner, body, length);
    if (*why) return VKMM_PIPELINES_STALE;
    *data = body;
    *data_bytes = length;
    return VKMM_PIPELINES_WHOLE;
}

int vkmm_pipelines_worth_keeping(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes)
{
    uint32_t header_bytes;
    if (foreign(owner, data, bytes)) return 0;
    memcpy(&header_bytes, data, sizeof header_bytes);
    return header_bytes < bytes;
}

void vkmm_pipelines_header(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes,
                           uint8_t header[VKMM_PIPELINES_HEADER])
{
    _Static_assert(sizeof(vkmm_pipelines_head) == VKMM_PIPELINES_HEADER, "without padding");
    vkmm_pipelines_head head = {
        .version = VKMM_PIPELINES_VERSION, .driver_version = owner->driver_version, .bytes = bytes};
    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.device_uuid, owner->device_uuid, VK_UUID_SIZE);
    memcpy(head.driver_uuid, owner->driver_uuid, VK_UUID_SIZE);
    head.sum = sum_of(&head, data, bytes);
    memcpy(header, &head, sizeof head);
}
