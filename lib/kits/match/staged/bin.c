// SPDX-License-Identifier: BSD-3-Clause
/* Arrays binned by two along each axis, and what goes with them.
 *
 * Layer: L4, match kit. Binned voxel j of a target stands for 2 j + 1/2. Of a template the middle stays where turns are about: where
 * its extent is odd, that is a voxel, and bins are a whole voxel and the halves of its neighbours.
 */
#include "kits/match/staged/bin.h"
#include "kits/match/run/job.h"
#include <math.h>
#include <stdlib.h>

/* Voxels of a bin J along an axis of N, and their weights: two, or three with halves. */
static int bin_of(int64_t n, int64_t j, bool centred, int64_t at[3], double weight[3])
{
  const int64_t bins = (n + 1) / 2;
  if (centred && n % 2) {
    const int64_t middle = (n - 1) / 2 + 2 * j - (bins - 1);
    for (int k = 0; k < 3; k++) {
      at[k] = middle + k - 1;
      weight[k] = k == 1 ? 0.5 : 0.25;
    }
    return 3;
  }
  for (int k = 0; k < 2; k++) {
    at[k] = 2 * j + k;
    weight[k] = 0.5;
  }
  return 2;
}

/* One axis of extent N with INNER values to each: bins of V into OUT, OUTER times. */
static void bin_axis(const float *v, float *out, int64_t outer, int64_t n, int64_t inner, bool centred)
{
  const int64_t bins = (n + 1) / 2;
  for (int64_t o = 0; o < outer; o++)
    for (int64_t j = 0; j < bins; j++) {
      int64_t at[3];
      double weight[3];
      const int some = bin_of(n, j, centred, at, weight);
      float *to = out + (o * bins + j) * inner;
      const bool half = !centred && at[1] >= n; /* the last of an odd number */
      for (int64_t i = 0; i < inner; i++)
        to[i] = 0;
      for (int k = 0; k < some; k++) {
        const float w = half ? 1 : (float)weight[k];
        for (int64_t i = 0; i < inner && at[k] >= 0 && at[k] < n; i++)
          to[i] += w * v[(o * n + at[k]) * inner + i];
      }
    }
}

hed_array *hed__binned(const char *op, const hed_array *x, bool centred)
{
  hed_array *single = hed__checked(op, "array to bin", x), *out = NULL;
  hed_shape s = hed_array_shape(x);
  float *v = single ? hed__to_malloc(single) : NULL, *w = NULL;
  hed_release(single);
  for (int axis = 0; v && axis < s.ndim; axis++) {
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < s.ndim; i++)
      *(i < axis ? &outer : &inner) *= i == axis ? 1 : s.dim[i];
    const int64_t n = s.dim[axis];
    s.dim[axis] = (n + 1) / 2;
    if (!(w = malloc((size_t)(outer * s.dim[axis] * inner) * sizeof *w)))
      (void)hed_fail(HED_E_NOMEM, "%s: no memory for %lld voxels", op, (long long)(outer * s.dim[axis] * inner));
    else
      bin_axis(v, w, outer, n, inner, centred);
    free(v);
    v = w;
  }
  if (v && (out = hed__host_empty(s, HED_FLOAT32))) {
    float *to = hed_array_data(out);
    for (int64_t i = 0; i < hed_array_size(out); i++)
      to[i] = v[i];
  }
  free(v);
  return out;
}

int64_t hed__unbinned_place(int64_t n, int64_t j)
{
  return 2 * j + (n % 2 == 0 && n / 2 % 2 == 1);
}

/* The values of PROFILE at frequencies up to half of its last. */
static hed_array *half_profile(const hed_array *profile)
{
  hed_array *single = hed_astype(profile, HED_FLOAT32);
  const int64_t n = hed_array_size(profile), m = (n + 1) / 2;
  float *v = single ? hed__to_malloc(single) : NULL;
  hed_array *out = v ? hed__host_empty(HED_SHAPE(m), HED_FLOAT32) : NULL;
  float *to = out ? hed_array_data(out) : NULL;
  for (int64_t i = 0; to && i < m; i++) {
    const double at = m > 1 ? (double)i * (double)(n - 1) / 2 / (double)(m - 1) : 0;
    const int64_t k = (int64_t)fmin(floor(at), (double)n - 1), next = k + 1 < n ? k + 1 : k;
    to[i] = (float)(v[k] + (at - (double)k) * ((double)v[next] - v[k]));
  }
  hed_release(single);
  free(v);
  return out;
}

bool hed__filter_binned(const hed_match_filter *f, hed_match_filter *out, hed_array **profile)
{
  *out = *f;
  *profile = NULL;
  if (f->given)
    return false;
  for (int i = 0; i < 3; i++)
    out->voxel[i] = 2 * (f->voxel[i] > 0 ? f->voxel[i] : 1);
  if (f->profile && !(*profile = half_profile(f->profile)))
    return false;
  out->profile = *profile;
  return true;
}

/* G in its mask M, less its mean there; the caller's. */
static hed_array *inside_mask(const hed_array *g, const hed_array *m)
{
  double n, first;
  hed_array *x = hed_multiply(g, m), *out = NULL;
  if (x && hed__total(x, &first) == HED_OK && hed__total(m, &n) == HED_OK)
    out = hed_subtract_scalar(g, first / n);
  hed_release(x);
  if (out && hed_multiply_into(out, out, m) == HED_OK)
    return out;
  hed_release(out);
  return NULL;
}

hed_status hed__binning_loss(const hed_array *tmpl, const hed_array *mask, const hed_array *filter, double *loss)
{
  const hed_shape s = hed_array_shape(tmpl);
  const hed_fft back = { .s = s };
  hed_array *passed = NULL, *spectrum = NULL, *size = NULL;
  double all = 0, lost = 0;
  if (filter && (spectrum = hed_rfftn(tmpl, NULL)) && hed_multiply_into(spectrum, spectrum, filter) == HED_OK)
    passed = hed_irfftn(spectrum, &back);
  hed_release(spectrum);
  hed_array *g = passed || !filter ? inside_mask(passed ? passed : tmpl, mask) : NULL;
  spectrum = g ? hed_rfftn(g, NULL) : NULL;
  size = spectrum ? hed_abs(spectrum) : NULL;
  float *v = size ? hed__to_malloc(size) : NULL;
  const hed_status status = v ? HED_OK : hed_error();
  for (int64_t i = 0; v && i < hed_array_size(size); i++) {
    bool beyond = false;
    int64_t k = i;
    double twice = 2;
    for (int a = s.ndim - 1; a >= 0; a--) {
      const int64_t n = a == s.ndim - 1 ? s.dim[a] / 2 + 1 : s.dim[a], at = k % n, f = at <= s.dim[a] / 2 ? at : s.dim[a] - at;
      if (a == s.ndim - 1)
        twice = at == 0 || 2 * at == s.dim[a] ? 1 : 2;
      beyond = beyond || 4 * f > s.dim[a];
      k /= n;
    }
    all += twice * v[i] * v[i];
    lost += beyond ? twice * v[i] * v[i] : 0;
  }
  *loss = all > 0 ? lost / all : 1;
  hed_release(passed);
  hed_release(g);
  hed_release(spectrum);
  hed_release(size);
  free(v);
  return status;
}
