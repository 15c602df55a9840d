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

#include "pack_push.glsl"

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

// What this invocation copies. All of it is read before any is stored, without a branch between two reads, so that the
// memory works on all of them at once.
const uint ROUNDS = (SIDE * ROW + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
uint words[ROUNDS];

uint word_of(const bool is_b, uint at) { return is_b ? B[at] : A[at]; }

// Word `word` of line `line` of the matrix: neighbours of it that may lie in two words of memory.
uint read(const bool is_b, uint base, uint line, uint word)
{
    const uint x = word / WORDS * PER_WORD;
    const bool there = inside(line, LINES, x, LENGTH);
    const uint at = there ? base + line * LD + x : base, count = there ? min(LENGTH - x, PER_WORD) : 1;
    if (BYTES >= 4) {
        const uint value = word_of(is_b, at * WORDS + word % WORDS);
        return there ? value : 0;
    }
    const uint place = at % PER_WORD, first = word_of(is_b, at / PER_WORD),
               last = word_of(is_b, (at + count - 1) / PER_WORD);
    const uint value = first >> place * BITS | (place > 0 ? last << ((PER_WORD - place) * BITS & 31) : 0);
    const uint mask = count < PER_WORD ? (1u << (count * BITS & 31)) - 1 : ~0u;
    return there ? value & mask : 0;
}

void read_square(const bool is_b, uint line, uint word)
{
    const uint base = OFFSET + gl_WorkGroupID.z * STRIDE;
    if (BYTES < 4 && inside(line + SIDE - 1, LINES, word * PER_WORD + SIDE - 1, LENGTH)) { // needs no checks
        [[unroll]] for (uint n = 0; n < ROUNDS; n++) {
            const uint i = min(gl_LocalInvocationID.x + n * gl_WorkGroupSize.x, SIDE * ROW - 1);
            const uint at = base + (line + i / ROW) * LD + (word + i % ROW) * PER_WORD, shift = at % PER_WORD * BITS;
            const uint first = word_of(is_b, at / PER_WORD), last = word_of(is_b, (at + PER_WORD - 1) / PER_WORD);
            words[n] = shift > 0 ? first >> shift | last << (32 - shift & 31) : first;
        }
        return;
    }
    [[unroll]] for (uint n = 0; n < ROUNDS; n++) {
        const uint i = gl_LocalInvocationID.x + n * gl_WorkGroupSize.x;
        words[n] = read(is_b, base, line + i / ROW, word + i % ROW);
    }
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
    uint block_words[4];
    [[unroll]] for (uint c = 0; c < PER_WORD; c++)
        block_words[c] = square[(column * PER_WORD + c) * (ROW + 1) + block];
    [[unroll]] for (uint e = 0; e < PER_WORD; e++) {
        uint value = 0;
        [[unroll]] for (uint c = 0; c < PER_WORD; c++)
            value |= (block_words[c] >> (e * BITS & 31) & MASK) << (c * BITS & 31);
        store(line + block * PER_WORD + e, word + column, value);
    }
}

void main()
{
    const uint to_line = gl_WorkGroupID.y * SIDE, to_word = gl_WorkGroupID.x * ROW;
    const uint line = TRANSPOSE == 0 ? to_line : gl_WorkGroupID.x * SIDE; // of the matrix in memory
    const uint word = TRANSPOSE == 0 ? to_word : gl_WorkGroupID.y * ROW;
    if (IS_B != 0)
        read_square(true, line, word);
    else
        read_square(false, line, word);
    [[unroll]] for (uint n = 0; n < ROUNDS; n++) {
        const uint i = gl_LocalInvocationID.x + n * gl_WorkGroupSize.x;
        if (i >= SIDE * ROW)
            continue;
        if (TRANSPOSE == 0)
            store(to_line + i / ROW, to_word + i % ROW, words[n]);
        else
            square[i / ROW * (ROW + 1) + i % ROW] = words[n];
    }
    if (TRANSPOSE == 0)
        return;
    barrier();
    [[unroll]] for (uint i = gl_LocalInvocationID.x; i < SIDE / PER_WORD * ROW; i += gl_WorkGroupSize.x)
        store_transposed(to_line, to_word, i / ROW, i % ROW);
}
