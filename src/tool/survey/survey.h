/* `vkmatmul record`: one file that describes a device and its speed, for others. It is the report of a bench of the
 * suite "record", so that all readers of reports take it, with more keys: "device" (an entry of `devices --json`),
 * "doctor" (its checks of `doctor --json`), "check" (of `check --json`), "peak" (of `peak --json`), "pipelines"
 * (lines of `statistics --json`) and "tunes" (lines of `tune --json`, without trials).
 * Its schema is the record of doc/bench.schema.json. */
#pragma once

#include "report/result.h"
#include "report/record.h"

typedef struct cli_survey {
    cli_bench bench; /* the first member: what stores a bench gets the whole */
    json_t *device, *doctor, *check, *peak, *pipelines, *tunes; /* owned; NULL: not known yet */
} cli_survey;

extern const vkmm_record cli_survey_record;

enum { CLI_MOST_RECORD = 300000 /* bytes of the file */ };

/* The document, without what names this machine or its user: UUIDs, the PCI address, the command line and paths are
 * left out. At most most_samples of each series are kept, evenly spaced within each round. A new reference; NULL if
 * memory runs out. */
json_t *cli_survey_json(const cli_survey *survey, uint32_t most_samples);

/* The text of the file: one line with as many samples as CLI_MOST_RECORD bytes have room for, at most 40 of a series;
 * its figures are computed from these samples. Freed with free(); NULL if memory runs out. */
char *cli_survey_text(const cli_survey *survey, size_t *bytes);
