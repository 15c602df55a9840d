#include "product/fingerprint.h"

#include <string.h>

/* A multiplication by an odd number and a rotation are both invertible: two inputs that differ in one word never
 * meet again. */
static uint64_t mix(uint64_t state, uint64_t word)
{
    state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return state << 29 | state >> 35;
}

/* Four lanes, because one chain of multiplications would be slower than memory. */
uint64_t cli_fingerprint(const void *data, uint64_t bytes)
{
    const unsigned char *at = data;
    uint64_t lane[4] = {1, 2, 3, 4}, last = 0;

    for (; bytes >= 32; bytes -= 32, at += 32) {
        uint64_t word[4];
        memcpy(word, at, 32);
        for (int i = 0; i < 4; i++) lane[i] = mix(lane[i], word[i]);
    }
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        lane[0] = mix(lane[0], word);
    }
    if (bytes > 0) memcpy(&last, at, bytes);
    return mix(mix(mix(mix(lane[0], lane[1]), lane[2]), lane[3]), last ^ bytes << 56);
}
