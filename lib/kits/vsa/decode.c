// SPDX-License-Identifier: BSD-3-Clause
/* The number whose fractional power is most like a vector.
 *
 * Layer: L4, vsa kit. The similarity s(u) = Re sum m conj(H) exp(i u theta) / N of a vector's spectrum H, with m how often an element
 * counts, N their sum and theta phases times bandwidth, is a smooth function of u that moves no faster than its bandwidth: the best
 * point of a grid that is fine enough lies on the hill of the best u. From there Newton's iterations climb to the top. Where the hill
 * has an edge for a top (Cauchy's law), or the powers are sums over their modulus (mixtures), the grid is narrowed down instead.
 *
 * array[1]: m / N times the powers at the points of the grid, (G, K); array[2]: m / N theta^j for j = 0, 1, 2, complex (K, 3), of one
 * bandwidth; array[3]: m / N, (K).
 */
#include "kits/vsa/encode.h"
#include <math.h>

#define POINTS (2 * 3.2) /* of the grid to a unit of bandwidth: a sixth of the width of the hill */

enum { NEWTON = 8, AROUND = 9, FINER = 4, ROUNDS = 9, BLOCK = 1 << 22 /* elements of spectra that are decoded at a time */ };

hed_status hed__vsa_prepare_decode(hed_vsa_encoder *e, int32_t phases)
{
  const hed_vsa *v = e->v;
  const int64_t length = hed__vsa_spectrum_length(v);
  double widest = e->bandwidths[0];
  for (int32_t k = 1; k < e->mixture; k++)
    widest = fmax(widest, e->bandwidths[k]);
  const double points = fmax(ceil(widest * POINTS) + 1, 2);
  if (points * (double)length > 0x1p31)
    return hed_fail(HED_E_INVAL, "hed_vsa_encoder: bandwidth %g of %lld elements is more than a grid can have", widest,
                    (long long)length);
  e->count = (int64_t)points;
  e->rounds = e->mixture || phases == HED_VSA_PHASES_CAUCHY ? ROUNDS : 0;
  hed_array *count = hed__vsa_multiplicity(v), *share = hed_divide(count, hed_sum(count, NULL));
  hed_array *theta = hed_index(e->array[0], 0, 0), *first = hed_multiply(share, theta);
  hed_array *power[3] = { share, first, hed_multiply(first, theta) }, *u = hed_linspace(0, 1, e->count, v->real);
  hed_status status = hed__vsa_encoder_keep(e, 3, share);
  if (status == HED_OK)
    status = hed__vsa_encoder_keep(e, 1, hed_multiply(hed__vsa_power_spectra(e, hed_expand_dims(u, -1)), share));
  if (status == HED_OK)
    status = hed__vsa_encoder_keep(e, 2, hed_astype(hed_stack(3, (const hed_array *const *)power, -1),
                                                    v->real == HED_FLOAT64 ? HED_COMPLEX128 : HED_COMPLEX64));
  return status;
}

/* Element INDEX (b, 1) of each row of X. */
static hed_array *pick(const hed_array *x, const hed_array *index) { return hed_take_along_axis(x, index, -1); }

static hed_array *best_of(const hed_array *x)
{
  return hed_argmax(x, &(hed_reduce){ .axes = HED_AXES(-1), .keepdims = true });
}

/* Numbers (b, 1) and how good they are. */
typedef struct found {
  hed_array *u, *similarity;
} found;

/* Kept in a scope that has ended, they become those of the scope around it. */
static found handed_out(found f)
{
  return (found){ hed__vsa_out(f.u), hed__vsa_out(f.similarity) };
}

/* The best of the points around U (b, 1), the outer ones H from it. SPECTRA times array[3]. */
static found narrowed(const hed_vsa_encoder *e, const hed_array *spectra, const hed_array *u, double h)
{
  hed_array *around = hed_clip(hed_add(u, hed_linspace(-h, h, AROUND, e->v->real)), 0, 1), *columns[AROUND];
  for (int k = 0; k < AROUND; k++) {
    hed_array *at = hed_expand_dims(hed_index(around, 1, k), -1);
    HED_SCOPE columns[k] = hed_keep(hed__vsa_product(spectra, hed__vsa_power_spectra(e, at)));
    columns[k] = hed__vsa_out(columns[k]);
  }
  hed_array *s = hed_stack(AROUND, (const hed_array *const *)columns, -1), *best = best_of(s);
  return (found){ pick(around, best), pick(s, best) };
}

/* One of Newton's iterations from *U, which goes on, no further than H from FROM: the better of BEST and *U, where they differ by more
 * than rounding, else *U. */
static found climbed(const hed_vsa_encoder *e, const hed_array *conjugate, const hed_array *from, double h, found best, hed_array **u)
{
  const double rounding = e->v->real == HED_FLOAT64 ? 1e-14 : 2e-6;
  hed_array *next = NULL;
  HED_SCOPE {
    hed_array *sums = hed_matmul(hed_multiply(conjugate, hed_phasor(*u, hed_index(e->array[0], 0, 0))), e->array[2]);
    hed_array *s[3]; /* s, s', -s'' */
    for (int j = 0; j < 3; j++)
      s[j] = hed_expand_dims(j == 1 ? hed_negative(hed_imag(hed_index(sums, 1, j))) : hed_real(hed_index(sums, 1, j)), -1);
    hed_array *good = best.u ? hed_greater_equal(s[0], hed_subtract_scalar(best.similarity, rounding)) : NULL;
    best.u = hed_keep(good ? hed_where(good, *u, best.u) : hed_copy(*u));
    best.similarity = hed_keep(good ? hed_where(good, s[0], best.similarity) : s[0]);
    hed_array *hill = hed_greater_scalar(s[2], 0), *newton = hed_divide_where(hill, s[1], s[2], 0);
    hed_array *step = hed_where(hill, newton, hed_multiply_scalar(hed_sign(s[1]), h / 4)); /* no hill: a quarter uphill */
    hed_array *moved = hed_add(*u, hed_clip(step, -h / 2, h / 2));
    moved = hed_minimum(hed_maximum(moved, hed_subtract_scalar(from, h)), hed_add_scalar(from, h));
    next = hed_keep(hed_clip(moved, 0, 1));
  }
  *u = hed__vsa_out(next);
  return handed_out(best);
}

/* Of H (b, vector). */
static found decoded(const hed_vsa_encoder *e, const hed_array *h)
{
  hed_array *spectra = hed__vsa_spectra_of(e->v, h);
  double spacing = 1 / (double)(e->count - 1);
  hed_array *start = best_of(hed__vsa_products(spectra, e->array[1]));
  hed_array *from = hed_multiply_scalar(hed_astype(start, e->v->real), spacing), *u = from;
  hed_array *factor = e->rounds ? hed_multiply(spectra, e->array[3]) : hed_conj(spectra);
  found best = { NULL, NULL };
  for (int32_t k = 0; k < e->rounds && u; k++, spacing /= FINER) {
    best = narrowed(e, factor, u, spacing);
    u = best.u;
  }
  for (int32_t k = 0; k <= NEWTON && u && !e->rounds; k++)
    best = climbed(e, factor, from, spacing, best, &u);
  return best;
}

hed_array *hed__vsa_decode_scalar(const hed_vsa_encoder *e, const hed_array *h, bool strict, hed_array **similarity)
{
  const hed_vsa *v = e->v;
  const hed_shape batch = hed__vsa_batch_shape(v, h);
  const int64_t n = hed__vsa_count(batch), length = hed__vsa_spectrum_length(v);
  const int64_t block = length < BLOCK ? BLOCK / length : 1;
  hed_array *u = hed_empty(HED_SHAPE(n, 1), v->real), *rows = hed_reshape(h, hed__vsa_joined(HED_SHAPE(n), v->shape));
  *similarity = hed_empty(HED_SHAPE(n, 1), v->real);
  if (!u || !rows || !*similarity)
    return NULL;
  for (int64_t k = 0; k < n; k += block) {
    const hed_slice_range some = { .start = k, .stop = k + block < n ? k + block : n, .step = 1 };
    hed_status status = HED_OK;
    HED_SCOPE {
      found f = decoded(e, hed_slice(rows, 1, &some));
      status = f.u && f.similarity ? hed_copy_into(hed_slice(u, 1, &some), f.u) : hed_error();
      if (status == HED_OK)
        status = hed_copy_into(hed_slice(*similarity, 1, &some), f.similarity);
    }
    if (status != HED_OK)
      return NULL;
  }
  *similarity = hed_reshape(*similarity, batch);
  return hed__vsa_from_units(e, hed_reshape(u, batch), strict, *similarity);
}
