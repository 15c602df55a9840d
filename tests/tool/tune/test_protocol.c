/* What a tune and its workers say: every message is read as it was written, and nonsense is not read at all. */
#include "unit.h"

#include "tune/tune.h"

static void write_and_read(const cli_trial_request *request)
{
    cli_trial_request read;
    json_t *json = cli_write_trial(request);
    assert_true(cli_read_trial(json, &read));
    assert_true(read.count == request->count && read.limit_ms == request->limit_ms && read.time_ms == request->time_ms);
    for (uint32_t i = 0; i < read.count; i++) {
        assert_string_equal(read.candidates[i].kernel, request->candidates[i].kernel);
        assert_string_equal(read.candidates[i].config, request->candidates[i].config);
    }
    json_decref(json);
}

TEST(requests)
{
    const cli_trial_request duel = {{{"blocked", "rows=64,cols=32"}, {"tiled", ""}}, 2, .time_ms = 250};
    cli_trial_request wide = {.count = 1, .limit_ms = 1.5};
    memset(wide.candidates[0].kernel, 'k', sizeof wide.candidates[0].kernel - 1);
    memset(wide.candidates[0].config, 'c', sizeof wide.candidates[0].config - 1);
    write_and_read(&duel);
    write_and_read(&wide);
}

TEST(answers)
{
    const cli_answer single = {.ms = {0.00123, 0}, .rounds = 12};
    const cli_answer both = {.ms = {0.00123, 2}, .ratio = 0.9, .upper = 0.95, .rounds = 12};
    cli_answer read = {.rounds = 0};
    json_t *json = json_object();
    cli_put_figures(json, &single);
    assert_true(cli_take_figures(json, 0, &read));
    assert_true(read.ms[0] == 0.00123 && read.rounds == 12);
    assert_false(cli_take_figures(json, 1, &read));
    cli_put_figures(json, &both);
    assert_true(cli_take_figures(json, 1, &read));
    assert_true(read.ms[1] == 2 && read.ratio == 0.9 && read.upper == 0.95 && read.rounds == 12);
    json_decref(json);
}

TEST(nonsense)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"candidates\": []}",
        "{\"candidates\": [7]}",
        "{\"candidates\": [{}]}",
        "{\"candidates\": [{\"kernel\": 7}]}",
        "{\"candidates\": [{\"kernel\": \"a\"}, {\"kernel\": \"a\"}, {\"kernel\": \"a\"}]}",
        "{\"candidates\": [{\"kernel\": \"a\"}], \"limit_ms\": -1}",
        "{\"ms\": 1, \"rounds\": 5}",
        "{\"ms\": [0, 0], \"rounds\": 5}",
        "{\"ms\": [-1, 0], \"rounds\": 5}",
        "{\"ms\": [null, 0], \"rounds\": 5}",
        "{\"ms\": [\"1\", 0], \"rounds\": 5}",
        "{\"ms\": [1], \"rounds\": 5}",
        "{\"ms\": [1, 0], \"rounds\": -5}",
        "{\"ms\": [1, 0]}"};
    for (size_t i = 0; i < VKMM_COUNT(texts); i++) {
        cli_trial_request request;
        cli_answer answer = {.rounds = 0};
        json_t *json = json_loads(texts[i], 0, NULL);
        assert_non_null(json);
        if (cli_read_trial(json, &request) || cli_take_figures(json, 0, &answer)) fail_msg("%s was read", texts[i]);
        json_decref(json);
    }
}
