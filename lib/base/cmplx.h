// SPDX-License-Identifier: BSD-3-Clause
/* CMPLX and CMPLXF where the C library has them for other compilers only (glibc with clang). L0. */
#ifndef HED_BASE_CMPLX_H
#define HED_BASE_CMPLX_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif
#ifndef CMPLXF
#define CMPLXF(re, im) __builtin_complex((float)(re), (float)(im))
#endif

#endif
