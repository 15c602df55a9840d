/* A suite that a broken shader passes is no suite: each shader with one barrier() or one bounds check removed must
 * fail it. Each shader as it is passes it in test_products.c. */
#include MUTANTS

static suite_device suite;

static int fails(const struct mutant *mutant)
{
    const vkmm_module module = mutant_module(mutant);
    return suite_kernel(&suite, mutant->kernel, &module, VKMM_F32, 0, 1) > 0;
}

int main(void)
{
    const int absent = suite_open(&suite);
    return absent ? absent : run_mutants(&suite, NULL, 0);
}
