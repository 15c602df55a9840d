/* vkmatmul doctor-worker, a command of the program's own (devices/doctor.h): it examines a device in a process of
 * its own, because a driver that crashes or hangs takes the process with it. */
#include "base/clock.h"
#include "session/commands.h"
#include "devices/doctor.h"
#include "report/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEVICE_MS   2350.0 /* of all checks of a device, once it is there */
#define PRODUCTS_MS 1200.0 /* of random products at least */

void cli_check_begin(const char *check)
{
    printf("begin %s\n", check);
    fflush(stdout);
}

void cli_check_find(vkmm_grade grade, int wrong, const char *check, const char *advice, const char *format, ...)
{
    char sentence[640];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    for (char *at = sentence; *at != '\0'; at++)
        if (*at == '\t' || *at == '\n') *at = ' ';
    printf("%s\t%s\t%s\t%s\n", wrong ? "wrong" : vkmm_grade_name(grade), check, sentence, advice);
    fflush(stdout);
}

/* A start that fails without harm is told by the one that asked: it tries the same next. */
static vkmm_status list(cli_session *session)
{
    vkmm_status status = cli_session_instance(session);

    if (status == VKMM_OK) printf("devices %u\n", vkmm_instance_device_count(session->instance));
    return status;
}

/* Says which device it is before the driver is asked for anything: an index may mean another one in another process. */
static vkmm_status find_device(cli_session *session)
{
    uint32_t index = 0;
    char uuid[VKMM_UUID_TEXT];
    vkmm_status status = cli_session_instance(session);

    if (status == VKMM_OK) status = vkmm_instance_find_device(session->instance, session->options->device, &index);
    if (status == VKMM_OK) {
        vkmm_text_uuid(uuid, vkmm_instance_device_info(session->instance, index)->uuid);
        printf("device %s\n", uuid);
    }
    cli_check_begin("start");
    return status == VKMM_OK ? cli_session_device(session) : status;
}

static vkmm_status examine(cli_session *session)
{
    vkmm_status status = find_device(session);
    double start = vkmm_now_ms(), least, end = start + DEVICE_MS;

    if (status != VKMM_OK) {
        cli_check_find(VKMM_GRADE_PROBLEM, 0, "start",
                       "Install the newest driver of this device, or leave the device out with --device.",
                       "the device cannot be used: %.500s", session->console.last_error);
        return status;
    }
    cli_check_timestamps(session);
    cli_check_shared(session);
    cli_check_range(session);
    least = vkmm_now_ms() + PRODUCTS_MS;
    cli_check_products(session, least > end ? least : end);
    cli_check_begin("validation");
    if (session->options->validate && cli_session_validated(session) != VKMM_OK)
        cli_check_find(VKMM_GRADE_PROBLEM, 1, "validation", "", "%.500s", session->console.last_error);
    return VKMM_OK;
}

vkmm_status cli_doctor_worker(cli_session *session)
{
    char line[32];
    vkmm_status status;

    vkmm_process_follow_parent();
    session->console.muted = 1; /* the sentences go into the findings */
    if (fgets(line, sizeof line, stdin) == NULL || (strcmp(line, "list\n") != 0 && strcmp(line, "examine\n") != 0)) {
        session->console.muted = 0;
        return vkmm_fail(&session->console.log, VKMM_INVALID, "doctor-worker takes its orders from 'vkmatmul doctor'");
    }
    status = strcmp(line, "list\n") == 0 ? list(session) : examine(session);
    fputs("done\n", stdout);
    return status;
}
