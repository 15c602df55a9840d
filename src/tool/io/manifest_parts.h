/* What the files of the scan share. Not for other rooms. */
#ifndef VKMM_IO_MANIFEST_PARTS_H
#define VKMM_IO_MANIFEST_PARTS_H

#include "io/manifest.h"

/* The list as it grows. */
typedef struct vkmm_scan {
    const vkmm_log *log;
    const char *root;
    vkmm_manifest *items;
    uint32_t count, room;
    vkmm_status status; /* not VKMM_OK: memory ended, and nothing more is added */
} vkmm_scan;

/* Lists the manifests of one kind, in the loader's order, each of them once. */
void vkmm_scan_kind(vkmm_scan *scan, vkmm_manifest_kind kind);

/* Reads item->path and adds it to the list: once for each layer that it holds, or once with what is wrong. */
void vkmm_scan_file(vkmm_scan *scan, vkmm_manifest *item);

/* Adds a copy. */
void vkmm_scan_add(vkmm_scan *scan, const vkmm_manifest *item);

/* Looks whether the library can be found, and fits this program; fills `broken`, or `active` 0. */
void vkmm_scan_library(const vkmm_scan *scan, vkmm_manifest *item);

/* Whether the loader's own variables let it take the driver or layer: VK_LOADER_DRIVERS_SELECT and _DISABLE,
 * VK_LOADER_LAYERS_ENABLE, _DISABLE and _ALLOW, VK_INSTANCE_LAYERS (LoaderInterfaceArchitecture.md, "Filter
 * Environment Variables"). `otherwise`: what holds where none of them matches. */
int vkmm_scan_wanted(const vkmm_manifest *item, int otherwise);

#endif
