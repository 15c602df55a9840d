/* Devices that another program lends. */
#include "lent.h"

#include <string.h>

static lent_device lent;

static int after(void **state)
{
    release_kept(state);
    lent_device_destroy(&lent);
    return 0;
}

/* The program itself works, and validation says nothing of it. */
static void a_program_uses_its_device(void **state)
{
    (void)state;
    lent_device_create(&lent, NULL, NULL, 0);
    const lent_buffer *from = lent_buffer_create(&lent, 64), *to = lent_buffer_create(&lent, 64);
    VkCommandBuffer command = lent_begin(&lent);
    const VkMemoryBarrier host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_HOST_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    memset(from->mapped, 7, 64);
    lent.vkCmdPipelineBarrier(command, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &host, 0, NULL,
                              0, NULL);
    lent.vkCmdCopyBuffer(command, from->handle, to->handle, 1, &(VkBufferCopy){.size = 64});
    lent_submit(&lent, command);
    assert_memory_equal(from->mapped, to->mapped, 64);
    memset(to->mapped, 0, 64);
    lent_again(&lent, command);
    assert_memory_equal(from->mapped, to->mapped, 64);
    lent_free(&lent, command);
    assert_int_equal(lent.messages, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_uses_its_device)};
    int absent = lent_open(&lent, 0);
    if (absent) return absent;
    int failed = run_group("lent devices", tests, sizeof tests / sizeof *tests, after);
    return lent_close(&lent) || failed;
}
