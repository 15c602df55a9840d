/* The method that VKBLAS_COMPUTE asks for. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "vkblas.h"

static unsigned asked; /* bits of methods */

static void read_methods(void)
{
    static const char *const names[] = {[VKMM_COMPUTE_SPLIT] = "split",
                                        [VKMM_COMPUTE_MODULAR] = "modular",
                                        [VKMM_COMPUTE_REPRODUCIBLE] = "reproducible"};
    const char *text = secure_getenv("VKBLAS_COMPUTE"), *at = text != NULL ? text : "";
    for (size_t length = 0; *at; at += length + (at[length] == ',')) {
        int method = VKMM_COMPUTE_REPRODUCIBLE;
        length = strcspn(at, ",");
        while (method > 0 && (strlen(names[method]) != length || memcmp(names[method], at, length) != 0)) method--;
        asked |= 1u << method;
    }
    if (!(asked & 1) && (text == NULL || *text)) return;
    asked = 0;
    vkblas_warn("invalid VKBLAS_COMPUTE='%.100s': use split (for f32), modular (for f64), split,modular or "
                "reproducible; products are computed as without it",
                text);
}

vkmm_method vkblas_method(vkblas_type type)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const vkmm_method method = type == VKBLAS_S   ? VKMM_COMPUTE_SPLIT
                               : type == VKBLAS_D ? VKMM_COMPUTE_MODULAR
                                                  : VKMM_COMPUTE_DIRECT;
    pthread_once(&once, read_methods);
    if (method != VKMM_COMPUTE_DIRECT && asked >> VKMM_COMPUTE_REPRODUCIBLE & 1) return VKMM_COMPUTE_REPRODUCIBLE;
    return asked >> method & 1 ? method : VKMM_COMPUTE_DIRECT;
}
