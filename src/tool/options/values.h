/* The kinds of option arguments: a cli_parse function each, and the words that some of them take. */
#ifndef VKMM_CLI_VALUES_H
#define VKMM_CLI_VALUES_H

#include "options/options.h"

vkmm_status cli_parse_text(const vkmm_log *log, const cli_option *option, const char *text,
                           void *field); /* const char * */
vkmm_status cli_parse_config(const vkmm_log *log, const cli_option *option, const char *text,
                             void *field); /* const char * */
vkmm_status cli_parse_sizes(const vkmm_log *log, const cli_option *option, const char *text,
                            void *field); /* cli_sizes */
vkmm_status cli_parse_matrices(const vkmm_log *log, const cli_option *option, const char *text,
                               void *field); /* cli_sizes */
vkmm_status cli_parse_extent(const vkmm_log *log, const cli_option *option, const char *text,
                             void *field); /* cli_number */
vkmm_status cli_parse_seed(const vkmm_log *log, const cli_option *option, const char *text,
                           void *field); /* cli_number */
vkmm_status cli_parse_iters(const vkmm_log *log, const cli_option *option, const char *text,
                            void *field); /* cli_number, from 1 */
vkmm_status cli_parse_count(const vkmm_log *log, const cli_option *option, const char *text,
                            void *field); /* cli_number, from 0 */
vkmm_status cli_parse_tile(const vkmm_log *log, const cli_option *option, const char *text,
                           void *field); /* uint32_t[2] */
vkmm_status cli_parse_time(const vkmm_log *log, const cli_option *option, const char *text,
                           void *field); /* double, ms */
vkmm_status cli_parse_budget(const vkmm_log *log, const cli_option *option, const char *text,
                             void *field); /* double, ms */
vkmm_status cli_parse_types(const vkmm_log *log, const cli_option *option, const char *text,
                            void *field); /* cli_types */
vkmm_status cli_parse_type(const vkmm_log *log, const cli_option *option, const char *text,
                           void *field); /* cli_type, a choice */
vkmm_status cli_parse_tutorial_types(const vkmm_log *log, const cli_option *option, const char *text,
                                     void *field); /* cli_types, of the tutorials' */
vkmm_status cli_parse_word(const vkmm_log *log, const cli_option *option, const char *text,
                           void *field); /* const char *, a choice */
vkmm_status cli_parse_index(const vkmm_log *log, const cli_option *option, const char *text,
                            void *field); /* int, a choice's index */

vkmm_status cli_parse_at(const vkmm_log *log, const cli_option *option, const char *text, void *field); /* cli_at */
vkmm_status cli_parse_ld(const vkmm_log *log, const cli_option *option, const char *text,
                         void *field); /* cli_number, from 1 */
vkmm_status cli_parse_elements(const vkmm_log *log, const cli_option *option, const char *text,
                               void *field); /* cli_number, from 0 */
vkmm_status cli_parse_batch(const vkmm_log *log, const cli_option *option, const char *text,
                            void *field); /* cli_number, from 1 */
vkmm_status cli_parse_scalar(const vkmm_log *log, const cli_option *option, const char *text,
                             void *field); /* cli_scalar */
vkmm_status cli_parse_op(const vkmm_log *log, const cli_option *option, const char *text,
                         void *field); /* int, a vkmm_op: N n T t C c */

vkmm_status cli_parse_share(const vkmm_log *log, const cli_option *option, const char *text,
                            void *field); /* double: "5%" is 0.05; not 0 */
vkmm_status cli_parse_regression(const vkmm_log *log, const cli_option *option, const char *text,
                                 void *field); /* cli_scalar: the same, 0 too */
vkmm_status cli_parse_bytes(const vkmm_log *log, const cli_option *option, const char *text,
                            void *field); /* cli_number, from 1 */
vkmm_status cli_parse_mebibytes(const vkmm_log *log, const cli_option *option, const char *text,
                                void *field); /* double, bytes; from 1 MiB */

/* const char *: a choice, with a sentence of its own for kernels that are not the tutorials'. */
vkmm_status cli_parse_tutorial(const vkmm_log *log, const cli_option *option, const char *text, void *field);

const char *cli_type_words(uint32_t index);
const char *cli_tutorial_type_words(uint32_t index); /* f32, f64, i32, u32 */
const char *cli_out_type_words(uint32_t index);
const char *cli_compute_words(uint32_t index);
const char *cli_activation_words(uint32_t index);
const char *cli_kernel_words(uint32_t index);   /* "auto" first */
const char *cli_tutorial_words(uint32_t index); /* without the kernels that take every problem */
const char *cli_op_words(uint32_t index);
const char *cli_layout_words(uint32_t index);
const char *cli_init_words(uint32_t index);
const char *cli_verify_words(uint32_t index);
const char *cli_shell_words(uint32_t index);

/* Whether the tutorials' kernels have the type: f32, f64, i32, u32. */
int cli_is_plain_type(vkmm_type type);

/* VKMM_INVALID, with the word that may have been meant and the option's words. */
vkmm_status cli_unknown_word(const vkmm_log *log, const cli_option *option, const char *text);

/* "auto, serial, naive": the words in a row, for messages. Cut to fit. */
void cli_join_words(cli_words words, char *text, size_t size);

#endif
