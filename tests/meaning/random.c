// SPDX-License-Identifier: BSD-3-Clause
/* Where systems differ on random numbers: what Heddle means. The manual's chapter "One meaning" has the same list. */
#include "api.h"
#include <math.h>

static bool same(hed_array *a, hed_array *b)
{
  hed_array *e = hed_equal(a, b), *all = hed_all(e, NULL);
  int64_t v = 0;
  hed_item_int(all, &v);
  RELEASE(a, b, e, all);
  return v == 1;
}

static hed_array *first_normals(const char *spec)
{
  hed_array *x = NULL;
  HED_BACKEND_CONTEXT(spec)
    x = hed_random_normal(HED_SHAPE(500), HED_FLOAT32, &(hed_random){ .seed = 42, .seeded = true });
  return x;
}

static void meanings(const char *backend)
{
  diag("on %s", backend);
  hed_shape s = HED_SHAPE(6, 6);
  /* one seed, one stream of numbers, whatever the backend */
  ok(same(first_normals("reference"), first_normals(backend)), "a seed gives the same numbers on every backend");

  /* (n, n) is a batch of n vectors; matrices have an operation of their own */
  hed_array *z = hed_random_phasor(s, HED_COMPLEX64, NULL), *size = hed_abs(z), *least = hed_min(size, NULL);
  double v = 0;
  hed_item(least, &v);
  is_near(v, 1, 1e-6, 0, "random_phasor of a square shape fills all of it");
  RELEASE(z, size, least);
  z = hed_random_phasor_diagonal(HED_SHAPE(2, 3), HED_COMPLEX64, NULL);
  hed_array *count = hed_count_nonzero(z, NULL);
  hed_item(count, &v);
  is_near(v, 6, 0, 0, "random_phasor_diagonal: matrices, zero beside the diagonal");
  is_int(hed_array_ndim(z), 3, "one axis more");
  RELEASE(z, count);

  /* a seed is a fresh generator for the one call; the stream moves on */
  hed_random seed = { .seed = 42, .seeded = true };
  ok(same(hed_random_uniform(s, HED_FLOAT64, &seed), hed_random_uniform(s, HED_FLOAT64, &seed)), "a seed repeats");
  ok(!same(hed_random_uniform(s, HED_FLOAT64, NULL), hed_random_uniform(s, HED_FLOAT64, NULL)), "the stream does not");

  /* set_seed and get_seed: the stream of the context in force, of this thread alone */
  hed_generator now = { 0, 0 };
  HED_BACKEND_CONTEXT(";seed=1")
  {
    is_int(hed_set_seed(42), HED_OK, "set_seed");
    is_int(hed_get_seed(&now), HED_OK, "get_seed");
    ok(now.key == 42 && now.draw == 0, "says what set_seed said");
    ok(same(hed_random_uniform(s, HED_FLOAT64, NULL), hed_random_uniform(s, HED_FLOAT64, &seed)), "the stream of that seed");
    hed_get_seed(&now);
    is_uint(now.draw, 1, "one draw later");
    HED_BACKEND_CONTEXT(";seed=7")
      hed_set_seed(8);
    hed_generator later;
    hed_get_seed(&later);
    ok(later.key == 42 && later.draw == 1, "a nested context has its own");
  }

  /* check_random_state: nothing, any integer, or a generator */
  hed_generator g = { 3, 9 }, out;
  is_int(hed_check_random_state(&(hed_random){ .generator = &g }, &out), HED_OK, "a generator");
  ok(out.key == 3 && out.draw == 9 && g.draw == 9, "stands for itself");
  is_int(hed_check_random_state(&(hed_random){ .seed = UINT64_MAX, .seeded = true }, &out), HED_OK, "any integer");
  ok(out.key == UINT64_MAX && out.draw == 0, "is a seed");
  HED_BACKEND_CONTEXT(";seed=5")
  {
    hed_check_random_state(NULL, &out);
    hed_check_random_state(NULL, &g);
    ok(out.key != g.key && out.draw == 0, "nothing: each time another child of the stream");
  }

  /* integers: low is included, high is not */
  double least_value = 9, largest = -9;
  hed_array *i = hed_random_integers(HED_SHAPE(400), -1, 2, HED_INT64, &seed), *low = hed_min(i, NULL), *high = hed_max(i, NULL);
  hed_item(low, &least_value);
  hed_item(high, &largest);
  ok(least_value == -1 && largest == 1, "integers in [low, high)");
  RELEASE(i, low, high);

  /* the dtype of truth is asked for: bernoulli of bool, of int32 and of float32 are the same draws */
  hed_array *b = hed_random_bernoulli(s, 0.3, HED_BOOL, &seed), *wide = hed_astype(b, HED_INT32);
  hed_release(b);
  ok(same(wide, hed_random_bernoulli(s, 0.3, HED_INT32, &seed)), "bernoulli: one draw, any dtype");

  /* categorical takes logarithms of weights, each row for itself; adding a constant changes nothing */
  const double logits[6] = { 0, 1, 2, 2, 1, 0 };
  hed_array *l = api_array(HED_SHAPE(2, 3), HED_FLOAT64, logits), *moved = hed_add_scalar(l, 64);
  ok(same(hed_random_categorical(l, 50, HED_INT64, &seed), hed_random_categorical(moved, 50, HED_INT64, &seed)),
     "categorical: softmax per row");
  RELEASE(l, moved);
}

int main(void)
{
  api_each_backend(meanings);
  return done();
}
