// SPDX-License-Identifier: BSD-3-Clause
/* Scattered light in excitation-emission data.
 *
 * Layer: L4, tensor kit. Bands are found on the host, from wavelengths alone; the data stay where they are.
 */
#include "kits/member.h"
#include "kits/tensor/common.h"
#include <heddle/kits/tensor_eem.h>
#include <math.h>
#include <stdlib.h>

enum { BANDS = 4 };
static const char *const band_names[BANDS] = { "rayleigh", "rayleigh_second", "raman", "raman_second" };
static const double shift_of_water = 3400;

/* Wavelengths of both axes, and where scatter is, in one block. */
typedef struct eem {
  int64_t n_emission, n_excitation;
  double *emission, *excitation;
  bool *scatter; /* (emission, excitation) */
} eem;

static hed_status check_axis(const char *op, const char *what, const hed_array *a)
{
  char words[HED__SHAPE_WORDS];
  if (!a)
    return hed__tensor_missing(op, "%s", what);
  if (hed_array_ndim(a) != 1 || hed_array_size(a) < 1)
    return hed_fail(HED_E_SHAPE, "%s: %s has shape %s; wavelengths along one axis are expected", op, what,
                    hed__shape_words(hed_array_shape(a), words));
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(a));
  if (kind != HED_KIND_FLOAT && kind != HED_KIND_INT && kind != HED_KIND_UINT)
    return hed_fail(HED_E_DTYPE, "%s: %s is %s; wavelengths are real numbers", op, what, hed_dtype_name(hed_array_dtype(a)));
  return HED_OK;
}

static hed_status read_axis(const char *op, const char *what, const hed_array *a, double *out)
{
  const int64_t n = hed_array_size(a);
  const hed_status status = hed_tolist(a, out, n);
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    if (!(out[i] >= 100 && out[i] <= 3000))
      return hed_fail(HED_E_INVAL, "%s: %s[%lld] is %g; wavelengths in nm, 100 to 3000, are expected", op, what, (long long)i,
                      out[i]);
    if (i > 0 && out[i] <= out[i - 1])
      return hed_fail(HED_E_INVAL, "%s: %s[%lld] is %.10g after %.10g; wavelengths have to increase", op, what, (long long)i, out[i],
                      out[i - 1]);
  }
  return status;
}

static hed_status check_bands(const char *op, const hed_eem_options *o, const double *width, const eem *e)
{
  const double reach = e->emission[e->n_emission - 1] - e->emission[0];
  bool any = false;
  for (int b = 0; b < BANDS; b++) {
    any = any || width[b] != 0;
    if (!(width[b] >= 0))
      return hed_fail(HED_E_INVAL, "%s: %s is %g; a width in nm is expected", op, band_names[b], width[b]);
    if (width[b] > 0 && 2 * width[b] >= reach)
      return hed_fail(HED_E_INVAL, "%s: %s is %g, a band of %g nm; the emissions reach over %g nm", op, band_names[b], width[b],
                      2 * width[b], reach);
  }
  if (!any)
    return hed_fail(HED_E_INVAL, "%s: no band: rayleigh, rayleigh_second, raman and raman_second are all 0", op);
  if (o->raman_shift != 0 && !(o->raman_shift >= 500 && o->raman_shift <= 5000))
    return hed_fail(HED_E_INVAL, "%s: raman_shift is %g; 500 to 5000 1/cm are expected", op, o->raman_shift);
  return hed__expect_member(op, "fill", o->fill, HED_EEM_MASK, HED_EEM_INTERPOLATE, "hed_eem_fill");
}

/* The wavelengths and the bands; E->emission from malloc(), the others behind it. */
static hed_status find(const char *op, const hed_array *emission, const hed_array *excitation, const hed_eem_options *o, eem *e)
{
  hed_status status = check_axis(op, "emission", emission);
  if (status == HED_OK)
    status = check_axis(op, "excitation", excitation);
  if (status == HED_OK && !o)
    status = hed_fail(HED_E_INVAL, "%s: opt is NULL, which has the bands", op);
  if (status != HED_OK)
    return status;
  const double width[BANDS] = { o->rayleigh, o->rayleigh_second, o->raman, o->raman_second };
  *e = (eem){ .n_emission = hed_array_size(emission), .n_excitation = hed_array_size(excitation) };
  const size_t numbers = (size_t)e->n_emission + (size_t)e->n_excitation;
  size_t flags, all;
  if (!__builtin_mul_overflow((size_t)e->n_emission, (size_t)e->n_excitation, &flags) &&
      !__builtin_add_overflow(numbers * sizeof(double), flags, &all))
    e->emission = malloc(all);
  if (!e->emission)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %lld by %lld places", op, (long long)e->n_emission, (long long)e->n_excitation);
  e->excitation = e->emission + e->n_emission;
  e->scatter = (bool *)(e->excitation + e->n_excitation);
  status = read_axis(op, "emission", emission, e->emission);
  if (status == HED_OK)
    status = read_axis(op, "excitation", excitation, e->excitation);
  if (status == HED_OK)
    status = check_bands(op, o, width, e);
  if (status != HED_OK)
    return status;
  const double shift = o->raman_shift != 0 ? o->raman_shift : shift_of_water;
  for (int64_t x = 0; x < e->n_excitation; x++) {
    /* 1/cm are 1e-7 1/nm; light of less energy than the shift (above 2 um at least) is not scattered so */
    const double waves = 1e7 / e->excitation[x] - shift, raman = waves > 0 ? 1e7 / waves : INFINITY;
    const double line[BANDS] = { e->excitation[x], 2 * e->excitation[x], raman, 2 * raman };
    for (int64_t m = 0; m < e->n_emission; m++) {
      bool in = false;
      for (int b = 0; b < BANDS; b++)
        in = in || (width[b] > 0 && fabs(e->emission[m] - line[b]) <= width[b]);
      e->scatter[m * e->n_excitation + x] = in;
    }
  }
  return HED_OK;
}

hed_array *hed_eem_scatter(const hed_array *emission, const hed_array *excitation, const hed_eem_options *opt)
{
  eem e = { 0 };
  const hed_status status = find("hed_eem_scatter", emission, excitation, opt, &e);
  hed_array *out = status == HED_OK ? hed_from_host(e.scatter, HED_SHAPE(e.n_emission, e.n_excitation), HED_BOOL) : NULL;
  free(e.emission);
  return out;
}

/* For each place the next emissions before and after it that are no scatter, and what share the latter has. */
typedef struct neighbours {
  int64_t *before, *after;
  double *share;
} neighbours;

static hed_status find_neighbours(const char *op, const eem *e, neighbours *n)
{
  for (int64_t x = 0; x < e->n_excitation; x++) {
    int64_t last = -1;
    for (int64_t m = 0; m < e->n_emission; m++) {
      const int64_t at = m * e->n_excitation + x;
      last = e->scatter[at] ? last : m;
      n->before[at] = last;
    }
    if (last < 0)
      return hed_fail(HED_E_INVAL, "%s: all %lld emissions of excitation %lld, %g nm, are scatter; there is nothing to interpolate",
                      op, (long long)e->n_emission, (long long)x, e->excitation[x]);
    for (int64_t m = e->n_emission - 1; m >= 0; m--) {
      const int64_t at = m * e->n_excitation + x;
      last = e->scatter[at] ? last : m;
      n->after[at] = last < m ? n->before[at] : last;
      n->before[at] = n->before[at] < 0 ? last : n->before[at];
      const double low = e->emission[n->before[at]], high = e->emission[n->after[at]];
      n->share[at] = low < high ? (e->emission[m] - low) / (high - low) : 0;
    }
  }
  return HED_OK;
}

/* M (emission, excitation), NULL after an error, with X's number of axes: extents of 1 but along EM and EX. */
static hed_array *along(hed_array *m, const eem *e, int ndim, int em, int ex)
{
  hed_shape s = { .ndim = ndim };
  for (int k = 0; k < ndim; k++)
    s.dim[k] = k == em ? e->n_emission : k == ex ? e->n_excitation : 1;
  return m ? hed_reshape(em < ex ? m : hed_transpose(m, NULL), s) : NULL;
}

/* X where it is scatter as the line between its neighbours says. */
static hed_array *interpolated(const char *op, const hed_array *x, const eem *e, int em, int ex)
{
  const size_t n = (size_t)(e->n_emission * e->n_excitation);
  const int ndim = hed_array_ndim(x);
  neighbours at = { .before = malloc(n * (2 * sizeof *at.before + sizeof *at.share)) };
  hed_array *out = NULL;
  if (!at.before) {
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %zu places", op, n);
    return NULL;
  }
  at.after = at.before + n;
  at.share = (double *)(at.after + n);
  if (find_neighbours(op, e, &at) == HED_OK) {
    const hed_shape s = HED_SHAPE(e->n_emission, e->n_excitation);
    hed_array *before = along(hed_from_host(at.before, s, HED_INT64), e, ndim, em, ex);
    hed_array *after = along(hed_from_host(at.after, s, HED_INT64), e, ndim, em, ex);
    hed_array *share = along(hed_from_doubles(at.share, s, hed_array_dtype(x)), e, ndim, em, ex);
    hed_array *low = before ? hed_take_along_axis(x, before, em) : NULL, *high = after ? hed_take_along_axis(x, after, em) : NULL;
    out = low && high && share ? hed_add(low, hed_multiply(hed_subtract(high, low), share)) : NULL;
  }
  free(at.before);
  return out;
}

hed_array *hed_eem_remove_scatter(const hed_array *x, const hed_array *emission, int32_t emission_axis, const hed_array *excitation,
                                  int32_t excitation_axis, const hed_eem_options *opt)
{
  static const char op[] = "hed_eem_remove_scatter";
  eem e = { 0 };
  hed_array *out = NULL;
  if (!x) {
    (void)hed__tensor_missing(op, "x");
    return NULL;
  }
  const hed_shape s = hed_array_shape(x);
  const hed_dtype t = hed_array_dtype(x);
  const int32_t given[2] = { emission_axis, excitation_axis };
  const char *const name[2] = { "emission", "excitation" };
  const hed_array *const wavelengths[2] = { emission, excitation };
  int axis[2];
  hed_status status = HED_OK;
  if (hed_dtype_kind(t) == HED_KIND_COMPLEX || hed_dtype_kind(t) == HED_KIND_BOOL)
    status = hed_fail(HED_E_DTYPE, "%s: x is %s; real numbers are expected", op, hed_dtype_name(t));
  for (int k = 0; k < 2 && status == HED_OK; k++) {
    axis[k] = given[k] < 0 ? given[k] + s.ndim : given[k];
    if (axis[k] < 0 || axis[k] >= s.ndim)
      status = hed_fail(HED_E_AXIS, "%s: %s_axis is %d; x has %d axes", op, name[k], (int)given[k], (int)s.ndim);
    else if (k && axis[1] == axis[0])
      status = hed_fail(HED_E_INVAL, "%s: emission_axis and excitation_axis are %d and %d, one axis", op, (int)given[0],
                        (int)given[1]);
  }
  if (status == HED_OK)
    status = find(op, emission, excitation, opt, &e);
  for (int k = 0; k < 2 && status == HED_OK; k++)
    if (hed_array_size(wavelengths[k]) != s.dim[axis[k]])
      status = hed_fail(HED_E_SHAPE, "%s: %s has %lld wavelengths; axis %d of x has %lld", op, name[k],
                        (long long)hed_array_size(wavelengths[k]), axis[k], (long long)s.dim[axis[k]]);
  if (status == HED_OK)
    HED_SCOPE {
      const hed_shape places = HED_SHAPE(e.n_emission, e.n_excitation);
      hed_array *scatter = along(hed_from_host(e.scatter, places, HED_BOOL), &e, s.ndim, axis[0], axis[1]);
      hed_array *real = hed__tensor_operand(op, "x", x);
      hed_array *made = NULL;
      if (scatter && real && opt->fill == HED_EEM_INTERPOLATE) {
        hed_array *line = interpolated(op, real, &e, axis[0], axis[1]);
        made = line ? hed_where(scatter, line, real) : NULL;
      } else if (scatter && real) {
        made = hed_masked_fill(real, scatter, opt->fill == HED_EEM_ZERO ? 0 : NAN);
      }
      out = made ? hed_keep(made) : NULL;
    }
  free(e.emission);
  return out ? hed__tensor_given(out) : NULL;
}
