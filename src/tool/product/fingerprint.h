/* A quick look at whether memory changed. */
#ifndef VKMM_CLI_FINGERPRINT_H
#define VKMM_CLI_FINGERPRINT_H

#include <stdint.h>

/* 64 bits that differ when the bytes differ, but for accidents (probability 2^-64, not safe against intent). Runs at
 * memory speed. */
uint64_t cli_fingerprint(const void *data, uint64_t bytes);

#endif
