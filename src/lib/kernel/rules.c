/* The one table of what is legal, each line with its reason. The planner chooses, the tuner tries and `vkmatmul
 * explain --limits` shows by it. */
#include "kernel/general.h"

static uint64_t need_invocations(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    return shape->x * shape->y;
}

static uint64_t need_x(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    return shape->x;
}

static uint64_t need_y(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    return shape->y;
}

static uint64_t need_shared(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    return shape->shared_bytes;
}

static uint64_t limit_invocations(const vkmm_device_info *device)
{
    return device->max_invocations;
}

static uint64_t limit_x(const vkmm_device_info *device)
{
    return device->max_workgroup_size[0];
}

static uint64_t limit_y(const vkmm_device_info *device)
{
    return device->max_workgroup_size[1];
}

static uint64_t limit_shared(const vkmm_device_info *device)
{
    return device->max_shared_bytes;
}

static uint64_t limit_none(const vkmm_device_info *device)
{
    (void)device;
    return 0;
}

static uint64_t limit_broadcast(const vkmm_device_info *device)
{
    return device->has_broadcast ? 1 : 0;
}

static uint64_t limit_matrix_workgroup(const vkmm_device_info *device)
{
    return device->matrix2 & VKMM_MATRIX2_WORKGROUP ? device->matrix2_max_invocations : 0;
}

static uint64_t limit_matrix_side(const vkmm_device_info *device)
{
    return device->matrix2_max_dimension;
}

/* Two thirds of the 255 registers that an invocation can have on most GPUs: the rest is for operands and addresses. */
static uint64_t limit_registers(const vkmm_device_info *device)
{
    (void)device;
    return 160;
}

/* Subgroups whose size is asked for. */
static uint64_t need_subgroups(const vkmm_shape *shape, const vkmm_device_info *device)
{
    if (device->max_subgroup_size == 0) return 0;
    return vkmm_coopmat_subgroups(shape) + vkmm_coopmat2_subgroups(shape);
}

static uint64_t limit_subgroups(const vkmm_device_info *device)
{
    return device->max_subgroups > 0 ? device->max_subgroups : UINT32_MAX;
}

static const vkmm_rule rules[] = {
    {"whole blocks", "rows or columns that no invocation takes", vkmm_blocked_blocks, limit_none,
     "the tile's rows and columns divide into the invocations' blocks"},
    {"whole lanes", "blocks outside of the lanes' rectangles", vkmm_blocked_lanes, limit_none,
     "the blocks of a tile divide into the rectangles of invocations that run together"},
    {"whole vectors", "elements that fill no vector of 16 bytes", vkmm_blocked_vectors, limit_none,
     "blocks and steps are read and stored in vectors"},
    {"whole loads", "vectors of a tile that nobody loads", vkmm_blocked_loads, limit_none,
     "every invocation loads equally many vectors of A's tile, and of B's"},
    {"whole turns", "pieces of a tile that change their place", vkmm_blocked_pieces, limit_none,
     "all that an invocation loads has the same place in its vector and in its row of the tile"},
    {"whole slices", "elements of a step that no slice takes", vkmm_blocked_slices, limit_none,
     "the slices divide each step along K among them"},
    {"whole lines", "elements along the longer side that no line takes", vkmm_skinny_lines, limit_none,
     "the longer side divides into lines of invocations, as many as a power of two, and the invocations into them"},
    {"whole lanes", "elements of a step that no lane takes, or more than 8 (of 8 bits: 16) a lane", vkmm_skinny_depth,
     limit_none, "the lanes of a line divide each step along K among them"},
    {"a short side", "elements of the shorter side beyond 1 to 16", vkmm_skinny_short, limit_none,
     "an invocation has a sum for each element of the shorter side"},
    {"whole turns", "rows that no lane reads, or columns beyond fours", vkmm_cpu_blocks, limit_none,
     "the lanes read the rows of op(A) in turns, and each computes four columns"},
    {"whole steps", "elements of a step beyond fours", vkmm_cpu_steps, limit_none,
     "op(A) is read four elements along K at a time"},
    {"whole subgroups", "invocations beyond whole subgroups", vkmm_cpu_subgroups, limit_none,
     "every lane of a subgroup holds elements that the others need"},
    {"lanes", "lanes other than 4 or 8, or more than a subgroup has", vkmm_cpu_lanes, limit_none,
     "the lanes of one subgroup read op(A)"},
    {"written out", "settings that the written-out form does not have", vkmm_cpu_written, limit_none,
     "its loops stand in the shader step by step: 8 rows, steps of 4, 4 lanes"},
    {"subgroupSupportedOperations", "subgroup broadcasts", vkmm_cpu_broadcast, limit_broadcast,
     "what one lane has read is dealt out to all"},
    {"matrix shapes", "matrix operations whose shape or types are not to be had", vkmm_coopmat_listed, limit_none,
     "the device lists the shape of each matrix operation for its types, and this build has a shader for it"},
    {"whole fragments", "rows, columns or elements of a step that no matrix takes", vkmm_coopmat_fragments, limit_none,
     "a subgroup's block and a step divide into matrices"},
    {"whole blocks", "rows or columns that no subgroup takes", vkmm_coopmat_blocks, limit_none,
     "the tile divides into the subgroups' blocks"},
    {"whole vectors", "elements of a tile that fill no 16 bytes of memory", vkmm_coopmat_vectors, limit_none,
     "tiles are fetched 16 bytes at a time, whichever way they lie"},
    {"settings", "settings that the kernel does not know", vkmm_coopmat_settings, limit_none,
     "pad is at most 16, and swizzle is not 0"},
    {"minSubgroupSize, maxSubgroupSize", "subgroup sizes that the driver does not grant", vkmm_coopmat_lanes,
     limit_none, "lanes are the invocations of a subgroup: a power of two between the device's least and most"},
    {"whole matrices", "rows or columns of a tile that no matrix has", vkmm_coopmat2_matrices, limit_none,
     "the tile divides into matrices, or is one where the workgroup owns it"},
    {"settings", "settings that the kernel does not know", vkmm_coopmat2_settings, limit_none,
     "scope is 2 or 3, whole and prefetch are 0 or 1, and there are steps"},
    {"cooperativeMatrixWorkgroupScopeMaxWorkgroupSize", "invocations that own a matrix together",
     vkmm_coopmat2_workgroup, limit_matrix_workgroup,
     "the device has matrices of a whole workgroup up to that size, or none"},
    {"cooperativeMatrixFlexibleDimensionsMaxDimension", "elements along a side of a matrix", vkmm_coopmat2_side,
     limit_matrix_side, "the device has matrices up to that size"},
    {"matrix granules", "matrices whose types, owner and sides match nothing that the device lists",
     vkmm_coopmat2_granules, limit_none,
     "matrices of flexible dimensions are multiples of the granules that the device lists for their types, scope and "
     "invocations"},
    {"whole subgroups", "invocations too many or too few for a matrix each subgroup", vkmm_coopmat2_owners, limit_none,
     "every subgroup owns one matrix"},
    {"registers", "32-bit registers for sums", vkmm_sum_registers, limit_registers,
     "sums that do not fit into registers go to memory, at every step"},
    {"maxComputeWorkgroupSubgroups", "subgroups of a workgroup", need_subgroups, limit_subgroups,
     "where the size of subgroups is asked for, a workgroup has so many at most"},
    {"maxComputeWorkGroupInvocations", "invocations", need_invocations, limit_invocations,
     "the invocations of a workgroup must all run on one processor to meet at a barrier"},
    {"maxComputeWorkGroupSize[0]", "invocations along x", need_x, limit_x, "a workgroup is as wide as its tile"},
    {"maxComputeWorkGroupSize[1]", "invocations along y", need_y, limit_y, "a workgroup is as high as its tile"},
    {"maxComputeSharedMemorySize", "bytes of shared memory", need_shared, limit_shared,
     "a tile of A and a tile of B lie in shared memory at once; some drivers accept more than they have and lose the "
     "device"},
};

const vkmm_rule *vkmm_rule_at(uint32_t index)
{
    return index < sizeof rules / sizeof rules[0] ? &rules[index] : NULL;
}
