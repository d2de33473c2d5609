// SPDX-License-Identifier: BSD-3-Clause
/* The calls of calls.def, and of rows of one or two operands and reductions, as functions; their operands. */
#ifndef HED_TESTS_CALLS_H
#define HED_TESTS_CALLS_H

#include "tap.h"

#include <heddle.h>
#include <string.h>

enum { N = 16384 };

static const hed_array *x, *y, *z, *v, *w, *c, *n, *m, *i, *rows, *points, *p, *up;
static hed_array *out[8];
static bool truth;

#define OK(status, result) ((status) == HED_OK ? (result) : NULL)
#define LIST(...) ((const hed_array *const[]){ __VA_ARGS__ })
#define KEYS(...) (int)(sizeof((const hed_key[]){ __VA_ARGS__ }) / sizeof(hed_key)), (const hed_key[]){ __VA_ARGS__ }

static const hed_array *numbers(const char *domain) { return strchr(domain, 'f') ? x : strchr(domain, 'i') ? n : z; }
static const hed_array *others(const char *domain) { return strchr(domain, 'f') ? y : n; }

#define HED_UNARY(ID, name, domain, result, cost, doc) \
  static const hed_array *call_##name(void) { return hed_##name(numbers(domain)); }
#define HED_BINARY(ID, name, domain, result, cost, doc) \
  static const hed_array *call_##name(void) { return hed_##name(numbers(domain), others(domain)); } \
  static const hed_array *scalar_##name(void) { return hed_##name##_scalar(numbers(domain), 3); }
#define HED_REDUCE(ID, name, domain, result, doc) \
  static const hed_array *call_##name(void) { return hed_##name(numbers(domain), NULL); }
#define HED_OP(...)
#include <heddle/ops.def>
#define HED_CALL(name, expression) static const hed_array *call_##name(void) { return expression; }
#define HED_CALL_TOO(name, form, expression) static const hed_array *call_##name##_##form(void) { return expression; }
#include "calls.def"

static const struct { const char *name, *form; const hed_array *(*fn)(void); const char *text; } calls[] = {
#define HED_UNARY(ID, name, domain, result, cost, doc) { #name, "", call_##name, "" },
#define HED_BINARY(ID, name, domain, result, cost, doc) { #name, "", call_##name, "" }, { #name, "scalar", scalar_##name, "" },
#define HED_REDUCE(ID, name, domain, result, doc) { #name, "", call_##name, "" },
#define HED_OP(...)
#include <heddle/ops.def>
#define HED_CALL(name, expression) { #name, "", call_##name, #expression },
#define HED_CALL_TOO(name, form, expression) { #name, #form, call_##name##_##form, #expression },
#include "calls.def"
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Real operands are of type REAL, float32 or float64, in a unit of which there are BY in the usual one, a power of two. */
static void make_operands(hed_dtype real, double by)
{
  static double wide[2 * N];
  static float narrow[2 * N];
  static int64_t whole[8192];
  static int32_t small[N];
  static bool half[N];
  for (int k = 0; k < 2 * N; k++)
    wide[k] = (double)(narrow[k] = 0.1f + 0.8f * (float)((k * 7919 + 13) % 10007) / 10007);
  for (int k = 0; k < N; k++) {
    small[k] = (k * 31 + k / 128 + 7) % 128;
    half[k] = k % 2;
  }
  for (int k = 0; k < 8192; k++)
    whole[k] = small[k];
  const bool doubles = real == HED_FLOAT64; /* which a device may lack */
  const void *data = doubles ? (const void *)wide : narrow;
  const hed_array *one = hed_from_host(data, HED_SHAPE(2, 128, 128), real);
  const hed_array *both = hed_multiply_scalar(one, by);
  x = hed_index(both, 0, 0);
  y = hed_index(both, 0, 1);
  z = hed_multiply_scalar(hed_from_host(data, HED_SHAPE(64, 128), doubles ? HED_COMPLEX128 : HED_COMPLEX64), by);
  n = hed_from_host(small, HED_SHAPE(128, 128), HED_INT32);
  m = hed_from_host(half, HED_SHAPE(128, 128), HED_BOOL);
  i = hed_from_host(whole, HED_SHAPE(8192), HED_INT64);
  rows = hed_from_host(whole, HED_SHAPE(4096, 2), HED_INT64);
  points = hed_reshape(x, HED_SHAPE(2048, 8));
  v = hed_reshape(x, HED_SHAPE(N));
  w = hed_reshape(y, HED_SHAPE(N));
  c = hed_reshape(x, HED_SHAPE(16, 32, 32));
  const hed_array *first = hed_index(one, 0, 0);
  p = hed_multiply_scalar(hed_add(hed_matmul(first, hed_matrix_transpose(first)),
                                  hed_multiply_scalar(hed_eye(128, 128, 0, real), 128)), by);
  up = hed_sort(v, NULL);
  if (!c || !points || !up || !p || hed_wait(up) != HED_OK || hed_wait(p) != HED_OK)
    bail("operands: %s", hed_error_text());
}

#endif
