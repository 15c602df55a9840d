/* C = A · B on the best Vulkan device, in thirty lines: cc multiply.c $(pkg-config --cflags --libs vkmatmul) */
#include <stdio.h>
#include <vkmatmul.h>

static void on_message(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user;
    if (level == VKMM_LOG_ERROR) fprintf(stderr, "%s\n", sentence);
}

int main(void)
{
    const vkmm_instance_params params = {.log = {on_message, NULL}};
    const vkmm_problem problem = VKMM_PROBLEM(.m = 3, .n = 3, .k = 2);
    const float a[] = {1, 4, 2, 5, 3, 6}, b[] = {7, 8, 9, 10, 11, 12}, right[] = {47, 52, 57, 64, 71, 78, 81, 90, 99};
    float c[9] = {0};
    vkmm_instance *instance = NULL;
    vkmm_device *device = NULL;
    uint32_t index = 0;
    vkmm_status status = vkmm_instance_create(&params, &instance);
    if (status == VKMM_OK) status = vkmm_instance_find_device(instance, NULL, &index);
    if (status == VKMM_OK) status = vkmm_device_create(instance, index, &device);
    if (status == VKMM_OK) status = vkmm_multiply(device, &problem, a, b, NULL, c);
    for (int i = 0; i < 9 && status == VKMM_OK; i++) status = c[i] == right[i] ? VKMM_OK : VKMM_WRONG_RESULT;
    vkmm_device_destroy(&device);
    vkmm_instance_destroy(&instance);
    puts(vkmm_status_name(status));
    return (int)status;
}
