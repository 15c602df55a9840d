/* Shared by the parts of a verification. Private to this folder.
 *  All matrices are read through tiles: a block is converted once into packed arrays (double, which holds every f32 and
 * narrower type exactly, or uint32_t, the bits of integers), so one set of contiguous inner loops works for every type
 * and every stride. */
#pragma once

#include "base/workers.h"
#include "verify/verify.h"

enum {
    CLI_TILE_ROWS = 16,
    CLI_TILE_COLS = 256, /* elements from one row of a packed tile to the next */
    CLI_PANEL = 8,       /* rows of C computed at a time: each tile of B is converted once for all of them */
    CLI_SPAN = 16384,    /* columns of C computed at a time */
    CLI_DEPTH = 16384,   /* of factors of A held at a time */
    CLI_SPOTS = 512      /* single elements at a time */
};

/* C = activation(α·A·B + β·C₀ + bias). alpha and beta as vkmm_problem_alpha and _beta give them: rounded to
 * vkmm_types_scale. */
typedef struct cli_claim {
    vkmm_view a, b, c;
    double alpha, beta;
    vkmm_view before; /* C₀, shaped as C, in separate memory; read only if beta is not 0 */
    cli_numbers numbers;
    vkmm_type compute; /* VKMM_F16: sums are rounded to f16; every other type of sums follows from A's */
    vkmm_view bias;    /* shaped as C and of its type, each row the same: row_stride is 0. data NULL: none */
    vkmm_activation activation;
    vkmm_method method;
    const double *tops[2]; /* max|a_ik| of each row of A, max|b_kj| of each column of B; infinite where they are not
                              finite. By these W8A8 quantizes A and B; reproducible: A's are times 2^-60 or 2^-31·K,
                              NULL for random numbers. NULL for other methods */
    int in_blocks;  /* how many of A and B are: their elements may be rounded to either neighbour in their type */
    vkmm_view sums; /* shaped as C: A·B by other means (verify.h); data NULL: none */
} cli_claim;

/* cli_verify_wants_sums of a batch of such claims. */
int cli_check_wants_sums(const cli_claim *claim, uint64_t matrices, cli_verify_method asked);

/* Rows [i0, i0 + rows) and columns [j0, j0 + cols) of the view into a packed tile. rows ≤ CLI_TILE_ROWS, cols ≤
 * CLI_TILE_COLS. If the view is the claim's A or B, floats are read as they are multiplied: f32 summed in f16 is
 * rounded to f16. */
void cli_tile_read(const cli_claim *claim, const vkmm_view *view, uint64_t i0, size_t rows, uint64_t j0, size_t cols,
                   void *tile);

static inline size_t cli_at_most(uint64_t left, size_t limit)
{
    return left < limit ? (size_t)left : limit;
}

/* A block of the reference: up to CLI_PANEL rows of A·B, `span` columns of each; or single elements, as one row.
 * Row r begins at r·span. */
typedef struct cli_block {
    size_t span;           /* CLI_SPAN, or what the claim has and CLI_SPOTS */
    size_t depth;          /* CLI_DEPTH, or what the claim has */
    void *want;            /* double of narrower floats, long double of f64, uint32_t (modulo 2^32) of integers */
    double *scale;         /* Σ_k |a_ik|·|b_kj|; floats only */
    double *loss;          /* that sum over products with a subnormal factor; of f16, bf16 and e5m2 factors only */
    void *left;            /* factors of A, as in a tile: row r begins at r·depth */
    vkmm_workers *workers; /* compute the reference; borrowed; NULL: the caller alone */
    double tile[CLI_TILE_ROWS * CLI_TILE_COLS];        /* of any matrix: double or uint32_t, */
    double before[CLI_TILE_COLS], bias[CLI_TILE_COLS]; /* one row of C₀, of the bias */
} cli_block;

/* NULL if memory runs out; freed with vkmm_free. For claims of this shape, and their transposes. */
cli_block *cli_block_make(const cli_claim *claim);

/* Whether rows are contiguous in memory, not columns. Matrices may be mapped files larger than memory: what is
 * contiguous is read together, so that a page is loaded once. */
int cli_view_has_rows(const vkmm_view *view);

/* Computes columns [j0, j0 + cols) of the rows rows[0 … count) of A·B. count ≤ CLI_PANEL, cols ≤ block->span. */
void cli_reference(const cli_claim *claim, const uint64_t *rows, size_t count, uint64_t j0, size_t cols,
                   cli_block *block);

/* The position of an element. */
typedef struct cli_spot {
    uint64_t row, col;
} cli_spot;

/* Computes single elements of A·B, as columns of the block's first row. count ≤ CLI_SPOTS. */
void cli_reference_spots(const cli_claim *claim, const cli_spot *spots, size_t count, cli_block *block);

/* What the sentence reports of a passed check: for each matrix, except for `matrices`. */
typedef struct cli_effort {
    unsigned vectors, rows, cols, elements;
    uint64_t matrices;
    uint64_t recomputed; /* rows that stood out */
    double reach;        /* a single element off by more, in ε·s, would have been found; 0: not known */
    uint64_t overflowed; /* elements that are infinite or NaN only because of the range of f16 or bf16 */
    int sums;            /* the vectors judged A·B by itself, and C was compared with it */
    int gaps;            /* the gaps between the matrices were compared too */
} cli_effort;

/* One verification in progress: one matrix after the other. */
typedef struct vkmm_check {
    cli_claim claim; /* of the current matrix; K = 0 if α is 0 */
    uint64_t seed;
    uint32_t alpha, beta;  /* integers: modulo 2^32 */
    int scaled;            /* α is not 1, or β not 0, or there is a bias or an activation */
    int narrow;            /* C is f16 or bf16 */
    int transposed;        /* the current claim is the transpose of the one under test */
    vkmm_types types;      /* of the claim */
    double factor;         /* the factor g; 0: compared exactly */
    double epsilon;        /* of the type of the sums; 0 for integers */
    double rest;           /* weight of |β·c₀| and |bias| in s */
    double flush;          /* φ, without what the data add */
    double *tops[2];       /* of the current matrix; owned */
    double steps;          /* f16 sums: |α|·K·min_normal, at most as much of φ; else 0 */
    double min, max;       /* smallest normal value of C's type, largest finite of the sums' */
    double most;           /* largest finite of the scale type */
    vkmm_workers *workers; /* NULL: one thread is enough */
    int is_finite;         /* the vectors have met no NaN and no infinity */
    cli_block *block;
    cli_spot *doubtful; /* not NULL: differing elements are collected here instead of being wrong */
    size_t doubtful_count;
    cli_effort effort;
    cli_verdict *verdict; /* of all matrices so far */
} vkmm_check;

/* begin chooses the method and allocates memory for `matrices` claims, all shaped and scaled as this one; matrix checks
 * one of them; end writes the sentence, frees the memory (always) and, if `status` is VKMM_OK, writes the verdict to
 * *verdict. `found` starts zeroed. */
vkmm_status cli_check_begin(vkmm_check *check, const cli_claim *claim, uint64_t matrices, cli_verify_method asked,
                            uint64_t seed, cli_verdict *found);
vkmm_status cli_check_matrix(vkmm_check *check, const cli_claim *claim, uint64_t index);
vkmm_status cli_check_end(vkmm_check *check, vkmm_status status, cli_verdict *verdict);

/* Compares elements with the reference and notes wrong ones in the verdict. count is any number of row indices. */
void cli_check_rows(vkmm_check *check, const uint64_t *rows, uint64_t count);
void cli_check_spots(vkmm_check *check, const cli_spot *spots,
                     size_t count); /* up to the first wrong one; count ≤ CLI_SPOTS */

/* Makes the claim that of the transpose, so that columns are rows, or makes it the first one again. */
void cli_check_turn(vkmm_check *check);

/* Compares every element with what follows from sums A·B that were computed elsewhere, within `factor`·ε·|A·B|
 * and their rounding to the sums' type. Where C differs, the reference decides. VKMM_OUT_OF_MEMORY. */
vkmm_status cli_check_against(vkmm_check *check, const vkmm_view *sums, double factor);

/* Rows and columns that NaN or infinities in A (rows: not 0), or B or the bias (cols: not 0) make infinite or NaN:
 * whether each of their elements is what it must be. VKMM_OUT_OF_MEMORY. */
vkmm_status cli_check_odd(vkmm_check *check, const double *rows, const double *cols);

/* Compares elements of a row with sums that are infinite or NaN, except where left_out[j], if given, is not 0. */
void cli_check_sums(vkmm_check *check, uint64_t row, uint64_t j0, size_t cols, const double *sums,
                    const double *left_out);

/* Freivalds' check of the current matrix. Suspect rows are recomputed; it stops soon after the first of them with a
 * wrong element. VKMM_OUT_OF_MEMORY, and VKMM_OK for everything else. Sets effort.vectors to the number of random
 * vectors used. */
vkmm_status cli_freivalds(vkmm_check *check);

/* Adds the NaN and infinite elements of a view of floats to a verdict. */
void cli_count_odd(const vkmm_check *check, const vkmm_view *view, cli_verdict *verdict);

/* Appends to the verdict's sentence, which has room for every possible number. */
VKMM_PRINTF(2, 3) void cli_tell(cli_verdict *verdict, const char *format, ...);
void cli_tell_result(const vkmm_check *check);
