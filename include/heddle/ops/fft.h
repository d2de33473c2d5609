// SPDX-License-Identifier: BSD-3-Clause
/* Fourier transforms. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_FFT_H
#define HEDDLE_OPS_FFT_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef enum hed_norm { HED_NORM_BACKWARD, HED_NORM_ORTHO, HED_NORM_FORWARD } hed_norm;

typedef struct hed_fft {
  hed_axes axes;  /* n = 0: all (or the last s.ndim) */
  hed_shape s;    /* extents along the axes, ndim = 0: as they are; cropped or zero-padded at the end */
  int32_t norm;   /* hed_norm: 1/n on the inverse, 1/sqrt(n) both ways, 1/n forward */
} hed_fft;

HED_API hed_array *hed_fftn(const hed_array *x, const hed_fft *opt);
HED_API hed_array *hed_ifftn(const hed_array *x, const hed_fft *opt);
HED_API hed_array *hed_rfftn(const hed_array *x, const hed_fft *opt);
/* opt->s gives the real extents; without it the last is 2 (n - 1) */
HED_API hed_array *hed_irfftn(const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_fftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_ifftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_rfftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
/* may destroy nothing: X stays as it is */
HED_API hed_status hed_irfftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
/* least m >= n that the current backend transforms fast (factors 2, 3, 5, 7) */
HED_API int64_t hed_fft_good_size(int64_t n);
/* full = s1 + s2 - 1; fast: good sizes of it; fast_ft: its rfftn's shape */
HED_API hed_status hed_compute_convolution_shapes(hed_shape s1, hed_shape s2, hed_shape *full, hed_shape *fast,
                                                  hed_shape *fast_ft);

HED_END_DECLS

#endif
