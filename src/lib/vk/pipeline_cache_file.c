#include "vk/pipeline_cache_file.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

static const char magic[8] = "VKMMPIPE"; /* without a zero */

static uint64_t sum_of(const vkmm_pipelines_head *head, const void *data, uint64_t bytes)
{
    return vkmm_hash(vkmm_hash(VKMM_HASH_START, head, offsetof(vkmm_pipelines_head, sum)), data, bytes);
}

void vkmm_pipelines_name(const vkmm_device_info *info, const char *what, const char *suffix,
                         char name[VKMM_PIPELINES_NAME])
{
    char uuid[2 * VK_UUID_SIZE + 1];
    for (size_t i = 0; i < VK_UUID_SIZE; i++) snprintf(uuid + 2 * i, 3, "%02x", info->uuid[i]);
    uint64_t driver = vkmm_hash(vkmm_hash(VKMM_HASH_START, info->driver.uuid, VK_UUID_SIZE), &info->driver.version,
                                sizeof info->driver.version);
    snprintf(name, VKMM_PIPELINES_NAME, "%s-%s-%016llx.%s", what, uuid, (unsigned long long)driver, suffix);
}

/* The length of the driver's own header; 0: the data is not of this device's driver. */
static uint32_t driver_header(const vkmm_physical *physical, const void *data, uint64_t bytes)
{
    VkPipelineCacheHeaderVersionOne head = {0};
    if (bytes >= sizeof head) memcpy(&head, data, sizeof head);
    const int is_valid = head.headerSize >= sizeof head && head.headerSize <= bytes &&
                         head.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
    const int is_own = head.vendorID == physical->info.vendor_id && head.deviceID == physical->info.device_id &&
                       memcmp(head.pipelineCacheUUID, physical->pipeline_cache_uuid, VK_UUID_SIZE) == 0;
    return is_valid && is_own ? head.headerSize : 0;
}

const void *vkmm_pipelines_parse(const void *file, uint64_t bytes, const vkmm_physical *physical, uint64_t *data_bytes,
                                 const char **damage)
{
    const vkmm_device_info *info = &physical->info;
    const char *body = (const char *)file + sizeof(vkmm_pipelines_head);
    const uint64_t length = bytes - sizeof(vkmm_pipelines_head);
    vkmm_pipelines_head head;
    *damage = "it is shorter than its header";
    if (bytes < sizeof head) return NULL;
    memcpy(&head, file, sizeof head);
    *damage = "its first bytes are wrong";
    if (memcmp(head.magic, magic, sizeof magic) != 0) return NULL;
    *damage = NULL;
    if (head.version != VKMM_PIPELINES_VERSION) return NULL;
    *damage = "its length does not match its header";
    if (head.bytes != length) return NULL;
    *damage = "its checksum is wrong";
    if (head.sum != sum_of(&head, body, length)) return NULL;
    *damage = NULL;
    if (memcmp(head.device_uuid, info->uuid, VK_UUID_SIZE) != 0 ||
        memcmp(head.driver_uuid, info->driver.uuid, VK_UUID_SIZE) != 0 || head.driver_version != info->driver.version)
        return NULL;
    *data_bytes = length;
    return driver_header(physical, body, length) > 0 ? body : NULL;
}

int vkmm_pipelines_worth_keeping(const vkmm_physical *physical, const void *data, uint64_t bytes)
{
    const uint32_t header = driver_header(physical, data, bytes);
    return header > 0 && header < bytes;
}

vkmm_pipelines_head vkmm_pipelines_header(const vkmm_device_info *info, const void *data, uint64_t bytes)
{
    _Static_assert(sizeof(vkmm_pipelines_head) == 64, "without padding");
    vkmm_pipelines_head head = {
        .version = VKMM_PIPELINES_VERSION, .driver_version = info->driver.version, .bytes = bytes};
    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.device_uuid, info->uuid, VK_UUID_SIZE);
    memcpy(head.driver_uuid, info->driver.uuid, VK_UUID_SIZE);
    head.sum = sum_of(&head, data, bytes);
    return head;
}
