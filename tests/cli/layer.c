/* A layer that only tells that the loader loaded it: it makes the file that VKMM_TEST_LAYER_FILE names. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void tell(void)
{
    const char *path = getenv("VKMM_TEST_LAYER_FILE");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) fclose(file);
}
