// SPDX-License-Identifier: BSD-3-Clause
/* A storm of transforms: threads with random sizes, precisions and directions share plans while the program plans with
 * FFTW itself under the shared lock. Every result is compared with the reference backend's. L5.
 */
#include "gen.h"
#include "scenario.h"
#include <math.h>
#include <stdatomic.h>

static atomic_bool stop;
static atomic_int wrong, failed, locked;
static atomic_llong done_transforms;
static const char *backend = "cpu";

typedef struct kind { hed_dtype real, complex_; double tolerance; } kind;

/* Forward and inverse on BACKEND; the forward one compared with the reference backend's, the inverse with the input. */
static bool transform(gen *g, const kind *k)
{
  int64_t size[3] = { gen_int(g, 1, 24), gen_int(g, 1, 24), gen_int(g, 1, 9) };
  int ndim = (int)gen_int(g, 1, 3), real = gen_chance(g, 50);
  hed_shape shape = { .ndim = ndim, .dim = { size[0], size[1], size[2] } };
  bool good = false;
  HED_SCOPE {
    double difference = 1, back = 1;
    hed_random seeded = { .seed = gen_u64(g), .seeded = true, .low = -1, .high = 1 };
    hed_array *x = hed_random_uniform(shape, k->real, &seeded), *a, *b, *c;
    if (!real)
      x = hed_astype(x, k->complex_);
    a = real ? hed_rfftn(x, NULL) : hed_fftn(x, NULL);
    c = real ? hed_irfftn(a, &(hed_fft){ .s = shape }) : hed_ifftn(a, NULL);
    HED_BACKEND_CONTEXT("reference") {
      b = real ? hed_rfftn(x, NULL) : hed_fftn(x, NULL);
      (void)hed_item(hed_max(hed_abs(hed_subtract(a, b)), NULL), &difference);
      (void)hed_item(hed_max(hed_abs(hed_subtract(c, x)), NULL), &back);
    }
    good = difference < k->tolerance && back < k->tolerance;
    if (!good)
      diag("%s %d-d (%d %d %d): forward off by %g, there and back by %g: %s", hed_dtype_name(k->real), ndim,
           (int)size[0], (int)size[1], (int)size[2], difference, back, hed_error_text());
  }
  return good;
}

static void *storm(void *arg)
{
  const kind kinds[] = { { HED_FLOAT32, HED_COMPLEX64, 2e-3 }, { HED_FLOAT64, HED_COMPLEX128, 1e-10 } };
  gen g;
  int n = scaled(150);
  gen_seed(&g, *(const uint64_t *)arg);
  HED_BACKEND_CONTEXT(backend) {
    for (int k = 0; k < n; k++) {
      atomic_fetch_add(&wrong, !transform(&g, &kinds[gen_below(&g, 2)]));
      atomic_fetch_add(&done_transforms, 1);
    }
    return NULL;
  }
  atomic_fetch_add(&failed, 1);
  return NULL;
}

/* The program's own planning, as far as Heddle can tell. */
static void *plan_outside(void *arg)
{
  while (!atomic_load(&stop)) {
    hed_fftw_lock();
    atomic_fetch_add(&locked, 1);
    hed_fftw_unlock();
    sleep_ms(1);
  }
  return arg;
}

/* All threads ask for the same new size at once. */
static pthread_barrier_t gate;

static void *same_size(void *arg)
{
  double v = 0;
  HED_BACKEND_CONTEXT(backend)
  HED_SCOPE {
    for (int n = 97; n < 97 + 16; n++) {
      hed_array *x = hed_ones(HED_SHAPE(n, 5), HED_FLOAT32);
      pthread_barrier_wait(&gate);
      hed_array *y = hed_irfftn(hed_rfftn(x, NULL), &(hed_fft){ .s = HED_SHAPE(n, 5) });
      bool good = hed_item(hed_sum(y, NULL), &v) == HED_OK && fabs(v - 5 * n) < 1e-2;
      atomic_fetch_add((atomic_int *)arg, good);
    }
  }
  return NULL;
}

int main(void)
{
  enum { THREADS = 8 };
  pthread_t t[THREADS], outside;
  uint64_t seed[THREADS];
  atomic_int good = 0;
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  if (hed_backend_require("cpu") != HED_OK) {
    diag("the reference backend takes the place of cpu: %s", hed_error_text());
    backend = "reference";
  }
  uint64_t base = tap_seed();
  if (hed_thread_create(&outside, NULL, plan_outside, NULL) != 0)
    bail("no thread");
  for (int k = 0; k < THREADS; k++) {
    seed[k] = base + (uint64_t)k;
    if (hed_thread_create(&t[k], NULL, storm, &seed[k]) != 0)
      bail("no thread");
  }
  for (int k = 0; k < THREADS; k++)
    pthread_join(t[k], NULL);
  is_int(atomic_load(&failed), 0, "%d threads transform on %s", THREADS, backend);
  is_int(atomic_load(&wrong), 0, "%lld transforms and their inverses agree with the reference backend",
         atomic_load(&done_transforms));
  atomic_store(&stop, true);
  pthread_join(outside, NULL);
  ok(atomic_load(&locked) > 0, "the program took the planner's lock %d times meanwhile", atomic_load(&locked));

  pthread_barrier_init(&gate, NULL, THREADS);
  for (int k = 0; k < THREADS; k++)
    if (hed_thread_create(&t[k], NULL, same_size, &good) != 0)
      bail("no thread");
  for (int k = 0; k < THREADS; k++)
    pthread_join(t[k], NULL);
  is_int(atomic_load(&good), THREADS * 16, "threads that ask for the same new size at once all get their transform");
  return done();
}
