// SPDX-License-Identifier: BSD-3-Clause
/* Of the tests of the vsa kit: every backend in turn, models from text, arrays on the host. */
#ifndef HED_TESTS_VSA_H
#define HED_TESTS_VSA_H
#include "arrays.h"
#include "tap.h"
#include <heddle/kits/vsa.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const vsa_backends[] = { "reference", "cpu", "faulty" };
enum { VSA_BACKENDS = 3 };

/* F in a context of each backend that is there, in a scope. */
static inline void vsa_on_each(void (*f)(const char *backend))
{
  for (int k = 0; k < VSA_BACKENDS; k++) {
    if (hed_backend_require(vsa_backends[k]) != HED_OK) {
      skip(1, "%s: %s", vsa_backends[k], hed_error_text());
      continue;
    }
    hed_error_clear();
    HED_BACKEND_CONTEXT_OR(vsa_backends[k], bail("%s: %s", vsa_backends[k], hed_error_text())) f(vsa_backends[k]);
  }
}

static inline hed_vsa *vsa_model(const char *spec)
{
  hed_vsa *v = NULL;
  if (hed_vsa_by_name(spec, &v) != HED_OK)
    bail("%s: %s", spec, hed_error_text());
  return v;
}

static inline hed_random vsa_seed(uint64_t seed)
{
  return (hed_random){ .seed = seed, .seeded = true };
}

/* Does the backend in force compute what SPEC needs? */
static inline bool vsa_computes(const char *spec)
{
  return !strstr(spec, "float64") || hed_device_supports(NULL, "float64") == 1;
}

/* N random vectors (n, ..), owned by the scope. */
static inline hed_array *vsa_some(const hed_vsa *v, int64_t n, uint64_t seed)
{
  const hed_shape batch = HED_SHAPE(n);
  const hed_random r = vsa_seed(seed);
  hed_array *x = hed_vsa_random(v, &batch, &r);
  if (!x)
    bail("random vectors: %s", hed_error_text());
  return x;
}

/* The elements of X as doubles (of complex ones both parts), free() releases them; NULL when there is no X. */
static inline double *vsa_doubles(const hed_array *x)
{
  const bool is_complex = x && hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX;
  hed_array *host = hed_to(x, "reference"), *wide = NULL;
  HED_BACKEND_CONTEXT("reference") wide = hed_astype(host, is_complex ? HED_COMPLEX128 : HED_FLOAT64);
  const size_t bytes = hed_array_nbytes(wide);
  double *out = malloc(bytes + 1);
  if (!wide || !out || hed_to_host(wide, out, bytes) != HED_OK) {
    diag("no array: %s", hed_error_text());
    free(out);
    return NULL;
  }
  return out;
}

static inline double vsa_item(const hed_array *x)
{
  double d = NAN;
  if (!x || hed_item(x, &d) != HED_OK)
    diag("no number: %s", hed_error_text());
  return d;
}

#endif
