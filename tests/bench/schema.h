/* The JSON Schema of records, as far as their tables tell: keys, types, and what may be null. doc/bench.schema.json has
 * that of reports, with all that only people know: descriptions, and which keys older reports lack. */
#ifndef VKMM_TEST_SCHEMA_H
#define VKMM_TEST_SCHEMA_H

#include "report/record.h"

/* Adds the record and all that it consists of to $defs, and returns {"$ref": …}; NULL if memory runs out. */
json_t *record_schema(json_t *defs, const vkmm_record *record);

/* Of reports, and of each line of one. A new reference; NULL if memory runs out. */
json_t *bench_schema(void);

#endif
