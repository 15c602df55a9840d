#include "verify/check.h"

#include "base/alloc.h"
#include "base/random.h"
#include "math/modular.h"
#include "math/type.h"

#include <float.h>
#include <math.h>

/* First row, last row and one between; without vectors three between, as many columns, and single elements. */
enum { SPOT_ROWS = 3, SPOT_LINES = 5, SPOT_ELEMENTS = CLI_SPOTS };

/* Roundings of α, β and the bias, and what a device's own multiply-add leaves open, in ε of the scale type. */
#define EPILOGUE_FACTOR 4.0

static const char *const names[] = {"auto", "full", "freivalds", "none", "samples"};

const char *cli_verify_method_name(cli_verify_method method)
{
    return names[method];
}

/* The factor g of direct sums in the type of the factors. */
static double tolerance_of_direct(uint64_t k, cli_numbers numbers)
{
    return fmax(16.0, numbers == CLI_NUMBERS_RANDOM ? sqrt((double)k) : (double)k / 2.0 + 2.0);
}

static double tolerance_of(const cli_claim *claim, vkmm_types types, cli_numbers numbers)
{
    const uint64_t k = claim->a.cols;
    const double terms = (double)k, least = types.compute == VKMM_F16 ? 6.0 : 16.0;
    if (claim->method != VKMM_COMPUTE_DIRECT && numbers == CLI_NUMBERS_RANDOM) return 4.0;
    if (claim->method == VKMM_COMPUTE_SPLIT) return 5.25 * sqrt(terms) + terms / 22.0 + 330.0;
    if (claim->method == VKMM_COMPUTE_MODULAR) return sqrt(terms) + 4.0;
    if (claim->method == VKMM_COMPUTE_REPRODUCIBLE) return 4.0; /* besides find_tops */
    if (claim->method == VKMM_COMPUTE_W8A8) return 4.0;
    if (types.compute != VKMM_F16 && !vkmm_type_is_narrow(types.in)) return tolerance_of_direct(k, numbers);
    if (numbers != CLI_NUMBERS_RANDOM) return fmax(least, 1.25 * terms + 2.0);
    return types.compute == VKMM_F16 ? least : tolerance_of_direct(k, numbers);
}

/* The first of the table with such factors and sums: sums of f32, or f16 where the claim says so. */
static vkmm_types types_of(const cli_claim *claim)
{
    vkmm_types types = vkmm_types_default(claim->a.type);
    types.out = claim->c.type;
    if (claim->compute == VKMM_F16) types.compute = VKMM_F16;
    return types;
}

/* Full if that is cheap: few products in all, or a shape for which M·N·K is hardly more than the cost of the
 * vectors. */
static cli_verify_method choose(const vkmm_check *check, cli_verify_method asked)
{
    uint64_t m = check->claim.c.rows, n = check->claim.c.cols, k = check->claim.a.cols;
    uint64_t least = m < n ? m : n;
    const int is_linear = check->claim.activation == VKMM_ACTIVATION_NONE;
    const cli_verify_method large =
        is_linear || check->claim.sums.data != NULL ? CLI_VERIFY_FREIVALDS : CLI_VERIFY_SAMPLES;
    if (k < least) least = k;
    if (asked == CLI_VERIFY_FREIVALDS && least == 0) return CLI_VERIFY_FULL;
    if (asked == CLI_VERIFY_FREIVALDS) return large;
    if (asked != CLI_VERIFY_AUTO) return asked;
    double products = (double)m * (double)n * (double)k;
    double limit = check->epsilon == 0.0 ? 0x1p30 : 0x1p24;
    if (least <= 16 || products <= 0x1p16) return CLI_VERIFY_FULL;
    return products * (double)check->effort.matrices <= limit ? CLI_VERIFY_FULL : large;
}

/* The first and the last of `extent` rows or columns, where tiles of a kernel end, and random ones between; each
 * once. */
static unsigned choose_lines(const vkmm_check *check, uint64_t extent, uint64_t salt, unsigned most,
                             uint64_t lines[SPOT_LINES])
{
    unsigned count = 0;
    for (unsigned i = 0; i < most; i++) {
        uint64_t line = i == 0 ? 0 : i == 1 ? extent - 1 : vkmm_random_bits(check->seed ^ salt, i) % extent;
        unsigned seen = 0;
        while (seen < count && lines[seen] != line) seen++;
        if (seen == count) lines[count++] = line;
    }
    return count;
}

static void check_elements(vkmm_check *check)
{
    const uint64_t m = check->claim.c.rows, n = check->claim.c.cols, seed = check->seed ^ UINT64_C(0x656c656d);
    cli_spot spots[SPOT_ELEMENTS];
    check->effort.elements = SPOT_ELEMENTS;
    if (check->verdict->has_element) return;
    for (uint64_t e = 0; e < SPOT_ELEMENTS; e++)
        spots[e] = (cli_spot){vkmm_random_bits(seed, 2 * e) % m, vkmm_random_bits(seed, 2 * e + 1) % n};
    cli_check_spots(check, spots, SPOT_ELEMENTS);
}

static void check_rows(vkmm_check *check, unsigned most)
{
    uint64_t rows[SPOT_LINES] = {0};
    check->effort.rows = choose_lines(check, check->claim.c.rows, UINT64_C(0x726f7773), most, rows);
    cli_check_rows(check, rows, check->effort.rows);
}

static void check_all(vkmm_check *check)
{
    for (uint64_t i = 0; i < check->claim.c.rows; i += CLI_PANEL) {
        uint64_t rows[CLI_PANEL];
        const size_t count = cli_at_most(check->claim.c.rows - i, CLI_PANEL);
        for (size_t r = 0; r < count; r++) rows[r] = i + r;
        cli_check_rows(check, rows, count);
    }
}

static vkmm_status check_some(vkmm_check *check)
{
    vkmm_status status = cli_freivalds(check);
    if (status != VKMM_OK) return status;
    if (!check->verdict->has_element) check_rows(check, SPOT_ROWS);
    return VKMM_OK;
}

/* An activation is not linear: no vectors. */
static void check_samples(vkmm_check *check)
{
    uint64_t cols[SPOT_LINES] = {0};
    check_rows(check, SPOT_LINES);
    check->effort.cols = choose_lines(check, check->claim.c.cols, UINT64_C(0x636f6c73), SPOT_LINES, cols);
    cli_check_turn(check);
    if (!check->verdict->has_element) cli_check_rows(check, cols, check->effort.cols);
    cli_check_turn(check);
    check_elements(check);
}

/* A whole number: vkmm_problem_check requires it. */
static uint32_t modulo(double scalar)
{
    return (uint32_t)(int64_t)scalar;
}

/* φ, but for the steps of f16 sums and what depends on the data. */
static double flush_of(const cli_claim *claim, vkmm_types types)
{
    double factor = types.compute == VKMM_F16 ? 0.0 : fabs(claim->alpha) * (double)claim->a.cols;
    if (claim->alpha != 1.0) factor += 1.0;
    if (claim->beta != 0.0) factor += 1.0 + fabs(claim->beta);
    if (claim->bias.data != NULL) factor += 1.0;
    return isfinite(factor) ? factor * vkmm_type_of(vkmm_types_scale(types))->min_normal
                            : 0.0; /* infinite, it would let anything pass */
}

static double largest(vkmm_type type)
{
    return type == VKMM_F64 ? DBL_MAX : type == VKMM_F16 ? 65504.0 : (double)FLT_MAX;
}

/* How floats are judged. */
static void set_bound(vkmm_check *check, cli_numbers numbers)
{
    const cli_claim *claim = &check->claim;
    const vkmm_types types = check->types;
    const vkmm_type_info *sums = vkmm_type_of(types.compute);
    const uint64_t k = claim->a.cols;
    const int half_sums = types.compute == VKMM_F16;
    const int exact = !check->narrow && claim->bias.data == NULL && claim->activation == VKMM_ACTIVATION_NONE;
    check->epsilon = sums->epsilon;
    check->min = vkmm_type_of(types.out)->min_normal;
    check->max = largest(types.compute);
    check->most = largest(vkmm_types_scale(types));
    check->rest = half_sums ? 0x1p-11 : 1.0;
    /* If nothing is summed, α and the sums' type are not used; two roundings of β·c₀ + bias are left. */
    check->factor = k > 0 ? tolerance_of(claim, types, numbers) : exact ? 0.0 : 4.0;
    if (k > 0 && vkmm_type_is_narrow(types.in))
        check->factor += claim->in_blocks * vkmm_type_of(types.in)->epsilon / check->epsilon;
    check->flush = flush_of(claim, types);
    if (half_sums) check->steps = fmin((double)k * sums->min_normal, DBL_MAX);
}

/* What follows from the claim's types, α, β and bias. */
static void set_arithmetic(vkmm_check *check)
{
    const cli_claim *claim = &check->claim;
    check->types = types_of(claim);
    check->scaled = claim->alpha != 1.0 || claim->beta != 0.0 || claim->bias.data != NULL ||
                    claim->activation != VKMM_ACTIVATION_NONE;
    check->narrow = vkmm_type_is_narrow(claim->c.type);
    if (vkmm_type_of(claim->c.type)->is_float) {
        set_bound(check, claim->numbers);
    } else {
        check->alpha = modulo(claim->alpha);
        check->beta = modulo(claim->beta);
    }
}

/* First A·B itself, then what α, β, the bias and the activation make of it in each element. */
static vkmm_status check_both(vkmm_check *check)
{
    vkmm_check was = *check;
    cli_claim *claim = &check->claim;
    claim->c = claim->sums;
    claim->alpha = 1.0;
    claim->beta = 0.0;
    claim->bias.data = NULL;
    claim->activation = VKMM_ACTIVATION_NONE;
    set_arithmetic(check);
    const vkmm_status status = check_some(check);
    was.effort = check->effort;
    *check = was;
    if (status != VKMM_OK || check->verdict->has_element) return status;
    check->effort.sums = 1;
    check->rest = 1.0; /* α, β and the bias are applied in the scale type, whatever the sums' */
    const double factor = EPILOGUE_FACTOR * vkmm_type_of(vkmm_types_scale(check->types))->epsilon / check->epsilon;
    const vkmm_status compared = cli_check_against(check, &claim->sums, check->epsilon > 0.0 ? factor : 0.0);
    check->rest = was.rest;
    return compared;
}

/* If nothing is summed, A and B are ignored. */
static void take(vkmm_check *check, const cli_claim *claim)
{
    check->claim = *claim;
    if (claim->alpha == 0.0) check->claim.a.cols = check->claim.b.rows = 0;
}

/* Sets the claim's tops, in whose units such products round. */
static vkmm_status find_tops(vkmm_check *check)
{
    cli_claim *claim = &check->claim;
    double tile[CLI_TILE_COLS];
    claim->tops[VKMM_A] = claim->tops[VKMM_B] = NULL; /* elements are read as they are */
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const vkmm_view *view = o == VKMM_A ? &claim->a : &claim->b;
        const int is_units = claim->method == VKMM_COMPUTE_REPRODUCIBLE && o == VKMM_A;
        const double unit = is_units ? ldexp((double)view->cols, -(int)vkmm_modular_range_of(view->type)->unit) : 1.0;
        vkmm_free(check->tops[o]);
        double *tops = check->tops[o] = vkmm_alloc(o == VKMM_A ? view->rows : view->cols, sizeof *tops);
        if (tops == NULL) return VKMM_NO_MEMORY("to verify the product");
        for (uint64_t i = 0; i < view->rows; i++)
            for (uint64_t j = 0; j < view->cols; j += CLI_TILE_COLS) {
                const size_t cols = cli_at_most(view->cols - j, CLI_TILE_COLS);
                cli_tile_read(claim, view, i, 1, j, cols, tile);
                for (size_t c = 0; c < cols; c++) {
                    double *top = &tops[o == VKMM_A ? i : j + c];
                    *top = isfinite(tile[c]) ? fmax(*top, unit * fabs(tile[c])) : (double)INFINITY;
                }
            }
    }
    for (int o = VKMM_A; o <= VKMM_B; o++) claim->tops[o] = check->tops[o];
    return VKMM_OK;
}

int cli_check_wants_sums(const cli_claim *claim, uint64_t matrices, cli_verify_method asked)
{
    vkmm_check check = {.effort = {.matrices = matrices}};
    take(&check, claim);
    check.claim.sums = check.claim.c; /* as if they were there */
    check.epsilon = vkmm_type_of(claim->a.type)->epsilon;
    if (choose(&check, asked) != CLI_VERIFY_FREIVALDS) return 0;
    if (claim->activation != VKMM_ACTIVATION_NONE || !isfinite(claim->alpha) || !isfinite(claim->beta)) return 1;
    cli_verdict found = {0};
    if (claim->beta != 0.0 && check.epsilon > 0.0) cli_count_odd(&check, &claim->before, &found);
    return found.nans + found.infinities > 0;
}

/* Whether threads gain more than it costs to start them. */
static int is_large(const cli_claim *claim)
{
    return claim->a.rows * claim->a.cols + claim->b.rows * claim->b.cols + claim->c.rows * claim->c.cols >= 1 << 19;
}

vkmm_status cli_check_begin(vkmm_check *check, const cli_claim *claim, uint64_t matrices, cli_verify_method asked,
                            uint64_t seed, cli_verdict *found)
{
    *check = (vkmm_check){.verdict = found, .effort = {.matrices = matrices}};
    take(check, claim);
    /* The matrices may have been filled from the same seed: x must not consist of their elements. */
    check->seed = seed ^ UINT64_C(0x5ca1ab1e0ddba11c);
    set_arithmetic(check);
    found->bound = check->factor;
    found->method = choose(check, asked);
    if (found->method == CLI_VERIFY_NONE) return VKMM_OK;
    if (found->method != CLI_VERIFY_FULL && is_large(claim)) check->workers = vkmm_workers_create(0);
    check->block = cli_block_make(&check->claim);
    if (check->block == NULL) return VKMM_NO_MEMORY("to verify the product");
    check->block->workers = check->workers;
    return VKMM_OK;
}

vkmm_status cli_check_matrix(vkmm_check *check, const cli_claim *claim, uint64_t index)
{
    const uint64_t seed = check->seed;
    vkmm_status status = VKMM_OK;
    take(check, claim);
    check->verdict->batch = index;
    check->seed =
        seed + index * UINT64_C(0x9e3779b97f4a7c15); /* rows and elements looked at differ from matrix to matrix */
    const int is_reproducible = claim->method == VKMM_COMPUTE_REPRODUCIBLE && claim->numbers != CLI_NUMBERS_RANDOM;
    if (check->claim.a.cols > 0 && (is_reproducible || claim->method == VKMM_COMPUTE_W8A8)) status = find_tops(check);
    if (status != VKMM_OK) return status;
    if (check->verdict->method == CLI_VERIFY_FULL)
        check_all(check);
    else if (check->verdict->method == CLI_VERIFY_FREIVALDS)
        status = check->claim.sums.data != NULL ? check_both(check) : check_some(check);
    else if (check->verdict->method == CLI_VERIFY_SAMPLES)
        check_samples(check);
    if (check->block != NULL && check->epsilon > 0.0 && !check->is_finite)
        cli_count_odd(check, &check->claim.c, check->verdict);
    check->is_finite = 0;
    check->seed = seed;
    return status;
}

vkmm_status cli_check_end(vkmm_check *check, vkmm_status status, cli_verdict *verdict)
{
    cli_verdict *found = check->verdict;
    vkmm_workers_destroy(&check->workers);
    vkmm_free(check->block);
    for (int o = VKMM_A; o <= VKMM_B; o++) vkmm_free(check->tops[o]);
    if (status != VKMM_OK) return status;
    found->passed = found->method != CLI_VERIFY_NONE && !found->has_element && !found->outside;
    if (found->passed) found->batch = 0;
    cli_tell_result(check);
    *verdict = *found;
    return VKMM_OK;
}
