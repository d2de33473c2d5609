// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend's box maximum against a search of every box; the rule for even boxes and constant borders was
 * checked with scipy.ndimage.maximum_filter(mode="constant"), whose answers are in scipy().
 */
#include "kernel.h"

int32_t ref_maximum_filter(void *state, const hed_call *call);

static int32_t filter(operand *out, operand *in, int64_t size, double cval)
{
  hed_box_params p = { .size = size, .cval = cval };
  return kernel_call(ref_maximum_filter, HED_OP_MAXIMUM_FILTER, in->view.dtype, &p, 1, &out, 1, &in);
}

/* Element K as long double: exact for every type here. */
static long double value(const operand *o, int64_t k)
{
  double re, im;
  if (o->view.dtype == HED_ID_UINT64)
    return (long double)(uint64_t)operand_get_int(o, k);
  if (o->view.dtype < HED_ID_FLOAT16)
    return (long double)operand_get_int(o, k);
  operand_get(o, k, &re, &im);
  return re;
}

static long double search(const operand *x, int64_t at, int64_t size, long double cval)
{
  int ndim = x->view.ndim;
  int64_t centre[4], offset[4], low = -(size / 2), high = (size - 1) / 2;
  long double best = -INFINITY;
  for (int k = ndim - 1; k >= 0; at /= x->view.dim[k], k--) {
    centre[k] = at % x->view.dim[k];
    offset[k] = low;
  }
  for (;;) {
    int64_t index = 0;
    bool inside = true;
    int k = ndim - 1;
    for (int q = 0; q < ndim; q++) {
      int64_t i = centre[q] + offset[q];
      inside = inside && i >= 0 && i < x->view.dim[q];
      index = index * x->view.dim[q] + i;
    }
    long double v = inside ? value(x, index) : cval;
    if (isnan(v))
      return v;
    best = v > best ? v : best;
    while (k >= 0 && offset[k] == high)
      offset[k--] = low;
    if (k < 0)
      return best;
    offset[k]++;
  }
}

static void many(gen *g, int count)
{
  static const int types[] = { HED_ID_BOOL, HED_ID_INT8, HED_ID_INT16, HED_ID_INT32, HED_ID_INT64, HED_ID_UINT8,
                               HED_ID_UINT16, HED_ID_UINT32, HED_ID_UINT64, HED_ID_FLOAT32, HED_ID_FLOAT64 };
  for (int t = 0; t < count; t++) {
    int dtype = types[t % 11], ndim = (int)gen_int(g, 1, 3);
    int64_t dim[4], size = gen_int(g, 1, gen_chance(g, 15) ? 30 : 6);
    double cval = gen_chance(g, 40) ? -INFINITY : gen_chance(g, 50) ? 0 : 1;
    for (int k = 0; k < ndim; k++)
      dim[k] = gen_int(g, 1, ndim == 1 ? 60 : 9);
    operand x = operand_new(gen_chance(g, 70) ? g : NULL, dtype, ndim, dim);
    operand y = operand_new(gen_chance(g, 70) ? g : NULL, dtype, ndim, dim);
    for (int64_t k = 0; k < x.n; k++)
      if (dtype == HED_ID_BOOL)
        operand_set_int(&x, k, gen_chance(g, 10));
      else if (dtype < HED_ID_FLOAT16)
        operand_set_int(&x, k, (int64_t)gen_u64(g));
      else
        operand_set(&x, k, gen_chance(g, 3) ? NAN : gen_double(g, -2, 2), 0);
    int32_t status = filter(&y, &x, size, cval);
    int64_t wrong = -1;
    for (int64_t k = 0; k < x.n && wrong < 0; k++) {
      long double want = search(&x, k, size, cval), got = value(&y, k);
      if (!(got == want || (isnan(got) && isnan(want))))
        wrong = k;
    }
    ok(status == HED_OK && wrong < 0, "%s, %d axes, box %d, outside %g: first wrong element %d", kernel_name[dtype], ndim,
       (int)size, cval, (int)wrong);
    if (t % 3 == 0) {
      filter(&x, &x, size, cval);
      bool same = true;
      for (int64_t k = 0; k < x.n; k++)
        same = same && memcmp(operand_at(&x, k), operand_at(&y, k), (size_t)kernel_size[dtype]) == 0;
      ok(same, "the same in place");
    }
    ok(operand_free(&x) && operand_free(&y), "nothing else written");
  }
}

static void scipy(void)
{
  static const double x[7] = { 0, 0, 0, 5, 0, 0, 0 };
  static const double odd[7] = { 0, 0, 5, 5, 5, 0, 0 };
  int64_t n = 7;
  operand a = operand_new(NULL, HED_ID_FLOAT64, 1, &n), b = operand_new(NULL, HED_ID_FLOAT64, 1, &n);
  memcpy(a.memory, x, sizeof x);
  filter(&b, &a, 3, 0);
  is_mem(b.memory, odd, sizeof odd, "box 3");
  filter(&b, &a, 4, 0);
  const double four[7] = { 0, 0, 5, 5, 5, 5, 0 };
  is_mem(b.memory, four, sizeof four, "box 4: two before, one after");
  filter(&b, &a, 2, 0);
  const double two[7] = { 0, 0, 0, 5, 5, 0, 0 };
  is_mem(b.memory, two, sizeof two, "box 2: one before");
  filter(&b, &a, 4, 1);
  const double border[7] = { 1, 1, 5, 5, 5, 5, 1 };
  is_mem(b.memory, border, sizeof border, "box 4, 1 outside");
  operand_free(&a);
  operand_free(&b);
}

static int32_t starved(void *arg)
{
  operand *x = arg;
  return filter(&x[0], &x[1], 3, 0);
}

static void edges(void)
{
  int64_t dim[2] = { 4, 3 }, none[2] = { 4, 0 };
  operand x[2] = { operand_new(NULL, HED_ID_INT8, 2, dim), operand_new(NULL, HED_ID_INT8, 2, dim) };
  memset(x[1].memory, 0x80, 12);
  is_int(filter(&x[0], &x[1], INT64_MAX, 1e9), HED_OK, "the largest box");
  is_int(*(int8_t *)x[0].memory, 127, "the value outside is limited to the dtype's range");
  is_int(filter(&x[0], &x[1], 3, -1e9), HED_OK, "a value outside below the range");
  is_int(*(int8_t *)x[0].memory, -128, "does not show");
  is_int(filter(&x[0], &x[1], 0, 0), HED_E_INVAL, "an empty box");
  has_str(kernel_text, "maximum_filter: size is 0", "sentence");
  kernel_starve(starved, x, 4);
  operand_free(&x[0]);
  operand_free(&x[1]);
  operand e = operand_new(NULL, HED_ID_FLOAT32, 2, none), f = operand_new(NULL, HED_ID_FLOAT32, 2, none);
  is_int(filter(&e, &f, 3, 0), HED_OK, "an empty array");
  operand_free(&e);
  operand_free(&f);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  many(&g, 220);
  scipy();
  edges();
  return done();
}
