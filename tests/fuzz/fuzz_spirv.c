/* Any words as a user's SPIR-V: the check refuses them with one sentence, or takes them; with and without a device.
 * The first byte chooses: odd, the rest follows the header of a module, so that every input gets past it. */
#include "fuzz.h"

#include "base/log.h"
#include "kernel/user.h"
#include "kernel/table.h"

#include <string.h>

enum { HEADER = 20 };

static void judge(const uint32_t *words, size_t bytes, const vkmm_device_info *device, const vkmm_kernel_info *kernel)
{
    unsigned sentences = 0;
    const vkmm_log log = {fuzz_hear, &sentences};
    vkmm_kernel_info own = kernel ? *kernel : (vkmm_kernel_info){0};
    const vkmm_status status = vkmm_tell(&log, vkmm_spirv_check("fuzz", words, bytes, device, kernel ? &own : NULL));
    if ((status != VKMM_OK && status != VKMM_INVALID && status != VKMM_UNSUPPORTED) || sentences != (status != VKMM_OK))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const vkmm_device_info device = {.name = "D",
                                            .driver.api_version = VK_API_VERSION_1_2,
                                            .limits.max_workgroup_size = {128, 128, 64},
                                            .limits.max_invocations = 128,
                                            .limits.max_shared_bytes = 16384,
                                            .features.f64 = 1,
                                            .subgroup.operations = VK_SUBGROUP_FEATURE_BASIC_BIT};
    static const vkmm_kernel_info kernel = {
        .spec_count = 5, .spec_ids = {0, 1, 2, 3, 4}, .spec_values = {8, 8, 8, 8, 8}};
    const uint32_t header[HEADER / 4] = {0x07230203, 0x10300, 0, 2 * (uint32_t)bytes, 0};
    if (bytes == 0) return 0;
    const size_t before = data[0] & 1 ? HEADER : 0, all = before + bytes - 1;
    uint8_t *words = malloc(all > 0 ? all : 1); /* as long as the module, so that a byte read beyond it is seen */
    if (!words) return 0;
    memcpy(words, header, before);
    memcpy(words + before, data + 1, bytes - 1);
    judge((const uint32_t *)(void *)words, all, NULL, NULL);
    judge((const uint32_t *)(void *)words, all, &device, &kernel);
    free(words);
    return 0;
}
