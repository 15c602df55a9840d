/* One result: a product on one device, its measurements and what follows from them; and the device. Their JSON
 * is cli_row_record and cli_device_record (report/records.h). An unknown figure is NAN, an unknown text
 * is "". Texts come from drivers and files: writers clean them. */
#pragma once

#include "base/log.h"
#include "math/type.h"
#include "vkmatmul.h"
#include "vkmatmul_stream.h"

#define CLI_BENCH_TEXT 256

enum { VKMM_SERIES_COUNT = 5 }; /* of a row */

/* Samples in the order taken, milliseconds. */
typedef struct cli_bench_series {
    double *ms; /* owned */
    uint32_t count;
    double median, min, p5, p95; /* of a row that is timed: cli_bench_derive. One sample has no p5 and p95 */
    uint32_t outliers; /* beyond the quartiles by more than 3 times what lies between these (Tukey, Exploratory
                          Data Analysis, 1977, 2D: far out), and by a tenth of the median */
} cli_bench_series;

/* What the machine measured while a row ran. */
typedef struct cli_bench_power {
    char source[32]; /* "NVML", "amdgpu", "i915", "RAPL"; "": nothing is readable */
    double joules;   /* per product, all of the device */
    double watts;    /* average while it multiplied */
    double mhz[3];   /* the device's clock before, during (median) and after */
    double others;   /* processors that other processes kept busy, on average; if the device is a processor */
    uint32_t processors;
    char limited[128]; /* why the driver reports that it lowered the clock: "power", "heat"; "": it reports
                          nothing */
} cli_bench_power;

/* What follows from a row's samples: cli_bench_derive. */
typedef struct cli_bench_figures {
    double median_ms;                    /* of kernel time */
    double interval_ms[2];               /* low and high end of the median's 95 % interval (bench/derive.h) */
    double noise;                        /* half that interval over the median */
    double gflops;                       /* 2·M·N·K·batches / median_ms */
    double gbytes_per_s;                 /* A, B and C once each (and C once more if β is not 0) / median_ms */
    double arithmetic_share, copy_share; /* of the device's measured peaks, from 0 to about 1 */
    double drift;  /* median of the last round over that of the first, less 1; 0.1: 10 % slower at the end */
    int busy;      /* other processes took more than one twentieth of the processors that are the device */
    int throttled; /* not busy, and the drift exceeds 3 %, the noise within the rounds and twice what neighbouring
                      rounds differ by (known for four rounds or more, or for two of five samples each); or the driver
                      reports it, and the clock does not contradict it */
} cli_bench_figures;

/* A product that was multiplied in panels. */
typedef struct cli_row_panels {
    vkmm_partition partition;
    vkmm_stream_times times;
    uint64_t batches;
    const char *reason;            /* why it does not fit as a whole; borrowed. NULL: it was multiplied as a whole */
    const vkmm_stream_part *parts; /* of several devices; borrowed. Partition and kernel are those of the first */
    uint32_t part_count;           /* 0: there is one device */
} cli_row_panels;

/* What limits a step of the ladder, and how long it should take (look/predict.h, whose resources these are). An unknown
 * figure is NAN. Texts have static storage. */
typedef struct cli_forecast {
    const char *name, *sentence; /* of the step: "padded", and what is new in it */
    const char *limiter;         /* "L2 bytes"; NULL: not predicted */
    const char *why;             /* it is much faster than the step before, or its prediction is off; NULL: neither */
    const char *resembles;       /* a user's shader: which step; NULL: none */
    double predicted_ms;
    struct {
        double dram_bytes, l2_bytes, l1_lines, shared_turns, instructions, waits, barriers;
    } counts;
    struct {
        double dram, l2, l1, shared, instructions, latency, barriers;
    } resource_ms;
} cli_forecast;

typedef struct cli_bench_row {
    uint32_t device; /* an index into cli_bench.devices */
    char group[16];  /* "square", "edge", "ladder", "llm", "skinny", "split-k", "weights", "file": of the suite */
    char asked[32];  /* the kernel asked for: "auto" … */
    vkmm_problem problem;
    uint64_t seed;
    char init[16];                /* distribution of A and B: "uniform" … */
    uint64_t rotating_bytes;      /* copies of the operands were rotated to fill this many bytes: cold caches. 0: hot */
    char not_run[CLI_BENCH_TEXT]; /* "", or why it did not run: then all members below are empty */
    vkmm_kernel_info kernel;      /* as it ran; of the host's BLAS only the name */
    char method[16];              /* of verification */
    int passed;                   /* 0: wrong, and no speed is shown */
    double error, bound;
    uint64_t nans, infinities; /* such elements of the product; a right product may have them */
    char sentence[480];
    union {
        struct {
            cli_bench_series kernel_ms, submit_ms, total_ms, upload_ms, download_ms;
        };
        cli_bench_series series[VKMM_SERIES_COUNT]; /* the same */
    };
    uint32_t *round_ends; /* kernel samples before round_ends[i] were taken in rounds up to i; owned */
    uint32_t rounds;
    char clock[8];                  /* "device" or "host" */
    char clock_note[128];           /* why the host's clock was used */
    double slope_ms;                /* one dispatch by the slope of wall time over growing batches */
    int mapped;                     /* unified memory: transfers copy nothing */
    char stopped[16];               /* "stable": the noise bound was met; "time", "count" */
    char in_panels[CLI_BENCH_TEXT]; /* "", or how it was cut, and why it did not fit as a whole */
    double asked_bytes; /* requested by the kernel from global memory, by formula (tutorials' kernels); NAN otherwise */
    cli_bench_power power;
    cli_bench_figures figures;

    /* Only of run and ladder, not in reports. Pointers are borrowed. */
    const vkmm_device_info *on; /* NULL: the host's processor, of the model `host` */
    const char *host;
    const char *shader_file; /* the user's; NULL: a built-in kernel */
    double wall_ms;          /* the first run with all copies, by the host's clock; 0: unknown */
    cli_row_panels panels;
    const cli_forecast *forecast;        /* of the ladder; NULL: none */
    const char *step;                    /* of the ladder: "1a", "2b" … */
    double times_serial, times_previous; /* speed-up by kernel time over serial and the step before; 0: unknown */
} cli_bench_row;

#define CLI_BENCH_MATRICES 64

typedef struct cli_bench_matrix {
    vkmm_matrix_shape shape;
    double multiply_adds_per_s; /* measured */
} cli_bench_matrix;

/* The peaks of the device, measured as part of the run. */
typedef struct cli_bench_peaks {
    double copy_bytes_per_s;
    double multiply_adds_per_s[VKMM_TYPE_COUNT];
    cli_bench_matrix matrix[CLI_BENCH_MATRICES];
    uint32_t matrix_count;
    int raised; /* some row was faster than the measured peak: its speed is used instead */
} cli_bench_peaks;

typedef struct cli_bench_device {
    char together[64];          /* of a live run: "", or the indices of the devices that share each product; `info` is
                                    the first's, but for the name */
    char label[CLI_BENCH_TEXT]; /* unique in a run's report: the name, with the driver's if two have the same name */
    int is_host; /* the host's processor through a BLAS library: of info only name (the processor), driver.name (the
                    library) and driver.info (its version and threads) are used */
    vkmm_device_info info;
    cli_bench_peaks peaks;
    char failed[CLI_BENCH_TEXT]; /* "", or why the device could not finish its rows */
} cli_bench_device;

/* Unknown peaks; unknown readings of the machine. */
void cli_bench_peaks_init(cli_bench_peaks *peaks);
cli_bench_power cli_bench_no_power(void);

/* An empty device; it owns nothing. */
void cli_bench_device_init(cli_bench_device *device);

/* The device, or for NULL the host's processor, of this name. */
void cli_bench_device_of(cli_bench_device *device, const vkmm_device_info *info, const char *host);

/* Makes an empty row; frees what a row owns. */
void cli_bench_row_init(cli_bench_row *row);
void cli_bench_row_free(cli_bench_row *row);

/* Appends samples; cli_bench_end_round ends a round of kernel_ms, the only series with rounds. 0 if memory runs out.
 */
int cli_bench_series_add(cli_bench_series *series, const double *ms, uint32_t count);
int cli_bench_end_round(cli_bench_row *row);

/* Adds the samples of a measurement, its clock and what it says of them. 0 if memory runs out. */
int cli_bench_row_add(cli_bench_row *row, const vkmm_measurement *time);

/* The figures that need only the row: percentiles, medians and GFLOP/s. 0 where it has no speed, or memory runs out:
 * the figures are NAN then. */
int cli_bench_row_speed(cli_bench_row *row);

/* The percentiles of a series, NAN without samples. 0 if memory runs out. */
int cli_bench_series_sort(cli_bench_series *series);

/* Whether other processes took more than one twentieth of the processors that are the device. */
int cli_bench_is_busy(const cli_bench_power *power);

/* Whether a row has a speed: it ran, passed, is not an empty product, and its median time is above 0 (a picosecond). */
int cli_bench_is_timed(const cli_bench_row *row);

/* Whether its product was verified and is wrong. A row without verification has no speed either, but is not wrong. */
int cli_bench_is_wrong(const cli_bench_row *row);

/* ---- bench reports ---- */

/* Schema of a comparison, which contains whole reports. */
#define CLI_COMPARE_SCHEMA "vkmatmul.compare/1"

/* That of `vkmatmul record`: a report with more keys (survey/survey.h). */
#define CLI_RECORD_SCHEMA "vkmatmul.record/1"

/* How the run was requested. */
typedef struct cli_bench_settings {
    char suite[CLI_BENCH_TEXT]; /* "quick", "standard" …, or the file's name */
    uint64_t seed, rotating_bytes;
    double max_noise; /* the bound that ends a row: half the 95 % interval over the median */
    double budget_ms; /* for each device */
} cli_bench_settings;

/* A bench report: what one run of `vkmatmul bench` or `compare` measured, on one machine, with everything needed
 * to judge it later. Its JSON is doc/bench.schema.json, "vkmatmul.bench/1"; bench/read.h reads it, the writers of
 * report/report.h write it. */
typedef struct cli_bench {
    char name[CLI_BENCH_TEXT];                      /* the file it was read from; "" for a run */
    char version[32], shader_hash[32], created[32]; /* of the tool; ISO 8601, UTC */
    char *command;                                  /* the exact command line; owned; NULL: unknown */
    char host[128], os[128];                        /* the processor's model; "Linux 6.1.0-18-amd64 x86_64" */
    uint32_t processors;                            /* of the host, logical */
    uint64_t memory_bytes;                          /* of the host */
    char power_source[16];                          /* "mains" or "battery" */
    cli_bench_settings settings;
    char (*layers)[CLI_BENCH_TEXT]; /* Vulkan layers in effect; owned */
    uint32_t layer_count;
    int paired;   /* its devices were sampled in turns: round i of one belongs to round i of another */
    int complete; /* 0: interrupted; note says why */
    char note[CLI_BENCH_TEXT];
    cli_bench_device *devices; /* owned */
    uint32_t device_count;
    cli_bench_row *rows; /* owned */
    uint32_t row_count;
} cli_bench;

/* The reports of a file: one, or those of a comparison. Owned. */
typedef struct cli_reports {
    cli_bench *benches;
    uint32_t count;
} cli_reports;

void cli_reports_free(cli_reports *reports);

/* Frees what the bench owns and zeroes it. A zeroed cli_bench is legal, and empty. */
void cli_bench_free(cli_bench *bench);

/* Each adds one empty entry (figures NAN) and returns it; NULL if memory runs out. Earlier entries may move. */
cli_bench_device *cli_bench_add_device(cli_bench *bench);
cli_bench_row *cli_bench_add_row(cli_bench *bench);
int cli_bench_add_layer(cli_bench *bench, const char *name); /* 0 if memory runs out */

/* Whether two rows measure the same thing: equal problems (packed strides count as given), requested kernel, and
 * caches. */
int cli_bench_same(const cli_bench_row *a, const cli_bench_row *b);
