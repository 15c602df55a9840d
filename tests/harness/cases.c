/* The cases of suite_kernel. */
#include "gemm.h"
#include "general.h"
#include "math/matrix.h"

static void fill_index(const vkmm_problem *p, vkmm_store *stores)
{
    vkmm_fill(stores[VKMM_A].host, p->m, p->k, p->type, VKMM_INIT_INDEX, 0);
    vkmm_fill(stores[VKMM_B].host, p->k, p->n, p->type, VKMM_INIT_INDEX, 0);
}

/* A 3×2 = [[1,4],[2,5],[3,6]], B 2×3 = [[7,8,9],[10,11,12]]: the C++ AMP walkthrough's first product. */
static void fill_walkthrough(const vkmm_problem *p, vkmm_store *stores)
{
    static const double first[] = {1, 4, 2, 5, 3, 6};
    for (uint64_t i = 0; i < 6; i++) gemm_set(p->type, stores[VKMM_A].host, i, first[i]);
    for (uint64_t i = 0; i < 6; i++) gemm_set(p->type, stores[VKMM_B].host, i, 7.0 + (double)i);
}

/* A = B = 4×4 rows 1..4, 5..8, 1..4, 5..8: its tiled example. */
static void fill_walkthrough_tiled(const vkmm_problem *p, vkmm_store *stores)
{
    for (uint64_t i = 0; i < 16; i++)
        for (int o = VKMM_A; o <= VKMM_B; o++) gemm_set(p->type, stores[o].host, i, (double)(i % 8 + 1));
}

/* A NaN in the first column of row 1 belongs to row 1 alone: a kernel that reads beyond the end of row 0 brings it
 * there. */
static void fill_nan(const vkmm_problem *p, vkmm_store *stores)
{
    if (vkmm_type_of(p->type)->is_float) gemm_set(p->type, stores[VKMM_A].host, p->k, NAN);
}

enum { ODD_TILE = 5 };
static const suite_case cases[] = {
    {3, 3, 2, 0, 0, fill_walkthrough, 0},
    {4, 4, 4, 2, 2, fill_walkthrough_tiled, 0},
    {2, 6, 4, 2, 2, fill_index, 0}, /* C[0][3] = 160 */
    {0, 5, 3, 0, 0, NULL, 0},
    {5, 0, 3, 0, 0, NULL, 0},
    {5, 3, 0, 0, 0, NULL, 0}, /* zeros */
    {0, 0, 0, 0, 0, NULL, 0},
    {1, 1, 1, 0, 0, NULL, 0},
    {1, 1, 1, 1, 1, NULL, 0},
    {1, 33, 17, 0, 0, NULL, 0},
    {33, 1, 17, 0, 0, NULL, 0},
    {2, 9, 5, 4, 4, NULL, 0},
    {7, 7, 7, 3, ODD_TILE, NULL, 0},
    {16, 16, 16, 16, 16, NULL, 0},
    {15, 17, 31, 16, 16, NULL, 0},
    {33, 31, 65, 8, 16, NULL, 0},
    {31, 33, 63, 16, 8, NULL, 0},
    {64, 64, 64, 32, 32, NULL, 0},
    {65, 63, 33, 32, 32, NULL, 0},
    {5, 6, 5, 4, 4, fill_nan, 0},
    {19, 21, 18, 8, 8, fill_nan, 0},
    {12, 12, 10, 8, 8, NULL, 0}, /* rows of B are whole vectors, and K is ragged */
    {50, 70, 20, 8, 8, NULL, 1}, /* one workgroup alone must reach everything */
    {50, 70, 20, 4, 16, NULL, 3},
};

int suite_product(suite_device *suite, const char *kernel, const vkmm_module *module, vkmm_type type,
                  const suite_case *product, char why[512])
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = product->m, .n = product->n, .k = product->k, .type = type);
    general_run run = {
        .suite = suite, .kernel = kernel, .module = module, .change = product->fill, .max_groups = product->max_groups};
    const vkmm_tile tile = {product->tile_rows, product->tile_cols};
    if (tile.rows) run.tile = vkmm_tile_nearest(vkmm_kernel_find(kernel), type, tile, suite->info);
    const int right = general_product(&run, &problem, 11, why);
    general_end(&run);
    return right;
}

int suite_kernel(suite_device *suite, const char *kernel, const vkmm_module *module, vkmm_type type, int loud, int stop)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const suite_case *product = &cases[i];
        char why[512];
        /* Each tile needs its own pipelines, and what it decides does not depend on the type: the others have one. */
        if (type != VKMM_F32 && product->tile_rows > 0 && product->tile_cols != ODD_TILE) continue;
        if (suite_product(suite, kernel, module, type, product, why)) continue;
        wrong++;
        if (loud)
            printf("# %s, type %d, %llux%llux%llu, tile %ux%u: %s\n", kernel, (int)type, (unsigned long long)product->m,
                   (unsigned long long)product->n, (unsigned long long)product->k, product->tile_rows,
                   product->tile_cols, why);
        if (stop) break;
    }
    return wrong;
}
