/* The kernel "serial": the tutorials' step 1a, on the host. */
#ifndef VKMM_EXEC_SERIAL_H
#define VKMM_EXEC_SERIAL_H

#include "vkmatmul.h"

/* C = A · B by three nested loops, one thread, sums in the element's own type. A plain product
 * (vkmm_problem_is_plain); integers wrap. */
void vkmm_serial(const vkmm_problem *problem, const void *a, const void *b, void *c);

#endif
