#include "ladder/ladder_steps.h"

#include <string.h>

#include "look/kernel.h"

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
    return cli_general_step(index - count, step);
}
