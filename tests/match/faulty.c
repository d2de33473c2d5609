// SPDX-License-Identifier: BSD-3-Clause
/* A search by a device of which one call fails, whichever it is, and by the reference backend: the result is there, and the same. */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 16, B = 5, CALLS = 500 };
static float volume[N * N * N], box[B * B * B];
static double *rotations;
static size_t n_rotations;

static hed_status search(const char *score, const char *workers, hed_match_result *r)
{
  hed_array *target = hed_from_host(volume, HED_SHAPE(N, N, N), HED_FLOAT32);
  hed_array *tmpl = hed_from_host(box, HED_SHAPE(B, B, B), HED_FLOAT32);
  const hed_match_options opt = { .score = score, .workers = workers, .threshold = -INFINITY };
  const hed_status status = hed_match_run(&opt, target, tmpl, NULL, n_rotations, rotations, r);
  RELEASE(target, tmpl);
  return status;
}

enum { RIGHT, WRONG, REFUSED, SPARED }; /* the last: without a failure that anybody saw */

/* In a process of its own, whose device was told what to do before it was loaded. */
static int compare(const char *score)
{
  hed_match_result want, r;
  if (search(score, "reference", &want) != HED_OK || search(score, "faulty,reference", &r) != HED_OK) {
    fprintf(stderr, "# %s: %s\n", getenv("HEDDLE_TEST_FAULTY"), hed_error_text());
    return REFUSED;
  }
  size_t done = 0;
  for (int i = 0; i < r.n_workers; i++)
    done += r.worker[i].rotations;
  const float *a = hed_array_data(r.scores), *b = hed_array_data(want.scores);
  float apart = 0;
  for (int i = 0; i < N * N * N; i++)
    apart = fmaxf(apart, fabsf(a[i] - b[i]));
  const bool same = apart <= 1e-5F; /* the setup rounds where it is */
  if (!same || done != n_rotations)
    fprintf(stderr, "# %s: scores differ by %g, %zu of %zu rotations\n", getenv("HEDDLE_TEST_FAULTY"), apart, done, n_rotations);
  const bool failed = r.worker[0].failure[0];
  hed_match_result_clear(&want);
  hed_match_result_clear(&r);
  return !same || done != n_rotations ? WRONG : failed ? RIGHT : SPARED;
}

/* No device has memory: the first one's failure is told. */
static int all_failed(void)
{
  hed_match_result r;
  const hed_status status = search("FLC", "faulty:0,faulty:1", &r);
  if (status == HED_E_DEVMEM && !r.scores && strstr(hed_error_text(), "faulty:0"))
    return RIGHT;
  fprintf(stderr, "# status %d, %s\n", (int)status, status == HED_OK ? "a result" : hed_error_text());
  return WRONG;
}

static int in_child(const char *self, const char *what, const char *settings)
{
  int status = 0;
  const pid_t p = fork();
  if (p == 0) {
    setenv("HEDDLE_TEST_FAULTY", settings, 1);
    execl(self, self, what, (char *)NULL);
    _exit(127);
  }
  return p > 0 && waitpid(p, &status, 0) == p && WIFEXITED(status) && WEXITSTATUS(status) <= SPARED ? WEXITSTATUS(status) : WRONG;
}

static int with_failure(const char *self, const char *score, int call)
{
  char text[64];
  snprintf(text, sizeof text, "delay_us=0;fail_any=%d", call);
  return in_child(self, score, text);
}

static void each_call(const char *self, const char *score)
{
  int count[SPARED + 1] = { 0 };
  for (int call = 1; call < CALLS; call += 1 + call / 40)
    count[with_failure(self, score, call)]++;
  is_int(count[WRONG], 0, "%s: what is found is what no failure would have found", score);
  is_int(count[REFUSED], 0, "%s: nothing is refused for one device's failure", score);
  ok(count[RIGHT] > 20, "%s: a worker failed in %d runs, in %d none", score, count[RIGHT], count[SPARED]);
}

int main(int argc, char **argv)
{
  gen g;
  if (!getenv("HEDDLE_PLUGIN_PATH"))
    skip_all("no modules of the tests");
  gen_seed(&g, tap_seed());
  for (int i = 0; i < N * N * N; i++)
    volume[i] = (float)(0.3 * gen_normal(&g));
  for (int i = 0; i < B * B * B; i++)
    box[i] = (float)gen_normal(&g);
  if (hed_rotations_sample(3, 120, &rotations, &n_rotations) != HED_OK)
    bail("rotations: %s", hed_error_text());
  if (argc == 2) {
    const int result = strcmp(argv[1], "all") == 0 ? all_failed() : compare(argv[1]);
    free(rotations);
    return result;
  }
  char seed[32];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)tap_seed());
  setenv("HEDDLE_TEST_SEED", seed, 1);
  each_call(argv[0], "FLCSphericalMask");
  each_call(argv[0], "MCC");
  is_int(in_child(argv[0], "all", "delay_us=0;full=1"), RIGHT, "where every device fails, the first one's failure is told");
  free(rotations);
  done_testing();
  return done();
}
