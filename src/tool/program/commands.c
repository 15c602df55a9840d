#include "session/commands.h"

#include "base/log.h"

#include <string.h>

static const cli_command commands[] = {
    {"run", CLI_RUN, "multiply matrices on a Vulkan device, verify the product, time it", NULL,
     "vkmatmul --size 1024 --tile 16            # 1024³ on the best device\n"
     "vkmatmul -a a.npy -b b.npy -o c.npy       # 'vkmatmul example' writes a, b\n"
     "vkmatmul -s 256:4096:x2 --type f32,i32    # a range of sizes, two types\n"
     "vkmatmul -m 4096 -n 1 -k 14336 --batch_count 64 --stride_a 0\n"
     "vkmatmul -f gemm -m 96 --lda 100 -v 1     # rocblas-bench's options\n"
     "vkmatmul -s 2x6x4 --init index --print    # see the numbers\n"
     "vkmatmul --shader mine.comp --tile 8      # your kernel, then the built-in\n"
     "vkmatmul --json | jq .gflops\n",
     cli_command_run},
    {"ladder", CLI_LADDER, "run the tutorials' steps and the fast kernel, as one table", NULL,
     "vkmatmul ladder                           # i32 and f32\n"
     "vkmatmul ladder --size 1000 --type i32    # a size that no tile divides\n"
     "vkmatmul ladder --shader mine.comp --kernel tiled,auto\n"
     "vkmatmul ladder --html course.html        # each step's reads, source, speed and a question\n"
     "vkmatmul ladder --device swiftshader --json\n",
     cli_command_ladder},
    {"devices", CLI_DEVICES, "list the Vulkan devices with their limits, types and kernels", NULL,
     "vkmatmul devices\n"
     "vkmatmul devices --json | jq -r '.devices[].name'\n",
     cli_command_devices},
    {"explain", CLI_EXPLAIN, "count what each kernel reads, and show which limit binds it", NULL,
     "vkmatmul explain --size 1024 --tile 16    # 64 global reads of each element\n"
     "vkmatmul explain -s 1000 --kernel tiled   # a ragged size: what idles\n"
     "vkmatmul explain --json | jq '.kernels[].reads.a'\n",
     cli_command_explain},
    {"statistics", CLI_STATISTICS, "compile products, and show their registers, spills and cycles", NULL,
     "vkmatmul statistics                       # usual products in f32 and f16\n"
     "vkmatmul statistics --all --json          # every type and op, one line each\n"
     "vkmatmul statistics -s 4096 --kernel blocked --config rows=64,cols=64\n",
     cli_command_statistics},
    {"trace", CLI_TRACE, "show one workgroup step by step: indices, shared memory, sums", NULL,
     "vkmatmul trace --at 0,3                   # the tutorial's example: 160\n"
     "vkmatmul trace -s 5x7x6 --tile 3 --kernel band --at 4,6\n"
     "vkmatmul trace --html trace.html          # a page to step through\n"
     "vkmatmul trace --json | jq '.steps[].sums'\n",
     cli_command_trace},
    {"race", CLI_RACE, "show what a missing barrier does, on every device", NULL,
     "vkmatmul race                             # every device, two matrices\n"
     "vkmatmul race --size 2x6 --tile 2         # the tutorial's, in full\n"
     "vkmatmul race --device swiftshader --iters 1000 --json\n",
     cli_command_race},
    {"tune", CLI_TUNE, "measure configurations and keep the fastest", NULL,
     "vkmatmul tune                             # usual squares, one minute\n"
     "vkmatmul tune --size 4096 --budget 5m     # runs of such sizes use it\n"
     "vkmatmul tune -s 4096x1x14336 --transposeB T --type f32,f64\n"
     "vkmatmul tune --export mine.tuning        # and --import elsewhere\n",
     cli_command_tune},
    {"bench", CLI_BENCH, "measure a suite of verified products on one device", NULL,
     "vkmatmul bench                            # the quick suite, a minute\n"
     "vkmatmul bench --suite standard -o my.json  # a report to keep, or to send\n"
     "vkmatmul bench --kernel naive,tiled --shader mine.comp\n"
     "vkmatmul bench --type f32 --rotating 256 --md\n",
     cli_command_bench},
    {"compare", CLI_COMPARE, "compare the devices and drivers of this machine, or saved reports", "[FILE]...",
     "vkmatmul compare                          # all devices, in turns\n"
     "vkmatmul compare old.json new.json --fail-on-regression 5%\n"
     "vkmatmul compare -o desk.json             # keep the run as a report\n",
     cli_command_compare},
    {"report", CLI_REPORT, "make a page with tables and charts from saved reports", "FILE...",
     "vkmatmul report a.json b.json -o page.html\n"
     "vkmatmul report a.json                    # its table on the terminal\n",
     cli_command_report},
    {"record", CLI_RECORD, "measure a device for others: one file, without personal data", NULL,
     "vkmatmul record -o my-gpu.json            # ten minutes at most\n"
     "vkmatmul record -o cpu.json --device cpu --budget 10s\n"
     "vkmatmul record --show                    # what it tells about this machine\n",
     cli_command_record},
    {"peak", CLI_PEAK, "measure a device's peaks: arithmetic, memory, transfers", NULL,
     "vkmatmul peak\n"
     "vkmatmul peak --device nvidia --json\n",
     cli_command_peak},
    {"doctor", CLI_DOCTOR, "check the loader, drivers, layers and devices, and give advice", NULL,
     "vkmatmul doctor\n"
     "vkmatmul doctor --json | jq '.advice'\n",
     cli_command_doctor},
    {"check", CLI_CHECK, "find what a driver gets wrong, with shaders that show it", NULL,
     "vkmatmul check                            # two minutes at most\n"
     "vkmatmul check --type f32,f16 --json | jq '.parts[].failures'\n"
     "vkmatmul check --out .                    # a shader for each failure\n",
     cli_command_check},
    {"blas", CLI_BLAS, "run a program whose BLAS uses the device where that is faster", "-- PROGRAM [ARGUMENT]...",
     "vkmatmul blas -- python3 model.py         # a table of its calls at the end\n"
     "VKBLAS_VERBOSE=1 vkmatmul blas --device nvidia -- octave analysis.m\n",
     cli_command_blas},
    {"example", CLI_EXAMPLE, "write two small files of matrices, to try -a and -b with", "[FOLDER]",
     "vkmatmul example                          # a.npy and b.npy, here\n"
     "vkmatmul -a a.npy -b b.npy -o c.npy\n",
     cli_command_example},
    {"help", CLI_HELP, "explain a command, or what your own shader must declare", "[COMMAND|all|shaders]",
     "vkmatmul help ladder\n"
     "vkmatmul help shaders                     # with an example that runs\n",
     cli_command_help},
    /* the commands below are not listed */
    {"tune-worker", CLI_WORKER, "measure what 'vkmatmul tune' asks for", NULL, NULL, cli_command_tune_worker},
    {"bench-worker", CLI_WORKER, "measure what 'vkmatmul bench' asks for", NULL, NULL, cli_command_bench_worker},
    {"statistics-worker", CLI_WORKER, "compile what 'vkmatmul statistics' asks for", NULL, NULL,
     cli_command_statistics_worker},
    {"peak-worker", CLI_WORKER, "measure peaks for 'vkmatmul record'", NULL, NULL, cli_command_peak_worker},
    {"check-worker", CLI_WORKER, "run the cases of 'vkmatmul check'", NULL, NULL, cli_command_check_worker},
    {"doctor-worker", CLI_WORKER, "examine what 'vkmatmul doctor' asks for", NULL, NULL, cli_command_doctor_worker},
};

const cli_command *cli_command_at(uint32_t index)
{
    return commands[index].bit < CLI_ALL ? &commands[index] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; i < VKMM_COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static const char *name_of(uint32_t index)
{
    return cli_command_at(index) != NULL ? commands[index].name : NULL;
}

vkmm_status cli_command_unknown(const vkmm_log *log, const char *name)
{
    const char *near = cli_suggest(name, name_of);
    if (near != NULL) return VKMM_FAIL(log, VKMM_INVALID, "unknown command '%.60s'; did you mean '%s'?", name, near);
    return VKMM_FAIL(log, VKMM_INVALID, "unknown command '%.60s'; 'vkmatmul help' lists them all", name);
}
