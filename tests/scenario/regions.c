// SPDX-License-Identifier: BSD-3-Clause
/* OpenMP with libheddle-inherit: members of a team and tasks have the context of who opened the region or made the task,
 * whatever threads the runtime takes, and random numbers that depend on their number and not on the thread. The same
 * program is built with GCC's and with LLVM's runtime (scenario/regions.t, scenario/llvm.t). L5.
 */
#include "hosts.h"

#ifndef _OPENMP
int main(void)
{
  skip_all("built without OpenMP");
}
#else
#  include <omp.h>

enum { TEAM = 4, MANY = 200 };
static int wrong; /* looks that saw another context than they should */

static void look(int tag)
{
  if (here() != tag) {
#  pragma omp atomic
    wrong++;
  }
}

static uint32_t drawn(void)
{
  uint32_t v[1] = { 0 };
  hed_array *x = hed_random_bits(HED_SHAPE(1), HED_UINT32, NULL);
  if (!x || hed_to_host(x, v, sizeof v) != HED_OK)
    bail("%s", hed_error_text());
  hed_release(x);
  return v[0];
}

static void forms(int tag)
{
  int sum = 0;
#  pragma omp parallel num_threads(TEAM)
  look(tag);
#  pragma omp parallel for num_threads(TEAM)
  for (int k = 0; k < 40; k++)
    look(tag);
#  pragma omp parallel for num_threads(TEAM) schedule(static, 3)
  for (int k = 0; k < 40; k++)
    look(tag);
#  pragma omp parallel for num_threads(TEAM) schedule(dynamic)
  for (int k = 0; k < 40; k++)
    look(tag);
#  pragma omp parallel for num_threads(TEAM) schedule(monotonic : dynamic, 2)
  for (int k = 0; k < 40; k++)
    look(tag);
#  pragma omp parallel for num_threads(TEAM) schedule(guided)
  for (int k = 0; k < 40; k++)
    look(tag);
#  pragma omp parallel for num_threads(TEAM) schedule(runtime)
  for (int k = 0; k < 40; k++)
    look(tag);
#  pragma omp parallel sections num_threads(TEAM)
  {
#  pragma omp section
    look(tag);
#  pragma omp section
    look(tag);
#  pragma omp section
    look(tag);
  }
#  pragma omp parallel num_threads(TEAM) if (tag < 0)
  look(tag);
#  pragma omp parallel for num_threads(TEAM) reduction(+ : sum)
  for (int k = 0; k < 40; k++) {
    look(tag);
    sum += k;
  }
  is_int(sum, 780, "a reduction under tag %d", tag);
  int in_tasks = 0;
#  pragma omp parallel num_threads(TEAM) reduction(task, + : in_tasks)
  {
#  pragma omp task in_reduction(+ : in_tasks)
    {
      look(tag);
      in_tasks += 1;
    }
  }
  is_int(in_tasks, TEAM, "a reduction of tasks");
}

static void test_regions(void)
{
  wrong = 0;
  for (int round = 0; round < 20; round++) {
    const int tag = 11 + round % 3;
    char spec[32];
    snprintf(spec, sizeof spec, ";threads=%d", tag);
    HED_BACKEND_CONTEXT_OR(spec, bail("push"))
      forms(tag);
  }
  is_int(wrong, 0, "every member of every form of region has its opener's context");
  forms(1);
  is_int(wrong, 0, "and follows the root where the opener does");
}

static void test_nested(void)
{
  wrong = 0;
  omp_set_max_active_levels(3);
  HED_BACKEND_CONTEXT_OR(";threads=20", bail("push"))
#  pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
    char spec[32];
    look(20);
    snprintf(spec, sizeof spec, ";threads=%d", 21 + outer);
    HED_BACKEND_CONTEXT_OR(spec, bail("push"))
#  pragma omp parallel num_threads(2)
    {
      look(21 + outer);
      HED_BACKEND_CONTEXT_OR(";threads=30", bail("push"))
#  pragma omp parallel num_threads(2)
      look(30);
      look(21 + outer);
    }
    look(20);
  }
  is_int(wrong, 0, "regions in regions, each opener with a context of its own");
}

static void test_open_frames(void)
{
  wrong = 0;
  int underflow = 0;
  HED_BACKEND_CONTEXT_OR(";threads=17", bail("push")) {
    const uint32_t depth = hed_context_depth();
#  pragma omp parallel num_threads(TEAM)
    {
      if (hed_backend_context_pop() == HED_E_UNDERFLOW) {
#  pragma omp atomic
        underflow++;
      }
      hed_backend_context_push(";threads=18", NULL); /* left open */
      look(18);
    }
#  pragma omp parallel num_threads(TEAM)
    look(17);
    is_uint(hed_context_depth(), depth, "the opener's stack is as it was");
  }
  is_int(underflow, TEAM, "what a member entered with cannot be popped");
  is_int(wrong, 0, "what it leaves open is unwound");
}

/* ---- tasks ---- */

typedef struct large { double value[30]; } large;

static int elsewhere, ran;

static void one_task(int tag, int maker, large block, int wanted)
{
  look(tag);
#  pragma omp atomic
  ran++;
  if (omp_get_thread_num() != maker) {
#  pragma omp atomic
    elsewhere++;
  }
  if (block.value[29] != wanted || block.value[0] != wanted + 1) {
#  pragma omp atomic
    wrong++;
  }
}

static void test_tasks(void)
{
  wrong = elsewhere = ran = 0;
#  pragma omp parallel num_threads(TEAM)
#  pragma omp single
  {
    const int maker = omp_get_thread_num();
    for (int k = 0; k < MANY; k++) {
      char spec[32];
      large block;
      block.value[29] = k;
      block.value[0] = k + 1;
      const int tag = 11 + k % 2;
      snprintf(spec, sizeof spec, ";threads=%d", tag);
      HED_BACKEND_CONTEXT_OR(spec, bail("push")) {
#  pragma omp task firstprivate(block, tag, k)
        {
          one_task(tag, maker, block, k);
#  pragma omp task firstprivate(tag)
          look(tag); /* a child of a task */
          for (volatile int spin = 0; spin < 2000; spin++)
            ;
        }
      }
    }
    HED_BACKEND_CONTEXT_OR(";threads=19", bail("push")) {
#  pragma omp taskwait
      look(19);
    }
  }
  diag("%d of %d tasks ran on another member", elsewhere, MANY);
  is_int(ran, MANY, "all tasks ran");
  is_int(wrong, 0, "each in its maker's context, with its block");
}

static void test_kinds_of_tasks(void)
{
  wrong = ran = 0;
  int order[3] = { 0, 0, 0 }, at = 0, sum = 0;
  HED_BACKEND_CONTEXT_OR(";threads=14", bail("push"))
#  pragma omp parallel num_threads(TEAM)
#  pragma omp master /* of another member's dependent tasks libgomp loses its table of addresses */
  {
#  pragma omp task depend(out : at)
    {
      look(14);
      order[at++] = 1;
    }
#  pragma omp task depend(inout : at)
    {
      look(14);
      order[at++] = 2;
    }
#  pragma omp task depend(inout : at) if (0)
    {
      look(14);
      order[at++] = 3;
    }
#  pragma omp task untied
    {
      look(14);
#  pragma omp taskyield
      look(14);
    }
#  pragma omp task final(1)
    {
#  pragma omp task
      look(14);
    }
#  pragma omp taskloop grainsize(5)
    for (int k = 0; k < 100; k++) {
      look(14);
#  pragma omp atomic
      ran++;
    }
#  pragma omp taskloop reduction(+ : sum) num_tasks(7)
    for (int k = 0; k < 100; k++) {
      look(14);
      sum += k;
    }
#  pragma omp taskloop num_tasks(3)
    for (unsigned long long k = 0; k < 50; k++) {
      look(14);
#  pragma omp atomic
      ran++;
    }
  }
  is_int(ran, 150, "loops of tasks do every index once");
  is_int(sum, 4950, "with a reduction");
  ok(order[0] == 1 && order[1] == 2 && order[2] == 3, "dependences hold");
  is_int(wrong, 0, "dependent, undeferred, untied, final tasks and loops of them have their maker's context");
}

static void test_cancellation(void)
{
  if (!omp_get_cancellation()) {
    skip(3, "OMP_CANCELLATION is not set");
    return;
  }
  wrong = ran = 0;
  HED_BACKEND_CONTEXT_OR(";threads=13", bail("push"))
#  pragma omp parallel num_threads(TEAM)
#  pragma omp single
#  pragma omp taskgroup
  for (int k = 0; k < 50; k++) {
#  pragma omp task firstprivate(k)
    {
      look(13);
#  pragma omp atomic
      ran++;
#  pragma omp cancel taskgroup if (k == 0)
    }
  }
  ok(ran >= 1 && ran <= 50, "a group of tasks is cancelled (%d ran)", ran);
  ran = 0;
  HED_BACKEND_CONTEXT_OR(";threads=15", bail("push"))
#  pragma omp parallel num_threads(TEAM)
#  pragma omp master
#  pragma omp taskgroup
  for (int k = 0; k < 50; k++) {
#  pragma omp task firstprivate(k) if (k > 0)
    {
      ran++;
#  pragma omp cancel taskgroup
    }
  }
  is_int(ran, 1, "tasks of a group that is cancelled already are not made");
  for (int k = 0; k < 16; k++) { /* nothing but a lost task knows their context now */
    char spec[32];
    snprintf(spec, sizeof spec, ";threads=%d", 40 + k);
    HED_BACKEND_CONTEXT_OR(spec, bail("push"))
      look(40 + k);
  }
  int loops = 0;
  HED_BACKEND_CONTEXT_OR(";threads=13", bail("push"))
#  pragma omp parallel num_threads(TEAM)
  {
#  pragma omp for
    for (int k = 0; k < 1000; k++) {
#  pragma omp atomic
      loops++;
#  pragma omp cancel for if (k == 10)
      look(13);
    }
  }
  is_int(wrong, 0, "under the maker's context (%d turns of a loop that was cancelled)", loops);
}

/* ---- random numbers ---- */

static void test_draws(void)
{
  uint32_t first[TEAM] = { 0 }, again[TEAM] = { 0 }, task[2][8] = { { 0 } };
  for (int round = 0; round < 2; round++)
    HED_BACKEND_CONTEXT_OR(";threads=12;seed=77", bail("push")) {
      uint32_t *v = round ? again : first;
#  pragma omp parallel num_threads(TEAM)
      v[omp_get_thread_num()] = drawn();
#  pragma omp parallel num_threads(TEAM)
#  pragma omp master
      for (int k = 0; k < 8; k++) {
#  pragma omp task firstprivate(k)
        task[round][k] = drawn();
      }
    }
  is_mem(again, first, sizeof first, "a member draws the same numbers in every run");
  is_mem(task[1], task[0], sizeof task[0], "so does a task, whoever runs it");
  bool distinct = true;
  for (int a = 0; a < TEAM; a++)
    for (int b = 0; b < a; b++)
      distinct = distinct && first[a] != first[b];
  ok(distinct, "members draw different numbers");
  diag("first draws: %u %u; of tasks: %u %u", first[0], first[1], task[0][0], task[0][1]);
}

int main(int argc, char **argv)
{
  (void)argc;
  if (!getenv("OMP_CANCELLATION")) { /* read when the runtime is loaded */
    setenv("OMP_CANCELLATION", "true", 1);
    execv("/proc/self/exe", argv);
  }
  set_root();
  if (!inherits())
    skip_all("the interposer is off");
  omp_set_dynamic(0);
#  pragma omp parallel num_threads(TEAM)
  look(1); /* before any context: threads are made here, and the regions below take them again */
  is_int(wrong, 0, "nothing pushed: members follow the root");
  test_regions();
  test_nested();
  test_open_frames();
  test_tasks();
  test_kinds_of_tasks();
  test_cancellation();
  test_draws();
  is_uint(hed_leaked_frames(), 0, "no frame is left");
  done_testing();
  return done();
}
#endif
