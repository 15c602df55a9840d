#include <stdbool.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/log.h"
#include "kernel/user.h"

/* The part of the C interface of SPIRV-Tools that is used: it is stable, and its headers need not be installed. */
enum { ENV_VULKAN_1_1 = 18, ENV_VULKAN_1_1_SPIRV_1_4 = 21, ENV_VULKAN_1_2 = 23, ENV_VULKAN_1_3 = 25 };

typedef struct spv_context_t spv_context_t;

typedef struct spv_diagnostic_t {
    struct {
        size_t line, column, index;
    } position;
    char *error;
    bool is_text_source;
} spv_diagnostic_t;

typedef struct tools {
    void *library;
    spv_context_t *(*create)(int environment);
    void (*destroy)(spv_context_t *context);
    int (*validate)(const spv_context_t *context, const uint32_t *words, size_t count, spv_diagnostic_t **diagnostic);
    void (*forget)(spv_diagnostic_t *diagnostic);
} tools;

#ifdef VKMM_SPIRV_TOOLS_LINKED

spv_context_t *spvContextCreate(int environment);
void spvContextDestroy(spv_context_t *context);
int spvValidateBinary(const spv_context_t *context, const uint32_t *words, size_t count, spv_diagnostic_t **diagnostic);
void spvDiagnosticDestroy(spv_diagnostic_t *diagnostic);

static int open_tools(tools *t)
{
    *t = (tools){NULL, spvContextCreate, spvContextDestroy, spvValidateBinary, spvDiagnosticDestroy};
    return 1;
}

#else

static int open_tools(tools *t)
{
    static const char *const names[] = {"libSPIRV-Tools-shared.so", "libSPIRV-Tools.so", "libSPIRV-Tools-shared.dylib",
                                        NULL};
    t->library = vkmm_dynlib_open_one(names);
    if (!t->library) return 0;
    t->create = (spv_context_t * (*)(int)) vkmm_dynlib_symbol(t->library, "spvContextCreate");
    t->destroy = (void (*)(spv_context_t *))vkmm_dynlib_symbol(t->library, "spvContextDestroy");
    t->validate = (int (*)(const spv_context_t *, const uint32_t *, size_t, spv_diagnostic_t **))vkmm_dynlib_symbol(
        t->library, "spvValidateBinary");
    t->forget = (void (*)(spv_diagnostic_t *))vkmm_dynlib_symbol(t->library, "spvDiagnosticDestroy");
    if (t->create && t->destroy && t->validate && t->forget) return 1;
    vkmm_dynlib_close(t->library);
    return 0;
}

#endif

static int environment_of(uint32_t version)
{
    const uint32_t minor = version >> 8 & 0xff;
    return minor <= 3   ? ENV_VULKAN_1_1
           : minor == 4 ? ENV_VULKAN_1_1_SPIRV_1_4
           : minor == 5 ? ENV_VULKAN_1_2
                        : ENV_VULKAN_1_3;
}

/* The message may quote an instruction on separate lines; the first line is the cause. */
static vkmm_status refuse(const char *name, const spv_diagnostic_t *diagnostic)
{
    const char *error = diagnostic && diagnostic->error ? diagnostic->error : "no reason given";
    return vkmm_fail(VKMM_INVALID, "%s is not valid SPIR-V: %.*s", name, (int)strcspn(error, "\n"), error);
}

vkmm_status vkmm_spirv_validate(const char *name, const uint32_t *words, size_t bytes)
{
    spv_diagnostic_t *diagnostic = NULL;
    vkmm_status status = VKMM_OK;
    tools t;
    if (bytes % 4 != 0 || bytes < 8) /* a version to ask for */
        return vkmm_fail(VKMM_INVALID, "%s is not valid SPIR-V: it has %zu bytes", name, bytes);
    if (!open_tools(&t))
        return vkmm_fail(
            VKMM_UNSUPPORTED,
            "%s cannot be checked: SPIRV-Tools (libSPIRV-Tools-shared.so) is not installed; install it, or "
            "use the shader's GLSL",
            name);
    spv_context_t *context = t.create(environment_of(words[1]));
    if (!context) status = vkmm_fail(VKMM_OUT_OF_MEMORY, "the validator of SPIRV-Tools could not start for %s", name);
    if (context && t.validate(context, words, bytes / 4, &diagnostic) != 0) status = refuse(name, diagnostic);
    if (diagnostic) t.forget(diagnostic);
    if (context) t.destroy(context);
    vkmm_dynlib_close(t.library);
    return status;
}
