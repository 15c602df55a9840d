/* The page of a ladder: what each step reads, its source, its speed and a question. */
#pragma once

#include "report/report.h"
#include "session/session.h"

/* Before any work: VKMM_INVALID if --html cannot be written or does not go together with other options. */
vkmm_status cli_course_check(const cli_session *session);

/* Traces each kernel of the ladder on a product of 8×8×16, and writes the page if there is --html. A kernel that cannot
 * be traced has the reason instead. */
vkmm_status cli_course_write(cli_session *session, const cli_ladder *ladder);
