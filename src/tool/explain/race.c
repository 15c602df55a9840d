#include "base/alloc.h"
#include "session/commands.h"
#include "math/matrix.h"

/* Below so many elements a matrix holds 1, 2, 3, … in tiles of 2×2, as in the tutorial. From there on it holds ones,
 * so that a sum counts the invocations whose values had arrived, in tiles that several subgroups share. */
enum { SMALL = 100, LARGEST = 1 << 28 };

/* The matrices of one race, in one allocation. */
typedef struct matrices {
    int32_t *all; /* owned */
    int32_t *values, *right, *with_barrier, *without_barrier;
} matrices;

static vkmm_status make_matrices(const vkmm_log *log, const cli_size *size, vkmm_init init, matrices *m)
{
    uint64_t count = size->m * size->n;

    if (count > LARGEST)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "a race on %llu elements; the limit is %d: no larger one shows more",
                         (unsigned long long)count, (int)LARGEST);
    m->all = vkmm_alloc(4 * count, sizeof *m->all);
    if (m->all == NULL)
        return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for four matrices of %llu elements",
                         (unsigned long long)count);
    m->values = m->all;
    m->right = m->values + count;
    m->with_barrier = m->right + count;
    m->without_barrier = m->with_barrier + count;
    vkmm_fill(m->values, size->m, size->n, VKMM_I32, init, 0);
    return VKMM_OK;
}

static vkmm_status show(cli_session *session, const vkmm_race_row *row)
{
    vkmm_status status;

    cli_progress_end(&session->console);
    status = session->writer->race(&session->report, row);
    if (status != VKMM_OK) return vkmm_fail(&session->console.log, status, "no memory to write a result");
    session->report.rows++;
    return vkmm_report_flush(&session->report, &session->console.log);
}

/* *first: nothing has been shown of this device. */
static vkmm_status race_size(cli_session *session, const cli_size *size, int *first)
{
    const cli_options *options = session->options;
    int small = size->m * size->n < SMALL;
    vkmm_init init = small ? VKMM_INIT_INDEX : VKMM_INIT_ONES;
    vkmm_race_result result;
    matrices m = {.all = NULL};
    vkmm_status status = make_matrices(&session->console.log, size, init, &m);
    vkmm_race_params params = {.rows = (uint32_t)size->m,
                               .cols = (uint32_t)size->n,
                               .tile_rows = options->tile[0] > 0 ? options->tile[0]
                                            : small              ? 2
                                                                 : 0,
                               .tile_cols = options->tile[0] > 0 ? options->tile[1]
                                            : small              ? 2
                                                                 : 0,
                               .runs = (uint32_t)options->iters.value,
                               .values = m.values,
                               .right = m.right,
                               .with_barrier = m.with_barrier,
                               .without_barrier = m.without_barrier};

    cli_progress(&session->console, "%s: %llux%llu", session->info->name, (unsigned long long)size->m,
                 (unsigned long long)size->n);
    if (status == VKMM_OK) status = vkmm_race_run(session->device, &params, &result);
    if (status == VKMM_OK) {
        const vkmm_race_row row = {session->info,        params.rows,       params.cols,
                                   vkmm_init_name(init), &result,           m.right,
                                   m.with_barrier,       m.without_barrier, *first};
        status = show(session, &row);
        *first = 0;
        if (status == VKMM_OK && result.with_barrier.wrong_runs > 0)
            status = vkmm_fail(&session->console.log, VKMM_WRONG_RESULT,
                               "%s: the tile sum with its barrier was wrong in %u of %u runs", session->info->name,
                               result.with_barrier.wrong_runs, result.runs);
    }
    vkmm_free(m.all);
    return cli_worse(status, cli_session_validated(session));
}

static vkmm_status race_device(cli_session *session, uint32_t index)
{
    static cli_size tutorial[] = {{2, 6, 0}, {32, 32, 0}};
    static const cli_sizes standard = {tutorial, 2};
    const cli_sizes *sizes = session->options->sizes.count > 0 ? &session->options->sizes : &standard;
    int first = 1;
    vkmm_status status;

    vkmm_device_destroy(&session->device);
    session->info = vkmm_instance_device_info(session->instance, index);
    status = vkmm_device_create(session->instance, index, &session->device);
    if (status != VKMM_OK) return status;
    for (size_t i = 0; i < sizes->count && status != VKMM_DEVICE_LOST && !ferror(session->report.out); i++)
        status = cli_worse(status, race_size(session, &sizes->item[i], &first));
    return status;
}

vkmm_status cli_race(cli_session *session)
{
    uint32_t first = 0, end;
    vkmm_status status = cli_session_instance(session), shown;

    /* With no device at all, this says so. */
    if (status == VKMM_OK) status = vkmm_instance_find_device(session->instance, session->options->device, &first);
    if (status != VKMM_OK) return status;
    end = first + 1;
    if (session->options->device == NULL) {
        first = 0;
        end = vkmm_instance_device_count(session->instance);
    }
    /* A device that is lost does not keep the next from its race. */
    for (uint32_t index = first; index < end && !ferror(session->report.out); index++)
        status = cli_worse(status, race_device(session, index));
    if (session->writer->race_end == NULL) return status;
    shown = session->writer->race_end(&session->report);
    if (shown == VKMM_OK) shown = vkmm_report_flush(&session->report, &session->console.log);
    return cli_worse(status, shown);
}
