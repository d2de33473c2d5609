// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/ultrasound.h: how good ultrasound data and images are, and pictures of them.
 *
 * Layer: public header of the ultrasound kit; needs nothing but <heddle.h>.
 *
 * Conventions
 * - Functions that return an array return a new one that the caller releases (or a HED_SCOPE does), or NULL with the thread's error
 *   set. Everything is done by operations in the calling thread's context, so on its backend; what has to look at numbers before it
 *   can answer (a number of bins, an index, whether noise is 0) says "waits".
 * - Arrays are real or complex, of any layout. Bool and integers are taken as float64, 16-bit floats as float32; results are float32
 *   for float32 and complex64, else float64. Devices without float64 take float32 for it. Sums are as hed_sum() makes them: in
 *   float64, or float32 in pairs of pairs.
 *   NaN gives NaN, where nothing else is said.
 * - One axis, or a few, is what a metric is about; all others are batch, and stay in the result.
 * - Option structs have no size: all zero is the default, and so is NULL.
 * - Errors: HED_E_INVAL, HED_E_SHAPE, HED_E_AXIS, HED_E_DTYPE, each sentence with the argument's name and the values that disagree;
 *   those of the operations; HED_E_NOMEM.
 *
 * Thread-safety: all functions may run in several threads at once.
 */
#ifndef HEDDLE_KITS_ULTRASOUND_H
#define HEDDLE_KITS_ULTRASOUND_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- coherence of M channels, before they are summed ---- */

/* All zero is the default. */
typedef struct hed_us_coherence {
  hed_axes axis;   /* HED_AXES(k), the axis of channels; n = 0: axis 0                                         */
  bool amplitude;  /* coherence_factor: |sum x| / sum |x| instead of powers                                   */
  bool camacho;    /* phase_coherence_factor: from the deviation of phases                                     */
  int32_t m0;      /* generalized: frequencies up to m0, below M / 2; 0: 1, -1: that of 0 alone                 */
  double power;    /* sign and phase: exponent (camacho: factor of the deviation), finite, >= 0; 0: 1            */
} hed_us_coherence;

/* |sum x|^2 / (M sum |x|^2), 0 where all channels are 0; in [0, 1]. Values whose squares overflow are no exception.
 * (K. W. Hollman, K. W. Rigby, M. O'Donnell, IEEE Ultrasonics Symposium 1999, 1257-1260.) */
HED_NEW hed_array *hed_us_coherence_factor(const hed_array *x, const hed_us_coherence *opt);

/* sum over |k| <= m0 of |X_k|^2 / (M sum |x|^2), X the Fourier transform over channels; 0 where all channels are 0.
 * (P.-C. Li, M.-L. Li, IEEE Trans. UFFC 50 (2003) 128-141.) */
HED_NEW hed_array *hed_us_generalized_coherence_factor(const hed_array *x, const hed_us_coherence *opt);

/* (1 - sqrt(1 - b^2))^p, b the mean of signs of the real part, +1 for 0. */
HED_NEW hed_array *hed_us_sign_coherence_factor(const hed_array *x, const hed_us_coherence *opt);

/* |mean of x / |x||^p; a channel of 0 adds 0 and counts. With camacho max(0, 1 - p s / s0), s the least standard deviation of the
 * phases and of the phases turned by pi, s0 = pi / sqrt(3) that of random ones.
 * (Both: J. Camacho, M. Parrilla, C. Fritsch, IEEE Trans. UFFC 56 (2009) 958-974.) */
HED_NEW hed_array *hed_us_phase_coherence_factor(const hed_array *x, const hed_us_coherence *opt);

/* ---- two regions: what is to be seen, and what is around it ---- */

/* All zero is the default. */
typedef struct hed_us_region {
  hed_axes batch;        /* axes of both arrays that stay, in the result's order; n = 0: none, the result has no axes */
  /* Bool, of the shape of the axes that are not batch: where the first and the second array count. Both arrays may then be one
   * image. NULL: everywhere. They wait. */
  const hed_array *inside_mask, *outside_mask;
  bool db;               /* in decibels                                                                     */
  bool amplitude;        /* cnr: of |x| instead of |x|^2, over the root of the mean of the variances            */
  bool inside_median, outside_median;       /* cnr: medians for means                                      */
  bool no_inside_variance, no_outside_variance; /* cnr: that one is left out of the root; both: the difference alone */
  int64_t bins;          /* gcnr: 0: 100                                                                    */
  const hed_array *edges; /* gcnr: n + 1 ascending edges of n bins instead                                      */
  bool no_center;        /* rf_snr: means are not subtracted                                                 */
  bool max_power;        /* rf_snr: the largest power of the signal instead of its mean                         */
} hed_us_region;

/* Contrast-to-noise ratio: with p = |x|^2, m = mean p and v = mean (p - m)^2, (m_in - m_out) / sqrt(v_in + v_out); x / 0 is
 * infinite, 0 / 0 NaN. With amplitude p = |x| and the root of (v_in + v_out) / 2. With db 20 log10 of the modulus. */
HED_NEW hed_array *hed_us_cnr(const hed_array *inside, const hed_array *outside, const hed_us_region *opt);

/* Generalized contrast-to-noise ratio, 1 - sum over bins of min(h_in / n_in, h_out / n_out), of |x| when that is complex: from whole
 * numbers, so that it is in [0, 1] and exactly 0 for equal data. Bins are of equal width from the least value of both to the
 * largest, the last one closed; values outside given edges do not count. Waits. HED_E_INVAL: values that are not finite,
 * no value within the edges.
 * (A. Rodriguez-Molares and others, IEEE Trans. UFFC 67 (2020) 745-759.) */
HED_NEW hed_array *hed_us_gcnr(const hed_array *inside, const hed_array *outside, const hed_us_region *opt);

/* mean |inside|^2 / mean |outside|^2. */
HED_NEW hed_array *hed_us_contrast(const hed_array *inside, const hed_array *outside, const hed_us_region *opt);

/* ---- radio-frequency data ---- */

/* 10 log10(P_signal / P_noise), P = mean |a - mean a|^2. Waits; noise of 0 is HED_E_INVAL. */
HED_NEW hed_array *hed_us_rf_snr(const hed_array *signal, const hed_array *noise, const hed_us_region *opt);

/* All zero is the default. */
typedef struct hed_us_find {
  int64_t before, after; /* elements of signal before the largest, and from it on; both 0: 10 and 10   */
  int64_t offset;        /* elements between signal and noise; 0: 50, -1: none                            */
  int64_t ignore;        /* first elements in which nothing is looked for                                  */
  int64_t size;          /* most elements of noise; 0: all that follow                                     */
} hed_us_find;

typedef struct hed_us_ranges { int64_t signal[2], noise[2]; } hed_us_ranges; /* first, end: [first, end) */

/* Where a pulse is in one line of data: around the first largest |x|, and noise after it. Waits. HED_E_INVAL where no noise is
 * left, its sentence says how long the line is. */
HED_API hed_status hed_us_find_signal_and_noise(const hed_array *line, const hed_us_find *opt, hed_us_ranges *out);

/* All zero is the default. */
typedef struct hed_us_time {
  hed_axes axis; /* HED_AXES(k), the axis of frames; n = 0: the last */
  bool db;
} hed_us_time;

/* Temporal signal-to-noise ratio, |m|^2 / mean |x - m|^2, m = mean x over at least 2 frames; infinite where nothing changes. */
HED_NEW hed_array *hed_us_tsnr(const hed_array *x, const hed_us_time *opt);

/* ---- sharpness ---- */

typedef enum hed_us_reduce { HED_US_SUM, HED_US_MEAN, HED_US_NONE } hed_us_reduce;

/* All zero is the default. */
typedef struct hed_us_sharpness {
  const hed_array *roi;    /* bool, (height, width): where it counts; NULL: everywhere                         */
  const hed_array *kernel; /* real, of odd extents; NULL: (1 0 -1, 2 0 -2, 1 0 -1)                              */
  int32_t reduce;          /* hed_us_reduce; none: the map, 0 outside the region                            */
  bool reflect;            /* outside the image is its mirror (d c b a | a b c d) instead of 0                 */
  bool both;               /* the root of the sum of squares with the transposed kernel                       */
} hed_us_sharpness;

/* Sum of |image * kernel|, the convolution, over the last two axes. A region without elements is HED_E_INVAL; with one it waits. */
HED_NEW hed_array *hed_us_tenengrad(const hed_array *image, const hed_us_sharpness *opt);

/* ---- clipping ---- */

typedef enum hed_us_clip_method { HED_US_CLIP_THRESHOLD, HED_US_CLIP_MAX_AMPLITUDE } hed_us_clip_method;

/* All zero is the default. */
typedef struct hed_us_clip {
  int32_t method;        /* clip_ratio: hed_us_clip_method                                               */
  double high;           /* threshold: x >= high, which has to be given; max_amplitude: fraction of max - min in [0, 1], 0: 0.01, -1:
                            not looked at */
  double low;            /* with low_given the same of x <= low, else -high and the fraction of high            */
  bool low_given;
  hed_axes axis;         /* max_amplitude: the axis of time; n = 0: the last                                  */
  int64_t min_contiguous; /* max_amplitude: least length of a run; 0: 1                                       */
  bool runs_only;        /* max_amplitude: what is in no such run is not clipped                              */
} hed_us_clip;

/* Bool of X's shape: x >= high or x <= low, |x| >= high for complex x. */
HED_NEW hed_array *hed_us_is_clipped_threshold(const hed_array *x, const hed_us_clip *opt);

/* Bool of X's shape: elements within a fraction of max - min of an end of their series, when the series has a run of
 * min_contiguous of them. Of |x| for complex x, the upper end alone. A series that is constant, or holds NaN, has none. */
HED_NEW hed_array *hed_us_is_clipped_max_amplitude(const hed_array *x, const hed_us_clip *opt);

/* Without axes, float64: the part of all elements that are clipped. */
HED_NEW hed_array *hed_us_clip_ratio(const hed_array *x, const hed_us_clip *opt);

/* ---- point targets ---- */

typedef enum hed_us_width { HED_US_GAUSSIAN, HED_US_LINE } hed_us_width;

/* All zero is the default. */
typedef struct hed_us_psf {
  const hed_array *roi;  /* bool, of the image's shape: where the largest value is looked for; NULL: everywhere     */
  int64_t radius;        /* then again within so many elements of it along each axis, also outside roi; 0: not      */
  hed_axes axes;         /* that are measured; n = 0: all of more than one element                          */
  const double *spacing; /* of elements along each of those axes; NULL: 1                                      */
  int32_t method;        /* fwhm: hed_us_width                                                          */
  bool rotated;          /* fwhm: a Gaussian of two axes at an angle                                           */
  bool power;            /* values are powers: sll 10 log10 instead of 20, decibels over 10                      */
  bool db;               /* the image is in decibels, as hed_us_bmode_db() makes them: measured is 10^(image / 20)  */
} hed_us_psf;

/* Full width at half maximum of the target whose peak is the largest |image|, one for each measured axis. By a line: between the
 * crossings of half of the maximum, interpolated linearly. By a Gaussian: A exp(-sum of (x - mu)^2 / (2 sigma^2)) + c, least squares
 * in a window of four such widths, 2 sqrt(2 ln 2) sigma. NaN along an axis on which half of the maximum is not reached on both
 * sides. With rotated the widths are those along the ellipse's axes, and one number more follows: the angle in (-pi/4, pi/4] from
 * the first measured axis to the first width's. Waits; lines and the window go to the host. HED_E_INVAL: rotated with other
 * than two axes, a roi without elements, a maximum of 0 or NaN, a real image without a value above 0 that is not said to be in
 * decibels. */
HED_API hed_status hed_us_fwhm(const hed_array *image, const hed_us_psf *opt, double *width);

/* Side lobe level in decibels, one for each measured axis: 20 log10(side / peak), side the larger of the first local maxima
 * beyond the main lobe on both sides; NaN without any. Otherwise as above. */
HED_API hed_status hed_us_sll(const hed_array *image, const hed_us_psf *opt, double *level);

/* Where that peak is: an index for each axis of the image. Waits. */
HED_API hed_status hed_us_peak(const hed_array *image, const hed_us_psf *opt, int64_t *index);

/* The axes that are measured, in *OUT. */
HED_API hed_status hed_us_psf_axes(const hed_array *image, const hed_us_psf *opt, hed_axes *out);

/* ---- from channels to an image ---- */

typedef enum hed_us_sum {
  HED_US_DAS,  /* the sum over channels of what arrives from a place                                        */
  HED_US_DMAS  /* the sum over pairs of channels of sign(a b) sqrt(|a b|), whose spectrum is about zero and twice that of the
                  pulse (G. Matrone, A. S. Savoia, G. Caliano, G. Magenes, IEEE Trans. Medical Imaging 34 (2015) 940-949); real data */
} hed_us_sum;

typedef enum hed_us_transmit {
  HED_US_PLANE,  /* plane waves at ANGLES, which pass (z, x) = (0, 0) at time 0: (z cos a + x sin a) / c                  */
  HED_US_SOURCE, /* waves from SOURCES (z, x), which begin at time 0 there; z below 0: behind the array                  */
  HED_US_LINE_BY_LINE /* wave k makes column k of the image alone, and goes straight down: z / c; as many waves as X has places */
} hed_us_transmit;

/* All zero is the default. */
typedef struct hed_us_beamform_options {
  int32_t sum, transmit;      /* hed_us_sum, hed_us_transmit                                                       */
  const hed_array *angles;    /* PLANE: radians, one for each wave; NULL: 0                                        */
  const hed_array *sources;   /* SOURCE: metres, (waves, 2)                                                        */
  double sound_speed;         /* metres per second; 0: 1540                                                        */
  double initial_time;        /* of the first sample, seconds                                                      */
  double modulation_frequency; /* hertz, by which complex data have been moved down: phases are turned back; 0: not   */
  double f_number;            /* channels within z / (2 f_number) of a place's x count there; 0: all               */
} hed_us_beamform_options;

/* Channel data (waves, channels, samples) to an image (len(z), len(x)), Z and X metres: for each wave and channel the sample, between
 * two linearly, at the time that a wave takes to a place and from there to the channel's element at (0, ELEMENTS[channel]); 0 before
 * the first and after the last sample. Sums over waves are of what each gives. SAMPLING_FREQUENCY in hertz. float32 or complex64 as
 * the data, float64 and complex128 of such. Memory: some images. HED_E_INVAL (frequencies, speeds and numbers that are not above
 * 0 and finite), HED_E_SHAPE (both extents are named), HED_E_DTYPE (DMAS of complex data). */
HED_NEW hed_array *hed_us_beamform(const hed_array *data, const hed_array *elements, const hed_array *z, const hed_array *x,
                                   double sampling_frequency, const hed_us_beamform_options *opt);

/* ---- images ---- */

/* |x| for complex x, else |x + i H(x)| along one axis, of depth or time (AXIS NULL or n = 0: the first). */
HED_NEW hed_array *hed_us_envelope(const hed_array *x, const hed_axes *axis);

/* All zero is the default. */
typedef struct hed_us_bmode {
  double dynamic_range; /* decibels below the reference that are shown; 0: 60                      */
  double reference;     /* |x| of 0 dB; 0: the largest                                              */
  hed_axes batch;       /* axes with a reference for each element (frames); n = 0: one for all          */
} hed_us_bmode;

/* 20 log10(|x| / reference), limited to [-dynamic range, 0]; where everything is 0, the lower limit. */
HED_NEW hed_array *hed_us_bmode_db(const hed_array *x, const hed_us_bmode *opt);

/* All zero is the default but for rho and theta. */
typedef struct hed_us_sector {
  double rho[2];     /* distance from the apex of the first and the last sample, in metres; 0 <= rho[0] < rho[1] */
  double theta[2];   /* angle of the first and the last beam, in radians, from the axis; within +-pi/2            */
  double resolution; /* of the image, in metres; 0: mean of the samples' distance and of the arc between two beams a quarter of
                        the depth in                                                                      */
  bool fill_given;
  double fill;       /* outside the sector; not given: NaN                                                     */
} hed_us_sector;

/* Elements of an image and where they are: (z0 + i dz, x0 + j dx). */
typedef struct hed_us_grid { int64_t nz, nx; double z0, x0, dz, dx; } hed_us_grid;

/* Samples (.., rho, theta), real, to an image (.., z, x), interpolated linearly. GRID, when not NULL, says where it lies. Images
 * of more than 2^28 elements are HED_E_INVAL. */
HED_NEW hed_array *hed_us_scan_convert(const hed_array *x, const hed_us_sector *opt, hed_us_grid *grid);

/* Bool (nz, nx) for places Z and X, both real with one axis: inner <= distance from (z0, x0) <= outer; a rectangle with its borders.
 * A region without elements is no error here. */
HED_NEW hed_array *hed_us_region_circle(const hed_array *z, const hed_array *x, double z0, double x0, double radius);
HED_NEW hed_array *hed_us_region_ring(const hed_array *z, const hed_array *x, double z0, double x0, double inner, double outer);
HED_NEW hed_array *hed_us_region_rectangle(const hed_array *z, const hed_array *x, double z_low, double z_high, double x_low,
                                           double x_high);

/* ---- files ---- */

typedef enum hed_us_content { HED_US_ARRAY, HED_US_CHANNELS, HED_US_IMAGE } hed_us_content;

/* What a file holds. All zero is an empty one; hed_us_data_clear() releases what it owns. Numbers that the file does not say are
 * NaN, arrays NULL. */
typedef struct hed_us_data {
  int32_t content;   /* hed_us_content                                                              */
  char name[64];     /* of the object, as in the file                                                  */
  hed_array *data;   /* channels of UFF: (frames, waves, channels, samples); images: (frames, z, x); others as in the file */
  hed_array *z, *x;  /* metres, one axis each: of images of a linear scan                                 */
  hed_array *rho, *theta; /* metres and radians: of images of a sector scan                               */
  double sampling_frequency, initial_time, sound_speed, modulation_frequency; /* hertz, seconds, metres per second */
} hed_us_data;

/* Read an object of a file into the current context's space. By its first bytes a file is .npy, or HDF5: then NAME is a path, and
 * NULL the first object of class uff.channel_data or uff.beamformed_data (or a group without class that holds data and
 * sampling_frequency, or data and scan, as in files of the PICMUS challenge), else the first array. Complex numbers are UFF's
 * groups of real and imag, or compounds of two floats. One file at a time is read from HDF5, whatever the threads. Links to other
 * places and files are not followed, and arrays that lie in other files are refused.
 * HED_E_UNAVAILABLE without the HDF5 library; HED_E_NOTFOUND, naming what there is; HED_E_IO; HED_E_FORMAT; HED_E_DTYPE. */
HED_API hed_status hed_us_read(const char *path, const char *name, hed_us_data *out);
HED_API void hed_us_data_clear(hed_us_data *d);

/* Whether HDF5 files can be read: built with its header, and the library is there. */
HED_API bool hed_us_hdf5_available(void);

#ifdef __cplusplus
}
#endif
#endif
