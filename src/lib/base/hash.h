/* FNV-1a, 64 bits (Fowler, Noll, Vo): detects damage and makes names; not secure against deliberate changes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VKMM_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of what gave `hash` (VKMM_HASH_START: nothing), followed by these bytes. */
static inline uint64_t vkmm_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}
