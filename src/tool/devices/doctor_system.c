/* Checks of what is installed, and of the environment. */
#include "devices/doctor.h"

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/clean.h"
#include "base/file.h"
#include "math/blas.h"
#include "report/text.h"
#include "session/drivers.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#define LOADER         "vulkan-1.dll"
#define GET_LOADER     "Install or update the driver of the GPU: it brings the Vulkan loader."
#define GET_DRIVER     "Install the driver of the GPU's maker: those that come with Windows may have no Vulkan."
#define GET_BLAS       "none is looked for on Windows"
#define CACHE_PARENT   "LOCALAPPDATA is not"
#define CACHE_VARIABLE "LOCALAPPDATA"
#else
#define LOADER     "libvulkan.so.1"
#define GET_LOADER "Install the Vulkan loader: Debian's and Ubuntu's package libvulkan1, Fedora's vulkan-loader."
#define GET_DRIVER \
    "Install a Vulkan driver: mesa-vulkan-drivers has those of AMD and Intel GPUs and one for any processor."
#define GET_BLAS       "Debian: libopenblas0"
#define CACHE_PARENT   "neither XDG_CACHE_HOME nor HOME is"
#define CACHE_VARIABLE "XDG_CACHE_HOME"
#endif

#define OR_ANOTHER ", or set " CACHE_VARIABLE " to one that is; otherwise, kernels are compiled again each time."

static void look_at_loader(cli_exam *exam)
{
    const uint32_t version = vkmm_loader_version();
    const char *text = CLI_API_VERSION(version);
    exam->check = "loader";
    if (version == 0) {
        cli_doctor_find(exam, CLI_PROBLEM, GET_LOADER, "there is no Vulkan loader (" LOADER ")");
        return;
    }
    if (version < VK_MAKE_API_VERSION(0, 1, 1, 0))
        cli_doctor_find(exam, CLI_PROBLEM, "Install a newer Vulkan loader (libvulkan1).",
                        "the Vulkan loader %s is older than Vulkan 1.1", text);
    else if (version < VK_MAKE_API_VERSION(0, 1, 3, 234))
        cli_doctor_find(exam, CLI_NOTE, "", "Vulkan loader %s; --no-layers has no effect before 1.3.234", text);
    else
        cli_doctor_find(exam, CLI_OK, "", "Vulkan loader %s", text);
}

static void look_at_drivers(cli_exam *exam)
{
    uint32_t active = 0, broken = 0;
    char names[300] = "";
    exam->check = "drivers";
    for (uint32_t i = 0; i < exam->manifest_count; i++) {
        const cli_manifest *m = &exam->manifests[i];
        if (m->kind != CLI_MANIFEST_DRIVER) continue;
        if (cli_doctor_is_fatal(m)) {
            broken++;
            exam->status = cli_worse(exam->status, VKMM_DEVICE_LOST);
            cli_doctor_find(exam, CLI_PROBLEM,
                            "Install another version of the driver, or leave it out: VK_LOADER_DRIVERS_DISABLE=NAME, "
                            "the name of its manifest.",
                            "%s is unusable: %s", m->path, m->broken);
        } else if (m->broken[0] != '\0') {
            broken++;
            cli_doctor_find(exam, CLI_WARNING, "Reinstall the drivers of broken manifests, or remove the manifests.",
                            "%s is broken: %s", m->path, m->broken);
        } else if (m->active) {
            active++;
            VKMM_JOIN(names, ", ", "%s", m->name);
        }
    }
    if (active > 0)
        cli_doctor_find(exam, CLI_OK, "", "%u driver manifest%s: %s", active, active == 1 ? "" : "s", names);
    else
        cli_doctor_find(exam, CLI_PROBLEM,
                        cli_drivers_restriction() != NULL ? CLI_UNSET_DRIVERS
                        : getenv("VK_LOADER_DRIVERS_SELECT") != NULL || getenv("VK_LOADER_DRIVERS_DISABLE") != NULL
                            ? "Unset VK_LOADER_DRIVERS_SELECT and VK_LOADER_DRIVERS_DISABLE, which leave drivers out."
                            : GET_DRIVER,
                        "there is no driver manifest%s", broken > 0 ? " that works" : "");
}

static void look_at_environment(cli_exam *exam)
{
    static const struct {
        const char *name, *effect;
    } variables[] = {
        {"VK_DRIVER_FILES", "only these drivers are seen"},
        {"VK_ICD_FILENAMES", "only these drivers are seen"},
        {"VK_ADD_DRIVER_FILES", "these drivers are also seen"},
        {"VK_LOADER_DRIVERS_SELECT", "only these drivers are used"},
        {"VK_LOADER_DRIVERS_DISABLE", "these drivers are left out"},
        {"VK_LOADER_DEVICE_SELECT", "it sets the order of the devices"},
        {"VK_INSTANCE_LAYERS", "these layers are enabled"},
        {"VK_LOADER_LAYERS_ENABLE", "these layers are enabled"},
        {"VK_LOADER_LAYERS_DISABLE", "these layers are left out"},
        {"VK_LAYER_PATH", "layers are looked for only there"},
        {"MESA_VK_DEVICE_SELECT", "Mesa uses it to order or hide devices"},
        {"MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE", "Mesa shows only one device"},
        {"DRI_PRIME", "Mesa uses it to order devices"},
        {"AMD_VULKAN_ICD", "it chooses between AMD's drivers"},
        {"RADV_DEBUG", "it changes how Mesa's driver for AMD works"},
        {"RADV_PERFTEST", "it changes how Mesa's driver for AMD works"},
        {"ANV_DEBUG", "it changes how Mesa's driver for Intel works"},
        {"INTEL_DEBUG", "it changes how Mesa's driver for Intel works"},
        {"NVK_DEBUG", "it changes how Mesa's driver for NVIDIA works"},
        {"LP_NUM_THREADS", "llvmpipe uses this many threads"},
        {"GALLIVM_DEBUG", "it changes how llvmpipe works"},
    };
    const uint32_t before = exam->finding_count;
    exam->check = "environment";
    for (size_t i = 0; i < VKMM_COUNT(variables); i++) {
        const char *value = getenv(variables[i].name);
        if (value == NULL || value[0] == '\0') continue;
        if (i == 1 && vkmm_loader_version() >= VK_MAKE_API_VERSION(0, 1, 3, 207) && getenv("VK_DRIVER_FILES") != NULL)
            continue; /* the old name of the one before, which overrides it */
        cli_doctor_find(exam, CLI_NOTE, "", "%s=%.200s: %s", variables[i].name, value, variables[i].effect);
    }
    if (exam->finding_count == before) cli_doctor_find(exam, CLI_OK, "", "no variable restricts what Vulkan sees");
}

/* Whether a file can be created in the cache folder; the file is removed again. */
static void look_at_cache(cli_exam *exam)
{
    const vkmm_log *log = exam->session->log;
    vkmm_output *output = NULL;
    char *folder = NULL, *path = NULL;
    char why[VKMM_CACHE_DIR_WHY];
    vkmm_status status = vkmm_tell(log, vkmm_cache_dir_name(NULL, &folder));
    exam->check = "cache";
    if (status == VKMM_OK && folder == NULL) {
        cli_doctor_find(exam, CLI_NOTE, "", CACHE_PARENT " set: compiled kernels and tuning results are not kept");
    } else if (status == VKMM_OK && vkmm_cache_dir_is_shared(folder, why, sizeof why)) {
        cli_doctor_find(exam, CLI_WARNING, "Make the cache folder yours alone" OR_ANOTHER,
                        "nothing is kept in %.300s: %s", folder, why);
    } else {
        if (status == VKMM_OK) status = vkmm_cache_dir_make(log, folder);
        if (status == VKMM_OK) path = vkmm_cache_dir_join(folder, "doctor");
        if (path != NULL) status = vkmm_tell(log, vkmm_output_open(path, 1, &output));
        vkmm_output_discard(&output);
        if (status == VKMM_OK && path != NULL)
            cli_doctor_find(exam, CLI_OK, "", "compiled kernels and tuning results are kept in %.300s", folder);
        else
            cli_doctor_find(exam, CLI_WARNING, "Make the cache folder writable" OR_ANOTHER,
                            "nothing can be kept in %.300s", folder != NULL ? folder : "the cache folder");
    }
    vkmm_free(path);
    vkmm_free(folder);
}

static void look_at_blas(cli_exam *exam)
{
    vkmm_blas *blas = vkmm_blas_open(NULL);
    exam->check = "blas";
    if (blas != NULL)
        cli_doctor_find(exam, CLI_OK, "", "%.60s%s%.200s provides the host's row in benchmarks", vkmm_blas_name(blas),
                        vkmm_blas_version(blas)[0] != '\0' ? " " : "", vkmm_blas_version(blas));
    else
        cli_doctor_find(exam, CLI_NOTE, "",
                        "no BLAS with CBLAS is installed (" GET_BLAS "): benchmarks have no row for the host");
    vkmm_blas_close(&blas);
}

void cli_doctor_system(cli_exam *exam)
{
    look_at_loader(exam);
    look_at_drivers(exam);
    cli_doctor_layers(exam);
    look_at_environment(exam);
    look_at_cache(exam);
    look_at_blas(exam);
}
