/* The names and errors of Windows, which has UTF-16. On Windows only. */
#pragma once

#include <wchar.h>

/* UTF-16 of UTF-8 and back; NULL if memory runs out (errno ENOMEM) or the text is invalid (EILSEQ). Freed with
 * vkmm_free. */
wchar_t *vkmm_wide(const char *text);
char *vkmm_narrow(const wchar_t *text);

/* A path for the functions of Windows: one that is long becomes absolute, and gets the prefix that lets it be longer
 * than 260 characters. NULL as above. Freed with vkmm_free. */
wchar_t *vkmm_wide_path(const char *path);

/* A variable of the environment as UTF-8; NULL: it is not set, or empty. Freed with vkmm_free. */
char *vkmm_wide_variable(const wchar_t *name);

/* Sets errno to what GetLastError() means. Always -1. */
int vkmm_windows_failed(void);
