#include "options/options.h"
#include "base/array.h"
#include "options/values.h"

#include <float.h>

#define AT(field)          offsetof(cli_options, field), sizeof(((cli_options *)0)->field)
#define WHOLE(first, last) cli_parse_whole, .least = (first), .most = (last)
#define AMOUNT(kind)       cli_parse_amount, .amount = &(kind)

#define LARGEST_SEED    ((UINT64_C(1) << 53) - 1) /* every JSON reader represents it exactly */
#define MOST_ITERATIONS 1000000
#define DAY_MS          86400000.0
#define BELOW_ONE       (1 - DBL_EPSILON)

static const cli_amount duration = {
    "milliseconds (or 0.5s) above 0 and up to a day (86400s)", DBL_MIN, DAY_MS, {{"", 1}, {"ms", 1}, {"s", 1000}}};

/* A unit is required, so that minutes and milliseconds cannot be confused. */
static const cli_amount budget = {"a time with a unit, such as 500ms, 60s or 2m, from 100 ms to a day (24h)",
                                  100,
                                  DAY_MS,
                                  {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000}}};

static const cli_amount bytes = {"bytes from 1 to 8388607 TiB, such as 64MiB, 1.5GiB, 256MB or 1000000 (units: B, kB, "
                                 "MB, GB, TB, KiB, MiB, GiB, TiB)",
                                 1,
                                 0x1.fffffffffffffp62,
                                 {{"", 1},
                                  {"B", 1},
                                  {"kB", 1e3},
                                  {"KB", 1e3},
                                  {"MB", 1e6},
                                  {"GB", 1e9},
                                  {"TB", 1e12},
                                  {"KiB", 0x1p10},
                                  {"MiB", 0x1p20},
                                  {"GiB", 0x1p30},
                                  {"TiB", 0x1p40}}};

static const cli_amount mebibytes = {"MiB from 1 to 1048576", 0x1p20, 0x1p40, {{"", 0x1p20}}};

static const cli_amount noise = {
    "a percentage above 0 and below 100, such as 5% or 0.5%", DBL_MIN, BELOW_ONE, {{"", 0.01}, {"%", 0.01}}};

static const cli_amount regression = {
    "a percentage from 0 to below 100, such as 5%", 0, BELOW_ONE, {{"", 0.01}, {"%", 0.01}}};

enum {
    COMPUTE = CLI_RUN | CLI_LADDER,
    INPUTS = COMPUTE | CLI_TRACE,
    BLAS = CLI_RUN | CLI_TUNE | CLI_STATISTICS, /* take every problem */
    EXTENTS = INPUTS | CLI_EXPLAIN | CLI_TUNE | CLI_STATISTICS,
    SHOW = CLI_BENCH | CLI_COMPARE,
    BENCH = SHOW | CLI_MEASURES,
    LOOK = CLI_DEVICES | CLI_DOCTOR | CLI_PEAK,
    LISTED = LOOK | CLI_RACE | CLI_EXPLAIN | CLI_TUNE | CLI_STATISTICS | CLI_CHECK,
    ONE_DEVICE = CLI_RUN | CLI_LADDER | CLI_RACE | CLI_TRACE | CLI_EXPLAIN | CLI_TUNE | CLI_STATISTICS,
    DEVICE = ONE_DEVICE | LOOK | BENCH | CLI_RECORD | CLI_CHECK,
    CACHE = CLI_RUN | CLI_LADDER | CLI_RACE | CLI_TRACE | CLI_EXPLAIN | CLI_PEAK | CLI_RECORD | SHOW | CLI_WORKER
};

#define WORDS(function, ...)                                    \
    static const char *function(uint32_t index)                 \
    {                                                           \
        static const char *const words[] = {__VA_ARGS__, NULL}; \
                                                                \
        return words[index];                                    \
    }

WORDS(out_type_words, "f16", "bf16", "f32", "i32", "u32", "f64")

WORDS(compute_words, "f32", "f16", "i32", "u32", "f64", "split", "modular", "reproducible", "w8a8")

static const char *tutorial_words(uint32_t index)
{
    if (index == 0) return "auto";
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL; i++)
        if (!vkmm_kernel_is_general(vkmm_kernel_name(i)) && --index == 0) return vkmm_kernel_name(i);
    return NULL;
}

WORDS(op_words, [VKMM_OP_N] = "N", [VKMM_OP_T] = "T")

static const char *format_words(uint32_t index)
{
    return index < VKMM_FORMAT_COUNT ? vkmm_format_at(index)->name : NULL;
}

WORDS(part_words, "numbers", "device", "matrices", "reductions", "products")
WORDS(layout_words, [VKMM_ROW_MAJOR] = "row", [VKMM_COL_MAJOR] = "col")

static const char *init_words(uint32_t index)
{
    return index < VKMM_INIT_COUNT ? vkmm_init_name((vkmm_init)index) : NULL;
}

/* The names of rocblas-bench, if it has one. */
WORDS(initialization_words, [VKMM_INIT_UNIFORM] = "uniform", [VKMM_INIT_INT] = "rand_int", [VKMM_INIT_ONES] = "ones",
      [VKMM_INIT_INDEX] = "index", [VKMM_INIT_ZEROS] = "zero")

WORDS(function_words, "gemm", "gemm_ex", "gemm_strided_batched", "gemm_strided_batched_ex")

static const char *verify_words(uint32_t index)
{
    return index <= CLI_VERIFY_NONE ? cli_verify_method_name((cli_verify_method)index) : NULL;
}

WORDS(shell_words, "bash", "zsh", "fish")

/* After a change: doc/vkmatmul.1. Options shared with rocblas-bench keep its names. */
const cli_option cli_option_table[] = {
    {"Problem", 's', "size", "SIZES",
     "the sizes of C[MxN] = A[MxK] * B[KxN]: N, MxNxK, a list (256,512,1000), or a range (256:4096:x2, 100:500:+100); "
     "default 256 on processors, 1024 on GPUs (ladder: 512)",
     COMPUTE | CLI_EXPLAIN, AT(sizes), cli_parse_sizes},
    {NULL, 's', "size", "SIZES",
     "the sizes to tune for: N, MxNxK, a list or a range; default 256,512,1024,2048,4096, as many as the budget allows",
     CLI_TUNE, AT(sizes), cli_parse_sizes},
    {NULL, 's', "size", "SIZES",
     "the sizes to compile for: N, MxNxK, a list or a range; default: eleven for which the planner chooses differently",
     CLI_STATISTICS, AT(sizes), cli_parse_sizes},
    {NULL, 's', "size", "SIZES", "the matrices to sum tile by tile: N, MxN, or a list; default 2x6,32x32", CLI_RACE,
     AT(sizes), cli_parse_sizes},
    {NULL, 's', "size", "SIZE", "the size of the product to trace: N or MxNxK; default 2x6x4, the tutorial's",
     CLI_TRACE, AT(sizes), cli_parse_sizes},
    {NULL, 'm', NULL, "M", "rows of op(A) and C, overrides --size", EXTENTS, AT(m), WHOLE(0, CLI_MAX_EXTENT)},
    {NULL, 'n', NULL, "N", "columns of op(B) and C", EXTENTS, AT(n), WHOLE(0, CLI_MAX_EXTENT)},
    {NULL, 'k', NULL, "K", "columns of op(A), rows of op(B)", EXTENTS, AT(k), WHOLE(0, CLI_MAX_EXTENT)},
    {NULL, 0, "type", "TYPES",
     "element type of A and B: f32, f64, f16, bf16, i32, u32, i8, u8, e4m3, e5m2 (rocBLAS's f32_r too), or a list. "
     "Integers wrap modulo 2^32. Default f32",
     CLI_RUN | CLI_TUNE, AT(types), cli_parse_types, cli_type_words},
    {NULL, 0, "type", "TYPES", "element types of A and B, or a list; default f32,f16, with --all all types",
     CLI_STATISTICS, AT(types), cli_parse_types, cli_type_words},
    {NULL, 0, "type", "TYPES",
     "element type: f32, f64, i32, u32, or a list. Integers wrap modulo 2^32. Default i32,f32", CLI_LADDER, AT(types),
     cli_parse_types, cli_tutorial_type_words},
    {NULL, 0, "type", "TYPES",
     "element type of A and B, or a list; narrow types have only the general kernels. Default f32", CLI_EXPLAIN,
     AT(types), cli_parse_types, cli_type_words},
    {NULL, 0, "type", "TYPES",
     "element types of A and B, or a list; default: all types of the device, those of 16 and 8 bits at fewer sizes and "
     "only on GPUs, or all of the reports",
     SHOW | CLI_REPORT, AT(types), cli_parse_types, cli_type_words},
    {NULL, 0, "type", "TYPES", "element types, or a list; default: all types of the device", CLI_PEAK | CLI_WORKER,
     AT(types), cli_parse_types, cli_type_words},
    {NULL, 0, "type", "TYPES",
     "element types of A and B, or a list; default: f32, f64, i32, and on GPUs f16, bf16, i8 and e4m3", CLI_RECORD,
     AT(types), cli_parse_types, cli_type_words},
    {NULL, 0, "type", "TYPES", "element types of A and B of the products, or a list; default: all types of the device",
     CLI_CHECK, AT(types), cli_parse_types, cli_type_words},
    {NULL, 0, "out-type", "TYPE",
     "element type of C and the bias: f16, bf16, f32, i32, u32, f64; default: that of A and B, but i32 for i8, u32 for "
     "u8 and f32 for e4m3 and e5m2",
     BLAS | BENCH | CLI_EXPLAIN, AT(problem.out_type), cli_parse_type, out_type_words},
    {NULL, 0, "c_type", "TYPE", NULL, BLAS, AT(problem.out_type), cli_parse_type, out_type_words},
    {NULL, 0, "d_type", "TYPE", NULL, BLAS, AT(problem.out_type), cli_parse_type, out_type_words},
    {NULL, 0, "compute", "TYPE",
     "the type that products are summed in: f32, f16, i32, u32, f64; default: f32 for f16 and bf16. f32 with f16 "
     "rounds A and B to f16. Or how: split (f32 as two f16 parts), modular (f64 as residues), "
     "reproducible (f32 or f64, the same bits on every device), w8a8 (f16 or bf16 as bytes, scaled by line)",
     BLAS | BENCH | CLI_EXPLAIN, AT(problem), cli_parse_compute, compute_words},
    {NULL, 0, "a_type", "TYPE", NULL, BLAS, AT(types), cli_parse_input_type, cli_type_words},
    {NULL, 0, "b_type", "TYPE", NULL, BLAS, AT(types), cli_parse_input_type, cli_type_words},
    {NULL, 0, "compute_type", "TYPE", NULL, BLAS, AT(problem), cli_parse_compute, compute_words},
    {NULL, 0, "suite", "FILE",
     "quick (a minute at most), standard, record, weights, or a file with the options of one problem per line; "
     "default quick",
     BENCH, AT(suite), cli_parse_text},
    {NULL, 'r', "precision", "TYPES", NULL, BLAS | CLI_EXPLAIN, AT(types), cli_parse_types, cli_type_words},
    {NULL, 'r', "precision", "TYPES", NULL, CLI_LADDER, AT(types), cli_parse_types, cli_tutorial_type_words},
    {NULL, 0, "type", "TYPE", "element type: i32 (default, as in the tutorials), u32, f32 or f64", CLI_TRACE, AT(types),
     cli_parse_types, cli_tutorial_type_words},
    {NULL, 0, "type-a", "FORMAT",
     "A in blocks with scales along K, which become elements of --type f32, f16 or bf16: q8_0, q4_0, q4_1, q5_0, q5_1, "
     "q4_K, q5_K, q6_K, mxfp4, mxfp8_e4m3, mxfp8_e5m2, nvfp4, fp8_e4m3, fp8_e5m2, q4_z or q8_z; default: plain",
     BLAS, AT(problem.format_a), cli_parse_index, format_words},
    {NULL, 0, "type-b", "FORMAT", "the same for B, with --transposeB T", BLAS, AT(problem.format_b), cli_parse_index,
     format_words},
    {NULL, 0, "transposeA", "OP", "N (default), or T: A is stored KxM, and op(A) is its transpose", BLAS | CLI_EXPLAIN,
     AT(problem.op_a), cli_parse_op, op_words},
    {NULL, 0, "transposeB", "OP", "N (default), or T: B is stored NxK, and op(B) is its transpose", BLAS | CLI_EXPLAIN,
     AT(problem.op_b), cli_parse_op, op_words},
    {NULL, 0, "alpha", "NUMBER", "the factor of op(A) * op(B); default 1; integer types take whole numbers", BLAS,
     AT(problem.alpha), cli_parse_scalar},
    {NULL, 0, "beta", "NUMBER", "the factor of the old C; default 0, which never reads C", BLAS, AT(problem.beta),
     cli_parse_scalar},
    {NULL, 0, "layout", "ORDER", "how all matrices are stored: row (default) or col, as in the BLAS", BLAS,
     AT(problem.layout), cli_parse_index, layout_words},
    {NULL, 'f', "function", "NAME",
     "the function of a rocblas-bench command line: gemm, gemm_ex, gemm_strided_batched or gemm_strided_batched_ex; "
     "implies --layout col, as in rocBLAS",
     BLAS, AT(problem.layout), cli_parse_function, function_words},
    {NULL, 0, "lda", "LD", "elements from one stored row (with --layout col: column) of A to the next; default: packed",
     BLAS, AT(problem.lda), WHOLE(1, INT64_MAX)},
    {NULL, 0, "ldb", "LD", "the same for B", BLAS, AT(problem.ldb), WHOLE(1, INT64_MAX)},
    {NULL, 0, "ldc", "LD", "the same for C", BLAS, AT(problem.ldc), WHOLE(1, INT64_MAX)},
    {NULL, 0, "ldd", "LD", NULL, BLAS, AT(problem.ldc), WHOLE(1, INT64_MAX)},
    {NULL, 0, "batch_count", "COUNT", "the number of matrices to multiply at once; default 1", BLAS,
     AT(problem.batch_count), WHOLE(1, UINT32_MAX)},
    {NULL, 0, "stride_a", "COUNT",
     "elements from one A of the batch to the next; 0: all share one A; default: one after another", BLAS,
     AT(stride[VKMM_A]), WHOLE(0, INT64_MAX)},
    {NULL, 0, "stride_b", "COUNT", "the same for B", BLAS, AT(stride[VKMM_B]), WHOLE(0, INT64_MAX)},
    {NULL, 0, "stride_c", "COUNT", "the same for C; at least one matrix", BLAS, AT(stride[VKMM_C]),
     WHOLE(0, INT64_MAX)},
    {NULL, 0, "stride_d", "COUNT", NULL, BLAS, AT(stride[VKMM_C]), WHOLE(0, INT64_MAX)},
    {NULL, 0, "offset-a", "COUNT", "elements before the first A; default 0", BLAS, AT(problem.offset_a),
     WHOLE(0, INT64_MAX)},
    {NULL, 0, "offset-b", "COUNT", "the same for B", BLAS, AT(problem.offset_b), WHOLE(0, INT64_MAX)},
    {NULL, 0, "offset-c", "COUNT", "the same for C", BLAS, AT(problem.offset_c), WHOLE(0, INT64_MAX)},
    {NULL, 'a', NULL, "FILE",
     "A, as stored, from .npy, .npz, .safetensors, .gguf, .csv or .tsv; FILE.npz:NAME, FILE.safetensors:NAME or "
     "FILE.gguf:NAME for one of several arrays; - for standard input; 3 dimensions are a batch",
     CLI_RUN | CLI_TRACE, AT(a), cli_parse_text},
    {NULL, 'b', NULL, "FILE", "B, likewise; of .gguf the transpose, so that its rows are along K", CLI_RUN | CLI_TRACE,
     AT(b), cli_parse_text},
    {NULL, 'c', NULL, "FILE", "the C that --beta multiplies, likewise; default: generated", CLI_RUN, AT(c),
     cli_parse_text},
    {NULL, 0, "bias", "FILE", "a vector of N elements of C's type, likewise, that is added to each row of the product",
     CLI_RUN, AT(bias), cli_parse_text},
    {NULL, 0, "bias_vector", NULL, "add a generated bias", BLAS, AT(problem.has_bias)},
    {NULL, 0, "activation", "NAME",
     "the function applied to each element at the end: none (default), relu, or gelu (floats)", BLAS,
     AT(problem.activation), cli_parse_index, vkmm_activation_name},
    {NULL, 0, "activation_type", "NAME", NULL, BLAS, AT(problem.activation), cli_parse_index, vkmm_activation_name},
    {NULL, 'o', "out", "FILE",
     "write the product in the format of the file's suffix, once it has passed its verification; - for .npy on "
     "standard output",
     CLI_RUN, AT(out), cli_parse_text},
    {NULL, 0, "initialization", "HOW", NULL, COMPUTE, AT(init), cli_parse_index, initialization_words},
    {NULL, 0, "init", "HOW", "generated inputs: uniform (default), int, ones, index or zeros", COMPUTE, AT(init),
     cli_parse_index, init_words},
    {NULL, 0, "init", "HOW", "generated inputs: index (default: 1, 2, 3, ...), uniform, int, ones or zeros", CLI_TRACE,
     AT(init), cli_parse_index, init_words},
    {NULL, 0, "seed", "SEED",
     "the seed of the generated inputs; the same seed gives the same matrices everywhere; default 1", INPUTS | BENCH,
     AT(seed), WHOLE(0, LARGEST_SEED)},
    {NULL, 0, "rotating", "MB",
     "cold caches: runs cycle through copies of the operands that fill this many MiB; default: hot caches", BENCH,
     AT(rotating_bytes), AMOUNT(mebibytes)},

    {"Kernel", 0, "kernel", "NAME",
     "auto (default): the fastest known; {general}, which support every problem; or the tutorials' {tutorials}, which "
     "support only the plain product",
     CLI_RUN | CLI_STATISTICS, AT(kernel), cli_parse_word, cli_kernel_words},
    {NULL, 0, "kernel", "KERNELS",
     "the kernels to run, in this order: auto, {tutorials}, {general}, and the steps parts, staged and split, or a "
     "list; "
     "default: the tutorials', then auto",
     CLI_LADDER, AT(kernels), cli_parse_words, cli_step_words},
    {NULL, 0, "kernel", "KERNELS",
     "the kernels that multiply each problem for which the suite names none: auto, {tutorials}, {general}, or a list; "
     "other rows of the suite are left out; default: auto",
     BENCH, AT(kernels), cli_parse_words, cli_kernel_words},
    {NULL, 0, "kernel", "NAME",
     "the only kernel of the products: {tutorials} or {general}; default: all that the device runs, on processors of "
     "the general ones those that the planner chooses",
     CLI_CHECK | CLI_WORKER, AT(kernel), cli_parse_word, cli_kernel_words},
    {NULL, 0, "part", "PART",
     "the only part of the check: numbers, device, matrices, reductions or products; default: all", CLI_CHECK, AT(part),
     cli_parse_word, part_words},
    {NULL, 't', "tile", "TILE", "workgroup tile: T or RxC elements of C; default: the kernel's default on this device",
     COMPUTE | CLI_EXPLAIN | CLI_STATISTICS, AT(tile), cli_parse_tile},
    {NULL, 't', "tile", "TILE", "workgroup tile: T or RxC elements; default: 2 for fewer than 100 elements, else 16",
     CLI_RACE, AT(tile), cli_parse_tile},
    {NULL, 0, "kernel", "NAME", "the kernel to trace: auto, or one of {tutorials}, except serial; default tiled",
     CLI_TRACE, AT(kernel), cli_parse_word, tutorial_words},
    {NULL, 't', "tile", "TILE", "workgroup tile: T or RxC elements of C; default 2", CLI_TRACE, AT(tile),
     cli_parse_tile},
    {NULL, 0, "kernel", "NAME",
     "the kernel to explain: auto, or one of {tutorials}, except serial; default: all of these. For {general}, shows "
     "how they are planned, and so for the ladder's steps parts, staged and split",
     CLI_EXPLAIN, AT(kernel), cli_parse_word, cli_step_words},
    {NULL, 0, "at", "ROW,COL", "the element of C to follow, counted from 0; its workgroup is traced; default 0,0",
     CLI_TRACE, AT(at), cli_parse_at},
    {NULL, 0, "shader", "FILE",
     "run your own kernel (GLSL, or SPIR-V from FILE.spv), verified and timed next to the built-in one; once for each "
     "file; 'vkmatmul help shaders' says what it must declare",
     CLI_RUN, AT(shaders), cli_parse_shader},
    {NULL, 0, "shader", "FILE",
     "one more row for your own kernel (GLSL, or SPIR-V from FILE.spv), of f32 unless --type is given; once for each "
     "file; 'vkmatmul help shaders' says what it must declare",
     CLI_LADDER | BENCH, AT(shaders), cli_parse_shader},
    {NULL, 0, "config", "TUNABLES", "tunables of {general}, such as rows=64,cols=64; the planner sets the others",
     CLI_RUN | CLI_STATISTICS, AT(config), cli_parse_config},
    {NULL, 0, "moduli", "COUNT",
     "of a modular or reproducible product (--compute) of f64, 13 to 18, or f32, 8 to 11; default: as many as the "
     "range of A and B needs, of a modular product at least 15",
     CLI_RUN, AT(moduli), WHOLE(8, 18)},
    {NULL, 0, "pack-b", NULL, "copy B, once and untimed, into the layout that the kernel reads fastest, as for weights",
     CLI_RUN, AT(pack_b)},
    {NULL, 0, "all", NULL, "every type, every op, aligned and not, with and without a bias and an activation",
     CLI_STATISTICS, AT(all)},
    {NULL, 0, "untuned", NULL, "ignore the results of 'vkmatmul tune', here and in records",
     COMPUTE | BENCH | CLI_RECORD | CLI_WORKER, AT(untuned)},
    {NULL, 0, "no-cache", NULL, "do not read or write compiled kernels, tuning results and findings on disk",
     CACHE | CLI_TUNE | CLI_CHECK, AT(no_cache)},

    {"Device", 'd', "device", "DEVICE",
     "index, UUID, or part of the name of the device or its driver; or the best of a kind: gpu, cpu, nvidia, amd, "
     "intel, ...; default: discrete, integrated, virtual, CPU, in this order",
     (ONE_DEVICE & ~CLI_RUN) | LOOK | CLI_RECORD | CLI_CHECK | CLI_WORKER | CLI_BLAS, AT(device), cli_parse_text},
    {NULL, 'd', "device", "DEVICES",
     "the device: an index, a UUID, or part of the name of it or of its driver; default: discrete, integrated, "
     "virtual, CPU, in this order. Several share each product: all, gpu, cpu, a vendor (nvidia, amd, intel, ...), or a "
     "list",
     CLI_RUN, AT(device), cli_parse_text},
    {NULL, 'd', "device", "DEVICES",
     "the devices to measure, or to show of reports: all, gpu, cpu, a vendor (nvidia, amd, intel, ...), an index, a "
     "UUID, a part of a name, or a list of these; default: the best for bench, all for compare and report",
     SHOW | CLI_REPORT, AT(device), cli_parse_text},
    {NULL, 0, "driver", "FILE.json", "give the Vulkan loader one more driver manifest", DEVICE | CLI_WORKER, AT(driver),
     cli_parse_text},
    {NULL, 0, "memory-limit", "BYTES",
     "the most device memory to use: 64MiB, 1.5GiB, 256MB, 1000000; a product that needs more is multiplied in panels. "
     "Default: what is free",
     CLI_RUN | BENCH | CLI_WORKER, AT(memory_limit), AMOUNT(bytes)},
    {NULL, 0, "retries", "COUNT", "how often to reopen a lost device and run the product again; default 0", CLI_RUN,
     AT(retries), WHOLE(0, MOST_ITERATIONS)},
    {NULL, 0, "no-layers", NULL, "run without implicit Vulkan layers (overlays, recorders)", DEVICE | CLI_WORKER,
     AT(no_layers)},
    {NULL, 0, "no-host", NULL, "do not measure the host's BLAS", BENCH, AT(no_host)},
    {NULL, 0, "host", NULL, NULL, CLI_WORKER, AT(host_worker)},
    {NULL, 0, "validate", NULL, "run under the Khronos validation layer; any message makes the exit code 1",
     DEVICE | CLI_WORKER, AT(validate)},

    {"Proof and timing", 'v', "verify", "METHOD",
     "auto (default), full, freivalds, or none. none shows no GFLOP/s, because "
     "only verified products have a speed",
     COMPUTE, AT(verify), cli_parse_verify, verify_words},
    {NULL, 0, "bench", NULL,
     "with files or -o, time many runs, as without them; default: time only the run that computes the product", CLI_RUN,
     AT(bench)},
    {NULL, 'i', "iters", "COUNT", "timed runs; default: until the median is stable", COMPUTE, AT(iters),
     WHOLE(1, MOST_ITERATIONS)},
    {NULL, 'i', "iters", "COUNT", "runs of each version; default 100", CLI_RACE, AT(iters), WHOLE(1, MOST_ITERATIONS)},
    {NULL, 'j', "cold-iters", "COUNT", "untimed runs first; default: half a second of work", COMPUTE, AT(cold_iters),
     WHOLE(0, MOST_ITERATIONS)},
    {NULL, 0, "min-time", "MS", "the minimum kernel time to sample, in milliseconds or as 0.5s; default 200", COMPUTE,
     AT(min_time_ms), AMOUNT(duration)},
    {NULL, 0, "max-time", "MS", "stop waiting for a stable median after this; default 3000", COMPUTE, AT(max_time_ms),
     AMOUNT(duration)},
    {NULL, 0, "budget", "TIME", "how long to tune, for all problems together: 500ms, 60s, 2m; default 60s", CLI_TUNE,
     AT(budget_ms), AMOUNT(budget)},
    {NULL, 0, "budget", "TIME",
     "time for all rows of a device: 30s, 5m; rows for which no time is left are listed as not run; default: the "
     "suite's",
     BENCH | CLI_RECORD, AT(budget_ms), AMOUNT(budget)},
    {NULL, 0, "budget", "TIME", "the time after which no case is begun: 30s, 5m; default 2m", CLI_CHECK, AT(budget_ms),
     AMOUNT(budget)},
    {NULL, 0, "max-noise", "PERCENT", "a row ends when half the 95 % interval of its median is below this; default 1%",
     BENCH, AT(max_noise), AMOUNT(noise)},
    {NULL, 0, "fail-on-regression", "PERCENT",
     "exit 1 when a row is slower than the first report's by more than this, beyond the noise", CLI_COMPARE,
     AT(regression), AMOUNT(regression)},
    {NULL, 0, "worker", "FILE", NULL, CLI_TUNE | SHOW | CLI_DOCTOR | CLI_STATISTICS | CLI_RECORD | CLI_CHECK,
     AT(worker), cli_parse_text},
    {NULL, 0, "root", "FILE", NULL, CLI_DOCTOR, AT(root), cli_parse_text},

    {"Output", 0, "json", NULL, "one JSON object per line and result; for bench, report and compare, one for all",
     (DEVICE & ~(CLI_MEASURES | CLI_RECORD)) | CLI_REPORT, AT(format), cli_parse_format},
    {NULL, 0, "samples", NULL, "in JSON, list all samples in addition to their statistics", COMPUTE, AT(samples)},
    {NULL, 0, "top", "COUNT", "rows of the table at the end, those that took longest first; default 10", CLI_BLAS,
     AT(top), WHOLE(1, 255)},
    {NULL, 'v', "verbose", NULL, "list each configuration that failed, with the reason", CLI_TUNE, AT(verbose)},
    {NULL, 'o', NULL, "FILE", "also write the report to a file: .json, .jsonl, .csv, .md or .xml (JUnit)", BENCH,
     AT(output), cli_parse_text},
    {NULL, 'o', NULL, "FILE.json", "the record to write", CLI_RECORD, AT(output), cli_parse_text},
    {NULL, 'o', "out", "FOLDER", "write a shader that shows it for each failure that has one", CLI_CHECK, AT(output),
     cli_parse_text},
    {NULL, 0, "show", NULL,
     "measure nothing: print the record as it is before the first measurement, to see what it tells about this machine",
     CLI_RECORD, AT(show)},
    {NULL, 'o', NULL, "FILE.html", "the page to write; default: a table on the terminal", CLI_REPORT, AT(output),
     cli_parse_text},
    {NULL, 0, "jsonl", NULL, "a JSON line for each result, and for bench for the run and each device",
     COMPUTE | CLI_BENCH | CLI_REPORT | LISTED, AT(format), cli_parse_format},
    {NULL, 0, "md", NULL, "a Markdown table", COMPUTE | SHOW | CLI_REPORT | LISTED, AT(format), cli_parse_format},
    {NULL, 0, "junit", NULL, "JUnit XML: a test case for each row, or each case of a check",
     COMPUTE | SHOW | CLI_REPORT | LISTED, AT(format), cli_parse_format},
    {NULL, 0, "export", "FILE", "instead of tuning, copy all tuning results of this machine to a file", CLI_TUNE,
     AT(export), cli_parse_text},
    {NULL, 0, "import", "FILE",
     "instead of tuning, copy the results in a file to this machine; if both have the same problem, the newer result "
     "is kept",
     CLI_TUNE, AT(import), cli_parse_text},
    {NULL, 0, "html", "FILE.html", "write the trace as a self-contained page to step through", CLI_TRACE, AT(html),
     cli_parse_text},
    {NULL, 0, "html", "FILE.html", "also write a self-contained page: each step's reads, source, speed and a question",
     CLI_LADDER, AT(html), cli_parse_text},
    {NULL, 0, "force", NULL, "let the output replace one of the inputs; for bench, compare and record, the file of -o",
     CLI_RECORD | CLI_RUN | CLI_LADDER | CLI_TRACE | CLI_REPORT | BENCH, AT(force)},
    {NULL, 0, "csv", NULL, "a header, then one line per result", COMPUTE | SHOW | CLI_REPORT | LISTED, AT(format),
     cli_parse_format},
    {NULL, 0, "quiet", NULL, "only GFLOP/s, or the reason why there is none", COMPUTE, AT(format), cli_parse_format},
    {NULL, 0, "print", NULL, "show A, B and the product; the middle of large matrices is left out", CLI_RUN, AT(print)},
    {NULL, 0, "candidates", NULL, NULL, CLI_HELP, AT(candidates)},
    {NULL, 0, "completions", "SHELL", NULL, CLI_HELP, AT(completions), cli_parse_word, shell_words},
    {NULL, 'h', "help", NULL, "this text", CLI_ALL, AT(help)},
    {NULL, 'V', "version", NULL, "version and shader hash", CLI_ALL, AT(version)},
};

const unsigned cli_option_count = VKMM_COUNT(cli_option_table);
