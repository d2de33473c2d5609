// SPDX-License-Identifier: BSD-3-Clause
/* The contrast transfer function.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/filter/terms.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

/* Angstrom; relativistic, constants of CODATA 2018. */
static double wavelength(double kilovolt)
{
  const double h = 6.62607015e-34, m = 9.1093837015e-31, e = 1.602176634e-19, c = 299792458, u = 1e3 * kilovolt;
  return 1e10 * h / sqrt(2 * m * e * u * (1 + e * u / (2 * m * c * c)));
}

double hed__contrast_transfer(const hed_match_filter *f, size_t i, double k2, double azimuth, double defocus_shift)
{
  const hed_tilts *t = f->tilts;
  const double lambda = wavelength(t->kilovolt > 0 ? t->kilovolt : 300), cs = 1e7 * (t->cs_mm > 0 ? t->cs_mm : 2.7);
  const double a = t->amplitude_contrast > 0 ? t->amplitude_contrast : 0.07;
  const double u = t->defocus_u[i] + defocus_shift, v = (t->defocus_v ? t->defocus_v[i] : t->defocus_u[i]) + defocus_shift;
  const double angle = t->astigmatism ? t->astigmatism[i] * pi / 180 : 0;
  const double defocus = (u + v) / 2 + (u - v) / 2 * cos(2 * (azimuth - angle));
  const double c = sin(pi * lambda * k2 * (defocus - cs * lambda * lambda * k2 / 2) + (t->phase_shift ? t->phase_shift[i] : 0) +
                       atan(a / sqrt(1 - a * a)));
  switch (f->ctf) {
  case HED_CTF_FLIP: return fabs(c);
  case HED_CTF_WIENER: return c / (c * c + exp(f->wiener_falloff * k2 / 4));
  default: return c;
  }
}
