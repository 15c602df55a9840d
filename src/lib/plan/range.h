#pragma once

#include <stdint.h>

/* Bytes of the workspace. */
typedef struct vkmm_range {
    uint64_t at, bytes;
} vkmm_range;
