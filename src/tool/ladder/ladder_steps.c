#include "ladder/ladder_steps.h"

#include <string.h>

#include "base/array.h"
#include "look/kernel.h"

/* What comes after the kernels of the tutorials; those without a place are general kernels for f32. */
static const cli_step after[] = {
    {.name = "parts",
     .kernel = "blocked",
     .sentence = "blocks of a short C: workgroups share the sums along K, or most processors would be idle",
     .size = {256, 256, 16384}},
    {.name = "blocked",
     .kernel = "blocked",
     .sentence = "as shipped: 8x8 elements per invocation on most GPUs, so that more instructions multiply"},
    {.name = "direct",
     .kernel = "direct",
     .sentence = "matrix cores, straight from memory, on f16: one instruction of a subgroup for thousands of elements",
     .type = VKMM_F16},
    {.name = "staged",
     .kernel = "coopmat",
     .config = "rows=64,cols=64,depth=32,sub-rows=32,sub-cols=32,swizzle=1,pad=0",
     .cpu_config = "rows=32,cols=32,depth=16,sub-rows=16,sub-cols=16,swizzle=1,pad=0",
     .sentence = "tiles in shared memory again: f32 is rounded to f16 on the way, and four subgroups share each tile",
     .compute = VKMM_F16},
    {.name = "coopmat",
     .kernel = "coopmat",
     .sentence = "as shipped: larger blocks per subgroup, which read less of shared memory, and padding",
     .compute = VKMM_F16},
    {.name = "split",
     .sentence = "nearly the precision of f32 from matrix cores: three products of its upper and lower parts",
     .method = VKMM_COMPUTE_SPLIT},
    {.name = "auto", .kernel = "auto", .sentence = "the fastest kernel of this device", .place = "fast"},
};

static const char *summary_of(const char *name)
{
    uint32_t i = 0;

    while (vkmm_kernel_name(i) != NULL && strcmp(vkmm_kernel_name(i), name) != 0) i++;
    return vkmm_kernel_summary(i);
}

int cli_step_at(uint32_t index, cli_step *step)
{
    vkmm_tutorial tutorial;
    uint32_t count = 0;

    if (vkmm_tutorial_at(index, &tutorial)) {
        *step = (cli_step){.name = tutorial.name,
                           .kernel = tutorial.name,
                           .sentence = summary_of(tutorial.name),
                           .place = tutorial.step,
                           .has_tile = tutorial.has_tile,
                           .on_host = tutorial.on_host};
        return 1;
    }
    while (vkmm_tutorial_at(count, &tutorial)) count++;
    if (index - count >= VKMM_COUNT(after)) return 0;
    *step = after[index - count];
    step->is_general = step->place == NULL;
    if (step->is_general) step->place = "";
    return 1;
}
