/* The host's BLAS, through CBLAS, if a library is found at run time. */
#pragma once

#include "vkmatmul.h"

typedef struct vkmm_blas vkmm_blas;

/* Opens OpenBLAS (libopenblas.so.0), or else another library with CBLAS's functions (libcblas, libblas, libmkl_rt,
 * the system's Accelerate), unless its extents have 64 bits. NULL when there is none. file: NULL, or the one library
 * to try. */
vkmm_blas *vkmm_blas_open(const char *file);
void vkmm_blas_close(vkmm_blas **blas); /* sets NULL; a pointer to NULL is legal */

const char *vkmm_blas_name(const vkmm_blas *blas);    /* "OpenBLAS" …, or the file's name; owned by the handle */
const char *vkmm_blas_version(const vkmm_blas *blas); /* "0.3.21, Zen, 2 threads"; "" unknown */

/* C ← α·op(A)·op(B) + β·C on the host, f32 or f64, matrix by matrix of a batch (cblas_sgemm, cblas_dgemm).
 * VKMM_UNSUPPORTED: an integer type, or an extent beyond CBLAS's int. The problem must be valid. */
vkmm_status vkmm_blas_multiply(vkmm_blas *blas, const vkmm_problem *problem, const void *a, const void *b, void *c);
