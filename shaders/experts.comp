#version 450
#extension GL_GOOGLE_include_directive : require
// The steps around a product by experts (src/lib/plan/experts.c). ROUTE makes the table, in one workgroup; GATHER
// copies the rows of A to where each expert has whole tiles of them; SCATTER adds up scaled rows of sums, and stores C.
layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint BYTES = 4; // of an element of A
layout(constant_id = 40) const uint OUT = 0;  // how C is stored: 0: f32; f16; bf16
layout(constant_id = 48) const uint STEP = 0; // ROUTE, GATHER or SCATTER
const uint ROUTE = 0, GATHER = 1, SCATTER = 2, OUT_F16 = 1, NONE = 0xffffffff;

layout(push_constant) uniform Experts {
    uint ROWS, COUNT;           // the bound of all experts' rows; experts
    uint TILE, TILES;           // rows in a tile; tiles
    uint LENGTH, LD, OFFSET;    // elements of a row of A or C
    uint WORK_LD;               // words from row to row in the workspace
    uint GATHERED, SCATTERED;   // slots of a row of A, of C; 0: rows in the experts' order
};

layout(std430, set = 0, binding = 0) readonly buffer From { uint from[]; };         // GATHER: A; SCATTER: sums
layout(std430, set = 0, binding = 0) readonly buffer FromSums { float sums[]; };
layout(std430, set = 0, binding = 1) buffer Routing { uint routing[]; };
layout(std430, set = 0, binding = 1) readonly buffer Scales { float scales[]; };
layout(std430, set = 0, binding = 2) buffer To { uint to[]; };                      // GATHER: the workspace; SCATTER: C
layout(std430, set = 0, binding = 3) buffer Table { uint table[]; };

// The routing: the status, the experts' rows, the rows' slots, and the slots' scales.
const uint STATUS = 0, COUNTS = 1;
uint slot_of(uint row, uint per) { return per > 0 ? routing[COUNTS + COUNT + row] : row; }
float scale_of(uint slot) { return SCATTERED > 0 ? scales[COUNTS + COUNT + ROWS + slot] : 1; }

// The table: of each tile its expert, its first row and how many it has; of each slot of C its row in the workspace.
uint first_at(uint tile) { return TILES + tile; }
uint count_at(uint tile) { return 2 * TILES + tile; }
uint place_at(uint slot) { return 3 * TILES + slot; }

void route()
{
    const uint me = gl_LocalInvocationID.x, step = gl_WorkGroupSize.x;
    uint row = 0, tile = 0, dropped = 0; // after the experts so far
    for (uint e = 0; e < COUNT; e++) {
        const uint wanted = routing[COUNTS + e], count = min(wanted, ROWS - row), tiles = (count + TILE - 1) / TILE;
        for (uint t = me; t < tiles; t += step) {
            table[tile + t] = e;
            table[first_at(tile + t)] = row + t * TILE;
            table[count_at(tile + t)] = min(TILE, count - t * TILE);
        }
        row += count;
        tile += tiles;
        dropped += min(wanted - count, NONE - dropped);
    }
    for (uint t = tile + me; t < TILES; t += step) {
        table[t] = NONE;
        table[count_at(t)] = 0;
    }
    for (uint slot = me; slot < ROWS; slot += step)
        table[place_at(slot)] = NONE;
    if (me == 0)
        routing[STATUS] = dropped;
}

// A word of a row of A: its elements from `at` on, and zeros after its end.
uint word_of(uint begin, uint at)
{
    const uint each = 4 / BYTES;
    uint word = 0;
    for (uint n = 0; n < each && at + n < LENGTH; n++) {
        const uint element = begin + at + n, bits = from[element / each] >> element % each * 8 * BYTES;
        word |= (BYTES == 4 ? bits : bits & (1 << 8 * BYTES % 32) - 1) << n * 8 * BYTES;
    }
    return word;
}

// A row without a slot of A is zeros.
void gather(uint row)
{
    const uint tile = row / TILE, n = row % TILE;
    if (table[tile] == NONE)
        return;
    const bool there = n < table[count_at(tile)];
    const uint its = there ? table[first_at(tile)] + n : 0, slot = slot_of(its, GATHERED);
    const uint begin = OFFSET + slot / max(GATHERED, 1) * LD;
    for (uint w = gl_LocalInvocationID.x; w < WORK_LD; w += gl_WorkGroupSize.x)
        to[row * WORK_LD + w] = there && slot < ROWS ? word_of(begin, w * (4 / BYTES)) : 0;
    const uint target = slot_of(its, SCATTERED);
    if (gl_LocalInvocationID.x == 0 && there && target < ROWS)
        table[place_at(target)] = row;
}

#include "bf16.glsl"
#include "half.glsl"

// An element of a row of C: its slots, in their order.
float sum_of(uint row, uint col)
{
    const uint slots = max(SCATTERED, 1);
    float sum = 0;
    for (uint n = 0; n < slots; n++) {
        const uint slot = row * slots + n, place = table[place_at(slot)];
        if (place != NONE)
            sum = fma(scale_of(slot), sums[place * WORK_LD + col], sum);
    }
    return sum;
}

uint narrow(float x) { return OUT == OUT_F16 ? f16_bits(x) : bf16_bits(x); }

// A row in the experts' order that has none stays.
void scatter(uint row)
{
    if (SCATTERED == 0 && table[place_at(row)] == NONE)
        return;
    const uint each = OUT == 0 ? 1 : 2;
    for (uint j = gl_LocalInvocationID.x * each; j < LENGTH; j += gl_WorkGroupSize.x * each) {
        const float x = sum_of(row, j);
        const uint at = (OFFSET + row * LD + j) / each;
        to[at] = OUT == 0 ? floatBitsToUint(x) : narrow(x) | narrow(sum_of(row, j + 1)) << 16;
    }
}

void main()
{
    if (STEP == ROUTE) {
        route();
        return;
    }
    const uint rows = STEP == GATHER ? TILES * TILE : ROWS / max(SCATTERED, 1);
    for (uint row = gl_WorkGroupID.x; row < rows; row += gl_NumWorkGroups.x) {
        if (STEP == GATHER)
            gather(row);
        else
            scatter(row);
    }
}
