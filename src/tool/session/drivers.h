/* Choice of the drivers and layers that the Vulkan loader finds. These functions change the environment of this
 * process: call them before an instance is created, and while no other thread calls getenv. */
#pragma once

#include "vkmatmul.h"

/* The manifest of Chromium's SwiftShader, which loaders do not find by themselves; NULL: none. Static storage. */
const char *cli_swiftshader_manifest(void);

/* The variable with which the user restricts the drivers, so that the loader ignores additional ones; NULL: none. */
const char *cli_drivers_restriction(void);

/* Gives the loader one more driver manifest: a path, or "swiftshader", which has no effect where the user's
 * VK_DRIVER_FILES or VK_ICD_FILENAMES restricts the drivers. VKMM_INVALID: no such file; VKMM_NO_DEVICE: there is no
 * SwiftShader here. */
vkmm_status cli_drivers_add(const char *driver);

/* The same without checking the file; a missing SwiftShader is not an error. */
vkmm_status cli_drivers_append(const char *driver);

/* Leaves out the drivers whose manifest has this file name, with loaders from 1.3.234 on. */
vkmm_status cli_drivers_disable(const char *name);

/* Disables the drivers' own caches of compiled pipelines on disk. */
vkmm_status cli_drivers_uncached(void);

/* Disables all implicit layers, in addition to those that the user disabled. Warns if this loader is too old to do that
 * (before 1.3.234). */
vkmm_status cli_layers_disable(const vkmm_log *log);

/* Sets an environment variable. Not 0: out of memory. */
int cli_set_variable(const char *name, const char *value);
