// activation(α·x + β·C + bias) in software f64 or f32: α·x, β·C + that and the bias are rounded once each. C is not
// read if β is 0. The including shader has C, the bias, and the constants of the epilogue; of activations only
// max(x, 0).
Element finish(Element x, Element alpha, Element beta, uint at, uint i, uint j)
{
    if (alpha != ONE)
        x = is_zero(alpha) ? ZERO : fused(alpha, x, ZERO);
    if (!is_zero(beta))
        x = fused(beta, C[at], x);
    if (BIAS != 0)
        x = fused(ONE, bias[BIAS == 1 ? j : i], x);
    return ACTIVATION != 0 && top(x) >> 31 != 0 ? ZERO : x; // a NaN has no sign here
}
