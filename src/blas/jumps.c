/* The rest of a BLAS, for libblas.so.3: the names of levels 1 and 2, and what programs and LAPACK expect beside them,
 * with integers of 32 and of 64 bits. Each jumps to the host's function of the same name, which is found by the first
 * call. Whatever its arguments are, they stay where they are. */
#include <stdio.h>

#include "vkblas.h"

typedef struct jump {
    void *to; /* at first, code that looks for the function */
    const char *name;
} jump;

void *vkblas_jump_look(jump *j);

/* The function that is looked for; from assembly, once or more for each name. */
void *vkblas_jump_look(jump *j)
{
    char names[40] = {0};
    vkblas_slot slot = {.names = names};
    snprintf(names, sizeof names - 1, "%s", j->name);
    const vkblas_function found = vkblas_find(&slot);
    if (found == NULL) vkblas_missing(j->name);
    void *const to = *(void *const *)&found;
    __atomic_store_n(&j->to, to, __ATOMIC_RELEASE);
    return to;
}

/* Labels: 1 looks for the function, 2 is its name, 3 its jump. `first` keeps all registers with arguments. */
#if defined(__x86_64__)
__asm__(".text\n"
        "first:\n"
        "push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; push %rax\n"
        "sub $128, %rsp\n"
        "movups %xmm0, (%rsp); movups %xmm1, 16(%rsp); movups %xmm2, 32(%rsp); movups %xmm3, 48(%rsp)\n"
        "movups %xmm4, 64(%rsp); movups %xmm5, 80(%rsp); movups %xmm6, 96(%rsp); movups %xmm7, 112(%rsp)\n"
        "mov %r11, %rdi\n"
        "call vkblas_jump_look\n"
        "mov %rax, %r11\n"
        "movups (%rsp), %xmm0; movups 16(%rsp), %xmm1; movups 32(%rsp), %xmm2; movups 48(%rsp), %xmm3\n"
        "movups 64(%rsp), %xmm4; movups 80(%rsp), %xmm5; movups 96(%rsp), %xmm6; movups 112(%rsp), %xmm7\n"
        "add $128, %rsp\n"
        "pop %rax; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi\n"
        "jmp *%r11\n");
#define CODE(name)                  \
#name ": endbr64\n"             \
          "jmp *3f(%rip)\n"         \
          "1: lea 3f(%rip), %r11\n" \
          "jmp first\n"
#elif defined(__aarch64__)
__asm__(".text\n"
        "first:\n"
        "stp x29, x30, [sp, #-208]!\n"
        "stp x0, x1, [sp, #16]; stp x2, x3, [sp, #32]; stp x4, x5, [sp, #48]; stp x6, x7, [sp, #64]\n"
        "stp q0, q1, [sp, #80]; stp q2, q3, [sp, #112]; stp q4, q5, [sp, #144]; stp q6, q7, [sp, #176]\n"
        "mov x0, x17\n"
        "bl vkblas_jump_look\n"
        "mov x16, x0\n"
        "ldp q0, q1, [sp, #80]; ldp q2, q3, [sp, #112]; ldp q4, q5, [sp, #144]; ldp q6, q7, [sp, #176]\n"
        "ldp x0, x1, [sp, #16]; ldp x2, x3, [sp, #32]; ldp x4, x5, [sp, #48]; ldp x6, x7, [sp, #64]\n"
        "ldp x29, x30, [sp], #208\n"
        "br x16\n");
#define CODE(name)                     \
#name ": hint #34\n" /* bti c */   \
          "adrp x16, 3f\n"             \
          "ldr x16, [x16, :lo12:3f]\n" \
          "br x16\n"                   \
          "1: hint #36\n" /* bti j */  \
          "adrp x17, 3f\n"             \
          "add x17, x17, :lo12:3f\n"   \
          "b first\n"
#else
// cppcheck-suppress preprocessorErrorDirective // it defines no processor
#error "libvkblas has no jumps for this processor: build with -Dblas=disabled"
#endif

#define JUMP(name)                                                                                   \
    __asm__(".globl " #name "\n"                                                                     \
            ".type " #name ", %function\n" CODE(name) ".pushsection .rodata\n"                       \
                                                      "2: .asciz \"" #name "\"\n"                    \
                                                      ".popsection; .pushsection .data; .balign 8\n" \
                                                      "3: .quad 1b, 2b\n"                            \
                                                      ".popsection\n");
#define F(name) JUMP(name##_) JUMP(name##_64_)
#define C(name) JUMP(cblas_##name) JUMP(cblas_##name##64_)
#define B(name) F(name) C(name)

/* clang-format off */
B(caxpy) B(ccopy) B(cgbmv) B(cgemv) B(cgerc) B(cgeru) B(chbmv) B(chemv) B(cher) B(cher2) B(chpmv) B(chpr) B(chpr2)
B(crotg) B(cscal) B(csrot) B(csscal) B(cswap) B(ctbmv) B(ctbsv) B(ctpmv) B(ctpsv) B(ctrmv) B(ctrsv) B(dasum) B(daxpy)
B(dcabs1) B(dcopy) B(ddot) B(dgbmv) B(dgemv) B(dger) B(dnrm2) B(drot) B(drotg) B(drotm) B(drotmg) B(dsbmv) B(dscal)
B(dsdot) B(dspmv) B(dspr) B(dspr2) B(dswap) B(dsymv) B(dsyr) B(dsyr2) B(dtbmv) B(dtbsv) B(dtpmv) B(dtpsv) B(dtrmv)
B(dtrsv) B(dzasum) B(dznrm2) B(icamax) B(idamax) B(isamax) B(izamax) B(sasum) B(saxpy) B(scabs1) B(scasum) B(scnrm2)
B(scopy) B(sdot) B(sdsdot) B(sgbmv) B(sgemv) B(sger) B(snrm2) B(srot) B(srotg) B(srotm) B(srotmg) B(ssbmv) B(sscal)
B(sspmv) B(sspr) B(sspr2) B(sswap) B(ssymv) B(ssyr) B(ssyr2) B(stbmv) B(stbsv) B(stpmv) B(stpsv) B(strmv) B(strsv)
B(xerbla) B(zaxpy) B(zcopy) B(zdrot) B(zdscal) B(zgbmv) B(zgemv) B(zgerc) B(zgeru) B(zhbmv) B(zhemv) B(zher) B(zher2)
B(zhpmv) B(zhpr) B(zhpr2) B(zrotg) B(zscal) B(zswap) B(ztbmv) B(ztbsv) B(ztpmv) B(ztpsv) B(ztrmv) B(ztrsv) B(caxpby)
B(daxpby) B(saxpby) B(zaxpby)
F(cdotc) F(cdotu) F(lsame) F(xerbla_array) F(zdotc) F(zdotu)
C(cdotc_sub) C(cdotu_sub) C(zdotc_sub) C(zdotu_sub)
    /* clang-format on */
