// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations: the loops of formulas.def, one thread. L1. */
#include "backends/reference/reference.h"
#include "base/formulas/formulas.h"
#include <heddle/ops.h>

static int32_t run(void *state, const hed_call *call, int op, const char *name)
{
  int compute = hed__formula_type(op, call->compute);
  const hed__formula *formula = &hed__formulas[op][compute];
  hed__map map = { .fn = formula->fn, .types = { formula->result } };
  int32_t first = hed__formula_first(op);
  if (!map.fn)
    return ref_host(state)->fail(HED_E_DTYPE, "%s: cannot compute in %s", name, hed__dtypes[compute]->name);
  for (int32_t k = 1; k <= call->n_in; k++)
    map.types[k] = k == 1 && first >= 0 ? first : compute;
  const hed__map_fn exact = call->n_in == 2 ? hed__formula_apart(op, call->in[0]->dtype, call->in[1]->dtype, map.types) : NULL;
  map.fn = exact ? exact : map.fn;
  hed__map_run(&map, call);
  return HED_OK;
}

#define HED_MAP(ID, name, domain, result, args, params, cost, doc) \
  REF_KERNEL(name)                                                 \
  {                                                                  \
    return run(state, call, HED_OP_##ID, #name);                     \
  }
#include <heddle/ops.def>
