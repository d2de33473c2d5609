// SPDX-License-Identifier: BSD-3-Clause
/* Scattered light in excitation-emission data: where it is by the lines' own formulas, what takes its place, and that a decomposition
 * of what is left finds the planted components.
 */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/tensor_eem.h>
#include <heddle/kits/tensor_metrics.h>

static hed_dtype type;

enum { EM = 12, EX = 5, SAMPLES = 3 };
/* Unequal steps. The line of second order is beyond the last for the last excitation, that of first before the first for the first. */
static const double em[EM] = { 290, 300, 310, 325, 345, 360, 397, 410, 500, 520, 700, 720 }, ex[EX] = { 250, 290, 310, 350, 365 };

static hed_array *axis(const double *v, int64_t n) { return hed_from_doubles(v, HED_SHAPE(n), type); }

/* One band at a time, against the places that were found by hand: Raman scatter of water by 350 nm is at 397 nm (3382 1/cm), by 310 nm
 * at 346.3 nm, and with 3600 1/cm at 400.5 and 348.9. */
static void bands(void)
{
  static const struct { hed_eem_options o; const char *want[EX]; } rows[] = {
    { { .rayleigh = 10 }, { "", "0 1", "1 2", "4 5", "5" } },
    { { .rayleigh_second = 20 }, { "8 9", "", "", "10 11", "11" } },
    { { .raman = 2, .raman_shift = 3382 }, { "", "", "4", "6", "" } },
    { { .raman = 2, .raman_shift = 3600 }, { "", "3", "", "", "" } },
    { { .raman = 5, .raman_shift = 3600 }, { "", "3", "4", "6", "" } },
    { { .raman_second = 10 }, { "", "", "10", "", "" } },
    { { .rayleigh = 5, .raman = 2, .raman_shift = 3382 }, { "", "0", "2 4", "4 6", "5" } },
  };
  hed_array *m = axis(em, EM), *x = axis(ex, EX);
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    hed_array *got = hed_eem_scatter(m, x, &rows[r].o);
    double v[EM * EX] = { 0 };
    bool good = got && hed_array_dtype(got) == HED_BOOL && hed_tolist(got, v, EM * EX) == HED_OK;
    for (int k = 0; k < EX && good; k++) {
      char text[80] = "";
      for (int i = 0; i < EM; i++)
        if (v[i * EX + k] != 0)
          snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", *text ? " " : "", i);
      good = strcmp(text, rows[r].want[k]) == 0;
      if (!good)
        diag("excitation %g: '%s', not '%s'", ex[k], text, rows[r].want[k]);
    }
    if (!ok(good, "bands of row %zu", r))
      diag("%s", hed_error_text());
    hed_release(got);
  }
  RELEASE(m, x);
}

/* Straight along the emissions, scatter far above it: a line between neighbours gives it back, at the ends the next value stays. */
static void fills(const hed_eem_options *bands_of, int em_axis, int ex_axis)
{
  hed_shape s = HED_SHAPE(SAMPLES, SAMPLES, SAMPLES);
  s.dim[em_axis] = EM;
  s.dim[ex_axis] = EX;
  double complex v[SAMPLES * EM * EX], *got;
  bool in[SAMPLES * EM * EX];
  double want[SAMPLES * EM * EX];
  hed_array *m = axis(em, EM), *x = axis(ex, EX), *scatter = hed_eem_scatter(m, x, bands_of);
  double places[EM * EX] = { 0 };
  if (!scatter || hed_tolist(scatter, places, EM * EX) != HED_OK)
    bail("scatter: %s", hed_error_text());
  for (int i = 0; i < SAMPLES * EM * EX; i++) {
    int64_t at[HED_MAX_NDIM];
    tensor_place(s, i, at);
    const int64_t e = at[em_axis], k = at[ex_axis];
    const double slope = 1 + (double)(at[0] + at[1] + at[2] - e);
    in[i] = places[e * EX + k] != 0;
    int64_t low = e, high = e; /* a run that reaches an end has its one neighbour's value */
    while (low >= 0 && places[low * EX + k] != 0)
      low--;
    while (high < EM && places[high * EX + k] != 0)
      high++;
    want[i] = slope * (low < 0 ? em[high] : high == EM ? em[low] : em[e]);
    v[i] = in[i] ? 1e6 : slope * em[e];
  }
  hed_array *data = tensor_array(v, s, type);
  hed_eem_options o = *bands_of;
  for (int fill = HED_EEM_MASK; fill <= HED_EEM_INTERPOLATE; fill++) {
    o.fill = (hed_eem_fill)fill;
    hed_array *out = hed_eem_remove_scatter(data, m, em_axis, x, ex_axis - 3, &o);
    bool good = out != NULL && hed_array_dtype(out) == type;
    got = good ? tensor_elements(out) : calloc(SAMPLES * EM * EX, sizeof *got);
    for (int i = 0; i < SAMPLES * EM * EX && good; i++) {
      const double is = creal(got[i]);
      good = !in[i] ? is == creal(v[i]) : fill == HED_EEM_MASK ? isnan(is) : fill == HED_EEM_ZERO ? is == 0
           : fabs(is - want[i]) < 4 * (type == HED_FLOAT64 ? 2.3e-16 : 1.2e-7) * want[i]; /* a difference, a product, a sum */
      if (!good)
        diag("element %d: %.10g, not %.10g", i, is, want[i]);
    }
    if (!ok(good, "axes %d and %d, fill %d", em_axis, ex_axis, fill))
      diag("%s", hed_error_text());
    free(got);
    hed_release(out);
  }
  hed_array *all[] = { data, scatter, m, x };
  for (int i = 0; i < 4; i++)
    hed_release(all[i]);
}

/* Two planted fluorophores under Rayleigh scatter, which all but hides them: what is not scatter finds them. */
static void decomposed(void)
{
  enum { N = 8, M = 30, X = 12 };
  double emission[M], excitation[X], a[N * 2], b[M * 2], c[X * 2];
  double complex v[N * M * X];
  for (int i = 0; i < M; i++)
    emission[i] = 300 + 8 * i;
  for (int i = 0; i < X; i++)
    excitation[i] = 260 + 12 * i;
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < N; i++)
      a[2 * i + r] = 1 + 0.7 * sin(1.1 * i + 2 * r);
    for (int i = 0; i < M; i++)
      b[2 * i + r] = exp(-pow((emission[i] - (r ? 460 : 380)) / 40, 2));
    for (int i = 0; i < X; i++)
      c[2 * i + r] = exp(-pow((excitation[i] - (r ? 350 : 300)) / 30, 2));
  }
  for (int i = 0; i < N * M * X; i++) {
    const int s = i / (M * X), m = i / X % M, x = i % X;
    v[i] = a[2 * s] * b[2 * m] * c[2 * x] + a[2 * s + 1] * b[2 * m + 1] * c[2 * x + 1] +
           20 * (1 + s) * exp(-pow((emission[m] - excitation[x]) / 5, 2));
  }
  hed_array *data = tensor_array(v, HED_SHAPE(N, M, X), type), *em_ = axis(emission, M), *ex_ = axis(excitation, X);
  hed_array *planted = hed_from_doubles(b, HED_SHAPE(M, 2), type);
  double score[2] = { 0 };
  for (int k = 0; k < 2; k++) {
    hed_array *x = k ? hed_eem_remove_scatter(data, em_, 1, ex_, 2, &(hed_eem_options){ .rayleigh = 20 }) : hed_retain(data);
    hed_cp fit = { 0 };
    const hed_cp_options o = { .nan_is_missing = true, .sweeps = { .max = 500 } };
    if (x && hed_cp_als(x, 2, &o, &fit, NULL) == HED_OK)
      (void)hed_congruence(fit.factor[1], planted, false, &score[k], NULL);
    hed_cp_clear(&fit);
    hed_release(x);
  }
  if (!ok(score[0] < 0.9 && score[1] > 0.999, "emission spectra are found where scatter is out, and not where it is not"))
    diag("%g and %g; %s", score[0], score[1], hed_error_text());
  hed_array *all[] = { data, em_, ex_, planted };
  for (int i = 0; i < 4; i++)
    hed_release(all[i]);
}

static void refused(const char *words, hed_array *got, hed_status status)
{
  if (!ok(!got && hed_error() == status && strstr(hed_error_text(), words), "refused: %s", words))
    diag("%s", hed_error_text());
  hed_release(got);
}

static void errors(void)
{
  static const double falls[3] = { 300, 320, 310 }, metres[2] = { 3e-7, 4e-7 };
  const hed_eem_options o = { .rayleigh = 10 };
  HED_SCOPE {
    hed_array *m = axis(em, EM), *x = axis(ex, EX), *data = hed_ones(HED_SHAPE(2, EM, EX), type);
    refused("emission[2] is 310 after 320", hed_eem_scatter(axis(falls, 3), x, &o), HED_E_INVAL);
    refused("excitation[0] is 3e-07; wavelengths in nm", hed_eem_scatter(m, axis(metres, 2), &o), HED_E_INVAL);
    refused("rayleigh is 215, a band of 430 nm; the emissions reach over 430 nm",
            hed_eem_scatter(m, x, &(hed_eem_options){ .rayleigh = 215 }), HED_E_INVAL);
    refused("raman is -1", hed_eem_scatter(m, x, &(hed_eem_options){ .raman = -1 }), HED_E_INVAL);
    refused("rayleigh_second is nan", hed_eem_scatter(m, x, &(hed_eem_options){ .rayleigh_second = NAN }), HED_E_INVAL);
    refused("are all 0", hed_eem_scatter(m, x, &(hed_eem_options){ .raman_shift = 3400 }), HED_E_INVAL);
    refused("raman_shift is 0.34", hed_eem_scatter(m, x, &(hed_eem_options){ .raman = 5, .raman_shift = 0.34 }), HED_E_INVAL);
    refused("fill is 3", hed_eem_scatter(m, x, &(hed_eem_options){ .raman = 5, .fill = (hed_eem_fill)3 }), HED_E_INVAL);
    refused("opt is NULL", hed_eem_scatter(m, x, NULL), HED_E_INVAL);
    refused("emission has shape (2, 12, 5)", hed_eem_scatter(data, x, &o), HED_E_SHAPE);
    refused("12 wavelengths; axis 2 of x has 5", hed_eem_remove_scatter(data, m, 2, x, 1, &o), HED_E_SHAPE);
    refused("emission_axis is 3; x has 3", hed_eem_remove_scatter(data, m, 3, x, 1, &o), HED_E_AXIS);
    refused("1 and -2, one axis", hed_eem_remove_scatter(data, m, 1, x, -2, &o), HED_E_INVAL);
    static const double few[4] = { 310, 325, 345, 390 }, one[1] = { 324 }; /* Rayleigh scatter to 348, Raman from 329 on */
    refused("all 4 emissions of excitation 0, 324 nm, are scatter",
            hed_eem_remove_scatter(hed_ones(HED_SHAPE(4, 1), type), axis(few, 4), 0, axis(one, 1), 1,
                                   &(hed_eem_options){ .rayleigh = 24, .raman = 35, .fill = HED_EEM_INTERPOLATE }), HED_E_INVAL);
  }
}

static void everything(gen *g, const char *backend)
{
  (void)g;
  type = hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
  bands();
  fills(&(hed_eem_options){ .rayleigh = 10, .rayleigh_second = 20 }, 1, 2);
  fills(&(hed_eem_options){ .rayleigh = 15, .raman = 4 }, 2, 0);
  if (is_backend(backend, "cpu")) {
    type = HED_FLOAT32;
    fills(&(hed_eem_options){ .rayleigh = 10, .rayleigh_second = 20 }, 0, 1);
    type = HED_FLOAT64;
    decomposed();
    errors();
  }
}

int main(void)
{
  on_backends(everything);
  done_testing();
  return done();
}
