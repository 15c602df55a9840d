/* What a tune and its workers say: every message is read as it was written, and nonsense is not read at all. */
#include "unit.h"

#include "tune/tune.h"

TEST(requests)
{
    const cli_trial_request single = {{{"tiled", ""}}, 1, .limit_ms = 1.5};
    const cli_trial_request duel = {{{"blocked", "rows=64,cols=32"}, {"tiled", ""}}, 2, .time_ms = 250};
    cli_trial_request read, wide = {.count = 1};
    json_t *json = cli_write_trial(&single);
    assert_true(cli_read_trial(json, &read));
    assert_true(read.count == 1 && read.limit_ms == 1.5 && read.time_ms == 0);
    assert_string_equal(read.candidates[0].kernel, "tiled");
    assert_string_equal(read.candidates[0].config, "");
    json_decref(json);
    json = cli_write_trial(&duel);
    assert_true(cli_read_trial(json, &read));
    assert_true(read.count == 2 && read.time_ms == 250);
    assert_string_equal(read.candidates[0].config, "rows=64,cols=32");
    assert_string_equal(read.candidates[1].kernel, "tiled");
    json_decref(json);
    memset(wide.candidates[0].kernel, 'k', sizeof wide.candidates[0].kernel - 1);
    memset(wide.candidates[0].config, 'c', sizeof wide.candidates[0].config - 1);
    json = cli_write_trial(&wide);
    assert_true(cli_read_trial(json, &read));
    assert_string_equal(read.candidates[0].kernel, wide.candidates[0].kernel);
    assert_string_equal(read.candidates[0].config, wide.candidates[0].config);
    json_decref(json);
    const char *nonsense[] = {"{}",
                              "[]",
                              "{\"candidates\": []}",
                              "{\"candidates\": [7]}",
                              "{\"candidates\": [{}]}",
                              "{\"candidates\": [{\"kernel\": 7}]}",
                              "{\"candidates\": [{\"kernel\": \"a\"}, {\"kernel\": \"a\"}, {\"kernel\": \"a\"}]}",
                              "{\"candidates\": [{\"kernel\": \"a\"}], \"limit_ms\": -1}"};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        json = json_loads(nonsense[i], 0, NULL);
        assert_non_null(json);
        if (cli_read_trial(json, &read)) fail_msg("%s was read", nonsense[i]);
        json_decref(json);
    }
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
    const char *nonsense[] = {"{}",
                              "{\"ms\": 1, \"rounds\": 5}",
                              "{\"ms\": [0, 0], \"rounds\": 5}",
                              "{\"ms\": [-1, 0], \"rounds\": 5}",
                              "{\"ms\": [null, 0], \"rounds\": 5}",
                              "{\"ms\": [\"1\", 0], \"rounds\": 5}",
                              "{\"ms\": [1], \"rounds\": 5}",
                              "{\"ms\": [1, 0], \"rounds\": -5}",
                              "{\"ms\": [1, 0]}"};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        json = json_loads(nonsense[i], 0, NULL);
        assert_non_null(json);
        if (cli_take_figures(json, 0, &read)) fail_msg("%s was read", nonsense[i]);
        json_decref(json);
    }
}
