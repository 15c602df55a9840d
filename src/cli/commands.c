#include "cli/commands.h"

#include "base/log.h"

#include <string.h>

static const cli_command commands[] = {
    {"run", CLI_RUN, "multiply matrices on a Vulkan device, prove the product, time it", NULL,
     "vkmatmul --size 1024 --tile 16            # 1024³ on the best device\n"
     "vkmatmul -s 256:4096:*2 --type f32,i32    # a range of sizes, two types\n"
     "vkmatmul -a a.npy -b b.npy -o c.npy       # NumPy files\n"
     "vkmatmul -s 2x6x4 --init index --print    # see the numbers\n"
     "vkmatmul --shader mine.comp --tile 8      # your kernel, then the built-in\n"
     "vkmatmul --json | jq .gflops\n",
     cli_run},
    {"ladder", CLI_LADDER, "climb the tutorials' steps, serial to tiled, as one table", NULL,
     "vkmatmul ladder                           # 1024³, i32 and f32\n"
     "vkmatmul ladder --size 1000 --type i32    # a size that no tile divides\n"
     "vkmatmul ladder --device swiftshader --json\n",
     cli_ladder},
    {"devices", CLI_DEVICES, "list the Vulkan devices with their limits, types and kernels", NULL,
     "vkmatmul devices\n"
     "vkmatmul devices --json | jq -r '.devices[].name'\n",
     cli_devices},
    {"help", CLI_HELP, "explain a command", "[COMMAND]", "vkmatmul help ladder\n", cli_help},
};

const cli_command *cli_command_at(uint32_t index)
{
    return index < sizeof commands / sizeof *commands ? &commands[index] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    for (uint32_t i = 0; cli_command_at(i) != NULL; i++) {
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    }
    return NULL;
}

const char *cli_command_words(uint32_t index)
{
    return cli_command_at(index) != NULL ? commands[index].name : NULL;
}

vkmm_status cli_command_unknown(const vkmm_log *log, const char *name)
{
    const char *near = cli_suggest(name, cli_command_words);

    if (near != NULL) return vkmm_fail(log, VKMM_INVALID, "unknown command '%.60s'; did you mean '%s'?", name, near);
    return vkmm_fail(log, VKMM_INVALID, "unknown command '%.60s'; 'vkmatmul help' lists them all", name);
}
