/* A product in panels (vkmatmul_stream.h): one that does not fit on the device as a whole, or not into
 * --memory-limit. Matrices in files are read panel by panel, and the file of -o is written so; generated ones are in
 * the host's memory, or in a file without a name where that is not enough. */
#ifndef VKMM_CLI_LARGE_H
#define VKMM_CLI_LARGE_H

#include "product/product.h"

#define CLI_LARGE_REASON 512

/* As cli_product_run, of a zeroed product. reason: why it is multiplied so; out: NULL, or the file that
 * cli_large_save is to leave behind. Each panel is multiplied once, so that the times are of one run. */
vkmm_status cli_large_run(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                          const char *reason, const char *out, cli_product *product);
void cli_large_end(cli_large **large); /* discards a file that was not saved */

/* Puts the file in its place. Nothing may be asked of C after that. */
vkmm_status cli_large_save(cli_product *product);

/* op(A), op(B) or C; C before, where β is not 0; the bias. */
vkmm_view cli_large_view(const cli_large *large, vkmm_operand operand, uint64_t batch);
vkmm_view cli_large_before(const cli_large *large, uint64_t batch);
const void *cli_large_bias(const cli_large *large);

/* "41 s", "3 min 20 s", "2 h 5 min". */
#define CLI_LARGE_TIME 48
void cli_large_time(char text[CLI_LARGE_TIME], double ms);

#endif
