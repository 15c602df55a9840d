#include "kernel/user.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "kernel/contract.h"

/* Numbers of the SPIR-V specification, unified1; those of instructions are in the table at the end. */
enum { OP_TYPE_BOOL = 20, OP_TYPE_INT = 21, OP_TYPE_FLOAT = 22, OP_TYPE_ARRAY = 28, OP_TYPE_STRUCT = 30 };
enum { OP_SPEC_COMPOSITE = 51 };
enum { OP_ADD = 128, OP_SUBTRACT = 130, OP_MULTIPLY = 132, OP_DIVIDE = 134 };
enum { SPEC_ID = 1, BLOCK = 2, BUFFER_BLOCK = 3, ARRAY_STRIDE = 6, BUILT_IN = 11, BINDING = 33, SET = 34, OFFSET = 35 };
enum { INPUT = 1, UNIFORM = 2, SHARED = 4, PRIVATE = 6, FUNCTION = 7, PUSH = 9, BUFFER = 12 }; /* storage classes */

enum { HEADER_WORDS = 5, MAGIC = 0x07230203, GL_COMPUTE = 5, LOCAL_SIZE = 17, WORKGROUP_SIZE = 25, PUSH_BYTES = 12 };
enum { MOST_IDS = 0x3fffff /* Vulkan's own limit */, MOST_IDS_PER_WORD = 16 };

/* What the module has said about an id so far: decorations come before types, and types and constants before their
 * uses, so a single pass is enough. */
typedef struct about {
    uint32_t opcode;           /* of a type's definition */
    uint32_t pointee;          /* of a pointer */
    uint32_t value;            /* of a constant of 32 bits; 0: not known */
    uint32_t set, binding;     /* 1 + the number; 0: none */
    uint32_t spec;             /* 1 + SpecId */
    uint32_t built_in;         /* 1 + the built-in */
    uint32_t stride;           /* of an array's elements */
    uint32_t offset, farthest; /* of a struct: the highest offset, and 1 + the member that has it */
    uint32_t block;            /* BLOCK, BUFFER_BLOCK or 0 */
    uint64_t bytes;            /* that the type takes at least; 0: not known */
} about;

typedef struct reader {
    const char *name;
    const vkmm_device_info *device; /* NULL: any */
    const vkmm_kernel_info *kernel; /* NULL: specialization constants have their own values */
    const uint32_t *at;             /* the instruction */
    uint32_t opcode, length;        /* its number and its words */
    about *ids;                     /* [0] stands for ids beyond the bound */
    uint32_t bound;
    int has_entry;
    int sized_by_constants; /* specialization constants say how large a workgroup is */
    uint32_t size[3];       /* of a workgroup; 0: not known */
    uint64_t shared_bytes;  /* as far as they are known */
} reader;

static uint32_t word(const reader *r, uint32_t i)
{
    return i < r->length ? r->at[i] : 0;
}

static about *about_id(const reader *r, uint32_t id)
{
    return &r->ids[id < r->bound ? id : 0];
}

/* The text from word i on, cut to fit. */
static void copy_text(const reader *r, uint32_t i, char *text, size_t size)
{
    for (size_t used = 0; used < size; used++)
        text[used] = (char)(word(r, i + (uint32_t)used / 4) >> 8 * (used % 4) & 0xff);
    text[size - 1] = '\0';
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t all = 0;
    return vkmm_mul_u64(a, b, &all) ? all : UINT64_MAX;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t all = 0;
    return vkmm_add_u64(a, b, &all) ? all : UINT64_MAX;
}

/* What a capability needs of a device. Those without a feature are never enabled: only their names are used. */
static const struct capability {
    uint32_t number;
    const char *name, *feature;
    size_t field;      /* an int of vkmm_device_info; 0: none */
    uint32_t subgroup; /* VkSubgroupFeatureFlags */
} capabilities[] = {
#define FIELD(name) offsetof(vkmm_device_info, features.name)
    {0, "Matrix", "", 0, 0},
    {1, "Shader", "", 0, 0},
    {9, "Float16", "shaderFloat16", FIELD(f16), 0},
    {10, "Float64", "shaderFloat64", FIELD(f64), 0},
    {39, "Int8", "shaderInt8", FIELD(i8), 0},
    {61, "GroupNonUniform", "subgroups in compute shaders", 0, VK_SUBGROUP_FEATURE_BASIC_BIT},
    {62, "GroupNonUniformVote", "subgroup votes", 0, VK_SUBGROUP_FEATURE_VOTE_BIT},
    {63, "GroupNonUniformArithmetic", "subgroup arithmetic", 0, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
    {64, "GroupNonUniformBallot", "subgroup ballots", 0, VK_SUBGROUP_FEATURE_BALLOT_BIT},
    {65, "GroupNonUniformShuffle", "subgroup shuffles", 0, VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
    {66, "GroupNonUniformShuffleRelative", "relative subgroup shuffles", 0, VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
    {67, "GroupNonUniformClustered", "clusters of subgroups", 0, VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
    {68, "GroupNonUniformQuad", "subgroup quads", 0, VK_SUBGROUP_FEATURE_QUAD_BIT},
    {4433, "StorageBuffer16BitAccess", "storageBuffer16BitAccess", FIELD(storage16), 0},
    {4448, "StorageBuffer8BitAccess", "storageBuffer8BitAccess", FIELD(storage8), 0},
    {6016, "DotProductInputAll", "shaderIntegerDotProduct", FIELD(dot), 0},
    {6017, "DotProductInput4x8Bit", "shaderIntegerDotProduct", FIELD(dot), 0},
    {6018, "DotProductInput4x8BitPacked", "shaderIntegerDotProduct", FIELD(dot), 0},
    {6019, "DotProduct", "shaderIntegerDotProduct", FIELD(dot), 0},
    {6, "Kernel", NULL, 0, 0},
    {11, "Int64", NULL, 0, 0},
    {12, "Int64Atomics", NULL, 0, 0},
    {22, "Int16", NULL, 0, 0},
    {4434, "UniformAndStorageBuffer16BitAccess", NULL, 0, 0},
    {4441, "VariablePointersStorageBuffer", NULL, 0, 0},
    {4442, "VariablePointers", NULL, 0, 0},
    {5345, "VulkanMemoryModel", NULL, 0, 0},
    {5347, "PhysicalStorageBufferAddresses", NULL, 0, 0},
    {6022, "CooperativeMatrixKHR", NULL, 0, 0},
#undef FIELD
};

static vkmm_status read_capability(reader *r)
{
    const struct capability *known = NULL;
    char number[12];
    for (size_t i = 0; i < VKMM_COUNT(capabilities) && !known; i++)
        if (capabilities[i].number == word(r, 1)) known = &capabilities[i];
    VKMM_PUT(number, "%u", word(r, 1));
    if (!known || !known->feature)
        return vkmm_fail(VKMM_UNSUPPORTED, "%s needs the capability %s of SPIR-V, which vkmatmul never enables",
                         r->name, known ? known->name : number);
    if (!r->device) return VKMM_OK;
    int has = known->field == 0;
    if (!has) memcpy(&has, (const char *)r->device + known->field, sizeof has);
    if (has && (r->device->subgroup.operations & known->subgroup) == known->subgroup) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED, "%s needs the capability %s of SPIR-V, and \"%s\" has no %s", r->name,
                     known->name, r->device->name, known->feature);
}

/* Only those for what Vulkan 1.1 has anyway, or that belong to a capability above. */
static vkmm_status read_extension(reader *r)
{
    static const char *const known[] = {"SPV_KHR_storage_buffer_storage_class", "SPV_KHR_16bit_storage",
                                        "SPV_KHR_8bit_storage", "SPV_KHR_integer_dot_product"};
    char name[64];
    copy_text(r, 1, name, sizeof name);
    for (size_t i = 0; i < VKMM_COUNT(known); i++)
        if (strcmp(name, known[i]) == 0) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED, "%s needs the extension \"%s\" of SPIR-V, which vkmatmul never enables", r->name,
                     name);
}

static vkmm_status read_import(reader *r)
{
    char name[64];
    copy_text(r, 2, name, sizeof name);
    if (strcmp(name, "GLSL.std.450") == 0) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED, "%s imports the instructions \"%s\"; only GLSL.std.450 can be imported", r->name,
                     name);
}

static vkmm_status read_entry_point(reader *r)
{
    char name[16];
    copy_text(r, 3, name, sizeof name);
    if (r->has_entry++ == 0 && word(r, 1) == GL_COMPUTE && strcmp(name, "main") == 0) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s: the entry point must be a compute shader's \"main\" alone; there is %s \"%s\"",
                     r->name, word(r, 1) == GL_COMPUTE ? "a compute shader's" : "another stage's", name);
}

static vkmm_status read_mode(reader *r)
{
    if (word(r, 2) != LOCAL_SIZE) return VKMM_OK;
    for (uint32_t i = 0; i < 3; i++) r->size[i] = word(r, 3 + i);
    if (r->size[0] > 0 && r->size[1] > 0 && r->size[2] > 0) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s: a workgroup of %ux%ux%u has no invocations", r->name, r->size[0], r->size[1],
                     r->size[2]);
}

static vkmm_status read_mode_id(reader *r)
{
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "%s: its workgroup's size is LocalSizeId; compile it for Vulkan 1.1, where constants set "
                     "WorkgroupSize",
                     r->name);
}

static vkmm_status read_decoration(reader *r)
{
    about *id = about_id(r, word(r, 1));
    const uint32_t decoration = word(r, 2), value = word(r, 3);
    if (decoration == SPEC_ID) id->spec = 1 + value;
    if (decoration == BLOCK || decoration == BUFFER_BLOCK) id->block = decoration;
    if (decoration == ARRAY_STRIDE) id->stride = value;
    if (decoration == BUILT_IN) id->built_in = 1 + value;
    if (decoration == BINDING) id->binding = 1 + value;
    if (decoration == SET) id->set = 1 + value;
    return VKMM_OK;
}

static vkmm_status read_member_decoration(reader *r)
{
    about *id = about_id(r, word(r, 1));
    if (word(r, 3) != OFFSET || (id->farthest != 0 && word(r, 4) < id->offset)) return VKMM_OK;
    id->farthest = 1 + word(r, 2);
    id->offset = word(r, 4);
    return VKMM_OK;
}

/* Members with offsets end with the farthest; others take at least their sum. */
static uint64_t struct_bytes(const reader *r, const about *id)
{
    uint64_t sum = 0;
    for (uint32_t i = 2; i < r->length; i++) {
        const uint64_t bytes = about_id(r, word(r, i))->bytes;
        if (bytes == 0) return 0;
        if (id->farthest == i - 1) return plus(id->offset, bytes);
        sum = plus(sum, bytes);
    }
    return sum;
}

static vkmm_status read_type(reader *r)
{
    about *id = about_id(r, word(r, 1));
    const uint64_t part = about_id(r, word(r, 2))->bytes;
    id->opcode = r->opcode;
    if (r->opcode == OP_TYPE_BOOL)
        id->bytes = 4;
    else if (r->opcode == OP_TYPE_INT || r->opcode == OP_TYPE_FLOAT)
        id->bytes = word(r, 2) / 8;
    else if (r->opcode == OP_TYPE_STRUCT)
        id->bytes = struct_bytes(r, id);
    else if (r->opcode == OP_TYPE_ARRAY)
        id->bytes = times(part > 0 && id->stride > part ? id->stride : part, about_id(r, word(r, 3))->value);
    else /* a vector or a matrix */
        id->bytes = times(part, word(r, 3));
    return VKMM_OK;
}

static vkmm_status read_pointer(reader *r)
{
    about_id(r, word(r, 1))->pointee = word(r, 3);
    return VKMM_OK;
}

/* A specialization constant has the planned value if the planner sets its id, else its own. */
static vkmm_status read_constant(reader *r)
{
    about *id = about_id(r, word(r, 2));
    if (id->spec > 0 && r->length != 4)
        return vkmm_fail(VKMM_INVALID, "%s: specialization constant %u does not have 32 bits", r->name, id->spec - 1);
    if (r->length == 4) id->value = word(r, 3);
    for (uint32_t i = 0; id->spec > 0 && r->kernel && i < r->kernel->spec_count; i++)
        if (r->kernel->spec_ids[i] == id->spec - 1) id->value = r->kernel->spec_values[i];
    return VKMM_OK;
}

/* What a compiler makes of ROWS * (DEPTH + 1). */
static vkmm_status read_operation(reader *r)
{
    const uint32_t operation = word(r, 3);
    const uint32_t a = about_id(r, word(r, 4))->value, b = about_id(r, word(r, 5))->value;
    if (a == 0 || b == 0) return VKMM_OK;
    about_id(r, word(r, 2))->value = operation == OP_ADD        ? a + b
                                     : operation == OP_SUBTRACT ? a - b
                                     : operation == OP_MULTIPLY ? a * b
                                     : operation == OP_DIVIDE   ? a / b
                                                                : 0;
    return VKMM_OK;
}

static vkmm_status read_composite(reader *r)
{
    if (about_id(r, word(r, 2))->built_in != 1 + WORKGROUP_SIZE) return VKMM_OK;
    for (uint32_t i = 0; i < 3; i++) r->size[i] = about_id(r, word(r, 3 + i))->value;
    r->sized_by_constants = r->opcode == OP_SPEC_COMPOSITE;
    return VKMM_OK;
}

static vkmm_status check_buffer(const reader *r, uint32_t class, const about *id, const about *pointee)
{
    if (pointee->opcode != OP_TYPE_STRUCT || pointee->block != (class == BUFFER ? BLOCK : BUFFER_BLOCK))
        return vkmm_fail(VKMM_INVALID, "%s: the variable %u is bound, but is not a single storage buffer", r->name,
                         word(r, 2));
    if (id->set == 1 && id->binding > 0 && id->binding <= VKMM_BINDING_COUNT) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID,
                     "%s: a buffer at set %d, binding %d; A, B and C are the bindings 0, 1 and 2 of set 0", r->name,
                     (int)(id->set - 1), (int)(id->binding - 1));
}

static vkmm_status check_push(const reader *r, uint64_t bytes)
{
    if (bytes == 0) return vkmm_fail(VKMM_INVALID, "%s: the size of the push constants is not known", r->name);
    if (bytes <= PUSH_BYTES) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s: push constants of %llu bytes; M, N and K are %d", r->name,
                     (unsigned long long)bytes, PUSH_BYTES);
}

static vkmm_status read_variable(reader *r)
{
    const uint32_t class = word(r, 3);
    const about *id = about_id(r, word(r, 2)), *pointee = about_id(r, about_id(r, word(r, 1))->pointee);
    if (class == FUNCTION || class == PRIVATE || (class == INPUT && id->built_in > 0)) return VKMM_OK;
    if (class == PUSH) return check_push(r, pointee->bytes);
    if (class == UNIFORM || class == BUFFER) return check_buffer(r, class, id, pointee);
    if (class == SHARED) {
        r->shared_bytes = plus(r->shared_bytes, pointee->bytes);
        return VKMM_OK;
    }
    return vkmm_fail(VKMM_INVALID,
                     "%s: the variable %u has the storage class %u; a user's shader has built-in inputs, buffers, "
                     "shared memory and push constants",
                     r->name, word(r, 2), class);
}

/* The validator checks the other instructions. */
static const struct {
    uint32_t opcode;
    vkmm_status (*read)(reader *r);
} readers[] = {
    {10, read_extension},
    {11, read_import},
    {15, read_entry_point},
    {16, read_mode},
    {17, read_capability},
    {OP_TYPE_BOOL, read_type},
    {OP_TYPE_INT, read_type},
    {OP_TYPE_FLOAT, read_type},
    {23, read_type},
    {24, read_type},
    {OP_TYPE_ARRAY, read_type},
    {OP_TYPE_STRUCT, read_type},
    {32, read_pointer},
    {43, read_constant},
    {44, read_composite},
    {50, read_constant},
    {OP_SPEC_COMPOSITE, read_composite},
    {52, read_operation},
    {59, read_variable},
    {71, read_decoration},
    {72, read_member_decoration},
    {331, read_mode_id},
};

static vkmm_status read_instruction(reader *r)
{
    for (size_t i = 0; i < VKMM_COUNT(readers); i++)
        if (readers[i].opcode == r->opcode) return readers[i].read(r);
    return VKMM_OK;
}

static vkmm_status check_header(const reader *r, const uint32_t *words, size_t bytes)
{
    if (bytes % 4 != 0 || bytes < 4 * HEADER_WORDS || words[0] != MAGIC)
        return vkmm_fail(VKMM_INVALID, "%s is not SPIR-V in this machine's byte order", r->name);
    if (words[3] > MOST_IDS || words[3] > MOST_IDS_PER_WORD * (bytes / 4))
        return vkmm_fail(VKMM_INVALID, "%s: a bound of %u ids in %zu words", r->name, words[3], bytes / 4);
    const uint32_t minor = words[1] >> 8 & 0xff, api = r->device ? r->device->driver.api_version : VK_API_VERSION_1_3;
    const uint32_t most = api >= VK_API_VERSION_1_3 ? 6 : api >= VK_API_VERSION_1_2 ? 5 : 3;
    if (minor <= most) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED, "%s is SPIR-V 1.%u; \"%s\" takes up to 1.%u: compile it for Vulkan 1.1", r->name,
                     minor, r->device ? r->device->name : "vkmatmul", most);
}

/* With the constants of the pipeline, on its device. */
static vkmm_status check_limits(const reader *r)
{
    const vkmm_device_info *device = r->device;
    const uint32_t *size = r->size, *most = device->limits.max_workgroup_size;
    if (size[0] > most[0] || size[1] > most[1] || size[2] > most[2])
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "%s: a workgroup of %ux%ux%u; \"%s\" allows %ux%ux%u (maxComputeWorkGroupSize)", r->name,
                         size[0], size[1], size[2], device->name, most[0], most[1], most[2]);
    if (times(times(size[0], size[1]), size[2]) > device->limits.max_invocations)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "%s: a workgroup of %ux%ux%u; \"%s\" allows %u invocations (maxComputeWorkGroupInvocations)",
                         r->name, size[0], size[1], size[2], device->name, device->limits.max_invocations);
    if (r->shared_bytes > device->limits.max_shared_bytes)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "%s needs %llu bytes of shared memory; \"%s\" allows %u (maxComputeSharedMemorySize)", r->name,
                         (unsigned long long)r->shared_bytes, device->name, device->limits.max_shared_bytes);
    return VKMM_OK;
}

/* If there are fewer invocations than elements of the tile, each may compute several; if there are more, some have
 * nothing to do. */
static vkmm_status check_tile(const reader *r)
{
    const uint32_t *size = r->size, *tile = r->kernel->tile;
    if (r->sized_by_constants || times(times(size[0], size[1]), size[2]) <= times(tile[0], tile[1])) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "%s fixes its workgroup at %ux%ux%u, more invocations than a tile of %ux%u has elements; take a "
                     "tile of %llux%u, or local_size_x_id = 0, local_size_y_id = 1",
                     r->name, size[0], size[1], size[2], tile[0], tile[1], (unsigned long long)times(size[1], size[2]),
                     size[0]);
}

static vkmm_status read_instructions(reader *r, const uint32_t *words, size_t count)
{
    vkmm_status status = VKMM_OK;
    for (size_t at = HEADER_WORDS; at < count && status == VKMM_OK; at += r->length) {
        r->at = words + at;
        r->opcode = words[at] & 0xffff;
        r->length = words[at] >> 16;
        if (r->length == 0 || r->length > count - at)
            return vkmm_fail(VKMM_INVALID, "%s: the instruction at word %zu has %u words, and %zu are left", r->name,
                             at, r->length, count - at);
        status = read_instruction(r);
    }
    if (status == VKMM_OK && !r->has_entry)
        return vkmm_fail(VKMM_INVALID, "%s: it has no entry point \"main\"", r->name);
    return status;
}

vkmm_status vkmm_spirv_check(const char *name, const uint32_t *words, size_t bytes, const vkmm_device_info *device,
                             vkmm_kernel_info *kernel)
{
    reader r = {.name = name, .device = device, .kernel = kernel};
    vkmm_status status = check_header(&r, words, bytes);
    if (status != VKMM_OK) return status;
    r.bound = words[3] > 0 ? words[3] : 1;
    r.ids = vkmm_alloc(r.bound, sizeof *r.ids);
    if (!r.ids) return VKMM_NO_MEMORY("to check %s, of %zu bytes", name, bytes);
    status = read_instructions(&r, words, bytes / 4);
    if (status == VKMM_OK && device) status = check_limits(&r);
    if (status == VKMM_OK && kernel) status = check_tile(&r);
    if (status == VKMM_OK && device && kernel) kernel->shared_bytes = (uint32_t)r.shared_bytes;
    if (status == VKMM_OK && kernel && r.size[0] > 0) memcpy(kernel->workgroup, r.size, sizeof r.size);
    vkmm_free(r.ids);
    return status;
}
