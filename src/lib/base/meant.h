/* Which devices a word of --device means, by what is known of them: devices of this machine, and of reports. */
#pragma once

#include "vkmatmul.h"

/* Whether the word ("all", an index, a UUID, part of a name, or a kind: vkmm_instance_find_device) means the device. */
int vkmm_device_is_meant(const vkmm_device_info *info, uint32_t index, const char *what);

/* Whether the word names a kind of device; *is_one: and this is one of them. */
int vkmm_device_is_sort(const char *what, const vkmm_device_info *info, int *is_one);

/* A short number is an index; a long one may be part of a name, as in "4090". */
int vkmm_word_is_index(const char *word);

/* Lower is better: discrete, integrated, virtual, CPU, other. */
int vkmm_device_rank(VkPhysicalDeviceType type);
