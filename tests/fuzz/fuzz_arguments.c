/* Any bytes as a command line: the options are refused with one sentence, or their problems are checked and refused
 * so, or they are whole. The first byte is the command; words follow, each ended by a line's end or a zero. Nothing
 * is opened, and no device asked. */
#include "fuzz.h"

#include "options/options.h"
#include "kernel/table.h"
#include "math/problem.h"

#include <string.h>

enum { COMMANDS = 16, MOST_WORDS = 48, MOST_PROBLEMS = 6 };

static void check_config(const vkmm_log *log, unsigned *so_far, const char *text)
{
    vkmm_config config = {{0}};
    const vkmm_kernel *kernel = NULL;
    for (uint32_t i = 0; (kernel = vkmm_kernel_at(i)) != NULL; i++)
        if (kernel->tunables != NULL) fuzz_judge(vkmm_tell(log, vkmm_config_parse(kernel, text, &config)), so_far);
}

/* The first problems that the options describe, and the last one. */
static void check_problems(const vkmm_log *log, unsigned *so_far, const cli_options *options)
{
    const size_t count = cli_size_count(options);
    for (size_t i = 0; i < count && i < MOST_PROBLEMS; i++) {
        const cli_size size = cli_size_at(options, i + 1 == MOST_PROBLEMS ? count - 1 : i, CLI_SQUARE);
        for (uint32_t t = 0; t == 0 || t < options->types.count; t++) {
            const vkmm_problem problem = cli_problem_make(options, &size, options->types.type[t]);
            uint64_t total = 0;
            if (!fuzz_judge(vkmm_tell(log, vkmm_problem_check(&problem)), so_far)) continue;
            for (int o = VKMM_A; o <= VKMM_BIAS; o++) {
                total += vkmm_operand_bytes(&problem, (vkmm_operand)o);
                must(total <= INT64_MAX, "bytes overflow");
            }
        }
    }
}

static void check(const vkmm_log *log, unsigned *so_far, const cli_options *options)
{
    must(options->sizes.count <= CLI_MAX_SIZES, "too many sizes");
    if (!fuzz_judge(vkmm_tell(log, cli_options_check(options)), so_far)) return;
    if (options->config != NULL) check_config(log, so_far, options->config);
    check_problems(log, so_far, options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static char command[] = "run";
    char *words[MOST_WORDS + 2] = {command};
    unsigned so_far = 0;
    const vkmm_log log = {fuzz_hear, &so_far};
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
    if (fuzz_judge(vkmm_tell(&log, cli_options_parse(1u << data[0] % COMMANDS, command, count, words, &options)),
                   &so_far))
        check(&log, &so_far, &options);
    cli_options_free(&options);
    free(line);
    return 0;
}
