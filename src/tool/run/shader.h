/* The file of --shader. */
#ifndef VKMM_CLI_SHADER_H
#define VKMM_CLI_SHADER_H

#include "base/log.h"

/* Reads a shader for one element type: SPIR-V from FILE.spv; from every other name GLSL, which is compiled with the
 * type as a macro. Ended by vkmm_shader_destroy. */
vkmm_status cli_shader_open(const vkmm_log *log, const char *path, vkmm_type type, vkmm_shader **shader);

#endif
