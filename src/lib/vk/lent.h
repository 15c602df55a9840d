/* What another program lends: its instance and a physical device of it. */
#pragma once

#include "vk/instance.h"
#include "vkmatmul_vulkan.h"

/* An instance around the lender's handle, with that device alone. VKMM_UNSUPPORTED: it cannot be used. Ended by
 * vkmm_instance_destroy, which leaves the lender's handle alone. function: whose arguments these are. */
vkmm_status vkmm_lent_open(const vkmm_requirements_params *lender, const char *function, const char *cache_dir,
                           vkmm_instance **instance);

/* Reads the device again, as it is if only a set of its features (vkmm_feature) is enabled. */
void vkmm_lent_limit(vkmm_instance *instance, uint32_t enabled);

/* The requirements in a set of features, of which those for types (bits 1 << vkmm_type) are required. */
vkmm_status vkmm_requirements_make(const vkmm_instance *instance, uint32_t set, uint32_t types,
                                   vkmm_requirements **requirements);
