/* The kernel coopmat2, with every module and every owner of matrices that the device has for it: ops, edges,
 * scalars, parts of K, epilogue. Skipped (77) where nothing of it can run; VKMM_TEST_MATRICES2=1 makes that a
 * failure, for machines that are known to have it. */
#include <stdio.h>
#include <stdlib.h>

#include "general.h"
#include "math/problem.h"
#include "math/type.h"

enum { SKIPPED = 77, MOST = 256, WORKGROUP = 2, SUBGROUP = 3 };

/* One module, and matrices of one granule. */
typedef struct matrix_case {
    const vkmm_module *module;
    const vkmm_matrix_granule *granule;
} matrix_case;

static suite_device suite;
static matrix_case cases[MOST];
static uint32_t case_count;

static int is_tensor(const vkmm_module *module)
{
    return (module->needs & VKMM_NEEDS_MATRIX2) != 0;
}

/* Small tiles, so that small matrices have many: the workgroup's one matrix, or two subgroups' below each other; so
 * many granules each way. */
static void configure(const matrix_case *of, uint32_t granules, const char *rest, char config[VKMM_CONFIG_TEXT])
{
    const vkmm_matrix_shape *granule = &of->granule->of;
    const uint32_t rows = granules * granule->m, cols = granules * granule->n,
                   owners = granule->scope == SUBGROUP ? 2 : 1;
    const uint32_t threads = granule->scope == SUBGROUP ? 2 * suite.info->subgroup.size : of->granule->invocations;
    snprintf(config, VKMM_CONFIG_TEXT, "rows=%u,cols=%u,depth=%u,matrix-rows=%u,matrix-cols=%u,threads=%u,scope=%u,%s",
             owners * rows, cols, granules * granule->k, rows, cols, threads, granule->scope, rest);
}

static vkmm_problem typed(const vkmm_module *module, vkmm_type out)
{
    return VKMM_PROBLEM(.type = module->type, .out_type = out, .compute = module->compute);
}

static void add_if_legal(const vkmm_module *module, const vkmm_matrix_granule *granule, vkmm_type out)
{
    const vkmm_kernel *kernel = vkmm_kernel_find("coopmat2");
    const matrix_case one = {module, granule};
    const vkmm_problem problem = typed(module, out);
    vkmm_config config = {{0}};
    char text[VKMM_CONFIG_TEXT];
    configure(&one, 1, "splits=1,swizzle=8,whole=1,prefetch=0,unroll=1", text);
    if (granule->of.scope != WORKGROUP && granule->of.scope != SUBGROUP) return;
    if (granule->of.scope == WORKGROUP && !is_tensor(module)) return; /* one way to every owner is enough */
    if (vkmm_config_parse(kernel, text, &config) != VKMM_OK ||
        vkmm_config_forbidden_by(kernel, &problem, &config, suite.info))
        return;
    if (case_count < MOST) cases[case_count++] = one;
}

static int has_types(const vkmm_matrix_granule *granule, const vkmm_module *module)
{
    static const uint32_t components[VKMM_TYPE_COUNT] = {
        [VKMM_F32] = 1,           [VKMM_I32] = 5, [VKMM_U32] = 9, [VKMM_F16] = 0,
        [VKMM_BF16] = 1000141000, [VKMM_I8] = 3,  [VKMM_U8] = 7};
    return granule->of.a == components[module->type] && granule->of.c == components[module->compute];
}

static void list_cases(void)
{
    const vkmm_types *types;
    for (uint32_t t = 0; (types = vkmm_types_at(t)) != NULL; t++) {
        const vkmm_module *module;
        if (t > 0 && vkmm_types_at(t - 1)->in == types->in && vkmm_types_at(t - 1)->compute == types->compute) continue;
        for (uint32_t i = 0; (module = vkmm_module_next("coopmat2", types->in, types->compute, &i)) != NULL;) {
            if (module->needs & ~vkmm_device_offers(suite.info, module->type)) continue;
            for (uint32_t g = 0; g < suite.info->matrices.granule_count; g++)
                if (has_types(&suite.info->matrices.granules[g], module))
                    add_if_legal(module, &suite.info->matrices.granules[g], types->out);
        }
    }
}

static uint64_t row_of(const vkmm_problem *p, vkmm_operand operand)
{
    const vkmm_op op = operand == VKMM_A ? p->op_a : operand == VKMM_B ? p->op_b : VKMM_OP_N;
    return op == VKMM_OP_N ? vkmm_operand_cols(p, operand) : vkmm_operand_rows(p, operand);
}

/* Padded rows: all begin at multiples of 16 bytes, or no two alike; and two matrices. */
static void place(vkmm_problem *p, int aligned)
{
    p->lda = row_of(p, VKMM_A) + (aligned ? 16 : 1);
    p->ldb = row_of(p, VKMM_B) + (aligned ? 32 : 3);
    p->ldc = row_of(p, VKMM_C) + (aligned ? 16 : 5);
    p->offset_a = aligned ? 32 : 3;
    p->offset_b = aligned ? 16 : 7;
    p->offset_c = aligned ? 64 : 1;
    p->batch_count = 2;
    p->stride_a = p->lda * (p->op_a == VKMM_OP_N ? p->m : p->k);
    p->stride_b = p->ldb * (p->op_b == VKMM_OP_N ? p->k : p->n);
    p->stride_c = p->ldc * p->m;
}

static int product(general_run *run, const vkmm_problem *problem)
{
    char why[512] = "", text[256];
    if (general_product(run, problem, 3 + problem->m, why)) return 0;
    general_text(problem, text);
    printf("# %s (%s): %s: %s\n", run->config, is_tensor(run->module) ? "tensors" : "pointers", text, why);
    return 1;
}

/* Inside, over every edge, beyond K, nothing along K; α and β; more items than workgroups. */
static int edges(const matrix_case *of, uint32_t granules, const char *rest, vkmm_op op_a, vkmm_op op_b)
{
    static const struct {
        uint64_t m, n, k;
        int aligned;
        double alpha, beta;
        uint32_t max_groups;
    } products[] = {{64, 96, 64, 1, 1, 0, 0}, {48, 80, 112, 1, 3, 2, 2}, {37, 29, 75, 0, 1, 0, 0},
                    {1, 70, 16, 0, 5, 1, 1},  {80, 16, 0, 0, 2, 3, 0},   {33, 1, 257, 0, 1, 0, 0}};
    char config[VKMM_CONFIG_TEXT];
    general_run run = {.suite = &suite, .kernel = "coopmat2", .config = config, .module = of->module};
    int wrong = 0;
    configure(of, granules, rest, config);
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        if (granules > 1 && !products[i].aligned)
            continue; /* large matrices, element by element: a driver on a processor compiles for seconds */
        vkmm_problem p = typed(of->module, vkmm_types_default(of->module->type).out);
        p.m = products[i].m, p.n = products[i].n, p.k = products[i].k;
        p.op_a = op_a, p.op_b = op_b;
        p.alpha = products[i].alpha, p.beta = products[i].beta;
        place(&p, products[i].aligned);
        run.max_groups = products[i].max_groups;
        wrong += product(&run, &p);
    }
    general_end(&run);
    return wrong;
}

static void ops_and_edges(void **state)
{
    static const char *const rest[] = {
        "splits=1,swizzle=8,whole=1,prefetch=1,unroll=2", "splits=3,swizzle=1,whole=1,prefetch=0,unroll=1",
        "splits=1,swizzle=2,whole=1,prefetch=0,unroll=1", "splits=1,swizzle=8,whole=1,prefetch=0,unroll=2"};
    int wrong = 0;
    for (uint32_t i = 0; i < case_count;
         i++) /* the first with everything, the others with one each: types and owners do not depend on ops */
        for (uint32_t n = 0; n < 4; n++)
            if (i == 0 || n == i % 4)
                wrong += edges(&cases[i], n == 2 ? 2 : 1, rest[n], n & 1 ? VKMM_OP_T : VKMM_OP_N,
                               n & 2 ? VKMM_OP_N : VKMM_OP_T);
    assert_int_equal(wrong, 0);
}

static int epilogue(const matrix_case *of, const vkmm_types *types, uint32_t which)
{
    char config[VKMM_CONFIG_TEXT];
    general_run run = {.suite = &suite, .kernel = "coopmat2", .config = config, .module = of->module};
    vkmm_problem p = typed(of->module, types->out);
    int wrong = 0;
    configure(of, 1, "splits=1,swizzle=8,whole=0,prefetch=0,unroll=1", config);
    p.m = 48, p.n = 52, p.k = 32;
    p.activation = vkmm_type_of(types->out)->is_float && which % 2 ? VKMM_GELU : VKMM_RELU;
    p.has_bias = 1;
    p.layout = which % 2 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
    wrong += product(&run, &p);
    general_end(&run);
    return wrong;
}

static void epilogues(void **state)
{
    const vkmm_types *types;
    int wrong = 0;
    for (uint32_t i = 0; i < case_count; i++)
        for (uint32_t t = 0; (types = vkmm_types_at(t)) != NULL; t++)
            if (types->in == cases[i].module->type && types->compute == cases[i].module->compute)
                wrong += epilogue(&cases[i], types, i + t);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    int absent = suite_open(&suite);
    if (absent) return absent;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_and_edges),
        cmocka_unit_test(epilogues),
    };
    list_cases();
    printf("# VK_NV_cooperative_matrix2: features 0x%x, %u granules, %u cases\n", suite.info->matrices.matrix2,
           suite.info->matrices.granule_count, case_count);
    if (case_count == 0) {
        const char *wanted = getenv("VKMM_TEST_MATRICES2");
        printf("nothing of the kernel coopmat2 can run: %s\n",
               *suite.info->matrices.refusal       ? suite.info->matrices.refusal
               : suite.info->matrices.matrix2 == 0 ? "the driver has nothing of VK_NV_cooperative_matrix2"
                                                   : "no module of this build suits the device's granules");
        return suite_close(&suite) || (wanted && *wanted == '1') ? 1 : SKIPPED;
    }
    int failed = suite_run(&suite, "flexible matrices", tests);
    return suite_exit(&suite, failed);
}
