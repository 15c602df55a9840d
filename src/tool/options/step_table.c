#include "options/step_table.h"

#include <string.h>

#include "base/array.h"
#include "base/limits.h"

enum { CPU_SHARE = 8 }; /* a size that shows a step is divided by this on processors */

/* Those without a place are general kernels for f32. */
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

int cli_general_step(uint32_t index, cli_step *step)
{
    if (index >= VKMM_COUNT(after)) return 0;
    *step = after[index];
    step->is_general = step->place == NULL;
    if (step->is_general) step->place = "";
    return 1;
}

int cli_step_of_option(const char *name, cli_step *step)
{
    for (uint32_t i = 0; name != NULL && cli_general_step(i, step); i++)
        if (strcmp(step->name, name) == 0) return step->is_general && (step->type || !vkmm_kernel_is_general(name));
    return 0;
}

void cli_step_apply(const cli_step *step, const vkmm_device_info *device, vkmm_job_params *job)
{
    const int is_cpu = device == NULL || vkmm_is_processor(device);
    const uint32_t by = is_cpu ? CPU_SHARE : 1;
    vkmm_problem *own = &job->problem;
    if (step->size[0] > 0) own->m = step->size[0] / by, own->n = step->size[1] / by, own->k = step->size[2] / by;
    if (step->type != VKMM_AUTO) own->out_type = own->type, own->type = step->type;
    if (step->compute != VKMM_AUTO) own->compute = step->compute;
    if (step->method != VKMM_COMPUTE_DIRECT) own->method = step->method;
    job->kernel = step->kernel;
    job->config = is_cpu && step->cpu_config != NULL ? step->cpu_config : step->config;
}

/* What makes the steps fast, or slower than predicted, that were more than twice as fast as the one before on GPUs. */
static const char *const reasons[][2] = {
    {"strided", "the loop before it ran on one core of the processor; here thousands of invocations run at once"},
    {"naive", "neighbours read one element of A and neighbouring ones of B: few lines of memory serve a subgroup"},
    {"band", "there are few workgroups: most processors idle, and nothing hides what the others wait for"},
    {"band-tiled", "there are few workgroups: most processors idle, and nothing hides what the others wait for"},
    {"strip", "the step before it has too few workgroups: it was made from tiled-32, which is the one to compare"},
    {"direct", "matrix cores are idle while each subgroup waits for its own reads, which no other one shares"},
    {"staged", "a tile in shared memory replaces many reads of the same elements through the caches"},
    {"coopmat", "larger blocks read fewer elements for each operation, and the next tile is read meanwhile"},
};

const char *cli_step_why(const char *name, double times_previous, double predicted_ms, double measured_ms)
{
    const double off = predicted_ms / measured_ms;
    if (!(times_previous > 2.5) && !(off < 0.7) && !(off > 1.3)) return NULL;
    for (size_t i = 0; i < VKMM_COUNT(reasons); i++)
        if (strcmp(reasons[i][0], name) == 0) return reasons[i][1];
    return NULL;
}
