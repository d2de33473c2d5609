// SPDX-License-Identifier: BSD-3-Clause
/* Profiles: a pool of threads over several backends, sums against the counters, what is in the file, full buffers, crashes,
 * cancellation, fork, files that cannot be written. L5. */
#include "arrays.h"
#include "profile_check.h"
#include "scenario.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char dir[200], path[300], raw[320];

static void place(const char *name)
{
  snprintf(path, sizeof path, "%s/%s", dir, name);
  snprintf(raw, sizeof raw, "%s.raw", path);
}

static hed_stats stats(void)
{
  hed_stats s = { .struct_size = sizeof s };
  if (hed_stats_get(&s) != HED_OK)
    bail("stats: %s", hed_error_text());
  return s;
}

static bool exists(const char *name) { return access(name, F_OK) == 0; }

/* ---- what is in it ---- */

static void test_contents(void)
{
  place("contents.json");
  const hed_stats before = stats();
  is_int(hed_profile_begin(path, NULL), HED_OK, "a profile begins: %s", hed_error_text());
  ok(hed_profile_is_on(), "and is on");
  ok(exists(raw), "records have a file");
  HED_BACKEND_CONTEXT("reference") HED_SCOPE
  {
    hed_array *x = hed_ones(HED_SHAPE(3, 4), HED_FLOAT32), *row = hed_ones(HED_SHAPE(4), HED_FLOAT32);
    hed_profile_mark("a \"mark\" with a\ttab and \xff");
    HED_PROFILE_RANGE("the first stretch")
    {
      (void)!hed_add(x, row);
      (void)!hed_softmax(x, 1);
    }
    (void)!hed_random_uniform(HED_SHAPE(5), HED_FLOAT64, NULL);
  }
  is_int(hed_profile_end(), HED_OK, "it ends: %s", hed_error_text());
  ok(!hed_profile_is_on() && !exists(raw), "and its records' file goes");
  const hed_stats after = stats();
  checked c = check_profile(path);
  is_str(c.wrong, "", "the file keeps the format");
  is_int(c.calls, (int64_t)(after.calls - before.calls), "as many calls as were counted");
  has_str(c.text, "\"cat\":\"op\",\"name\":\"add\",\"args\":{\"of\":\"float32[3,4] [1,4] > [3,4]\","
                  "\"bytes\":112,\"on\":\"reference\"}",
          "an operation with shapes, types, bytes and who did it");
  has_str(c.text, "\"name\":\"a \\\"mark\\\" with a\\u0009tab and ?\"", "a mark, whatever its name");
  has_str(c.text, "\"cat\":\"range\",\"name\":\"the first stretch\"", "a stretch");
  has_str(c.text, "\"cat\":\"context\",\"name\":\"reference\",\"args\":{\"from\":\"pushed\"}", "a context that was pushed");
  has_str(c.text, "\"name\":\"draw\"", "a draw of random numbers");
  has_str(c.text, "\"name\":\"memory of host\"", "memory in use");
  free(c.text);
}

static void test_off(void)
{
  if (!getenv("NVTX_INJECTION64_PATH")) /* whose tool wants to know of it */
    is_uint(hed_profile_range_begin("nothing"), 0, "without a profile a stretch is none");
  hed_profile_mark("nothing");
  hed_profile_range_end(0);
  const hed_stats before = stats();
  HED_SCOPE (void)!hed_add(hed_ones(HED_SHAPE(3), HED_FLOAT32), hed_ones(HED_SHAPE(3), HED_FLOAT32));
  hed_profile_info info = { .struct_size = sizeof info };
  is_int(hed_profile_query(&info), HED_OK, "the last profile is told of");
  ok(info.records > 5 && info.dropped == 0 && info.threads == 1, "with its numbers: %llu records", (unsigned long long)info.records);
  ok(stats().calls > before.calls, "operations run");
  hed_profile_info again = { .struct_size = sizeof again };
  hed_profile_query(&again);
  is_uint(again.records, info.records, "and are not recorded");
}

/* A stretch and a context that are not within each other. */
static void test_crossing(void)
{
  place("crossing.json");
  hed_frame f;
  hed_profile_begin(path, NULL);
  const uint64_t range = hed_profile_range_begin("outer");
  hed_backend_context_push("reference;threads=3", &f);
  sleep_ms(1);
  hed_profile_range_end(range);
  sleep_ms(1);
  hed_context_pop(f);
  hed_profile_end();
  checked c = check_profile(path);
  is_str(c.wrong, "", "stretches that cross contexts are cut");
  has_str(c.text, "\"part\":2", "and go on in a second part");
  free(c.text);
}

/* ---- a pool of threads ---- */

enum { POOL = 16 };
static const char *const specs[] = { "reference", "cpu", "faulty", "faulty:1;mix=copy", "reference;threads=2" };
static int n_specs;
static const char *usable[5];
static atomic_int failures;

static void *worker(void *arg)
{
  const int k = (int)(intptr_t)arg, rounds = scaled(20);
  char name[20];
  snprintf(name, sizeof name, "worker-%d", k);
  pthread_setname_np(pthread_self(), name);
  for (int i = 0; i < rounds; i++)
    HED_BACKEND_CONTEXT(usable[(k + i) % n_specs]) HED_SCOPE
    {
      HED_PROFILE_RANGE("round")
      {
        hed_array *x = hed_full(HED_SHAPE(8, 16), k, HED_FLOAT32), *y = hed_ones(HED_SHAPE(16), HED_FLOAT32);
        HED_BACKEND_CONTEXT("reference")
        {
          hed_array *z = hed_ones(HED_SHAPE(4, 4), HED_FLOAT64);
          failures += !hed_matmul(z, z);
        }
        double sum = 0;
        hed_array *s = hed_sum(hed_add(hed_multiply(x, y), y), NULL);
        failures += !s || hed_item(s, &sum) != HED_OK || sum != 128 * (k + 1);
      }
    }
  return NULL;
}

static void test_pool(void)
{
  pthread_t thread[POOL];
  place("pool.json");
  for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
    hed_context *c = NULL;
    if (hed_context_derive(NULL, specs[k], &c) == HED_OK)
      usable[n_specs++] = specs[k];
    hed_context_release(c);
  }
  const hed_stats before = stats();
  is_int(hed_profile_begin(path, NULL), HED_OK, "a profile of a pool");
  HED_BACKEND_CONTEXT("reference;threads=1")
  for (int k = 0; k < POOL; k++)
    if (hed_thread_create(&thread[k], NULL, worker, (void *)(intptr_t)k) != 0)
      bail("no thread");
  for (int k = 0; k < POOL; k++)
    pthread_join(thread[k], NULL);
  const hed_stats after = stats();
  is_int(hed_profile_end(), HED_OK, "ends");
  is_int(failures, 0, "the threads computed what they should");
  checked c = check_profile(path);
  is_str(c.wrong, "", "the file of %d threads over %d contexts keeps the format", POOL, n_specs);
  is_int(c.threads, POOL + 1, "it has every thread");
  is_int(c.calls, (int64_t)(after.calls - before.calls), "calls as hed_stats has them");
  is_int(c.fallbacks, (int64_t)(after.fallbacks - before.fallbacks), "fallbacks");
  is_int(c.copies, (int64_t)(after.copies - before.copies), "copies");
  is_int(c.passes, (int64_t)(after.fused_passes - before.fused_passes), "fused passes");
  ok(c.flows >= 2 * POOL, "an arrow from the creator to each thread at least: %d ends", c.flows);
  has_str(c.text, "\"from\":\"inherited\",\"thread\":1", "a thread says from whom it inherited");
  has_str(c.text, "worker-15 (", "threads have their names");
  if (n_specs > 2) {
    has_str(c.text, "\"name\":\"wait for faulty", "waits");
    has_str(c.text, "\"name\":\"copy faulty", "copies to the host");
  }
  free(c.text);
}

/* A thread that was there before, and the profile's end in the midst of its work. */
static atomic_bool stop;
static atomic_int turns;
static void *busy(void *arg)
{
  hed_array *x = hed_ones(HED_SHAPE(8), HED_FLOAT32), *y = hed_ones(HED_SHAPE(8), HED_FLOAT32);
  while (!stop) {
    hed_release(hed_add(x, y));
    turns++;
  }
  RELEASE(x, y);
  return arg;
}

static void test_running(void)
{
  pthread_t thread[4];
  place("running.json");
  for (int k = 0; k < 4; k++)
    pthread_create(&thread[k], NULL, busy, NULL);
  int good = 0, seen = 0, wrong = 0;
  const int rounds = scaled(20);
  for (int i = 0; i < rounds; i++) {
    good += hed_profile_begin(path, &(hed_profile_options){ .struct_size = sizeof(hed_profile_options), .size = 1 }) == HED_OK;
    for (const int until = turns + 400; turns < until;)
      sleep_ms(1);
    good += hed_profile_end() == HED_OK;
    checked c = check_profile(path);
    wrong += c.wrong[0] != 0;
    if (c.wrong[0])
      diag("%s", c.wrong);
    seen += c.text && strstr(c.text, "\"name\":\"add\"");
    free(c.text);
  }
  stop = true;
  for (int k = 0; k < 4; k++)
    pthread_join(thread[k], NULL);
  is_int(good, 2 * rounds, "profiles begin and end while threads work");
  is_int(wrong, 0, "and each file keeps the format");
  is_int(seen, rounds, "and has what they do");
}

/* ---- full buffers ---- */

static void test_full(void)
{
  static const struct { int32_t keep; const char *there, *gone; } rows[] = {
    { HED_PROFILE_NEWEST, "\"name\":\"mark 9999\"", "\"name\":\"mark 0\"" },
    { HED_PROFILE_OLDEST, "\"name\":\"mark 0\"", "\"name\":\"mark 9999\"" },
  };
  for (int i = 0; i < 2; i++) {
    const hed_profile_options o = { .struct_size = sizeof o, .keep = rows[i].keep, .size = 300 * 1024 };
    hed_profile_info info = { .struct_size = sizeof info };
    place("full.json");
    hed_profile_begin(path, &o);
    for (int k = 0; k < 10000; k++) {
      char name[40];
      snprintf(name, sizeof name, "mark %d", k);
      hed_profile_mark(name);
    }
    hed_profile_query(&info);
    is_int(hed_profile_end(), HED_OK, "a full buffer is no failure");
    checked c = check_profile(path);
    is_str(c.wrong, "", "its file keeps the format");
    ok(info.records + info.dropped >= 10000 && info.dropped > 1000, "%llu records are kept and %llu are not",
       (unsigned long long)info.records, (unsigned long long)info.dropped);
    is_int(c.dropped, (int64_t)info.dropped, "which the file says, too");
    ok(c.text && strstr(c.text, rows[i].there) && !strstr(c.text, rows[i].gone), "%s are kept", i ? "the oldest" : "the newest");
    free(c.text);
  }
}

/* ---- ends that are none ---- */

static int child_of(void (*fn)(void))
{
  int end = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    fn();
    _exit(0);
  }
  waitpid(child, &end, 0);
  return end;
}

static void crash(void)
{
  hed_profile_begin(path, NULL);
  HED_BACKEND_CONTEXT("reference") {
    hed_profile_mark("before the crash");
    HED_SCOPE (void)!hed_add(hed_ones(HED_SHAPE(3), HED_FLOAT32), hed_ones(HED_SHAPE(3), HED_FLOAT32));
    raise(SIGKILL);
  }
}

static void leave(void)
{
  hed_profile_mark("in the child");
  hed_profile_end();
}

static void test_ends(void)
{
  place("crash.json");
  const int end = child_of(crash);
  ok(WIFSIGNALED(end), "a process is killed");
  ok(!exists(path) && exists(raw), "its records stay");
  is_int(hed_profile_convert(raw, path), HED_OK, "and are read: %s", hed_error_text());
  checked c = check_profile(path);
  is_str(c.wrong, "", "into a file of the format");
  has_str(c.text, "before the crash", "with what came before");
  has_str(c.text, "\"complete\":false", "which says that it did not come to its end");
  free(c.text);
  const int fd = open(raw, O_RDWR); /* cut off, as by a full disk */
  ok(fd >= 0 && ftruncate(fd, 64 * 1024 + 256 * 1024 + 5000) == 0, "records that are cut off");
  close(fd);
  is_int(hed_profile_convert(raw, path), HED_OK, "are read up to there");
  unlink(raw);

  place("fork.json");
  hed_profile_begin(path, NULL);
  hed_profile_mark("in the parent");
  child_of(leave);
  hed_profile_mark("after the child");
  is_int(hed_profile_end(), HED_OK, "a profile outlives a child of fork");
  c = check_profile(path);
  is_str(c.wrong, "", "its file keeps the format");
  ok(strstr(c.text, "after the child") && !strstr(c.text, "in the child"), "and has what the parent did alone");
  free(c.text);
}

static atomic_int rounds_done;
static void *cancelled(void *arg)
{
  for (;; rounds_done++) {
    HED_PROFILE_RANGE("until cancelled") HED_SCOPE
      (void)!hed_add(hed_ones(HED_SHAPE(3), HED_FLOAT32), hed_ones(HED_SHAPE(3), HED_FLOAT32));
    pthread_testcancel();
  }
  return arg;
}

static void test_cancel(void)
{
  pthread_t thread;
  place("cancel.json");
  hed_profile_begin(path, NULL);
  pthread_create(&thread, NULL, cancelled, NULL);
  while (rounds_done < 3)
    sleep_ms(1);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  is_int(hed_profile_end(), HED_OK, "a thread that was cancelled does not keep the profile from its end");
  checked c = check_profile(path);
  is_str(c.wrong, "", "whose file keeps the format");
  has_str(c.text, "until cancelled", "with what that thread did");
  free(c.text);
}

/* ---- what is not possible ---- */

static void test_refused(void)
{
  static const struct { const char *path; int32_t keep; uint64_t size; hed_status status; const char *text; } rows[] = {
    { NULL, 0, 0, HED_E_INVAL, "NULL" },
    { "", 0, 0, HED_E_INVAL, "empty" },
    { "/nowhere/there/x.json", 0, 0, HED_E_IO, "/nowhere/there/x.json.raw" },
    { "/", 0, 0, HED_E_IO, "not a regular file" },
    { "x.json", 7, 0, HED_E_INVAL, "keep is 7" },
    { "x.json", 0, 1ull << 50, HED_E_INVAL, "1125899906842624" },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const hed_profile_options o = { .struct_size = sizeof o, .keep = rows[k].keep, .size = rows[k].size };
    is_int(hed_profile_begin(rows[k].path, &o), rows[k].status, "refused: %s", rows[k].text);
    has_str(hed_error_text(), rows[k].text, "with the reason");
  }
  is_int(hed_profile_end(), HED_E_INVAL, "an end without a begin");
  place("once.json");
  is_int(hed_profile_begin(path, NULL), HED_OK, "one");
  is_int(hed_profile_begin(path, NULL), HED_E_INVAL, "a second one");
  has_str(hed_error_text(), path, "says where the first goes");
  is_int(hed_profile_end(), HED_OK, "the first ends");
  is_int(hed_profile_convert(path, "x.json"), HED_E_FORMAT, "a file of something else");
  has_str(hed_error_text(), path, "is refused by name");
  is_int(hed_profile_convert("/nowhere.raw", "x.json"), HED_E_IO, "a file that is not there");
  is_int(hed_profile_convert(NULL, "x.json"), HED_E_INVAL, "no file");
  is_int(hed_profile_query(NULL), HED_E_INVAL, "nowhere to put the numbers");
}

int main(int argc, char **argv)
{
  if (argc == 2) { /* a file of the caller's */
    checked c = check_profile(argv[1]);
    printf("%s%s%d slices, %d flows, %d threads, %lld calls, %lld fallbacks\n", c.wrong, *c.wrong ? "\n" : "", c.slices, c.flows,
           c.threads, c.calls, c.fallbacks);
    free(c.text);
    return *c.wrong != 0;
  }
  char name[400];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR"), *tmp = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/tests/backends/.libs/faulty.so", build ? build : ".");
  (void)hed_backend_load(name);
  snprintf(dir, sizeof dir, "%.180s/profileXXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(dir))
    bail("no folder: %s", strerror(errno));
  test_contents();
  test_off();
  test_crossing();
  test_full();
  test_pool();
  test_running();
  test_cancel();
  test_ends();
  test_refused();
  snprintf(name, sizeof name, "rm -rf '%s'", dir);
  if (tap_failures() == 0)
    (void)!system(name);
  return done();
}
