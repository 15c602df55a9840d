// Where a tile of C begins, its row and column. Tiles of SWIZZLE rows are walked column by column: the workgroups that
// run at the same time then share rows of A and columns of B in a near square, which the cache holds, where a walk
// along one row of tiles would read all of B for each.
uvec2 tile_origin(uint tile, uint tile_rows, uint tile_cols)
{
    const uint band = tile / (SWIZZLE * tile_cols), height = min(SWIZZLE, tile_rows - band * SWIZZLE);
    const uint place = tile % (SWIZZLE * tile_cols);
    return uvec2((band * SWIZZLE + place % height) * ROWS, place / height * COLS);
}
