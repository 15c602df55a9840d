/* What the parts of a product in panels share. For large.c and large_operands.c alone. */
#ifndef VKMM_CLI_LARGE_PARTS_H
#define VKMM_CLI_LARGE_PARTS_H

#include "system/room.h"
#include "product/large.h"
#include "io/array_writer.h"

struct cli_large {
    cli_session *session;
    const cli_inputs *inputs;
    const cli_product *product; /* that this belongs to */
    vkmm_stream *stream;
    vkmm_room room[4], before;          /* by vkmm_operand: those that are in memory, laid out as the problem says */
    vkmm_stack stack[3], before_stack;  /* A, B and C wherever they are; C as it was */
    int from_file[3], before_from_file; /* mapped, and read panel by panel */
    vkmm_array_writer *writer;          /* NULL: C is in memory */
    vkmm_row_panels panels;
    char reason[CLI_LARGE_REASON];
};

/* Gets A, B, the bias and C as it was, from where they come; and room for C, in the file `out` or in memory. */
vkmm_status cli_large_operands(cli_large *large, const vkmm_problem *problem, const char *out);

/* What the stream calls, with the cli_large; and how it is to find the operands. */
vkmm_stream_io cli_large_io(cli_large *large);

vkmm_status cli_large_verify(cli_large *large, const vkmm_problem *problem, vkmm_verdict *verdict);

#endif
