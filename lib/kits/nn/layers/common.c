// SPDX-License-Identifier: BSD-3-Clause
/* Names and new parameters of layers.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/layers/layers.h"
#include <stdio.h>

hed_status hed__nn_name(const char *op, const char *prefix, const char *name, char *full)
{
  const int n = snprintf(full, HED__NN_NAME_ROOM, "%s%s%s", prefix ? prefix : "", prefix && *prefix ? "." : "", name);
  return n < HED__NN_NAME_ROOM ? HED_OK
                          : hed_fail(HED_E_INVAL, "%s: the prefix \"%.60s\"... is too long; a name has at most %d bytes", op, prefix,
                                     HED__NN_NAME_ROOM - 1);
}

hed_array *hed__nn_layer_weight(const char *op, const hed_nn_params *p, const char *prefix, const char *name, bool optional)
{
  char full[HED__NN_NAME_ROOM];
  if (!p) {
    (void)hed_fail(HED_E_INVAL, "%s: p is NULL", op);
    return NULL;
  }
  if (hed__nn_name(op, prefix, name, full) != HED_OK || (optional && hed_nn_params_find(p, full) < 0))
    return NULL;
  return hed_nn_params_get(p, full);
}

static hed_array *new_one(const hed__nn_new *one, hed_dtype t, hed_generator *g)
{
  if (one->count)
    return hed_full_int(one->shape, (int64_t)one->limit, HED_INT64);
  if (!one->drawn)
    return hed_full(one->shape, one->limit, t);
  return one->limit < 0 ? hed_random_normal(one->shape, t, &(hed_random){ .generator = g })
                        : hed_random_uniform(one->shape, t, &(hed_random){ .generator = g, .low = -one->limit, .high = one->limit });
}

hed_status hed__nn_layer_init(const char *op, hed_nn_params *p, const char *prefix, int n, const hed__nn_new *list, hed_dtype t,
                              const hed_random *r)
{
  char full[HED__NN_NAME_ROOM];
  hed_generator base = { 0, 0 };
  int done = 0;
  bool draws = false;
  if (!p || !t)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, p ? "the dtype" : "p");
  if (hed_dtype_kind(t) != HED_KIND_FLOAT)
    return hed_fail(HED_E_DTYPE, "%s: t is %s, no real floating type", op, hed_dtype_name(t));
  for (int k = 0; k < n; k++) {
    draws = draws || list[k].drawn;
    for (int d = 0; d < list[k].shape.ndim; d++)
      if (list[k].shape.dim[d] < 1)
        return hed_fail(HED_E_INVAL, "%s: extent %d of %s is %lld; it has to be at least 1", op, d, list[k].name,
                        (long long)list[k].shape.dim[d]);
  }
  hed_status status = draws ? hed_check_random_state(r, &base) : HED_OK;
  for (; done < n && status == HED_OK; done += status == HED_OK) {
    status = hed__nn_name(op, prefix, list[done].name, full);
    if (status == HED_OK && hed_nn_params_find(p, full) >= 0)
      status = hed_fail(HED_E_INVAL, "%s: there is a parameter \"%.100s\" already", op, full);
    if (status == HED_OK)
      HED_SCOPE_OR(status = hed_error()) {
        hed_generator g = { hed_fold_key(hed_fold_key(base.key, base.draw), hed__nn_hash(full)), 0 };
        const hed_array *x = new_one(&list[done], t, &g);
        status = x ? hed_nn_params_set(p, full, x) : hed_error();
      }
    if (status == HED_OK && list[done].buffer)
      status = hed_nn_params_set_role(p, full, HED_NN_BUFFER);
  }
  while (status != HED_OK && done > 0) {
    (void)hed__nn_name(op, prefix, list[--done].name, full);
    (void)hed_nn_params_remove(p, full);
  }
  return status;
}
