/* A SPIR-V module taken apart, as far as spirv_check.c looks. Numbers are those of the SPIR-V specification,
 * unified1. */
#ifndef VKMM_KERNEL_SPIRV_MODULE_H
#define VKMM_KERNEL_SPIRV_MODULE_H

#include "kernel/spirv.h"

enum { VKMM_SPIRV_HEADER = 5, VKMM_SPIRV_MAX_NESTED = 16 };

enum {
    VKMM_OP_EXTENSION = 10,
    VKMM_OP_IMPORT = 11,
    VKMM_OP_MEMORY_MODEL = 14,
    VKMM_OP_ENTRY_POINT = 15,
    VKMM_OP_EXECUTION_MODE = 16,
    VKMM_OP_CAPABILITY = 17,
    VKMM_OP_TYPE_BOOL = 20,
    VKMM_OP_TYPE_INT = 21,
    VKMM_OP_TYPE_FLOAT = 22,
    VKMM_OP_TYPE_VECTOR = 23,
    VKMM_OP_TYPE_MATRIX = 24,
    VKMM_OP_TYPE_ARRAY = 28,
    VKMM_OP_TYPE_STRUCT = 30,
    VKMM_OP_TYPE_POINTER = 32,
    VKMM_OP_TYPE_FORWARD = 39,
    VKMM_OP_CONSTANT = 43,
    VKMM_OP_CONSTANT_COMPOSITE = 44,
    VKMM_OP_SPEC_CONSTANT = 50,
    VKMM_OP_SPEC_COMPOSITE = 51,
    VKMM_OP_SPEC_OP = 52,
    VKMM_OP_FUNCTION = 54,
    VKMM_OP_FUNCTION_END = 56,
    VKMM_OP_VARIABLE = 59,
    VKMM_OP_DECORATE = 71,
    VKMM_OP_MEMBER_DECORATE = 72,
    VKMM_OP_EXECUTION_MODE_ID = 331
};

enum {
    VKMM_DECORATION_SPEC_ID = 1,
    VKMM_DECORATION_BLOCK = 2,
    VKMM_DECORATION_BUFFER_BLOCK = 3,
    VKMM_DECORATION_ARRAY_STRIDE = 6,
    VKMM_DECORATION_BUILT_IN = 11,
    VKMM_DECORATION_BINDING = 33,
    VKMM_DECORATION_SET = 34,
    VKMM_DECORATION_OFFSET = 35
};

typedef struct vkmm_spirv {
    const vkmm_log *log;
    const char *name;
    const uint32_t *words;
    uint32_t count; /* of words */
    uint32_t bound;
    uint32_t *at;                   /* by id: where the type, constant, variable or function is defined; 0: nowhere */
    uint32_t *decorations;          /* where they stand */
    uint32_t decoration_count;      /* known once the module was read */
    uint32_t effort;                /* that looking things up has taken */
    int is_entangled;               /* it was too much: what was looked up since is not known */
    const vkmm_kernel_info *kernel; /* NULL: the values of specialization constants are not known */
} vkmm_spirv;

/* Checks the header and every instruction's length, and lists definitions and decorations. Ended by
 * vkmm_spirv_close, even on failure. */
vkmm_status vkmm_spirv_open(const vkmm_log *log, const char *name, const uint32_t *words, size_t bytes,
                            const vkmm_kernel_info *kernel, vkmm_spirv *module);
void vkmm_spirv_close(vkmm_spirv *module); /* a zeroed one is legal */

static inline uint32_t vkmm_spirv_opcode(const vkmm_spirv *m, uint32_t at)
{
    return m->words[at] & 0xffff;
}

static inline uint32_t vkmm_spirv_length(const vkmm_spirv *m, uint32_t at)
{
    return m->words[at] >> 16;
}

/* The definition of an id that stands before `before`, with the opcode (0: any); 0 where there is none. */
uint32_t vkmm_spirv_find(const vkmm_spirv *m, uint32_t id, uint32_t opcode, uint32_t before);

/* A decoration of an id, or of a member of a struct (member -1: of the id itself): 1, and its first number in *value
 * (0 where it has none). value may be NULL. */
int vkmm_spirv_decoration(vkmm_spirv *m, uint32_t id, int64_t member, uint32_t decoration, uint32_t *value);

/* The text in an instruction's words from `at` to `end`: 0 when it does not end there. Cut to fit. */
int vkmm_spirv_text(const vkmm_spirv *m, uint32_t at, uint32_t end, char *text, size_t size);

/* The value of a constant of 32 bits: 0 when it is none, or not known. */
int vkmm_spirv_value(vkmm_spirv *m, uint32_t id, uint32_t *value);

/* The bytes that a type takes at least, UINT64_MAX where they do not fit: 0 when that is not known. Arrays count
 * with their stride, where they have one, structs with the offsets of their members. */
int vkmm_spirv_bytes(vkmm_spirv *m, uint32_t type, uint64_t *bytes);

#endif
