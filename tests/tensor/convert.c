// SPDX-License-Identifier: BSD-3-Clause
/* Trains from other formats, with many small axes in place of few long ones, and by iteration: against full tensors, and what is
 * known of their ranks and errors.
 */
#include "arrays.h"
#include "dense.h"
#include <heddle/kits/tensor_train_fit.h>

static hed_tt random_train(gen *g, const hed_shape *s, hed_dtype t, bool matrix)
{
  hed_tt x = { .order = s->ndim };
  for (int k = 0; k < s->ndim; k++) {
    const int64_t a = k ? 3 : 1, b = k + 1 < s->ndim ? 3 : 1;
    x.core[k] = random_array(g, matrix ? HED_SHAPE(a, s->dim[k], s->dim[k], b) : HED_SHAPE(a, s->dim[k], b), t);
  }
  return x;
}

/* X, which is released, has the elements of WANT (also released) in C order. */
static void same_elements(hed_array *x, hed_array *want, double e, const char *what)
{
  hed_array *flat = hed_vec(x), *other = hed_vec(want);
  if (!ok(x && want && distance(flat, other) < e, "%s", what))
    diag("%s", hed_error_text());
  hed_array *all[] = { x, want, flat, other };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
}

static void other_formats(gen *g, hed_dtype t)
{
  const double e = 10 * tensor_tolerance(t);
  for (int order = 1; order <= 4; order++) {
    hed_cp c = { .order = order, .rank = 2, .weights = random_array(g, HED_SHAPE(2), t) };
    hed_tucker u = { .order = order };
    hed_tt x = { 0 };
    int64_t ranks[HED_MAX_NDIM + 1];
    hed_shape core = { .ndim = order };
    for (int k = 0; k < order; k++) {
      c.factor[k] = random_array(g, HED_SHAPE(3 + k, 2), t);
      core.dim[k] = k == 1 ? 4 : 2;
      u.factor[k] = k == 1 ? NULL : random_array(g, HED_SHAPE(5, 2), t);
    }
    u.core = random_array(g, core, t);
    ok(hed_cp_to_tt(&c, &x) == HED_OK && hed_tt_ranks(&x, ranks) == HED_OK && ranks[order / 2] == (order > 1 ? 2 : 1),
       "a CP tensor of %d modes as a train", order);
    same_elements(hed_tt_full(&x), hed_cp_full(&c), e, "has its elements");
    hed_tt_clear(&x);
    ok(hed_tucker_to_tt(&u, &x) == HED_OK, "a Tucker tensor");
    same_elements(hed_tt_full(&x), hed_tucker_full(&u), e, "too");
    hed_tt_clear(&x);
    hed_cp_clear(&c);
    hed_tucker_clear(&u);
  }
}

/* Random ones have the shape and ranks asked for, and are the same again. */
static void at_random(hed_dtype t)
{
  const hed_random seed = { .seed = 3, .seeded = true };
  const hed_shape s = HED_SHAPE(3, 4, 2), columns = HED_SHAPE(2, 2, 5);
  static const struct { hed_shape ranks; bool matrix; int64_t r0, r1; } each[] = {
    { { 1, { 2 } }, false, 1, 2 }, { { 2, { 3, 2 } }, true, 1, 3 }, { { 3, { 2, 3, 2 } }, false, 2, 3 },
    { { 4, { 1, 2, 2, 1 } }, false, 1, 2 },
  };
  for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
    hed_tt x = { 0 }, y = { 0 };
    int64_t r[HED_MAX_NDIM + 1] = { 0 };
    bool same = false;
    const hed_shape *wide = each[i].matrix ? &columns : NULL;
    ok(hed_tt_random(s, wide, &each[i].ranks, t, true, &seed, &x) == HED_OK && hed_tt_ranks(&x, r) == HED_OK && r[0] == each[i].r0 &&
         r[1] == each[i].r1 && hed_tt_shape(&x).ndim == (wide ? 6 : 3) && hed_array_dtype(x.core[0]) == t, "a random train");
    ok(hed_tt_random(s, wide, &each[i].ranks, t, true, &seed, &y) == HED_OK &&
         hed_allclose(x.core[1], y.core[1], NULL, &same) == HED_OK && same, "the same again");
    hed_tt_clear(&x);
    hed_tt_clear(&y);
  }
}

static void small_axes(gen *g, hed_dtype t)
{
  const double e = 100 * tensor_tolerance(t);
  static const struct { hed_shape s; int64_t base; bool matrix; int cores; } each[] = {
    { { 3, { 4, 8, 2 } }, 2, false, 6 }, { { 2, { 9, 27 } }, 3, false, 5 }, { { 1, { 16 } }, 4, false, 2 },
    { { 2, { 4, 2 } }, 0, true, 3 },
  };
  for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
    hed_tt x = random_train(g, &each[i].s, t, each[i].matrix), q = { 0 }, back = { 0 };
    hed_shape counts = { .ndim = x.order };
    double error = 1, a[2], b[2];
    const int64_t base = each[i].base ? each[i].base : 2;
    for (int k = 0; k < x.order; k++)
      for (int64_t n = each[i].s.dim[k]; n > 1; n /= base)
        counts.dim[k]++;
    if (!ok(hed_tt_quantise(&x, each[i].base, 0, &q, &error) == HED_OK && q.order == each[i].cores && error < e, "%d small axes",
            each[i].cores))
      diag("%s", hed_error_text());
    ok(hed_array_shape(q.core[q.order - 1]).dim[1] == base, "of extent %d", (int)base);
    if (!each[i].matrix)
      same_elements(hed_tt_full(&q), hed_tt_full(&x), e, "the elements in their order");
    ok(hed_tt_merge(&q, &counts, &back) == HED_OK && back.order == x.order, "taken together");
    same_elements(hed_tt_full(&back), hed_tt_full(&x), e, "they are what they were");
    ok(hed_tt_mean(&x, a) == HED_OK && hed_tt_sum(&x, b) == HED_OK &&
         fabs(a[0] * (double)elements_of(hed_tt_shape(&x)) - b[0]) < e * (1 + fabs(b[0])), "the mean is the sum over the number");
    hed_tt_clear(&back);
    hed_tt_clear(&q);
    /* of a rank that is too large in X the error holds */
    double size = 0, off = 0;
    ok(hed_tt_quantise(&x, each[i].base, 0.3, &q, &error) == HED_OK && error <= 0.3 && hed_tt_merge(&q, &counts, &back) == HED_OK,
       "within 0.3");
    hed_array *full = hed_tt_full(&x), *other = hed_tt_full(&back), *rest = hed_subtract(full, other);
    HED_SCOPE
      (void)(hed_item(hed_vector_norm(full, 2, NULL), &size) == HED_OK && hed_item(hed_vector_norm(rest, 2, NULL), &off) == HED_OK);
    is_near(off / size, error, e, e, "the error is what is said");
    hed_array *all[] = { full, other, rest };
    for (int k = 0; k < 3; k++)
      hed_release(all[k]);
    hed_tt_clear(&x);
    hed_tt_clear(&q);
    hed_tt_clear(&back);
  }
  /* a geometric sequence has rank 1 whatever its length */
  cplx v[256];
  for (int k = 0; k < 256; k++)
    v[k] = pow(0.97, k);
  hed_array *x = tensor_array(v, HED_SHAPE(1, 256, 1), t);
  hed_tt one = { .order = 1, .core = { x } }, q = { 0 };
  int64_t ranks[HED_MAX_NDIM + 1] = { 0 }, most = 0;
  ok(hed_tt_quantise(&one, 2, 100 * tensor_tolerance(t), &q, NULL) == HED_OK && q.order == 8 && hed_tt_ranks(&q, ranks) == HED_OK,
     "256 powers of a number");
  for (int k = 0; k <= 8; k++)
    most = ranks[k] > most ? ranks[k] : most;
  is_int(most, 1, "are a product of 8 vectors of 2");
  hed_tt_clear(&q);
  hed_tt_clear(&one);
}

static void iterated(gen *g, hed_dtype t)
{
  const hed_shape s = HED_SHAPE(5, 6, 4, 5), ranks = HED_SHAPE(2, 3, 2);
  const double e = tensor_tolerance(t);
  hed_array *x = random_array(g, s, t);
  hed_tt plain = { 0 }, better = { 0 };
  hed_fit fit = { 0 };
  double truncated = 0, norm = 0;
  const hed_tt_iterate_options o = { .sweeps = { .max = 6, .tol = -1 } };
  ok(hed_tt_svd(x, &ranks, 0, &plain, &truncated) == HED_OK, "truncated");
  if (!ok(hed_tt_iterate(x, &ranks, &o, &better, &fit) == HED_OK && fit.n_sweeps == 6, "iterated"))
    diag("%s", hed_error_text());
  bool falls = fit.n_sweeps > 0 && fit.errors[0] < truncated;
  for (int64_t i = 1; i < fit.n_sweeps; i++)
    falls = falls && fit.errors[i] <= fit.errors[i - 1] + 10 * e;
  ok(falls, "the error falls: %g, then %g", truncated, fit.error);
  hed_array *full = hed_tt_full(&better);
  is_near(distance(full, x), fit.error, 10 * e, 10 * e, "and is that of the result");
  ok(hed_tt_norm(&better, &norm) == HED_OK && hed_array_shape(better.core[1]).dim[2] == 3, "of the ranks asked for");
  hed_release(full);
  hed_tt_clear(&plain);
  hed_tt_clear(&better);
  hed_fit_clear(&fit);
  /* what has these ranks is found at once, as far as an error from norms shows */
  hed_tt truth = random_train(g, &s, t, false);
  full = hed_tt_full(&truth);
  ok(hed_tt_iterate(full, &HED_SHAPE(3), NULL, &better, &fit) == HED_OK, "a train");
  hed_array *again = hed_tt_full(&better);
  ok(distance(again, full) < 100 * e && fit.n_sweeps > 0 && fit.errors[0] < 30 * sqrt(hed_dtype_eps(t)), "is found in a sweep: %g",
     fit.n_sweeps > 0 ? fit.errors[0] : 1);
  hed_array *all[] = { x, full, again };
  for (int k = 0; k < 3; k++)
    hed_release(all[k]);
  hed_tt_clear(&truth);
  hed_tt_clear(&better);
  hed_fit_clear(&fit);
}

static void every(gen *g, const char *backend)
{
  for (int k = 0; k < (is_backend(backend, "cpu") ? 4 : 2); k++) {
    const hed_dtype t = tensor_dtype(k);
    diag("%s", hed_dtype_name(t));
    other_formats(g, t);
    at_random(t);
    small_axes(g, t);
    iterated(g, t);
  }
}

static void bad_input(void)
{
  gen g;
  gen_seed(&g, 1);
  const hed_shape s = HED_SHAPE(4, 6);
  hed_tt x = random_train(&g, &s, HED_FLOAT64, false), out = { 0 };
  hed_fit fit = { 0 };
  refused(hed_tt_quantise(&x, 2, 0, &out, NULL), HED_E_SHAPE, "core 1 has extent 6");
  refused(hed_tt_quantise(&x, 1, 0, &out, NULL), HED_E_INVAL, "base 1");
  refused(hed_tt_quantise(&x, 2, 1, &out, NULL), HED_E_INVAL, "eps 1");
  refused(hed_tt_quantise(&x, 2, 0, NULL, NULL), HED_E_INVAL, "out is NULL");
  refused(hed_tt_merge(&x, &HED_SHAPE(1), &out), HED_E_SHAPE, "counts (1) of 2 cores");
  refused(hed_tt_merge(&x, &HED_SHAPE(3, -1), &out), HED_E_SHAPE, "counts (3, -1)");
  refused(hed_tt_merge(&x, NULL, &out), HED_E_INVAL, "counts is NULL");
  refused(hed_cp_to_tt(NULL, &out), HED_E_INVAL, "NULL");
  refused(hed_tucker_to_tt(&(hed_tucker){ 0 }, &out), HED_E_INVAL, "core");
  refused(hed_tt_random(s, NULL, NULL, HED_FLOAT32, false, NULL, &out), HED_E_INVAL, "ranks is NULL");
  refused(hed_tt_random(s, &HED_SHAPE(2), &HED_SHAPE(2), HED_FLOAT32, false, NULL, &out), HED_E_SHAPE, "columns (2)");
  refused(hed_tt_random(s, NULL, &HED_SHAPE(0), HED_FLOAT32, false, NULL, &out), HED_E_INVAL, "rank 0 is 0");
  hed_tt longer = { .order = 1, .core = { random_array(&g, HED_SHAPE(1, 1 << 17, 1), HED_FLOAT32) } };
  refused(hed_tt_quantise(&longer, 2, 0, &out, NULL), HED_E_SHAPE, "17 axes of extent 2; 16 are the most");
  hed_tt_clear(&longer);
  hed_array *full = hed_tt_full(&x), *line = random_array(&g, HED_SHAPE(5), HED_FLOAT64);
  hed_array *zero = hed_zeros(HED_SHAPE(3, 4, 2), HED_FLOAT32);
  int cancel = 1;
  const hed_tt_iterate_options stopped = { .sweeps = { .cancel = &cancel } };
  refused(hed_tt_iterate(full, NULL, &stopped, &out, &fit), HED_E_CANCELLED, "0 sweeps");
  refused(hed_tt_iterate(full, &HED_SHAPE(0), NULL, &out, &fit), HED_E_INVAL, "rank");
  refused(hed_tt_iterate(NULL, NULL, NULL, &out, &fit), HED_E_INVAL, "x is NULL");
  ok(out.order == 0 && !fit.errors, "nothing came out");
  ok(hed_tt_iterate(line, NULL, NULL, &out, &fit) == HED_OK && out.order == 1 && fit.n_sweeps == 0, "one axis is one core");
  hed_tt_clear(&out);
  hed_fit_clear(&fit);
  ok(hed_tt_iterate(zero, &HED_SHAPE(2), NULL, &out, &fit) == HED_OK && fit.error == 0, "zero has rank 1");
  hed_tt_clear(&out);
  hed_fit_clear(&fit);
  RELEASE(full, line, zero);
  hed_tt_clear(&x);
}

int main(void)
{
  on_backends(every);
  bad_input();
  done_testing();
  return done();
}
