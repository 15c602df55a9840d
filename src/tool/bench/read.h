/* Reading bench reports. Files may come from other machines and versions, so nothing in them is trusted. */
#pragma once

#include <stddef.h>
#include "report/result.h"

/* The parser alone: `bytes` of a whole file, whose reports are added to the list. Takes one JSON object of schema
 * "vkmatmul.bench/1" or, a device's, "vkmatmul.record/1", or one of "vkmatmul.compare/1" with the reports that were
 * compared. Unknown keys are ignored, so that reports of later versions of the schema's first number are read.
 * VKMM_INVALID with `name` and the cause, and nothing is added: invalid JSON (line and column), another schema, a key
 * of the wrong type (its path), an impossible figure (negative time, an index past the devices). Figures are derived
 * again from the samples; what the file says of medians is ignored. A report without a name gets the last part of
 * `name`. */
vkmm_status cli_reports_parse(const char *name, const void *data, size_t bytes, cli_reports *reports);

/* The same for a file of at most 256 MiB. */
vkmm_status cli_reports_open(const char *path, cli_reports *reports);
