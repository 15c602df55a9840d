/* The live run of `vkmatmul bench` and `vkmatmul compare`: a separate process for each device and for the host's
 * BLAS, which take turns, row by row and round by round. */
#pragma once

#include "report/result.h"
#include "bench/suite.h"
#include "session/session.h"

/* ---- bench.c ---- */

/* compare without files: measures the suite of the options on every device and driver of this machine (or of --device),
 * and on the host; writes the report of -o. *bench is zeroed by the caller, who always frees it with
 * cli_bench_free; nothing is written to standard output. VKMM_OK, VKMM_WRONG_RESULT (reported), 128 + the signal's
 * number after an interrupt, or why nothing could be measured: VKMM_INVALID if there is only one device. The rows in
 * *bench (row_count) should be shown in every case. */
vkmm_status cli_bench_compare(cli_session *session, cli_bench *bench);

/* Where the rows of a run go. */
typedef struct cli_bench_live {
    cli_session *session;
    const cli_writer *writer; /* of standard output */
    /* The whole report as text for the file of -o, to be freed with free(); NULL if memory runs out. */
    char *(*compose)(const cli_session *session, const cli_bench *bench, size_t *bytes);
    int begun;
    vkmm_status stored; /* the last time */
} cli_bench_live;

/* The file of -o, before anything is measured. VKMM_INVALID: it has an unknown ending, cannot be written, or exists and
 * there is no --force. */
vkmm_status cli_bench_store_check(const cli_session *session);

/* Replaces that file atomically by what is known. What is not a regular file, such as a pipe, is written only at the
 * end of the run. */
vkmm_status cli_bench_store(cli_bench_live *live, const cli_bench *bench, int is_end);

/* begin once all devices and their peaks are known, know after each block of rows, of which bench->rows[first] is the
 * first. */
vkmm_status cli_bench_begin(cli_bench_live *live, const cli_bench *bench);
vkmm_status cli_bench_know(cli_bench_live *live, const cli_bench *bench, uint32_t first);

/* After cli_bench_go, which returned `status`, with signals caught (cli_interrupt_catch): releases them, writes the end
 * and returns the exit code. Reports a signal. */
vkmm_status cli_bench_end(cli_bench_live *live, const cli_bench *bench, vkmm_status status);

/* ---- report.c ---- */

/* Reads all reports and comparisons on the command line: only the devices of --device and the rows of --type.
 * VKMM_INVALID: nothing is left. Freed by cli_reports_free in any case. */
vkmm_status cli_bench_read(const cli_session *session, cli_reports *reports);

/* ---- bench_run.c ---- */

/* How many items of a suite a device has rows for. */
uint32_t cli_bench_rows(const cli_suite *suite, const cli_bench_device *device);

/* Measures all items of a suite on the devices of *bench: bench->devices holds them (cli_bench_head), rows that it
 * already has, and known peaks, are kept and not measured again. Appends the rows; sets `failed`, `complete` and
 * `note`. VKMM_OK: every row is known, even if only as "not run"; VKMM_WRONG_RESULT: at least one row is wrong;
 * otherwise why nothing could be measured, or what cli_bench_begin or _know returned. An interrupt ends it early. */
vkmm_status cli_bench_go(cli_session *session, const cli_suite *suite, cli_bench *bench, cli_bench_live *live);

/* ---- head.c ---- */

/* Fills *bench except for its rows: the tool, the machine, the settings, the layers, and the devices: those of
 * --device, else every one or the best, and the host unless --no-host is given or there is no BLAS library. Peaks are
 * not measured yet. */
vkmm_status cli_bench_head(cli_session *session, const cli_suite *suite, int every_device, cli_bench *bench);

/* ---- suite_file.c ---- */

/* The suite of --suite: one of cli_suite_name, or a file with the options of one problem per line; --type and --budget
 * are applied. VKMM_INVALID names file and line. Ended by cli_suite_free. */
vkmm_status cli_bench_suite(const cli_session *session, cli_suite *suite);
