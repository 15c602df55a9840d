// Blocks of quantised elements (vkmm_format, src/lib/math/blocks.c). What includes this defines CODES(i), the i-th word
// of the memory they lie in, CODES2(i), the i-th pair of words, CODES4(i), the i-th four, and ZERO, a 0 that no
// compiler knows: NVIDIA's takes two instructions for `word & mask | bits` if it knows both constants, otherwise one.
//
// A block is read in parts of 16 elements: eight neighbours and, STEP further, eight others, whose codes of 4 bits are
// in the upper halves of the same bytes. Codes of 5 and 6 bits have the rest elsewhere, and become bytes.
layout(constant_id = 46) const uint FORMAT = 1;
const uint Q8_0 = 1, Q4_0 = 2, Q4_K = 3, MXFP4 = 4, NVFP4 = 5, MXFP8_E4M3 = 6, MXFP8_E5M2 = 7, FP8_E4M3 = 8,
           FP8_E5M2 = 9, Q4_Z = 10, Q8_Z = 11, Q4_1 = 12, Q5_0 = 13, Q5_1 = 14, Q5_K = 15, Q6_K = 16;
const bool IS_E2M1 = FORMAT == MXFP4 || FORMAT == NVFP4, IS_E5M2 = FORMAT == MXFP8_E5M2 || FORMAT == FP8_E5M2;
const bool IS_FLOAT8 = FORMAT == MXFP8_E4M3 || FORMAT == FP8_E4M3 || IS_E5M2;
const bool HAS_POWER = FORMAT == MXFP4 || FORMAT == MXFP8_E4M3 || FORMAT == MXFP8_E5M2; // e8m0 as its scale
const bool HAS_ZERO = FORMAT == Q4_Z || FORMAT == Q8_Z; // and an f32 for 32 elements
const bool HAS_F32 = HAS_ZERO || FORMAT == FP8_E4M3 || FORMAT == FP8_E5M2;
const bool HAS_SIXES = FORMAT == Q4_K || FORMAT == Q5_K; // scales of 6 bits for 32 elements
const bool HAS_BIT = FORMAT == Q5_0 || FORMAT == Q5_1 || FORMAT == Q5_K; // beside those of 4
const bool TWO_SCALES = HAS_SIXES || FORMAT == Q6_K; // of a part
const bool HAS_OFFSETS = HAS_SIXES || FORMAT == Q4_1 || FORMAT == Q5_1;
const uint BLOCK = TWO_SCALES ? 256 : HAS_F32 ? 128 : FORMAT == NVFP4 ? 64 : 32; // elements
const uint WIDTH = FORMAT == Q8_0 || FORMAT == Q8_Z || IS_FLOAT8 ? 8 : 4;        // of a code, but for more bits
const uint HEAD = FORMAT == Q4_K ? 16 : FORMAT == Q5_K ? 48 : FORMAT == Q6_K ? 0 : FORMAT == Q5_0 ? 6
    : FORMAT == Q5_1 ? 8 : HAS_ZERO ? 20 : HAS_POWER ? 1 : FORMAT == NVFP4 || FORMAT == Q4_1 || HAS_F32 ? 4
    : 2; // bytes before the codes
const uint BLOCK_BYTES = HEAD + BLOCK * WIDTH / 8 + (FORMAT == Q6_K ? 82 : 0);
const uint STEP = WIDTH == 8 || FORMAT == NVFP4 ? 8 : HAS_SIXES ? 32 : FORMAT == Q6_K ? 64 : 16;
const bool IN_BYTES = WIDTH == 8 || HAS_BIT || FORMAT == Q6_K; // codes, in a part
const bool IN_WORDS = BLOCK_BYTES % 4 == 0;
const bool BY_PART = TWO_SCALES || HAS_BIT || FORMAT == NVFP4; // what a part's scale or bits are depends on its number
const bool FROM_SCALE = FORMAT == Q8_0 || FORMAT == Q4_0;      // codes follow a scale of two bytes
const uint TIMES = IS_E2M1 ? 4 : 1;                            // an element, over field()
const uint PART = 16, PARTS = BLOCK / PART; // elements of a part (VKMM_BLOCK_PART); parts of a block

// Where the first elements of a part lie in its block.
uint part_at(uint part) { return part / (STEP / 8) * 2 * STEP + part % (STEP / 8) * 8; }

// Where a part and its scale begin: a word, and bits of it that precede. Blocks a multiple of four bytes further lie
// alike. If FROM_SCALE, the words of a part begin two bytes before its codes; those of the first part, with the scale.
// So all words of a block have one address, and they are shifted by 16 bits or, in every second block, not at all.
struct Place {
    uint codes, shift, scale, scale_shift; // scale_shift: 8 times the part where the format's scales depend on it
};
Place place_of(uint block, uint part) // byte `block`
{
    const uint from = block + (FROM_SCALE ? 0 : HEAD) + 2 * WIDTH * part;
    const uint group = HAS_ZERO ? part / 2 : 0; // of four scales and, after them, four bytes
    return Place(from / 4, from % 4 * 8, block / 4 + group, HAS_ZERO ? 8 * group : BY_PART ? 8 * part : block % 4 * 8);
}

// The place of the part after one with an even number.
Place place_after(Place place)
{
    return Place(place.codes + WIDTH / 2, place.shift, place.scale, place.scale_shift + (BY_PART ? 8 : 0));
}

// The scales of the elements of groups g and g + 1 of Q4_K, `shift` being 8 * g, and what is subtracted from them. For
// the last four of the eight groups, the 6 bits of each are in two pieces.
vec4 scales_of_groups(uvec4 words, uint shift)
{
    const uvec3 bytes = words.yzw >> shift % 32;
    const uvec2 first = bytes.xy & 0x3f3f, pieces = uvec2(bytes.z & 0x0f0f, bytes.z >> 4 & 0x0f0f);
    const uvec2 pairs = shift < 32 ? first : pieces | bytes.xy >> 2 & 0x3030;
    return unpackHalf2x16(words.x).xyxy * vec4(pairs & 255, pairs >> 8);
}

// A scale for all of a part.
float scale_of(uint word)
{
    const uint x = word & 255, size = x & 127;
    if (HAS_F32)
        return uintBitsToFloat(word);
    if (HAS_POWER)
        return uintBitsToFloat(x == 255 ? 0x7fc00000 : x == 0 ? 0x400000 : x << 23);
    if (FORMAT == NVFP4) {
        const float least = float(size) * 0.001953125, normal = uintBitsToFloat((size << 20) + (120 << 23));
        const float value = size < 8 ? least : size == 127 ? uintBitsToFloat(0x7fc00000) : normal;
        return x > 127 ? -value : value;
    }
    return unpackHalf2x16(word).x;
}

// The e4m3 or e5m2 in the highest byte. Its exponent and fraction make a float g; of a subnormal number, twice g less
// the smallest normal number is its magnitude. The code of all ones is a NaN; e5m2's highest exponent is that of f32.
float float8(uint top)
{
    const uint moved = (top & 0x7f000000) >> (IS_E5M2 ? 3 : 4);
    const float g = uintBitsToFloat(moved + (IS_E5M2 ? 0x38000000 : 0x3c000000));
    const float size = min(g, fma(2, g, IS_E5M2 ? -0.00006103515625 : -0.015625));
    const bool special = moved >= (IS_E5M2 ? 0x0f800000 : 0x07f00000);
    return uintBitsToFloat(top & 0x80000000 | (special ? moved | 0x7f800000 : floatBitsToUint(size)));
}

// A float of a word from bit `place` on, or an integer less what the format subtracts. At its place in the fraction of
// a float, an integer is what that float exceeds a power of two by. The two bits of e2m1's exponent and the one of its
// fraction make a float g, which, to save an addition, is a quarter of its magnitude; of a subnormal number, 2·g less
// the smallest normal one is.
float field(uint word, uint place)
{
    if (IS_E2M1) {
        const uint top = word << 28 - place, moved = word << 22 - place & 0x01c00000;
        const float g = uintBitsToFloat(moved | 0x3e000000 + ZERO);
        const float size = min(g, fma(2, g, -0.25));
        return uintBitsToFloat(floatBitsToUint(size) | top & 0x80000000);
    }
    if (IS_FLOAT8)
        return float8(word << 24 - place);
    const uint mask = IN_BYTES ? 255 : 15, power = 0x4b000000 - (place << 23);
    const float least = FORMAT == Q8_0 ? 128.0 : FORMAT == Q4_0 ? 8.0 : FORMAT == Q5_0 ? 16.0
        : FORMAT == Q6_K ? 32.0 : 0.0;
    return uintBitsToFloat(word & mask << place | power + ZERO) - (uintBitsToFloat(power) + least);
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
    float zero;  // what is subtracted from codes before they are scaled, if the block says it
};

// The words of a part at a place, or so many words further, and those of its scale. The last word of codes is read only
// if it holds some of the part: else it may be beyond the memory.
struct Words {
    uvec4 codes; // of Q5_K and Q6_K, the other bits are the last two
    uint last;
    uvec4 scale;
};
// The first scale of a part of Q6_K, a byte of 16; the other one is four bytes further.
uint scale_byte(uint part, uint shift) { return part / 8 * 8 + part % 8 / 2 + shift / 8; }
uint last_word(uint at, Place place) { return at + WIDTH / 2 - 1 + (FROM_SCALE ? 1 : min(place.shift, 1)); }
Words read_words(Place place, uint further)
{
    const uint at = place.codes + further, scale = place.scale + further, part = place.scale_shift / 8;
    Words read = Words(uvec4(0), 0, uvec4(0));
    if (HAS_SIXES) { // blocks begin at multiples of 16 bytes
        read.codes.xy = CODES2(at / 2);
        read.scale = CODES4(scale / 4);
        if (FORMAT == Q5_K)
            read.codes.zw = CODES2(scale / 2 + 2 + part % 4);
        return read;
    }
    read.codes.xy = uvec2(CODES(at), CODES(at + 1));
    if (WIDTH == 8)
        read.codes.zw = uvec2(CODES(at + 2), CODES(at + 3));
    if (!IN_WORDS)
        read.last = CODES(last_word(at, place));
    if (FORMAT == Q6_K) {
        const uint high = scale + 32 + part / 8 * 8 + part % 4 * 2;
        const uint from = scale + 48 + scale_byte(part, place.shift) / 4;
        read.codes.zw = uvec2(CODES(high), CODES(high + 1));
        read.scale = uvec4(CODES(from), CODES(from + 1), CODES(scale + 52), CODES(high + 2));
        return read;
    }
    read.scale.x = CODES(scale);
    if (FORMAT == Q5_0 || FORMAT == Q5_1)
        read.scale.y = CODES(scale + 1);
    if (HAS_ZERO)
        read.scale.y = CODES(scale + 4 - part);
    return read;
}

// The same of a part with an even number and of the next one: no word is read twice.
void read_two(Place place, uint further, out Words first, out Words second)
{
    const uint at = place.codes + further, scale = place.scale + further, part = place.scale_shift / 8;
    first = read_words(place, further);
    second = first;
    if (FORMAT == Q6_K) {
        second = read_words(place_after(place), further);
    } else if (HAS_SIXES) {
        const uvec4 codes = CODES4(at / 4), high = FORMAT == Q5_K ? CODES4(scale / 4 + 1 + part % 4 / 2) : uvec4(0);
        first.codes = uvec4(codes.xy, high.xy);
        second.codes = uvec4(codes.zw, high.zw);
    } else {
        const uint next = at + WIDTH / 2;
        second.codes.xy = uvec2(CODES(next), CODES(next + 1));
        if (WIDTH == 8)
            second.codes.zw = uvec2(CODES(next + 2), CODES(next + 3));
        first.last = second.codes.x;
        if (!IN_WORDS)
            second.last = CODES(last_word(next, place));
        if (FROM_SCALE)
            first.scale.x = second.scale.x = first.codes.x;
    }
}

// The bits above 4 of a part's codes, in bytes.
uvec4 high_bits(Words read, uint shift, uint part)
{
    if (FORMAT == Q6_K) {
        const uvec2 high = read.codes.zw >> shift | uvec2(read.codes.w, read.scale.w) << 1 << 31 - shift;
        return uvec4(high, high >> 4) >> part % 8 / 4 * 2 & 0x03030303;
    }
    if (FORMAT == Q5_K)
        return uvec4(read.codes.zw, read.codes.zw >> 1) >> part / 4 * 2 & 0x01010101;
    const uint bits = FORMAT == Q5_0 && shift > 0 ? read.scale.x >> 16 | read.scale.y << 16 : read.scale.y;
    return (uvec4(bits, bits >> 4, bits >> 16, bits >> 20) >> 8 * part & 15) * 0x00204081 & 0x01010101;
}

Part part_of_words(Words read, Place place)
{
    const uint shift = place.shift, scale_shift = place.scale_shift;
    Part part;
    part.words = read.codes;
    part.zero = 0;
    if (!IN_WORDS) {
        const uvec4 next = WIDTH == 8 ? uvec4(read.codes.yzw, read.last) : uvec4(read.codes.y, read.last, 0, 0);
        if (FROM_SCALE)
            part.words = shift == 0 ? read.codes >> 16 | next << 16 : next;
        else
            part.words = read.codes >> shift | next << 1 << 31 - shift;
    }
    if (FORMAT == Q8_0)
        part.words ^= 0x80808080; // signed: from -128 on
    if (HAS_BIT || FORMAT == Q6_K)
        part.words = uvec4(part.words.xy, part.words.xy >> 4) & 0x0f0f0f0f |
            high_bits(read, shift, scale_shift / 8) << 4;
    if (HAS_SIXES) {
        part.scale = scales_of_groups(read.scale, scale_shift / 32 * 16); // four parts have two groups
    } else if (FORMAT == Q6_K) {
        const int at = int(scale_byte(scale_shift / 8, shift) % 4 * 8);
        const vec2 scales = vec2(bitfieldExtract(ivec2(read.scale.xy), at, 8));
        part.scale = unpackHalf2x16(read.scale.z >> shift).x * vec4(scales.x, 0, scales.y, 0);
    } else if (HAS_OFFSETS) {
        part.scale = unpackHalf2x16(read.scale.x).xyxy * vec4(1, -1, 1, -1);
    } else {
        const uint before = HAS_F32 ? 0 : FORMAT == Q5_0 ? 16 ^ shift : scale_shift;
        part.scale = vec4(scale_of(read.scale.x >> before), 0, 0, 0);
        part.scale.z = part.scale.x;
    }
    if (HAS_ZERO)
        part.zero = float(read.scale.y >> scale_shift & 255);
    return part;
}

// Four of its elements without their scale, over TIMES: of the first ones, 0 and 1; of the others, 2 and 3.
vec4 elements(Part read, uint quarter)
{
    const uint word = read.words[IN_BYTES ? quarter : quarter % 2];
    const vec4 values = fields(word, IN_BYTES ? 0 : quarter / 2 * 4);
    return HAS_ZERO ? values - read.zero : values;
}
