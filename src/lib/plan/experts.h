/* A product by experts: rows of A, in groups whose sizes lie on the device, each times an expert's matrix of B
 * (vkmm_gemm_params.experts says what it computes; shaders/experts.comp has the steps around the product).
 *
 * Tiles of the kernel must not have rows of two experts. So a step pads the rows of each to whole tiles, in the
 * workspace, and the product runs unchanged on these, except that a table says which matrix of B a row of tiles takes.
 * The number of tiles is at most what m rows can fill, and those without an expert return at once: nothing has to be
 * dispatched indirectly. Sums are f32 in the workspace, so that the last step can scale and add them. The table is
 * bound where a bias or parts of K would be: Vulkan guarantees four storage buffers. */
#pragma once

#include "plan/recipe.h"

/* Words before the row counts in the routing, and all of it (include/vkmatmul_vulkan.h). */
enum { VKMM_ROUTING_COUNTS = 1 };
uint64_t vkmm_routing_bytes(const vkmm_experts *experts);

/* As vkmm_choose, of a checked problem whose m bounds the rows of all experts; experts: count, gather, scatter. */
vkmm_status vkmm_choose_experts(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                                const vkmm_experts *experts, vkmm_choice *choice);

/* Fills an empty recipe. */
vkmm_status vkmm_recipe_experts(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe);
