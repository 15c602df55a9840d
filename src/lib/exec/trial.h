/* Does a configuration compute right products? Asked of tuning results, which another process may have left long
 * ago, before they are used. */
#ifndef VKMM_EXEC_TRIAL_H
#define VKMM_EXEC_TRIAL_H

#include "plan/choose.h"

/* Runs the configuration of a choice on a small problem like the given one, filled with whole numbers, and compares
 * every element with a sum made on the host, exactly (gelu: closely). *right: 0 or 1; 0 also where it cannot run. Fails
 * with VKMM_DEVICE_LOST, and with VKMM_OUT_OF_MEMORY, which says nothing of the configuration; neither is told as an
 * error. */
vkmm_status vkmm_trial(vkmm_device *device, const vkmm_problem *problem, const vkmm_choice *choice, int *right);

#endif
