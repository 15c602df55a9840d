/* The operations that the kernel of matrix operations is made of. */
#ifndef VKMM_KERNEL_COOPMAT_H
#define VKMM_KERNEL_COOPMAT_H

#include "vkmatmul.h"

/* Whether the device lists subgroup-wide operations of m×n×k for the problem's types. */
int vkmm_coopmat_lists(const vkmm_device_info *device, const vkmm_problem *problem, const uint32_t shape[3]);

#endif
