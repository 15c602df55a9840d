/* The file of -o: the report of the rows measured so far, written whole after each block of rows, and at the end. */
#pragma once

#include "report/document.h"
#include "session/session.h"

/* Before anything is measured. VKMM_INVALID: the file has an unknown ending, cannot be written, or exists and there is
 * no --force. */
vkmm_status cli_bench_store_check(const cli_session *session);

/* Replaces the file atomically. What is not a regular file, such as a pipe, is written only at the end of the run. */
vkmm_status cli_bench_store_write(const cli_session *session, const cli_bench *bench, int is_end);

/* The same with a text; NULL: memory ran out. */
vkmm_status cli_bench_store_text(const cli_session *session, const char *text, size_t bytes);
