#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "kernel/spirv_offered.h"

enum { MOST_VARIABLES = 64, PUSH_BYTES = 12, LAST_OPCODE = 403 };
enum {
    CLASS_CONSTANT = 0,
    CLASS_INPUT = 1,
    CLASS_UNIFORM = 2,
    CLASS_SHARED = 4,
    CLASS_PRIVATE = 6,
    CLASS_FUNCTION = 7,
    CLASS_PUSH = 9,
    CLASS_BUFFER = 12
};

typedef struct check {
    vkmm_spirv module;
    const vkmm_device_info *device; /* NULL: any */
    uint32_t entry;                 /* id of the function; 0: none yet */
    uint32_t memory_models;
    uint32_t depth; /* 1: in a function */
    int has_entry_function, has_size;
    uint32_t size[3];      /* of a workgroup, by LocalSize */
    uint32_t size_by_id;   /* the constant that is decorated WorkgroupSize; 0: none */
    uint32_t variables;    /* at the module's level, but private ones */
    uint64_t shared_bytes; /* as far as they are known */
} check;

static vkmm_status check_entry_point(check *c, uint32_t at)
{
    enum { GL_COMPUTE = 5 };
    const vkmm_spirv *m = &c->module;
    char name[16];
    if (!vkmm_spirv_text(m, at + 3, at + vkmm_spirv_length(m, at), name, sizeof name))
        return vkmm_fail(m->log, VKMM_INVALID, "%s: the name of an entry point does not end", m->name);
    if (m->words[at + 1] != GL_COMPUTE || strcmp(name, "main") != 0 || c->entry != 0)
        return vkmm_fail(m->log, VKMM_INVALID,
                         "%s: the one entry point must be a compute shader's \"main\", and there is %s \"%s\"", m->name,
                         c->entry != 0                    ? "also"
                         : m->words[at + 1] != GL_COMPUTE ? "another stage's"
                                                          : "one called",
                         name);
    c->entry = m->words[at + 2];
    if (c->entry != 0) return VKMM_OK;
    return vkmm_fail(m->log, VKMM_INVALID, "%s: the entry point has no function", m->name);
}

static vkmm_status check_memory_model(check *c, uint32_t at)
{
    enum { LOGICAL = 0, GLSL450 = 1 };
    const vkmm_spirv *m = &c->module;
    if (c->memory_models++ > 0)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: there is more than one memory model", m->name);
    if (m->words[at + 1] == LOGICAL && m->words[at + 2] == GLSL450) return VKMM_OK;
    return vkmm_fail(
        m->log, VKMM_UNSUPPORTED,
        "%s: the memory model is %u with addressing %u; a shader has GLSL450 (1) with logical addressing (0)", m->name,
        m->words[at + 2], m->words[at + 1]);
}

static vkmm_status check_mode(check *c, uint32_t at)
{
    enum { LOCAL_SIZE = 17 };
    const vkmm_spirv *m = &c->module;
    if (vkmm_spirv_opcode(m, at) == VKMM_OP_EXECUTION_MODE_ID)
        return vkmm_fail(
            m->log, VKMM_UNSUPPORTED,
            "%s: its workgroup's size is LocalSizeId; compile it for Vulkan 1.1, where constants set WorkgroupSize",
            m->name);
    if (m->words[at + 2] != LOCAL_SIZE) return VKMM_OK;
    if (vkmm_spirv_length(m, at) != 6)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: LocalSize takes three numbers", m->name);
    memcpy(c->size, m->words + at + 3, sizeof c->size);
    if (c->size[0] == 0 || c->size[1] == 0 || c->size[2] == 0)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: a workgroup of %ux%ux%u has no invocations", m->name, c->size[0],
                         c->size[1], c->size[2]);
    c->has_size = 1;
    return VKMM_OK;
}

static vkmm_status check_name(check *c, uint32_t at)
{
    const vkmm_spirv *m = &c->module;
    const int is_import = vkmm_spirv_opcode(m, at) == VKMM_OP_IMPORT;
    char name[64];
    if (!vkmm_spirv_text(m, at + (is_import ? 2 : 1), at + vkmm_spirv_length(m, at), name, sizeof name))
        return vkmm_fail(m->log, VKMM_INVALID, "%s: the name of an extension does not end", m->name);
    if (!is_import) return vkmm_spirv_offered_extension(m, name);
    if (strcmp(name, "GLSL.std.450") == 0) return VKMM_OK;
    return vkmm_fail(m->log, VKMM_UNSUPPORTED, "%s imports the instructions \"%s\"; GLSL.std.450 are the only ones",
                     m->name, name);
}

static void note_decoration(check *c, uint32_t at)
{
    enum { WORKGROUP_SIZE = 25 };
    const uint32_t *words = c->module.words + at;
    if (vkmm_spirv_length(&c->module, at) == 4 && words[2] == VKMM_DECORATION_BUILT_IN && words[3] == WORKGROUP_SIZE)
        c->size_by_id = words[1];
}

static vkmm_status check_function(check *c, uint32_t at)
{
    const vkmm_spirv *m = &c->module;
    const int begins = vkmm_spirv_opcode(m, at) == VKMM_OP_FUNCTION;
    if ((uint32_t)!begins != c->depth)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: functions begin and end out of turn at word %u", m->name, at);
    c->depth = (uint32_t)begins;
    if (begins && m->words[at + 2] == c->entry) c->has_entry_function = 1;
    return VKMM_OK;
}

static vkmm_status check_buffer(check *c, uint32_t id, uint32_t class, uint32_t pointee)
{
    vkmm_spirv *m = &c->module;
    const uint32_t block = class == CLASS_BUFFER ? VKMM_DECORATION_BLOCK : VKMM_DECORATION_BUFFER_BLOCK;
    uint32_t set = UINT32_MAX, binding = UINT32_MAX;
    if (vkmm_spirv_find(m, pointee, VKMM_OP_TYPE_STRUCT, m->count) == 0 ||
        !vkmm_spirv_decoration(m, pointee, -1, block, NULL))
        return vkmm_fail(m->log, VKMM_INVALID, "%s: the variable %u is bound, but is no storage buffer of its own",
                         m->name, id);
    if (vkmm_spirv_decoration(m, id, -1, VKMM_DECORATION_SET, &set) &&
        vkmm_spirv_decoration(m, id, -1, VKMM_DECORATION_BINDING, &binding) && set == 0 && binding < VKMM_BINDING_COUNT)
        return VKMM_OK;
    return vkmm_fail(m->log, VKMM_INVALID,
                     "%s: a buffer at set %d, binding %d; A, B and C are the bindings 0, 1 and 2 of set 0", m->name,
                     (int)set, (int)binding);
}

static vkmm_status check_push(check *c, uint32_t pointee)
{
    vkmm_spirv *m = &c->module;
    uint64_t bytes = 0;
    if (!vkmm_spirv_bytes(m, pointee, &bytes))
        return vkmm_fail(m->log, VKMM_INVALID, "%s: the push constants have no size that is known", m->name);
    if (bytes <= PUSH_BYTES) return VKMM_OK;
    return vkmm_fail(m->log, VKMM_INVALID, "%s: push constants of %llu bytes; M, N and K are %d", m->name,
                     (unsigned long long)bytes, PUSH_BYTES);
}

static vkmm_status check_variable(check *c, uint32_t at)
{
    vkmm_spirv *m = &c->module;
    const uint32_t type = m->words[at + 1], id = m->words[at + 2], class = m->words[at + 3];
    const uint32_t pointer = vkmm_spirv_find(m, type, VKMM_OP_TYPE_POINTER, at);
    uint64_t bytes = 0;
    if (pointer == 0 || m->words[pointer + 2] != class)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: the variable %u has no pointer of its storage class as type",
                         m->name, id);
    if ((class == CLASS_FUNCTION) != (c->depth > 0))
        return vkmm_fail(m->log, VKMM_INVALID, "%s: the variable %u is in the wrong place for its storage class %u",
                         m->name, id, class);
    if (class == CLASS_FUNCTION || class == CLASS_PRIVATE) return VKMM_OK;
    if (++c->variables > MOST_VARIABLES)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: there are more than %d variables outside of functions", m->name,
                         MOST_VARIABLES);
    switch (class) {
    case CLASS_INPUT:
        if (vkmm_spirv_decoration(m, id, -1, VKMM_DECORATION_BUILT_IN, NULL)) return VKMM_OK;
        return vkmm_fail(m->log, VKMM_INVALID, "%s: the input %u is nothing that Vulkan gives to a compute shader",
                         m->name, id);
    case CLASS_SHARED:
        if (vkmm_spirv_bytes(m, m->words[pointer + 3], &bytes))
            c->shared_bytes = bytes > UINT64_MAX - c->shared_bytes ? UINT64_MAX : c->shared_bytes + bytes;
        return VKMM_OK;
    case CLASS_PUSH:
        return check_push(c, m->words[pointer + 3]);
    case CLASS_UNIFORM:
    case CLASS_BUFFER:
        return check_buffer(c, id, class, m->words[pointer + 3]);
    default:
        return vkmm_fail(
            m->log, VKMM_INVALID,
            "%s: the variable %u has the storage class %u; a user's shader has buffers, shared memory and push "
            "constants",
            m->name, id, class);
    }
}

/* Above the core's are those of extensions, some of which go with capabilities that are offered. */
static int is_known_opcode(uint32_t opcode)
{
    enum { DOT_FIRST = 4450, DOT_LAST = 4455 };
    return opcode <= LAST_OPCODE || (opcode >= DOT_FIRST && opcode <= DOT_LAST);
}

static vkmm_status check_instruction(check *c, uint32_t at)
{
    const vkmm_spirv *m = &c->module;
    const uint32_t opcode = vkmm_spirv_opcode(m, at);
    switch (opcode) {
    case VKMM_OP_CAPABILITY:
        return vkmm_spirv_offered_capability(m, m->words[at + 1], c->device);
    case VKMM_OP_EXTENSION:
    case VKMM_OP_IMPORT:
        return check_name(c, at);
    case VKMM_OP_MEMORY_MODEL:
        return check_memory_model(c, at);
    case VKMM_OP_ENTRY_POINT:
        return check_entry_point(c, at);
    case VKMM_OP_EXECUTION_MODE:
    case VKMM_OP_EXECUTION_MODE_ID:
        return check_mode(c, at);
    case VKMM_OP_DECORATE:
        note_decoration(c, at);
        return VKMM_OK;
    case VKMM_OP_TYPE_FORWARD:
        return vkmm_fail(m->log, VKMM_UNSUPPORTED, "%s has pointers to addresses (OpTypeForwardPointer at word %u)",
                         m->name, at);
    case VKMM_OP_VARIABLE:
        return check_variable(c, at);
    case VKMM_OP_FUNCTION:
    case VKMM_OP_FUNCTION_END:
        return check_function(c, at);
    default:
        if (is_known_opcode(opcode)) return VKMM_OK;
        return vkmm_fail(m->log, VKMM_UNSUPPORTED, "%s: the opcode %u at word %u is none that a user's shader may have",
                         m->name, opcode, at);
    }
}

/* Three constants; those that are not known are 0. */
static vkmm_status find_size(check *c)
{
    vkmm_spirv *m = &c->module;
    const uint32_t at = c->size_by_id < m->bound ? m->at[c->size_by_id] : 0;
    const uint32_t opcode = at > 0 ? vkmm_spirv_opcode(m, at) : 0;
    if (c->size_by_id == 0 && c->has_size) return VKMM_OK;
    if ((opcode != VKMM_OP_CONSTANT_COMPOSITE && opcode != VKMM_OP_SPEC_COMPOSITE) || vkmm_spirv_length(m, at) != 6)
        return vkmm_fail(
            m->log, VKMM_INVALID,
            "%s: its workgroup has no size: neither local_size_x_id = 0, local_size_y_id = 1 nor LocalSize", m->name);
    for (uint32_t i = 0; i < 3; i++)
        if (!vkmm_spirv_value(m, m->words[at + 3 + i], &c->size[i])) c->size[i] = 0;
    return VKMM_OK;
}

/* With the constants of the pipeline, on its device. */
static vkmm_status check_limits(const check *c)
{
    const vkmm_spirv *m = &c->module;
    const vkmm_device_info *device = c->device;
    uint64_t all = 1;
    for (int i = 0; i < 3; i++) {
        if (c->size[i] > device->max_workgroup_size[i])
            return vkmm_fail(m->log, VKMM_UNSUPPORTED,
                             "%s: a workgroup of %ux%ux%u; \"%s\" allows %ux%ux%u (maxComputeWorkGroupSize)", m->name,
                             c->size[0], c->size[1], c->size[2], device->name, device->max_workgroup_size[0],
                             device->max_workgroup_size[1], device->max_workgroup_size[2]);
        all = all > UINT32_MAX ? all : all * c->size[i];
    }
    if (all > device->max_invocations)
        return vkmm_fail(m->log, VKMM_UNSUPPORTED,
                         "%s: a workgroup of %ux%ux%u; \"%s\" allows %u invocations (maxComputeWorkGroupInvocations)",
                         m->name, c->size[0], c->size[1], c->size[2], device->name, device->max_invocations);
    if (c->shared_bytes > device->max_shared_bytes)
        return vkmm_fail(m->log, VKMM_UNSUPPORTED,
                         "%s needs %llu bytes of shared memory; \"%s\" allows %u (maxComputeSharedMemorySize)", m->name,
                         (unsigned long long)c->shared_bytes, device->name, device->max_shared_bytes);
    return VKMM_OK;
}

/* What only the end shows. */
static vkmm_status check_whole(check *c)
{
    const vkmm_spirv *m = &c->module;
    if (c->depth > 0) return vkmm_fail(m->log, VKMM_INVALID, "%s: its last function does not end", m->name);
    if (c->memory_models == 0) return vkmm_fail(m->log, VKMM_INVALID, "%s: it has no memory model", m->name);
    if (c->entry == 0) return vkmm_fail(m->log, VKMM_INVALID, "%s: it has no entry point \"main\"", m->name);
    if (!c->has_entry_function)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: the entry point %u is no function", m->name, c->entry);
    vkmm_status status = find_size(c);
    if (m->is_entangled) status = vkmm_fail(m->log, VKMM_INVALID, "%s: it is too entangled to be checked", m->name);
    return status == VKMM_OK && c->device ? check_limits(c) : status;
}

vkmm_status vkmm_spirv_check(const vkmm_log *log, const char *name, const uint32_t *words, size_t bytes,
                             const vkmm_device_info *device, const vkmm_kernel_info *kernel)
{
    check c = {.device = device};
    vkmm_status status = vkmm_spirv_open(log, name, words, bytes, kernel, &c.module);
    if (status == VKMM_OK) status = vkmm_spirv_offered_version(&c.module, device);
    for (uint32_t at = VKMM_SPIRV_HEADER; status == VKMM_OK && at < c.module.count;
         at += vkmm_spirv_length(&c.module, at))
        status = check_instruction(&c, at);
    if (status == VKMM_OK) status = check_whole(&c);
    vkmm_spirv_close(&c.module);
    return status;
}
