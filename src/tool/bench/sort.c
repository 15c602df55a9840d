/* Rows in the order of --sort. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/compare.h"
#include "math/problem.h"

typedef struct place {
    double number;
    const char *text;
    uint32_t at; /* before */
} place;

/* Largest speed first; rows without a speed come last. */
static place place_of(cli_sort key, const cli_bench_row *row, uint32_t at)
{
    place p = {0, "", at};

    switch (key) {
    case CLI_SORT_SIZE:
        p.number = vkmm_problem_flops(&row->problem);
        break;
    case CLI_SORT_SPEED:
        p.number = isfinite(row->figures.gflops) ? -row->figures.gflops : (double)INFINITY;
        break;
    case CLI_SORT_TYPE:
        p.number = vkmm_types_index(vkmm_problem_types(&row->problem));
        break;
    case CLI_SORT_KERNEL:
        p.text = row->kernel.name;
        break;
    case CLI_SORT_DEVICE:
        p.number = row->device;
        break;
    case CLI_SORT_NONE:
        break;
    }
    return p;
}

static int compare(const void *a, const void *b)
{
    const place *x = a, *y = b;
    const int text = strcmp(x->text, y->text);

    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    if (text != 0) return text;
    return x->at < y->at ? -1 : 1;
}

int cli_bench_sort(cli_sort key, void *rows, uint32_t count, size_t size,
                   const cli_bench_row *(*row_of)(const void *entry))
{
    const uint32_t sorted = key != CLI_SORT_NONE ? count : 0;
    place *places = vkmm_alloc(sorted, sizeof *places);
    char *entries = rows, *copy = vkmm_alloc(sorted, size);
    const int fine = places != NULL && copy != NULL;

    for (uint32_t i = 0; i < sorted && fine; i++) places[i] = place_of(key, row_of(entries + i * size), i);
    if (fine && sorted > 0) {
        memcpy(copy, rows, sorted * size);
        qsort(places, sorted, sizeof *places, compare);
        for (uint32_t i = 0; i < sorted; i++) memcpy(entries + i * size, copy + places[i].at * size, size);
    }
    vkmm_free(places);
    vkmm_free(copy);
    return fine;
}
