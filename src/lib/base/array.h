/* Sizes of arrays. */
#pragma once

#include <stdint.h>

#define VKMM_COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array))) /* entries */

/* An array of char and its size, as two arguments; a pointer in its place does not compile. */
#define VKMM_ROOM(array) *_Generic(&(array), char(*)[sizeof(array)] : &(array)), sizeof(array)
