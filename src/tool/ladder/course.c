/* What the page gets is the JSON of the ladder with more keys: "traces", an object for each kernel, with where its
 * invocations work and what one of them has summed up, or the reason why there is none; "peaks", if they are known; and
 * "sources", the texts of the user's shaders. Those of the built-in ones are in the page already. */
#include "ladder/course.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "course_page_parts.h" /* made by embed.py: the page before and after its data */
#include "look/trace.h"
#include "math/matrix.h"
#include "session/output_file.h"

/* The product that is traced: on the page a row of A has two lines of memory of 32 bytes, a row of B one, and the
 * larger tiles need two steps along K. */
enum { ROWS = 8, COLS = 8, DEPTH = 16 };

enum { MOST_SOURCE = 60000 }; /* bytes of a user's shader that the page shows */

vkmm_status cli_course_check(const cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    if (options->html == NULL) return VKMM_OK;
    if (cli_size_count(options) > 1)
        return VKMM_FAIL(log, VKMM_INVALID, "--html writes a page of one size, but the ladder has %zu",
                         cli_size_count(options));
    if (strcmp(options->html, "/dev/stdout") == 0)
        return VKMM_FAIL(log, VKMM_INVALID, "the ladder and the page of --html cannot both go to standard output");
    return cli_output_page(session, "--html", options->html, options->shaders.item, options->shaders.count);
}

/* Large tiles, and those whose invocations compute several elements, become tiles of 8, others of 4, so that they
 * differ here too. */
static uint32_t small_side(uint32_t side, uint32_t invocations)
{
    if (side >= 32 || side > invocations) return 8;
    return side > 1 ? 4 : 1;
}

static vkmm_trace_params small_product(const vkmm_kernel_info *kernel)
{
    static uint32_t a[ROWS * DEPTH], b[DEPTH * COLS];
    vkmm_fill(a, ROWS, DEPTH, VKMM_I32, VKMM_INIT_INDEX, 0);
    vkmm_fill(b, DEPTH, COLS, VKMM_I32, VKMM_INIT_INDEX, 0);
    return (vkmm_trace_params){.job.problem = VKMM_PROBLEM(.m = ROWS, .n = COLS, .k = DEPTH, .type = VKMM_I32),
                               .job.kernel = kernel->name,
                               .job.tile_rows = small_side(kernel->tile[0], kernel->workgroup[1]),
                               .job.tile_cols = small_side(kernel->tile[1], kernel->workgroup[0]),
                               .a = a,
                               .b = b};
}

/* Elements are [row, column, x, y of the invocation in its workgroup]; several may have one invocation. */
static json_t *traced(const vkmm_trace *trace)
{
    const int32_t *sums = trace->sums;
    json_t *elements = json_array(), *followed = json_array();
    int bad = 0;
    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        const vkmm_invocation *one = &trace->invocations[i];
        bad += cli_json_add(elements, json_pack("[i,i,i,i]", one->row, one->col, one->local[0], one->local[1]));
    }
    for (uint32_t k = 0; k < trace->sum_count; k++)
        bad += cli_json_add(followed, json_integer(sums[k * trace->invocation_count + trace->followed]));
    return cli_json_done(json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:o,s:o}", "m", ROWS, "n", COLS, "k", DEPTH, "rows",
                                   trace->kernel.tile[0], "cols", trace->kernel.tile[1], "depth", trace->depth,
                                   "elements", elements, "sums", followed),
                         bad);
}

/* The reason is kept and not shown: the table has said already what did not run. */
static json_t *trace_of(cli_session *session, const cli_bench_row *row)
{
    const vkmm_trace_params params = small_product(&row->kernel);
    vkmm_trace *trace = NULL;
    vkmm_status status;
    json_t *json;
    if (row->not_run[0] != '\0') return json_pack("{s:o}", "reason", cli_json_of_text(row->not_run));
    if (row->shader_file != NULL || row->kernel.config[0] != '\0')
        return json_pack("{s:s}", "reason", "it has no build that records what its invocations do");
    session->console.muted = 1;
    session->console.last_error[0] = '\0';
    status = vkmm_trace_create(session->device, &params, &trace);
    session->console.muted = 0;
    json =
        status == VKMM_OK ? traced(trace) : json_pack("{s:o}", "reason", cli_json_of_text(session->console.last_error));
    vkmm_trace_destroy(&trace);
    return json;
}

static int put_traces(json_t *document, cli_session *session, const cli_ladder *ladder)
{
    json_t *traces = json_object();
    int bad = 0;
    for (uint32_t i = 0; i < ladder->count; i++) {
        const cli_bench_row *row = &ladder->rows[i];
        const char *name = row->shader_file != NULL ? row->shader_file : row->kernel.name;
        if (json_object_get(traces, name) == NULL) bad += cli_json_put(traces, name, trace_of(session, row));
    }
    return bad + cli_json_put(document, "traces", traces);
}

static int put_peaks(json_t *document, const cli_session *session)
{
    const vkmm_peaks *peaks = &session->peaks[VKMM_F32];
    if (!(peaks->multiply_adds_per_s > 0)) return 0;
    return cli_json_put(document, "peaks", json_pack("{s:f}", "multiply_adds_per_s", peaks->multiply_adds_per_s));
}

/* SPIR-V, and what is too long to read, is left out. */
static int put_sources(json_t *document, const cli_session *session)
{
    const cli_list *files = &session->options->shaders;
    json_t *sources = json_object();
    for (uint32_t i = 0; i < files->count; i++) {
        vkmm_mapping file = {.fd = -1};
        json_t *text = NULL;
        if (vkmm_tell(session->log, vkmm_mapping_open(files->item[i], &file)) == VKMM_OK && file.bytes <= MOST_SOURCE)
            text = json_stringn(file.data, (size_t)file.bytes); /* NULL if it is not UTF-8 */
        vkmm_mapping_close(&file);
        if (text != NULL) (void)json_object_set_new(sources, files->item[i], text);
    }
    return cli_json_put(document, "sources", sources);
}

vkmm_status cli_course_write(cli_session *session, const cli_ladder *ladder)
{
    const char *path = session->options->html;
    json_t *document;
    char *json = NULL;
    vkmm_status status;
    if (path == NULL) return VKMM_OK;
    document = cli_json_ladder(&session->report, ladder);
    if (document != NULL &&
        put_traces(document, session, ladder) + put_peaks(document, session) + put_sources(document, session) == 0)
        json = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(document);
    status = cli_output_write_page(session, path, &cli_course_template, json);
    free(json);
    return status;
}
