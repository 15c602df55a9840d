#include "options/options.h"

#include "base/alloc.h"
#include "base/log.h"
#include "math/problem.h"

#include <string.h>

int cli_read_number(const char **text, uint64_t *value)
{
    const char *s = *text;
    uint64_t number = 0;
    int fits = 1;
    for (; *s >= '0' && *s <= '9'; s++) {
        uint64_t digit = (uint64_t)(*s - '0');
        if (number > (UINT64_MAX - digit) / 10) fits = 0;
        number = fits ? number * 10 + digit : 0;
    }
    if (s == *text) return 0;
    *text = s;
    *value = number;
    return fits ? 1 : -1;
}

int cli_read_times(const char **text)
{
    static const char sign[] = "×";
    if (**text == 'x' || **text == 'X')
        *text += 1;
    else if (strncmp(*text, sign, sizeof sign - 1) == 0)
        *text += sizeof sign - 1;
    else
        return 0;
    return 1;
}

/* A growing list. */
typedef struct reader {
    const char *item; /* the one being read, for messages */
    const char *at;
    cli_sizes *sizes;
    int extents; /* of an item: 3, or 2 for matrices */
} reader;

/* Messages show the start of an item; long ones are cut. */
static int item_length(const reader *r)
{
    size_t length = strcspn(r->item, ",");
    return (int)(length < 40 ? length : 40);
}

static vkmm_status malformed(const reader *r)
{
    return vkmm_fail(VKMM_INVALID, "invalid size '%.*s': use N, %s, start:end:xfactor or start:end:+step",
                     item_length(r), r->item, r->extents == 3 ? "MxNxK" : "MxN");
}

static vkmm_status read_extent(reader *r, uint64_t *value)
{
    int read = cli_read_number(&r->at, value);
    if (read == 0) return malformed(r);
    if (read > 0 && *value <= CLI_MAX_EXTENT) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "size '%.*s' is too large: an extent is at most %u", item_length(r), r->item,
                     (unsigned)CLI_MAX_EXTENT);
}

static vkmm_status append(reader *r, uint64_t m, uint64_t n, uint64_t k)
{
    cli_sizes *sizes = r->sizes;
    if (sizes->count == CLI_MAX_SIZES)
        return vkmm_fail(VKMM_INVALID, "--size lists more than %d problems; split the list", CLI_MAX_SIZES);
    cli_size *item = vkmm_list_add(&sizes->item, &sizes->count, 1, sizeof *item);
    if (item == NULL) return VKMM_NO_MEMORY("for a list of %u sizes", sizes->count + 1);
    *item = (cli_size){m, n, r->extents == 3 ? k : 0};
    return VKMM_OK;
}

/* The problems of a range, if there are not too many. Extents and steps are below 2^32, so nothing overflows. */
static vkmm_status append_range(reader *r, uint64_t start, uint64_t end, int multiply, uint64_t step)
{
    vkmm_status status = VKMM_OK;
    if (start > end)
        return vkmm_fail(VKMM_INVALID, "range '%.*s' ends (%llu) before it starts (%llu)", item_length(r), r->item,
                         (unsigned long long)end, (unsigned long long)start);
    if (multiply ? step < 2 || start == 0 : step == 0)
        return vkmm_fail(VKMM_INVALID, "range '%.*s' never ends: %s", item_length(r), r->item,
                         !multiply    ? "its step must be at least 1"
                         : start == 0 ? "0 times a factor is always 0"
                                      : "its factor must be at least 2");
    if (!multiply && (end - start) / step >= CLI_MAX_SIZES)
        return vkmm_fail(VKMM_INVALID, "range '%.*s' has %llu problems; a list may have at most %d", item_length(r),
                         r->item, (unsigned long long)((end - start) / step + 1), CLI_MAX_SIZES);
    for (uint64_t n = start; n <= end && status == VKMM_OK; n = multiply ? n * step : n + step)
        status = append(r, n, n, n);
    return status;
}

static vkmm_status read_range(reader *r, uint64_t start)
{
    uint64_t end = 0, step = 0;
    int multiply = 0;
    vkmm_status status;
    r->at++;
    status = read_extent(r, &end);
    if (status != VKMM_OK) return status;
    if (*r->at != ':') return malformed(r);
    r->at++;
    if (*r->at == '*' || *r->at == '+')
        multiply = *r->at++ == '*';
    else
        multiply = cli_read_times(&r->at);
    status = read_extent(r, &step);
    if (status != VKMM_OK) return status;
    if (*r->at != ',' && *r->at != '\0') return malformed(r);
    return append_range(r, start, end, multiply, step);
}

static vkmm_status read_item(reader *r)
{
    uint64_t extent[3] = {0, 0, 0};
    vkmm_status status = read_extent(r, &extent[0]);
    if (status != VKMM_OK) return status;
    if (*r->at == ':') return read_range(r, extent[0]);
    if (*r->at == ',' || *r->at == '\0') return append(r, extent[0], extent[0], extent[0]);
    for (int i = 1; i < r->extents; i++) {
        if (!cli_read_times(&r->at)) return malformed(r);
        status = read_extent(r, &extent[i]);
        if (status != VKMM_OK) return status;
    }
    if (*r->at != ',' && *r->at != '\0') return malformed(r);
    return append(r, extent[0], extent[1], extent[2]);
}

vkmm_status cli_sizes_parse(const char *text, int extents, cli_sizes *sizes)
{
    reader r = {text, text, sizes, extents};
    vkmm_status status;
    *sizes = (cli_sizes){NULL, 0};
    for (;;) {
        status = read_item(&r);
        if (status != VKMM_OK) break;
        if (*r.at == '\0') return VKMM_OK;
        r.item = ++r.at; /* past the comma */
    }
    cli_sizes_free(sizes);
    return status;
}

void cli_sizes_free(cli_sizes *sizes)
{
    vkmm_free(sizes->item);
    *sizes = (cli_sizes){NULL, 0};
}

size_t cli_size_count(const cli_options *options)
{
    return options->sizes.count > 0 ? options->sizes.count : 1;
}

int cli_size_is_given(const cli_options *options)
{
    return options->sizes.count > 0 || options->m.given || options->n.given || options->k.given;
}

cli_size cli_size_at(const cli_options *options, size_t index, uint64_t square)
{
    cli_size size = {square, square, square};
    if (options->sizes.count > 0) size = options->sizes.item[index];
    if (options->m.given) size.m = options->m.value;
    if (options->n.given) size.n = options->n.value;
    if (options->k.given) size.k = options->k.value;
    return size;
}

/* If the product overflows, returns a value that the check of the problem refuses. */
static uint64_t stride_of(const vkmm_problem *problem, const cli_number *given, vkmm_operand operand)
{
    vkmm_op op = operand == VKMM_A ? problem->op_a : operand == VKMM_B ? problem->op_b : VKMM_OP_N;
    int by_rows = (op == VKMM_OP_N) == (problem->layout == VKMM_ROW_MAJOR);
    uint64_t lines = by_rows ? vkmm_operand_rows(problem, operand) : vkmm_operand_cols(problem, operand), stride = 0;
    if (given->given) return given->value;
    if (!vkmm_mul_u64(vkmm_operand_ld(problem, operand), lines, &stride)) stride = UINT64_MAX;
    return stride;
}

vkmm_problem cli_problem_make(const cli_options *options, const cli_size *size, vkmm_type type)
{
    vkmm_problem problem = options->problem;
    problem.m = size->m;
    problem.n = size->n;
    problem.k = size->k;
    problem.type = type;
    if (problem.batch_count > 1) {
        problem.stride_a = stride_of(&problem, &options->stride[VKMM_A], VKMM_A);
        problem.stride_b = stride_of(&problem, &options->stride[VKMM_B], VKMM_B);
        problem.stride_c = stride_of(&problem, &options->stride[VKMM_C], VKMM_C);
    }
    problem.has_bias |= options->bias != NULL;
    return problem;
}
