// The push constants of pack.comp, scale.comp, split.comp and quantize.comp.
layout(push_constant) uniform Work {
    uint LINES, LENGTH;                 // of the matrix in memory, elements
    uint LD, OFFSET, STRIDE;            // likewise
    uint TO_LINES, TO_LD;               // of the packed matrix; words of 32 bits, as all that follows
    uint TO_OFFSET, TO_STRIDE;
    uint IS_B, TRANSPOSE;
    // Not of pack.comp. There, TRANSPOSE: neighbours in memory are neighbours across K.
    uint EXPONENTS;                     // where those of the rows, or columns, are; quantize.comp: largest magnitudes
    uint FIRST_GROUPS, SECOND_GROUPS;   // workgroups of the passes over the parts,
    uint INSTEAD_GROUPS;                // and of the product without parts,
    float FEWEST;                       // which is taken below so many normal numbers of A times those of B
};
