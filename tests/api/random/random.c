// SPDX-License-Identifier: BSD-3-Clause
/* Random arrays: what a call takes from its seed or from the context's stream, and what it refuses. */
#include "api.h"
#include <math.h>

static bool same(hed_array *a, hed_array *b)
{
  hed_array *e = hed_equal(a, b), *all = hed_all(e, NULL);
  double v = 0;
  hed_item(all, &v);
  RELEASE(a, b, e, all);
  return v == 1;
}

static void draws(const char *backend)
{
  diag("draws on %s", backend);
  hed_random seed = { .seed = 7, .seeded = true }, other = { .seed = 8, .seeded = true };
  hed_shape s = HED_SHAPE(5, 3);
  ok(same(hed_random_normal(s, HED_FLOAT32, &seed), hed_random_normal(s, HED_FLOAT32, &seed)), "a seed repeats");
  ok(!same(hed_random_normal(s, HED_FLOAT32, &seed), hed_random_normal(s, HED_FLOAT32, &other)), "another does not");
  ok(!same(hed_random_normal(s, HED_FLOAT32, NULL), hed_random_normal(s, HED_FLOAT32, NULL)), "the stream moves on");
  hed_array *a = NULL, *b = NULL, *c = NULL;
  HED_BACKEND_CONTEXT(";seed=3")
    a = hed_random_uniform(s, HED_FLOAT64, NULL);
  HED_BACKEND_CONTEXT(";seed=3") {
    /* refused calls take nothing from the stream */
    API_NULL(hed_random_normal(s, HED_FLOAT64, &(hed_random){ .std = -1 }), HED_E_INVAL, "std -1");
    b = hed_random_uniform(s, HED_FLOAT64, NULL);
    c = hed_random_uniform(s, HED_FLOAT64, NULL);
  }
  hed_retain(b);
  ok(same(a, b), "a context's seed begins a stream");
  ok(!same(b, c), "whose next draw is another");
  hed_array *z = hed_random_normal(HED_SHAPE(1000), HED_FLOAT32, &seed);
  hed_array *w = hed_random_normal(HED_SHAPE(1000), HED_FLOAT32, &(hed_random){ .seed = 7, .seeded = true, .std = 1 });
  ok(same(z, w), "std 0 stands for 1");
  double v[1000];
  hed_random range = { .seed = 1, .seeded = true, .low = -2, .high = 3 };
  hed_array *u = hed_random_uniform(HED_SHAPE(1000), HED_FLOAT64, &range);
  api_values(u, v);
  bool inside = true, spread = false;
  for (int k = 0; k < 1000; k++) {
    inside = inside && v[k] >= -2 && v[k] < 3;
    spread = spread || v[k] > 2.9;
  }
  ok(inside && spread, "uniform in [low, high)");
  hed_release(u);
  u = hed_random_integers(HED_SHAPE(1000), -2, 3, HED_INT8, &seed);
  api_values(u, v);
  int seen[5] = { 0 };
  inside = true;
  for (int k = 0; k < 1000; k++)
    if (v[k] >= -2 && v[k] <= 2)
      seen[(int)v[k] + 2]++;
    else
      inside = false;
  ok(inside && seen[0] && seen[1] && seen[2] && seen[3] && seen[4], "integers in [low, high), each of them");
  hed_release(u);
  u = hed_random_bits(HED_SHAPE(0), HED_UINT64, NULL);
  ok(u && hed_array_size(u) == 0, "no elements");
  hed_release(u);
  u = hed_random_integers(HED_SHAPE(4), INT64_MIN, INT64_MAX, HED_INT64, &seed);
  ok(u != NULL, "nearly all of int64");
  hed_release(u);
  API_NULL(hed_random_bits(s, HED_FLOAT32, NULL), HED_E_DTYPE, "random_bits: the result has dtype float32");
  API_NULL(hed_random_bits(s, HED_UINT8, NULL), HED_E_DTYPE, "uint32 and uint64 are possible");
  API_NULL(hed_random_uniform(s, HED_INT32, NULL), HED_E_DTYPE, "random_uniform: the result has dtype int32");
  API_NULL(hed_random_uniform(s, HED_FLOAT32, &(hed_random){ .low = 3, .high = 3 }), HED_E_INVAL, "low 3 and high 3");
  API_NULL(hed_random_uniform(s, HED_FLOAT32, &(hed_random){ .low = NAN, .high = 3 }), HED_E_INVAL, "must be finite");
  API_NULL(hed_random_uniform(s, HED_FLOAT64, &(hed_random){ .low = -1e308, .high = 1e308 }), HED_E_INVAL, "must be finite");
  API_NULL(hed_random_integers(s, 3, 3, HED_INT32, NULL), HED_E_INVAL, "low 3 is not below high 3");
  API_NULL(hed_random_integers(s, -1, 3, HED_UINT8, NULL), HED_E_DTYPE, "values from -1 to 2 do not fit uint8");
  API_NULL(hed_random_integers(s, 0, 129, HED_INT8, NULL), HED_E_DTYPE, "values from 0 to 128 do not fit int8");
  ok((u = hed_random_integers(s, 0, 128, HED_INT8, NULL)) != NULL, "up to the largest value");
  hed_release(u);
  API_NULL(hed_random_normal(HED_SHAPE(-1), HED_FLOAT32, NULL), HED_E_SHAPE, "random_normal: extent -1");
  API_NULL(hed_random_normal(s, NULL, NULL), HED_E_INVAL, "random_normal: dtype is NULL");
}

/* A default with a seed, read by a thread that has nothing of its own. */
static void default_seed(void)
{
  hed_shape s = HED_SHAPE(7);
  is_int(hed_set_default_backend("reference;seed=11"), HED_OK, "a default with a seed");
  hed_array *a = hed_random_bits(s, HED_UINT32, NULL), *b = NULL, *c = hed_random_bits(s, HED_UINT32, NULL);
  HED_BACKEND_CONTEXT("reference;seed=11")
    b = hed_random_bits(s, HED_UINT32, NULL);
  hed_retain(a);
  ok(same(a, b), "starts the stream of a thread that follows it");
  ok(!same(a, c), "which moves on");
}

int main(void)
{
  default_seed();
  api_each_backend(draws);
  done_testing();
  return done();
}
