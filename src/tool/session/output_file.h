/* Checks, before any work, the files that a command writes. A NULL path is legal: nothing is written. */
#pragma once

#include "report/json.h"
#include "session/session.h"

/* VKMM_INVALID: the output is one of the command's inputs, and there is no --force. An input may be NULL, or
 * FILE:NAME. */
vkmm_status cli_output_spares(const cli_session *session, const char *path, const char *const *inputs, uint32_t count);

/* The same for the page of an option. Also VKMM_INVALID: it cannot be written, or its name ends in neither .html nor
 * .htm and does not begin with /dev/. */
vkmm_status cli_output_page(const cli_session *session, const char *option, const char *path, const char *const *inputs,
                            uint32_t count);

/* Writes that page, of a template and a document (cli_page_make; NULL: memory ran out), and prints its path; with
 * --json, or if it goes to a device such as /dev/stdout, only the page. */
vkmm_status cli_output_write_page(cli_session *session, const char *path, const cli_template *around, const char *json);
