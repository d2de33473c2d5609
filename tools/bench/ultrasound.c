// SPDX-License-Identifier: BSD-3-Clause
/* Metrics of the ultrasound kit, rows of suite "jobs".
 *
 * Layer: L5. The floor is one read of the data.
 */
#include "bench.h"
#include <heddle/kits/ultrasound.h>

BENCH_NEW(run_coherence, hed_us_coherence_factor(w->a[0], NULL))
BENCH_NEW(run_generalized, hed_us_generalized_coherence_factor(w->a[0], NULL))
BENCH_NEW(run_sign, hed_us_sign_coherence_factor(w->a[0], NULL))
BENCH_NEW(run_phase, hed_us_phase_coherence_factor(w->a[0], NULL))
BENCH_NEW(run_gcnr, hed_us_gcnr(w->a[0], w->a[1], NULL))
BENCH_NEW(run_cnr, hed_us_cnr(w->a[0], w->a[1], NULL))
BENCH_NEW(run_tsnr, hed_us_tsnr(w->a[0], NULL))
BENCH_NEW(run_bmode, hed_us_bmode_db(w->a[0], NULL))
BENCH_NEW(run_tenengrad, hed_us_tenengrad(w->a[0], NULL))

typedef struct job {
  const char *name, *size;
  bool complex;
  int operands;
  hed_shape shape;
  bench_fn run;
} job;

static const job jobs[] = {
  { "us_coherence_factor", "64x400x400", true, 1, { 3, { 64, 400, 400 } }, run_coherence },
  { "us_generalized_coherence", "64x400x400", true, 1, { 3, { 64, 400, 400 } }, run_generalized },
  { "us_sign_coherence", "64x400x400", true, 1, { 3, { 64, 400, 400 } }, run_sign },
  { "us_phase_coherence", "64x400x400", true, 1, { 3, { 64, 400, 400 } }, run_phase },
  { "us_gcnr", "2x1M", false, 2, { 1, { 1000000 } }, run_gcnr },
  { "us_cnr", "2x1M", false, 2, { 1, { 1000000 } }, run_cnr },
  { "us_tsnr", "400x400x64", false, 1, { 3, { 400, 400, 64 } }, run_tsnr },
  { "us_bmode", "400x400", true, 1, { 2, { 400, 400 } }, run_bmode },
  { "us_tenengrad", "1000x1000", false, 1, { 2, { 1000, 1000 } }, run_tenengrad },
};

static hed_status prepare(bench_work *w)
{
  const job *j = w->spec->what;
  w->read = 0;
  for (int i = 0; i < j->operands; i++) {
    w->a[i] = bench_normal(w->spec, j->shape);
    w->read += (double)hed_array_nbytes(w->a[i]);
  }
  hed_status status = bench_have(w, j->operands);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[0]);
  w->run = j->run;
  w->written = 0;
  w->flops = 0;
  return bench_floor_stream(w);
}

void bench_list_ultrasound(bench *b)
{
  for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
    bench_spec s = { .suite = "jobs", .name = jobs[i].name, .what = &jobs[i], .prepare = prepare,
                     .dtype = jobs[i].complex ? HED_COMPLEX64 : HED_FLOAT32 };
    snprintf(s.size, sizeof s.size, "%s", jobs[i].size);
    bench_add(b, &s, false);
  }
}
