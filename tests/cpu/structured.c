// SPDX-License-Identifier: BSD-3-Clause
/*
 * The structured rows of the cpu module (fft, matmul, svd, sorting, random numbers, scores) against the reference kernels,
 * over dtypes, shapes, strides and thread counts.
 */
#include "rows.h"

static const hed_plugin *cpu;
static gen g;

static double eps_of(int t) { return hed__real_of(t) == HED_ID_FLOAT64 ? 0x1p-52 : 0x1p-23; }

/* ---- fft ---- */

static bool one_fft(int kind, bool single, int ndim, const int64_t *dim, int n_axes, const int32_t *axes, bool tidy,
                    int effort, double scale, int threads)
{
  int r = single ? HED_ID_FLOAT32 : HED_ID_FLOAT64, c = single ? HED_ID_COMPLEX64 : HED_ID_COMPLEX128;
  int64_t in_dim[4], out_dim[4];
  memcpy(in_dim, dim, sizeof in_dim);
  memcpy(out_dim, dim, sizeof out_dim);
  int32_t last = axes[n_axes - 1];
  double n = 1;
  for (int k = 0; k < n_axes; k++)
    n *= (double)dim[axes[k]];
  if (kind == 1)
    out_dim[last] = dim[last] / 2 + 1;
  if (kind == 2)
    in_dim[last] = dim[last] / 2 + 1;
  operand in = operand_new(&g, kind == 1 ? r : c, ndim, in_dim, tidy);
  operand out = operand_new(&g, kind == 2 ? r : c, ndim, out_dim, tidy);
  operand_fill(&g, &in, false, -1, 1);
  if (kind == 2) { /* of a real signal: the parts that must be real are */
    for (int64_t i = 0; i < hed__view_size(&in.v); i++)
      element_set(&in.v, i, creal(element(&in.v, i)));
  }
  char *before = malloc(in.bytes);
  memcpy(before, in.buffer, in.bytes);
  hed_fft_params p = { .n_axes = n_axes, .sign = kind == 2 ? 1 : kind == 1 ? -1 : gen_chance(&g, 50) ? 1 : -1,
                       .scale = scale, .effort = effort };
  memcpy(p.axis, axes, (size_t)n_axes * sizeof *axes);
  const hed_view *list[1] = { &in.v };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_FFT, .n_in = 1, .n_out = 1, .in = list, .params = &p,
                    .compute = c, .max_threads = threads };
  bool good = rows_same(cpu, &g, "fft", ref_fft, &call, &out, 8 * eps_of(c), 8 * eps_of(c) * sqrt(n) * scale * log2(n + 2));
  if (memcmp(before, in.buffer, in.bytes)) {
    diag("fft of kind %d changed its operand", kind);
    good = false;
  }
  free(before);
  operand_free(&in);
  operand_free(&out);
  return good;
}

static void ffts(void)
{
  static const char *const names[] = { "complex to complex", "real to complex", "complex to real" };
  for (int kind = 0; kind < 3; kind++) {
    int bad = 0;
    for (int round = 0; round < 60; round++) {
      int64_t dim[4] = { 1, 1, 1, 1 };
      int ndim = gen_shape(&g, 4, 12, 1500, false, dim), n_axes, order[4];
      if (ndim == 0)
        continue;
      gen_permutation(&g, ndim, order);
      int32_t axes[4];
      n_axes = 1 + (int)gen_below(&g, (uint64_t)ndim);
      for (int k = 0; k < n_axes; k++)
        axes[k] = order[k];
      bad += !one_fft(kind, round % 2, ndim, dim, n_axes, axes, gen_chance(&g, 40), round % 3 == 2,
                      gen_chance(&g, 50) ? 1 : 0.25, 1 + round % 2);
    }
    ok(bad == 0, "fft %s, random shapes, axes and strides", names[kind]);
    bad = 0;
    /* Large enough for stages, blocks and threads; twice, so that effort 1 is measured. */
    const int64_t big[4] = { 40, 36, 66, 1 }, odd[4] = { 33, 35, 65, 1 }, plane[4] = { 300, 500, 1, 1 };
    const int32_t all[3] = { 0, 1, 2 };
    for (int round = 0; round < 3; round++) {
      bad += !one_fft(kind, true, 3, big, 3, all, true, 1, 1, 2);
      bad += !one_fft(kind, true, 3, odd, 3, all, true, 1, 1.0 / 3, 2);
      bad += !one_fft(kind, false, 2, plane, 2, all, true, round == 0, 0.5, 2);
      bad += !one_fft(kind, true, 2, plane, 1, all + 1, true, 0, 1, 1);
    }
    ok(bad == 0, "fft %s, large", names[kind]);
  }
}

/* Half precision goes through float32; the result may be the operand. */
static void fft_special(void)
{
  int64_t dim[1] = { 24 };
  operand in = operand_new(&g, HED_ID_FLOAT16, 1, dim, true), out;
  operand_fill(&g, &in, false, -1, 1);
  dim[0] = 13;
  out = operand_new(&g, HED_ID_COMPLEX64, 1, dim, true);
  hed_fft_params p = { .n_axes = 1, .sign = -1, .scale = 1 };
  const hed_view *list[1] = { &in.v };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_FFT, .n_in = 1, .n_out = 1, .in = list, .params = &p,
                    .compute = HED_ID_COMPLEX64, .max_threads = 1 };
  ok(rows_same(cpu, &g, "fft", ref_fft, &call, &out, 1e-5, 1e-5), "fft of float16");
  operand_free(&in);
  operand_free(&out);
  dim[0] = 48;
  operand x = operand_new(&g, HED_ID_COMPLEX128, 1, dim, true), y = operand_new(&g, HED_ID_COMPLEX128, 1, dim, true);
  operand_fill(&g, &x, false, -1, 1);
  memcpy(y.buffer, x.buffer, x.bytes);
  const hed_view *xs[1] = { &x.v }, *ys[1] = { &y.v };
  call.compute = HED_ID_COMPLEX128;
  call.in = call.out = xs;
  row_of(cpu, "fft")->fn(NULL, &call);
  call.in = call.out = ys;
  run_ref(ref_fft, &call);
  ok(first_difference(&x.v, &y.v, 1e-12, 1e-12) < 0, "fft in place");
  operand_free(&x);
  operand_free(&y);
}

/* ---- linear algebra ---- */

static void matmuls(void)
{
  static const int types[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_COMPLEX64, HED_ID_COMPLEX128, HED_ID_BOOL,
                               HED_ID_INT8, HED_ID_UINT8, HED_ID_INT16, HED_ID_UINT16, HED_ID_INT32, HED_ID_UINT32,
                               HED_ID_INT64, HED_ID_UINT64 };
  for (int t = 0; t < 13; t++) {
    int bad = 0;
    const bool number = t < 4; /* integers wrap, so they must be equal */
    for (int round = 0; round < 40; round++) {
      int64_t most = round < 30 ? 12 : 140;
      int64_t m = gen_int(&g, 1, most), n = gen_int(&g, 1, most), k = gen_int(&g, round % 9 == 8 ? 0 : 1, most);
      int64_t batch = gen_int(&g, 1, 3), da[3] = { batch, m, k }, db[3] = { batch, k, n }, dc[3] = { batch, m, n };
      if (round % 7 == 0)
        n = db[2] = dc[2] = 1;
      bool tidy = gen_chance(&g, 50);
      operand a = operand_new(&g, types[t], 3, da, tidy);
      operand b = operand_new(&g, round % 5 == 4 && t == 0 ? HED_ID_FLOAT16 : types[t], 3, db, tidy);
      operand c = operand_new(&g, types[t], 3, dc, gen_chance(&g, 50));
      operand_fill(&g, &a, false, -1, 1);
      operand_fill(&g, &b, false, -1, 1);
      hed_view va = a.v, vb = b.v;
      if (gen_chance(&g, 40)) /* one matrix for the whole batch */
        *(gen_chance(&g, 50) ? va.stride : vb.stride) = 0;
      const hed_view *list[2] = { &va, &vb };
      hed_call call = { .struct_size = sizeof call, .op = HED_OP_MATMUL, .n_in = 2, .n_out = 1, .in = list,
                        .compute = types[t], .max_threads = 1 + round % 2 };
      bad += !rows_same(cpu, &g, "matmul", ref_matmul, &call, &c, number ? 8 * eps_of(types[t]) : 0,
                   number ? 2 * (double)(k + 1) * eps_of(types[t]) : 0);
      operand_free(&a);
      operand_free(&b);
      operand_free(&c);
    }
    ok(bad == 0, "matmul in %s", hed__dtypes[types[t]]->name);
  }
}

/* Vectors are unique up to a phase, so their product is compared; values alone are the same. */
static bool one_svd(int t, int64_t batch, int64_t m, int64_t n, bool full, bool tidy)
{
  int64_t k = m < n ? m : n, da[3] = { batch, m, n }, du[3] = { batch, m, full ? m : k }, ds[2] = { batch, k },
          dv[3] = { batch, full ? n : k, n };
  operand a = operand_new(&g, t, 3, da, tidy), u = operand_new(&g, t, 3, du, tidy);
  operand s = operand_new(&g, hed__real_of(t), 2, ds, tidy), v = operand_new(&g, t, 3, dv, tidy);
  operand_fill(&g, &a, false, -1, 1);
  hed_svd_params p = { full };
  const hed_view *in[1] = { &a.v }, *out[3] = { &u.v, &s.v, &v.v }, *values[3] = { NULL, &s.v, NULL };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_SVD, .n_in = 1, .n_out = 3, .in = in, .out = out,
                    .params = &p, .compute = t, .max_threads = 1 };
  bool good = row_of(cpu, "svd")->fn(NULL, &call) == HED_OK;
  double worst = 0, tol = 40 * eps_of(t) * (double)(m + n);
  for (int64_t b = 0; b < batch && good; b++)
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) {
        double complex sum = 0;
        for (int64_t q = 0; q < k; q++)
          sum += element(&u.v, (b * m + i) * du[2] + q) * element(&s.v, b * k + q)
                 * element(&v.v, (b * dv[1] + q) * n + j);
        worst = fmax(worst, cabs(sum - element(&a.v, (b * m + i) * n + j)));
      }
  for (int64_t b = 0; b < batch && good; b++) /* u' u = 1 over all columns */
    for (int64_t i = 0; i < du[2]; i++)
      for (int64_t j = 0; j < du[2]; j++) {
        double complex sum = 0;
        for (int64_t q = 0; q < m; q++)
          sum += conj(element(&u.v, (b * m + q) * du[2] + i)) * element(&u.v, (b * m + q) * du[2] + j);
        worst = fmax(worst, cabs(sum - (i == j)));
      }
  call.out = values;
  operand again = operand_new(&g, hed__real_of(t), 2, ds, true);
  values[1] = &again.v;
  good = good && row_of(cpu, "svd")->fn(NULL, &call) == HED_OK && first_difference(&again.v, &s.v, tol, tol) < 0;
  if (!good || worst > tol)
    diag("svd of %lld x %lld in %s: off by %g, %g is allowed: %s", (long long)m, (long long)n, hed__dtypes[t]->name,
         worst, tol, mock_text());
  operand_free(&a);
  operand_free(&u);
  operand_free(&s);
  operand_free(&v);
  operand_free(&again);
  return good && worst <= tol;
}

static void svds(void)
{
  static const int types[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_COMPLEX64, HED_ID_COMPLEX128 };
  for (int t = 0; t < 4; t++) {
    int bad = 0;
    for (int round = 0; round < 12; round++)
      bad += !one_svd(types[t], gen_int(&g, 1, 3), gen_int(&g, 1, 20), gen_int(&g, 1, 20), round % 2, round % 3 == 0);
    ok(bad == 0, "svd in %s: u s vh is the operand, u is unitary", hed__dtypes[types[t]]->name);
  }
}

/* ---- sorting ---- */

typedef struct sort_row { const char *name; int op; hed_op_fn ref; } sort_row;

static const sort_row sort_rows[] = {
  { "sort", HED_OP_SORT, ref_sort }, { "argsort", HED_OP_ARGSORT, ref_argsort }, { "topk", HED_OP_TOPK, ref_topk },
};

/* DIM, from random elements of TYPE, in layouts of any kind; COMPUTE may hold more than the type. topk changes DIM. */
static bool sorts_alike(const sort_row *r, const hed_sort_params *p, int type, int compute, int ndim, int64_t *dim)
{
  operand in = operand_new(&g, type, ndim, dim, gen_chance(&g, 50)), out[2];
  operand_fill(&g, &in, true, -3, 3);
  if (r->op == HED_OP_TOPK)
    dim[p->axis] = gen_int(&g, 1, gen_chance(&g, 50) ? dim[p->axis] : (dim[p->axis] + 19) / 20);
  out[0] = operand_new(&g, r->op == HED_OP_ARGSORT ? HED_ID_INT64 : type, ndim, dim, gen_chance(&g, 50));
  out[1] = operand_new(&g, HED_ID_INT64, ndim, dim, true);
  memset(out[0].buffer, 0, out[0].bytes);
  memset(out[1].buffer, 0, out[1].bytes);
  const hed_view *list[1] = { &in.v };
  hed_call call = { .struct_size = sizeof call, .op = r->op, .n_in = 1, .n_out = 1 + (r->op == HED_OP_TOPK), .in = list,
                    .params = p, .compute = compute, .max_threads = 2 };
  const bool same = rows_same(cpu, &g, r->name, r->ref, &call, out, 0, 0);
  operand_free(&in);
  operand_free(&out[0]);
  operand_free(&out[1]);
  return same;
}

static void sorts(void)
{
  for (int r = 0; r < 3; r++) {
    const hed_op_entry *row = row_of(cpu, sort_rows[r].name);
    int bad = 0, ran = 0;
    for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
      for (int round = 0; round < 12 && row->dtypes >> t & 1; round++) {
        int64_t dim[4] = { 5000, 1, 1, 1 };
        int ndim = round == 0 ? 1 : gen_shape(&g, 3, 90, 3000, false, dim);
        if (round == 1)
          ndim = 2, dim[0] = 40000, dim[1] = 2;
        if (ndim == 0)
          continue;
        const hed_sort_params p = { .axis = round == 1 ? 0 : (int32_t)gen_below(&g, (uint64_t)ndim), .descending = round % 2 };
        bad += !sorts_alike(&sort_rows[r], &p, t == HED_ID_FLOAT32 && round == 5 ? HED_ID_FLOAT16 : t, t, ndim, dim);
        ran++;
      }
    ok(bad == 0 && ran > 0, "%s as the reference in %d cases", sort_rows[r].name, ran);
  }
}

/* Many lanes of few elements, first, between and last in memory. */
static void short_sorts(void)
{
  for (int r = 0; r < 2; r++) {
    const hed_op_entry *row = row_of(cpu, sort_rows[r].name);
    int bad = 0, ran = 0;
    for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
      for (int round = 0; round < 40 && row->dtypes >> t & 1; round++) {
        int64_t dim[3] = { gen_int(&g, 1, 9), gen_int(&g, 1, 40), gen_int(&g, 1, 40) };
        const hed_sort_params p = { .axis = (int32_t)gen_below(&g, 3), .descending = gen_chance(&g, 50) };
        dim[p.axis] = gen_chance(&g, 70) ? gen_int(&g, 1, 20) : gen_int(&g, 1, 520);
        bad += !sorts_alike(&sort_rows[r], &p, t == HED_ID_FLOAT32 && round == 5 ? HED_ID_FLOAT16 : t, t, 3, dim);
        ran++;
      }
    ok(bad == 0 && ran > 0, "%s of short lanes as the reference in %d cases", sort_rows[r].name, ran);
  }
}

/* ---- random ---- */

static void randoms(void)
{
  static const struct { int kind, dtype; } cases[] = {
    { HED_RANDOM_BITS, HED_ID_UINT32 }, { HED_RANDOM_BITS, HED_ID_UINT64 },
    { HED_RANDOM_UNIFORM, HED_ID_FLOAT32 }, { HED_RANDOM_UNIFORM, HED_ID_FLOAT64 },
    { HED_RANDOM_UNIFORM, HED_ID_FLOAT16 }, { HED_RANDOM_NORMAL, HED_ID_FLOAT32 },
    { HED_RANDOM_NORMAL, HED_ID_FLOAT64 }, { HED_RANDOM_INTEGERS, HED_ID_INT16 },
    { HED_RANDOM_INTEGERS, HED_ID_INT64 },
  };
  int bad = 0;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int round = 0; round < 4; round++) {
      int64_t dim[4] = { 60001, 1, 1, 1 };
      int ndim = round == 0 ? 1 : gen_shape(&g, 4, 30, 3000, true, dim);
      operand out = operand_new(&g, cases[c].dtype, ndim, dim, round < 2);
      memset(out.buffer, 0, out.bytes);
      hed_random_params p = { cases[c].kind, gen_u64(&g), 7, -1, 3, -100, 201 };
      hed_call call = { .struct_size = sizeof call, .op = HED_OP_RANDOM, .n_out = 1, .params = &p,
                        .compute = cases[c].dtype, .max_threads = 2 };
      bad += !rows_same(cpu, &g, "random", ref_random, &call, &out, 0, 0);
      operand_free(&out);
    }
  ok(bad == 0, "random numbers are the reference's bits");
}

/* ---- template matching ---- */

static void scores(void)
{
  int bad = 0;
  for (int round = 0; round < 20; round++) {
    int64_t dim[4] = { 300, 1000, 1, 1 };
    int ndim = round == 0 ? 2 : gen_shape(&g, 3, 20, 3000, true, dim);
    int type = round % 5 == 4 ? HED_ID_FLOAT16 : HED_ID_FLOAT32;
    operand x[3], out[2];
    hed_view shown[3];
    const hed_view *list[3];
    for (int k = 0; k < 3; k++) {
      x[k] = operand_new(&g, type, ndim, dim, round < 3 || gen_chance(&g, 50));
      operand_fill(&g, &x[k], round % 4 == 1, k == 1 ? 0 : -1, k == 1 ? 9 : 1);
      shown[k] = x[k].v;
      list[k] = &shown[k];
    }
    if (round % 3 == 1)
      memset(shown[0].stride, 0, sizeof shown[0].stride);
    out[0] = operand_new(&g, type, ndim, dim, round < 3 || gen_chance(&g, 50));
    hed_norm_params p = { .n_obs = 3, .eps = 0.01 };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_NORM_SCORES, .n_in = 3, .n_out = 1, .in = list,
                      .params = &p, .compute = HED_ID_FLOAT32, .max_threads = 2 };
    bad += !rows_same(cpu, &g, "norm_scores", ref_norm_scores, &call, &out[0], type == HED_ID_FLOAT16 ? 2e-3 : 1e-4, 1e-5);

    /* Scores that tie with what is there, from lower and higher indices. */
    out[1] = operand_new(&g, HED_ID_INT32, ndim, dim, round < 3 || gen_chance(&g, 50));
    for (int64_t i = 0; i < hed__view_size(&out[0].v); i++) {
      element_set(&out[0].v, i, gen_chance(&g, 30) ? creal(element(&x[0].v, i)) : gen_double(&g, -1, 1));
      element_set(&out[1].v, i, (double)gen_int(&g, -1, 9));
    }
    hed_maxscore_params q = { 4 };
    list[0] = &x[0].v;
    call = (hed_call){ .struct_size = sizeof call, .op = HED_OP_MAX_SCORE_OVER_ROTATIONS, .n_in = 1, .n_out = 2,
                       .in = list, .params = &q, .compute = HED_ID_FLOAT32, .max_threads = 2 };
    bad += !rows_same(cpu, &g, "max_score_over_rotations", ref_max_score_over_rotations, &call, out, 0, 0);
    for (int k = 0; k < 3; k++)
      operand_free(&x[k]);
    operand_free(&out[0]);
    operand_free(&out[1]);
  }
  ok(bad == 0, "norm_scores and max_score_over_rotations");
}

/* The bytes of element I of OUT are those of AT. */
static bool is_element(const hed_view *out, int64_t i, const void *at)
{
  return !memcmp(element_at(out, i), at, (size_t)hed__id_size(out->dtype));
}

/* Vectors of words of all sizes, each as often as counts say, that may be one count for all; some for several threads. */
static void repeats(void)
{
  int bad = 0;
  for (int round = 0; round < 90; round++) {
    const int type = round % HED_ID_CONCRETE_COUNT_;
    const int64_t n = round % 9 == 8 ? gen_int(&g, 50000, 60000) : gen_int(&g, 1, 40), one = 1;
    const bool alike = gen_chance(&g, 30);
    operand x = operand_new(&g, type, 1, &n, gen_chance(&g, 80)), counts = operand_new(&g, HED_ID_INT64, 1, alike ? &one : &n, true);
    int64_t total = 0, at = 0;
    operand_fill(&g, &x, false, -9, 9);
    if (alike) {
      counts.v.dim[0] = n;
      counts.v.stride[0] = 0;
      *(int64_t *)counts.v.data = gen_int(&g, 0, 20);
    }
    for (int64_t i = 0; i < n; i++) {
      int64_t *c = (int64_t *)(void *)element_at(&counts.v, i);
      *c = alike ? *c : gen_int(&g, 0, 6);
      total += *c;
    }
    operand out = operand_new(&g, type, 1, &total, gen_chance(&g, 80));
    const hed_take_params p = { .axis = 0 };
    const hed_view *in[2] = { &x.v, &counts.v }, *list[1] = { &out.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_REPEAT, .n_in = 2, .n_out = 1, .in = in, .out = list, .params = &p,
                      .compute = hed__compute_of(type), .max_threads = 2 };
    bool good = row_of(cpu, "repeat")->fn(NULL, &call) == HED_OK;
    for (int64_t i = 0; i < n; i++)
      for (int64_t c = *(int64_t *)(void *)element_at(&counts.v, i); c > 0; c--)
        good = good && is_element(&out.v, at++, element_at(&x.v, i));
    bad += !good;
    operand_free(&x);
    operand_free(&counts);
    operand_free(&out);
  }
  is_int(bad, 0, "repeat");
}

/* Words of all sizes that a mask of any true bytes chooses: few, many, none or all; the last of so many that they go past the
 * caches. */
static void compresses(void)
{
  enum { SMALL = 120, LARGE = 2, PAST = 25 << 20 };
  int bad = 0;
  for (int round = 0; round < SMALL + LARGE; round++) {
    const bool large = round >= SMALL;
    const int type = !large ? round % HED_ID_CONCRETE_COUNT_ : round == SMALL ? HED_ID_FLOAT64 : HED_ID_COMPLEX128;
    const unsigned share = large ? 60 : (unsigned)gen_int(&g, 0, 4) * 25;
    const int64_t some = round % 9 == 8 ? gen_int(&g, 50000, 60000) : gen_int(&g, 1, 300);
    const int64_t n = large ? PAST / hed__id_size(type) + some : some;
    const bool tidy = large || gen_chance(&g, 80);
    operand x = operand_new(&g, type, 1, &n, tidy), mask = operand_new(&g, HED_ID_BOOL, 1, &n, tidy);
    int64_t total = 0, at = 0;
    operand_fill(&g, &x, false, -9, 9);
    for (int64_t i = 0; i < n; i++) {
      const bool chosen = gen_chance(&g, share);
      *(uint8_t *)element_at(&mask.v, i) = (uint8_t)(chosen ? 1 << gen_int(&g, 0, 7) : 0);
      total += chosen;
    }
    operand out = operand_new(&g, type, 1, &total, gen_chance(&g, 80));
    const hed_gather_params p = { .axes = 1 };
    const hed_view *in[2] = { &x.v, &mask.v }, *list[1] = { &out.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_COMPRESS, .n_in = 2, .n_out = 1, .in = in, .out = list, .params = &p,
                      .compute = hed__compute_of(type), .max_threads = (int32_t)gen_int(&g, 1, 2) };
    bool good = row_of(cpu, "compress")->fn(NULL, &call) == HED_OK;
    for (int64_t i = 0; i < n; i++)
      if (*(uint8_t *)element_at(&mask.v, i))
        good = good && is_element(&out.v, at++, element_at(&x.v, i));
    bad += !good;
    operand_free(&x);
    operand_free(&mask);
    operand_free(&out);
  }
  is_int(bad, 0, "compress");
}

/* Values within even bins, on their edges, right beside them, outside and NaN: counted where the edges say. */
static void histograms(void)
{
  int bad = 0;
  for (int round = 0; round < 60; round++) {
    const int64_t n = gen_int(&g, 1, 2000), bins = round % 5 ? gen_int(&g, 1, 40) : gen_int(&g, 1, 3000), ends = bins + 1;
    const bool narrow = round % 3 == 0;
    const double low = round % 4 == 3 ? 1e9 : gen_normal(&g), high = low + 1e-3 + 5 * gen_unit(&g);
    operand x = operand_new(&g, narrow ? HED_ID_FLOAT32 : HED_ID_FLOAT64, 1, &n, gen_chance(&g, 80));
    operand edges = operand_new(&g, HED_ID_FLOAT64, 1, &ends, true), out = operand_new(&g, HED_ID_INT64, 1, &bins, true);
    int64_t want[3000] = { 0 };
    double *e = edges.v.data;
    for (int64_t k = 0; k < bins; k++)
      e[k] = low + (double)k * ((high - low) / (double)bins);
    e[bins] = high;
    for (int64_t i = 0; i < n; i++) {
      const int kind = (int)gen_int(&g, 0, 5);
      const double edge = e[gen_int(&g, 0, bins)];
      double v = kind == 0 ? edge : kind == 1 ? nextafter(edge, INFINITY) : kind == 2 ? nextafter(edge, -INFINITY)
               : kind == 3 ? low + (gen_unit(&g) * 1.4 - 0.2) * (high - low) : gen_chance(&g, 2) ? NAN
               : low + gen_unit(&g) * (high - low);
      if (narrow)
        *(float *)element_at(&x.v, i) = (float)v, v = (double)(float)v;
      else
        *(double *)element_at(&x.v, i) = v;
      for (int64_t k = 0; v >= e[0] && v <= e[bins]; k++)
        if (k == bins - 1 || v < e[k + 1]) {
          want[k]++;
          break;
        }
    }
    const hed_histogram_params p = { .uniform = true };
    const hed_view *in[2] = { &x.v, &edges.v }, *list[1] = { &out.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_HISTOGRAM, .n_in = 2, .n_out = 1, .in = in, .out = list, .params = &p,
                      .compute = HED_ID_FLOAT64, .max_threads = 2 };
    bad += row_of(cpu, "histogram")->fn(NULL, &call) != HED_OK || memcmp(out.v.data, want, (size_t)bins * 8) != 0;
    operand_free(&x);
    operand_free(&edges);
    operand_free(&out);
  }
  is_int(bad, 0, "histogram");
}

/* One value everywhere and nothing beside: round the widths of words and where the processor's instruction takes over. */
static void fills(void)
{
  int bad = 0;
  for (int round = 0; round < 20 * HED_ID_CONCRETE_COUNT_; round++) {
    const int type = round % HED_ID_CONCRETE_COUNT_, kind = hed__id_kind(type);
    const int64_t n = gen_chance(&g, 50) ? gen_int(&g, 1, 40) : gen_int(&g, 500, 5000);
    const hed_fill_params p = { kind == HED_KIND_BOOL ? 0 : 1.2345, -0.4321, kind == HED_KIND_BOOL ? 0 : 0x0102030405060708 };
    const double z[2] = { p.re, p.im };
    const bool whole = kind == HED_KIND_INT || kind == HED_KIND_UINT;
    char want[16] = { 1 };
    if (kind != HED_KIND_BOOL)
      hed__cast(whole ? HED_ID_INT64 : HED_ID_COMPLEX128, type)(1, want, 0, whole ? (const char *)&p.i : (const char *)z, 0);
    operand out = operand_new(&g, type, 1, &n, gen_chance(&g, 80));
    const hed_view *list[1] = { &out.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_FILL, .n_out = 1, .out = list, .params = &p,
                      .compute = hed__compute_of(type), .max_threads = 2 };
    bool good = row_of(cpu, "fill")->fn(NULL, &call) == HED_OK;
    for (int64_t i = 0; i < n; i++)
      good = good && is_element(&out.v, i, want);
    bad += !good;
    operand_free(&out);
  }
  is_int(bad, 0, "fill");
}

int main(void)
{
  const char *why;
  if (!(cpu = mock_load(NULL, &why)))
    skip_all("no cpu module: %s", why);
  gen_seed(&g, tap_seed());
  ffts();
  fft_special();
  matmuls();
  svds();
  sorts();
  short_sorts();
  randoms();
  scores();
  repeats();
  compresses();
  histograms();
  fills();
  char text[400];
  cpu->describe(NULL, text, sizeof text);
  diag("%s", text);
  is_int(atomic_load(&mock_permits), 2, "all permits were given back");
  is_int(atomic_load(&mock_fftw_worst), 1, "one thread at a time was inside the FFTW lock");
  done_testing();
  return done();
}
