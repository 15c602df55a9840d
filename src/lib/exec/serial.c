#include "exec/serial.h"

/* Rows, columns, then the sum: the order in which everyone writes it first, and which walks down B's columns against
 * the cache. */
#define DEFINE_SERIAL(name, element)                                                                                   \
    static void name(const vkmm_problem *problem, const element *a, const element *b, element *c)                      \
    {                                                                                                                  \
        for (uint64_t i = 0; i < problem->m; i++) {                                                                    \
            for (uint64_t j = 0; j < problem->n; j++) {                                                                \
                element sum = 0;                                                                                       \
                for (uint64_t k = 0; k < problem->k; k++) sum += a[i * problem->k + k] * b[k * problem->n + j];        \
                c[i * problem->n + j] = sum;                                                                           \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_SERIAL(serial_f32, float)
DEFINE_SERIAL(serial_f64, double)
DEFINE_SERIAL(serial_u32, uint32_t)

void vkmm_serial(const vkmm_problem *problem, const void *a, const void *b, void *c)
{
    if (problem->type == VKMM_F32) serial_f32(problem, a, b, c);
    if (problem->type == VKMM_F64) serial_f64(problem, a, b, c);
    /* The same low 32 bits as u32, and wraps without undefined behaviour. */
    if (problem->type == VKMM_I32 || problem->type == VKMM_U32) serial_u32(problem, a, b, c);
}
