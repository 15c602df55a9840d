/* Where the report of a bench goes, in addition to standard output: the file of -o, and during the run its journal,
 * FILE.journal, with a line for each final row. The journal is removed once the file has all of its contents. */
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

/* Before anything is measured: VKMM_INVALID for an unknown ending, a file that cannot be written, an existing
 * journal or, without --force, report, or --resume without -o. Fills a zeroed store; cli_bench_store_end ends it, even
 * after a failure. */
vkmm_status cli_bench_store_open(cli_session *session, cli_bench_store *store);

/* --resume: takes over the rows of the unfinished run in the journal, or else in the file, with the devices' peaks and
 * its start time; bench->note says so. *bench has its head, and the session its instance. Rows whose tuning results
 * have changed since are left out, with a warning. VKMM_INVALID: there is no unfinished run, or it has another version,
 * machine, power source, settings, layers or devices, or has rows outside the suite. */
vkmm_status cli_bench_store_resume(const cli_bench_store *store, const vkmm_suite *suite, vkmm_bench *bench);

/* Once all devices are known: begins the journal, with the rows so far; an existing journal is replaced, atomically.
 * Then adds each row as it becomes final. */
vkmm_status cli_bench_store_begin(cli_bench_store *store, const vkmm_bench *bench);
vkmm_status cli_bench_store_row(cli_bench_store *store, const vkmm_bench_row *row);

/* Writes the file atomically; the journal is kept if that fails, or if an unfinished run cannot be read back from the
 * file. */
vkmm_status cli_bench_store_finish(cli_bench_store *store, const vkmm_bench *bench);
void cli_bench_store_end(cli_bench_store *store);

#endif
