/* What Windows's registry tells the Vulkan loader. On Windows only. */
#pragma once

/* Calls `use` with the path of each manifest, in the loader's order (LoaderDriverInterface.md, "Driver Discovery on
 * Windows"; LoaderLayerInterface.md, "Windows Layer Discovery"). what: "Drivers", "ImplicitLayers", "ExplicitLayers";
 * of_device: the value that lists those that belong to an installed device. */
void cli_registry_manifests(const char *what, const char *of_device, void (*use)(void *user, const char *path),
                            void *user);
