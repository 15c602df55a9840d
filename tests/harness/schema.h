/* The JSON Schema of records, as far as it follows from their tables: keys, types, and which may be null.
 * doc/bench.schema.json is that of reports, with additions by hand: descriptions, and which keys older reports lack. */
#pragma once

#include "report/record.h"

/* Adds the record and its parts to $defs, and returns {"$ref": …}; NULL if memory runs out. */
json_t *record_schema(json_t *defs, const vkmm_record *record);

/* Schema of reports, and of each line of one. A new reference; NULL if memory runs out. */
json_t *bench_schema(void);
