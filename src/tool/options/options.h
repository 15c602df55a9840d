/* The options: one table drives parsing, --help, the shell completions and the test of the man page. */
#pragma once

#include "math/matrix.h"
#include "verify/verify.h"

/* ---- sizes ---- */

/* The grammar of --size:
 *
 *     sizes = item { "," item }
 *     item  = N | M "x" N "x" K | range
 *     range = start ":" end ":x" factor      each start · factor^i up to end
 *           | start ":" end ":+" step        each start + step · i up to end
 *           | start ":" end ":"  step        the same
 *
 * N is a square problem, M = N = K; a range counts such N. "X" and "×" serve as "x" too, and before a
 * factor "*", which some shells expand. */

#define CLI_MAX_SIZES  4096       /* problems in one list */
#define CLI_MAX_EXTENT UINT32_MAX /* elements along one dimension */

typedef struct cli_size {
    uint64_t m, n, k;
} cli_size;

typedef struct cli_sizes {
    cli_size *item; /* owned */
    uint32_t count;
} cli_sizes;

/* VKMM_INVALID, with the offending item and the grammar or the limit that it breaks; *sizes is then empty. extents: 3,
 * or 2 for matrices, N | M "x" N, and ranges of squares: k is then 0 in every item. */
vkmm_status cli_sizes_parse(const char *text, int extents, cli_sizes *sizes);
void cli_sizes_free(cli_sizes *sizes); /* a zeroed cli_sizes is legal */

/* Reads digits at *text up to the first other character and moves *text there. 1 and *value; 0 if there is no digit; -1
 * if the number does not fit in 64 bits (the digits are then skipped too). */
int cli_read_number(const char **text, uint64_t *value);

/* Skips "x", "X" or "×" at *text: 1, or 0 if there is none. */
int cli_read_times(const char **text);

/* ---- options ---- */

/* Which commands take an option: bits of cli_option.commands and cli_command.bit. */
enum {
    CLI_RUN = 1,
    CLI_LADDER = 2,
    CLI_DEVICES = 4,
    CLI_HELP = 8,
    CLI_EXPLAIN = 16,
    CLI_TRACE = 32,
    CLI_RACE = 64,
    CLI_TUNE = 128,
    CLI_BENCH = 256,
    CLI_COMPARE = 512,
    CLI_REPORT = 1024,
    CLI_DOCTOR = 2048,
    CLI_PEAK = 4096,
    CLI_STATISTICS = 8192,
    CLI_BLAS = 16384,
    CLI_EXAMPLE = 32768,
    CLI_RECORD = 65536,
    CLI_CHECK = 131072,
    CLI_ALL = 262143,
    CLI_WORKER = 262144,  /* every command that the program runs for itself */
    CLI_MEASURES = 524288 /* not a command: the option says how compare measures, so files are not allowed with it */
};

/* A number and whether it was given. */
typedef struct cli_number {
    int given;
    uint64_t value;
} cli_number;

typedef struct cli_types {
    uint32_t count; /* 0: not given */
    vkmm_type type[VKMM_TYPE_COUNT];
} cli_types;

/* The option again, for a process of its own: "--type=f32,f16"; NULL if it was not given. */
enum { CLI_TYPES_WORD = 128 };
const char *cli_types_word(const cli_types *types, char text[CLI_TYPES_WORD]);

enum { CLI_MOST_LISTED = 16 };

/* A list of words or files. */
typedef struct cli_list {
    uint32_t count; /* 0: not given */
    const char *item[CLI_MOST_LISTED];
} cli_list;

/* An element of C; zeros when not given. */
typedef struct cli_at {
    int given;
    uint64_t row, col;
} cli_at;

typedef struct cli_option cli_option;

/* The index-th known word; NULL past the end. */
typedef const char *(*cli_words)(uint32_t index);

/* The known word nearest to `word`, or NULL if none is near. Near means at most one mistake in three letters. */
const char *cli_suggest(const char *word, cli_words words);

/* The nearer of two words to `word`: `candidate`, if it is near, or `best`, an earlier result or NULL. */
const char *cli_nearer(const char *word, const char *best, const char *candidate);

/* What the user asked for. Plain values; texts point into argv. */
typedef struct cli_options {
    int help, version, samples, print, validate;
    const char *format; /* the name of a writer, report/report.h; NULL: a table */
    cli_sizes sizes;    /* owned */
    cli_number m, n, k;
    vkmm_problem problem; /* without its sizes, type and strides; has_bias: a generated bias */
    cli_number stride[3]; /* by vkmm_operand; not given: one packed matrix after another */
    uint32_t tile[2];     /* rows, columns; 0: not given */
    const char *kernel, *config;
    const char *part;  /* check: the only one; NULL: all */
    cli_list kernels;  /* ladder, bench, compare */
    cli_list shaders;  /* files */
    cli_number moduli; /* not given: as many as the data needs */
    int untuned, no_cache, pack_b;
    cli_types types;
    const char *device, *driver;
    double memory_limit; /* bytes of device memory; 0: all that is free */
    cli_number retries;  /* of a product whose device was lost; default 0 */
    const char *a, *b, *c, *bias, *out;
    int init;        /* vkmm_init */
    cli_number seed; /* default 1 */
    int bench;       /* run: take samples even if the product is saved */
    cli_number iters, cold_iters;
    double min_time_ms, max_time_ms; /* 0: not given */
    int verify;                      /* cli_verify_method */
    int all;                         /* statistics: every type, op and class of sizes */
    int show;                        /* record: print what is known without measuring */
    cli_at at;                       /* trace: the element to follow */
    const char *html;                /* trace: where the page goes; NULL: no page */
    double budget_ms;                /* tune, bench, record, check; 0: not given */
    int verbose;                     /* tune: list why candidates failed */
    const char *import, *export;     /* tune: files to copy results from and to instead of tuning */
    const char *worker;              /* hidden: the program that measures for tune, bench and compare; NULL: this one */
    int no_layers;                   /* no implicit Vulkan layers */
    const char *suite;               /* bench: a name or a file; NULL: the command's default */
    double rotating_bytes;           /* bench: 0: caches stay hot */
    double max_noise;                /* bench: a share; 0: not given */
    int force;                       /* an output may replace an input, or a report */
    int no_host;                     /* bench: do not measure the host's BLAS */
    int host_worker;                 /* bench-worker: measure the host's BLAS */
    cli_number top;                  /* blas: rows of the table */
    double regression;               /* compare: a share; below 0: not given */
    const char *output;              /* bench, compare, report: -o */
    char **operands;                 /* compare, report: files; help --candidates: words; blas: a command; in argv */
    uint32_t operand_count;
    const char *root;           /* doctor, hidden: the root of the system's files; NULL: / */
    const char *completions;    /* hidden: the shell to complete for */
    int candidates;             /* hidden: what may follow the operands */
    const cli_option *measures; /* the first with CLI_MEASURES; NULL: none was given */
    const char *operand;        /* of `help`: a command's name; of `example`: a folder */
} cli_options;

/* A decimal number with one of several units, converted to the unit whose factor is 1. */
typedef struct cli_amount {
    const char *expected; /* for messages */
    double least, most;
    struct {
        const char *name; /* "": a bare number; NULL ends the list */
        double factor;
    } units[12];
} cli_amount;

/* Reads the argument into the option's field. VKMM_INVALID with a sentence that starts with the option. */
typedef vkmm_status cli_parser(const cli_option *option, const char *text, void *field);

struct cli_option {
    const char *group; /* heading in --help; NULL: the one before */
    char letter;       /* 0: none */
    const char *name;  /* long name; NULL: none */
    const char
        *argument;    /* placeholder; NULL: a flag. One that starts with FILE, and FOLDER, completes to file names */
    const char *help; /* NULL: hidden */
    unsigned commands;
    size_t offset, size;  /* of the field in cli_options */
    cli_parser *parse;    /* NULL for a flag that is an int; the text of other flags is NULL */
    cli_words choice;     /* words that the argument may be; NULL: free */
    uint64_t least, most; /* of a whole number */
    const cli_amount *amount;
};

enum { CLI_HELP_TEXT = 1000 };

extern const cli_option cli_option_table[];
extern const unsigned cli_option_count;

/* "--size", or "-m" where there is no long name. '-' and '_' are the same in a long name: --batch_count is
 * --batch-count. */
void cli_option_name(const cli_option *option, char text[32]);

/* The option's help, with the names of kernels in place of "{general}" and "{tutorials}". */
void cli_option_help(const cli_option *option, char text[CLI_HELP_TEXT]);

/* Reads the arguments after the command into *options (zeroed by the caller, ended by cli_options_free even on
 * failure). VKMM_INVALID with one sentence that names the nearest known option. */
vkmm_status cli_options_parse(unsigned command, const char *command_name, int argc, char **argv, cli_options *options);
void cli_options_free(cli_options *options);

/* Checks combinations: options that cannot be combined, and options that need others. */
vkmm_status cli_options_check(const cli_options *options);

/* ---- from the options to the problem that they describe ---- */

/* How many sizes the options list: at least one. */
size_t cli_size_count(const cli_options *options);

int cli_size_is_given(const cli_options *options);

/* The index-th of them, with -m, -n and -k applied. square: each extent that no option gives. */
enum { CLI_SQUARE = 1024, CLI_SQUARE_CPU = 256 };
cli_size cli_size_at(const cli_options *options, size_t index, uint64_t square);

/* The problem of that size with everything else from the options. In a batch, a stride that is not given is that of
 * packed, consecutive matrices: the leading dimension times the stored rows (column-major: columns). Not checked:
 * vkmm_problem_check does that. */
vkmm_problem cli_problem_make(const cli_options *options, const cli_size *size, vkmm_type type);
