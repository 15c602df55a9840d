#include "io/npy.h"

vkmm_status vkmm_npy_open(const vkmm_log *log, const char *path, vkmm_npy *npy)
{
    vkmm_npy opened = {0};
    vkmm_status status = vkmm_mapping_open(log, path, &opened.mapping);
    if (status != VKMM_OK) return status;
    status = vkmm_npy_parse(log, path, opened.mapping.data, opened.mapping.bytes, &opened.view);
    if (status == VKMM_OK)
        *npy = opened;
    else
        vkmm_mapping_close(&opened.mapping);
    return status;
}

void vkmm_npy_close(vkmm_npy *npy)
{
    vkmm_mapping_close(&npy->mapping);
    *npy = (vkmm_npy){0};
}
