#include "report/csv_fields.h"

#include <math.h>
#include <string.h>

#include "math/problem.h"
#include "math/types_name.h"
#include "report/text.h"

void vkmm_csv_text(FILE *out, const char *text)
{
    char clean[2048];
    const char *guard;

    vkmm_text_clean(clean, sizeof clean, text != NULL ? text : "");
    guard = clean[0] != '\0' && strchr("=+-@", clean[0]) != NULL ? "'" : "";
    if (strpbrk(clean, ",\"") == NULL) {
        fprintf(out, "%s%s", guard, clean);
        return;
    }
    fprintf(out, "\"%s", guard);
    for (const char *c = clean; *c != '\0'; c++) {
        if (*c == '"') putc('"', out);
        putc(*c, out);
    }
    putc('"', out);
}

void vkmm_csv_number(FILE *out, double value)
{
    if (isfinite(value)) fprintf(out, "%.10g", value);
}

void vkmm_csv_next_text(FILE *out, const char *text)
{
    putc(',', out);
    vkmm_csv_text(out, text);
}

void vkmm_csv_next_number(FILE *out, double value)
{
    putc(',', out);
    vkmm_csv_number(out, value);
}

void vkmm_csv_next_types(FILE *out, const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);

    vkmm_csv_next_text(out, vkmm_type_of(types.out)->name);
    vkmm_csv_next_text(out, vkmm_type_of(types.compute)->name);
    vkmm_csv_next_text(out, vkmm_activation_name(problem->activation));
    vkmm_csv_next_text(out, problem->has_bias ? "true" : "false");
}
