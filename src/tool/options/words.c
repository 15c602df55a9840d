#include "options/values.h"

#include "math/type.h"

#include <stdio.h>

const char *cli_type_words(uint32_t index)
{
    return index < VKMM_TYPE_COUNT - VKMM_F32 ? vkmm_type_of((vkmm_type)(VKMM_F32 + index))->name : NULL;
}

int cli_is_plain_type(vkmm_type type)
{
    return type == VKMM_F32 || type == VKMM_F64 || type == VKMM_I32 || type == VKMM_U32;
}

static const char *word_of(const vkmm_type *types, uint32_t count, uint32_t index)
{
    return index < count ? vkmm_type_of(types[index])->name : NULL;
}

const char *cli_tutorial_type_words(uint32_t index)
{
    static const vkmm_type types[] = {VKMM_F32, VKMM_F64, VKMM_I32, VKMM_U32};

    return word_of(types, sizeof types / sizeof *types, index);
}

const char *cli_out_type_words(uint32_t index)
{
    static const vkmm_type types[] = {VKMM_F16, VKMM_BF16, VKMM_F32, VKMM_I32, VKMM_U32, VKMM_F64};

    return word_of(types, sizeof types / sizeof *types, index);
}

const char *cli_compute_words(uint32_t index)
{
    static const vkmm_type types[] = {VKMM_F32, VKMM_F16, VKMM_I32, VKMM_U32, VKMM_F64};

    return word_of(types, sizeof types / sizeof *types, index);
}

const char *cli_activation_words(uint32_t index)
{
    return vkmm_activation_name(index);
}

const char *cli_kernel_words(uint32_t index)
{
    return index == 0 ? "auto" : vkmm_kernel_name(index - 1);
}

const char *cli_tutorial_words(uint32_t index)
{
    if (index == 0) return "auto";
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL; i++)
        if (!vkmm_kernel_is_general(vkmm_kernel_name(i)) && --index == 0) return vkmm_kernel_name(i);
    return NULL;
}

const char *cli_op_words(uint32_t index)
{
    return index == VKMM_OP_N ? "N" : index == VKMM_OP_T ? "T" : NULL;
}

const char *cli_layout_words(uint32_t index)
{
    return index == VKMM_ROW_MAJOR ? "row" : index == VKMM_COL_MAJOR ? "col" : NULL;
}

const char *cli_init_words(uint32_t index)
{
    return index < VKMM_INIT_COUNT ? vkmm_init_name((vkmm_init)index) : NULL;
}

const char *cli_verify_words(uint32_t index)
{
    return index <= VKMM_VERIFY_NONE ? vkmm_verify_method_name((vkmm_verify_method)index) : NULL;
}

const char *cli_shell_words(uint32_t index)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};

    return index < sizeof shells / sizeof *shells ? shells[index] : NULL;
}

void cli_join_words(cli_words words, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; words(i) != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", words(i));
}
