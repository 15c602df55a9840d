/* The kernel of matrix operations: which of a device's shapes it can be made of. */
#ifndef VKMM_KERNEL_COOPMAT_H
#define VKMM_KERNEL_COOPMAT_H

#include "kernel/legal.h"

/* Whether the device lists subgroup-wide operations of m×n×k for the problem's types. */
int vkmm_coopmat_lists(const vkmm_device_info *device, const vkmm_problem *problem, const uint32_t shape[3]);

/* m, n and k of the operations of a configuration, and the invocations of a subgroup: 1; 0: the kernel is another. */
int vkmm_coopmat_matrix(const vkmm_kernel *kernel, const vkmm_config *config, uint32_t shape[3], uint32_t *lanes);

/* The same, the other way round, for a configuration of coopmat. */
void vkmm_coopmat_set_matrix(vkmm_config *config, const uint32_t shape[3], uint32_t lanes);

/* Whether a configuration is one of coopmat2 whose matrices belong to subgroups. */
int vkmm_coopmat2_by_subgroup(const vkmm_kernel *kernel, const vkmm_config *config);

#endif
