#include "kernel/user.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

void vkmm_shader_destroy(vkmm_shader **shader)
{
    if (!shader || !*shader) return;
    vkmm_free((void *)(*shader)->module.words);
    vkmm_free((*shader)->name);
    vkmm_free(*shader);
    *shader = NULL;
}

/* Whether a checked module asks how long a buffer is: it must then see the matrix and nothing else. */
static int asks_length(const vkmm_module *module)
{
    enum { HEADER_WORDS = 5, OP_ARRAY_LENGTH = 68 };
    const uint32_t *words = module->words;
    for (size_t at = HEADER_WORDS; at < module->bytes / 4; at += words[at] >> 16)
        if ((words[at] & 0xffff) == OP_ARRAY_LENGTH) return 1;
    return 0;
}

/* The words are copied, because data may have any alignment. */
static vkmm_status take_module(const void *data, size_t bytes, int is_valid, vkmm_shader *shader)
{
    uint32_t *words = vkmm_alloc(1, bytes);
    if (!words) return VKMM_NO_MEMORY("for a shader of %zu bytes", bytes);
    if (bytes > 0) memcpy(words, data, bytes);
    shader->module.words = words;
    shader->module.bytes = bytes;
    const vkmm_status status = is_valid ? VKMM_OK : vkmm_spirv_validate(shader->name, words, bytes);
    return status == VKMM_OK ? vkmm_spirv_check(shader->name, words, bytes, NULL, NULL) : status;
}

vkmm_status vkmm_shader_make(const char *name, const void *data, size_t bytes, vkmm_type type, int is_valid,
                             vkmm_shader **out)
{
    vkmm_status status;
    vkmm_shader *shader = vkmm_alloc(1, sizeof *shader);
    *out = NULL;
    if (shader) shader->name = vkmm_strdup(name);
    if (!shader || !shader->name) {
        status = VKMM_NO_MEMORY("for the shader %s", name);
        goto error;
    }
    shader->kernel = (vkmm_kernel){"user", "a user's shader", VKMM_SPREAD_GRID, 16, 16, 0, "own"};
    shader->module.kernel = "user";
    shader->module.type = shader->module.compute = type;
    shader->is_foreign = 1;
    status = take_module(data, bytes, is_valid, shader);
    if (status != VKMM_OK) goto error;
    shader->module.shows_guards = !asks_length(&shader->module);
    *out = shader;
    return VKMM_OK;
error:
    vkmm_shader_destroy(&shader);
    return status;
}

vkmm_status vkmm_shader_load(const vkmm_log *log, const char *name, const void *data, size_t bytes, vkmm_type type,
                             vkmm_shader **shader)
{
    VKMM_NEED(log, shader);
    VKMM_NEED(log, name);
    VKMM_NEED(log, data);
    return vkmm_tell(log, vkmm_shader_make(name, data, bytes, type, 0, shader));
}

vkmm_status vkmm_shader_check(const vkmm_shader *shader, const vkmm_device_info *device, vkmm_kernel_info *kernel)
{
    if (!shader->is_foreign) return VKMM_OK;
    return vkmm_spirv_check(shader->name, shader->module.words, shader->module.bytes, device, kernel);
}
