/* safetensors files (https://huggingface.co/docs/safetensors): 8 bytes with the length of the header, little-endian;
 * the header, a JSON object from names to {"dtype", "shape", "data_offsets": [begin, end]}, and perhaps
 * "__metadata__", an object of texts; then the elements of all tensors, row-major and little-endian, at those
 * offsets from the header's end. The format's rules are kept when reading: the header begins with '{' and has at
 * most 100,000,000 bytes, no name comes twice, offsets leave neither holes nor overlaps, nothing lies past the last
 * tensor, and where a dtype's size is known, a tensor has as many bytes as its shape needs. Read and written: F16,
 * BF16, F32, F64, I8, U8, I32 and U32, one to three dimensions; a file may hold others besides. */
#ifndef VKMM_IO_SAFETENSORS_H
#define VKMM_IO_SAFETENSORS_H

#include "io/array.h"

/* The parser alone: `bytes` of a whole file in memory to an array in it, whose elements need not be aligned. tensor:
 * the one to pick; NULL where the file has but one. name is used in messages. Never reads past `bytes`. Memory used:
 * that of the header as a tree. */
vkmm_status vkmm_safetensors_parse(const vkmm_log *log, const char *name, const char *tensor, const void *data,
                                   uint64_t bytes, vkmm_array *array);

#endif
