/* Problems of a report. */
#include "bench/lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/problem.h"
#include "math/types_name.h"

/* One of two words. */
static int second_of(const vkmm_node *problem, const char *key, const char *first, const char *second)
{
    const vkmm_node node = vkmm_node_key(problem, key);
    char word[16] = "";

    vkmm_node_text(&node, word, sizeof word);
    if (word[0] == '\0' || strcmp(word, first) == 0) return 0;
    if (strcmp(word, second) != 0) vkmm_node_fail(&node, "is \"%s\"; it is \"%s\" or \"%s\"", word, first, second);
    return strcmp(word, second) == 0;
}

static void read_type(const vkmm_node *problem, const char *key, vkmm_type *type)
{
    const vkmm_node node = vkmm_node_key(problem, key);
    char word[16] = "";

    if (node.json == NULL) vkmm_node_fail(&node, "is missing");
    vkmm_node_text(&node, word, sizeof word);
    if (!vkmm_type_parse(word, type)) vkmm_node_fail(&node, "is \"%s\", no element type of this version", word);
}

/* Reports of before have no keys for what followed from the type then. */
static void read_types(const vkmm_node *problem, vkmm_problem *p)
{
    const vkmm_node out = vkmm_node_key(problem, "out_type"), compute = vkmm_node_key(problem, "compute");
    vkmm_types types;

    read_type(problem, "type", &p->type);
    types = vkmm_types_default(p->type);
    if (out.json != NULL) read_type(problem, "out_type", &types.out);
    if (compute.json != NULL) read_type(problem, "compute", &types.compute);
    p->typed = !vkmm_types_equal(types, vkmm_types_default(p->type));
    p->out_type = types.out;
    p->compute = types.compute;
}

static void read_epilogue(const vkmm_node *problem, vkmm_problem *p)
{
    const vkmm_node node = vkmm_node_key(problem, "activation");
    char word[16] = "none";
    int known = 0;

    vkmm_node_text(&node, word, sizeof word);
    for (int i = 0; i < VKMM_ACTIVATION_COUNT; i++) {
        if (strcmp(word, vkmm_activation_name((uint32_t)i)) != 0) continue;
        p->activation = (vkmm_activation)i;
        known = 1;
    }
    if (!known) vkmm_node_fail(&node, "is \"%s\", no activation of this version", word);
    vkmm_key_truth(problem, "bias", &p->has_bias);
}

static void read_extent(const vkmm_node *problem, const char *key, uint64_t *extent)
{
    const vkmm_node node = vkmm_node_key(problem, key);

    if (node.json == NULL) vkmm_node_fail(&node, "is missing");
    vkmm_node_integer(&node, UINT64_MAX, extent);
}

/* null stands for what JSON has no number for. */
static void read_scalar(const vkmm_node *problem, const char *key, double *scalar)
{
    const vkmm_node node = vkmm_node_key(problem, key);

    if (node.json == NULL && json_object_get(problem->json, key) != NULL) *scalar = NAN;
    vkmm_node_signed(&node, scalar);
}

static void keep_sentence(void *user, vkmm_log_level level, const char *sentence)
{
    (void)level;
    snprintf(user, VKMM_BENCH_TEXT, "%s", sentence);
}

void vkmm_read_problem(const vkmm_node *node, vkmm_problem *problem)
{
    char why[VKMM_BENCH_TEXT] = "";
    const vkmm_log log = {keep_sentence, why};
    vkmm_problem p = {.alpha = 1};

    if (!vkmm_node_is_object(node, 1)) return;
    read_types(node, &p);
    read_extent(node, "m", &p.m);
    read_extent(node, "n", &p.n);
    read_extent(node, "k", &p.k);
    p.layout = second_of(node, "layout", "row", "col") ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
    p.op_a = second_of(node, "transpose_a", "N", "T") ? VKMM_OP_T : VKMM_OP_N;
    p.op_b = second_of(node, "transpose_b", "N", "T") ? VKMM_OP_T : VKMM_OP_N;
    vkmm_key_u64(node, "lda", &p.lda);
    vkmm_key_u64(node, "ldb", &p.ldb);
    vkmm_key_u64(node, "ldc", &p.ldc);
    vkmm_key_u64(node, "offset_a", &p.offset_a);
    vkmm_key_u64(node, "offset_b", &p.offset_b);
    vkmm_key_u64(node, "offset_c", &p.offset_c);
    vkmm_key_u64(node, "stride_a", &p.stride_a);
    vkmm_key_u64(node, "stride_b", &p.stride_b);
    vkmm_key_u64(node, "stride_c", &p.stride_c);
    vkmm_key_u64(node, "batch_count", &p.batch_count);
    read_scalar(node, "alpha", &p.alpha);
    read_scalar(node, "beta", &p.beta);
    p.scaled = p.alpha != 1 || p.beta != 0;
    read_epilogue(node, &p);
    if (node->reading->sentence[0] != '\0') return;
    if (vkmm_problem_check(&log, &p, NULL) != VKMM_OK)
        vkmm_node_fail(node, "is no problem: %s", why);
    else
        *problem = p;
}
