/* SPIRV-Tools loaded at run time: fake_spirv_tools.c plays it, or it is missing. The first line of the validator's
 * message is reported. */
#include "unit.h"
#include "base/dynlib.h"
#include "kernel/user.h"

static vkmm_status validate(uint32_t version, uint32_t verdict)
{
    const uint32_t words[] = {0x07230203, version, 0, 8, 0, verdict};
    return vkmm_spirv_validate("m.spv", words, sizeof words);
}

static void asks_for_the_version_of_vulkan(void **state)
{
    static const struct {
        uint32_t version;
        const char *sentence;
    } cases[] = {
        {0x10000, "m.spv is not valid SPIR-V: environment 18, 6 words"}, /* numbers of libspirv.h: Vulkan 1.1 */
        {0x10300, "m.spv is not valid SPIR-V: environment 18, 6 words"},
        {0x10400, "m.spv is not valid SPIR-V: environment 21, 6 words"},
        {0x10500, "m.spv is not valid SPIR-V: environment 23, 6 words"},
        {0x10600, "m.spv is not valid SPIR-V: environment 25, 6 words"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(validate(cases[i].version, 1), VKMM_INVALID);
        assert_string_equal(vkmm_last_error(), cases[i].sentence);
    }
    assert_refused(validate(0x10300, 2), VKMM_INVALID, "m.spv is not valid SPIR-V: no reason given");
    assert_ok(validate(0x10300, 0));
}

static void wants_a_version(void **state)
{
    const uint32_t word = 0x07230203;
    assert_int_equal(vkmm_spirv_validate("m.spv", &word, 0), VKMM_INVALID);
    assert_int_equal(vkmm_spirv_validate("m.spv", &word, 4), VKMM_INVALID);
}

static void tells_that_it_is_missing(void **state)
{
    if (vkmm_dynlib_there("", "libSPIRV-Tools-shared.so") || vkmm_dynlib_there("", "libSPIRV-Tools.so")) skip();
    assert_refused(validate(0x10300, 0), VKMM_UNSUPPORTED,
                   "m.spv cannot be checked: SPIRV-Tools (libSPIRV-Tools-shared.so) is not installed");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest there[] = {cmocka_unit_test(asks_for_the_version_of_vulkan),
                                       cmocka_unit_test(wants_a_version)};
    const struct CMUnitTest missing[] = {cmocka_unit_test(tells_that_it_is_missing)};
    if (count == 2 && strcmp(arguments[1], "there") == 0) return cmocka_run_group_tests(there, NULL, NULL);
    return cmocka_run_group_tests(missing, NULL, NULL);
}
