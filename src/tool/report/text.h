/* Figures and names as text, the same in every format. Decimal points are '.' as long as LC_NUMERIC is "C". */
#pragma once

#include "base/clean.h"
#include "vkmatmul.h"

/* Columns on a terminal: code points, for texts whose characters are all one column wide. */
size_t cli_text_columns(const char *text);

/* A duration or a speed with about four significant digits: "0.0123", "1.234", "182.3", "1823". */
const char *cli_text_figure(char *text, size_t size, double value);

/* "32 KiB", "1.5 GiB": exact when whole, else one decimal. */
const char *cli_text_bytes(char *text, size_t size, uint64_t bytes);

/* A bar of a share of so many columns, in eighths of a column with utf8, else of "#"; any share shows at least a trace.
 * `text` has 3 bytes per column, plus 4. */
void cli_text_bar(char *text, double share, int columns, int utf8);

/* The share of a bar on a logarithmic scale from least / 2 to most. 0 < least <= value <= most. */
double cli_text_log_share(double value, double least, double most);

/* "1024³" when all extents are equal, else "M×N×K"; "1024^3" and "MxNxK" without utf8. */
void cli_text_size(char *text, size_t size, const vkmm_problem *problem, int utf8);

/* The same, and the main facts of the rest: "4096×1×14336 NT ×64 +bias relu" with ops that are not N and N, matrices
 * of a batch, and the epilogue. */
#define CLI_TEXT_PROBLEM 120
const char *cli_text_problem(char *text, size_t size, const vkmm_problem *problem, int utf8);

/* Its types, as named by vkmm_types_name. Static storage. */
const char *cli_text_type(const vkmm_problem *problem, int utf8);

/* How the problem differs from the plain product in what cli_text_problem leaves out: "column-major, lda 4100, beta
 * 0.5"; "" if it does not. The problem must be valid. */
#define CLI_TEXT_DIFFERENCE 400
void cli_text_difference(char *text, size_t size, const vkmm_problem *problem);

#define CLI_UUID_TEXT 37
const char *cli_text_uuid(char text[CLI_UUID_TEXT], const uint8_t uuid[VK_UUID_SIZE]);

/* "1.3.230" */
const char *cli_text_version(uint32_t version, char text[32]);

/* The same as new texts, which live as long as the block in which they are written. */
#define CLI_FIGURE(value)        cli_text_figure((char[32]){""}, 32, value)
#define CLI_BYTES(bytes)         cli_text_bytes((char[32]){""}, 32, bytes)
#define CLI_NAME(problem, utf8)  cli_text_problem((char[CLI_TEXT_PROBLEM]){""}, CLI_TEXT_PROBLEM, problem, utf8)
#define CLI_UUID(uuid)           cli_text_uuid((char[CLI_UUID_TEXT]){""}, uuid)
#define CLI_API_VERSION(version) cli_text_version(version, (char[32]){""})

/* "discrete", "integrated", "virtual", "cpu" or "other" */
const char *cli_text_device_type(VkPhysicalDeviceType type);
