#include "run/shader.h"

#include "base/file.h"
#include "base/log.h"
#include "options/values.h"
#include "math/type.h"

#include <string.h>

static int is_spirv(const char *path)
{
    const size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".spv") == 0;
}

vkmm_status cli_shader_open(const vkmm_log *log, const char *path, vkmm_type type, vkmm_shader **shader)
{
    vkmm_mapping file = {NULL, 0};
    vkmm_status status = vkmm_mapping_open(log, path, &file);
    const char *text = file.data != NULL ? file.data : "";

    *shader = NULL;
    if (status == VKMM_OK && !cli_is_plain_type(type))
        status = vkmm_fail(log, VKMM_INVALID,
                           "--shader: a shader of your own multiplies f32, f64, i32 or u32; --type says %s",
                           vkmm_type_of(type)->name);
    if (status == VKMM_OK && is_spirv(path))
        status = vkmm_shader_load(log, path, text, (size_t)file.bytes, type, shader);
    else if (status == VKMM_OK)
        status = vkmm_shader_compile(log, path, text, (size_t)file.bytes, type, shader);
    vkmm_mapping_close(&file);
    return status;
}
