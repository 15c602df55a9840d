/* `vkmatmul trace --indices`: the tutorials' picture of a grid: each element of C with all indices of the invocation
 * that computes it. */
#include <string.h>

#include "base/log.h"
#include "explain/trace_command.h"
#include "look/kernel.h"
#include "report/columns.h"
#include "report/json.h"
#include "report/records.h"

/* LISTED: the most elements as JSON. */
enum { LISTED = 100000, MOST = 64, LABEL = 12, STANDARD_WIDTH = 80, NARROWEST = 6 };

const cli_pair cli_pairs[CLI_PAIRS] = {{"global", offsetof(vkmm_invocation, global), 11},
                                       {"local", offsetof(vkmm_invocation, local), 9},
                                       {"workgroup", offsetof(vkmm_invocation, workgroup), 9},
                                       {"tile origin", offsetof(vkmm_invocation, tile_origin), 11}};

void cli_text_pair(char text[CLI_PAIR_TEXT], const cli_pair *pair, const vkmm_invocation *invocation)
{
    const void *at = (const char *)invocation + pair->offset;
    const uint32_t *xy = at;

    snprintf(text, CLI_PAIR_TEXT, "%u,%u", xy[0], xy[1]);
}

typedef struct picture {
    const cli_report *report;
    const vkmm_problem *problem;
    vkmm_kernel_info kernel;
    int width; /* of a pair */
} picture;

static vkmm_invocation place(const picture *p, uint64_t i, uint64_t j)
{
    vkmm_invocation one = {0};

    vkmm_kernel_place(&p->kernel, p->problem, i, j, &one);
    return one;
}

/* The indices along one extent that are shown, ascending. */
typedef struct shown {
    unsigned count;
    uint64_t index[MOST];
} shown;

static void add(shown *s, uint64_t index, uint64_t extent)
{
    unsigned at = s->count;

    if (index >= extent || s->count == MOST) return;
    for (unsigned i = 0; i < s->count; i++)
        if (s->index[i] == index) return;
    for (; at > 0 && s->index[at - 1] > index; at--) s->index[at] = s->index[at - 1];
    s->index[at] = index;
    s->count++;
}

/* All, if there is room; else the ends and both sides of the first border between tiles, the most informative first. */
static shown choose(uint64_t extent, uint64_t tile, uint64_t room)
{
    const uint64_t wanted[] = {0, extent - 1, tile, tile - 1, 1, extent - 2, tile + 1, 2 * tile - 1, 2 * tile};
    shown s = {0};

    if (room > MOST) room = MOST;
    for (uint64_t i = 0; extent <= room && i < extent; i++) add(&s, i, extent);
    for (unsigned i = 0; extent > room && i < VKMM_COUNT(wanted) && (s.count < room || s.count < 2); i++)
        add(&s, wanted[i], extent);
    return s;
}

/* Columns of the widest pair: it is at a corner, because all indices grow along rows and columns (linear ones along
 * both). */
static int widest(const picture *p)
{
    int width = NARROWEST;

    for (int corner = 0; corner < 4; corner++) {
        const vkmm_invocation one = place(p, corner & 1 ? p->problem->m - 1 : 0, corner & 2 ? p->problem->n - 1 : 0);
        for (int i = 0; i < CLI_PAIRS; i++) {
            char text[CLI_PAIR_TEXT];
            cli_text_pair(text, &cli_pairs[i], &one);
            if ((int)strlen(text) > width) width = (int)strlen(text);
        }
    }
    return width;
}

/* Between two shown neighbours: nothing, a tile's border, or what was left out. */
static const char *between(const picture *p, const shown *s, unsigned i)
{
    const uint32_t *tile = p->kernel.tile;

    if (i == 0) return "  ";
    if (s->index[i] != s->index[i - 1] + 1) return p->report->utf8 ? " …" : " ~";
    if (tile[0] > 1 && s->index[i] % tile[1] == 0) return p->report->utf8 ? " │" : " |";
    return "  ";
}

/* One kind of pair for all elements of row i; the columns' names if it is NULL. */
static void print_line(const picture *p, const shown *cols, uint64_t i, const cli_pair *pair)
{
    fprintf(p->report->out, "%-*s", LABEL, pair != NULL ? pair->name : "");
    for (unsigned j = 0; j < cols->count; j++) {
        const vkmm_invocation one = place(p, i, cols->index[j]);
        char text[CLI_PAIR_TEXT];
        if (pair != NULL)
            cli_text_pair(text, pair, &one);
        else
            VKMM_PUT(text, "col %llu", (unsigned long long)cols->index[j]);
        fprintf(p->report->out, "%s %*s", between(p, cols, j), p->width, text);
    }
    putc('\n', p->report->out);
}

static void print_picture(picture *p)
{
    const cli_report *report = p->report;
    const char *x = report->utf8 ? "×" : "x";
    const uint32_t *tile = p->kernel.tile;
    const int room = report->columns > 0 ? report->columns : STANDARD_WIDTH;

    p->width = widest(p);
    const shown rows = choose(p->problem->m, tile[0], 12),
                cols = choose(p->problem->n, tile[1], (uint64_t)(room - LABEL) / (uint64_t)(p->width + 3));
    fprintf(report->out, "%s, tile %u%s%u: an extent of %llu%s%llu; pairs are x,y\n\n", p->kernel.name, tile[0], x,
            tile[1], (unsigned long long)p->problem->m, x, (unsigned long long)p->problem->n);
    print_line(p, &cols, 0, NULL);
    for (unsigned i = 0; i < rows.count; i++) {
        if (i > 0 && rows.index[i] != rows.index[i - 1] + 1) {
            fprintf(report->out, "%s\n", report->utf8 ? "⋮" : ":");
        } else if (i > 0 && tile[0] > 1 && rows.index[i] % tile[0] == 0) {
            for (int j = LABEL + (int)cols.count * (p->width + 3); j > 0; j--)
                fputs(report->utf8 ? "─" : "-", report->out);
            putc('\n', report->out);
        }
        fprintf(report->out, "%srow %llu%s\n", CLI_PAINTED(report, CLI_STRONG, (unsigned long long)rows.index[i]));
        for (int j = 0; j < CLI_PAIRS; j++) print_line(p, &cols, rows.index[i], &cli_pairs[j]);
    }
}

static vkmm_status write_json(const picture *p, const vkmm_device_info *device)
{
    json_t *elements = json_array();
    int bad = 0;

    for (uint64_t i = 0; i < p->problem->m; i++) {
        for (uint64_t j = 0; j < p->problem->n; j++) {
            const vkmm_invocation one = place(p, i, j);
            bad += cli_json_add(elements, cli_record_json(&cli_invocation_record, &one));
        }
    }
    return cli_json_line(
        p->report,
        cli_json_done(cli_json_document(
                          p->report, "vkmatmul.indices/1", device, NULL,
                          json_pack("{s:[I,I],s:o,s:o}", "extent", (json_int_t)p->problem->m, (json_int_t)p->problem->n,
                                    "kernel", cli_record_json(&cli_kernel_record, &p->kernel), "elements", elements)),
                      bad));
}

vkmm_status cli_trace_indices(cli_session *session, const vkmm_job_params *job)
{
    const vkmm_log *log = session->log;
    picture p = {.report = &session->report, .problem = &job->problem};
    const unsigned long long elements = job->problem.m * job->problem.n;
    vkmm_invocation first;
    vkmm_status status = vkmm_kernel_choose(log, session->info, job, &p.kernel);

    if (status == VKMM_OK) status = vkmm_tell(log, vkmm_kernel_place(&p.kernel, p.problem, 0, 0, &first));
    if (status != VKMM_OK) return status;
    if (session->options->json && elements > LISTED)
        return VKMM_FAIL(
            log, VKMM_INVALID,
            "the indices of %llu elements; at most %d are listed as JSON: try 300x300, or leave out --json", elements,
            (int)LISTED);
    if (!session->options->json)
        print_picture(&p);
    else if (write_json(&p, session->info) != VKMM_OK)
        return vkmm_tell(log, VKMM_NO_MEMORY("to write the indices"));
    return cli_report_flush(&session->report, log);
}
