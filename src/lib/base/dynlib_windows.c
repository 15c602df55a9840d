#include "base/dynlib.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/alloc.h"
#include "base/wide.h"

/* A name is looked for beside the program and in the system's folders, never in the current one. */
static HMODULE load(const char *name, DWORD how)
{
    wchar_t *wide = vkmm_wide(name);
    for (wchar_t *at = wide; at != NULL && *at != L'\0'; at++)
        if (*at == L'/') *at = L'\\';
    const DWORD where = strpbrk(name, "/\\") != NULL ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    HMODULE library = wide != NULL ? LoadLibraryExW(wide, NULL, how | where) : NULL;
    vkmm_free(wide);
    return library;
}

void *vkmm_dynlib_open(const char *name)
{
    return load(name, 0);
}

int vkmm_dynlib_loads(const char *name, char *why, size_t size)
{
    HMODULE library = load(name, 0);
    if (library == NULL && vkmm_windows_failed() != 0) snprintf(why, size, "%s", strerror(errno));
    vkmm_dynlib_close(library);
    return library != NULL;
}

vkmm_function vkmm_dynlib_symbol(void *library, const char *symbol)
{
    FARPROC address = GetProcAddress(library, symbol);
    vkmm_function function = NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}

void vkmm_dynlib_close(void *library)
{
    if (library != NULL) FreeLibrary(library);
}

int vkmm_dynlib_there(const char *root, const char *name)
{
    (void)root;
    HMODULE library = load(name, LOAD_LIBRARY_AS_DATAFILE);
    vkmm_dynlib_close(library);
    return library != NULL;
}
