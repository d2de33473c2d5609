// SPDX-License-Identifier: BSD-3-Clause
/* Scopes, log, statistics, trace, snapshots as values. L5. */
#include "arrays.h"
#include "scenario.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

static hed_stats stats(void)
{
  hed_stats s = { .struct_size = sizeof s };
  if (hed_stats_get(&s) != HED_OK)
    bail("stats: %s", hed_error_text());
  return s;
}

/* ---- one release too many: a build with checks ends, another one gives no block to two arrays ---- */

static void test_release_twice(void)
{
  int end = 0;
  const pid_t child = fork();
  if (child == 0) {
    hed_array *x = hed_ones(HED_SHAPE(4), HED_FLOAT32);
    RELEASE(x, x);
    hed_array *a = hed_ones(HED_SHAPE(4), HED_FLOAT32), *b = hed_ones(HED_SHAPE(4), HED_FLOAT32);
    _exit(a == b);
  }
  const bool ended = child > 0 && waitpid(child, &end, 0) == child;
  const bool trapped = WIFSIGNALED(end) && (WTERMSIG(end) == SIGILL || WTERMSIG(end) == SIGTRAP);
  ok(ended && (trapped || (WIFEXITED(end) && WEXITSTATUS(end) != 1)), "an array that was released twice (%x)", (unsigned)end);
}

/* ---- scopes ---- */

static hed_array *leave_scope(int how, hed_array **lost)
{
  for (int k = 0; k < 2; k++) {
    HED_SCOPE {
      hed_array *a = hed_ones(HED_SHAPE(8), HED_FLOAT32), *b = hed_add(a, a);
      *lost = a;
      if (how == 0)
        return hed_keep(b);
      if (how == 1)
        break;
      if (how == 2)
        continue;
      if (how == 3)
        goto out;
    }
  }
out:
  return NULL;
}

static void *end_foreign_scope(void *arg)
{
  hed_scope_end(arg);
  return NULL;
}

static void test_scopes(void)
{
  uint64_t before = stats().arrays_live, bytes = stats().bytes_live;
  int64_t live = hed_test_alloc_live();
  for (int how = 0; how < 5; how++) {
    hed_array *lost = NULL, *kept = leave_scope(how, &lost);
    is_uint(stats().arrays_live - before, how == 0, "a scope left in way %d holds nothing but what was kept", how);
    hed_release(kept);
  }
  is_uint(stats().bytes_live, bytes, "nor bytes");
  HED_SCOPE {
    hed_array *outer = hed_ones(HED_SHAPE(2), HED_FLOAT32), *kept = NULL;
    HED_SCOPE {
      hed_array *early = hed_ones(HED_SHAPE(2), HED_FLOAT32);
      kept = hed_keep(hed_add(outer, early));
      hed_release(early);
      for (int k = 0; k < 200; k++)
        (void)!hed_add(outer, outer);
      is_uint(stats().arrays_live - before, 202, "200 temporaries, one outside, one kept; one was released early");
    }
    is_uint(stats().arrays_live - before, 2, "the inner scope took its temporaries");
    is_int(hed_array_refs(kept), 1, "what was kept has one reference");
    hed_release(kept);
    is_ptr(hed_keep(NULL), NULL, "keeping nothing");
  }
  hed_scope a, b;
  is_int(hed_scope_begin(&a), HED_OK, "a scope by hand");
  is_int(hed_scope_begin(&b), HED_OK, "one inside it");
  (void)!hed_ones(HED_SHAPE(2), HED_FLOAT32);
  in_thread(end_foreign_scope, &(hed_scope){ b.cookie, b.state });
  is_uint(stats().arrays_live - before, 1, "another thread cannot end it");
  hed_scope again = a;
  hed_scope_end(&a);
  is_uint(stats().arrays_live - before, 0, "the end of the outer one ends the inner one");
  hed_scope_end(&b);
  hed_scope_end(&a);
  hed_scope_end(&again);
  hed_scope_end(NULL);
  is_int(hed_scope_begin(NULL), HED_E_INVAL, "nowhere to put a scope");
  is_int(hed_test_alloc_live(), live, "nothing stays");
}

/* ---- log ---- */

static struct { int n, level; char subsystem[32], text[512]; } logged;

static void on_log(void *arg, hed_log_level level, const char *subsystem, const char *message)
{
  *(int *)arg += 1;
  logged.n++;
  logged.level = level;
  snprintf(logged.subsystem, sizeof logged.subsystem, "%s", subsystem);
  snprintf(logged.text, sizeof logged.text, "%s", message);
}

static void test_log(void)
{
  int mine = 0;
  is_int(hed_log_level_by_name("warn"), HED_LOG_WARN, "a level by name");
  is_int(hed_log_level_by_name("DEBUG"), HED_LOG_DEBUG, "in any case");
  is_int(hed_log_level_by_name("loud"), HED_LOG_OFF, "an unknown one");
  is_int(hed_log_level_by_name(NULL), HED_LOG_OFF, "none");
  (void)hed_backend_load("/dev/null");
  is_int(logged.n, 0, "nothing is logged without a callback");
  hed_log_set(HED_LOG_INFO, on_log, &mine);
  ok(hed_backend_load("/dev/null") < 0, "a file that is no module");
  ok(mine > 0, "is logged");
  is_str(logged.subsystem, "registry", "by the registry");
  ok(logged.level >= HED_LOG_ERROR && logged.level <= HED_LOG_INFO, "at the level asked for or above");
  ok(logged.text[0] != '\0', "%s", logged.text);
  int n = mine;
  hed_log_set(HED_LOG_ERROR, on_log, &mine);
  (void)hed_backend_load("/dev/null");
  is_int(mine, n, "lower levels are dropped");
  hed_log_set(HED_LOG_DEBUG, NULL, NULL);
  (void)hed_backend_load("/dev/null");
  is_int(mine, n, "without a callback nothing is");
}

/* ---- trace and counts ---- */

static struct { int n, status; int32_t op; bool native; int64_t elements; char backend[64]; bool ordered; } traced;

static void on_trace(void *arg, const hed_trace_event *e)
{
  *(int *)arg += 1;
  traced.n++;
  traced.op = e->op;
  traced.status = e->status;
  traced.native = e->native;
  traced.elements = e->elements;
  traced.ordered = e->start_ns > 0 && e->stop_ns >= e->start_ns && e->struct_size == sizeof *e;
  snprintf(traced.backend, sizeof traced.backend, "%s", e->backend);
}

static void *untraced(void *arg)
{
  hed_array *x = hed_ones(HED_SHAPE(3), HED_FLOAT32);
  hed_release(x);
  return arg;
}

static void test_trace(void)
{
  int mine = 0;
  hed_array *x = hed_ones(HED_SHAPE(3, 4), HED_FLOAT32);
  is_int(hed_trace(on_trace, &mine), HED_OK, "trace this thread");
  uint64_t calls = stats().calls;
  hed_array *y = hed_multiply(x, x);
  is_int(mine, 1, "an operation is one event");
  is_uint(stats().calls - calls, 1, "and one call");
  is_int(traced.op, HED_OP_MULTIPLY, "with its number");
  is_str(traced.backend, "reference", "who did it");
  ok(traced.native, "by a kernel of its own");
  is_int(traced.status, HED_OK, "that it succeeded");
  is_int(traced.elements, 12, "the elements of its result");
  ok(traced.ordered, "and when");
  in_thread(untraced, NULL);
  is_int(mine, 1, "other threads are not traced");
  is_int(hed_trace(NULL, NULL), HED_OK, "no more");
  hed_array *z = hed_multiply(x, x);
  is_int(mine, 1, "no event");
  RELEASE(x, y, z);

  uint64_t live = stats().bytes_live;
  x = hed_empty(HED_SHAPE(1 << 20), HED_UINT8);
  is_uint(stats().bytes_live - live, 1 << 20, "bytes of an array are counted");
  y = hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(0, 10, 1) });
  is_uint(stats().bytes_live - live, 1 << 20, "a view adds none");
  ok(stats().bytes_peak >= live + (1 << 20), "the peak knows them");
  hed_release(x);
  is_uint(stats().bytes_live - live, 1 << 20, "a view keeps them");
  hed_release(y);
  is_uint(stats().bytes_live, live, "and they go");
  hed_stats small = { .struct_size = offsetof(hed_stats, copies), .copies = 12345 };
  is_int(hed_stats_get(&small), HED_OK, "an older program's smaller struct");
  is_uint(small.copies, 12345, "is not written beyond its end");
  is_int(hed_stats_get(NULL), HED_E_INVAL, "nowhere to put them");
  is_int(hed_stats_get(&(hed_stats){ .struct_size = 0 }), HED_E_INVAL, "no size");
}

/* ---- adopting ---- */

static void test_adopt(void)
{
  hed_snapshot *s = NULL;
  hed_frame f;
  is_int(hed_capture(NULL), HED_E_INVAL, "nowhere to put a snapshot");
  is_int(hed_adopt(NULL, 0, &f), HED_E_INVAL, "no snapshot");
  HED_BACKEND_CONTEXT(";threads=9") is_int(hed_capture(&s), HED_OK, "captured");
  is_int(hed_adopt(s, 3, &f), HED_OK, "adopted");
  is_int(here(), 9, "its context is in force");
  is_int(hed_context_depth(), 1, "as a frame");
  is_int(hed_backend_context_pop(), HED_E_UNDERFLOW, "which the task cannot pop without its token");
  has_str(hed_error_text(), "inherited", "because it inherited it");
  is_int(hed_context_unwind(f), HED_OK, "unwound");
  is_int(hed_context_depth(), 0, "gone");
  int bodies = 0;
  HED_ADOPT(s, 4) bodies += here() == 9;
  HED_ADOPT(NULL, 4) bodies += 10;
  is_int(bodies, 1, "the block form runs with a snapshot only");
  hed_snapshot_release(s);
  int root = here();
  is_int(hed_capture(&s), HED_OK, "captured while following the root");
  HED_BACKEND_CONTEXT(";threads=8") {
    HED_ADOPT(s, 0) is_int(here(), root, "adopting that follows the root");
    is_int(here(), 8, "until the end of the block");
  }
  hed_snapshot_release(s);
}

int main(void)
{
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_release_twice();
  test_scopes();
  test_log();
  test_trace();
  test_adopt();
  return done();
}
