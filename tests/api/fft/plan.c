// SPDX-License-Identifier: BSD-3-Clause
/* Plan objects and wisdom: results, refusals, other layouts than the planned one, many threads on one plan, what a pair
 * shares (nothing), files of wisdom that are good, cut, foreign or not there.
 */
#include "api.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Largest difference of two arrays; both are released. */
static double off(hed_array *a, hed_array *b)
{
  double d = INFINITY;
  hed_array *s = hed_subtract(a, b), *m = hed_abs(s), *most = hed_max(m, NULL);
  if (!most || hed_item(most, &d) != HED_OK)
    d = INFINITY;
  RELEASE(s, m, most, a, b);
  return d;
}

static hed_array *noise(hed_shape s, hed_dtype t)
{
  static uint64_t seed;
  hed_random opt = { .seed = seed++, .seeded = true };
  bool two = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  hed_array *x = hed_random_normal(s, HED_FLOAT32, &opt), *y = hed_astype(x, t);
  if (two) {
    hed_array *i = hed_scalar_complex(0.3, 1), *z = hed_multiply(y, i);
    RELEASE(i, y);
    y = z;
  }
  hed_release(x);
  return y;
}

static void same_as_the_function(const char *backend)
{
  static hed_array *(*const fn[])(const hed_array *, const hed_fft *) = {
    hed_fft1, hed_rfft2, hed_irfftn, hed_hfft1, hed_ihfftn, hed_ifftn };
  static const int op[] = { HED_OP_FFT1, HED_OP_RFFT2, HED_OP_IRFFTN, HED_OP_HFFT1, HED_OP_IHFFTN, HED_OP_IFFTN };
  for (int k = 0; k < 6; k++) {
    hed_dtype t = k == 1 || k == 4 ? HED_FLOAT64 : HED_COMPLEX64;
    hed_fft opt = { .norm = HED_NORM_ORTHO };
    hed_fft_plan *p = NULL;
    is_int(hed_fft_plan_create(op[k], HED_SHAPE(3, 8, 9), t, &opt, &p), HED_OK, "%s: a plan of %s", backend, hed_op_name(op[k]));
    hed_fft_plan_info info = { .struct_size = sizeof info };
    is_int(hed_fft_plan_query(p, &info), HED_OK, "is described");
    ok(info.op == op[k] && info.in.dim[2] == 9 && info.in_dtype == t && strncmp(info.device, backend, strlen(backend)) == 0,
       "as it was asked for");
    hed_array *x = noise(HED_SHAPE(3, 8, 9), t);
    double d = off(hed_fft_plan_run(p, x), fn[k](x, &opt));
    ok(d < 1e-5, "%s: as the function gives it (%g)", hed_op_name(op[k]), d);
    hed_array *out = hed_empty(info.out, info.out_dtype);
    is_int(hed_fft_plan_run_into(p, out, x), HED_OK, "into an array");
    d = off(out, fn[k](x, &opt));
    ok(d < 1e-5, "the same (%g)", d);
    /* another layout, another alignment: the same numbers */
    hed_array *wide = hed_zeros(HED_SHAPE(3, 8, 20), t);
    hed_array *part = hed_slice(wide, 3, (hed_slice_range[]){ HED_RANGE(2, HED_SLICE_BEGIN, -1), HED_ALL, HED_RANGE(1, 19, 2) });
    hed_copy_into(part, x);
    d = off(hed_fft_plan_run(p, part), fn[k](x, &opt));
    ok(d < 1e-5, "strided, negative, not aligned (%g)", d);
    RELEASE(part, wide, x);
    hed_fft_plan_release(p);
  }
}

static void templates(const char *backend)
{
  diag("templates on %s", backend);
  hed_fft_plan *p = NULL;
  hed_array *big = noise(HED_SHAPE(6, 10), HED_COMPLEX128);
  hed_array *x = hed_slice(big, 2, (hed_slice_range[]){ HED_RANGE(1, 6, 1), HED_RANGE(1, 9, 1) }), *before = hed_copy(big);
  is_int(hed_fft_plan_create_for(HED_OP_FFTN, x, x, NULL, &p), HED_OK, "in place on a part of a larger array");
  ok(off(hed_copy(big), hed_retain(before)) == 0, "planning touches no element");
  hed_array *want = hed_fftn(x, NULL);
  is_int(hed_fft_plan_run_into(p, x, x), HED_OK, "runs in place");
  ok(off(hed_copy(x), hed_retain(want)) < 1e-12, "as fftn gives it");
  hed_array *apart = hed_empty(HED_SHAPE(5, 8), HED_COMPLEX128), *y = hed_ifftn(want, NULL);
  is_int(hed_fft_plan_run_into(p, apart, y), HED_OK, "an in-place plan out of place");
  ok(off(apart, want) < 1e-12, "gives the same");
  hed_release(y);
  hed_fft_plan_release(p);
  RELEASE(before, x, big);
  /* the pair keeps nothing of an earlier pair's options, and axes are taken as listed: the last is halved */
  hed_fft_plan *f[2], *i[2];
  hed_fft first = { .axes = HED_AXES(1, 0), .norm = HED_NORM_FORWARD };
  is_int(hed_build_fft(HED_SHAPE(5, 7), HED_FLOAT64, &first, &f[0], &i[0]), HED_OK, "build_fft, axes (1, 0)");
  is_int(hed_build_fft(HED_SHAPE(5, 7), HED_FLOAT64, NULL, &f[1], &i[1]), HED_OK, "build_fft");
  x = noise(HED_SHAPE(5, 7), HED_FLOAT64);
  for (int k = 0; k < 2; k++) {
    y = hed_fft_plan_run(f[k], x);
    hed_shape s = hed_array_shape(y);
    ok(s.dim[0] == (k ? 5 : 3) && s.dim[1] == (k ? 4 : 7), "the half is where the options say");
    ok(off(hed_retain(y), hed_rfftn(x, k ? NULL : &first)) < 1e-12, "forward");
    ok(off(hed_fft_plan_run(i[k], y), hed_retain(x)) < 1e-12, "and back to an odd extent");
    hed_release(y);
    hed_fft_plan_release(f[k]);
    hed_fft_plan_release(i[k]);
  }
  hed_release(x);
}

static void refusals(const char *backend)
{
  diag("refusals on %s", backend);
  hed_fft_plan *p = NULL, *q = NULL, *r = NULL;
  is_int(hed_fft_plan_create(HED_OP_RFFTN, HED_SHAPE(4, 6), HED_FLOAT32, NULL, &p), HED_OK, "a plan");
  hed_array *x = noise(HED_SHAPE(4, 6), HED_FLOAT32), *d = hed_astype(x, HED_FLOAT64), *t = hed_transpose(x, NULL);
  hed_array *out = hed_zeros(HED_SHAPE(4, 4), HED_COMPLEX128), *small = hed_zeros(HED_SHAPE(4, 3), HED_COMPLEX64);
  API_NULL(hed_fft_plan_run(p, d), HED_E_DTYPE, "x has dtype float64, the plan is rfftn of float32");
  API_NULL(hed_fft_plan_run(p, t), HED_E_SHAPE, "x has shape (6, 4), the plan is rfftn of (4, 6)");
  API_FAIL(hed_fft_plan_run_into(p, out, x), HED_E_DTYPE, "out has dtype complex128, the plan gives complex64");
  API_FAIL(hed_fft_plan_run_into(p, small, x), HED_E_SHAPE, "out has shape (4, 3), the result (4, 4)");
  API_NULL(hed_fft_plan_run(NULL, x), HED_E_INVAL, "plan is NULL");
  API_NULL(hed_fft_plan_run(p, NULL), HED_E_INVAL, "argument x is NULL");
  API_FAIL(hed_fft_plan_run_into(p, NULL, x), HED_E_INVAL, "argument out is NULL");
  API_FAIL(hed_fft_plan_create(HED_OP_ADD, HED_SHAPE(4), HED_FLOAT32, NULL, &q), HED_E_INVAL, "op is add, not a Fourier transform");
  API_FAIL(hed_fft_plan_create(HED_OP_FFTN, HED_SHAPE(4), NULL, NULL, &q), HED_E_INVAL, "dtype is NULL");
  API_FAIL(hed_fft_plan_create(HED_OP_FFTN, HED_SHAPE(4), HED_FLOAT32, NULL, NULL), HED_E_INVAL, "plan is NULL");
  API_FAIL(hed_fft_plan_create(HED_OP_FFT2, HED_SHAPE(4), HED_FLOAT32, NULL, &q), HED_E_SHAPE, "fft2: x has 1 axes");
  API_FAIL(hed_fft_plan_create_for(HED_OP_FFTN, small, out, NULL, &q), HED_E_SHAPE, "out has shape (4, 4), the result (4, 3)");
  API_FAIL(hed_fft_plan_create_for(HED_OP_FFTN, NULL, NULL, NULL, &q), HED_E_INVAL, "argument x is NULL");
  API_FAIL(hed_build_fft(HED_SHAPE(4), HED_FLOAT32, &(hed_fft){ .s = HED_SHAPE(5) }, &r, &q), HED_E_INVAL, "option s has 1");
  API_FAIL(hed_build_fft(HED_SHAPE(4), HED_FLOAT32, NULL, &q, NULL), HED_E_INVAL, "inverse is NULL");
  API_FAIL(hed_fft_plan_query(NULL, NULL), HED_E_INVAL, "plan is NULL");
  HED_BACKEND_CONTEXT(strcmp(backend, "cpu") == 0 ? "reference" : "cpu") {
    char words[80];
    snprintf(words, sizeof words, "the plan was made on %s, this call runs on", backend);
    API_NULL(hed_fft_plan_run(p, x), HED_E_MISMATCH, words);
  }
  hed_error_clear();
  hed_fft_plan_release(hed_fft_plan_retain(p));
  hed_array *y = hed_fft_plan_run(p, x);
  ok(y != NULL, "it still runs where it was made");
  hed_release(y);
  hed_fft_plan_release(p);
  hed_fft_plan_release(NULL);
  RELEASE(x, d, t, out, small);
}

/* ---- many threads on one plan ---- */

static hed_fft_plan *shared;
static hed_array *given, *expected;
static atomic_int wrong;

static void *worker(void *arg)
{
  const char *backend = arg;
  HED_BACKEND_CONTEXT(backend) {
    hed_array *out = hed_empty_like(expected);
    for (int k = 0; k < 40; k++) {
      int status = hed_fft_plan_run_into(shared, out, given);
      if (status != HED_OK || off(hed_retain(out), hed_retain(expected)) != 0)
        atomic_fetch_add(&wrong, 1);
    }
    hed_release(out);
  }
  return NULL;
}

static void many_threads(const char *backend)
{
  enum { THREADS = 6 };
  pthread_t t[THREADS];
  char spec[64];
  snprintf(spec, sizeof spec, "%s;threads=1;fft=measure", backend);
  HED_BACKEND_CONTEXT(spec) {
    given = noise(HED_SHAPE(12, 30), HED_FLOAT32);
    is_int(hed_fft_plan_create(HED_OP_RFFTN, HED_SHAPE(12, 30), HED_FLOAT32, NULL, &shared), HED_OK, "%s: a measured plan", spec);
    expected = hed_fft_plan_run(shared, given);
    for (int k = 0; k < THREADS; k++)
      pthread_create(&t[k], NULL, worker, spec);
    for (int k = 0; k < THREADS; k++)
      pthread_join(t[k], NULL);
    is_int(atomic_load(&wrong), 0, "%s: threads run one plan at once, bit for bit the same", backend);
    hed_fft_plan_release(shared);
    RELEASE(given, expected);
  }
}

/* ---- counts ---- */

typedef struct found {
  hed_cache_stats s;
  bool there;
} found;

static void look(void *arg, const hed_cache_stats *c)
{
  found *f = arg;
  if (strcmp(c->name, "cpu.fft_plans") == 0) {
    f->s = *c;
    f->there = true;
  }
}

static void counts(const char *backend)
{
  found a = { .there = false }, b = a, c = a;
  if (strcmp(backend, "cpu") != 0)
    return;
  hed_array *x = noise(HED_SHAPE(41, 2), HED_COMPLEX128);
  hed_fft_plan *p = NULL;
  hed_cache_list(look, &a);
  ok(a.there && a.s.capacity == 128, "the cache of plans is listed, with its bound");
  hed_release(hed_fftn(x, NULL));
  hed_release(hed_fftn(x, NULL));
  is_int(hed_fft_plan_create(HED_OP_FFTN, HED_SHAPE(41, 2), HED_COMPLEX128, NULL, &p), HED_OK, "a plan object");
  hed_cache_list(look, &b);
  is_uint(b.s.misses, a.s.misses + 1, "a new size is a miss");
  ok(b.s.hits >= a.s.hits + 2, "then it is found, by plan objects too");
  is_int(b.s.in_use, a.s.in_use + 1, "the object holds it");
  ok(b.s.bytes > a.s.bytes && b.s.entries <= b.s.capacity, "bytes and entries");
  hed_fft_plan_release(p);
  hed_cache_list(look, &c);
  is_int(c.s.in_use, a.s.in_use, "until it is released");
  hed_release(x);
}

/* ---- wisdom ---- */

static void put_file(const char *path, const char *text, size_t n)
{
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
    bail("cannot write %s", path);
}

static void wisdom(const char *backend)
{
  char dir[200], path[260], copy[260], text[65536];
  const char *tmp = getenv("TMPDIR");
  if (strcmp(backend, "cpu") != 0) {
    API_FAIL(hed_fft_wisdom_save("/nonexistent/x"), HED_E_UNSUPPORTED, "fft_wisdom_save: backend reference has no wisdom");
    API_FAIL(hed_fft_wisdom_load("/nonexistent/x"), HED_E_UNSUPPORTED, "fft_wisdom_load: backend reference has no wisdom");
    API_FAIL(hed_fft_wisdom_forget(), HED_E_UNSUPPORTED, "has no wisdom");
    return;
  }
  snprintf(dir, sizeof dir, "%s/heddle-wisdom-XXXXXX", tmp && strlen(tmp) < 100 ? tmp : "/tmp");
  if (!mkdtemp(dir))
    bail("no temporary folder");
  snprintf(path, sizeof path, "%s/w", dir);
  snprintf(copy, sizeof copy, "%s/w2", dir);
  hed_fft_plan *p = NULL;
  HED_BACKEND_CONTEXT("cpu;fft=measure")
    is_int(hed_fft_plan_create(HED_OP_FFTN, HED_SHAPE(48), HED_COMPLEX64, NULL, &p), HED_OK, "a measured plan");
  hed_fft_plan_release(p);
  is_int(hed_fft_wisdom_save(path), HED_OK, "wisdom is saved");
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, sizeof text - 8, f) : 0;
  if (f)
    fclose(f);
  ok(n > 60 && memcmp(text, "heddle fft wisdom 1\n", 20) == 0, "as text");
  is_int(hed_fft_wisdom_forget(), HED_OK, "forgotten");
  is_int(hed_fft_wisdom_load(path), HED_OK, "loaded");
  is_int(hed_fft_wisdom_save(copy), HED_OK, "saved again");
  struct stat a, b;
  ok(stat(path, &a) == 0 && stat(copy, &b) == 0 && a.st_size == b.st_size, "nothing is lost");
  put_file(copy, text, n - 5);
  API_FAIL(hed_fft_wisdom_load(copy), HED_E_FORMAT, "not wisdom of Heddle's, or it was cut");
  put_file(copy, "nonsense\n", 9);
  API_FAIL(hed_fft_wisdom_load(copy), HED_E_FORMAT, "not wisdom of Heddle's");
  put_file(copy, "", 0);
  API_FAIL(hed_fft_wisdom_load(copy), HED_E_FORMAT, copy);
  static const char foreign[] = "heddle fft wisdom 1\ndouble 4\n(no)\nsingle 0\n\nend\n",
                    damaged[] = "heddle fft wisdom 1\ndouble 3\n(a)\nsingle 0\n\nend\n";
  put_file(copy, foreign, sizeof foreign - 1);
  API_FAIL(hed_fft_wisdom_load(copy), HED_E_FORMAT, "FFTW does not accept the part 'double'");
  put_file(copy, damaged, sizeof damaged - 1);
  API_FAIL(hed_fft_wisdom_load(copy), HED_E_FORMAT, "FFTW does not accept the part 'double'");
  char *single = memmem(text, n, "\nsingle ", 8); /* the second part bad: the first is taken back */
  if (single) {
    char half[65536];
    size_t m = (size_t)(single - text);
    memcpy(half, text, m);
    m += (size_t)snprintf(half + m, sizeof half - m, "\nsingle 3\n(a)\nend\n");
    put_file(copy, half, m);
    API_FAIL(hed_fft_wisdom_load(copy), HED_E_FORMAT, "FFTW does not accept the part 'single'");
  }
  is_int(hed_fft_wisdom_save(copy), HED_OK, "after all that");
  ok(stat(copy, &b) == 0 && a.st_size == b.st_size, "what was known is known");
  unlink(copy);
  API_FAIL(hed_fft_wisdom_load(copy), HED_E_IO, "fft_wisdom_load: ");
  API_FAIL(hed_fft_wisdom_load(dir), HED_E_IO, "not a regular file");
  API_FAIL(hed_fft_wisdom_load(""), HED_E_INVAL, "path is empty");
  snprintf(copy, sizeof copy, "%s/none/w", dir);
  API_FAIL(hed_fft_wisdom_save(copy), HED_E_IO, copy);
  snprintf(copy, sizeof copy, "%s/cache", dir);
  setenv("XDG_CACHE_HOME", copy, 1);
  unsetenv("HEDDLE_CACHE_DIR");
  char buf[300], want[300];
  snprintf(want, sizeof want, "%s/heddle/cpu.wisdom", copy);
  is_int(hed_fft_wisdom_path(buf, sizeof buf), HED_OK, "the default file");
  is_str(buf, want, "is in the cache folder");
  API_FAIL(hed_fft_wisdom_path(buf, 5), HED_E_INVAL, "there is room for 5");
  is_int(hed_fft_wisdom_save(NULL), HED_OK, "saved there");
  is_int(hed_fft_wisdom_load(NULL), HED_OK, "and loaded from there");
  unlink(want);
  snprintf(want, sizeof want, "%s/heddle", copy);
  rmdir(want);
  rmdir(copy);
  unlink(path);
  is_int(rmdir(dir), 0, "no temporary file is left");
  is_int(hed_fft_wisdom_forget(), HED_OK, "forgotten");
}

/* FFTW's planner ends the process when it gets no memory. */
static void without_memory(const char *backend)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  enum { PRIME = 1000003, MIB = 1 << 20 };
  int end = 0;
  const pid_t child = fork();
  if (child == 0) {
    unsigned long pages = 0;
    hed_fft_plan *p = NULL;
    FILE *f = fopen("/proc/self/statm", "r");
    const bool read = f && fscanf(f, "%lu", &pages) == 1;
    const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MIB;
    if (!read || setrlimit(RLIMIT_AS, &(struct rlimit){ most, most }) != 0)
      _exit(3);
    const hed_status status = hed_fft_plan_create(HED_OP_FFT1, HED_SHAPE(PRIME), HED_COMPLEX128, NULL, &p);
    _exit(status == HED_OK ? 0 : status == HED_E_NOMEM && hed_error_text()[0] ? 1 : 2);
  }
  const bool ended = child > 0 && waitpid(child, &end, 0) == child;
  ok(ended && WIFEXITED(end) && WEXITSTATUS(end) < 2,
     "%s: a plan for which there is no memory is an error (%x)", backend, (unsigned)end);
#else
  skip(1, "%s: a sanitizer takes the room", backend);
#endif
}

int main(void)
{
  api_each_backend(same_as_the_function);
  api_each_backend(templates);
  api_each_backend(refusals);
  api_each_backend(many_threads);
  api_each_backend(counts);
  api_each_backend(wisdom);
  api_each_backend(without_memory);
  done_testing();
  return done();
}
