/* A program in the place of this one. */
#pragma once

#include "vkmatmul.h"

/* Replaces this program; arguments begin with the name of the other, which is looked for in PATH, and end with NULL.
 * A shared library is preloaded: from the first of some folders that has it, relative to that of this program, up to a
 * NULL; else from where the system looks for libraries. Returns only if that fails. */
vkmm_status cli_launch(const vkmm_log *log, const char *const *folders, const char *name, char *const *arguments);
