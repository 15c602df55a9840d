/* What the general kernels share, and what the planner requires of all of them. Each is a file here, NAME.c, that
 * defines `const vkmm_kernel vkmm_kernel_NAME`: tunables, presets, what a configuration requires of a device, and
 * rules. */
#pragma once

#include "kernel/legal.h"

/* A configuration that was fast on the devices measured. Without a rate it is chosen as soon as it is legal. Those with
 * a rate are compared by their cost (plan/planner.c), and the planner sets their splits. */
typedef struct vkmm_preset {
    vkmm_config config;
    double rate;       /* the fraction of a processor's multiply-adds that very many invocations reach with it, */
    uint32_t resident; /* workgroups that a processor runs at once, */
    double half;       /* and invocations that reach half of that rate */
    double peak;       /* multiply-adds of a processor in a microsecond, at an NVIDIA H200's clock */
    int only_reads;    /* only reading takes time: K is split until all processors have something to read */
} vkmm_preset;

/* The kernel's index-th preset, with 1 for the values that the kernel lacks: 1; or 0 past the last. */
int vkmm_preset_at(const vkmm_kernel *kernel, const vkmm_device_info *device, const vkmm_problem *problem,
                   uint32_t index, vkmm_preset *preset);

/* Values of vkmm_kernel.suits. */
enum {
    VKMM_SUITS_ALL = 1, /* every problem, on every device */
    VKMM_SUITS_SHAPE,   /* made for products of such a shape */
    VKMM_SUITS_UNITS,   /* made for units that the device has */
    VKMM_SUITS_BOTH,    /* made for products of such a shape on such units */
    VKMM_SUITS_DEVICE   /* made for devices of this kind */
};

/* VKMM_ALIGNED_* (kernel/contract.h) of a row-major problem: the operands whose rows all begin and end at multiples of
 * 16 bytes; or of so many elements of A, B and C; or, for kernels over shaders/lib/gemm.glsl, of a vector of
 * vkmm_vector_of elements. */
uint32_t vkmm_problem_alignment(const vkmm_problem *problem);
uint32_t vkmm_problem_alignment_to(const vkmm_problem *problem, const uint32_t elements[3]);
uint32_t vkmm_problem_alignment_of_vectors(const vkmm_problem *problem, const vkmm_config *config);

/* Elements of a vector (VW) of the shaders over shaders/lib/gemm.glsl: 16 bytes of what sums are made of, 8 where that
 * is f16. */
uint32_t vkmm_vector_of(vkmm_type type);

/* 32-bit registers for this many sums of one invocation. One per sum for f16 too: a device may lack 16-bit
 * arithmetic. */
uint64_t vkmm_registers_of(vkmm_type type, uint64_t sums);

/* For kernels whose tile consists of blocks of thread-rows × thread-cols: the number of blocks down and across, and the
 * leftover rows and columns, for a rule. */
uint64_t vkmm_blocks_down(const vkmm_shape *shape);
uint64_t vkmm_blocks_across(const vkmm_shape *shape);
uint64_t vkmm_outside_blocks(const vkmm_shape *shape);

static inline uint64_t vkmm_value(const vkmm_shape *shape, int tunable)
{
    return shape->config->values[tunable];
}

/* Requests subgroups of this size for the workgroup of a shape, where the driver supports that. */
static inline void vkmm_request_subgroups(vkmm_shape *shape, uint64_t count, uint64_t size)
{
    if (shape->device->subgroup.max_size == 0) return;
    shape->subgroups = count;
    shape->subgroup_size = (uint32_t)size;
}

/* The tile's longer side, rows if both are equal, and the other one. */
static inline uint64_t vkmm_longer(const vkmm_shape *shape)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    return rows >= cols ? rows : cols;
}

static inline uint64_t vkmm_shorter(const vkmm_shape *shape)
{
    const uint64_t rows = vkmm_value(shape, VKMM_TUNE_ROWS), cols = vkmm_value(shape, VKMM_TUNE_COLS);
    return rows >= cols ? cols : rows;
}

/* The remainder of `whole` in parts of `part`; 1 if either is 0, which is never legal. */
static inline uint64_t vkmm_left_over(uint64_t whole, uint64_t part)
{
    return whole == 0 || part == 0 ? 1 : whole % part;
}

static inline uint64_t vkmm_quotient(uint64_t whole, uint64_t part)
{
    return part == 0 ? 0 : whole / part;
}

/* A product is wide where C has more columns than rows; its short side is then M, otherwise N. */
static inline int vkmm_is_wide(const vkmm_problem *problem)
{
    return problem->m < problem->n;
}

static inline uint64_t vkmm_short_side(const vkmm_problem *problem)
{
    return vkmm_is_wide(problem) ? problem->m : problem->n;
}

static inline uint64_t vkmm_long_side(const vkmm_problem *problem)
{
    return vkmm_is_wide(problem) ? problem->n : problem->m;
}

/* Whether neighbours of an operand in memory are neighbours along K. */
static inline int vkmm_is_along_k(const vkmm_problem *problem, vkmm_operand operand)
{
    return operand == VKMM_A ? problem->op_a == VKMM_OP_N : problem->op_b == VKMM_OP_T;
}

/* Likewise for the operand along the long side. */
static inline int vkmm_long_along_k(const vkmm_problem *problem)
{
    return vkmm_is_along_k(problem, vkmm_is_wide(problem) ? VKMM_B : VKMM_A);
}

/* Exchanges rows and columns of a tile for a tall product if the product is wide. */
static inline void vkmm_turn_tile(const vkmm_problem *problem, vkmm_config *config)
{
    const uint32_t rows = config->values[VKMM_TUNE_ROWS];
    if (!vkmm_is_wide(problem)) return;
    config->values[VKMM_TUNE_ROWS] = config->values[VKMM_TUNE_COLS];
    config->values[VKMM_TUNE_COLS] = rows;
}

/* Whether the device lists subgroup-wide matrix operations of m×n×k for the problem's types. */
int vkmm_coopmat_lists(const vkmm_device_info *device, const vkmm_problem *problem, const uint32_t shape[3]);

/* Whether the device lists them and this build has the kernel's module for them. */
int vkmm_coopmat_is_usable(const vkmm_kernel *kernel, const vkmm_device_info *device, const vkmm_problem *problem,
                           const uint32_t shape[3]);

/* A rule: those of the configuration are usable. */
uint64_t vkmm_missing_matrix(const vkmm_shape *shape);

/* Whether subgroups can be of this size: a power of two. */
int vkmm_coopmat_has_lanes(const vkmm_device_info *device, uint64_t lanes);

/* The subgroup size with which kernels of matrix operations are run. */
uint32_t vkmm_coopmat_lanes(const vkmm_device_info *device);

/* How many registers an invocation may use before the driver's compiler spills some to memory, or before too few
 * invocations run at once. Compilers schedule loads early and keep addresses, so these are not the registers that the
 * hardware has, but how many of vkmm_shape.held they were seen to bear. */
typedef struct vkmm_budget {
    uint32_t most;     /* the planner chooses no preset that holds more; a user may (kernel/legal.h) */
    uint32_t good;     /* beyond it the rate falls in proportion, because fewer invocations run at once */
    uint32_t matrices; /* as `most`, for matrix operations, whose operands take more; 0: no limit */
} vkmm_budget;

/* UINT32_MAX for both on devices without a row in the table: NVIDIA's own driver and drivers for CPUs, whose presets
 * come from measurements, and devices that nobody has looked at. */
vkmm_budget vkmm_budget_of(const vkmm_device_info *device);
