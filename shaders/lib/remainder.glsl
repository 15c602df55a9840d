// x modulo m, given ⌊(2^32 - 1) / m⌋.
uint remainder(uint x, uint m, uint inverse)
{
    uint high, low;
    umulExtended(x, inverse, high, low);
    const uint r = x - high * m; // less than 2·m
    return min(r, r - m);
}
