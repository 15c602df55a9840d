// Blocks of quantised elements (vkmm_format, src/lib/math/blocks.c). What includes this defines CODES(i), the i-th word
// of the memory they lie in.
//
// A block is read in parts of eight elements, two vectors of neighbours STEP apart: codes of 4 bits that share their
// bytes, or 8 bytes.
layout(constant_id = 46) const uint FORMAT = 1;
const uint Q8_0 = 1, Q4_0 = 2, Q4_K = 3, MXFP4 = 4, NVFP4 = 5;
const uint BLOCK = FORMAT == Q4_K ? 256 : FORMAT == NVFP4 ? 64 : 32; // elements
const uint BLOCK_BYTES = FORMAT == Q8_0 ? 34 : FORMAT == Q4_0 ? 18 : FORMAT == Q4_K ? 144 : FORMAT == MXFP4 ? 17 : 36;
const uint HEAD = FORMAT == Q4_K ? 16 : FORMAT == MXFP4 ? 1 : FORMAT == NVFP4 ? 4 : 2; // bytes before the codes
const uint STEP = FORMAT == Q8_0 ? 4 : FORMAT == Q4_K ? 32 : FORMAT == NVFP4 ? 8 : 16;
const bool IN_WORDS = BLOCK_BYTES % 4 == 0;

// Parts are counted from the beginning of a line. Where the first vector of one lies in it, and the part's block.
uint part_at(uint part)
{
    const uint p = part % (BLOCK / 8);
    return part / (BLOCK / 8) * BLOCK + p / (STEP / 4) * 2 * STEP + p % (STEP / 4) * 4;
}

uint byte_at(uint at) { return CODES(at / 4) >> 8 * (at % 4) & 0xff; }
float half_at(uint at) { return unpackHalf2x16(CODES(at / 4) >> 8 * (at % 4)).x; } // at an even place

// Four bytes from any place on. The second word is read only if it holds some of them: it may be beyond the memory.
uint word_at(uint at)
{
    if (IN_WORDS)
        return CODES(at / 4);
    const uint shift = 8 * (at % 4), low = CODES(at / 4), high = CODES(at / 4 + min(shift, 1));
    return low >> shift | high << 1 << 31 - shift;
}

// The scale of the elements of group g, and what is subtracted from them. 6 bits of Q4_K are in two pieces for the last
// four of its eight groups.
vec2 scale_of(uint block, uint g)
{
    if (FORMAT == Q4_K) {
        const uint shift = 8 * (g % 4), low = CODES(block / 4 + 1) >> shift, middle = CODES(block / 4 + 2) >> shift,
                   high = CODES(block / 4 + 3) >> shift;
        const uvec2 six = g < 4 ? uvec2(low, middle) & 63 : uvec2(high & 15 | low >> 2 & 48, high >> 4 & 15 | middle >> 2 & 48);
        return unpackHalf2x16(CODES(block / 4)) * vec2(six);
    }
    if (FORMAT == MXFP4) {
        const uint x = byte_at(block);
        return vec2(uintBitsToFloat(x == 255 ? 0x7fc00000 : x == 0 ? 0x400000 : x << 23), 0);
    }
    if (FORMAT == NVFP4) {
        const uint x = byte_at(block + g), size = x & 127;
        const float least = float(size) * 0.001953125, normal = uintBitsToFloat((size << 20) + (120 << 23));
        const float value = size < 8 ? least : size == 127 ? uintBitsToFloat(0x7fc00000) : normal;
        return vec2(x > 127 ? -value : value, 0);
    }
    return vec2(half_at(block), 0);
}

// Four codes, a byte each, without their scale. Added to the bits of 2^23, an integer becomes a float in one step; e2m1
// is looked up in halves.
vec4 values_of_codes(uint word)
{
    const uvec4 codes = uvec4(word, word >> 8, word >> 16, word >> 24) & 0xff;
    if (FORMAT == Q8_0)
        return uintBitsToFloat((codes ^ 0x80) | 0x4b000000) - 8388736.0;
    if (FORMAT == Q4_0)
        return uintBitsToFloat(codes | 0x4b000000) - 8388616.0;
    if (FORMAT == Q4_K)
        return uintBitsToFloat(codes | 0x4b000000) - 8388608.0;
    const uvec4 halves = uvec4(0xc8643210) >> (codes & 7) * 4 & 15;
    const vec4 sizes = uintBitsToFloat(halves | 0x4a800000) - 4194304.0;
    return uintBitsToFloat(floatBitsToUint(sizes) | (codes & 8) << 28);
}

// A part of a line whose first block begins at byte `line`.
void unpack_part(uint line, uint part, out vec4 first, out vec4 second)
{
    const uint block = line + part / (BLOCK / 8) * BLOCK_BYTES, p = part % (BLOCK / 8);
    if (FORMAT == Q8_0) {
        first = values_of_codes(word_at(block + HEAD + 8 * p));
        second = values_of_codes(word_at(block + HEAD + 8 * p + 4));
    } else {
        const uint word = word_at(block + HEAD + 4 * p);
        first = values_of_codes(word & 0x0f0f0f0f);
        second = values_of_codes(word >> 4 & 0x0f0f0f0f);
    }
    const vec2 scale = scale_of(block, FORMAT == Q4_K ? p / 8 * 2 : p / 2);
    if (FORMAT == Q4_K) {
        const vec2 other = scale_of(block, p / 8 * 2 + 1);
        first = first * scale.x - scale.y;
        second = second * other.x - other.y;
    } else {
        first *= scale.x;
        second *= scale.x;
    }
}
