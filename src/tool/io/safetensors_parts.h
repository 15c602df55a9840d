/* What the files of the format share. Not for other rooms. */
#ifndef VKMM_IO_SAFETENSORS_PARTS_H
#define VKMM_IO_SAFETENSORS_PARTS_H

#include "vkmatmul.h"

/* "BF16"; type < VKMM_TYPE_COUNT. Static storage. */
const char *vkmm_safetensors_dtype(vkmm_type type);

/* Tensors in a whole file in memory; 0: it is no such file. */
uint64_t vkmm_safetensors_count(const void *data, uint64_t bytes);

#endif
