/* sample_report FORMAT SPEED NOISE [NAME]: the sample report in a format of bench, on stdout; NAME stands for all
 * that drivers and users may name. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "make_bench.h"
#include "bench/compare.h"

static void rename_all(cli_bench *bench, const char *name)
{
    cli_bench_device *device = &bench->devices[0];

    snprintf(device->label, sizeof device->label, "%s", name);
    snprintf(device->info.name, sizeof device->info.name, "%s", name);
    snprintf(device->info.driver.name, sizeof device->info.driver.name, "%s", name);
    snprintf(device->info.driver.info, sizeof device->info.driver.info, "%s", name);
    snprintf(device->failed, sizeof device->failed, "%s", name);
    snprintf(bench->version, sizeof bench->version, "%s", name);
    snprintf(bench->host, sizeof bench->host, "%s", name);
    snprintf(bench->os, sizeof bench->os, "%s", name);
    snprintf(bench->settings.suite, sizeof bench->settings.suite, "%s", name);
    snprintf(bench->note, sizeof bench->note, "%s", name);
    vkmm_free(bench->command);
    bench->command = vkmm_strdup(name);
    bench->complete = 0;
    for (uint32_t i = 0; i < bench->row_count; i++) {
        cli_bench_row *row = &bench->rows[i];
        snprintf(row->group, sizeof row->group, "%s", name);
        snprintf(row->asked, sizeof row->asked, "%s", name);
        snprintf(row->sentence, sizeof row->sentence, "%s", name);
        snprintf(row->clock_note, sizeof row->clock_note, "%s", name);
        snprintf(row->kernel.name, sizeof row->kernel.name, "%s", name);
        if (row->not_run[0] != '\0') snprintf(row->not_run, sizeof row->not_run, "%s", name);
    }
}

int main(int argc, char **argv)
{
    cli_report report = {
        .out = stdout, .utf8 = 1, .version = "0.1.0", .shader_hash = "0123456789abcdef", .command = "vkmatmul bench"};
    const cli_writer *writer = argc >= 4 ? cli_writer_find(argv[1]) : NULL;
    cli_bench bench = {.version = ""};
    vkmm_status status;

    if (writer == NULL) return 2;
    make_bench(&bench, atof(argv[2]), atof(argv[3]));
    if (argc > 4) rename_all(&bench, argv[4]);
    status = cli_bench_write(writer, &report, &bench);
    cli_bench_free(&bench);
    return status == VKMM_OK && fflush(stdout) == 0 ? 0 : 1;
}
