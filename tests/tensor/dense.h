// SPDX-License-Identifier: BSD-3-Clause
/* tensor/dense.h: what the tests of trains, PARAFAC2 and regressions share beside tensor.h: full tensors on the host, in
 * complex128 whatever the device can do, to compare with.
 *
 * Layer: L5.
 */
#ifndef HED_TESTS_TENSOR_DENSE_H
#define HED_TESTS_TENSOR_DENSE_H
#include "tensor.h"

typedef double complex cplx;

/* X on the host, in complex128. The caller releases. */
static inline hed_array *on_host(const hed_array *x)
{
  cplx *v = x ? tensor_elements(x) : NULL;
  hed_array *out = NULL;
  if (!v)
    bail("an array is missing: %s", hed_error_text());
  HED_BACKEND_CONTEXT_OR("reference", bail("reference: %s", hed_error_text()))
    out = hed_from_host(v, hed_array_shape(x), HED_COMPLEX128);
  free(v);
  return out;
}

static inline hed_array *host_array(const cplx *v, hed_shape s)
{
  hed_array *out = NULL;
  HED_BACKEND_CONTEXT_OR("reference", bail("reference: %s", hed_error_text()))
    out = hed_from_host(v, s, HED_COMPLEX128);
  return out;
}

/* Normal numbers, of complex types in both parts. */
static inline hed_array *random_array(gen *g, hed_shape s, hed_dtype t)
{
  cplx *v = tensor_values(g, elements_of(s), hed_dtype_kind(t) == HED_KIND_COMPLEX);
  hed_array *out = tensor_array(v, s, t);
  free(v);
  return out;
}

/* |a - b| / |b|, or |a - b| where b is 0; infinite where shapes differ. */
static inline double distance(const hed_array *a, const hed_array *b)
{
  const hed_shape s = hed_array_shape(a), t = hed_array_shape(b);
  if (!a || !b || s.ndim != t.ndim || memcmp(s.dim, t.dim, (size_t)s.ndim * sizeof s.dim[0]) != 0)
    return INFINITY;
  cplx *p = tensor_elements(a), *q = tensor_elements(b);
  double d = 0, n = 0;
  for (int64_t i = 0; i < hed_array_size(a); i++) {
    d += creal((p[i] - q[i]) * conj(p[i] - q[i]));
    n += creal(q[i] * conj(q[i]));
  }
  free(p);
  free(q);
  return n > 0 ? sqrt(d / n) : sqrt(d);
}

/* CALL fails with KIND, and its sentence contains PART. */
#define refused(call, kind, part)                                                   \
  do {                                                                              \
    const hed_status refused_ = (call);                                             \
    if (is_int(refused_, kind, "%s", #call))                                        \
      has_str(hed_error_text(), part, "its sentence");                              \
    hed_error_clear();                                                              \
  } while (0)

#endif
