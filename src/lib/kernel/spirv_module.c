#include "kernel/spirv_module.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

enum {
    MAGIC = 0x07230203,
    MOST_IDS = 0x3fffff /* Vulkan's own limit */,
    IDS_A_WORD = 16,
    MOST_WORDS = 1 << 24,
    MOST_EFFORT = 1 << 22
};

/* Where an instruction that is looked up has its id: 0, it is not looked up. */
static uint32_t id_word(uint32_t opcode)
{
    if (opcode >= 19 && opcode <= VKMM_OP_TYPE_FORWARD - 1) return 1;                         /* types */
    if (opcode >= 41 && opcode <= VKMM_OP_FUNCTION && opcode != 47 && opcode != 53) return 2; /* constants, functions */
    return opcode == VKMM_OP_VARIABLE ? 2 : 0;
}

/* The fewest words that what is looked at has. */
static uint32_t least_length(uint32_t opcode)
{
    switch (opcode) {
    case VKMM_OP_CAPABILITY:
    case VKMM_OP_EXTENSION:
    case VKMM_OP_TYPE_BOOL:
    case VKMM_OP_TYPE_STRUCT:
        return 2;
    case VKMM_OP_IMPORT:
    case VKMM_OP_MEMORY_MODEL:
    case VKMM_OP_EXECUTION_MODE:
    case VKMM_OP_EXECUTION_MODE_ID:
    case VKMM_OP_TYPE_FLOAT:
    case VKMM_OP_DECORATE:
    case VKMM_OP_TYPE_FORWARD:
        return 3;
    case VKMM_OP_ENTRY_POINT:
    case VKMM_OP_TYPE_INT:
    case VKMM_OP_TYPE_VECTOR:
    case VKMM_OP_TYPE_MATRIX:
    case VKMM_OP_TYPE_ARRAY:
    case VKMM_OP_TYPE_POINTER:
    case VKMM_OP_CONSTANT:
    case VKMM_OP_SPEC_CONSTANT:
    case VKMM_OP_SPEC_OP:
    case VKMM_OP_VARIABLE:
    case VKMM_OP_MEMBER_DECORATE:
        return 4;
    case VKMM_OP_FUNCTION:
        return 5;
    default:
        return 1 + id_word(opcode);
    }
}

static vkmm_status open_header(vkmm_spirv *m, size_t bytes)
{
    const uint32_t *words = m->words;
    if (bytes >= 4 && words[0] == 0x03022307)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: this SPIR-V has the other byte order", m->name);
    if (bytes >= 4 && words[0] != MAGIC)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: this is no SPIR-V: it begins with 0x%08x, not 0x%08x", m->name,
                         words[0], MAGIC);
    if (bytes % 4 != 0 || bytes < 4 * VKMM_SPIRV_HEADER || bytes / 4 > MOST_WORDS)
        return vkmm_fail(m->log, VKMM_INVALID,
                         "%s: SPIR-V is words of 4 bytes, from %d to %d of them; there are %zu bytes", m->name,
                         VKMM_SPIRV_HEADER, MOST_WORDS, bytes);
    if (words[3] == 0 || words[3] > MOST_IDS)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: a bound of %u ids; Vulkan takes from 1 to %u", m->name, words[3],
                         (unsigned)MOST_IDS);
    if (words[3] > IDS_A_WORD * (bytes / 4)) /* what an optimizer took out leaves gaps, but not so many */
        return vkmm_fail(m->log, VKMM_INVALID, "%s: a bound of %u ids in %zu words", m->name, words[3], bytes / 4);
    if (words[4] != 0) return vkmm_fail(m->log, VKMM_INVALID, "%s: the schema is %u, not 0", m->name, words[4]);
    m->count = (uint32_t)(bytes / 4);
    m->bound = words[3];
    return VKMM_OK;
}

static vkmm_status define(vkmm_spirv *m, uint32_t at, uint32_t id)
{
    if (id == 0 || id >= m->bound)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: word %u defines the id %u; the bound is %u", m->name, at, id,
                         m->bound);
    if (m->at[id] != 0)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: word %u defines the id %u a second time", m->name, at, id);
    m->at[id] = at;
    return VKMM_OK;
}

static vkmm_status read_instructions(vkmm_spirv *m)
{
    for (uint32_t at = VKMM_SPIRV_HEADER; at < m->count; at += vkmm_spirv_length(m, at)) {
        const uint32_t opcode = vkmm_spirv_opcode(m, at), length = vkmm_spirv_length(m, at);
        if (length == 0 || length > m->count - at)
            return vkmm_fail(m->log, VKMM_INVALID, "%s: the instruction at word %u has %u words, and %u are left",
                             m->name, at, length, m->count - at);
        if (length < least_length(opcode))
            return vkmm_fail(m->log, VKMM_INVALID,
                             "%s: the instruction at word %u (opcode %u) has %u words; it needs %u", m->name, at,
                             opcode, length, least_length(opcode));
        if (id_word(opcode) != 0) {
            const vkmm_status status = define(m, at, m->words[at + id_word(opcode)]);
            if (status != VKMM_OK) return status;
        }
        if (opcode == VKMM_OP_DECORATE || opcode == VKMM_OP_MEMBER_DECORATE) m->decorations[m->decoration_count++] = at;
    }
    return VKMM_OK;
}

vkmm_status vkmm_spirv_open(const vkmm_log *log, const char *name, const uint32_t *words, size_t bytes,
                            const vkmm_kernel_info *kernel, vkmm_spirv *m)
{
    *m = (vkmm_spirv){.log = log, .name = name, .words = words, .kernel = kernel};
    const vkmm_status status = open_header(m, bytes);
    if (status != VKMM_OK) return status;
    m->at = vkmm_alloc(m->bound, sizeof *m->at);
    m->decorations = vkmm_alloc(m->count / 3, sizeof *m->decorations); /* the shortest has three words */
    if (!m->at || !m->decorations)
        return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory to check %s, of %zu bytes", name, bytes);
    return read_instructions(m);
}

void vkmm_spirv_close(vkmm_spirv *m)
{
    vkmm_free(m->at);
    vkmm_free(m->decorations);
    m->at = m->decorations = NULL;
}

uint32_t vkmm_spirv_find(const vkmm_spirv *m, uint32_t id, uint32_t opcode, uint32_t before)
{
    const uint32_t at = id < m->bound ? m->at[id] : 0;
    return at < before && (opcode == 0 || at == 0 || vkmm_spirv_opcode(m, at) == opcode) ? at : 0;
}

/* Types within types of types, each used twice, would take forever. */
static int spend(vkmm_spirv *m, uint32_t effort)
{
    m->is_entangled |= effort > MOST_EFFORT - m->effort;
    if (!m->is_entangled) m->effort += effort;
    return !m->is_entangled;
}

int vkmm_spirv_decoration(vkmm_spirv *m, uint32_t id, int64_t member, uint32_t decoration, uint32_t *value)
{
    const uint32_t opcode = member < 0 ? VKMM_OP_DECORATE : VKMM_OP_MEMBER_DECORATE, first = member < 0 ? 2 : 3;
    if (!spend(m, 1 + m->decoration_count)) return 0;
    for (uint32_t i = 0; i < m->decoration_count; i++) {
        const uint32_t at = m->decorations[i];
        const uint32_t *words = m->words + at;
        if (vkmm_spirv_opcode(m, at) != opcode || words[1] != id || (member >= 0 && words[2] != member) ||
            words[first] != decoration)
            continue;
        if (value) *value = vkmm_spirv_length(m, at) > first + 1 ? words[first + 1] : 0;
        return 1;
    }
    return 0;
}

int vkmm_spirv_text(const vkmm_spirv *m, uint32_t at, uint32_t end, char *text, size_t size)
{
    size_t used = 0;
    for (; at < end; at++) {
        for (int shift = 0; shift < 32; shift += 8) {
            const char c = (char)(m->words[at] >> shift & 0xff);
            if (used < size) text[used] = used + 1 < size ? c : '\0';
            if (c == '\0') return 1;
            used++;
        }
    }
    return 0;
}

/* A user's constant has the planned value where the planner sets its id, else its own. */
static int spec_value(vkmm_spirv *m, uint32_t id, uint32_t at, uint32_t *value)
{
    uint32_t spec = 0;
    if (!m->kernel) return 0;
    *value = m->words[at + 3];
    if (!vkmm_spirv_decoration(m, id, -1, VKMM_DECORATION_SPEC_ID, &spec)) return 1;
    for (uint32_t i = 0; i < m->kernel->spec_count; i++)
        if (m->kernel->spec_ids[i] == spec) *value = m->kernel->spec_values[i];
    return 1;
}

static int value_of(vkmm_spirv *m, uint32_t id, uint32_t before, unsigned depth, uint32_t *value);

/* What a compiler makes of ROWS * (DEPTH + 1). */
static int operation_value(vkmm_spirv *m, uint32_t at, unsigned depth, uint32_t *value)
{
    enum { ADD = 128, SUBTRACT = 130, MULTIPLY = 132, DIVIDE = 134 };
    uint32_t a = 0, b = 0;
    if (vkmm_spirv_length(m, at) != 6 || !value_of(m, m->words[at + 4], at, depth + 1, &a) ||
        !value_of(m, m->words[at + 5], at, depth + 1, &b))
        return 0;
    switch (m->words[at + 3]) {
    case ADD:
        *value = a + b;
        return 1;
    case SUBTRACT:
        *value = a - b;
        return 1;
    case MULTIPLY:
        *value = a * b;
        return 1;
    case DIVIDE:
        *value = b > 0 ? a / b : 0;
        return b > 0;
    default:
        return 0;
    }
}

/* Definitions stand before what uses them, so that nothing runs in circles. */
static int value_of(vkmm_spirv *m, uint32_t id, uint32_t before, unsigned depth, uint32_t *value)
{
    const uint32_t at = vkmm_spirv_find(m, id, 0, before);
    if (at == 0 || depth > VKMM_SPIRV_MAX_NESTED || !spend(m, 1)) return 0;
    switch (vkmm_spirv_opcode(m, at)) {
    case VKMM_OP_CONSTANT:
        *value = m->words[at + 3];
        return vkmm_spirv_length(m, at) == 4;
    case VKMM_OP_SPEC_CONSTANT:
        return vkmm_spirv_length(m, at) == 4 && spec_value(m, id, at, value);
    case VKMM_OP_SPEC_OP:
        return operation_value(m, at, depth, value);
    default:
        return 0;
    }
}

int vkmm_spirv_value(vkmm_spirv *m, uint32_t id, uint32_t *value)
{
    return value_of(m, id, m->count, 0, value);
}

static int bytes_of(vkmm_spirv *m, uint32_t type, uint32_t before, unsigned depth, uint64_t *bytes);

static int array_bytes(vkmm_spirv *m, uint32_t type, uint32_t at, unsigned depth, uint64_t *bytes)
{
    uint32_t length = 0, stride = 0;
    if (!value_of(m, m->words[at + 3], at, 0, &length) || !bytes_of(m, m->words[at + 2], at, depth + 1, bytes))
        return 0;
    if (vkmm_spirv_decoration(m, type, -1, VKMM_DECORATION_ARRAY_STRIDE, &stride) && stride > *bytes) *bytes = stride;
    if (!vkmm_mul_u64(*bytes, length, bytes)) *bytes = UINT64_MAX;
    return 1;
}

static int struct_bytes(vkmm_spirv *m, uint32_t type, uint32_t at, unsigned depth, uint64_t *bytes)
{
    const uint32_t members = vkmm_spirv_length(m, at) - 2;
    *bytes = 0;
    for (uint32_t i = 0; i < members; i++) {
        uint32_t offset = 0;
        uint64_t own = 0, end = 0;
        if (!bytes_of(m, m->words[at + 2 + i], at, depth + 1, &own)) return 0;
        const int placed = vkmm_spirv_decoration(m, type, i, VKMM_DECORATION_OFFSET, &offset);
        if (!vkmm_add_u64(placed ? offset : *bytes, own, &end)) end = UINT64_MAX;
        if (end > *bytes) *bytes = end;
    }
    return 1;
}

static int bytes_of(vkmm_spirv *m, uint32_t type, uint32_t before, unsigned depth, uint64_t *bytes)
{
    const uint32_t at = vkmm_spirv_find(m, type, 0, before);
    if (at == 0 || depth > VKMM_SPIRV_MAX_NESTED || !spend(m, 1)) return 0;
    switch (vkmm_spirv_opcode(m, at)) {
    case VKMM_OP_TYPE_BOOL:
        *bytes = 4;
        return 1;
    case VKMM_OP_TYPE_INT:
    case VKMM_OP_TYPE_FLOAT:
        *bytes = m->words[at + 2] / 8;
        return 1;
    case VKMM_OP_TYPE_VECTOR:
    case VKMM_OP_TYPE_MATRIX:
        if (!bytes_of(m, m->words[at + 2], at, depth + 1, bytes)) return 0;
        if (!vkmm_mul_u64(*bytes, m->words[at + 3], bytes)) *bytes = UINT64_MAX;
        return 1;
    case VKMM_OP_TYPE_ARRAY:
        return array_bytes(m, type, at, depth, bytes);
    case VKMM_OP_TYPE_STRUCT:
        return struct_bytes(m, type, at, depth, bytes);
    default:
        return 0;
    }
}

int vkmm_spirv_bytes(vkmm_spirv *m, uint32_t type, uint64_t *bytes)
{
    return bytes_of(m, type, m->count, 0, bytes);
}
