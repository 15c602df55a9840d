/* Where the report of a bench goes, beside standard output: the file of -o, and while the run goes on its journal,
 * FILE.journal, a line for each row that is final. The journal goes away when the file has all that is in it. */
#ifndef VKMM_CLI_BENCH_STORE_H
#define VKMM_CLI_BENCH_STORE_H

#include "system/append.h"
#include "bench/suite.h"
#include "session/session.h"
#include "bench/writer.h"

typedef struct cli_bench_store {
    cli_session *session;
    const char *path;                /* NULL: there is no -o, and nothing to do */
    const vkmm_bench_writer *writer; /* by the file's name */
    char *journal_path;              /* owned */
    vkmm_append *journal;            /* open from cli_bench_store_begin on */
} cli_bench_store;

/* Before anything is measured: VKMM_INVALID for an unknown ending, a file that cannot be written, a journal or,
 * without --force, a report that is in the way, or --resume without -o. Fills a zeroed store, which is ended by
 * cli_bench_store_end even on failure. */
vkmm_status cli_bench_store_open(cli_session *session, cli_bench_store *store);

/* --resume: takes over the rows of the unfinished run in the journal, or else in the file, and the devices' peaks
 * and the time of its beginning; bench->note says so. *bench has its head, and the session its instance. Rows of
 * tuning results that have changed since are left out, with a warning. VKMM_INVALID: there is no unfinished run, or
 * it is of another version, machine, power source, settings, layers or devices, or has rows outside the suite. */
vkmm_status cli_bench_store_resume(const cli_bench_store *store, const vkmm_suite *suite, vkmm_bench *bench);

/* All devices are known: begins the journal, with the rows that there are; one of before is replaced, whole or not
 * at all. Then each row as it becomes final. */
vkmm_status cli_bench_store_begin(cli_bench_store *store, const vkmm_bench *bench);
vkmm_status cli_bench_store_row(cli_bench_store *store, const vkmm_bench_row *row);

/* Writes the file, whole or not at all; the journal stays where that fails, or where an unfinished run could not be
 * read back from the file. */
vkmm_status cli_bench_store_finish(cli_bench_store *store, const vkmm_bench *bench);
void cli_bench_store_end(cli_bench_store *store);

#endif
