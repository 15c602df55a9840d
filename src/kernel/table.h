/* Kernels as data: which exist, what shape they have, where their SPIR-V is. */
#ifndef VKMM_KERNEL_TABLE_H
#define VKMM_KERNEL_TABLE_H

#include "kernel/config.h"

/* How a kernel spreads C over workgroups. */
typedef enum vkmm_spread {
    VKMM_SPREAD_HOST,   /* no shader: the host's processor */
    VKMM_SPREAD_LINEAR, /* workgroups count the elements of C: local_size_x = rows × columns of the tile */
    VKMM_SPREAD_GRID,   /* one workgroup a tile, x along N, y along M */
    VKMM_SPREAD_BAND,   /* one workgroup a band of rows */
    VKMM_SPREAD_ITEMS   /* general kernels: work items, counted along x (shaders/lib/gemm.glsl) */
} vkmm_spread;

struct vkmm_shape; /* kernel/legal.h */

typedef struct vkmm_kernel {
    const char *name;
    const char *summary; /* one sentence */
    vkmm_spread spread;
    uint32_t default_rows, default_cols;   /* the tutorials' own tile */
    int uses_shared;                       /* keeps tiles of A and B in shared memory */
    const vkmm_tunable *tunables;          /* VKMM_MAX_TUNABLES of them; NULL: not a general kernel */
    void (*ask)(struct vkmm_shape *shape); /* of a general kernel: fills in x, y and shared_bytes from the configuration */
} vkmm_kernel;

/* In the tutorials' order; NULL past the end. Static storage. */
const vkmm_kernel *vkmm_kernel_at(uint32_t index);
const vkmm_kernel *vkmm_kernel_find(const char *name); /* NULL when there is none */

/* Builds of one shader source (shaders/lib/observe.glsl). */
typedef enum vkmm_build {
    VKMM_BUILD_PLAIN, /* the values are numbers of bindings more than three */
    VKMM_BUILD_COUNT, /* counts reads: binding 3 */
    VKMM_BUILD_TRACE  /* records what one workgroup sees: bindings 3 and 4 */
} vkmm_build;

/* One SPIR-V module. */
typedef struct vkmm_module {
    const char *kernel;
    vkmm_type type;
    const uint32_t *words;
    size_t bytes;
    vkmm_build build;
} vkmm_module;

/* The module of a kernel for a type; NULL when there is none. Static storage. */
const vkmm_module *vkmm_module_find(const char *kernel, vkmm_type type, vkmm_build build);

/* FNV-1a, 64 bits, over the words of all modules in the table's order; 16 hexadecimal digits and a zero. */
void vkmm_modules_hash(char text[17]);

#endif
