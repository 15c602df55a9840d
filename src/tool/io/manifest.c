/* Where the loader looks: LoaderDriverInterface.md, "Driver Discovery on Linux", and LoaderLayerInterface.md, "Linux
 * Layer Discovery"; for Windows, system/registry.h. What it takes of that: LoaderInterfaceArchitecture.md, "Filter
 * Environment Variables". */
#include "io/manifest.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/disk.h"
#include "base/dynlib.h"
#include "base/file.h"
#include "base/folder.h"
#ifdef _WIN32
#include "system/registry.h"
#endif

#define LARGEST_MANIFEST (1024 * 1024)

enum { ENTRY_BYTES = 1024 }; /* of a list in an environment variable */

/* The list as it grows. */
typedef struct listing {
    const char *root;
    cli_manifest_kind kind; /* that is being scanned */
    int loads;              /* libraries of drivers are loaded */
    cli_manifest *items;
    uint32_t count;
    vkmm_status status; /* not VKMM_OK: memory ran out, and nothing more is added */
} listing;

static void add(listing *scan, const cli_manifest *item)
{
    if (scan->status != VKMM_OK) return;
    cli_manifest *added = vkmm_list_add(&scan->items, &scan->count, 1, sizeof *added);
    if (added != NULL)
        *added = *item;
    else
        scan->status = VKMM_NO_MEMORY("for a list of %u manifests", scan->count + 1);
}

/* The value of an environment variable; NULL: it is not set, or empty. */
static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Takes the first entry off a list, which is NULL after the last one: 0 if there is none. Cut to fit. */
static int next_entry(const char **list, char separator, char entry[ENTRY_BYTES])
{
    if (*list == NULL) return 0;
    const char *end = strchr(*list, separator);
    snprintf(entry, ENTRY_BYTES, "%.*s", end != NULL ? (int)(end - *list) : (int)strlen(*list), *list);
    *list = end != NULL ? end + 1 : NULL;
    return 1;
}

/* A pattern with '*' for any characters; case is ignored. */
static int matches(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = text;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (strncasecmp(pattern, text, 1) == 0) {
            pattern++;
            text++;
        } else if (star != NULL) { /* the last star takes one character more */
            pattern = star + 1;
            text = ++retry;
        } else {
            return 0;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

/* all: another word, besides "~all~", for everything. */
static int matches_any(const char *list, char separator, const char *all, const char *text)
{
    char pattern[ENTRY_BYTES];
    while (next_entry(&list, separator, pattern))
        if (pattern[0] != '\0' &&
            (strcmp(pattern, "~all~") == 0 || strcmp(pattern, all) == 0 || matches(pattern, text)))
            return 1;
    return 0;
}

/* Whether the loader's own variables allow the driver or layer. `otherwise`: the result if none of them matches. */
static int is_wanted(const cli_manifest *item, int otherwise)
{
    const char *all = item->kind == CLI_MANIFEST_IMPLICIT_LAYER ? "~implicit~" : "~explicit~";
    if (item->kind == CLI_MANIFEST_DRIVER) {
        const char *select = value_of("VK_LOADER_DRIVERS_SELECT");
        if (select != NULL && !matches_any(select, ',', "", item->name)) return 0;
        return matches_any(getenv("VK_LOADER_DRIVERS_DISABLE"), ',', "", item->name) ? 0 : otherwise;
    }
    if (matches_any(getenv("VK_LOADER_LAYERS_DISABLE"), ',', all, item->name) &&
        !matches_any(getenv("VK_LOADER_LAYERS_ALLOW"), ',', all, item->name))
        return 0;
    if (matches_any(getenv("VK_LOADER_LAYERS_ENABLE"), ',', all, item->name)) return 1;
    return matches_any(getenv("VK_INSTANCE_LAYERS"), CLI_LIST_SEPARATOR, "", item->name) ? 1 : otherwise;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

#ifdef _WIN32
/* The loader itself skips a library for programs of another kind. */
static void look_at_head(cli_manifest *item, const char *path)
{
    char head[2];
    if (vkmm_file_head(path, head, sizeof head) != sizeof head || memcmp(head, "MZ", 2) != 0)
        VKMM_PUT(item->broken, "its library %.160s is not a readable DLL", path);
}
#else
static void look_at_head(cli_manifest *item, const char *path)
{
    unsigned char head[5] = {0};
    int bits = sizeof(void *) == 8 ? 2 : 1; /* EI_CLASS of the System V ABI */
    if (vkmm_file_head(path, head, sizeof head) != sizeof head || memcmp(head, "\177ELF", 4) != 0) {
        VKMM_PUT(item->broken, "its library %.160s is not a readable shared library", path);
    } else if (head[4] != bits) {
        item->active = 0; /* the loader skips it: another manifest is for this program */
        VKMM_PUT(item->description, "for programs of %d bits", head[4] == 2 ? 64 : 32);
    }
}

#endif

/* Checks whether the library exists and fits this program. */
static void look_at_library(const listing *scan, cli_manifest *item)
{
    const char *library = item->library, *opened = library;
    char path[1200], why[256];
    if (strchr(library, '$') != NULL) return; /* the dynamic linker expands $LIB and the like */
    if (vkmm_path_name(library) == library) {
        /* Looking for it in the real system may load it. */
        const int looks = item->kind != CLI_MANIFEST_DRIVER || scan->loads || scan->root[0] != '\0';
        if (looks && !vkmm_dynlib_there(scan->root, library))
            VKMM_PUT(item->broken, "its library %.160s does not exist", library);
    } else {
        if (vkmm_path_is_absolute(library))
            VKMM_PUT(path, "%s%s", scan->root, library);
        else
            VKMM_PUT(path, "%.*s%s", (int)(vkmm_path_name(item->path) - item->path), item->path, library);
        if (vkmm_path_look(path, 0) == VKMM_PATH_MISSING)
            VKMM_PUT(item->broken, "its library %.160s does not exist", path);
        else
            look_at_head(item, path);
        opened = path;
    }
    const int is_used = scan->loads && item->active && item->broken[0] == '\0' && is_wanted(item, 1);
    if (is_used && !vkmm_dynlib_loads(opened, why, sizeof why))
        VKMM_PUT(item->broken, "its library %.80s cannot be loaded: %.140s", vkmm_path_name(library), why);
}

static void finish(listing *scan, cli_manifest *item, int needs_library)
{
    int otherwise = item->active;
    item->active = 1;
    if (item->broken[0] == '\0' && item->library[0] == '\0' && needs_library)
        VKMM_PUT(item->broken, "it names no library (library_path)");
    else if (item->library[0] != '\0')
        look_at_library(scan, item);
    item->active = item->broken[0] == '\0' && item->active && is_wanted(item, otherwise);
    add(scan, item);
}

static void add_driver(listing *scan, cli_manifest *item, const json_t *icd)
{
    const char *version = text_of(icd, "api_version");
    VKMM_PUT(item->library, "%s", text_of(icd, "library_path"));
    if (version[0] != '\0') VKMM_PUT(item->description, "Vulkan %.60s", version);
    item->active = 1;
    finish(scan, item, 1);
}

/* An implicit layer is active unless its "disable" variable is set; if it has an "enable" variable, that must have
 * the manifest's value. */
static int is_enabled(cli_manifest *item, const json_t *layer)
{
    json_t *enable = json_object_get(layer, "enable_environment"),
           *disable = json_object_get(layer, "disable_environment");
    const char *name = json_object_iter_key(json_object_iter(enable)), *value = NULL;
    if (name != NULL) {
        VKMM_PUT(item->enable, "%s", name);
        value = json_string_value(json_object_get(enable, name));
    }
    const char *off = json_object_iter_key(json_object_iter(disable));
    if (off != NULL) VKMM_PUT(item->disable, "%s", off);
    if (off != NULL && getenv(off) != NULL) return 0;
    if (name == NULL) return 1;
    const char *is = getenv(name);
    return is != NULL && (value == NULL || strcmp(is, value) == 0);
}

static void add_layer(listing *scan, const cli_manifest *of, const json_t *layer)
{
    cli_manifest item = *of;
    VKMM_PUT(item.name, "%s", text_of(layer, "name"));
    VKMM_PUT(item.library, "%s", text_of(layer, "library_path"));
    VKMM_PUT(item.description, "%s", text_of(layer, "description"));
    if (item.name[0] == '\0') VKMM_PUT(item.broken, "it has a layer without a name");
    item.active = item.kind == CLI_MANIFEST_IMPLICIT_LAYER ? is_enabled(&item, layer) : 0;
    if (item.kind == CLI_MANIFEST_IMPLICIT_LAYER && item.disable[0] == '\0' && item.broken[0] == '\0')
        VKMM_PUT(item.broken, "it has no \"disable_environment\", so the loader ignores it");
    /* A layer made of others has no library of its own. */
    finish(scan, &item, json_object_get(layer, "component_layers") == NULL);
}

static void add_content(listing *scan, cli_manifest *item, const json_t *file)
{
    const json_t *icd = json_object_get(file, "ICD"), *one = json_object_get(file, "layer"),
                 *many = json_object_get(file, "layers");
    if (item->kind == CLI_MANIFEST_DRIVER && json_is_object(icd)) {
        add_driver(scan, item, icd);
    } else if (item->kind != CLI_MANIFEST_DRIVER && json_is_array(many) && json_array_size(many) > 0) {
        for (size_t i = 0; i < json_array_size(many); i++) add_layer(scan, item, json_array_get(many, i));
    } else if (item->kind != CLI_MANIFEST_DRIVER && json_is_object(one)) {
        add_layer(scan, item, one);
    } else {
        VKMM_PUT(item->broken, "it has no \"%s\" object", item->kind == CLI_MANIFEST_DRIVER ? "ICD" : "layer");
        add(scan, item);
    }
}

/* Reads item->path and adds it to the list: once for each layer that it holds, or once with what is wrong. */
static void add_manifest(listing *scan, cli_manifest *item)
{
    vkmm_mapping mapping = {0};
    json_error_t error;
    json_t *file = NULL;
    VKMM_PUT(item->name, "%.255s", vkmm_path_name(item->path));
    if (vkmm_mapping_open(item->path, &mapping) != VKMM_OK)
        VKMM_PUT(item->broken, "%s",
                 vkmm_path_look(item->path, 0) == VKMM_PATH_MISSING ? "the file does not exist"
                                                                    : "the file cannot be read");
    else if (mapping.bytes > LARGEST_MANIFEST)
        VKMM_PUT(item->broken, "the manifest has %llu bytes; at most %d are read", (unsigned long long)mapping.bytes,
                 LARGEST_MANIFEST);
    else if ((file = json_loadb(mapping.data != NULL ? mapping.data : "", (size_t)mapping.bytes, 0, &error)) == NULL)
        VKMM_PUT(item->broken, "not JSON: line %d: %.120s", error.line, error.text);
    if (file != NULL)
        add_content(scan, item, file);
    else
        add(scan, item);
    json_decref(file);
    vkmm_mapping_close(&mapping);
}

/* For each kind: the folders that are searched, and the variables that list others, to search first or exclusively. */
static const struct {
    const char *folder, *also, *only;
} places[] = {{"vulkan/icd.d", "VK_ADD_DRIVER_FILES", "VK_DRIVER_FILES"},
              {"vulkan/implicit_layer.d", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH"},
              {"vulkan/explicit_layer.d", "VK_ADD_LAYER_PATH", "VK_LAYER_PATH"}};

static int is_json(const char *path)
{
    size_t length = strlen(path);
    return length >= 5 && strcmp(path + length - 5, ".json") == 0;
}

void cli_manifest_read(const char *path, cli_manifest *driver)
{
    listing scan = {.root = "", .loads = 1};
    *driver = (cli_manifest){.kind = CLI_MANIFEST_DRIVER};
    VKMM_PUT(driver->path, "%s", path);
    add_manifest(&scan, driver);
    if (driver->broken[0] == '\0' && !is_json(path)) VKMM_PUT(driver->broken, "its name must end in .json");
    vkmm_free(scan.items);
}

/* Each of them once. */
static void add_file(listing *scan, const char *path)
{
    cli_manifest item = {.kind = scan->kind};
    for (uint32_t i = 0; i < scan->count; i++)
        if (scan->items[i].kind == scan->kind && strcmp(scan->items[i].path, path) == 0) return;
    VKMM_PUT(item.path, "%.511s", path);
    add_manifest(scan, &item);
}

/* In a folder, only names that end in .json are read. */
static void add_folder(listing *scan, const char *folder)
{
    char path[2048];
    vkmm_names names;
    vkmm_folder_list(folder, &names);
    for (uint32_t i = 0; i < names.count; i++) {
        VKMM_PUT(path, "%s" VKMM_SLASH "%s", folder, names.name[i]);
        if (is_json(path)) add_file(scan, path);
    }
    vkmm_names_free(&names);
}

/* One entry of a list; "" names nothing. below: "", or the folder in it that holds the manifests. */
static void add_entry(listing *scan, const char *entry, const char *below)
{
    size_t length = strlen(entry);
    char path[2 * ENTRY_BYTES];
    while (length > 1 && strchr(VKMM_SLASHES, entry[length - 1]) != NULL) length--;
    if (length == 0) return;
    VKMM_PUT(path, "%s%.*s%s%s", scan->root, (int)length, entry, below[0] != '\0' ? "/" : "", below);
    if (below[0] == '\0' && is_json(path))
        add_file(scan, path);
    else
        add_folder(scan, path);
}

static void add_list(listing *scan, const char *list, const char *below)
{
    char entry[ENTRY_BYTES];
    while (next_entry(&list, CLI_LIST_SEPARATOR, entry)) add_entry(scan, entry, below);
}

#ifdef _WIN32
static void add_registered(void *user, const char *path)
{
    add_file(user, path);
}

static void add_usual(listing *scan)
{
    static const char *const keys[][2] = {{"Drivers", "VulkanDriverName"},
                                          {"ImplicitLayers", "VulkanImplicitLayers"},
                                          {"ExplicitLayers", "VulkanExplicitLayers"}};
    if (scan->root[0] == '\0') cli_registry_manifests(keys[scan->kind][0], keys[scan->kind][1], add_registered, scan);
}
#else
static void add_home(listing *scan, const char *variable, const char *below_home)
{
    const char *folder = value_of(variable), *home = value_of("HOME");
    char path[ENTRY_BYTES];
    if (folder == NULL && home == NULL) return;
    VKMM_PUT(path, "%s%s", folder != NULL ? folder : home, folder != NULL ? "" : below_home);
    add_entry(scan, path, places[scan->kind].folder);
}

static void add_usual(listing *scan)
{
    const char *config = value_of("XDG_CONFIG_DIRS"), *data = value_of("XDG_DATA_DIRS");
    add_home(scan, "XDG_CONFIG_HOME", "/.config");
    add_list(scan, config != NULL ? config : "/etc/xdg", places[scan->kind].folder);
    add_list(scan, "/etc", places[scan->kind].folder);
    add_home(scan, "XDG_DATA_HOME", "/.local/share");
    add_list(scan, data != NULL ? data : "/usr/local/share:/usr/share", places[scan->kind].folder);
}

#endif

/* The manifests of one kind, in the loader's order. */
static void scan_kind(listing *scan)
{
    const char *only = value_of(places[scan->kind].only);
    if (only == NULL && scan->kind == CLI_MANIFEST_DRIVER)
        only = value_of("VK_ICD_FILENAMES"); /* its name before loader 1.3.207 */
    if (only != NULL) {
        add_list(scan, only, "");
        return;
    }
    add_list(scan, value_of(places[scan->kind].also), "");
    add_usual(scan);
}

/* Deactivates layers that follow an intact one with the same name, as the loader does. */
static void settle_twins(listing *scan)
{
    for (uint32_t i = 0; i < scan->count; i++) {
        cli_manifest *later = &scan->items[i];
        for (uint32_t j = 0; j < i && later->kind != CLI_MANIFEST_DRIVER; j++) {
            const cli_manifest *first = &scan->items[j];
            if (first->kind == later->kind && first->broken[0] == '\0' && strcmp(first->name, later->name) == 0)
                later->active = 0;
        }
    }
}

vkmm_status cli_manifests_scan(const vkmm_log *log, const char *root, cli_manifest **manifests, uint32_t *count)
{
    listing all = {.root = root};
    for (; all.kind <= CLI_MANIFEST_EXPLICIT_LAYER; all.kind++) scan_kind(&all);
    if (all.status != VKMM_OK) {
        vkmm_free(all.items);
        return vkmm_tell(log, all.status);
    }
    settle_twins(&all);
    *manifests = all.items;
    *count = all.count;
    return VKMM_OK;
}
