// SPDX-License-Identifier: BSD-3-Clause
/* Fourier transforms. Conventions: <heddle/ops.h>.
 *
 * Forward: X[k] = sum over j of x[j] exp(-2 pi i j k / n); the inverse has the other sign; norm says where 1/n goes. Any
 * extents from 1 on, any strides, several axes in one call; an axis may be listed once. Integers are transformed as the
 * context's REAL or COMPLEX, float16 and bfloat16 as float32.
 */
#ifndef HEDDLE_OPS_FFT_H
#define HEDDLE_OPS_FFT_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef enum hed_fft_norm { HED_NORM_BACKWARD, HED_NORM_ORTHO, HED_NORM_FORWARD } hed_fft_norm;

typedef struct hed_fft {
  hed_axes axes;  /* n = 0: all (or the last s.ndim); the last one, the last two in fft1, fft2 and their family */
  hed_shape s;    /* extents along the axes, ndim = 0: as they are; cropped or zero-padded at the end */
  int32_t norm;   /* hed_fft_norm: 1/n on the inverse, 1/sqrt(n) both ways, 1/n forward */
} hed_fft;

/* Complex to complex, in the shape of x but for opt->s. In the forms with out, out may be x itself. */
HED_NEW hed_array *hed_fftn(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_ifftn(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_fft1(const hed_array *x, const hed_fft *opt); /* of one axis; hed_fft is the options' name */
HED_NEW hed_array *hed_ifft1(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_fft2(const hed_array *x, const hed_fft *opt); /* of two */
HED_NEW hed_array *hed_ifft2(const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_fftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_ifftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_fft1_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_ifft1_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_fft2_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_ifft2_into(hed_array *out, const hed_array *x, const hed_fft *opt);

/* Real to complex: the last of the axes has n/2 + 1 elements, the others follow by symmetry. Complex x is HED_E_DTYPE. */
HED_NEW hed_array *hed_rfftn(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_rfft1(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_rfft2(const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_rfftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_rfft1_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_rfft2_into(hed_array *out, const hed_array *x, const hed_fft *opt);

/* Back to real. opt->s gives the real extents; without it the last is 2 (n - 1), so an odd one must be given. The
 * imaginary parts of the elements that belong to themselves (0 and n/2) do not count. X stays as it is. */
HED_NEW hed_array *hed_irfftn(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_irfft1(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_irfft2(const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_irfftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_irfft1_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_irfft2_into(hed_array *out, const hed_array *x, const hed_fft *opt);

/* Forward transform of Hermitian input, x[-j] = conj(x[j]), of which the half is given: real; extents as in irfftn.
 * hfftn(x) is irfftn(conj(x)) without its factor; ihfftn goes back: conj(rfftn(x)) over n. */
HED_NEW hed_array *hed_hfftn(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_ihfftn(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_hfft1(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_ihfft1(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_hfft2(const hed_array *x, const hed_fft *opt);
HED_NEW hed_array *hed_ihfft2(const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_hfftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_ihfftn_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_hfft1_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_ihfft1_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_hfft2_into(hed_array *out, const hed_array *x, const hed_fft *opt);
HED_API hed_status hed_ihfft2_into(hed_array *out, const hed_array *x, const hed_fft *opt);

/* X + i H(x) for real x along one axis (the last), H the Hilbert transform: positive frequencies twice, negative ones
 * none, those at 0 and n/2 once (S. L. Marple, IEEE Trans. Signal Process. 47, 1999). opt->norm has no effect. */
HED_NEW hed_array *hed_hilbert(const hed_array *x, const hed_fft *opt);

/* ---- frequencies ---- */

/* Of the N elements of fft1, D apart: 0, 1, .., (n - 1)/2, -(n/2), .., -1, over d n. N is at least 1, D not 0, T real. */
HED_NEW hed_array *hed_fftfreq(int64_t n, double d, hed_dtype t);
/* Of the n/2 + 1 elements of rfft1 of N real ones: 0, 1, .., n/2, over d n. */
HED_NEW hed_array *hed_rfftfreq(int64_t n, double d, hed_dtype t);

typedef struct hed_freq {
  const double *sampling_rate; /* one per axis; the divisor is int(n rate). NULL: the divisor is 1 */
  bool euclidean;              /* the root of the sum of squares in place of the coordinates */
  bool real_fourier;           /* SHAPE is that of rfftn: the last axis counts 0, 1, .. and n is its real extent */
  int64_t real_extent;         /* that extent; 0: 2 (n - 1) */
} hed_freq;

/* Coordinates (i - n/2) / int(n rate) of the elements of a transform of SHAPE whose zero frequency is in the centre: an
 * array (ndim, shape..), or SHAPE with euclidean. */
HED_NEW hed_array *hed_fftfreqn(hed_shape shape, const hed_freq *opt, hed_dtype t);
/* One array per axis in OUT, of extent 1 along the other axes. opt->euclidean is HED_E_INVAL. */
HED_API hed_status hed_fftfreqn_sparse(hed_shape shape, const hed_freq *opt, hed_dtype t, hed_array **out);

/* Roll by n/2 along the axes (NULL = all): element 0 comes to n/2, the centre. */
HED_NEW hed_array *hed_fftshift(const hed_array *x, const hed_axes *axes);
/* Its inverse, for odd extents too: roll by -(n/2). */
HED_NEW hed_array *hed_ifftshift(const hed_array *x, const hed_axes *axes);
/* Roll by n/2 + n%2, which is ifftshift, along all axes; REAL_FOURIER: all but the last. */
HED_NEW hed_array *hed_shift_fourier(const hed_array *x, bool real_fourier);

/* ---- sizes ---- */

/* least m >= n that the current backend transforms fast (factors 2, 3, 5, 7) */
HED_API int64_t hed_fft_good_size(int64_t n);
/* full = s1 + s2 - 1; fast: good sizes of it; fast_ft: its rfftn's shape */
HED_API hed_status hed_compute_convolution_shapes(hed_shape s1, hed_shape s2, hed_shape *full, hed_shape *fast,
                                                  hed_shape *fast_ft);

/* ---- convolution ---- */

/* Of extents n and m: FULL n + m - 1; SAME those of the first operand, centred (from (m - 1)/2 on); VALID where b lies
 * inside a, n - m + 1: HED_E_SHAPE when m > n. */
typedef enum hed_convolve_mode { HED_CONVOLVE_FULL, HED_CONVOLVE_SAME, HED_CONVOLVE_VALID } hed_convolve_mode;

/* Linear convolution over all axes, of which a and b have the same number: out[k] = sum over j of b[j] a[k - j], zeros
 * outside. Integers wrap and are always summed directly; floats by transforms where that is cheaper, and then a NaN or an
 * infinity is everywhere, and rounding is relative to the largest value. */
HED_NEW hed_array *hed_convolve(const hed_array *a, const hed_array *b, int32_t mode);
/* The sum itself. */
HED_NEW hed_array *hed_convolve_direct(const hed_array *a, const hed_array *b, int32_t mode);
/* By transforms of a good size. */
HED_NEW hed_array *hed_fftconvolve(const hed_array *a, const hed_array *b, int32_t mode);
/* Correlation: out[k] = sum over j of a[j + k] conj(b[j]), the first element of FULL at k = -(m - 1). */
HED_NEW hed_array *hed_correlate(const hed_array *a, const hed_array *b, int32_t mode);
HED_NEW hed_array *hed_fftcorrelate(const hed_array *a, const hed_array *b, int32_t mode);
/* Of matrices, directly. */
HED_NEW hed_array *hed_convolve2d(const hed_array *a, const hed_array *b, int32_t mode);
HED_NEW hed_array *hed_correlate2d(const hed_array *a, const hed_array *b, int32_t mode);

/* Circular ones along the last axis, whose extents are equal; the others broadcast. Real operands give a real result. */
HED_NEW hed_array *hed_circular_convolve(const hed_array *a, const hed_array *b);
HED_NEW hed_array *hed_circular_correlate(const hed_array *a, const hed_array *b);

/* What MODE leaves of X, a full convolution of arrays of shapes S1 and S2 computed at some larger size: x cropped to
 * CONVOLUTION_SHAPE (NULL: s1 + s2 - 1) from index 0, then its centre, start (n - m)/2: a view. MASK_OUTPUT: a copy of
 * the cropped array, zeros outside the centre. */
HED_NEW hed_array *hed_apply_convolution_mode(const hed_array *x, int32_t mode, hed_shape s1, hed_shape s2,
                                              const hed_shape *convolution_shape, bool mask_output);

/* Phases of x's transform turned by PROPORTION (0 to 1) times a random angle, uniform in (-pi, pi) and odd in the
 * frequency: real, of the same amplitudes and the same mean. opt: seed as for random numbers, by default the context's. */
struct hed_random;
HED_NEW hed_array *hed_scramble_phases(const hed_array *x, double proportion, const struct hed_random *opt);

/* PEAKS (n, ndim), coordinates in SCORES, moved to the largest value of the scores' trigonometric interpolation on a grid
 * of step 1/FACTOR (1 to 1000) within three quarters of a sample; float64 (n, ndim). The first of equals in C order.
 * Computed on the host in double. */
HED_NEW hed_array *hed_oversample_peaks(const hed_array *scores, const hed_array *peaks, int64_t factor);

/* ---- plan objects: a transform settled once, run often ---- */

/* Immutable and counted; any number of threads may run one at once. A plan belongs to the device it was made on. It is
 * made with the context's planning rigour (fft=measure takes its measurements here, so every run uses the same plan) and
 * for one layout; runs on other strides or alignments give the same transform by other means of the backend. */
typedef struct hed_fft_plan hed_fft_plan;

/* OP is one of the transforms above (HED_OP_RFFTN), of arrays of SHAPE and DTYPE, laid out in C order. *PLAN is the
 * caller's. */
HED_API hed_status hed_fft_plan_create(int op, hed_shape shape, hed_dtype dtype, const hed_fft *opt, hed_fft_plan **plan);
/* For arrays laid out as X and OUT are (OUT NULL: a new one; OUT = X: in place). Their elements are not touched. */
HED_API hed_status hed_fft_plan_create_for(int op, const hed_array *x, const hed_array *out, const hed_fft *opt,
                                           hed_fft_plan **plan);
/* A pair for arrays of SHAPE: rfftn and the irfftn back for real DTYPE, fftn and ifftn for complex. opt->s must be empty. */
HED_API hed_status hed_build_fft(hed_shape shape, hed_dtype dtype, const hed_fft *opt, hed_fft_plan **forward,
                                 hed_fft_plan **inverse);
/* X of another shape or dtype than the plan's is HED_E_SHAPE or HED_E_DTYPE, a call that would run on another device
 * HED_E_MISMATCH. OUT has the dtype that the plan gives, and may be X for complex transforms. */
HED_NEW hed_array *hed_fft_plan_run(const hed_fft_plan *plan, const hed_array *x);
HED_API hed_status hed_fft_plan_run_into(const hed_fft_plan *plan, hed_array *out, const hed_array *x);
HED_API hed_fft_plan *hed_fft_plan_retain(hed_fft_plan *plan);
HED_API void hed_fft_plan_release(hed_fft_plan *plan); /* any thread; NULL is fine */

typedef struct hed_fft_plan_info {
  uint32_t struct_size;
  int32_t op;          /* hed_op */
  const char *device;  /* static */
  hed_shape in, out;
  hed_dtype in_dtype, out_dtype;
  int32_t effort;      /* hed_effort */
} hed_fft_plan_info;
/* Set struct_size before the call. */
HED_API hed_status hed_fft_plan_query(const hed_fft_plan *plan, hed_fft_plan_info *out);

/* ---- wisdom: what measuring has taught the context's backend, kept in files on request only ---- */

/* HED_E_UNSUPPORTED on a backend without wisdom. It is the process's: a program's own use of FFTW shares it. PATH NULL is
 * the default file: BACKEND.wisdom in HEDDLE_CACHE_DIR, $XDG_CACHE_HOME/heddle or ~/.cache/heddle. After loading, plans
 * that wisdom knows take no measurements, and others are measured at their first use. */
HED_API hed_status hed_fft_wisdom_save(const char *path);
/* HED_E_IO: no such file; HED_E_FORMAT: it is not wisdom of this build of FFTW, nothing was changed. */
HED_API hed_status hed_fft_wisdom_load(const char *path);
HED_API hed_status hed_fft_wisdom_forget(void);
HED_API hed_status hed_fft_wisdom_path(char *buf, size_t cap); /* the default file's name */

HED_END_DECLS

#endif
