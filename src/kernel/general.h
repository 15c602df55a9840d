/* The general kernels' rows of the table: their tunables, and what a configuration of theirs asks of a device. Private to src/kernel. */
#ifndef VKMM_KERNEL_GENERAL_H
#define VKMM_KERNEL_GENERAL_H

#include "kernel/legal.h"

/* One array and one function for each shader: blocked.comp, skinny.comp, cpu.comp. */
extern const vkmm_tunable vkmm_blocked_tunables[VKMM_MAX_TUNABLES];
extern const vkmm_tunable vkmm_skinny_tunables[VKMM_MAX_TUNABLES];
extern const vkmm_tunable vkmm_cpu_tunables[VKMM_MAX_TUNABLES];
void vkmm_blocked_ask(vkmm_shape *shape);
void vkmm_skinny_ask(vkmm_shape *shape);
void vkmm_cpu_ask(vkmm_shape *shape);

/* How much of a configuration does not come out even: each is 0 where all does, and for kernels that it does not concern. */
uint64_t vkmm_blocked_blocks(const vkmm_shape *shape, const vkmm_device_info *device);  /* rows or columns of a tile in no block */
uint64_t vkmm_blocked_lanes(const vkmm_shape *shape, const vkmm_device_info *device);   /* blocks in no rectangle of lanes */
uint64_t vkmm_blocked_vectors(const vkmm_shape *shape, const vkmm_device_info *device); /* elements of a block or step in no vector */
uint64_t vkmm_blocked_loads(const vkmm_shape *shape, const vkmm_device_info *device);   /* vectors of a tile that nobody loads */
uint64_t vkmm_blocked_pieces(const vkmm_shape *shape, const vkmm_device_info *device);  /* pieces of a tile that change their place */
uint64_t vkmm_blocked_slices(const vkmm_shape *shape, const vkmm_device_info *device);  /* elements of a step in no slice */
uint64_t vkmm_skinny_lines(const vkmm_shape *shape, const vkmm_device_info *device);    /* elements along the long side in no line */
uint64_t vkmm_skinny_depth(const vkmm_shape *shape, const vkmm_device_info *device);    /* elements of a step in no lane */
uint64_t vkmm_skinny_short(const vkmm_shape *shape, const vkmm_device_info *device);    /* of the tile's shorter side */
uint64_t vkmm_cpu_blocks(const vkmm_shape *shape, const vkmm_device_info *device);      /* rows in no turn of the lanes */
uint64_t vkmm_cpu_steps(const vkmm_shape *shape, const vkmm_device_info *device);       /* elements of a step beyond fours */
uint64_t vkmm_cpu_subgroups(const vkmm_shape *shape, const vkmm_device_info *device);   /* invocations beyond whole subgroups */
uint64_t vkmm_cpu_lanes(const vkmm_shape *shape, const vkmm_device_info *device);       /* lanes more than a subgroup has */
uint64_t vkmm_cpu_written(const vkmm_shape *shape, const vkmm_device_info *device);     /* settings that the written-out form has not */
uint64_t vkmm_cpu_broadcast(const vkmm_shape *shape, const vkmm_device_info *device);   /* 1 where it is needed */

uint64_t vkmm_sum_registers(const vkmm_shape *shape, const vkmm_device_info *device); /* 32-bit registers of an invocation for its sums */

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

/* Elements of a vector of 16 bytes. */
uint64_t vkmm_vector_of(vkmm_type type);

#endif
