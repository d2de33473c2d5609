// SPDX-License-Identifier: BSD-3-Clause
/* Random elements: the host's own formulas, compiled for the device, element by element. L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_random.h"
#include "base/dtype.h"
#include "base/random/random.h"
#include <stdio.h>

/* How many elements a block of Philox makes; 0: an item makes one element, trying until one is good. */
typedef struct kind {
  const char *name;
  int32_t wide, narrow;        /* of 64 bits, of less */
} kind;

static const kind kinds[HED_RANDOM_KIND_COUNT_] = {
  [HED_RANDOM_BITS] = { "bits", 2, 4 }, [HED_RANDOM_UNIFORM] = { "uniform", 2, 4 }, [HED_RANDOM_NORMAL] = { "normal", 2, 4 },
  [HED_RANDOM_INTEGERS] = { "integers", 2, 2 }, [HED_RANDOM_EXPONENTIAL] = { "exponential", 2, 2 },
  [HED_RANDOM_LAPLACE] = { "laplace", 2, 2 }, [HED_RANDOM_LOGISTIC] = { "logistic", 2, 2 },
  [HED_RANDOM_GUMBEL] = { "gumbel", 2, 2 }, [HED_RANDOM_CAUCHY] = { "cauchy", 2, 2 },
  [HED_RANDOM_BERNOULLI] = { "bernoulli", 2, 2 }, [HED_RANDOM_BIPOLAR] = { "bipolar", 2, 2 },
  [HED_RANDOM_PHASOR] = { "phasor", 2, 2 }, [HED_RANDOM_TRUNCATED_NORMAL] = { "truncated_normal", 0, 0 },
  [HED_RANDOM_GAMMA] = { "gamma", 0, 0 }, [HED_RANDOM_BETA] = { "beta", 0, 0 },
  [HED_RANDOM_CHI_SQUARED] = { "chi_squared", 0, 0 }, [HED_RANDOM_STANDARD_T] = { "standard_t", 0, 0 },
  [HED_RANDOM_POISSON] = { "poisson", 0, 0 }, [HED_RANDOM_BINOMIAL] = { "binomial", 0, 0 },
};

/* Parameters by element are checked one by one, on the host. */
static bool can(const dev_device *d, const hed_call *c)
{
  const hed_random_params *p = c->params;
  const bool real = hed__id_kind(c->out[0]->dtype) != HED_KIND_COMPLEX;
  const bool plain = p->kind == HED_RANDOM_BITS || p->kind == HED_RANDOM_INTEGERS || p->kind == HED_RANDOM_NORMAL ||
                     (p->kind == HED_RANDOM_UNIFORM && p->a == 0 && p->b == 1);
  if (!real && p->kind != HED_RANDOM_NORMAL && p->kind != HED_RANDOM_UNIFORM && p->kind != HED_RANDOM_PHASOR)
    return false;
  return c->n_in == 0 && p->kind >= 0 && p->kind < HED_RANDOM_KIND_COUNT_ && (d->limits.float64 || plain);
}

int32_t dev_random_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_random_params *p = c->params;
  const hed_view *out = c->out[0];
  const bool parts = hed__id_kind(out->dtype) == HED_KIND_COMPLEX && p->kind != HED_RANDOM_PHASOR; /* elements 2 i and 2 i + 1 */
  const int32_t dtype = parts ? hed__real_of(out->dtype) : out->dtype;
  dev_spec spec = dev_spec_of("random", dtype);
  dev_pack packed;
  dev_submit q;
  char name[48], only[DEV_ROW_NAME];
  void *entry, *scratch = NULL;
  if (!can(d, c))
    return HED_E_UNSUPPORTED;
  const kind *k = &kinds[p->kind];
  const int64_t n = hed__view_size(out) * (parts ? 2 : 1), per = hed__id_size(dtype) >= 8 ? k->wide : k->narrow;
  const hed__random_args a = {
    .n = n, .key = p->key, .draw = p->draw, .a = dev_number_bits(d, p->a), .b = dev_number_bits(d, p->b),
    .limit = dev_number_bits(d, p->kind == HED_RANDOM_UNIFORM ? hed__random_limit(dtype, p->a, p->b) : 0),
    .unit = p->a == 0 && p->b == 1, .low = p->low, .span = p->span,
  };
  snprintf(name, sizeof name, "random_%s", k->name);
  spec.only = dev_row_name(only, k->name);
  int32_t status = dev_kernel(d, &spec, name, &entry);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &packed, out, !hed__is_c_contiguous(out), true);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  if (packed.needed)
    status = dev_submit_scratch(&q, packed.bytes, &scratch);
  char *at = scratch;
  dev_pack_out(&packed, &at);
  if (status == HED_OK)
    status = dev_submit_items(&q, entry, (uint64_t)(per ? (n + per - 1) / per : n), per ? 1 : 3,
                              (void *[]){ packed.data, packed.data, packed.data }, &a, sizeof a);
  if (status == HED_OK)
    status = dev_pack_finish(&q, &packed);
  return dev_submit_end(&q, status, c->ticket);
}
