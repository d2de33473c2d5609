// SPDX-License-Identifier: BSD-3-Clause
/* Filtering a target that is not periodic.
 *
 * Layer: L4, match kit. A product of spectra wraps round: the step between opposite faces, and that at the edge of padding, is
 * amplified by a filter that flattens a falling spectrum. So the target is continued beyond its faces, odd about the outermost voxel
 * and fading, padding is filled smoothly, and both are then moved by conjugate gradients towards the values that leave least behind
 * the filter, what is known staying as it is. A band alone amplifies nothing: there the odd continuation is as near to what would
 * have been beyond, and nearer behind a high pass (tests/match/direct.c).
 */
#include "base/invariant.h"
#include "kits/match/filter/apply.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 12, STEPS = 8 };
static const char op[] = "hed_match_run";

/* A target in a box, axes padded to three in front. */
typedef struct extended {
  int ndim;
  int64_t n[3], at[3], e[3]; /* extents of the target, where it begins in the box, extents of that */
  hed_shape box;
} extended;

static hed_status extend(hed_shape s, bool wrap, extended *x)
{
  *x = (extended){ .ndim = s.ndim, .n = { 1, 1, 1 }, .e = { 1, 1, 1 }, .box.ndim = s.ndim };
  for (int i = 0; i < s.ndim; i++) {
    const int a = 3 - s.ndim + i;
    x->n[a] = s.dim[i];
    x->at[a] = wrap ? 0 : s.dim[i] - 1 < MARGIN ? s.dim[i] - 1 : MARGIN;
    x->e[a] = x->box.dim[i] = hed_fft_good_size(s.dim[i] + 2 * x->at[a]);
    if (x->e[a] < s.dim[i])
      return hed_error();
  }
  return HED_OK;
}

static size_t cells_of(const extended *x)
{
  return (size_t)(x->e[0] * x->e[1] * x->e[2]);
}

/* The element of the box that is the first of the target's row (Z, Y). */
static int64_t row_of(const extended *x, int64_t z, int64_t y)
{
  return ((x->at[0] + z) * x->e[1] + x->at[1] + y) * x->e[2] + x->at[2];
}

/* The target about its mean of what is known in Y, and which elements of the box that are in FIXED; 0 elsewhere. */
static void place(const extended *x, const float *v, const uint8_t *known, float *y, uint8_t *fixed)
{
  const size_t n = (size_t)(x->n[0] * x->n[1] * x->n[2]);
  double sum = 0, count = 0;
  for (size_t i = 0; i < n; i++)
    if (!known || known[i]) {
      sum += (double)v[i];
      count++;
    }
  const float mean = (float)(sum / count);
  memset(y, 0, cells_of(x) * sizeof *y);
  memset(fixed, 0, cells_of(x));
  for (int64_t k = 0, z = 0; z < x->n[0]; z++)
    for (int64_t r = 0; r < x->n[1]; r++) {
      const int64_t row = row_of(x, z, r);
      for (int64_t i = 0; i < x->n[2]; i++, k++) {
        fixed[row + i] = !known || known[k];
        y[row + i] = fixed[row + i] ? v[k] - mean : 0;
      }
    }
}

/* Beyond both faces of an axis: odd about the outermost voxel, 0 at the margin's end. */
static void continue_axis(const extended *x, int axis, float *y)
{
  const int64_t p = x->at[axis], last = p + x->n[axis] - 1;
  HED__ASSERT(axis >= 0 && axis < 3 && p >= 0 && last < x->e[axis]);
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; i++)
    outer *= x->e[i];
  for (int i = axis + 1; i < 3; i++)
    inner *= x->e[i];
  for (int64_t o = 0; o < outer; o++) {
    float *piece = y + o * x->e[axis] * inner;
    for (int64_t i = 1; i <= p; i++) {
      const float fade = (float)(0.5 - 0.5 * cos(3.14159265358979323846 * ((double)(p - i) + 0.5) / (double)p));
      for (int64_t k = 0; k < inner; k++) {
        piece[(p - i) * inner + k] = fade * (2 * piece[p * inner + k] - piece[(p + i) * inner + k]);
        piece[(last + i) * inner + k] = fade * (2 * piece[last * inner + k] - piece[(last - i) * inner + k]);
      }
    }
  }
}

/* Y behind FILTER, which is in the current space, in host memory. */
static hed_array *through(const extended *x, const hed_array *y, const hed_array *filter)
{
  const hed_fft back = { .s = x->box };
  hed_array *here = hed__own(y, hed_to(y, hed_get_backend())), *spectrum = here ? hed_keep(hed_rfftn(here, NULL)) : NULL, *out = NULL;
  hed_release(here);
  if (spectrum && hed_multiply_into(spectrum, spectrum, filter) == HED_OK)
    out = hed_keep(hed_irfftn(spectrum, &back));
  hed_release(spectrum);
  hed_array *host = out ? hed__on_host(out) : NULL;
  hed_release(out);
  return host;
}

/* FILTER over the box, in the current space; *MADE, if wanted, on the host. */
static hed_array *filter_over(const extended *x, const hed_match_filter *filter, hed_array **made)
{
  hed_array *host = hed_match_filter_make(filter, x->box);
  hed_array *here = host ? hed__own(host, hed_to(host, hed_get_backend())) : NULL;
  if (made)
    *made = host ? hed_retain(host) : NULL;
  hed_release(host);
  return here;
}

/* Padding in Y becomes the mean of what is known near it, under the narrowest of some Gaussians that has enough. */
static hed_status fill(const extended *x, const uint8_t *fixed, hed_array *y)
{
  static const double widths[] = { 1.5, 4, 12 };
  const double enough = 0.02;
  const size_t n = cells_of(x);
  float *v = hed_array_data(y);
  hed_array *weight = hed__host_empty(x->box, HED_FLOAT32), *source = weight ? hed__host_empty(x->box, HED_FLOAT32) : NULL;
  uint8_t *filled = malloc(n);
  hed_status status = source && filled ? HED_OK : source ? hed_fail(HED_E_NOMEM, "%s: no memory to fill padding", op) : hed_error();
  for (size_t i = 0; status == HED_OK && i < n; i++) {
    ((float *)hed_array_data(weight))[i] = fixed[i];
    ((float *)hed_array_data(source))[i] = v[i];
    filled[i] = fixed[i];
  }
  for (size_t k = 0; k < sizeof widths / sizeof widths[0] && status == HED_OK; k++) {
    /* half passes at 1 / low_pass: the transform of a Gaussian */
    const hed_match_filter gaussian = { .low_pass = widths[k] * 3.14159265358979323846 * sqrt(2 / 0.69314718055994530942) };
    hed_array *filter = filter_over(x, &gaussian, NULL), *w = filter ? through(x, weight, filter) : NULL;
    hed_array *s = w ? through(x, source, filter) : NULL;
    status = s ? HED_OK : hed_error();
    const float *ws = s ? hed_array_data(w) : NULL, *ss = s ? hed_array_data(s) : NULL;
    for (int64_t z = 0; s && z < x->n[0]; z++)
      for (int64_t r = 0; r < x->n[1]; r++)
        for (int64_t i = row_of(x, z, r); i < row_of(x, z, r) + x->n[2]; i++)
          if (!filled[i] && (double)ws[i] > enough) {
            v[i] = ss[i] / ws[i];
            filled[i] = 1;
          }
    hed_release(filter);
    hed_release(w);
    hed_release(s);
  }
  free(filled);
  hed_release(weight);
  hed_release(source);
  return status;
}

/* Sum of A B in double precision, in an order that no machine changes. */
static double dot(const float *a, const float *b, size_t n)
{
  enum { LANES = 16 };
  double lane[LANES] = { 0 }, sum = 0;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (size_t k = 0; k < LANES; k++)
      lane[k] += (double)a[i + k] * (double)b[i + k];
  for (; i < n; i++)
    sum += (double)a[i] * (double)b[i];
  for (size_t k = 0; k < LANES; k++)
    sum += lane[k];
  return sum;
}

static void keep_unknown(float *v, const uint8_t *fixed, size_t n)
{
  for (size_t i = 0; i < n; i++)
    v[i] = fixed[i] ? 0 : v[i];
}

/* What is not FIXED of Y, moved towards the least |FILTER Y|^2. */
static hed_status settle(const extended *x, const uint8_t *fixed, const hed_array *filter, hed_array *y)
{
  const size_t n = cells_of(x);
  float *v = hed_array_data(y);
  hed_array *squared = hed_keep(hed_square(filter)), *r = squared ? through(x, y, squared) : NULL;
  hed_array *d = r ? hed__host_empty(x->box, HED_FLOAT32) : NULL;
  hed_status status = d ? HED_OK : hed_error();
  float *rest = d ? hed_array_data(r) : NULL, *way = d ? hed_array_data(d) : NULL;
  if (d) {
    keep_unknown(rest, fixed, n);
    for (size_t i = 0; i < n; i++)
      way[i] = rest[i] = -rest[i];
  }
  double size = d ? dot(rest, rest, n) : 0;
  for (int step = 0; step < STEPS && size > 0 && status == HED_OK; step++) {
    hed_array *bent = through(x, d, squared);
    float *q = bent ? hed_array_data(bent) : NULL;
    const double curvature = bent ? dot(way, q, n) : 0;
    status = bent ? HED_OK : hed_error();
    if (curvature > 0) {
      const float far = (float)(size / curvature);
      keep_unknown(q, fixed, n);
      for (size_t i = 0; i < n; i++) {
        v[i] += far * way[i];
        rest[i] -= far * q[i];
      }
      const double left = dot(rest, rest, n);
      const float again = (float)(left / size);
      for (size_t i = 0; i < n; i++)
        way[i] = rest[i] + again * way[i];
      size = left;
    } else
      size = 0;
    hed_release(bent);
  }
  hed_release(squared);
  hed_release(r);
  hed_release(d);
  return status;
}

/* The target's extents out of the filtered box, in the current space. */
static hed_array *cut_out(const extended *x, const hed_array *y)
{
  hed_slice_range inside[3];
  for (int i = 0; i < x->ndim; i++) {
    const int a = 3 - x->ndim + i;
    inside[i] = HED_RANGE(x->at[a], x->at[a] + x->n[a], 1);
  }
  hed_array *view = hed_keep(hed_slice(y, x->ndim, inside)), *piece = view ? hed_keep(hed_copy(view)) : NULL;
  hed_array *out = piece ? hed__own(piece, hed_to(piece, hed_get_backend())) : NULL;
  hed_release(view);
  hed_release(piece);
  return out;
}

/* The product of spectra as it is, round the faces, filled up with the mean. */
static hed_array *wrapped(const extended *x, const hed_array *f, const hed_array *filter)
{
  const hed_fft back = { .s = x->box };
  double sum;
  hed_array *padded = NULL, *spectrum = NULL, *passed = NULL, *out = NULL;
  if (hed__total(f, &sum) == HED_OK)
    padded = hed_keep(hed_topleft_pad(f, x->box, sum / (double)hed_array_size(f)));
  if (padded)
    spectrum = hed_keep(hed_rfftn(padded, NULL));
  hed_release(padded);
  if (spectrum && hed_multiply_into(spectrum, spectrum, filter) == HED_OK)
    passed = hed_keep(hed_irfftn(spectrum, &back));
  hed_release(spectrum);
  if (passed)
    out = cut_out(x, passed);
  hed_release(passed);
  return out;
}

/* STEPS: values beyond the faces are worth them. */
static hed_array *continued(const extended *x, const hed_array *f, const uint8_t *known, bool steps, const hed_array *filter)
{
  hed_array *host = hed__on_host(f), *y = host ? hed__host_empty(x->box, HED_FLOAT32) : NULL, *passed = NULL, *out = NULL;
  uint8_t *fixed = y ? malloc(cells_of(x)) : NULL;
  hed_status status = fixed ? HED_OK : y ? hed_fail(HED_E_NOMEM, "%s: no memory to filter %zu voxels", op, cells_of(x)) : hed_error();
  if (status == HED_OK)
    place(x, hed_array_data(host), known, hed_array_data(y), fixed);
  hed_release(host);
  if (status == HED_OK && known)
    status = fill(x, fixed, y);
  for (int a = 0; a < 3 && status == HED_OK; a++)
    continue_axis(x, a, hed_array_data(y));
  if (status == HED_OK && (known || steps))
    status = settle(x, fixed, filter, y);
  if (status == HED_OK)
    passed = through(x, y, filter);
  hed_release(y);
  free(fixed);
  if (passed)
    out = cut_out(x, passed);
  hed_release(passed);
  return out;
}

hed_array *hed__apply_filter(hed_array *f, const uint8_t *known, int32_t faces, const hed_match_filter *filter, hed_array **made)
{
  hed_array *here = NULL, *out = NULL;
  extended x;
  if (!f || !filter)
    return f;
  const bool wrap = faces == HED_FACES_WRAP || filter->given; /* whose shape says the box */
  if (extend(hed_array_shape(f), wrap, &x) == HED_OK && (here = filter_over(&x, filter, made)) != NULL)
    out = wrap ? wrapped(&x, f, here) : continued(&x, f, known, faces != HED_FACES_QUICK && filter->profile, here);
  hed_release(here);
  hed_release(f);
  return out;
}

double hed__apply_filter_memory(hed_shape target, int32_t faces)
{
  extended x;
  double n = 1;
  if (extend(target, faces == HED_FACES_WRAP, &x) != HED_OK)
    return 0;
  for (int i = 0; i < 3; i++)
    n *= (double)x.e[i];
  return faces == HED_FACES_WRAP ? 24 * n : 32 * n;
}
