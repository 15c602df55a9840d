/* The ladder's steps as data, each one change from a step before. */
#ifndef CLI_LADDER_STEPS_H
#define CLI_LADDER_STEPS_H

#include "options/step_table.h"

/* The index-th: the kernels of the tutorials, in the order of the table of kernels, for every type that they have; then
 * the general kernels', for f32; then the device's fast kernel, "auto". 1, or 0 past the end. */
int cli_step_at(uint32_t index, cli_step *step);

#endif
