// SPDX-License-Identifier: BSD-3-Clause
/* The TAP library tests itself: the program runs itself with the name of a case that makes one
 * kind of failure, and reads what that printed.
 */
#include "tap.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct outcome { int status; char text[4096]; };

/* Under valgrind /proc/self/exe is valgrind, so the name by which the program was called counts. */
static const char *self;

static struct outcome child(const char *name)
{
  struct outcome o = { 0, "" };
  int fd[2];
  if (pipe(fd) != 0)
    bail("pipe");
  pid_t pid = fork();
  if (pid < 0)
    bail("fork");
  if (pid == 0) {
    dup2(fd[1], 1);
    dup2(fd[1], 2);
    close(fd[0]);
    close(fd[1]);
    execl(self, self, name, (char *)NULL);
    _exit(127);
  }
  close(fd[1]);
  size_t n = 0;
  ssize_t got;
  char rest[4096];   /* what does not fit is read all the same, or the child would get SIGPIPE */
  while ((got = n < sizeof o.text - 1 ? read(fd[0], o.text + n, sizeof o.text - 1 - n)
                                      : read(fd[0], rest, sizeof rest)) > 0)
    n += n < sizeof o.text - 1 ? (size_t)got : 0;
  o.text[n] = '\0';
  close(fd[0]);
  int status;
  waitpid(pid, &status, 0);
  o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return o;
}

static void passing(void)  { plan(1); ok(true, "fine # really"); }
static void failing(void)  { plan(1); is_int(3, 4, "numbers"); }
static void short_of(void) { plan(2); ok(true, "one"); }
static void strings(void)  { is_str("a", "b", "strings"); is_str(NULL, NULL, "nulls"); }
static void near(void)     { is_near(1.0, 1.1, 1e-3, 0, "near"); is_near(NAN, 1, 1, 1, "nan"); }
static void ulp(void)      { is_ulp(1.0, 1.0 + 3 * 0x1p-52, 2, "ulp"); }
static void bytes(void)    { is_mem("abc", "abd", 3, "bytes"); }
static void skipping(void) { skip(2, "no device"); }
static void nothing(void)  { skip_all("no device"); }
static void known(void)    { todo("no #%d", 1); fail("a"); is_int(1, 2, "b"); todo_end(); ok(true, "c"); }
static void stale(void)    { todo_next("no 2"); ok(true, "a"); ok(true, "b"); }
static void once(void)     { todo_next("no 3"); fail("a"); fail("b"); }

/* The same in tap.sh. */
static void shell(void)
{
  execl("/bin/sh", "sh", "-c",
        ". \"$HEDDLE_TEST_SRCDIR/tests/tap.sh\"; todo 'no 1'; ok 1 a; todo_end; ok 0 b; "
        "eval \"$STALE\"; todo_next 'no 2'; ok 1 e; ok 0 f; done_testing",
        (char *)NULL);
}

static void shell_stale(void)
{
  setenv("STALE", "todo_next no; ok 0 s", 1);
  shell();
}

static void shares(void)
{
  for (int k = 0; k < 6; k++)
    if (share(k, 3))
      diag("part %d", k);
}

static void too_few(void)  { share(0, 0); }

static void *hammer(void *arg)
{
  for (int i = 0; i < 100; i++)
    ok(true, "thread %d point %d", *(int *)arg, i);
  return NULL;
}

static void threads(void)
{
  pthread_t t[4];
  int id[4] = { 0, 1, 2, 3 };
  plan(400);
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, hammer, &id[i]);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
  { "passing", passing }, { "failing", failing }, { "short_of", short_of },
  { "strings", strings }, { "near", near }, { "ulp", ulp }, { "bytes", bytes },
  { "skipping", skipping }, { "nothing", nothing }, { "threads", threads },
  { "known", known }, { "stale", stale }, { "once", once }, { "shell", shell }, { "shell_stale", shell_stale },
  { "shares", shares }, { "too_few", too_few },
};

int main(int argc, char **argv)
{
  self = argv[0];
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++)
    if (strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      return done();
    }
  plan(36 + 2 * 7 + 6);
  struct outcome o = child("passing");
  is_int(o.status, 0, "a passing test exits with 0");
  is_str(o.text, "1..1\nok 1 - fine + really\n", "and prints plan and point");
  o = child("failing");
  is_int(o.status, 1, "a failing test exits with 1");
  has_str(o.text, "not ok 1 - numbers\n", "and says so");
  has_str(o.text, "house/tap.c:", "with the file");
  has_str(o.text, "got: 3\n", "and the value");
  has_str(o.text, "expected: 4\n", "and the wish");
  o = child("short_of");
  is_int(o.status, 1, "a broken plan fails");
  has_str(o.text, "planned 2 points, ran 1", "and says so");
  o = child("strings");
  has_str(o.text, "not ok 1 - strings", "different strings fail");
  has_str(o.text, "ok 2 - nulls", "two NULLs are the same");
  has_str(o.text, "1..2\n", "the plan comes last when it was not first");
  o = child("near");
  has_str(o.text, "not ok 1 - near", "far numbers are not near");
  has_str(o.text, "not ok 2 - nan", "NaN is near no number");
  o = child("ulp");
  has_str(o.text, "not ok 1 - ulp", "three steps are more than two");
  has_str(o.text, "apart: 3 ulp", "and counted");
  o = child("bytes");
  has_str(o.text, "byte 2 of 3", "the first different byte is named");
  o = child("skipping");
  is_int(o.status, 0, "skips pass");
  has_str(o.text, "ok 2 # SKIP no device", "with their reason");
  o = child("nothing");
  is_str(o.text, "1..0 # SKIP no device\n", "a whole program can be skipped");
  is_ulp(-0.0, 0.0, 0, "zeros are the same number");
  is_ulpf(1.0f, 1.0f + 0x1p-23f, 1, "one step in single precision");
  is_near(INFINITY, INFINITY, 0, 0, "equal infinities");
  o = child("threads");
  is_int(o.status, 0, "four threads keep one count");
  is_uint(tap_seed(), tap_seed(), "the seed stays");

  static const char *const none[] = { "", "one", "-1", "0x10", "1 ", "18446744073709551616", "99999999999999999999999" };
  unsetenv("HEDDLE_TEST_SHARE"); /* without it shares are the seed's */
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    setenv("HEDDLE_TEST_SEED", none[i], 1);
    o = child("shares");
    is_int(o.status, 255, "'%s' ends the run", none[i]);
    has_str(o.text, "neither a number of 64 bits nor random", "and says so");
  }
  unsetenv("HEDDLE_TEST_FULL");
  setenv("HEDDLE_TEST_SEED", "18446744073709551615", 1);
  o = child("shares");
  has_str(o.text, "seed 18446744073709551615 ", "64 bits are a seed");
  has_str(o.text, "# part 0\n# part 3\n1..0", "which has one part of three");
  setenv("HEDDLE_TEST_SEED", "random", 1);
  has_str(child("shares").text, "repeats this run", "random is one");
  setenv("HEDDLE_TEST_FULL", "1", 1);
  setenv("HEDDLE_TEST_SEED", "1", 1);
  o = child("shares");
  has_str(o.text, "# part 0\n# part 1\n# part 2\n# part 3\n# part 4\n# part 5\n", "the full run has all");
  o = child("too_few");
  is_int(o.status, 255, "no shares end the run");
  has_str(o.text, "share 0 of 0 cannot be", "and say so");
  o = child("known");
  is_int(o.status, 0, "points that fail as marked fail nothing");
  has_str(o.text, "not ok 1 - a # TODO no +1\n", "and have the reason");
  has_str(o.text, "ok 3 - c\n", "up to the end of the marked ones");
  o = child("stale");
  is_int(o.status, 1, "a marked point that passes is a failure");
  has_str(o.text, "ok 1 - a # TODO no 2\n# passes while marked\nok 2 - b\n", "which says so, and the next point is not marked");
  o = child("once");
  is_int(o.status, 1, "an unmarked point fails after a marked one");
  has_str(o.text, "# 1 of 2 points failed", "and alone counts");
  o = child("shell");
  is_int(o.status, 0, "the same in a script");
  has_str(o.text, "not ok 1 - a # TODO no 1\nok 2 - b\nnot ok 3 - e # TODO no 2\nok 4 - f\n", "with the same lines");
  o = child("shell_stale");
  is_int(o.status, 1, "and failure");
  has_str(o.text, "ok 3 - s # TODO no\n# passes while marked\n", "which says so");
  return done();
}
