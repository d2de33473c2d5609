// SPDX-License-Identifier: BSD-3-Clause
/* Random operands for kernels, and comparison of what two kernels made of them: shared by the tests
 * of the cpu module. Header only. */
#ifndef HED_TESTS_CPU_ROWS_H
#define HED_TESTS_CPU_ROWS_H

#include "backends/reference/kernels.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "gen.h"
#include "mock_host.h"
#include "tap.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct operand {
  hed_view v;
  char *buffer;
  size_t bytes;
} operand;

/* Room for DTYPE elements of a shape in some layout: C order when TIDY. */
static inline operand operand_new(gen *g, int dtype, int ndim, const int64_t *dim, bool tidy)
{
  operand o = { .v = { .dtype = dtype, .ndim = ndim } };
  gen_layout l;
  size_t size = (size_t)hed__id_size(dtype);
  if (tidy)
    gen_layout_c(ndim, dim, size, &l);
  else
    gen_layout_any(g, ndim, dim, size, gen_chance(g, 50), gen_chance(g, 50), &l);
  o.bytes = l.bytes;
  o.buffer = guard_alloc(l.bytes, size);
  memset(o.buffer, 0x5a, l.bytes);
  o.v.data = o.buffer + l.offset;
  memcpy(o.v.dim, dim, (size_t)ndim * sizeof *dim);
  memcpy(o.v.stride, l.stride, (size_t)ndim * sizeof *dim);
  return o;
}

static inline void operand_free(operand *o)
{
  if (!guard_free(o->buffer))
    fail("a kernel wrote outside of its operand");
  o->buffer = NULL;
}

static inline char *element_at(const hed_view *v, int64_t k)
{
  char *p = v->data;
  for (int32_t d = v->ndim - 1; d >= 0; d--) {
    p += k % v->dim[d] * v->stride[d];
    k /= v->dim[d];
  }
  return p;
}

static inline double complex element(const hed_view *v, int64_t k)
{
  double z[2];
  hed__cast(v->dtype, HED_ID_COMPLEX128)(1, (char *)z, 16, element_at(v, k), 0);
  return z[0] + I * z[1];
}

static inline void element_set(const hed_view *v, int64_t k, double complex z)
{
  const double p[2] = { creal(z), cimag(z) };
  hed__cast(HED_ID_COMPLEX128, v->dtype)(1, element_at(v, k), 0, (const char *)p, 16);
}

/* Values of a kind that exercises the dtype; SPECIAL: some NaN, infinities and zeros. */
static inline void operand_fill(gen *g, const operand *o, bool special, double low, double high)
{
  static const double odd[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0 };
  int64_t n = hed__view_size(&o->v);
  hed_kind kind = hed__id_kind(o->v.dtype);
  for (int64_t k = 0; k < n; k++) {
    if (kind < HED_KIND_FLOAT && kind != HED_KIND_BOOL) {
      uint64_t bits = gen_chance(g, 50) ? gen_u64(g) : gen_below(g, 16);
      memcpy(element_at(&o->v, k), &bits, (size_t)hed__id_size(o->v.dtype));
      continue;
    }
    double re = gen_double(g, low, high), im = gen_double(g, low, high);
    if (gen_chance(g, 20))
      re = round(re);
    if (special && gen_chance(g, 4))
      re = odd[gen_below(g, 5)];
    element_set(&o->v, k, kind == HED_KIND_BOOL ? (double)(re > 0) : re + I * im);
  }
}

static inline bool close_to(double a, double b, double rel, double abs)
{
  if (isnan(a) || isnan(b))
    return isnan(a) && isnan(b);
  if (a == b)
    return true;
  return fabs(a - b) <= abs + rel * fabs(b);
}

/* First element that differs, -1 when none does. */
static inline int64_t first_difference(const hed_view *a, const hed_view *b, double rel, double abs)
{
  int64_t n = hed__view_size(a);
  for (int64_t k = 0; k < n; k++) {
    double complex x = element(a, k), y = element(b, k);
    double size = abs + rel * cabs(y);
    bool parts = hed__id_kind(a->dtype) == HED_KIND_COMPLEX && isfinite(size);
    if (!close_to(creal(x), creal(y), rel, parts ? size : abs)
        || !close_to(cimag(x), cimag(y), rel, parts ? size : abs))
      return k;
  }
  return -1;
}

static inline const hed_op_entry *row_of(const hed_plugin *p, const char *name)
{
  for (const hed_op_entry *e = p->ops; e->name; e++)
    if (!strcmp(e->name, name))
      return e;
  return NULL;
}

#endif
