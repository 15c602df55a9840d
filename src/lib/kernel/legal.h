/* Which tiles a device allows, and why not the others. No Vulkan calls: a device is its vkmm_device_info, so that tests
 * can make one up. */
#pragma once

#include "kernel/table.h"
#include "math/problem.h"

/* Mesa's llvmpipe exits the loops of a shader after this many iterations, counted over all of them
 * (LP_MAX_TGSI_LOOP_ITERATIONS): seen with version 22.3, but not with 26.1. Vulkan does not allow that, and has no way
 * to report it. */
enum { VKMM_LLVMPIPE_ROUNDS = 65535 };

typedef struct vkmm_tile {
    uint32_t rows, cols;
} vkmm_tile;

/* Elements along K of one step through shared memory: the longer side, so that every invocation of the workgroup has
 * something to load; for a square tile it loads one element of A and one of B, as in the tutorials. A kernel with
 * blocks bounds it. */
uint32_t vkmm_tile_depth(const vkmm_kernel *kernel, vkmm_tile tile);

/* Blocks down and across a tile, those that hang over its edges included: one invocation for each. */
vkmm_tile vkmm_tile_blocks(const vkmm_kernel *kernel, vkmm_tile tile);

/* Bytes of shared memory that a workgroup needs: (rows + cols) · depth elements, whole blocks and padding; or 0. */
uint64_t vkmm_tile_shared_bytes(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile);

/* What a tile or a configuration requires of a device: the numbers that the rules check. */
typedef struct vkmm_shape {
    const vkmm_kernel *kernel;
    const vkmm_device_info *device;
    vkmm_type type;              /* that the kernel computes in, and keeps in shared memory and registers */
    const vkmm_problem *problem; /* of a general kernel; NULL: a tutorial's */
    const vkmm_config *config;   /* likewise; a tutorial's kernel has only a tile */

    /* The kernel fills in the rest (vkmm_kernel.ask), where it is not 0; y is 1 before. */

    uint64_t x, y;          /* invocations of a workgroup; 0: not valid, and one of the kernel's rules says so */
    uint64_t shared_bytes;  /* of a workgroup */
    uint64_t registers;     /* 32-bit registers of an invocation for its sums: vkmm_registers_of */
    uint64_t held;          /* 32-bit registers for sums, operands and what is being loaded, for the planner:
                               kernel/general.h */
    uint64_t subgroups;     /* of a workgroup, if the driver supports requesting a subgroup size */
    uint32_t subgroup_size; /* requested of the driver */
    uint32_t matrix[3];     /* m, n, k of the matrix operations, if each shape has its own module */
} vkmm_shape;

vkmm_shape vkmm_shape_of_tile(const vkmm_device_info *device, const vkmm_kernel *kernel, vkmm_type type,
                              vkmm_tile tile);

/* The shape keeps pointers to the problem, of which only types and ops matter, and to the configuration. */
vkmm_shape vkmm_shape_of_config(const vkmm_device_info *device, const vkmm_kernel *kernel, const vkmm_problem *problem,
                                const vkmm_config *config);

/* One rule: a quantity of a shape that is bounded by a limit of the device or the kernel. Used by the planner, the
 * tuner and all messages. */
typedef struct vkmm_rule {
    const char *limit_name; /* Vulkan's name of the limit, or the kernel's name for its own */
    const char *unit;       /* what is counted, in words that follow a number */
    uint64_t (*need)(const vkmm_shape *shape);
    uint64_t (*limit)(const vkmm_device_info *device); /* NULL: 0 */
    const char *reason;
    vkmm_status (*refuse)(const vkmm_shape *shape); /* NULL, or reports a better sentence than the default */
} vkmm_rule;

uint64_t vkmm_rule_limit(const vkmm_rule *rule, const vkmm_device_info *device);

/* The first rule that forbids the shape on its device, the kernel's own rules first; NULL if it is legal. */
const vkmm_rule *vkmm_shape_forbidden_by(const vkmm_shape *shape);

/* Likewise for a configuration of a general kernel. */
const vkmm_rule *vkmm_config_forbidden_by(const vkmm_kernel *kernel, const vkmm_problem *problem,
                                          const vkmm_config *config, const vkmm_device_info *device);

/* The first rule that forbids the tile on the device; NULL if the tile is legal. */
const vkmm_rule *vkmm_tile_forbidden_by(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile,
                                        const vkmm_device_info *device);

/* The legal tile nearest to the wanted one, by the logarithm of the ratio of each side; among equals the more square
 * one, then the larger. 1×1 is legal on every Vulkan device. */
vkmm_tile vkmm_tile_nearest(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile wanted,
                            const vkmm_device_info *device);
