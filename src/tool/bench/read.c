#include "bench/read.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "bench/lines.h"

#define MOST_BYTES (UINT64_C(256) << 20)

/* What of a report stands beside devices and rows. */
void vkmm_read_head(const vkmm_node *root, vkmm_bench *bench)
{
    const vkmm_node tool = vkmm_node_key(root, "tool"), host = vkmm_node_key(root, "host"),
                    settings = vkmm_node_key(root, "settings");
    const vkmm_node layers = vkmm_node_key(root, "layers"), command = vkmm_node_key(&tool, "command");

    if (vkmm_node_is_object(&tool, 0)) {
        vkmm_key_text(&tool, "version", bench->version, sizeof bench->version);
        vkmm_key_text(&tool, "shader_hash", bench->shader_hash, sizeof bench->shader_hash);
        vkmm_read_command(&command, bench);
    }
    vkmm_key_text(root, "created", bench->created, sizeof bench->created);
    if (vkmm_node_is_object(&host, 0)) {
        vkmm_key_text(&host, "processor", bench->host, sizeof bench->host);
        vkmm_key_text(&host, "os", bench->os, sizeof bench->os);
        vkmm_key_u32(&host, "processors", &bench->processors);
        vkmm_key_u64(&host, "memory_bytes", &bench->memory_bytes);
        vkmm_key_text(&host, "power_source", bench->power_source, sizeof bench->power_source);
    }
    if (vkmm_node_is_object(&settings, 0)) {
        vkmm_key_text(&settings, "suite", bench->settings.suite, sizeof bench->settings.suite);
        vkmm_key_u64(&settings, "seed", &bench->settings.seed);
        vkmm_key_u64(&settings, "rotating_bytes", &bench->settings.rotating_bytes);
        vkmm_key_number(&settings, "max_noise", VKMM_MOST_MS, &bench->settings.max_noise);
        vkmm_key_number(&settings, "budget_ms", VKMM_MOST_MS, &bench->settings.budget_ms);
    }
    if (vkmm_node_is_list(&layers, 0, VKMM_MOST_LAYERS)) vkmm_read_layers(&layers, bench);
}

void vkmm_read_command(const vkmm_node *node, vkmm_bench *bench)
{
    const char *text = json_string_value(node->json);
    char unused[8];

    vkmm_node_text(node, unused, sizeof unused); /* which says what is wrong */
    vkmm_free(bench->command);
    bench->command = text != NULL ? vkmm_strdup(text) : NULL;
    if (text != NULL && bench->command == NULL) node->reading->out_of_memory = 1;
}

void vkmm_read_layers(const vkmm_node *layers, vkmm_bench *bench)
{
    bench->layer_count = 0;
    for (size_t i = 0; i < json_array_size(layers->json); i++) {
        const vkmm_node entry = vkmm_node_at(layers, i);
        char name[VKMM_BENCH_TEXT] = "";
        vkmm_node_text(&entry, name, sizeof name);
        if (!vkmm_bench_add_layer(bench, name)) layers->reading->out_of_memory = 1;
    }
}

void vkmm_read_outcome(const vkmm_node *root, vkmm_bench *bench)
{
    vkmm_key_truth(root, "complete", &bench->complete);
    vkmm_key_text(root, "note", bench->note, sizeof bench->note);
}

static int is_over(const vkmm_reading *reading)
{
    return reading->sentence[0] != '\0' || reading->out_of_memory;
}

static void read_devices(const vkmm_node *devices, vkmm_bench *bench)
{
    for (size_t i = 0; i < json_array_size(devices->json) && !is_over(devices->reading); i++) {
        const vkmm_node node = vkmm_node_at(devices, i);
        vkmm_bench_device *device = vkmm_bench_add_device(bench);
        if (device != NULL)
            vkmm_read_device(&node, device);
        else
            devices->reading->out_of_memory = 1;
    }
}

void vkmm_read_next_row(const vkmm_node *node, vkmm_bench *bench)
{
    const vkmm_node device = vkmm_node_key(node, "device");
    vkmm_bench_row *row = vkmm_bench_add_row(bench);

    if (row == NULL) {
        node->reading->out_of_memory = 1;
        return;
    }
    vkmm_read_row(node, row);
    if (row->device >= bench->device_count)
        vkmm_node_fail(&device, "is %u; the report has %u device%s", row->device, bench->device_count,
                       bench->device_count == 1 ? "" : "s");
}

void vkmm_read_next_tune(const vkmm_node *node, vkmm_bench *bench)
{
    vkmm_bench_tune *tune = vkmm_bench_add_tune(bench);

    if (tune != NULL)
        vkmm_read_tune(node, tune);
    else
        node->reading->out_of_memory = 1;
}

/* A whole report. */
static void read_document(const vkmm_node *root, vkmm_bench *bench)
{
    const vkmm_node devices = vkmm_node_key(root, "devices"), rows = vkmm_node_key(root, "rows"),
                    tunes = vkmm_node_key(root, "tunes");

    vkmm_read_head(root, bench);
    vkmm_read_outcome(root, bench);
    if (!vkmm_node_is_list(&devices, 1, VKMM_MOST_DEVICES) || !vkmm_node_is_list(&rows, 1, VKMM_MOST_ROWS)) return;
    read_devices(&devices, bench);
    for (size_t i = 0; i < json_array_size(rows.json) && !is_over(root->reading); i++) {
        const vkmm_node row = vkmm_node_at(&rows, i);
        vkmm_read_next_row(&row, bench);
    }
    if (!vkmm_node_is_list(&tunes, 0, VKMM_MOST_TUNES)) return;
    for (size_t i = 0; i < json_array_size(tunes.json) && !is_over(root->reading); i++) {
        const vkmm_node tune = vkmm_node_at(&tunes, i);
        vkmm_read_next_tune(&tune, bench);
    }
}

/* Labels tell devices apart, whatever the file says. */
static void part_labels(vkmm_bench *bench)
{
    for (uint32_t i = 1; i < bench->device_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            char *label = bench->devices[i].label;
            const size_t length = strlen(label), room = VKMM_BENCH_TEXT - 8; /* at most 256 devices */
            if (strcmp(label, bench->devices[j].label) != 0) continue;
            snprintf(label + (length < room ? length : room), 8, " #%u", i % 1000);
            break;
        }
    }
}

vkmm_status vkmm_reading_status(const vkmm_log *log, const char *where, const vkmm_reading *reading)
{
    if (reading->out_of_memory) return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "%s: no memory for what it holds", where);
    if (reading->sentence[0] != '\0') return vkmm_fail(log, VKMM_INVALID, "%s: %s", where, reading->sentence);
    return VKMM_OK;
}

static vkmm_status parse(const vkmm_log *log, const char *name, const char *text, size_t bytes, vkmm_bench *bench)
{
    vkmm_reading reading = {.samples_left = VKMM_MOST_SAMPLES};
    json_t *first = NULL;
    size_t used = 0;
    vkmm_status status = vkmm_json_first(log, name, text, bytes, &first, &used);

    if (status != VKMM_OK) return status;
    switch (vkmm_schema_of(first)) {
    case VKMM_SCHEMA_REPORT: {
        const vkmm_node root = vkmm_node_root(&reading, first);
        read_document(&root, bench);
        status = vkmm_reading_status(log, name, &reading);
        if (status == VKMM_OK && !vkmm_is_blank(text + used, bytes - used))
            status = vkmm_fail(log, VKMM_INVALID, "%s: something follows the report, from byte %zu on", name, used);
        break;
    }
    case VKMM_SCHEMA_LINE:
        status = vkmm_read_lines(log, name, text, bytes, &reading, bench);
        break;
    default:
        status = vkmm_schema_fail(log, name, first);
    }
    json_decref(first);
    return status;
}

vkmm_status vkmm_bench_parse(const vkmm_log *log, const char *name, const void *data, size_t bytes, vkmm_bench *bench)
{
    const char *text = data;
    vkmm_bench read = {0};
    vkmm_status status;

    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, bytes -= 3; /* some editors' mark of UTF-8 */
    if (vkmm_is_blank(text, bytes)) return vkmm_fail(log, VKMM_INVALID, "%s is empty", name);
    status = parse(log, name, text, bytes, &read);
    if (status != VKMM_OK) {
        vkmm_bench_free(&read);
        return status;
    }
    snprintf(read.name, sizeof read.name, "%s", name);
    part_labels(&read);
    for (uint32_t i = 0; i < read.row_count; i++) vkmm_bench_derive(&read, &read.rows[i]);
    *bench = read;
    return VKMM_OK;
}

vkmm_status vkmm_bench_open(const vkmm_log *log, const char *path, vkmm_bench *bench)
{
    const char *slash = strrchr(path, '/');
    vkmm_mapping mapping;
    vkmm_status status = vkmm_mapping_open(log, path, &mapping);

    if (status != VKMM_OK) return status;
    if (mapping.bytes > MOST_BYTES)
        status = vkmm_fail(log, VKMM_INVALID, "%s has %llu bytes; reports of at most %llu are read", path,
                           (unsigned long long)mapping.bytes, (unsigned long long)MOST_BYTES);
    else
        status = vkmm_bench_parse(log, path, mapping.data, (size_t)mapping.bytes, bench);
    if (status == VKMM_OK && (status = vkmm_mapping_check(log, path, &mapping)) != VKMM_OK) vkmm_bench_free(bench);
    if (status == VKMM_OK) snprintf(bench->name, sizeof bench->name, "%s", slash != NULL ? slash + 1 : path);
    vkmm_mapping_close(&mapping);
    return status;
}

/* A part alone: read, and what is wrong with it told. */
static int is_read(const vkmm_reading *reading, char sentence[VKMM_BENCH_TEXT])
{
    snprintf(sentence, VKMM_BENCH_TEXT, "%s", reading->out_of_memory ? "out of memory" : reading->sentence);
    return sentence[0] == '\0';
}

int vkmm_bench_read_row(const json_t *json, vkmm_bench_row *row, char sentence[VKMM_BENCH_TEXT])
{
    vkmm_reading reading = {.samples_left = VKMM_MOST_SAMPLES};
    const vkmm_node root = vkmm_node_root(&reading, json);

    vkmm_read_row(&root, row);
    return is_read(&reading, sentence);
}

int vkmm_bench_read_device(const json_t *json, vkmm_bench_device *device, char sentence[VKMM_BENCH_TEXT])
{
    vkmm_reading reading = {0};
    const vkmm_node root = vkmm_node_root(&reading, json);

    vkmm_read_device(&root, device);
    return is_read(&reading, sentence);
}

int vkmm_bench_read_peaks(const json_t *json, vkmm_bench_peaks *peaks, char sentence[VKMM_BENCH_TEXT])
{
    vkmm_reading reading = {0};
    const vkmm_node root = vkmm_node_root(&reading, json);

    vkmm_read_peaks(&root, peaks);
    return is_read(&reading, sentence);
}

int vkmm_bench_read_problem(const json_t *json, vkmm_problem *problem, char sentence[VKMM_BENCH_TEXT])
{
    vkmm_reading reading = {0};
    const vkmm_node root = vkmm_node_root(&reading, json);

    vkmm_read_problem(&root, problem);
    return is_read(&reading, sentence);
}
