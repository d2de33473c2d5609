// SPDX-License-Identifier: BSD-3-Clause
/* Images from channels by delays and sums.
 *
 * Layer: L4, ultrasound kit. A wave and a channel at a time: the samples at all places of the image are one gather from a line. Sums
 * of pairs of roots come from their squares: twice the sum over pairs of a b is (sum a)^2 - sum a^2.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include "kits/member.h"
#include <math.h>
#include <stdlib.h>

typedef struct beams {
  const char *op;
  const hed_us_beamform_options *o;
  hed_shape s;               /* of the data */
  int64_t nz, nx;
  double fs, c;
  double *element, *angle, *source; /* on the host: their numbers are few */
  hed_array *line;           /* data, of the scope */
  hed_array *z, *x;          /* (nz, 1), (nx): wide */
  hed_dtype real;
} beams;

static hed_status numbers(const beams *b, const char *name, const hed_array *a, hed_shape s, double **out)
{
  const hed_shape has = hed_array_shape(a);
  bool fits = a && has.ndim == s.ndim;
  for (int k = 0; fits && k < s.ndim; k++)
    fits = has.dim[k] == s.dim[k];
  if (!fits || hed__us_is_complex(a))
    return hed_fail(a ? HED_E_SHAPE : HED_E_INVAL, "%s: %s %s (%lld%s); real numbers (%lld%s) are expected", b->op, name,
                    a ? "are" : "is NULL", (long long)(a && has.ndim > 0 ? has.dim[0] : 0), has.ndim == 2 ? ", .." : "",
                    (long long)s.dim[0], s.ndim == 2 ? ", 2" : "");
  const int64_t n = hed_array_size(a);
  if (!(*out = malloc((size_t)(n + 1) * sizeof **out)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %lld numbers", b->op, (long long)n);
  const hed_status status = hed_tolist(a, *out, n);
  for (int64_t i = 0; status == HED_OK && i < n; i++)
    if (!isfinite((*out)[i]))
      return hed_fail(HED_E_INVAL, "%s: %s are %g at %lld", b->op, name, (*out)[i], (long long)i);
  return status;
}

static hed_status check(beams *b, const hed_array *data, const hed_array *z, const hed_array *x)
{
  const hed_us_beamform_options *o = b->o;
  const hed_array *given[] = { data, z, x };
  static const char *const name[] = { "data", "z", "x" };
  for (int i = 0; i < 3; i++)
    if (!hed__operand_given(b->op, name[i], given[i]))
      return hed_error();
  for (int i = 1; i < 3; i++)
    if (hed_array_ndim(given[i]) != 1 || hed__us_is_complex(given[i]) || hed_array_size(given[i]) < 1)
      return hed_fail(HED_E_SHAPE, "%s: %s is %s with %d axes; one of real numbers is expected", b->op, name[i],
                      hed_dtype_name(hed_array_dtype(given[i])), (int)hed_array_ndim(given[i]));
  b->s = hed_array_shape(data);
  if (b->s.ndim != 3 || b->s.dim[0] < 1 || b->s.dim[1] < 1 || b->s.dim[2] < 2)
    return hed_fail(HED_E_SHAPE, "%s: data has %d axes and %lld elements; (waves, channels, samples), 2 samples or more, are expected",
                    b->op, (int)b->s.ndim, (long long)hed_array_size(data));
  if (!(b->fs > 0) || !isfinite(b->fs) || !(o->sound_speed >= 0) || !isfinite(o->sound_speed) || !isfinite(o->initial_time) ||
      !isfinite(o->modulation_frequency) || !(o->f_number >= 0) || !isfinite(o->f_number))
    return hed_fail(HED_E_INVAL, "%s: sampling_frequency %g, sound_speed %g, initial_time %g, modulation_frequency %g, f_number %g",
                    b->op, b->fs, o->sound_speed, o->initial_time, o->modulation_frequency, o->f_number);
  if (hed__expect_member(b->op, "sum", (int)o->sum, HED_US_DAS, HED_US_DMAS, "hed_us_sum") != HED_OK ||
      hed__expect_member(b->op, "transmit", (int)o->transmit, HED_US_PLANE, HED_US_LINE_BY_LINE, "hed_us_transmit") != HED_OK)
    return hed_error();
  if (o->sum == HED_US_DMAS && hed__us_is_complex(data))
    return hed_fail(HED_E_DTYPE, "%s: data is %s; dmas is of real data", b->op, hed_dtype_name(hed_array_dtype(data)));
  b->nz = hed_array_size(z);
  b->nx = hed_array_size(x);
  if (o->transmit == HED_US_LINE_BY_LINE && b->s.dim[0] != b->nx)
    return hed_fail(HED_E_SHAPE, "%s: data has %lld waves, x %lld places; a wave makes a column", b->op, (long long)b->s.dim[0],
                    (long long)b->nx);
  return HED_OK;
}

/* Places of X that wave W is for. */
static hed_array *columns(const beams *b, int64_t w)
{
  return b->o->transmit == HED_US_LINE_BY_LINE ? hed_slice(b->x, 1, &HED_RANGE(w, w + 1, 1)) : hed_slice(b->x, 1, &HED_ALL);
}

/* Seconds from the start of wave W to each place. */
static hed_array *way_there(const beams *b, int64_t w, const hed_array *x)
{
  if (b->o->transmit == HED_US_SOURCE) {
    const double *from = b->source + 2 * w;
    return hed_divide_scalar(hed_hypot(hed_subtract_scalar(b->z, from[0]), hed_subtract_scalar(x, from[1])), b->c);
  }
  const double a = b->angle && b->o->transmit == HED_US_PLANE ? b->angle[w] : 0;
  return hed_divide_scalar(hed_add(hed_multiply_scalar(b->z, cos(a)), hed_multiply_scalar(x, sin(a))), b->c);
}

/* What channel K of wave W has at TIME (nz, places), 0 where it has none. */
static hed_array *samples_at(const beams *b, int64_t w, int64_t k, const hed_array *time, const hed_array *counts)
{
  const int64_t n = b->s.dim[2];
  hed_array *line = hed_index(hed_index(b->line, 0, w), 0, k);
  hed_array *at = hed_multiply_scalar(hed_subtract_scalar(time, b->o->initial_time), b->fs);
  hed_array *there = hed_logical_and(hed_greater_equal_scalar(at, 0), hed_less_equal_scalar(at, (double)(n - 1)));
  there = counts && there ? hed_logical_and(there, counts) : there;
  hed_array *below = hed_clip(hed_floor(at), 0, (double)(n - 2)), *i = below ? hed_astype(below, HED_INT64) : NULL;
  hed_array *part = below ? hed_astype(hed_subtract(at, below), b->real) : NULL;
  if (!i || !part || !there)
    return NULL;
  hed_array *left = hed_take(line, i, 0), *right = hed_take(line, hed_add_scalar(i, 1), 0);
  hed_array *value = hed_add(left, hed_multiply(hed_subtract(right, left), part));
  const double turns = 6.283185307179586477 * b->o->modulation_frequency;
  if (value && turns != 0 && hed__us_is_complex(b->line))
    value = hed_multiply(value, hed_astype(hed_phasor(hed_multiply_scalar(time, turns), NULL), hed_array_dtype(b->line)));
  return value ? hed_where_scalar(there, value, 0) : NULL;
}

/* A becomes A + B, both kept. */
static hed_status add_to(hed_array **a, const hed_array *b)
{
  if (!b)
    return hed_error();
  if (*a)
    return hed_add_into(*a, *a, b);
  *a = hed_keep(hed_copy(b));
  return *a ? HED_OK : hed_error();
}

/* Wave W: what all channels give, (nz, places), kept. */
static hed_status one_wave(const beams *b, int64_t w, hed_array **out)
{
  hed_array *sum = NULL, *squares = NULL;
  hed_status status = HED_OK;
  *out = NULL;
  for (int64_t k = 0; k < b->s.dim[1] && status == HED_OK; k++)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *x = columns(b, w), *off = x ? hed_subtract_scalar(x, b->element[k]) : NULL;
      hed_array *back = off ? hed_divide_scalar(hed_hypot(b->z, off), b->c) : NULL, *counts = NULL;
      hed_array *time = back ? hed_add(back, way_there(b, w, x)) : NULL;
      if (b->o->f_number > 0 && off)
        counts = hed_less_equal(hed_abs(off), hed_divide_scalar(b->z, 2 * b->o->f_number));
      hed_array *value = time ? samples_at(b, w, k, time, counts) : NULL;
      if (b->o->sum == HED_US_DMAS && value) {
        hed_array *size = hed_abs(value);
        status = add_to(&squares, size);
        value = hed_multiply(hed_sign(value), hed_sqrt(size));
      }
      if (status == HED_OK)
        status = add_to(&sum, value);
    }
  if (status == HED_OK && b->o->sum == HED_US_DMAS)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *pairs = hed_multiply_scalar(hed_subtract(hed_square(sum), squares), 0.5);
      hed_release(sum);
      sum = hed_keep(pairs);
      status = sum ? HED_OK : hed_error();
    }
  hed_release(squares);
  if (status == HED_OK)
    *out = sum;
  else
    hed_release(sum);
  return status;
}

static hed_array *beamform(beams *b, const hed_array *data, const hed_array *z, const hed_array *x)
{
  const bool lines = b->o->transmit == HED_US_LINE_BY_LINE;
  hed_array *out = NULL;
  hed_status status = HED_OK;
  b->line = hed_reshape(hed__us_float(data), b->s);
  b->real = hed__us_result_dtype(data);
  b->z = hed_expand_dims(hed__us_wide(z), 1);
  b->x = hed_reshape(hed__us_wide(x), HED_SHAPE(b->nx));
  if (!b->line || !b->z || !b->x)
    return NULL;
  if (lines && !(out = hed_keep(hed_empty(HED_SHAPE(b->nz, b->nx), hed_array_dtype(b->line)))))
    return NULL;
  for (int64_t w = 0; w < b->s.dim[0] && status == HED_OK; w++) {
    hed_array *one = NULL;
    HED_PROFILE_RANGE("transmission")
      status = one_wave(b, w, &one);
    HED_SCOPE_OR(status = hed_error())
      if (status == HED_OK)
        status = lines ? hed_copy_into(hed_slice(out, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(w, w + 1, 1) }), one)
                       : add_to(&out, one);
    hed_release(one);
  }
  hed_array *result = status == HED_OK ? hed_astype(out, hed_array_dtype(out)) : NULL;
  hed_release(out);
  return result;
}

hed_array *hed_us_beamform(const hed_array *data, const hed_array *elements, const hed_array *z, const hed_array *x,
                           double sampling_frequency, const hed_us_beamform_options *opt)
{
  static const hed_us_beamform_options none;
  beams b = { .op = "us_beamform", .o = opt ? opt : &none, .fs = sampling_frequency };
  hed_array *kept = NULL;
  hed_status status = check(&b, data, z, x);
  b.c = b.o->sound_speed > 0 ? b.o->sound_speed : 1540;
  if (status == HED_OK)
    status = numbers(&b, "elements", elements, HED_SHAPE(b.s.dim[1]), &b.element);
  if (status == HED_OK && b.o->angles)
    status = numbers(&b, "angles", b.o->angles, HED_SHAPE(b.s.dim[0]), &b.angle);
  if (status == HED_OK && b.o->transmit == HED_US_SOURCE)
    status = numbers(&b, "sources", b.o->sources, HED_SHAPE(b.s.dim[0], 2), &b.source);
  if (status == HED_OK)
    HED_PROFILE_RANGE(b.op) HED_SCOPE kept = hed_keep(beamform(&b, data, z, x));
  free(b.element);
  free(b.angle);
  free(b.source);
  return hed__us_hand_on(kept, NULL);
}
