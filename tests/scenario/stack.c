// SPDX-License-Identifier: BSD-3-Clause
/* Hard situations of the context stack: wrong pops, foreign and stale tokens, the depth limit, blocks left in every
 * way, threads that end with frames open or call back while they end, the root flipped under running threads. L5.
 */
#include "arrays.h"
#include "stack.h"
#include <setjmp.h>
#include <stdatomic.h>

/* ---- 1: nothing to pop ---- */

static void *pop_inherited(void *arg)
{
  (void)arg;
  is_int(hed_context_depth(), 0, "a child has no frames");
  is_int(here(), 7, "a child has its creator's context");
  is_int(hed_backend_context_pop(), HED_E_UNDERFLOW, "a child cannot pop what it inherited");
  has_str(hed_error_text(), "inherited", "the sentence says that the base is inherited");
  is_int(hed_context_depth(), 0, "depth is unchanged");
  is_int(here(), 7, "the context is unchanged");
  return NULL;
}

static void *pop_fresh(void *arg)
{
  (void)arg;
  int before = here();
  is_int(hed_backend_context_pop(), HED_E_UNDERFLOW, "pop on a fresh thread");
  is_int(hed_error(), HED_E_UNDERFLOW, "the status stands in the thread");
  ok(hed_error_text()[0] != '\0', "with a sentence");
  is_int(hed_context_depth(), 0, "depth stays 0");
  is_int(here(), before, "the context stays");
  return NULL;
}

static void test_underflow(void)
{
  in_thread(pop_fresh, NULL);
  hed_frame f;
  if (push_tag(7, &f) != HED_OK)
    bail("push: %s", hed_error_text());
  in_thread(pop_inherited, NULL);
  is_int(hed_context_pop(f), HED_OK, "the creator's frame is still there");
}

/* ---- 2: order ---- */

static void test_order(void)
{
  hed_frame a, b, c, zero = { 0, 0, 0, 0 };
  is_int(push_tag(1, &a), HED_OK, "push A");
  is_int(push_tag(2, &b), HED_OK, "push B");
  is_int(hed_context_pop(a), HED_E_ORDER, "A is under B");
  has_str(hed_error_text(), "1", "the sentence says how many frames are above");
  is_int(hed_context_depth(), 2, "depth is unchanged");
  is_int(here(), 2, "B is still in force");
  is_int(hed_context_pop(zero), HED_E_INVAL, "a token of zeros");
  is_int(hed_context_depth(), 2, "changes nothing");
  is_int(hed_context_pop(b), HED_OK, "pop B");
  is_int(here(), 1, "A is in force again");
  is_int(hed_context_pop(a), HED_OK, "pop A");
  is_int(hed_context_pop(a), HED_E_STALE, "A was popped");
  is_int(push_tag(3, &c), HED_OK, "push C where A was");
  is_int(hed_context_pop(a), HED_E_STALE, "C's slot does not answer to A's token");
  is_int(hed_context_unwind(a), HED_E_STALE, "nor to unwind with it");
  is_int(hed_context_unwind(zero), HED_E_INVAL, "nor to unwind with zeros");
  is_int(here(), 3, "C is in force");
  is_int(hed_context_depth(), 1, "at depth 1");
  is_int(hed_context_pop(c), HED_OK, "pop C");
  is_int(hed_context_depth(), 0, "nothing is left");
}

/* ---- 3: other threads' tokens ---- */

static void *pop_foreign(void *arg)
{
  const hed_frame *f = arg;
  hed_frame own;
  is_int(hed_context_pop(*f), HED_E_THREAD, "pop of another thread's frame");
  is_int(push_tag(5, &own), HED_OK, "a frame of its own");
  is_int(hed_context_pop(*f), HED_E_THREAD, "still another thread's");
  is_int(hed_context_unwind(*f), HED_E_THREAD, "unwind too");
  is_int(hed_context_depth(), 1, "the own frame is there");
  is_int(hed_context_pop(own), HED_OK, "and can be popped");
  return NULL;
}

typedef struct birth { pthread_t id; hed_frame frame; } birth;

static void *push_and_end(void *arg)
{
  birth *b = arg;
  b->id = pthread_self();
  if (push_tag(4, &b->frame) != HED_OK)
    bail("push: %s", hed_error_text());
  return NULL;
}

static void *pop_if_same_id(void *arg)
{
  birth *b = arg;
  if (!pthread_equal(b->id, pthread_self()))
    return NULL;
  is_int(hed_context_pop(b->frame), HED_E_THREAD, "a thread with a recycled id does not answer to the dead one's token");
  return arg;
}

static void test_foreign(void)
{
  hed_frame f;
  if (push_tag(4, &f) != HED_OK)
    bail("push: %s", hed_error_text());
  in_thread(pop_foreign, &f);
  is_int(hed_context_pop(f), HED_OK, "its owner pops it");

  birth b;
  void *met = NULL;
  in_thread(push_and_end, &b);
  for (int k = 0; k < 64 && !met; k++) {
    pthread_t t;
    if (hed_thread_create(&t, NULL, pop_if_same_id, &b) == 0)
      pthread_join(t, &met);
  }
  if (!met)
    skip(1, "the system did not give a thread id out again in 64 tries");
}

/* ---- 4: depth limit ---- */

static void test_limit(void)
{
  hed_context *c = tagged(9);
  hed_frame f;
  int pushed = 0, bodies = 0;
  uint64_t count = hed_test_alloc_count();
  while (pushed < HED_MAX_FRAMES && hed_context_push(c, NULL) == HED_OK)
    pushed++;
  is_uint(hed_test_alloc_count(), count, "64 pushes allocate nothing");
  is_int(pushed, HED_MAX_FRAMES, "64 frames fit");
  is_int(hed_context_push(c, &f), HED_E_LIMIT, "the 65th does not");
  has_str(hed_error_text(), "64", "the sentence names the limit");
  is_int(hed_backend_context_push(";threads=3", &f), HED_E_LIMIT, "nor by spec");
  HED_CONTEXT(c) bodies++;
  HED_BACKEND_CONTEXT(";threads=3") bodies++;
  is_int(bodies, 0, "blocks at the limit skip their bodies");
  is_int(hed_context_depth(), HED_MAX_FRAMES, "depth is 64");
  for (int k = 0; k < HED_MAX_FRAMES; k++)
    pushed -= hed_backend_context_pop() == HED_OK;
  is_int(pushed, 0, "64 pops succeed");
  is_int(hed_context_depth(), 0, "and depth is 0");
  hed_context_release(c);
}

/* ---- 5: blocks ---- */

static int leave_by(int how, hed_context *c)
{
  int rounds = 0;
  for (int k = 0; k < 2; k++) {
    HED_CONTEXT(c) {
      HED_BACKEND_CONTEXT(";threads=2") {
        HED_BACKEND_CONTEXT(";threads=3") {
          rounds += hed_context_depth() == 3 && here() == 3;
          if (how == 0)
            break;
          if (how == 1)
            continue;
          if (how == 2)
            return rounds;
          if (how == 3)
            goto out;
        }
        rounds += 10 * (hed_context_depth() == 2 && here() == 2);
      }
    }
  }
out:
  return rounds;
}

static jmp_buf back;

static void test_blocks(void)
{
  static const char *const name[] = { "break", "continue", "return", "goto", "the end" };
  static const int want[] = { 22, 22, 1, 1, 22 };
  hed_context *c = tagged(1);
  for (int how = 0; how < 5; how++) {
    is_int(leave_by(how, c), want[how], "a block left by %s ran as it should", name[how]);
    is_int(hed_context_depth(), 0, "and %s restores the depth", name[how]);
  }
  hed_frame outer;
  is_int(hed_context_push(c, &outer), HED_OK, "an outer frame");
  if (setjmp(back) == 0) {
    HED_CONTEXT(c)
    HED_CONTEXT(c) longjmp(back, 1);
  }
  is_int(hed_context_depth(), 3, "longjmp leaves the frames of the blocks");
  is_int(hed_context_pop(outer), HED_E_ORDER, "so the outer frame is not on top");
  is_int(hed_context_unwind(outer), HED_OK, "unwind repairs");
  is_int(hed_context_depth(), 0, "completely");
  hed_context_release(c);
}

/* ---- 6: threads that end with frames open ---- */

static void test_leaving(void)
{
  static const char *const way[] = { "return", "pthread_exit", "pthread_cancel" };
  hed_context *c = tagged(6);
  in_thread(pop_fresh, NULL); /* whatever a first thread allocates for good */
  for (int exceptions = 0; exceptions < 2; exceptions++)
    for (int blocks = 0; blocks < 2; blocks++)
      for (leaving how = BY_RETURN; how <= BY_CANCEL; how++) {
        leaver l = { how, blocks, c };
        int64_t live = hed_test_alloc_live();
        uint64_t leaked = hed_leaked_frames();
        in_thread(exceptions ? leave_with_exceptions : leave_without_exceptions, &l);
        bool clean = blocks && (how == BY_RETURN || exceptions);
        is_uint(hed_leaked_frames() - leaked, clean ? 0 : 5, "frames left: %s, %s, %s exceptions", way[how],
                blocks ? "blocks" : "pushes", exceptions ? "with" : "without");
        is_int(hed_test_alloc_live(), live, "nothing of them stays");
      }
  hed_stats s = { .struct_size = sizeof s };
  is_int(hed_stats_get(&s), HED_OK, "statistics");
  is_uint(s.leaked_frames, hed_leaked_frames(), "count the same frames");
  hed_context_release(c);
}

/* ---- 7: calls while a thread ends ---- */

#if defined(__SANITIZE_THREAD__)
enum { PASSES = 3 }; /* in the last pass the sanitizer has taken down what it knows of the thread */
#else
enum { PASSES = 4 };
#endif
static pthread_key_t early, late; /* made before and after Heddle's own key */
static atomic_int late_passes, late_exiting, late_odd;

typedef struct goodbye { pthread_key_t key; int passes; hed_array *a; } goodbye;

static void call_back(void *arg)
{
  goodbye *g = arg;
  hed_frame f;
  hed_status s = hed_backend_context_push(usual_backend(), &f);
  const char *name = hed_get_backend();
  if (!name || !name[0])
    atomic_fetch_add(&late_odd, 1);
  if (g->key == late) {
    atomic_fetch_add(&late_passes, 1);
    atomic_fetch_add(&late_exiting, s == HED_E_EXITING);
    hed_array *sum = hed_add(g->a, g->a); /* may fail; must neither crash nor leak */
    hed_release(sum);
  }
  if (--g->passes > 0) {
    pthread_setspecific(g->key, g);
  } else {
    hed_release(g->a);
    free(g);
  }
}

static void *say_goodbye(void *arg)
{
  static const float one[1] = { 1 };
  pthread_key_t keys[2] = { early, late };
  (void)arg;
  for (int k = 0; k < 2; k++) {
    goodbye *g = malloc(sizeof *g);
    if (!g)
      bail("out of memory");
    *g = (goodbye){ keys[k], PASSES, hed_from_host(one, HED_SHAPE(1), HED_FLOAT32) };
    pthread_setspecific(keys[k], g);
  }
  return NULL;
}

/* Allocations that are there when nothing is under way and nothing kept for reuse. */
static int64_t allocations(void)
{
  if (hed_synchronize(NULL) != HED_OK)
    diag("synchronize: %s", hed_error_text());
  (void)hed_trim(NULL, SIZE_MAX, HED_TRIM_BLOCKS);
  return hed_test_alloc_live();
}

static void test_ending(void)
{
  if (pthread_key_create(&late, call_back) != 0)
    bail("no key");
  for (int k = 0; k < 3; k++) /* what a device makes once is there then */
    in_thread(say_goodbye, NULL);
  int64_t live = allocations();
  atomic_store(&late_passes, 0);
  atomic_store(&late_exiting, 0);
  in_thread(say_goodbye, NULL);
  is_int(atomic_load(&late_passes), PASSES, "a key's destructor runs %d times", PASSES);
  is_int(atomic_load(&late_exiting), PASSES, "pushes of an ending thread are refused each time");
  is_int(atomic_load(&late_odd), 0, "the backend has a name until the end");
  is_int(allocations(), live, "nothing stays of such a thread");
}

/* ---- 8: the root flipped ---- */

static atomic_bool stop;
static atomic_int torn, moved, failed;

static bool consistent(int *seen)
{
  hed_context_info i = { .struct_size = sizeof i };
  if (hed_context_query(NULL, &i) != HED_OK)
    return false;
  *seen = i.threads;
  return i.memory_limit == (size_t)i.threads << 30;
}

static void *follow(void *arg)
{
  (void)arg;
  float x[2] = { 1, 2 };
  while (!atomic_load(&stop)) {
    int seen;
    if (!consistent(&seen))
      atomic_fetch_add(&torn, 1);
    hed_array *a = hed_from_host(x, HED_SHAPE(2), HED_FLOAT32), *b = hed_add(a, a);
    float y[2] = { 0, 0 };
    if (hed_to_host(b, y, sizeof y) != HED_OK || y[1] != 4)
      atomic_fetch_add(&failed, 1);
    RELEASE(a, b);
  }
  return NULL;
}

static void *hold(void *arg)
{
  hed_frame f;
  int k = *(const int *)arg, seen = 0;
  char spec[64];
  snprintf(spec, sizeof spec, "%s;threads=%d;memory=%dG", usual_backend(), k, k);
  if (hed_backend_context_push(spec, &f) != HED_OK)
    atomic_fetch_add(&failed, 1);
  while (!atomic_load(&stop))
    if (!consistent(&seen) || seen != k)
      atomic_fetch_add(&moved, 1);
  if (hed_context_pop(f) != HED_OK)
    atomic_fetch_add(&failed, 1);
  return NULL;
}

static void test_flips(void)
{
  char spec[2][64];
  pthread_t t[8];
  int tags[4] = { 11, 12, 13, 14 }, bad = 0, n = scaled(100000);
  for (int k = 0; k < 2; k++)
    snprintf(spec[k], sizeof spec[k], "%s;threads=%d;memory=%dG", usual_backend(), k + 1, k + 1);
  if (hed_set_default_backend(spec[0]) != HED_OK)
    bail("set_default: %s", hed_error_text());
  for (int k = 0; k < 8; k++)
    if (hed_thread_create(&t[k], NULL, k < 4 ? follow : hold, k < 4 ? NULL : &tags[k - 4]) != 0)
      bail("no thread");
  for (int k = 0; k < n; k++)
    bad += hed_set_default_backend(spec[k & 1]) != HED_OK;
  atomic_store(&stop, true);
  for (int k = 0; k < 8; k++)
    pthread_join(t[k], NULL);
  is_int(bad, 0, "%d flips of the root", n);
  is_int(atomic_load(&torn), 0, "followers see old or new, nothing between");
  is_int(atomic_load(&moved), 0, "frames do not move");
  is_int(atomic_load(&failed), 0, "operations go on");

  hed_frame f;
  int seen = 0;
  is_int(push_tag(9, &f), HED_OK, "a frame over the root");
  is_int(hed_set_default_backend(spec[1]), HED_OK, "root changed under it");
  is_int(here(), 9, "the frame stays");
  is_int(hed_context_pop(f), HED_OK, "the last frame goes");
  ok(consistent(&seen) && seen == 2, "and the thread follows the root as it is now");
  is_int(hed_set_default_backend(spec[0]), HED_OK, "root changed again");
  ok(consistent(&seen) && seen == 1, "still follows");
}

int main(void)
{
  if (pthread_key_create(&early, call_back) != 0)
    bail("no key");
  if (hed_set_default_backend(usual_backend()) != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_underflow();
  test_order();
  test_foreign();
  test_limit();
  test_blocks();
  test_leaving();
  test_ending();
  test_flips();
  return done();
}
