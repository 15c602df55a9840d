/* The kinds of option arguments: a cli_parser each, and the words that some of them take. */
#pragma once

#include "options/options.h"

/* What each writes to *field: */
cli_parser cli_parse_text;       /* const char * */
cli_parser cli_parse_format;     /* const char *: the option's name */
cli_parser cli_parse_config;     /* const char * */
cli_parser cli_parse_sizes;      /* cli_sizes; of race, of matrices */
cli_parser cli_parse_whole;      /* cli_number or uint64_t, from the option's least to its most */
cli_parser cli_parse_amount;     /* as the option's cli_amount describes */
cli_parser cli_parse_tile;       /* uint32_t[2] */
cli_parser cli_parse_types;      /* cli_types, of the choice */
cli_parser cli_parse_type;       /* vkmm_type, a choice */
cli_parser cli_parse_compute;    /* vkmm_problem: compute, or method */
cli_parser cli_parse_word;       /* const char *, a choice */
cli_parser cli_parse_words;      /* cli_list, a comma list of choices */
cli_parser cli_parse_shader;     /* cli_list of files, to which it is added */
cli_parser cli_parse_index;      /* int, a choice's index */
cli_parser cli_parse_at;         /* cli_at */
cli_parser cli_parse_scalar;     /* double */
cli_parser cli_parse_input_type; /* cli_types, of one */
cli_parser cli_parse_function;   /* int, VKMM_COL_MAJOR */
cli_parser cli_parse_verify;     /* int, a choice's index */
cli_parser cli_parse_op;         /* int, a vkmm_op: N n T t C c */

const char *cli_type_words(uint32_t index);
const char *cli_tutorial_type_words(uint32_t index); /* f32, f64, i32, u32 */
const char *cli_kernel_words(uint32_t index);        /* "auto" first */
const char *cli_step_words(uint32_t index);          /* kernels, then steps of the ladder: parts, staged, split */

/* Whether the tutorials' kernels have the type: f32, f64, i32, u32. */
int cli_is_plain_type(vkmm_type type);
