/* Any bytes as a bench report: the parser refuses them, or gives a report that every writer can write, whose figures
 * follow from its samples, and which is read again once it is written. The first byte decides: even, what follows is
 * the file; odd, it is edits of a good report's values, which get much deeper than random text does. */
#include "fuzz_bench.h"

#include "fuzz.h"
#include "make_bench.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 6, MOST_NODES = 1024, MOST_EDITS = 6, EDIT_BYTES = 4 };

/* Where a value of the good report stands. */
typedef struct place {
    json_t *parent;
    const char *key; /* NULL: in an array, at `index` */
    size_t index;
} place;

/* A good report, and all that stands in it. */
typedef struct sample {
    json_t *report;
    place places[MOST_NODES];
    unsigned count;
} sample;

/* The whole of make_small_bench last; before it reports of one of its rows and that row's device each, which are
 * read faster. */
static sample samples[SAMPLES];

static json_t *value_at(const place *p)
{
    return p->key ? json_object_get(p->parent, p->key) : json_array_get(p->parent, p->index);
}

static void put_at(const place *p, json_t *value)
{
    if (p->key)
        json_object_set(p->parent, p->key, value);
    else
        json_array_set(p->parent, p->index, value);
}

/* What a reader derives anew, or leaves alone. */
static void drop_derived(json_t *value)
{
    static const char *const derived[] = {
        "median",      "min",   "p5",   "p95",   "gbytes_per_s", "interval_ms", "noise", "arithmetic_share",
        "copy_share",  "drift", "busy", "count", "outliers",     "throttled",   "parts", "shader",
        "device_local"};
    const char *key;
    json_t *inner;
    void *next;
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) json_object_del(value, derived[i]);
    json_object_foreach_safe(value, next, key, inner)
    {
        drop_derived(inner);
    }
    for (size_t i = 0; i < json_array_size(value); i++) drop_derived(json_array_get(value, i));
}

static void list(sample *s, json_t *parent)
{
    const char *key;
    json_t *value;
    json_object_foreach(parent, key, value)
    {
        if (s->count < MOST_NODES) s->places[s->count++] = (place){.parent = parent, .key = key};
        list(s, value);
    }
    for (size_t i = 0; i < json_array_size(parent); i++) {
        if (s->count < MOST_NODES) s->places[s->count++] = (place){.parent = parent, .index = i};
        list(s, json_array_get(parent, i));
    }
}

/* Leaves one row, and its device. */
static void reduce(json_t *report, size_t kept)
{
    json_t *rows = json_object_get(report, "rows"), *devices = json_object_get(report, "devices");
    json_t *row = json_incref(json_array_get(rows, kept)), *device;
    device = json_incref(json_array_get(devices, (size_t)json_integer_value(json_object_get(row, "device"))));
    json_object_set_new(row, "device", json_integer(0));
    json_array_clear(rows);
    json_array_append_new(rows, row);
    json_array_clear(devices);
    json_array_append_new(devices, device);
}

static void prepare(void)
{
    cli_bench bench = {0};
    if (samples[0].report) return;
    make_small_bench(&bench);
    char *text = fuzz_bench_text("json", &bench);
    for (size_t i = 0; i < SAMPLES; i++) {
        sample *s = &samples[i];
        s->report = text ? json_loads(text, 0, NULL) : NULL;
        if (!s->report || bench.row_count != SAMPLES - 1) abort();
        drop_derived(s->report);
        if (i < SAMPLES - 1) reduce(s->report, i);
        list(s, s->report);
    }
    free(text);
    cli_bench_free(&bench);
}

static json_t *repeated(json_t *value, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append(array, value);
    return array;
}

static json_t *number(const json_t *value, uint8_t more)
{
    static const double numbers[] = {
        0,      -1,           1,    0.5,  2,   1e-308, 1e308, 1e12, 1e-12, 4294967295.0, 4294967296.0,
        9.3e18, 1.8446744e19, 1e24, -0.0, 255, 3,      1e6,   7,    1e3,   8192,         14336};
    const unsigned count = sizeof numbers / sizeof *numbers;
    if (more >= 4 * count) return json_real(json_number_value(value) * (more % 2 ? 1 + more / 100.0 : more / 300.0));
    return more % 2 ? json_real(numbers[more / 4]) : json_integer((json_int_t)fmin(numbers[more / 4], 9e18));
}

static json_t *text(const char *value, uint8_t more)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "none",
                                        "host",
                                        "f64",
                                        "u32",
                                        "T",
                                        "col",
                                        "square",
                                        "auto",
                                        "edge",
                                        "llm",
                                        "ladder",
                                        "naive",
                                        "<script>&\"'",
                                        "a,\"b\"\n=c",
                                        "| a | b",
                                        "1.2.3",
                                        "\x1b[31m",
                                        "]]>",
                                        "cpu",
                                        "f16",
                                        "type 99",
                                        "0:1:2.3",
                                        "vkmatmul.bench/1.9",
                                        "rows=8,cols=4",
                                        "\xc3\xa4\xe2\x80\xae"};
    const unsigned count = sizeof texts / sizeof *texts;
    char longer[600];
    if (more < 6 * count) return json_string(texts[more / 6]);
    snprintf(longer, sizeof longer, "%.50s%0*d", value ? value : "", 2 * more + 1, 0);
    return json_string(longer);
}

/* What stands at a place, made a little or entirely different: a report that is refused at once shows nothing. */
static json_t *changed(const sample *s, json_t *value, uint8_t how, uint8_t more)
{
    if (how % 16 == 0) return json_null();
    if (how % 16 == 1) return json_incref(value_at(&s->places[(unsigned)(more * 17) % s->count]));
    if (how % 64 == 2) return number(value, more);
    if (how % 64 == 3) return text(json_string_value(value), more);
    switch (json_typeof(value)) {
    case JSON_INTEGER:
    case JSON_REAL:
        return number(value, more);
    case JSON_STRING:
        return text(json_string_value(value), more);
    case JSON_TRUE:
    case JSON_FALSE:
        return json_boolean(more & 1);
    case JSON_ARRAY:
        return repeated(json_array_get(value, 0), more % 40);
    case JSON_NULL:
        return more % 3 ? text(NULL, more) : json_integer(more);
    default:
        return json_incref(value);
    }
}

/* Edits the report, judges it, and takes the edits back, the last one first. */
static void judge_edits(const uint8_t *data, size_t bytes, unsigned choice)
{
    const sample *s = &samples[bytes % 8 < SAMPLES ? bytes % 8 : bytes % 7 % (SAMPLES - 1)];
    place at[MOST_EDITS];
    json_t *before[MOST_EDITS];
    unsigned edits = 0;
    for (; edits < MOST_EDITS && bytes >= EDIT_BYTES; edits++, data += EDIT_BYTES, bytes -= EDIT_BYTES) {
        at[edits] = s->places[(data[0] | data[1] << 8) % s->count];
        before[edits] = json_incref(value_at(&at[edits]));
        json_t *value = changed(s, before[edits], data[2], data[3]);
        if (value) put_at(&at[edits], value);
        json_decref(value);
    }
    char *text =
        json_dumps(s->report, JSON_COMPACT | JSON_REAL_PRECISION(9)); /* NULL where an edit made it contain itself */
    while (edits-- > 0) {
        put_at(&at[edits], before[edits]);
        json_decref(before[edits]);
    }
    if (text) fuzz_bench_judge(text, strlen(text), choice);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    prepare();
    if (bytes == 0) return 0;
    if (data[0] & 1)
        judge_edits(data + 1, bytes - 1, data[0] >> 1);
    else
        fuzz_bench_judge((const char *)data + 1, bytes - 1, data[0] >> 1);
    return 0;
}
