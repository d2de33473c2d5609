// SPDX-License-Identifier: BSD-3-Clause
/* A process that may have no more threads: everything that would like some goes on with those it has.
 *
 * Each case runs in a process of its own, which is forked before the library is used and ends by a signal when it hangs.
 */
#include "scenario.h"
#include <dlfcn.h>
#include <errno.h>
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* In place of the loader's: cpu opens BLAS with it, in a namespace of its own. */
static bool no_namespaces;

HED_API void *dlmopen(Lmid_t space, const char *file, int mode)
{
  void *(*real)(Lmid_t, const char *, int);
  void *p = dlsym(RTLD_NEXT, "dlmopen");
  memcpy(&real, &p, sizeof real);
  return no_namespaces || !real ? NULL : real(space, file, mode);
}

enum { SKIPPED = 77, NOBODY = 65534, SECONDS = 120 };

#define CHECK(condition)                                                                                          \
  do {                                                                                                            \
    if (!(condition)) {                                                                                           \
      diag("%s:%d: %s: %s", __FILE__, __LINE__, #condition, hed_error_text());                                    \
      return 1;                                                                                                   \
    }                                                                                                             \
  } while (0)

static void *nothing(void *arg) { return arg; }

/* From here on pthread_create fails, as it does where a user has all the processes that a limit allows; root has none. */
static bool take_threads(void)
{
  const struct rlimit none = { 0, 0 };
  pthread_t t;
  if ((geteuid() == 0 && setuid(NOBODY) != 0) || setrlimit(RLIMIT_NPROC, &none) != 0)
    return false;
  if (pthread_create(&t, NULL, nothing, NULL) != 0)
    return true;
  pthread_join(t, NULL);
  return false;
}

/* The transform of a delta at 1 is a turn of the unit circle; and back. */
static int transforms(void)
{
  for (int wide = 0; wide < 2; wide++)
    for (int log2n = 18; log2n <= 21; log2n++) {
      const int64_t n = (int64_t)1 << log2n;
      const double tol = wide ? 1e-12 : 1e-5;
      hed_array *x = hed_keep(hed_zeros(HED_SHAPE(n), wide ? HED_FLOAT64 : HED_FLOAT32)), *at = hed_index(x, 0, 1);
      CHECK(x && hed_fill(at, 1) == HED_OK);
      hed_array *z = hed_fftn(x, NULL), *r = hed_rfftn(x, NULL), *back = hed_irfftn(r, NULL);
      hed_array *wide_z = hed_astype(z, HED_COMPLEX128), *wide_r = hed_astype(r, HED_COMPLEX128);
      hed_array *difference = hed_max(hed_abs(hed_subtract(back, x)), NULL);
      const double *full = hed_array_data(wide_z), *half = hed_array_data(wide_r);
      double most = 0;
      CHECK(full && half && hed_item(difference, &most) == HED_OK);
      for (int64_t k = 0; k < n; k++) {
        const double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;
        most = fmax(most, hypot(full[2 * k] - cos(angle), full[2 * k + 1] - sin(angle)));
        if (k <= n / 2)
          most = fmax(most, hypot(half[2 * k] - cos(angle), half[2 * k + 1] - sin(angle)));
      }
      CHECK(most < tol);
      hed_release(x);
    }
  return 0;
}

/* Of each kind of work that threads share, one case: as alone. */
static hed_array *work_of(int kind, const hed_array *x)
{
  const int64_t n = 300;
  hed_array *square = hed_reshape(hed_slice(x, 1, &(hed_slice_range){ 0, n * n, 1 }), HED_SHAPE(n, n));
  switch (kind) {
  case 0: return hed_exp(x);
  case 1: return hed_sum(x, NULL);
  case 2: return hed_sort(x, NULL);
  case 3: return hed_matmul(square, square);
  case 4: return hed_cumsum(x, NULL);
  case 5: return hed_gaussian_filter(square, 2, (const double[]){ 2, 3 }, NULL);
  case 6: return hed_fftn(square, NULL);
  case 7: return hed_random_normal(HED_SHAPE(1 << 21), HED_FLOAT32, &(hed_random){ .seed = 7, .seeded = true });
  case 8: return hed_svdvals(square);
  case 9: return hed_solve(square, hed_slice(x, 1, &(hed_slice_range){ 0, n, 1 }));
  default: return NULL;
  }
}

static int operations(void)
{
  hed_array *x = hed_random_uniform(HED_SHAPE(1 << 21), HED_FLOAT32, NULL), *alone = NULL;
  for (int kind = 0; kind < 10; kind++) {
    hed_array *shared = work_of(kind, x);
    HED_BACKEND_CONTEXT("cpu;threads=1")
      alone = work_of(kind, x);
    double most = 1;
    CHECK(shared && alone && hed_item(hed_max(hed_abs(hed_subtract(shared, alone)), NULL), &most) == HED_OK);
    double scale = 1;
    CHECK(hed_item(hed_max(hed_abs(alone), NULL), &scale) == HED_OK);
    CHECK(most <= 1e-5 * scale);
  }
  return 0;
}

/* Another copy of BLAS would be one with threads. */
static int without_namespaces(void)
{
  no_namespaces = true;
  return operations();
}

static int refusal(void)
{
  pthread_t t;
  CHECK(hed_thread_create(&t, NULL, nothing, NULL) == EAGAIN);
  return 0;
}

typedef struct asked {
  size_t calls, until;
} asked;

static int count_progress(void *arg, size_t done, size_t total)
{
  asked *a = arg;
  return ++a->calls >= a->until || done > total;
}

/* The calling thread is the worker, in the worker's context; its callback is asked. */
static int matching(void)
{
  double *rotations = NULL;
  size_t n = 0;
  hed_array *target = hed_random_normal(HED_SHAPE(20, 20, 20), HED_FLOAT32, NULL);
  hed_array *tmpl = hed_random_normal(HED_SHAPE(7, 7, 7), HED_FLOAT32, NULL);
  CHECK(target && tmpl && hed_rotations_sample(3, 60, &rotations, &n) == HED_OK);
  asked never = { 0, SIZE_MAX }, soon = { 0, 3 };
  hed_match_options opt = { .workers = "reference*3", .progress = count_progress, .progress_arg = &never };
  hed_match_result r;
  CHECK(hed_match_run(&opt, target, tmpl, NULL, n, rotations, &r) == HED_OK);
  CHECK(r.n_workers == 3 && r.worker[0].rotations == n && strcmp(r.worker[0].backend, "reference") == 0);
  CHECK(never.calls >= n && strcmp(hed_get_backend(), "cpu") == 0);
  hed_match_result_clear(&r);
  opt.progress_arg = &soon;
  CHECK(hed_match_run(&opt, target, tmpl, NULL, n, rotations, &r) == HED_E_CANCELLED && soon.calls == 3);
  free(rotations);
  return 0;
}

/* In a new process on BACKEND, which was loaded while there were threads. */
static void without_threads(const char *backend, int (*body)(void), const char *what)
{
  int status = -1;
  fflush(NULL);
  const pid_t p = fork();
  if (p == 0) {
    alarm(SECONDS);
    double one = 0;
    if (hed_set_backend(backend) != HED_OK || hed_item(hed_sum(hed_ones(HED_SHAPE(3), HED_FLOAT32), NULL), &one) != HED_OK)
      _exit(SKIPPED);
    if (!take_threads())
      _exit(SKIPPED);
    int code = 1;
    HED_SCOPE
      code = body();
    _exit(code);
  }
  const bool ended = p > 0 && waitpid(p, &status, 0) == p;
  if (ended && WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
    skip(1, "%s: no %s, or the limit on threads does not hold here", what, backend);
  else
    ok(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s (%s)", what, backend);
}

int main(void)
{
  without_threads("cpu", transforms, "long transforms");
  without_threads("cpu", operations, "operations that threads share");
  without_threads("cpu", without_namespaces, "the same without a namespace for BLAS");
  without_threads("cpu", refusal, "hed_thread_create refuses");
  without_threads("cpu", matching, "template matching by the calling thread");
  return done();
}
