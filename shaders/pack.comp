#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Copies A or B into the layout that the product reads fastest: every line begins and ends at a multiple of 16 bytes,
// and is transposed if that helps. What is beyond the matrix is filled with zeros, which add nothing to the sums. Works
// on words of 32 bits, so that it needs nothing of a device, and on bits, whatever they stand for. A workgroup copies a
// square of SIDE elements; z counts the matrices of a batch.
layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint BYTES = 4; // of an element: 1, 2, 4 or 8

layout(std430, set = 0, binding = 0) restrict readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 3) restrict writeonly buffer Packed { uint packed[]; };

layout(push_constant) uniform Work {
    uint LINES, LENGTH;                 // of the matrix in memory, elements
    uint LD, OFFSET, STRIDE;            // likewise
    uint TO_LINES, TO_LD;               // of the packed matrix; words of 32 bits, as all that follows
    uint TO_OFFSET, TO_STRIDE;
    uint IS_B, TRANSPOSE;
};

const uint PER_WORD = BYTES < 4 ? 4 / BYTES : 1; // elements that share a word
const uint WORDS = BYTES < 8 ? 1 : 2;            // of an element
const uint BITS = BYTES < 4 ? 8 * BYTES : 32;
const uint MASK = BYTES < 4 ? (1u << (BITS & 31)) - 1 : ~0u;
const uint SIDE = BYTES < 4 ? 64 : 32;
const uint ROW = SIDE / PER_WORD * WORDS; // words of a line of the square
shared uint square[SIDE * (ROW + 1)];     // one more: a column lies in all memory banks

bool inside(uint line, uint lines, uint place, uint length)
{
    return line < lines && place < length;
}

uint word_of(uint at) { return IS_B != 0 ? B[at] : A[at]; }

// Word `word` of line `line` of the matrix: neighbours of it that may lie in two words of memory.
uint read(uint base, uint line, uint word)
{
    const uint x = word / WORDS * PER_WORD;
    if (!inside(line, LINES, x, LENGTH))
        return 0;
    const uint at = base + line * LD + x;
    if (BYTES >= 4)
        return word_of(at * WORDS + word % WORDS);
    const uint count = min(LENGTH - x, PER_WORD), place = at % PER_WORD;
    uint value = word_of(at / PER_WORD) >> place * BITS;
    if (place + count > PER_WORD)
        value |= word_of(at / PER_WORD + 1) << (PER_WORD - place) * BITS;
    return count < PER_WORD ? value & (1u << count * BITS) - 1 : value;
}

void store(uint line, uint word, uint value)
{
    if (inside(line, TO_LINES, word, TO_LD))
        packed[TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE + line * TO_LD + word] = value;
}

// A block of PER_WORD words of the square, one below the other: its elements transposed.
void store_transposed(uint line, uint word, uint block, uint column)
{
    if (BYTES >= 4) {
        store(line + block, word + column, square[column / WORDS * (ROW + 1) + block * WORDS + column % WORDS]);
        return;
    }
    uint words[4];
    [[unroll]] for (uint c = 0; c < PER_WORD; c++)
        words[c] = square[(column * PER_WORD + c) * (ROW + 1) + block];
    [[unroll]] for (uint e = 0; e < PER_WORD; e++) {
        uint value = 0;
        [[unroll]] for (uint c = 0; c < PER_WORD; c++)
            value |= (words[c] >> (e * BITS & 31) & MASK) << (c * BITS & 31);
        store(line + block * PER_WORD + e, word + column, value);
    }
}

void main()
{
    const uint to_line = gl_WorkGroupID.y * SIDE, to_word = gl_WorkGroupID.x * ROW;
    const uint base = OFFSET + gl_WorkGroupID.z * STRIDE;
    if (TRANSPOSE == 0) {
        [[unroll]] for (uint i = gl_LocalInvocationID.x; i < SIDE * ROW; i += gl_WorkGroupSize.x)
            store(to_line + i / ROW, to_word + i % ROW, read(base, to_line + i / ROW, to_word + i % ROW));
        return;
    }
    const uint line = gl_WorkGroupID.x * SIDE, word = gl_WorkGroupID.y * ROW; // of the matrix in memory
    [[unroll]] for (uint i = gl_LocalInvocationID.x; i < SIDE * ROW; i += gl_WorkGroupSize.x)
        square[i / ROW * (ROW + 1) + i % ROW] = read(base, line + i / ROW, word + i % ROW);
    barrier();
    [[unroll]] for (uint i = gl_LocalInvocationID.x; i < SIDE / PER_WORD * ROW; i += gl_WorkGroupSize.x)
        store_transposed(to_line, to_word, i / ROW, i % ROW);
}
