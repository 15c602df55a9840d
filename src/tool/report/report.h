/* Writers: each turns results into one format. A writer is a file, format_NAME.c, which defines a const struct of
 * functions, and a row in the table of writer.c.
 *
 * Everything goes to one stream, in the order of the calls. cli_report_flush reports a stream that failed. */
#pragma once

#include <jansson.h>
#include <stdio.h>
#include "report/result.h"
#include "report/text.h"

/* The notes below a table; zeroed before the first row. */
typedef struct cli_notes {
    char clock[128]; /* why a row was timed by the host's clock; "": none was */
    int unsettled;   /* sampling of some row ended before the median was precise enough */
    uint64_t samples, outliers;
} cli_notes;

/* Where and how to write. A plain value; the caller fills it and keeps it through all calls of one output. */
typedef struct cli_report {
    FILE *out;
    int utf8;                                 /* "×" and "✓", or "x" and "yes" */
    int colour;                               /* escape sequences for colour may be used */
    int markdown;                             /* sentences are entries of a list in Markdown */
    int samples;                              /* JSON of run and ladder: all samples in addition to their statistics */
    int verbose;                              /* tune's table: the reason of each failure */
    int columns;                              /* limit the width of tables to this by dropping columns; 0: no limit */
    const char *version, *shader_hash;        /* the tool's */
    const char *command;                      /* the exact command line */
    int verdict_width;                        /* state: columns of the first row's verdict, which may have counts */
    int size_width, type_width, kernel_width; /* columns of the widest size, type and kernel name to come; 0: unknown */
    cli_notes notes;                          /* state: run: of its rows */
    char note[128];                           /* state: run: a note below the table; "": none */
    uint64_t rows;                            /* state: rows written so far */
    char difference[CLI_TEXT_DIFFERENCE];     /* state: how the problem written last differs from the plain product
                                                 (cli_text_difference) */
    uint32_t section;                         /* state: bench: the device whose rows come, counted from 1 */
} cli_report;

struct cli_comparison; /* bench/compare.h */

/* The tutorials' steps on one problem, for one or more types; rows of one type are neighbours. It borrows all that it
 * points to. */
typedef struct cli_ladder {
    const vkmm_device_info *device; /* NULL: nothing ran on a device */
    const char *host;
    vkmm_problem problem; /* its type is not used */
    uint64_t seed;
    const char *init;
    const cli_bench_row *rows;
    uint32_t count;
    int is_whole; /* all steps, not only those of --kernel */
} cli_ladder;

/* Every function returns VKMM_OK or VKMM_OUT_OF_MEMORY. NULL: nothing is written then, or the command lacks the format.
 */
typedef struct cli_writer {
    const char *name;   /* of its option, "json"; "table" */
    const char *ending; /* of file names: ".json"; NULL: it is only shown */

    /* bench, in this order: begin, when all devices and their peaks are known; row, as soon as it is known; end */
    vkmm_status (*begin)(cli_report *report, const cli_bench *bench);
    vkmm_status (*row)(cli_report *report, const cli_bench *bench, const cli_bench_row *row);
    vkmm_status (*end)(cli_report *report, const cli_bench *bench);

    vkmm_status (*run)(cli_report *report, const cli_bench_row *row); /* one result, as soon as it is known */
    vkmm_status (*run_end)(cli_report *report);                       /* after the last row of the command */
    /* ladder: the row that was added last, as soon as it is known, and NULL after the last; NULL: as run's rows */
    vkmm_status (*ladder)(cli_report *report, const cli_ladder *ladder, const cli_bench_row *row);
    vkmm_status (*compare)(const struct cli_comparison *comparison); /* with at least one row */
    /* Other commands: a result, which is released; run_end follows the last. NULL: VKMM_OUT_OF_MEMORY. */
    vkmm_status (*document)(const cli_report *report, json_t *document);
} cli_writer;

extern const cli_writer cli_table_writer, cli_json_writer, cli_jsonl_writer, cli_csv_writer, cli_md_writer,
    cli_junit_writer, cli_quiet_writer;

const cli_writer *cli_writer_find(const char *name); /* NULL: unknown */
const cli_writer *cli_writer_for(const char *path);  /* by its ending; NULL: unknown ending */

/* A whole report: begin, each row, end. */
vkmm_status cli_bench_write(const cli_writer *writer, cli_report *report, const cli_bench *bench);

/* In ladder/ladder_table.c, bench/compare_table.c and bench/compare_data.c. */
vkmm_status cli_table_ladder(cli_report *report, const cli_ladder *ladder, const cli_bench_row *row);
vkmm_status cli_compare_table(const struct cli_comparison *comparison);
vkmm_status cli_compare_md(const struct cli_comparison *comparison);
vkmm_status cli_compare_json(const struct cli_comparison *comparison);
vkmm_status cli_compare_csv(const struct cli_comparison *comparison);
vkmm_status cli_compare_junit(const struct cli_comparison *comparison);

/* In documents.c. */
vkmm_status cli_csv_document(const cli_report *report, json_t *document);
vkmm_status cli_md_document(const cli_report *report, json_t *document);
vkmm_status cli_junit_document(const cli_report *report, json_t *document);

/* Flushes the stream. VKMM_INVALID, with the system's reason, if something could not be written. */
vkmm_status cli_report_flush(const cli_report *report, const vkmm_log *log);
