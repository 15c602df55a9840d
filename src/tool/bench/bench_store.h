/* The file of -o: the report of the rows measured so far, written whole after each block of rows, and at the end. */
#ifndef CLI_BENCH_BENCH_STORE_H
#define CLI_BENCH_BENCH_STORE_H

#include "report/document.h"
#include "session/session.h"

/* Before anything is measured. VKMM_INVALID: the file has an unknown ending, cannot be written, or exists and there is
 * neither --force nor --resume; or --resume is given without a file. */
vkmm_status cli_bench_store_check(const cli_session *session);

/* --resume: takes over the rows of an existing file that ran, and its start time; bench->note says so. *bench has its
 * head. VKMM_INVALID: it is not a report, or one of another version, machine, device or setting. */
vkmm_status cli_bench_store_resume(const cli_session *session, cli_bench *bench);

/* Replaces the file atomically. What is not a regular file, such as a pipe, is written only at the end of the run. */
vkmm_status cli_bench_store_write(const cli_session *session, const cli_bench *bench, int is_end);

#endif
