/* vkmatmul check-worker, a hidden command: it runs the cases that check/conform.h asks for. */
#include <string.h>

#include "base/alloc.h"
#include "check/conform_trial.h"
#include "report/json.h"
#include "session/commands.h"

static const cli_case_part *const parts[] = {&cli_numbers_part, &cli_device_part, &cli_matrices_part,
                                             &cli_reductions_part, &cli_products_part};

const cli_case_part *cli_case_part_at(uint32_t index)
{
    return index < VKMM_COUNT(parts) ? parts[index] : NULL;
}

static vkmm_status run(cli_session *session, const cli_case_part *part, uint32_t index, cli_case *found, json_t *answer)
{
    const vkmm_status status = part->kinds != NULL
                                   ? cli_trial_run(session, &part->kinds[index], part->kinds[index].operation, found)
                                   : part->run(session, index, found);

    if (status == VKMM_OK && found->passed && session->options->validate && cli_session_validated(session) != VKMM_OK) {
        found->passed = 0;
        VKMM_PUT(found->why, "%.480s", session->console.last_error);
    }
    json_object_set_new(answer, "passed", json_boolean(found->passed));
    json_object_set_new(answer, "why", cli_json_of_text(found->why));
    json_object_set_new(answer, "again", cli_json_of_text(found->again));
    json_object_set_new(answer, "shader", found->shader != NULL ? json_string(found->shader) : json_null());
    vkmm_free(found->shader);
    return status;
}

static vkmm_status find(cli_session *session, const json_t *request, int runs, json_t *answer)
{
    const char *name = cli_json_text(request, "part", "");
    uint32_t index = (uint32_t)cli_json_number(request, "first", 0), i = 0, count;
    cli_case found = {.passed = 0};

    while (cli_case_part_at(i) != NULL && strcmp(cli_case_part_at(i)->name, name) != 0) i++;
    const cli_case_part *part = cli_case_part_at(i);
    if (part == NULL) return cli_worker_refuse(session, name);
    count = part->kinds != NULL ? part->kind_count : part->count(session);
    while (index < count && !(part->kinds != NULL ? cli_trial_find(session, &part->kinds[index], &found)
                                                  : part->find(session, index, &found)))
        index++;
    json_object_set_new(answer, "end", json_boolean(index >= count));
    if (index >= count) return VKMM_OK;
    json_object_set_new(answer, "index", json_integer(index));
    json_object_set_new(answer, "case", cli_json_of_text(found.name));
    json_object_set_new(answer, "finding", cli_json_of_text(found.finding));
    return runs ? run(session, part, index, &found, answer) : VKMM_OK;
}

static vkmm_status obey(void *user, const char *ask, const json_t *request, json_t *answer)
{
    cli_session *session = user;
    const vkmm_status status = cli_session_device(session);

    if (status != VKMM_OK) return status;
    if (strcmp(ask, "hello") == 0) return cli_worker_introduce(session, answer);
    if (strcmp(ask, "case") == 0) return find(session, request, 1, answer);
    if (strcmp(ask, "name") == 0) return find(session, request, 0, answer);
    return cli_worker_refuse(session, ask);
}

vkmm_status cli_command_check_worker(cli_session *session)
{
    return cli_worker_serve(session, obey, session);
}
