/* Shared libraries found at run time. */
#pragma once

#include <stddef.h>

typedef void (*vkmm_function)(void);

/* Opens a library by file name; NULL when it is not there. The second opens the first that is found, of names up to
 * NULL. */
void *vkmm_dynlib_open(const char *name);
static inline void *vkmm_dynlib_open_one(const char *const *names)
{
    void *library = NULL;
    for (; *names && !library; names++) library = vkmm_dynlib_open(*names);
    return library;
}

/* Whether the library, and all that it needs, can be loaded; *why says why not. Runs its constructors. */
int vkmm_dynlib_loads(const char *name, char *why, size_t size);

/* The address of a function, NULL when the library lacks it. */
vkmm_function vkmm_dynlib_symbol(void *library, const char *symbol);

/* NULL is legal. Code of the library must not run afterwards. */
void vkmm_dynlib_close(void *library);

/* Whether the dynamic linker would find a library of this name (without a slash): looked for in its usual folders
 * below root, and, where root is "" and they lack it, by opening it. */
int vkmm_dynlib_there(const char *root, const char *name);
