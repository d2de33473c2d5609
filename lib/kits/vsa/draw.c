// SPDX-License-Identifier: BSD-3-Clause
/* Which random bits belong to which vector.
 *
 * Layer: L4, vsa kit. Every vector has a key of its own, folded from a base, the role of what is drawn, and its number, and is
 * the first draw of a generator with that key: so it does not matter which others are drawn with it.
 */
#include "kits/vsa/internal.h"
#include <stdlib.h>
#include <string.h>

uint64_t hed__vsa_key(const hed_vsa *v, hed__vsa_role role, uint64_t index)
{
  return hed_fold_key(hed_fold_key(v->o.seed, (uint64_t)role), index);
}

hed_status hed__vsa_base(const hed_random *r, hed__vsa_role role, uint64_t *base)
{
  hed_generator g;
  hed_status status = hed_check_random_state(r, &g);
  if (status != HED_OK)
    return status;
  if (r && r->generator && !r->seeded)
    r->generator->draw++;
  *base = hed_fold_key(hed_fold_key(g.key, g.draw), (uint64_t)role);
  return HED_OK;
}

hed_array *hed__vsa_stack(const hed_vsa *v, int64_t n, const uint64_t *keys,
                          hed_array *(*one)(const hed_vsa *v, uint64_t key))
{
  if (n == 1)
    return hed_expand_dims(one(v, keys[0]), 0);
  hed_array **row = calloc((size_t)n, sizeof *row), *out = NULL;
  int64_t k = 0;
  if (!row) {
    (void)hed_fail(HED_E_NOMEM, "hed_vsa_random: no memory for %lld vectors", (long long)n);
    return NULL;
  }
  while (k < n && (row[k] = hed_keep(one(v, keys[k]))))
    k++;
  if (k == n)
    out = hed_stack((int)n, (const hed_array *const *)row, 0);
  for (k = 0; k < n; k++)
    hed_release(row[k]);
  free(row);
  return out;
}

/* Rows that are computed in float64 come from the host where the device does not have it. */
hed_array *hed__vsa_keyed_rows(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  hed_array *out = NULL;
  if (v->ops->exact_rows || hed_device_supports(NULL, "float64") == 1)
    return v->ops->rows(v, n, keys);
  HED_BACKEND_CONTEXT_OR("reference", return NULL) out = v->ops->rows(v, n, keys);
  return hed_to(out, hed_get_backend());
}

hed_array *hed__vsa_rows(const hed_vsa *v, uint64_t base, int64_t first, int64_t n)
{
  uint64_t *keys;
  hed_array *out;
  if (n == 0)
    return hed_zeros(hed__vsa_joined(HED_SHAPE(0), v->shape), v->dtype);
  if (n > INT32_MAX || !(keys = malloc((size_t)n * sizeof *keys))) {
    (void)hed_fail(HED_E_NOMEM, "hed_vsa_random: no memory for %lld vectors", (long long)n);
    return NULL;
  }
  for (int64_t k = 0; k < n; k++)
    keys[k] = hed_fold_key(base, (uint64_t)(first + k));
  out = hed__vsa_keyed_rows(v, n, keys);
  free(keys);
  return out;
}

static hed_array *draw(const hed_vsa *v, int64_t first, int64_t n, const hed_random *r)
{
  uint64_t base;
  return hed__vsa_base(r, HED__VSA_ITEM, &base) == HED_OK ? hed__vsa_rows(v, base, first, n) : NULL;
}

hed_array *hed_vsa_random(const hed_vsa *v, const hed_shape *batch, const hed_random *r)
{
  const hed_shape one = HED_SHAPE0, b = batch ? *batch : one;
  hed_array *out = NULL;
  if (!v) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_random: the model is NULL");
    return NULL;
  }
  for (int k = 0; k < b.ndim; k++)
    if (b.ndim + v->shape.ndim > HED_MAX_NDIM || b.dim[k] < 0) {
      (void)hed_fail(HED_E_SHAPE, "hed_vsa_random: batch has %d axes, axis %d of extent %lld", (int)b.ndim, k,
                     (long long)b.dim[k]);
      return NULL;
    }
  HED_SCOPE out = hed_keep(hed_reshape(draw(v, 0, hed__vsa_count(b), r), hed__vsa_joined(b, v->shape)));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_random_from(const hed_vsa *v, int64_t first, int64_t n, const hed_random *r)
{
  hed_array *out = NULL;
  if (!v || first < 0 || n < 0) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_random_from: the model is %s, first %lld, n %lld", v ? "given" : "NULL",
                   (long long)first, (long long)n);
    return NULL;
  }
  HED_SCOPE out = hed_keep(draw(v, first, n, r));
  return hed__vsa_out(out);
}

uint64_t hed__vsa_hash(const char *s)
{
  uint64_t h = 0xcbf29ce484222325U;
  for (; *s; s++)
    h = (h ^ (unsigned char)*s) * 0x100000001b3U;
  return h;
}

hed_array *hed_vsa_symbols(const hed_vsa *v, int n, const char *const *names)
{
  uint64_t *keys;
  hed_array *out = NULL;
  if (!v || n < 1 || !names) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_symbols: the model is %s, n %d, names %s", v ? "given" : "NULL", n,
                   names ? "given" : "NULL");
    return NULL;
  }
  if (!(keys = malloc((size_t)n * sizeof *keys))) {
    (void)hed_fail(HED_E_NOMEM, "hed_vsa_symbols: no memory for %d vectors", n);
    return NULL;
  }
  for (int k = 0; k < n; k++) {
    if (!names[k]) {
      (void)hed_fail(HED_E_INVAL, "hed_vsa_symbols: name %d of %d is NULL", k, n);
      free(keys);
      return NULL;
    }
    keys[k] = hed__vsa_key(v, HED__VSA_SYMBOL, hed__vsa_hash(names[k]));
  }
  HED_SCOPE out = hed_keep(hed__vsa_keyed_rows(v, n, keys));
  free(keys);
  return hed__vsa_out(out);
}

hed_array *hed_vsa_symbol(const hed_vsa *v, const char *name)
{
  hed_array *rows = hed_keep(hed_vsa_symbols(v, 1, &name));
  hed_array *out = hed_index(rows, 0, 0);
  hed_release(rows);
  return out;
}
