#include "kernel/user.h"

#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/log.h"
#include "math/type.h"

#ifdef VKMM_HAVE_SHADERC
#include <shaderc/shaderc.h>
#endif

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

/* A shader from SPIR-V, once it has passed the checks that need no device. is_valid: it needs no validation. */
static vkmm_status make(const char *name, const void *data, size_t bytes, vkmm_type type, int is_valid,
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
    return vkmm_tell(log, make(name, data, bytes, type, 0, shader));
}

/* ---- GLSL ---- */

#ifdef VKMM_HAVE_SHADERC

/* libshaderc's functions: opened at run time, or linked if its shared library is broken
 * (shaders/shaderc/meson.build). */
#define SHADERC_FUNCTIONS(X)                  \
    X(compiler_initialize)                    \
    X(compiler_release)                       \
    X(compile_options_initialize)             \
    X(compile_options_release)                \
    X(compile_options_add_macro_definition)   \
    X(compile_options_set_target_env)         \
    X(compile_options_set_optimization_level) \
    X(compile_into_spv)                       \
    X(result_release)                         \
    X(result_get_compilation_status)          \
    X(result_get_error_message)               \
    X(result_get_length)                      \
    X(result_get_bytes)

typedef struct shaderc_api {
    void *library;
#define X(name) __typeof__(&shaderc_##name) name;
    SHADERC_FUNCTIONS(X)
#undef X
} shaderc_api;

#ifdef VKMM_SHADERC_LINKED
#define FUNCTION(name) shaderc_##name
static const char *const libraries[] = {NULL};
#else
#define FUNCTION(name) (__typeof__(&shaderc_##name))vkmm_dynlib_symbol(api->library, "shaderc_" #name)
static const char *const libraries[] = {"libshaderc.so.1", "libshaderc_shared.so.1", "libshaderc_shared.so",
                                        "libshaderc.dylib", NULL};
#endif

static vkmm_status open_shaderc(shaderc_api *api)
{
    api->library = vkmm_dynlib_open_one(libraries);
    if (*libraries && !api->library)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "a user's shader needs libshaderc (libshaderc.so.1), which cannot be loaded");
#define X(name)                 \
    api->name = FUNCTION(name); \
    if (!api->name) return vkmm_fail(VKMM_UNSUPPORTED, "this libshaderc lacks the function shaderc_" #name);
    SHADERC_FUNCTIONS(X)
#undef X
    return VKMM_OK;
}

/* Every line of the compiler's message is a separate sentence: "FILE:LINE: error: …". */
static void say_lines(const vkmm_log *log, const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        if (length > 0) vkmm_say(log, VKMM_LOG_ERROR, "%.*s", length, text);
        text += length + (text[length] == '\n');
    }
}

static vkmm_status compile(const vkmm_log *log, const shaderc_api *api, const char *name, const char *text,
                           size_t bytes, vkmm_type type, vkmm_shader **shader)
{
    vkmm_status status;
    const char *glsl = vkmm_type_of(type)->glsl;
    shaderc_compilation_result_t result = NULL;
    shaderc_compiler_t compiler = api->compiler_initialize();
    shaderc_compile_options_t options = api->compile_options_initialize();
    if (!compiler || !options) {
        status = vkmm_fail(VKMM_OUT_OF_MEMORY, "libshaderc could not start");
        goto done;
    }
    api->compile_options_add_macro_definition(options, "T", 1, glsl, strlen(glsl));
    api->compile_options_set_target_env(options, shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1);
    api->compile_options_set_optimization_level(options, shaderc_optimization_level_performance);
    result = api->compile_into_spv(compiler, text, bytes, shaderc_glsl_compute_shader, name, "main", options);
    if (api->result_get_compilation_status(result) != shaderc_compilation_status_success) {
        say_lines(log, api->result_get_error_message(result));
        status = vkmm_fail(VKMM_INVALID, "%s: the shader does not compile", name);
        goto done;
    }
    status = make(name, api->result_get_bytes(result), api->result_get_length(result), type, 1, shader);
done:
    if (result) api->result_release(result);
    if (options) api->compile_options_release(options);
    if (compiler) api->compiler_release(compiler);
    return status;
}

/* The number of the first #version line, or 0. */
static unsigned version_of(const char *text, size_t bytes)
{
    static const char word[] = "#version";
    const size_t length = sizeof word - 1;
    for (size_t i = 0; i + length < bytes; i++) {
        unsigned version = 0;
        if (memcmp(text + i, word, length) != 0) continue;
        for (i += length; i < bytes && (text[i] == ' ' || text[i] == '\t'); i++) continue;
        for (; i < bytes && text[i] >= '0' && text[i] <= '9' && version < 1000; i++)
            version = 10 * version + (unsigned)(text[i] - '0');
        return version;
    }
    return 0;
}

static vkmm_status open_and_compile(const vkmm_log *log, const char *name, const char *text, size_t bytes,
                                    vkmm_type type, vkmm_shader **out)
{
    shaderc_api api = {0};
    /* For versions before compute shaders, including its default, 110, glslang dumps all its built-ins on standard
     * output. */
    if (version_of(text, bytes) < 310)
        return vkmm_fail(VKMM_INVALID, "%s: a compute shader for Vulkan needs a line such as '#version 450'", name);
    vkmm_status status = open_shaderc(&api);
    if (status == VKMM_OK) status = compile(log, &api, name, text, bytes, type, out);
    vkmm_dynlib_close(api.library);
    return status;
}

#else

static vkmm_status open_and_compile(const vkmm_log *log, const char *name, const char *text, size_t bytes,
                                    vkmm_type type, vkmm_shader **out)
{
    (void)log, (void)text, (void)bytes, (void)type, (void)out;
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "%s: this build of vkmatmul was made without libshaderc, so it cannot compile shaders", name);
}

#endif

vkmm_status vkmm_shader_compile(const vkmm_log *log, const char *name, const char *text, size_t bytes, vkmm_type type,
                                vkmm_shader **out)
{
    VKMM_NEED(log, out);
    VKMM_NEED(log, name);
    VKMM_NEED(log, text);
    *out = NULL;
    return vkmm_tell(log, open_and_compile(log, name, text, bytes, type, out));
}

vkmm_status vkmm_shader_check(const vkmm_shader *shader, const vkmm_device_info *device, vkmm_kernel_info *kernel)
{
    if (!shader->is_foreign) return VKMM_OK;
    return vkmm_spirv_check(shader->name, shader->module.words, shader->module.bytes, device, kernel);
}
