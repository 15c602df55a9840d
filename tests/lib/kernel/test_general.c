/* Every general kernel × op × layout × type × edge, and random problems; VKMM_TEST_SEED=N chooses others. */
#include "general.h"
#include "math/type.h"

static suite_device suite;
SUITE_MAIN(suite)

/* Configurations that need many tiles for small matrices, so that every edge of a tile is met; and small devices can
 * run them. The last ones are like the presets for devices with few registers; blocks of 2x2 are for f64 only, like the
 * last kernel, which needs no 64-bit floats. */
static const struct {
    const char *kernel, *config;
    uint64_t narrow;
} runs[] = {
    {"blocked", "rows=16,cols=32,depth=8,thread-rows=4,thread-cols=4,lane-cols=4,buffers=2,slices=1"},
    {"blocked", "rows=16,cols=16,depth=8,thread-rows=4,thread-cols=4,lane-cols=2,buffers=1,slices=2,splits=3"},
    {"skinny", "rows=16,cols=16,depth=32,thread-long=4,threads=32,splits=2", 3},
    {"cpu", NULL},
    {"skinny", "rows=8,cols=8,depth=64,thread-long=2,threads=32", 8},
    {"skinny", "rows=8,cols=8,depth=32,thread-long=1,threads=32", 7},
    {"blocked", "rows=16,cols=16,depth=8,thread-rows=2,thread-cols=2,lane-cols=4"},
    {"soft64", "rows=4,cols=8"},
    {"soft64", "rows=8,cols=4,splits=3"},
};
enum { RUNS = 4, SKINNY = 2, CPU = 3, FEW_REGISTERS_F64 = 6, SOFT = 7, ALL_RUNS = sizeof runs / sizeof runs[0] };
enum { NN, TN, NT, TT };

static int is_narrow(const vkmm_types *types)
{
    return types->in != types->compute || vkmm_type_of(types->in)->bytes < 4;
}

/* Whether a run meets an op in f32: those of `blocked` all of them together, the others each operand in both ways. How
 * ops are read does not depend on the type: others meet one. */
static int meets(size_t which, vkmm_type type, int op)
{
    const int alike = op == NN || op == TT;
    if ((type != VKMM_F32 || which >= RUNS) && which != SOFT) return op == (which % 2 ? NT : TN);
    if (which >= SKINNY) return alike;
    if (suite_is_slow(&suite)) return op == (which == 0 ? NN : TT);
    return alike == (which == 0);
}

static int edges(size_t which, vkmm_types types)
{
    int wrong = 0;
    if (!suite_has_type(&suite, types.in) && which < SOFT) return 0;
    for (int op = NN; op <= TT; op++) {
        if (!meets(which, types.in, op)) continue;
        general_run run = {
            .suite = &suite, .kernel = runs[which].kernel, .config = runs[which].config, .narrow = runs[which].narrow};
        run.types = types;
        run.has_bias = op == NN || op == TN;
        /* Drivers compile GELU slowly if it is unrolled over many elements; in the second pass it occurs once. */
        run.activation = run.has_bias ? VKMM_ACTIVATION_NONE : which == 1 ? VKMM_GELU : VKMM_RELU;
        if (!vkmm_type_of(types.in)->is_float && run.activation == VKMM_GELU) run.activation = VKMM_RELU;
        /* Each extent is in one of two ops. Other types: three products each, which differ in everything that
         * general_edges varies. The edges of the kernel do not depend on the type. */
        const uint64_t step = types.in != VKMM_F32 || which >= RUNS ? 7 : 2;
        wrong += general_edges(&run, op & 1 ? VKMM_OP_T : VKMM_OP_N, op & 2 ? VKMM_OP_T : VKMM_OP_N,
                               op & 1 ? GENERAL_UNEVEN : GENERAL_ALIGNED, (uint64_t)op + 2 * which, step, 1, 0);
        general_end(&run);
    }
    return wrong;
}

/* int32 takes the same path through a kernel as f32. */
static int is_run(size_t which, vkmm_type type)
{
    if (which >= FEW_REGISTERS_F64) return type == VKMM_F64;
    return which < RUNS || type == (which == RUNS ? VKMM_F64 : VKMM_F32);
}

TEST(every_edge)
{
    int wrong = 0;
    for (size_t which = 0; which < ALL_RUNS; which++)
        for (uint32_t i = 0; vkmm_types_at(i) != NULL; i++)
            if (!is_narrow(vkmm_types_at(i)) && is_run(which, vkmm_types_at(i)->in))
                wrong += edges(which, *vkmm_types_at(i));
    assert_int_equal(wrong, 0);
}

/* Narrow types take the same way through the kernels but for reading, multiplying and storing: every combination of
 * types × kernel, with what the device has and as if it were a plain one, in turns with ops, layouts, padding, bias
 * and activation. Pipelines take long to make: a part of it. */
static int narrow_edges(vkmm_types types, size_t which, int plain, uint64_t turn)
{
    static const vkmm_op ops[][2] = {
        {VKMM_OP_N, VKMM_OP_T}, {VKMM_OP_N, VKMM_OP_N}, {VKMM_OP_T, VKMM_OP_N}, {VKMM_OP_T, VKMM_OP_T}};
    static const vkmm_activation activations[] = {VKMM_ACTIVATION_NONE, VKMM_RELU, VKMM_GELU};
    const general_padding padding = (turn / 4 + turn) % 2 ? GENERAL_UNEVEN : GENERAL_ALIGNED;
    if (which == SKINNY && turn / 8 % 2) which = vkmm_type_of(types.in)->bytes == 1 ? SKINNY + 3 : SKINNY + 2;
    general_run run = {
        .suite = &suite, .kernel = runs[which].kernel, .config = runs[which].config, .narrow = runs[which].narrow};
    run.types = types;
    run.plain = plain;
    run.has_bias = turn % 3 != 0;
    run.activation = vkmm_type_of(types.in)->is_float ? activations[turn % 3] : (vkmm_activation)(turn % 2);
    const int wrong = general_edges(&run, ops[turn % 4][0], ops[turn % 4][1], padding, turn, 20, 1, 0);
    general_end(&run);
    return wrong;
}

TEST(every_narrow_type)
{
    int wrong = 0;
    uint64_t turn = 0;
    for (uint32_t i = 0; vkmm_types_at(i) != NULL; i++)
        for (size_t which = 0; which < RUNS && is_narrow(vkmm_types_at(i)); which++)
            for (int plain = 0; plain < 2; plain++, turn++)
                if (turn % (suite_is_slow(&suite) ? 10 : 7) == 2)
                    wrong += narrow_edges(*vkmm_types_at(i), which, plain, turn);
    assert_int_equal(wrong, 0);
}

/* The build for dot products of four bytes takes A and B in words: they lie along extents that are multiples of
 * four, the others are none. */
static vkmm_problem of_words(vkmm_types types, vkmm_op op_a, vkmm_op op_b)
{
    vkmm_problem problem =
        VKMM_PROBLEM(.type = types.in, .out_type = types.out, .compute = types.compute, .op_a = op_a, .op_b = op_b);
    const int along_a = op_a == VKMM_OP_N, along_b = op_b == VKMM_OP_T;
    problem.m = along_a ? 37 : 36;
    problem.n = along_b ? 45 : 44;
    problem.k = along_a || along_b ? 100 : 101;
    problem.lda = (along_a ? problem.k : problem.m) + 4;
    problem.ldb = (along_b ? problem.k : problem.n) + 8;
    problem.offset_a = problem.offset_b = 4;
    problem.batch_count = 2;
    problem.stride_a = 4 * 37 * problem.lda;
    problem.stride_b = 0;
    problem.stride_c = problem.m * problem.n + 1;
    problem.has_bias = 1;
    problem.alpha = 3;
    problem.beta = 2;
    return problem;
}

static int has_dot_products(vkmm_types types)
{
    uint32_t i = 0;
    const vkmm_module *first = vkmm_module_next("blocked", types.in, types.compute, &i);
    return suite.info->features.dot8 && (first->needs & VKMM_NEEDS_DOT8);
}

TEST(dot_products)
{
    int wrong = 0;
    for (unsigned turn = 0; turn < 16; turn += 5) {
        const vkmm_types types = vkmm_types_default(turn / 4 % 2 ? VKMM_U8 : VKMM_I8);
        const vkmm_problem problem =
            of_words(types, turn % 2 ? VKMM_OP_T : VKMM_OP_N, turn / 2 % 2 ? VKMM_OP_T : VKMM_OP_N);
        general_run run = {.suite = &suite, .kernel = "blocked", .config = runs[(turn + turn / 8) % 2].config};
        if (!has_dot_products(types)) continue;
        wrong += general_wrong(&run, &problem, turn);
        if (run.planned > 0) assert_true(run.plans[0].info.uses_dot8);
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* Operands are packed before the product: elements of every size, transposed or not, one operand or both, in batches,
 * from any offset. Rows that are not aligned become so, which K then follows. */
TEST(packed_operands)
{
    static const vkmm_type types[] = {VKMM_F32, VKMM_I8, VKMM_F16, VKMM_F64};
    int wrong = 0;
    for (uint32_t turn = 0; turn < (suite_is_slow(&suite) ? 4 : 8); turn++) {
        const size_t which = turn % 4 == 0 ? 0 : CPU; /* what reads them matters little; pipelines of `cpu` cost less */
        general_run run = {.suite = &suite,
                           .kernel = runs[which].kernel,
                           .config = runs[which].config,
                           .types = vkmm_types_default(types[turn % 4]),
                           .pack = 1 + turn % 3};
        const vkmm_op op_a = turn / 4 % 2 ? VKMM_OP_T : VKMM_OP_N, op_b = turn % 2 ? VKMM_OP_T : VKMM_OP_N;
        if (!suite_has_type(&suite, run.types.in)) continue;
        wrong += general_edges(&run, op_a, op_b, turn % 8 == 5 ? GENERAL_ALIGNED : GENERAL_UNEVEN, turn, 6, 1, 0);
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* The module of `blocked` that NVIDIA's driver gets, where it finds places in memory once per tile. */
TEST(module_for_nvidia)
{
    int wrong = 0;
    for (uint32_t turn = 0; turn < 2; turn++) {
        general_run run = {.suite = &suite,
                           .kernel = "blocked",
                           .config =
                               "rows=16,cols=64,depth=16,thread-rows=4,thread-cols=4,splits=1,swizzle=2,buffers=1,"
                               "pad=1,slices=1,lane-cols=16",
                           .types = vkmm_types_default(VKMM_F32),
                           .driver_id = VK_DRIVER_ID_NVIDIA_PROPRIETARY};
        wrong += general_edges(&run, turn ? VKMM_OP_T : VKMM_OP_N, turn ? VKMM_OP_T : VKMM_OP_N,
                               turn ? GENERAL_ALIGNED : GENERAL_UNEVEN, turn, 7, 1, 0);
        assert_true(run.planned > 0 && run.plans[0].module->needs & VKMM_NEEDS_NVIDIA);
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* One of the planner's, of which it takes four to run at once. */
static const char of_rounds[] =
    "rows=32,cols=32,depth=16,thread-rows=4,thread-cols=4,splits=1,swizzle=8,buffers=1,pad=1,slices=2,lane-cols=8";

/* The first problem from a side of 60 on that leaves rows, or columns, to another dispatch: 1; 0 if there is none. */
static int with_edge(vkmm_device_info device, int rows, vkmm_problem *problem)
{
    const vkmm_wish wish = {.kernel = "blocked", .config = of_rounds};
    device.processors = 1;
    for (uint64_t side = 60; side < 300; side++) {
        vkmm_choice choice;
        problem->m = rows ? side : 90;
        problem->n = rows ? 90 : side;
        problem->lda = problem->op_a == VKMM_OP_N ? problem->k + 3 : problem->m + 3;
        problem->ldb = problem->op_b == VKMM_OP_N ? problem->n + 5 : problem->k + 5;
        problem->ldc = problem->n + 1;
        problem->stride_c = problem->m * problem->ldc + 7;
        if (vkmm_choose(&device, problem, &wish, &choice) != VKMM_OK) return 0;
        if (choice.edge.module && (choice.edge.problem.m < problem->m) == rows) return 1;
    }
    return 0;
}

/* The last rows or columns, which would take the kernel a round of tiles of their own, are computed by another
 * dispatch, before or after it: with every op, in batches, with operands that are packed, in slices. */
TEST(edges_of_rounds)
{
    static const uint32_t turns[] = {0, 5, 6, 3}; /* of other ops each */
    int wrong = 0, early = 0;
    for (size_t i = 0; i < (suite_is_slow(&suite) ? 3 : 4); i++) {
        const uint32_t turn = turns[i];
        general_run run = {.suite = &suite,
                           .kernel = "blocked",
                           .config = of_rounds,
                           .processors = 1,
                           .pack = turn == 6 ? VKMM_PACK_A | VKMM_PACK_B : 0,
                           .slice = turn % 3 == 2 ? 3 : 0};
        vkmm_problem problem =
            VKMM_PROBLEM(.k = 35, .op_a = turn & 1 ? VKMM_OP_T : VKMM_OP_N, .op_b = turn & 2 ? VKMM_OP_T : VKMM_OP_N,
                         .alpha = 0.5, .beta = turn % 3, .batch_count = turn == 5 ? 3 : 1, .offset_a = 2, .offset_b = 1,
                         .offset_c = 3);
        assert_true(with_edge(*suite.info, turn / 4 % 2, &problem));
        wrong += general_wrong(&run, &problem, turn);
        const vkmm_recipe *recipe = &run.plans[0].recipe;
        const vkmm_recipe_pipeline *edge = vkmm_recipe_find(recipe, "edge");
        assert_true(run.planned == 1 && edge != NULL);
        early += &recipe->pipelines[recipe->steps[0].pipeline] == edge;
        general_end(&run);
    }
    assert_true(early > 0);
    assert_int_equal(wrong, 0);
}

/* A plan is turned to another problem only if the second pass does not change either. */
TEST(plans_of_other_epilogues)
{
    static const vkmm_problem problems[] = {
        VKMM_PROBLEM_INIT(.m = 20, .n = 12, .k = 40),
        VKMM_PROBLEM_INIT(.m = 20, .n = 12, .k = 40, .activation = VKMM_RELU),
        VKMM_PROBLEM_INIT(.m = 20, .n = 12, .k = 40, .has_bias = 1),
        VKMM_PROBLEM_INIT(.m = 12, .n = 20, .k = 40, .has_bias = 1, .layout = VKMM_COL_MAJOR),
        VKMM_PROBLEM_INIT(.m = 24, .n = 16, .k = 40), /* by the first plan */
    };
    int wrong = 0;
    if (suite_is_slow(&suite)) skip(); /* what fits is decided on the host */
    for (int modular = 0; modular < 2; modular++) {
        general_run run = {.suite = &suite, .kernel = "blocked", .config = modular ? NULL : runs[1].config};
        for (size_t i = 0; i < VKMM_COUNT(problems); i++) {
            vkmm_problem problem = problems[i];
            if (modular) problem.type = VKMM_F64, problem.method = VKMM_COMPUTE_MODULAR;
            wrong += general_wrong(&run, &problem, 1);
        }
        wrong += run.planned != VKMM_COUNT(problems) - 1;
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}

TEST(codes_of_8_bits)
{
    int wrong = 0;
    for (unsigned turn = 0; turn < 4 * RUNS; turn++) {
        const vkmm_type type = turn / 2 % 2 ? VKMM_E5M2 : VKMM_E4M3;
        const size_t which = turn / 4;
        const uint64_t side = 4;
        const int other = turn % 2;
        const vkmm_problem problem =
            VKMM_PROBLEM(.m = other ? side : 256, .n = other ? 256 : side, .k = which == 1 ? 17 : 32, .type = type,
                         .op_a = other ? VKMM_OP_T : VKMM_OP_N, .op_b = which == 0 ? VKMM_OP_T : VKMM_OP_N);
        general_run run = {.suite = &suite,
                           .kernel = runs[which].kernel,
                           .config = runs[which].config,
                           .change = general_put_codes,
                           .check = general_has_codes};
        if (suite_is_slow(&suite) ? turn % 5 != 0 : (turn + which) % 2) continue;
        wrong += general_wrong(&run, &problem, turn);
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* What the planner itself chooses, for problems that nobody thought of. */
TEST(random_problems)
{
    const char *given = getenv("VKMM_TEST_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
    int wrong = 0;
    printf("# VKMM_TEST_SEED=%llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < 16; i += suite_is_slow(&suite) ? 3 : 1) {
        const vkmm_types types = *vkmm_types_at((uint32_t)((i + seed) % VKMM_TYPES_COUNT));
        general_run run = {.suite = &suite};
        if (!suite_has_type(&suite, types.in)) continue;
        const vkmm_problem problem = general_random(types, seed + i);
        wrong += general_wrong(&run, &problem, seed);
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}
