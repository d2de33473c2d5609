// SPDX-License-Identifier: BSD-3-Clause
/*
 * The rows of filters of the cpu module (resampling, extremes, medians, splines, convolution) against the reference kernels,
 * over dtypes, shapes, strides, boundaries and thread counts.
 */
#include "rows.h"

static const hed_plugin *cpu;
static gen g;

static const int numbers[] = { HED_ID_BOOL, HED_ID_INT8, HED_ID_INT16, HED_ID_INT32, HED_ID_INT64, HED_ID_UINT8, HED_ID_UINT16,
                               HED_ID_UINT32, HED_ID_UINT64, HED_ID_FLOAT16, HED_ID_BFLOAT16, HED_ID_FLOAT32, HED_ID_FLOAT64 };
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static int32_t any_boundary(void) { return (int32_t)gen_int(&g, HED_BOUNDARY_DEFAULT, HED_BOUNDARY_WRAP); }

static double eps_of(int type)
{
  switch (hed__real_of(type)) {
  case HED_ID_FLOAT16: return 0x1p-10;
  case HED_ID_BFLOAT16: return 0x1p-7;
  case HED_ID_FLOAT32: return 0x1p-23;
  default: return hed__id_kind(type) < HED_KIND_FLOAT ? 0 : 0x1p-52;
  }
}

/* ---- resampling ---- */

static void affines(void)
{
  for (int order = 0; order <= 3; order += order ? 2 : 1) {
    int bad = 0;
    for (int round = 0; round < 40; round++) {
      int nd = 1 + round % 3, lead = round % 4 == 3;
      int64_t dim[4] = { 2, 0, 0, 0 };
      for (int k = 0; k < nd; k++)
        dim[lead + k] = gen_int(&g, round < 30 ? 1 : 20, round < 30 ? 9 : 40);
      int type = round % 8 == 7 ? HED_ID_FLOAT16 : HED_ID_FLOAT32;
      operand in = operand_new(&g, type, nd + lead, dim, gen_chance(&g, 60));
      operand out = operand_new(&g, HED_ID_FLOAT32, nd + lead, dim, gen_chance(&g, 60));
      operand_fill(&g, &in, false, -1, 1);
      hed_affine_params p = { .ndim = nd, .order = order, .prefilter = gen_chance(&g, 60) };
      for (int i = 0; i < nd; i++)
        for (int k = 0; k <= nd; k++)
          p.matrix[i][k] = k == nd ? gen_double(&g, -1, 1) : gen_double(&g, -0.3, 0.3) + (i == k);
      if (round % 5 == 0) { /* the identity, and a flip: coordinates on the grid and on the border */
        memset(p.matrix, 0, sizeof p.matrix);
        for (int i = 0; i < nd; i++)
          p.matrix[i][i] = 1;
        p.matrix[0][0] = round % 2 ? 1 : -1;
        p.matrix[0][nd] = round % 2 ? 0 : (double)(dim[lead] - 1);
      }
      const hed_view *list[1] = { &in.v };
      hed_call call = { .struct_size = sizeof call, .op = HED_OP_AFFINE_TRANSFORM, .n_in = 1, .n_out = 1, .in = list,
                        .params = &p, .compute = HED_ID_FLOAT32, .max_threads = 2 };
      bad += !rows_same(cpu, &g, "affine_transform", ref_affine_transform, &call, &out, 1e-5, 2e-5);
      operand_free(&in);
      operand_free(&out);
    }
    ok(bad == 0, "affine_transform of order %d", order);
  }
}

/* Of every boundary, in both precisions; some points outside. */
static void affines_beyond(void)
{
  int bad = 0;
  for (int round = 0; round < 120; round++) {
    const int nd = 1 + round % 3, lead = round % 4 == 3, type = round % 2 ? HED_ID_FLOAT64 : HED_ID_FLOAT32;
    int64_t from[4] = { 2 }, to[4] = { 2 };
    for (int k = lead; k < nd + lead; k++) {
      from[k] = gen_int(&g, 1, gen_chance(&g, 20) ? 90 : 9);
      to[k] = gen_int(&g, 1, k == nd + lead - 1 && gen_chance(&g, 20) ? 150 : 9);
    }
    operand in = operand_new(&g, type, nd + lead, from, gen_chance(&g, 60));
    operand out = operand_new(&g, type, nd + lead, to, gen_chance(&g, 60));
    operand_fill(&g, &in, false, -1, 1);
    hed_affine_params p = { .ndim = nd, .order = (int32_t)gen_below(&g, 3), .prefilter = gen_chance(&g, 60),
                            .boundary = any_boundary(), .cval = (double)gen_int(&g, 0, 2) };
    p.order = p.order == 2 ? 3 : p.order;
    for (int i = 0; i < nd; i++)
      for (int k = 0; k <= nd; k++)
        p.matrix[i][k] = gen_double(&g, -2, 2);
    const hed_view *list[1] = { &in.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_AFFINE_TRANSFORM, .n_in = 1, .n_out = 1, .in = list,
                      .params = &p, .compute = type, .max_threads = 2 };
    bad += !rows_same(cpu, &g, "affine_transform", ref_affine_transform, &call, &out, 0, 400 * eps_of(type));
    operand_free(&in);
    operand_free(&out);
  }
  is_int(bad, 0, "affine_transform of every boundary");
}

/* Of points along the axes (zoom, shift, flip): sampled axis after axis where rows are long enough. */
static void affines_along(void)
{
  int bad = 0, differ = 0;
  for (int round = 0; round < 720; round++) {
    static const int types[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_FLOAT16 };
    const int nd = 2 + round % 2, lead = round % 5 == 3, type = types[round % 7 == 6 ? 2 : round % 4 / 2], last = nd + lead - 1;
    const int compute = type == HED_ID_FLOAT16 ? HED_ID_FLOAT32 : type;
    int64_t from[4] = { 2 }, to[4] = { 2 };
    for (int k = lead; k <= last; k++) {
      from[k] = gen_int(&g, 1, k == last ? 90 : 9);
      to[k] = gen_int(&g, 1, k == last ? 150 : 12);
    }
    operand in = operand_new(&g, type, nd + lead, from, gen_chance(&g, 60));
    operand out = operand_new(&g, gen_chance(&g, 80) ? compute : HED_ID_FLOAT64, nd + lead, to, gen_chance(&g, 60));
    operand again = operand_new(&g, out.v.dtype, nd + lead, to, true);
    operand_fill(&g, &in, false, -1, 1);
    hed_affine_params p = { .ndim = nd, .order = (int32_t)gen_below(&g, 3), .prefilter = gen_chance(&g, 60),
                            .boundary = any_boundary(), .cval = (double)gen_int(&g, 0, 2) };
    p.order = p.order == 2 ? 3 : p.order;
    for (int i = 0; i < nd; i++) {
      const int64_t n = from[lead + i], m = to[lead + i];
      const int kind = gen_int(&g, 0, 4);
      p.matrix[i][i] = kind == 0 ? 1 : kind == 1 ? -1 : kind == 2 && m > 1 ? (double)(n - 1) / (double)(m - 1)
                       : kind == 3 ? 0 : gen_double(&g, -2, 2);
      p.matrix[i][nd] = kind == 0 ? gen_int(&g, -2, 2) : kind == 1 ? (double)(n - 1) : kind == 2 ? 0
                        : gen_double(&g, -2, (double)n + 1);
    }
    const hed_view *list[1] = { &in.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_AFFINE_TRANSFORM, .n_in = 1, .n_out = 1, .in = list,
                      .params = &p, .compute = compute, .max_threads = 1 };
    bad += !rows_same(cpu, &g, "affine_transform", ref_affine_transform, &call, &out, 0, 400 * eps_of(compute));
    const hed_view *made[1] = { &again.v };
    call.out = made;
    call.max_threads = 3;
    bad += row_of(cpu, "affine_transform")->fn(NULL, &call) != HED_OK;
    for (int64_t k = 0; k < hed__view_size(&out.v); k++)
      differ += memcmp(element_at(&out.v, k), element_at(&again.v, k), (size_t)hed__id_size(out.v.dtype)) != 0;
    operand_free(&in);
    operand_free(&out);
    operand_free(&again);
  }
  is_int(bad, 0, "affine_transform of points along the axes");
  is_int(differ, 0, "... has the same bits on several threads");
}

static void maps(void)
{
  static const double odd[] = { NAN, INFINITY, -INFINITY, 1e16, -1e16, 0, -0.5, 0.5, 1.5, -1, -1e-10 };
  int bad = 0;
  for (int round = 0; round < 120; round++) {
    const int nd = 1 + round % 3, type = round % 2 ? HED_ID_FLOAT64 : HED_ID_FLOAT32;
    int64_t dim[4] = { 0 }, points[4] = { nd, gen_int(&g, 1, 40), gen_int(&g, 0, 9) };
    for (int k = 0; k < nd; k++)
      dim[k] = gen_int(&g, 1, gen_chance(&g, 20) ? 90 : 9);
    operand in = operand_new(&g, round % 7 ? type : HED_ID_INT16, nd, dim, gen_chance(&g, 60));
    operand at = operand_new(&g, gen_chance(&g, 70) ? HED_ID_FLOAT64 : HED_ID_FLOAT32, 3, points, gen_chance(&g, 60));
    operand out = operand_new(&g, type, 2, points + 1, gen_chance(&g, 60));
    operand_fill(&g, &in, false, -1, 1);
    for (int64_t k = 0; k < hed__view_size(&at.v); k++) {
      const double x = gen_double(&g, -0.5, 1.5) * (double)dim[k / (points[1] * points[2])];
      element_set(&at.v, k, gen_chance(&g, 5) ? odd[gen_below(&g, 11)] : gen_chance(&g, 20) ? nearbyint(x) : x);
    }
    hed_spline_params p = { .order = (int32_t)gen_below(&g, 3), .prefilter = gen_chance(&g, 60), .boundary = any_boundary(),
                            .cval = (double)gen_int(&g, 0, 2) };
    p.order = p.order == 2 ? 3 : p.order;
    const hed_view *list[2] = { &in.v, &at.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_MAP_COORDINATES, .n_in = 2, .n_out = 1, .in = list,
                      .params = &p, .compute = type, .max_threads = 2 };
    const double scale = round % 7 ? 1 : 32768;
    bad += !rows_same(cpu, &g, "map_coordinates", ref_map_coordinates, &call, &out, 0, 400 * scale * eps_of(type));
    operand_free(&in);
    operand_free(&at);
    operand_free(&out);
  }
  is_int(bad, 0, "map_coordinates");
}

static void splines(void)
{
  int bad = 0;
  for (int round = 0; round < 60; round++) {
    int64_t dim[4];
    const int type = round % 2 ? HED_ID_FLOAT64 : HED_ID_FLOAT32;
    int ndim = gen_shape(&g, 3, round % 5 ? 14 : 200, 9000, true, dim);
    if (round % 5 == 1) { /* a line in pieces */
      ndim = (int)gen_int(&g, 1, 2);
      dim[0] = gen_int(&g, 4090, 5000);
      dim[1] = 1;
    }
    operand in = operand_new(&g, round % 9 ? type : HED_ID_FLOAT16, ndim, dim, gen_chance(&g, 50));
    operand out = operand_new(&g, type, ndim, dim, gen_chance(&g, 50));
    operand_fill(&g, &in, false, -1, 1);
    hed_spline_params p = { .axes = (uint32_t)gen_below(&g, 8), .boundary = any_boundary() };
    const hed_view *list[1] = { &in.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_SPLINE_FILTER, .n_in = 1, .n_out = 1, .in = list,
                      .params = &p, .compute = type, .max_threads = 2 };
    bad += !rows_same(cpu, &g, "spline_filter", ref_spline_filter, &call, &out, 0, 400 * eps_of(type));
    operand_free(&in);
    operand_free(&out);
  }
  is_int(bad, 0, "spline_filter");
}

/* ---- boxes ---- */

static bool one_box(const char *name, int op, hed_op_fn ref, int type, bool special, int ndim, const int64_t *dim, int64_t size)
{
  operand in = operand_new(&g, type, ndim, dim, gen_chance(&g, 50)), out = operand_new(&g, type, ndim, dim, gen_chance(&g, 50));
  operand_fill(&g, &in, special, -1, 1);
  hed_box_params p = { .size = size, .boundary = any_boundary(),
                       .cval = gen_chance(&g, 30) ? -INFINITY : gen_chance(&g, 30) ? 300.7 : gen_double(&g, -1, 1) };
  if (op == HED_OP_MEDIAN_FILTER && !isfinite(p.cval))
    p.cval = -0.5;
  if (op == HED_OP_MEDIAN_FILTER && hed__id_kind(type) < HED_KIND_FLOAT)
    p.cval = type == HED_ID_BOOL ? 1 : 100.5;
  const hed_view *list[1] = { &in.v };
  hed_call call = { .struct_size = sizeof call, .op = op, .n_in = 1, .n_out = 1, .in = list, .params = &p,
                    .compute = hed__compute_of(type), .max_threads = 2 };
  const bool good = rows_same(cpu, &g, name, ref, &call, &out, 0, 0);
  if (!good)
    diag("size %d, boundary %d, cval %g", (int)size, (int)p.boundary, p.cval);
  operand_free(&in);
  operand_free(&out);
  return good;
}

static void extremes(void)
{
  int bad = 0;
  for (int round = 0; round < 20 * NUMBERS; round++) {
    int64_t dim[4];
    const int ndim = gen_shape(&g, 3, round % 6 == 5 ? 300 : 14, 9000, true, dim);
    const int64_t size = gen_int(&g, 1, gen_chance(&g, 30) ? 70 : 9);
    const bool least = round % 2, special = gen_chance(&g, 40);
    bad += !one_box(least ? "minimum_filter" : "maximum_filter", least ? HED_OP_MINIMUM_FILTER : HED_OP_MAXIMUM_FILTER,
                    least ? ref_minimum_filter : ref_maximum_filter, numbers[round / 2 % NUMBERS], special, ndim, dim, size);
  }
  is_int(bad, 0, "maximum_filter and minimum_filter");
}

static void medians(void)
{
  static const int64_t most[] = { 0, 300, 12, 4 };
  int bad = 0;
  for (int round = 0; round < 20 * NUMBERS; round++) {
    int64_t dim[4];
    const int ndim = 1 + round % 3, type = numbers[round / 3 % NUMBERS];
    for (int k = 0; k < ndim; k++)
      dim[k] = gen_int(&g, 0, ndim == 1 ? 400 : ndim == 2 ? 40 : 8) + (k == 0);
    const int64_t size = gen_int(&g, 1, gen_chance(&g, 30) ? most[ndim] : 4);
    bad += !one_box("median_filter", HED_OP_MEDIAN_FILTER, ref_median_filter, type, gen_chance(&g, 30), ndim, dim, size);
  }
  /* several pieces of ranks */
  bad += !one_box("median_filter", HED_OP_MEDIAN_FILTER, ref_median_filter, HED_ID_FLOAT64, true, 1, (int64_t[]){ 20001 }, 5);
  bad += !one_box("median_filter", HED_OP_MEDIAN_FILTER, ref_median_filter, HED_ID_INT16, false, 2, (int64_t[]){ 130, 210 }, 14);
  is_int(bad, 0, "median_filter");
}

/* ---- correlation ---- */

static void correlations(void)
{
  int bad = 0;
  for (int round = 0; round < 300; round++) {
    int64_t dim[4];
    const int type = round % 2 ? HED_ID_FLOAT64 : HED_ID_FLOAT32;
    int ndim = gen_shape(&g, 3, round % 5 ? 14 : 300, 9000, true, dim);
    if (round % 10 == 0) { /* several pieces of a line, and tiles of a row */
      ndim = 2;
      dim[0] = round % 20 ? gen_int(&g, 4000, 9000) : gen_int(&g, 65, 140);
      dim[1] = round % 20 ? gen_int(&g, 1, 3) : gen_int(&g, 64, 300);
    }
    if (ndim == 0)
      dim[ndim++] = 7;
    const int64_t taps = gen_int(&g, 1, gen_chance(&g, round % 3 ? 30 : 80) ? 90 : 9);
    operand in = operand_new(&g, round % 9 ? type : HED_ID_FLOAT16, ndim, dim, gen_chance(&g, 50));
    operand w = operand_new(&g, round % 7 ? HED_ID_FLOAT64 : type, 1, &taps, gen_chance(&g, 50));
    operand out = operand_new(&g, round % 11 ? type : HED_ID_FLOAT16, ndim, dim, gen_chance(&g, 50));
    operand_fill(&g, &in, round % 4 == 0, -1, 1);
    operand_fill(&g, &w, false, -1, 1);
    for (int64_t k = 0; k < taps && round % 3 == 0; k++) /* sums of sums */
      element_set(&w.v, k, 0.25);
    hed_correlate_params p = { .axis = (int32_t)gen_below(&g, (uint64_t)ndim), .boundary = any_boundary(),
                               .cval = gen_chance(&g, 10) ? NAN : gen_double(&g, -1, 1) };
    const hed_view *list[2] = { &in.v, &w.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_CORRELATE1D, .n_in = 2, .n_out = 1, .in = list, .params = &p,
                      .compute = type, .max_threads = 2 };
    /* beyond an end one element may be all of a window: sums grow with every weight, and so do rounding errors */
    const double eps = eps_of(out.v.dtype), each = eps_of(type) * (double)taps;
    bad += !rows_same(cpu, &g, "correlate1d", ref_correlate1d, &call, &out, eps, each * (2 + (double)taps / 8) + eps);
    operand_free(&in);
    operand_free(&w);
    operand_free(&out);
  }
  is_int(bad, 0, "correlate1d");
}

/* ---- convolution ---- */

static void convolutions(void)
{
  static const int others[] = { HED_ID_COMPLEX64, HED_ID_COMPLEX128 };
  int bad = 0;
  for (int round = 0; round < 16 * (NUMBERS + 2); round++) {
    const int which = round % (NUMBERS + 2), type = which < NUMBERS ? numbers[which] : others[which - NUMBERS];
    const int ndim = (int)gen_int(&g, 1, 3), mode = (int)gen_below(&g, 3);
    int64_t a[4], b[4], n[4];
    hed_convolve_params p = { { 0 } };
    double products = 1;
    for (int k = 0; k < ndim; k++) {
      a[k] = gen_int(&g, 1, ndim == 1 ? 700 : ndim == 2 ? 40 : 12);
      b[k] = gen_int(&g, 1, gen_chance(&g, 20) ? a[k] + 3 : 4);
      n[k] = a[k] + b[k] - 1;
      if (mode == 1) {
        n[k] = a[k];
        p.start[k] = (b[k] - 1) / 2;
      } else if (mode == 2 && a[k] >= b[k]) {
        n[k] = a[k] - b[k] + 1;
        p.start[k] = b[k] - 1;
      }
      products *= (double)(a[k] < b[k] ? a[k] : b[k]);
    }
    operand x = operand_new(&g, type, ndim, a, gen_chance(&g, 50)), y = operand_new(&g, type, ndim, b, gen_chance(&g, 50));
    operand out = operand_new(&g, type, ndim, n, gen_chance(&g, 50));
    const bool first = hed__view_size(&x.v) >= hed__view_size(&y.v), special = gen_chance(&g, 30);
    operand_fill(&g, &x, special && first, -1, 1);
    operand_fill(&g, &y, special && !first, -1, 1);
    const hed_view *list[2] = { &x.v, &y.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_CONVOLVE_DIRECT, .n_in = 2, .n_out = 1, .in = list, .params = &p,
                      .compute = type, .max_threads = 2 };
    const double eps = eps_of(type);
    bad += !rows_same(cpu, &g, "convolve_direct", ref_convolve_direct, &call, &out, 2 * eps, 2 * eps * products);
    operand_free(&x);
    operand_free(&y);
    operand_free(&out);
  }
  is_int(bad, 0, "convolve_direct");
}

/* Zeros outside would make an infinite weight a NaN. */
static void infinite_weights(void)
{
  float a[3] = { 1, 2, 3 }, b[2] = { 1, INFINITY }, out[4];
  const hed_view x = { a, HED_ID_FLOAT32, 1, { 3 }, { 4 } }, y = { b, HED_ID_FLOAT32, 1, { 2 }, { 4 } };
  const hed_view to = { out, HED_ID_FLOAT32, 1, { 4 }, { 4 } };
  hed_convolve_params p = { { 0 } };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_CONVOLVE_DIRECT, .n_in = 2, .n_out = 1,
                    .in = (const hed_view *[]){ &x, &y }, .out = (const hed_view *[]){ &to }, .params = &p,
                    .compute = HED_ID_FLOAT32, .max_threads = 1 };
  is_int(row_of(cpu, "convolve_direct")->fn(NULL, &call), HED_E_UNSUPPORTED, "infinite weights are for the reference");
}

int main(void)
{
  const char *why;
  if (!(cpu = mock_load(NULL, &why)))
    skip_all("no cpu module: %s", why);
  gen_seed(&g, tap_seed());
  affines();
  affines_beyond();
  affines_along();
  maps();
  splines();
  extremes();
  medians();
  correlations();
  convolutions();
  infinite_weights();
  is_int(atomic_load(&mock_permits), 2, "all permits were given back");
  done_testing();
  return done();
}
