// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of contexts and scopes: a push that fails is not missed, break and continue leave the block, names do not shadow
 * each other; contexts that the program carries itself, with streams of random numbers of its own.
 */
#include "api.h"
#include <heddle/ops/random.h>
#include <pthread.h>

static int depth(void) { return (int)hed_context_depth(); }

/* ---- blocks ---- */

static int leave_by_return(const char *spec)
{
  HED_BACKEND_CONTEXT_OR(spec, return -1)
    return depth();
  return -2;
}

static int leave_by_goto(const char *spec)
{
  int at = 0;
  HED_BACKEND_CONTEXT_OR(spec, goto failed) {
    at = depth();
    goto out;
  }
  return -2;
failed:
  return -1;
out:
  return at + 10 * depth();
}

static void contexts(void)
{
  is_int(leave_by_return("reference"), 1, "a block left by return");
  is_int(depth(), 0, "is left");
  is_int(leave_by_return("no such backend"), -1, "a failed push runs the statement");
  is_int(leave_by_goto("reference"), 1, "left by goto");
  is_int(leave_by_goto("no such backend"), -1, "which may be the statement too");
  is_int(hed_error(), HED_E_NOTFOUND, "the error says why");

  int rounds = 0, inside = 0;
  for (int k = 0; k < 3; k++) {
    HED_BACKEND_CONTEXT(";threads=1") {
      inside += depth();
      if (k == 1)
        break;
      if (k == 2)
        continue;
      inside += 10;
    }
    rounds++;
  }
  is_int(rounds, 3, "break and continue leave the block, not the loop around it");
  is_int(inside, 13, "at once");
  is_int(depth(), 0, "and the frame is popped");

  bool skipped = true;
  HED_BACKEND_CONTEXT("no such backend")
    skipped = false;
  ok(skipped, "the short form skips the block");
  int branch = 0;
  if (skipped)
    HED_BACKEND_CONTEXT("reference") branch = 1;
  else
    branch = 2;
  is_int(branch, 1, "an if around it keeps its else");
  if (skipped)
    HED_BACKEND_CONTEXT_OR("no such backend", branch = 3) branch = 4;
  is_int(branch, 3, "and needs no braces");
  if (skipped)
    HED_SCOPE_OR(branch = 5) branch = 6;
  is_int(branch, 6, "nor around a scope");
  int nested = 0;
  HED_BACKEND_CONTEXT("reference") HED_BACKEND_CONTEXT(";threads=1") HED_CONTEXT_OR(NULL, nested = depth()) nested = -1;
  is_int(nested, 2, "blocks in each other on one line");
  hed_context *c = hed_context_current();
  HED_CONTEXT_OR(c, fail("pushed")) is_int(depth(), 1, "a context");
  HED_DEVICE_OR(99, nested = 7) nested = 8;
  is_int(nested, 7, "a device that there is not");
  hed_snapshot *s = NULL;
  is_int(hed_capture(&s), HED_OK, "a snapshot");
  HED_ADOPT_OR(s, 3, nested = 9) nested = depth();
  is_int(nested, 1, "is adopted");
  HED_ADOPT_OR(NULL, 3, nested = 9) nested = depth();
  is_int(nested, 9, "or not");
  hed_snapshot_release(s);
  hed_context_release(c);
  hed_error_clear();
}

/* ---- scopes ---- */

static int64_t live(void)
{
  hed_stats s = { .struct_size = sizeof s };
  return hed_stats_get(&s) == HED_OK ? (int64_t)s.arrays_live : -1;
}

static int deep(int levels)
{
  int reached = -1;
  HED_SCOPE_OR(return -1000) {
    hed_array *x = hed_ones(HED_SHAPE(3), HED_FLOAT32);
    reached = x ? levels : -2000;
    if (levels > 1)
      reached = deep(levels - 1);
  }
  return reached;
}

static void scopes(void)
{
  const int64_t before = live();
  int rounds = 0;
  for (int k = 0; k < 3; k++) {
    HED_SCOPE {
      hed_array *x = hed_ones(HED_SHAPE(3), HED_FLOAT32);
      if (!x || k == 1)
        break;
      if (k == 2)
        continue;
      (void)!hed_add(x, x);
    }
    rounds++;
  }
  is_int(rounds, 3, "break and continue leave the scope, not the loop");
  is_int(live(), before, "with everything in it");
  is_int(deep(40), 1, "many scopes in each other");
  is_int(live(), before, "are all left");
  hed_array *kept = NULL;
  HED_SCOPE HED_SCOPE kept = hed_keep(hed_ones(HED_SHAPE(2), HED_FLOAT32));
  is_int(live(), before + 1, "what is kept stays");
  hed_release(kept);
  hed_scope outer, inner;
  is_int(hed_scope_begin(&outer), HED_OK, "by the functions too");
  is_int(hed_scope_begin(&inner), HED_OK, "in each other");
  hed_array *x = hed_ones(HED_SHAPE(2), HED_FLOAT32);
  ok(x != NULL, "with an array");
  hed_scope_end(&outer);
  is_int(live(), before, "the end of the outer one ends the inner one");
  const hed_scope stale = inner;
  is_int(hed_scope_begin(&outer), HED_OK, "another one");
  x = hed_ones(HED_SHAPE(2), HED_FLOAT32);
  hed_scope again = stale;
  hed_scope_end(&again);
  is_int(live(), before + 1, "is not ended by an old one in the same place");
  hed_scope_end(&outer);
  is_int(live(), before, "but by itself");
}

/* ---- contexts that the program carries ---- */

static void draw(uint32_t *out)
{
  hed_array *x = hed_random_bits(HED_SHAPE(4), HED_UINT32, NULL);
  if (!x || hed_to_host(x, out, 4 * sizeof *out) != HED_OK)
    bail("%s", hed_error_text());
  hed_release(x);
}

static hed_generator shared = { 99, 0 };
static const hed_context *shared_context;
static void *draws(void *arg)
{
  uint32_t v[4];
  hed_frame f;
  for (int k = 0; k < 100; k++)
    if (hed_context_push_stream(shared_context, &shared, &f) == HED_OK) {
      draw(v);
      hed_context_pop(f);
    }
  return arg;
}

static void streams(void)
{
  uint32_t want[6][4], got[4], outside[4], again[4];
  HED_BACKEND_CONTEXT("reference;seed=42")
    for (int k = 0; k < 6; k++)
      draw(want[k]);
  hed_context *c = NULL;
  hed_generator g = { 42, 0 };
  hed_frame f;
  is_int(hed_context_derive(NULL, "reference;seed=42", &c), HED_OK, "a context with a seed");
  for (int k = 0; k < 6; k++) {
    is_int(hed_context_push_stream(c, &g, &f), HED_OK, "pushed anew");
    draw(got);
    is_mem(got, want[k], sizeof got, "its stream goes on");
    is_int(hed_context_pop(f), HED_OK, "popped");
  }
  is_uint(g.draw, 6, "draws are counted by the caller");
  hed_generator thread;
  hed_get_seed(&thread);
  draw(outside);
  hed_generator after;
  hed_get_seed(&after);
  is_uint(after.draw, thread.draw + 1, "the thread's own stream is apart");
  is_int(hed_context_push_stream(c, &g, &f), HED_OK, "pushed");
  ok(!hed_random_uniform(HED_SHAPE(-1), HED_FLOAT32, NULL), "a draw that fails");
  hed_context_pop(f);
  is_uint(g.draw, 6, "takes none");
  is_int(hed_context_push_stream(NULL, &g, NULL), HED_E_INVAL, "no context");
  shared_context = c;
  pthread_t t[4];
  for (int k = 0; k < 4; k++)
    pthread_create(&t[k], NULL, draws, NULL);
  for (int k = 0; k < 4; k++)
    pthread_join(t[k], NULL);
  is_uint(shared.draw, 400, "threads may share one");

  /* set: as a switch of fibres does it */
  hed_context *one = NULL, *two = NULL;
  hed_generator ones = { 42, 0 }, twos = { 7, 0 };
  is_int(hed_context_derive(NULL, "reference;threads=1", &one), HED_OK, "two contexts");
  is_int(hed_context_derive(NULL, "reference;threads=2", &two), HED_OK, "of two fibres");
  hed_context_info info = { .struct_size = sizeof info };
  const uint64_t leaked = hed_leaked_frames();
  for (int k = 0; k < 6; k++) {
    is_int(hed_context_set(two, &twos), HED_OK, "set the second");
    hed_context_query(NULL, &info);
    is_int(info.threads, 2, "it is in force");
    draw(again);
    is_int(hed_context_set(one, &ones), HED_OK, "set the first");
    hed_context_query(NULL, &info);
    is_int(info.threads, 1, "and the first again");
    draw(got);
    is_mem(got, want[k], sizeof got, "with its stream");
  }
  is_uint(twos.draw, 6, "and the other's");
  is_int(depth(), 0, "no frame is pushed");
  HED_BACKEND_CONTEXT("reference;threads=3") {
    is_int(hed_context_set(two, NULL), HED_OK, "in a frame");
    hed_context_query(NULL, &info);
    is_int(info.threads, 2, "the frame's is replaced");
  }
  hed_context_query(NULL, &info);
  is_int(info.threads, 1, "and the pop restores what was below");
  is_int(hed_context_set(NULL, NULL), HED_OK, "NULL follows the root");
  is_int(hed_set_default_backend("reference;threads=5"), HED_OK, "which changes");
  hed_context_query(NULL, &info);
  is_int(info.threads, 5, "and is seen");
  hed_get_seed(&after);
  is_uint(after.draw, thread.draw + 1, "the thread's stream is its own again");
  is_uint(hed_leaked_frames(), leaked, "nothing leaks");
  hed_context_release(one);
  hed_context_release(two);
  hed_context_release(c);
}

int main(void)
{
  if (hed_set_default_backend("reference") != HED_OK)
    bail("%s", hed_error_text());
  contexts();
  scopes();
  streams();
  done_testing();
  return done();
}
