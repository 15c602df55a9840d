/* Every kernel × type and kernel × edge on the driver at hand, validation on. */
#include "look/kernel.h"
#include "math/matrix.h"
#include "suite.h"

static suite_device suite;
SUITE_MAIN(suite)

/* Drivers for processors take long to compile kernels with blocks: the shaders' own rows in f32 and, with vectors of
 * another length, the longest one in f64; other configurations of them in f32. */
static int is_tested(const char *name, int type)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(name);
    if (!suite_is_wanted(name)) return 0;
    if (kernel->block[0] == 0) return kernel->shader == NULL || type == VKMM_F32;
    return type == VKMM_F32 || (type == VKMM_F64 && strcmp(name, "prefetch") == 0);
}

TEST(all_kernels)
{
    vkmm_tutorial kernel;
    for (uint32_t i = 0; vkmm_tutorial_at(i, &kernel); i++)
        for (int type = VKMM_F32; type <= SUITE_LAST_TYPE && !kernel.on_host; type++)
            if (suite_has_type(&suite, (vkmm_type)type) && is_tested(kernel.name, type))
                assert_int_equal(suite_kernel(&suite, kernel.name, NULL, (vkmm_type)type, 1, 0), 0);
}

/* The suite must be able to see a fault at all: integer arithmetic on the bits of floats is one. */
TEST(notices_a_wrong_kernel)
{
    const vkmm_module *integers = vkmm_module_find("tiled", VKMM_I32, VKMM_BUILD_PLAIN);
    assert_true(suite_kernel(&suite, "tiled", integers, VKMM_F32, 0, 0) > 0);
}
