#include "vk/validation.h"

#include <string.h>

#include "base/alloc.h"

int vkmm_instance_offers(PFN_vkGetInstanceProcAddr get, const char *layer, const char *extension)
{
    PFN_vkEnumerateInstanceExtensionProperties enumerate =
        (PFN_vkEnumerateInstanceExtensionProperties)get(NULL, "vkEnumerateInstanceExtensionProperties");
    uint32_t count = 0;
    if (!enumerate || enumerate(layer, &count, NULL) != VK_SUCCESS) return 0;
    VkExtensionProperties *extensions = vkmm_alloc(count, sizeof *extensions);
    int found = !extension;
    if (extensions && enumerate(layer, &count, extensions) >= 0)
        for (uint32_t i = 0; i < count && !found; i++) found = strcmp(extensions[i].extensionName, extension) == 0;
    vkmm_free(extensions);
    return found;
}

#ifdef VK_EXT_layer_settings

/* Layers since about 1.3.290 check what shaders access only if requested; VkValidationFeaturesEXT has no value for
 * it. */
static void use_settings(vkmm_validation *validation, PFN_vkGetInstanceProcAddr get,
                         const VkDebugUtilsMessengerCreateInfoEXT *messenger)
{
    static const VkBool32 on = VK_TRUE;
    static const char *const names[] = {"validate_sync", "syncval_shader_accesses_heuristic"};
    if (!vkmm_instance_offers(get, VKMM_VALIDATION_LAYER, VK_EXT_LAYER_SETTINGS_EXTENSION_NAME)) return;
    for (uint32_t i = 0; i < 2; i++)
        validation->setting[i] =
            (VkLayerSettingEXT){VKMM_VALIDATION_LAYER, names[i], VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on};
    validation->settings = (VkLayerSettingsCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                                          .pNext = messenger,
                                                          .settingCount = 2,
                                                          .pSettings = validation->setting};
    validation->chain = &validation->settings;
    validation->extensions[1] = VK_EXT_LAYER_SETTINGS_EXTENSION_NAME;
}

#endif

VkDebugUtilsMessengerCreateInfoEXT vkmm_validation_messenger(PFN_vkDebugUtilsMessengerCallbackEXT callback, void *user)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = callback,
        .pUserData = user,
    };
}

void vkmm_validation_fill(vkmm_validation *validation, PFN_vkGetInstanceProcAddr get,
                          const VkDebugUtilsMessengerCreateInfoEXT *messenger)
{
    static const VkValidationFeatureEnableEXT enables[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    validation->layers[0] = VKMM_VALIDATION_LAYER;
    validation->extensions[0] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    validation->features = (VkValidationFeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = messenger,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = enables,
    };
    validation->chain = &validation->features;
    validation->extensions[1] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
#ifdef VK_EXT_layer_settings
    use_settings(validation, get, messenger);
#else
    (void)get;
#endif
}
