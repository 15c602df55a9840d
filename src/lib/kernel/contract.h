/* The contract between the host and every product shader. The shaders' half is shaders/lib/product.glsl for the
 * tutorials' kernels, and shaders/lib/contract.glsl for the general ones. */
#pragma once

#include "base/array.h"

/* Specialization constant ids. */
enum {
    VKMM_SPEC_WORKGROUP_X = 0,
    VKMM_SPEC_WORKGROUP_Y = 1,
    VKMM_SPEC_ROWS = 2,
    VKMM_SPEC_COLS = 3,
    VKMM_SPEC_BYTES = 2, /* pack.comp: bytes of an element; modular_finish.comp: of a sum, or its remainder */
    VKMM_SPEC_DEPTH = 4,
    VKMM_SPEC_ALONG = 3,  /* modular_residues.comp: 1: lines of A and of B lie along K */
    VKMM_SPEC_MODULI = 4, /* modular_residues.comp, modular_finish.comp */
    VKMM_SPEC_PLAIN_COUNT = 5,
    /* Observing builds only: */
    VKMM_SPEC_STRIDE = 5,
    VKMM_SPEC_TRACE_ROW = 6,
    VKMM_SPEC_TRACE_COL = 7,
    /* Plain kernels with blocks only: rows and columns of an invocation, padding, rows of tiles traversed together. */
    VKMM_SPEC_BLOCK_ROWS = 8,
    VKMM_SPEC_BLOCK_COLS = 9,
    VKMM_SPEC_PAD = 10,
    VKMM_SPEC_SWIZZLE = 11,
    VKMM_SPEC_LOGGED = 12, /* counting builds only */
    /* General kernels only: */
    VKMM_SPEC_TRANSPOSE_A = 5,
    VKMM_SPEC_TRANSPOSE_B = 6,
    VKMM_SPEC_ALIGNED = 7,     /* bits VKMM_ALIGNED_A, _B, _C */
    VKMM_SPEC_SPLIT = 8,       /* 1: K is summed in parts, into the workspace */
    VKMM_SPEC_TUNABLE = 9,     /* the first of each kernel's tunables */
    VKMM_SPEC_OUT = 40,        /* how C is stored: vkmm_out */
    VKMM_SPEC_BIAS = 41,       /* vkmm_bias */
    VKMM_SPEC_ACTIVATION = 42, /* vkmm_activation */
    VKMM_SPEC_HALF_SUMS = 43,  /* reduce.comp: 1: sums are rounded to f16 */
    VKMM_SPEC_FRACTION = 45,   /* floats of 8 bits: bits of fraction of an element of A or B */
    VKMM_SPEC_FORMAT = 46,     /* of blocks: vkmm_format */
    VKMM_SPEC_PLAIN = 47,      /* vkmm_out, of the other operand; unpack.comp: of what it stores */
    VKMM_SPEC_EXPERTS = 48,    /* 1: a table has the matrix of B; experts.comp: vkmm_experts_step */
    VKMM_SPEC_WHICH = 49,      /* operand is in blocks, where that is not the longer side's: 0: A; 1: B */
    VKMM_SPEC_PACKED = 49,     /* reduce.comp with SCALED: 1: A, 2: B is packed by the caller; 0: neither */
    VKMM_SPEC_SCALARS = 44,    /* reduce.comp: 1: α and β are at binding 1, each of the scale type */
};

/* C is stored as the scale type (vkmm_types_scale), or narrower; so are the elements of a matrix beside blocks. Of
 * residues, kernels with .remainders store bytes: sums modulo their matrix's modulus. */
enum { VKMM_OUT_SCALE = 0, VKMM_OUT_F16 = 1, VKMM_OUT_BF16 = 2, VKMM_OUT_REMAINDERS = 3 };

/* The bias as the kernel sees it, in a row-major problem: swapping A and B turns a column bias into a row bias. */
enum { VKMM_BIAS_NONE = 0, VKMM_BIAS_COLS = 1, VKMM_BIAS_ROWS = 2 };

/* Alignment of all rows of a matrix, start and length, to vectors, so that it can be read in vectors: of 16 bytes, or
 * as the kernel defines them (vkmm_kernel.alignment). */
enum { VKMM_ALIGNED_A = 1, VKMM_ALIGNED_B = 2, VKMM_ALIGNED_C = 4 };

/* Bindings 0, 1, 2 of set 0 are A, B, C: the values of vkmm_operand. General kernels have the workspace at 3, or the
 * bias if they need no workspace; the second pass has the bias in A's place, and scalars in B's. Vulkan guarantees only
 * four storage buffers. Observing builds have one or two more. */
enum { VKMM_BINDING_COUNT = 3, VKMM_BINDING_WORKSPACE = 3, VKMM_MAX_BINDING_COUNT = 5 };

/* Elements of a block that an invocation of skinny.comp and unpack.comp reads at a time (lib/blocks.glsl). */
enum { VKMM_BLOCK_PART = 16 };

/* The push constants. The tutorials' kernels and users' shaders have only m, n, k. Elements, unless stated
 * otherwise. */
typedef struct vkmm_push {
    uint32_t m, n, k;
    uint32_t lda, ldb, ldc;
    uint32_t offset_a, offset_b, offset_c;
    uint32_t stride_a, stride_b, stride_c;
    uint32_t splits, split_depth; /* parts of K; elements along K of each, a multiple of the tile's depth */
    uint32_t first, end;          /* work items of this dispatch */
    uint32_t alpha[2], beta[2];   /* bit patterns of the scale type */
    uint32_t whole_rows;          /* the first rows of C, whose tiles sum all of K, not a part */
    uint32_t run;                 /* elements along K, of both parts, that matrix operations sum at a time;
                                   * VKMM_OUT_REMAINDERS: how many moduli there are */
} vkmm_push;

/* The push constants of pack.comp, which copies A or B to binding 3: first the source, in elements; then the packed
 * matrix, in 32-bit words. Only scale.comp, split.comp and quantize.comp use those after `transpose`
 * (lib/pack_push.glsl). */
typedef struct vkmm_pack_push {
    uint32_t lines, length;
    uint32_t ld, offset, stride;
    uint32_t to_lines, to_ld;
    uint32_t to_offset, to_stride;
    uint32_t is_b, transpose;
    uint32_t exponents;
    uint32_t groups[3]; /* workgroups, by VKMM_DISPATCH_* */
    float fewest;       /* normal numbers of A times those of B: with fewer, the product without parts is taken */
} vkmm_pack_push;

/* The steps of experts.comp, and their push constants: elements, but words of the workspace. */
typedef enum vkmm_experts_step { VKMM_EXPERTS_ROUTE, VKMM_EXPERTS_GATHER, VKMM_EXPERTS_SCATTER } vkmm_experts_step;

typedef struct vkmm_experts_push {
    uint32_t rows, count;
    uint32_t tile, tiles;
    uint32_t length, ld, offset;
    uint32_t work_ld;
    uint32_t gathered, scattered;
} vkmm_experts_push;

/* Indirect dispatches, x, y and z each: the first and the second pass, and their replacement if the operands cannot be
 * split. */
enum { VKMM_DISPATCH_FIRST, VKMM_DISPATCH_SECOND, VKMM_DISPATCH_INSTEAD, VKMM_DISPATCH_COUNT };

/* Three words follow the dispatches (shaders/lib/decide.glsl). */
enum { VKMM_DISPATCH_BYTES = (3 * VKMM_DISPATCH_COUNT + 3) * 4 };

enum {
    VKMM_PART = 16,       /* elements along K of one part of an f32 (shaders/lib/parts.glsl) */
    VKMM_SCALED_LINES = 8 /* rows or columns per workgroup of scale.comp */
};
