/* The Khronos validation layer, with synchronization validation. */
#pragma once

#include "base/log.h"

#define VKMM_VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

/* What vkCreateInstance takes to enable it. Points into itself: must not be copied. */
typedef struct vkmm_validation {
    const void *chain;
    const char *layers[1];
    const char *extensions[2];
    VkValidationFeaturesEXT features;
#ifdef VK_EXT_layer_settings
    VkLayerSettingsCreateInfoEXT settings;
    VkLayerSettingEXT setting[2];
#endif
} vkmm_validation;

/* Whether the loader (layer NULL) or a layer has an instance extension; extension NULL: whether the layer is
 * installed. */
int vkmm_instance_offers(PFN_vkGetInstanceProcAddr get, const char *layer, const char *extension);

/* A messenger for the layer's warnings and errors. */
VkDebugUtilsMessengerCreateInfoEXT vkmm_validation_messenger(PFN_vkDebugUtilsMessengerCallbackEXT callback, void *user);

/* Fills everything; the chain ends in `messenger`, which receives messages about vkCreateInstance itself. */
void vkmm_validation_fill(vkmm_validation *validation, PFN_vkGetInstanceProcAddr get,
                          const VkDebugUtilsMessengerCreateInfoEXT *messenger);
