/* Any bytes as the file of a bench report, for the parser alone, which is many times faster than fuzz_bench.c with all writers: it refuses them with
 * one sentence, or gives a report as bench/document.h promises. The dictionary has the keys. */
#include "fuzz_bench.h"

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void hear(void *user, vkmm_log_level level, const char *sentence)
{
    if (level == VKMM_LOG_ERROR) (*(unsigned *)user)++;
    for (; *sentence != '\0'; sentence++)
        if ((unsigned char)*sentence < ' ') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    unsigned errors = 0;
    const vkmm_log log = {hear, &errors};
    vkmm_bench bench = {0};
    const vkmm_status status = vkmm_bench_parse(&log, "fuzz", data, bytes, &bench);
    if (errors != (status != VKMM_OK) || (status != VKMM_OK && status != VKMM_INVALID)) abort();
    if (status == VKMM_OK) {
        fuzz_bench_check(&bench);
        vkmm_bench_free(&bench);
    }
    return 0;
}

#define PROBLEM "\"problem\":{\"type\":\"f32\",\"m\":8,\"n\":9,\"k\":7}"
#define TIMES   "\"time\":{\"kernel_ms\":{\"samples\":[0.5,0.25,1e-3]},\"round_ends\":[1,3],\"clock\":\"device\"}"
#define ROW     "\"device\":0," PROBLEM ",\"verify\":{\"method\":\"full\",\"passed\":true,\"error\":0,\"bound\":1}," TIMES
#define DEVICE  "\"name\":\"a\",\"type\":\"cpu\",\"peaks\":{\"copy_bytes_per_s\":1e9,\"multiply_adds_per_s\":{\"f32\":1e9}}"

size_t vkmm_fuzz_seed(unsigned index, uint8_t out[VKMM_FUZZ_SEED_BYTES])
{
    static const char *const texts[] = {
        "{\"schema\":\"vkmatmul.bench/1\",\"devices\":[{" DEVICE "}],\"rows\":[{" ROW "}],\"tunes\":[]}",
        "{\"schema\":\"vkmatmul.bench/1\",\"devices\":[{" DEVICE "},{" DEVICE "}],\"rows\":[{" ROW "},{\"not_run\":\"too large\"," ROW
        "}]}",
        "{\"schema\":\"vkmatmul.bench.head/1\",\"tool\":{\"version\":\"1\"}}\n{\"schema\":\"vkmatmul.bench.device/1\",\"device\":0," DEVICE
        "}\n{\"schema\":\"vkmatmul.bench.row/1\"," ROW "}\n{\"schema\":\"vkmatmul.bench.end/1\",\"complete\":true}\n",
        "{\"schema\":\"vkmatmul.tune/1\"," PROBLEM
        ",\"device\":{\"name\":\"a\"},\"trials\":[{\"kernel\":\"blocked\",\"config\":\"rows=8\",\"ms\":1}]}\n",
    };
    if (index >= sizeof texts / sizeof *texts) return 0;
    memcpy(out, texts[index], strlen(texts[index]));
    return strlen(texts[index]);
}
