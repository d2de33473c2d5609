// SPDX-License-Identifier: BSD-3-Clause
/* Every public function as the first call of a process, with each of the allocations that it makes failing: the process lives on, a
 * failure has a sentence, and what is called next works. Without arrays, which a process has not before its first call;
 * first_calls.awk makes the calls of the list of the interface. L5.
 */
#include "failing.h"
#include <heddle/reflect.h>
#include <heddle/words.h>
#include <string.h>
#include <sys/wait.h>

enum { SHARES = 12, ENOUGH = 250, NO_SENTENCE = 251, NO_WORK = 252, WRONG = 253 };

static _Alignas(64) char room[65536]; /* for results */

/* Functions give whether they failed; numbers do not say. */
#define STATUS(name, call) static bool first_##name(void) { return (call) != HED_OK; }
#define POINTER(name, call) static bool first_##name(void) { return (call) == NULL && hed_error() != HED_OK; }
#define OTHER(name, call) static bool first_##name(void) { (void)(call); return false; }
#include "tests/fault/first_calls.inc"
#undef STATUS
#undef POINTER
#undef OTHER

static const struct { const char *name; bool (*call)(void); } rows[] = {
#define STATUS(name, call) { #name, first_##name },
#define POINTER STATUS
#define OTHER STATUS
#include "tests/fault/first_calls.inc"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Does what follows a call work, whatever that has asked for? */
static int goes_on(void)
{
  hed_frame frame;
  double sum = 0;
  (void)hed_set_available_memory(0); /* the call may have limited it */
  if (hed_backend_context_push("reference", &frame) != HED_OK)
    return NO_WORK;
  HED_SCOPE
    if (hed_item(hed_sum(hed_full(HED_SHAPE(3), 2, HED_FLOAT32), NULL), &sum) != HED_OK)
      sum = -1;
  hed_context_unwind(frame);
  return sum == 6 ? 0 : sum < 0 ? NO_WORK : WRONG;
}

/* Row K in a process of its own, its N-th allocation failing, from 0. 1: there was one; 0: there are not so many; else what is
 * wrong, or 1000 and the signal that it died of. */
static int cold(int k, int n)
{
  int end = 0;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    countdown = n;
    const bool failed = rows[k].call();
    const bool used = countdown < 0;
    countdown = -1;
    if (failed && (hed_error() == HED_OK || !hed_error_text()[0]))
      _exit(NO_SENTENCE);
    hed_error_clear();
    const int then = goes_on();
    if (then == NO_WORK)
      fprintf(stderr, "%s\n", hed_error_text());
    _exit(then ? then : used);
  }
  if (child < 0 || waitpid(child, &end, 0) != child)
    bail("no child");
  return WIFEXITED(end) ? WEXITSTATUS(end) : 1000 + WTERMSIG(end);
}

int main(void)
{
  for (int k = 0; k < ROWS; k++) {
    if (!share(k % SHARES, SHARES) || !in_sample(k / SHARES))
      continue;
    int n = 0, status, wrong = 0;
    for (; (status = cold(k, n)) != 0 && n < ENOUGH; n++)
      if (status != 1 && wrong++ == 0)
        diag("%s: %d when allocation %d fails", rows[k].name, status, n + 1);
    ok(!wrong && n < ENOUGH, "%s: each of %d allocations may fail", rows[k].name, n);
  }
  done_testing();
  return done();
}
