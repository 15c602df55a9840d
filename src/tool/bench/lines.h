/* The parts of reading whole files: read.c has documents, read_lines.c what comes line by line. */
#ifndef VKMM_BENCH_LINES_H
#define VKMM_BENCH_LINES_H

#include "bench/document.h"
#include "report/node.h"

enum { VKMM_MOST_LAYERS = 256, VKMM_MOST_DEVICES = 256, VKMM_MOST_ROWS = 65536, VKMM_MOST_TUNES = 4096 };

typedef enum vkmm_schema {
    VKMM_SCHEMA_REPORT, /* "vkmatmul.bench/1" */
    VKMM_SCHEMA_LINE,   /* the head of a report in lines, or a tune */
    VKMM_SCHEMA_OTHER   /* none, another program's, or of a version that is not known here */
} vkmm_schema;

vkmm_schema vkmm_schema_of(const json_t *json);
vkmm_status vkmm_schema_fail(const vkmm_log *log, const char *name, const json_t *json); /* says what it is instead */

int vkmm_is_blank(const char *text, size_t bytes);

/* The first JSON value of a text, and the bytes that it takes. VKMM_INVALID with line and column. */
vkmm_status vkmm_json_first(const vkmm_log *log, const char *name, const char *text, size_t bytes, json_t **json,
                            size_t *used);

/* A report in lines. */
vkmm_status vkmm_read_lines(const vkmm_log *log, const char *name, const char *text, size_t bytes,
                            vkmm_reading *reading, vkmm_bench *bench);

/* Parts of both; each adds to the bench. */
void vkmm_read_head(const vkmm_node *root, vkmm_bench *bench);
void vkmm_read_command(const vkmm_node *node, vkmm_bench *bench);
void vkmm_read_layers(const vkmm_node *layers, vkmm_bench *bench);
void vkmm_read_outcome(const vkmm_node *root, vkmm_bench *bench);
void vkmm_read_next_row(const vkmm_node *node, vkmm_bench *bench);
void vkmm_read_next_tune(const vkmm_node *node, vkmm_bench *bench);
vkmm_status vkmm_reading_status(const vkmm_log *log, const char *where, const vkmm_reading *reading);

/* The parts of a report: read_row.c, read_device.c. Wrong ones leave a sentence. */
#define VKMM_MOST_MS  1e12 /* thirty years */
#define VKMM_MOST_A_S 1e24 /* of bytes or operations */

void vkmm_read_problem(const vkmm_node *node, vkmm_problem *problem);
void vkmm_read_row(const vkmm_node *node, vkmm_bench_row *row);
void vkmm_read_device(const vkmm_node *node, vkmm_bench_device *device);
void vkmm_read_peaks(const vkmm_node *node, vkmm_bench_peaks *peaks);
void vkmm_read_tune(const vkmm_node *node, vkmm_bench_tune *tune);

#endif
