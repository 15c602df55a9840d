/* The parts of the JSON objects, and pages that are made from them. Keys are stable: they may be added, but never
 * renamed or removed (vkmatmul(1) lists them). */
#pragma once

#include <jansson.h>
#include "report/record.h"
#include "report/report.h"

/* Each returns a new reference, or NULL if memory runs out. Numbers that are not finite become null. */
json_t *cli_json_device(const vkmm_device_info *device, const char *host); /* device NULL: the host, of this name */
json_t *cli_json_of_number(double value);
json_t *cli_json_integer(uint64_t value); /* a real above 2^63 - 1, the largest that the library keeps as an integer */
json_t *cli_json_of_text(const char *text);    /* null for NULL; names as vkmm_clean leaves them */
json_t *cli_json_known_text(const char *text); /* null for "" as well */

/* Adds a key and takes over the value; returns 0, or 1 if either is NULL or memory runs out. Add the results
 * up for cli_json_done. */
int cli_json_put(json_t *object, const char *key, json_t *value);
int cli_json_add(json_t *array, json_t *value); /* the same for one more entry */

/* The object itself, or NULL (and the object is released) if a put failed. */
json_t *cli_json_done(json_t *object, int failures);

/* A document: its schema, as "vkmatmul.run/1", the tool, the device, then the rest, which it releases. */
json_t *cli_json_document(const cli_report *report, const char *schema, const vkmm_device_info *device,
                          const char *host, json_t *rest);

/* A result of run. */
json_t *cli_json_run(const cli_report *report, const cli_bench_row *row);

/* A whole ladder. */
json_t *cli_json_ladder(const cli_report *report, const cli_ladder *ladder);

/* Writes the object as one line and releases it. VKMM_OUT_OF_MEMORY for NULL. */
vkmm_status cli_json_line(const cli_report *report, json_t *object);

int cli_document_has_rows(const char *schema); /* in CSV, Markdown and JUnit */

/* A page: one self-contained HTML file, a template with a JSON document in its middle. The scripts of the template draw
 * the document; C writes no markup. These are the parts before and after it, made by embed.py. */
typedef struct cli_template {
    const unsigned char *head, *tail;
    size_t head_bytes, tail_bytes;
} cli_template;

/* `json` is one document as valid UTF-8, 0-terminated. It becomes data in the page and cannot end or leave its
 * element, whatever names it contains. *page gets the whole file, *bytes long and 0-terminated; the caller frees it
 * with vkmm_free. VKMM_OUT_OF_MEMORY otherwise; *page is then NULL and *bytes 0. */
vkmm_status cli_page_make(const cli_template *around, const char *json, char **page, size_t *bytes);
