/* Traces that are refused; allocations that fail. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "look/trace.h"
#include "suite.h"

static suite_device suite;
static char last_sentence[1024];

static void keep_sentence(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user, (void)level;
    snprintf(last_sentence, sizeof last_sentence, "%s", sentence);
}

static void make_tutorial(vkmm_trace_params *params, int32_t a[8], int32_t b[24])
{
    for (int i = 0; i < 8; i++) a[i] = i + 1;
    for (int i = 0; i < 24; i++) b[i] = i + 1;
    *params = (vkmm_trace_params){.job = {.problem = VKMM_PROBLEM(.m = 2, .n = 6, .k = 4, .type = VKMM_I32),
                                          .kernel = "tiled",
                                          .tile_rows = 2,
                                          .tile_cols = 2},
                                  .col = 3,
                                  .a = a,
                                  .b = b};
}

static void refuse(const vkmm_trace_params *params, vkmm_status status, const char *sentence)
{
    vkmm_trace *trace = (vkmm_trace *)last_sentence;
    last_sentence[0] = '\0';
    assert_int_equal(vkmm_trace_create(suite.device, params, &trace), status);
    assert_null(trace);
    if (!strstr(last_sentence, sentence)) assert_string_equal(last_sentence, sentence);
    assert_int_equal(vkmm_trace_check(suite.device, params), status);
}

static void refuses(void **state)
{
    int32_t a[8], b[24];
    vkmm_trace_params params;
    make_tutorial(&params, a, b);
    params.row = 2;
    refuse(&params, VKMM_INVALID, "there is no C[2][3]: C has 2 rows and 6 columns");
    params.row = 0;
    params.job.kernel = "serial";
    refuse(&params, VKMM_UNSUPPORTED, "serial");
    params.job.kernel = "naive";
    params.job.problem.k = 4096;
    refuse(&params, VKMM_INVALID, "in 4097 steps; ");
    params.job.kernel = "tiled";
    params.job.problem = VKMM_PROBLEM(.m = 512, .n = 512, .k = 512, .type = VKMM_I32);
    params.job.tile_rows = params.job.tile_cols = 16;
    /* 3 · 512² elements, 512 sums of 256 invocations, 32 times two tiles of 256; 32 times a load and two barriers,
     * 512 sums, a store */
    refuse(&params, VKMM_INVALID,
           "has 933888 values in 609 steps; the limit is 100000 values in 4096 steps; try 32x32x32");
    params.job.problem.n = 0;
    refuse(&params, VKMM_INVALID, "0 columns");
}

/* Every allocation may fail: a status then, and no leak (the sanitizers look). */
static void failing_allocations(void **state)
{
    int32_t a[8], b[24];
    vkmm_trace_params params;
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    make_tutorial(&params, a, b);
    for (uint64_t n = 1; n < 50 && status == VKMM_OUT_OF_MEMORY; n++) {
        vkmm_trace *trace = NULL;
        vkmm_alloc_fail_after(n);
        status = vkmm_trace_create(suite.device, &params, &trace);
        vkmm_alloc_fail_after(0);
        const int made = trace != NULL;
        vkmm_trace_destroy(&trace);
        assert_null(trace);
        assert_int_equal(made, status == VKMM_OK);
        if (n == 1) assert_int_equal(status, VKMM_OUT_OF_MEMORY);
    }
    assert_int_equal(status, VKMM_OK);
}

int main(void)
{
    int absent = suite_open(&suite);
    if (absent) return absent;
    const vkmm_log loud = suite.instance->log;
    suite.instance->log = (vkmm_log){keep_sentence, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(failing_allocations),
    };
    int failed = suite_run(&suite, "trace_limits", tests);
    suite.instance->log = loud;
    return suite_exit(&suite, failed);
}
