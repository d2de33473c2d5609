// SPDX-License-Identifier: BSD-3-Clause
/* The statements of failing.def as jobs: row_NAME(). ROW_OPERANDS: the includer has said what the operands X, M, V, Z and I are. */
#ifndef HED_TESTS_CONFORM_ROWS_H
#define HED_TESTS_CONFORM_ROWS_H

#include "conform.h"

static hed_array *of(run *r, int k, hed_dtype t, hed_shape s) { return operand_of(r, k, t, s, r->c->low, r->c->high); }

static void put_list(run *r, hed_status status, int n, hed_array *const *list)
{
  for (int k = 0; k < n; k++)
    put_status(r, status, status == HED_OK ? list[k] : NULL);
}

#ifndef ROW_OPERANDS
#  define X(k) of(r, k, HED_FLOAT32, HED_SHAPE(4, 5, 6))
#  define M(k) of(r, k, HED_FLOAT32, HED_SHAPE(4, 4))
#  define V(k) of(r, k, HED_FLOAT32, HED_SHAPE(4))
#  define Z(k) of(r, k, HED_COMPLEX64, HED_SHAPE(4, 4))
#  define I(k) of(r, k, HED_INT32, HED_SHAPE(4))
#endif
#define SEED &(hed_random){ .seed = 1, .seeded = true }
#define ONE(call) put(r, call)
#define LIST(n, call)                  \
  hed_array *out[4] = { NULL };        \
  const hed_status got = call;         \
  put_list(r, got, n, out)
#define HED_ROW(name, low, high, ...) static void row_##name(run *r) { __VA_ARGS__; }
#include "failing.def"
#undef HED_ROW

#endif
