/* What `vkmatmul check` found, between processes: a text for each device and driver version, in the instance's
 * cache_dir. Its first line is the date, and each other one a finding (vkmm_device_check). */
#pragma once

#include "vkmatmul.h"

struct vkmm_physical;

/* Fills physical->check and info.check, whose identity and matrices are known, if there is a file. Shapes that were
 * found wrong leave info.matrices; if none is left, matrix operations are refused. */
void vkmm_findings_read(const vkmm_instance *instance, struct vkmm_physical *physical);

/* Replaces the file, for later instances. Nothing without a cache_dir; a warning if it cannot be written. */
void vkmm_findings_write(const vkmm_instance *instance, const vkmm_device_info *info, const vkmm_device_check *check);

/* The finding that a shape is wrong. */
void vkmm_finding_of_shape(const vkmm_matrix_shape *shape, char finding[VKMM_FINDING]);
