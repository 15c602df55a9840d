// With experts (experts.comp), M has the padded rows of all of them, and each row of tiles has one. The table is bound
// where others have the workspace.
layout(constant_id = 48) const uint EXPERTS = 0; // 1: there is a table
layout(std430, set = 0, binding = 3) readonly buffer Experts { uint expert_of[]; };
const uint NO_EXPERT = 0xffffffff; // nothing to multiply

// The matrix of B of the tiles whose first row of C is this one.
uint matrix_of_b(uint row0, uint batch) { return EXPERTS != 0 ? expert_of[row0 / ROWS] : batch; }
