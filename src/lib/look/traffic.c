#include "look/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/log.h"
#include "kernel/contract.h"
#include "kernel/general.h"
#include "look/count.h"
#include "math/method.h"
#include "math/type.h"
#include "plan/parts.h"
#include "vk/device.h"

enum {
    EXTENT = 128, /* M and N of the small product, or whole tiles; its K: */
    DEPTH = 64,
    LOGGED = 2048, /* accesses of an invocation */
    SECTOR = 32,
    BANKS = 32,
    WIDE = 4, /* words of an invocation with which shared memory serves half a subgroup at a time */
    MOST_WORDS = 4 * VKMM_TRAFFIC_LANES,
    BASE_REGISTERS = 24 /* addresses, counters, and what is read for one k of a block */
};

/* The accesses of a workgroup. */
typedef struct reading {
    const uint32_t *log;
    uint32_t invocations, element_bytes;
    unsigned char *sectors; /* which ones the workgroup touched */
    uint64_t sector_count;
    double l2_bytes, lines, turns, instructions;
} reading;

static uint32_t what(uint32_t word)
{
    return word >> VKMM_LOG_WHAT_SHIFT;
}

static int compare_words(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The n-th accesses of some invocations: the different words that they want. *widest: the most of one invocation. */
static uint32_t words_of(const reading *r, uint32_t first, uint32_t lanes, uint32_t n, uint32_t kind,
                         uint32_t words[MOST_WORDS * 2], uint32_t *widest)
{
    const uint32_t per = r->element_bytes / 4;
    uint32_t count = 0, different = 0;
    *widest = 0;
    for (uint32_t lane = first; lane < first + lanes && lane < r->invocations; lane++) {
        const uint32_t word = r->log[(uint64_t)lane * LOGGED + n];
        if (what(word) != kind) continue;
        const uint32_t elements = word >> VKMM_LOG_ELEMENTS_SHIFT & 7,
                       from = word & ((1u << VKMM_LOG_ELEMENTS_SHIFT) - 1);
        if (elements * per > *widest) *widest = elements * per;
        for (uint32_t i = 0; i < elements * per && count < 2 * MOST_WORDS; i++) words[count++] = from * per + i;
    }
    qsort(words, count, sizeof *words, compare_words);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || words[i] != words[i - 1]) words[different++] = words[i];
    return different;
}

static void read_memory(reading *r, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t sector = words[i] / (SECTOR / 4);
        r->lines += i == 0 || words[i] / (VKMM_TRAFFIC_LINE / 4) != words[i - 1] / (VKMM_TRAFFIC_LINE / 4);
        if (sector >= r->sector_count || r->sectors[sector]) continue;
        r->sectors[sector] = 1;
        r->l2_bytes += SECTOR;
    }
}

static void use_shared(reading *r, const uint32_t *words, uint32_t count)
{
    uint32_t wanted[BANKS] = {0}, most = 0;
    for (uint32_t i = 0; i < count; i++)
        if (++wanted[words[i] % BANKS] > most) most = wanted[words[i] % BANKS];
    r->turns += most;
}

static void read_subgroup(reading *r, uint32_t first)
{
    uint32_t words[2 * MOST_WORDS], widest;
    for (uint32_t n = 0; n < LOGGED; n++)
        for (uint32_t kind = VKMM_LOG_GLOBAL; kind <= VKMM_LOG_READ; kind++) {
            uint32_t lanes = VKMM_TRAFFIC_LANES, count = words_of(r, first, lanes, n, kind, words, &widest);
            if (count == 0) continue;
            r->instructions++;
            if (kind == VKMM_LOG_GLOBAL) {
                read_memory(r, words, count);
                continue;
            }
            if (widest >= WIDE) lanes /= 2;
            for (uint32_t at = 0; at < VKMM_TRAFFIC_LANES; at += lanes)
                use_shared(r, words, words_of(r, first + at, lanes, n, kind, words, &widest));
        }
}

/* The intervals between barriers of the first invocation. */
static void read_intervals(const uint32_t *log, vkmm_traffic *t)
{
    int reads = 0, waits = 0;
    for (uint32_t n = 0; n < LOGGED && log[n]; n++) {
        if (what(log[n]) == VKMM_LOG_GLOBAL) reads = 1;
        if (what(log[n]) == VKMM_LOG_WRITE && reads) waits = 1;
        if (what(log[n]) != VKMM_LOG_BARRIER) continue;
        t->barriers++;
        t->waits += waits;
        t->overlaps += reads && !waits;
        reads = waits = 0;
    }
}

/* All figures of one workgroup, for K = DEPTH, become those of the whole product. */
static void scale(const vkmm_kernel *kernel, const vkmm_kernel_info *info, const vkmm_problem *p, const reading *r,
                  uint64_t counted_cols, vkmm_traffic *t)
{
    const int band = kernel->spread == VKMM_SPREAD_BAND;
    const double rows = info->tile[0], cols = band ? (double)counted_cols : info->tile[1];
    const double elements = rows * cols, deeper = (double)p->k / DEPTH, wider = band ? (double)p->n / cols : 1;
    const double all = kernel->spread == VKMM_SPREAD_LINEAR
                           ? ceil((double)p->m * (double)p->n / elements)
                           : ceil((double)p->m / rows) * ceil((double)p->n / info->tile[1]);
    t->tiles[0] = ceil((double)p->m / rows);
    t->tiles[1] = ceil((double)p->n / info->tile[1]);
    t->workgroups = band ? t->tiles[0] : all;
    const double times = t->workgroups * deeper * wider;
    t->l2_bytes = r->l2_bytes * times;
    t->lines = r->lines * times;
    t->shared_turns = r->turns * times;
    t->instructions = (r->instructions + elements * DEPTH / VKMM_TRAFFIC_LANES) * times;
    t->waits *= deeper * wider;
    t->overlaps *= deeper * wider;
    t->barriers *= deeper * wider;
    t->tile_bytes[0] = rows * (double)p->k * r->element_bytes;
    t->tile_bytes[1] = cols * wider * (double)p->k * r->element_bytes;
}

static void start(const vkmm_kernel_info *info, const vkmm_problem *p, vkmm_traffic *t)
{
    const double bytes = vkmm_type_of(p->type)->bytes, m = (double)p->m, n = (double)p->n, k = (double)p->k;
    *t = (vkmm_traffic){.multiply_adds = m * n * k,
                        .memory_bytes = bytes * (m * k + k * n + m * n),
                        .invocations = info->workgroup[0] * (info->workgroup[1] > 0 ? info->workgroup[1] : 1),
                        .registers = BASE_REGISTERS,
                        .shared_bytes = info->shared_bytes,
                        .dispatches = 1,
                        .swizzle = 1};
}

vkmm_status vkmm_traffic_count(vkmm_device *device, const vkmm_job_params *params, const vkmm_kernel_info *planned,
                               vkmm_traffic *t)
{
    vkmm_kernel_info info = *planned;
    vkmm_access access;
    vkmm_job_params small = *params;
    uint32_t *log = NULL;
    small.problem.m = small.problem.n = EXTENT;
    small.problem.k = DEPTH;
    if (info.tile[0] > EXTENT) small.problem.m = info.tile[0];
    if (info.tile[1] > EXTENT && info.workgroup[1] > 1) small.problem.n = info.tile[1];
    vkmm_status status = vkmm_count_log(device, &small, LOGGED, &access, &info, &log);
    if (status != VKMM_OK) return status;
    const vkmm_kernel *kernel = vkmm_kernel_find(info.name);
    const uint64_t elements =
        vkmm_round_up(EXTENT * DEPTH, VKMM_LOG_B_ALIGNMENT) + small.problem.m * DEPTH + small.problem.n * DEPTH;
    start(&info, &params->problem, t);
    reading r = {.log = log, .invocations = t->invocations, .element_bytes = vkmm_type_of(small.problem.type)->bytes};
    r.sector_count = elements * r.element_bytes / SECTOR + 1;
    r.sectors = vkmm_alloc(1, r.sector_count);
    if (!r.sectors) {
        vkmm_free(log);
        return VKMM_NO_MEMORY("for the accesses of a workgroup");
    }
    for (uint32_t first = 0; first < r.invocations; first += VKMM_TRAFFIC_LANES) read_subgroup(&r, first);
    read_intervals(log, t);
    for (uint32_t i = 0; status == VKMM_OK && i < r.invocations; i++)
        if (log[(uint64_t)i * LOGGED + LOGGED - 1])
            status = vkmm_fail(VKMM_UNSUPPORTED, "an invocation of %s does more than the %d accesses that are logged",
                               info.name, LOGGED);
    t->registers += kernel->block[0] > 0 ? 2 * kernel->block[0] * kernel->block[1] : 0;
    t->swizzle = kernel->swizzle > 0 ? kernel->swizzle : 1;
    scale(kernel, &info, &params->problem, &r, small.problem.n, t);
    vkmm_free(r.sectors);
    vkmm_free(log);
    return status;
}

/* ---- by formula ---- */

/* What the loads of both tiles cost a workgroup for one element along K, `bytes` of memory each. */
static void add_loads(vkmm_traffic *t, double rows, double cols, double bytes, double times)
{
    const double sides = (rows + cols) * bytes;
    t->l2_bytes += times * sides;
    t->lines += times * sides / VKMM_TRAFFIC_LINE;
    t->shared_turns += times * sides / VKMM_TRAFFIC_LINE;
    t->instructions += times * 2 * sides / (16 * VKMM_TRAFFIC_LANES);
}

/* For one k, an invocation reads its block's rows and columns in vectors of 16 bytes, half a subgroup at a time; those
 * of a subgroup form a rectangle of `across` blocks, so that many of them read the same (shaders/blocked.comp). */
static void plan_blocks(const vkmm_config *config, uint32_t across, double times, vkmm_traffic *t)
{
    const double rows = config->values[VKMM_TUNE_ROWS], cols = config->values[VKMM_TUNE_COLS],
                 block_rows = config->values[VKMM_TUNE_THREAD_ROWS], block_cols = config->values[VKMM_TUNE_THREAD_COLS];
    const double subgroups = rows * cols / (block_rows * block_cols) / VKMM_TRAFFIC_LANES,
                 down = (double)VKMM_TRAFFIC_LANES / across;
    t->instructions += times * subgroups * (block_rows * block_cols + (block_rows + block_cols) / 4);
    t->shared_turns += times * subgroups *
                       (block_rows / 4 * 2 * fmax(down / 2 * 16 / VKMM_TRAFFIC_LINE, 1) +
                        block_cols / 4 * 2 * fmax(across * 16.0 / VKMM_TRAFFIC_LINE, 1));
    t->registers += (uint32_t)(block_rows * block_cols + 2 * (block_rows + block_cols));
}

/* Turns for eight pieces of 16 bytes, one from each of neighbouring lines: as many as there are in the same banks. */
static double turns_for_lines(double line_bytes)
{
    uint32_t held[VKMM_TRAFFIC_LINE / 16] = {0}, most = 0;
    for (uint32_t i = 0; i < VKMM_TRAFFIC_LINE / 16; i++) {
        uint32_t *pieces = &held[(uint32_t)(i * line_bytes / 16) % (VKMM_TRAFFIC_LINE / 16)];
        if (++*pieces > most) most = *pieces;
    }
    return most;
}

/* Subgroups read the operands of matrix operations from shared memory, 16 bits an element: eight lines at a time, along
 * K unless the operand is stored across it (shaders/coopmat.comp). */
static void plan_matrices(const vkmm_problem *p, const vkmm_config *config, double times, vkmm_traffic *t)
{
    const double rows = config->values[VKMM_TUNE_ROWS], cols = config->values[VKMM_TUNE_COLS],
                 sub_rows = config->values[VKMM_TUNE_THREAD_ROWS], sub_cols = config->values[VKMM_TUNE_THREAD_COLS],
                 depth = config->values[VKMM_TUNE_DEPTH], pad = 16 * config->values[VKMM_TUNE_OWN + 1];
    const double parts = vkmm_method_at(p->method)->parts > 1 ? 2 : 1, subgroups = rows * cols / (sub_rows * sub_cols);
    const double turns = sub_rows * turns_for_lines(2 * (p->op_a == VKMM_OP_N ? depth : rows) + pad) +
                         sub_cols * turns_for_lines(2 * (p->op_b == VKMM_OP_T ? depth : cols) + pad);
    t->instructions += times * subgroups * (sub_rows + sub_cols) * 2 * parts / (16 * VKMM_TRAFFIC_LANES);
    t->shared_turns += times * subgroups * turns * 2 * parts / VKMM_TRAFFIC_LINE;
    t->matrix_adds = t->multiply_adds * (parts > 1 ? 3 : 1);
    t->registers += (uint32_t)(sub_rows * sub_cols / VKMM_TRAFFIC_LANES * parts);
    if (parts > 1) /* a step before reads f32 and writes both parts in f16 */
        t->passed_bytes += 8 * ((double)p->m + (double)p->n) * (double)p->k;
}

/* Each operation of shaders/direct.comp reads both of its operands from memory. */
static void plan_direct(const vkmm_kernel_info *info, double element_bytes, vkmm_traffic *t)
{
    const double m = info->matrix[0], n = info->matrix[1], k = info->matrix[2];
    t->l2_bytes = t->multiply_adds / (m * n * k) * (m + n) * k * element_bytes;
    t->lines = t->l2_bytes / VKMM_TRAFFIC_LINE;
    t->instructions = t->l2_bytes / (16 * VKMM_TRAFFIC_LANES);
    t->matrix_adds = t->multiply_adds;
}

void vkmm_traffic_plan(const vkmm_kernel_info *info, const vkmm_problem *problem, vkmm_traffic *t)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(info->name);
    vkmm_config config = {{0}};
    start(info, problem, t);
    t->workgroups = info->groups[0];
    t->instructions = t->multiply_adds / VKMM_TRAFFIC_LANES;
    t->l2_bytes = t->memory_bytes;
    if (info->matrix[0] > 0 && kernel && !kernel->uses_shared) plan_direct(info, vkmm_type_of(problem->type)->bytes, t);
    if (!kernel || !kernel->uses_shared || vkmm_config_parse(kernel, info->config, &config) != VKMM_OK) return;
    const double rows = config.values[VKMM_TUNE_ROWS], cols = config.values[VKMM_TUNE_COLS],
                 splits = fmax(info->splits, 1), k = (double)problem->k / splits,
                 steps = ceil(k / fmax(config.values[VKMM_TUNE_DEPTH], 1));
    const double bytes = vkmm_type_of(problem->type)->bytes;
    t->tiles[0] = ceil((double)problem->m / rows);
    t->tiles[1] = ceil((double)problem->n / cols);
    t->workgroups = t->tiles[0] * t->tiles[1] * splits;
    t->l2_bytes = t->instructions = 0;
    t->swizzle = config.values[VKMM_TUNE_OWN];
    t->waits = 1;
    t->overlaps = steps - 1;
    t->barriers = 2 * steps;
    t->tile_bytes[0] = rows * k * bytes;
    t->tile_bytes[1] = cols * k * bytes;
    if (splits > 1) t->passed_bytes = 2 * splits * (double)problem->m * (double)problem->n * sizeof(float);
    add_loads(t, rows, cols, bytes, t->workgroups * k);
    if (info->matrix[0] > 0)
        plan_matrices(problem, &config, t->workgroups * k, t);
    else
        plan_blocks(&config, 8, t->workgroups * k, t);
}
