// SPDX-License-Identifier: BSD-3-Clause
/* Bare FFTW as the floor of transforms, with measured plans and as many threads as the row. Its own threads take
 * long to wake, and plans that were measured then use one: that one's time divided by the threads is the floor where it is less.
 *
 * Layer: L5. FFTW is opened by name, so that the tool is not linked with it: the copy that the cpu backend has opened. Its
 * input is zeros, which memory may write faster than values: the floor is then lower, never higher. Complex to real in one
 * axis keeps its input, as ours does; in several FFTW can't.
 */
#include "fft.h"
#include <dlfcn.h>
#include <math.h>

typedef void *(*plan_fn)(int rank, const int *n, int howmany, void *in, const int *inembed, int istride, int idist,
                         void *out, const int *onembed, int ostride, int odist, int sign, unsigned flags);
typedef void *(*plan_real_fn)(int rank, const int *n, int howmany, void *in, const int *inembed, int istride, int idist,
                              void *out, const int *onembed, int ostride, int odist, unsigned flags);

typedef struct fftw {
  bool looked, usable;
  plan_fn c2c;
  plan_real_fn r2c, c2r;
  void (*execute)(void *plan), (*destroy)(void *plan), (*with_threads)(int n);
  int (*init_threads)(void);
} fftw;

typedef struct bare {
  const fftw *f;
  void *plan, *in, *out;
  char note[128];
} bare;

static void symbol(void *lib, const char *prefix, const char *name, void *fn)
{
  char full[64];
  snprintf(full, sizeof full, "%s_%s", prefix, name);
  void *p = lib ? dlsym(lib, full) : NULL;
  memcpy(fn, &p, sizeof p);
}

/* Single precision first. */
static const fftw *load(bool wide)
{
  static fftw known[2];
  fftw *f = &known[wide];
  const char *prefix = wide ? "fftw" : "fftwf";
  if (f->looked)
    return f->usable ? f : NULL;
  void *lib = dlopen(wide ? "libfftw3.so.3" : "libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
  void *threads = dlopen(wide ? "libfftw3_threads.so.3" : "libfftw3f_threads.so.3", RTLD_NOW | RTLD_LOCAL);
  symbol(lib, prefix, "plan_many_dft", &f->c2c);
  symbol(lib, prefix, "plan_many_dft_r2c", &f->r2c);
  symbol(lib, prefix, "plan_many_dft_c2r", &f->c2r);
  symbol(lib, prefix, "execute", &f->execute);
  symbol(lib, prefix, "destroy_plan", &f->destroy);
  symbol(threads, prefix, "plan_with_nthreads", &f->with_threads);
  symbol(threads, prefix, "init_threads", &f->init_threads);
  f->looked = true;
  f->usable = f->c2c && f->r2c && f->c2r && f->execute && f->destroy;
  return f->usable ? f : NULL;
}

static void bare_run(void *state, int64_t n)
{
  bare *x = state;
  for (int64_t i = 0; i < n; i++)
    x->f->execute(x->plan);
}

static void bare_destroy(const fftw *f, void *plan)
{
  hed_fftw_lock();
  f->destroy(plan);
  hed_fftw_unlock();
}

static void bare_drop(void *state)
{
  bare *x = state;
  if (x->plan)
    bare_destroy(x->f, x->plan);
  free(x->in);
  free(x->out);
  free(x);
}

typedef struct layout {
  int kind, rank, batch, real, half; /* elements of one real or complex, and of one halved array */
  const int *n;
} layout;

/* FFTW_PRESERVE_INPUT; without it and others plans are measured. */
enum { PRESERVE = 1 << 4 };

static bool bare_plan(bare *x, const layout *l, int threads)
{
  const fftw *f = x->f;
  hed_fftw_lock();
  if (f->with_threads && f->init_threads && f->init_threads())
    f->with_threads(threads);
  if (l->kind == BENCH_C2C)
    x->plan = f->c2c(l->rank, l->n, l->batch, x->in, NULL, 1, l->real, x->out, NULL, 1, l->real, -1, 0);
  else if (l->kind == BENCH_R2C)
    x->plan = f->r2c(l->rank, l->n, l->batch, x->in, NULL, 1, l->real, x->out, NULL, 1, l->half, 0);
  else
    x->plan = f->c2r(l->rank, l->n, l->batch, x->in, NULL, 1, l->half, x->out, NULL, 1, l->real, l->rank > 1 ? 0 : PRESERVE);
  if (f->with_threads && f->init_threads)
    f->with_threads(1);
  hed_fftw_unlock();
  return x->plan != NULL;
}

enum { WORTH_SHARING_NS = 10000 };

/* ns of a transform: the least of some. */
static double bare_ns(bare *x)
{
  enum { LOOKS = 5, LONG_NS = 200000 };
  double least = INFINITY;
  bare_run(x, 1);
  for (int i = 0; i < LOOKS; i++) {
    double start = bench_now(), now = start;
    int64_t n = 0;
    for (; n == 0 || now - start < LONG_NS; n++, now = bench_now())
      bare_run(x, 1);
    least = fmin(least, (now - start) / (double)n);
  }
  return least;
}

hed_status bench_floor_fftw(bench_work *w, int kind, int rank, const int *n, int batch, int threads)
{
  hed_dtype t = w->spec->dtype;
  bool wide = t == HED_FLOAT64 || t == HED_COMPLEX128;
  const fftw *f = load(wide);
  if (!f)
    return HED_OK; /* a row without a floor */
  int real = 1, half = 1;
  for (int i = 0; i < rank; i++) {
    real *= n[i];
    half *= i == rank - 1 ? n[i] / 2 + 1 : n[i];
  }
  size_t size = wide ? 8 : 4, full = 2 * size * (size_t)real * (size_t)batch + 4096;
  bare *x = calloc(1, sizeof *x);
  if (!x || posix_memalign(&x->in, 4096, full) != 0 || posix_memalign(&x->out, 4096, full) != 0) {
    if (x)
      bare_drop(x);
    return hed_fail(HED_E_NOMEM, "no memory for a bare transform");
  }
  const layout l = { kind, rank, batch, real, half, n };
  x->f = f;
  memset(x->in, 0, full);
  memset(x->out, 0, full);
  double repeat = 0;
  if (kind == BENCH_C2R && rank > 1)
    snprintf(x->note, sizeof x->note, "bare FFTW destroys its input, ours keeps it");
  if (bare_plan(x, &l, threads) && threads > 1) {
    void *shared = x->plan;
    double together = bare_ns(x), alone = bare_plan(x, &l, 1) ? bare_ns(x) : INFINITY;
    double ideal = alone < WORTH_SHARING_NS ? alone : alone / threads;
    if (ideal < together) {
      size_t used = strlen(x->note);
      repeat = ideal / alone;
      snprintf(x->note + used, sizeof x->note - used, "%son %d threads FFTW takes %.3g us; the floor: on one%s", used ? "; " : "",
               threads, together / 1e3, repeat < 1 ? ", shared out" : "");
    }
    void *other = ideal < together ? shared : x->plan;
    x->plan = ideal < together ? x->plan : shared;
    if (other)
      bare_destroy(f, other);
  }
  if (!x->plan) {
    bare_drop(x);
    return HED_OK;
  }
  w->note = x->note[0] ? x->note : NULL;
  w->floor = (bench_floor){ "fftw", bare_run, x, bare_drop, NAN, repeat, false };
  return HED_OK;
}
