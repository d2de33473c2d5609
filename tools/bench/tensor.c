// SPDX-License-Identifier: BSD-3-Clause
/* Decompositions of the tensor kit, rows of suite "jobs": of tensors of 100^3 and 400^3 elements, with a fixed
 * number of sweeps.
 *
 * Layer: L5. The floor is reading the tensor once per mode and sweep, or the flops of its contractions with the factors.
 */
#include "bench.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/parafac2.h>
#include <heddle/kits/tensor_robust.h>
#include <heddle/kits/tensor_train.h>

enum { N = 100, LARGE = 400, RANK = 10, RANK_TT = 20, SWEEPS = 50, FEW = 10, SLICES = 40, RANK_SLICES = 5, ROWS = 60, COLUMNS = 50 };

static const hed_random seed = { .seed = 4, .seeded = true };

static hed_cp_options cp_options(int64_t sweeps)
{
  return (hed_cp_options){ .sweeps = { .max = sweeps, .tol = -1 }, .start_by = HED_START_RANDOM, .random = seed };
}

static hed_status cp(const hed_array *x, int64_t sweeps)
{
  const hed_cp_options o = cp_options(sweeps);
  hed_cp c;
  const hed_status status = hed_cp_als(x, RANK, &o, &c, NULL);
  hed_cp_clear(&c);
  return status;
}

static hed_status hals(const hed_array *x)
{
  const hed_cp_hals_options o = { .cp = cp_options(SWEEPS) };
  hed_cp c;
  const hed_status status = hed_cp_nn_hals(x, RANK, &o, &c, NULL);
  hed_cp_clear(&c);
  return status;
}

static hed_status tucker(const hed_array *x)
{
  const hed_tucker_options o = { .sweeps = { .max = FEW, .tol = -1 } };
  hed_tucker t;
  const hed_status status = hed_tucker_hooi(x, &HED_SHAPE(RANK, RANK, RANK), &o, &t, NULL);
  hed_tucker_clear(&t);
  return status;
}

static hed_status train(const hed_array *x)
{
  hed_tt t;
  const hed_status status = hed_tt_svd(x, &HED_SHAPE(RANK_TT, RANK_TT), 0, &t, NULL);
  hed_tt_clear(&t);
  return status;
}

/* Slices of 60 to 79 rows. */
static hed_status parafac2(const hed_array *x)
{
  const hed_parafac2_options o = { .sweeps = { .max = SWEEPS, .tol = -1 } };
  hed_array *slice[SLICES] = { NULL };
  hed_parafac2 p = { 0 };
  hed_status status = HED_OK;
  for (int k = 0; k < SLICES && status == HED_OK; k++)
    if (!(slice[k] = hed_slice(x, 1, &HED_RANGE(k * 2 * ROWS, k * 2 * ROWS + ROWS + k % 20, 1))))
      status = hed_error();
  if (status == HED_OK)
    status = hed_parafac2_als(SLICES, (const hed_array *const *)slice, RANK_SLICES, &o, &p, NULL);
  hed_parafac2_clear(&p);
  for (int k = 0; k < SLICES; k++)
    hed_release(slice[k]);
  return status;
}

static hed_status robust(const hed_array *x)
{
  const hed_robust_options o = { .sweeps = { .max = FEW, .tol = -1 } };
  hed_array *low = NULL, *sparse = NULL;
  const hed_status status = hed_robust_pca(x, &o, &low, &sparse, NULL);
  hed_release(low);
  hed_release(sparse);
  return status;
}

BENCH_STATUS(run_cp, cp(w->a[0], SWEEPS))
BENCH_STATUS(run_large_cp, cp(w->a[0], FEW))
BENCH_STATUS(run_hals, hals(w->a[0]))
BENCH_STATUS(run_tucker, tucker(w->a[0]))
BENCH_STATUS(run_train, train(w->a[0]))
BENCH_STATUS(run_parafac2, parafac2(w->a[0]))
BENCH_STATUS(run_robust, robust(w->a[0]))
BENCH_NEW(run_mttkrp, hed_unfolding_dot_khatri_rao(w->a[0], NULL, 3,
                                                   (const hed_array *const[]){ w->a[1], w->a[2], w->a[3] }, 0))
BENCH_NEW(run_mode_dot, hed_mode_dot(w->a[0], w->a[1], 1, true))

typedef struct job {
  const char *name, *size;
  bench_fn run;
  hed_shape shape;
  double passes, flops; /* over the tensor */
} job;

static const job jobs[] = {
  { "parafac_r10_50it_random", "100^3", run_cp, { 3, { N, N, N } }, 3 * SWEEPS, 3.0 * SWEEPS * 2 * N * N * N * RANK },
  { "parafac_r10_10it_random", "400^3", run_large_cp, { 3, { LARGE, LARGE, LARGE } }, 3 * FEW,
    3.0 * FEW * 2 * LARGE * LARGE * LARGE * RANK },
  { "hals_r10_50it", "100^3", run_hals, { 3, { N, N, N } }, 3 * SWEEPS, 3.0 * SWEEPS * 2 * N * N * N * RANK },
  { "tucker_r10_10it", "100^3", run_tucker, { 3, { N, N, N } }, 3 * FEW, 3.0 * FEW * 2 * N * N * N * RANK },
  { "tt_svd_r20", "100^3", run_train, { 3, { N, N, N } }, 1, 2.0 * N * N * N * N },
  { "parafac2_r5_50it", "40x60-79x50", run_parafac2, { 2, { 2 * ROWS * SLICES, COLUMNS } }, SWEEPS,
    SWEEPS * 4.0 * ROWS * SLICES * COLUMNS * RANK_SLICES },
  { "robust_pca_10it", "100^3", run_robust, { 3, { N, N, N } }, 3 * FEW, 3.0 * FEW * 4 * N * N * N * N },
  { "mttkrp_r10", "100^3", run_mttkrp, { 3, { N, N, N } }, 1, 2.0 * N * N * N * RANK },
  { "mode_dot", "100^3", run_mode_dot, { 3, { N, N, N } }, 1, 2.0 * N * N * N * RANK },
};

static hed_status prepare(bench_work *w)
{
  const job *j = w->spec->what;
  w->a[0] = bench_values(w->spec, j->shape);
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
      bench_spec s = { .suite = "jobs", .name = jobs[i].name, .what = &jobs[i], .prepare = prepare,
                       .dtype = wide ? HED_FLOAT64 : HED_FLOAT32 };
      snprintf(s.size, sizeof s.size, "%s", jobs[i].size);
      bench_add(b, &s, false);
    }
}
