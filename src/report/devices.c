/* The devices for people: a short block each. */
#include "report/columns.h"
#include "report/text.h"
#include "report/writers.h"

static void print_key(const vkmm_report *report, const char *key)
{
    fprintf(report->out, "   %s%-11s%s ", vkmm_paint_on(report, VKMM_DIM), key, vkmm_paint_off(report, VKMM_DIM));
}

static void print_identity(const vkmm_report *report, const vkmm_device_row *device)
{
    const vkmm_device_info *info = device->info;
    char name[300], driver[300], driver_info[300], version[32], uuid[VKMM_UUID_TEXT];
    const char *dot = report->utf8 ? " · " : " | ";

    vkmm_text_clean(name, sizeof name, info->name);
    vkmm_text_clean(driver, sizeof driver, info->driver_name);
    vkmm_text_clean(driver_info, sizeof driver_info, info->driver_info);
    vkmm_text_version(version, sizeof version, info->api_version);
    vkmm_text_uuid(uuid, info->uuid);
    fprintf(report->out, "%u  %s%s%s%s\n", info->index, vkmm_paint_on(report, VKMM_STRONG), name, vkmm_paint_off(report, VKMM_STRONG),
            device->chosen ? "  (default)" : "");
    print_key(report, "driver");
    fprintf(report->out, "%s%s%s%sVulkan %s%s%s\n", driver, driver[0] != '\0' && driver_info[0] != '\0' ? ", " : "", driver_info,
            driver[0] != '\0' || driver_info[0] != '\0' ? dot : "", version, dot, vkmm_text_device_type(info->type));
    print_key(report, "uuid");
    fprintf(report->out, "%s\n", uuid);
}

static void print_limits(const vkmm_report *report, const vkmm_device_info *info)
{
    const char *times = report->utf8 ? "×" : "x";
    char shared[32], range[32], allocation[32], heap[32];

    vkmm_text_bytes(shared, sizeof shared, info->max_shared_bytes);
    vkmm_text_bytes(range, sizeof range, info->max_storage_range);
    vkmm_text_bytes(allocation, sizeof allocation, info->max_allocation_bytes);
    vkmm_text_bytes(heap, sizeof heap, info->device_heap_bytes);
    print_key(report, "workgroup");
    fprintf(report->out, "%u invocations, at most %u%s%u%s%u; %s shared; subgroup of %u\n", info->max_invocations,
            info->max_workgroup_size[0], times, info->max_workgroup_size[1], times, info->max_workgroup_size[2], shared,
            info->subgroup_size);
    print_key(report, "memory");
    fprintf(report->out, "%s%s; %s a buffer binding, %s an allocation\n", heap, info->unified_memory ? " unified with the host" : "", range,
            allocation);
    print_key(report, "timestamps");
    if (info->timestamp_bits > 0)
        fprintf(report->out, "%u bits, %.4g ns a tick\n", info->timestamp_bits, info->timestamp_period_ns);
    else
        fprintf(report->out, "none: the host's clock stands in\n");
}

static void print_abilities(const vkmm_report *report, const vkmm_device_row *device)
{
    print_key(report, "types");
    for (uint32_t i = 0; i < device->type_count; i++) fprintf(report->out, "%s%s", i > 0 ? " " : "", device->types[i]);
    putc('\n', report->out);
    print_key(report, "kernels");
    for (uint32_t i = 0; i < device->kernel_count; i++) fprintf(report->out, "%s%s", i > 0 ? " " : "", device->kernels[i].kernel);
    putc('\n', report->out);
    for (uint32_t i = 0; i < device->lack_count; i++) {
        print_key(report, i == 0 ? "not here" : "");
        fprintf(report->out, "%s: %s\n", device->lacks[i].what, device->lacks[i].reason);
    }
}

vkmm_status vkmm_table_devices(vkmm_report *report, const vkmm_device_row *devices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) putc('\n', report->out);
        print_identity(report, &devices[i]);
        print_limits(report, devices[i].info);
        print_abilities(report, &devices[i]);
    }
    return VKMM_OK;
}
