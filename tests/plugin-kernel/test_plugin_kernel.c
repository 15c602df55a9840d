/* One more general kernel, from a folder of its own: what CONTRIBUTING.md calls for, and nothing else, makes the
 * library list, plan, refuse, tune and run it. */
#include "general.h"
#include "look/kernel.h"

static suite_device suite;
SUITE_MAIN(suite)
static char sentence[1024];

static void keep_sentence(void *user, vkmm_log_level level, const char *text)
{
    (void)user, (void)level;
    snprintf(sentence, sizeof sentence, "%s", text);
}

static const vkmm_log log_to_test = {keep_sentence, NULL};

static vkmm_status choose(uint64_t k, const char *kernel, const char *config, vkmm_kernel_info *info)
{
    const vkmm_job_params params = {
        .problem = VKMM_PROBLEM(.m = 300, .n = 200, .k = k, .type = VKMM_F32), .kernel = kernel, .config = config};
    sentence[0] = '\0';
    return vkmm_kernel_choose(&log_to_test, suite.info, &params, info);
}

TEST(is_listed_after_the_others)
{
    uint32_t at = 0, count = 0;
    for (uint32_t i = 0; vkmm_kernel_name(i); i++, count++)
        if (strcmp(vkmm_kernel_name(i), "rank1") == 0) at = i;
    assert_int_equal(at, count - 1);
    assert_contains(vkmm_kernel_summary(at), "a column and a row");
    assert_true(vkmm_kernel_is_general("rank1"));
    assert_true(vkmm_kernel_built("rank1", VKMM_F32));
    assert_false(vkmm_kernel_built("rank1", VKMM_F16)); /* its row of the manifest asks for words alone */
}

TEST(is_planned_where_it_suits)
{
    vkmm_kernel_info info;
    assert_ok(choose(1, NULL, NULL, &info));
    assert_string_equal(info.name, "rank1");
    assert_string_equal(info.config, "rows=16,cols=16,splits=1");
    assert_int_equal(info.items, 19 * 13);
    assert_ok(choose(100, NULL, NULL, &info));
    assert_string_not_equal(info.name, "rank1");
    suite.info->limits.max_invocations = 100; /* its presets, in their order */
    assert_ok(choose(1, NULL, NULL, &info));
    assert_string_equal(info.config, "rows=8,cols=8,splits=1");
}

TEST(is_refused_with_its_reasons)
{
    vkmm_kernel_info info;
    assert_int_equal(choose(9, "rank1", "rows=0", &info), VKMM_UNSUPPORTED);
    assert_contains(sentence, "rank1 with rows=0,cols=16,splits=1: rows and cols must be at least 1");
    assert_int_equal(choose(9, "rank1", "rows=512,cols=512", &info), VKMM_UNSUPPORTED);
    assert_contains(sentence, "maxComputeWorkGroupInvocations");
    assert_int_equal(choose(9, "rank1", "depth=4", &info), VKMM_INVALID);
    assert_contains(sentence, "it has rows, cols, splits");
}

TEST(is_a_candidate_of_tunes)
{
    const vkmm_tune_params params = {.problem = VKMM_PROBLEM(.m = 300, .n = 200, .k = 1, .type = VKMM_F32)};
    vkmm_tune *tune = NULL;
    vkmm_candidate candidate = {{0}};
    assert_ok(vkmm_tune_create(suite.instance, suite.info, &params, &tune));
    const vkmm_tune_state planned = vkmm_tune_look(tune);
    assert_int_equal(vkmm_tune_next(tune, &candidate), 1);
    vkmm_tune_destroy(&tune);
    assert_string_equal(planned.planned.kernel, "rank1");
    assert_string_equal(candidate.kernel, "rank1");
}

static int wrong_edges(vkmm_types types, const char *config, unsigned turn)
{
    general_run run = {.suite = &suite, .kernel = "rank1", .config = config, .types = types, .has_bias = turn % 2 == 0};
    if (!suite_has_type(&suite, types.in)) return 0;
    const int wrong = general_edges(&run, turn & 1 ? VKMM_OP_T : VKMM_OP_N, turn & 2 ? VKMM_OP_T : VKMM_OP_N,
                                    turn & 1 ? GENERAL_UNEVEN : GENERAL_ALIGNED, turn, 4, 1, 0);
    general_end(&run);
    return wrong;
}

TEST(is_right_on_every_edge)
{
    int wrong = 0;
    for (unsigned turn = 0; turn < 4; turn++) {
        const vkmm_types types = vkmm_types_default((vkmm_type)(VKMM_F32 + turn));
        wrong += wrong_edges(types, turn & 1 ? "rows=8,cols=4,splits=3" : "rows=4,cols=8", turn);
    }
    assert_int_equal(wrong, 0);
}
