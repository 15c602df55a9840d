/* Any text as the argument of any option: it is refused with one sentence, or gives a value within the option's
 * limits, which is the same again when it is written and read once more. The first byte chooses an option that has
 * an argument, or a kernel whose --config the text is. */
#include "fuzz.h"

#include "options/values.h"
#include "kernel/table.h"

#include <math.h>
#include <string.h>

enum { FEW_SIZES = 12, LONGEST_EXTENT = 10, FIRST_OPTION = 16 };

/* A list of at most FEW_SIZES, written as M x N x K each, is the same list. */
static void check_sizes(const cli_sizes *sizes, int extents)
{
    char text[FEW_SIZES * 3 * (LONGEST_EXTENT + 1) + 1];
    size_t used = 0;
    cli_sizes again = {NULL, 0};
    must(sizes->count >= 1 && sizes->count <= CLI_MAX_SIZES, "a list of no or too many sizes");
    for (size_t i = 0; i < sizes->count; i++) {
        const cli_size *s = &sizes->item[i];
        must(s->m <= CLI_MAX_EXTENT && s->n <= CLI_MAX_EXTENT && s->k <= (extents == 3 ? CLI_MAX_EXTENT : 0),
             "an extent is too large");
    }
    if (sizes->count > FEW_SIZES) return;
    for (size_t i = 0; i < sizes->count; i++) {
        const cli_size *s = &sizes->item[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%llux%llu", i > 0 ? "," : "",
                                 (unsigned long long)s->m, (unsigned long long)s->n);
        if (extents == 3) used += (size_t)snprintf(text + used, sizeof text - used, "x%llu", (unsigned long long)s->k);
    }
    must(cli_sizes_parse(text, extents, &again) == VKMM_OK, "what was written is not read");
    must(again.count == sizes->count && memcmp(again.item, sizes->item, again.count * sizeof *again.item) == 0,
         "the list has changed");
    cli_sizes_free(&again);
}

static void check_scalar(const cli_option *option, const double *scalar)
{
    char text[64];
    double again = 0;
    must(isfinite(*scalar), "a scalar that is no number");
    snprintf(text, sizeof text, "%.17g", *scalar);
    must(cli_parse_scalar(option, text, &again) == VKMM_OK && again == *scalar, "the scalar has changed");
}

static int is_word_of(const cli_option *option, const char *word)
{
    for (uint32_t i = 0; option->choice(i) != NULL; i++)
        if (option->choice(i) == word || strcmp(option->choice(i), word) == 0) return 1;
    return 0;
}

static uint32_t word_count(const cli_option *option)
{
    uint32_t count = 0;
    while (option->choice(count) != NULL) count++;
    return count;
}

/* The limits that values.c promises, by the kind of argument. */
static void check_value(const cli_option *option, const char *text, const void *field)
{
    const cli_number *number = field;
    const cli_types *types = field;
    const uint32_t *tile = field;
    const cli_at *at = field;
    const double *value = field;
    if (option->parse == cli_parse_text || option->parse == cli_parse_config)
        must(*(const char *const *)field == text, "another text");
    if (option->parse == cli_parse_whole) {
        const uint64_t whole = option->size == sizeof whole ? *(const uint64_t *)field : number->value;
        must(whole >= option->least && whole <= option->most, "a whole number");
    }
    if (option->parse == cli_parse_tile) must(tile[0] >= 1 && tile[1] >= 1, "a tile of nothing");
    if (option->parse == cli_parse_at)
        must(at->given && at->row < CLI_MAX_EXTENT && at->col < CLI_MAX_EXTENT, "an element");
    if (option->parse == cli_parse_amount) {
        must(*value >= option->amount->least && *value <= option->amount->most, "an amount");
        must(*text == '.' || (*text >= '0' && *text <= '9'), "no decimal number");
    }
    if (option->parse == cli_parse_scalar) check_scalar(option, field);
    if (option->parse == cli_parse_types) must(types->count >= 1 && types->count <= VKMM_TYPE_COUNT, "a list of types");
    if (option->parse == cli_parse_word) must(is_word_of(option, *(const char *const *)field), "an unknown word");
    if (option->parse == cli_parse_index)
        must(*(const int *)field >= 0 && *(const uint32_t *)field < word_count(option), "an index");
}

static void judge_option(const vkmm_log *log, const cli_option *option, const char *text, unsigned *sentences)
{
    cli_options options;
    memset(&options, 0, sizeof options);
    void *field = (char *)&options + option->offset;
    const int is_taken = fuzz_judge(vkmm_tell(log, option->parse(option, text, field)), sentences);
    if (is_taken) check_value(option, text, field);
    if (is_taken && option->parse == cli_parse_sizes) check_sizes(&options.sizes, option->commands == CLI_RACE ? 2 : 3);
    cli_options_free(&options);
}

/* A configuration that is written and read again is unchanged. */
static void judge_config(const vkmm_log *log, const vkmm_kernel *kernel, const char *text, unsigned *sentences)
{
    char written[VKMM_CONFIG_TEXT];
    vkmm_config config = {{0}}, again = {{0}};
    fuzz_judge(vkmm_tell(log, vkmm_config_parse(kernel, text, &config)), sentences);
    vkmm_config_text(kernel, &config, written);
    must(vkmm_config_parse(kernel, written, &again) == VKMM_OK, "a written configuration is not read");
    must(memcmp(&config, &again, sizeof config) == 0, "the configuration has changed");
}

/* The index-th option with an argument, modulo their number. */
static const cli_option *option_at(unsigned index)
{
    for (unsigned i = 0;; i = (i + 1) % cli_option_count)
        if (cli_option_table[i].parse != NULL && index-- == 0) return &cli_option_table[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    unsigned sentences = 0;
    const vkmm_log log = {fuzz_hear, &sentences};
    if (bytes == 0) return 0;
    char *text = malloc(bytes);
    if (text == NULL) return 0;
    memcpy(text, data + 1, bytes - 1);
    text[bytes - 1] = '\0';
    const vkmm_kernel *kernel = data[0] < FIRST_OPTION ? vkmm_kernel_at(data[0]) : NULL;
    if (kernel != NULL && kernel->tunables != NULL)
        judge_config(&log, kernel, text, &sentences);
    else
        judge_option(&log, option_at(data[0] - (data[0] < FIRST_OPTION ? 0u : FIRST_OPTION)), text, &sentences);
    free(text);
    return 0;
}
