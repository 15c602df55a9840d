/* Kernels as data: which exist, what shape they have, where their SPIR-V is. */
#pragma once

#include "vkmatmul.h"

/* The tunables of a general kernel: what every one has, then its own. */
enum {
    VKMM_TUNE_ROWS,        /* rows of C in a workgroup's tile */
    VKMM_TUNE_COLS,        /* its columns */
    VKMM_TUNE_DEPTH,       /* elements along K of one step */
    VKMM_TUNE_THREAD_ROWS, /* rows of C that one invocation computes */
    VKMM_TUNE_THREAD_COLS, /* its columns */
    VKMM_TUNE_SPLITS,      /* parts into which K is split */
    VKMM_TUNE_OWN,         /* the first of the kernel's own */
    VKMM_TUNE_TAIL = 15,   /* parts of K of the tiles that are left beside whole rounds */
    VKMM_MAX_TUNABLES = 16,
    VKMM_MAX_TUNABLE_VALUES = 12
};

typedef struct vkmm_tunable {
    const char *name;    /* as in configuration texts; NULL: the kernel lacks it, its value is 1 */
    uint32_t spec_id;    /* of its specialization constant; 0: it has none */
    uint32_t also;       /* of another constant with the same value; 0: none */
    const char *meaning; /* in a few words */
    uint32_t count;      /* of values worth trying, ascending: */
    uint32_t values[VKMM_MAX_TUNABLE_VALUES];
} vkmm_tunable;

typedef struct vkmm_config {
    uint32_t values[VKMM_MAX_TUNABLES]; /* those that the kernel lacks are 1 */
} vkmm_config;

/* How a kernel distributes C over workgroups. */
typedef enum vkmm_spread {
    VKMM_SPREAD_HOST,   /* no shader: the host's processor */
    VKMM_SPREAD_LINEAR, /* workgroups count the elements of C: local_size_x = rows × columns of the tile */
    VKMM_SPREAD_GRID,   /* one workgroup per tile, x along N, y along M */
    VKMM_SPREAD_BAND,   /* one workgroup per band of rows */
    VKMM_SPREAD_ITEMS   /* general kernels: work items, counted along x (shaders/lib/contract.glsl) */
} vkmm_spread;

struct vkmm_shape;  /* kernel/legal.h */
struct vkmm_rule;   /* kernel/legal.h */
struct vkmm_preset; /* kernel/general.h */

/* Everything known about a kernel. Code that chooses, tunes or explains one reads its row and never compares names. */
typedef struct vkmm_kernel {
    const char *name;
    const char *summary; /* one sentence */
    vkmm_spread spread;
    uint32_t default_rows, default_cols; /* the tutorials' own tile; not of general kernels */
    int uses_shared;                     /* keeps tiles of A and B in shared memory */

    /* For a kernel that is not general: */
    const char *step;   /* where the ladder has it: the tutorials' step, or "" */
    int downward;       /* invocations are counted down the columns of C, or of a tile; 0: along the rows */
    const char *shader; /* of which it is a configuration; NULL: the one of its own name */
    uint32_t block[2];  /* rows and columns of C that an invocation computes; 0: 1 */
    uint32_t depth;     /* the most elements along K of one step through shared memory; 0: the tile's longer side */
    uint32_t pad;       /* vectors added to each line in shared memory */
    uint32_t swizzle;   /* rows of tiles that workgroups traverse together; 0: 1 */

    /* The rest is for general kernels. Fields that may be NULL say so. */

    /* VKMM_MAX_TUNABLES of them. NULL: not a general kernel. */
    const vkmm_tunable *tunables;

    /* What a configuration must satisfy in addition to the limits that all kernels share (kernel/legal.h); the last has
     * no `need`. NULL: nothing. */
    const struct vkmm_rule *rules;

    /* What a configuration requires of a device: fills in the second part of vkmm_shape. */
    void (*ask)(struct vkmm_shape *shape);

    /* The configurations that the planner knows, ready for a row-major problem on a device: 1 and the index-th, or 0
     * past the last. They need not be legal on the device, but one of them must be legal on every device that can run
     * the kernel. */
    int (*preset)(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t index,
                  struct vkmm_preset *preset);

    /* How well it suits a row-major problem on a device, if the user names no kernel: the largest number wins; 0 is
     * never chosen. NULL: always 0. */
    uint32_t (*suits)(const vkmm_device_info *device, const vkmm_problem *problem);

    /* Changes a configuration, a user's or a tune's, to one that fits the problem. NULL: they are not changed. */
    void (*fit)(const vkmm_problem *problem, vkmm_config *config);

    /* VKMM_ALIGNED_* (kernel/contract.h): the operands of a row-major problem that it can read and store in vectors.
     * NULL: those whose rows begin and end at multiples of 16 bytes. */
    uint32_t (*alignment)(const vkmm_problem *problem, const vkmm_config *config);

    /* Stores C in words if its rows are aligned. Elements of 16 bits need that, or a device that stores 16 bits;
     * otherwise they need a second pass. */
    int stores_words;

    /* How many sums it adds the terms of one element to, side by side, before it adds these up. NULL: 1. */
    uint32_t (*sums)(const vkmm_config *config);

    /* Reads whole vectors of a packed operand even if its lines end in the middle of one: the rest is padding. */
    int reads_padding;

    /* Can store remainders of sums of bytes (VKMM_OUT_REMAINDERS). */
    int remainders;

    /* How many times as long a large product takes if A, or B, is not aligned; and if its elements of 8 bits are
     * neighbours across and not along K. 0: not known to be slower. */
    struct {
        double unaligned[2], across[2];
    } slow;
} vkmm_kernel;

/* "rows=128,cols=128,…": every tunable that the kernel has, in order. */
void vkmm_config_text(const vkmm_kernel *kernel, const vkmm_config *config, char text[VKMM_CONFIG_TEXT]);

/* Reads such a text, in any order, separated by commas or spaces, into *config, whose other values stay.
 * VKMM_INVALID: an unknown name (the message lists the known ones), or a value that is not a number or is above
 * 2^20. */
vkmm_status vkmm_config_parse(const vkmm_kernel *kernel, const char *text, vkmm_config *config);

/* The name that a kernel's modules have. */
static inline const char *vkmm_kernel_shader(const vkmm_kernel *kernel)
{
    return kernel->shader ? kernel->shader : kernel->name;
}

enum { VKMM_MOST_GENERAL = 16 }; /* general kernels: with more of them the table does not compile */

/* In the tutorials' order; NULL past the end. Static storage. */
const vkmm_kernel *vkmm_kernel_at(uint32_t index);
const vkmm_kernel *vkmm_kernel_find(const char *name); /* NULL when there is none */

uint32_t vkmm_kernel_bit(const vkmm_kernel *kernel); /* of vkmm_device_info.refused_kernels */

/* Whether a check of the driver found a kernel wrong (vkmm_device_info.check) for a type of A and B; and all that are
 * not chosen automatically, as bits: these, and vkmm_device_info.refused_kernels. */
int vkmm_kernel_failed(const vkmm_device_info *device, const char *kernel, vkmm_type type);
uint32_t vkmm_refused_kernels(const vkmm_device_info *device, vkmm_type type);

/* Builds of one shader source (shaders/lib/observe.glsl). */
typedef enum vkmm_build {
    VKMM_BUILD_PLAIN, /* the values are numbers of bindings beyond three */
    VKMM_BUILD_COUNT, /* counts reads: binding 3 */
    VKMM_BUILD_TRACE  /* records what one workgroup sees: bindings 3 and 4 */
} vkmm_build;

/* What a module needs of a device beyond Vulkan 1.1, as bits. */
enum {
    VKMM_NEEDS_F16 = 1,           /* features.f16 */
    VKMM_NEEDS_I8 = 2,            /* features.i8 */
    VKMM_NEEDS_STORAGE16 = 4,     /* features.storage16 */
    VKMM_NEEDS_DOT8 = 16,         /* features.dot8 */
    VKMM_NEEDS_MATRIX = 32,       /* a matrix shape that fits the module's */
    VKMM_NEEDS_BF16 = 64,         /* features.bf16_matrices */
    VKMM_NEEDS_PARTS = 128,       /* not of the device: vkmm_method_info.parts of the problem's */
    VKMM_NEEDS_NVIDIA = 256,      /* NVIDIA's own driver, because others were not measured */
    VKMM_NEEDS_F64 = 512,         /* features.f64; of general kernels */
    VKMM_NEEDS_BLOCKS = 1024,     /* not of the device: the problem has blocks */
    VKMM_NEEDS_SWIFTSHADER = 2048 /* that driver, which does not unroll loops */
};

/* One SPIR-V module. */
typedef struct vkmm_module {
    const char *kernel;
    vkmm_type type; /* of A and B */
    const uint32_t *words;
    size_t bytes;
    vkmm_build build;
    vkmm_type compute; /* of the sums */
    uint32_t needs;    /* VKMM_NEEDS_* */
    uint32_t shape[3]; /* m, n, k of its matrix operations; zeros: it has none, or they are specialization constants */
    int shows_guards;  /* its bindings include guard bands (copy/store.h): a user's, which does not ask for a length */
} vkmm_module;

/* The first module of a kernel for a type, whatever it sums in and needs; NULL when there is none. Static storage. */
const vkmm_module *vkmm_module_find(const char *kernel, vkmm_type type, vkmm_build build);

/* Iterates over the modules of a kernel (plain builds) with these types of products and sums, from *index on, which is
 * set past the one returned. In the manifest's order, where modules that need more come first. NULL past the end. */
const vkmm_module *vkmm_module_next(const char *kernel, vkmm_type type, vkmm_type compute, uint32_t *index);

/* VKMM_NEEDS_* that the device has for modules of a type. (VKMM_NEEDS_MATRIX: any shape at all.) */
uint32_t vkmm_device_offers(const vkmm_device_info *device, vkmm_type type);

/* The first module of a general kernel for a row-major problem that the device can run, `shape` being that of its
 * matrix operations (NULL: any); NULL when there is none. */
const vkmm_module *vkmm_module_for(const char *kernel, const vkmm_problem *problem, const vkmm_device_info *device,
                                   const uint32_t *shape);
