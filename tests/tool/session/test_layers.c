/* --no-layers: an implicit layer that is installed here is not there for the instance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session/drivers.h"
#include "vk/instance.h"
#include "vk/loader.h"
#include "kept.h"

#define LAYER "VK_LAYER_TEST_in_the_way"

static char said[512];

static void keep_sentence(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user, (void)level;
    snprintf(said, sizeof said, "%s", sentence);
}

/* Into the home that with-driver made for this process alone. */
static void install_layer(void)
{
    static const char manifest[] =
        "{\"file_format_version\": \"1.0.0\", \"layer\": {\"name\": \"" LAYER
        "\", \"type\": \"GLOBAL\", \"library_path\": \"libnone.so\", \"api_version\": \"1.3.0\", "
        "\"implementation_version\": \"1\", \"description\": \"stands in the way\", "
        "\"disable_environment\": {\"DISABLE_IN_THE_WAY\": \"1\"}}}";
    char path[1024];
    const char *home = getenv("XDG_DATA_HOME");
    assert_non_null(home);
    snprintf(path, sizeof path, "%s/vulkan", home);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/vulkan/implicit_layer.d", home);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/vulkan/implicit_layer.d/test.json", home);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(manifest, file) >= 0 && fclose(file) == 0, 1);
}

static int is_listed(void)
{
    PFN_vkEnumerateInstanceLayerProperties enumerate =
        (PFN_vkEnumerateInstanceLayerProperties)vkmm_loader()(NULL, "vkEnumerateInstanceLayerProperties");
    static VkLayerProperties layers[64];
    uint32_t count = 64;
    int found = 0;
    assert_true(enumerate(&count, layers) >= 0);
    for (uint32_t i = 0; i < count; i++) found |= strcmp(layers[i].layerName, LAYER) == 0;
    return found;
}

static void release_instance(void *object)
{
    vkmm_instance *instance = object;
    vkmm_instance_destroy(&instance);
}

static void leaves_implicit_layers_out(void **state)
{
    vkmm_instance *instance = NULL;
    const vkmm_instance_params params = {.log = {keep_sentence, NULL}};
    install_layer();
    unsetenv("VK_LOADER_LAYERS_DISABLE");
    assert_true(is_listed());
    assert_int_equal(cli_layers_disable(&params.log), VKMM_OK);
    assert_int_equal(vkmm_instance_create(&params, &instance), VKMM_OK);
    keep_object(instance, release_instance);
    if (vkmm_loader_version() < VK_MAKE_API_VERSION(0, 1, 3, 234))
        assert_non_null(strstr(said, "implicit layers are still used"));
    else
        assert_false(is_listed());
}

/* What the user left out stays out, and nothing stands there twice. */
static void keeps_the_users_list(void **state)
{
    setenv("VK_LOADER_LAYERS_DISABLE", "VK_LAYER_A,VK_LAYER_B", 1);
    assert_int_equal(cli_layers_disable(NULL), VKMM_OK);
    assert_string_equal(getenv("VK_LOADER_LAYERS_DISABLE"), "VK_LAYER_A,VK_LAYER_B,~implicit~");
    assert_int_equal(cli_layers_disable(NULL), VKMM_OK);
    assert_string_equal(getenv("VK_LOADER_LAYERS_DISABLE"), "VK_LAYER_A,VK_LAYER_B,~implicit~");
    setenv("VK_LOADER_LAYERS_DISABLE", "", 1);
    assert_int_equal(cli_layers_disable(NULL), VKMM_OK);
    assert_string_equal(getenv("VK_LOADER_LAYERS_DISABLE"), "~implicit~");
}

int main(void)
{
    if (!vkmm_loader()) return getenv("VKMM_REQUIRE_VULKAN") ? 1 : 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_implicit_layers_out),
        cmocka_unit_test(keeps_the_users_list),
    };
    return run_group("layers", tests, sizeof tests / sizeof *tests, release_kept);
}
