/* write_bench FORMAT [SPEED [NOISE]]: the sample report on standard output, in a format of bench/writer.h; SPEED and
 * NOISE as make_bench takes them.
 * write_bench --schema [FILE]: the schema of reports, on standard output or into doc/bench.schema.json. */
#include "make_bench.h"
#include "bench/records.h"
#include "bench/writer.h"

#include <stdlib.h>
#include <string.h>

static int write_schema(const char *path)
{
    FILE *out = path != NULL ? fopen(path, "w") : stdout;
    json_t *schema = vkmm_bench_schema();
    int fine = out != NULL && schema != NULL && json_dumpf(schema, out, JSON_INDENT(2)) == 0 && putc('\n', out) == '\n';

    json_decref(schema);
    if (out != NULL) fine = fclose(out) == 0 && fine;
    return fine ? 0 : 1;
}

int main(int count, char **arguments)
{
    const vkmm_bench_writer *writer = count > 1 ? vkmm_bench_writer_find(arguments[1]) : NULL;
    vkmm_report report = {
        .out = stdout, .utf8 = 1, .version = "0.1.0", .shader_hash = "0123456789abcdef", .command = "vkmatmul"};
    vkmm_bench bench = {0};
    vkmm_status status;

    if (count > 1 && strcmp(arguments[1], "--schema") == 0) return write_schema(count > 2 ? arguments[2] : NULL);
    if (!writer) {
        fprintf(stderr, "usage: write_bench FORMAT [SPEED [NOISE]] | write_bench --schema [FILE]\n");
        return 2;
    }
    make_bench(&bench, count > 2 ? strtod(arguments[2], NULL) : 1, count > 3 ? strtod(arguments[3], NULL) : 0.02);
    status = vkmm_bench_write(writer, &report, &bench);
    vkmm_bench_free(&bench);
    return (int)status;
}
