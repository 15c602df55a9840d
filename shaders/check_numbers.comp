#version 450
// Arithmetic and conversions of single numbers, for `vkmatmul check`: out[i] is what OPERATION makes of in[2i] and
// in[2i + 1], all as bits.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint OPERATION = 0;

layout(std430, set = 0, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { uint out_words[]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x, a = in_words[2 * i], b = in_words[2 * i + 1];
    const float x = uintBitsToFloat(a), y = uintBitsToFloat(b);
    uint result = 0;
    switch (OPERATION) {
    case 0: result = floatBitsToUint(x + y); break;
    case 1: result = floatBitsToUint(x * y); break;
    case 2: result = packHalf2x16(vec2(x, 0)); break;
    case 3: result = floatBitsToUint(unpackHalf2x16(a).x); break;
    case 4: result = floatBitsToUint(float(int(a))); break;
    case 5: result = uint(int(x)); break;
    case 6: result = uint(bitfieldExtract(int(a), 8, 8)) + b; break;
    }
    out_words[i] = result;
}
