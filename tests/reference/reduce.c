// SPDX-License-Identifier: BSD-3-Clause
/* Reductions of the reference backend: random shapes, layouts, dtypes and axes against one pass in long double over
 * index arithmetic; closed forms; NaN, ties, empty lanes.
 */
#include "launch.h"

#include <complex.h>
#include <math.h>

enum { MOST = 2000 };

static gen g;

static double number(const hed_view *v, int64_t k)
{
  char *p = element(v, k);
  switch (v->dtype) {
  case HED_ID_BOOL: return *(bool *)p;
  case HED_ID_INT8: return *(int8_t *)p;
  case HED_ID_INT32: return *(int32_t *)p;
  case HED_ID_INT64: return (double)*(int64_t *)p;
  case HED_ID_UINT8: return *(uint8_t *)p;
  case HED_ID_FLOAT32: return *(float *)p;
  default: return *(double *)p;
  }
}

static void set_number(const hed_view *v, int64_t k, int x)
{
  char *p = element(v, k);
  switch (v->dtype) {
  case HED_ID_BOOL: *(bool *)p = x > 0; break;
  case HED_ID_INT8: *(int8_t *)p = (int8_t)x; break;
  case HED_ID_INT32: *(int32_t *)p = x; break;
  case HED_ID_UINT8: *(uint8_t *)p = (uint8_t)x; break;
  case HED_ID_FLOAT32: *(float *)p = (float)x / 8; break;
  default: *(double *)p = (double)x / 8;
  }
}

/* What a lane should give, from its elements in order. */
typedef struct truth {
  int64_t n, nonzero, first_max, first_min;
  long double sum, prod, squares, max, min;
} truth;

static truth look(const hed_view *x, uint32_t axes, const int64_t *index, int64_t ddof)
{
  truth t = { 0, 0, -1, -1, 0, 1, 0, 0, 0 };
  static double value[MOST];
  for (int64_t k = 0; k < elements(x); k++) { /* elements whose kept indices are the lane's */
    int64_t rest = k;
    bool in = true;
    for (int a = x->ndim - 1; a >= 0; a--) {
      in = in && (axes >> a & 1u || rest % x->dim[a] == index[a]);
      rest /= x->dim[a];
    }
    if (!in)
      continue;
    double v = value[t.n] = number(x, k);
    if (t.n == 0 || v > t.max)
      t.max = v, t.first_max = t.n;
    if (t.n == 0 || v < t.min)
      t.min = v, t.first_min = t.n;
    t.n++;
    t.sum += v;
    t.prod *= v;
    t.nonzero += v != 0;
  }
  for (int64_t k = 0; k < t.n; k++)
    t.squares += (value[k] - t.sum / t.n) * (value[k] - t.sum / t.n);
  t.squares /= (long double)(t.n - ddof);
  return t;
}

static const struct { const char *name; int result; bool needs; } families[] = {
  { "sum", -1, 0 }, { "mean", HED_ID_FLOAT64, 1 }, { "var", HED_ID_FLOAT64, 1 }, { "std", HED_ID_FLOAT64, 1 },
  { "max", -1, 1 }, { "min", -1, 1 }, { "argmax", HED_ID_INT64, 1 }, { "argmin", HED_ID_INT64, 1 },
  { "any", HED_ID_BOOL, 0 }, { "all", HED_ID_BOOL, 0 }, { "count_nonzero", HED_ID_INT64, 0 }, { "prod", HED_ID_FLOAT64, 0 },
};
enum { FAMILIES = sizeof families / sizeof *families };

static long double want(int family, const truth *t)
{
  switch (family) {
  case 0: return t->sum;
  case 1: return t->sum / t->n;
  case 2: return t->squares;
  case 3: return sqrtl(t->squares);
  case 4: return t->max;
  case 5: return t->min;
  case 6: return t->first_max;
  case 7: return t->first_min;
  case 8: return t->nonzero > 0;
  case 9: return t->nonzero == t->n;
  case 10: return t->nonzero;
  default: return t->prod;
  }
}

static void random_lanes(void)
{
  static const int types[] = { HED_ID_BOOL, HED_ID_INT8, HED_ID_INT32, HED_ID_UINT8, HED_ID_FLOAT32, HED_ID_FLOAT64 };
  int wrong[FAMILIES] = { 0 }, outside = 0;
  for (int trial = 0; trial < 1500; trial++) {
    int64_t dim[GEN_MAX_NDIM], kept[GEN_MAX_NDIM], index[GEN_MAX_NDIM];
    int dtype = types[gen_below(&g, 6)], family = (int)gen_below(&g, FAMILIES);
    int ndim = gen_shape(&g, 4, gen_chance(&g, 20) ? 400 : 7, 1000, true, dim);
    field x = random_field(&g, dtype, ndim, dim);
    hed_reduce_params params = { .axes = (uint32_t)gen_below(&g, 1u << ndim), .ddof = 0 };
    for (int64_t k = 0; k < elements(&x.view); k++)
      set_number(&x.view, k, (int)gen_int(&g, family == 11 ? 1 : -3, family == 11 ? 2 : 40));
    int64_t lane = 1;
    for (int k = 0; k < ndim; k++) {
      kept[k] = params.axes >> k & 1u ? 1 : dim[k];
      lane *= params.axes >> k & 1u ? dim[k] : 1;
    }
    bool real = dtypes[dtype].kind == HED_KIND_FLOAT, whole = families[family].result == -1 && family == 0 && !real;
    int result = families[family].result >= 0 ? families[family].result : whole ? HED_ID_INT64 : dtype;
    int compute = families[family].result == HED_ID_FLOAT64 ? HED_ID_FLOAT64 : family == 0 ? result : dtype;
    if (families[family].needs && lane == 0) {
      guard_free(x.buffer);
      continue;
    }
    field out = random_field(&g, result, ndim, kept);
    launch1(families[family].name, compute, &params, &out.view, &x.view, NULL);
    for (int64_t k = 0; k < elements(&out.view); k++) {
      int64_t rest = k;
      for (int a = ndim - 1; a >= 0; a--) {
        index[a] = rest % kept[a];
        rest /= kept[a];
      }
      truth t = look(&x.view, params.axes, index, params.ddof);
      long double w = want(family, &t), got = number(&out.view, k);
      const long double relative = result == HED_ID_FLOAT32 ? 6e-8L : family == 11 ? 1e-13L : 2e-15L;
      wrong[family] += fabsl(got - w) > fabsl(w) * relative + 0x1p-1073L; /* products may end below the normal range */
    }
    outside += !guard_free(x.buffer) + !guard_free(out.buffer);
  }
  for (int k = 0; k < FAMILIES; k++)
    is_int(wrong[k], 0, "%s over random axes", families[k].name);
  is_int(outside, 0, "nothing outside the operands is written");
}

/* One lane of N elements; the result's 16 bytes go to OUT. */
static int32_t whole_lane(const char *name, int compute, int result, const hed_view *x, int ddof, void *out)
{
  hed_view v = { out, result, 1, { 1 }, { 16 } };
  return launch1(name, compute, &(hed_reduce_params){ .axes = 1, .ddof = ddof }, &v, x, NULL);
}

static void closed_forms(void)
{
  enum { N = 100000 };
  static double x[N];
  static float f[N];
  double got[2];
  float gotf;
  for (int k = 0; k < N; k++) {
    x[k] = 1e9 + k;
    f[k] = 0.1f;
  }
  hed_view vx = row(x, HED_ID_FLOAT64, N), vf = row(f, HED_ID_FLOAT32, N);
  whole_lane("var", HED_ID_FLOAT64, HED_ID_FLOAT64, &vx, 0, got);
  is_near(got[0], ((double)N * N - 1) / 12, 1e-12, 0, "variance of n consecutive numbers far from 0: (n^2 - 1) / 12");
  whole_lane("var", HED_ID_FLOAT64, HED_ID_FLOAT64, &vx, 1, got);
  is_near(got[0], (double)N * (N + 1.0) / 12, 1e-12, 0, "with ddof 1: n (n + 1) / 12");
  whole_lane("std", HED_ID_FLOAT64, HED_ID_FLOAT64, &vx, 1, got);
  is_near(got[0], sqrt((double)N * (N + 1.0) / 12), 1e-12, 0, "std is its root");
  whole_lane("mean", HED_ID_FLOAT64, HED_ID_FLOAT64, &vx, 0, got);
  ok(got[0] == 1e9 + (N - 1) / 2.0, "mean of consecutive numbers");
  whole_lane("sum", HED_ID_FLOAT32, HED_ID_FLOAT32, &vf, 0, &gotf);
  ok(gotf == (float)(N * (double)0.1f), "a long sum of float32 is right to the last place");

  static uint16_t half[5000];
  uint16_t goth = 0;
  for (int k = 0; k < 5000; k++)
    half[k] = 0x3c00; /* 1 */
  hed_view vh = row(half, HED_ID_FLOAT16, 4096);
  whole_lane("sum", HED_ID_FLOAT16, HED_ID_FLOAT16, &vh, 0, &goth);
  is_uint(goth, 0x6c00, "4096 ones of float16 are 4096, though adding 1 to 2048 is lost there");

  int64_t big[3] = { INT64_MAX, 1, 5 }, sum;
  uint8_t bytes[4] = { 200, 100, 3, 0 };
  uint64_t product;
  hed_view vb = row(big, HED_ID_INT64, 3), vu = row(bytes, HED_ID_UINT8, 3);
  whole_lane("sum", HED_ID_INT64, HED_ID_INT64, &vb, 0, &sum);
  is_int(sum, INT64_MIN + 5, "integer sums wrap");
  whole_lane("prod", HED_ID_UINT64, HED_ID_UINT64, &vu, 0, &product);
  is_uint(product, 60000, "products of bytes are wide");
  whole_lane("prod", HED_ID_INT64, HED_ID_INT64, &vb, 0, &sum);
  is_int(sum, (int64_t)((uint64_t)INT64_MAX * 5), "integer products wrap");
  double real[3] = { 1e300, 2.7, -3.9 };
  hed_view vr = row(real + 1, HED_ID_FLOAT64, 2);
  whole_lane("sum", HED_ID_INT32, HED_ID_INT32, &vr, 0, &sum);
  is_int((int32_t)sum, -1, "elements are converted before they are summed");

  double _Complex c[4] = { 1 + 2 * I, 3 - 1 * I, -2 + 0.5 * I, 2 * I }, gotc;
  hed_view vc = row(c, HED_ID_COMPLEX128, 4);
  whole_lane("sum", HED_ID_COMPLEX128, HED_ID_COMPLEX128, &vc, 0, &gotc);
  ok(gotc == 2 + 3.5 * I, "sum of complex numbers");
  whole_lane("prod", HED_ID_COMPLEX128, HED_ID_COMPLEX128, &vc, 0, &gotc);
  ok(gotc == c[0] * c[1] * c[2] * c[3], "product of complex numbers");
  whole_lane("mean", HED_ID_COMPLEX128, HED_ID_COMPLEX128, &vc, 0, &gotc);
  ok(gotc == 0.5 + 0.875 * I, "mean of complex numbers");
  whole_lane("var", HED_ID_COMPLEX128, HED_ID_FLOAT64, &vc, 0, got);
  double w = 0;
  for (int k = 0; k < 4; k++)
    w += pow(cabs(c[k] - (0.5 + 0.875 * I)), 2) / 4;
  is_near(got[0], w, 1e-15, 0, "variance of complex numbers is the mean square distance");
}

static void rules(void)
{
  double x[6] = { 1, 5, NAN, 5, NAN, 7 }, y[5] = { -0.0, 3, 3, -4, -4 }, got;
  int64_t at;
  hed_view vx = row(x, HED_ID_FLOAT64, 6), vy = row(y, HED_ID_FLOAT64, 5), none = row(x, HED_ID_FLOAT64, 0);
  whole_lane("max", HED_ID_FLOAT64, HED_ID_FLOAT64, &vx, 0, &got);
  ok(isnan(got), "max: NaN wins");
  whole_lane("min", HED_ID_FLOAT64, HED_ID_FLOAT64, &vx, 0, &got);
  ok(isnan(got), "min: NaN wins");
  whole_lane("argmax", HED_ID_FLOAT64, HED_ID_INT64, &vx, 0, &at);
  is_int(at, 2, "argmax: the first NaN");
  whole_lane("argmin", HED_ID_FLOAT64, HED_ID_INT64, &vx, 0, &at);
  is_int(at, 2, "argmin: the first NaN");
  whole_lane("argmax", HED_ID_FLOAT64, HED_ID_INT64, &vy, 0, &at);
  is_int(at, 1, "argmax: the first of equals");
  whole_lane("argmin", HED_ID_FLOAT64, HED_ID_INT64, &vy, 0, &at);
  is_int(at, 3, "argmin: the first of equals");
  uint64_t u[2] = { 1, UINT64_MAX }, best;
  hed_view vu = row(u, HED_ID_UINT64, 2);
  whole_lane("max", HED_ID_UINT64, HED_ID_UINT64, &vu, 0, &best);
  is_uint(best, UINT64_MAX, "max of uint64 is exact");

  double zero = 1;
  bool b = true;
  whole_lane("sum", HED_ID_FLOAT64, HED_ID_FLOAT64, &none, 0, &zero);
  ok(zero == 0, "sum of nothing");
  whole_lane("prod", HED_ID_FLOAT64, HED_ID_FLOAT64, &none, 0, &zero);
  ok(zero == 1, "product of nothing");
  whole_lane("mean", HED_ID_FLOAT64, HED_ID_FLOAT64, &none, 0, &zero);
  ok(isnan(zero), "mean of nothing");
  whole_lane("any", HED_ID_BOOL, HED_ID_BOOL, &none, 0, &b);
  ok(!b, "any of nothing");
  whole_lane("all", HED_ID_BOOL, HED_ID_BOOL, &none, 0, &b);
  ok(b, "all of nothing");
  whole_lane("var", HED_ID_FLOAT64, HED_ID_FLOAT64, &(hed_view){ y, HED_ID_FLOAT64, 1, { 1 }, { 8 } }, 1, &zero);
  ok(isnan(zero), "variance without a degree of freedom");
  double tiny[2] = { 1e-300, NAN };
  hed_view vt = row(tiny, HED_ID_FLOAT64, 2);
  whole_lane("count_nonzero", HED_ID_FLOAT32, HED_ID_INT64, &vt, 0, &at);
  is_int(at, 2, "what is not 0 stays so whatever the compute type; NaN is not 0");
  float _Complex c = 1;
  hed_view vc = row(&c, HED_ID_COMPLEX64, 1);
  is_int(whole_lane("max", HED_ID_COMPLEX64, HED_ID_COMPLEX64, &vc, 0, &got), HED_E_DTYPE, "complex has no largest");
}

int main(void)
{
  gen_seed(&g, tap_seed());
  random_lanes();
  closed_forms();
  rules();
  return done();
}
