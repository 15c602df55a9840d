/* A bench report: what one run of `vkmatmul bench` or `compare` measured, on one machine, with everything needed
 * to judge it later. Its JSON is doc/bench.schema.json, "vkmatmul.bench/1"; bench/read.h reads it, the writers of
 * report/report.h write it. An unknown figure is NAN, an unknown text is "". Texts come from drivers and files: writers
 * clean them. */
#pragma once

#include "report/result.h"

/* Schema of a comparison, which contains whole reports. */
#define CLI_COMPARE_SCHEMA "vkmatmul.compare/1"

/* That of `vkmatmul record`: a report with more keys (survey/survey.h). */
#define CLI_RECORD_SCHEMA "vkmatmul.record/1"

/* How the run was requested. */
typedef struct cli_bench_settings {
    char suite[CLI_BENCH_TEXT]; /* "quick", "standard", "full", or the file's name */
    uint64_t seed, rotating_bytes;
    double max_noise; /* the bound that ends a row: half the 95 % interval over the median */
    double budget_ms; /* for each device */
} cli_bench_settings;

typedef struct cli_bench {
    char name[CLI_BENCH_TEXT];                      /* the file it was read from; "" for a run */
    char version[32], shader_hash[32], created[32]; /* of the tool; ISO 8601, UTC */
    char *command;                                  /* the exact command line; owned; NULL: unknown */
    char host[128], os[128];                        /* the processor's model; "Linux 6.1.0-18-amd64 x86_64" */
    uint32_t processors;                            /* of the host, logical */
    uint64_t memory_bytes;                          /* of the host */
    char power_source[16];                          /* "mains" or "battery" */
    cli_bench_settings settings;
    char (*layers)[CLI_BENCH_TEXT]; /* Vulkan layers in effect; owned */
    uint32_t layer_count;
    int paired;   /* its devices were sampled in turns: round i of one belongs to round i of another */
    int complete; /* 0: interrupted; note says why */
    char note[CLI_BENCH_TEXT];
    cli_bench_device *devices; /* owned */
    uint32_t device_count;
    cli_bench_row *rows; /* owned */
    uint32_t row_count;
} cli_bench;

/* The reports of a file: one, or those of a comparison. Owned. */
typedef struct cli_reports {
    cli_bench *benches;
    uint32_t count;
} cli_reports;

void cli_reports_free(cli_reports *reports);

/* Frees what the bench owns and zeroes it. A zeroed cli_bench is legal, and empty. */
void cli_bench_free(cli_bench *bench);

/* Each adds one empty entry (figures NAN) and returns it; NULL if memory runs out. Earlier entries may move. */
cli_bench_device *cli_bench_add_device(cli_bench *bench);
cli_bench_row *cli_bench_add_row(cli_bench *bench);
int cli_bench_add_layer(cli_bench *bench, const char *name); /* 0 if memory runs out */

/* Whether two rows measure the same thing: equal problems (packed strides count as given), requested kernel, and
 * caches. */
int cli_bench_same(const cli_bench_row *a, const cli_bench_row *b);
