// SPDX-License-Identifier: BSD-3-Clause
/* Which frequencies a tilt series has sampled, and how well.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/filter/terms.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

hed_status hed__tilt_axes_of(const char *op, const hed_match_filter *f, hed__tilt_axes *axes)
{
  axes->beam = f->beam_axis ? f->beam_axis - 1 : 0;
  axes->tilt = f->tilt_axis ? f->tilt_axis - 1 : 1;
  if (axes->beam < 0 || axes->beam > 2 || axes->tilt < 0 || axes->tilt > 2 || axes->beam == axes->tilt)
    return hed_fail(HED_E_INVAL, "%s: beam_axis %d and tilt_axis %d are not two of 1, 2 and 3", op, (int)f->beam_axis,
                    (int)f->tilt_axis);
  axes->across = 3 - axes->beam - axes->tilt;
  /* in (z, y, x) the steps 0 -> 1 -> 2 -> 0 are z -> y -> x, which is left-handed */
  axes->sign = (axes->beam + 1) % 3 == axes->tilt ? 1 : -1;
  return HED_OK;
}

double hed__wedge_continuous(const hed_match_filter *f, const hed__frequency *k)
{
  const double along = fabs(k->across);
  if (k->beam == 0)
    return 1;
  const double rise = k->across >= 0 ? k->beam : -k->beam;
  return along > 0 && rise >= along * tan(f->tilt_low * pi / 180) && rise <= along * tan(f->tilt_high * pi / 180);
}

/* How much of what tilt I brought is left at k^2. */
static double damping(const hed_match_filter *f, size_t i, double k2)
{
  const double cosine = cos(f->tilts->angle[i] * pi / 180), dose = f->tilts->dose ? f->tilts->dose[i] : 0;
  switch (f->weighting) {
  case HED_WEIGHTING_COSINE: return cosine;
  case HED_WEIGHTING_RELION: return cosine * exp(-4 * dose * k2 / 4);
  case HED_WEIGHTING_GRIGORIEFF: return k2 > 0 ? exp(-dose / (2 * (0.245 * pow(k2, -1.665 / 2) + 2.81))) : 1;
  default: return 1;
  }
}

static double reconstruction(int32_t kind, double nu)
{
  switch (kind) {
  case HED_RECONSTRUCTION_RAM_LAK: return nu;
  case HED_RECONSTRUCTION_SHEPP_LOGAN: return nu > 0 ? 2 / pi * sin(pi * nu / 2) : 0;
  case HED_RECONSTRUCTION_COSINE: return nu * cos(pi * nu / 2);
  case HED_RECONSTRUCTION_HAMMING: return nu * (0.54 + 0.46 * cos(pi * nu));
  default: return 1;
  }
}

double hed__wedge_tilts(const hed_match_filter *f, const hed__tilt_axes *axes, const hed__frequency *k, double edge, double voxel)
{
  const hed_tilts *t = f->tilts;
  const double beside = axes->sign * f->offset[axes->across], above = f->offset[axes->beam];
  double covered = 0, weighted = 0;
  for (size_t i = 0; i < t->n; i++) {
    if (t->use && !t->use[i])
      continue;
    const double s = sin(t->angle[i] * pi / 180), c = cos(t->angle[i] * pi / 180);
    const double w = fmax(0, 1 - fabs(-k->across * s + k->beam * c) * edge);
    if (w == 0)
      continue;
    const double across = k->across * c + k->beam * s, k2 = across * across + k->tilt * k->tilt;
    double v = (t->weight ? t->weight[i] : 1) * damping(f, i, k2) * reconstruction(f->reconstruction, 2 * fabs(across) * voxel);
    if (f->ctf != HED_CTF_NONE)
      v *= hed__contrast_transfer(f, i, k2, atan2(k->tilt, across),
                                  (beside * s + above * c) * (t->handedness < 0 ? -1 : 1));
    covered += w;
    weighted += w * v;
  }
  return covered > 0 ? weighted / covered * fmin(1, covered) : 0;
}

void hed_tilts_clear(hed_tilts *t)
{
  if (!t)
    return;
  free(t->angle);
  free(t->dose);
  free(t->defocus_u);
  free(t->defocus_v);
  free(t->astigmatism);
  free(t->phase_shift);
  free(t->weight);
  free(t->use);
  memset(t, 0, sizeof *t);
}
