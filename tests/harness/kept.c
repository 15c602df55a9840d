#include "kept.h"

enum { MOST = 400 };

static struct {
    void *object;
    void (*release)(void *object);
} kept[MOST];
static size_t kept_count;

void *keep_object(void *object, void (*release)(void *object))
{
    if (kept_count == MOST) {
        release(object);
        fail_msg("a test may keep %d objects", MOST);
    }
    kept[kept_count].object = object;
    kept[kept_count++].release = release;
    return object;
}

static void release_device(void *object)
{
    vkmm_device *device = object;
    vkmm_device_destroy(&device);
}

static void release_job(void *object)
{
    vkmm_job *job = object;
    vkmm_job_destroy(&job);
}

static void release_stream(void *object)
{
    vkmm_stream *stream = object;
    vkmm_stream_destroy(&stream);
}

vkmm_device *keep_device(vkmm_device *device)
{
    return keep_object(device, release_device);
}

vkmm_job *keep_job(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params)
{
    vkmm_job *job = NULL;
    assert_ok(vkmm_job_create(device, log, params, &job));
    return keep_object(job, release_job);
}

vkmm_stream *keep_stream(vkmm_device *device, const vkmm_stream_params *params)
{
    vkmm_stream *stream = NULL;
    assert_ok(vkmm_stream_create(device, NULL, params, &stream));
    return keep_object(stream, release_stream);
}

int release_kept(void **state)
{
    while (kept_count > 0) {
        kept_count--;
        kept[kept_count].release(kept[kept_count].object);
    }
    return 0;
}

int run_group(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction teardown)
{
    struct CMUnitTest *all = malloc(count * sizeof *all);
    if (!all) return 1;
    memcpy(all, tests, count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        if (!all[i].teardown_func) all[i].teardown_func = teardown;
    int failed = _cmocka_run_group_tests(name, all, count, NULL, NULL);
    free(all);
    return failed;
}
