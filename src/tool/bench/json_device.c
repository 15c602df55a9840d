/* One device of a bench report as JSON, and its peaks. */
#include "math/type.h"
#include "bench/writer.h"
#include "report/json.h"

static json_t *matrix_peak(const vkmm_bench_matrix *matrix)
{
    json_t *object = vkmm_json_matrix_shape(&matrix->shape);
    int bad = vkmm_json_put(object, "multiply_adds_per_s", vkmm_json_number(matrix->multiply_adds_per_s));

    return vkmm_json_done(object, bad);
}

json_t *vkmm_json_bench_peaks(const vkmm_bench_peaks *peaks)
{
    json_t *object = json_object(), *types = json_object(), *matrices = json_array();
    int bad = vkmm_json_put(object, "copy_bytes_per_s", vkmm_json_number(peaks->copy_bytes_per_s));

    for (int type = 0; type < VKMM_TYPE_COUNT; type++)
        bad += vkmm_json_put(types, vkmm_type_of((vkmm_type)type)->name,
                             vkmm_json_number(peaks->multiply_adds_per_s[type]));
    for (uint32_t i = 0; i < peaks->matrix_count && i < VKMM_BENCH_MATRICES; i++)
        bad += json_array_append_new(matrices, matrix_peak(&peaks->matrix[i])) != 0;
    bad += vkmm_json_put(object, "multiply_adds_per_s", types);
    bad += vkmm_json_put(object, "matrix", matrices);
    return vkmm_json_done(object, bad);
}

json_t *vkmm_json_bench_device(const vkmm_bench_device *device)
{
    const vkmm_device_info *info = &device->info;
    json_t *object = vkmm_json_device(device->is_host ? NULL : info, info->name);
    int bad = vkmm_json_put(object, "label", vkmm_json_text(device->label));

    if (device->is_host) { /* the library stands where a driver does */
        bad += vkmm_json_put(object, "driver_name", vkmm_json_known_text(info->driver_name));
        bad += vkmm_json_put(object, "driver_info", vkmm_json_known_text(info->driver_info));
    }
    bad += vkmm_json_put(object, "failed", vkmm_json_known_text(device->failed));
    bad += vkmm_json_put(object, "limits", device->is_host ? json_null() : vkmm_json_limits(info));
    bad += vkmm_json_put(object, "heaps", device->is_host ? json_null() : vkmm_json_heaps(info));
    bad += vkmm_json_put(object, "pci", vkmm_json_pci(info));
    bad += vkmm_json_put(object, "peaks", vkmm_json_bench_peaks(&device->peaks));
    return vkmm_json_done(object, bad);
}
