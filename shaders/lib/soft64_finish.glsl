// activation(α·x + β·C + bias) in software f64: α·x, β·C + that and the bias are rounded once each. C is not read if β
// is 0. The including shader has C, the bias, and the constants of the epilogue; of activations only max(x, 0).
uvec2 finish(uvec2 x, uvec2 alpha, uvec2 beta, uint at, uint i, uint j)
{
    const uvec2 one = uvec2(0, 0x3ff00000);
    if (alpha != one)
        x = is_zero(alpha) ? uvec2(0) : fused(alpha, x, uvec2(0));
    if (!is_zero(beta))
        x = fused(beta, C[at], x);
    if (BIAS != 0)
        x = fused(one, bias[BIAS == 1 ? j : i], x);
    return ACTIVATION != 0 && x.y >> 31 != 0 ? uvec2(0) : x; // a NaN has no sign here
}
