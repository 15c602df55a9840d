/* Host allocation that checks its arithmetic and can be made to fail in tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* count × size zeroed bytes, or NULL if the product overflows or memory runs out. If count or size is 0, the result is
 * a pointer to free. The caller frees with vkmm_free. */
void *vkmm_alloc(size_t count, size_t size);

/* Grows `block` (may be NULL) to count × size bytes; the added bytes are not zeroed. NULL on failure, `block` then
 * stays as it was. */
void *vkmm_realloc(void *block, size_t count, size_t size);

void vkmm_free(void *block); /* NULL is legal */

/* Adds `more` entries, all zeros, to a list that has only a count, no capacity; list: the location of the pointer to
 * its entries, which may move. Returns the first of the new entries; NULL if memory runs out, and the list is then
 * unchanged. */
void *vkmm_list_add(void *list, uint32_t *count, uint32_t more, size_t size);

/* A copy of text, NULL if memory runs out. The caller frees with vkmm_free. */
char *vkmm_strdup(const char *text);

/* Tests: how many blocks are allocated and not freed yet. */
int64_t vkmm_alloc_live(void);

/* Tests: the n-th allocation from now on fails (1 = the next), once; 0 = none. Not for concurrent use. */
void vkmm_alloc_fail_after(uint64_t n);
uint64_t vkmm_alloc_left(void); /* allocations until that one; 0: it has failed, or none was set */

/* a · b and a + b in 64 bits: 1 and *result when it fits, 0 otherwise. */
int vkmm_mul_u64(uint64_t a, uint64_t b, uint64_t *result);
int vkmm_add_u64(uint64_t a, uint64_t b, uint64_t *result);
