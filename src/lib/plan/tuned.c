#include "plan/tuned.h"

#include <string.h>
#include <threads.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/log.h"
#include "kernel/table.h"
#include "math/problem.h"
#include "vk/instance.h"

#define FILE_NAME   "tuning"
#define LOCK_NAME   "tuning.lock"
#define PATIENCE_MS 2000.0 /* for another process to finish writing; then it is written anyway; the last one wins */

typedef struct tuning {
    vkmm_attachment attachment;
    const vkmm_instance *instance; /* which it is attached to */
    char *path, *lock;             /* owned; path NULL: nothing is kept */
    mtx_t mutex;                   /* over what follows */
    int loaded, told;              /* told: reported that the file is damaged or stale */
    int unwritten;                 /* the list has what the file lacks, since that could not be written */
    vkmm_tuning_list list;
} tuning;

static void destroy(vkmm_attachment *attachment)
{
    tuning *t = (tuning *)attachment;
    mtx_destroy(&t->mutex);
    vkmm_tuning_list_free(&t->list);
    vkmm_free(t->path);
    vkmm_free(t->lock);
    vkmm_free(t);
}

static tuning *create(const vkmm_instance *instance)
{
    tuning *t = vkmm_alloc(1, sizeof *t);
    if (t == NULL) return NULL;
    mtx_init(&t->mutex, mtx_plain);
    t->attachment.destroy = destroy;
    t->instance = instance;
    if (instance->cache_dir == NULL) return t;
    t->path = vkmm_cache_dir_join(instance->cache_dir, FILE_NAME);
    t->lock = vkmm_cache_dir_join(instance->cache_dir, LOCK_NAME);
    if (t->path != NULL && t->lock != NULL) return t;
    destroy(&t->attachment);
    return NULL;
}

/* Devices in different threads may come here first at the same time: one of their objects stays. */
static tuning *tuning_of(vkmm_instance *instance)
{
    vkmm_attachment *there = atomic_load(&instance->tuning);
    if (there != NULL) return (tuning *)there;
    tuning *made = create(instance);
    if (made == NULL) return NULL; /* no memory */
    if (atomic_compare_exchange_strong(&instance->tuning, &there, &made->attachment)) return made;
    destroy(&made->attachment);
    return (tuning *)there;
}

static vkmm_status out_of_memory(void)
{
    return VKMM_NO_MEMORY("for tuning results");
}

static void tell(tuning *t, vkmm_status status, const vkmm_tuning_state *state)
{
    if (t->told || (status == VKMM_OK && state->known && state->damaged == 0)) return;
    t->told = 1;
    if (status != VKMM_OK)
        vkmm_say(&t->instance->log, VKMM_LOG_WARNING, "the tuning results in %s cannot be read and are ignored",
                 t->path);
    else if (!state->known)
        vkmm_say(&t->instance->log, VKMM_LOG_INFO,
                 "%s is ignored: it does not begin with \"%.17s\", so another version wrote it", t->path,
                 VKMM_TUNING_TITLE);
    else
        vkmm_say(&t->instance->log, VKMM_LOG_WARNING,
                 "%s has %u damaged line%s, the first at line %u; they are ignored", t->path, state->damaged,
                 state->damaged == 1 ? "" : "s", state->first_damaged);
}

/* Makes the list match the file. If the file could not be written, the list keeps its additional entries. Damage is
 * reported once, and only damaged lines are lost. VKMM_OUT_OF_MEMORY, without a message, is the only failure: nothing
 * has changed, and the file must not be written. */
static vkmm_status load(tuning *t)
{
    vkmm_tuning_state state = {.known = 1};
    vkmm_tuning_list read = {0}, old = t->list;
    t->loaded = 1;
    if (t->path == NULL) return VKMM_OK;
    const int is_missing = vkmm_path_look(t->path, 0) == VKMM_PATH_MISSING;
    vkmm_status status = is_missing ? VKMM_OK : vkmm_tuning_read(t->path, &read, &state);
    for (uint32_t i = 0; i < old.count && t->unwritten && status != VKMM_OUT_OF_MEMORY; i++)
        if (vkmm_tuning_list_add(&read, &old.entries[i]) < 0) status = VKMM_OUT_OF_MEMORY;
    if (status == VKMM_OUT_OF_MEMORY) {
        vkmm_tuning_list_free(&read);
        t->loaded = 0;
        return status;
    }
    tell(t, status, &state);
    t->list = read;
    vkmm_tuning_list_free(&old);
    return VKMM_OK;
}

/* *lock: under which the file is read, changed and written; -1 if nothing is kept. Ended by end_change, even after a
 * failure (load's). */
static vkmm_status begin_change(tuning *t, int *lock)
{
    *lock = -1;
    if (t->path != NULL && vkmm_cache_dir_make(&t->instance->log, t->instance->cache_dir) == VKMM_OK)
        *lock = vkmm_lock_take(t->lock, PATIENCE_MS);
    return load(t);
}

static void end_change(tuning *t, vkmm_status status, int lock)
{
    if (status == VKMM_OK) t->unwritten = t->path != NULL && vkmm_tuning_write(t->path, &t->list, 1) != VKMM_OK;
    if (status == VKMM_OK && t->unwritten)
        vkmm_say(&t->instance->log, VKMM_LOG_WARNING, "the tuning results are not saved: %s cannot be written",
                 t->path);
    vkmm_lock_leave(lock);
}

int vkmm_tuned_get(vkmm_instance *instance, const vkmm_device_info *device, const vkmm_problem *problem,
                   vkmm_tuned *tuned)
{
    if (!instance || !device || !problem || !tuned || vkmm_problem_check(problem) != VKMM_OK) return 0;
    tuning *t = tuning_of(instance);
    if (t != NULL) mtx_lock(&t->mutex);
    if (t == NULL || (!t->loaded && load(t) != VKMM_OK))
        vkmm_say(&instance->log, VKMM_LOG_WARNING, "no memory for tuning results");
    if (t == NULL) return 0;
    const vkmm_tuning_key key = vkmm_tuning_key_of(device, problem, vkmm_shader_hash());
    const vkmm_tuning_entry *entry = vkmm_tuning_list_find(&t->list, &key);
    if (entry != NULL) *tuned = entry->tuned;
    mtx_unlock(&t->mutex);
    return entry != NULL;
}

vkmm_status vkmm_tuned_put(vkmm_instance *instance, const vkmm_device_info *device, const vkmm_problem *problem,
                           const vkmm_tuned *tuned)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, device);
    VKMM_NEED(&instance->log, problem);
    VKMM_NEED(&instance->log, tuned);
    VKMM_NEED_END(&instance->log, tuned->best.kernel);
    VKMM_NEED_END(&instance->log, tuned->best.config);
    vkmm_status status = vkmm_problem_check(problem);
    tuning *t = status == VKMM_OK ? tuning_of(instance) : NULL;
    if (t == NULL) return vkmm_tell(&instance->log, status != VKMM_OK ? status : out_of_memory());
    vkmm_tuning_entry entry = {.key = vkmm_tuning_key_of(device, problem, vkmm_shader_hash()), .tuned = *tuned};
    vkmm_host_time(entry.date);
    if (!vkmm_tuning_is_whole(&entry))
        return VKMM_FAIL(&instance->log, VKMM_INVALID, "\"%.40s\" with \"%.160s\" is not a kernel with a configuration",
                         tuned->best.kernel, tuned->best.config);
    mtx_lock(&t->mutex);
    int lock;
    status = begin_change(t, &lock);
    if (status == VKMM_OK)
        vkmm_tuning_list_remove(&t->list, &entry.key); /* though its date may be in the future, by another clock */
    if (status == VKMM_OK && vkmm_tuning_list_add(&t->list, &entry) < 0) status = VKMM_OUT_OF_MEMORY;
    end_change(t, status, lock);
    mtx_unlock(&t->mutex);
    return vkmm_tell(&instance->log, status == VKMM_OK ? status : out_of_memory());
}

vkmm_status vkmm_tuned_export(vkmm_instance *instance, const char *path, uint32_t *count)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, path);
    VKMM_NEED(&instance->log, count);
    tuning *t = tuning_of(instance);
    if (t == NULL) return vkmm_tell(&instance->log, out_of_memory());
    mtx_lock(&t->mutex);
    vkmm_status status = load(t) == VKMM_OK ? vkmm_tuning_write(path, &t->list, 0) : out_of_memory();
    if (status == VKMM_OK) *count = t->list.count;
    mtx_unlock(&t->mutex);
    return vkmm_tell(&instance->log, status);
}

/* An imported file is read completely or not at all. */
static vkmm_status read_import(const char *path, vkmm_tuning_list *list)
{
    vkmm_tuning_state state;
    vkmm_status status = vkmm_tuning_read(path, list, &state);
    if (status != VKMM_OK) return status;
    if (!state.known)
        return vkmm_fail(VKMM_INVALID, "%s holds no tuning results of this version: it does not begin with \"%.17s\"",
                         path, VKMM_TUNING_TITLE);
    if (state.damaged > 0)
        return vkmm_fail(VKMM_INVALID, "%s has %u damaged line%s, the first at line %u; nothing is imported", path,
                         state.damaged, state.damaged == 1 ? "" : "s", state.first_damaged);
    return VKMM_OK;
}

vkmm_status vkmm_tuned_import(vkmm_instance *instance, const char *path, uint32_t *count)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, path);
    VKMM_NEED(&instance->log, count);
    vkmm_tuning_list list = {0};
    tuning *t = tuning_of(instance);
    uint32_t taken = 0;
    if (t == NULL) return vkmm_tell(&instance->log, out_of_memory());
    vkmm_status status = read_import(path, &list);
    if (status == VKMM_OK) {
        int lock;
        mtx_lock(&t->mutex);
        status = begin_change(t, &lock);
        for (uint32_t i = 0; i < list.count && status == VKMM_OK; i++) {
            int added = vkmm_tuning_list_add(&t->list, &list.entries[i]);
            if (added < 0) status = VKMM_OUT_OF_MEMORY;
            taken += added == 1;
        }
        if (status != VKMM_OK) t->loaded = 0; /* entries added so far are dropped at the next reading */
        end_change(t, status, lock);
        mtx_unlock(&t->mutex);
        if (status == VKMM_OK) *count = taken;
        if (status != VKMM_OK) out_of_memory();
    }
    vkmm_tuning_list_free(&list);
    return vkmm_tell(&instance->log, status);
}
