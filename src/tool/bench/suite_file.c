/* Suites by name, and suites that are files. */
#include "base/alloc.h"
#include "base/disk.h"
#include "base/file.h"
#include "bench/bench_run.h"
#include "math/problem.h"
#include "math/type.h"
#include "options/values.h"
#include "product/product.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define FILE_BUDGET_MS  600000.0
#define FILE_LONGEST_MS 60000.0
#define FILE_ROW_MS     500.0
enum { FILE_ROUNDS = 5, MOST_WORDS = 64, MOST_ITEMS = 100000 };

/* A list of combinations of types. */
typedef struct combinations {
    uint32_t count;
    vkmm_types types[VKMM_TYPES_COUNT];
} combinations;

/* What --type, --out-type and --compute ask for; of one type if there is no --type. */
static vkmm_status list_asked(const cli_session *session, vkmm_type type, combinations *all)
{
    const cli_options *options = session->options;
    const cli_types one = {1, {type}}, *types = options->types.count > 0 ? &options->types : &one;
    const cli_size size = {1, 1, 1};
    for (uint32_t i = 0; i < types->count; i++) {
        const vkmm_problem problem = cli_problem_make(options, &size, types->type[i]);
        vkmm_status status = vkmm_problem_check(&problem);
        if (status != VKMM_OK) return status;
        all->types[all->count++] = vkmm_problem_types(&problem);
    }
    return VKMM_OK;
}

/* Only products that the planner chooses a kernel for are multiplied by a method. */
static void set_method(cli_suite *suite, vkmm_method method)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < suite->count; i++) {
        if (strcmp(suite->items[i].kernel, "auto") != 0) continue;
        suite->items[count] = suite->items[i];
        suite->items[count++].problem.method = method;
    }
    suite->count = count;
}

/* --out-type or --compute. */
static int is_combined(const cli_options *options)
{
    const vkmm_problem *problem = &options->problem;
    return problem->out_type != VKMM_AUTO || problem->compute != VKMM_AUTO || problem->method != VKMM_COMPUTE_DIRECT;
}

/* A built-in suite. On a processor, narrow types are included only if requested, or if the suite has no others. */
static vkmm_status make_suite(const cli_session *session, int which, vkmm_type type, cli_suite *suite)
{
    const cli_options *options = session->options;
    const int is_asked = options->types.count > 0 || is_combined(options) || type != VKMM_AUTO;
    combinations all = {0};
    vkmm_status status = VKMM_OK;
    if (is_asked) status = list_asked(session, type != VKMM_AUTO ? type : VKMM_F32, &all);
    /* Combinations in which C has the type of A and B, if possible: storing a wider type costs about as much. */
    for (uint32_t i = 0; !is_asked && vkmm_types_at(i) != NULL; i++) {
        const vkmm_types types = *vkmm_types_at(i);
        if (types.out == vkmm_types_default(types.in).out && !(types.in == VKMM_F32 && types.compute == VKMM_F16))
            all.types[all.count++] = types;
    }
    if (status == VKMM_OK) status = cli_suite_make(session->log, which, all.types, all.count, suite);
    for (uint32_t i = 0; status == VKMM_OK && !is_asked && i < suite->count; i++)
        suite->items[i].for_gpus = cli_suite_is_narrow(vkmm_problem_types(&suite->items[i].problem));
    if (status == VKMM_OK && options->problem.method != VKMM_COMPUTE_DIRECT) set_method(suite, options->problem.method);
    return status;
}

/* Whether only options of a problem and its kernel are set. */
static int is_problem_only(const cli_options *options)
{
    cli_options rest;
    memcpy(&rest, options, sizeof rest);
#define FORGET(field) memset(&rest.field, 0, sizeof rest.field)
    FORGET(sizes), FORGET(m), FORGET(n), FORGET(k), FORGET(types), FORGET(problem), FORGET(stride), FORGET(kernel),
        FORGET(measures);
#undef FORGET
    if (rest.seed.given) return 0;
    rest.seed.value = 0;
    rest.regression = 0;
    for (size_t i = 0; i < sizeof rest; i++)
        if (((const unsigned char *)&rest)[i] != 0) return 0;
    return 1;
}

static vkmm_status add_items(const cli_options *line, const cli_types *types, cli_suite *suite)
{
    if (line->types.count > 0) types = &line->types;
    for (uint32_t t = 0; t < types->count; t++) {
        for (size_t i = 0; i < cli_size_count(line); i++) {
            const cli_size size = cli_size_at(line, i, CLI_SQUARE);
            cli_suite_item item = {.group = "file", .problem = cli_problem_make(line, &size, types->type[t])};
            vkmm_status status = vkmm_problem_check(&item.problem);
            if (status != VKMM_OK) return status;
            if (suite->count >= MOST_ITEMS)
                return vkmm_fail(VKMM_INVALID, "a suite has at most %d problems", MOST_ITEMS);
            VKMM_PUT(item.kernel, "%s", line->kernel != NULL ? line->kernel : "auto");
            if (!cli_suite_add(suite, &item)) return VKMM_NO_MEMORY("for the items of a suite");
        }
    }
    return VKMM_OK;
}

/* Words between white space; '#' begins a comment. */
static vkmm_status read_line(char *line, const cli_types *types, cli_suite *suite)
{
    char *words[MOST_WORDS + 2] = {(char *)(uintptr_t) "run"}, *next = line;
    cli_options options;
    vkmm_status status;
    int count = 1;
    memset(&options, 0, sizeof options);
    line[strcspn(line, "#")] = '\0';
    while (*(next += strspn(next, " \t\r")) != '\0') {
        size_t length = strcspn(next, " \t\r");
        if (count > MOST_WORDS) return vkmm_fail(VKMM_INVALID, "more than %d words", MOST_WORDS);
        words[count++] = next;
        next += length;
        if (*next != '\0') *next++ = '\0';
    }
    if (count == 1) return VKMM_OK;
    status = cli_options_parse(CLI_RUN, "run", count, words, &options);
    if (status == VKMM_OK && !is_problem_only(&options))
        status = vkmm_fail(VKMM_INVALID, "a line of a suite may have only a problem's options and --kernel");
    if (status == VKMM_OK) status = cli_options_check(&options);
    if (status == VKMM_OK) status = add_items(&options, types, suite);
    cli_options_free(&options);
    /* The item has a copy of the kernel's name: nothing points into the line any more. */
    return status;
}

/* text: the whole file, 0-terminated; it is cut into words. */
static vkmm_status read_lines(const char *path, char *text, const cli_types *types, cli_suite *suite)
{
    for (unsigned number = 1; text != NULL; number++) {
        char *line = text, *end = strchr(text, '\n');
        vkmm_status status;
        if (end != NULL) *end++ = '\0';
        text = end;
        status = read_line(line, types, suite);
        if (status != VKMM_OK) return vkmm_fail(status, "%s:%u: %s", path, number, vkmm_last_error());
    }
    return suite->count > 0 ? VKMM_OK : vkmm_fail(VKMM_INVALID, "%s contains no problems", path);
}

/* Whether a kernel, or a user's shader (NULL), can multiply the problem. */
static int takes(const char *kernel, const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    if (kernel != NULL && (strcmp(kernel, "auto") == 0 || vkmm_kernel_is_general(kernel))) return 1;
    return vkmm_problem_is_plain(problem) && problem->method == VKMM_COMPUTE_DIRECT && cli_is_plain_type(types.in) &&
           types.in == types.out && types.in == types.compute;
}

static int add_like(cli_suite *suite, const cli_suite_item *item, const char *kernel, const char *shader)
{
    cli_suite_item like = *item;
    VKMM_PUT(like.kernel, "%s", kernel);
    like.shader = shader;
    return cli_suite_add(suite, &like);
}

/* An item for each kernel of --kernel in place of the automatic one, and one more for each user's shader. */
static int add_kernels(const cli_options *options, const cli_suite_item *item, cli_suite *suite)
{
    const cli_list *kernels = &options->kernels, *shaders = &options->shaders;
    const int is_auto = strcmp(item->kernel, "auto") == 0;
    int fine = 1;
    if (kernels->count == 0) fine = cli_suite_add(suite, item);
    for (uint32_t i = 0; is_auto && i < kernels->count && fine; i++)
        if (takes(kernels->item[i], &item->problem)) fine = add_like(suite, item, kernels->item[i], NULL);
    if (!is_auto || !cli_shaders_are_for(options, item->problem.type) || !takes(NULL, &item->problem)) return fine;
    for (uint32_t i = 0; i < shaders->count && fine; i++)
        fine = add_like(suite, item, vkmm_path_name(shaders->item[i]), shaders->item[i]);
    return fine;
}

/* Processes that measure are told the paths in JSON, which is UTF-8. */
static vkmm_status check_paths(const cli_list *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        json_t *text = json_string(files->item[i]);
        if (text == NULL) return vkmm_fail(VKMM_INVALID, "--shader: the path %s is not valid UTF-8", files->item[i]);
        json_decref(text);
    }
    return VKMM_OK;
}

/* --kernel and --shader. */
static vkmm_status choose_kernels(const vkmm_log *log, const cli_options *options, cli_suite *suite)
{
    cli_suite chosen = *suite;
    int fine = 1;
    if (options->kernels.count == 0 && options->shaders.count == 0) return VKMM_OK;
    chosen.items = NULL;
    chosen.count = 0;
    for (uint32_t i = 0; i < suite->count && fine; i++) fine = add_kernels(options, &suite->items[i], &chosen);
    vkmm_free(suite->items);
    *suite = chosen;
    if (!fine) return VKMM_NO_MEMORY("for the items of a suite");
    if (suite->count == 0)
        return vkmm_fail(
            VKMM_INVALID,
            "the suite %s has no problem for the kernels of --kernel: its lines name their own, or are none "
            "that the tutorials' kernels support",
            suite->name);
    const vkmm_status status = check_paths(&options->shaders);
    return status == VKMM_OK ? cli_shaders_check(log, options) : status;
}

static vkmm_status read_file(const char *path, const cli_types *types, cli_suite *suite)
{
    static const cli_types f32 = {1, {VKMM_F32}};
    vkmm_mapping file = {0};
    vkmm_status status = vkmm_mapping_open(path, &file);
    char *text;
    if (status != VKMM_OK)
        return vkmm_fail(status, "--suite takes quick, standard, record, weights or a file: %s", vkmm_last_error());
    *suite = (cli_suite){
        .budget_ms = FILE_BUDGET_MS, .longest_ms = FILE_LONGEST_MS, .row_ms = FILE_ROW_MS, .rounds = FILE_ROUNDS};
    VKMM_PUT(suite->name, "%s", path);
    text = vkmm_alloc(file.bytes + 1, 1);
    if (text != NULL && file.bytes > 0) memcpy(text, file.data, file.bytes);
    if (text == NULL)
        status = VKMM_NO_MEMORY("for the suite %s", path);
    else if (strlen(text) < file.bytes)
        status = vkmm_fail(VKMM_INVALID, "%s: a suite must be a text file", path);
    else
        status = read_lines(path, text, types->count > 0 ? types : &f32, suite);
    vkmm_free(text);
    vkmm_mapping_close(&file);
    return status;
}

vkmm_status cli_bench_suite(const cli_session *session, cli_suite *suite)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    const char *name = options->suite != NULL ? options->suite : "quick";
    vkmm_type type;
    const int which = cli_suite_find(name, &type);
    vkmm_status status;
    memset(suite, 0, sizeof *suite);
    if (which >= 0)
        status = make_suite(session, which, type, suite);
    else if (is_combined(options))
        status =
            vkmm_fail(VKMM_INVALID,
                      "--out-type and --compute apply only to built-in suites: the lines of %s set their own", name);
    else
        status = read_file(name, &options->types, suite);
    if (status == VKMM_OK) status = choose_kernels(log, options, suite);
    if (status == VKMM_OK && options->budget_ms > 0) {
        suite->budget_ms = options->budget_ms;
        suite->cpu_budget_ms = 0;
    }
    if (status != VKMM_OK) cli_suite_free(suite);
    return status;
}
