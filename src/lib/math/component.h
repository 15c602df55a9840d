/* The element types of matrix units. */
#pragma once

#include "vkmatmul.h"

/* "f16", "f32", "i8", "u8", "bf16" …; "type 1000491000" for one without a name. Static storage, or `text`. */
const char *vkmm_component_name(uint32_t component, char text[32]);

/* 1 and *component for a name that vkmm_component_name gives, or 0. */
int vkmm_component_parse(const char *name, uint32_t *component);

/* The element type of matrices of a type; UINT32_MAX where there is none. */
uint32_t vkmm_component_of(vkmm_type type);

/* One word for each bit VKMM_MATRIX2_*, by its place: "workgroup" …; NULL past the last. Static storage. */
const char *vkmm_matrix2_name(uint32_t bit);
