/* VKBLAS_HOST of somebody else's choice: reports that its code runs, and computes nothing. */
#include <stdio.h>

__attribute__((visibility("default"))) void dgemm_(void);
void dgemm_(void)
{
}

__attribute__((constructor)) static void run(void)
{
    puts("evil code");
}
