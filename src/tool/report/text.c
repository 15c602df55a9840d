#include <math.h>
#include <stdio.h>
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/text.h"

size_t cli_text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text != '\0'; text++) columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

const char *cli_text_figure(char *text, size_t size, double value)
{
    int decimals = value < 1 ? 4 : value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
    if (value > 0 && value < 0.001)
        snprintf(text, size, "%.2g", value);
    else
        snprintf(text, size, "%.*f", decimals, value);
    return text;
}

const char *cli_text_bytes(char *text, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    unsigned unit = 0;
    while (unit < 6 && bytes >> (10 * (unit + 1)) != 0) unit++;
    if (unit == 0 || bytes % (UINT64_C(1) << (10 * unit)) == 0)
        snprintf(text, size, "%llu %s", (unsigned long long)(bytes >> (10 * unit)), units[unit]);
    else
        snprintf(text, size, "%.1f %s", (double)bytes / (double)(UINT64_C(1) << (10 * unit)), units[unit]);
    return text;
}

void cli_text_bar(char *text, double share, int columns, int utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int most = 8 * columns, length = (int)(share * most + 0.5);
    const int shown = length < 1 ? 1 : length > most ? most : length;
    for (int i = 0; i < shown / 8; i++) text += sprintf(text, "%s", utf8 ? "█" : "#");
    sprintf(text, "%s", utf8 ? eighths[shown % 8] : shown < 8 ? "#" : "");
}

double cli_text_log_share(double value, double least, double most)
{
    return log(2 * value / least) / log(2 * most / least);
}

void cli_text_size(char *text, size_t size, const vkmm_problem *problem, int utf8)
{
    unsigned long long m = problem->m, n = problem->n, k = problem->k;
    if (m == n && n == k)
        snprintf(text, size, utf8 ? "%llu³" : "%llu^3", m);
    else
        snprintf(text, size, utf8 ? "%llu×%llu×%llu" : "%llux%llux%llu", m, n, k);
}

const char *cli_text_problem(char *text, size_t size, const vkmm_problem *problem, int utf8)
{
    const uint64_t batches = vkmm_problem_batches(problem);
    cli_text_size(text, size, problem, utf8);
    if (problem->op_a != VKMM_OP_N || problem->op_b != VKMM_OP_N)
        vkmm_join(text, size, " ", "%c%c", "NT"[problem->op_a], "NT"[problem->op_b]);
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const vkmm_format format = vkmm_operand_format(problem, (vkmm_operand)o);
        const char *name = vkmm_format_at(format)->name;
        if (format != VKMM_PLAIN) vkmm_join(text, size, " ", "%c %s", "AB"[o], name);
    }
    if (batches > 1) vkmm_join(text, size, " ", utf8 ? "×%llu" : "x%llu", (unsigned long long)batches);
    if (problem->has_bias) vkmm_join(text, size, " ", "+bias");
    if (problem->activation != VKMM_ACTIVATION_NONE)
        vkmm_join(text, size, " ", "%s", vkmm_activation_name(problem->activation));
    return text;
}

const char *cli_text_type(const vkmm_problem *problem, int utf8)
{
    const vkmm_method_info *method = vkmm_method_at(problem->method);
    const char *title = method->titles[problem->type == method->types[1]];
    return title ? title : vkmm_types_name(vkmm_problem_types(problem), utf8);
}

static void add_integer(char *text, size_t size, const char *name, uint64_t value)
{
    vkmm_join(text, size, ", ", "%s %llu", name, (unsigned long long)value);
}

static void add_operand(char *text, size_t size, const vkmm_problem *problem, vkmm_operand operand)
{
    static const char *const names[][3] = {
        {"lda", "offset_a", "stride_a"}, {"ldb", "offset_b", "stride_b"}, {"ldc", "offset_c", "stride_c"}};
    const vkmm_op op = operand == VKMM_A ? problem->op_a : operand == VKMM_B ? problem->op_b : VKMM_OP_N;
    const int by_rows = (op == VKMM_OP_N) == (problem->layout == VKMM_ROW_MAJOR);
    const uint64_t rows = vkmm_operand_rows(problem, operand), cols = vkmm_operand_cols(problem, operand);
    const uint64_t ld = vkmm_operand_ld(problem, operand), length = by_rows ? cols : rows;
    if (ld != (length > 0 ? length : 1)) add_integer(text, size, names[operand][0], ld);
    if (vkmm_operand_offset(problem, operand) > 0)
        add_integer(text, size, names[operand][1], vkmm_operand_offset(problem, operand));
    if (vkmm_problem_batches(problem) > 1 && vkmm_operand_stride(problem, operand) != ld * (by_rows ? rows : cols))
        add_integer(text, size, names[operand][2], vkmm_operand_stride(problem, operand));
}

void cli_text_difference(char *text, size_t size, const vkmm_problem *problem)
{
    snprintf(text, size, "%s", problem->layout == VKMM_COL_MAJOR ? "column-major" : "");
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) add_operand(text, size, problem, (vkmm_operand)operand);
    if (problem->alpha != 1) vkmm_join(text, size, ", ", "alpha %.10g", problem->alpha);
    if (problem->beta != 0) vkmm_join(text, size, ", ", "beta %.10g", problem->beta);
}

const char *cli_text_uuid(char text[CLI_UUID_TEXT], const uint8_t uuid[VK_UUID_SIZE])
{
    char *end = text;
    for (unsigned i = 0; i < VK_UUID_SIZE; i++)
        end += sprintf(end, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", (unsigned)uuid[i]);
    return text;
}

const char *cli_text_version(uint32_t version, char text[32])
{
    snprintf(text, 32, "%u.%u.%u", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
             VK_API_VERSION_PATCH(version));
    return text;
}

const char *cli_text_device_type(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return "cpu";
    default:
        return "other";
    }
}
