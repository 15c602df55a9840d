// Blocks of quantised elements (vkmm_format, src/lib/math/blocks.c). What includes this defines CODES(i), the i-th word
// of the memory they lie in, CODES2(i), the i-th pair of words, and CODES4(i), the i-th four.
//
// A block is read in parts of 16 elements: eight neighbours and, STEP further, eight others, whose codes of 4 bits are
// in the upper halves of the same bytes.
layout(constant_id = 46) const uint FORMAT = 1;
const uint Q8_0 = 1, Q4_0 = 2, Q4_K = 3, MXFP4 = 4, NVFP4 = 5;
const uint BLOCK = FORMAT == Q4_K ? 256 : FORMAT == NVFP4 ? 64 : 32; // elements
const uint BLOCK_BYTES = FORMAT == Q8_0 ? 34 : FORMAT == Q4_0 ? 18 : FORMAT == Q4_K ? 144 : FORMAT == MXFP4 ? 17 : 36;
const uint HEAD = FORMAT == Q4_K ? 16 : FORMAT == MXFP4 ? 1 : FORMAT == NVFP4 ? 4 : 2; // bytes before the codes
const uint STEP = FORMAT == Q8_0 || FORMAT == NVFP4 ? 8 : FORMAT == Q4_K ? 32 : 16;
const uint WIDTH = FORMAT == Q8_0 ? 8 : 4; // of a code
const bool IN_WORDS = BLOCK_BYTES % 4 == 0;
const uint PART = 16, PARTS = BLOCK / PART; // elements of a part (VKMM_BLOCK_PART); parts of a block

// Where the first elements of a part lie in its block.
uint part_at(uint part) { return part / (STEP / 8) * 2 * STEP + part % (STEP / 8) * 8; }

// Where a part and its scale begin: a word, and bits of it that precede. Blocks a multiple of four bytes further lie
// alike.
struct Place {
    uint codes, shift, scale, scale_shift;
};
Place place_of(uint block, uint part) // byte `block`
{
    const uint from = block + HEAD + 2 * WIDTH * part;
    return Place(from / 4, from % 4 * 8, block / 4, FORMAT == Q4_K || FORMAT == NVFP4 ? 8 * part : block % 4 * 8);
}

// The scale of the elements of group g of Q4_K, `shift` being 8 * g, and what is subtracted from them. For the last
// four of the eight groups, the 6 bits of each are in two pieces.
vec2 scale_of_group(uvec4 words, uint shift)
{
    const uvec3 bytes = words.yzw >> shift % 32;
    const uvec2 first = bytes.xy & 63, last = uvec2(bytes.z & 15, bytes.z >> 4 & 15) | bytes.xy >> 2 & 48;
    return unpackHalf2x16(words.x) * vec2(shift < 32 ? first : last);
}

// A scale for all of a part.
float scale_of(uint word)
{
    const uint x = word & 255, size = x & 127;
    if (FORMAT == MXFP4)
        return uintBitsToFloat(x == 255 ? 0x7fc00000 : x == 0 ? 0x400000 : x << 23);
    if (FORMAT == NVFP4) {
        const float least = float(size) * 0.001953125, normal = uintBitsToFloat((size << 20) + (120 << 23));
        const float value = size < 8 ? least : size == 127 ? uintBitsToFloat(0x7fc00000) : normal;
        return x > 127 ? -value : value;
    }
    return unpackHalf2x16(word).x;
}

// The field of WIDTH bits of a word from bit `place` on, less what Q8_0 and Q4_0 subtract, or e2m1. At its place in the
// fraction of a float, an integer is what that float exceeds a power of two by. The two bits of e2m1's exponent and
// the one of its fraction make a float g, which is a quarter of its magnitude; of a subnormal number, 2·g - 1/4 is.
float field(uint word, uint place)
{
    if (FORMAT == MXFP4 || FORMAT == NVFP4) {
        const uint top = word << 28 - place;
        const float g = uintBitsToFloat(top >> 6 & 0x01c00000 | 0x3e000000), size = min(g, fma(2, g, -0.25));
        return uintBitsToFloat(floatBitsToUint(size) | top & 0x80000000);
    }
    const uint mask = (1 << WIDTH) - 1, power = 0x4b000000 - (place << 23);
    const float least = FORMAT == Q8_0 ? 128.0 : FORMAT == Q4_0 ? 8.0 : 0.0;
    return uintBitsToFloat(word & mask << place | power) - (uintBitsToFloat(power) + least);
}
vec4 fields(uint word, uint place)
{
    const uint upper = word >> 16;
    return vec4(field(word, place), field(word, place + 8), field(upper, place), field(upper, place + 8));
}

// A part as it is read.
struct Part {
    uvec4 words; // of codes of 4 bits, two
    vec4 scale;  // of the first elements and what is subtracted from them, of the others likewise
};

// The words of a part at a place, or so many words further, and those of its scale. The last word of codes is read only
// if it holds some of the part: else it may be beyond the memory.
struct Words {
    uvec4 codes;
    uint last;
    uvec4 scale;
};
Words read_words(Place place, uint further)
{
    const uint at = place.codes + further, scale = place.scale + further;
    Words read = Words(uvec4(0), 0, uvec4(0));
    if (FORMAT == Q4_K) { // blocks begin at multiples of 16 bytes
        read.codes.xy = CODES2(at / 2);
        read.scale = CODES4(scale / 4);
        return read;
    }
    read.codes.xy = uvec2(CODES(at), CODES(at + 1));
    if (FORMAT == Q8_0)
        read.codes.zw = uvec2(CODES(at + 2), CODES(at + 3));
    if (!IN_WORDS)
        read.last = CODES(at + min(place.shift, 1) + (FORMAT == Q8_0 ? 3 : 1));
    read.scale.x = CODES(scale);
    return read;
}

Part part_of_words(Words read, uint shift, uint scale_shift)
{
    Part part;
    part.words = read.codes;
    if (!IN_WORDS) {
        const uvec4 next = FORMAT == Q8_0 ? uvec4(read.codes.yzw, read.last) : uvec4(read.codes.y, read.last, 0, 0);
        part.words = read.codes >> shift | next << 1 << 31 - shift;
    }
    if (FORMAT == Q8_0)
        part.words ^= 0x80808080; // signed: from -128 on
    if (FORMAT == Q4_K) {
        const uint group = scale_shift / 32 * 16; // of two, which four parts have
        part.scale = vec4(scale_of_group(read.scale, group), scale_of_group(read.scale, group + 8));
    } else {
        part.scale = vec4(scale_of(read.scale.x >> scale_shift), 0, 0, 0);
        if (FORMAT == MXFP4 || FORMAT == NVFP4)
            part.scale.x *= 4; // fields are quarters
        part.scale.z = part.scale.x;
    }
    return part;
}
Part read_part(Place place, uint further)
{
    return part_of_words(read_words(place, further), place.shift, place.scale_shift);
}

// Four of its elements without their scale: of the first ones, 0 and 1; of the others, 2 and 3.
vec4 elements(Part read, uint quarter)
{
    return FORMAT == Q8_0 ? fields(read.words[quarter], 0) : fields(read.words[quarter % 2], quarter / 2 * 4);
}
