// SPDX-License-Identifier: BSD-3-Clause
/* An OpenMP team as host: its threads live from region to region. Members have their opener's context with the interposer;
 * HED_OMP_INHERIT gives each region, and HED_ADOPT each task, the context of where it was made, also without it. L5.
 */
#include "hosts.h"

#ifndef _OPENMP
int main(void)
{
  skip_all("built without OpenMP");
}
#else
#  include <omp.h>

enum { TEAM = 3 };

static hed_snapshot *capture(void)
{
  hed_snapshot *s = NULL;
  if (hed_capture(&s) != HED_OK)
    bail("capture: %s", hed_error_text());
  return s;
}

/* Bare region under the tag in force: what each member sees. */
static void bare(int *seen)
{
#  pragma omp parallel num_threads(TEAM)
  seen[omp_get_thread_num()] = here();
}

static void inheriting(int *seen)
{
  hed_snapshot *s = capture();
#  pragma omp parallel num_threads(TEAM)
  HED_OMP_INHERIT(s) seen[omp_get_thread_num()] = here();
  hed_snapshot_release(s);
}

static void test_regions(void)
{
  int first[TEAM] = { 0 }, second[TEAM] = { 0 }, plain[TEAM] = { 0 };
  HED_BACKEND_CONTEXT(";threads=15") {
    bare(plain);
    inheriting(first);
  }
  for (int k = 0; k < TEAM; k++) {
    is_int(plain[k], k == 0 ? 15 : expected(15), "first region: member %d", k);
    is_int(first[k], 15, "with HED_OMP_INHERIT: the region's context");
  }
  HED_BACKEND_CONTEXT(";threads=16") {
    bare(plain);
    inheriting(second);
  }
  for (int k = 0; k < TEAM; k++) {
    is_int(plain[k], k == 0 ? 16 : expected(16), "second region, of the same threads: member %d", k);
    is_int(second[k], 16, "with HED_OMP_INHERIT: the second region's context");
  }
}

static void test_nested_regions(void)
{
  int seen[2][2] = { { 0 } }, depth[2] = { 9, 9 };
  omp_set_max_active_levels(2);
  HED_BACKEND_CONTEXT(";threads=17") {
    hed_snapshot *s = capture();
#  pragma omp parallel num_threads(2)
    {
      int outer = omp_get_thread_num();
      HED_OMP_INHERIT(s) {
        HED_BACKEND_CONTEXT(outer ? ";threads=18" : ";threads=19") {
          hed_snapshot *inner = NULL;
          if (hed_capture(&inner) == HED_OK) {
#  pragma omp parallel num_threads(2)
            HED_OMP_INHERIT(inner) seen[outer][omp_get_thread_num()] = here();
            hed_snapshot_release(inner);
          }
        }
      }
      depth[outer] = (int)hed_context_depth();
    }
    hed_snapshot_release(s);
    is_int(depth[0], 1 + inherits(), "the master has its own frame after the inner region");
    is_int(depth[1], inherits(), "the other member what it entered with");
  }
  for (int k = 0; k < 2; k++) {
    is_int(seen[0][k], 19, "nested region of the first member, member %d", k);
    is_int(seen[1][k], 18, "nested region of the second member, member %d", k);
  }
}

static void test_tasks(void)
{
  enum { TASKS = 64 };
  int seen[TASKS] = { 0 }, wrong = 0;
#  pragma omp parallel num_threads(TEAM)
#  pragma omp single
  HED_BACKEND_CONTEXT(";threads=20") {
    hed_snapshot *s = capture();
#  pragma omp taskloop grainsize(4)
    for (int k = 0; k < TASKS; k++)
      HED_ADOPT(s, k) seen[k] = here();
    hed_snapshot_release(s);
  }
  for (int k = 0; k < TASKS; k++)
    wrong += seen[k] != 20;
  is_int(wrong, 0, "a taskloop's iterations run where they were made, context-wise");
}

static void test_draws(void)
{
  float serial[4][8] = { { 0 } }, parallel[4][8] = { { 0 } };
  HED_BACKEND_CONTEXT(";seed=3") {
    hed_snapshot *s = capture();
    for (int team = 1; team <= TEAM; team += TEAM - 1) {
#  pragma omp parallel for num_threads(team) schedule(dynamic, 1)
      for (int k = 0; k < 4; k++)
        HED_ADOPT(s, k) {
          hed_array *x = hed_random_uniform(HED_SHAPE(8), HED_FLOAT32, NULL);
          (void)hed_to_host(x, team == 1 ? serial[k] : parallel[k], sizeof serial[k]);
          hed_release(x);
        }
    }
    hed_snapshot_release(s);
  }
  ok(serial[0][0] != 0 || serial[0][1] != 0, "iterations draw");
  is_mem(parallel, serial, sizeof serial, "the same numbers for any team");
  ok(memcmp(serial[0], serial[1], sizeof serial[0]) != 0, "different ones in each iteration");
}

int main(void)
{
  set_root();
  int threads = omp_get_max_threads();
  test_regions();
  test_nested_regions();
  test_tasks();
  test_draws();
  is_int(omp_get_max_threads(), threads, "the program's OpenMP setting is untouched");
  return done();
}
#endif
