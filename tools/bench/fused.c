// SPDX-License-Identifier: BSD-3-Clause
/* Suite "elementwise", expressions of several operations in one pass (heddle/fuse.h).
 *
 * Layer: L5. The floor reads the operands once and writes the result once.
 */
#include "bench.h"

#define A w->a[0]
#define B w->a[1]
#define C w->a[2]

/* Two operations, the first of whose results is wanted for nothing else. */
static hed_array *then(hed_array *first, hed_array *second)
{
  hed_release(first);
  return second;
}

static hed_array *muladd(const bench_work *w)
{
  hed_array *t = hed_multiply(A, B);
  return then(t, hed_add(t, C));
}

static hed_array *sum_muladd(const bench_work *w)
{
  hed_array *t = muladd(w);
  return then(t, hed_sum(t, NULL));
}

static hed_array *var_muladd(const bench_work *w)
{
  hed_array *t = muladd(w);
  return then(t, hed_var(t, NULL));
}

static hed_array *argmax_muladd(const bench_work *w)
{
  hed_array *t = muladd(w);
  return then(t, hed_argmax(t, NULL));
}

static hed_array *where_exp(const bench_work *w)
{
  hed_array *large = hed_greater_scalar(A, 1), *e = hed_exp(A), *y = hed_where_scalar(large, e, 0);
  return then(large, then(e, y));
}

/* sqrt(((a b + c) a - b) c + 2) 0.5 + a - b */
static hed_array *chain10(const bench_work *w)
{
  hed_array *t = muladd(w);
  t = then(t, hed_multiply(t, A));
  t = then(t, hed_subtract(t, B));
  t = then(t, hed_multiply(t, C));
  t = then(t, hed_add_scalar(t, 2));
  t = then(t, hed_sqrt(t));
  t = then(t, hed_multiply_scalar(t, 0.5));
  t = then(t, hed_add(t, A));
  return then(t, hed_subtract(t, B));
}

/* (a b + c) a - b in an array that is there already. */
static hed_array *chain_into(const bench_work *w)
{
  hed_array *y = w->a[3];
  const bool good = hed_multiply_into(y, A, B) == HED_OK && hed_add_into(y, y, C) == HED_OK &&
                    hed_multiply_into(y, y, A) == HED_OK && hed_subtract_into(y, y, B) == HED_OK;
  return good ? hed_retain(y) : NULL;
}

typedef struct expression {
  const char *name;
  hed_array *(*make)(const bench_work *w);
  int read;
  double out, flops; /* results and flops per element */
} expression;

static const expression expressions[] = {
  { "fused_muladd", muladd, 3, 1, 2 },
  { "fused_sum_muladd", sum_muladd, 3, 0, 3 },
  { "fused_into", chain_into, 3, 1, 4 },
  { "fused_var", var_muladd, 3, 0, 6 },
  { "fused_argmax", argmax_muladd, 3, 0, 3 },
  { "fused_where_exp", where_exp, 1, 1, 22 },
  { "fused_chain10", chain10, 3, 1, 19 },
};

static hed_status run(bench_work *w, int64_t n)
{
  const expression *e = w->spec->what;
  hed_error_clear(); /* the end of a scope reports nowhere else */
  for (int64_t i = 0; i < n; i++) {
    hed_array *y = NULL;
    HED_FUSED
      y = e->make(w);
    if (!y)
      return hed_error();
    hed_release(y);
  }
  return hed_error();
}

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const expression *e = s->what;
  double bytes = (double)hed_dtype_size(s->dtype) * (double)s->dim[0];
  for (int k = 0; k < 4; k++)
    w->a[k] = bench_values(s, HED_SHAPE(s->dim[0]));
  hed_status status = bench_have(w, 4);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, A);
  w->run = run;
  w->read = e->read * bytes;
  w->written = e->out * bytes;
  w->flops = e->flops * (double)s->dim[0];
  return bench_floor_stream(w);
}

void bench_list_fused(bench *b)
{
  static const struct { const char *size; int64_t n; } sizes[] = { { "1e3", 1000 }, { "1e5", 100000 }, { "1e7", 10000000 } };
  for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++)
      for (int wide = 0; wide < 2; wide++) {
        bench_spec s = { .suite = "elementwise", .name = expressions[i].name, .what = &expressions[i], .prepare = prepare,
                         .dim = { sizes[z].n }, .dtype = wide ? HED_FLOAT64 : HED_FLOAT32 };
        snprintf(s.size, sizeof s.size, "%s", sizes[z].size);
        bench_add(b, &s, false);
      }
}
