/* A program that calls a BLAS and keeps a tuning result; test_environment.py makes a setuid one of it. Prints whether
 * it has more privileges than its caller, and the product. */
#include <stdio.h>
#include <sys/auxv.h>

#include "vkmatmul.h"

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);

int main(void)
{
    const int one = 1;
    const double three = 3, five = 5, zero = 0;
    double product = -1;
    dgemm_("N", "N", &one, &one, &one, &three, &five, &one, &five, &one, &zero, &product, &one);
    vkmm_instance *instance = NULL;
    const vkmm_device_info device = {0};
    const vkmm_problem problem = VKMM_PROBLEM(.m = 64, .n = 64, .k = 64);
    const vkmm_tuned tuned = {.best = {.kernel = "tiled"}};
    vkmm_status status = vkmm_instance_create(NULL, &instance);
    if (status == VKMM_OK) status = vkmm_tuned_put(instance, &device, &problem, &tuned);
    vkmm_instance_destroy(&instance);
    printf("secure %lu, product %g, kept %s\n", getauxval(AT_SECURE), product, vkmm_status_name(status));
    return 0;
}
