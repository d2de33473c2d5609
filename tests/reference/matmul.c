// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend's matrix products against plain triple loops in long double and in integers. */
#include "kernel.h"

int32_t ref_matmul(void *state, const hed_call *call);

static int32_t product(operand *c, operand *a, operand *b, int compute)
{
  operand *ins[2] = { a, b };
  return kernel_call(ref_matmul, HED_OP_MATMUL, compute, NULL, 1, &c, 2, ins);
}

/* Index in C order of element (batch of C, R, K) of X, whose batch axes are C's or 1. */
static int64_t element(const operand *x, const operand *c, int64_t batch, int64_t r, int64_t k)
{
  int64_t index = 0, place[GEN_MAX_NDIM];
  int ndim = c->view.ndim;
  for (int q = ndim - 3; q >= 0; batch /= c->view.dim[q], q--)
    place[q] = x->view.dim[q] == 1 ? 0 : batch % c->view.dim[q];
  for (int q = 0; q < ndim - 2; q++)
    index = index * x->view.dim[q] + place[q];
  return (index * x->view.dim[ndim - 2] + r) * x->view.dim[ndim - 1] + k;
}

static void floats(gen *g, int count)
{
  static const int types[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_COMPLEX64, HED_ID_COMPLEX128 };
  for (int t = 0; t < count; t++) {
    int dtype = types[gen_below(g, 4)], ndim = (int)gen_int(g, 2, 4);
    int64_t m = gen_int(g, 1, t % 5 ? 12 : 80), k = gen_int(g, t % 7 ? 1 : 0, t % 4 ? 12 : 300);
    int64_t n = gen_int(g, 1, t % 6 ? 12 : 150), batch = 1, da[4], db[4], dc[4];
    for (int q = 0; q < ndim - 2; q++) {
      da[q] = db[q] = dc[q] = gen_int(g, 1, 3);
      batch *= dc[q];
      *(gen_chance(g, 50) ? &da[q] : &db[q]) = gen_chance(g, 30) ? 1 : dc[q];
    }
    da[ndim - 2] = dc[ndim - 2] = m;
    da[ndim - 1] = db[ndim - 2] = k;
    db[ndim - 1] = dc[ndim - 1] = n;
    operand a = operand_new(gen_chance(g, 60) ? g : NULL, dtype, ndim, da);
    operand b = operand_new(gen_chance(g, 60) ? g : NULL, dtype, ndim, db);
    operand c = operand_new(gen_chance(g, 60) ? g : NULL, dtype, ndim, dc);
    operand_random(g, &a);
    operand_random(g, &b);
    int32_t status = product(&c, &a, &b, dtype);
    double worst = 0, limit = dtype == HED_ID_FLOAT32 || dtype == HED_ID_COMPLEX64 ? 2e-7 : 2e-15;
    for (int64_t e = 0; e < c.n; e++) {
      int64_t at = e / (m * n), i = e / n % m, j = e % n;
      long double re = 0, im = 0, size = 1e-30L;
      for (int64_t q = 0; q < k; q++) {
        double x, xi, y, yi;
        operand_get(&a, element(&a, &c, at, i, q), &x, &xi);
        operand_get(&b, element(&b, &c, at, q, j), &y, &yi);
        re += (long double)x * y - (long double)xi * yi;
        im += (long double)x * yi + (long double)xi * y;
        size += fabsl((long double)x * y) + fabsl((long double)xi * yi) + fabsl((long double)x * yi)
                + fabsl((long double)xi * y);
      }
      double u, v;
      operand_get(&c, e, &u, &v);
      worst = fmax(worst, (double)((fabsl(u - re) + fabsl(v - im)) / size));
    }
    ok(status == HED_OK && worst < limit, "%s (%d x %d)(%d x %d), batch %d: error %.2g of the terms", kernel_name[dtype],
       (int)m, (int)k, (int)k, (int)n, (int)batch, worst);
    ok(operand_free(&a) && operand_free(&b) && operand_free(&c), "nothing else written");
  }
}

static void integers(gen *g)
{
  for (int dtype = HED_ID_BOOL; dtype <= HED_ID_UINT64; dtype++) {
    int64_t m = 35, k = 140, n = 70, da[2] = { m, k }, db[2] = { k, n }, dc[2] = { m, n };
    operand a = operand_new(g, dtype, 2, da), b = operand_new(g, dtype, 2, db), c = operand_new(g, dtype, 2, dc);
    bool same = true;
    for (int64_t i = 0; i < m * k; i++)
      operand_set_int(&a, i, dtype == HED_ID_BOOL ? gen_chance(g, 5) : (int64_t)gen_u64(g));
    for (int64_t i = 0; i < k * n; i++)
      operand_set_int(&b, i, dtype == HED_ID_BOOL ? gen_chance(g, 5) : (int64_t)gen_u64(g));
    int32_t status = product(&c, &a, &b, dtype);
    operand want = operand_new(NULL, dtype, 2, dc);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) {
        uint64_t sum = 0;
        for (int64_t q = 0; q < k; q++)
          sum += (uint64_t)operand_get_int(&a, i * k + q) * (uint64_t)operand_get_int(&b, q * n + j);
        operand_set_int(&want, i * n + j, dtype == HED_ID_BOOL ? sum != 0 : (int64_t)sum);
        same = same && operand_get_int(&want, i * n + j) == operand_get_int(&c, i * n + j);
      }
    ok(status == HED_OK && same, "%s wraps", kernel_name[dtype]);
    ok(operand_free(&a) && operand_free(&b) && operand_free(&c) && operand_free(&want), "nothing else written");
  }
}

/* float32 is summed in double: 1 + many tiny terms keeps them. */
static void accumulation(void)
{
  int64_t k = 1 << 14, da[2] = { 1, k }, db[2] = { k, 1 }, dc[2] = { 1, 1 };
  operand a = operand_new(NULL, HED_ID_FLOAT32, 2, da), b = operand_new(NULL, HED_ID_FLOAT32, 2, db);
  operand c = operand_new(NULL, HED_ID_FLOAT32, 2, dc);
  for (int64_t i = 0; i < k; i++) {
    operand_set(&a, i, i ? 0x1p-26 : 1, 0);
    operand_set(&b, i, 1, 0);
  }
  product(&c, &a, &b, HED_ID_FLOAT32);
  is_near((double)*(float *)c.memory, 1 + (double)(k - 1) * 0x1p-26, 1e-7, 0, "terms below an ulp add up");
  operand_free(&a);
  operand_free(&b);
  operand_free(&c);
}

static int32_t starved(void *arg)
{
  operand *x = arg;
  return product(&x[0], &x[1], &x[2], HED_ID_FLOAT64);
}

int main(void)
{
  int64_t dim[2] = { 3, 3 };
  gen g;
  gen_seed(&g, tap_seed());
  floats(&g, 120);
  integers(&g);
  accumulation();
  operand x[3];
  for (int k = 0; k < 3; k++) {
    x[k] = operand_new(NULL, HED_ID_FLOAT64, 2, dim);
    operand_random(&g, &x[k]);
  }
  kernel_starve(starved, x, 1);
  for (int k = 0; k < 3; k++)
    operand_free(&x[k]);
  return done();
}
