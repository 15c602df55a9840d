/* The file of --shader. */
#ifndef VKMM_CLI_SHADER_H
#define VKMM_CLI_SHADER_H

#include "base/log.h"

/* Reads and compiles a shader for one element type: the type is a macro of its source. Ended by vkmm_shader_destroy. */
vkmm_status cli_shader_open(const vkmm_log *log, const char *path, vkmm_type type, vkmm_shader **shader);

#endif
