// SPDX-License-Identifier: BSD-3-Clause
/*
 * arctan in vectors of AVX-512. Included by functions.c alone.
 *
 * arctan |x| is that of p/q, where p and q are |x| and 1, the smaller first, taken from pi/2 where that turned them over. With c a
 * multiple of 1/8 near p/q it is arctan c, of a table, and arctan t, t = (p - c q) / (q + c p), no more than 1/16; arctan t is
 * t + t^3 P(t^2), P a minimax fit by Remez's exchange, of relative error 2^-31 (float32) and 2^-61. t is a product with an
 * estimate of a reciprocal, made right by what that leaves of p - c q.
 */
static _Alignas(64) const float arctan_of_f[16] = {
  0, 0x1.fd5baap-4f, 0x1.f5b76p-3f, 0x1.6f6194p-2f, 0x1.dac67p-2f, 0x1.1e00bap-1f, 0x1.4978fap-1f, 0x1.700a7cp-1f, 0x1.921fb6p-1f,
};
static _Alignas(64) const double arctan_of_d[16] = {
  0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3, 0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2, 0x1.1e00babdefeb4p-1,
  0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p-1,
};
static const float arctan_fit_f[] = { 0x1.97fb48p-3f, -0x1.555514p-2f };
static const double arctan_fit_d[] = { -0x1.70ad6104b1a0ep-4, 0x1.c7185260fd1bp-4, -0x1.24924818506b8p-3, 0x1.999999995e103p-3,
                                       -0x1.5555555555533p-2 };

#define EACH "backends/cpu/kernels/k_arctan512_lanes.h"
#include "backends/cpu/kernels/k_each512.h"
