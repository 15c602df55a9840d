#include "math/component.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "math/type.h"

/* Named by their numbers: older Vulkan headers lack some. */
static const struct {
    uint32_t component;
    const char *name;
} names[] = {
    {0, "f16"},
    {1, "f32"},
    {2, "f64"},
    {3, "i8"},
    {4, "i16"},
    {5, "i32"},
    {6, "i64"},
    {7, "u8"},
    {8, "u16"},
    {9, "u32"},
    {10, "u64"},
    {1000141000, "bf16"},
    {1000491002, "fp8-e4m3"},
    {1000491003, "fp8-e5m2"},
};

const char *vkmm_component_name(uint32_t component, char text[32])
{
    for (size_t i = 0; i < VKMM_COUNT(names); i++)
        if (names[i].component == component) return names[i].name;
    snprintf(text, 32, "type %u", component);
    return text;
}

int vkmm_component_parse(const char *name, uint32_t *component)
{
    char again[32];
    for (size_t i = 0; i < VKMM_COUNT(names); i++) {
        if (strcmp(names[i].name, name) != 0) continue;
        *component = names[i].component;
        return 1;
    }
    if (strncmp(name, "type ", 5) != 0) return 0;
    const uint32_t number = (uint32_t)strtoul(name + 5, NULL, 10);
    if (strcmp(vkmm_component_name(number, again), name) != 0) return 0;
    *component = number;
    return 1;
}

/* Both are named alike. */
uint32_t vkmm_component_of(vkmm_type type)
{
    uint32_t component = UINT32_MAX;
    vkmm_component_parse(vkmm_type_of(type)->name, &component);
    return component;
}

const char *vkmm_matrix2_name(uint32_t bit)
{
    static const char *const words[] = {"workgroup",  "flexible",  "tensor",  "block",
                                        "conversion", "reduction", "elements"};
    return bit < VKMM_COUNT(words) ? words[bit] : NULL;
}
