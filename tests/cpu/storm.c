// SPDX-License-Identifier: BSD-3-Clause
/* Many threads transform at once while one trims the module's caches and one, as a host program would,
 * plans with FFTW under the shared lock. Every result is compared with the reference kernel's.
 */
#include "backends/reference/kernels.h"
#include "rows.h"
#include <fftw3.h>
#include <pthread.h>

enum { THREADS = 8, ROUNDS = 40 };

static const hed_plugin *cpu;
static hed_op_fn fft;
static atomic_int bad, running;

static void *worker(void *arg)
{
  gen g;
  gen_seed(&g, tap_seed() + (uint64_t)(intptr_t)arg);
  for (int round = 0; round < ROUNDS; round++) {
    static const int64_t sizes[] = { 4, 6, 9, 16, 20, 33 };
    bool single = gen_chance(&g, 50), inverse = gen_chance(&g, 50);
    int ndim = (int)gen_int(&g, 1, 3);
    int64_t real_dim[3], half[3];
    hed_fft_params p = { .n_axes = ndim, .axis = { 0, 1, 2 }, .sign = inverse ? 1 : -1, .scale = inverse ? 0.5 : 1,
                         .effort = (int32_t)gen_below(&g, 2) };
    for (int k = 0; k < ndim; k++)
      half[k] = real_dim[k] = sizes[gen_below(&g, 6)];
    half[ndim - 1] = real_dim[ndim - 1] / 2 + 1;
    int r = single ? HED_ID_FLOAT32 : HED_ID_FLOAT64, c = single ? HED_ID_COMPLEX64 : HED_ID_COMPLEX128;
    operand in = operand_new(&g, inverse ? c : r, ndim, inverse ? half : real_dim, true);
    operand out = operand_new(&g, inverse ? r : c, ndim, inverse ? real_dim : half, true);
    operand want = operand_new(&g, inverse ? r : c, ndim, inverse ? real_dim : half, true);
    operand_fill(&g, &in, false, -1, 1);
    const hed_view *list[1] = { &in.v }, *got[1] = { &out.v }, *ref[1] = { &want.v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_FFT, .n_in = 1, .n_out = 1, .in = list, .out = ref,
                      .params = &p, .compute = c, .max_threads = 2 };
    ref_fft((void *)(uintptr_t)&mock_host, &call);
    call.out = got;
    double tol = single ? 1e-3 : 1e-10;
    if (fft(NULL, &call) != HED_OK || first_difference(&out.v, &want.v, tol, tol) >= 0)
      atomic_fetch_add(&bad, 1);
    operand_free(&in);
    operand_free(&out);
    operand_free(&want);
  }
  atomic_fetch_sub(&running, 1);
  return NULL;
}

static void *trimmer(void *arg)
{
  (void)arg;
  while (atomic_load(&running) > 0) {
    cpu->trim(NULL, SIZE_MAX, 1);
    struct timespec pause = { 0, 300000 };
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void *host(void *arg)
{
  (void)arg;
  int64_t n = 64;
  fftw_complex *x = fftw_malloc(256 * sizeof *x);
  while (atomic_load(&running) > 0) {
    mock_host.fftw_lock();
    fftw_plan p = fftw_plan_dft_1d((int)n, x, x, FFTW_FORWARD, FFTW_MEASURE);
    mock_host.fftw_unlock();
    fftw_execute(p);
    mock_host.fftw_lock();
    fftw_destroy_plan(p);
    mock_host.fftw_unlock();
    n = n == 64 ? 100 : n == 100 ? 243 : 64;
  }
  fftw_free(x);
  return NULL;
}

int main(void)
{
  const char *why;
  if (!(cpu = mock_load(NULL, &why)))
    skip_all("no cpu module: %s", why);
  fft = row_of(cpu, "fft")->fn;
  tap_seed();
  pthread_t t[THREADS + 2];
  atomic_store(&running, THREADS);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
  pthread_create(&t[THREADS], NULL, trimmer, NULL);
  pthread_create(&t[THREADS + 1], NULL, host, NULL);
  for (int i = 0; i < THREADS + 2; i++)
    pthread_join(t[i], NULL);
  is_int(atomic_load(&bad), 0, "%d transforms of %d threads are the reference's", THREADS * ROUNDS, THREADS);
  is_int(atomic_load(&mock_fftw_worst), 1, "one thread at a time was inside the FFTW lock");
  is_int(atomic_load(&mock_permits), 2, "all permits were given back");
  cpu->trim(NULL, SIZE_MAX, 1);
  is_int(atomic_load(&mock_live), 1, "trim gave all memory back, but for the table of plans");
  done_testing();
  return done();
}
