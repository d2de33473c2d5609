// SPDX-License-Identifier: BSD-3-Clause
/* Time slices: a thread whose operations find all processors taken asks the kernel for longer ones, and for the former one
 * again when there is room; policy and nice value stay, what the program has chosen stays, and the setting switches it off.
 * Each case has a process of its own, for the setting is read once. Where the kernel does not tell a slice, that nothing
 * is asked for and all goes on. L5.
 */
#define _GNU_SOURCE
#include "scenario.h"
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { MS = 1000000, CALM = 250 }; /* nanoseconds; milliseconds, more than the library waits */

/* The kernel's struct sched_attr. */
typedef struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
} attributes;

static attributes own(void)
{
  attributes a = { 0 };
  if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) != 0)
    a.runtime = 0;
  return a;
}

static void choose(uint64_t slice)
{
  attributes a = own();
  a.size = sizeof a;
  a.runtime = slice;
  if (syscall(SYS_sched_setattr, 0, &a, 0) != 0)
    bail("sched_setattr: %s", strerror(errno));
}

/* One request where N permits are out already. */
static void request_beside(int n)
{
  int held = 0;
  while (held < n) {
    hed_permits_acquire(1);
    held++;
  }
  hed_permits_release(hed_permits_acquire(1));
  while (held-- > 0)
    hed_permits_release(1);
}

/* Heddle keeps no state for a thread that has not used it. */
static void begin(void)
{
  hed_release(hed_ones(HED_SHAPE(1), HED_FLOAT32));
}

/* The slice after a request that finds room, after one that finds none, at once after another with room, and later. */
typedef struct course { uint64_t first, crowded, still, calm; } course;

static course follow(void)
{
  course c;
  const int all = hed_thread_capacity();
  request_beside(0);
  c.first = own().runtime;
  const double start = seconds();
  request_beside(all);
  c.crowded = own().runtime;
  request_beside(0);
  c.still = seconds() < start + 0.05 ? own().runtime : c.crowded; /* unless this thread had to wait */
  sleep_ms(CALM);
  request_beside(0);
  c.calm = own().runtime;
  return c;
}

static bool is_course(course c, uint64_t before, uint64_t asked)
{
  return c.first == before && c.crowded == asked && c.still == asked && c.calm == before;
}

/* ---- cases: in a process of their own, true when all is well ---- */

static bool case_default(void)
{
  const uint64_t before = own().runtime;
  bool well = true;
  begin();
  for (int k = 0; k < 2; k++)
    well &= is_course(follow(), before, 20 * MS);
  return well;
}

static bool case_configured(void)
{
  const uint64_t before = own().runtime;
  begin();
  return is_course(follow(), before, 7 * MS);
}

static bool case_off(void)
{
  const uint64_t before = own().runtime;
  begin();
  return is_course(follow(), before, before);
}

/* What counts is the last crowd, not the first. */
static bool case_crowded_again(void)
{
  const int all = hed_thread_capacity();
  int held = 0;
  begin();
  while (held < all)
    held += hed_permits_acquire(1);
  hed_permits_release(hed_permits_acquire(1));
  sleep_ms(CALM);
  const double start = seconds();
  hed_permits_release(hed_permits_acquire(1));
  hed_permits_release(held);
  request_beside(0);
  const bool still = own().runtime == 20 * MS;
  return still || seconds() > start + 0.05; /* this thread had to wait */
}

static void *come_and_go(void *arg)
{
  hed_permits_release(hed_permits_acquire(1));
  return arg;
}

/* Requests for more than one: threads of the operation beside are no crowd, nor is one that has just left; another operation
 * is. */
static bool case_team(void)
{
  const uint64_t before = own().runtime;
  const int all = hed_thread_capacity();
  pthread_t t;
  begin();
  int got = hed_permits_acquire(all);
  if (pthread_create(&t, NULL, come_and_go, NULL) != 0 || pthread_join(t, NULL) != 0)
    return false;
  int more = hed_permits_acquire(2);
  bool well = own().runtime == before;
  hed_permits_release(hed_permits_acquire(2));
  well &= own().runtime == 20 * MS;
  hed_permits_release(more);
  hed_permits_release(got);
  return well;
}

static bool case_longer(void)
{
  choose(50 * MS);
  begin();
  return is_course(follow(), 50 * MS, 50 * MS);
}

static bool case_chosen_before(void)
{
  choose(1 * MS);
  begin();
  return is_course(follow(), 1 * MS, 20 * MS);
}

static bool case_chosen_meanwhile(void)
{
  begin();
  request_beside(hed_thread_capacity());
  choose(9 * MS);
  sleep_ms(CALM);
  request_beside(0);
  return own().runtime == 9 * MS;
}

static bool case_attributes(void)
{
  struct sched_param none = { 0 };
  if (setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 3) != 0 || sched_setscheduler(0, SCHED_BATCH, &none) != 0)
    return false;
  begin();
  request_beside(hed_thread_capacity());
  attributes a = own();
  bool well = a.policy == SCHED_BATCH && a.nice == 3 && a.runtime == 20 * MS;
  sleep_ms(CALM);
  request_beside(0);
  a = own();
  return well && a.policy == SCHED_BATCH && a.nice == 3 && a.runtime < 20 * MS;
}

static bool case_idle_policy(void)
{
  struct sched_param none = { 0 };
  if (sched_setscheduler(0, SCHED_IDLE, &none) != 0)
    return false;
  begin();
  const uint64_t before = own().runtime;
  request_beside(hed_thread_capacity());
  return own().policy == SCHED_IDLE && own().runtime == before;
}

static bool case_stranger(void)
{
  const uint64_t before = own().runtime;
  request_beside(hed_thread_capacity()); /* has not used Heddle but for permits */
  return own().runtime == before;
}

static bool case_detached(void)
{
  const uint64_t before = own().runtime;
  begin();
  request_beside(hed_thread_capacity());
  bool well = own().runtime == 20 * MS;
  hed_thread_detach();
  return well && own().runtime == before;
}

static bool case_forked(void)
{
  const uint64_t before = own().runtime;
  int status = 0;
  begin();
  request_beside(hed_thread_capacity());
  pid_t pid = fork();
  if (pid == 0)
    _exit(own().runtime != before);
  return waitpid(pid, &status, 0) == pid && status == 0 && own().runtime == 20 * MS;
}

static uint64_t kernels_own;

/* A child has its creator's slice, and is rid of it. */
static void *child(void *arg)
{
  bool *well = arg;
  *well = own().runtime == 20 * MS;
  begin();
  request_beside(hed_thread_capacity());
  *well &= own().runtime == 20 * MS;
  sleep_ms(CALM);
  request_beside(0);
  *well &= own().runtime == kernels_own;
  return NULL;
}

static bool case_child(void)
{
  pthread_t t;
  bool well = false;
  kernels_own = own().runtime;
  begin();
  request_beside(hed_thread_capacity());
  if (hed_thread_create(&t, NULL, child, &well) != 0 || pthread_join(t, NULL) != 0)
    return false;
  return well;
}

/* Threads that crowd and calm down all the time, with operations under way: values are right, and in the end every thread
 * has the slice it began with. */
static atomic_int wrong;

static void *storm(void *arg)
{
  const uint64_t before = own().runtime;
  (void)arg;
  for (int round = 0, n = scaled(40); round < n; round++) {
    HED_SCOPE {
      double v = 0;
      hed_array *x = hed_ones(HED_SHAPE(1 << 18), HED_FLOAT32);
      atomic_fetch_add(&wrong, hed_item(hed_sum(hed_add(x, x), NULL), &v) != HED_OK || v != 2 << 18);
    }
    request_beside(round % 4);
  }
  hed_thread_detach();
  atomic_fetch_add(&wrong, own().runtime != before);
  return NULL;
}

static bool case_storm(void)
{
  enum { THREADS = 6 };
  pthread_t t[THREADS];
  for (int k = 0; k < THREADS; k++)
    if (pthread_create(&t[k], NULL, storm, NULL) != 0)
      return false;
  for (int k = 0; k < THREADS; k++)
    pthread_join(t[k], NULL);
  return atomic_load(&wrong) == 0;
}

/* ---- */

static bool in_process(bool (*fn)(void), const char *setting)
{
  int status = 0;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(300);
    if (setting)
      setenv("HEDDLE_SLICE", setting, 1);
    _exit(fn() ? 0 : 1);
  }
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
  ok(in_process(case_storm, NULL), "six threads that crowd and calm down: values right, slices as before");
  ok(in_process(case_off, "0"), "HEDDLE_SLICE=0: nothing is asked for");
  if (!own().runtime) {
    skip(13, "this kernel does not tell the time slice of a thread");
    return done();
  }
  ok(in_process(case_default, NULL), "20 ms in a crowd, the former one when it is over, and again");
  ok(in_process(case_configured, "7"), "HEDDLE_SLICE=7: 7 ms");
  ok(in_process(case_team, NULL), "threads of one operation are no crowd, another operation is");
  ok(in_process(case_crowded_again, NULL), "a second crowd counts like the first");
  ok(in_process(case_longer, NULL), "a longer slice stays");
  ok(in_process(case_chosen_before, NULL), "a shorter one of the program's comes back");
  ok(in_process(case_chosen_meanwhile, NULL), "one that the program chooses meanwhile stays");
  ok(in_process(case_attributes, NULL), "policy and nice value stay");
  ok(in_process(case_idle_policy, NULL), "threads of other policies are left alone");
  ok(in_process(case_stranger, NULL), "so are threads that take permits and nothing else");
  ok(in_process(case_detached, NULL), "a thread that detaches has its slice back");
  ok(in_process(case_forked, NULL), "the child of a fork has the former one");
  ok(in_process(case_child, NULL), "a child that inherits the slice is rid of it when the crowd is over");
  return done();
}
