/* From the options to the problem that they describe. */
#pragma once

#include "options/options.h"

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
