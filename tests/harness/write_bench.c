/* write_bench FORMAT [SPEED [NOISE [NAME]]]: the sample report on standard output, in a format of report/report.h;
 * SPEED and NOISE as make_bench takes them; NAME stands for all that drivers and users may name.
 * write_bench --schema: what the tables tell of the schema of reports. */
#include "base/alloc.h"
#include "make_bench.h"
#include "schema.h"
#include "bench/compare.h"

#include <stdlib.h>
#include <string.h>

static int write_schema(void)
{
    json_t *schema = bench_schema();
    const int fine = schema != NULL && json_dumpf(schema, stdout, JSON_INDENT(2)) == 0;
    json_decref(schema);
    return fine ? 0 : 1;
}

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

int main(int count, char **arguments)
{
    const cli_writer *writer = count > 1 ? cli_writer_find(arguments[1]) : NULL;
    cli_report report = {
        .out = stdout, .utf8 = 1, .version = "0.1.0", .shader_hash = "0123456789abcdef", .command = "vkmatmul"};
    cli_bench bench = {0};
    vkmm_status status;
    if (count > 1 && strcmp(arguments[1], "--schema") == 0) return write_schema();
    if (!writer) {
        fprintf(stderr, "usage: write_bench FORMAT [SPEED [NOISE [NAME]]] | write_bench --schema\n");
        return 2;
    }
    make_bench(&bench, count > 2 ? strtod(arguments[2], NULL) : 1, count > 3 ? strtod(arguments[3], NULL) : 0.02);
    if (count > 4) rename_all(&bench, arguments[4]);
    status = cli_bench_write(writer, &report, &bench);
    cli_bench_free(&bench);
    return status == VKMM_OK && fflush(stdout) == 0 ? 0 : 1;
}
