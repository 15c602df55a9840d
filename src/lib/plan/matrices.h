/* What the planner knows of matrix operations. Private to src/plan. */
#ifndef VKMM_PLAN_MATRICES_H
#define VKMM_PLAN_MATRICES_H

#include "kernel/coopmat.h"
#include "plan/presets.h"

/* Gives one of the presets of coopmat its matrix operation, the device's largest for the problem's types where it
 * lists none like the preset's, and its subgroup size, and steps along K of as many bytes for every type; other
 * kernels' configurations stay. Where the device has no fitting operation it becomes illegal. */
void vkmm_fit_matrix(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                     vkmm_config *config);

/* Tiles for coopmat, before vkmm_fit_matrix. */
vkmm_presets vkmm_coopmat_presets(const vkmm_device_info *device, const vkmm_problem *problem);

/* Takes a tile for a problem with a very short side, fitted but for its parts of K; 0: it has none, or the device
 * does not allow that. */
int vkmm_thin_matrix(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                     vkmm_config *config);

/* Whether the device's matrix operations fit the problem, and it is long enough both ways to gain by them. */
int vkmm_coopmat_suits(const vkmm_device_info *device, const vkmm_problem *problem);

/* Multiply-adds of a processor in a microsecond, at an NVIDIA H200's clock: measured with registers alone for its
 * matrix operations. */
double vkmm_matrix_rate(const vkmm_problem *problem);

#endif
