#include "devices/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/folder.h"

enum {
    DISPLAY_CLASS = 0x03
}; /* the base class of a PCI device: PCI Code and ID Assignment Specification, "display controller" */

static unsigned long number_in(const char *folder, const char *name)
{
    char path[512], text[32];
    VKMM_PUT(path, "%s/%s", folder, name);
    return vkmm_file_text(path, text, sizeof text) ? strtoul(text, NULL, 16) : 0;
}

static void look_at_node(const char *root, const char *name, cli_gpu *gpu)
{
    char path[512];
    VKMM_PUT(gpu->node, "/dev/dri/%s", name);
    VKMM_PUT(path, "%s%s", root, gpu->node);
    vkmm_access_look look = vkmm_path_look(path, 1);
    gpu->node_there = look != VKMM_PATH_MISSING;
    gpu->node_open = look == VKMM_PATH_OPEN;
}

static void find_node(const char *root, const char *folder, cli_gpu *gpu)
{
    char path[512];
    vkmm_names names;
    VKMM_PUT(path, "%s/drm", folder);
    vkmm_folder_list(path, &names);
    for (uint32_t i = 0; i < names.count && gpu->node[0] == '\0'; i++)
        if (strncmp(names.name[i], "renderD", 7) == 0) look_at_node(root, names.name[i], gpu);
    vkmm_names_free(&names);
}

static int read_pci(const char *root, const char *address, cli_gpu *gpu)
{
    char folder[400], path[512];
    VKMM_PUT(folder, "%s/sys/bus/pci/devices/%s", root, address);
    *gpu = (cli_gpu){.has_pci = 1};
    if (number_in(folder, "class") >> 16 != DISPLAY_CLASS) return 0;
    if (sscanf(address, "%x:%x:%x.%x", &gpu->pci[0], &gpu->pci[1], &gpu->pci[2], &gpu->pci[3]) != 4) return 0;
    gpu->vendor_id = (uint32_t)number_in(folder, "vendor");
    gpu->device_id = (uint32_t)number_in(folder, "device");
    VKMM_PUT(path, "%s/driver", folder);
    vkmm_link_name(path, gpu->kernel_driver, sizeof gpu->kernel_driver);
    find_node(root, folder, gpu);
    return 1;
}

/* A GPU that is part of a system on a chip: it has a render node, and no PCI vendor. */
static int read_platform(const char *root, const char *node, cli_gpu *gpu)
{
    char path[512];
    *gpu = (cli_gpu){.has_pci = 0};
    if (strncmp(node, "renderD", 7) != 0) return 0;
    VKMM_PUT(path, "%s/sys/class/drm/%s/device/vendor", root, node);
    if (vkmm_path_look(path, 0) != VKMM_PATH_MISSING) return 0;
    VKMM_PUT(path, "%s/sys/class/drm/%s/device/driver", root, node);
    vkmm_link_name(path, gpu->kernel_driver, sizeof gpu->kernel_driver);
    look_at_node(root, node, gpu);
    return 1;
}

static uint32_t list(const char *root, const char *folder, int (*read)(const char *, const char *, cli_gpu *),
                     cli_gpu *gpus, uint32_t room, uint32_t count)
{
    char path[512];
    vkmm_names names;
    cli_gpu gpu;
    VKMM_PUT(path, "%s%s", root, folder);
    vkmm_folder_list(path, &names);
    for (uint32_t i = 0; i < names.count; i++) {
        if (!read(root, names.name[i], &gpu)) continue;
        if (count < room) gpus[count] = gpu;
        count++;
    }
    vkmm_names_free(&names);
    return count;
}

uint32_t cli_gpus_list(const char *root, cli_gpu *gpus, uint32_t room)
{
    uint32_t count = list(root, "/sys/bus/pci/devices", read_pci, gpus, room, 0);
    return list(root, "/sys/class/drm", read_platform, gpus, room, count);
}
