#include "io/manifest_parts.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/file.h"
#include "base/folder.h"

#define LARGEST_MANIFEST (1024 * 1024)

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static void look_at_elf(vkmm_manifest *item, const char *path)
{
    unsigned char head[5] = {0};
    int bits = sizeof(void *) == 8 ? 2 : 1; /* EI_CLASS of the System V ABI */
    if (vkmm_file_head(path, head, sizeof head) != sizeof head || memcmp(head, "\177ELF", 4) != 0) {
        snprintf(item->broken, sizeof item->broken, "its library %.160s is not a shared library that can be read",
                 path);
    } else if (head[4] != bits) {
        item->active = 0; /* the loader passes over it: another manifest is for this program */
        snprintf(item->description, sizeof item->description, "for programs of %d bits", head[4] == 2 ? 64 : 32);
    }
}

void vkmm_scan_library(const vkmm_scan *scan, vkmm_manifest *item)
{
    const char *library = item->library, *slash = strrchr(item->path, '/');
    char path[1200];
    if (strchr(library, '$') != NULL) return; /* the dynamic linker knows what $LIB and the like stand for */
    if (strchr(library, '/') == NULL) {
        if (!vkmm_dynlib_there(scan->root, library))
            snprintf(item->broken, sizeof item->broken, "its library %.160s is not there", library);
        return;
    }
    if (library[0] == '/')
        snprintf(path, sizeof path, "%s%s", scan->root, library);
    else
        snprintf(path, sizeof path, "%.*s%s", slash != NULL ? (int)(slash - item->path + 1) : 0, item->path, library);
    if (vkmm_path_look(path, 0) == VKMM_PATH_MISSING)
        snprintf(item->broken, sizeof item->broken, "its library %.160s is not there", path);
    else
        look_at_elf(item, path);
}

static void finish(vkmm_scan *scan, vkmm_manifest *item, int needs_library)
{
    int otherwise = item->active;
    item->active = 1;
    if (item->broken[0] == '\0' && item->library[0] == '\0' && needs_library)
        snprintf(item->broken, sizeof item->broken, "it names no library (library_path)");
    else if (item->library[0] != '\0')
        vkmm_scan_library(scan, item);
    item->active = item->broken[0] == '\0' && item->active && vkmm_scan_wanted(item, otherwise);
    vkmm_scan_add(scan, item);
}

static void add_driver(vkmm_scan *scan, vkmm_manifest *item, const json_t *icd)
{
    const char *version = text_of(icd, "api_version");
    snprintf(item->library, sizeof item->library, "%s", text_of(icd, "library_path"));
    if (version[0] != '\0') snprintf(item->description, sizeof item->description, "Vulkan %.60s", version);
    item->active = 1;
    finish(scan, item, 1);
}

/* An implicit layer is on unless its "disable" variable is set; where it has an "enable" variable, that must have
 * the manifest's value. */
static int is_enabled(vkmm_manifest *item, const json_t *layer)
{
    json_t *enable = json_object_get(layer, "enable_environment"),
           *disable = json_object_get(layer, "disable_environment");
    const char *name = json_object_iter_key(json_object_iter(enable)), *value = NULL;
    if (name != NULL) {
        snprintf(item->enable, sizeof item->enable, "%s", name);
        value = json_string_value(json_object_get(enable, name));
    }
    const char *off = json_object_iter_key(json_object_iter(disable));
    if (off != NULL) snprintf(item->disable, sizeof item->disable, "%s", off);
    if (off != NULL && getenv(off) != NULL) return 0;
    if (name == NULL) return 1;
    const char *is = getenv(name);
    return is != NULL && (value == NULL || strcmp(is, value) == 0);
}

static void add_layer(vkmm_scan *scan, const vkmm_manifest *of, const json_t *layer)
{
    vkmm_manifest item = *of;
    snprintf(item.name, sizeof item.name, "%s", text_of(layer, "name"));
    snprintf(item.library, sizeof item.library, "%s", text_of(layer, "library_path"));
    snprintf(item.description, sizeof item.description, "%s", text_of(layer, "description"));
    if (item.name[0] == '\0') snprintf(item.broken, sizeof item.broken, "it has a layer without a name");
    item.active = item.kind == VKMM_MANIFEST_IMPLICIT_LAYER ? is_enabled(&item, layer) : 0;
    if (item.kind == VKMM_MANIFEST_IMPLICIT_LAYER && item.disable[0] == '\0' && item.broken[0] == '\0')
        snprintf(item.broken, sizeof item.broken,
                 "it has no \"disable_environment\", so that the loader leaves it out");
    /* A layer made of others has no library of its own. */
    finish(scan, &item, json_object_get(layer, "component_layers") == NULL);
}

static void add_content(vkmm_scan *scan, vkmm_manifest *item, const json_t *file)
{
    const json_t *icd = json_object_get(file, "ICD"), *one = json_object_get(file, "layer"),
                 *many = json_object_get(file, "layers");
    if (item->kind == VKMM_MANIFEST_DRIVER && json_is_object(icd)) {
        add_driver(scan, item, icd);
    } else if (item->kind != VKMM_MANIFEST_DRIVER && json_is_array(many) && json_array_size(many) > 0) {
        for (size_t i = 0; i < json_array_size(many); i++) add_layer(scan, item, json_array_get(many, i));
    } else if (item->kind != VKMM_MANIFEST_DRIVER && json_is_object(one)) {
        add_layer(scan, item, one);
    } else {
        snprintf(item->broken, sizeof item->broken, "it has no \"%s\" object",
                 item->kind == VKMM_MANIFEST_DRIVER ? "ICD" : "layer");
        vkmm_scan_add(scan, item);
    }
}

void vkmm_scan_file(vkmm_scan *scan, vkmm_manifest *item)
{
    vkmm_mapping mapping = {NULL, 0};
    json_error_t error;
    json_t *file = NULL;
    const char *slash = strrchr(item->path, '/');
    snprintf(item->name, sizeof item->name, "%.255s", slash != NULL ? slash + 1 : item->path);
    if (vkmm_mapping_open(NULL, item->path, &mapping) != VKMM_OK)
        snprintf(item->broken, sizeof item->broken, "%s",
                 vkmm_path_look(item->path, 0) == VKMM_PATH_MISSING ? "the file is not there"
                                                                    : "the file cannot be read");
    else if (mapping.bytes > LARGEST_MANIFEST)
        snprintf(item->broken, sizeof item->broken, "a manifest of %llu bytes: more than %d are not read",
                 (unsigned long long)mapping.bytes, LARGEST_MANIFEST);
    else if ((file = json_loadb(mapping.data != NULL ? mapping.data : "", (size_t)mapping.bytes, 0, &error)) == NULL)
        snprintf(item->broken, sizeof item->broken, "not JSON: line %d: %.120s", error.line, error.text);
    if (file != NULL)
        add_content(scan, item, file);
    else
        vkmm_scan_add(scan, item);
    json_decref(file);
    vkmm_mapping_close(&mapping);
}
