/* Validation that says nothing proves nothing: a missing barrier before a dispatch must be reported. */
#include <stdio.h>

#include "suite.h"
#include "vk/command.h"

static suite_device suite;

/* A fill of C and a dispatch that writes C, with or without a barrier between them. */
static void fill_and_dispatch(int with_barrier)
{
    vkmm_device *device = suite.device;
    const vkmm_problem problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8, .type = VKMM_F32);
    const vkmm_wish wish = {.kernel = "grouped"};
    vkmm_choice choice;
    vkmm_plan plan = {0};
    vkmm_store stores[VKMM_STORE_COUNT] = {0};
    vkmm_part parts[VKMM_MAX_BINDING_COUNT];
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_choose(suite.info, &problem, &wish, &choice);
    if (status == VKMM_OK) status = vkmm_plan_create(device, &choice, &plan);
    if (status == VKMM_OK) status = vkmm_stores_create(device, &problem, stores, parts);
    if (status == VKMM_OK) vkmm_plan_bind(device, &plan, parts);
    if (status == VKMM_OK) status = vkmm_command_begin(device, &command);
    if (status != VKMM_OK) goto error;
    device->table.vkCmdFillBuffer(command, stores[VKMM_C].buffer.handle, 0, stores[VKMM_C].buffer.bytes, 0);
    if (with_barrier)
        vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vkmm_plan_record(device, &plan, command);
    status = vkmm_command_end(device, command);
error:
    vkmm_command_free(device, &command);
    vkmm_plan_destroy(device, &plan);
    vkmm_stores_destroy(device, stores);
    assert_int_equal(status, VKMM_OK);
}

static void is_silent_with_the_barrier(void **state)
{
    uint32_t before = vkmm_instance_validation_messages(suite.instance);
    fill_and_dispatch(1);
    assert_int_equal(vkmm_instance_validation_messages(suite.instance), before);
}

static void speaks_without_the_barrier(void **state)
{
    uint32_t before = vkmm_instance_validation_messages(suite.instance);
    fill_and_dispatch(0);
    assert_true(vkmm_instance_validation_messages(suite.instance) > before);
}

int main(void)
{
    int absent = suite_open(&suite);
    if (absent) return absent;
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_silent_with_the_barrier),
                                       cmocka_unit_test(speaks_without_the_barrier)};
    int failed = suite_run(&suite, "synchronization validation", tests);
    suite_close(&suite);
    return failed ? 1 : 0;
}
