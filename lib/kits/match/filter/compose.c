// SPDX-License-Identifier: BSD-3-Clause
/* A filter's terms, multiplied over the half spectrum of a box.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/filter/terms.h"
#include "kits/match/files/fileio.h"
#include "kits/match/run/job.h"
#include "kits/member.h"
#include <math.h>
#include <stdlib.h>

static const char op[] = "hed_match_filter_make";

/* What is to be made, with everything on the host. */
typedef struct maker {
  const hed_match_filter *f;
  hed__tilt_axes axes;
  int64_t n[3];       /* of the box, padded to three in front */
  double voxel[3];
  float *profile, *given;
  size_t n_profile;
} maker;

static bool finite_all(size_t n, const double *v)
{
  for (size_t i = 0; v && i < n; i++)
    if (!isfinite(v[i]))
      return false;
  return true;
}

static hed_status check_tilts(const hed_match_filter *f)
{
  const hed_tilts *t = f->tilts;
  if (!t || t->n == 0)
    return hed_fail(HED_E_INVAL, "%s: tilts are missing", op);
  if (f->wedge == HED_WEDGE_TILTS && !t->angle)
    return hed_fail(HED_E_INVAL, "%s: the tilts have no angles", op);
  if (f->ctf != HED_CTF_NONE && !t->defocus_u)
    return hed_fail(HED_E_INVAL, "%s: the tilts have no defocus, which contrast transfer needs", op);
  if (!finite_all(t->n, t->angle) || !finite_all(t->n, t->dose) || !finite_all(t->n, t->defocus_u) ||
      !finite_all(t->n, t->defocus_v) || !finite_all(t->n, t->astigmatism) || !finite_all(t->n, t->phase_shift) ||
      !finite_all(t->n, t->weight))
    return hed_fail(HED_E_INVAL, "%s: the tilts have values that are not finite", op);
  for (size_t i = 0; t->angle && i < t->n; i++)
    if (!(fabs(t->angle[i]) < 90))
      return hed_fail(HED_E_INVAL, "%s: tilt %zu is at %g degrees, not between -90 and 90", op, i, t->angle[i]);
  if (!(t->amplitude_contrast >= 0) || !(t->amplitude_contrast < 1) || !(t->kilovolt >= 0) || !(t->cs_mm >= 0))
    return hed_fail(HED_E_INVAL, "%s: amplitude contrast %g, %g kV, Cs %g mm", op, t->amplitude_contrast, t->kilovolt, t->cs_mm);
  return HED_OK;
}

static hed_status check(const hed_match_filter *f, hed_shape box)
{
  if (box.ndim != 2 && box.ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: a box of %d dimensions, not 2 or 3", op, (int)box.ndim);
  for (int i = 0; i < box.ndim; i++)
    if (box.dim[i] < 1)
      return hed_fail(HED_E_SHAPE, "%s: axis %d of the box is empty", op, i);
  for (int i = 0; i < 3; i++)
    if (!(f->voxel[i] >= 0) || !isfinite(f->voxel[i]) || !isfinite(f->offset[i]))
      return hed_fail(HED_E_INVAL, "%s: along axis %d the voxel is %g, the offset %g", op, i, f->voxel[i], f->offset[i]);
  if (!(f->low_pass >= 0) || !(f->high_pass >= 0) || isinf(f->low_pass) || isinf(f->high_pass))
    return hed_fail(HED_E_INVAL, "%s: low_pass %g, high_pass %g angstrom", op, f->low_pass, f->high_pass);
  if (f->low_pass > 0 && f->high_pass > 0 && f->low_pass >= f->high_pass)
    return hed_fail(HED_E_INVAL, "%s: low_pass %g and high_pass %g angstrom leave nothing", op, f->low_pass, f->high_pass);
  if (hed__expect_member(op, "wedge", f->wedge, HED_WEDGE_NONE, HED_WEDGE_TILTS, "hed_wedge") != HED_OK ||
      hed__expect_member(op, "weighting", f->weighting, HED_WEIGHTING_NONE, HED_WEIGHTING_GRIGORIEFF, "hed_weighting") != HED_OK ||
      hed__expect_member(op, "ctf", f->ctf, HED_CTF_NONE, HED_CTF_WIENER, "hed_ctf") != HED_OK ||
      hed__expect_member(op, "reconstruction", f->reconstruction, HED_RECONSTRUCTION_NONE, HED_RECONSTRUCTION_HAMMING,
                     "hed_reconstruction") != HED_OK)
    return hed_error();
  if (f->wedge != HED_WEDGE_NONE && box.ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: a wedge for a box of 2 dimensions", op);
  if (f->wedge == HED_WEDGE_CONTINUOUS && !(f->tilt_low > -90 && f->tilt_low < f->tilt_high && f->tilt_high < 90))
    return hed_fail(HED_E_INVAL, "%s: tilts from %g to %g degrees", op, f->tilt_low, f->tilt_high);
  return f->wedge == HED_WEDGE_TILTS || f->ctf != HED_CTF_NONE ? check_tilts(f) : HED_OK;
}

static hed_status take_arrays(maker *m, hed_shape box)
{
  size_t n = 0;
  hed_status status = HED_OK;
  if (m->f->profile) {
    if (hed_array_ndim(m->f->profile) != 1 || hed_array_size(m->f->profile) < 2)
      return hed_fail(HED_E_SHAPE, "%s: the profile is not 1-D with 2 values or more", op);
    status = hed__host_values(op, m->f->profile, &m->profile, &m->n_profile);
  }
  if (status == HED_OK && m->f->given) {
    hed_shape half = box;
    half.dim[box.ndim - 1] = box.dim[box.ndim - 1] / 2 + 1;
    if ((status = hed__expect_shape(op, "the given filter", hed_array_shape(m->f->given), "the half spectrum", half)) != HED_OK)
      return status;
    status = hed__host_values(op, m->f->given, &m->given, &n);
  }
  for (size_t i = 0; status == HED_OK && i < (m->profile ? m->n_profile : 0); i++)
    if (!isfinite(m->profile[i]))
      return hed_fail(HED_E_INVAL, "%s: value %zu of the profile is not finite", op, i);
  for (size_t i = 0; status == HED_OK && i < n; i++)
    if (!isfinite(m->given[i]))
      return hed_fail(HED_E_INVAL, "%s: value %zu of the given filter is not finite", op, i);
  return status;
}

static double band(const hed_match_filter *f, double k2)
{
  const double low = f->low_pass, high = f->high_pass, half = 0.69314718055994530942, edge = 1e-9; /* of rounding */
  if (f->hard)
    return !(low > 0 && k2 * low * low > 1 + edge) && !(high > 0 && k2 * high * high < 1 - edge);
  return (low > 0 ? exp(-half * k2 * low * low) : 1) * (high > 0 ? 1 - exp(-half * k2 * high * high) : 1);
}

/* S: cycles per voxel. */
static double profile_at(const maker *m, double s)
{
  const double at = s / 0.5 * (double)(m->n_profile - 1);
  if (at >= (double)(m->n_profile - 1))
    return (double)m->profile[m->n_profile - 1];
  const size_t i = (size_t)at;
  return (double)m->profile[i] + (at - (double)i) * ((double)m->profile[i + 1] - (double)m->profile[i]);
}

/* The filter at the element whose frequencies are S cycles per voxel. */
static double value(const maker *m, const double s[3])
{
  const hed_match_filter *f = m->f;
  hed__frequency k;
  double k2 = 0, s2 = 0;
  for (int i = 0; i < 3; i++) {
    k.k[i] = s[i] / m->voxel[i];
    k2 += k.k[i] * k.k[i];
    s2 += s[i] * s[i];
  }
  k.beam = k.k[m->axes.beam];
  k.tilt = k.k[m->axes.tilt];
  k.across = m->axes.sign * k.k[m->axes.across];
  double v = band(f, k2);
  if (m->profile)
    v *= profile_at(m, sqrt(s2));
  if (v == 0)
    return 0;
  if (f->wedge == HED_WEDGE_CONTINUOUS)
    v *= hed__wedge_continuous(f, &k);
  if (f->wedge == HED_WEDGE_TILTS)
    v *= hed__wedge_tilts(f, &m->axes, &k, (double)m->n[m->axes.beam] * m->voxel[m->axes.beam], m->voxel[m->axes.across]);
  else if (f->ctf != HED_CTF_NONE)
    v *= hed__contrast_transfer(f, 0, k2, atan2(k.k[1], k.k[2]), 0);
  return v;
}

/* Where a frequency is Nyquist's, which stands for both signs, the mean of them: H(-k) = H(k) holds there too. */
static double even_value(const maker *m, double s[3])
{
  double sum = 0;
  int n = 0;
  for (int flips = 0; flips < 8; flips++) {
    double k[3];
    bool there = true;
    for (int i = 0; i < 3; i++) {
      there = there && (!(flips >> i & 1) || s[i] == -0.5);
      k[i] = flips >> i & 1 ? -s[i] : s[i];
    }
    sum += there ? value(m, k) : 0;
    n += there;
  }
  return sum / n;
}

/* Cycles per voxel of element I of N; the Nyquist frequency is negative. */
static double cycles(int64_t i, int64_t n)
{
  return (double)(2 * i < n ? i : i - n) / (double)n;
}

hed_array *hed_match_filter_make(const hed_match_filter *f, hed_shape box)
{
  static const hed_match_filter none;
  maker m = { .f = f ? f : &none, .n = { 1, 1, 1 } };
  hed_array *out = NULL;
  float *v = NULL;
  hed_status status = check(m.f, box);
  if (status == HED_OK)
    status = hed__tilt_axes_of(op, m.f, &m.axes);
  if (status == HED_OK)
    status = take_arrays(&m, box);
  if (status != HED_OK)
    goto done;
  for (int i = 0; i < 3; i++) {
    const int a = i - (3 - box.ndim);
    m.n[i] = a >= 0 ? box.dim[a] : 1;
    m.voxel[i] = m.f->voxel[i] > 0 ? m.f->voxel[i] : 1;
  }
  hed_shape half = box;
  half.dim[box.ndim - 1] = box.dim[box.ndim - 1] / 2 + 1;
  if (!(out = hed__host_empty(half, HED_FLOAT32)))
    goto done;
  v = hed_array_data(out);
  size_t i = 0;
  for (int64_t z = 0; z < m.n[0]; z++)
    for (int64_t y = 0; y < m.n[1]; y++)
      for (int64_t x = 0; x <= m.n[2] / 2; x++, i++)
        v[i] = (float)(even_value(&m, (double[3]){ cycles(z, m.n[0]), cycles(y, m.n[1]), cycles(x, m.n[2]) }) *
                       (m.given ? (double)m.given[i] : 1));
done:
  free(m.profile);
  free(m.given);
  return out;
}
