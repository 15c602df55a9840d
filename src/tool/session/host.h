/* The machine and the command line, in words. */
#ifndef VKMM_CLI_HOST_H
#define VKMM_CLI_HOST_H

#include <stddef.h>

/* The processor's model, or "host processor" where the system does not tell. */
void cli_host_name(char *name, size_t size);

/* argv as one line that a POSIX shell reads back as the same words. NULL when memory ends; freed by vkmm_free. */
char *cli_command_line(int argc, char **argv);

#endif
