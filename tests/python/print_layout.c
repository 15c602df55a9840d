/* Prints where the structs that python/vkmatmul declares have their fields, and the values of the enumerations that it
 * names: "struct field offset", "sizeof struct bytes", "name value". */
#include <stdio.h>

#include "vkmatmul.h"

#define FIELD(type, field) printf(#type " " #field " %zu\n", offsetof(type, field))
#define VALUE(name)        printf(#name " %d\n", (int)name)

int main(void)
{
    printf("sizeof vkmm_problem %zu\n", sizeof(vkmm_problem));
    FIELD(vkmm_problem, m), FIELD(vkmm_problem, n), FIELD(vkmm_problem, k);
    FIELD(vkmm_problem, type), FIELD(vkmm_problem, layout), FIELD(vkmm_problem, op_a), FIELD(vkmm_problem, op_b);
    FIELD(vkmm_problem, lda), FIELD(vkmm_problem, ldb), FIELD(vkmm_problem, ldc);
    FIELD(vkmm_problem, offset_a), FIELD(vkmm_problem, offset_b), FIELD(vkmm_problem, offset_c);
    FIELD(vkmm_problem, batch_count);
    FIELD(vkmm_problem, stride_a), FIELD(vkmm_problem, stride_b), FIELD(vkmm_problem, stride_c);
    FIELD(vkmm_problem, alpha), FIELD(vkmm_problem, beta);
    FIELD(vkmm_problem, out_type), FIELD(vkmm_problem, compute);
    FIELD(vkmm_problem, activation), FIELD(vkmm_problem, has_bias), FIELD(vkmm_problem, method);
    FIELD(vkmm_problem, format_a), FIELD(vkmm_problem, format_b);
    FIELD(vkmm_problem, reserved);
    printf("sizeof vkmm_instance_params %zu\n", sizeof(vkmm_instance_params));
    FIELD(vkmm_instance_params, log.write), FIELD(vkmm_instance_params, log.user);
    FIELD(vkmm_instance_params, validate), FIELD(vkmm_instance_params, cache_dir);
    FIELD(vkmm_device_info, index), FIELD(vkmm_device_info, name), FIELD(vkmm_device_info, uuid);
    FIELD(vkmm_device_info, vendor_id), FIELD(vkmm_device_info, device_id), FIELD(vkmm_device_info, type);
    FIELD(vkmm_device_info, processors), FIELD(vkmm_device_info, has_pci), FIELD(vkmm_device_info, pci);
    FIELD(vkmm_device_info, driver.name), FIELD(vkmm_device_info, driver.info), FIELD(vkmm_device_info, driver.uuid);
    FIELD(vkmm_device_info, driver.id), FIELD(vkmm_device_info, driver.version);
    FIELD(vkmm_device_info, driver.api_version), FIELD(vkmm_device_info, memory.device_heap_bytes);
    FIELD(vkmm_format_info, name), FIELD(vkmm_format_info, elements), FIELD(vkmm_format_info, bytes);
    printf("sizeof vkmm_codes %zu\n", sizeof(vkmm_codes));
    FIELD(vkmm_codes, rows), FIELD(vkmm_codes, k), FIELD(vkmm_codes, codes), FIELD(vkmm_codes, scales);
    FIELD(vkmm_codes, scale_type), FIELD(vkmm_codes, group), FIELD(vkmm_codes, band), FIELD(vkmm_codes, zeros);
    FIELD(vkmm_codes, zero), FIELD(vkmm_codes, reserved);
    VALUE(VKMM_AUTO), VALUE(VKMM_F32), VALUE(VKMM_F64), VALUE(VKMM_I32), VALUE(VKMM_U32), VALUE(VKMM_F16);
    VALUE(VKMM_BF16), VALUE(VKMM_I8), VALUE(VKMM_U8), VALUE(VKMM_E4M3), VALUE(VKMM_E5M2), VALUE(VKMM_TYPE_COUNT);
    VALUE(VKMM_ACTIVATION_NONE), VALUE(VKMM_RELU), VALUE(VKMM_GELU), VALUE(VKMM_ACTIVATION_COUNT);
    VALUE(VKMM_COMPUTE_DIRECT), VALUE(VKMM_COMPUTE_SPLIT), VALUE(VKMM_COMPUTE_MODULAR),
        VALUE(VKMM_COMPUTE_REPRODUCIBLE);
    VALUE(VKMM_ROW_MAJOR), VALUE(VKMM_COL_MAJOR), VALUE(VKMM_OP_N), VALUE(VKMM_OP_T), VALUE(VKMM_C);
    VALUE(VKMM_LOG_ERROR), VALUE(VKMM_LOG_WARNING);
    VALUE(VKMM_OK), VALUE(VKMM_INVALID), VALUE(VKMM_NO_DEVICE), VALUE(VKMM_UNSUPPORTED);
    VALUE(VKMM_OUT_OF_MEMORY), VALUE(VKMM_DEVICE_LOST);
    VALUE(VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU), VALUE(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    VALUE(VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU), VALUE(VK_PHYSICAL_DEVICE_TYPE_CPU);
    printf("version %s\n", VKMM_VERSION_TEXT);
    return 0;
}
