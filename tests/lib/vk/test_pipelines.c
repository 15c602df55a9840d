/* The file of compiled pipelines, and who may read it: a driver played by this test gives and takes the data. */
#include "folder.h"

#include "base/alloc.h"
#include "vk/device.h"
#include "vk/pipeline_cache_file.h"

#include <sys/wait.h>

enum { DATA = 100 };

static uint8_t made[4 * DATA]; /* what the driver gives */
static size_t made_bytes;
static uint8_t taken[4 * DATA]; /* what it was given */
static size_t taken_bytes;
static int creations, living, refuses_data;

static VKAPI_ATTR VkResult VKAPI_CALL create_cache(VkDevice device, const VkPipelineCacheCreateInfo *info,
                                                   const VkAllocationCallbacks *with, VkPipelineCache *cache)
{
    (void)device, (void)with;
    if (refuses_data && info->initialDataSize > 0) return VK_ERROR_OUT_OF_HOST_MEMORY;
    taken_bytes = info->initialDataSize;
    assert_true(taken_bytes <= sizeof taken);
    if (taken_bytes > 0) memcpy(taken, info->pInitialData, taken_bytes);
    creations++, living++;
    memset(cache, 1, sizeof *cache);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_cache(VkDevice device, VkPipelineCache cache,
                                                const VkAllocationCallbacks *with)
{
    (void)device, (void)cache, (void)with;
    living--;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_data(VkDevice device, VkPipelineCache cache, size_t *bytes, void *data)
{
    (void)device, (void)cache;
    if (data) memcpy(data, made, made_bytes);
    *bytes = made_bytes;
    return VK_SUCCESS;
}

/* The driver's data as VkPipelineCacheHeaderVersionOne begins it. */
static void make_data(size_t bytes)
{
    static const uint8_t header[] = {32, 0, 0, 0, 1, 0, 0, 0, 0xde, 0x10, 0, 0, 0x34, 0x12, 0, 0};
    for (size_t i = 0; i < bytes; i++) made[i] = (uint8_t)(i * 7);
    memcpy(made, header, sizeof header);
    memset(made + 16, 0xcc, VK_UUID_SIZE);
    made_bytes = bytes;
}

/* A device of the test's own, in a folder of its own. */
typedef struct fixture {
    vkmm_instance instance;
    vkmm_physical physical;
    vkmm_device device;
    heard h;
} fixture;

static fixture of_this_test, *const f = &of_this_test;
static char kept[] = "kept";

static int set_up(void **state)
{
    *f = (fixture){0};
    f->instance.log = hear_with(&f->h);
    f->instance.cache_dir = kept;
    f->physical.info.vendor_id = 0x10de;
    f->physical.info.device_id = 0x1234;
    f->physical.info.driver.version = 77;
    memset(f->physical.info.uuid, 0xaa, VK_UUID_SIZE);
    memset(f->physical.info.driver.uuid, 0xbb, VK_UUID_SIZE);
    memset(f->physical.pipeline_cache_uuid, 0xcc, VK_UUID_SIZE);
    f->device.instance = &f->instance;
    f->device.physical = &f->physical;
    f->device.table.vkCreatePipelineCache = create_cache;
    f->device.table.vkDestroyPipelineCache = destroy_cache;
    f->device.table.vkGetPipelineCacheData = get_data;
    creations = living = refuses_data = 0;
    taken_bytes = 0;
    make_data(DATA);
    return enter_folder(state);
}

static int tear_down(void **state)
{
    return leave_folder(state) | (living != 0);
}

/* Open, build `use` pipelines, close: what one process does. Returns the bytes that the driver was given. */
static size_t process(int use)
{
    vkmm_pipeline_cache_open(&f->device);
    size_t given = taken_bytes;
    for (int i = 0; i < use; i++) vkmm_pipeline_cache_add(&f->device, 100);
    vkmm_pipeline_cache_close(&f->device);
    assert_true(f->device.pipeline_cache.handle == VK_NULL_HANDLE && !f->device.pipeline_cache.path);
    return given;
}

/* How many, and the last one's path. */
static unsigned files(char path[400])
{
    char name[256] = "";
    const unsigned count = entries_of("kept", name);
    snprintf(path, 400, "kept/%s", name);
    return count;
}

static size_t read_all(const char *path, uint8_t *data, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t bytes = fread(data, 1, room, file);
    fclose(file);
    return bytes;
}

static void write_all(const char *path, const uint8_t *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

#define WITH_DRIVER(name) TEST_WITH(name, set_up, tear_down)

WITH_DRIVER(comes_back_in_the_next_process)
{
    char path[400];
    struct stat status, later;
    process(0); /* nothing was built */
    assert_int_equal(files(path), 0);
    assert_int_equal(process(1), 0);
    assert_int_equal(files(path), 1);
    assert_contains(path, "/pipelines-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(process(1), DATA); /* built from what was kept: nothing is written */
    assert_memory_equal(taken, made, DATA);
    assert_int_equal(stat(path, &later), 0);
    assert_int_equal(status.st_ino, later.st_ino);
    make_data(DATA + 50); /* something was added */
    assert_int_equal(process(1), DATA);
    assert_int_equal(process(1), DATA + 50);
    assert_memory_equal(taken, made, DATA + 50);
    assert_int_equal(files(path), 1);
    assert_int_equal(f->h.count, 0);
}

WITH_DRIVER(a_bare_header_is_not_worth_a_file)
{
    static const size_t lengths[] = {32, DATA, 0};
    for (int i = 0; i < 3; i++) {
        char path[400];
        make_data(lengths[i]);
        if (i == 1) made[8]++; /* not what this driver should give */
        process(1);
        assert_int_equal(files(path), 0);
    }
    assert_int_equal(f->h.count, 0);
}

WITH_DRIVER(damage_is_told_and_the_driver_never_sees_it)
{
    char path[400];
    uint8_t good[4 * DATA], bad[4 * DATA];
    process(1);
    assert_int_equal(files(path), 1);
    size_t bytes = read_all(path, good, sizeof good);
    assert_int_equal(bytes, sizeof(vkmm_pipelines_head) + DATA);
    unsigned told = 0;
    for (size_t length = 0; length < bytes; length++) { /* cut off anywhere */
        write_all(path, good, length);
        assert_int_equal(process(0), 0);
        assert_int_equal(f->h.count, ++told);
        assert_int_equal(f->h.level, VKMM_LOG_WARNING);
        assert_contains(f->h.last, path);
    }
    for (size_t bit = 0; bit < 8 * bytes; bit++) { /* any bit turned over */
        int of_version = bit / 8 >= 8 && bit / 8 < 12;
        memcpy(bad, good, bytes);
        bad[bit / 8] ^= (uint8_t)(1u << bit % 8);
        write_all(path, bad, bytes);
        assert_int_equal(process(0), 0);
        if (!of_version) told++; /* another version is only stale */
        assert_int_equal(f->h.count, told);
    }
    process(1); /* and it is replaced */
    assert_int_equal(process(0), DATA);
}

WITH_DRIVER(others_pipelines_are_stale_without_a_word)
{
    char path[400];
    uint8_t good[4 * DATA];
    process(1);
    assert_int_equal(files(path), 1);
    const size_t bytes = read_all(path, good, sizeof good);
    const vkmm_physical own = f->physical;
    for (int other = 0; other < 6; other++) {
        f->physical = own;
        if (other == 0) f->physical.info.vendor_id++;
        if (other == 1) f->physical.info.device_id++;
        if (other == 2) f->physical.pipeline_cache_uuid[15]++;
        if (other == 3) f->physical.info.uuid[0]++;
        if (other == 4) f->physical.info.driver.uuid[0]++;
        if (other == 5) f->physical.info.driver.version++;
        char name[VKMM_PIPELINES_NAME], copied[400];
        vkmm_pipelines_name(&f->physical.info, "pipelines", "bin", name);
        snprintf(copied, sizeof copied, "kept/%s", name);
        assert_int_equal(strcmp(copied, path) == 0, other < 3); /* others have files of their own */
        write_all(copied, good, bytes);
        assert_int_equal(process(0), 0);
        unlink(copied);
        write_all(path, good, bytes);
    }
    f->physical = own;
    assert_int_equal(process(0), DATA);
    assert_int_equal(f->h.count, 0);
}

WITH_DRIVER(a_driver_that_refuses_the_data_gets_none)
{
    process(1);
    refuses_data = 1;
    creations = 0;
    assert_int_equal(process(0), 0);
    assert_int_equal(creations, 1);
}

/* A program may end without closing anything. */
WITH_DRIVER(a_pipeline_is_kept_at_once_unless_writing_takes_longer)
{
    vkmm_pipeline_cache *cache = &f->device.pipeline_cache;
    char path[400];
    uint8_t data[4 * DATA];
    vkmm_pipeline_cache_open(&f->device);
    vkmm_pipeline_cache_add(&f->device, 1);
    assert_int_equal(files(path), 1);
    const size_t first = read_all(path, data, sizeof data);
    make_data(DATA + 100);
    cache->save_us = 1000; /* that took */
    for (int i = 0; i < 3; i++) vkmm_pipeline_cache_add(&f->device, 6);
    assert_int_equal(read_all(path, data, sizeof data), first);
    vkmm_pipeline_cache_add(&f->device, 6); /* together 24 ms, more than 20 */
    assert_int_equal(read_all(path, data, sizeof data), first + 100);
    make_data(DATA + 200);
    cache->save_us = 1000;
    vkmm_pipeline_cache_add(&f->device, 6);
    vkmm_pipeline_cache_close(&f->device);
    assert_int_equal(read_all(path, data, sizeof data), first + 200);
}

WITH_DRIVER(what_cannot_be_kept_is_no_error)
{
    char path[400];
    f->instance.cache_dir = NULL;
    assert_int_equal(process(1), 0);
    assert_int_equal(f->h.count, 0);
    assert_int_equal(creations, 1); /* in memory it is kept */
    f->instance.cache_dir = kept;
    write_all("kept", made, 1); /* a file where the folder should be */
    assert_int_equal(process(1), 0);
    assert_int_equal(f->h.count, 1);
    assert_int_equal(f->h.level, VKMM_LOG_INFO);
    unlink("kept");
    process(1);
    assert_int_equal(files(path), 1);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0); /* a folder where the file should be */
    assert_int_equal(process(3), 0);
    assert_int_equal(f->h.count, 2);
    assert_int_equal(f->h.level, VKMM_LOG_INFO);
    assert_contains(f->h.last, "compiled pipelines are not kept: cannot write");
    rmdir(path);
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody is waited for */
    assert_int_equal(process(1), 0);
    assert_int_equal(f->h.count, 3);
    assert_contains(f->h.last, "it is not a regular file");
    unlink(path);
    if (geteuid() == 0) return; /* root may write everything */
    assert_int_equal(chmod("kept", 0500), 0);
    assert_int_equal(process(1), 0);
    assert_int_equal(chmod("kept", 0700), 0);
    assert_int_equal(f->h.count, 4);
    assert_int_equal(f->h.level, VKMM_LOG_INFO);
}

/* Each child writes more data or less in turn; whoever reads finds one of both, whole. */
WITH_DRIVER(processes_side_by_side_see_whole_files)
{
    enum { CHILDREN = 3, ROUNDS = 6 };
    pid_t child[CHILDREN];
    int status = 0;
    process(1);
    for (int i = 0; i < CHILDREN; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] > 0) continue;
        for (int round = 0; round < ROUNDS; round++) {
            make_data((size_t)(DATA + 100 * ((round + i) % 2)));
            process(1);
        }
        _exit(f->h.count > 0);
    }
    for (int i = 0; i < CHILDREN; i++) {
        do {
            const size_t given = process(0);
            assert_true(given == DATA || given == DATA + 100);
        } while (waitpid(child[i], &status, WNOHANG) == 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(f->h.count, 0);
}

WITH_DRIVER(works_without_memory)
{
    char path[400];
    for (uint64_t n = 1; n < 12; n++) {
        vkmm_alloc_fail_after(n);
        process(1);
        vkmm_alloc_fail_after(0);
    }
    assert_int_equal(files(path), 1);
    assert_int_equal(process(0), DATA);
}
