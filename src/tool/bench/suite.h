/* What to measure: lists of problems. */
#pragma once

#include "base/log.h"
#include "math/type.h"
#include "vkmatmul.h"

typedef struct cli_suite_item {
    char group[16];     /* cli_bench_row.group */
    char kernel[32];    /* "auto" …; the name of a shader's file */
    const char *shader; /* NULL, or its path, which outlives the suite */
    vkmm_problem problem;
    int tune;     /* `vkmatmul record` tunes it */
    int for_gpus; /* skipped if the device is a processor; cli_suite_make leaves it 0 */
} cli_suite_item;

typedef struct cli_suite {
    char name[256];
    cli_suite_item *items; /* owned */
    uint32_t count;
    double budget_ms;     /* for one device, all rows together */
    double cpu_budget_ms; /* the same for a device that is a processor; 0: budget_ms */
    double longest_ms;    /* an item is not run if one product is expected to take longer */
    double row_ms;        /* kernel time to sample for a row, unless it is stable before */
    uint32_t rounds;      /* the fewest rounds in which a row is sampled, spread over time */
} cli_suite;

/* The names: "quick" (squares up to 4096, the ladder's kernels, a few other shapes; under a minute on any device),
 * "standard" (squares from 256 to 16384 and their neighbours, the ladder, layers of a language model, tall and skinny,
 * split-K; all types), "record" (nine shapes of each type), "weights" (a layer of a language model with f16 weights and
 * with weights in each format of blocks, of 1, 8 and 512 columns); NULL past the end. */
const char *cli_suite_name(uint32_t index);

/* The index of the suite with this name; -1: there is none. *type: the only type of A and B that it has unless others
 * are asked for; VKMM_AUTO: it has all. */
int cli_suite_find(const char *name, vkmm_type *type);

/* A suite by its index, for the types given (a device leaves out those it lacks). VKMM_OUT_OF_MEMORY. Ended by
 * cli_suite_free.
 *   Types narrower than 32 bits have the whole suite (except the ladder, whose kernels do not support them) if they
 * come first; after other types, a short one: in a standard run on a fast GPU the host spends most of the eight minutes
 * on the largest products, filling and verifying gigabytes, so there is no time for eight types. The short suite
 * therefore stays below 8192³, except for that square itself, some 400 MB in f16: squares, a size next to a round one,
 * three layers of a language model, for bytes also with B transposed, as weights are often stored; about a second per
 * row. In return, integers have no neighbours of 16384, which took as long as all of that. For sums narrower than usual
 * there are two more squares; in the quick suite, two squares of f16 and one of i8. */
vkmm_status cli_suite_make(const vkmm_log *log, int which, const vkmm_types *types, uint32_t type_count,
                           cli_suite *suite);

/* Whether products of such types have the short suite after other types: A and B, or the sums, have fewer than 32 bits.
 */
int cli_suite_is_narrow(vkmm_types types);
void cli_suite_free(cli_suite *suite); /* a zeroed suite is legal */

/* Adds an item; 0 if memory runs out. */
int cli_suite_add(cli_suite *suite, const cli_suite_item *item);
