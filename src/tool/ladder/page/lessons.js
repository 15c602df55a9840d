"use strict";
// A question for each step, by the kernel's name. `shader`: of which the kernel is a configuration; `from`: the kernel
// that it was made from, if that is not the step before; `source`: of what is no shader.

const LESSONS = {
  serial: {
    source: `for (uint32_t i = 0; i < M; i++)
    for (uint32_t j = 0; j < N; j++) {
        float sum = 0;
        for (uint32_t k = 0; k < K; k++)
            sum += A[i * K + k] * B[k * N + j];
        C[i * N + j] = sum;
    }`,
    question: "Which of the three loops can run in parallel without any coordination?",
    answer: "The two outer ones: each element of C has a sum of its own. The turns of the loop over k all add to the same sum; " +
      "to run them in parallel, each needs a sum of its own, and somebody must add these up at the end.",
  },
  strided: {
    question: "Neighbouring invocations read A[0][k], A[1][k], A[2][k] … at the same time, one element each. Why is that slow?",
    answer: "These elements lie K elements apart, each in a line of memory of its own, and memory is fetched in whole lines. Of 8 " +
      "elements of f32 in a line of 32 bytes, one is used now; the others are lost if the cache needs their place before the next k.",
  },
  naive: {
    from: "strided",
    question: "Whether elements of C are counted down its columns or, as here, along its rows, they need the same reads. What is cheaper here?",
    answer: "Neighbours read the same element of A, which a GPU fetches once for all of them, and neighbouring elements of B, " +
      "which come in the same lines. The reads are the same; the lines are fewer.",
  },
  grouped: {
    question: "A workgroup of 16×16 has as many invocations as one of 1×256. How many different elements do they read for one k?",
    answer: "16×16: 16 of A and 16 of B, together 32. 1×256: one of A and 256 of B, together 257. The squarer a workgroup is, the more " +
      "its members share, and the more a cache can help.",
  },
  tiled: {
    question: "Why are there two barriers in each step along K, not one?",
    answer: "Before the first, somebody may not have stored a part of the tile that others are about to read. Before the second, somebody " +
      "may still read what the next load overwrites. Without either, the product is wrong, on some devices and on some days.",
  },
  "tiled-32": {
    shader: "tiled",
    question: "Why does doubling the tile halve the bytes from memory? And why not go on to 64×64?",
    answer: "A row of A is fetched once for each tile across C, N / 32 times instead of N / 16; likewise a column of B. But with one " +
      "invocation for each element, 64×64 needs 4,096 in a workgroup, and most devices allow 1,024.",
  },
  band: {
    from: "grouped",
    question: "C has 1,024 rows and a band has 32. How many of a GPU's 132 processors have work?",
    answer: "At most 32: there is one workgroup for each band. The others idle, so a step that saves traffic can still lose.",
  },
  "band-tiled": {
    from: "band",
    question: "It reads as little from memory as tiles of the same size in a grid. Why can it be much slower?",
    answer: "Memory is not what it waits for. There are as few workgroups as without tiles, and a processor with one workgroup has " +
      "nothing else to do while that waits at a barrier.",
  },
  strip: {
    shader: "block", from: "tiled-32",
    question: "An invocation computes 8 elements below one another. How many reads of shared memory does it need for each multiply-add?",
    answer: "For each k it reads 8 elements of A and one of B, and multiplies 8 times: 9 / 8, or 1.1. Before, it was 2.",
  },
  block: {
    question: "A block of r×c needs (r + c) / (r · c) reads for each multiply-add: 0.5 for 4×4. Why not take 16×16, which needs 0.125?",
    answer: "Its 256 sums must be in registers. NVIDIA's GPUs have at most 255 for an invocation; and the more each takes, the fewer " +
      "invocations fit on a processor to work while others wait.",
  },
  vector: {
    question: "The same bytes move as before. What does a read of four elements save?",
    answer: "Instructions. For each k, a block of 4×4 needs two reads instead of eight, beside its 16 multiply-adds. A processor starts a " +
      "limited number of instructions in a cycle, and now more of them multiply.",
  },
  padded: {
    shader: "vector",
    question: "Shared memory often has 32 banks, each 4 bytes wide. Why does one unused vector at the end of each line help?",
    answer: "A's tile is stored transposed. Its lines have 64 elements, a multiple of 32, so what lies in one column is in one bank, " +
      "and stores to it come one after another. With one more vector each line begins 4 banks further on.",
  },
  prefetch: {
    question: "Bytes, reads and multiply-adds are the same as before. What is gained, and what does it cost?",
    answer: "The time spent waiting for memory: the next tiles are on their way while these are multiplied. It costs registers for what is on " +
      "its way, so that fewer invocations may fit on a processor.",
  },
  ordered: {
    shader: "prefetch",
    question: "64 workgroups run at the same time. How many rows and columns of tiles of A and B do they need, in a row of C or in a square?",
    answer: "In a row: 1 of A and 64 of B, together 65. In a square of 8×8: 8 of A and 8 of B, together 16. The L2 cache serves " +
      "the rest.",
  },
  parts: {
    shader: "blocked",
    question: "C is 256×256, and K is 16,384. Why does it help to cut K into 16 parts, and what does that cost?",
    answer: "C has only 16 tiles of 64×64, so most processors would idle; with 16 parts there are 256 pieces of work. Each part " +
      "writes all its sums, 256 KiB in f32, and a second pass reads them and adds 16 numbers for each element.",
  },
  blocked: {
    question: "Which of the ideas above do you find in its source?",
    answer: "Tiles in shared memory (its include stage.glsl), blocks in registers, vectors, the next tiles on their way, the order of " +
      "tiles, parts of K. What is new is that all sizes are chosen for the device and the problem.",
  },
  cpu: {
    question: "This device is a processor. Why does its fast kernel have no tiles in shared memory?",
    answer: "There, shared memory is ordinary memory, which the caches serve already, and at each barrier the driver must switch between " +
      "all invocations of a workgroup. The block of C in registers still pays.",
  },
  direct: {
    question: "One instruction multiplies two matrices of 16×16. How many multiply-adds is that for each element that it reads?",
    answer: "16³ = 4,096 for 512 elements: 8 for each. A tile of 16×16 in shared memory has as many, but arithmetic is much faster here, " +
      "so that reads are the limit again.",
  },
  staged: {
    shader: "coopmat",
    question: "Four subgroups compute a tile of 64×64 together. How many elements does it read from memory for each k, and how many did 16 of the step before?",
    answer: "64 of A and 64 of B, together 128. Each of the 16 tiles of 16×16 read 32, together 512. Here, too, tiles in shared memory " +
      "make of many reads one.",
  },
  coopmat: {
    question: "A subgroup of 32 that multiplies 2×2 matrices of 16×16 reads 4 of them for 4 products. What do 4×4 need, and what do they cost?",
    answer: "8 for 16 products, half as many for each. Their sums are 16 matrices of 256 elements: 128 registers of each invocation.",
  },
  split: {
    shader: "coopmat",
    question: "Matrix cores multiply f16. How can a product of f32 use them and stay nearly as precise?",
    answer: "Each f32 is the sum of parts that f16 can hold. The product of two sums is the sum of the products of their parts; the " +
      "smallest can be left out. It takes several products on matrix cores instead of one without, and is still faster.",
  },
};
