/* Users' SPIR-V: a small module, whole, and with every breach of the contract; then what a device must have. Whether a
 * module is valid is for SPIRV-Tools to say (test_spirv_tools.c): here it only has to be asked. */
#include "unit.h"
#include "kernel/contract.h"
#include "kernel/table.h"
#include "kernel/user.h"

/* Numbers of the SPIR-V specification. */
enum { OP_NAME = 5, OP_EXTENSION = 10, OP_IMPORT = 11, OP_MEMORY_MODEL = 14, OP_ENTRY_POINT = 15 };
enum { OP_EXECUTION_MODE = 16, OP_CAPABILITY = 17, OP_TYPE_INT = 21, OP_TYPE_ARRAY = 28, OP_TYPE_STRUCT = 30 };
enum { OP_TYPE_POINTER = 32, OP_CONSTANT = 43, OP_SPEC_CONSTANT = 50, OP_SPEC_OP = 52, OP_FUNCTION = 54 };
enum { OP_FUNCTION_END = 56, OP_VARIABLE = 59, OP_DECORATE = 71, OP_MEMBER_DECORATE = 72, OP_EXECUTION_MODE_ID = 331 };
enum { SPEC_ID = 1, BLOCK = 2, BUFFER_BLOCK = 3, ARRAY_STRIDE = 6, BINDING = 33, SET = 34, OFFSET = 35 };
enum { MOST = 256, PUSH = 9, BUFFER = 12, SHARED = 4, VERSION_1_3 = 0x10300 };

typedef struct module {
    uint32_t words[MOST];
    size_t count;
} module;

static void emit(module *m, uint32_t opcode, size_t count, const uint32_t *operands)
{
    m->words[m->count++] = (uint32_t)(count + 1) << 16 | opcode;
    memcpy(m->words + m->count, operands, count * sizeof *operands);
    m->count += count;
}

#define EMIT(m, opcode, ...) \
    emit(m, opcode, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[]){__VA_ARGS__})

/* One buffer, M, N and K, 64 · DEPTH words of shared memory, an empty main in workgroups of 8×4. */
static module good(void)
{
    module m = {{0x07230203, VERSION_1_3, 0, 32, 0}, 5};
    EMIT(&m, OP_CAPABILITY, 1);
    EMIT(&m, OP_EXTENSION, 0x5f565053, 0x5f52484b, 0x69623631, 0x74735f74, 0x6761726f,
         0x65);                                                     /* SPV_KHR_16bit_storage */
    EMIT(&m, OP_IMPORT, 30, 0x4c534c47, 0x6474732e, 0x3035342e, 0); /* GLSL.std.450 */
    EMIT(&m, OP_MEMORY_MODEL, 0, 1);
    EMIT(&m, OP_ENTRY_POINT, 5, 1, 0x6e69616d, 0);
    EMIT(&m, OP_EXECUTION_MODE, 1, 17, 8, 4, 1);
    EMIT(&m, OP_DECORATE, 10, SPEC_ID, VKMM_SPEC_DEPTH);
    EMIT(&m, OP_DECORATE, 4, ARRAY_STRIDE, 4);
    EMIT(&m, OP_DECORATE, 5, BLOCK);
    EMIT(&m, OP_MEMBER_DECORATE, 5, 0, OFFSET, 0);
    EMIT(&m, OP_DECORATE, 7, SET, 0);
    EMIT(&m, OP_DECORATE, 7, BINDING, 2);
    EMIT(&m, OP_DECORATE, 21, BLOCK);
    for (uint32_t i = 0; i < 3; i++) EMIT(&m, OP_MEMBER_DECORATE, 21, i, OFFSET, 4 * i);
    EMIT(&m, 19, 2); /* void */
    EMIT(&m, 33, 20, 2);
    EMIT(&m, OP_TYPE_INT, 3, 32, 0);
    EMIT(&m, 29, 4, 3); /* an array without a length */
    EMIT(&m, OP_TYPE_STRUCT, 5, 4);
    EMIT(&m, OP_TYPE_POINTER, 6, BUFFER, 5);
    EMIT(&m, OP_VARIABLE, 6, 7, BUFFER);
    EMIT(&m, OP_TYPE_STRUCT, 21, 3, 3, 3);
    EMIT(&m, OP_TYPE_POINTER, 22, PUSH, 21);
    EMIT(&m, OP_VARIABLE, 22, 23, PUSH);
    EMIT(&m, OP_SPEC_CONSTANT, 3, 10, 16);
    EMIT(&m, OP_CONSTANT, 3, 11, 64);
    EMIT(&m, OP_SPEC_OP, 3, 12, 132, 10, 11); /* a product */
    EMIT(&m, OP_TYPE_ARRAY, 13, 3, 12);
    EMIT(&m, OP_TYPE_POINTER, 14, SHARED, 13);
    EMIT(&m, OP_VARIABLE, 14, 15, SHARED);
    EMIT(&m, OP_FUNCTION, 2, 1, 0, 20);
    EMIT(&m, 248, 16); /* label */
    m.words[m.count++] = 1 << 16 | 253;
    m.words[m.count++] = 1 << 16 | OP_FUNCTION_END;
    return m;
}

/* Where the nth instruction of an opcode begins. */
static size_t place(const module *m, uint32_t opcode, unsigned nth)
{
    for (size_t at = 5; at < m->count; at += m->words[at] >> 16)
        if ((m->words[at] & 0xffff) == opcode && nth-- == 0) return at;
    fail_msg("no opcode %u", opcode);
    return 0;
}

/* A copy that ends where the bytes do, so that a sanitizer sees reads beyond it. */
static vkmm_status check_bytes(const void *words, size_t bytes, const vkmm_device_info *device,
                               vkmm_kernel_info *kernel)
{
    void *copy = malloc(bytes > 0 ? bytes : 1);
    assert_non_null(copy);
    memcpy(copy, words, bytes);
    vkmm_error_clear();
    const vkmm_status status = vkmm_spirv_check("m.spv", copy, bytes, device, kernel);
    assert_int_equal(status == VKMM_OK, vkmm_last_error()[0] == '\0');
    free(copy);
    return status;
}

static void expect(const module *m, const vkmm_device_info *device, vkmm_kernel_info *kernel, vkmm_status status,
                   const char *part)
{
    const vkmm_status is = check_bytes(m->words, 4 * m->count, device, kernel);
    if (is != status || (part && !strstr(vkmm_last_error(), part)))
        fail_msg("%s: %s: '%s'", part ? part : "good", vkmm_status_name(is), vkmm_last_error());
}

TEST(takes_what_compilers_make)
{
    static const char *const kernels[] = {"naive", "grouped", "tiled", "band", "band-tiled"};
    const module m = good();
    expect(&m, NULL, NULL, VKMM_OK, NULL);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        static const vkmm_type types[] = {VKMM_F32, VKMM_F64, VKMM_I32, VKMM_U32};
        for (size_t t = 0; t < 4; t++) {
            const vkmm_module *built = vkmm_module_find(kernels[i], types[t], VKMM_BUILD_PLAIN);
            if (!built) continue;
            if (check_bytes(built->words, built->bytes, NULL, NULL) != VKMM_OK)
                fail_msg("%s: %s", kernels[i], vkmm_last_error());
        }
    }
}

/* One word of an instruction (or, without an opcode, of the header) is another. */
static const struct {
    uint32_t opcode;
    unsigned nth;
    size_t word;
    uint32_t value;
    vkmm_status status;
    const char *part;
} wrong[] = {
    {0, 0, 0, 0x03022307, VKMM_INVALID, "not SPIR-V in this machine's byte order"},
    {0, 0, 0, 0x464c457f, VKMM_INVALID, "not SPIR-V"},
    {0, 0, 1, 0x10700, VKMM_UNSUPPORTED, "SPIR-V 1.7; \"vkmatmul\" takes up to 1.6"},
    {0, 0, 3, 0x400000, VKMM_INVALID, "a bound of 4194304 ids"},
    {0, 0, 3, 100000, VKMM_INVALID, "a bound of 100000 ids in"},
    {OP_CAPABILITY, 0, 0, OP_CAPABILITY, VKMM_INVALID, "the instruction at word 5 has 0 words"},
    {OP_CAPABILITY, 0, 0, 0xffff0000 | OP_CAPABILITY, VKMM_INVALID, "has 65535 words"},
    {OP_FUNCTION_END, 0, 0, 2 << 16 | OP_FUNCTION_END, VKMM_INVALID, "has 2 words, and 1 are left"},
    {OP_CAPABILITY, 0, 1, 6, VKMM_UNSUPPORTED, "the capability Kernel of SPIR-V"},
    {OP_CAPABILITY, 0, 1, 5347, VKMM_UNSUPPORTED, "the capability PhysicalStorageBufferAddresses"},
    {OP_CAPABILITY, 0, 1, 99999, VKMM_UNSUPPORTED, "the capability 99999"},
    {OP_EXTENSION, 0, 1, 0x5f565054, VKMM_UNSUPPORTED, "the extension \"TPV_KHR_16bit_storage\""},
    {OP_EXTENSION, 0, 6, 0x41414141, VKMM_UNSUPPORTED, "the extension \"SPV_KHR_16bit_storagAAAA\""},
    {OP_IMPORT, 0, 2, 0x6e65704f, VKMM_UNSUPPORTED, "imports the instructions \"Open.std.450\""},
    {OP_ENTRY_POINT, 0, 1, 4, VKMM_INVALID, "another stage's \"main\""},
    {OP_ENTRY_POINT, 0, 3, 0x6e69616e, VKMM_INVALID, "a compute shader's \"nain\""},
    {OP_ENTRY_POINT, 0, 0, 5 << 16 | OP_NAME, VKMM_INVALID, "no entry point \"main\""},
    {OP_MEMORY_MODEL, 0, 0, 3 << 16 | OP_ENTRY_POINT, VKMM_INVALID, "the entry point must be a compute shader's"},
    {OP_EXECUTION_MODE, 0, 4, 0, VKMM_INVALID, "a workgroup of 8x0x1 has no invocations"},
    {OP_EXECUTION_MODE, 0, 0, 6 << 16 | OP_EXECUTION_MODE_ID, VKMM_UNSUPPORTED, "LocalSizeId"},
    {OP_DECORATE, 2, 2, BUFFER_BLOCK, VKMM_INVALID, "is not a single storage buffer"},
    {OP_DECORATE, 3, 3, 1, VKMM_INVALID, "a buffer at set 1, binding 2"},
    {OP_DECORATE, 4, 3, 3, VKMM_INVALID, "a buffer at set 0, binding 3"},
    {OP_DECORATE, 4, 1, 8, VKMM_INVALID, "a buffer at set 0, binding -1"},
    {OP_MEMBER_DECORATE, 3, 4, 12, VKMM_INVALID, "push constants of 16 bytes"},
    {OP_TYPE_STRUCT, 1, 4, 4, VKMM_INVALID, "the size of the push constants is not known"},
    {OP_TYPE_POINTER, 0, 3, 3, VKMM_INVALID, "the variable 7 is bound, but is not a single storage buffer"},
};

TEST(names_what_is_wrong)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        module m = good();
        m.words[(wrong[i].opcode ? place(&m, wrong[i].opcode, wrong[i].nth) : 0) + wrong[i].word] = wrong[i].value;
        expect(&m, NULL, NULL, wrong[i].status, wrong[i].part);
    }
}

TEST(refuses_every_storage_class_but_its_own)
{
    for (uint32_t class = 0; class < 16; class ++) {
        module m = good();
        m.words[place(&m, OP_TYPE_POINTER, 2) + 2] = class;
        m.words[place(&m, OP_VARIABLE, 2) + 3] = class;
        const vkmm_status status = check_bytes(m.words, 4 * m.count, NULL, NULL);
        /* 6: private; 7: a function's, which the validator refuses outside of one */
        assert_int_equal(status, class == SHARED || class == 6 || class == 7 ? VKMM_OK : VKMM_INVALID);
    }
}

/* Every length, every word with every bit turned: refused or taken, and never read beyond. */
TEST(survives_damage)
{
    const module whole = good();
    for (size_t bytes = 0; bytes < 4 * whole.count; bytes++)
        assert_false(check_bytes(whole.words, bytes, NULL, NULL) == VKMM_OK && bytes % 4 != 0);
    for (size_t i = 0; i < whole.count; i++) {
        for (int bit = 0; bit < 32; bit++) {
            module m = whole;
            m.words[i] ^= 1u << bit;
            (void)check_bytes(m.words, 4 * m.count, NULL, NULL);
        }
    }
}

/* Structs of structs, each three times the one before, do not fit in 64 bits, and take no time. */
TEST(counts_what_is_entangled)
{
    const module m = good();
    const size_t pointer = place(&m, OP_TYPE_POINTER, 1);
    module tangled = m;
    tangled.count = pointer;
    for (uint32_t id = 40; id < 60; id++)
        EMIT(&tangled, OP_TYPE_STRUCT, id, id > 40 ? id - 1 : 3, id > 40 ? id - 1 : 3, id > 40 ? id - 1 : 3);
    memcpy(tangled.words + tangled.count, m.words + pointer, (m.count - pointer) * 4);
    tangled.count += m.count - pointer;
    tangled.words[3] = 64;
    tangled.words[place(&tangled, OP_TYPE_POINTER, 1) + 3] = 59;
    expect(&tangled, NULL, NULL, VKMM_INVALID, "push constants of 13947137604 bytes"); /* 4 · 3^20 */
}

/* A specialization constant of 64 bits does not fit the planner's values. */
TEST(wants_constants_of_32_bits)
{
    const module m = good();
    module wide = m;
    const size_t at = place(&m, OP_SPEC_CONSTANT, 0);
    wide.words[at] = 5 << 16 | OP_SPEC_CONSTANT;
    memcpy(wide.words + at + 5, m.words + at + 4, (m.count - at - 4) * 4);
    wide.words[at + 4] = 0;
    wide.count++;
    expect(&wide, NULL, NULL, VKMM_INVALID, "specialization constant 4 does not have 32 bits");
}

static vkmm_device_info device(void)
{
    return (vkmm_device_info){.name = "D",
                              .driver.api_version = VK_API_VERSION_1_1,
                              .limits.max_workgroup_size = {64, 64, 64},
                              .limits.max_invocations = 64,
                              .limits.max_shared_bytes = 16384,
                              .subgroup.operations = VK_SUBGROUP_FEATURE_BASIC_BIT};
}

TEST(asks_the_device)
{
    vkmm_kernel_info kernel = {.tile = {4, 8}, .spec_count = 1, .spec_ids = {VKMM_SPEC_DEPTH}, .spec_values = {64}};
    vkmm_device_info d = device();
    module m = good();
    expect(&m, &d, &kernel, VKMM_OK, NULL); /* 4 · 64 · 64 bytes are 16384 */
    d.limits.max_shared_bytes = 16383;
    expect(&m, &d, &kernel, VKMM_UNSUPPORTED, "needs 16384 bytes of shared memory; \"D\" allows 16383");
    d = device();
    d.limits.max_invocations = 31;
    expect(&m, &d, &kernel, VKMM_UNSUPPORTED, "a workgroup of 8x4x1; \"D\" allows 31 invocations");
    d = device();
    kernel.tile[1] = 7;
    expect(&m, &d, &kernel, VKMM_UNSUPPORTED,
           "fixes its workgroup at 8x4x1, more invocations than a tile of 4x7 has elements; take a tile of 4x8");
    d.limits.max_workgroup_size[1] = 3;
    expect(&m, &d, &kernel, VKMM_UNSUPPORTED, "allows 64x3x64");
    m.words[1] = 0x10400;
    expect(&m, &d, &kernel, VKMM_UNSUPPORTED, "SPIR-V 1.4; \"D\" takes up to 1.3");
}

TEST(asks_for_capabilities)
{
    static const struct {
        uint32_t number;
        const char *name;
    } capabilities[] = {{9, "Float16"},
                        {10, "Float64"},
                        {39, "Int8"},
                        {63, "GroupNonUniformArithmetic"},
                        {4433, "StorageBuffer16BitAccess"},
                        {4448, "StorageBuffer8BitAccess"},
                        {6019, "DotProduct"}};
    vkmm_kernel_info kernel = {.tile = {4, 8}};
    vkmm_device_info rich = device();
    rich.features.f16 = rich.features.f64 = rich.features.i8 = rich.features.storage16 = rich.features.storage8 =
        rich.features.dot = 1;
    rich.subgroup.operations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
        const vkmm_device_info poor = device();
        module m = good();
        m.words[place(&m, OP_CAPABILITY, 0) + 1] = capabilities[i].number;
        expect(&m, NULL, NULL, VKMM_OK, NULL);
        expect(&m, &rich, &kernel, VKMM_OK, NULL);
        expect(&m, &poor, &kernel, VKMM_UNSUPPORTED, capabilities[i].name);
    }
}

/* Through the public function, where SPIRV-Tools is there: from any address, and what is taken is a copy. What is not
 * valid is refused, though the contract does not mind it. */
TEST(loads_a_shader)
{
    module m = good();
    unsigned char odd[4 * MOST + 1];
    vkmm_shader *shader = NULL;
    memcpy(odd + 1, m.words, 4 * m.count);
    const vkmm_status status = vkmm_shader_load(NULL, "m.spv", odd + 1, 4 * m.count, VKMM_I32, &shader);
    if (status == VKMM_UNSUPPORTED) skip();
    assert_ok(status);
    memset(odd, 0, sizeof odd);
    assert_memory_equal(shader->module.words, m.words, 4 * m.count);
    assert_int_equal(shader->module.type, VKMM_I32);
    vkmm_kernel_info kernel = {.tile = {4, 8}};
    vkmm_device_info d = device();
    assert_ok(vkmm_shader_check(shader, &d, &kernel));
    d.limits.max_invocations = 1;
    assert_int_equal(vkmm_shader_check(shader, &d, &kernel), VKMM_UNSUPPORTED);
    vkmm_shader_destroy(&shader);
    assert_null(shader);
    m.words[place(&m, OP_FUNCTION_END, 0)] = 1 << 16 | 253;
    expect(&m, NULL, NULL, VKMM_OK, NULL);
    assert_int_equal(vkmm_shader_load(NULL, "m.spv", m.words, 4 * m.count, VKMM_I32, &shader), VKMM_INVALID);
    m.words[0] = 0;
    assert_int_equal(vkmm_shader_load(NULL, "m.spv", m.words, 4 * m.count, VKMM_I32, &shader), VKMM_INVALID);
    assert_null(shader);
    assert_int_equal(vkmm_shader_load(NULL, "m.spv", NULL, 0, VKMM_I32, &shader), VKMM_INVALID);
}
