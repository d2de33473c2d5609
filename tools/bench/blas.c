// SPDX-License-Identifier: BSD-3-Clause
/* Bare BLAS and LAPACK as the floor of products and factorisations.
 *
 * Layer: L5. The library is opened in a namespace of its own, as the cpu backend does, with the kernels that the backend
 * says it uses and on one thread. A product on several threads is split into blocks of rows, one per thread: a pool of the
 * library's own threads would go on looking for work while ours is measured. Factorisations run on one thread.
 * Inputs that a routine destroys are copied before each call; the copy counts.
 */
#include "bench.h"
#include <dlfcn.h>
#include <math.h>

typedef void (*gemm_fn)(int order, int ta, int tb, int m, int n, int k, float alpha, const void *a, int lda, const void *b,
                        int ldb, float beta, void *c, int ldc);
typedef void (*gemm64_fn)(int order, int ta, int tb, int m, int n, int k, double alpha, const void *a, int lda,
                          const void *b, int ldb, double beta, void *c, int ldc);
enum { ROW_MAJOR = 101, PLAIN = 111, THREADS_PAY = 1000000 /* flops from which a second thread helps */ };

typedef struct blas {
  bool looked, usable;
  gemm_fn sgemm;
  gemm64_fn dgemm;
  /* float32, float64 */
  void (*gesdd[2])(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u, const int *ldu,
                   void *vt, const int *ldvt, void *work, const int *lwork, int *iwork, int *info, size_t len);
  void (*gesv[2])(const int *n, const int *nrhs, void *a, const int *lda, int *ipiv, void *b, const int *ldb, int *info);
  void (*geqrf[2])(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork, int *info);
  void (*orgqr[2])(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
                   const int *lwork, int *info);
  void (*syevd[2])(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                   const int *lwork, int *iwork, const int *liwork, int *info, size_t len1, size_t len2);
  void (*potrf[2])(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t len);
  void (*getrf[2])(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);
  void (*getri[2])(const int *n, void *a, const int *lda, const int *ipiv, void *work, const int *lwork, int *info);
} blas;

typedef struct bare {
  const blas *f;
  bench_blas_kind kind;
  int wide, m, n, k;
  int64_t batch, calls;
  size_t size;
  bench_team *team;
  char *a, *b, *c, *from_a, *from_b, *work;
  int *ipiv;
} bare;

static void symbol(void *lib, const char *name, void *fn)
{
  void *p = dlsym(lib, name);
  memcpy(fn, &p, sizeof p);
}

/* Kernels that the backend says it has: "... kernels NAME, ..." or "... kernels NAME (...". */
static void kernels_in_use(char *out, size_t cap)
{
  char text[256];
  *out = '\0';
  if (hed_backend_device("cpu", 0, text, sizeof text) != HED_OK)
    return;
  const char *p = strstr(text, "BLAS");
  p = p ? strstr(p, "kernels ") : NULL;
  if (p)
    snprintf(out, cap, "%.*s", (int)strcspn(p + 8, " ,;("), p + 8);
}

static const blas *load(void)
{
  static blas f;
  static const char *const names[] = { "libopenblas.so.0", "libopenblas.so" };
  int (*set)(const char *, const char *, int) = NULL;
  Lmid_t space;
  char core[64];
  if (f.looked)
    return f.usable ? &f : NULL;
  f.looked = true;
  void *libc = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW | RTLD_LOCAL), *lib = NULL;
  if (!libc || dlinfo(libc, RTLD_DI_LMID, &space) != 0)
    return NULL;
  symbol(libc, "setenv", &set);
  kernels_in_use(core, sizeof core);
  if (!set || set("OPENBLAS_NUM_THREADS", "1", 1) != 0 || (*core && set("OPENBLAS_CORETYPE", core, 1) != 0))
    return NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !lib; i++)
    lib = dlmopen(space, names[i], RTLD_NOW | RTLD_LOCAL);
  if (!lib)
    return NULL;
  symbol(lib, "cblas_sgemm", &f.sgemm);
  symbol(lib, "cblas_dgemm", &f.dgemm);
  f.usable = f.sgemm && f.dgemm;
  for (int k = 0; k < 2; k++) {
    char name[16];
    const struct { const char *name; void *fn; } all[] = {
      { "gesdd", &f.gesdd[k] }, { "gesv", &f.gesv[k] }, { "geqrf", &f.geqrf[k] }, { "orgqr", &f.orgqr[k] },
      { "syevd", &f.syevd[k] }, { "potrf", &f.potrf[k] }, { "getrf", &f.getrf[k] }, { "getri", &f.getri[k] },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
      snprintf(name, sizeof name, "%c%s_", k ? 'd' : 's', all[i].name);
      symbol(lib, name, all[i].fn);
      f.usable &= dlsym(lib, name) != NULL;
    }
  }
  return f.usable ? &f : NULL;
}

/* Rows or batch entries of one thread. */
static void gemm_part(void *arg, int part, int parts)
{
  const bare *x = arg;
  bool by_batch = x->batch >= parts;
  int64_t n = by_batch ? x->batch : x->m, first = n * part / parts, last = n * (part + 1) / parts;
  for (int64_t i = 0; i < x->calls; i++)
    for (int64_t j = by_batch ? first : 0; j < (by_batch ? last : x->batch); j++) {
      int64_t row = by_batch ? 0 : first;
      int rows = by_batch ? x->m : (int)(last - first);
      const char *a = x->a + x->size * (size_t)((j * x->m + row) * x->k);
      const char *b = x->b + x->size * (size_t)(j * x->k * x->n);
      char *c = x->c + x->size * (size_t)((j * x->m + row) * x->n);
      if (x->wide)
        x->f->dgemm(ROW_MAJOR, PLAIN, PLAIN, rows, x->n, x->k, 1, a, x->k, b, x->n, 0, c, x->n);
      else
        x->f->sgemm(ROW_MAJOR, PLAIN, PLAIN, rows, x->n, x->k, 1, a, x->k, b, x->n, 0, c, x->n);
    }
}

static int once(bare *x)
{
  const blas *f = x->f;
  int p = x->wide, m = x->m, n = x->n, least = m < n ? m : n, info = 0, all = x->k, all_int = 64 * (m + n);
  memcpy(x->a, x->from_a, x->size * (size_t)m * (size_t)n);
  switch (x->kind) {
  case BENCH_GESDD: { /* of the transposed matrix: rows of ours are its columns */
    char *u = x->b, *vt = x->c;
    f->gesdd[p]("S", &n, &m, x->a, &n, x->from_b, vt, &n, u, &least, x->work, &all, x->ipiv, &info, 1);
    break;
  }
  case BENCH_GESV:
    memcpy(x->b, x->from_b, x->size * (size_t)n * (size_t)n);
    f->gesv[p](&n, &n, x->a, &n, x->ipiv, x->b, &n, &info);
    break;
  case BENCH_GEQRF:
    f->geqrf[p](&m, &n, x->a, &m, x->b, x->work, &all, &info);
    f->orgqr[p](&m, &least, &least, x->a, &m, x->b, x->work, &all, &info);
    break;
  case BENCH_SYEVD:
    f->syevd[p]("V", "L", &n, x->a, &n, x->b, x->work, &all, x->ipiv, &all_int, &info, 1, 1);
    break;
  case BENCH_POTRF: f->potrf[p]("L", &n, x->a, &n, &info, 1); break;
  case BENCH_GETRI:
    f->getrf[p](&n, &n, x->a, &n, x->ipiv, &info);
    f->getri[p](&n, x->a, &n, x->ipiv, x->work, &all, &info);
    break;
  default: f->getrf[p](&n, &n, x->a, &n, x->ipiv, &info);
  }
  return info;
}

static void bare_run(void *state, int64_t n)
{
  bare *x = state;
  x->calls = n;
  if (x->kind == BENCH_GEMM)
    bench_team_run(x->team, gemm_part, x);
  else
    for (int64_t i = 0; i < n; i++)
      once(x);
}

static void bare_drop(void *state)
{
  bare *x = state;
  bench_team_close(x->team);
  char *const all[] = { x->a, x->b, x->c, x->from_a, x->from_b, x->work, (char *)x->ipiv };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
  free(x);
}

static bool room(char **p, size_t bytes)
{
  void *q = NULL;
  bool ok = posix_memalign(&q, 4096, bytes + 4096) == 0;
  if (ok)
    memset(q, 0, bytes + 4096);
  *p = q;
  return ok;
}

hed_status bench_floor_blas(bench_work *w, bench_blas_kind kind, int64_t batch, int m, int n, int k)
{
  const blas *f = load();
  bool wide = w->spec->dtype == HED_FLOAT64, ok = true;
  if (!f)
    return HED_OK; /* a row without this floor */
  bare *x = calloc(1, sizeof *x);
  if (!x)
    return hed_fail(HED_E_NOMEM, "no memory for a bare product");
  *x = (bare){ .f = f, .kind = kind, .wide = wide, .m = m, .n = n, .k = k, .batch = batch, .size = wide ? 8 : 4 };
  size_t one = x->size * (size_t)batch, square = (size_t)(m > n ? m : n) * (size_t)n;
  if (kind == BENCH_GEMM) {
    ok &= room(&x->a, one * (size_t)m * (size_t)k) && room(&x->b, one * (size_t)k * (size_t)n)
          && room(&x->c, one * (size_t)m * (size_t)n);
    ok &= (x->team = bench_team_open(w->flops < THREADS_PAY ? 1 : w->spec->threads)) != NULL;
  } else {
    /* enough for the largest of them, syevd with vectors: 1 + 6 n + 2 n^2; gesdd: about 4 n^2 + 7 n */
    x->k = 8 * n * n + 64 * (m + n) + 1024;
    char *pivots = NULL;
    ok &= room(&x->a, x->size * square) && room(&x->b, x->size * square) && room(&x->c, x->size * square)
          && room(&x->from_a, x->size * square) && room(&x->from_b, x->size * square)
          && room(&x->work, x->size * (size_t)x->k) && room(&pivots, 4 * 64 * (size_t)(m + n));
    x->ipiv = (int *)(void *)pivots;
    /* the row's own matrix, whose elements decide how long iterations take */
    ok = ok && hed_to_host(w->a[0], x->from_a, x->size * (size_t)m * (size_t)n) == HED_OK;
    if (ok && kind == BENCH_GESV)
      ok = hed_to_host(w->a[1], x->from_b, x->size * (size_t)n * (size_t)n) == HED_OK;
  }
  if (!ok || (kind != BENCH_GEMM && once(x) != 0)) {
    bare_drop(x);
    return ok ? HED_OK : hed_fail(HED_E_NOMEM, "no memory for a bare product");
  }
  if (kind != BENCH_GEMM && w->spec->threads > 1)
    w->note = "bare LAPACK on one thread";
  w->floor = (bench_floor){ kind == BENCH_GEMM ? "blas" : "lapack", bare_run, x, bare_drop, NAN, 0, false };
  return HED_OK;
}
