/* What machine this is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* "Linux 6.1.0-18-amd64 x86_64"; "" if the system does not report it. */
void vkmm_host_system(char *text, size_t size);

uint32_t vkmm_host_processors(void); /* logical, online; 0: unknown */
uint64_t vkmm_host_memory(void);     /* bytes; 0: unknown */

/* Bytes that can be allocated without swapping: what the kernel calls available, and, in a container, what is left of
 * its limit. 0: unknown. */
uint64_t vkmm_host_free_memory(void);

/* The current time, UTC, in ISO 8601 format: "2026-01-31T12:00:00Z". */
#define VKMM_HOST_TIME 32
void vkmm_host_time(char text[VKMM_HOST_TIME]);
