/* vkmatmul.h: matrix products on Vulkan devices. The public interface of libvkmatmul. It includes vkmatmul_stream.h,
 * which declares the functions for products larger than a buffer or a device, and vkmatmul_memory.h, those for matrices
 * that stay on a device.
 *
 * The product      C ← α·op(A)·op(B) + β·C, op(A) M×K, op(B) K×N, C M×N, op(X) = X or Xᵀ, for one matrix or a batch
 *                  (vkmm_problem).
 * Layout           row-major unless vkmm_problem says otherwise: element (i, j) of a stored matrix lies at i·ld + j.
 * Integers         i32 and u32 wrap modulo 2^32; products of i8 and u8 are summed in i32 and u32, which wrap likewise.
 * Floats           f32 is IEEE f32, summed in f32; nothing is ever rounded to less, unless vkmm_problem.compute asks
 *                  for it. f16 and bf16 are summed in f32 and rounded once, when C is stored, to the nearest, ties to
 *                  even.
 * Errors           every fallible function returns a vkmm_status. If that is not VKMM_OK, it has written one sentence
 *                  (cause, limit, value) to the log of the instance, and vkmm_last_error returns it too. On failure,
 *                  output handles are NULL and other outputs are untouched.
 * Pointers         a NULL where this header does not allow one is VKMM_INVALID in functions that return a status; the
 *                  others then return NULL, 0 or zeros, and write nothing.
 * Growth           later versions add fields at the ends of structs, and programs that were compiled before still work:
 *                  functions that take or fill a struct are inline, and pass its size to NAME_sized, which other
 *                  languages call. Fields that the caller's struct lacks are 0, or not filled; a struct that is larger
 *                  than the library's is VKMM_INVALID. Structs in others or in arrays, those returned by value, and
 *                  those with `reserved` fields, which must be 0, keep their size; structs that the library owns may
 *                  grow: read them in place, and never copy them. While the major version is 0, the soname has the
 *                  minor version.
 * Ownership        every *_create fills a handle. The caller releases it with the matching *_destroy, which accepts a
 *                  pointer to NULL and sets the handle to NULL. An instance must outlive its devices, and a device its
 *                  jobs and plans.
 * Threads          instances and devices may be used by several threads at once; a job, a stream, a tune or a shader by
 *                  one thread at a time. Different ones may be used at once, even on one device. While an instance or a
 *                  device is created or destroyed, nothing else may use it. The log's callback is called by whichever
 *                  thread fails. vkmm_*_name and other functions without a handle have no shared state.
 * Units            bytes, milliseconds and elements, as each name says.
 */
#ifndef VKMATMUL_H
#define VKMATMUL_H

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* VKMM_BUILDING: defined while libvkmatmul itself is compiled. VKMM_STATIC: to use its static library on Windows. */
#if defined(_WIN32) && defined(VKMM_BUILDING)
#define VKMM_API __declspec(dllexport)
#elif defined(_WIN32) && !defined(VKMM_STATIC)
#define VKMM_API __declspec(dllimport)
#elif defined(__GNUC__)
#define VKMM_API __attribute__((visibility("default")))
#else
#define VKMM_API
#endif

/* The version of this header: 10000·major + 100·minor + patch; and as text. */
#define VKMM_VERSION      200
#define VKMM_VERSION_TEXT "0.2.0"

/* The result of every fallible function; the program's exit codes are the same numbers. */
typedef enum vkmm_status {
    VKMM_OK = 0,
    VKMM_WRONG_RESULT = 1,  /* a product failed its verification, or a validation layer reported something */
    VKMM_INVALID = 2,       /* a bad argument, a bad file, an output that cannot be written */
    VKMM_NO_DEVICE = 3,     /* no Vulkan loader, no driver, or no device that matches */
    VKMM_UNSUPPORTED = 4,   /* the device cannot do this: a limit, a missing feature */
    VKMM_OUT_OF_MEMORY = 5, /* host or device memory */
    VKMM_DEVICE_LOST = 6,   /* the device stopped answering; destroy it and everything made from it */
    VKMM_STOPPED = 7        /* a callback asked to stop */
} vkmm_status;

/* Short English name ("out of memory"), static storage; never NULL. */
VKMM_API const char *vkmm_status_name(vkmm_status status);

/* After a function has failed in this thread: its sentence, valid until this thread's next call of the library; "" if
 * the library has none, because a user's function failed. */
VKMM_API const char *vkmm_last_error(void);

/* The library's version, VKMM_VERSION_TEXT of its build; and a hash of all shaders built into it: 16 hexadecimal
 * digits, FNV-1a over the SPIR-V words. Both have static storage. Two reports can be compared kernel by kernel if their
 * hashes are equal. */
VKMM_API const char *vkmm_version(void);
VKMM_API const char *vkmm_shader_hash(void);

typedef enum vkmm_log_level { VKMM_LOG_ERROR = 0, VKMM_LOG_WARNING = 1, VKMM_LOG_INFO = 2 } vkmm_log_level;

/* Receives one sentence, without a line end, valid during the call only. May be called from a driver's thread
 * when validation is on. A zeroed vkmm_log discards everything. */
typedef struct vkmm_log {
    void (*write)(void *user, vkmm_log_level level, const char *sentence);
    void *user;
} vkmm_log;

/* AUTO: follows from the problem's other types. f16: IEEE 754 binary16; bf16: the upper half of an f32 (8 bits of
 * exponent, 7 of fraction). Both take 16 bits in memory. E4M3 and E5M2: the 8-bit floats of the OCP 8-bit Floating
 * Point Specification 1.0, with 4 and 5 bits of exponent. E5M2 has infinities. E4M3 has none: it ends at 448, and its
 * NaNs are 0x7f and 0xff. Both are types of A and B only. */
typedef enum vkmm_type {
    VKMM_AUTO = 0,
    VKMM_F32 = 1,
    VKMM_F64 = 2,
    VKMM_I32 = 3,
    VKMM_U32 = 4,
    VKMM_F16 = 5,
    VKMM_BF16 = 6,
    VKMM_I8 = 7,
    VKMM_U8 = 8,
    VKMM_E4M3 = 9,
    VKMM_E5M2 = 10,
    VKMM_TYPE_COUNT = 11
} vkmm_type;

/* BIAS: the vector that is added to each row of the product, one element for each column of C, packed. */
typedef enum vkmm_operand { VKMM_A = 0, VKMM_B = 1, VKMM_C = 2, VKMM_BIAS = 3 } vkmm_operand;
typedef enum vkmm_op { VKMM_OP_N = 0, VKMM_OP_T = 1 } vkmm_op;                   /* op(X) = X, or the transpose of X */
typedef enum vkmm_layout { VKMM_ROW_MAJOR = 0, VKMM_COL_MAJOR = 1 } vkmm_layout; /* of how a matrix is stored */

/* The function applied to each element last: none; max(x, 0), which keeps a NaN; x/2·(1 + tanh(√(2/π)·(x +
 * 0.044715·x³))) (Hendrycks and Gimpel, Gaussian Error Linear Units, arXiv:1606.08415). GELU is for floats. */
typedef enum vkmm_activation {
    VKMM_ACTIVATION_NONE = 0,
    VKMM_RELU = 1,
    VKMM_GELU = 2,
    VKMM_ACTIVATION_COUNT = 3
} vkmm_activation;

/* How floats are multiplied. DIRECT: in the types that vkmm_problem says. SPLIT, for f32: as two f16 parts each, by
 * matrix operations (doc/precision.md). MODULAR, for f64: as residues, by products of integers: each
 * element of the product is wrong by at most √K·2^-52·Σ|a||b| before it is rounded. Data for which residues cannot
 * promise that, infinities and NaNs are multiplied in f64, with a warning. For panels and recordings the device decides
 * that, without a warning; K in several parts (vkmm_partition) adds roundings.
 *   REPRODUCIBLE, for f64 and f32: as residues whose exact sums are rounded once, to the type of C. C depends on the
 * operands, α, β, the bias and the activation alone: it has the same bits on every device, for every configuration,
 * number of moduli, panel, batch and number of devices. An element of A and B counts in multiples of u, 2^-60 for f64
 * and 2^-31 for f32, times the largest power of two in its row of op(A) or column of op(B): C_ij is off by at most
 * u/2·Σ(|a_ik|·max|b_j| + max|a_i|·|b_kj|)·(1 + K·u/4) before it is rounded, and is the float nearest to the exact sum
 * if no element has bits below that. A zero sum is +0; a row or column with an infinity or a NaN makes its elements of
 * C NaN. α·x, β·C + that, and the bias are rounded once each, in this order, with α and β of the type of C. K is at
 * most 131,071 and never cut. What residues cannot compute is refused: gelu, and what does not fit.
 *   W8A8, for f16 and bf16 summed in f32: as whole numbers from -127 to 127, by products of bytes. Each row of op(A)
 * and each column of op(B) is divided by a 127th of its largest magnitude and rounded to the nearest, ties to even,
 * which is exact: C is the same on every device but for the last roundings, of α, β, the bias and C. A line with an
 * infinity or a NaN makes its elements of C NaN; a bf16 line without an element of at least 2^-119 counts as zeros.
 * K is at most 131,071 and never cut. An operand that is packed once (VKMM_PACK_*) is divided and rounded once.
 *   DIRECT, for f64 on a device without 64-bit floats, is MODULAR where that is possible, and otherwise, and in
 * recordings, software f64, which has no gelu. */
typedef enum vkmm_method {
    VKMM_COMPUTE_DIRECT = 0,
    VKMM_COMPUTE_SPLIT = 1,
    VKMM_COMPUTE_MODULAR = 2,
    VKMM_COMPUTE_REPRODUCIBLE = 3,
    VKMM_COMPUTE_W8A8 = 4,
    VKMM_METHOD_COUNT = 5
} vkmm_method;

/* How the elements of A or B are stored. PLAIN: one after the other, each of the problem's type. The others are blocks
 * of neighbours along K, each with its scales. Q… (but Q4_Z, Q8_Z), MXFP4 and NVFP4 lie in GGUF files
 * (ggml-common.h of ggml 0.27); the others are made of separate arrays by vkmm_blocks_join. An element is the product
 * that is given, rounded at most once, to the problem's type; of Q4_1, Q5_1, Q5_K and those with an f32, first to f32:
 *                 elements  bytes  element
 *     Q8_0        32        34     d·q, d an f16, q of 8 bits
 *     Q4_0        32        18     d·(q - 8), q of 4 bits
 *     Q4_K        256       144    d·s·q - e·t, d and e f16, s and t of 6 bits for each 32 elements, q of 4 bits
 *     MXFP4       32        17     2^(x - 127)·q, x of 8 bits, 255 a NaN; q of e2m1 (OCP Microscaling Formats 1.0)
 *     NVFP4       64        36     s·q, s an e4m3 for each 16 elements; q of e2m1. α has the scale of the tensor
 *     MXFP8_E4M3  32        33     2^(x - 127)·q, as MXFP4; x, then q of e4m3
 *     MXFP8_E5M2  32        33     the same with q of e5m2
 *     FP8_E4M3    128       132    d·q, d an f32, q of e4m3
 *     FP8_E5M2    128       132    the same with q of e5m2
 *     Q4_Z        128       84     d·(q - z); four f32 d and four bytes z for 32 elements each, q of 4 bits, as Q4_0's
 *     Q8_Z        128       148    the same with q of 8 bits, 0 to 255
 *     Q4_1        32        20     d·q + m, d and m f16, q of 4 bits
 *     Q5_0        32        22     d·(q - 16), q of 5 bits
 *     Q5_1        32        24     d·q + m, q of 5 bits
 *     Q5_K        256       176    as Q4_K, q of 5 bits
 *     Q6_K        256       210    d·s·(q - 32), s of 8 bits for each 16 elements, q of 6 bits */
typedef enum vkmm_format {
    VKMM_PLAIN = 0,
    VKMM_Q8_0 = 1,
    VKMM_Q4_0 = 2,
    VKMM_Q4_K = 3,
    VKMM_MXFP4 = 4,
    VKMM_NVFP4 = 5,
    VKMM_MXFP8_E4M3 = 6,
    VKMM_MXFP8_E5M2 = 7,
    VKMM_FP8_E4M3 = 8,
    VKMM_FP8_E5M2 = 9,
    VKMM_Q4_Z = 10,
    VKMM_Q8_Z = 11,
    VKMM_Q4_1 = 12,
    VKMM_Q5_0 = 13,
    VKMM_Q5_1 = 14,
    VKMM_Q5_K = 15,
    VKMM_Q6_K = 16,
    VKMM_FORMAT_COUNT = 17
} vkmm_format;

/* VKMM_DEFAULTED: a field whose default is not 0. gcc's -Wextra warns about a field that is initialized twice, but not
 * about two members of a union, of which the last one counts: for gcc, VKMM_PROBLEM sets NAME_default. */
#ifdef __cplusplus
#define VKMM_DEFAULT(value)               = value
#define VKMM_DEFAULTED(type, name, value) type name = value
#else
#define VKMM_DEFAULT(value)
#if defined(__GNUC__) && !defined(__clang__)
#define VKMM_DEFAULTED(type, name, value) \
    __extension__ union {                 \
        struct {                          \
            type name;                    \
        };                                \
        struct {                          \
            type name##_default;          \
        };                                \
    }
#else
#define VKMM_DEFAULTED(type, name, value) type name
#endif
#endif

/* C ← α·op(A)·op(B) + β·C, with the meaning of the BLAS (Dongarra et al., A Set of Level 3 Basic Linear Algebra
 * Subprograms, 1990) and the batches of cuBLAS and rocBLAS (gemm_strided_batched). VKMM_PROBLEM initializes it.
 *   Extents are 0 to 2^32 - 1. If K = 0 or α = 0, the result is β·C, and A and B are not read. If M = 0 or N = 0, there
 * is nothing to do.
 *   A is stored M×K, or K×M where op_a is T; B is stored K×N, or N×K. Row-major, element (i, j) of a stored matrix lies
 * at offset + i·ld + j; column-major at offset + i + j·ld; in matrix x of the batch, x·stride further.
 *   C is read only where β is not 0; where β is 0, even a NaN in C is overwritten. Elements in the gaps that ld leaves
 * between rows, and stride between matrices, are never written.
 *   Types. A and B have one type; the types of C and of the sums follow from it unless they are given:
 *     A and B     C, the first by default     summed in
 *     f32         f32                         f32; f16: A and B are rounded to f16, and sums to f16
 *     f16         f16, f32                    f32; f16: sums are rounded to f16, beyond 65504 to infinity
 *     bf16        bf16, f32                   f32
 *     e4m3, e5m2  f32, f16, bf16              f32
 *     f64, i32, u32                           all the same
 *     i8          i32                         i32
 *     u8          u32                         u32
 *   α, β, the bias and the activation are computed in f32 (f64; integers: modulo 2^32) whatever A, B and C are.
 *   Blocks. A or B may be stored in blocks (vkmm_format) where the type is f32, f16 or bf16, summed in f32. A block's
 * elements are neighbours along K: A row-major is then not transposed, B is. K, the leading dimension, the offset and
 * the stride still count elements, and are multiples of the block's. Streams and several devices do not take blocks.
 *   Epilogue. C ← activation(α·op(A)·op(B) + β·C + bias), bias_j for each element of column j, in C's type. */
typedef struct vkmm_problem {
    uint64_t m VKMM_DEFAULT(0), n VKMM_DEFAULT(0), k VKMM_DEFAULT(0);
    VKMM_DEFAULTED(vkmm_type, type, VKMM_F32); /* of A and B; AUTO is rejected, and so is a problem that is all zeros */
    vkmm_layout layout VKMM_DEFAULT(VKMM_ROW_MAJOR); /* of A, B and C */
    vkmm_op op_a VKMM_DEFAULT(VKMM_OP_N), op_b VKMM_DEFAULT(VKMM_OP_N);
    /* elements; 0: packed. At least the length of a stored row (column-major: column) */
    uint64_t lda VKMM_DEFAULT(0), ldb VKMM_DEFAULT(0), ldc VKMM_DEFAULT(0);
    /* elements before the first matrix */
    uint64_t offset_a VKMM_DEFAULT(0), offset_b VKMM_DEFAULT(0), offset_c VKMM_DEFAULT(0);
    uint64_t batch_count VKMM_DEFAULT(0); /* 0 is 1 */
    /* elements; count where batch_count > 1. 0 repeats A or B; matrices of C may not overlap */
    uint64_t stride_a VKMM_DEFAULT(0), stride_b VKMM_DEFAULT(0), stride_c VKMM_DEFAULT(0);
    VKMM_DEFAULTED(double, alpha, 1); /* α and β: rounded to f32 (f64); integers: whole numbers, modulo 2^32 */
    double beta VKMM_DEFAULT(0);
    vkmm_type out_type VKMM_DEFAULT(VKMM_AUTO), compute VKMM_DEFAULT(VKMM_AUTO); /* of C and the bias; of the sums */
    vkmm_activation activation VKMM_DEFAULT(VKMM_ACTIVATION_NONE);
    int has_bias VKMM_DEFAULT(0); /* non-zero: there is a VKMM_BIAS */
    vkmm_method method VKMM_DEFAULT(VKMM_COMPUTE_DIRECT);
    vkmm_format format_a VKMM_DEFAULT(VKMM_PLAIN), format_b VKMM_DEFAULT(VKMM_PLAIN);
    uint64_t reserved[3] VKMM_DEFAULT({});
} vkmm_problem;

#undef VKMM_DEFAULT
#undef VKMM_DEFAULTED

/* VKMM_PROBLEM(.m = 64, .n = 64, .k = 64, .alpha = 2) is a vkmm_problem. Fields that are not named have their defaults:
 * one product of packed row-major f32 matrices, α = 1, β = 0. VKMM_PROBLEM_INIT is the same as an initializer, for
 * objects with static storage: in ISO C, compound literals are not constants. In C++ both are vkmm_problem{…}, which
 * has the same defaults; designators need C++20. clang warns about an overridden default only where VKMM_PROBLEM is an
 * argument of another macro: -Wno-initializer-overrides. */
#if defined(__cplusplus)
#define VKMM_PROBLEM_INIT(...) \
    {                          \
        __VA_ARGS__            \
    }
#define VKMM_PROBLEM(...) (vkmm_problem{__VA_ARGS__})
#elif defined(__clang__)
#define VKMM_PROBLEM_INIT(...)                                                                        \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Winitializer-overrides\""){ \
        .type = VKMM_F32, .alpha = 1, __VA_ARGS__} _Pragma("clang diagnostic pop")
#define VKMM_PROBLEM(...) ((vkmm_problem)VKMM_PROBLEM_INIT(__VA_ARGS__))
#elif defined(__GNUC__)
#define VKMM_PROBLEM_INIT(...)                                    \
    {                                                             \
        .type_default = VKMM_F32, .alpha_default = 1, __VA_ARGS__ \
    }
#define VKMM_PROBLEM(...) ((vkmm_problem)VKMM_PROBLEM_INIT(__VA_ARGS__))
#else
#define VKMM_PROBLEM_INIT(...)                    \
    {                                             \
        .type = VKMM_F32, .alpha = 1, __VA_ARGS__ \
    }
#define VKMM_PROBLEM(...) ((vkmm_problem)VKMM_PROBLEM_INIT(__VA_ARGS__))
#endif

/* Bytes of the memory of an operand: from its start, offset included, to the last element of the last matrix. 0 if it
 * has no elements. The problem must be valid. */
VKMM_API uint64_t vkmm_operand_bytes(const vkmm_problem *problem, vkmm_operand operand);

/* The actual type of an operand, and of the sums; never AUTO if the problem is valid. */
VKMM_API vkmm_type vkmm_operand_type(const vkmm_problem *problem, vkmm_operand operand);
VKMM_API vkmm_type vkmm_problem_compute(const vkmm_problem *problem);

/* A format: its name ("q4_0"), and the elements and bytes of a block. NULL past the end. Static storage. */
typedef struct vkmm_format_info {
    const char *name;
    uint32_t elements, bytes;
} vkmm_format_info;
VKMM_API const vkmm_format_info *vkmm_format_at(uint32_t format);

/* `count` elements to blocks, and back, on the host; a multiple of the block's elements. Each element is rounded to the
 * nearest that its block has, whose scale is chosen for its largest element; a block with an infinity or a NaN becomes
 * NaNs. Elements of blocks are rounded once, to f32. Do nothing for VKMM_PLAIN, or if count is no multiple. */
VKMM_API void vkmm_blocks_encode(vkmm_format format, const float *elements, uint64_t count, void *blocks);
VKMM_API void vkmm_blocks_decode(vkmm_format format, const void *blocks, uint64_t count, float *elements);

/* Quantised elements whose scales lie in an array of their own, as GPTQ, AWQ, ONNX and safetensors have them. An
 * element is scale · (code - zero point), or scale · the float that the code is. */
typedef struct vkmm_codes {
    uint64_t rows, k;     /* neighbours of a row are neighbours along K */
    const uint8_t *codes; /* rows × k, a byte each, also of 4 bits */
    const void *scales;   /* a scale for each group of each row, or of each band of rows */
    vkmm_type scale_type; /* F32, F16, BF16; U8: the bits of MXFP4's, MXFP8's and NVFP4's own scales */
    uint64_t group;       /* elements along K that share a scale; 0: k */
    uint64_t band;        /* rows that share scales, the last ones maybe fewer; 0: 1 */
    const uint8_t *zeros; /* a zero point for each scale, for Q4_Z and Q8_Z; NULL: `zero` */
    uint32_t zero;        /* of all groups; 0, without `zeros`: codes are in two's complement */
    uint32_t reserved[3];
} vkmm_codes;

/* Puts them into blocks, rows of k / elements of a block, on the host and without loss: Q8_0 and Q4_0 take scales that
 * are f16 numbers and no zero point but that of the middle (128, 8); Q4_Z and Q8_Z any zero point and F32; FP8_… an F32
 * for 128 elements or multiples of them; MXFP4, MXFP8_… and NVFP4 their own. Everything else is VKMM_INVALID. */
VKMM_API vkmm_status vkmm_blocks_join(vkmm_format format, const vkmm_codes *codes, void *blocks);

/* ---- Instance: the Vulkan loader and the devices it finds ---- */

typedef struct vkmm_instance vkmm_instance;

typedef struct vkmm_instance_params {
    vkmm_log log;          /* zero: silent */
    int validate;          /* non-zero: VK_LAYER_KHRONOS_validation with synchronization validation; without the layer:
                                  VKMM_UNSUPPORTED */
    const char *cache_dir; /* where compiled pipelines, tuning results and what `vkmatmul check` found are kept between
                              processes. NULL: the folder vkmatmul in $XDG_CACHE_HOME, or in ~/.cache, but nowhere in a
                              setuid program; "": nowhere. Created when first needed, for this user alone. Pipelines are
                              written when they are built. Damaged or stale files are reported to the log and ignored;
                              a folder that cannot be written is not an error */
} vkmm_instance_params;

/* Loads the Vulkan loader and lists the devices. VKMM_NO_DEVICE if there is no loader. VKMM_OK with a count of 0 if
 * there is a loader but no device. params may be NULL. */
VKMM_API vkmm_status vkmm_instance_create_sized(const vkmm_instance_params *params, size_t size,
                                                vkmm_instance **instance);
static inline vkmm_status vkmm_instance_create(const vkmm_instance_params *params, vkmm_instance **instance)
{
    return vkmm_instance_create_sized(params, sizeof *params, instance);
}
VKMM_API void vkmm_instance_destroy(vkmm_instance **instance);

/* How many warnings and errors the validation layer has reported so far; 0 without `validate`. */
VKMM_API uint32_t vkmm_instance_validation_messages(const vkmm_instance *instance);

/* A shape of matrix multiply-add that the device computes as one operation: D = A·B + C, A m×k, B k×n. The values are
 * those of VK_KHR_cooperative_matrix (VkComponentTypeKHR, VkScopeKHR). A plain value. */
typedef struct vkmm_matrix_shape {
    uint32_t m, n, k;
    uint32_t a, b, c, result; /* component types */
    uint32_t scope;
    int saturating;
} vkmm_matrix_shape;

/* The features of VK_NV_cooperative_matrix2 that a device has, as bits. */
enum {
    VKMM_MATRIX2_WORKGROUP = 1,   /* matrices of a whole workgroup */
    VKMM_MATRIX2_FLEXIBLE = 2,    /* of flexible dimensions */
    VKMM_MATRIX2_TENSOR = 4,      /* addressed as parts of a tensor, with bounds */
    VKMM_MATRIX2_BLOCK = 8,       /* decoded block by block while they are loaded */
    VKMM_MATRIX2_CONVERSION = 16, /* converted from one use or type to another */
    VKMM_MATRIX2_REDUCTION = 32,
    VKMM_MATRIX2_ELEMENTS = 64 /* a function for each element */
};

/* With flexible dimensions: any multiples of m, n and k are supported. */
typedef struct vkmm_matrix_granule {
    vkmm_matrix_shape of;
    uint32_t invocations; /* of a workgroup, where the scope is the workgroup; else 0 */
} vkmm_matrix_granule;

#define VKMM_MAX_MATRIX_SHAPES   64
#define VKMM_MAX_MATRIX_GRANULES 96

/* The driver of a device; versions in Vulkan's packing. */
typedef struct vkmm_device_driver {
    char name[VK_MAX_DRIVER_NAME_SIZE], info[VK_MAX_DRIVER_INFO_SIZE];
    uint8_t uuid[VK_UUID_SIZE];
    uint32_t id, version, api_version;
} vkmm_device_driver;

typedef struct vkmm_device_limits {
    uint32_t max_invocations;        /* maxComputeWorkGroupInvocations */
    uint32_t max_workgroup_size[3];  /* maxComputeWorkGroupSize */
    uint32_t max_workgroup_count[3]; /* maxComputeWorkGroupCount */
    uint32_t max_shared_bytes;       /* maxComputeSharedMemorySize */
    uint64_t max_storage_range;      /* maxStorageBufferRange, bytes that one binding can cover */
    uint32_t offset_alignment;       /* minStorageBufferOffsetAlignment */
    uint32_t timestamp_bits;         /* timestampValidBits of the queue used; 0: no timestamps */
    double timestamp_period_ns;      /* nanoseconds per tick */
} vkmm_device_limits;

typedef struct vkmm_device_subgroup {
    uint32_t size;
    uint32_t operations;         /* VkSubgroupFeatureFlags of compute shaders */
    int has_broadcast;           /* subgroupBroadcast in compute shaders: the ballot operations of a subgroup */
    uint32_t min_size, max_size; /* what a compute shader can ask for (subgroupSizeControl, computeFullSubgroups); 0:
                                    nothing */
    uint32_t max_count; /* of a workgroup that asks for their size (maxComputeWorkgroupSubgroups); 0: not known */
} vkmm_device_subgroup;

typedef struct vkmm_device_memory {
    uint64_t device_heap_bytes;    /* the largest device-local heap */
    uint64_t max_allocation_bytes; /* maxMemoryAllocationSize */
    uint64_t max_buffer_bytes;     /* maxBufferSize, or max_allocation_bytes where Vulkan 1.3 is missing */
    int is_unified; /* a device-local memory type is also host-visible and host-cached: no copies needed */
    uint32_t heap_count;
    VkMemoryHeap heaps[VK_MAX_MEMORY_HEAPS]; /* as Vulkan lists them; sizes in bytes */
} vkmm_device_memory;

typedef struct vkmm_device_features {
    int f64;                 /* shaderFloat64 */
    int f16, i8;             /* shaderFloat16, shaderInt8: arithmetic in such types */
    int storage16, storage8; /* storageBuffer16BitAccess, storageBuffer8BitAccess */
    int dot;                 /* shaderIntegerDotProduct, for users' shaders */
    int dot8; /* likewise, and the device accelerates four products of 8 bits and their sum: bits, 1 for i8, 2 for u8
                 (integerDotProduct4x8BitPackedSignedAccelerated, …UnsignedAccelerated). A processor has both */
    int bf16_matrices; /* VK_KHR_shader_bfloat16: matrix operations on bf16 */
    int statistics;    /* VK_KHR_pipeline_executable_properties: the driver reports statistics of compiled kernels */
} vkmm_device_features;

/* Matrix operations, as the device lists them. */
typedef struct vkmm_device_matrices {
    const char *refusal;  /* "", or why they are not used, whatever the device lists; static storage */
    uint32_t shape_count; /* of VK_KHR_cooperative_matrix */
    vkmm_matrix_shape shapes[VKMM_MAX_MATRIX_SHAPES];
    uint32_t matrix2;                        /* bits VKMM_MATRIX2_* of VK_NV_cooperative_matrix2 */
    uint32_t max_dimension, max_invocations; /* of a flexible matrix; of a workgroup that owns matrices */
    uint32_t reserved_bytes;                 /* of shared memory, where a workgroup owns matrices */
    uint32_t granule_count;
    vkmm_matrix_granule granules[VKMM_MAX_MATRIX_GRANULES]; /* valid with VKMM_MATRIX2_FLEXIBLE */
} vkmm_device_matrices;

#define VKMM_MAX_FINDINGS 128
#define VKMM_FINDING      48

/* What the last `vkmatmul check` of a device found with the driver that it has now; nothing of it is planned. */
typedef struct vkmm_device_check {
    char date[32]; /* UTC, "2026-11-21T12:00:00Z" */
    uint32_t finding_count;
    char findings[VKMM_MAX_FINDINGS][VKMM_FINDING]; /* "kernel NAME TYPE", with the type of A and B; or, of a matrix
                                                       shape, "matrix MxNxK A B C RESULT", with component types */
} vkmm_device_check;

/* Everything vkmatmul knows of a device: identity, the limits that its choices depend on, features. A plain value. */
typedef struct vkmm_device_info {
    uint32_t index; /* position in the loader's order, from 0 */
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    uint8_t uuid[VK_UUID_SIZE];
    uint32_t vendor_id, device_id;
    VkPhysicalDeviceType type;
    uint32_t processors; /* that run workgroups in parallel (streaming multiprocessors, compute units); 0: unknown */
    int has_pci;         /* VK_EXT_pci_bus_info: pci is valid */
    uint32_t pci[4];     /* domain, bus, device, function */
    vkmm_device_driver driver;
    vkmm_device_memory memory;
    vkmm_device_limits limits;
    vkmm_device_subgroup subgroup;
    vkmm_device_features features;
    vkmm_device_matrices matrices;
    const uint32_t *refused_kernels; /* by type of A and B: bits of kernels (vkmm_kernel_name) that are not chosen
                                        automatically; NULL: none are refused, as in an instance's devices */
    const vkmm_device_check *check;  /* kept in cache_dir; NULL: none with this driver. Owned by the instance */
} vkmm_device_info;

VKMM_API uint32_t vkmm_instance_device_count(const vkmm_instance *instance);

/* Devices that the loader lists and that cannot be used, each with the reason: "Old GPU" supports Vulkan 1.0; 1.1 is
 * the minimum. "": none. Owned by the instance. */
VKMM_API const char *vkmm_instance_left_out(const vkmm_instance *instance);

/* The version of the Vulkan loader, in Vulkan's packing; 0 without a loader. Starts no driver. */
VKMM_API uint32_t vkmm_loader_version(void);

/* Owned by the instance; NULL from vkmm_instance_device_count on. */
VKMM_API const vkmm_device_info *vkmm_instance_device_info(const vkmm_instance *instance, uint32_t index);

/* Finds one device. what is NULL or "" (the first discrete GPU, else integrated, virtual, CPU), an index ("1"), a UUID
 * (32 hexadecimal digits, dashes ignored), part of a device or driver name, in any case; or a kind of device, the best
 * of which is taken as above: "gpu", "cpu", or a vendor ("nvidia", "amd", "intel", "apple", "arm", "qualcomm",
 * "imagination"). VKMM_NO_DEVICE if nothing matches or a name matches several: the log names the candidates. */
VKMM_API vkmm_status vkmm_instance_find_device(const vkmm_instance *instance, const char *what, uint32_t *index);

/* Finds all matching devices, each once: every one that a name or kind matches, "all" (also NULL and ""), or a
 * comma-separated list of these, in its order. indices has room for vkmm_instance_device_count. VKMM_NO_DEVICE if there
 * is no device, or if some part of the list matches none. */
VKMM_API vkmm_status vkmm_instance_find_devices(const vkmm_instance *instance, const char *what, uint32_t *indices,
                                                uint32_t *count);

/* ---- Device ---- */

typedef struct vkmm_device vkmm_device;

VKMM_API vkmm_status vkmm_device_create(vkmm_instance *instance, uint32_t index, vkmm_device **device);
VKMM_API void vkmm_device_destroy(vkmm_device **device);

/* The simplest use: the product for host matrices, on any device, with the best kernel known. a, b, bias and c point to
 * vkmm_operand_bytes each, are aligned for their type and must not overlap. NULL is legal for an operand without
 * elements (the bias without has_bias), and for A and B if α is 0. In c, only the elements of its matrices are written.
 *   If A, B and C together have 6 MiB or more, or if a problem does not fit on the device, it is computed in panels,
 * which are copied and multiplied at the same time (vkmatmul_stream.h). Then c may be written in part before a failure;
 * otherwise only on VKMM_OK.
 *   Repeated calls. The first call for a problem plans, builds pipelines and allocates memory. This takes milliseconds
 * to tenths of a second, depending on the driver's compiler. The device keeps all of it: of the 8 most recently used
 * products without panels, and of the last one in panels, whose memory, pipelines and threads serve other such products
 * too. Each kind uses at most 1/16 of device_heap_bytes, copies in host memory included; larger ones are not kept. If
 * only α or β differs, only commands are recorded again. Threads that multiply at the same time each have their own.
 * What is kept is released with the device, or as soon as any allocation of device memory fails. A tuning result does
 * not change a product that is kept. This helps most with small products: on lavapipe, a repeated 64³ takes 0.5 ms of
 * processor time, and the first one 23 ms.
 *   Faster alternatives, if operands stay the same or are produced in place: a vkmm_job, whose memory you fill and read
 * yourself (vkmm_job_matrix), and device memory (vkmatmul_memory.h). */
VKMM_API vkmm_status vkmm_multiply(vkmm_device *device, const vkmm_problem *problem, const void *a, const void *b,
                                   const void *bias, void *c);

/* ---- Kernels ---- */

#define VKMM_MAX_SPEC_CONSTANTS 40
#define VKMM_CONFIG_TEXT        192

/* A kernel as it will run: filled by the planner, never by the user. A plain value. */
typedef struct vkmm_kernel_info {
    char name[32];
    uint32_t tile[2];      /* rows and columns of C that one workgroup computes at a time */
    uint32_t workgroup[3]; /* invocations along x, y, z */
    uint32_t groups[3];    /* workgroups dispatched */
    uint32_t shared_bytes; /* of shared memory per workgroup */
    uint32_t spec_count;
    uint32_t spec_ids[VKMM_MAX_SPEC_CONSTANTS], spec_values[VKMM_MAX_SPEC_CONSTANTS]; /* specialization constants */
    /* General kernels only (vkmm_kernel_is_general); otherwise "" and zeros: */
    char config[VKMM_CONFIG_TEXT]; /* all tunables: "rows=128,cols=128,depth=16,…" */
    int tuned;       /* the configuration was measured, here (vkmm_tune_*) or on a similar device, and is not from the
                        planner's rules */
    uint32_t splits; /* parts of K; above 1, a second pass adds them up in a fixed order */
    uint64_t items;  /* work items, distributed over workgroups: tiles · splits · matrices of the batch */
    uint64_t workspace_bytes; /* device memory for the sums of the parts and for packed operands */
    uint32_t matrix[3];       /* m, n, k of the matrix operations used; zeros: none */
    uint32_t subgroup_size;   /* the requested size; 0: the driver's choice */
    int uses_dot8;            /* dot products of four bytes (features.dot8) */
    int uses_matrices;        /* matrix operations, either of the shape in `matrix` or of flexible dimensions */
    uint64_t packed_bytes;    /* part of workspace_bytes: A, B or both, packed (vkmm_job_params.pack) or as residues */
    uint32_t moduli;          /* of a modular or reproducible product; 0: another kind of product */
    vkmm_type residues;       /* of a modular product: the type in which residues are multiplied, VKMM_I8 or VKMM_I32 */
    uint32_t sum_bytes;       /* of each of their sums in memory: 4, or 1, if the kernel stores remainders */
    uint32_t products;   /* of a modular product: products of residues; fewer than `moduli` if these exceed 8 bits */
    uint32_t whole_rows; /* the first rows of C, computed with all of K at once; only the others use `splits` parts */
    vkmm_method method;  /* how it multiplies, perhaps otherwise than asked for */
} vkmm_kernel_info;

/* The names of the kernels: in the order of the tutorials "serial", "naive", "grouped", "tiled", "band",
 * "band-tiled", which compute the plain product; then the general ones, "blocked", "skinny", "cpu", "direct",
 * "coopmat" and "skinnymat", which use matrix operations, and "soft64", software f64. NULL past the end. */
VKMM_API const char *vkmm_kernel_name(uint32_t index);

/* One sentence on what the kernel does; NULL past the end. */
VKMM_API const char *vkmm_kernel_summary(uint32_t index);

/* Whether the kernel takes every vkmm_problem, and has tunables; the others take packed row-major products of one
 * matrix. */
VKMM_API int vkmm_kernel_is_general(const char *name);

/* Whether this build has the kernel's shader for some problem of the type (a compiler that lacks an extension leaves
 * it out). */
VKMM_API int vkmm_kernel_built(const char *name, vkmm_type type);

/* A user's shader. Contract: bindings 0, 1, 2 of set 0 are A, B, C; push constants M, N, K (uint32 each, offsets 0, 4,
 * 8); constant ids 0 and 1 are the workgroup's x and y, 2 and 3 the tile's rows and columns, 4 the tile's depth along
 * K. One workgroup owns one tile of C: gl_WorkGroupID.x counts tiles along N, .y along M. See vkmatmul(1). */
typedef struct vkmm_shader vkmm_shader;

/* Compiles GLSL with libshaderc, loaded at run time. text is `bytes` long; name is shown in messages ("FILE:LINE:
 * error: …"). type sets the macro T (float, double, int, uint). VKMM_INVALID: the shader has errors;
 * VKMM_UNSUPPORTED: no libshaderc, or built without it. */
VKMM_API vkmm_status vkmm_shader_compile(const vkmm_log *log, const char *name, const char *text, size_t bytes,
                                         vkmm_type type, vkmm_shader **shader);

/* The same from SPIR-V: `bytes` at `words`, of any alignment, which are copied; type says what its buffers hold. It
 * must be valid according to the library SPIRV-Tools, which is loaded at run time unless it is part of the build. Both
 * kinds of shader are checked before a driver sees them: the contract now, and the device's capabilities when a job is
 * created. VKMM_INVALID: the module is not valid, or breaks the contract; VKMM_UNSUPPORTED: it needs a version, a
 * capability or an extension of SPIR-V that is not available, or SPIRV-Tools is missing. */
VKMM_API vkmm_status vkmm_shader_load(const vkmm_log *log, const char *name, const void *words, size_t bytes,
                                      vkmm_type type, vkmm_shader **shader);
VKMM_API void vkmm_shader_destroy(vkmm_shader **shader);

/* ---- Job: a problem on a device, with its memory; run it, time it ---- */

typedef struct vkmm_job vkmm_job;

/* Packing copies an operand, on the device, into a layout that a general kernel reads fastest: rows that begin and end
 * at multiples of 16 bytes, transposed if that helps. As bits: */
enum {
    VKMM_PACK_A = 1,    /* A is packed, whatever that costs */
    VKMM_PACK_B = 2,    /* B is */
    VKMM_PACK_ONCE = 4, /* these are packed by vkmm_job_run alone, like weights, and not again for each product that is
                           timed */
    VKMM_PACK_NEVER = 8 /* no others are packed; by default they are where that is known to be faster */
};

typedef struct vkmm_job_params {
    vkmm_problem problem;
    const char *kernel;            /* NULL or "auto": the fastest legal kernel known; for a plain product with a tile,
                                      and without config, "tiled" */
    uint32_t tile_rows, tile_cols; /* 0: the kernel's default on this device */
    const vkmm_shader *shader;     /* NULL, or run this instead of a built-in kernel; must outlive the job */
    const char *config; /* NULL, or tunables of a general kernel, "rows=64,cols=64"; the planner sets the others */
    int untuned;        /* non-zero: tuning results are ignored, also those of other devices */
    uint32_t pack;      /* bits VKMM_PACK_* */
    uint32_t moduli;    /* of a modular product, 13 to 18; 0: as many as the data needs; in panels, 15, or 18 where
                           software would have to compute what these do not hold. Of a reproducible one, the least: f64
                           13 to 18, f32 8 to 11 */
    uint64_t reserved[4];
} vkmm_job_params;

/* Plans the kernel and allocates the memory. device may be NULL for the kernel "serial", which runs on the host. log
 * NULL: the device's instance's log. Illegal tiles and sizes: VKMM_UNSUPPORTED or VKMM_INVALID; the message has the
 * limit, the value and the nearest legal choice. */
VKMM_API vkmm_status vkmm_job_create_sized(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params,
                                           size_t size, vkmm_job **job);
static inline vkmm_status vkmm_job_create(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params,
                                          vkmm_job **job)
{
    return vkmm_job_create_sized(device, log, params, sizeof *params, job);
}
VKMM_API void vkmm_job_destroy(vkmm_job **job);

VKMM_API const vkmm_kernel_info *vkmm_job_kernel(const vkmm_job *job); /* owned by the job */

/* The host address of an operand's memory (vkmm_operand_bytes), writable before a run, readable for C after one;
 * valid as long as the job. With unified memory this is the device's memory, so nothing is stored twice. */
VKMM_API void *vkmm_job_matrix(vkmm_job *job, vkmm_operand operand);

/* Whether C's memory is an input too: β is not 0, or there are gaps between its matrices, whose values are
 * preserved. */
VKMM_API int vkmm_job_reads_c(const vkmm_job *job);

/* Fills the guard bands around every operand, and C unless it is an input, with a canary (a NaN for floats),
 * uploads, multiplies, downloads. VKMM_WRONG_RESULT when a guard band of C was written to: the kernel stored outside
 * its matrix. A dispatch that would take longer than about 200 ms is split, as far as the kernel allows
 * (vkmm_kernel_is_general): desktops reset a device that seems to hang. */
VKMM_API vkmm_status vkmm_job_run(vkmm_job *job);

/* How the last product was multiplied: VKMM_COMPUTE_DIRECT, with a warning in the log, if the operands of a split one
 * have an infinity, a NaN, a subnormal number, or an element below 2^-33 of the largest of its row (of op(A)) or column
 * (of op(B)), or below 2^-31 where both A and B have such small ones (doc/precision.md); or if an element of C is a sum
 * of fewer than 16 products that are not 0, on average. The device decides, and is asked once for each product. */
VKMM_API vkmm_status vkmm_job_method(vkmm_job *job, vkmm_method *method);

/* Distribution of repeated measurements, milliseconds; percentiles by linear interpolation between order statistics. */
typedef struct vkmm_series {
    const double *samples; /* in the order taken; owned by the job */
    uint32_t count;        /* 0: not measured; the other figures are then 0 */
    double median, min, p5, p95;
} vkmm_series;

typedef enum vkmm_clock { VKMM_CLOCK_DEVICE = 0, VKMM_CLOCK_HOST = 1 } vkmm_clock;

typedef struct vkmm_measure_params {
    uint32_t iters;          /* exactly this many samples; 0: until the median is stable */
    uint32_t cold_iters;     /* untimed dispatches first; 0 with warm_by_time: by time */
    int cold_iters_given;    /* non-zero: cold_iters applies, even if it is 0 */
    double min_time_ms;      /* at least this much kernel time in samples; 0: 200 */
    double max_time_ms;      /* give up waiting for a stable median after this; 0: 3000 */
    double warm_time_ms;     /* keep the device busy this long first; 0: 500 */
    int skip_transfers;      /* non-zero: leave out the series with transfers */
    int cross_check;         /* non-zero: check the device's clock against the slope of the host's over growing batches
                                (slope_ms). A clock found wrong is not trusted in the job's later
                                measurements either, until a check clears it */
    uint64_t rotating_bytes; /* not 0: copies of A, B and C are used in turn, as many as fill this many bytes, so that
                                no cache holds the next one. Allocated on the device by the first measurement that needs
                                them; VKMM_OUT_OF_MEMORY if that fails. C is then that of the first copy */
    int last_run;            /* non-zero: nothing runs; each series has one sample, the time that the last vkmm_job_run
                                took, copies included in `submit`. VKMM_INVALID without one. Other fields are ignored */
} vkmm_measure_params;

typedef struct vkmm_measurement {
    vkmm_series kernel;   /* the dispatch alone, by `clock` */
    vkmm_series submit;   /* vkQueueSubmit to the fence, host clock */
    vkmm_series transfer; /* upload of A and B, dispatch, download of C, host clock */
    vkmm_clock clock;
    const char *clock_note;       /* why the host clock was used; "" otherwise; static storage */
    vkmm_series upload, download; /* the copies within `transfer`, by the device's clock; empty where nothing is copied,
                                     or where the device has no timestamps */
    double
        slope_ms; /* one dispatch by the host's clock: the slope of wall time over batches of growing length (Theil and
                     Sen's median of slopes); 0: not asked for, or the dispatch is long enough to need no batches */
    uint32_t copies; /* of the operands, used in turn; 1: no rotation */
    int mapped;      /* non-zero: unified memory, so transfers copy nothing */
    int stable;      /* the 95 % interval of the median is within ±1 % */
} vkmm_measurement;

/* Warms up, then times. A and B must hold data; C then holds the last product, including β times the result of the run
 * before. params may be NULL. */
VKMM_API vkmm_status vkmm_job_measure_sized(vkmm_job *job, const vkmm_measure_params *params, size_t size,
                                            vkmm_measurement *measurement, size_t measurement_size);
static inline vkmm_status vkmm_job_measure(vkmm_job *job, const vkmm_measure_params *params,
                                           vkmm_measurement *measurement)
{
    return vkmm_job_measure_sized(job, params, sizeof *params, measurement, sizeof *measurement);
}

/* ---- Tune: find the fastest configuration by measuring ---- */

/* A kernel and its tunables, as vkmm_job_params takes them. */
typedef struct vkmm_candidate {
    char kernel[32];
    char config[VKMM_CONFIG_TEXT]; /* "": the kernel has no tunables */
} vkmm_candidate;

/* A search for the fastest configuration. It proposes candidates one at a time, each legal on the device, and the
 * caller reports how fast they were; the next proposal depends on that. It makes no Vulkan calls: the caller measures,
 * in any process, and checks the products. An instance must outlive its searches. */
typedef struct vkmm_tune vkmm_tune;

typedef struct vkmm_tune_params {
    vkmm_problem problem;
} vkmm_tune_params;

VKMM_API vkmm_status vkmm_tune_create_sized(vkmm_instance *instance, const vkmm_device_info *device,
                                            const vkmm_tune_params *params, size_t size, vkmm_tune **tune);
static inline vkmm_status vkmm_tune_create(vkmm_instance *instance, const vkmm_device_info *device,
                                           const vkmm_tune_params *params, vkmm_tune **tune)
{
    return vkmm_tune_create_sized(instance, device, params, sizeof *params, tune);
}
VKMM_API void vkmm_tune_destroy(vkmm_tune **tune);

/* The candidate to measure; the same until vkmm_tune_tell. The planner's own choice comes first, then the result of
 * vkmm_tuned_get, if any. Returns 0 if all are known. */
VKMM_API int vkmm_tune_next(vkmm_tune *tune, vkmm_candidate *candidate);

/* Reports the result of a candidate: the median of its kernel times, or 0 if it failed, hung or gave a wrong product;
 * it is then not proposed again. The first report on a candidate is kept, unless a later one is a failure. */
VKMM_API vkmm_status vkmm_tune_tell(vkmm_tune *tune, const vkmm_candidate *candidate, double ms);

/* The candidate at a place of the ranking (0: the fastest so far) and its time. Failed candidates are not ranked.
 * Returns 0 past the end. */
VKMM_API int vkmm_tune_ranked(const vkmm_tune *tune, uint32_t place, vkmm_candidate *candidate, double *ms);

/* The progress of the search; a plain value. */
typedef struct vkmm_tune_state {
    uint32_t size;             /* candidates, as far as is known in advance */
    uint32_t measured, failed; /* reported with a time, and without */
    vkmm_candidate planned;    /* the planner's own choice, */
    double planned_ms;         /* and its time; 0: not known, or it failed */
} vkmm_tune_state;
VKMM_API vkmm_tune_state vkmm_tune_look(const vkmm_tune *tune);

/* The result of a tune, which the caller stores (vkmm_tuned_put). The key is device UUID, driver UUID and version,
 * shader hash, type, ops, alignment and class of shape (the extents' rounded logarithms): similar problems share a
 * result. */
typedef struct vkmm_tuned {
    vkmm_candidate best;
    double gflops;         /* median, kernel time */
    double planned_gflops; /* of the planner's own choice, in the same tune */
    uint32_t candidates;   /* measured */
} vkmm_tuned;

/* Reads from and adds to the tuning results in the instance's cache_dir. get: 0 if there is no result. put: the caller
 * has verified a product of this configuration, because later products use it without a check. It replaces an
 * existing result; VKMM_INVALID if a name lacks its terminating zero or cannot be stored. The file is written
 * atomically and keeps other processes' results. */
VKMM_API int vkmm_tuned_get(vkmm_instance *instance, const vkmm_device_info *device, const vkmm_problem *problem,
                            vkmm_tuned *tuned);
VKMM_API vkmm_status vkmm_tuned_put(vkmm_instance *instance, const vkmm_device_info *device,
                                    const vkmm_problem *problem, const vkmm_tuned *tuned);

/* Copies all results (of every device) to a file, or a file's results into the cache. If two results have the same key,
 * the newer is kept. *count: results copied. VKMM_INVALID: the file cannot be read or written, has another version, or
 * is damaged; the cache is then unchanged. */
VKMM_API vkmm_status vkmm_tuned_export(vkmm_instance *instance, const char *path, uint32_t *count);
VKMM_API vkmm_status vkmm_tuned_import(vkmm_instance *instance, const char *path, uint32_t *count);

#ifdef __cplusplus
}
#endif

#include "vkmatmul_memory.h"
#include "vkmatmul_stream.h"

#endif
