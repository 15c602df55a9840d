/* write_bench FORMAT [SPEED [NOISE]]: the sample report on standard output, in a format of report/report.h; SPEED and
 * NOISE as make_bench takes them.
 * write_bench --schema: what the tables tell of the schema of reports. */
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

int main(int count, char **arguments)
{
    const cli_writer *writer = count > 1 ? cli_writer_find(arguments[1]) : NULL;
    cli_report report = {
        .out = stdout, .utf8 = 1, .version = "0.1.0", .shader_hash = "0123456789abcdef", .command = "vkmatmul"};
    cli_bench bench = {0};
    vkmm_status status;

    if (count > 1 && strcmp(arguments[1], "--schema") == 0) return write_schema();
    if (!writer) {
        fprintf(stderr, "usage: write_bench FORMAT [SPEED [NOISE]] | write_bench --schema\n");
        return 2;
    }
    make_bench(&bench, count > 2 ? strtod(arguments[2], NULL) : 1, count > 3 ? strtod(arguments[3], NULL) : 0.02);
    status = cli_bench_write(writer, &report, &bench);
    cli_bench_free(&bench);
    return (int)status;
}
