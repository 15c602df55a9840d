#include "io/manifest_parts.h"

#include <string.h>

#include "base/alloc.h"

void vkmm_scan_add(vkmm_scan *scan, const vkmm_manifest *item)
{
    if (scan->status != VKMM_OK) return;
    if (scan->count == scan->room) {
        uint32_t room = 2 * scan->room + 16;
        vkmm_manifest *grown = vkmm_realloc(scan->items, room, sizeof *grown);
        if (grown == NULL) {
            scan->status = vkmm_fail(scan->log, VKMM_OUT_OF_MEMORY, "no memory for a list of %u manifests", room);
            return;
        }
        scan->items = grown;
        scan->room = room;
    }
    scan->items[scan->count++] = *item;
}

/* Of two layers with one name the loader takes the first. */
static void settle_twins(vkmm_scan *scan)
{
    for (uint32_t i = 0; i < scan->count; i++) {
        vkmm_manifest *later = &scan->items[i];
        for (uint32_t j = 0; j < i && later->kind != VKMM_MANIFEST_DRIVER; j++) {
            const vkmm_manifest *first = &scan->items[j];
            if (first->kind == later->kind && first->broken[0] == '\0' && strcmp(first->name, later->name) == 0)
                later->active = 0;
        }
    }
}

vkmm_status vkmm_manifests_scan(const vkmm_log *log, const char *root, vkmm_manifest **manifests, uint32_t *count)
{
    vkmm_scan scan = {.log = log, .root = root};
    for (int kind = VKMM_MANIFEST_DRIVER; kind <= VKMM_MANIFEST_EXPLICIT_LAYER; kind++)
        vkmm_scan_kind(&scan, (vkmm_manifest_kind)kind);
    if (scan.status == VKMM_OK) settle_twins(&scan);
    if (scan.status == VKMM_OK && scan.items == NULL) {
        scan.items = vkmm_alloc(1, sizeof *scan.items);
        if (scan.items == NULL) scan.status = vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for a list of manifests");
    }
    if (scan.status != VKMM_OK) {
        vkmm_free(scan.items);
        return scan.status;
    }
    *manifests = scan.items;
    *count = scan.count;
    return VKMM_OK;
}
