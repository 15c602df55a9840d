#include "base/dynlib.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *vkmm_dynlib_open(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

vkmm_function vkmm_dynlib_symbol(void *library, const char *symbol)
{
    /* ISO C has no cast from an object pointer to a function pointer; POSIX says that they have one representation. */
    void *address = dlsym(library, symbol);
    vkmm_function function = NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}

void vkmm_dynlib_close(void *library)
{
    if (library != NULL) dlclose(library);
}
