// Stores a sum of skinny.comp and skinnymat.comp: x is along the long side of the tile, TALL if that is its rows.
void put(uint x, uint y, uint part, uint base, T sum)
{
    const uint i = TALL ? x : y, j = TALL ? y : x;
    if (inside(i, M, j, N)) {
        if (SPLIT != 0)
            partial[(part * M + i) * N + j] = S(sum);
        else
            store(base + i * LDC + j, finish(S(sum), base + i * LDC + j, i, j));
    }
}
