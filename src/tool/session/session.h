/* What a command works with: the options, the console, the output, and a device once one is needed. */
#pragma once

#include "look/peaks.h"
#include "session/console.h"
#include "options/options.h"
#include "report/record.h"
#include "report/report.h"

typedef struct cli_session {
    const cli_options *options;
    cli_console console;
    const vkmm_log *log; /* the console's */
    cli_report report;
    const cli_writer *writer;
    char *command;  /* the exact command line, quoted for a shell; owned */
    char host[128]; /* the processor's model */
    vkmm_instance *instance;
    vkmm_device *device;
    const vkmm_device_info *info; /* owned by the instance */
    int has_documents;            /* some were written */
    uint64_t square;              /* the default size; cli_session_square chooses by device */
    int square_noted;
    int shares;           /* the command's products are shared among all devices that --device names: */
    vkmm_device **others; /* further ones, owned */
    uint32_t other_count;
    uint32_t validation_messages;      /* seen so far */
    vkmm_peaks peaks[VKMM_TYPE_COUNT]; /* explain's cache for this device; zeros: not measured yet */
    double cache_bytes_per_s, launch_ms, matrix_adds_per_s[2]; /* the same for predictions (predict.h) */
} cli_session;

/* Fills a session in which only the console has been started: options are borrowed. Ended by cli_session_end, even on
 * failure. */
vkmm_status cli_session_start(cli_session *session, const cli_options *options, int argc, char **argv);
void cli_session_end(cli_session *session);

/* Words as one line that a POSIX shell reads back as the same words. NULL if memory runs out; freed by vkmm_free. */
char *cli_shell_line(int count, const char *const *words);

/* The loader and its devices, at most once. */
vkmm_status cli_session_instance(cli_session *session);

/* Lists the devices again with SwiftShader among them, unless it is already listed, or --driver names another one. */
vkmm_status cli_session_add_swiftshader(cli_session *session);

/* The device that --device selects, at most once; find_device only sets `info`. With `shares`, also the others. */
vkmm_status cli_session_find_device(cli_session *session);
vkmm_status cli_session_device(cli_session *session);

/* Chooses the default size: CLI_SQUARE_CPU if the session's device is a processor or none, else on_gpu. note_square
 * says so, once, unless sizes are given. */
void cli_session_square(cli_session *session, uint64_t on_gpu);
void cli_session_note_square(cli_session *session);

/* Drops device and instance; the next cli_session_device opens them again. What was created from them becomes
 * invalid. */
void cli_session_forget_device(cli_session *session);

/* VKMM_WRONG_RESULT, and a sentence, if the validation layer reported messages since the last call. */
vkmm_status cli_session_validated(cli_session *session);

/* A table that appears row by row will have a row of this problem. */
void cli_session_widen(cli_session *session, const vkmm_problem *problem);

/* Shows one result, then flushes it: VKMM_INVALID if it cannot be written. wrote: after the result was written, with
 * that status. */
vkmm_status cli_session_row(cli_session *session, const cli_bench_row *row);
vkmm_status cli_session_wrote(cli_session *session, vkmm_status status);

/* The same of a document, which is released; only with session->writer->document. And of a record that becomes one. */
vkmm_status cli_session_document(cli_session *session, json_t *document);
vkmm_status cli_session_record(cli_session *session, const char *schema, const vkmm_record *record, const void *what);

/* The exit code of a list: 1 as soon as one product is wrong, else the first failure. */
vkmm_status cli_worse(vkmm_status so_far, vkmm_status next);
