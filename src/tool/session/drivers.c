#include "session/drivers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/folder.h"
#include "base/log.h"
#include "io/manifest.h"

static int has_entry(const char *list, const char *entry, char separator)
{
    const size_t length = strlen(entry);
    while (list != NULL) {
        if (strncmp(list, entry, length) == 0 && (list[length] == separator || list[length] == '\0')) return 1;
        list = strchr(list, separator);
        if (list != NULL) list++;
    }
    return 0;
}

int cli_set_variable(const char *name, const char *value)
{
#ifdef _WIN32
    return _putenv_s(name, value);
#else
    return setenv(name, value, 1);
#endif
}

/* Appends an entry to a list in the environment, unless the list has it already. */
static vkmm_status append(const char *name, const char *entry, char separator)
{
    const char *old = getenv(name);
    const size_t size = (old != NULL ? strlen(old) : 0) + strlen(entry) + 2;
    char *list;
    int failed;
    if (old != NULL && has_entry(old, entry, separator)) return VKMM_OK;
    list = vkmm_alloc(1, size);
    if (list != NULL)
        snprintf(list, size, "%s%.*s%s", old != NULL ? old : "", old != NULL && *old != '\0', &separator, entry);
    failed = list == NULL || cli_set_variable(name, list) != 0;
    vkmm_free(list);
    return failed ? VKMM_NO_MEMORY("to set %s", name) : VKMM_OK;
}

const char *cli_swiftshader_manifest(void)
{
    static const char *const manifests[] = {
        "/usr/lib/chromium/vk_swiftshader_icd.json",
        "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
        "/usr/lib64/chromium/vk_swiftshader_icd.json",
        "/opt/google/chrome/vk_swiftshader_icd.json",
    };
    for (size_t i = 0; i < VKMM_COUNT(manifests); i++)
        if (vkmm_path_look(manifests[i], 0) == VKMM_PATH_OPEN) return manifests[i];
    return NULL;
}

static int is_swiftshader(const char *driver)
{
    return strcmp(driver, "swiftshader") == 0;
}

const char *cli_drivers_restriction(void)
{
    if (getenv("VK_DRIVER_FILES") != NULL) return "VK_DRIVER_FILES";
    return getenv("VK_ICD_FILENAMES") != NULL ? "VK_ICD_FILENAMES" : NULL;
}

vkmm_status cli_drivers_append(const char *driver)
{
    const char *list = cli_drivers_restriction();
    if (is_swiftshader(driver)) driver = list != NULL ? NULL : cli_swiftshader_manifest();
    return driver != NULL ? append(list != NULL ? list : "VK_ADD_DRIVER_FILES", driver, CLI_LIST_SEPARATOR) : VKMM_OK;
}

vkmm_status cli_drivers_add(const char *driver)
{
    cli_manifest manifest = {.broken = ""};
    if (!is_swiftshader(driver))
        cli_manifest_read(driver, &manifest);
    else if (cli_drivers_restriction() == NULL && cli_swiftshader_manifest() == NULL)
        return vkmm_fail(VKMM_NO_DEVICE, "SwiftShader was not found: Chromium has it (Debian: chromium-common)");
    if (manifest.broken[0] != '\0')
        return vkmm_fail(VKMM_INVALID, "the driver manifest %s cannot be used: %s", driver, manifest.broken);
    return cli_drivers_append(driver);
}

vkmm_status cli_drivers_disable(const char *name)
{
    return append("VK_LOADER_DRIVERS_DISABLE", name, ',');
}

vkmm_status cli_drivers_uncached(void)
{
    if (cli_set_variable("MESA_SHADER_CACHE_DISABLE", "true") == 0 &&
        cli_set_variable("__GL_SHADER_DISK_CACHE", "0") == 0)
        return VKMM_OK;
    return VKMM_NO_MEMORY("to disable the driver's cache");
}

vkmm_status cli_layers_disable(const vkmm_log *log)
{
    const uint32_t version = vkmm_loader_version();
    if (version > 0 && version < VK_MAKE_API_VERSION(0, 1, 3, 234))
        vkmm_say(log, VKMM_LOG_WARNING,
                 "implicit layers are still used: only Vulkan loaders from 1.3.234 on can disable them, and this one "
                 "is %u.%u.%u",
                 VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
    return append("VK_LOADER_LAYERS_DISABLE", "~implicit~", ',');
}
