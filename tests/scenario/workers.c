// SPDX-License-Identifier: BSD-3-Clause
/* Workers times threads of an operation: many threads that each want many, with room for all, for some and for none.
 * Values are right, nobody waits for ever, and no more threads exist than there may be; also where the program's own
 * threads take permits and operations run inside. Each combination has a process of its own, so that helpers of one do
 * not count in the next. L5.
 */
#include "scenario.h"
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { N = 1 << 18, SIDE = 160 }; /* large enough that two threads pay */

static const char *backend = "reference"; /* or cpu where it is usable */
static atomic_bool stop;
static atomic_int wrong, rounds;

static void expect(hed_array *x, double want, double tolerance, const char *what)
{
  double v = 0;
  if (hed_item(x, &v) == HED_OK && fabs(v - want) <= tolerance)
    return;
  if (atomic_fetch_add(&wrong, 1) < 5)
    fprintf(stderr, "# %s: %g, not %g: %s\n", what, v, want, hed_error_text());
}

static hed_array *distance(hed_array *a, hed_array *b)
{
  return hed_max(hed_abs(hed_subtract(a, b)), NULL);
}

static void compute(void)
{
  HED_SCOPE {
    hed_array *x = hed_arange(0, N, 1, HED_FLOAT32), *e = hed_exp(hed_multiply_scalar(x, -1.0 / N));
    expect(hed_mean(e, NULL), 1 - exp(-1), 1e-5, "mean of exponentials");
    hed_array *m = hed_ones(HED_SHAPE(SIDE, SIDE), HED_FLOAT32);
    expect(hed_sum(hed_matmul(m, m), NULL), (double)SIDE * SIDE * SIDE, 0, "product of matrices");
    hed_array *y = hed_reshape(e, HED_SHAPE(64, 64, N >> 12));
    expect(distance(hed_irfftn(hed_rfftn(y, NULL), NULL), y), 0, 1e-5, "transform there and back");
    hed_array *up = hed_arange(0, N / 4, 1, HED_INT64);
    expect(distance(hed_sort(hed_flip(up, NULL), NULL), up), 0, 0, "sorting what descends");
    hed_array *fused = NULL;
    HED_FUSED {
      HED_SCOPE fused = hed_keep(hed_sum(hed_multiply(hed_add(up, up), up), NULL));
    }
    expect(fused, (N / 4.0 - 1) * (N / 4.0) * (N / 2.0 - 1) / 3, 0, "fused sum of squares");
    hed_release(fused);
  }
  atomic_fetch_add(&rounds, 1);
}

static void *work(void *arg)
{
  do
    compute();
  while (!atomic_load(&stop));
  return arg;
}

/* A parallel loop of the program's own: permits for its threads, which compute under the worker's context. */
static void *work_in_threads(void *arg)
{
  do {
    pthread_t t[8];
    int got = hed_permits_acquire(8), made = 0;
    while (made < got - 1 && made < 8 && hed_thread_create(&t[made], NULL, work, NULL) == 0)
      made++;
    compute();
    for (int k = 0; k < made; k++)
      pthread_join(t[k], NULL);
    hed_permits_release(got);
  } while (!atomic_load(&stop));
  return arg;
}

static void *nothing(void *arg)
{
  return arg;
}

/* In a process of its own: says how many threads there were at most beside those before and the workers. */
static int cell(int workers, int threads, bool nested)
{
  pthread_t t[8];
  char spec[64];
  in_thread(nothing, NULL); /* a sanitizer has a thread of its own from the first one on */
  int before = count_threads(), high = 0;
  alarm(300);
  snprintf(spec, sizeof spec, "%s;threads=%d", backend, threads);
  HED_BACKEND_CONTEXT(spec) {
    for (int k = 0; k < workers; k++)
      if (hed_thread_create(&t[k], NULL, nested ? work_in_threads : work, NULL) != 0)
        return 1;
    double end = seconds() + 0.1;
    while (seconds() < end || atomic_load(&rounds) < scaled(2 * workers)) {
      int n = count_threads();
      high = n > high ? n : high;
      sleep_ms(1);
    }
    atomic_store(&stop, true);
    for (int k = 0; k < workers; k++)
      pthread_join(t[k], NULL);
    printf("%d %d %d\n", atomic_load(&wrong), high - before - workers, hed_thread_capacity());
    return 0;
  }
  return 2;
}

typedef struct answer { int status, wrong, more, capacity; } answer;

static answer ask(const char *self, int workers, int threads, bool nested, const char *most)
{
  answer a = { -1, -1, -1, -1 };
  int fd[2], status = 0;
  char w[16], t[16];
  snprintf(w, sizeof w, "%d", workers);
  snprintf(t, sizeof t, "%d", threads);
  if (pipe(fd) != 0)
    bail("pipe: %s", strerror(errno));
  pid_t p = fork();
  if (p == 0) {
    if (most)
      setenv("HEDDLE_NUM_THREADS", most, 1);
    dup2(fd[1], 1);
    execl(self, self, backend, w, t, nested ? "nested" : "plain", (char *)NULL);
    _exit(127);
  }
  close(fd[1]);
  FILE *f = fdopen(fd[0], "r");
  if (!f || fscanf(f, "%d %d %d", &a.wrong, &a.more, &a.capacity) != 3)
    a.wrong = -1;
  if (f)
    fclose(f);
  if (p > 0 && waitpid(p, &status, 0) == p)
    a.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return a;
}

int main(int argc, char **argv)
{
  if (argc == 5) {
    backend = argv[1];
    return cell(atoi(argv[2]), atoi(argv[3]), strcmp(argv[4], "nested") == 0);
  }
  static const int workers[] = { 1, 2, 8 }, threads[] = { 0, 1, 2, 8 };
  if (hed_backend_require("cpu") == HED_OK)
    backend = "cpu";
  else
    diag("the reference backend takes the place of cpu: %s", hed_error_text());
  for (int limited = 0; limited < 2; limited++)
    for (int w = 0; w < 3; w++)
      for (int t = 0; t < 4; t++) {
        if (!in_sample(limited + w + t))
          continue;
        answer a = ask(argv[0], workers[w], threads[t], false, limited ? "1" : NULL);
        const int each = threads[t] && threads[t] < a.capacity ? threads[t] : a.capacity;
        const int all = workers[w] * (each - 1), most = all < a.capacity - 1 ? all : a.capacity - 1;
        ok(a.status == 0 && a.wrong == 0, "%d workers, threads=%d, capacity %d: results are right, and come (status %d, %d wrong)",
           workers[w], threads[t], a.capacity, a.status, a.wrong);
        ok(a.more <= most, "%d workers, threads=%d, capacity %d: %d threads more, not above %d", workers[w], threads[t],
           a.capacity, a.more, most);
      }
  answer a = ask(argv[0], 8, 8, true, NULL);
  ok(a.status == 0 && a.wrong == 0, "operations in threads of workers, each with permits: nobody waits for ever (%d, %d wrong)",
     a.status, a.wrong);
  ok(a.more <= 2 * (a.capacity - 1), "with %d threads more: what was granted, and helpers", a.more);
  return done();
}
