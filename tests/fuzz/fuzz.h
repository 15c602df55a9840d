/* Between a fuzz target and what drives it: libFuzzer, or standalone.c. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VKMM_FUZZ_SEED_BYTES 1024

/* One input; must not crash, whatever it is. `data` is as aligned as malloc's memory. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* The target's index-th example of good input; its length, 0 past the end. */
size_t vkmm_fuzz_seed(unsigned index, uint8_t out[VKMM_FUZZ_SEED_BYTES]);
