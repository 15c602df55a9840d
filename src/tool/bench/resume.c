/* --resume: takes over what an unfinished run measured, if it is the same run. */
#include "base/alloc.h"
#include "base/folder.h"
#include "bench/read.h"
#include "bench/store.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

typedef struct resumption {
    cli_session *session;
    const vkmm_log *log;
    const char *path; /* that was read */
    const vkmm_suite *suite;
    vkmm_bench *bench, old;
    uint32_t *places; /* owned: of each old device, the index of the same one now */
    uint32_t stale;   /* rows with configurations that would not run now */
} resumption;

/* Names were read from a report, which cleans them. */
static int is_name(const char *then, const char *now)
{
    char clean[VKMM_BENCH_TEXT];

    VKMM_CLEAN(clean, now);
    return strcmp(then, now) == 0 || strcmp(then, clean) == 0;
}

static const char *const settings[] = {
    "vkmatmul version", "shader hash",           "suite", "processor",  "system",
    "power source",     "list of Vulkan layers", "seed",  "--rotating", "--max-noise"};

enum { SETTINGS = VKMM_COUNT(settings) };

/* Includes the machine: after a system update, or on battery, it is not the machine that was measured. */
static void list_settings(const vkmm_bench *bench, char texts[SETTINGS][VKMM_BENCH_TEXT])
{
    const char *const known[] = {bench->version, bench->shader_hash, bench->settings.suite,
                                 bench->host,    bench->os,          bench->power_source};
    char *layers = texts[6];
    size_t used = 0;

    for (int i = 0; i < 6; i++) snprintf(texts[i], VKMM_BENCH_TEXT, "%s", known[i][0] != '\0' ? known[i] : "unknown");
    snprintf(layers, VKMM_BENCH_TEXT, "none");
    for (uint32_t i = 0; i < bench->layer_count && used < VKMM_BENCH_TEXT; i++)
        used += (size_t)snprintf(layers + used, VKMM_BENCH_TEXT - used, "%s%s", i > 0 ? ", " : "", bench->layers[i]);
    snprintf(texts[7], VKMM_BENCH_TEXT, "%llu", (unsigned long long)bench->settings.seed);
    snprintf(texts[8], VKMM_BENCH_TEXT, "%.9g", (double)bench->settings.rotating_bytes); /* reports keep nine digits */
    snprintf(texts[9], VKMM_BENCH_TEXT, "%.9g", bench->settings.max_noise);
}

static vkmm_status compare_settings(const resumption *r)
{
    char then[SETTINGS][VKMM_BENCH_TEXT], now[SETTINGS][VKMM_BENCH_TEXT];

    list_settings(&r->old, then);
    list_settings(r->bench, now);
    for (int i = 0; i < SETTINGS; i++)
        if (!is_name(then[i], now[i]))
            return vkmm_fail(r->log, VKMM_INVALID, "cannot resume %s: its %s is %.120s, but now it would be %.120s",
                             r->path, settings[i], then[i], now[i]);
    return VKMM_OK;
}

static int is_same_device(const vkmm_bench_device *then, const vkmm_bench_device *now)
{
    if (then->is_host != now->is_host || !is_name(then->info.name, now->info.name) ||
        !is_name(then->info.driver_name, now->info.driver_name) ||
        !is_name(then->info.driver_info, now->info.driver_info))
        return 0;
    if (now->is_host) return 1;
    return memcmp(then->info.uuid, now->info.uuid, sizeof now->info.uuid) == 0 &&
           then->info.driver_version == now->info.driver_version;
}

/* A device that two drivers' manifests offer is listed twice. */
static int is_taken(const resumption *r, uint32_t matched, uint32_t at)
{
    for (uint32_t i = 0; i < matched; i++)
        if (r->places[i] == at) return 1;
    return 0;
}

static vkmm_status match_devices(resumption *r)
{
    r->places = vkmm_alloc(r->old.device_count, sizeof *r->places);
    if (r->places == NULL) return VKMM_NO_MEMORY(r->log, "to resume %s", r->path);
    for (uint32_t i = 0; i < r->old.device_count; i++) {
        uint32_t at = 0;
        while (at < r->bench->device_count &&
               (is_taken(r, i, at) || !is_same_device(&r->old.devices[i], &r->bench->devices[at])))
            at++;
        if (at == r->bench->device_count)
            return vkmm_fail(r->log, VKMM_INVALID,
                             "cannot resume %s: it was measured on \"%.120s\", which this run does not have", r->path,
                             r->old.devices[i].label);
        r->places[i] = at;
    }
    if (r->old.device_count == r->bench->device_count) return VKMM_OK;
    return vkmm_fail(r->log, VKMM_INVALID, "cannot resume %s: it has %u device%s, but this run has %u", r->path,
                     r->old.device_count, r->old.device_count == 1 ? "" : "s", r->bench->device_count);
}

static int is_in_suite(const resumption *r, const vkmm_bench_row *row)
{
    vkmm_bench_row like = *row;

    for (uint32_t i = 0; i < r->suite->count; i++) {
        like.problem = r->suite->items[i].problem;
        VKMM_PUT(like.asked, "%s", r->suite->items[i].kernel);
        if (vkmm_bench_same(&like, row)) return 1;
    }
    return 0;
}

/* With other types, or another text in the suite's file, measurements would be lost from the report. */
static vkmm_status check_rows(const resumption *r)
{
    for (uint32_t i = 0; i < r->old.row_count; i++) {
        const vkmm_bench_row *row = &r->old.rows[i];
        if (row->not_run[0] != '\0' || is_in_suite(r, row)) continue;
        return vkmm_fail(r->log, VKMM_INVALID, "cannot resume %s: it has a row that is not in this run, %s %s %s",
                         r->path, VKMM_NAME(&row->problem, r->session->console.utf8),
                         vkmm_text_type(&row->problem, r->session->console.utf8), row->asked);
    }
    return VKMM_OK;
}

/* Whether the planner would choose the same configuration again: `tune` may have found others since, and --untuned
 * ignores them. */
static int is_of_now(const resumption *r, const vkmm_bench_row *row, const vkmm_bench_device *device)
{
    vkmm_tuned tuned;

    if (device->is_host || strcmp(row->asked, "auto") != 0) return 1;
    if (r->session->options->untuned || !vkmm_tuned_get(r->session->instance, &device->info, &row->problem, &tuned))
        return !row->kernel.tuned;
    return row->kernel.tuned && strcmp(tuned.best.kernel, row->kernel.name) == 0 &&
           strcmp(tuned.best.config, row->kernel.config) == 0;
}

/* Rows that did not run are tried again. */
static vkmm_status take_rows(resumption *r)
{
    for (uint32_t i = 0; i < r->old.row_count; i++) {
        vkmm_bench_row *old = &r->old.rows[i], *row;
        if (old->not_run[0] != '\0') continue;
        if (!is_of_now(r, old, &r->bench->devices[r->places[old->device]])) {
            r->stale++;
            continue;
        }
        row = vkmm_bench_add_row(r->bench);
        if (row == NULL) return VKMM_NO_MEMORY(r->log, "for the rows of %s", r->path);
        *row = *old;
        vkmm_bench_row_init(old);
        row->device = r->places[row->device];
        vkmm_bench_derive(r->bench, row);
    }
    return VKMM_OK;
}

static vkmm_status take_over(resumption *r)
{
    vkmm_status status = compare_settings(r);

    if (status == VKMM_OK) status = match_devices(r);
    if (status == VKMM_OK) status = check_rows(r);
    if (status != VKMM_OK) return status;
    for (uint32_t i = 0; i < r->old.device_count; i++) r->bench->devices[r->places[i]].peaks = r->old.devices[i].peaks;
    status = take_rows(r);
    if (status == VKMM_OK && r->stale > 0)
        vkmm_say(r->log, VKMM_LOG_WARNING, "%u row%s of %s used other results of 'vkmatmul tune' and %s measured again",
                 r->stale, r->stale == 1 ? "" : "s", r->path, r->stale == 1 ? "is" : "are");
    /* Clocks may be different now, which cannot be checked: the report says which rows were measured together. */
    if (r->bench->row_count > 0)
        VKMM_PUT(r->bench->note, "resumed at %s; %u row%s measured before, the first of the report", r->bench->created,
                 r->bench->row_count, r->bench->row_count == 1 ? " was" : "s were");
    memcpy(r->bench->created, r->old.created, sizeof r->bench->created);
    return status;
}

vkmm_status cli_bench_store_resume(const cli_bench_store *store, const vkmm_suite *suite, vkmm_bench *bench)
{
    resumption r = {.session = store->session, .log = store->session->log, .suite = suite, .bench = bench};
    vkmm_reports old = {0};
    int has_journal = vkmm_path_look(store->journal_path, 0) != VKMM_PATH_MISSING;
    vkmm_status status;

    r.path = has_journal ? store->journal_path : store->path;
    if (!has_journal && vkmm_path_look(store->path, 0) == VKMM_PATH_MISSING)
        return vkmm_fail(r.log, VKMM_INVALID, "there is nothing to resume: neither %s nor %s exists", store->path,
                         store->journal_path);
    status = vkmm_reports_open(r.log, r.path, &old);
    if (status == VKMM_OK && old.count != 1)
        status = vkmm_fail(r.log, VKMM_INVALID, "%s has %u reports: only one can be resumed", r.path, old.count);
    if (status == VKMM_OK) r.old = old.benches[0];
    if (status == VKMM_OK && !has_journal && r.old.complete)
        status = vkmm_fail(r.log, VKMM_INVALID, "%s is complete: there is nothing to resume", store->path);
    if (status == VKMM_OK) status = take_over(&r);
    vkmm_free(r.places);
    vkmm_reports_free(&old);
    return status;
}
