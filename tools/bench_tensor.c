// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_tensor.c: suite "jobs", decompositions of a 100^3 tensor with rank 10, made of public operations.
 *
 * Layer: L5. CP: alternating least squares from random factors (J. D. Carroll, J.-J. Chang, Psychometrika 35 (1970)
 * 283-319), columns normalised once per sweep. Tucker: higher-order orthogonal iteration (L. De Lathauwer et al., SIAM J.
 * Matrix Anal. Appl. 21 (2000) 1324-1342). Both do a fixed number of sweeps. The floor is reading the tensor once per mode
 * and sweep, or the flops of its contractions.
 */
#include "bench.h"
#include <math.h>

enum { N = 100, RANK = 10, SWEEPS_CP = 50, SWEEPS_TUCKER = 10 };

static void swap(hed_array **slot, hed_array *x)
{
  hed_release(*slot);
  *slot = x;
}

/* factor[mode] = mttkrp (gram of the others)^-1 */
static hed_status cp_mode(const hed_array *x, hed_array **f, int mode)
{
  hed_array *gram = NULL, *g[3] = { 0 }, *m, *t, *s;
  for (int k = 0; k < 3; k++) {
    hed_array *ft = hed_transpose(f[k], NULL);
    g[k] = hed_matmul(ft, f[k]);
    hed_release(ft);
  }
  gram = hed_multiply(g[(mode + 1) % 3], g[(mode + 2) % 3]);
  m = hed_unfolding_dot_khatri_rao(x, NULL, 3, (const hed_array *const[]){ f[0], f[1], f[2] }, mode);
  t = hed_transpose(m, NULL);
  s = hed_solve(gram, t);
  hed_array *next = hed_transpose(s, NULL);
  for (int k = 0; k < 3; k++)
    hed_release(g[k]);
  hed_release(gram);
  hed_release(m);
  hed_release(t);
  hed_release(s);
  if (!next)
    return hed_error();
  swap(&f[mode], next);
  return HED_OK;
}

static hed_status cp(const hed_array *x)
{
  const hed_random opt = { .seed = 4, .seeded = true, .low = 0, .high = 1 };
  hed_array *f[3] = { 0 };
  hed_status status = HED_OK;
  for (int k = 0; k < 3; k++)
    if (!(f[k] = hed_random_uniform(HED_SHAPE(N, RANK), hed_array_dtype(x), &opt)))
      status = hed_error();
  for (int i = 0; i < SWEEPS_CP; i++)
    for (int k = 0; k < 3 && status == HED_OK; k++) {
      status = cp_mode(x, f, k);
      if (k < 2 && status == HED_OK) { /* the last mode keeps the weights */
        hed_array *unit = hed_normalize_vector(f[k], &HED_AXES(0));
        if (unit)
          swap(&f[k], unit);
        else
          status = hed_error();
      }
    }
  for (int k = 0; k < 3; k++)
    hed_release(f[k]);
  return status;
}

/* Leading left singular vectors of the unfolding along MODE. */
static hed_array *leading(const hed_array *x, int mode)
{
  hed_array *u = hed_unfold(x, mode), *ut = hed_transpose(u, NULL), *gram = hed_matmul(u, ut), *e = NULL, *v = NULL;
  hed_array *last = hed_eigh(gram, false, &e, &v) == HED_OK
                    ? hed_slice(v, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(-RANK, HED_SLICE_END, 1) }) : NULL;
  hed_array *const all[] = { u, ut, gram, e, v };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
  return last;
}

static hed_status tucker(const hed_array *x)
{
  hed_array *f[3] = { 0 };
  hed_status status = HED_OK;
  for (int k = 0; k < 3 && status == HED_OK; k++)
    if (!(f[k] = leading(x, k)))
      status = hed_error();
  for (int i = 0; i < SWEEPS_TUCKER; i++)
    for (int k = 0; k < 3 && status == HED_OK; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3;
      hed_array *a = hed_mode_dot(x, f[p], p, true), *y = hed_mode_dot(a, f[q], q, true), *next = leading(y, k);
      hed_release(a);
      hed_release(y);
      if (next)
        swap(&f[k], next);
      else
        status = hed_error();
    }
  for (int k = 0; k < 3; k++)
    hed_release(f[k]);
  return status;
}

BENCH_STATUS(run_cp, cp(w->a[0]))
BENCH_STATUS(run_tucker, tucker(w->a[0]))
BENCH_NEW(run_mttkrp, hed_unfolding_dot_khatri_rao(w->a[0], NULL, 3,
                                                   (const hed_array *const[]){ w->a[1], w->a[2], w->a[3] }, 0))
BENCH_NEW(run_mode_dot, hed_mode_dot(w->a[0], w->a[1], 1, true))

typedef struct job {
  const char *name;
  bench_fn run;
  double passes, flops; /* over the tensor */
} job;

static const job jobs[] = {
  { "parafac_r10_50it_random", run_cp, 3 * SWEEPS_CP, 3.0 * SWEEPS_CP * 2 * N * N * N * RANK },
  { "tucker_r10_10it", run_tucker, 3 * SWEEPS_TUCKER, 3.0 * SWEEPS_TUCKER * 2 * N * N * N * RANK },
  { "mttkrp_r10", run_mttkrp, 1, 2.0 * N * N * N * RANK },
  { "mode_dot", run_mode_dot, 1, 2.0 * N * N * N * RANK },
};

static hed_status prepare(bench_work *w)
{
  const job *j = w->spec->what;
  w->a[0] = bench_values(w->spec, HED_SHAPE(N, N, N));
  for (int k = 1; k < 4; k++)
    w->a[k] = bench_values(w->spec, HED_SHAPE(N, RANK));
  hed_status status = bench_have(w, 4);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[0]);
  w->run = j->run;
  w->read = (double)hed_array_nbytes(w->a[0]);
  w->written = 0;
  w->flops = j->flops / j->passes;
  status = bench_floor_stream(w);
  if (status == HED_OK && j->passes > 1) {
    /* a floor of one pass, repeated: the whole job's traffic does not stay in a cache either */
    w->note = "floor: one contraction per mode and sweep";
    w->floor.repeat = j->passes;
  }
  w->read *= j->passes;
  w->flops = j->flops;
  return status;
}

void bench_list_tensor(bench *b)
{
  for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
    for (int wide = 0; wide < 2; wide++) {
      bench_spec s = { .suite = "jobs", .name = jobs[i].name, .size = "100^3", .what = &jobs[i], .prepare = prepare,
                       .dtype = wide ? HED_FLOAT64 : HED_FLOAT32 };
      bench_add(b, &s, false);
    }
}
