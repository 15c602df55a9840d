/* Where the loader looks: LoaderDriverInterface.md, "Driver Discovery on Linux", and LoaderLayerInterface.md, "Linux
 * Layer Discovery". */
#include "io/manifest_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"

/* By kind. */
static const char *const folders[] = {"vulkan/icd.d", "vulkan/implicit_layer.d", "vulkan/explicit_layer.d"};
static const char *const first[] = {"VK_ADD_DRIVER_FILES", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_ADD_LAYER_PATH"};
static const char *const instead[] = {"VK_DRIVER_FILES", "VK_IMPLICIT_LAYER_PATH", "VK_LAYER_PATH"};

static int is_json(const char *path)
{
    size_t length = strlen(path);
    return length >= 5 && strcmp(path + length - 5, ".json") == 0;
}

static int is_known(const vkmm_scan *scan, vkmm_manifest_kind kind, const char *path)
{
    for (uint32_t i = 0; i < scan->count; i++)
        if (scan->items[i].kind == kind && strcmp(scan->items[i].path, path) == 0) return 1;
    return 0;
}

static void add_file(vkmm_scan *scan, vkmm_manifest_kind kind, const char *path)
{
    vkmm_manifest item = {.kind = kind};
    if (is_known(scan, kind, path)) return;
    snprintf(item.path, sizeof item.path, "%.511s", path);
    vkmm_scan_file(scan, &item);
}

/* Of a folder only what ends in .json counts. */
static void add_folder(vkmm_scan *scan, vkmm_manifest_kind kind, const char *folder)
{
    char path[2048];
    vkmm_names names;
    vkmm_folder_list(folder, &names);
    for (uint32_t i = 0; i < names.count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names.name[i]);
        if (is_json(path)) add_file(scan, kind, path);
    }
    vkmm_names_free(&names);
}

/* One entry of a list; "" names nothing. below: "", or the folder in it that holds the manifests. */
static void add_entry(vkmm_scan *scan, vkmm_manifest_kind kind, const char *entry, size_t length, const char *below)
{
    char path[1024];
    while (length > 1 && entry[length - 1] == '/') length--;
    if (length == 0) return;
    snprintf(path, sizeof path, "%s%.*s%s%s", scan->root, (int)length, entry, below[0] != '\0' ? "/" : "", below);
    if (below[0] == '\0' && is_json(path))
        add_file(scan, kind, path);
    else
        add_folder(scan, kind, path);
}

static void add_list(vkmm_scan *scan, vkmm_manifest_kind kind, const char *list, const char *below)
{
    while (list != NULL) {
        size_t length = strcspn(list, ":");
        add_entry(scan, kind, list, length, below);
        list = list[length] == ':' ? list + length + 1 : NULL;
    }
}

static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static void add_home(vkmm_scan *scan, vkmm_manifest_kind kind, const char *variable, const char *below_home)
{
    const char *folder = value_of(variable), *home = value_of("HOME");
    char path[1024];
    if (folder == NULL && home == NULL) return;
    snprintf(path, sizeof path, "%s%s", folder != NULL ? folder : home, folder != NULL ? "" : below_home);
    add_entry(scan, kind, path, strlen(path), folders[kind]);
}

static void add_usual(vkmm_scan *scan, vkmm_manifest_kind kind)
{
    const char *config = value_of("XDG_CONFIG_DIRS"), *data = value_of("XDG_DATA_DIRS");
    add_home(scan, kind, "XDG_CONFIG_HOME", "/.config");
    add_list(scan, kind, config != NULL ? config : "/etc/xdg", folders[kind]);
    add_list(scan, kind, "/etc", folders[kind]);
    add_home(scan, kind, "XDG_DATA_HOME", "/.local/share");
    add_list(scan, kind, data != NULL ? data : "/usr/local/share:/usr/share", folders[kind]);
}

void vkmm_scan_kind(vkmm_scan *scan, vkmm_manifest_kind kind)
{
    const char *only = value_of(instead[kind]);
    if (only == NULL && kind == VKMM_MANIFEST_DRIVER)
        only = value_of("VK_ICD_FILENAMES"); /* its name before loader 1.3.207 */
    if (only != NULL) {
        add_list(scan, kind, only, "");
        return;
    }
    add_list(scan, kind, value_of(first[kind]), "");
    add_usual(scan, kind);
}
