/* A record: a struct described by a table of fields. Writing and reading JSON, its schema, tables
 * and CSV all use only that table, so a key occurs in one place.
 *
 *     static const cli_field heap_fields[] = {
 *         {"bytes", CLI_FIELD_U64, CLI_AT(VkMemoryHeap, size)},
 *         {"flags", CLI_FIELD_U32, CLI_AT(VkMemoryHeap, flags)},
 *     };
 *     const vkmm_record cli_heap_record = {"heap", CLI_FIELDS(heap_fields)};
 *
 * Keys are stable: they may be added, not removed; one that is renamed is read under its old name too. Readers ignore
 * unknown keys. doc/bench.schema.json describes those of reports. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/log.h"

/* ---- reading untrusted JSON: a node knows its path, so that errors can name it ---- */

enum { CLI_SENTENCE = 256 }; /* bytes of one */

/* One reading. Only the first error is kept; reading may continue after it, and the sentence is checked at the end. */
typedef struct cli_reading {
    char sentence[CLI_SENTENCE]; /* "": no error */
    int out_of_memory;
    uint32_t samples_left; /* that may still be read: limits the memory that a file can use */
} cli_reading;

typedef struct cli_node {
    const json_t *json; /* NULL: absent, or null */
    const struct cli_node *parent;
    const char *key; /* NULL: the index applies; of the root: how its path begins, or "" */
    size_t index;
    cli_reading *reading;
} cli_node;

cli_node cli_node_root(cli_reading *reading, const json_t *json);
cli_node cli_node_key(const cli_node *parent, const char *key); /* absent if the parent is not an object */
cli_node cli_node_at(const cli_node *parent, size_t index);

/* Reports what is wrong with a node, after its path, unless there was an error before. Returns 0. */
int cli_node_fail(const cli_node *node, const char *format, ...) VKMM_PRINTF(2, 3);

/* 1 if it is present and of the right kind. An absent one is an error only with `needed`. */
int cli_node_is_object(const cli_node *node, int needed);
int cli_node_is_list(const cli_node *node, size_t most); /* of at most so many entries; may be absent */

#define CLI_MOST_SAMPLES 10000000u /* of one document */

/* Each leaves *value unchanged if the node is absent or wrong. */
void cli_node_number(const cli_node *node, double most, double *value);      /* from 0 */
void cli_node_signed(const cli_node *node, double *value);                   /* any */
void cli_node_integer(const cli_node *node, uint64_t most, uint64_t *value); /* a real above 2^63 is near enough */
void cli_node_truth(const cli_node *node, int *value);                       /* 0, 1 */
void cli_node_text(const cli_node *node, char *text, size_t size);           /* cut at a whole character */

/* ---- records ---- */

typedef enum cli_field_kind {
    CLI_FIELD_U32,    /* uint32_t */
    CLI_FIELD_U64,    /* uint64_t; above 2^63 - 1 a real of nine digits */
    CLI_FIELD_REAL,   /* double; null where it is not finite */
    CLI_FIELD_TRUTH,  /* int */
    CLI_FIELD_TEXT,   /* char[size] */
    CLI_FIELD_STRING, /* const char *, borrowed, so it is only written; NULL: null */
    CLI_FIELD_OWNED,  /* char * of any length, vkmm_free; NULL: null */
    CLI_FIELD_WORD,   /* an enum: one of `words` */
    CLI_FIELD_RECORD, /* a struct with its own fields, `record` */
    CLI_FIELD_EMBED,  /* the same, but its keys are among those of the outer record; no key; nothing if NULL */
    CLI_FIELD_CUSTOM  /* put and take */
} cli_field_kind;

/* flags */
enum {
    CLI_MAYBE = 1 << 0,   /* null stands for 0 and "" (a real: for 0 and below; an array: whose first is 0) */
    CLI_OMIT = 1 << 1,    /* the key is omitted if its value would be null */
    CLI_NEEDED = 1 << 2,  /* reading fails if it is missing */
    CLI_DERIVED = 1 << 3, /* follows from the rest: the reader skips it */
    CLI_SIGNED = 1 << 4,  /* a real that may be below 0 */
    CLI_POINTER = 1 << 5, /* a record by pointer, so it is only written; NULL: null */
    CLI_HERE = 1 << 6     /* a list that is an array in the struct, with room for `length` entries */
};

/* The values of an enum: word(first), word(first + 1), … up to count; or those of an open set, by name and parse. */
typedef struct cli_field_words {
    const char *(*word)(uint32_t value);
    uint32_t count;
    const char *what; /* "element type": for 'not a known element type'; NULL: they are only written */
    const char *(*name)(uint32_t value, char text[32]); /* instead of word: any value has a name */
    int (*parse)(const char *word, uint32_t *value);    /* 0: unknown */
    uint32_t first;                                     /* the lowest value that has a word */
} cli_field_words;

typedef struct vkmm_record vkmm_record;

/* A row of a table. Members that are 0 do not apply. */
typedef struct cli_field {
    const char *key;
    cli_field_kind kind;
    size_t offset, size; /* of the member: CLI_AT, CLI_ARRAY, CLI_LIST */
    uint32_t flags;      /* CLI_MAYBE … */
    uint32_t length;     /* array: number of elements; list: the most that are read, 0: any number */
    size_t count;        /* list: the offset of its uint32_t count */
    size_t element;      /* list: sizeof one entry */
    uint32_t cost;       /* list: amount that each entry subtracts from cli_reading.samples_left */
    double most;         /* number: the largest that is read */
    const vkmm_record *record;
    const cli_field_words *words;
    int (*known)(const void *record);                 /* 0: null, and not read. NULL: always known */
    json_t *(*put)(const void *member);               /* at the offset; without one, the record */
    void (*take)(const cli_node *node, void *member); /* the node is this field's, even if absent; NULL: not read */
    const char *heading, *unit;                       /* in tables; NULL: it is never a column; has no unit */
    const char *was;                                  /* the key's old name; NULL: none */
} cli_field;

struct vkmm_record {
    const char *name; /* in the schema's $defs; NULL: its keys are among those of the records that embed it */
    const cli_field *fields;
    uint32_t count;
    size_t size;                      /* of the struct; needed by `show` alone */
    const char *schema;               /* "vkmatmul.bench/1": written first, as "schema". NULL: part of another record */
    int (*known)(const void *record); /* 0: the whole record is null. NULL: never */
    void (*start)(void *record);      /* sets what a reader begins with; NULL: what is there */
    void (*check)(const cli_node *node, void *record); /* after its fields were read without an error */
    void (*show)(void *copy);                          /* turns the copy into what is written; NULL: no change */
};

#define CLI_AT(type, member)             .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define CLI_ARRAY(type, member, entries) .length = (entries), CLI_AT(type, member)
#define CLI_LIST(type, member, counter) \
    .count = offsetof(type, counter), .element = sizeof(((type *)0)->member[0]), CLI_AT(type, member)
/* A key that is called as its member: {CLI_KEY(U64, VkMemoryHeap, size)}. */
#define CLI_KEY(kind, type, member) #member, CLI_FIELD_##kind, CLI_AT(type, member)
/* The same of an array; and of a member of the struct's member `outer`. */
#define CLI_KEYS(kind, type, member, entries) #member, CLI_FIELD_##kind, CLI_ARRAY(type, member, entries)
#define CLI_IN(kind, type, outer, member)     #member, CLI_FIELD_##kind, CLI_AT(type, outer.member)

#define CLI_FIELDS(table) .fields = (table), .count = VKMM_COUNT(table)

/* Defines what a row names as `known`: CLI_KNOWN(has_text, cli_table_note, text[0] != '\0'). The member comes first. */
#define CLI_KNOWN(function, type, ...)              \
    static int function(const void *record)         \
    {                                               \
        return ((const type *)record)->__VA_ARGS__; \
    }

/* New references; NULL if memory runs out. */
json_t *cli_record_json(const vkmm_record *record, const void *data);

/* Reads over what `data` holds: a key that is absent or null leaves its member alone. Errors are in node->reading. */
void cli_record_read(const cli_node *node, const vkmm_record *record, void *data);

/* The same for a separate document: 1, or 0 and a sentence. */
int cli_record_parse(const json_t *json, const vkmm_record *record, void *data, char sentence[CLI_SENTENCE]);

/* The figure at a path of keys, "time.kernel_ms.median"; NAN if it is unknown, or data is NULL. *titled gets the
 * field on the path that has a heading. No record on the path has a view, or is embedded. */
double cli_record_figure(const vkmm_record *record, const void *data, const char *path, const cli_field **titled);

/* ---- columns of CSV ---- */

/* A value of a record by the path of its keys, "time.kernel_ms.median", "kernel.tile.0"; of a list, its length.
 * "a|b" is b if a is null. */
typedef struct cli_csv_column {
    const char *path;
    const char *name; /* in the header; NULL: the path's last key */
    const char *only; /* the path of a value without which this one is not shown; NULL: always */
} cli_csv_column;

/* The value as text: a list is its length, null is "". `number` is where a number is written. */
const char *cli_record_text(const json_t *record, const char *path, char number[40]);

/* RFC 4180, safe in a spreadsheet: null is empty, and a text that would be a formula gets an apostrophe. */
const char *cli_csv_name(const cli_csv_column *column); /* in the header */
void cli_csv_header(FILE *out, const cli_csv_column *columns, uint32_t count);
int cli_csv_line(FILE *out, const cli_csv_column *columns, uint32_t count, json_t *json); /* releases it; 0 for NULL */
