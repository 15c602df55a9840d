/* SPIRV-Tools loaded at run time: fake_spirv_tools.c plays it, or it is missing. The first line of the validator's
 * message is reported. */
#include "unit.h"
#include "base/log.h"
#include "base/dynlib.h"
#include "kernel/user.h"

static vkmm_status validate(uint32_t version, uint32_t verdict, heard *h)
{
    const uint32_t words[] = {0x07230203, version, 0, 8, 0, verdict};
    const vkmm_log log = hear_with(h);
    return vkmm_tell(&log, vkmm_spirv_validate("m.spv", words, sizeof words));
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
    heard h;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(validate(cases[i].version, 1, &h), VKMM_INVALID);
        assert_string_equal(h.last, cases[i].sentence);
        assert_int_equal(h.count, 1);
    }
    assert_int_equal(validate(0x10300, 2, &h), VKMM_INVALID);
    assert_string_equal(h.last, "m.spv is not valid SPIR-V: no reason given");
    assert_ok(validate(0x10300, 0, &h));
    assert_int_equal(h.count, 0);
}

static void wants_a_version(void **state)
{
    const uint32_t word = 0x07230203;
    assert_int_equal(vkmm_spirv_validate("m.spv", &word, 0), VKMM_INVALID);
    assert_int_equal(vkmm_spirv_validate("m.spv", &word, 4), VKMM_INVALID);
}

static void tells_that_it_is_missing(void **state)
{
    heard h;
    if (vkmm_dynlib_there("", "libSPIRV-Tools-shared.so") || vkmm_dynlib_there("", "libSPIRV-Tools.so")) skip();
    assert_int_equal(validate(0x10300, 0, &h), VKMM_UNSUPPORTED);
    assert_int_equal(h.level, VKMM_LOG_ERROR);
    assert_non_null(strstr(h.last, "m.spv cannot be checked: SPIRV-Tools (libSPIRV-Tools-shared.so) is not installed"));
    assert_int_equal(h.count, 1);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest there[] = {cmocka_unit_test(asks_for_the_version_of_vulkan),
                                       cmocka_unit_test(wants_a_version)};
    const struct CMUnitTest missing[] = {cmocka_unit_test(tells_that_it_is_missing)};
    if (count == 2 && strcmp(arguments[1], "there") == 0) return cmocka_run_group_tests(there, NULL, NULL);
    return cmocka_run_group_tests(missing, NULL, NULL);
}
