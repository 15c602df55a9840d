/* Combinations of types in words: the same in every table, file and message. */
#ifndef VKMM_MATH_TYPES_NAME_H
#define VKMM_MATH_TYPES_NAME_H

#include "math/type.h"

/* How many vkmm_types_at has. */
#define VKMM_TYPES_COUNT 13

/* The index of vkmm_types_at; VKMM_TYPES_COUNT for a combination that is not in the table. */
uint32_t vkmm_types_index(vkmm_types types);
int vkmm_types_equal(vkmm_types a, vkmm_types b);

/* That of A and B alone where the rest follows from it; otherwise also what C is stored as, and what is summed in:
 * "f16", "f16→f32", "f32 (sum f16)", "f16→f32 (sum f16)"; "->" without utf8. Static storage. */
const char *vkmm_types_name(vkmm_types types, int utf8);

#endif
