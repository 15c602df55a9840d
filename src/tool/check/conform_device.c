/* Memory, subgroups, dispatches and timestamps. */
#include "check/conform_trial.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"

enum { SEED = 39, ELEMENTS = 1024, GROUP = 64, TURNS = 6, SUBGROUP_WORDS = 8 };

static void fill_random(cli_trial *trial)
{
    for (uint32_t i = 0; i < trial->probe.in_words; i++) trial->in[i] = (uint32_t)vkmm_random_bits(SEED, i);
}

/* Compares the output with words that were computed here. */
static int compare(cli_trial *trial, const uint32_t *want)
{
    for (uint32_t i = 0; i < trial->probe.out_words; i++)
        if (trial->probe.out[i] != want[i])
            return cli_trial_wrong(trial, "word %u is 0x%08x, should be 0x%08x", i, trial->probe.out[i], want[i]);
    return 1;
}

/* ---- storage ---- */

static void make_storage(cli_trial *trial, uint32_t bytes)
{
    cli_trial_spread(trial, GROUP, ELEMENTS);
    trial->probe.constants[1] = ELEMENTS;
    trial->probe.constant_count = 2;
    trial->probe.in_words = ELEMENTS * bytes / 4;
    trial->probe.out_words = 2 * ELEMENTS * bytes / 4;
    trial->probe.fill = 0xabcdef01;
    VKMM_PUT(trial->defines, "#define T uint%u_t\n", 8 * bytes);
    fill_random(trial);
}

static int judge_storage(cli_trial *trial, uint32_t bytes)
{
    uint32_t want[ELEMENTS];

    for (uint32_t i = 0; i < trial->probe.out_words; i++) want[i] = trial->probe.fill;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        memcpy((char *)want + 2 * i * bytes, (const char *)trial->in + (ELEMENTS - 1 - i) * bytes, bytes);
    return compare(trial, want);
}

static int has_storage16(const vkmm_device_info *info)
{
    return info->features.storage16;
}

static int has_storage8(const vkmm_device_info *info)
{
    return info->features.storage8;
}

static void make_shared(cli_trial *trial, uint32_t operation)
{
    const uint32_t words = trial->info->limits.max_shared_bytes / 4;

    (void)operation;
    cli_trial_spread(trial, 1024, 1024);
    trial->probe.groups[0] = 1;
    trial->probe.constants[1] = words < CLI_TRIAL_WORDS ? words : CLI_TRIAL_WORDS;
    trial->probe.constant_count = 2;
    trial->probe.in_words = trial->probe.out_words = trial->probe.constants[1];
    fill_random(trial);
}

static int judge_shared(cli_trial *trial, uint32_t operation)
{
    const uint32_t words = trial->probe.out_words;

    (void)operation;
    for (uint32_t i = 0; i < words; i++)
        if (trial->probe.out[i] != trial->in[words - 1 - i])
            return cli_trial_wrong(trial, "of %u words, word %u is 0x%08x, should be 0x%08x", words, i,
                                   trial->probe.out[i], trial->in[words - 1 - i]);
    return 1;
}

/* ---- subgroups ---- */

static int has_subgroups(const vkmm_device_info *info)
{
    const uint32_t wanted =
        VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;

    return (info->subgroup.operations & wanted) == wanted && info->subgroup.size > 1;
}

static void make_subgroups(cli_trial *trial, uint32_t operation)
{
    (void)operation;
    cli_trial_spread(trial, 128, 128);
    trial->probe.constant_count = 1;
    trial->probe.in_words = trial->probe.constants[0];
    trial->probe.out_words = SUBGROUP_WORDS * trial->probe.in_words;
    fill_random(trial);
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
    static const uint32_t groups[3] = {5, 3, 2};

    cli_trial_spread(trial, GROUP, GROUP);
    memcpy(trial->probe.groups, groups, sizeof groups);
    trial->probe.fill = 0;
    trial->probe.indirect = (int)indirect;
    trial->probe.constant_count = 1;
    trial->probe.in_words = 2;
    trial->probe.out_words = 1 + 5 * 3 * 2;
    memcpy(trial->in, groups, 2 * sizeof *groups);
}

static int judge_dispatch(cli_trial *trial, uint32_t indirect)
{
    uint32_t want[1 + 5 * 3 * 2];

    (void)indirect;
    for (uint32_t i = 0; i < VKMM_COUNT(want); i++)
        want[i] = trial->probe.constants[0] * (i == 0 ? VKMM_COUNT(want) - 1 : 1);
    return compare(trial, want);
}

static void make_turns(cli_trial *trial, uint32_t turns)
{
    cli_trial_spread(trial, GROUP, ELEMENTS);
    trial->probe.turns = turns;
    trial->probe.constants[1] = ELEMENTS;
    trial->probe.constant_count = 2;
    trial->probe.in_words = ELEMENTS;
    trial->probe.out_words = 2 * ELEMENTS;
    trial->probe.fill = 7;
    fill_random(trial);
}

static int judge_turns(cli_trial *trial, uint32_t turns)
{
    uint32_t want[2 * ELEMENTS];

    for (uint32_t i = 0; i < 2 * ELEMENTS; i++) want[i] = trial->probe.fill;
    for (uint32_t turn = 0; turn < turns; turn++) {
        const uint32_t from = turn % 2 * ELEMENTS, to = ELEMENTS - from;
        for (uint32_t i = 0; i < ELEMENTS; i++)
            want[to + i] = want[from + (5 * i + 1) % ELEMENTS] * 3 + trial->in[i] + turn;
    }
    return compare(trial, want);
}

static int has_timestamps(const vkmm_device_info *info)
{
    return info->limits.timestamp_bits > 0 && info->limits.timestamp_period_ns > 0;
}

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
    {"16-bit storage", has_storage16, "check_storage16", 2, make_storage, judge_storage},
    {"8-bit storage", has_storage8, "check_storage8", 1, make_storage, judge_storage},
    {"all of the shared memory", NULL, "check_shared", 0, make_shared, judge_shared},
    {"subgroup operations", has_subgroups, "check_subgroup", 0, make_subgroups, judge_subgroups},
    {"a dispatch", NULL, "check_dispatch", 0, make_dispatch, judge_dispatch},
    {"an indirect dispatch", NULL, "check_dispatch", 1, make_dispatch, judge_dispatch},
    {"dispatches in turn", NULL, "check_turns", TURNS, make_turns, judge_turns},
    {"timestamps", has_timestamps, "check_turns", TURNS, make_turns, judge_timestamps},
};

CLI_TRIAL_PART(cli_device_part, "device", kinds)
