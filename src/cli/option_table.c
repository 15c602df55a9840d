#include "cli/options.h"
#include "cli/values.h"

#define AT(field) offsetof(cli_options, field)

enum {
    COMPUTE = CLI_RUN | CLI_LADDER,
    INPUTS = COMPUTE | CLI_TRACE,
    DEVICE = CLI_RUN | CLI_LADDER | CLI_DEVICES | CLI_RACE | CLI_TRACE | CLI_EXPLAIN
};

/* After a change: doc/vkmatmul.1 and doc/completions; the test `cli` says how. */
const cli_option cli_option_table[] = {
    {"Problem", 's', "size", "SIZES",
     "the sizes of C[MxN] = A[MxK] * B[KxN]: N, MxNxK, a list (256,512,1000), or a range (256:4096:*2, 100:500:+100); default 1024",
     COMPUTE | CLI_EXPLAIN, AT(sizes), cli_parse_sizes, NULL},
    {NULL, 's', "size", "SIZES", "the matrices to sum tile by tile: N, MxN, or a list; default 2x6,32x32", CLI_RACE, AT(sizes),
     cli_parse_matrices, NULL},
    {NULL, 's', "size", "SIZE", "the size of the product to watch: N or MxNxK; default 2x6x4, the tutorial's", CLI_TRACE, AT(sizes),
     cli_parse_sizes, NULL},
    {NULL, 'm', NULL, "M", "rows of A and C, whatever --size says", INPUTS | CLI_EXPLAIN, AT(m), cli_parse_extent, NULL},
    {NULL, 'n', NULL, "N", "columns of B and C", INPUTS | CLI_EXPLAIN, AT(n), cli_parse_extent, NULL},
    {NULL, 'k', NULL, "K", "columns of A, rows of B", INPUTS | CLI_EXPLAIN, AT(k), cli_parse_extent, NULL},
    {NULL, 0, "type", "TYPES",
     "element type: f32, f64, i32, u32 (rocBLAS's f32_r too), or a list. Integers wrap modulo 2^32. Default f32; ladder: i32,f32",
     COMPUTE | CLI_EXPLAIN, AT(types), cli_parse_types, cli_type_words},
    {NULL, 0, "type", "TYPE", "element type: i32 (default, as in the tutorials), u32, f32 or f64", CLI_TRACE, AT(types), cli_parse_types,
     cli_type_words},
    {NULL, 'a', NULL, "FILE", "A from a NumPy .npy file: 2 dimensions, C or Fortran order, i4 u4 f4 f8", CLI_RUN | CLI_TRACE, AT(a),
     cli_parse_text, NULL},
    {NULL, 'b', NULL, "FILE", "B, likewise", CLI_RUN | CLI_TRACE, AT(b), cli_parse_text, NULL},
    {NULL, 'o', NULL, "FILE", "write the product as .npy, once it has passed its verification", CLI_RUN, AT(out), cli_parse_text, NULL},
    {NULL, 0, "init", "HOW", "generated inputs: uniform (default), int, ones, index or zeros", COMPUTE, AT(init), cli_parse_index,
     cli_init_words},
    {NULL, 0, "init", "HOW", "generated inputs: index (default: 1, 2, 3, ...), uniform, int, ones or zeros", CLI_TRACE, AT(init),
     cli_parse_index, cli_init_words},
    {NULL, 0, "seed", "SEED", "of the generated inputs; the same seed gives the same matrices everywhere; default 1", INPUTS, AT(seed),
     cli_parse_seed, NULL},

    {"Kernel", 0, "kernel", "NAME", "serial, naive, grouped, tiled, band, band-tiled, or auto (default): the fastest legal one known",
     CLI_RUN, AT(kernel), cli_parse_word, cli_kernel_words},
    {NULL, 't', "tile", "TILE", "workgroup tile: T or RxC elements of C; default: the kernel's own on this device", COMPUTE | CLI_EXPLAIN,
     AT(tile), cli_parse_tile, NULL},
    {NULL, 't', "tile", "TILE", "workgroup tile: T or RxC elements; default: 2 for fewer than 100 elements, else 16", CLI_RACE, AT(tile),
     cli_parse_tile, NULL},
    {NULL, 0, "kernel", "NAME", "the kernel to watch: tiled (default), naive, grouped, band, band-tiled, or auto", CLI_TRACE, AT(kernel),
     cli_parse_word, cli_kernel_words},
    {NULL, 't', "tile", "TILE", "workgroup tile: T or RxC elements of C; default 2", CLI_TRACE, AT(tile), cli_parse_tile, NULL},
    {NULL, 0, "kernel", "NAME", "the kernel to explain: naive, grouped, tiled, band, band-tiled, or auto; default: all of them",
     CLI_EXPLAIN, AT(kernel), cli_parse_word, cli_kernel_words},
    {NULL, 0, "limits", NULL, "show which tiles this device allows, and the rule that forbids each other one, instead of counting",
     CLI_EXPLAIN, AT(limits), NULL, NULL},
    {NULL, 0, "at", "ROW,COL", "the element of C to follow, counted from 0; its workgroup is traced; default 0,0", CLI_TRACE, AT(at),
     cli_parse_at, NULL},
    {NULL, 0, "indices", NULL, "draw which invocation computes which element, with all its indices, instead of a trace", CLI_TRACE,
     AT(indices), NULL, NULL},
    {NULL, 0, "shader", "FILE.comp", "run your own GLSL kernel, verified and timed beside the built-in one; its contract is in vkmatmul(1)",
     CLI_RUN, AT(shader), cli_parse_text, NULL},

    {"Device", 'd', "device", "DEVICE",
     "index, UUID, or part of the name of the device or its driver; default: discrete, integrated, "
     "virtual, CPU, in this order",
     DEVICE, AT(device), cli_parse_text, NULL},
    {NULL, 0, "driver", "FILE.json", "offer one more Vulkan driver manifest to the loader", DEVICE, AT(driver), cli_parse_text, NULL},
    {NULL, 0, "validate", NULL, "run under the Khronos validation layer; any message makes the exit code 1", DEVICE, AT(validate), NULL,
     NULL},

    {"Proof and timing", 0, "verify", "METHOD",
     "auto (default), full, freivalds, or none. A product that is not verified has no speed, so none shows no GFLOP/s", COMPUTE, AT(verify),
     cli_parse_index, cli_verify_words},
    {NULL, 'i', "iters", "COUNT", "timed runs; default: until the median is stable", COMPUTE, AT(iters), cli_parse_iters, NULL},
    {NULL, 'i', "iters", "COUNT", "runs of each version; default 100", CLI_RACE, AT(iters), cli_parse_iters, NULL},
    {NULL, 'j', "cold-iters", "COUNT", "untimed runs first; default: half a second of work", COMPUTE, AT(cold_iters), cli_parse_count,
     NULL},
    {NULL, 0, "min-time", "MS", "kernel time to sample at least, in milliseconds or as 0.5s; default 200", COMPUTE, AT(min_time_ms),
     cli_parse_time, NULL},
    {NULL, 0, "max-time", "MS", "stop waiting for a stable median after this; default 3000", COMPUTE, AT(max_time_ms), cli_parse_time,
     NULL},

    {"Output", 0, "json", NULL, "one JSON object a result and line", DEVICE, AT(json), NULL, NULL},
    {NULL, 0, "html", "FILE.html", "write the trace as a page that steps through it; it stands alone and loads nothing", CLI_TRACE,
     AT(html), cli_parse_text, NULL},
    {NULL, 0, "csv", NULL, "a header and a line a result", COMPUTE, AT(csv), NULL, NULL},
    {NULL, 0, "quiet", NULL, "GFLOP/s alone, or the reason why there is none", COMPUTE, AT(quiet), NULL, NULL},
    {NULL, 0, "print", NULL, "show A, B and the product; the middle of large matrices is left out", CLI_RUN, AT(print), NULL, NULL},
    {NULL, 0, "completions", "SHELL", NULL, CLI_HELP, AT(completions), cli_parse_word, cli_shell_words},
    {NULL, 'h', "help", NULL, "this text", CLI_ALL, AT(help), NULL, NULL},
    {NULL, 'V', "version", NULL, "version and shader hash", CLI_ALL, AT(version), NULL, NULL},
};

const unsigned cli_option_count = sizeof cli_option_table / sizeof *cli_option_table;
