/* The general kernels' rows of the table: their tunables, and what a configuration of theirs asks of a device.
 * Private to src/kernel. */
#ifndef VKMM_KERNEL_GENERAL_H
#define VKMM_KERNEL_GENERAL_H

#include "kernel/legal.h"

/* One array and one function for each shader: blocked.comp, skinny.comp, cpu.comp. */
extern const vkmm_tunable vkmm_blocked_tunables[VKMM_MAX_TUNABLES];
extern const vkmm_tunable vkmm_skinny_tunables[VKMM_MAX_TUNABLES];
extern const vkmm_tunable vkmm_cpu_tunables[VKMM_MAX_TUNABLES];
extern const vkmm_tunable vkmm_coopmat_tunables[VKMM_MAX_TUNABLES];
extern const vkmm_tunable vkmm_coopmat2_tunables[VKMM_MAX_TUNABLES];
void vkmm_blocked_ask(vkmm_shape *shape);
void vkmm_skinny_ask(vkmm_shape *shape);
void vkmm_cpu_ask(vkmm_shape *shape);
void vkmm_coopmat_ask(vkmm_shape *shape);
void vkmm_coopmat2_ask(vkmm_shape *shape);

/* How much of a configuration does not come out even: each is 0 where all does, and for kernels that it does not
 * concern. */
uint64_t vkmm_blocked_blocks(const vkmm_shape *shape,
                             const vkmm_device_info *device); /* rows or columns of a tile in no block */
uint64_t vkmm_blocked_lanes(const vkmm_shape *shape,
                            const vkmm_device_info *device); /* blocks in no rectangle of lanes */
uint64_t vkmm_blocked_vectors(const vkmm_shape *shape,
                              const vkmm_device_info *device); /* elements of a block or step in no vector */
uint64_t vkmm_blocked_loads(const vkmm_shape *shape,
                            const vkmm_device_info *device); /* vectors of a tile that nobody loads */
uint64_t vkmm_blocked_pieces(const vkmm_shape *shape,
                             const vkmm_device_info *device); /* pieces of a tile that change their place */
uint64_t vkmm_blocked_slices(const vkmm_shape *shape,
                             const vkmm_device_info *device); /* elements of a step in no slice */
uint64_t vkmm_skinny_lines(const vkmm_shape *shape,
                           const vkmm_device_info *device); /* elements along the long side in no line */
uint64_t vkmm_skinny_depth(const vkmm_shape *shape, const vkmm_device_info *device); /* elements of a step in no lane */
uint64_t vkmm_skinny_short(const vkmm_shape *shape, const vkmm_device_info *device); /* of the tile's shorter side */
uint64_t vkmm_cpu_blocks(const vkmm_shape *shape, const vkmm_device_info *device);   /* rows in no turn of the lanes */
uint64_t vkmm_cpu_steps(const vkmm_shape *shape, const vkmm_device_info *device); /* elements of a step beyond fours */
uint64_t vkmm_cpu_subgroups(const vkmm_shape *shape,
                            const vkmm_device_info *device); /* invocations beyond whole subgroups */
uint64_t vkmm_cpu_lanes(const vkmm_shape *shape, const vkmm_device_info *device); /* lanes more than a subgroup has */
uint64_t vkmm_cpu_written(const vkmm_shape *shape,
                          const vkmm_device_info *device); /* settings that the written-out form has not */
uint64_t vkmm_cpu_broadcast(const vkmm_shape *shape, const vkmm_device_info *device); /* 1 where it is needed */

uint64_t vkmm_coopmat_subgroups(
    const vkmm_shape *shape); /* of a workgroup; 0: another kernel, or none whose size is asked for */
uint64_t vkmm_coopmat2_subgroups(const vkmm_shape *shape);
uint64_t vkmm_coopmat_listed(const vkmm_shape *shape,
                             const vkmm_device_info *device); /* 1: the device or this build lacks its shape */
uint64_t vkmm_coopmat_fragments(const vkmm_shape *shape,
                                const vkmm_device_info *device); /* elements in no matrix of a block or step */
uint64_t vkmm_coopmat_blocks(const vkmm_shape *shape,
                             const vkmm_device_info *device); /* rows or columns of a tile in no block */
uint64_t vkmm_coopmat_vectors(const vkmm_shape *shape,
                              const vkmm_device_info *device); /* elements of a tile in no vector */
uint64_t vkmm_coopmat_settings(const vkmm_shape *shape,
                               const vkmm_device_info *device); /* settings that the shader does not know */
uint64_t vkmm_coopmat_lanes(const vkmm_shape *shape,
                            const vkmm_device_info *device); /* 1: the subgroup size cannot be had */

uint64_t vkmm_coopmat2_matrices(const vkmm_shape *shape,
                                const vkmm_device_info *device); /* rows and columns that no matrix has */
uint64_t vkmm_coopmat2_settings(const vkmm_shape *shape,
                                const vkmm_device_info *device); /* settings that the shader does not know */
uint64_t vkmm_coopmat2_granules(const vkmm_shape *shape,
                                const vkmm_device_info *device); /* 1: no granule of the device fits */
uint64_t vkmm_coopmat2_owners(const vkmm_shape *shape,
                              const vkmm_device_info *device); /* invocations without a matrix, or missing */
uint64_t vkmm_coopmat2_workgroup(const vkmm_shape *shape,
                                 const vkmm_device_info *device); /* invocations that own a matrix together */
uint64_t vkmm_coopmat2_side(const vkmm_shape *shape, const vkmm_device_info *device); /* the longest of a matrix */

/* Of an invocation, for its part of a subgroup's sums. */
uint64_t vkmm_coopmat_sum_registers(const vkmm_shape *shape);

/* Of a workgroup's threads. */
uint64_t vkmm_coopmat2_threads(const vkmm_shape *shape);

uint64_t vkmm_sum_registers(const vkmm_shape *shape,
                            const vkmm_device_info *device); /* 32-bit registers of an invocation for its sums */

static inline uint64_t vkmm_value(const vkmm_shape *shape, int tunable)
{
    return shape->config->values[tunable];
}

/* What is left of `whole` in parts of `part`; nothing goes into parts of none, and no parts into nothing. */
static inline uint64_t vkmm_left_over(uint64_t whole, uint64_t part)
{
    return whole == 0 || part == 0 ? 1 : whole % part;
}

static inline uint64_t vkmm_quotient(uint64_t whole, uint64_t part)
{
    return part == 0 ? 0 : whole / part;
}

/* Elements of a vector of the blocked, skinny and cpu shaders (VW): 16 bytes of what sums are made of, 8 where that
 * is f16. */
uint64_t vkmm_vector_of(vkmm_type type);

#endif
