#include "base/alloc.h"
#include "base/file.h"
#include "system/process.h"
#include "bench/read.h"
#include "session/commands.h"
#include "bench/page.h"

#include <stdio.h>
#include <string.h>

#define GNUPLOT_PATIENCE_MS 30000.0
#define LARGEST_DRAWING     ((size_t)16 << 20)

static const char NO_GNUPLOT[] =
    "gnuplot is not installed here, so no charts are drawn; their figures are in the tables";

static vkmm_status check(const vkmm_log *log, const cli_options *options)
{
    if (options->operand_count == 0)
        return vkmm_fail(
            log, VKMM_INVALID,
            "report needs at least one file: the report of 'vkmatmul bench -o FILE.json', or a tune's --json");
    return VKMM_OK;
}

static vkmm_status read_all(const vkmm_log *log, const cli_options *options, vkmm_bench *benches)
{
    vkmm_status status = VKMM_OK;

    for (uint32_t i = 0; i < options->operand_count && status == VKMM_OK; i++)
        status = vkmm_bench_open(log, options->operands[i], &benches[i]);
    return status;
}

/* ---- drawing ---- */

/* -d: no settings of this user's own. */
static vkmm_status draw(const vkmm_log *log, const vkmm_chart *chart, vkmm_drawing kind, int titled, char **drawing,
                        size_t *bytes)
{
    char program[] = "gnuplot", settings[] = "-d";
    char *const arguments[] = {program, settings, NULL};
    char *input = vkmm_chart_input(chart, kind, titled);
    vkmm_status status;

    if (input == NULL) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for a chart");
    status = vkmm_process_filter(log, arguments, input, GNUPLOT_PATIENCE_MS, LARGEST_DRAWING, drawing, bytes);
    vkmm_free(input);
    return status;
}

/* Draws for the page. *missing: why there are no charts. One that gnuplot does not draw costs itself alone, and a
 * warning. */
static vkmm_status draw_all(cli_session *session, vkmm_charts *charts, const char **missing)
{
    const vkmm_log *log = &session->console.log;

    *missing = NULL;
    for (uint32_t i = 0; i < charts->count; i++) {
        vkmm_chart *chart = &charts->chart[i];
        size_t bytes;
        vkmm_status status;
        cli_progress(&session->console, "drawing chart %u of %u", i + 1, charts->count);
        session->console.muted++;
        status = draw(log, chart, VKMM_DRAW_SVG, 0, &chart->svg, &bytes);
        session->console.muted--;
        if (vkmm_interrupted()) return vkmm_fail(log, VKMM_INVALID, "interrupted; no page was written");
        if (status == VKMM_OUT_OF_MEMORY) return vkmm_fail(log, status, "no memory to draw");
        if (status == VKMM_NO_DEVICE) {
            *missing = NO_GNUPLOT;
            vkmm_say(log, VKMM_LOG_WARNING, "%s", *missing);
            return VKMM_OK;
        }
        if (status != VKMM_OK)
            vkmm_say(log, VKMM_LOG_WARNING, "no chart '%s': %s", chart->title, session->console.last_error);
    }
    cli_progress_end(&session->console);
    return VKMM_OK;
}

/* ---- the page ---- */

static vkmm_status write_page(cli_session *session, const vkmm_bench *benches, vkmm_charts *charts,
                              vkmm_output **output)
{
    const vkmm_log *log = &session->console.log;
    const char *missing;
    char *page = NULL;
    size_t bytes = 0;
    vkmm_status status = draw_all(session, charts, &missing);

    if (status != VKMM_OK) return status;
    status =
        vkmm_bench_page(&session->report, benches, session->options->operand_count, charts, missing, &page, &bytes);
    if (status != VKMM_OK) return vkmm_fail(log, status, "no memory to write the page");
    status = vkmm_output_write(*output, page, bytes);
    vkmm_free(page);
    return status == VKMM_OK ? vkmm_output_commit(output) : status;
}

/* ---- single charts ---- */

static vkmm_status write_file(const vkmm_log *log, const char *folder, const char *name, const char *ending,
                              const char *data, size_t bytes)
{
    const size_t room = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = vkmm_alloc(room, 1);
    vkmm_output *output = NULL;
    vkmm_status status;

    if (path == NULL) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for the name of a chart");
    snprintf(path, room, "%s/%s%s", folder, name, ending);
    status = vkmm_output_open(log, path, &output);
    if (status == VKMM_OK) status = vkmm_output_write(output, data, bytes);
    if (status == VKMM_OK) status = vkmm_output_commit(&output);
    vkmm_output_discard(&output);
    vkmm_free(path);
    return status;
}

static vkmm_status no_gnuplot(const vkmm_log *log)
{
    return vkmm_fail(log, VKMM_UNSUPPORTED, "gnuplot is not installed here, and without it no chart can be drawn");
}

static vkmm_status write_svg(cli_session *session, const char *folder, const vkmm_chart *chart)
{
    const vkmm_log *log = &session->console.log;
    char *drawing = NULL, *clean;
    size_t bytes = 0;
    vkmm_status status;

    session->console.muted++;
    status = draw(log, chart, VKMM_DRAW_SVG, 1, &drawing, &bytes);
    session->console.muted--;
    if (status == VKMM_NO_DEVICE) return no_gnuplot(log);
    if (status != VKMM_OK)
        return vkmm_fail(log, status, "no chart '%s': %s", chart->title, session->console.last_error);
    clean = vkmm_chart_clean(drawing, "c", chart->title, 1);
    if (clean == NULL)
        status = vkmm_fail(log, VKMM_INVALID, "gnuplot did not write an SVG drawing for the chart '%s'", chart->title);
    else
        status = write_file(log, folder, chart->name, ".svg", clean, strlen(clean));
    vkmm_free(clean);
    vkmm_free(drawing);
    return status;
}

/* gnuplot is built with either, both or none. */
static vkmm_status write_png(cli_session *session, const char *folder, const vkmm_chart *chart)
{
    const vkmm_log *log = &session->console.log;
    char *drawing = NULL;
    size_t bytes = 0;
    vkmm_status status = VKMM_INVALID;

    session->console.muted++;
    for (vkmm_drawing kind = VKMM_DRAW_PNGCAIRO; kind <= VKMM_DRAW_PNG && status == VKMM_INVALID; kind++)
        status = draw(log, chart, kind, 1, &drawing, &bytes);
    session->console.muted--;
    if (status == VKMM_NO_DEVICE) return no_gnuplot(log);
    if (status != VKMM_OK || bytes < 8 || memcmp(drawing, "\211PNG\r\n\032\n", 8) != 0)
        status = vkmm_fail(log, status == VKMM_OUT_OF_MEMORY ? status : VKMM_UNSUPPORTED,
                           "gnuplot drew no PNG, neither by its terminal pngcairo nor by png (--svg writes SVG): %s",
                           session->console.last_error);
    else
        status = write_file(log, folder, chart->name, ".png", drawing, bytes);
    vkmm_free(drawing);
    return status;
}

static vkmm_status write_charts(cli_session *session, const vkmm_charts *charts)
{
    const cli_options *options = session->options;
    vkmm_status status = VKMM_OK;

    if (charts->left_out > 0)
        vkmm_say(&session->console.log, VKMM_LOG_WARNING,
                 "%u charts more than %d are left out: fewer reports at a time have them all", charts->left_out,
                 VKMM_MAX_CHARTS);
    if (charts->count == 0)
        vkmm_say(&session->console.log, VKMM_LOG_WARNING, "these reports have nothing that could be drawn");
    for (uint32_t i = 0; i < charts->count && status == VKMM_OK; i++) {
        cli_progress(&session->console, "drawing chart %u of %u", i + 1, charts->count);
        if (options->svg != NULL) status = write_svg(session, options->svg, &charts->chart[i]);
        if (options->png != NULL && status == VKMM_OK) status = write_png(session, options->png, &charts->chart[i]);
    }
    cli_progress_end(&session->console);
    return status;
}

/* ---- all of it ---- */

static vkmm_status show(cli_session *session, const vkmm_bench *benches, vkmm_output **output)
{
    const cli_options *options = session->options;
    const vkmm_log *log = &session->console.log;
    vkmm_charts *charts;
    vkmm_status status;

    if (*output == NULL && options->svg == NULL && options->png == NULL) {
        status = vkmm_bench_bars(&session->report, benches, options->operand_count);
        return status == VKMM_OK ? vkmm_report_flush(&session->report, log)
                                 : vkmm_fail(log, status, "no memory to draw");
    }
    charts = vkmm_alloc(1, sizeof *charts);
    status = charts != NULL ? vkmm_charts_make(benches, options->operand_count, charts) : VKMM_OUT_OF_MEMORY;
    if (status != VKMM_OK)
        vkmm_fail(log, status, "no memory for the charts");
    else {
        if (*output != NULL) status = write_page(session, benches, charts, output);
        if (status == VKMM_OK && (options->svg != NULL || options->png != NULL)) status = write_charts(session, charts);
        vkmm_charts_free(charts);
    }
    vkmm_free(charts);
    return status;
}

/* Ctrl-C ends gnuplot, and leaves nothing half written. */
static vkmm_status show_all(cli_session *session, const vkmm_bench *benches, vkmm_output **output)
{
    vkmm_status status;

    vkmm_interrupt_catch();
    status = show(session, benches, output);
    if (vkmm_interrupted()) status = (vkmm_status)(128 + vkmm_interrupted()); /* as shells count it */
    vkmm_interrupt_release();
    return status;
}

vkmm_status cli_report(cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = &session->console.log;
    vkmm_output *output = NULL;
    vkmm_bench *benches = NULL;
    vkmm_status status = check(log, options);

    if (status == VKMM_OK && options->output != NULL) status = vkmm_output_open(log, options->output, &output);
    if (status == VKMM_OK && options->svg != NULL) status = vkmm_folder_make(log, options->svg);
    if (status == VKMM_OK && options->png != NULL) status = vkmm_folder_make(log, options->png);
    if (status == VKMM_OK) benches = vkmm_alloc(options->operand_count, sizeof *benches);
    if (status == VKMM_OK && benches == NULL)
        status = vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for %u reports", options->operand_count);
    if (status == VKMM_OK) status = read_all(log, options, benches);
    if (status == VKMM_OK) status = show_all(session, benches, &output);
    cli_progress_end(&session->console);
    for (uint32_t i = 0; benches != NULL && i < options->operand_count; i++) vkmm_bench_free(&benches[i]);
    vkmm_free(benches);
    vkmm_output_discard(&output);
    return status;
}
