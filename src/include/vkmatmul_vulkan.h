/* vkmatmul_vulkan.h: matrix products inside another Vulkan program. The program lends its device, and products are
 * recorded into its own command buffers, between its own dispatches. doc/embedding.md is an introduction.
 *
 *   1. vkmm_device_requirements says what is worth enabling when the VkDevice is created.
 *   2. vkmm_device_import borrows the device.
 *   3. vkmm_gemm_create plans and compiles a product, once.
 *   4. vkmm_gemm_record records it, as often as needed.
 *
 * Synchronization  belongs to the caller. A recording reads A, B, the bias, the scalars and the routing, and C if β is
 *                  not 0, and writes C, the workspace and the routing's status, all in VKMM_STAGE. Its own passes are
 *                  ordered by barriers inside the recording; recordings are not ordered among each other. Before it,
 *                  the caller makes earlier writes visible to VKMM_STAGE and VKMM_ACCESS; after it, VKMM_STAGE and
 *                  VK_ACCESS_SHADER_WRITE_BIT to whatever reads C. Two recordings that share a workspace, or a
 *                  routing, need such a barrier between them.
 * State            A recording binds a pipeline and set 0 at VK_PIPELINE_BIND_POINT_COMPUTE and sets push constants:
 *                  the caller binds its own again afterwards. It must be outside a render pass.
 * Threads          A device and a gemm may be used by several threads at once, each with command buffers of its own;
 *                  see vkmm_gemm_bindings.slot. While one is destroyed, nothing else may use it.
 * Ownership        Everything that the caller lends stays the caller's: nothing is submitted, no queue is used, no
 * memory is allocated on the device. A borrowed device must be destroyed before the VkDevice, and a gemm before its
 * device and after the last execution of its recordings.
 */
#ifndef VKMATMUL_VULKAN_H
#define VKMATMUL_VULKAN_H

#include "vkmatmul.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VKMM_STAGE  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
#define VKMM_ACCESS (VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT)

/* ---- What to enable ---- */

/* What a device offers, and what enabling it buys. */
typedef struct vkmm_requirement {
    const char *extension; /* "": the feature is part of the version of Vulkan in use */
    const char *feature;   /* the member of its structure, "shaderFloat16"; "": the extension has none */
    const char *buys;      /* "f16 arithmetic" */
    int required;          /* without it, some of the requested types are computed in software, which is slow */
} vkmm_requirement;

typedef struct vkmm_requirements vkmm_requirements;

typedef struct vkmm_requirements_params {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    uint32_t api_version;   /* VkApplicationInfo.apiVersion of the instance; at least Vulkan 1.1 */
    const vkmm_type *types; /* of A and B, that will be multiplied; NULL: all that the device can */
    uint32_t type_count;
    vkmm_log log; /* zero: silent */
} vkmm_requirements_params;

/* Finds out what of a device is required, and what is worth having. Creates nothing on it. VKMM_UNSUPPORTED: the device
 * cannot be used, or lacks what is required; the log has the reason. */
VKMM_API vkmm_status vkmm_device_requirements_sized(const vkmm_requirements_params *params, size_t size,
                                                    vkmm_requirements **requirements);
static inline vkmm_status vkmm_device_requirements(const vkmm_requirements_params *params,
                                                   vkmm_requirements **requirements)
{
    return vkmm_device_requirements_sized(params, sizeof *params, requirements);
}
VKMM_API void vkmm_requirements_destroy(vkmm_requirements **requirements);

/* What the device supports of all that the library can use, the required first; *count: how many. */
VKMM_API const vkmm_requirement *vkmm_requirements_list(const vkmm_requirements *requirements, uint32_t *count);

/* The names of the extensions in the list, each once. Static storage, as are all texts of the list. */
VKMM_API const char *const *vkmm_requirements_extensions(const vkmm_requirements *requirements, uint32_t *count);

/* Sets the features of the list in the chain that starts at *features and is to become VkDeviceCreateInfo.pNext: in
 * the caller's structures if they have them, those of whole versions of Vulkan included; what no structure has is
 * appended, in structures that belong to *requirements and are valid as long as it is: for one chain. Features that the
 * caller has set stay set. VKMM_INVALID: those structures are part of another chain already. */
VKMM_API vkmm_status vkmm_requirements_merge(vkmm_requirements *requirements, VkPhysicalDeviceFeatures2 *features);

/* ---- Borrowing a device ---- */

typedef struct vkmm_import_params {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t api_version;          /* VkApplicationInfo.apiVersion of the instance; at least Vulkan 1.1 */
    uint32_t queue_family;         /* to which command buffers with products will be submitted; it supports compute */
    const char *const *extensions; /* enabled device extensions */
    uint32_t extension_count;
    const VkPhysicalDeviceFeatures2 *features; /* enabled features, with their chain; NULL: none. What the library does
                                                  not find here it does not use, even if the device has it */
    VkPipelineCache pipeline_cache;            /* used for all pipelines; NULL: the library's own, kept in cache_dir */
    const char *cache_dir;                     /* as in vkmm_instance_params */
    vkmm_log log;                              /* zero: silent */
} vkmm_import_params;

/* Borrows a device. Only pipelines, layouts, descriptor sets and a pipeline cache are created on it.
 * What is not enabled costs kernels, not correctness: vkmm_device_lacks lists it. Functions that would submit work or
 * allocate memory on a borrowed device (vkmm_multiply, vkmm_job_create, vkmm_stream_create, …) return VKMM_UNSUPPORTED.
 * Destroyed by vkmm_device_destroy, which does not wait for the device. */
VKMM_API vkmm_status vkmm_device_import_sized(const vkmm_import_params *params, size_t size, vkmm_device **device);
static inline vkmm_status vkmm_device_import(const vkmm_import_params *params, vkmm_device **device)
{
    return vkmm_device_import_sized(params, sizeof *params, device);
}

/* As the library sees the device: features that are not enabled are missing. Owned by the device. */
VKMM_API const vkmm_device_info *vkmm_device_describe(const vkmm_device *device);

/* The Vulkan objects behind a device, borrowed or not. */
typedef struct vkmm_handles {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t queue_family; /* for command buffers with products */
    VkQueue queue;         /* NULL for a borrowed device. The library submits to it in every call that computes: the
                              program must not submit to it at the same time */
} vkmm_handles;

/* Fills handles, so that a program can record products on a device of vkmm_device_create, too. The objects stay the
 * device's, or its lender's. */
VKMM_API vkmm_status vkmm_device_handles(const vkmm_device *device, vkmm_handles *handles);

/* What the physical device supports, the library could use, and is not enabled. Owned by the device; none for a device
 * of vkmm_device_create. */
VKMM_API const vkmm_requirement *vkmm_device_lacks(const vkmm_device *device, uint32_t *count);

/* ---- A product to record ---- */

typedef struct vkmm_gemm vkmm_gemm;

/* Extents that are given when a product is recorded. */
enum { VKMM_DYNAMIC_M = 1, VKMM_DYNAMIC_N = 2 };

/* A product by experts (mixture of experts): the first rows of A are multiplied by the first matrix of B, the next ones
 * by the second, and so on. B has E matrices, stride_b elements apart; the rows of each are counted on the device when
 * the recording executes, and problem.m bounds their sum. Rows above the bound are dropped, the last ones first, and
 * counted in the status. The routing is one binding of 32-bit words:
 *
 *     1  the status, which a recording writes: the number of dropped rows
 *     E  the rows of each expert
 *     m  the slot of each row, in the experts' order; only with gather or scatter
 *     m  the f32 scale of each slot; only with scatter
 *
 * A token that goes to several experts has a slot for each: with k of them, token t has slots t·k … t·k + k - 1, the
 * places of a router's result, and m is k times the number of tokens. The list of slots is thus the router's result,
 * sorted by expert; no slot may occur twice. gather = k reads A's row slot / k for a row. scatter = k writes C's row t
 * as the sum of its slots' rows, each multiplied by its scale after the activation, in the order of the slots: the same
 * bits in each run. A slot without a row counts as zeros; a slot from m on reads zeros and is stored nowhere.
 * Without scatter, rows of C that no expert has stay as they are.
 *
 * A, B and C may be f16, bf16, f8 or f32 with sums of f32, B also in blocks. Requires row-major matrices, A not
 * transposed, β 0, no bias, no batch, and no vkmm_gemm_bindings.products. Kernels: skinny, coopmat, blocked. */
typedef struct vkmm_gemm_params {
    vkmm_job_params job; /* of a general kernel, without a tile or a shader. problem: with dynamic extents, the largest
                            M and N; lda, ldb and ldc are the same for all. method: other than VKMM_COMPUTE_DIRECT
                            without dynamic extents, scalars_in_memory, several expected products, and packed operands,
                            of which W8A8 may have one. moduli: 0 is as in panels. pack: VKMM_PACK_A, VKMM_PACK_B: bound
                            in the layout of vkmm_gemm_pack. VKMM_PACK_NEVER: recordings never copy A or B. By default
                            they copy one that is misaligned, or that holds bytes not along K, into the workspace where
                            that is known to be faster; but not with dynamic extents, packed operands or several
                            expected products. Blocks that the kernel does not read are unpacked in each recording
                            unless they are packed; their lines cannot be dynamic then */
    uint32_t dynamic;    /* bits VKMM_DYNAMIC_* */
    int scalars_in_memory; /* non-zero: α and β are read on the device (vkmm_gemm_bindings.scalars) */
    uint32_t offset_step;  /* offsets of vkmm_gemm_product are multiples of this many elements; 0: of as many as fill
                              16 bytes, or as a block has. Smaller steps may cost speed */
    uint32_t slots;        /* recordings that can be pending at once where the device has no push descriptors (see
                              vkmm_gemm_bindings.slot); 0: 1 */
    VkPipelineCache pipeline_cache; /* instead of the device's; NULL: the device's */
    uint32_t expected_products;     /* of a recording, roughly: many of them fill a device that one would not; 0: 1 */
    uint32_t experts;               /* E: a product by experts, see above; 0: an ordinary one */
    uint32_t gather;                /* slots of a row of A; 0: A's rows lie in the experts' order */
    uint32_t scatter;               /* slots of a row of C; 0: C's rows are in the experts' order */
} vkmm_gemm_params;

/* What a gemm is and needs. A plain value. */
typedef struct vkmm_gemm_info {
    const vkmm_kernel_info *kernel; /* for the largest extents */
    uint64_t bytes[4];        /* that a binding must have, by vkmm_operand, for the largest extents and no offsets of
                                 vkmm_gemm_product; packed operands: the size of their packed layout; 0: not used */
    uint64_t workspace_bytes; /* 0: none. kernel->packed_bytes of them are for copies of A and B */
    VkBufferUsageFlags workspace_usage; /* of the workspace's buffer, at least: for other methods also
                                           INDIRECT_BUFFER and TRANSFER_DST, which recordings order by themselves */
    uint64_t scalar_bytes;     /* of α and of β in vkmm_gemm_bindings.scalars, which has twice as many; 0: not used */
    uint64_t offset_alignment; /* of all VkBuffer offsets: minStorageBufferOffsetAlignment */
    uint64_t routing_bytes;    /* of vkmm_gemm_bindings.routing; 0: not used */
    int reads_c;               /* C's memory is read: β is not known to be 0, or C's elements share words. A β that is
                                  given in vkmm_gemm_bindings reads C in any case */
    int uses_slots;            /* non-zero: the device has no push descriptors */
    double compile_ms;
} vkmm_gemm_info;

/* Plans a product and compiles its pipelines: the only slow call. May be called by any thread, several at once.
 * VKMM_INVALID or VKMM_UNSUPPORTED as vkmm_job_create. The device may be borrowed or not. */
VKMM_API vkmm_status vkmm_gemm_create_sized(vkmm_device *device, const vkmm_gemm_params *params, size_t size,
                                            vkmm_gemm **gemm);
static inline vkmm_status vkmm_gemm_create(vkmm_device *device, const vkmm_gemm_params *params, vkmm_gemm **gemm)
{
    return vkmm_gemm_create_sized(device, params, sizeof *params, gemm);
}
VKMM_API void vkmm_gemm_destroy(vkmm_gemm **gemm);
VKMM_API const vkmm_gemm_info *vkmm_gemm_describe(const vkmm_gemm *gemm); /* owned by the gemm */

/* A part of a storage buffer (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT). bytes is at most maxStorageBufferRange and, for
 * types narrower than 32 bits and for blocks, a multiple of 4. */
typedef struct vkmm_binding {
    VkBuffer buffer;
    VkDeviceSize offset, bytes;
} vkmm_binding;

/* One of several products of a recording, which share operands' buffers: an array of offsets is a batch without a
 * fixed stride, and a different M for each is a grouped product. Products of a recording must not overlap in C, nor
 * share a word of 32 bits of it. They run at the same time unless they share a workspace. (Synchronization validation
 * may report that, because it takes each of them to write all that is bound.) */
typedef struct vkmm_gemm_product {
    uint32_t m, n;                         /* used where they are dynamic; 0 is an empty product */
    uint64_t offset_a, offset_b, offset_c; /* elements, added to the problem's; multiples of offset_step. Packed
                                              operands: from the beginning of what is bound, in the packed layout; so
                                              several weights, packed one after the other, are info.bytes apart */
} vkmm_gemm_product;

typedef struct vkmm_gemm_bindings {
    vkmm_binding a, b, c, bias, workspace, scalars; /* what vkmm_gemm_info does not ask for is ignored */
    const double *alpha, *beta;        /* NULL: the problem's. Ignored with scalars_in_memory: `scalars` then holds α
                                          and β, in f32 (f64; i32 or u32 for integers) */
    const vkmm_gemm_product *products; /* NULL: one, at no offset, with the problem's extents */
    uint32_t product_count;            /* of products; 0 with products: nothing is recorded */
    uint32_t slot; /* With push descriptors: ignored. Otherwise less than vkmm_gemm_params.slots; a slot holds the
                      bindings of one recording, from vkmm_gemm_record until that command buffer has been executed for
                      the last time, or reset. Two threads must not use one slot at the same time */
    vkmm_binding routing; /* of a product by experts */
    uint64_t reserved[1];
} vkmm_gemm_bindings;

/* Records the product into a command buffer that is being recorded, for a queue of the device's family. Allocates
 * nothing, submits nothing, logs nothing. VKMM_INVALID, and nothing is recorded, if an argument is NULL or breaks what
 * is said above (vkmm_last_error); a correct program needs no check. */
VKMM_API vkmm_status vkmm_gemm_record(const vkmm_gemm *gemm, VkCommandBuffer command,
                                      const vkmm_gemm_bindings *bindings);

/* For programs under development: whether vkmm_gemm_record would accept these bindings. VKMM_INVALID: the log of the
 * device has one sentence on the first fault, with the value and the limit. */
VKMM_API vkmm_status vkmm_gemm_check(const vkmm_gemm *gemm, const vkmm_gemm_bindings *bindings);

/* Records the conversion of an operand (A or B, named in vkmm_gemm_params.job.pack) from the layout of the problem into
 * the fastest one for this gemm, vkmm_gemm_info.bytes long. Weights are packed once; the result is valid for this gemm
 * and for others with the same device, problem and kernel configuration. `slot` as above. */
VKMM_API vkmm_status vkmm_gemm_pack(const vkmm_gemm *gemm, VkCommandBuffer command, vkmm_operand operand,
                                    const vkmm_binding *from, const vkmm_binding *to, uint32_t slot);

#ifdef __cplusplus
}
#endif

#endif
