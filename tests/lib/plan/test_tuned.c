/* Tuning results: as text, on disk, and when files are damaged, stale, foreign or written by two processes. No
 * Vulkan: an instance is what it keeps. */
#include "instance.h"

#include "kernel/table.h"
#include "math/type.h"
#include "plan/tuned.h"

static const char path[] = "cache/tuning";
static heard said; /* by the last process but those of store */

static vkmm_device_info device_of(uint8_t id)
{
    vkmm_device_info device = {.name = "Device", .driver.version = 7, .limits.max_storage_range = UINT32_MAX};
    memset(device.uuid, id, sizeof device.uuid);
    memset(device.driver.uuid, 0xd0, sizeof device.driver.uuid);
    return device;
}

static vkmm_problem square(uint64_t n)
{
    return VKMM_PROBLEM(.m = n, .n = n, .k = n);
}

static vkmm_tuned result(const char *config, double gflops)
{
    vkmm_tuned tuned = {
        .best = {.kernel = "blocked"}, .gflops = gflops, .planned_gflops = gflops / 2, .candidates = 33};
    snprintf(tuned.best.config, sizeof tuned.best.config, "%s", config);
    return tuned;
}

static void store(uint8_t id, uint64_t n, const char *config)
{
    heard h;
    vkmm_instance *instance = begin(&h);
    vkmm_device_info device = device_of(id);
    vkmm_problem problem = square(n);
    vkmm_tuned tuned = result(config, 12.5);
    assert_ok(vkmm_tuned_put(instance, &device, &problem, &tuned));
    assert_true(h.count == 0 || h.level == VKMM_LOG_INFO);
    end(instance);
}

/* What a new process finds: the configuration, or "". */
static const char *got(uint8_t id, uint64_t n)
{
    static vkmm_tuned tuned;
    vkmm_instance *instance = begin(&said);
    vkmm_device_info device = device_of(id);
    vkmm_problem problem = square(n);
    int found = vkmm_tuned_get(instance, &device, &problem, &tuned);
    end(instance);
    return found ? tuned.best.config : "";
}

static char *contents(void)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

IN_FOLDER(a_result_is_found_again)
{
    struct stat status;
    assert_string_equal(got(1, 1024), "");
    assert_int_equal(said.count, 0); /* no file is no error */
    store(1, 1024, "rows=64,cols=32");
    vkmm_instance *instance = begin(&said);
    vkmm_device_info device = device_of(1);
    vkmm_problem problem = square(1024);
    vkmm_tuned tuned;
    assert_true(vkmm_tuned_get(instance, &device, &problem, &tuned));
    assert_string_equal(tuned.best.kernel, "blocked");
    assert_string_equal(tuned.best.config, "rows=64,cols=32");
    assert_true(tuned.gflops == 12.5 && tuned.planned_gflops == 6.25 && tuned.candidates == 33);
    end(instance);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    store(1, 1024, "rows=16"); /* replaces */
    assert_string_equal(got(1, 1024), "rows=16");
    assert_int_equal(said.count, 0);
}

static int found_for(vkmm_device_info device, vkmm_problem problem)
{
    vkmm_instance *instance = begin(&said);
    vkmm_tuned tuned;
    int found = vkmm_tuned_get(instance, &device, &problem, &tuned);
    end(instance);
    return found;
}

IN_FOLDER(a_key_is_device_driver_type_ops_alignment_and_class)
{
    store(1, 1024, "rows=64");
    vkmm_device_info device = device_of(1), other = device;
    vkmm_problem problem = square(1024), p = problem;
    assert_true(found_for(device, problem));
    assert_true(found_for(device, square(1000)));  /* log2 rounds to 10 */
    assert_false(found_for(device, square(700)));  /* to 9 */
    assert_false(found_for(device, square(1023))); /* rows no longer begin at multiples of 16 bytes */
    p.lda = 1028;
    assert_true(found_for(device, p));
    p.op_a = VKMM_OP_T;
    assert_false(found_for(device, p));
    p = problem, p.layout = VKMM_COL_MAJOR; /* the same product seen the other way round */
    assert_true(found_for(device, p));
    p = problem, p.type = VKMM_I32;
    assert_false(found_for(device, p));
    p = problem, p.out_type = p.compute = VKMM_F32; /* what follows from f32 anyway */
    assert_true(found_for(device, p));
    p.compute = VKMM_F16;
    assert_false(found_for(device, p));
    p = problem, p.activation = VKMM_RELU, p.has_bias = 1; /* costs nothing that a tunable could save */
    assert_true(found_for(device, p));
    p = problem, p.batch_count = 16, p.stride_c = 1024 * 1024;
    assert_false(found_for(device, p));
    other.driver.version++;
    assert_false(found_for(other, problem));
    other = device, other.driver.uuid[15]++;
    assert_false(found_for(other, problem));
    assert_false(found_for(device_of(2), problem));
    p = problem, p.lda = 5; /* invalid: not found, and no crash */
    assert_false(found_for(device, p));

    const char *const shaders = vkmm_shader_hash();
    vkmm_problem tall =
        VKMM_PROBLEM(.m = 64, .n = 1024, .k = 16, .op_b = VKMM_OP_T); /* Cᵀ = op(B)ᵀ·op(A)ᵀ, column-major */
    vkmm_problem wide = VKMM_PROBLEM(.m = 1024, .n = 64, .k = 16, .op_a = VKMM_OP_T, .layout = VKMM_COL_MAJOR);
    vkmm_tuning_key one = vkmm_tuning_key_of(&device, &tall, shaders),
                    other_way = vkmm_tuning_key_of(&device, &wide, shaders);
    assert_memory_equal(&one, &other_way, sizeof one);
    vkmm_tuning_key key = vkmm_tuning_key_of(&device, &problem, shaders),
                    stale = vkmm_tuning_key_of(&device, &problem, "0123456789abcdef");
    assert_contains(key.text, shaders);
    assert_int_not_equal(memcmp(&key, &stale, sizeof key), 0);
    p = VKMM_PROBLEM(.m = 0, .n = 1, .k = 3);
    key = vkmm_tuning_key_of(&device, &p, shaders);
    assert_contains(key.text, " f32 f32 f32 N N ");
    assert_string_equal(key.text + strlen(key.text) - strlen(" 0 1 3 1"), " 0 1 3 1");
    p.method = VKMM_COMPUTE_SPLIT;
    key = vkmm_tuning_key_of(&device, &p, shaders);
    assert_contains(key.text, " f32 f32 split N N ");
    p = VKMM_PROBLEM(.m = 4, .n = 1, .k = 3, .type = VKMM_F64);
    device.features.f64 = 0; /* the product is modular, asked for or not */
    key = vkmm_tuning_key_of(&device, &p, shaders);
    device.features.f64 = 1;
    one = vkmm_tuning_key_of(&device, &p, shaders);
    p.method = VKMM_COMPUTE_MODULAR;
    stale = vkmm_tuning_key_of(&device, &p, shaders);
    assert_contains(key.text, " f64 f64 modular N N ");
    assert_memory_equal(&key, &stale, sizeof key);
    assert_int_not_equal(memcmp(&key, &one, sizeof key), 0);
}

IN_FOLDER(damage_costs_only_what_is_damaged)
{
    store(1, 64, "rows=1");
    store(1, 256, "rows=2");
    store(1, 1024, "rows=3");
    char *text = contents();
    strstr(text, "rows=2")[5] = '9';
    put(path, text);
    assert_string_equal(got(1, 64), "rows=1");
    assert_int_equal(said.count, 1);
    assert_int_equal(said.level, VKMM_LOG_WARNING);
    assert_contains(said.last, "has 1 damaged line, the first at line 3; they are ignored");
    assert_string_equal(got(1, 256), "");
    assert_string_equal(got(1, 1024), "rows=3");

    text = contents(); /* cut within the last line, as by a full disk */
    text[strlen(text) - 20] = '\0';
    put(path, text);
    assert_string_equal(got(1, 1024), "");
    assert_contains(said.last, "has 2 damaged lines");
    heard again;
    vkmm_instance *instance = begin(&again); /* told once, and gone with the next result */
    vkmm_device_info device = device_of(1);
    vkmm_problem problem = square(4096);
    vkmm_tuned tuned = result("rows=4", 1);
    assert_false(vkmm_tuned_get(instance, &device, &problem, &tuned));
    assert_ok(vkmm_tuned_put(instance, &device, &problem, &tuned));
    assert_true(vkmm_tuned_get(instance, &device, &problem, &tuned));
    assert_int_equal(again.count, 1);
    end(instance);
    assert_string_equal(got(1, 64), "rows=1");
    assert_string_equal(got(1, 4096), "rows=4");
    assert_int_equal(said.count, 0);
}

IN_FOLDER(another_version_is_ignored)
{
    store(1, 64, "rows=1");
    char *text = contents();
    assert_int_equal(text[16], '2');
    text[16] = '1'; /* whose entries had no types but one */
    put(path, text);
    assert_string_equal(got(1, 64), "");
    assert_int_equal(said.count, 1);
    assert_int_equal(said.level, VKMM_LOG_INFO);
    assert_contains(said.last, "another version wrote it");
    put(path, "");
    assert_string_equal(got(1, 64), "");
    store(1, 64, "rows=2");
    assert_string_equal(got(1, 64), "rows=2");
    assert_int_equal(said.count, 0);
}

/* Two processes that both looked before either wrote: neither loses the other's results. */
IN_FOLDER(results_of_others_stay)
{
    heard h1, h2;
    vkmm_instance *one = begin(&h1), *two = begin(&h2);
    vkmm_device_info d1 = device_of(1), d2 = device_of(2);
    vkmm_problem problem = square(64);
    vkmm_tuned r1 = result("rows=1", 1), r2 = result("rows=2", 2), tuned;
    assert_false(vkmm_tuned_get(one, &d1, &problem, &tuned));
    assert_false(vkmm_tuned_get(two, &d2, &problem, &tuned));
    assert_ok(vkmm_tuned_put(one, &d1, &problem, &r1));
    assert_ok(vkmm_tuned_put(two, &d2, &problem, &r2));
    assert_true(vkmm_tuned_get(two, &d1, &problem, &tuned));
    end(one);
    end(two);
    assert_string_equal(got(1, 64), "rows=1");
    assert_string_equal(got(2, 64), "rows=2");
}

TEST(the_newer_of_a_key_stays)
{
    vkmm_tuning_list list = {0};
    vkmm_tuning_entry entry = {.key = {"key"}, .date = "2026-11-21T12:00:00Z"}, older = entry;
    older.date[0] = '1';
    assert_int_equal(vkmm_tuning_list_add(&list, &older), 1);
    assert_int_equal(vkmm_tuning_list_add(&list, &entry), 1);
    assert_int_equal(vkmm_tuning_list_add(&list, &older), 0);
    assert_int_equal(list.count, 1);
    assert_string_equal(vkmm_tuning_list_find(&list, &entry.key)->date, entry.date);
    vkmm_tuning_list_free(&list);
}

IN_FOLDER(export_and_import)
{
    uint32_t count = 99;
    store(1, 64, "rows=1");
    store(2, 64, "rows=2");
    vkmm_instance *instance = begin(&said);
    assert_ok(vkmm_tuned_export(instance, "shared", &count));
    assert_int_equal(count, 2);
    assert_int_equal(vkmm_tuned_export(instance, "/nowhere/at/all", &count), VKMM_INVALID);
    assert_contains(said.last, "/nowhere/at/all");
    end(instance);

    assert_int_equal(remove(path), 0);
    store(1, 256, "rows=3");
    instance = begin(&said);
    assert_ok(vkmm_tuned_import(instance, "shared", &count));
    assert_int_equal(count, 2);
    end(instance);
    assert_string_equal(got(1, 64), "rows=1");
    assert_string_equal(got(2, 64), "rows=2");
    assert_string_equal(got(1, 256), "rows=3");

    char *text = contents(), *digit = strstr(text, "rows=1") + 5; /* a file that lost a bit is refused as a whole */
    *digit = '7';
    put("shared", text);
    instance = begin(&said);
    count = 99;
    assert_int_equal(vkmm_tuned_import(instance, "shared", &count), VKMM_INVALID);
    assert_contains(said.last, "has 1 damaged line, the first at line ");
    assert_int_equal(vkmm_tuned_import(instance, "/dev/null", &count), VKMM_INVALID);
    assert_int_equal(vkmm_tuned_import(instance, ".", &count), VKMM_INVALID);
    assert_int_equal(count, 99);
    put("shared", "hello\n");
    assert_int_equal(vkmm_tuned_import(instance, "shared", &count), VKMM_INVALID);
    assert_contains(said.last, "holds no tuning results of this version");
    end(instance);
}

IN_FOLDER(nothing_is_kept_without_a_folder)
{
    vkmm_instance *instance = begin(&said);
    vkmm_device_info device = device_of(1);
    vkmm_problem problem = square(64);
    vkmm_tuned tuned = result("rows=1", 1);
    vkmm_free(instance->cache_dir);
    instance->cache_dir = NULL;
    assert_ok(vkmm_tuned_put(instance, &device, &problem, &tuned));
    assert_true(vkmm_tuned_get(instance, &device, &problem, &tuned)); /* for this process */
    end(instance);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(said.count, 0);

    instance = begin(&said); /* a folder that cannot be made */
    vkmm_free(instance->cache_dir);
    instance->cache_dir = vkmm_strdup("/proc/nothing/here");
    assert_ok(vkmm_tuned_put(instance, &device, &problem, &tuned));
    assert_contains(said.last, "cannot be written");
    vkmm_problem second = square(256);
    assert_ok(vkmm_tuned_put(instance, &device, &second, &tuned));
    assert_true(vkmm_tuned_get(instance, &device, &problem, &tuned)); /* the first one stays */
    assert_true(vkmm_tuned_get(instance, &device, &second, &tuned));
    end(instance);
}

/* Every combination of types has a line of its own, and each is read as it was written. */
IN_FOLDER(all_types_are_kept_apart)
{
    vkmm_instance *instance = begin(&said);
    vkmm_device_info device = device_of(1);
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; vkmm_types_at(i) != NULL; i++) {
            const vkmm_types *types = vkmm_types_at(i);
            vkmm_problem problem = square(1024);
            char config[32];
            problem.type = types->in;
            problem.out_type = types->out;
            problem.compute = types->compute;
            snprintf(config, sizeof config, "rows=%u", i);
            vkmm_tuned tuned = result(config, 1);
            if (pass == 0) assert_ok(vkmm_tuned_put(instance, &device, &problem, &tuned));
            if (pass > 0) assert_true(vkmm_tuned_get(instance, &device, &problem, &tuned));
            assert_string_equal(tuned.best.config, config);
        }
        if (pass != 1) continue;
        end(instance);
        instance = begin(&said); /* from the file */
    }
    end(instance);
    char *text = contents(), *types = strstr(text, " f16 f32 f16 ");
    assert_non_null(types);
    assert_int_equal(said.count, 0);
    memcpy(types, " f16 i32 f16 ", 13); /* no combination of the table's: a damaged line */
    put(path, text);
    got(1, 64);
    assert_contains(said.last, "has 1 damaged line");
}

IN_FOLDER(refuses_what_no_line_can_hold)
{
    vkmm_instance *instance = begin(&said);
    vkmm_device_info device = device_of(1);
    vkmm_problem problem = square(64);
    const char *configs[] = {"rows=1 cols=2", "rows=1\n", "ROWS=1", "\x1b[2J"};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        vkmm_tuned tuned = result(configs[i], 1);
        assert_int_equal(vkmm_tuned_put(instance, &device, &problem, &tuned), VKMM_INVALID);
        assert_contains(said.last, "is not a kernel with a configuration");
    }
    for (int field = 0; field < 2; field++) { /* without their terminating zero */
        vkmm_tuned endless = result("rows=1", 1);
        if (field == 0) memset(endless.best.kernel, 'x', sizeof endless.best.kernel);
        if (field == 1) memset(endless.best.config, 'x', sizeof endless.best.config);
        assert_int_equal(vkmm_tuned_put(instance, &device, &problem, &endless), VKMM_INVALID);
        assert_contains(said.last, "has no terminating zero among its ");
    }
    vkmm_tuned tuned = result("", 1); /* a kernel without tunables */
    assert_ok(vkmm_tuned_put(instance, &device, &problem, &tuned));
    end(instance);
    assert_string_equal(got(1, 64), "");
}
