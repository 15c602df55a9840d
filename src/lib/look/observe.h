/* The builds of the tutorial kernels that count or trace. */
#pragma once

#include "plan/choose.h"

/* Replaces the module of a choice by an observing build of the same shader, with `count` specialization constants
 * more. VKMM_UNSUPPORTED for serial and for users' shaders. */
vkmm_status vkmm_choice_observe(vkmm_choice *choice, vkmm_build build, uint32_t count, const uint32_t *ids,
                                const uint32_t *values);
