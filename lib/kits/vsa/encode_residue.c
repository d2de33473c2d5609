// SPDX-License-Identifier: BSD-3-Clause
/* Whole numbers by what divisions leave, and back by a resonator.
 *
 * Layer: L4, vsa kit. C. J. Kymn, D. Kleyko, E. P. Frady, C. Bybee, P. Kanerva, F. T. Sommer, B. A. Olshausen, Neural Computation 37
 * (2025) 1-37.
 *
 * array[0]: the vectors of all residues of all moduli, below each other. MIXTURE: how many moduli, in BANDWIDTHS.
 */
#include "kits/vsa/encode.h"
#include <heddle/kits/vsa_memory.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 4096 }; /* a modulus: phases of more turns lose digits */

static int64_t modulus(const hed_vsa_encoder *e, int j) { return (int64_t)e->bandwidths[j]; }

/* The vectors of the residues of modulus J, (m, vector): a view. */
static hed_array *codebook(const hed_vsa_encoder *e, int j)
{
  int64_t from = 0;
  for (int k = 0; k < j; k++)
    from += modulus(e, k);
  return hed_slice(e->array[0], 1, &HED_RANGE(from, from + modulus(e, j), 1));
}

/* Whole numbers, or HED_E_RANGE with the first that is none. */
static hed_array *whole(const hed_array *x)
{
  double some = 0, value = 0;
  int64_t at = 0;
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  if (kind != HED_KIND_FLOAT)
    return hed_astype(x, HED_INT64);
  hed_array *flat = hed_reshape(x, HED_SHAPE(-1));
  hed_array *good = flat ? hed_logical_and(hed_equal(flat, hed_round(flat)), hed_less_scalar(hed_abs(flat), 9e15)) : NULL;
  hed_array *off = good ? hed_logical_not(good) : NULL;
  hed_array *any = off ? hed_any(off, NULL) : NULL;
  if (!any || hed_item(any, &some) != HED_OK)
    return NULL;
  if (some == 0)
    return hed_astype(x, HED_INT64);
  hed_array *first = hed_argmax(off, NULL);
  if (first && hed_item_int(first, &at) == HED_OK && hed_item(hed_index(flat, 0, at), &value) == HED_OK)
    (void)hed_fail(HED_E_RANGE, "hed_vsa_encode: x has %g at place %lld, not a whole number", value, (long long)at);
  return NULL;
}

static hed_array *encode(const hed_vsa_encoder *e, const hed_array *x)
{
  hed_array *n = whole(x), *out = NULL;
  for (int j = 0; j < e->mixture && n && (j == 0 || out); j++) {
    hed_array *residue = hed_mod_scalar(n, modulus(e, j));
    hed_array *one = residue ? hed_take(codebook(e, j), residue, 0) : NULL;
    out = !one ? NULL : out ? hed_vsa_bind(e->v, out, one) : one;
  }
  return out;
}

/* The number below the product of all moduli that leaves RESIDUE[j] for each. */
static double number_of(const hed_vsa_encoder *e, const double *residue)
{
  int64_t x = 0, all = 1;
  for (int j = 0; j < e->mixture; j++) {
    const int64_t m = modulus(e, j);
    int64_t step = 0; /* how often ALL has to be added */
    const int64_t by = all % m;
    while ((x + by * step - (int64_t)residue[j]) % m != 0 && step < m)
      step++;
    x += all * step;
    all *= m;
  }
  return (double)x;
}

/* The residues of H (n, vector), (n, moduli), and how alike what they mean is: by comparison, of several by a resonator. */
static hed_array *residues(const hed_vsa_encoder *e, const hed_array *h, hed_array **similarity)
{
  if (e->mixture == 1) {
    const hed_reduce last = { .axes = HED_AXES(-1) };
    hed_array *all = hed_vsa_similarity_matrix(e->v, h, e->array[0]);
    *similarity = all ? hed_max(all, &last) : NULL;
    return *similarity ? hed_expand_dims(hed_argmax(all, &last), -1) : NULL;
  }
  const hed_array *books[HED_VSA_BANDWIDTHS];
  const hed_vsa_resonator_options o = { .restarts = 20, .least_fit = 0.5,
                                        .random = { .seed = hed__vsa_hash("residue"), .seeded = true } };
  hed_vsa_factors found = { 0 };
  for (int j = 0; j < e->mixture; j++)
    if (!(books[j] = codebook(e, j)))
      return NULL;
  if (hed_vsa_resonate(e->v, h, e->mixture, books, &o, &found) != HED_OK)
    return NULL;
  *similarity = hed_copy(found.fit);
  hed_array *index = hed_copy(found.index);
  hed_vsa_factors_clear(&found);
  return *similarity ? index : NULL;
}

static hed_array *decode(const hed_vsa_encoder *e, const hed_array *h, bool strict, hed_array **similarity)
{
  hed_shape batch = hed_array_shape(h), rows = { .ndim = e->v->plain_shape.ndim + 1 };
  const int vector = e->v->plain_shape.ndim;
  rows.dim[0] = 1;
  for (int k = 0; k + vector < batch.ndim; k++)
    rows.dim[0] *= batch.dim[k];
  for (int k = 0; k < vector; k++)
    rows.dim[1 + k] = batch.dim[batch.ndim - vector + k];
  batch.ndim -= vector;
  const int64_t n = rows.dim[0], size = n * e->mixture;
  hed_array *flat = hed_reshape(h, rows), *index = flat ? residues(e, flat, similarity) : NULL;
  double *residue = index ? malloc((size_t)(size + n + 1) * sizeof *residue) : NULL;
  hed_array *out = NULL;
  if (index && !residue)
    (void)hed_fail(HED_E_NOMEM, "hed_vsa_decode: no memory for %lld residues", (long long)size);
  if (residue && hed_tolist(index, residue, size) == HED_OK) {
    double *x = residue + size;
    for (int64_t i = 0; i < n; i++)
      x[i] = number_of(e, residue + i * e->mixture);
    const bool wide = hed_device_supports(NULL, "float64") == 1;
    out = hed_from_doubles(x, batch, wide ? HED_FLOAT64 : HED_FLOAT32);
    *similarity = hed_reshape(*similarity, batch);
  }
  free(residue);
  return out && *similarity ? hed__vsa_from_units(e, out, strict, *similarity) : NULL;
}

static const hed__vsa_encoding kind = { encode, decode, "whole numbers", 0 };

static hed_status check(const char *op, const hed_vsa *v, const hed_vsa_residue_options *o)
{
  double all = 1;
  if (v->model != HED_VSA_FHRR && v->model != HED_VSA_HRR)
    return hed_fail(HED_E_UNSUPPORTED, "%s: residues are for fhrr and hrr", op);
  if (o->moduli < 1 || o->moduli > HED_VSA_BANDWIDTHS)
    return hed_fail(HED_E_INVAL, "%s: %d moduli; 1 to %d are possible", op, (int)o->moduli, HED_VSA_BANDWIDTHS);
  for (int j = 0; j < o->moduli; j++) {
    if (o->modulus[j] < 2 || o->modulus[j] > MOST)
      return hed_fail(HED_E_INVAL, "%s: modulus %d is %lld, not from 2 to %d", op, j, (long long)o->modulus[j], MOST);
    for (int k = 0; k < j; k++) {
      int64_t a = o->modulus[j], b = o->modulus[k];
      while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
      }
      if (a > 1)
        return hed_fail(HED_E_INVAL, "%s: moduli %lld and %lld have the divisor %lld in common", op, (long long)o->modulus[k],
                        (long long)o->modulus[j], (long long)a);
    }
    all *= (double)o->modulus[j];
  }
  return all < 9007199254740992.0 ? HED_OK : hed_fail(HED_E_INVAL, "%s: the product of the moduli is %g, not below 2^53", op, all);
}

/* Powers 0 to M - 1 of a vector whose phases are whole shares of a turn over M. */
static hed_array *powers(const hed_vsa *v, int64_t m, uint64_t number)
{
  const hed_vsa_scalar_options o = { .phases = HED_VSA_PHASES_INTEGER, .period = m, .number = number };
  hed_array *phases = hed__vsa_phases(v, &o, 1), *k = hed_astype(hed_expand_dims(hed_arange_int(0, m, 1, HED_INT64), 1), v->real);
  return phases && k ? hed__vsa_of_spectra(v, hed_phasor(hed_multiply(k, phases), NULL)) : NULL;
}

hed_status hed_vsa_encoder_residue(const hed_vsa *v, const hed_vsa_residue_options *options, hed_vsa_encoder **out)
{
  static const char *const op = "hed_vsa_encoder_residue";
  static const hed_vsa_residue_options usual = { .moduli = 3, .modulus = { 7, 11, 13 } };
  hed_vsa_residue_options o = options ? *options : usual;
  hed_vsa_encoder *e = hed__vsa_encoder_new(op, v, &kind, out);
  if (!e)
    return hed_error();
  if (o.moduli == 0) {
    const uint64_t number = o.number;
    o = usual;
    o.number = number;
  }
  hed_status status = check(op, v, &o);
  e->range = (hed_vsa_range){ 0, 1, HED_VSA_REFUSE };
  HED_SCOPE_OR(return hed__vsa_encoder_done(e, hed_error(), out)) {
    const hed_array *books[HED_VSA_BANDWIDTHS];
    for (int j = 0; j < o.moduli && status == HED_OK; j++) {
      e->bandwidths[j] = (double)o.modulus[j];
      e->mixture = j + 1;
      books[j] = powers(v, o.modulus[j], hed_fold_key(hed__vsa_kind_number("residue", o.number), (uint64_t)j));
      status = books[j] ? HED_OK : hed_error();
    }
    if (status == HED_OK)
      status = hed__vsa_encoder_keep(e, 0, hed_concatenate(o.moduli, books, 0));
    status = hed__vsa_encoder_done(e, status, out);
  }
  return status;
}
