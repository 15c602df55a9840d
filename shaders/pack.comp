#version 450
#extension GL_GOOGLE_include_directive : require
// Copies A or B into the layout that the product reads fastest: every line begins and ends at a multiple of 16 bytes,
// and is transposed if that helps. What is beyond the matrix is filled with zeros, which add nothing to the sums. Works
// on words of 32 bits, so that it needs nothing of a device, and on bits, whatever they stand for. A workgroup copies a
// square of SIDE elements; z counts the matrices of a batch.
layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint BYTES = 4; // of an element: 1, 2, 4 or 8

layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Packed { uint packed[]; };

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

// Word `word` of line `line` of the square's transpose.
uint transposed(uint line, uint word)
{
    if (BYTES >= 4)
        return square[word / WORDS * (ROW + 1) + line * WORDS + word % WORDS];
    uint value = 0;
    for (uint c = 0; c < PER_WORD; c++)
        value |= (square[(word * PER_WORD + c) * (ROW + 1) + line / PER_WORD] >> line % PER_WORD * BITS & MASK)
                 << c * BITS;
    return value;
}

void main()
{
    const uint to_line = gl_WorkGroupID.y * SIDE, to_word = gl_WorkGroupID.x * ROW;
    const uint line = TRANSPOSE != 0 ? gl_WorkGroupID.x * SIDE : to_line; // of the matrix in memory
    const uint word = TRANSPOSE != 0 ? gl_WorkGroupID.y * ROW : to_word;
    const uint base = OFFSET + gl_WorkGroupID.z * STRIDE;
    for (uint i = gl_LocalInvocationID.x; i < SIDE * ROW; i += gl_WorkGroupSize.x)
        square[i / ROW * (ROW + 1) + i % ROW] = read(base, line + i / ROW, word + i % ROW);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < SIDE * ROW; i += gl_WorkGroupSize.x) {
        const uint l = i / ROW, w = i % ROW;
        if (inside(to_line + l, TO_LINES, to_word + w, TO_LD))
            packed[TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE + (to_line + l) * TO_LD + to_word + w] =
                TRANSPOSE != 0 ? transposed(l, w) : square[l * (ROW + 1) + w];
    }
}
