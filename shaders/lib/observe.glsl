// What a build reports about itself. A plain build compiles none of this. The counting and the tracing build are the
// same kernels with one more macro, so what they report is what runs.
//
//   -DCOUNT   how often each element of A and B is read, from global and from shared memory (src/lib/look/count.h)
//   -DTRACE   what the invocations of one workgroup see, step by step                       (src/lib/look/trace.h)

#if defined(COUNT)

layout(constant_id = 5) const uint STRIDE = 1; // every STRIDE-th element is counted
layout(constant_id = 12) const uint LOGGED = 0; // accesses of an invocation of workgroup 0 that are logged
layout(std430, set = 0, binding = 3) buffer Counts { uint counts[]; };

const uint COUNT_VISITS = 0, COUNT_USEFUL = 1, COUNT_READS = 2;

uint sampled(uint elements)
{
    return (elements + STRIDE - 1) / STRIDE;
}

void count_read(uint first, uint element)
{
    if (element % STRIDE == 0)
        atomicAdd(counts[first + element / STRIDE], 1);
}

// The accesses follow the counters, LOGGED words for each invocation, in the order in which it makes them: what it
// does, to how many elements, and where they begin, counted in elements.
const uint LOG_GLOBAL = 1, LOG_WRITE = 2, LOG_READ = 3, LOG_BARRIER = 4;
uint logged = 0;

void log_access(uint what, uint first, uint elements)
{
    if (logged < LOGGED && gl_WorkGroupID.xy == uvec2(0))
        counts[COUNT_READS + 2 * (sampled(M * K) + sampled(K * N)) + gl_LocalInvocationIndex * LOGGED + logged++] =
            what << 29 | elements << 26 | first;
}

#define observe_write(first, elements) log_access(LOG_WRITE, first, elements)
#define observe_read(first, elements) log_access(LOG_READ, first, elements)
#define observe_barrier() log_access(LOG_BARRIER, 0, 0)

// One invocation begins the element (row, col), which may lie beyond C.
void observe_visit(uint row, uint col)
{
    atomicAdd(counts[COUNT_VISITS], 1);
    if (row < M && col < N)
        atomicAdd(counts[COUNT_USEFUL], 1);
}

void observe_global_a(uint row, uint k)
{
    count_read(COUNT_READS, row * K + k);
    log_access(LOG_GLOBAL, row * K + k, 1);
}

// B lies behind A here, from a multiple of 1024 elements on.
void observe_global_b(uint k, uint col)
{
    count_read(COUNT_READS + sampled(M * K), k * N + col);
    log_access(LOG_GLOBAL, (M * K + 1023) / 1024 * 1024 + k * N + col, 1);
}

#ifdef BLOCKS
void observe_vector_a(uint row, uint k)
{
    UNROLL for (uint c = 0; c < VW; c++)
        count_read(COUNT_READS, row * K + k + c);
    log_access(LOG_GLOBAL, row * K + k, VW);
}

void observe_vector_b(uint k, uint col)
{
    UNROLL for (uint c = 0; c < VW; c++)
        count_read(COUNT_READS + sampled(M * K), k * N + col + c);
    log_access(LOG_GLOBAL, (M * K + 1023) / 1024 * 1024 + k * N + col, VW);
}
#endif

// Padding is read from shared memory too, but belongs to no element.
void observe_shared_a(uint row, uint k)
{
    if (row < M && k < K)
        count_read(COUNT_READS + sampled(M * K) + sampled(K * N), row * K + k);
}

void observe_shared_b(uint k, uint col)
{
    if (k < K && col < N)
        count_read(COUNT_READS + 2 * sampled(M * K) + sampled(K * N), k * N + col);
}

void observe_shared(uint row, uint k, uint col)
{
    observe_shared_a(row, k);
    observe_shared_b(k, col);
}

#ifdef BLOCKS
// All elements of an invocation's block, as far as they lie in the tile.
void observe_block(uint row0, uint col0, uint y, uint x, uint rows, uint cols)
{
    UNROLL for (uint n = 0; n < rows * cols; n++)
        if (y + n / cols < ROWS && x + n % cols < COLS)
            observe_visit(row0 + y + n / cols, col0 + x + n % cols);
}
#endif

#define observe_tile_a(row, col, k0, slot_row, slot_k, value)
#define observe_tile_b(row, col, k0, slot_k, slot_col, value)
#define observe_sum(row, col, k, sum)

#elif defined(TRACE)

layout(constant_id = 6) const uint TRACE_ROW = 0; // the element of C that is followed
layout(constant_id = 7) const uint TRACE_COL = 0;
layout(std430, set = 0, binding = 3) writeonly buffer TraceValues { T traceValues[]; };
layout(std430, set = 0, binding = 4) buffer TraceIds { uint traceIds[]; };

const uint TRACE_ID_COUNT = 10;
#ifdef BLOCKS
// An invocation computes several elements, so that each element of the tile has a place.
const uint TRACE_INVOCATIONS = ROWS * COLS;
#define TRACE_PLACE(row, col) ((row) % ROWS * COLS + (col) % COLS)
#endif
#ifndef BLOCKS
const uint TRACE_INVOCATIONS = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
#define TRACE_PLACE(row, col) gl_LocalInvocationIndex
#endif
const uint TRACE_FOUND = TRACE_INVOCATIONS * TRACE_ID_COUNT; // behind the indices: the workgroup that is traced

// Whether this invocation works together with the followed element: in the same workgroup, on the same tile. Known in
// whatever order a kernel distributes the elements, because the invocation that has the element tells the others.
bool traced = false;

void find_followed(bool followed)
{
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x + 1;
    if (followed)
        atomicExchange(traceIds[TRACE_FOUND], group);
    memoryBarrierBuffer();
    barrier();
    traced = atomicAdd(traceIds[TRACE_FOUND], 0) == group;
    memoryBarrierBuffer();
    barrier();
    if (followed)
        atomicExchange(traceIds[TRACE_FOUND], 0);
}

void trace_ids(uint row, uint col)
{
    if (!traced)
        return;
    const uint first = TRACE_PLACE(row, col) * TRACE_ID_COUNT;
    traceIds[first + 0] = gl_GlobalInvocationID.x;
    traceIds[first + 1] = gl_GlobalInvocationID.y;
    traceIds[first + 2] = gl_LocalInvocationID.x;
    traceIds[first + 3] = gl_LocalInvocationID.y;
    traceIds[first + 4] = gl_WorkGroupID.x;
    traceIds[first + 5] = gl_WorkGroupID.y;
    traceIds[first + 6] = gl_WorkGroupID.x * gl_WorkGroupSize.x;
    traceIds[first + 7] = gl_WorkGroupID.y * gl_WorkGroupSize.y;
    traceIds[first + 8] = row;
    traceIds[first + 9] = col;
}

// All invocations of a workgroup must call this together, once for each element that one of them computes.
void observe_visit(uint row, uint col)
{
    find_followed(row == TRACE_ROW && col == TRACE_COL);
    trace_ids(row, col);
}

#ifdef BLOCKS
// Likewise for the elements of a block that lie in the tile.
void observe_block(uint row0, uint col0, uint y, uint x, uint rows, uint cols)
{
    bool followed = false;
    UNROLL for (uint n = 0; n < rows * cols; n++)
        if (row0 + y + n / cols == TRACE_ROW && col0 + x + n % cols == TRACE_COL)
            followed = y + n / cols < ROWS && x + n % cols < COLS;
    find_followed(followed);
    UNROLL for (uint n = 0; n < rows * cols; n++)
        if (y + n / cols < ROWS && x + n % cols < COLS)
            trace_ids(row0 + y + n / cols, col0 + x + n % cols);
}
#endif

// The sums come first: one per invocation for each k, tiles' padding included.
void observe_sum(uint row, uint col, uint k, T sum)
{
    if (traced)
        traceValues[k * TRACE_INVOCATIONS + TRACE_PLACE(row, col)] = sum;
}

uint trace_tiles(uint k)
{
    const uint steps = (K + DEPTH - 1) / DEPTH;
    return steps * DEPTH * TRACE_INVOCATIONS + (k / DEPTH) * (ROWS + COLS) * DEPTH;
}

// Then, for each step along K, both tiles as they were loaded into shared memory.
void observe_tile_a(uint row, uint col, uint k0, uint slot_row, uint slot_k, T value)
{
    if (traced)
        traceValues[trace_tiles(k0) + slot_row * DEPTH + slot_k] = value;
}

void observe_tile_b(uint row, uint col, uint k0, uint slot_k, uint slot_col, T value)
{
    if (traced)
        traceValues[trace_tiles(k0) + ROWS * DEPTH + slot_k * COLS + slot_col] = value;
}

#define observe_global_a(row, k)
#define observe_global_b(k, col)
#define observe_vector_a(row, k)
#define observe_vector_b(k, col)
#define observe_shared(row, k, col)
#define observe_shared_a(row, k)
#define observe_shared_b(k, col)
#define observe_write(first, elements)
#define observe_read(first, elements)
#define observe_barrier()

#else

#define observe_visit(row, col)
#define observe_block(row0, col0, y, x, rows, cols)
#define observe_global_a(row, k)
#define observe_global_b(k, col)
#define observe_vector_a(row, k)
#define observe_vector_b(k, col)
#define observe_shared(row, k, col)
#define observe_shared_a(row, k)
#define observe_shared_b(k, col)
#define observe_write(first, elements)
#define observe_read(first, elements)
#define observe_barrier()
#define observe_tile_a(row, col, k0, slot_row, slot_k, value)
#define observe_tile_b(row, col, k0, slot_k, slot_col, value)
#define observe_sum(row, col, k, sum)

#endif
