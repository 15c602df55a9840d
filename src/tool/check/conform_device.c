/* Memory, subgroups, dispatches and timestamps. */
#include "check/conform.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"

enum { SEED = 39, ELEMENTS = 1024, GROUP = 64, TURNS = 6, SUBGROUP_WORDS = 8 };
#define UNWRITTEN 0xabcdef01u

/* Random input; the output, right and wrong, begins as `fill`. */
static void begin(cli_trial *trial, uint32_t in_words, uint32_t out_words, uint32_t fill)
{
    trial->probe.in_words = in_words;
    trial->probe.out_words = out_words;
    trial->probe.fill = fill;
    for (uint32_t i = 0; i < in_words; i++) trial->in[i] = (uint32_t)vkmm_random_bits(SEED, i);
    for (uint32_t i = 0; i < out_words; i++) trial->want[i] = fill;
}

/* ---- storage ---- */

CLI_KNOWN(has_storage16, vkmm_device_info, features.storage16)
CLI_KNOWN(has_storage8, vkmm_device_info, features.storage8)

static void make_storage(cli_trial *trial, uint32_t bytes)
{
    cli_trial_spread(trial, GROUP, ELEMENTS, ELEMENTS);
    begin(trial, ELEMENTS * bytes / 4, 2 * ELEMENTS * bytes / 4, UNWRITTEN);
    VKMM_PUT(trial->defines, "#define T uint%u_t\n", 8 * bytes);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        memcpy((char *)trial->want + 2 * i * bytes, (const char *)trial->in + (ELEMENTS - 1 - i) * bytes, bytes);
}

static void make_shared(cli_trial *trial, uint32_t most)
{
    const uint32_t all = trial->info->limits.max_shared_bytes / 4, words = all < most ? all : most;
    cli_trial_spread(trial, 1024, 1024, words);
    trial->probe.groups[0] = 1;
    begin(trial, words, words, UNWRITTEN);
    for (uint32_t i = 0; i < words; i++) trial->want[i] = trial->in[words - 1 - i];
}

/* ---- subgroups ---- */

static int has_subgroups(const void *device)
{
    const vkmm_device_info *info = device;
    const uint32_t wanted =
        VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    return (info->subgroup.operations & wanted) == wanted && info->subgroup.size > 1;
}

static void make_subgroups(cli_trial *trial, uint32_t operation)
{
    cli_trial_spread(trial, 128, 128, operation);
    begin(trial, trial->probe.constants[0], SUBGROUP_WORDS * trial->probe.constants[0], UNWRITTEN);
}

/* By the subgroup and the place there that each invocation reported. */
static int judge_subgroups(cli_trial *trial, uint32_t operation)
{
    const uint32_t count = trial->probe.in_words, *in = trial->in, *out = trial->probe.out;
    (void)operation;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *mine = &out[SUBGROUP_WORDS * i];
        uint32_t sum = 0, scan = 0, least = UINT32_MAX, most = 0, first = i, other = i, at = UINT32_MAX;
        for (uint32_t j = 0; j < count; j++) {
            const uint32_t *its = &out[SUBGROUP_WORDS * j];
            if (its[0] != mine[0]) continue;
            sum += in[j];
            if (its[1] <= mine[1]) scan += in[j];
            if (in[j] < least) least = in[j];
            if (in[j] > most) most = in[j];
            if (its[1] < at) at = its[1], first = j;
            if (its[1] == (mine[1] ^ 1)) other = j;
        }
        const uint32_t want[] = {sum, scan, least, most, in[first], in[other]};
        static const char *const names[] = {"add", "inclusive add", "min", "max", "broadcast first", "shuffle xor 1"};
        for (uint32_t k = 0; k < VKMM_COUNT(want); k++)
            if (mine[2 + k] != want[k])
                return cli_trial_wrong(trial, "%s of invocation %u is 0x%08x, should be 0x%08x", names[k], i,
                                       mine[2 + k], want[k]);
    }
    return 1;
}

/* ---- dispatches ---- */

static void make_dispatch(cli_trial *trial, uint32_t indirect)
{
    static const uint32_t groups[3] = {5, 3, 2}, words = 1 + 5 * 3 * 2;
    cli_trial_spread(trial, GROUP, GROUP, indirect);
    memcpy(trial->probe.groups, groups, sizeof groups);
    trial->probe.indirect = (int)indirect;
    begin(trial, 2, words, 0);
    memcpy(trial->in, groups, 2 * sizeof *groups);
    for (uint32_t i = 0; i < words; i++) trial->want[i] = trial->probe.constants[0] * (i == 0 ? words - 1 : 1);
}

static void make_turns(cli_trial *trial, uint32_t turns)
{
    cli_trial_spread(trial, GROUP, ELEMENTS, ELEMENTS);
    trial->probe.turns = turns;
    begin(trial, ELEMENTS, 2 * ELEMENTS, 7);
    for (uint32_t turn = 0; turn < turns; turn++) {
        const uint32_t from = turn % 2 * ELEMENTS, to = ELEMENTS - from;
        for (uint32_t i = 0; i < ELEMENTS; i++)
            trial->want[to + i] = trial->want[from + (5 * i + 1) % ELEMENTS] * 3 + trial->in[i] + turn;
    }
}

CLI_KNOWN(has_timestamps, vkmm_device_info, limits.timestamp_bits > 0)

/* The host's clock includes more than the device's; the factor is for clocks that differ. */
static int judge_timestamps(cli_trial *trial, uint32_t turns)
{
    const double *ms = trial->probe.device_ms, host = trial->probe.host_ms;
    (void)turns;
    if (ms[0] >= 0 && ms[1] >= 0 && ms[0] + ms[1] <= 2 * host + 1) return 1;
    return cli_trial_wrong(trial, "the dispatches take %g and %g ms by timestamps, %g ms by the host's clock", ms[0],
                           ms[1], host);
}

static const cli_trial_kind kinds[] = {
    {"16-bit storage", has_storage16, "check_storage16", 2, make_storage, NULL},
    {"8-bit storage", has_storage8, "check_storage8", 1, make_storage, NULL},
    {"all of the shared memory", NULL, "check_shared", CLI_TRIAL_WORDS, make_shared, NULL},
    {"subgroup operations", has_subgroups, "check_subgroup", 0, make_subgroups, judge_subgroups},
    {"a dispatch", NULL, "check_dispatch", 0, make_dispatch, NULL},
    {"an indirect dispatch", NULL, "check_dispatch", 1, make_dispatch, NULL},
    {"dispatches in turn", NULL, "check_turns", TURNS, make_turns, NULL},
    {"timestamps", has_timestamps, "check_turns", TURNS, make_turns, judge_timestamps},
};

const cli_case_part cli_device_part = {"device", CLI_TRIALS(kinds)};
