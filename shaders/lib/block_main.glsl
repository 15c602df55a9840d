// The tiles of a workgroup, one after the other, and the steps along K of each. SWIZZLE: rows of tiles that workgroups
// traverse together (walk.glsl).
layout(constant_id = 11) const uint SWIZZLE = 1;
#include "walk.glsl"

void main()
{
    const uint tileRows = (M + ROWS - 1) / ROWS, tileCols = (N + COLS - 1) / COLS;

    // Devices limit the number of workgroups: each takes every gl_NumWorkGroups-th tile.
    for (uint ty = gl_WorkGroupID.y; ty < tileRows; ty += gl_NumWorkGroups.y) {
        for (uint tx = gl_WorkGroupID.x; tx < tileCols; tx += gl_NumWorkGroups.x) {
            const uvec2 origin = tile_origin(ty * tileCols + tx, tileRows, tileCols);
            const uint row0 = origin.x, col0 = origin.y;
            observe_block(row0, col0, BLOCK_ROW, BLOCK_COL, BLOCK_ROWS, BLOCK_COLS);
            clear_sums();
#ifdef PREFETCHES
            fetch_tiles(row0, 0, col0);
#endif
            for (uint k0 = 0; k0 < K; k0 += DEPTH) {
                load_tiles(row0, k0, col0);
                observe_barrier();
                barrier(); // both tiles are complete before anyone reads them
#ifdef PREFETCHES
                fetch_tiles(row0, k0 + DEPTH, col0);
#endif
                multiply_tiles(row0, k0, col0);
                observe_barrier();
                barrier(); // everyone has read them before anyone overwrites them
            }
            store_sums(row0, col0);
        }
    }
}
