/* Drivers' and layers' manifests as the loader would find them, in trees of their own. */
#include "folder.h"

#include "base/alloc.h"
#include "io/manifest.h"

#define ELF64 "\177ELF\2\1\1"
#define ELF32 "\177ELF\1\1\1"

static cli_manifest *found;
static uint32_t count;

static const char *const variables[] = {
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_ADD_DRIVER_FILES",
    "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_DRIVERS_DISABLE",
    "VK_LOADER_LAYERS_ENABLE",
    "VK_LOADER_LAYERS_ALLOW",
    "VK_LOADER_LAYERS_DISABLE",
    "VK_INSTANCE_LAYERS",
    "VK_LAYER_PATH",
    "VK_ADD_LAYER_PATH",
    "VK_IMPLICIT_LAYER_PATH",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "LD_LIBRARY_PATH",
    "OVERLAY_ON",
    "OVERLAY_OFF",
    "VK_ADD_IMPLICIT_LAYER_PATH",
};

static int enter(void **state)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
    setenv("HOME", "/home/user", 1);
    return enter_folder(state);
}

static int leave(void **state)
{
    vkmm_free(found);
    found = NULL;
    return leave_folder(state);
}

static void scan(void)
{
    vkmm_free(found);
    found = NULL;
    assert_ok(cli_manifests_scan(NULL, root, &found, &count));
}

/* The manifest whose file or layer has this name; fails without one. */
static const cli_manifest *named(const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(found[i].name, name) == 0) return &found[i];
    static const cli_manifest none;
    fail_msg("no manifest is named %s", name);
    return &none;
}

static void expect_order(const char *want)
{
    char text[1000] = "";
    for (uint32_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", found[i].name);
    assert_string_equal(text, want);
}

TEST_WITH(drivers_good_and_broken, enter, leave)
{
    put("/usr/lib/libgood.so", ELF64);
    put("/opt/abs.so", ELF64);
    put("/opt/old.so", ELF32);
    put("/opt/text.so", "hello");
    put("/etc/vulkan/icd.d/absolute.json", "{\"ICD\":{\"library_path\":\"/opt/abs.so\",\"api_version\":\"1.3.2\"}}");
    put("/etc/vulkan/icd.d/bits.json", "{\"ICD\":{\"library_path\":\"/opt/old.so\"}}");
    put("/etc/vulkan/icd.d/gone.json", "{\"ICD\":{\"library_path\":\"libgone.so\"}}");
    put("/etc/vulkan/icd.d/good.json", "{\"ICD\":{\"library_path\":\"libgood.so\"}}");
    put("/etc/vulkan/icd.d/none.json", "{\"ICD\":{}}");
    put("/etc/vulkan/icd.d/readme.txt", "not a manifest");
    put("/etc/vulkan/icd.d/relative.json", "{\"ICD\":{\"library_path\":\"../../../opt/abs.so\"}}");
    put("/etc/vulkan/icd.d/rubbish.json", "{\"ICD\":");
    put("/etc/vulkan/icd.d/shape.json", "[1, 2]");
    put("/etc/vulkan/icd.d/text.json", "{\"ICD\":{\"library_path\":\"/opt/text.so\"}}");
    scan();
    expect_order(
        "absolute.json bits.json gone.json good.json none.json relative.json rubbish.json shape.json text.json ");
    assert_true(named("absolute.json")->active);
    assert_string_equal(named("absolute.json")->description, "Vulkan 1.3.2");
    assert_true(named("good.json")->active && named("relative.json")->active);
    assert_string_equal(named("good.json")->library, "libgood.so");
    assert_string_equal(named("good.json")->broken, "");
    assert_contains(named("gone.json")->broken, "libgone.so does not exist");
    assert_contains(named("none.json")->broken, "library_path");
    assert_contains(named("rubbish.json")->broken, "not JSON: line 1");
    assert_contains(named("shape.json")->broken, "\"ICD\"");
    assert_contains(named("text.json")->broken, "not a readable shared library");
    assert_string_equal(named("bits.json")->broken, ""); /* the loader passes over it in silence */
    assert_false(named("bits.json")->active);
    for (uint32_t i = 0; i < count; i++) assert_false(found[i].broken[0] != '\0' && found[i].active);
}

TEST_WITH(folders_in_the_loaders_order, enter, leave)
{
    static const char driver[] = "{\"ICD\":{\"library_path\":\"/x.so\"}}";
    put("/x.so", ELF64);
    put("/usr/share/vulkan/icd.d/6.json", driver);
    put("/usr/local/share/vulkan/icd.d/5.json", driver);
    put("/home/user/.local/share/vulkan/icd.d/4.json", driver);
    put("/etc/vulkan/icd.d/3.json", driver);
    put("/etc/xdg/vulkan/icd.d/2.json", driver);
    put("/home/user/.config/vulkan/icd.d/1.json", driver);
    put("/more/0.json", driver);
    put("/data/vulkan/icd.d/7.json", driver);
    scan();
    expect_order("1.json 2.json 3.json 4.json 5.json 6.json ");
    setenv("VK_ADD_DRIVER_FILES", "/more/0.json:/etc/vulkan/icd.d/3.json", 1);
    scan();
    expect_order("0.json 3.json 1.json 2.json 4.json 5.json 6.json ");
    setenv("XDG_DATA_DIRS", "/data/:/data", 1); /* twice the same folder */
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    scan();
    expect_order("0.json 3.json 2.json 4.json 7.json ");
    setenv("VK_ICD_FILENAMES", "/etc/xdg/vulkan/icd.d/2.json", 1);
    scan();
    expect_order("2.json ");
    setenv("VK_DRIVER_FILES", "/more:/gone.json", 1); /* a folder, and a file that is not there */
    scan();
    expect_order("0.json gone.json ");
    assert_string_equal(named("gone.json")->broken, "the file does not exist");
}

TEST_WITH(drivers_that_the_loader_filters, enter, leave)
{
    put("/x.so", ELF64);
    put("/etc/vulkan/icd.d/nvidia_icd.json", "{\"ICD\":{\"library_path\":\"/x.so\"}}");
    put("/etc/vulkan/icd.d/radeon_icd.json", "{\"ICD\":{\"library_path\":\"/x.so\"}}");
    setenv("VK_LOADER_DRIVERS_SELECT", "*NVIDIA*", 1);
    scan();
    assert_true(named("nvidia_icd.json")->active);
    assert_false(named("radeon_icd.json")->active);
    unsetenv("VK_LOADER_DRIVERS_SELECT");
    setenv("VK_LOADER_DRIVERS_DISABLE", "nothing,nvidia*", 1);
    scan();
    assert_false(named("nvidia_icd.json")->active);
    assert_true(named("radeon_icd.json")->active);
}

/* The loader passes over an implicit layer that cannot be switched off. */
#define OFF ",\"disable_environment\":{\"LAYER_OFF\":\"1\"}"

static void write_layers(void)
{
    put("/x.so", ELF64);
    put("/etc/vulkan/implicit_layer.d/always.json",
        "{\"layer\":{\"name\":\"VK_LAYER_always\",\"library_path\":\"/x.so\",\"description\":\"is there\","
        "\"disable_environment\":{\"OVERLAY_OFF\":\"1\"}}}");
    put("/etc/vulkan/implicit_layer.d/asked.json",
        "{\"layers\":[{\"name\":\"VK_LAYER_asked\",\"library_path\":\"/"
        "x.so\",\"enable_environment\":{\"OVERLAY_ON\":\"1\"}" OFF "},"
        "{\"name\":\"VK_LAYER_second\",\"library_path\":\"/usr/$LIB/x.so\"" OFF
        "},{\"name\":\"VK_LAYER_lost\",\"library_path\":\"/y.so\"" OFF "},"
        "{\"name\":\"VK_LAYER_meta\",\"component_layers\":[\"VK_LAYER_second\"]" OFF "},{}]}");
    put("/usr/share/vulkan/implicit_layer.d/twin.json",
        "{\"layer\":{\"name\":\"VK_LAYER_always\",\"library_path\":\"/x.so\"" OFF "}}");
    put("/usr/share/vulkan/implicit_layer.d/ever.json",
        "{\"layer\":{\"name\":\"VK_LAYER_ever\",\"library_path\":\"/x.so\"}}");
    put("/etc/vulkan/explicit_layer.d/check.json",
        "{\"layer\":{\"name\":\"VK_LAYER_check\",\"library_path\":\"/x.so\"}}");
}

TEST_WITH(layers_by_their_own_variables, enter, leave)
{
    write_layers();
    scan();
    expect_order("VK_LAYER_always VK_LAYER_asked VK_LAYER_second VK_LAYER_lost VK_LAYER_meta  VK_LAYER_ever "
                 "VK_LAYER_always VK_LAYER_check ");
    assert_true(named("VK_LAYER_always")->active);
    assert_string_equal(named("VK_LAYER_always")->disable, "OVERLAY_OFF");
    assert_string_equal(named("VK_LAYER_always")->description, "is there");
    assert_false(found[7].active); /* of two with a name the first counts */
    assert_false(named("VK_LAYER_asked")->active);
    assert_string_equal(named("VK_LAYER_asked")->enable, "OVERLAY_ON");
    assert_true(named("VK_LAYER_second")->active);
    assert_true(named("VK_LAYER_meta")->active);
    assert_contains(named("VK_LAYER_lost")->broken, "/y.so does not exist");
    assert_contains(named("")->broken, "without a name");
    assert_false(named("VK_LAYER_ever")->active);
    assert_contains(named("VK_LAYER_ever")->broken, "disable_environment");
    assert_false(named("VK_LAYER_check")->active);
    setenv("OVERLAY_ON", "0", 1);
    scan();
    assert_false(named("VK_LAYER_asked")->active); /* not the value that it wants */
    setenv("OVERLAY_ON", "1", 1);
    setenv("OVERLAY_OFF", "", 1); /* any value switches off */
    scan();
    assert_true(named("VK_LAYER_asked")->active);
    assert_false(found[0].active);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_other:VK_LAYER_check", 1);
    scan();
    assert_true(named("VK_LAYER_check")->active);
}

TEST_WITH(layers_by_the_loaders_variables, enter, leave)
{
    write_layers();
    setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 1);
    scan();
    for (uint32_t i = 0; i < count; i++) assert_false(found[i].active);
    setenv("VK_LOADER_LAYERS_ALLOW", "*SECOND", 1);
    scan();
    assert_true(named("VK_LAYER_second")->active);
    assert_false(named("VK_LAYER_always")->active);
    setenv("VK_LOADER_LAYERS_DISABLE", "VK_LAYER_alw*", 1);
    setenv("VK_LOADER_LAYERS_ENABLE", "*_check,*asked", 1);
    scan();
    assert_false(named("VK_LAYER_always")->active);
    assert_true(named("VK_LAYER_asked")->active && named("VK_LAYER_check")->active);
}

TEST_WITH(an_empty_system_has_none, enter, leave)
{
    scan();
    assert_int_equal(count, 0);
}

TEST_WITH(memory_may_end, enter, leave)
{
    write_layers();
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    for (uint64_t n = 1; n < 200 && status != VKMM_OK; n++) {
        cli_manifest *list = NULL;
        vkmm_alloc_fail_after(n);
        status = cli_manifests_scan(NULL, root, &list, &count);
        vkmm_alloc_fail_after(0);
        vkmm_free(list);
        if (status != VKMM_OK) assert_int_equal(status, VKMM_OUT_OF_MEMORY);
        if (status == VKMM_OK && count != 8)
            status = VKMM_OUT_OF_MEMORY; /* a folder without memory for its names counts as unreadable */
    }
    assert_ok(status);
}
