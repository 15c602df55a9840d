#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void vkmm_sort(double *values, uint32_t count)
{
    if (count > 0) qsort(values, count, sizeof *values, ascending);
}

double *vkmm_sorted(const double *values, uint32_t count)
{
    double *sorted = vkmm_alloc(count, sizeof *sorted);
    if (sorted == NULL || count == 0) return sorted;
    memcpy(sorted, values, count * sizeof *sorted);
    vkmm_sort(sorted, count);
    return sorted;
}

double vkmm_percentile(const double *sorted, uint32_t count, double p)
{
    const double position = p * (count - 1.0);
    const uint32_t below = (uint32_t)position;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (position - below) * (sorted[below + 1] - sorted[below]);
}

void vkmm_median_ranks(uint32_t count, uint32_t *first, uint32_t *last)
{
    const double half = 0.98 * sqrt(count), low = floor(count / 2.0 - half), high = ceil(count / 2.0 + half);
    *first = low > 0 ? (uint32_t)low : 0;
    *last = high < count - 1.0 ? (uint32_t)high : count - 1;
}
