/* Which of the configurations in records a device takes for a product. */
#include "unit.h"
#include "devices.h"
#include "kernel/general.h"
#include "plan/choose.h"
#include "plan/recorded.h"

enum { NVIDIA = 0x10de, PROPRIETARY = VK_DRIVER_ID_NVIDIA_PROPRIETARY };

static const vkmm_recorded_device recorded_devices[] = {
    {"Large GPU", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, NVIDIA, PROPRIETARY, 132, 32, 49152, 0},
    {"Small GPU", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, NVIDIA, PROPRIETARY, 84, 32, 49152, 0},
    {"Processor", VK_PHYSICAL_DEVICE_TYPE_CPU, 0x10005, VK_DRIVER_ID_MESA_LLVMPIPE, 0, 8, 32768, 0},
};
#define F32 VKMM_F32, VKMM_F32, VKMM_F32
static const vkmm_recorded_tune recorded_tunes[] = {
    {0, F32, VKMM_OP_N, VKMM_OP_N, 4096, 4096, 4096, {"blocked", "rows=128"}, ""},
    {1, F32, VKMM_OP_N, VKMM_OP_N, 4096, 4096, 4096, {"blocked", "rows=64"}, ""},
    {0, F32, VKMM_OP_N, VKMM_OP_T, 4096, 64, 1024, {"blocked", "rows=32"}, ""},
    {2, F32, VKMM_OP_N, VKMM_OP_N, 4096, 4096, 4096, {"cpu", "rows=16"}, ""},
};
static const vkmm_recorded recorded = {recorded_devices, recorded_tunes, VKMM_COUNT(recorded_tunes)};

static vkmm_device_info gpu(const char *name, uint32_t processors)
{
    vkmm_device_info info = devices[DESKTOP];
    snprintf(info.name, sizeof info.name, "%s", name);
    info.vendor_id = NVIDIA;
    info.driver.id = PROPRIETARY;
    info.processors = processors;
    return info;
}

/* The configuration found, "" if there is none. */
static const char *found(const vkmm_device_info *device, vkmm_problem problem)
{
    const vkmm_recorded_tune *tune = vkmm_recorded_find(&recorded, device, &problem);
    return tune ? tune->best.config : "";
}

static const char *found_for_square(const vkmm_device_info *device)
{
    return found(device, VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096));
}

TEST(the_same_device_comes_first_and_then_the_most_alike)
{
    static const struct {
        const char *name;
        uint32_t processors;
        const char *config;
    } cases[] = {{"Large GPU", 132, "rows=128"},  {"Large GPU", 60, "rows=128"},  {"Small GPU", 132, "rows=64"},
                 {"Larger GPU", 170, "rows=128"}, {"Other GPU", 120, "rows=128"}, {"Other GPU", 100, "rows=64"},
                 {"Smaller GPU", 56, "rows=64"},  {"Tiny GPU", 55, ""},           {"Huge GPU", 199, ""},
                 {"GPU of unknown size", 0, ""}};
    for (size_t i = 0; i < VKMM_COUNT(cases); i++) {
        const vkmm_device_info device = gpu(cases[i].name, cases[i].processors);
        assert_string_equal(found_for_square(&device), cases[i].config);
    }
}

TEST(a_device_that_its_driver_describes_otherwise_is_not_alike)
{
    vkmm_device_info device[] = {gpu("GPU", 132), gpu("GPU", 132), gpu("GPU", 132), gpu("GPU", 132),
                                 gpu("GPU", 132), gpu("GPU", 132), gpu("GPU", 132)};
    device[1].vendor_id++;
    device[2].driver.id = VK_DRIVER_ID_MESA_RADV;
    device[3].subgroup.size = 64;
    device[4].limits.max_shared_bytes = 65536;
    device[5].matrices.shape_count = 1;
    device[6].type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    for (size_t i = 0; i < VKMM_COUNT(device); i++)
        assert_string_equal(found_for_square(&device[i]), i == 0 ? "rows=128" : "");
    snprintf(device[2].name, sizeof device[2].name, "Large GPU"); /* the same name under another driver */
    assert_string_equal(found_for_square(&device[2]), "");
}

TEST(processors_are_the_same_or_different)
{
    vkmm_device_info device = devices[LLVMPIPE];
    device.vendor_id = 0x10005;
    assert_string_equal(found_for_square(&device), "");
    snprintf(device.name, sizeof device.name, "Processor");
    assert_string_equal(found_for_square(&device), "rows=16");
}

TEST(products_are_like_those_that_were_tuned)
{
    const vkmm_device_info device = gpu("Large GPU", 132);
    const vkmm_problem like[] = {
        VKMM_PROBLEM(.m = 4608, .n = 3584, .k = 4096),
        VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .layout = VKMM_COL_MAJOR),
        VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .lda = 4100, .alpha = 2, .beta = 1),
    };
    const vkmm_problem unlike[] = {
        VKMM_PROBLEM(.m = 4612, .n = 4096, .k = 4096),
        VKMM_PROBLEM(.m = 4096, .n = 3580, .k = 4096),
        VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 8192),
        VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .op_a = VKMM_OP_T),
        VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .type = VKMM_F64),
        VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .method = VKMM_COMPUTE_SPLIT),
        VKMM_PROBLEM(.m = 4096, .n = 4095, .k = 4096),
        VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .lda = 4099),
        VKMM_PROBLEM(.m = 4096, .n = 4096, .k = 4096, .batch_count = 2),
    };
    for (size_t i = 0; i < VKMM_COUNT(like); i++) assert_string_equal(found(&device, like[i]), "rows=128");
    for (size_t i = 0; i < VKMM_COUNT(unlike); i++) assert_string_equal(found(&device, unlike[i]), "");
    assert_string_equal(found(&device, VKMM_PROBLEM(.m = 4096, .n = 64, .k = 1024, .op_b = VKMM_OP_T)), "rows=32");
}

/* The committed records: each row is a configuration that its kernel has, and the planner takes it where it is legal
 * and faster than its own choice, unless it is told otherwise. */
TEST(the_planner_takes_the_committed_rows)
{
    for (uint32_t i = 0; i < vkmm_recorded_all.tune_count; i++) {
        const vkmm_recorded_tune *row = &vkmm_recorded_all.tunes[i];
        vkmm_problem problem = VKMM_PROBLEM(.m = row->m, .n = row->n, .k = row->k, .type = row->type,
                                            .out_type = row->out_type, .op_a = row->op_a, .op_b = row->op_b);
        vkmm_device_info device = gpu(vkmm_recorded_all.devices[row->device].name, 132);
        vkmm_config config = {{0}};
        vkmm_choice choice;
        assert_non_null(vkmm_kernel_find(row->best.kernel));
        assert_ok(vkmm_config_parse(vkmm_kernel_find(row->best.kernel), row->best.config, &config));
        device.driver.id = vkmm_recorded_all.devices[row->device].driver_id;
        device.features.i8 = device.features.f16 = device.features.storage8 = device.features.storage16 = 1;
        device.matrices.shape_count = 1;
        device.matrices.shapes[0] = (vkmm_matrix_shape){16, 8, 32, 3, 3, 5, 5, 3, 0}; /* i8, sums in i32 */
        device.matrices.refusal = "";
        assert_ok(vkmm_choose(&device, &problem, &(vkmm_wish){.untuned = 1}, &choice));
        assert_false(choice.info.tuned);
        const int counts = strcmp(choice.info.config, row->slower) == 0;
        assert_ok(vkmm_choose(&device, &problem, &(vkmm_wish){0}, &choice));
        const vkmm_wish exact = {.kernel = row->best.kernel, .config = row->best.config};
        vkmm_choice asked;
        assert_int_equal(choice.info.tuned, counts && vkmm_choose(&device, &problem, &exact, &asked) == VKMM_OK);
        if (!choice.info.tuned) continue; /* the planner chooses better now; or a build without the shader */
        assert_string_equal(choice.kernel->name, row->best.kernel);
        assert_string_equal(choice.info.config, row->best.config);
        const uint32_t refused[VKMM_TYPE_COUNT] = {[VKMM_I8] = vkmm_kernel_bit(choice.kernel)};
        device.refused_kernels = refused;
        assert_ok(vkmm_choose(&device, &problem, &(vkmm_wish){0}, &choice));
        assert_false(choice.info.tuned && row->type == VKMM_I8);
    }
}
