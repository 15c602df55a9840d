/* What machine this is. */
#ifndef VKMM_BASE_HOST_H
#define VKMM_BASE_HOST_H

#include <stddef.h>
#include <stdint.h>

/* "Linux 6.1.0-18-amd64 x86_64"; "" where the system does not tell. */
void vkmm_host_system(char *text, size_t size);

uint32_t vkmm_host_processors(void); /* logical, that run; 0: not told */
uint64_t vkmm_host_memory(void);     /* bytes; 0: not told */

/* Bytes that can be had without pushing other memory out: what the kernel calls available, and, in a container, what
 * is left of its limit. 0: not told. */
uint64_t vkmm_host_free_memory(void);

/* The time now, UTC, as ISO 8601 has it: "2026-01-31T12:00:00Z". */
#define VKMM_HOST_TIME 32
void vkmm_host_time(char text[VKMM_HOST_TIME]);

#endif
