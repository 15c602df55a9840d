#version 450
// f16 arithmetic and the conversion to f16, for `vkmatmul check`: out[i] is what OPERATION makes of the two f16 in
// in[i], or of that f32.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint OPERATION = 0;

layout(std430, set = 0, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { uint out_words[]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    const f16vec2 pair = unpackFloat2x16(in_words[i]);
    float16_t result = float16_t(uintBitsToFloat(in_words[i]));
    if (OPERATION == 0)
        result = pair.x + pair.y;
    if (OPERATION == 1)
        result = pair.x * pair.y;
    out_words[i] = packFloat2x16(f16vec2(result, float16_t(0)));
}
