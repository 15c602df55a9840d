/* The part of a report before its rows: the machine, the settings, the devices. */
#include "base/alloc.h"
#include "base/host.h"
#include "system/sensors.h"
#include "bench/bench_run.h"
#include "io/manifest.h"
#include "math/blas.h"
#include "session/drivers.h"

#include <stdio.h>
#include <string.h>

#define MAX_NOISE 0.01

static vkmm_status no_memory(const cli_session *session)
{
    return vkmm_tell(session->log, VKMM_NO_MEMORY("for a report"));
}

static vkmm_status add_layers(cli_session *session, cli_bench *bench)
{
    cli_manifest *manifests = NULL;
    uint32_t count = 0;
    vkmm_status status = cli_manifests_scan(session->log, "", &manifests, &count);
    int fine = 1;
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++)
        if (manifests[i].kind == CLI_MANIFEST_IMPLICIT_LAYER && manifests[i].active)
            fine = fine && cli_bench_add_layer(bench, manifests[i].name);
    if (session->options->validate) fine = fine && cli_bench_add_layer(bench, "VK_LAYER_KHRONOS_validation");
    vkmm_free(manifests);
    return fine ? status : no_memory(session);
}

static vkmm_status add_device(cli_session *session, cli_bench *bench, uint32_t index)
{
    cli_bench_device *device = cli_bench_add_device(bench);
    if (device == NULL) return no_memory(session);
    device->info = *vkmm_instance_device_info(session->instance, index);
    VKMM_PUT(device->label, "%s", device->info.name);
    return VKMM_OK;
}

/* All devices together, which share each product. The kind of such a device is that of the first. */
static vkmm_status add_together(const cli_session *session, cli_bench *bench, const uint32_t *indices, uint32_t count)
{
    const vkmm_device_info first = bench->devices[0].info;
    cli_bench_device *device = cli_bench_add_device(bench);
    if (device == NULL) return no_memory(session);
    device->info = first;
    device->info.driver.name[0] = device->info.driver.info[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        device->info.features.f64 = device->info.features.f64 && bench->devices[i].info.features.f64;
        VKMM_JOIN(device->together, ",", "%u", indices[i]);
        VKMM_JOIN(device->info.driver.name, " + ", "%s", bench->devices[i].info.name);
    }
    VKMM_PUT(device->info.name, "%u devices together", count);
    VKMM_PUT(device->label, "together");
    return VKMM_OK;
}

static vkmm_status add_host(cli_session *session, cli_bench *bench)
{
    vkmm_blas *blas = session->options->no_host ? NULL : vkmm_blas_open(NULL);
    cli_bench_device *device;
    if (blas == NULL) return VKMM_OK;
    device = cli_bench_add_device(bench);
    if (device != NULL) {
        device->is_host = 1;
        VKMM_PUT(device->info.name, "%s", session->host);
        VKMM_PUT(device->info.driver.name, "%.200s", vkmm_blas_name(blas));
        VKMM_PUT(device->info.driver.info, "%.200s", vkmm_blas_version(blas));
        VKMM_PUT(device->label, "%.60s on the host", vkmm_blas_name(blas));
    }
    vkmm_blas_close(&blas);
    return device != NULL ? VKMM_OK : no_memory(session);
}

/* Names that two devices share get the driver's, and if that is the same too, the device's index. */
static void tell_apart(cli_bench *bench)
{
    for (uint32_t i = 0; i < bench->device_count; i++) {
        cli_bench_device *device = &bench->devices[i];
        int same_name = 0, same_driver = 0;
        for (uint32_t j = 0; j < bench->device_count; j++) {
            const vkmm_device_info *other = &bench->devices[j].info;
            if (j == i || bench->devices[j].is_host != device->is_host || strcmp(other->name, device->info.name) != 0)
                continue;
            same_name = 1;
            same_driver |= strcmp(other->driver.name, device->info.driver.name) == 0;
        }
        if (same_name) VKMM_JOIN(device->label, " ", "(%.100s)", device->info.driver.name);
        if (same_driver) VKMM_JOIN(device->label, " ", "#%u", device->info.index);
    }
}

/* Those of --device; without it every one, or the best. */
static vkmm_status add_devices(cli_session *session, int every_device, cli_bench *bench)
{
    const char *what = session->options->device;
    uint32_t count = 1, *indices;
    vkmm_status status = cli_session_instance(session);
    if (status == VKMM_OK && every_device && cli_swiftshader_manifest() != NULL)
        status = cli_session_add_swiftshader(session);
    if (status != VKMM_OK) return status;
    indices = vkmm_alloc((size_t)vkmm_instance_device_count(session->instance) + 1, sizeof *indices);
    if (indices == NULL) return no_memory(session);
    status = what != NULL || every_device ? vkmm_instance_find_devices(session->instance, what, indices, &count)
                                          : vkmm_instance_find_device(session->instance, NULL, indices);
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++) status = add_device(session, bench, indices[i]);
    if (status == VKMM_OK && !every_device && count > 1) status = add_together(session, bench, indices, count);
    vkmm_free(indices);
    if (status == VKMM_OK) status = add_host(session, bench);
    tell_apart(bench);
    return status;
}

vkmm_status cli_bench_head(cli_session *session, const cli_suite *suite, int every_device, cli_bench *bench)
{
    const cli_options *options = session->options;
    vkmm_status status;
    VKMM_PUT(bench->version, "%s", vkmm_version());
    VKMM_PUT(bench->shader_hash, "%s", vkmm_shader_hash());
    vkmm_host_time(bench->created);
    bench->command = vkmm_strdup(session->command);
    if (bench->command == NULL) return no_memory(session);
    VKMM_PUT(bench->host, "%s", session->host);
    vkmm_host_system(bench->os, sizeof bench->os);
    bench->processors = vkmm_host_processors();
    bench->memory_bytes = vkmm_host_memory();
    VKMM_PUT(bench->power_source, "%s", cli_power_source(""));
    VKMM_PUT(bench->settings.suite, "%.*s", CLI_BENCH_TEXT - 1, suite->name);
    bench->settings.seed = options->seed.value;
    bench->settings.rotating_bytes = (uint64_t)options->rotating_bytes;
    bench->settings.max_noise = options->max_noise > 0 ? options->max_noise : MAX_NOISE;
    bench->settings.budget_ms = suite->budget_ms;
    status = add_devices(session, every_device, bench);
    return status == VKMM_OK ? add_layers(session, bench) : status;
}
