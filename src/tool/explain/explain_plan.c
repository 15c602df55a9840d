/* `vkmatmul explain` of a general kernel: how it is planned, and what follows from that. */
#include <string.h>
#include "math/problem.h"
#include "report/columns.h"
#include "explain/explain.h"
#include "report/json.h"
#include "report/records.h"
#include "report/text.h"
#include "report/wrap.h"

enum { VALUES = 21 }; /* the column that they begin in */

vkmm_plan_figures vkmm_plan_figures_of(const vkmm_explained_plan *plan)
{
    const vkmm_kernel_info *info = &plan->info;
    const double rows = info->tile[0], cols = info->tile[1],
                 invocations = (double)info->workgroup[0] * info->workgroup[1];
    const uint32_t in = vkmm_type_of(plan->problem.type)->bytes;
    const uint32_t sum = vkmm_type_of(vkmm_problem_compute(&plan->problem))->bytes;
    vkmm_plan_figures figures = {.registers = 0};

    if (!(rows * cols > 0) || !(invocations > 0)) return figures;
    figures.registers = rows * cols / invocations * sum / 4;
    figures.bytes_per_multiply_add = in * (rows + cols) / (rows * cols);
    figures.intensity = 2 / figures.bytes_per_multiply_add;
    if (info->subgroup_size > 0) figures.subgroups = (uint32_t)(invocations / info->subgroup_size);
    return figures;
}

static void put_line(const vkmm_report *report, const char *key, const char *text)
{
    fprintf(report->out, "  %s%-17s%s  ", vkmm_paint_on(report, VKMM_DIM), key, vkmm_paint_off(report, VKMM_DIM));
    vkmm_wrap(report, VALUES, text);
}

static void put_operations(const vkmm_report *report, const vkmm_kernel_info *info)
{
    const char *times = report->utf8 ? "×" : "x";
    char text[120];

    if (info->matrix[0] > 0)
        snprintf(text, sizeof text, "matrices of %u%s%u%s%u", info->matrix[0], times, info->matrix[1], times,
                 info->matrix[2]);
    else if (info->uses_matrices)
        snprintf(text, sizeof text, "matrices of flexible dimensions");
    else
        snprintf(text, sizeof text, "%s",
                 info->uses_dot8 ? "dot products of four bytes" : "ordinary multiplications and additions");
    put_line(report, "made of", text);
}

static void put_workgroup(const vkmm_report *report, const vkmm_kernel_info *info, const vkmm_plan_figures *figures)
{
    char text[200], bytes[32];

    if (figures->subgroups > 0)
        snprintf(text, sizeof text, "%u invocations, %u subgroup%s of %u", info->workgroup[0] * info->workgroup[1],
                 figures->subgroups, figures->subgroups == 1 ? "" : "s", info->subgroup_size);
    else
        snprintf(text, sizeof text, "%u invocations, in subgroups as the driver has them",
                 info->workgroup[0] * info->workgroup[1]);
    put_line(report, "workgroup", text);
    snprintf(text, sizeof text, "%llu item%s of work, %u part%s of K, for %u workgroup%s",
             (unsigned long long)info->items, info->items == 1 ? "" : "s", info->splits, info->splits == 1 ? "" : "s",
             info->groups[0], info->groups[0] == 1 ? "" : "s");
    put_line(report, "work", text);
    snprintf(text, sizeof text, "%.4g registers of 32 bits an invocation", figures->registers);
    put_line(report, "sums", text);
    vkmm_text_bytes(bytes, sizeof bytes, info->shared_bytes);
    snprintf(text, sizeof text, "%s a workgroup", bytes);
    put_line(report, "shared memory", info->shared_bytes > 0 ? text : "none");
    snprintf(text, sizeof text, "%.4g bytes a multiply-add, so %.4g FLOP/byte, if no cache helped",
             figures->bytes_per_multiply_add, figures->intensity);
    put_line(report, "asked of memory", text);
}

static void put_statistics(const vkmm_report *report, const vkmm_explained_plan *plan)
{
    for (uint32_t i = 0; i < plan->statistic_count; i++) {
        char name[VK_MAX_DESCRIPTION_SIZE], value[64], text[VK_MAX_DESCRIPTION_SIZE + 80];
        vkmm_text_clean(name, sizeof name, plan->statistic[i].name);
        vkmm_text_clean(value, sizeof value, plan->statistic[i].value);
        snprintf(text, sizeof text, "%s %s", name, value);
        put_line(report, i == 0 ? "the driver tells" : "", text);
    }
}

vkmm_status vkmm_explain_plan_table(vkmm_report *report, const vkmm_explained_plan *plan)
{
    const vkmm_plan_figures figures = vkmm_plan_figures_of(plan);
    const vkmm_kernel_info *info = &plan->info;
    char size[VKMM_TEXT_PROBLEM], config[2 * VKMM_CONFIG_TEXT];
    size_t used = 0;

    if (report->rows++ == 0)
        vkmm_print_device(report, plan->device, NULL);
    else
        putc('\n', report->out);
    vkmm_text_problem(size, sizeof size, &plan->problem, report->utf8);
    fprintf(report->out, "%s %s: %s, tiles of %u%s%u%s\n", size, vkmm_text_type(&plan->problem, report->utf8),
            info->name, info->tile[0], report->utf8 ? "×" : "x", info->tile[1], info->tuned ? ", tuned" : "");
    put_operations(report, info);
    put_workgroup(report, info, &figures);
    for (const char *c = info->config; *c != '\0' && used + 2 < sizeof config; c++) {
        config[used++] = *c;
        if (*c == ',') config[used++] = ' ';
    }
    config[used] = '\0';
    put_line(report, "configuration", config);
    put_statistics(report, plan);
    return VKMM_OK;
}

static json_t *statistics(const vkmm_explained_plan *plan)
{
    json_t *array;
    int bad = 0;

    if (!plan->device->has_statistics) return json_null();
    array = json_array();
    for (uint32_t i = 0; i < plan->statistic_count; i++) {
        json_t *object = json_object();
        bad += vkmm_json_put(object, "name", vkmm_json_text(plan->statistic[i].name));
        bad += vkmm_json_put(object, "value", vkmm_json_text(plan->statistic[i].value));
        bad += vkmm_json_put(object, "description", vkmm_json_text(plan->statistic[i].description));
        bad += json_array_append_new(array, object) != 0;
    }
    return vkmm_json_done(array, bad);
}

vkmm_status vkmm_explain_plan_json(vkmm_report *report, const vkmm_explained_plan *plan)
{
    const vkmm_plan_figures figures = vkmm_plan_figures_of(plan);
    json_t *object = json_object(), *planned = vkmm_record_json(&vkmm_kernel_record, &plan->info),
           *problem = json_object();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.explain/1"));

    bad += json_object_del(planned, "shader") != 0; /* only built-in kernels are explained */
    bad += vkmm_json_put(planned, "subgroups", figures.subgroups > 0 ? json_integer(figures.subgroups) : json_null());
    bad += vkmm_json_put(planned, "sum_registers", vkmm_json_number(figures.registers));
    bad += vkmm_json_put(planned, "bytes_per_multiply_add", vkmm_json_number(figures.bytes_per_multiply_add));
    bad += vkmm_json_put(planned, "flop_per_byte", vkmm_json_number(figures.intensity));
    bad += vkmm_json_put(planned, "statistics", statistics(plan));
    bad += vkmm_json_put(problem, "m", vkmm_json_integer(plan->problem.m));
    bad += vkmm_json_put(problem, "n", vkmm_json_integer(plan->problem.n));
    bad += vkmm_json_put(problem, "k", vkmm_json_integer(plan->problem.k));
    bad += vkmm_json_put_types(problem, &plan->problem);
    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(plan->device, NULL));
    bad += vkmm_json_put(object, "problem", problem);
    bad += vkmm_json_put(object, "planned", planned);
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
