// SPDX-License-Identifier: BSD-3-Clause
/* lib/base/map: random shapes, strides, dtypes and partitions against index arithmetic written out.
 *
 * The loop under test counts what it is given, so a driver that visits an element twice or not at all is seen.
 */
#include "base/dtype.h"
#include "base/map.h"
#include "gen.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3000 };

static gen g;
static int64_t visited;

/* float64 = 2 * int32 + float64 */
static void twice_plus(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  visited += n;
  for (int64_t i = 0; i < n; i++)
    *(double *)(p[0] + i * s[0]) =
        *(const double *)params * *(int32_t *)(p[1] + i * s[1]) + *(double *)(p[2] + i * s[2]);
}

typedef struct operand {
  hed_view view;
  void *buffer;
} operand;

/* An operand of DIM, or broadcast to it, in guarded memory. */
static operand make(int dtype, int ndim, const int64_t *dim, bool repeats)
{
  operand o = { .view = { .dtype = dtype, .ndim = ndim } };
  int64_t held[GEN_MAX_NDIM];
  gen_layout l;
  for (int k = 0; k < ndim; k++)
    held[k] = repeats && gen_chance(&g, 25) ? 1 : dim[k];
  size_t size = (size_t)hed__id_size(dtype);
  if (gen_chance(&g, 40))
    gen_layout_c(ndim, held, size, &l);
  else
    gen_layout_any(&g, ndim, held, size, true, true, &l);
  o.buffer = guard_alloc(l.bytes ? l.bytes : 1, 16);
  memset(o.buffer, 0, l.bytes);
  o.view.data = (char *)o.buffer + l.offset;
  for (int k = 0; k < ndim; k++) {
    o.view.dim[k] = dim[k];
    o.view.stride[k] = held[k] == dim[k] ? l.stride[k] : 0;
  }
  return o;
}

static char *at(const hed_view *v, int64_t k)
{
  char *p = v->data;
  for (int i = v->ndim - 1; i >= 0; i--) {
    p += k % v->dim[i] * v->stride[i];
    k /= v->dim[i];
  }
  return p;
}

/* The few dtypes that operands have here, read and written without the conversion loops. */
static const int dtypes[] = { HED_ID_INT8, HED_ID_INT32, HED_ID_FLOAT32, HED_ID_FLOAT64 };

static double get(const hed_view *v, int64_t k)
{
  char *p = at(v, k);
  switch (v->dtype) {
  case HED_ID_INT8: return *(int8_t *)p;
  case HED_ID_INT32: return *(int32_t *)p;
  case HED_ID_FLOAT32: return *(float *)p;
  default: return *(double *)p;
  }
}

static void set(const hed_view *v, int64_t k, int value)
{
  char *p = at(v, k);
  switch (v->dtype) {
  case HED_ID_INT8: *(int8_t *)p = (int8_t)value; break;
  case HED_ID_INT32: *(int32_t *)p = value; break;
  case HED_ID_FLOAT32: *(float *)p = (float)value; break;
  default: *(double *)p = value;
  }
}

static int64_t total_of(int64_t n, const double *x)
{
  int64_t bad = 0;
  for (int64_t i = 0; i < n; i++)
    bad += x[i] != 0;
  return bad;
}

static void trial(int64_t *wrong, int64_t *unvisited, int64_t *outside)
{
  static double error[MOST];
  int64_t dim[GEN_MAX_NDIM];
  int ndim = gen_shape(&g, 5, gen_chance(&g, 20) ? 700 : 9, MOST, true, dim);
  operand out = make(dtypes[gen_below(&g, 4)], ndim, dim, false);
  operand a = make(dtypes[gen_below(&g, 4)], ndim, dim, true), b = make(dtypes[gen_below(&g, 4)], ndim, dim, true);
  int64_t n = 1;
  for (int k = 0; k < ndim; k++)
    n *= dim[k];
  for (int64_t i = 0; i < n; i++) {
    set(&a.view, i, (int)gen_int(&g, -20, 20));
    set(&b.view, i, (int)gen_int(&g, -20, 20));
  }
  double factor = 2;
  const hed_view *in[] = { &a.view, &b.view }, *outs[] = { &out.view };
  hed_call call = { .struct_size = sizeof call, .n_in = 2, .n_out = 1, .in = in, .out = outs, .params = &factor };
  hed__map map = { twice_plus, { HED_ID_FLOAT64, HED_ID_INT32, HED_ID_FLOAT64 } };
  int parts = (int)gen_int(&g, 0, 5);
  visited = 0;
  if (parts == 0)
    hed__map_run(&map, &call);
  for (int part = parts - 1; part >= 0; part--)
    hed__map_run_part(&map, &call, part, parts);
  for (int64_t i = 0; i < n; i++)
    error[i] = get(&out.view, i) - (2 * get(&a.view, i) + get(&b.view, i));
  *wrong += total_of(n, error);
  *unvisited += visited != n;
  *outside += !guard_free(out.buffer) + !guard_free(a.buffer) + !guard_free(b.buffer);
}

static void in_place(void)
{
  int wrong = 0;
  for (int dtype = 0; dtype < 4; dtype++) {
    int64_t dim[2] = { 7, 90 };
    operand x = make(dtypes[dtype], 2, dim, false);
    for (int64_t i = 0; i < 630; i++)
      set(&x.view, i, (int)(i % 30));
    double factor = 2;
    const hed_view *in[] = { &x.view, &x.view }, *outs[] = { &x.view };
    hed_call call = { .struct_size = sizeof call, .n_in = 2, .n_out = 1, .in = in, .out = outs, .params = &factor };
    hed__map_run(&(hed__map){ twice_plus, { HED_ID_FLOAT64, HED_ID_INT32, HED_ID_FLOAT64 } }, &call);
    for (int64_t i = 0; i < 630; i++)
      wrong += get(&x.view, i) != (double)(3 * (i % 30));
    wrong += !guard_free(x.buffer);
  }
  is_int(wrong, 0, "the result may be an operand, with and without conversion");
}

int main(void)
{
  int64_t wrong = 0, unvisited = 0, outside = 0;
  gen_seed(&g, tap_seed());
  for (int k = 0; k < 3000; k++)
    trial(&wrong, &unvisited, &outside);
  is_int(wrong, 0, "elements of random maps");
  is_int(unvisited, 0, "every element is visited once");
  is_int(outside, 0, "nothing outside the operands is written");
  in_place();
  return done();
}
