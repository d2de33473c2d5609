// SPDX-License-Identifier: BSD-3-Clause
/*
 * Cube roots in vectors of AVX-512. Included by functions.c alone, after log_512.h.
 *
 * x = 2^e m as in log_512.h, e with its bias 3 q + r: with c near 1/m and f = c m - 1 it is 2^q times what is left of the bias,
 * (2^r / c)^(1/3) and 1 + f P(f), P a fit by Remez's exchange of relative error 2^-31 (float32) and 2^-59. c is chosen so that its
 * cube root's inverse is a number but for 2^-34 and 2^-64; that times the root of 2^r is known in two parts, so that next to no
 * error is left but that of the last sum: roots of cubes are whole.
 * AVX-512 alone; contiguous float32 and float64. Other sets take libmvec.
 */
static const float cbrt_fit_f[] = { -0x1.516e76p-5f, 0x1.f9fb4p-5f, -0x1.c71c6ep-4f, 0x1.555554p-2f };
static _Alignas(64) const float cbrt_factor_f[16] = {
  0x1p127f, 0x1.e164dap126f, 0x1.c6aa4cp126f, 0x1.afbc76p126f, 0x1.99898ep126f, 0x1.861ffep126f, 0x1.746e96p126f,
  0x1.645622p126f, 0x1.5566e4p126f, 0x1.47699p126f, 0x1.3acc1ap126f, 0x1.2fd3c4p126f, 0x1.244842p126f, 0x1.1a1a2p126f,
  0x1.110e84p126f, 0x1.08736cp126f,
};
static _Alignas(64) const float cbrt_of_factor_f[16] = {
  1, 0x1.055072p0f, 0x1.0a5676p0f, 0x1.0ef8bcp0f, 0x1.13c81ep0f, 0x1.184838p0f, 0x1.1ca6ecp0f, 0x1.20dffcp0f,
  0x1.2506f8p0f, 0x1.292482p0f, 0x1.2d0f58p0f, 0x1.30a3fcp0f, 0x1.349994p0f, 0x1.3844aep0f, 0x1.3badd2p0f, 0x1.3f111ap0f,
};
static _Alignas(64) const float cbrt_high_f[16] = { 0x1.965feap-43f, 0x1p-42f, 0x1.428a3p-42f };
static _Alignas(64) const float cbrt_low_f[16] = { 0x1.4f5b9p-69f, 0, -0x1.9ca35ep-68f };
static const double cbrt_fit_d[] = { -0x1.03f0c09228699p-6, 0x1.37cd7ec43bd6ep-6, -0x1.8090b6ae8f07ap-6, 0x1.ee70fbd8b9819p-6,
                                     -0x1.511e8d2cbad21p-5, 0x1.f9add3c19b213p-5, -0x1.c71c71c71c6b8p-4, 0x1.555555555554ep-2 };
static _Alignas(64) const double cbrt_factor_d[16] = {
  0x1p1023, 0x1.e13a60225d529p1022, 0x1.c6b89a12addf4p1022, 0x1.af023d3125acbp1022, 0x1.9a187a4b64a26p1022,
  0x1.869ebc0cf1092p1022, 0x1.744d34cfa019p1022, 0x1.6435550b2dc68p1022, 0x1.54eddbccc5073p1022, 0x1.478b2854b2a5ep1022,
  0x1.3b60e1085b77ep1022, 0x1.2f8996b031451p1022, 0x1.2436177c5848ep1022, 0x1.1a69efa92263fp1022, 0x1.10ec4e596fa51p1022,
  0x1.087a598d53f76p1022,
};
static _Alignas(64) const double cbrt_of_factor_d[16] = {
  1, 0x1.055822000ac6p0, 0x1.0a53aafdd29e6p0, 0x1.0f1fbce27066ep0, 0x1.13a8109fce991p0, 0x1.1829e45e210e9p0,
  0x1.1caf6d8e31004p0, 0x1.20e8d9a075a9bp0, 0x1.2529a0d510081p0, 0x1.291a58f4befcbp0, 0x1.2cdff9442e567p0,
  0x1.30bccac0f5f22p0, 0x1.349ff8fb27117p0, 0x1.382740b80b9c5p0, 0x1.3bbb01fcb3eb1p0, 0x1.3f0e50c4cfaa5p0,
};
static _Alignas(64) const double cbrt_high_d[8] = { 0x1p-341, 0x1.428a2f98d728bp-341, 0x1.965fea53d6e3dp-341 };
static _Alignas(64) const double cbrt_low_d[8] = { 0, -0x1.ddc22548ea41ep-397, -0x1.f53e999952f09p-395 };

#define BODY "backends/cpu/kernels/functions/cbrt_lanes.h"
#include "backends/cpu/kernels/functions/each.h"
FUNCTION_512(cbrt, f32, cbrt_lanes_f, cbrt_far_f, cbrt_any_f)
FUNCTION_512(cbrt, f64, cbrt_lanes_d, cbrt_far_d, cbrt_any_d)
