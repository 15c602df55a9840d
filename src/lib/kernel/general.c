#include "kernel/general.h"

#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "math/type.h"

int vkmm_preset_at(const vkmm_kernel *kernel, const vkmm_device_info *device, const vkmm_problem *problem,
                   uint32_t index, vkmm_preset *preset)
{
    if (!kernel->preset(device, problem, index, preset)) return 0;
    for (int i = 0; i < VKMM_MAX_TUNABLES; i++)
        if (!kernel->tunables[i].name) preset->config.values[i] = 1;
    return 1;
}

uint32_t vkmm_problem_alignment_to(const vkmm_problem *problem, const uint32_t elements[3])
{
    static const uint32_t bits[] = {VKMM_ALIGNED_A, VKMM_ALIGNED_B, VKMM_ALIGNED_C};
    uint32_t aligned = 0;
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) {
        const vkmm_operand o = (vkmm_operand)operand;
        const uint32_t vector = elements[operand];
        uint64_t uneven = vkmm_operand_ld(problem, o) % vector + vkmm_operand_offset(problem, o) % vector;
        uneven += vkmm_operand_stride(problem, o) % vector + vkmm_operand_stored(problem, o).length % vector;
        if (uneven == 0) aligned |= bits[operand];
    }
    return aligned;
}

uint32_t vkmm_problem_alignment(const vkmm_problem *problem)
{
    uint32_t vectors[3];
    for (int operand = VKMM_A; operand <= VKMM_C; operand++)
        vectors[operand] = 16 / vkmm_type_of(vkmm_operand_type(problem, (vkmm_operand)operand))->bytes;
    return vkmm_problem_alignment_to(problem, vectors);
}

uint32_t vkmm_problem_alignment_of_vectors(const vkmm_problem *problem, const vkmm_config *config)
{
    (void)config;
    const uint32_t vector = vkmm_vector_of(vkmm_problem_compute(problem));
    return vkmm_problem_alignment_to(problem, (const uint32_t[3]){vector, vector, vector});
}

uint32_t vkmm_vector_of(vkmm_type type)
{
    return type == VKMM_F64 ? 2 : 4;
}

uint64_t vkmm_registers_of(vkmm_type type, uint64_t sums)
{
    return type == VKMM_F64 ? 2 * sums : sums;
}

uint64_t vkmm_blocks_down(const vkmm_shape *shape)
{
    return vkmm_quotient(vkmm_value(shape, VKMM_TUNE_ROWS), vkmm_value(shape, VKMM_TUNE_THREAD_ROWS));
}

uint64_t vkmm_blocks_across(const vkmm_shape *shape)
{
    return vkmm_quotient(vkmm_value(shape, VKMM_TUNE_COLS), vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
}

uint64_t vkmm_outside_blocks(const vkmm_shape *shape)
{
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_ROWS), vkmm_value(shape, VKMM_TUNE_THREAD_ROWS)) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS), vkmm_value(shape, VKMM_TUNE_THREAD_COLS));
}

void vkmm_config_text(const vkmm_kernel *kernel, const vkmm_config *config, char text[VKMM_CONFIG_TEXT])
{
    text[0] = '\0';
    for (int i = 0; i < VKMM_MAX_TUNABLES && kernel->tunables; i++)
        if (kernel->tunables[i].name)
            vkmm_join(text, VKMM_CONFIG_TEXT, ",", "%s=%u", kernel->tunables[i].name, config->values[i]);
}

static const vkmm_tunable *find(const vkmm_kernel *kernel, const char *name, size_t length)
{
    for (int i = 0; i < VKMM_MAX_TUNABLES && kernel->tunables; i++) {
        const char *known = kernel->tunables[i].name;
        if (known && strlen(known) == length && memcmp(known, name, length) == 0) return &kernel->tunables[i];
    }
    return NULL;
}

static vkmm_status refuse_name(const vkmm_kernel *kernel, const char *name, size_t length)
{
    char names[256] = "";
    for (int i = 0; i < VKMM_MAX_TUNABLES && kernel->tunables; i++)
        if (kernel->tunables[i].name) VKMM_JOIN(names, ", ", "%s", kernel->tunables[i].name);
    return vkmm_fail(VKMM_INVALID, "the kernel %s has no tunable \"%.*s\"; it has %s", kernel->name,
                     (int)(length < 40 ? length : 40), name, names[0] ? names : "none");
}

/* Digits at *text, moved past: 1 and *value, or 0 for anything that is not 0 … 2^20. */
static int read_value(const char **text, uint32_t *value)
{
    const char *start = *text;
    *value = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++)
        if (*value <= 1u << 20) *value = 10 * *value + (uint32_t)(**text - '0');
    return *text > start && *value <= 1u << 20;
}

vkmm_status vkmm_config_parse(const vkmm_kernel *kernel, const char *text, vkmm_config *config)
{
    vkmm_config read = *config;
    for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
        size_t length = strcspn(text, "=, ");
        const vkmm_tunable *tunable = find(kernel, text, length);
        if (!tunable) return refuse_name(kernel, text, length);
        text += length;
        if (*text == '=') text++;
        if (!read_value(&text, &read.values[tunable - kernel->tunables]) || (*text && *text != ',' && *text != ' '))
            return vkmm_fail(VKMM_INVALID, "the tunable %s takes a whole number from 0 to %u", tunable->name, 1u << 20);
    }
    *config = read;
    return VKMM_OK;
}
