// SPDX-License-Identifier: BSD-3-Clause
/* Sparse distributed memory.
 *
 * Layer: L4, vsa kit. A counter per location and element, kept as numbers (-1 and 1 added up).
 */
#include "kits/vsa/items.h"
#include <stdlib.h>

struct hed_vsa_sdm {
  hed_vsa *v;
  double least;         /* similarity, as a cosine, of the radius */
  hed_array *addresses; /* (locations, ..)                        */
  hed_array *counters;  /* (locations, D)                         */
};

hed_status hed_vsa_sdm_create(hed_vsa *v, int64_t locations, int64_t radius, hed_vsa_sdm **out)
{
  if (!v || !out)
    return hed_fail(HED_E_INVAL, "hed_vsa_sdm_create: %s is NULL", v ? "out" : "the model");
  *out = NULL;
  if ((v->model != HED_VSA_MAP && v->model != HED_VSA_BSC) || v->o.variant)
    return hed_fail(HED_E_UNSUPPORTED, "hed_vsa_sdm_create: %s has not two values, as many of each",
                    v->name);
  if (locations < 1 || locations > INT32_MAX || radius < 0 || radius > v->o.dim)
    return hed_fail(HED_E_INVAL, "hed_vsa_sdm_create: locations %lld, radius %lld of %lld", (long long)locations,
                    (long long)radius, (long long)v->o.dim);
  hed_vsa_sdm *m = calloc(1, sizeof *m);
  if (!m)
    return hed_fail(HED_E_NOMEM, "hed_vsa_sdm_create: no memory");
  m->v = hed_vsa_retain(v);
  m->least = 1 - 2 * ((double)radius + 0.5) / (double)v->o.dim;
  HED_SCOPE {
    m->addresses = hed_keep(hed__vsa_rows(v, hed_fold_key(v->o.seed, HED__VSA_POSITION), 0, locations));
    m->counters = hed_keep(hed_zeros(HED_SHAPE(locations, v->o.dim), v->real));
  }
  if (m->addresses && m->counters) {
    *out = m;
    return HED_OK;
  }
  hed_vsa_sdm_release(m);
  return hed_error();
}

void hed_vsa_sdm_release(hed_vsa_sdm *m)
{
  if (!m)
    return;
  hed_release(m->addresses);
  hed_release(m->counters);
  hed_vsa_release(m->v);
  free(m);
}

/* Which locations are near each of X (n, ..): (n, locations), as numbers. */
static hed_array *near(const hed_vsa_sdm *m, const hed_array *x)
{
  hed_array *s = hed__vsa_signed(m->v, hed_vsa_similarity_matrix(m->v, x, m->addresses));
  return hed_astype(hed_greater_scalar(s, m->least), m->v->real);
}

static hed_array *list(const hed_vsa_sdm *m, const hed_array *x)
{
  const int64_t n = hed__vsa_count(hed__vsa_batch_shape(m->v, x));
  return hed_reshape(x, hed__vsa_joined(HED_SHAPE(n), m->v->shape));
}

hed_status hed_vsa_sdm_write(hed_vsa_sdm *m, const hed_array *addresses, const hed_array *data)
{
  hed_status status = HED_OK;
  if (!m)
    return hed_fail(HED_E_INVAL, "hed_vsa_sdm_write: the memory is NULL");
  if (!hed__vsa_fits(m->v, "hed_vsa_sdm_write", "addresses", addresses) ||
      !hed__vsa_fits(m->v, "hed_vsa_sdm_write", "data", data))
    return hed_error();
  const int64_t a = hed__vsa_count(hed__vsa_batch_shape(m->v, addresses)), d = hed__vsa_count(hed__vsa_batch_shape(m->v, data));
  if (a != d)
    return hed_fail(HED_E_SHAPE, "hed_vsa_sdm_write: there are %lld addresses and %lld data", (long long)a, (long long)d);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *weights = hed_matrix_transpose(near(m, list(m, addresses)));
    hed_array *more = hed_matmul(weights, hed__vsa_numbers(m->v, list(m, data)));
    status = more ? hed_add_into(m->counters, m->counters, more) : hed_error();
  }
  return status;
}

hed_array *hed_vsa_sdm_read(const hed_vsa_sdm *m, const hed_array *addresses)
{
  hed_array *out = NULL;
  if (!m) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_sdm_read: the memory is NULL");
    return NULL;
  }
  if (!hed__vsa_fits(m->v, "hed_vsa_sdm_read", "addresses", addresses))
    return NULL;
  HED_SCOPE {
    hed_array *mixed = hed__vsa_mixed(m->v, near(m, list(m, addresses)), m->counters);
    out = hed_keep(hed_reshape(mixed, hed__vsa_joined(hed__vsa_batch_shape(m->v, addresses), m->v->shape)));
  }
  return hed__vsa_out(out);
}
