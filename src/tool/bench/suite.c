#include "bench/suite.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "look/kernel.h"
#include "math/type.h"
#include "report/record.h"

#define MINUTE_MS 60000.0

/* Where items are added; records whether memory ran out. */
typedef struct filler {
    cli_suite *suite;
    vkmm_types types;
    int failed;
} filler;

void cli_suite_free(cli_suite *suite)
{
    vkmm_free(suite->items);
    memset(suite, 0, sizeof *suite);
}

int cli_suite_add(cli_suite *suite, const cli_suite_item *item)
{
    cli_suite_item *added = vkmm_list_add(&suite->items, &suite->count, 1, sizeof *added);
    if (added != NULL) *added = *item;
    return added != NULL;
}

static void add_for(filler *f, const char *group, const char *kernel, const vkmm_problem *problem)
{
    cli_suite_item item = {.problem = *problem};
    VKMM_PUT(item.group, "%s", group);
    VKMM_PUT(item.kernel, "%s", kernel);
    item.problem.type = f->types.in;
    item.problem.out_type = f->types.out;
    item.problem.compute = f->types.compute;
    if (!f->failed) f->failed = !cli_suite_add(f->suite, &item);
}

static void add(filler *f, const char *group, const vkmm_problem *problem)
{
    add_for(f, group, "auto", problem);
}

static void add_size(filler *f, const char *group, uint64_t m, uint64_t n, uint64_t k)
{
    add(f, group, &VKMM_PROBLEM(.m = m, .n = n, .k = k));
}

static void add_square(filler *f, const char *group, uint64_t n)
{
    add_size(f, group, n, n, n);
}

/* The tutorials' kernels, or all steps of the ladder; the device's fast kernel is among the squares. */
static void add_ladder(filler *f, uint64_t n, int all)
{
    vkmm_tutorial step;
    if (f->types.in != f->types.out || f->types.in != f->types.compute || cli_suite_is_narrow(f->types)) return;
    for (uint32_t i = 0; vkmm_tutorial_at(i, &step); i++)
        if (!step.on_host && (all || step.step[0] != '\0'))
            add_for(f, "ladder", step.name, &VKMM_PROBLEM(.m = n, .n = n, .k = n));
}

/* A layer of a current language model: weights times the states of so many tokens. */
static void add_layer(filler *f, uint64_t tokens)
{
    add_size(f, "llm", 4096, tokens, 14336);
}

int cli_suite_is_narrow(vkmm_types types)
{
    return vkmm_type_of(types.in)->bytes < 4 || vkmm_type_of(types.compute)->bytes < 4;
}

/* After other types, the main uses of a narrow type: large squares and layers, few of each (suite.h says why). */
static void fill_narrow(filler *f)
{
    const int is_usual = vkmm_types_equal(f->types, vkmm_types_default(f->types.in)),
              is_byte = vkmm_type_of(f->types.in)->bytes == 1;
    if (is_usual) add_square(f, "square", 1024);
    add_square(f, "square", 4096);
    add_square(f, "square", 8192);
    if (!is_usual) return;
    add_square(f, "square", 2048);
    add_square(f, "edge", 4095);
    add_layer(f, 1);
    add_layer(f, 8);
    add_layer(f, 512);
    if (is_byte) add(f, "ops", &VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .op_b = VKMM_OP_T));
}

/* Small sizes come first: from their speed follows whether there is time for the large ones. On a processor the time
 * may be used up before the last, so the ladder's slow kernels come after at least one row of every type. */
static void fill_quick(filler *f, int is_first, int pass)
{
    if (!is_first && cli_suite_is_narrow(f->types)) {
        if (!vkmm_types_equal(f->types, vkmm_types_default(f->types.in))) return;
        if (f->types.in == VKMM_F16 && pass == 0) add_square(f, "square", 1024);
        if ((f->types.in == VKMM_F16 || f->types.in == VKMM_I8) && pass == 1) add_square(f, "square", 4096);
        return;
    }
    if (!is_first && pass == 0) add_square(f, "square", 512);
    if (!is_first && pass == 1) add_square(f, "square", 1024);
    if (!is_first) return;
    if (pass == 0) {
        add_square(f, "square", 512);
        add_square(f, "square", 1024);
        add_square(f, "square", 256);
        add_square(f, "edge", 385);
        add_square(f, "square", 1000);
        add_square(f, "edge", 1025);
        add_size(f, "skinny", 16384, 64, 64);
        add_layer(f, 1);
    } else {
        add_ladder(f, 512, 0);
        add_square(f, "square", 2048);
        add_layer(f, 16);
        add_square(f, "square", 4096);
    }
}

static void add_neighbours(filler *f, uint64_t from, uint64_t to)
{
    for (uint64_t n = from; n <= to; n *= 2) {
        add_square(f, "edge", n - 1);
        add_square(f, "edge", n + 1);
    }
}

/* For the largest, the host's part alone takes many seconds (to fill and verify gigabytes): they come after the rest of
 * every type. */
static void fill_standard(filler *f, int is_first, int pass)
{
    if (!is_first && cli_suite_is_narrow(f->types)) {
        if (pass == 0) fill_narrow(f);
        return;
    }
    if (pass > 0) {
        add_neighbours(f, 8192, 8192);
        if (!is_first) add_square(f, "square", 16384);
        if (is_first || vkmm_type_of(f->types.in)->is_float) add_neighbours(f, 16384, 16384);
        return;
    }
    for (uint64_t n = 256; n <= 8192; n *= 2) add_square(f, "square", n);
    if (is_first) add_square(f, "square", 16384);
    add_square(f, "square", 1000);
    add_ladder(f, 1024, 1);
    for (uint64_t tokens = 1; tokens <= 512; tokens *= 2) add_layer(f, tokens);
    add_size(f, "skinny", 16384, 64, 64);
    add_size(f, "skinny", 64, 16384, 64);
    add_size(f, "skinny", 65536, 16, 1024);
    add_size(f, "skinny", 16, 65536, 1024);
    add_size(f, "split-k", 64, 64, 65536);
    add_size(f, "split-k", 128, 128, 16384);
    add_size(f, "split-k", 256, 256, 16384);
    add_square(f, "edge", 385);
    add_neighbours(f, 256, 4096);
}

/* Marks what a record tunes: two squares and two layers of each type whose kernels differ, and one more square of those
 * that most products have. */
static void mark_tuned(filler *f, uint32_t from)
{
    const vkmm_types t = f->types;
    const int is_usual = t.in == VKMM_F32 || t.in == VKMM_F16;
    if (!(is_usual || t.in == VKMM_F64 || t.in == VKMM_BF16 || t.in == VKMM_I8) || t.compute == VKMM_F16) return;
    for (uint32_t i = from; i < f->suite->count; i++) {
        cli_suite_item *item = &f->suite->items[i];
        const uint64_t m = item->problem.m, n = item->problem.n;
        item->tune = n <= 64 || (m == n && (n == 1024 || n == 4096 || (is_usual && n == 2048)));
    }
}

/* What a record has of every type: speed over size, and shapes of other kinds. */
static void fill_record(filler *f, int is_first, int pass)
{
    const uint32_t from = f->suite->count;
    (void)is_first;
    if (f->types.in == VKMM_U32 || f->types.in == VKMM_U8 || f->types.in == VKMM_E5M2) return;
    if (pass > 0) {
        add_layer(f, 64);
        for (uint64_t n = 2048; n <= 8192; n *= 2) add_square(f, "square", n);
        add_square(f, "edge", 4095);
    } else {
        for (uint64_t n = 256; n <= 1024; n *= 2) add_square(f, "square", n);
        add_layer(f, 1);
    }
    mark_tuned(f, from);
}

/* A layer's weights in formats that differ in what unpacks them. Blocks lie along K: all matrices are stored as ggml's
 * MUL_MAT has them. */
static void fill_weights(filler *f, int is_first, int pass)
{
    static const uint64_t tokens[] = {1, 8, 512};
    static const vkmm_format formats[] = {VKMM_PLAIN, VKMM_Q8_0,  VKMM_Q4_0,       VKMM_Q4_K,     VKMM_Q6_K,
                                          VKMM_MXFP4, VKMM_NVFP4, VKMM_MXFP8_E4M3, VKMM_FP8_E4M3, VKMM_Q4_Z};
    const int takes_blocks =
        f->types.compute == VKMM_F32 && vkmm_type_of(f->types.in)->is_float && vkmm_type_of(f->types.in)->bytes > 1;
    (void)is_first;
    for (size_t i = 0; i < VKMM_COUNT(tokens) && pass == 0; i++)
        for (size_t which = 0; which < (takes_blocks ? VKMM_COUNT(formats) : 1); which++)
            add(f, "weights",
                &VKMM_PROBLEM(.m = 4096, .n = tokens[i], .k = 14336, .layout = VKMM_COL_MAJOR, .op_a = VKMM_OP_T,
                              .format_a = formats[which]));
}

static const struct {
    cli_suite empty;
    /* The items of one type; is_first: of the most important type. The first pass of all types comes before their
     * second pass. */
    void (*fill)(filler *f, int is_first, int pass);
    vkmm_type type; /* of A and B unless others are asked for; AUTO: all */
} suites[] = {
    {{"quick", NULL, 0, 34000, 15000, 1500, 400, 5}, fill_quick, VKMM_AUTO},
    {{"standard", NULL, 0, 6.5 * MINUTE_MS, 0, 3000, 500, 5}, fill_standard, VKMM_AUTO},
    {{"record", NULL, 0, 4 * MINUTE_MS, 40000, 3000, 300, 5}, fill_record, VKMM_AUTO},
    {{"weights", NULL, 0, 3 * MINUTE_MS, 0, 10000, 500, 5}, fill_weights, VKMM_F16},
};

const char *cli_suite_name(uint32_t index)
{
    return index < VKMM_COUNT(suites) ? suites[index].empty.name : NULL;
}

int cli_suite_find(const char *name, vkmm_type *type)
{
    int which = VKMM_COUNT(suites) - 1;
    while (which >= 0 && strcmp(suites[which].empty.name, name) != 0) which--;
    if (which >= 0) *type = suites[which].type;
    return which;
}

/* f32 is what most people ask about; without it, the type named first. */
static uint32_t first_type(const vkmm_types *types, uint32_t type_count)
{
    for (uint32_t i = 0; i < type_count; i++)
        if (types[i].in == VKMM_F32 && types[i].compute == VKMM_F32) return i;
    return 0;
}

vkmm_status cli_suite_make(const vkmm_log *log, int which, const vkmm_types *types, uint32_t type_count,
                           cli_suite *suite)
{
    uint32_t first = first_type(types, type_count);
    filler f = {.suite = suite};
    *suite = suites[which].empty;
    for (uint32_t i = 0; i < 2 * type_count && !f.failed; i++) {
        uint32_t at = i % type_count;
        f.types = types[at == 0 ? first : at <= first ? at - 1 : at];
        suites[which].fill(&f, at == 0, (int)(i / type_count));
    }
    if (!f.failed) return VKMM_OK;
    cli_suite_free(suite);
    return vkmm_tell(log, VKMM_NO_MEMORY("for the items of the suite %s", suites[which].empty.name));
}
