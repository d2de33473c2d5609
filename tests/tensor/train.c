// SPDX-License-Identifier: BSD-3-Clause
/* Trains and rings of cores: every function of their algebra against sums over the full tensor, which is made here by products of
 * small matrices, element by element; factors, rounding and decompositions against the singular values that they drop.
 */
#include "arrays.h"
#include "dense.h"
#include <heddle/kits/tensor_train.h>
#include <stdio.h>
#include <unistd.h>

/* A train, a ring or a matrix of random shape. */
static hed_tt random_tt(gen *g, hed_dtype t, const hed_shape *like, bool ring, bool matrix)
{
  hed_tt x = { .order = like ? (matrix ? like->ndim / 2 : like->ndim) : (int32_t)gen_int(g, 1, matrix ? 3 : 5) };
  const int64_t outer = ring ? gen_int(g, 2, 3) : 1;
  int64_t rank = outer;
  for (int k = 0; k < x.order; k++) {
    const int64_t next = k + 1 == x.order ? outer : gen_int(g, 1, 4), n = like ? like->dim[k] : gen_int(g, 1, 5);
    const int64_t m = like && matrix ? like->dim[x.order + k] : gen_int(g, 1, 4);
    x.core[k] = random_array(g, matrix ? HED_SHAPE(rank, n, m, next) : HED_SHAPE(rank, n, next), t);
    rank = next;
  }
  return x;
}

/* The definition. Of matrices the axes are I_1 .. I_d, J_1 .. J_d. */
static hed_array *dense(const hed_tt *x)
{
  const hed_shape s = hed_tt_shape(x);
  const bool matrix = hed_array_ndim(x->core[0]) == 4;
  const int64_t n = elements_of(s), r0 = hed_array_shape(x->core[0]).dim[0];
  cplx *out = malloc((size_t)n * sizeof *out), *core[HED_MAX_NDIM];
  for (int k = 0; k < x->order; k++)
    core[k] = tensor_elements(x->core[k]);
  for (int64_t at = 0; at < n; at++) {
    int64_t index[HED_MAX_NDIM], left = at;
    for (int i = s.ndim; i-- > 0; left /= s.dim[i])
      index[i] = left % s.dim[i];
    cplx sum = 0;
    for (int64_t first = 0; first < r0; first++) {
      cplx row[256] = { 0 }, next[256];
      row[first] = 1;
      for (int k = 0; k < x->order; k++) {
        const hed_shape c = hed_array_shape(x->core[k]);
        const int64_t r1 = c.dim[c.ndim - 1], in = matrix ? index[k] * c.dim[2] + index[x->order + k] : index[k];
        const int64_t width = matrix ? c.dim[1] * c.dim[2] : c.dim[1];
        for (int64_t b = 0; b < r1; b++) {
          next[b] = 0;
          for (int64_t a = 0; a < c.dim[0]; a++)
            next[b] += row[a] * core[k][(a * width + in) * r1 + b];
        }
        memcpy(row, next, sizeof row);
      }
      sum += row[first];
    }
    out[at] = sum;
  }
  hed_array *full = host_array(out, s);
  for (int k = 0; k < x->order; k++)
    free(core[k]);
  free(out);
  return full;
}

/* The train GOT is the tensor WANT (released here), to rounding. */
static void is_tensor(hed_status status, hed_tt *got, hed_array *want, double tolerance, const char *what)
{
  if (ok(status == HED_OK, "%s", what)) {
    hed_array *full = dense(got);
    is_near(distance(full, want), 0, 0, tolerance, "%s: the elements", what);
    hed_release(full);
  } else {
    diag("%s", hed_error_text());
  }
  hed_release(want);
  hed_tt_clear(got);
}

static hed_array *combined(const hed_array *a, const hed_array *b, cplx wa, cplx wb, bool product)
{
  cplx *p = tensor_elements(a), *q = tensor_elements(b);
  for (int64_t i = 0; i < hed_array_size(a); i++)
    p[i] = product ? p[i] * q[i] : wa * p[i] + wb * q[i];
  hed_array *out = host_array(p, hed_array_shape(a));
  free(p);
  free(q);
  return out;
}

static void algebra(gen *g, hed_dtype t, bool ring, bool matrix)
{
  const double e = tensor_tolerance(t);
  hed_tt a = random_tt(g, t, NULL, ring, matrix), out;
  const hed_shape s = hed_tt_shape(&a);
  hed_tt b = random_tt(g, t, &s, ring && gen_chance(g, 50), matrix);
  hed_array *fa = dense(&a), *fb = dense(&b);
  cplx *p = tensor_elements(fa), *q = tensor_elements(fb);
  cplx inner = 0, sum = 0;
  double norm = 0, scale = 0, number[2] = { 0 };
  for (int64_t i = 0; i < hed_array_size(fa); i++) {
    inner += conj(p[i]) * q[i];
    scale += cabs(p[i]) * cabs(q[i]);
    sum += p[i];
    norm += creal(conj(p[i]) * p[i]);
  }
  ok(hed_tt_inner(&a, &b, number) == HED_OK && cabs(number[0] + number[1] * I - inner) <= e * scale, "inner product");
  ok(hed_tt_norm(&a, number) == HED_OK, "norm");
  is_near(number[0], sqrt(norm), 10 * e, 0, "its value");
  ok(hed_tt_sum(&a, number) == HED_OK && cabs(number[0] + number[1] * I - sum) <= e * sqrt(norm) * 30, "sum");

  hed_array *full = hed_keep(hed_tt_full(&a));
  is_near(distance(full, fa), 0, 0, e, "the full tensor");
  hed_release(full);
  is_tensor(hed_tt_add(&a, &b, &out), &out, combined(fa, fb, 1, 1, false), e, "a + b");
  is_tensor(hed_tt_hadamard(&a, &b, &out), &out, combined(fa, fb, 0, 0, true), 10 * e, "a b");
  is_tensor(hed_tt_scale(&a, -1.5, 0, &out), &out, combined(fa, fb, -1.5, 0, false), e, "-1.5 a");
  is_tensor(hed_tt_scale(&a, 2, -0.5, &out), &out, combined(fa, fb, 2 - 0.5 * I, 0, false), e, "(2 - i/2) a");

  int64_t where[40][HED_MAX_NDIM] = { { 0 } }, flat[40];
  double *list = malloc(sizeof(double) * 40 * (size_t)s.ndim);
  for (int i = 0; i < 40; i++) {
    flat[i] = 0;
    for (int k = 0; k < s.ndim; k++) {
      where[i][k] = gen_int(g, 0, s.dim[k] - 1);
      flat[i] = flat[i] * s.dim[k] + where[i][k];
      list[i * s.ndim + k] = (double)(gen_chance(g, 30) ? where[i][k] - s.dim[k] : where[i][k]);
    }
  }
  hed_array *indices = hed_keep(hed_from_doubles(list, HED_SHAPE(40, s.ndim), HED_INT32));
  hed_array *entries = hed_keep(hed_tt_entries(&a, indices));
  cplx *v = tensor_elements(entries);
  double worst = 0;
  for (int i = 0; i < 40; i++)
    worst = fmax(worst, cabs(v[i] - p[flat[i]]));
  is_near(worst, 0, 0, e * sqrt(norm) + e, "entries");
  RELEASE(indices, entries);
  free(list);
  free(v);
  free(p);
  free(q);
  RELEASE(fa, fb);
  hed_tt_clear(&a);
  hed_tt_clear(&b);
}

/* Products along axes, parts, matrices, against the operations on the full tensor. */
static void parts(gen *g, hed_dtype t, bool ring)
{
  const double e = 10 * tensor_tolerance(t);
  const hed_shape s = HED_SHAPE(4, 3, 5, 2);
  hed_tt a = random_tt(g, t, &s, ring, false), out;
  hed_array *fa = dense(&a);
  for (int k = -4; k < 4; k++) {
    const int64_t n = s.dim[(k + 4) % 4];
    hed_array *m = random_array(g, HED_SHAPE(3, n), t), *v = random_array(g, HED_SHAPE(n), t);
    hed_array *hm = on_host(m), *hv = on_host(v);
    is_tensor(hed_tt_mode_dot(&a, m, k, &out), &out, hed_keep(hed_mode_dot(fa, hm, k, false)), e, "an axis by a matrix");
    is_tensor(hed_tt_mode_dot(&a, v, k, &out), &out, hed_keep(hed_mode_dot(fa, hv, k, false)), e, "an axis by a vector");
    RELEASE(m, v, hm, hv);
  }
  hed_array *list = hed_keep(hed_from_doubles((double[]){ 2, 0, 2, -1 }, HED_SHAPE(4), HED_INT64));
  const hed_key some[] = { HED_AT(-1), HED_SLICE(2, 0, -1), HED_IDX(list) }, ends[] = { HED_AT(1), HED_WHOLE, HED_AT(2), HED_AT(0) };
  hed_array *first = hed_keep(hed_get(fa, 1, some)), *there = NULL;
  HED_BACKEND_CONTEXT_OR("reference", bail("reference"))
    there = hed_from_doubles((double[]){ 2, 0, 2, -1 }, HED_SHAPE(4), HED_INT64);
  const hed_key rest[] = { some[1], HED_IDX(there) };
  is_tensor(hed_tt_get(&a, 3, some, &out), &out, hed_keep(hed_get(first, 2, rest)), e, "a[-1, 2:0:-1, list]");
  RELEASE(there, first);
  is_tensor(hed_tt_get(&a, 4, ends, &out), &out, hed_keep(hed_get(fa, 4, ends)), e, "a[1, :, 2, 0]");
  is_tensor(hed_tt_get(&a, 0, NULL, &out), &out, hed_retain(fa), e, "all of a");
  RELEASE(list, fa);

  const hed_shape ms = HED_SHAPE(2, 3, 4, 4, 3, 5), vs = HED_SHAPE(4, 3, 5), ns = HED_SHAPE(4, 3, 5, 2, 2, 3);
  hed_tt m = random_tt(g, t, &ms, ring, true), x = random_tt(g, t, &vs, false, false), y = random_tt(g, t, &ns, false, true);
  hed_array *fm = dense(&m), *fx = dense(&x), *fy = dense(&y), *wide = hed_keep(hed_tt_matrix_full(&m));
  const hed_array *mx[] = { fm, fx }, *my[] = { fm, fy };
  hed_array *flat = hed_keep(hed_reshape(fm, HED_SHAPE(24, 60)));
  is_near(distance(wide, flat), 0, 0, e, "a matrix as one");
  is_tensor(hed_tt_matmul(&m, &x, &out), &out, hed_keep(hed_einsum("abcijk,ijk->abc", 2, mx)), e, "a matrix times a vector");
  is_tensor(hed_tt_matmul(&m, &y, &out), &out, hed_keep(hed_einsum("abcijk,ijkxyz->abcxyz", 2, my)), e, "a matrix times a matrix");
  RELEASE(flat, wide, fm, fx, fy);
  hed_tt_clear(&a);
  hed_tt_clear(&m);
  hed_tt_clear(&x);
  hed_tt_clear(&y);
}

/* How far the columns of a core, or its rows, are from orthonormal. */
static double skew(const hed_array *core, bool columns)
{
  const hed_shape s = hed_array_shape(core);
  const int64_t n = columns ? s.dim[2] : s.dim[0], m = columns ? s.dim[0] * s.dim[1] : s.dim[1] * s.dim[2];
  cplx *p = tensor_elements(core);
  double worst = 0;
  for (int64_t a = 0; a < n; a++)
    for (int64_t b = 0; b < n; b++) {
      cplx dot = 0;
      for (int64_t i = 0; i < m; i++)
        dot += columns ? conj(p[i * n + a]) * p[i * n + b] : conj(p[a * m + i]) * p[b * m + i];
      worst = fmax(worst, cabs(dot - (a == b)));
    }
  free(p);
  return worst;
}

static void rounding_down(gen *g, hed_dtype t)
{
  const double e = 10 * tensor_tolerance(t);
  const hed_shape s = HED_SHAPE(4, 5, 3, 4);
  hed_tt a = random_tt(g, t, &s, false, false), b = random_tt(g, t, &s, false, false), sum, small, out;
  int64_t before[5], after[5];
  double error = -1;
  for (int k = 0; k < 4; k++) {
    if (!ok(hed_tt_orthogonalise(&a, k, &out) == HED_OK, "orthogonal but for core %d", k))
      diag("%s", hed_error_text());
    for (int i = 0; i < 4; i++)
      if (i != k)
        is_near(skew(out.core[i], i < k), 0, 0, e, "core %d", i);
    is_tensor(HED_OK, &out, dense(&a), e, "the same tensor");
  }
  /* a + b + a has twice what it needs */
  ok(hed_tt_add(&a, &b, &out) == HED_OK && hed_tt_add(&out, &a, &sum) == HED_OK, "a sum");
  hed_tt_ranks(&out, before);
  ok(hed_tt_round(&sum, 0, 0, &small, &error) == HED_OK, "rounded");
  hed_tt_ranks(&small, after);
  bool within = true;
  for (int i = 0; i < 5; i++)
    within &= after[i] <= before[i];
  ok(within && error <= e, "ranks as of a + b: %lld %lld %lld", (long long)after[1], (long long)after[2], (long long)after[3]);
  hed_tt_clear(&out);
  hed_array *fs = dense(&sum);
  is_tensor(HED_OK, &small, hed_retain(fs), e, "the same sum");
  for (int i = 0; i < 4; i++) {
    const double eps = (double[]){ 0.01, 0.1, 0.4, 0.9 }[i];
    ok(hed_tt_round(&sum, eps, 0, &small, &error) == HED_OK, "rounded to %g", eps);
    hed_array *got = dense(&small);
    const double d = distance(got, fs);
    ok(d <= eps && error <= eps, "error %g is below %g", d, eps);
    is_near(error, d, 1e-3, 30 * e, "as it says");
    hed_release(got);
    hed_tt_clear(&small);
  }
  ok(hed_tt_round(&sum, 0, 2, &small, &error) == HED_OK, "ranks of 2");
  hed_tt_ranks(&small, after);
  hed_array *got = dense(&small);
  ok(after[1] <= 2 && after[2] <= 2 && after[3] <= 2, "are 2 at most");
  is_near(error, distance(got, fs), 1e-3, 30 * e, "and the error is what it says");
  RELEASE(got, fs);
  hed_tt_clear(&small);
  hed_tt_clear(&sum);
  hed_tt_clear(&a);
  hed_tt_clear(&b);
}

/* The root of the sum of squares of singular values beyond RANK of the unfolding of the first AXES axes. */
static double tail(const hed_array *x, int axes, int64_t rank)
{
  const hed_shape s = hed_array_shape(x);
  int64_t rows = 1;
  double sum = 0;
  for (int i = 0; i < axes; i++)
    rows *= s.dim[i];
  hed_array *wide = on_host(x), *m = hed_keep(hed_reshape(wide, HED_SHAPE(rows, -1))), *v = hed_keep(hed_svdvals(m));
  cplx *p = tensor_elements(v);
  for (int64_t i = rank; i < hed_array_size(v); i++)
    sum += creal(p[i]) * creal(p[i]);
  free(p);
  RELEASE(wide, m, v);
  return sum;
}

static void from_full(gen *g, hed_dtype t)
{
  const double e = 10 * tensor_tolerance(t);
  static const int64_t shapes[][5] = { { 6, 5, 7, 4, 0 }, { 60, 3, 2, 2, 3 }, { 3, 4, 150, 0, 0 }, { 2, 3, 2, 3, 40 }, { 7, 0, 0,
      0, 0 } };
  for (int i = 0; i < 5; i++) {
    hed_shape s = { 0 };
    while (s.ndim < 5 && shapes[i][s.ndim])
      s.dim[s.ndim] = shapes[i][s.ndim], s.ndim++;
    hed_array *x = random_array(g, s, t);
    hed_tt out;
    double error = -1;
    int64_t ranks[HED_MAX_NDIM + 1];
    ok(hed_tt_svd(x, NULL, 0, &out, &error) == HED_OK && error <= e, "all of it");
    is_tensor(HED_OK, &out, hed_retain(x), e, "a train of full ranks");
    const hed_shape three = HED_SHAPE(3);
    if (!ok(hed_tt_svd(x, &three, 0, &out, &error) == HED_OK, "ranks of 3"))
      diag("%s", hed_error_text());
    hed_tt_ranks(&out, ranks);
    hed_array *got = dense(&out);
    const double d = distance(got, x), norm = sqrt(tail(x, 1, 0));
    double most = 0, least = 0;
    for (int k = 1; k < s.ndim; k++) {
      const double one = tail(x, k, ranks[k]);
      most += one;
      least = fmax(least, one);
      ok(ranks[k] <= 3, "rank %d", k);
      is_near(skew(out.core[k - 1], true), 0, 0, e, "columns of core %d", k - 1);
    }
    ok(d * norm <= sqrt(most) * (1 + e) + e && d * norm >= sqrt(least) * (1 - e) - e,
       "the error %g lies between what one bond drops, %g, and all do, %g", d * norm, sqrt(least), sqrt(most));
    is_near(error, d, 1e-3, e, "it is what is said");
    hed_release(got);
    hed_tt_clear(&out);
    for (int k = 0; k < 3; k++) {
      const double eps = (double[]){ 0.05, 0.3, 0.8 }[k];
      ok(hed_tt_svd(x, NULL, eps, &out, &error) == HED_OK, "to %g", eps);
      got = dense(&out);
      ok(distance(got, x) <= eps && fabs(error - distance(got, x)) < 1e-3 * eps + e, "error %g is below %g", error, eps);
      hed_release(got);
      hed_tt_clear(&out);
      if (s.ndim < 2)
        continue;
      if (!ok(hed_tr_svd(x, NULL, eps, &out, &error) == HED_OK, "a ring to %g", eps))
        diag("%s", hed_error_text());
      got = dense(&out);
      ok(distance(got, x) <= error * (1 + 1e-3) + e && error <= eps, "its error %g is below %g, and %g", distance(got, x), error, eps);
      hed_release(got);
      hed_tt_clear(&out);
    }
    hed_release(x);
  }
}

/* Planted ranks come out, from data that is exact to rounding, and from strided data. */
static void planted(gen *g, hed_dtype t)
{
  const double e = 30 * tensor_tolerance(t);
  const hed_shape s = HED_SHAPE(6, 7, 5, 8);
  hed_tt a = { .order = 4 }, out;
  const int64_t r[5] = { 1, 3, 4, 2, 1 };
  int64_t ranks[5];
  double error;
  for (int k = 0; k < 4; k++)
    a.core[k] = random_array(g, HED_SHAPE(r[k], s.dim[k], r[k + 1]), t);
  hed_array *full = dense(&a);
  cplx *v = tensor_elements(full);
  hed_array *x = tensor_array(v, s, t);
  free(v);
  ok(hed_tt_svd(x, NULL, 0, &out, &error) == HED_OK && hed_tt_ranks(&out, ranks) == HED_OK, "a planted train");
  is_mem(ranks, r, sizeof r, "its ranks: %lld %lld %lld", (long long)ranks[1], (long long)ranks[2], (long long)ranks[3]);
  is_tensor(HED_OK, &out, hed_retain(full), e, "its elements");
  hed_array *turned = hed_keep(hed_transpose(x, NULL));
  ok(hed_tt_svd(turned, NULL, 0, &out, &error) == HED_OK && hed_tt_ranks(&out, ranks) == HED_OK, "with its axes reversed");
  ok(ranks[1] == 2 && ranks[2] == 4 && ranks[3] == 3, "its ranks");
  is_tensor(HED_OK, &out, hed_retain(turned), e, "its elements");
  ok(hed_tt_matrix_svd(x, NULL, 0, &out, &error) == HED_OK, "as a matrix of two cores");
  is_tensor(HED_OK, &out, hed_retain(full), e, "its elements");
  RELEASE(turned, x, full);
  hed_tt_clear(&a);

  hed_array *nothing = hed_keep(hed_zeros(s, t));
  ok(hed_tt_svd(nothing, NULL, 0, &out, &error) == HED_OK && hed_tt_ranks(&out, ranks) == HED_OK, "a tensor of zeros");
  ok(ranks[1] == 1 && ranks[2] == 1 && ranks[3] == 1 && error == 0, "has ranks of 1");
  is_tensor(HED_OK, &out, hed_retain(nothing), 0, "and is zero");
  ok(hed_tr_svd(nothing, NULL, 0, &out, &error) == HED_OK, "a ring of zeros");
  is_tensor(HED_OK, &out, nothing, 0, "is zero");
}

static void every(gen *g, const char *backend)
{
  for (int i = 0; i < (strcmp(backend, "faulty") == 0 ? 2 : 4); i++) {
    const hed_dtype t = tensor_dtype(i);
    for (int n = scaled(3); n-- > 0;) {
      algebra(g, t, false, false);
      algebra(g, t, true, false);
      algebra(g, t, n % 2, true);
    }
    parts(g, t, false);
    parts(g, t, true);
    rounding_down(g, t);
    from_full(g, t);
    planted(g, t);
  }
}

static void bad_input(void)
{
  gen g;
  gen_seed(&g, 1);
  hed_tt a = { .order = 2 }, b = { .order = 2 }, out, broken;
  double number[2];
  a.core[0] = random_array(&g, HED_SHAPE(1, 3, 2), HED_FLOAT64);
  a.core[1] = random_array(&g, HED_SHAPE(2, 4, 1), HED_FLOAT64);
  b.core[0] = random_array(&g, HED_SHAPE(1, 3, 2), HED_FLOAT64);
  b.core[1] = random_array(&g, HED_SHAPE(2, 5, 1), HED_FLOAT64);
  hed_array *x = random_array(&g, HED_SHAPE(3, 4, 2), HED_FLOAT64), *line = random_array(&g, HED_SHAPE(3), HED_FLOAT64);
  hed_array *empty = hed_zeros(HED_SHAPE(3, 0), HED_FLOAT64);
  refused(hed_tt_add(&a, &b, &out), HED_E_SHAPE, "a has shape (3, 4), b (3, 5)");
  ok(out.order == 0 && !out.core[0], "nothing came out");
  HED_SCOPE { /* of 3 x 4 x 5 elements: the first two ranks are at most 3 together */
    hed_array *full = hed_random_normal(HED_SHAPE(3, 4, 5), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
    refused(hed_tr_svd(full, &HED_SHAPE(2, 3, 2), 0, &out, NULL), HED_E_INVAL, "ranks (2, 3, 2) cannot be had");
    ok(hed_tr_svd(full, &HED_SHAPE(2, 3, 2), 1e-6, &out, NULL) == HED_OK, "they may be bounds");
    hed_tt_clear(&out);
  }
  refused(hed_tt_check(NULL), HED_E_INVAL, "x is NULL");
  refused(hed_tt_check(&(hed_tt){ 0 }), HED_E_INVAL, "no cores");
  refused(hed_tt_check(&(hed_tt){ .order = 17 }), HED_E_INVAL, "more than 16");
  refused(hed_tt_check(&(hed_tt){ .order = 1 }), HED_E_INVAL, "core 0 of x is NULL");
  broken = (hed_tt){ .order = 2, .core = { a.core[0], line } };
  refused(hed_tt_check(&broken), HED_E_SHAPE, "core 1 of x has shape (3)");
  broken.core[1] = a.core[0];
  refused(hed_tt_check(&broken), HED_E_SHAPE, "ends with rank 2, the next begins with 1");
  broken = (hed_tt){ .order = 1, .core = { a.core[0] } };
  refused(hed_tt_check(&broken), HED_E_SHAPE, "first rank of x is 1, its last one 2");
  is_int(hed_tt_shape(&broken).ndim, -1, "no shape");
  refused(hed_tt_inner(&a, &a, NULL), HED_E_INVAL, "out is NULL");
  refused(hed_tt_norm(&a, NULL), HED_E_INVAL, "out is NULL");
  refused(hed_tt_sum(&broken, number), HED_E_SHAPE, "first rank");
  refused(hed_tt_mode_dot(&a, line, 1, &out), HED_E_SHAPE, "");
  refused(hed_tt_mode_dot(&a, line, 2, &out), HED_E_AXIS, "mode 2 of a tensor of 2 axes");
  refused(hed_tt_get(&a, 2, (const hed_key[]){ HED_AT(0), HED_AT(0) }, &out), HED_E_SHAPE, "no axis is left");
  refused(hed_tt_get(&a, 1, (const hed_key[]){ HED_AT(3) }, &out), HED_E_INDEX, "");
  refused(hed_tt_get(&a, 1, (const hed_key[]){ HED_NEWAXIS }, &out), HED_E_UNSUPPORTED, "key 0");
  refused(hed_tt_get(&a, 1, (const hed_key[]){ HED_SLICE(2, 2, 1) }, &out), HED_E_SHAPE, "selects nothing");
  refused(hed_tt_get(&a, 3, NULL, &out), HED_E_INVAL, "3 keys for 2 axes");
  refused(hed_tt_matmul(&a, &b, &out), HED_E_SHAPE, "as many of 4 axes");
  refused(hed_tt_orthogonalise(&a, -3, &out), HED_E_AXIS, "mode -3");
  refused(hed_tt_round(&a, -1, 0, &out, NULL), HED_E_INVAL, "eps is -1");
  refused(hed_tt_round(&a, 0, -1, &out, NULL), HED_E_INVAL, "max_rank is -1");
  broken = (hed_tt){ .order = 1, .core = { random_array(&g, HED_SHAPE(2, 3, 2), HED_FLOAT64) } };
  refused(hed_tt_round(&broken, 0, 0, &out, NULL), HED_E_UNSUPPORTED, "outer rank is 2");
  hed_tt_clear(&broken);
  ok(!hed_tt_entries(&a, x) && hed_error() == HED_E_SHAPE, "indices of three axes");
  has_str(hed_error_text(), "has shape (3, 4, 2); (n, 2) is expected", "its sentence");
  ok(!hed_tt_matrix_full(&a) && hed_error() == HED_E_SHAPE, "a train is no matrix");

  const hed_shape zero = HED_SHAPE(0), four = HED_SHAPE(1, 2, 2, 1), five = HED_SHAPE(1, 2, 3, 4, 5), ends = HED_SHAPE(2, 2, 2, 2);
  hed_error_clear();
  refused(hed_tt_svd(NULL, NULL, 0, &out, NULL), HED_E_INVAL, "x is NULL");
  refused(hed_tt_svd(x, &zero, 0, &out, NULL), HED_E_INVAL, "rank 0 is 0");
  refused(hed_tt_svd(x, &five, 0, &out, NULL), HED_E_SHAPE, "5 ranks for a tensor of 3 axes; 1, 2 or 4");
  refused(hed_tt_svd(x, &ends, 0, &out, NULL), HED_E_INVAL, "begins and ends with 1");
  refused(hed_tr_svd(x, &four, 0.1, NULL, NULL), HED_E_INVAL, "out is NULL");
  refused(hed_tr_svd(x, &(hed_shape){ 4, { 1, 2, 2, 3 } }, 0, &out, NULL), HED_E_INVAL, "first rank is 1 and the last one 3");
  refused(hed_tr_svd(line, NULL, 0, &out, NULL), HED_E_SHAPE, "1 axis");
  double dropped = 1;
  hed_array *any = hed_random_normal(HED_SHAPE(4, 3, 2), HED_FLOAT64, NULL);
  ok(hed_tr_svd(any, &HED_SHAPE(INT64_MAX), 0, &out, &dropped) == HED_OK && dropped < 1e-10, "bounds above all ranks are none");
  hed_tt_clear(&out);
  hed_release(any);
  refused(hed_tt_svd(x, NULL, 1, &out, NULL), HED_E_INVAL, "eps is 1");
  refused(hed_tt_svd(x, NULL, NAN, &out, NULL), HED_E_INVAL, "eps is");
  refused(hed_tt_svd(empty, NULL, 0, &out, NULL), HED_E_SHAPE, "x has shape (3, 0)");
  refused(hed_tt_matrix_svd(x, NULL, 0, &out, NULL), HED_E_SHAPE, "3 axes; an even number");
  ((double *)hed_array_data(x))[13] = NAN;
  refused(hed_tt_svd(x, NULL, 0, &out, NULL), HED_E_INVAL, "x is not finite at (1, 2, 1)");
  RELEASE(x, line, empty);
  hed_tt_clear(&a);
  hed_tt_clear(&b);
}

static void files(void)
{
  char path[] = "tensor_train.XXXXXX";
  gen g;
  gen_seed(&g, 2);
  if (strcmp(getenv("HEDDLE_TEST_LIBZIP") ? getenv("HEDDLE_TEST_LIBZIP") : "yes", "no") == 0) {
    skip(1, "built without libzip");
    return;
  }
  const int fd = mkstemp(path);
  if (fd < 0)
    bail("no temporary file");
  close(fd);
  hed_tt a = random_tt(&g, HED_COMPLEX64, NULL, true, false), out;
  ok(hed_tt_save(path, &a) == HED_OK && hed_tt_load(path, &out) == HED_OK, "there and back");
  is_tensor(HED_OK, &out, dense(&a), 0, "the same");
  hed_array *x = random_array(&g, HED_SHAPE(2, 3, 2), HED_FLOAT64), *line = random_array(&g, HED_SHAPE(2), HED_FLOAT64);
  const hed_array *two[] = { x, x }, *bad[] = { x, line };
  ok(hed_save_npz(path, 2, (const char *const[]){ "core0", "core2" }, two, false) == HED_OK, "an archive without core1");
  refused(hed_tt_load(path, &out), HED_E_FORMAT, "holds no core1");
  ok(hed_save_npz(path, 2, (const char *const[]){ "core0", "core1" }, bad, false) == HED_OK, "an archive with a vector");
  refused(hed_tt_load(path, &out), HED_E_FORMAT, "core 1 of");
  ok(!out.order && !out.core[0], "nothing came out");
  FILE *f = fopen(path, "w");
  fputs("no archive", f);
  fclose(f);
  refused(hed_tt_load(path, &out), HED_E_FORMAT, path);
  refused(hed_tt_load(NULL, &out), HED_E_INVAL, "path is NULL");
  refused(hed_tt_save(NULL, &a), HED_E_INVAL, "path is NULL");
  unlink(path);
  refused(hed_tt_load(path, &out), HED_E_IO, path);
  RELEASE(x, line);
  hed_tt_clear(&a);
}

int main(void)
{
  on_backends(every);
  bad_input();
  files();
  done_testing();
  return done();
}
