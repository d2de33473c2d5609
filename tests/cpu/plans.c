// SPDX-License-Identifier: BSD-3-Clause
/* The plan cache of the cpu module: what is in the key, single-flight planning, leases that outlive
 * eviction, the two efforts, fork. The cache is compiled into the program.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_plan.h"
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/kernels/fft/lines.h"
#include "mock_host.h"
#include "tap.h"
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Chosen in level.c, which needs all kernels. */
const cpu_columns_fn *cpu_columns_k = cpu_columns_base;
const cpu_rows_set *cpu_rows_k = &cpu_rows_base;
const cpu_lines_set *cpu_lines_k = &cpu_lines_base;

const hed_host_api *cpu_host = &mock_host;

/* Complex, 8 loops of n = 12, contiguous, single precision. */
static cpu_plan_key base_key(void)
{
  cpu_plan_key k;
  memset(&k, 0, sizeof k);
  k.single = 1;
  k.kind = CPU_FFT_C2C;
  k.sign = -1;
  k.aligned = 1;
  k.threads = 1;
  k.rank = k.loops = 1;
  k.dim[0] = (cpu_fft_dim){ 12, 1, 1 };
  k.loop[0] = (cpu_fft_dim){ 8, 12, 12 };
  return k;
}

static uint64_t planned(void) { return cpu_plan_stats().planned; }

static int32_t use(const cpu_plan_key *k)
{
  cpu_plan *p;
  int32_t status = cpu_plan_get(k, false, &p);
  if (status == HED_OK)
    cpu_plan_put(p);
  return status;
}

static void expect_miss(cpu_plan_key k, const char *what)
{
  uint64_t before = planned();
  is_int(use(&k), HED_OK, "%s: a plan is made", what);
  is_uint(planned(), before + 1, "%s: planned anew", what);
  uint64_t hits = cpu_plan_stats().hits;
  use(&k);
  ok(planned() == before + 1 && cpu_plan_stats().hits == hits + 1, "%s: found the second time", what);
}

static void key_inputs(void)
{
  cpu_plan_key k = base_key();
  expect_miss(k, "base");
#define FLIP(what, ...)    \
  k = base_key();          \
  __VA_ARGS__;             \
  expect_miss(k, what)
  FLIP("precision", k.single = 0);
  FLIP("kind", k.kind = CPU_FFT_R2C; k.sign = 0);
  FLIP("sign", k.sign = 1);
  FLIP("in place", k.in_place = 1);
  FLIP("alignment", k.aligned = 0);
  FLIP("threads", k.threads = 2);
  FLIP("extent", k.dim[0].n = 11);
  FLIP("input stride", k.dim[0].is = 2);
  FLIP("output stride", k.dim[0].os = 2);
  FLIP("loop extent", k.loop[0].n = 7);
  FLIP("loop input stride", k.loop[0].is = 13);
  FLIP("loop output stride", k.loop[0].os = 13);
  FLIP("number of loops", k.loops = 0; memset(k.loop, 0, sizeof k.loop));
  FLIP("number of axes", k.rank = 2; k.dim[1] = (cpu_fft_dim){ 2, 200, 200 });
  FLIP("c2r", k.kind = CPU_FFT_C2R; k.sign = 0);
  FLIP("preserved input", k.kind = CPU_FFT_C2R; k.sign = 0; k.preserve = 1);
#undef FLIP
}

static void efforts(void)
{
  cpu_plan_key k = base_key();
  k.effort = 1;
  k.dim[0].n = 64;
  k.loop[0] = (cpu_fft_dim){ 100, 64, 64 };
  uint64_t before = planned();
  use(&k);
  is_uint(planned(), before + 1, "effort 1, first use: an estimated plan");
  use(&k);
  is_uint(planned(), before + 2, "effort 1, second use: a measured one");
  use(&k);
  k.effort = 0;
  use(&k);
  is_uint(planned(), before + 2, "both are kept");
  k.effort = 1;
  k.loop[0].n = 3;
  before = planned();
  for (int i = 0; i < 15; i++)
    use(&k);
  is_uint(planned(), before + 1, "a small transform is not measured at once");
  use(&k);
  is_uint(planned(), before + 2, "but at its 16th use");
  cpu_plan *p;
  k.loop[0].n = 5;
  before = planned();
  is_int(cpu_plan_get(&k, true, &p), HED_OK, "who wants it now");
  ok(planned() == before + 1 && cpu_plan_of(p)->effort == 1, "gets the measured plan at the first use");
  cpu_plan_put(p);
  k.dim[0] = (cpu_fft_dim){ 1 << 20, 1, 1 };
  k.loops = 0;
  memset(k.loop, 0, sizeof k.loop);
  before = planned();
  for (int i = 0; i < 3; i++)
    use(&k);
  is_uint(planned(), before + 1, "one of 2^20 elements is never measured");
}

static pthread_barrier_t barrier;

static void *get_same(void *arg)
{
  cpu_plan **out = arg;
  cpu_plan_key k = base_key();
  k.dim[0].n = 360;
  k.loop[0] = (cpu_fft_dim){ 4, 360, 360 };
  pthread_barrier_wait(&barrier);
  if (cpu_plan_get(&k, false, out) != HED_OK)
    *out = NULL;
  return NULL;
}

static void single_flight(void)
{
  enum { N = 8 };
  pthread_t t[N];
  cpu_plan *p[N];
  uint64_t before = planned();
  bool same = true;
  pthread_barrier_init(&barrier, NULL, N);
  for (int i = 0; i < N; i++)
    pthread_create(&t[i], NULL, get_same, &p[i]);
  for (int i = 0; i < N; i++)
    pthread_join(t[i], NULL);
  for (int i = 0; i < N; i++) {
    same &= p[i] && p[i] == p[0];
    cpu_plan_put(p[i]);
  }
  ok(same, "eight threads get the same plan");
  is_uint(planned(), before + 1, "which was made once");
  pthread_barrier_destroy(&barrier);
}

static void lease_outlives_eviction(void)
{
  cpu_plan_key k = base_key();
  cpu_plan *p;
  k.dim[0].n = 16;
  k.loop[0] = (cpu_fft_dim){ 1, 16, 16 };
  is_int(cpu_plan_get(&k, false, &p), HED_OK, "a lease");
  for (int i = 0; i < CPU_PLAN_SLOTS + 10; i++) {
    cpu_plan_key other = k;
    other.loop[0].is = 17 + i;
    use(&other);
  }
  ok(cpu_plan_stats().held <= CPU_PLAN_SLOTS && cpu_plan_stats().evicted > 0, "others push it out of the table");
  cpu_plan_clear();
  is_int(cpu_plan_stats().held, 0, "and the rest is dropped");
  _Alignas(64) float complex x[16], y[16];
  for (int i = 0; i < 16; i++)
    x[i] = i == 1;
  cpu_plan_execute(p, x, y);
  bool right = true;
  for (int i = 0; i < 16; i++)
    right &= cabs((double complex)y[i] - cexp(-2 * M_PI * I * i / 16)) < 1e-6;
  ok(right, "it still computes");
  uint64_t destroyed = cpu_plan_stats().destroyed;
  cpu_plan_put(p);
  is_uint(cpu_plan_stats().destroyed, destroyed + 1, "and is destroyed when it comes back");
}

static void failures(void)
{
  cpu_plan_key k = base_key();
  cpu_plan *p;
  k.dim[0].n = 1000;
  atomic_store(&mock_fail_alloc_at, 1);
  is_int(cpu_plan_get(&k, false, &p), HED_E_NOMEM, "no memory for a plan");
  atomic_store(&mock_fail_alloc_at, 0);
  is_int(use(&k), HED_OK, "with memory it works");
}

static void child(void)
{
  pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    cpu_plan_fork_child();
    cpu_plan_key k = base_key();
    k.dim[0].n = 77;
    _exit(use(&k) == HED_OK ? 0 : 1);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  is_int(status, 0, "a child of fork plans");
}

/* FN in a child, before the parent has a cache; its verdict as exit status. */
static int in_child(bool (*fn)(void))
{
  int status = -1;
  pid_t pid = fork();
  if (pid == 0) {
    alarm(60);
    _exit(fn() ? 0 : 1);
  }
  waitpid(pid, &status, 0);
  return status;
}

static void *lease_many(void *arg)
{
  cpu_plan *held[4];
  bool *good = arg;
  for (int round = 0; round < 30 && *good; round++) {
    for (int i = 0; i < 4; i++) {
      cpu_plan_key k = base_key();
      k.dim[0].n = 3 + (round + i) % 12;
      *good = *good && cpu_plan_get(&k, false, &held[i]) == HED_OK && cpu_plan_of(held[i])->dim[0].n == k.dim[0].n;
    }
    for (int i = 0; i < 4 && *good; i++) {
      _Alignas(64) float complex x[128] = { 1 }, y[128];
      cpu_plan_execute(held[i], x, y);
      *good = y[1] == 1;
      cpu_plan_put(held[i]);
    }
    *good = *good && cpu_plan_stats().held <= 3;
  }
  return NULL;
}

#ifdef HED_HAVE_FFTW_CALLBACK
static int own_loops;

static void own_loop(void *(*work)(char *), char *jobs, size_t size, int n, void *data)
{
  (void)data;
  own_loops++;
  for (int i = 0; i < n; i++)
    work(jobs + (size_t)i * size);
}

/* A delta at 1 by a plan for two threads; how far the result is off. */
static double turned(bool single)
{
  enum { N = 1 << 16 };
  cpu_plan_key k = base_key();
  k.single = single;
  k.threads = 2;
  k.dim[0].n = N;
  k.loops = 0;
  memset(k.loop, 0, sizeof k.loop);
  const size_t real = single ? sizeof(float) : sizeof(double);
  void *in = cpu_scratch_get(2 * N * real), *out = cpu_scratch_get(2 * N * real);
  cpu_plan *p;
  double most = 0;
  if (!in || !out || cpu_plan_get(&k, true, &p) != HED_OK)
    bail("no plan");
  memset(in, 0, 2 * N * real);
  if (single)
    ((float *)in)[2] = 1;
  else
    ((double *)in)[2] = 1;
  cpu_plan_execute(p, in, out);
  for (int i = 0; i < N; i++) {
    const complex double z = single ? ((complex float *)out)[i] : ((complex double *)out)[i];
    most = fmax(most, cabs(z - cexp(-2 * M_PI * I * i / N)));
  }
  cpu_plan_put(p);
  cpu_scratch_put(in);
  cpu_scratch_put(out);
  return most;
}

/* FFTW's loops over threads: the program's own, where it has set one before, or those of the module. */
static void loops(void)
{
  fftw_threads_set_callback(own_loop, NULL);
  ok(turned(false) < 1e-12, "a plan for two threads, by the program's loop");
  ok(own_loops > 0, "which is left in place");
  own_loops = 0;
  ok(turned(true) < 1e-5, "a plan for two threads, by the module's");
  is_int(own_loops, 0, "where the program has none");
}
#else
static void loops(void) { skip(4, "this FFTW knows no other loops than its own"); }
#endif

/* Four threads hold up to sixteen leases of twelve plans in a table of three. */
static bool small_table(void)
{
  pthread_t t[4];
  bool good[4] = { true, true, true, true };
  mock_fft_plans = "3";
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, lease_many, &good[i]);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  cpu_plan_counts c = cpu_plan_stats();
  bool right = good[0] && good[1] && good[2] && good[3] && c.capacity == 3 && c.held <= 3 && c.in_use == 0 && c.evicted > 0;
  cpu_plan_clear();
  c = cpu_plan_stats();
  return right && c.held == 0 && c.destroyed == c.planned;
}

static char *known;
static size_t known_size;
static char wisdom_file[64];

static cpu_plan_key measured_key(void)
{
  cpu_plan_key k = base_key();
  k.effort = 1;
  k.dim[0].n = 80;
  k.loop[0] = (cpu_fft_dim){ 6, 80, 80 };
  return k;
}

static bool measure_now(uint64_t *measured)
{
  cpu_plan_key k = measured_key();
  cpu_plan *p;
  if (cpu_plan_get(&k, true, &p) != HED_OK || cpu_plan_of(p)->effort != 1)
    return false;
  cpu_plan_put(p);
  *measured = cpu_plan_stats().measured;
  return true;
}

static bool teach(void)
{
  uint64_t measured;
  FILE *f = fopen(wisdom_file, "wb");
  bool good = f && measure_now(&measured) && measured == 1 && cpu_wisdom_export(NULL, &known, &known_size) == HED_OK &&
              fwrite(known, 1, known_size, f) == known_size;
  return f && fclose(f) == 0 && good;
}

static bool learn(void)
{
  static char text[1 << 20];
  uint64_t measured;
  FILE *f = fopen(wisdom_file, "rb");
  size_t n = f ? fread(text, 1, sizeof text, f) : 0;
  if (f)
    fclose(f);
  if (cpu_wisdom_import(NULL, text, n) != HED_OK || !measure_now(&measured) || measured != 0)
    return false;
  /* a call that does not ask for it at once gets the measured plan too, from its first use on */
  cpu_plan_key k = measured_key();
  k.sign = 1;
  cpu_plan *p;
  bool first = cpu_plan_get(&k, false, &p) == HED_OK && cpu_plan_of(p)->effort == 1;
  cpu_plan_put(p);
  return first && cpu_wisdom_import(NULL, NULL, 0) == HED_OK && !cpu_wisdom_loaded();
}

static void processes(void)
{
  snprintf(wisdom_file, sizeof wisdom_file, "/tmp/heddle-plans-%ld", (long)getpid());
  is_int(in_child(small_table), 0, "a table of three plans under sixteen leases stays bounded and right");
  is_int(in_child(teach), 0, "a process measures and saves what it learnt");
  is_int(in_child(learn), 0, "another that has loaded it measures nothing");
  unlink(wisdom_file);
}

int main(void)
{
  processes();
  loops();
  key_inputs();
  efforts();
  single_flight();
  lease_outlives_eviction();
  failures();
  child();
  cpu_plan_clear();
  is_int(atomic_load(&mock_live), 1, "no memory is left but the table");
  is_int(atomic_load(&mock_fftw_worst), 1, "one thread at a time was inside the FFTW lock");
  done_testing();
  return done();
}
