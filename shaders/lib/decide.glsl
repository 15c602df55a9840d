// What scale.comp and split.comp decide, after pack_push.glsl.

// Groups along x, y, z of the first and the second pass over the parts, and of the product without parts, as indirect
// dispatches read them.
layout(std430, set = 0, binding = 2) restrict writeonly buffer Dispatches { uint dispatches[9]; };

// Whether the product is that of the parts.
void decide(bool parts)
{
    dispatches[0] = parts ? FIRST_GROUPS : 0;
    dispatches[3] = parts ? SECOND_GROUPS : 0;
    dispatches[6] = parts ? 0 : INSTEAD_GROUPS;
}
