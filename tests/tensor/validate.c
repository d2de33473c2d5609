// SPDX-License-Identifier: BSD-3-Clause
/* What speaks for a decomposition: congruences, halves, data less a sample, residuals and shares, on planted factors with and without
 * noise and against sums over all elements.
 */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/tensor_validate.h>

static hed_dtype type;

static hed_cp planted(void)
{
  static const double a[3] = { 0.9, 1.3, 0.7 };
  static const int64_t n[3] = { 8, 5, 4 };
  hed_cp c = { .order = 3, .rank = 2 };
  for (int k = 0; k < 3; k++)
    c.factor[k] = tensor_wave(HED_SHAPE(n[k], 2), a[k], type);
  return c;
}

/* C's tensor and SIZE times other waves about their mean. */
static hed_array *with_noise(const hed_cp *c, double size)
{
  hed_array *x = hed_cp_full(c), *noise = tensor_wave(HED_SHAPE(8, 5, 4), 1.7, type), *out = NULL;
  HED_SCOPE out = hed_keep(hed_add(x, hed_multiply_scalar(hed_subtract_scalar(noise, 0.5), size)));
  RELEASE(x, noise);
  return out;
}

static void tables(void)
{
  hed_array *a = hed_from_doubles((double[]){ 3, 0, 4, 0, 0, 0 }, HED_SHAPE(3, 2), type);
  hed_array *b = hed_from_doubles((double[]){ 1, 3, 0, 4, 0, 0 }, HED_SHAPE(3, 2), type), *wrong = hed_ones(HED_SHAPE(2, 2), type);
  hed_array *t = hed_congruence_table(a, b);
  double v[4] = { 0 };
  const double want[4] = { 0.6, 1, 0, 0 }; /* (3, 4, 0) with (1, 0, 0) and (3, 4, 0); zeros with anything */
  bool good = t && hed_tolist(t, v, 4) == HED_OK;
  for (int i = 0; i < 4; i++)
    good = good && fabs(v[i] - want[i]) < 1e-6;
  if (!ok(good, "cosines of columns"))
    diag("%g %g %g %g; %s", v[0], v[1], v[2], v[3], hed_error_text());
  ok(!hed_congruence_table(a, wrong), "3 rows with 2");
  hed_release(t);
  hed_cp one = { .order = 2, .rank = 2, .factor = { a, a } }, other = { .order = 2, .rank = 2, .factor = { b, b } };
  t = hed_cp_congruence_table(&one, &other);
  good = t && hed_tolist(t, v, 4) == HED_OK && fabs(v[0] - 0.36) < 1e-6 && fabs(v[2]) < 1e-6;
  ok(good, "congruence coefficients are products of these");
  hed_array *all[] = { a, b, wrong, t };
  for (int i = 0; i < 4; i++)
    hed_release(all[i]);
}

static void halves(void)
{
  hed_cp c = planted(), first = { 0 }, second = { 0 };
  hed_array *x = with_noise(&c, 0.01);
  double two[2] = { 0 }, three[3] = { 0 };
  const hed_cp_options o = { .random = { .seed = 1, .seeded = true }, .sweeps = { .max = 300 } };
  hed_status status = hed_cp_split_half(x, 2, 0, &o, two, &first, &second);
  if (!ok(status == HED_OK && fmin(two[0], two[1]) > 0.99 && hed_array_shape(first.factor[0]).dim[0] == 4,
          "halves agree in two components"))
    diag("%g %g; %s", two[0], two[1], hed_error_text());
  status = hed_cp_split_half(x, 3, 0, &o, three, NULL, NULL);
  if (!ok(status == HED_OK && fmin(three[0], fmin(three[1], three[2])) < 0.9, "in a third, of noise, they do not"))
    diag("%g %g %g; %s", three[0], three[1], three[2], hed_error_text());
  is_int(hed_cp_split_half(x, 2, 5, &o, two, NULL, NULL), HED_E_AXIS, "mode 5 of 3");
  is_int(hed_cp_split_half(x, 2, 0, &(hed_cp_options){ .start = &c }, two, NULL, NULL), HED_E_INVAL, "a start has the whole's shape");
  hed_cp_clear(&first);
  hed_cp_clear(&second);
  hed_cp_clear(&c);
  hed_release(x);
}

/* The standard error grows as the noise does, and is none where there is none. */
static void knives(void)
{
  hed_cp c = planted();
  double size[3] = { 0 };
  const hed_cp_options o = { .sweeps = { .max = 400, .tol = 1e-12 } };
  static const double noise[3] = { 0, 0.01, 0.02 };
  for (int i = 0; i < 3; i++) {
    hed_array *x = with_noise(&c, noise[i]), *out[3] = { NULL };
    hed_cp fit = { 0 };
    const hed_cp_options from = { .sweeps = o.sweeps, .start = &c };
    hed_status status = hed_cp_als(x, 2, &from, &fit, NULL);
    if (status == HED_OK)
      status = hed_cp_jackknife(x, &fit, 0, &o, out);
    if (!ok(status == HED_OK && !out[0] && out[1] && hed_array_shape(out[1]).dim[0] == 5, "noise %g: errors of two modes", noise[i]))
      diag("%s", hed_error_text());
    double complex *v = status == HED_OK ? tensor_elements(out[1]) : calloc(10, sizeof *v);
    for (int k = 0; k < 10; k++)
      size[i] += creal(v[k]) * creal(v[k]);
    size[i] = sqrt(size[i] / 10);
    free(v);
    RELEASE(out[1], out[2]);
    hed_cp_clear(&fit);
    hed_release(x);
  }
  if (!ok(size[0] < 1e-4 && size[1] > 1e-4 && size[2] > 1.6 * size[1] && size[2] < 2.5 * size[1], "twice the noise, twice the errors"))
    diag("%g %g %g", size[0], size[1], size[2]);
  hed_cp_clear(&c);
}

static void shares(void)
{
  hed_cp c = planted();
  hed_array *x = with_noise(&c, 0.3), *full = hed_cp_full(&c), *mask = NULL;
  HED_SCOPE mask = hed_keep(hed_not_equal_scalar(hed_reshape(hed_arange_int(0, 160, 1, HED_INT64), HED_SHAPE(8, 5, 4)), 7));
  double complex *v = tensor_elements(x), *f = tensor_elements(full);
  double want[5] = { 0 }, squares = 0, all = 0, alone[2] = { 0 }, unique[2] = { 0 }, got[5] = { 0 };
  double lone[2] = { 0 };
  for (int r = 0; r < 2; r++) { /* component r by itself */
    hed_cp one = c;
    HED_SCOPE {
      one.weights = hed_from_doubles((double[]){ r == 0, r == 1 }, HED_SHAPE(2), type);
      hed_array *part = hed_cp_full(&one);
      double complex *p = tensor_elements(part);
      for (int i = 0; i < 160; i++)
        lone[r] += pow(creal(v[i] - p[i]), 2);
      free(p);
    }
  }
  for (int i = 0; i < 160; i++) {
    const double off = pow(creal(v[i] - f[i]), 2);
    want[i / 4 % 5] += i == 7 ? 0 : off;
    all += off;
    squares += pow(creal(v[i]), 2);
  }
  hed_array *left = hed_cp_residuals(&c, x, mask, 1);
  bool good = left && hed_tolist(left, got, 5) == HED_OK;
  for (int k = 0; k < 5; k++)
    good = good && fabs(got[k] - want[k]) < 1e-5 * want[k];
  if (!ok(good, "residuals of each slice, less one that is masked"))
    diag("%g %g, not %g %g; %s", got[0], got[1], want[0], want[1], hed_error_text());
  good = hed_cp_explained(&c, x, NULL, alone, unique) == HED_OK;
  for (int r = 0; r < 2; r++)
    good = good && fabs(alone[r] - (1 - lone[r] / squares)) < 1e-5 && fabs(unique[r] - (lone[1 - r] - all) / squares) < 1e-5;
  if (!ok(good, "what a component explains alone, and what nothing else does"))
    diag("%g %g, %g %g; %s", alone[0], alone[1], unique[0], unique[1], hed_error_text());
  ok(!hed_cp_residuals(&c, x, NULL, 3), "mode 3 of 3");
  is_int(hed_cp_explained(&c, mask, mask, alone, NULL), HED_OK, "a mask as data");
  hed_array *held[] = { left, x, full, mask };
  for (int i = 0; i < 4; i++)
    hed_release(held[i]);
  hed_cp_clear(&c);
  free(v);
  free(f);
}

static void everything(gen *g, const char *backend)
{
  (void)g;
  if (!is_backend(backend, "cpu") && !full_run()) { /* others: plain loops, and delays that add up */
    type = HED_FLOAT32;
    tables();
    shares();
    return;
  }
  type = hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
  tables();
  halves();
  knives();
  shares();
}

int main(void)
{
  on_backends(everything);
  done_testing();
  return done();
}
