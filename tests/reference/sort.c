// SPDX-License-Identifier: BSD-3-Clause
/* sort, argsort, topk, the movement kernels and the running maximum of the reference backend, against definitions by
 * counting and by index arithmetic.
 */
#include "launch.h"

#include <math.h>

static gen g;

static double number(const hed_view *v, int64_t k)
{
  char *p = element(v, k);
  switch (v->dtype) {
  case HED_ID_INT8: return *(int8_t *)p;
  case HED_ID_INT64: return (double)*(int64_t *)p;
  case HED_ID_FLOAT32: return *(float *)p;
  default: return *(double *)p;
  }
}

static void set_number(const hed_view *v, int64_t k, double x)
{
  char *p = element(v, k);
  switch (v->dtype) {
  case HED_ID_INT8: *(int8_t *)p = (int8_t)x; break;
  case HED_ID_INT64: *(int64_t *)p = (int64_t)x; break;
  case HED_ID_FLOAT32: *(float *)p = (float)x; break;
  default: *(double *)p = x;
  }
}

/* Does A come before B? NaN last in both directions. */
static bool before(double a, double b, bool descending)
{
  if (isnan(a) || isnan(b))
    return !isnan(a) && isnan(b);
  return descending ? a > b : a < b;
}

/* The place of element K of a lane: as many as come before it, and earlier equals. */
static int64_t rank(const hed_view *x, int64_t start, int64_t step, int64_t n, int64_t k, bool descending)
{
  double v = number(x, start + k * step);
  int64_t r = 0;
  for (int64_t j = 0; j < n; j++) {
    double w = number(x, start + j * step);
    r += before(w, v, descending) || (j < k && !before(v, w, descending));
  }
  return r;
}

static void sorting(void)
{
  static const int types[] = { HED_ID_INT8, HED_ID_INT64, HED_ID_FLOAT32, HED_ID_FLOAT64 };
  int wrong_values = 0, wrong_places = 0, outside = 0;
  for (int trial = 0; trial < 400; trial++) {
    int64_t dim[GEN_MAX_NDIM], short_dim[GEN_MAX_NDIM], n, after = 1;
    int dtype = types[gen_below(&g, 4)], ndim;
    do
      ndim = gen_shape(&g, 3, gen_chance(&g, 30) ? 70 : 6, 400, true, dim);
    while (ndim == 0);
    hed_sort_params p = { .axis = (int32_t)gen_below(&g, (uint64_t)ndim), .descending = gen_chance(&g, 50) };
    field x = random_field(&g, dtype, ndim, dim);
    bool real = dtypes[dtype].kind == HED_KIND_FLOAT;
    for (int64_t k = 0; k < elements(&x.view); k++)
      set_number(&x.view, k, real && gen_chance(&g, 10) ? NAN : real && gen_chance(&g, 5) ? -INFINITY
                                 : (double)gen_int(&g, -9, 9));
    memcpy(short_dim, dim, sizeof dim);
    n = dim[p.axis];
    short_dim[p.axis] = gen_int(&g, 0, n);
    for (int k = p.axis + 1; k < ndim; k++)
      after *= dim[k];
    field values = random_field(&g, dtype, ndim, dim), places = random_field(&g, HED_ID_INT64, ndim, dim);
    field top = random_field(&g, dtype, ndim, short_dim), top_at = random_field(&g, HED_ID_INT64, ndim, short_dim);
    launch1("sort", dtype, &p, &values.view, &x.view, NULL);
    launch1("argsort", dtype, &p, &places.view, &x.view, NULL);
    launch("topk", dtype, &p, 2, (const hed_view *const[]){ &top.view, &top_at.view }, 1,
           (const hed_view *const[]){ &x.view });
    for (int64_t i = 0; i < elements(&x.view); i++) {
      int64_t k = i / after % n, start = i - k * after; /* place in the lane, first element of the lane */
      int64_t r = rank(&x.view, start, after, n, k, p.descending);
      double v = number(&x.view, i), got = number(&values.view, start + r * after);
      wrong_values += !(got == v || (isnan(got) && isnan(v)));
      wrong_places += number(&places.view, start + r * after) != (double)k;
      if (r < short_dim[p.axis]) {
        int64_t at = start / (after * n) * after * short_dim[p.axis] + start % after + r * after;
        got = number(&top.view, at);
        wrong_values += !(got == v || (isnan(got) && isnan(v)));
        wrong_places += number(&top_at.view, at) != (double)k;
      }
    }
    outside += !guard_free(x.buffer) + !guard_free(values.buffer) + !guard_free(places.buffer) +
               !guard_free(top.buffer) + !guard_free(top_at.buffer);
  }
  is_int(wrong_values, 0, "sort and topk: values by rank");
  is_int(wrong_places, 0, "argsort and topk: places, stable");
  is_int(outside, 0, "nothing outside the operands is written");

  uint64_t u[3] = { UINT64_MAX, 0, 1ull << 63 }, got[3];
  hed_view vu = row(u, HED_ID_UINT64, 3), out = row(got, HED_ID_UINT64, 3);
  launch1("sort", HED_ID_UINT64, &(hed_sort_params){ .descending = false }, &out, &vu, NULL);
  is_mem(got, ((uint64_t[]){ 0, 1ull << 63, UINT64_MAX }), sizeof got, "sort of uint64 over the whole range");
  launch1("sort", HED_ID_UINT64, &(hed_sort_params){ .descending = true }, &vu, &vu, NULL);
  is_mem(u, ((uint64_t[]){ UINT64_MAX, 1ull << 63, 0 }), sizeof u, "in place, descending");
  double z[3] = { 0.0, -0.0, -1 };
  int64_t at[3];
  hed_view vz = row(z, HED_ID_FLOAT64, 3), outa = row(at, HED_ID_INT64, 3);
  launch1("argsort", HED_ID_FLOAT64, &(hed_sort_params){ .descending = false }, &outa, &vz, NULL);
  is_mem(at, ((int64_t[]){ 2, 0, 1 }), sizeof at, "0 and -0 are equal");
}

static void creation(void)
{
  int64_t dim[3] = { 3, 2, 5 };
  field x = random_field(&g, HED_ID_INT8, 3, dim);
  launch1("fill", HED_ID_INT8, &(hed_fill_params){ 0, 0, -7 }, &x.view, NULL);
  int wrong = 0;
  for (int64_t k = 0; k < 30; k++)
    wrong += number(&x.view, k) != -7;
  ok(wrong == 0 && guard_free(x.buffer), "fill of any layout, and nothing else");
  float c[4] = { 9, 9, 9, 9 };
  hed_view vc = row(c, HED_ID_COMPLEX64, 2);
  launch1("fill", HED_ID_COMPLEX64, &(hed_fill_params){ 1.5, -2, 0 }, &vc, NULL);
  is_mem(c, ((float[]){ 1.5, -2, 1.5, -2 }), sizeof c, "fill with a complex value");
  uint64_t u[1];
  hed_view vu = row(u, HED_ID_UINT64, 1);
  launch1("fill", HED_ID_UINT64, &(hed_fill_params){ 0, 0, -1 }, &vu, NULL);
  is_uint(u[0], UINT64_MAX, "fill of uint64 takes the integer's bits");
  bool b[2];
  hed_view vb = row(b, HED_ID_BOOL, 2);
  launch1("fill", HED_ID_BOOL, &(hed_fill_params){ 0.5, 0, 0 }, &vb, NULL);
  ok(b[0] && b[1], "fill of bool");
  static float f[1000];
  hed_view vf = { f + 999, HED_ID_FLOAT32, 1, { 1000 }, { -4 } };
  launch1("arange", HED_ID_FLOAT32, &(hed_arange_params){ .start = 2, .step = 0.1 }, &vf, NULL);
  wrong = 0;
  for (int k = 0; k < 1000; k++)
    wrong += f[999 - k] != (float)(2 + k * 0.1);
  is_int(wrong, 0, "arange: start + k step in double, no running sum");
}

static void movement(void)
{
  int wrong_take = 0, wrong_nonzero = 0, wrong_cast = 0, outside = 0;
  for (int trial = 0; trial < 300; trial++) {
    int64_t dim[GEN_MAX_NDIM], idim[GEN_MAX_NDIM], odim[GEN_MAX_NDIM];
    int ndim;
    do
      ndim = gen_shape(&g, 4, 5, 300, false, dim);
    while (ndim == 0);
    field x = random_field(&g, HED_ID_FLOAT32, ndim, dim);
    for (int64_t k = 0; k < elements(&x.view); k++)
      set_number(&x.view, k, gen_chance(&g, 50) ? 0 : (double)gen_int(&g, -100, 100));

    /* take: element (pre, i, post) of the result is (pre, index[i], post) of x */
    int axis = (int)gen_below(&g, (uint64_t)ndim), n_idim = gen_shape(&g, 2, 4, 12, true, idim), o = 0;
    field index = random_field(&g, HED_ID_INT64, n_idim, idim);
    int64_t count = elements(&index.view), post = 1, pre = 1;
    for (int64_t k = 0; k < count; k++)
      set_number(&index.view, k, (double)gen_int(&g, 0, dim[axis] - 1));
    for (int k = 0; k < ndim; k++)
      if (k == axis)
        for (int j = 0; j < n_idim; j++)
          odim[o++] = idim[j];
      else
        odim[o++] = dim[k], *(k < axis ? &pre : &post) *= dim[k];
    field out = random_field(&g, HED_ID_FLOAT64, o, odim);
    launch1("take", HED_ID_FLOAT32, &(hed_take_params){ axis }, &out.view, &x.view, &index.view, NULL);
    for (int64_t a = 0; a < pre; a++)
      for (int64_t i = 0; i < count; i++)
        for (int64_t b = 0; b < post; b++)
          wrong_take += number(&out.view, (a * count + i) * post + b) !=
                        number(&x.view, (a * dim[axis] + (int64_t)number(&index.view, i)) * post + b);

    /* nonzero: coordinates in C order */
    int64_t found = 0, rows = 0;
    for (int64_t k = 0; k < elements(&x.view); k++)
      rows += number(&x.view, k) != 0;
    field at = random_field(&g, HED_ID_INT64, 2, (int64_t[]){ rows, ndim });
    launch1("nonzero", HED_ID_FLOAT32, NULL, &at.view, &x.view, NULL);
    for (int64_t k = 0; k < elements(&x.view); k++) {
      if (number(&x.view, k) == 0)
        continue;
      int64_t flat = 0;
      for (int a = 0; a < ndim; a++)
        flat = flat * dim[a] + (int64_t)number(&at.view, found * ndim + a);
      wrong_nonzero += flat != k;
      found++;
    }

    field whole = random_field(&g, HED_ID_INT8, ndim, dim);
    launch1("astype", HED_ID_INT8, NULL, &whole.view, &x.view, NULL);
    for (int64_t k = 0; k < elements(&x.view); k++)
      wrong_cast += number(&whole.view, k) != number(&x.view, k);
    outside += !guard_free(x.buffer) + !guard_free(index.buffer) + !guard_free(out.buffer) + !guard_free(at.buffer) +
               !guard_free(whole.buffer);
  }
  is_int(wrong_take, 0, "take");
  is_int(wrong_nonzero, 0, "nonzero");
  is_int(wrong_cast, 0, "astype");
  is_int(outside, 0, "nothing outside the operands is written");
  double one = 3;
  hed_view v0 = { &one, HED_ID_FLOAT64, 0, { 0 }, { 0 } }, none = { &one, HED_ID_INT64, 2, { 1, 0 }, { 8, 8 } };
  is_int(launch1("nonzero", HED_ID_FLOAT64, NULL, &none, &v0, NULL), HED_OK, "nonzero of a 0-d array");
}

static void running_maximum(void)
{
  float best[6] = { 1, 1, 1, 1, NAN, -INFINITY }, score[6] = { 0.5f, 2, 1, 1, 5, NAN };
  int32_t from[6] = { 3, 3, 3, 1, 3, -1 };
  hed_view vb = row(best, HED_ID_FLOAT32, 6), vf = row(from, HED_ID_INT32, 6), vs = row(score, HED_ID_FLOAT32, 6);
  const hed_view *out[2] = { &vb, &vf }, *in[1] = { &vs };
  launch("max_score_over_rotations", HED_ID_FLOAT32, &(hed_maxscore_params){ 2 }, 2, out, 1, in);
  is_mem(from, ((int32_t[]){ 3, 2, 2, 1, 3, -1 }), sizeof from, "larger wins, equal by the lower index, NaN never");
  ok(best[0] == 1 && best[1] == 2 && best[2] == 1 && isnan(best[4]) && best[5] == -INFINITY, "the best scores");
  double fine[1] = { 1 + 1e-12 };
  float coarse[1] = { 1 };
  int32_t where[1] = { 0 };
  hed_view vd = row(fine, HED_ID_FLOAT64, 1), vc = row(coarse, HED_ID_FLOAT32, 1), vw = row(where, HED_ID_INT32, 1);
  launch("max_score_over_rotations", HED_ID_FLOAT64, &(hed_maxscore_params){ 5 }, 2,
         (const hed_view *const[]){ &vc, &vw }, 1, (const hed_view *const[]){ &vd });
  is_int(where[0], 0, "scores compare in the dtype in which the best are kept");
}

int main(void)
{
  gen_seed(&g, tap_seed());
  sorting();
  creation();
  movement();
  running_maximum();
  return done();
}
