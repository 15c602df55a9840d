/* A bench report: what one run of `vkmatmul bench` or `compare` measured, on one machine, with all that is needed to
 * judge it later. Its JSON is doc/bench.schema.json, "vkmatmul.bench/1"; bench/read.h reads it, bench/writer.h writes
 * it.
 *  A figure that is not known is NAN, a text that is not known is "". Texts come from drivers and files: writers
 * clean them. */
#ifndef VKMM_BENCH_DOCUMENT_H
#define VKMM_BENCH_DOCUMENT_H

#include "base/log.h"
#include "math/type.h"
#include "vkmatmul.h"

#define VKMM_BENCH_TEXT 256

/* Of a whole report, and of the lines of one that is written as the run goes on. */
#define VKMM_BENCH_SCHEMA        "vkmatmul.bench/1"
#define VKMM_BENCH_HEAD_SCHEMA   "vkmatmul.bench.head/1"
#define VKMM_BENCH_DEVICE_SCHEMA "vkmatmul.bench.device/1"
#define VKMM_BENCH_ROW_SCHEMA    "vkmatmul.bench.row/1"
#define VKMM_BENCH_END_SCHEMA    "vkmatmul.bench.end/1"
#define VKMM_BENCH_TUNE_SCHEMA   "vkmatmul.bench.tune/1"

/* Samples in the order taken, milliseconds. */
typedef struct vkmm_bench_series {
    double *ms; /* owned */
    uint32_t count;
} vkmm_bench_series;

/* What the machine itself measured while a row ran. */
typedef struct vkmm_bench_power {
    char source[32];   /* "NVML", "amdgpu", "i915", "RAPL"; "": nothing is readable here */
    double joules;     /* per product, all of the device */
    double watts;      /* average while it multiplied */
    double mhz[3];     /* the device's clock before, during (median) and after */
    char limited[128]; /* why the device held its clock back, as its driver says: "power", "heat"; "": it does not say
                          so */
} vkmm_bench_power;

/* What follows from a row's samples: vkmm_bench_derive. */
typedef struct vkmm_bench_figures {
    double median_ms, p5_ms, p95_ms, min_ms; /* of kernel time */
    double low_ms, high_ms;                  /* the 95 % interval of the median (bench/interval.h) */
    double noise;                            /* half that interval over the median */
    double submit_ms, transfer_ms;           /* medians */
    double gflops;                           /* 2·M·N·K·batches / median_ms */
    double gbytes_per_s;                     /* A, B and C once each (and C once more where β counts) / median_ms */
    double arithmetic_share, copy_share;     /* of the device's measured peaks, from 0 to about 1 */
    double drift;  /* median of the last round over that of the first, less 1; 0.1: 10 % slower at the end */
    int throttled; /* the drift exceeds 3 %, the noise within the rounds and twice what neighbouring rounds differ by
                      (known for four rounds or more, or for two of five samples each); or the driver says so, and the
                      clock does not say otherwise */
    /* The three figures added up: upload + kernel + overhead + download against a product with transfers. overhead:
     * submit_ms - median_ms. */
    double upload_ms, download_ms, overhead_ms, sum_ms, wall_ms;
    int adds_up;     /* the sum is within 10 % of wall_ms */
    char apart[128]; /* why they cannot be added up, or why the sum is off; "" where it adds up */
} vkmm_bench_figures;

typedef struct vkmm_bench_row {
    uint32_t device; /* an index into vkmm_bench.devices */
    char group[16];  /* "square", "edge", "ladder", "llm", "skinny", "split-k", "file": of the suite */
    char asked[32];  /* the kernel asked for: "auto" … */
    vkmm_problem problem;
    uint64_t seed;
    char init[16];                 /* distribution of A and B: "uniform" … */
    uint64_t rotating_bytes;       /* operands took turns until they filled so many bytes: cold caches. 0: hot */
    char not_run[VKMM_BENCH_TEXT]; /* "", or why it did not run: then all that follows is empty */
    vkmm_kernel_info kernel;       /* as it ran; of the host's BLAS only the name */
    char method[16];               /* of verification */
    int passed;                    /* 0: wrong, and no speed is shown */
    double error, bound;
    char sentence[VKMM_BENCH_TEXT];
    vkmm_bench_series kernel_ms, submit_ms, transfer_ms, upload_ms, download_ms;
    uint32_t *round_ends; /* kernel samples before round_ends[i] were taken in rounds up to i; owned */
    uint32_t rounds;
    char clock[8];        /* "device" or "host" */
    char clock_note[128]; /* why the host's clock stood in */
    double slope_ms;      /* one dispatch by the slope of wall time over growing batches */
    int mapped;           /* unified memory: transfers copy nothing */
    char stopped[16];     /* "stable": the noise bound was met; "time", "count" */
    double asked_bytes;   /* that the kernel asks global memory for, by formula (tutorials' kernels); NAN otherwise */
    vkmm_bench_power power;
    vkmm_bench_figures figures;
} vkmm_bench_row;

#define VKMM_BENCH_MATRICES 64

typedef struct vkmm_bench_matrix {
    vkmm_matrix_shape shape;
    double multiply_adds_per_s; /* measured */
} vkmm_bench_matrix;

/* What the device can do at best, measured as part of the run. */
typedef struct vkmm_bench_peaks {
    double copy_bytes_per_s;
    double multiply_adds_per_s[VKMM_TYPE_COUNT];
    vkmm_bench_matrix matrix[VKMM_BENCH_MATRICES];
    uint32_t matrix_count;
} vkmm_bench_peaks;

typedef struct vkmm_bench_device {
    char label[VKMM_BENCH_TEXT]; /* unique in the report: the name, with the driver's where two have the same name */
    int is_host; /* the host's processor through a BLAS library: of info only name (the processor), driver_name (the
                    library) and driver_info (its version and threads) count */
    vkmm_device_info info;
    vkmm_bench_peaks peaks;
    char failed[VKMM_BENCH_TEXT]; /* "", or why the device could not finish its rows */
} vkmm_bench_device;

/* One candidate of a tune, for the map of tiles. */
typedef struct vkmm_bench_trial {
    char kernel[32], config[VKMM_CONFIG_TEXT];
    double ms; /* 0: it failed */
} vkmm_bench_trial;

typedef struct vkmm_bench_tune {
    char device[VKMM_BENCH_TEXT];
    vkmm_problem problem;
    vkmm_bench_trial *trials; /* owned */
    uint32_t count;
} vkmm_bench_tune;

/* How the run was asked for. */
typedef struct vkmm_bench_settings {
    char suite[VKMM_BENCH_TEXT]; /* "quick", "standard", "full", or the file's name */
    uint64_t seed, rotating_bytes;
    double max_noise; /* the bound that ends a row: half the 95 % interval over the median */
    double budget_ms; /* for each device */
} vkmm_bench_settings;

typedef struct vkmm_bench {
    char name[VKMM_BENCH_TEXT];                     /* the file it was read from; "" for a run */
    char version[32], shader_hash[32], created[32]; /* of the tool; ISO 8601, UTC */
    char *command;                                  /* the exact command line; owned; NULL: unknown */
    char host[128], os[128];                        /* the processor's model; "Linux 6.1.0-18-amd64 x86_64" */
    uint32_t processors;                            /* of the host, logical */
    uint64_t memory_bytes;                          /* of the host */
    char power_source[16];                          /* "mains" or "battery" */
    vkmm_bench_settings settings;
    char (*layers)[VKMM_BENCH_TEXT]; /* Vulkan layers in effect; owned */
    uint32_t layer_count;
    int complete; /* 0: interrupted; note says why, and of a resumed run which rows are of before */
    char note[VKMM_BENCH_TEXT];
    vkmm_bench_device *devices; /* owned */
    uint32_t device_count;
    vkmm_bench_row *rows; /* owned */
    uint32_t row_count;
    vkmm_bench_tune *tunes; /* owned; of results of `vkmatmul tune --json` */
    uint32_t tune_count;
} vkmm_bench;

/* A zeroed vkmm_bench is legal, and empty. Ends all that it owns and zeroes it. */
void vkmm_bench_free(vkmm_bench *bench);

/* Each adds one empty entry (figures NAN) and returns it; NULL when memory ends. Earlier entries may move. */
vkmm_bench_device *vkmm_bench_add_device(vkmm_bench *bench);
vkmm_bench_row *vkmm_bench_add_row(vkmm_bench *bench);
vkmm_bench_tune *vkmm_bench_add_tune(vkmm_bench *bench);
vkmm_bench_trial *vkmm_bench_add_trial(vkmm_bench_tune *tune);
int vkmm_bench_add_layer(vkmm_bench *bench, const char *name); /* 0 when memory ends */

/* Multiply-adds a second at best for products of such types: of the fastest measured shape of matrix operations on
 * them; where there is none, of ordinary ones of the type that is summed in (for i8 and u8, dot products of four if
 * they were measured). *is_matrix (may be NULL): which of both. NAN: not known. f32, f64, i32 and u32 sums of the
 * same have no matrix operations here. */
double vkmm_bench_peak_of(const vkmm_bench_peaks *peaks, vkmm_types types, int *is_matrix);

/* Nothing is known of the peaks; of the figures. */
void vkmm_bench_peaks_init(vkmm_bench_peaks *peaks);
vkmm_bench_figures vkmm_bench_no_figures(void);

/* An empty row, and the end of what a row owns. */
void vkmm_bench_row_init(vkmm_bench_row *row);
void vkmm_bench_row_free(vkmm_bench_row *row);

/* Appends samples; ends_round: they close a round of their own (kernel_ms alone has rounds). 0 when memory ends. */
int vkmm_bench_series_add(vkmm_bench_series *series, const double *ms, uint32_t count);
int vkmm_bench_end_round(vkmm_bench_row *row);

/* Fills row->figures from the samples, with peaks of row->device. A wrong, unverified or empty product has no speed:
 * its figures stay NAN. */
void vkmm_bench_derive(const vkmm_bench *bench, vkmm_bench_row *row);

/* Whether a row has a speed: it ran, passed, is no empty product, and its median time is above 0 (a picosecond).
 * Needs no vkmm_bench_derive. */
int vkmm_bench_is_timed(const vkmm_bench_row *row);

/* Whether two rows measure the same thing: equal problems (packed strides count as given), kernel asked for, and
 * caches. */
int vkmm_bench_same(const vkmm_bench_row *a, const vkmm_bench_row *b);

/* The row of a device that measures the same as `like`, the first with a speed if one has; NULL when there is none. */
const vkmm_bench_row *vkmm_bench_find(const vkmm_bench *bench, uint32_t device, const vkmm_bench_row *like);

#endif
