// SPDX-License-Identifier: BSD-3-Clause
/* Random phases, and peaks between the samples. L3.
 *
 * Phases are turned by an angle that is odd in the frequency, so the result is real and the amplitudes stay: 2 atan2(Im N,
 * |Re N|) of the spectrum N of white noise, uniform in (-pi, pi), 0 where a frequency is its own negative. Peaks are looked
 * for on a grid of finer steps round each given one, where the transform is evaluated as a product of matrices (M. Guizar-
 * Sicairos, S. T. Thurman, J. R. Fienup, Efficient subpixel image registration algorithms, Opt. Lett. 33, 2008).
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/random/random.h"
#include "composite/composed.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>

hed_array *HED_BODY(scramble_phases)(const hed_array *x, double proportion, const hed_random *opt)
{
  static const hed_random defaults;
  const char *op = "scramble_phases";
  if (!hed__given(x, op, "x") || hed__check_domain(op, hed__op_rows[HED_OP_SCRAMBLE_PHASES].domain, "x", x->view.dtype) != HED_OK)
    return NULL;
  hed_shape s = hed__shape_of(x);
  if (s.ndim == 0 || hed__view_size(&x->view) == 0) {
    hed_fail(HED_E_SHAPE, "%s: x of shape %s has nothing to transform", op, HED__TEXT(&s));
    return NULL;
  }
  if (!(proportion >= 0 && proportion <= 1)) {
    hed_fail(HED_E_INVAL, "%s: proportion is %g, 0 to 1 are possible", op, proportion);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, HED_OP_SCRAMBLE_PHASES, 1, &x) != HED_OK)
    return NULL;
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_random draw = opt ? *opt : defaults;
  draw.mean = draw.std = 0;
  hed_fft real = { .s = s };
  hed_array *out = hed_rfftn(c.ex.in[0], NULL), *noise = NULL, *turn = NULL;
  if (out) {
    hed_dtype t = hed_dtype_of(hed__real_of(out->view.dtype));
    noise = hed_rfftn(hed_random_normal(s, t, &draw), NULL);
    turn = hed_multiply_scalar(hed_arctan2(hed_imag(noise), hed_abs(hed_real(noise))), 2 * proportion);
    hed_array *unit = hed_scalar_complex(0, 1);
    turn = hed_exp(hed_multiply(turn, unit));
    out = turn && hed_multiply_into(out, out, turn) == HED_OK ? hed_irfftn(out, &real) : NULL;
    if (out && hed__id_kind(x->view.dtype) == HED_KIND_FLOAT)
      out = hed_astype(out, hed_dtype_of(x->view.dtype));
  }
  out = composed_end(&c, out);
  if (!out)
    hed__random_undo(&mark);
  return out;
}

/* ---- peaks ---- */

static const char *const peaks_op = "oversample_peaks";

/* exp(2 pi i f (from + r / factor) / n): ROWS positions by N frequencies, f counted from -(n/2) up in the order of the
 * transform; over n. */
static hed_array *waves(int64_t n, int64_t rows, double from, int64_t factor)
{
  const double pi = 3.14159265358979323846;
  double *v = hed__buffer_new((size_t)(2 * n * rows) * sizeof *v, peaks_op);
  if (!v)
    return NULL;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t k = 0; k < n; k++) {
      double f = (double)(2 * k < n ? k : k - n), turns = fmod(f * (from + (double)r / (double)factor) / (double)n, 1);
      v[2 * (r * n + k)] = cos(2 * pi * turns) / (double)n;
      v[2 * (r * n + k) + 1] = sin(2 * pi * turns) / (double)n;
    }
  hed_array *w = hed_from_host(v, HED_SHAPE(rows, n), HED_COMPLEX128);
  hed__buffer_free(v);
  return w;
}

/* The largest value on the grid round PEAK, whose coordinates it becomes. */
static hed_status refine(const hed_array *spectrum, int64_t factor, int64_t rows, double *peak)
{
  const hed_array *g = spectrum;
  int d = spectrum->view.ndim;
  double from[HED_MAX_NDIM];
  for (int k = 0; k < d; k++) { /* the first axis goes, the fine one is appended */
    from[k] = round(peak[k] * (double)factor) / (double)factor - (double)(rows / 2) / (double)factor;
    hed_array *w = waves(spectrum->view.dim[k], rows, from[k], factor);
    g = hed_tensordot(g, w, &HED_AXES(0), &HED_AXES(1));
    if (!g)
      return hed_error();
  }
  int64_t best = 0;
  hed_status status = hed_item_int(hed_argmax(hed_real(g), NULL), &best);
  for (int k = d - 1; k >= 0 && status == HED_OK; k--, best /= rows)
    peak[k] = from[k] + (double)(best % rows) / (double)factor;
  return status;
}

hed_array *HED_BODY(oversample_peaks)(const hed_array *scores, const hed_array *peaks, int64_t factor)
{
  if (!hed__given(scores, peaks_op, "scores") || !hed__given(peaks, peaks_op, "peaks"))
    return NULL;
  hed_shape s = hed__shape_of(scores), p = hed__shape_of(peaks);
  if (hed__check_domain(peaks_op, "bif", "scores", scores->view.dtype) != HED_OK ||
      hed__check_domain(peaks_op, "if", "peaks", peaks->view.dtype) != HED_OK)
    return NULL;
  if (s.ndim == 0 || hed__view_size(&scores->view) == 0 || p.ndim != 2 || p.dim[1] != s.ndim) {
    hed_fail(HED_E_SHAPE, "%s: peaks of shape %s are not coordinates in scores of shape %s", peaks_op, HED__TEXT(&p),
             HED__TEXT(&s));
    return NULL;
  }
  if (factor < 1 || factor > 1000) {
    hed_fail(HED_E_INVAL, "%s: factor is %lld, 1 to 1000 are possible", peaks_op, (long long)factor);
    return NULL;
  }
  int64_t n = p.dim[0], rows = (3 * factor + 1) / 2 | 1; /* a step and a half, odd: the peak itself is in the middle */
  size_t bytes = (size_t)(n * s.ndim) * sizeof(double);
  double *at = hed__buffer_new(bytes, peaks_op);
  if (!at)
    return NULL;
  hed_array *out = NULL, *host[2];
  hed_scope outer = { 0, NULL };
  bool far = false;
  hed_frame f;
  hed_status status = hed_scope_begin(&outer);
  if (status == HED_OK) {
    /* in double, on the host: devices may have no double */
    host[0] = hed_to(scores, "reference");
    host[1] = hed_to(peaks, "reference");
    far = !scores->storage->device->host || !peaks->storage->device->host || !hed__current_device() ||
               !hed__current_device()->host;
    bool inside = far && hed_backend_context_push("reference", &f) == HED_OK;
    hed_array *spectrum = hed_fftn(hed_astype(host[0], HED_FLOAT64), NULL);
    status = hed_to_host(hed_astype(host[1], HED_FLOAT64), at, bytes);
    for (int64_t k = 0; k < n && status == HED_OK && spectrum; k++) {
      hed_scope each;
      if ((status = hed_scope_begin(&each)) == HED_OK) {
        status = refine(spectrum, factor, rows, at + k * s.ndim);
        hed_scope_end(&each);
      }
    }
    if (!spectrum)
      status = hed_error();
    if (inside)
      (void)hed_context_pop(f);
    hed_scope_end(&outer);
  }
  bool pushed = far && status == HED_OK && (status = hed_backend_context_push("reference", &f)) == HED_OK;
  if (status == HED_OK)
    out = hed_from_host(at, p, HED_FLOAT64);
  if (pushed)
    (void)hed_context_pop(f);
  hed__buffer_free(at);
  return out;
}
