/* The manifests of drivers (ICDs) and layers that the Vulkan loader finds on this system: JSON files in the folders
 * that the loader's documentation names (LoaderDriverInterface.md, LoaderLayerInterface.md). */
#pragma once

#include "base/log.h"

/* Separator of paths in an environment variable. */
#ifdef _WIN32
#define CLI_LIST_SEPARATOR ';'
#else
#define CLI_LIST_SEPARATOR ':'
#endif

typedef enum cli_manifest_kind {
    CLI_MANIFEST_DRIVER,
    CLI_MANIFEST_IMPLICIT_LAYER,
    CLI_MANIFEST_EXPLICIT_LAYER
} cli_manifest_kind;

typedef struct cli_manifest {
    cli_manifest_kind kind;
    char path[512];
    char name[256];    /* the layer's, "VK_LAYER_MESA_device_select"; for a driver, the file's name */
    char library[512]; /* library_path, as in the manifest */
    char description[256];
    char enable[128], disable[128]; /* environment variables of an implicit layer; "": none */
    int active;                     /* the loader would use it in this environment */
    char broken[256];               /* the defect: "not JSON: …", "its library … does not exist"; "": none */
} cli_manifest;

/* Lists them in the loader's order. root: "" for the real system (tests have their own tree); environment variables
 * apply in both cases (VK_DRIVER_FILES, VK_ICD_FILENAMES, VK_ADD_DRIVER_FILES, VK_LOADER_LAYERS_DISABLE, XDG_*,
 * HOME, a layer's own). No driver's library is loaded. *manifests is freed with vkmm_free. VKMM_OUT_OF_MEMORY; a folder
 * or file that cannot be read is not an error. */
vkmm_status cli_manifests_scan(const vkmm_log *log, const char *root, cli_manifest **manifests, uint32_t *count);

/* Reads one driver manifest and loads its library, as the loader does. driver->broken: why the loader cannot use it,
 * which the loader itself does not report. */
void cli_manifest_read(const char *path, cli_manifest *driver);
