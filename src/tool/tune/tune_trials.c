#include "tune/tune.h"

#include "base/alloc.h"

int cli_tune_trials(const vkmm_tune *tune, vkmm_tune_row *row)
{
    const uint32_t most = vkmm_tune_look(tune).measured;
    vkmm_tune_trial *trials = vkmm_alloc(most, sizeof *trials);
    uint32_t count = 0;

    if (trials == NULL) return 0;
    while (count < most && vkmm_tune_ranked(tune, count, &trials[count].candidate, &trials[count].ms)) count++;
    row->trials = trials;
    row->trial_count = count;
    return 1;
}
