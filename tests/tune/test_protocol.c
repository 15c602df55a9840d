/* What a tune and its workers say: every line is read as it was written, and nonsense is not read at all. */
#include "../unit/unit.h"

#include "tune/tune_protocol.h"

static void a_problem(void **state)
{
    (void)state;
    char line[CLI_LINE];
    const vkmm_problem plain = {.m = 1, .n = 2, .k = UINT32_MAX};
    const vkmm_problem all = {.m = 3,
                              .n = 5,
                              .k = 7,
                              .type = VKMM_U32,
                              .layout = VKMM_COL_MAJOR,
                              .op_a = VKMM_OP_T,
                              .op_b = VKMM_OP_T,
                              .lda = 11,
                              .ldb = 13,
                              .ldc = 17,
                              .offset_a = 19,
                              .offset_b = 23,
                              .offset_c = 29,
                              .batch_count = 31,
                              .stride_a = UINT64_MAX,
                              .stride_b = 41,
                              .stride_c = 43,
                              .scaled = 1,
                              .alpha = 0.1,
                              .beta = -1e300,
                              .typed = 1,
                              .out_type = VKMM_BF16,
                              .compute = VKMM_F16,
                              .activation = VKMM_GELU,
                              .has_bias = 1};
    vkmm_problem read;
    cli_write_problem(&plain, line);
    assert_true(cli_read_problem(line, &read));
    assert_int_equal(read.k, UINT32_MAX);
    cli_write_problem(&all, line);
    assert_int_equal(line[strlen(line) - 1], '\n');
    assert_true(cli_read_problem(line, &read));
    assert_true(read.m == 3 && read.n == 5 && read.k == 7 && read.type == VKMM_U32 && read.layout == VKMM_COL_MAJOR);
    assert_true(read.op_a == VKMM_OP_T && read.op_b == VKMM_OP_T && read.lda == 11 && read.ldb == 13 && read.ldc == 17);
    assert_true(read.offset_a == 19 && read.offset_b == 23 && read.offset_c == 29 && read.batch_count == 31);
    assert_true(read.stride_a == UINT64_MAX && read.stride_b == 41 && read.stride_c == 43);
    assert_true(read.scaled == 1 && read.alpha == 0.1 && read.beta == -1e300);
    assert_true(read.typed == 1 && read.out_type == VKMM_BF16 && read.compute == VKMM_F16);
    assert_true(read.activation == VKMM_GELU && read.has_bias == 1);
    assert_false(cli_read_problem("problem 1 2 3", &read));
    assert_false(cli_read_problem("", &read));
}

static void requests(void **state)
{
    (void)state;
    char line[CLI_LINE];
    const vkmm_candidate pair[2] = {{"blocked", "rows=64,cols=32"}, {"tiled", ""}};
    vkmm_candidate read[2];
    double number = 0;
    cli_write_try(&pair[1], 1.5, line);
    assert_string_equal(line, "try 1.500000 tiled -\n");
    assert_true(cli_read_try(line, read, &number));
    assert_string_equal(read[0].kernel, "tiled");
    assert_string_equal(read[0].config, "");
    assert_true(number == 1.5);
    assert_false(cli_read_duel(line, read, &number));
    cli_write_duel(pair, 250, line);
    assert_true(cli_read_duel(line, read, &number));
    assert_false(cli_read_try(line, read, &number));
    assert_true(cli_read_duel(line, read, &number));
    assert_string_equal(read[0].config, "rows=64,cols=32");
    assert_string_equal(read[1].kernel, "tiled");
    assert_true(number == 250);
    vkmm_candidate wide = {"", ""};
    memset(wide.kernel, 'k', sizeof wide.kernel - 1);
    memset(wide.config, 'c', sizeof wide.config - 1);
    cli_write_try(&wide, 0, line);
    assert_true(cli_read_try(line, read, &number));
    assert_string_equal(read[0].config, wide.config);
}

static void answers(void **state)
{
    (void)state;
    char line[CLI_LINE];
    cli_answer read, answer = {.ms = {0.00123, 2}, .ratio = 0.9, .upper = 0.95, .rounds = 12};
    cli_write_answer(&answer, 0, line);
    assert_true(cli_read_answer(line, 0, &read));
    assert_true(read.status == VKMM_OK && read.ms[0] == 0.00123 && read.rounds == 12);
    assert_false(cli_read_answer(line, 1, &read));
    cli_write_answer(&answer, 1, line);
    assert_true(cli_read_answer(line, 1, &read));
    assert_true(read.ms[1] == 2 && read.ratio == 0.9 && read.upper == 0.95 && read.rounds == 12);
    answer.status = VKMM_WRONG_RESULT;
    snprintf(answer.sentence, sizeof answer.sentence, "C[0][0] is 1");
    cli_write_answer(&answer, 0, line);
    assert_true(cli_read_answer("wrong C[0][0] is 1", 0, &read));
    assert_string_equal(line, "wrong C[0][0] is 1\n");
    assert_int_equal(read.status, VKMM_WRONG_RESULT);
    assert_string_equal(read.sentence, "C[0][0] is 1");
    answer.status = VKMM_OUT_OF_MEMORY;
    cli_write_answer(&answer, 1, line);
    assert_true(cli_read_answer(line, 1, &read));
    assert_int_equal(read.status, VKMM_OUT_OF_MEMORY);
    const char *nonsense[] = {"",         "ok",         "ok 1",        "ok 0 5",     "ok -1 5",       "ok nan 5",
                              "ok inf 5", "failed 1 x", "failed 99 x", "failed 0 x", "failed much x", "ready 1234",
                              "okay 1 5"};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        if (cli_read_answer(nonsense[i], 0, &read)) fail_msg("\"%s\" was read", nonsense[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_problem), cmocka_unit_test(requests),
                                       cmocka_unit_test(answers)};
    return cmocka_run_group_tests_name("protocol", tests, NULL, NULL);
}
