#include "tune/search.h"

#include <string.h>

#include "base/alloc.h"
#include "base/random.h"

enum {
    MOST = 1 << 16, /* points of a space that are looked at; of larger ones, every n-th */
    EXPLORE = 5,    /* one of this many candidates is from elsewhere */
    RUNNERS_UP = 5, /* points whose neighbourhood is searched in addition to the best one's */
    LEAPS = 200,    /* attempts to find a legal one */
    MOVES = 2 * VKMM_MAX_TUNABLES,
    STRIDE = 151,    /* prime: pairs of moves come in an order that mixes tunables */
    SHUFFLE_SEED = 1 /* arbitrary, but fixed */
};
#define WORTH 1.25 /* a runner-up may be this much slower than the best */

struct vkmm_search {
    vkmm_search_space space;
    vkmm_point *seeds;
    uint32_t seed_count, next_seed;
    uint32_t *rest; /* the legal points of the space, shuffled: index / stride */
    uint64_t stride;
    uint32_t rest_count, next_rest;
    vkmm_tried *tried; /* by time; failures at the end */
    uint32_t tried_count, good_count;
    int waiting; /* `current` has been proposed and not reported */
    vkmm_point current;
};

int vkmm_point_same(const vkmm_point *a, const vkmm_point *b)
{
    return a->kernel == b->kernel && memcmp(&a->config, &b->config, sizeof a->config) == 0;
}

static uint64_t size_of(const vkmm_kernel *kernel)
{
    uint64_t size = 1;
    for (int i = 0; i < VKMM_MAX_TUNABLES; i++)
        if (kernel->tunables[i].count > 0) size *= kernel->tunables[i].count;
    return size;
}

/* The index-th setting of all: kernel by kernel, the first tunable fastest. */
static vkmm_point point_at(const vkmm_search_space *space, uint64_t index)
{
    uint32_t k = 0;
    while (index >= size_of(space->kernels[k])) index -= size_of(space->kernels[k++]);
    vkmm_point point = {.kernel = space->kernels[k]};
    for (int i = 0; i < VKMM_MAX_TUNABLES; i++) {
        const vkmm_tunable *tunable = &point.kernel->tunables[i];
        uint32_t count = tunable->count;
        point.config.values[i] = count > 0 ? tunable->values[index % count] : 1;
        if (count > 0) index /= count;
    }
    return point;
}

static int is_legal(const vkmm_search *s, const vkmm_point *point)
{
    return s->space.legal(s->space.user, point->kernel, &point->config);
}

static int is_seed(const vkmm_search *s, const vkmm_point *point)
{
    for (uint32_t i = 0; i < s->seed_count; i++)
        if (vkmm_point_same(&s->seeds[i], point)) return 1;
    return 0;
}

static int is_known(const vkmm_search *s, const vkmm_point *point)
{
    for (uint32_t i = 0; i < s->tried_count; i++)
        if (vkmm_point_same(&s->tried[i].point, point)) return 1;
    return 0;
}

/* Fisher and Yates' shuffle. */
static void shuffle(uint32_t *values, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)(vkmm_random_bits(SHUFFLE_SEED, i) % i), value = values[i - 1];
        values[i - 1] = values[j];
        values[j] = value;
    }
}

static int list_rest(vkmm_search *s)
{
    uint64_t size = 0;
    for (uint32_t k = 0; k < s->space.kernel_count; k++) size += size_of(s->space.kernels[k]);
    s->stride = 1 + size / MOST;
    s->rest = vkmm_alloc((size_t)(size / s->stride + 1), sizeof *s->rest);
    if (s->rest == NULL) return 0;
    for (uint64_t i = 0; i < size; i += s->stride) {
        vkmm_point point = point_at(&s->space, i);
        if (is_legal(s, &point) && !is_seed(s, &point)) s->rest[s->rest_count++] = (uint32_t)(i / s->stride);
    }
    shuffle(s->rest, s->rest_count);
    return 1;
}

vkmm_search *vkmm_search_create(const vkmm_search_space *space, const vkmm_point *seeds, uint32_t seed_count)
{
    vkmm_search *s = vkmm_alloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->space = *space;
    s->seeds = vkmm_alloc(seed_count, sizeof *seeds);
    for (uint32_t i = 0; s->seeds != NULL && i < seed_count; i++)
        if (!is_seed(s, &seeds[i])) s->seeds[s->seed_count++] = seeds[i];
    if (s->seeds == NULL || !list_rest(s)) vkmm_search_destroy(&s);
    return s;
}

void vkmm_search_destroy(vkmm_search **search)
{
    vkmm_search *s = *search;
    if (s == NULL) return;
    vkmm_free(s->seeds);
    vkmm_free(s->rest);
    vkmm_free(s->tried);
    vkmm_free(s);
    *search = NULL;
}

/* Moves a value up or down by one step; 0 if there is none. The planner's values need not be among those worth
 * trying. */
static int step(const vkmm_tunable *tunable, int up, uint32_t *value)
{
    const uint32_t count = tunable->count, old = *value;
    for (uint32_t i = 0; i < count && *value == old; i++) {
        const uint32_t other = tunable->values[up ? i : count - 1 - i];
        if (up ? other > old : other < old) *value = other;
    }
    return *value != old;
}

static int is_new(const vkmm_search *s, const vkmm_point *point)
{
    return !is_known(s, point) && is_legal(s, point);
}

/* The first new point one step away from `from`. Moves are numbered: tunable, then direction. They are taken in
 * turn, so that no tunable waits until another one is settled. */
static int single_move(const vkmm_search *s, const vkmm_point *from, vkmm_point *to)
{
    for (uint32_t i = 0; i < MOVES; i++) {
        uint32_t move = (i + s->tried_count) % MOVES;
        *to = *from;
        if (step(&from->kernel->tunables[move / 2], move % 2 == 0, &to->config.values[move / 2]) && is_new(s, to))
            return 1;
    }
    return 0;
}

/* The same with one step in each of two tunables: for example, a larger tile with a larger part for each invocation
 * keeps the workgroup's size. */
static int double_move(const vkmm_search *s, const vkmm_point *from, vkmm_point *to)
{
    for (uint32_t i = 0; i < MOVES * MOVES; i++) {
        uint32_t pair = (i + s->tried_count * STRIDE) % (MOVES * MOVES), first = pair / MOVES, second = pair % MOVES;
        if (first / 2 >= second / 2) continue;
        *to = *from;
        if (step(&from->kernel->tunables[first / 2], first % 2 == 0, &to->config.values[first / 2]) &&
            step(&from->kernel->tunables[second / 2], second % 2 == 0, &to->config.values[second / 2]) && is_new(s, to))
            return 1;
    }
    return 0;
}

static int climb(const vkmm_search *s, vkmm_point *to)
{
    for (uint32_t i = 0; i < s->good_count && i <= RUNNERS_UP; i++) {
        const vkmm_point *from = &s->tried[i].point;
        if (from->kernel->tunables == NULL || s->tried[i].ms > WORTH * s->tried[0].ms) continue;
        if (single_move(s, from, to) || double_move(s, from, to)) return 1;
    }
    return 0;
}

/* One of the fastest points with some of its tunables changed. */
static int leap(const vkmm_search *s, vkmm_point *to)
{
    uint64_t draw = 0;
    for (int attempt = 0; s->good_count > 0 && attempt < LEAPS; attempt++) {
        uint32_t few = s->good_count < RUNNERS_UP ? s->good_count : RUNNERS_UP;
        *to = s->tried[vkmm_random_bits(s->tried_count, draw++) % few].point;
        if (to->kernel->tunables == NULL) continue;
        uint64_t changes = 2 + vkmm_random_bits(s->tried_count, draw++) % 4;
        for (uint64_t i = 0; i < changes; i++) {
            uint32_t t = (uint32_t)(vkmm_random_bits(s->tried_count, draw++) % VKMM_MAX_TUNABLES),
                     count = to->kernel->tunables[t].count;
            if (count > 0)
                to->config.values[t] = to->kernel->tunables[t].values[vkmm_random_bits(s->tried_count, draw++) % count];
        }
        if (is_new(s, to)) return 1;
    }
    return 0;
}

static int explore(vkmm_search *s, vkmm_point *to)
{
    while (s->next_rest < s->rest_count) {
        *to = point_at(&s->space, s->rest[s->next_rest++] * s->stride);
        if (!is_known(s, to)) return 1;
    }
    return 0;
}

static int go_elsewhere(vkmm_search *s, vkmm_point *to)
{
    if (s->tried_count % EXPLORE != 0) return 0;
    return s->tried_count % (8 * EXPLORE) != 0 ? leap(s, to) : explore(s, to);
}

int vkmm_search_next(vkmm_search *s, vkmm_point *point)
{
    if (!s->waiting) {
        while (s->next_seed < s->seed_count && is_known(s, &s->seeds[s->next_seed])) s->next_seed++;
        if (s->next_seed < s->seed_count) {
            s->current = s->seeds[s->next_seed];
            s->waiting = 1;
        } else {
            s->waiting = go_elsewhere(s, &s->current) || climb(s, &s->current) || explore(s, &s->current);
        }
    }
    if (s->waiting) *point = s->current;
    return s->waiting;
}

/* A fast point turned out to be wrong: moves it to the end of the ranking. */
static void withdraw(vkmm_search *s, const vkmm_point *point)
{
    for (uint32_t i = 0; i < s->good_count; i++) {
        if (!vkmm_point_same(&s->tried[i].point, point)) continue;
        memmove(s->tried + i, s->tried + i + 1, (s->tried_count - i - 1) * sizeof *s->tried);
        s->tried[s->tried_count - 1] = (vkmm_tried){*point, 0};
        s->good_count--;
        return;
    }
}

int vkmm_search_tell(vkmm_search *s, const vkmm_point *point, double ms)
{
    const vkmm_point told = *point; /* it may be one of the ranking, which moves */
    if (s->waiting && vkmm_point_same(&told, &s->current)) s->waiting = 0;
    if (is_known(s, &told)) {
        if (!(ms > 0)) withdraw(s, &told);
        return 1;
    }
    uint32_t at = ms > 0 ? 0 : s->tried_count;
    while (ms > 0 && at < s->good_count && s->tried[at].ms <= ms) at++;
    if (!vkmm_list_add(&s->tried, &s->tried_count, 1, sizeof *s->tried)) return 0;
    memmove(s->tried + at + 1, s->tried + at, (s->tried_count - 1 - at) * sizeof *s->tried);
    s->tried[at] = (vkmm_tried){told, ms > 0 ? ms : 0};
    s->good_count += ms > 0;
    return 1;
}

const vkmm_tried *vkmm_search_ranking(const vkmm_search *s, uint32_t *count)
{
    *count = s->tried_count;
    return s->tried;
}

uint32_t vkmm_search_size(const vkmm_search *s)
{
    uint64_t size = s->rest_count * s->stride + s->seed_count;
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}
