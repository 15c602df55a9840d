#include "tune/tune_protocol.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void cli_write_problem(const vkmm_problem *p, char line[CLI_LINE])
{
    snprintf(line, CLI_LINE,
             "problem %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
             " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %a %a %d %d %d %d %d\n",
             p->m, p->n, p->k, (int)p->type, (int)p->layout, (int)p->op_a, (int)p->op_b, p->lda, p->ldb, p->ldc,
             p->offset_a, p->offset_b, p->offset_c, p->batch_count, p->stride_a, p->stride_b, p->stride_c, p->scaled,
             p->alpha, p->beta, p->typed, (int)p->out_type, (int)p->compute, (int)p->activation, p->has_bias);
}

int cli_read_problem(const char *line, vkmm_problem *p)
{
    int type, layout, op_a, op_b, out_type, compute, activation;

    memset(p, 0, sizeof *p);
    if (sscanf(line,
               "problem %" SCNu64 " %" SCNu64 " %" SCNu64 " %d %d %d %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %d %la %la %d %d %d %d %d",
               &p->m, &p->n, &p->k, &type, &layout, &op_a, &op_b, &p->lda, &p->ldb, &p->ldc, &p->offset_a, &p->offset_b,
               &p->offset_c, &p->batch_count, &p->stride_a, &p->stride_b, &p->stride_c, &p->scaled, &p->alpha, &p->beta,
               &p->typed, &out_type, &compute, &activation, &p->has_bias) != 25)
        return 0;
    p->type = (vkmm_type)type;
    p->layout = (vkmm_layout)layout;
    p->op_a = (vkmm_op)op_a;
    p->op_b = (vkmm_op)op_b;
    p->out_type = (vkmm_type)out_type;
    p->compute = (vkmm_type)compute;
    p->activation = (vkmm_activation)activation;
    return 1;
}

static const char *config_word(const vkmm_candidate *candidate)
{
    return candidate->config[0] != '\0' ? candidate->config : "-";
}

static void take_config(vkmm_candidate *candidate)
{
    if (strcmp(candidate->config, "-") == 0) candidate->config[0] = '\0';
}

void cli_write_try(const vkmm_candidate *candidate, double limit_ms, char line[CLI_LINE])
{
    snprintf(line, CLI_LINE, "try %.6f %s %s\n", limit_ms, candidate->kernel, config_word(candidate));
}

int cli_read_try(const char *line, vkmm_candidate *candidate, double *limit_ms)
{
    if (sscanf(line, "try %lf %31s %191s", limit_ms, candidate->kernel, candidate->config) != 3) return 0;
    take_config(candidate);
    return 1;
}

void cli_write_duel(const vkmm_candidate pair[2], double time_ms, char line[CLI_LINE])
{
    snprintf(line, CLI_LINE, "duel %.3f %s %s %s %s\n", time_ms, pair[0].kernel, config_word(&pair[0]), pair[1].kernel,
             config_word(&pair[1]));
}

int cli_read_duel(const char *line, vkmm_candidate pair[2], double *time_ms)
{
    if (sscanf(line, "duel %lf %31s %191s %31s %191s", time_ms, pair[0].kernel, pair[0].config, pair[1].kernel,
               pair[1].config) != 5)
        return 0;
    take_config(&pair[0]);
    take_config(&pair[1]);
    return 1;
}

void cli_write_answer(const cli_answer *answer, int duel, char line[CLI_LINE])
{
    if (answer->status == VKMM_WRONG_RESULT)
        snprintf(line, CLI_LINE, "wrong %s\n", answer->sentence);
    else if (answer->status != VKMM_OK)
        snprintf(line, CLI_LINE, "failed %d %s\n", (int)answer->status, answer->sentence);
    else if (duel)
        snprintf(line, CLI_LINE, "ok %.9f %.9f %.6f %.6f %u\n", answer->ms[0], answer->ms[1], answer->ratio,
                 answer->upper, answer->rounds);
    else
        snprintf(line, CLI_LINE, "ok %.9f %u\n", answer->ms[0], answer->rounds);
}

static int is_positive(double value)
{
    return isfinite(value) && value > 0;
}

static int read_ok(const char *line, int duel, cli_answer *answer)
{
    if (!duel) return sscanf(line, "ok %lf %u", &answer->ms[0], &answer->rounds) == 2 && is_positive(answer->ms[0]);
    if (sscanf(line, "ok %lf %lf %lf %lf %u", &answer->ms[0], &answer->ms[1], &answer->ratio, &answer->upper,
               &answer->rounds) != 5)
        return 0;
    return is_positive(answer->ms[0]) && is_positive(answer->ms[1]) && is_positive(answer->ratio) &&
           is_positive(answer->upper);
}

int cli_read_answer(const char *line, int duel, cli_answer *answer)
{
    int status = 0, used = 0;

    *answer = (cli_answer){.status = VKMM_OK};
    if (strncmp(line, "ok ", 3) == 0) return read_ok(line, duel, answer);
    if (strncmp(line, "wrong ", 6) == 0) {
        answer->status = VKMM_WRONG_RESULT;
        used = 6;
    } else if (sscanf(line, "failed %d %n", &status, &used) == 1 && status > VKMM_WRONG_RESULT &&
               status <= VKMM_DEVICE_LOST && used > 0) {
        answer->status = (vkmm_status)status;
    } else {
        return 0;
    }
    snprintf(answer->sentence, sizeof answer->sentence, "%s", line + used);
    return 1;
}
