/* Any bytes as a command line: the options are refused with one sentence, or their problems are checked and refused
 * so, or they are whole. The first byte is the command; words follow, each ended by a line's end or a zero. Nothing
 * is opened, and no device asked. */
#include "fuzz.h"

#include "base/log.h"
#include "session/problem_options.h"
#include "kernel/table.h"
#include "math/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS = 16, MOST_WORDS = 48, MOST_PROBLEMS = 6 };

/* What was said. */
typedef struct heard {
    unsigned count;
} heard;

static void hear(void *user, vkmm_log_level level, const char *sentence)
{
    if (level != VKMM_LOG_ERROR || *sentence == '\0') abort();
    for (; *sentence != '\0'; sentence++)
        if ((unsigned char)*sentence < ' ') abort();
    ((heard *)user)->count++;
}

static void must(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_arguments: %s\n", what);
    abort();
}

/* Success says nothing; a failure, one sentence. */
static int judge(vkmm_status status, heard *so_far, vkmm_status expected)
{
    must(status == VKMM_OK || status == expected, "an undocumented status");
    must(so_far->count == (status != VKMM_OK), "not one sentence for a failure, or one for a success");
    so_far->count = 0;
    return status == VKMM_OK;
}

static void check_config(const vkmm_log *log, heard *so_far, const char *text)
{
    vkmm_config config = {{0}};
    const vkmm_kernel *kernel = NULL;
    for (uint32_t i = 0; (kernel = vkmm_kernel_at(i)) != NULL; i++)
        if (kernel->tunables != NULL)
            judge(vkmm_tell(log, vkmm_config_parse(kernel, text, &config)), so_far, VKMM_INVALID);
}

/* The first problems that the options describe, and the last one. */
static void check_problems(const vkmm_log *log, heard *so_far, const cli_options *options)
{
    const size_t count = cli_size_count(options);
    for (size_t i = 0; i < count && i < MOST_PROBLEMS; i++) {
        const cli_size size = cli_size_at(options, i + 1 == MOST_PROBLEMS ? count - 1 : i, CLI_SQUARE);
        for (uint32_t t = 0; t == 0 || t < options->types.count; t++) {
            const vkmm_problem problem = cli_problem_make(options, &size, options->types.type[t]);
            vkmm_problem_bytes bytes;
            if (!judge(vkmm_tell(log, vkmm_problem_check(&problem, &bytes)), so_far, VKMM_INVALID)) continue;
            must(bytes.a <= bytes.total && bytes.b <= bytes.total && bytes.c <= bytes.total && bytes.total <= INT64_MAX,
                 "bytes overflow");
        }
    }
}

static void check(const vkmm_log *log, heard *so_far, const cli_options *options)
{
    must(options->sizes.count <= CLI_MAX_SIZES, "too many sizes");
    if (!judge(vkmm_tell(log, cli_options_check(options)), so_far, VKMM_INVALID)) return;
    if (options->config != NULL) check_config(log, so_far, options->config);
    check_problems(log, so_far, options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static char command[] = "run";
    char *words[MOST_WORDS + 2] = {command};
    heard so_far = {0};
    const vkmm_log log = {hear, &so_far};
    cli_options options;
    int count = 1;
    if (bytes == 0) return 0;
    char *line = malloc(bytes); /* the words without the first byte, and an end */
    if (line == NULL) return 0;
    memcpy(line, data + 1, bytes - 1);
    line[bytes - 1] = '\0';
    for (size_t at = 0; at + 1 < bytes && count <= MOST_WORDS; at += strlen(line + at) + 1) {
        line[at + strcspn(line + at, "\n")] = '\0';
        words[count++] = line + at;
    }
    memset(&options, 0, sizeof options);
    if (judge(vkmm_tell(&log, cli_options_parse(1u << data[0] % COMMANDS, command, count, words, &options)), &so_far,
              VKMM_INVALID))
        check(&log, &so_far, &options);
    cli_options_free(&options);
    free(line);
    return 0;
}

size_t vkmm_fuzz_seed(unsigned index, uint8_t out[VKMM_FUZZ_SEED_BYTES])
{
    static const struct {
        unsigned command;
        const char *words;
    } seeds[] = {
        {0, "--size\n1024\n--tile\n16\n--json"},
        {0, "-s\n256:4096:*2\n--type\nf32,i32\n-i3\n-j\n0\n--min-time=0.5s\n--max-time\n3000"},
        {0, "-a\na.npy\n-b\nb.npy\n-c\nc.npy\n--beta\n-1.5e3\n--bias\nb.npy\n-o\no.npy\n--verify\nfull"},
        {0, "-m\n4096\n-n\n1\n-k\n14336\n--batch_count\n64\n--stride_a\n0\n--stride-b\n99\n--offset-c\n7"},
        {0, "--layout\ncol\n--lda\n1100\n--ldb=2000\n--ldc\n3000\n--beta\n1\n--alpha\n+.5\n--transposeA\nT\n--"
            "transposeB\nc"},
        {0, "--shader\nmine.comp\n--tile\n8x4\n--kernel\nblocked\n--config\nrows=64,cols=64\n--untuned\n--no-cache"},
        {0,
         "--type\ni8\n--out-type\ni32\n--compute\ni32\n--bias_vector\n--activation\nrelu\n-r\nf16_r\n--c_type\nf32_r"},
        {0, "--device\nllvmpipe\n--driver\nd.json\n--validate\n--no-layers\n--seed\n9\n--init\nint\n--print\n--quiet\n-"
            "-csv"},
        {1, "--size\n1000\n--type\ni32,f32\n--seed\n9007199254740991"},
        {2, "--json\n-d\n0\nextra"},
        {3, "ladder\n--completions\nbash"},
        {4, "--kernel\ntiled\n--type\nf64\n-t\n4294967295"},
        {5, "-s\n5x7x6\n--tile\n3\n--kernel\nband\n--at\n4,6\n--html\nt.html"},
        {6, "--size\n2x6\n--iters\n1000\n-t2"},
        {7, "--budget\n2.5m\n--import\na\n--export\nb\n--worker\nw"},
        {8, "--suite\nquick\n--rotating\n256\n--max-noise\n0.5%\n--no-host\n-o\nx.json\n--jsonl\n--md\n--junit"},
        {9, "a.json\n--fail-on-regression\n5%\nb.json\n--\n-c.json"},
        {10, "a.json\n-o\np.html"},
        {11, "--root\n/x\n--js\n--n"},
        {12, "--tpye\nf32\n--s\n-zz"},
        {14, "--host\n--untuned"},
        {15, "--device"},
    };
    if (index >= sizeof seeds / sizeof seeds[0]) return 0;
    out[0] = (uint8_t)seeds[index].command;
    memcpy(out + 1, seeds[index].words, strlen(seeds[index].words));
    return 1 + strlen(seeds[index].words);
}
