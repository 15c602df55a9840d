#include <stdio.h>

#include "base/alloc.h"
#include "report/json.h"
#include "report/text.h"
#include "worker/worker.h"

enum { MOST_REQUEST = 1 << 16 };

const char *cli_json_text(const json_t *object, const char *key, const char *otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? json_string_value(value) : otherwise;
}

double cli_json_number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

vkmm_status cli_worker_introduce(const cli_session *session, json_t *answer)
{
    json_object_set_new(answer, "uuid",
                        session->info != NULL ? json_string(CLI_UUID(session->info->uuid)) : json_null());
    json_object_set_new(answer, "name", cli_json_of_text(session->info != NULL ? session->info->name : session->host));
    return VKMM_OK;
}

vkmm_status cli_worker_refuse(const cli_session *session, const char *ask)
{
    return VKMM_FAIL(session->log, VKMM_INVALID, "this process does not know the request \"%.40s\"", ask);
}

static void answer_line(cli_session *session, const char *line, cli_obey *obey, void *user)
{
    json_t *request = json_loads(line, 0, NULL), *answer = json_object();
    session->console.last_error[0] = '\0';
    const vkmm_status status = obey(user, cli_json_text(request, "ask", ""), request, answer);
    vkmm_tell(session->log, status);
    json_object_set_new(answer, "status", json_integer(status));
    if (status != VKMM_OK) json_object_set_new(answer, "sentence", cli_json_of_text(session->console.last_error));
    /* As many digits as reports keep, so that figures of a run do not differ from those of its file. */
    json_dumpf(answer, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
    putchar('\n');
    fflush(stdout);
    json_decref(request);
    json_decref(answer);
}

vkmm_status cli_worker_serve(cli_session *session, cli_obey *obey, void *user)
{
    char *line = vkmm_alloc(MOST_REQUEST, 1);
    int asked = 0;
    cli_process_follow_parent();
    if (line == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for requests"));
    session->console.muted = 1; /* the sentences go into the answers */
    for (; fgets(line, MOST_REQUEST, stdin) != NULL; asked = 1) answer_line(session, line, obey, user);
    session->console.muted = 0;
    vkmm_free(line);
    if (asked) return VKMM_OK;
    return VKMM_FAIL(session->log, VKMM_INVALID, "this command is used only by other commands of vkmatmul");
}
