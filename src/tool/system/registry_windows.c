#include "system/registry.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

enum { PATHS = 4096 }; /* bytes of a value that lists paths */

/* The graphics adapters' and software components' own values: one path, or several. */
static void use_devices(const char *class, const char *of_device, void (*use)(void *, const char *), void *user)
{
    char key[160], paths[PATHS + 2], name[64];
    for (DWORD i = 0;; i++) {
        DWORD size = sizeof name, bytes = PATHS;
        HKEY open;
        snprintf(key, sizeof key, "SYSTEM\\CurrentControlSet\\Control\\Class\\%s", class);
        if (RegOpenKeyExA(HKEY_LOCAL_MACHINE, key, 0, KEY_READ, &open) != ERROR_SUCCESS) return;
        const LSTATUS found = RegEnumKeyExA(open, i, name, &size, NULL, NULL, NULL, NULL);
        memset(paths, 0, sizeof paths);
        if (found == ERROR_SUCCESS && RegGetValueA(open, name, of_device, RRF_RT_REG_SZ | RRF_RT_REG_MULTI_SZ, NULL,
                                                   paths, &bytes) != ERROR_SUCCESS)
            paths[0] = '\0';
        RegCloseKey(open);
        if (found == ERROR_NO_MORE_ITEMS) return;
        for (const char *path = paths; *path != '\0'; path += strlen(path) + 1) use(user, path);
    }
}

/* Values whose names are paths; one that is not 0 is switched off. */
static void use_key(HKEY root, const char *what, void (*use)(void *, const char *), void *user)
{
    char key[80], path[PATHS];
    HKEY open;
    snprintf(key, sizeof key, "SOFTWARE\\Khronos\\Vulkan\\%s", what);
    if (RegOpenKeyExA(root, key, 0, KEY_READ, &open) != ERROR_SUCCESS) return;
    for (DWORD i = 0;; i++) {
        DWORD size = sizeof path, type = 0, off = 0, bytes = sizeof off;
        const LSTATUS found = RegEnumValueA(open, i, path, &size, NULL, &type, (BYTE *)&off, &bytes);
        if (found == ERROR_NO_MORE_ITEMS) break;
        if (found == ERROR_SUCCESS && type == REG_DWORD && off == 0) use(user, path);
    }
    RegCloseKey(open);
}

void cli_registry_manifests(const char *what, const char *of_device, void (*use)(void *user, const char *path),
                            void *user)
{
    use_devices("{4d36e968-e325-11ce-bfc1-08002be10318}", of_device, use, user);
    use_devices("{5c4c3332-344d-483c-8739-259e934c9cc8}", of_device, use, user);
    use_key(HKEY_LOCAL_MACHINE, what, use, user);
    use_key(HKEY_CURRENT_USER, what, use, user);
}
