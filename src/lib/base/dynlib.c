#include "base/dynlib.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/folder.h"
#include "base/variable.h"

void *vkmm_dynlib_open(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

int vkmm_dynlib_loads(const char *name, char *why, size_t size)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library) snprintf(why, size, "%s", dlerror());
    vkmm_dynlib_close(library);
    return library != NULL;
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

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#elif defined(__riscv)
#define MULTIARCH "riscv64-linux-gnu"
#elif defined(__i386__)
#define MULTIARCH "i386-linux-gnu"
#else
#define MULTIARCH ""
#endif

static int is_in(const char *root, const char *folder, size_t length, const char *name)
{
    char path[1024];
    if (length == 0) return 0;
    VKMM_PUT(path, "%s%.*s/%s", root, (int)length, folder, name);
    return vkmm_path_look(path, 0) == VKMM_PATH_OPEN;
}

int vkmm_dynlib_there(const char *root, const char *name)
{
    static const char *const folders[] = {
        "/lib/" MULTIARCH, "/usr/lib/" MULTIARCH, "/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    const char *path = vkmm_variable("LD_LIBRARY_PATH");
    while (path != NULL) {
        size_t length = strcspn(path, ":");
        if (is_in(root, path, length, name)) return 1;
        path = path[length] == ':' ? path + length + 1 : NULL;
    }
    for (size_t i = 0; i < VKMM_COUNT(folders); i++)
        if (is_in(root, folders[i], strlen(folders[i]), name)) return 1;
    return root[0] == '\0' && vkmm_dynlib_loads(name, NULL, 0);
}
