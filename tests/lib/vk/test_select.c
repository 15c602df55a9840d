/* Choosing devices by what people call them, among devices that exist nowhere. */
#include "unit.h"

#include "vk/instance.h"

static vkmm_physical physicals[] = {
    {.info = {.name = "llvmpipe (LLVM 19, 256 bits)",
              .driver.name = "llvmpipe",
              .driver.id = VK_DRIVER_ID_MESA_LLVMPIPE,
              .type = VK_PHYSICAL_DEVICE_TYPE_CPU,
              .vendor_id = 0x10005}},
    {.info = {.name = "Radeon 780M",
              .driver.name = "radv",
              .type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
              .vendor_id = 0x1002,
              .uuid = {1}}},
    {.info = {.name = "GeForce 4090",
              .driver.name = "NVIDIA",
              .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
              .vendor_id = 0x10de,
              .uuid = {2}}},
    {.info = {.name = "Radeon 7900",
              .driver.name = "radv",
              .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
              .vendor_id = 0x1002}},
    {.info = {.name = "SwiftShader", .driver.name = "SwiftShader driver", .type = VK_PHYSICAL_DEVICE_TYPE_CPU}},
};

enum { DEVICES = sizeof physicals / sizeof *physicals };

TEST(by_words)
{
    static const struct {
        const char *what, *all; /* the devices of it, in order; "": refused */
        int one;                /* -1: refused where one is needed */
    } cases[] = {
        {NULL, "01234", 2},
        {"", "01234", 2},
        {"all", "01234", -1},
        {"ALL", "01234", -1},
        {"gpu", "123", 2},
        {"Cpu", "04", 0},
        {"AMD", "13", 3},
        {"nvidia", "2", 2},
        {"intel", "", -1},
        {"radeon", "13", -1},
        {"radv", "13", -1},
        {"4090", "2", 2},
        {"lavapipe", "0", 0},
        {"llvmpipe (LLVM 19, 256 bits)", "0", 0},
        {"3", "3", 3},
        {"5", "", -1},
        {"02000000-0000-0000-0000-000000000000", "2", 2},
        {"4,amd,1,gpu", "4132", -1},
        {"3,3", "3", 3},
        {"swift,lava", "40", -1},
        {"cpu,Voodoo", "", -1},
        {"1,", "", -1},
        {"1,,3", "", -1},
    };
    heard h = {0};
    const vkmm_instance instance = {.log = {hear, &h}, .physicals = physicals, .physical_count = DEVICES};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t found[DEVICES], count = 0, one = 99, refused = 0;
        char all[DEVICES + 1] = "";
        const vkmm_status status = vkmm_instance_find_devices(&instance, cases[i].what, found, &count);
        for (uint32_t d = 0; d < count && status == VKMM_OK; d++) snprintf(all + d, 2, "%u", found[d]);
        assert_string_equal(all, cases[i].all);
        assert_int_equal(status, all[0] == '\0' ? VKMM_NO_DEVICE : VKMM_OK);
        refused = h.count;
        assert_int_equal(vkmm_instance_find_device(&instance, cases[i].what, &one),
                         cases[i].one < 0 ? VKMM_NO_DEVICE : VKMM_OK);
        assert_int_equal(h.count - refused, cases[i].one < 0);
        assert_int_equal(one, cases[i].one < 0 ? 99 : cases[i].one);
        if (cases[i].one < 0 && all[0] != '\0') assert_contains(h.last, "matches several devices: ");
    }
    vkmm_instance_find_device(&instance, "5", &(uint32_t){0});
    assert_string_equal(h.last, "there is no device 5; there are devices 0 to 4");
    vkmm_instance_find_device(&instance, "gpu,Voodoo", &(uint32_t){0});
    assert_contains(h.last, "no device matches \"Voodoo\"; there are: 0 \"llvm");
}
