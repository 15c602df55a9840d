/* Which tiles a device allows, and why not the others. No Vulkan calls: a device is its vkmm_device_info, so that
 * tests can invent one. */
#ifndef VKMM_KERNEL_LEGAL_H
#define VKMM_KERNEL_LEGAL_H

#include "kernel/table.h"
#include "math/problem.h"

/* Mesa's llvmpipe leaves the loops of a shader, all of them together, after so many rounds
 * (LP_MAX_TGSI_LOOP_ITERATIONS): seen with version 22.3, no more with 26.1. Nothing in Vulkan allows that, or tells
 * of it. */
enum { VKMM_LLVMPIPE_ROUNDS = 65535 };

typedef struct vkmm_tile {
    uint32_t rows, cols;
} vkmm_tile;

/* Elements along K of one step through shared memory: the longer side, so that every invocation of the workgroup has
 * something to load; for a square tile it loads one element of A and one of B, as in the tutorials. */
uint32_t vkmm_tile_depth(vkmm_tile tile);

/* Bytes of shared memory that a workgroup needs: (rows + cols) · depth elements, or 0. */
uint64_t vkmm_tile_shared_bytes(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile);

/* What a tile or a configuration asks of a device: the numbers that the rules weigh. */
typedef struct vkmm_shape {
    const vkmm_kernel *kernel;
    const vkmm_device_info *device;
    vkmm_type type;              /* that the kernel computes in, and keeps in shared memory and registers */
    const vkmm_problem *problem; /* of a general kernel; NULL: a tutorial's */
    const vkmm_config *config;   /* likewise; a tutorial's kernel has a tile alone */

    /* What follows is the kernel's to fill in (vkmm_kernel.ask), where it is not 0. */

    uint64_t x, y; /* invocations of a workgroup; 0: the configuration makes no sense, and a rule of the kernel's own
                      says so */
    uint64_t shared_bytes;  /* of a workgroup */
    uint64_t registers;     /* 32-bit registers of an invocation for its sums: vkmm_registers_of */
    uint64_t subgroups;     /* of a workgroup, where the driver can be asked for subgroups of a size */
    uint32_t subgroup_size; /* that the driver is asked for */
    uint32_t matrix[3];     /* m, n, k of the matrix operations, where each shape is a module of its own */
} vkmm_shape;

vkmm_shape vkmm_shape_of_tile(const vkmm_device_info *device, const vkmm_kernel *kernel, vkmm_type type,
                              vkmm_tile tile);

/* The shape keeps pointers to the problem, whose types and ops alone matter, and to the configuration. */
vkmm_shape vkmm_shape_of_config(const vkmm_device_info *device, const vkmm_kernel *kernel, const vkmm_problem *problem,
                                const vkmm_config *config);

/* One rule: a quantity of a shape that a limit bounds, the device's or the kernel's own. Shared by the planner, the
 * tuner and everyone who explains it. */
typedef struct vkmm_rule {
    const char *limit_name; /* Vulkan's name of the limit, or what the kernel's own is called */
    const char *unit;       /* what is counted, in words that follow a number */
    uint64_t (*need)(const vkmm_shape *shape);
    uint64_t (*limit)(const vkmm_device_info *device); /* NULL: 0 */
    const char *reason;
    vkmm_status (*refuse)(const vkmm_log *log, const vkmm_shape *shape); /* NULL, or a better sentence than the usual */
} vkmm_rule;

uint64_t vkmm_rule_limit(const vkmm_rule *rule, const vkmm_device_info *device);

/* The first rule that forbids the shape on its device, the kernel's own rules first; NULL when it is legal. */
const vkmm_rule *vkmm_shape_forbidden_by(const vkmm_shape *shape);

/* Likewise for a configuration of a general kernel. */
const vkmm_rule *vkmm_config_forbidden_by(const vkmm_kernel *kernel, const vkmm_problem *problem,
                                          const vkmm_config *config, const vkmm_device_info *device);

/* The first rule that forbids the tile on the device; NULL when the tile is legal. */
const vkmm_rule *vkmm_tile_forbidden_by(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile,
                                        const vkmm_device_info *device);

/* The legal tile nearest to the wanted one, by the logarithm of the ratio of each side; among equals the squarer,
 * then the larger. 1×1 is legal on every Vulkan device. */
vkmm_tile vkmm_tile_nearest(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile wanted,
                            const vkmm_device_info *device);

#endif
