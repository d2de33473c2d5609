// SPDX-License-Identifier: BSD-3-Clause
/* Who does what a device lacks: the best host backend that is ready and has a kernel for the type, else the reference
 * backend; what the tracer, the counters and the log say of it. L5.
 *
 * With an argument it is a program that says who computes on the device of that name.
 */
#include "scenario.h"
#include <limits.h>

static char by[32], backend[32], logged[200];
static bool native;
static char dir[PATH_MAX / 2];

static void trace(void *arg, const hed_trace_event *e)
{
  (void)arg;
  if (e->op != HED_OP_SQRT && e->op != HED_OP_FFT && e->op != HED_OP_FFT1)
    return;
  snprintf(by, sizeof by, "%s", e->by);
  snprintf(backend, sizeof backend, "%s", e->backend);
  native = e->native;
}

static void note(void *arg, hed_log_level level, const char *subsystem, const char *message)
{
  (void)arg, (void)subsystem;
  if (level == HED_LOG_WARN)
    snprintf(logged, sizeof logged, "%s", message);
}

static hed_stats stats(void)
{
  hed_stats s = { .struct_size = sizeof s };
  if (hed_stats_get(&s) != HED_OK)
    bail("stats: %s", hed_error_text());
  return s;
}

/* sqrt of N fours of type T in SPEC: the first element, with BY and the others set. */
static double root(const char *spec, int64_t n, hed_dtype t)
{
  float v[8] = { -1 };
  by[0] = backend[0] = 0;
  HED_BACKEND_CONTEXT(spec)
    HED_SCOPE {
      const hed_array *y = hed_sqrt(hed_full(HED_SHAPE(n), 4, t));
      if (hed_to_host(hed_astype(y, HED_FLOAT32), v, (size_t)n * sizeof *v) != HED_OK)
        diag("%s: %s", spec, hed_error_text());
    }
  return (double)v[0];
}

/* EXPECTED did it, for DEVICE. */
static void check(const char *what, const char *spec, int64_t n, hed_dtype t, double value, const char *device,
                  const char *expected)
{
  const bool reference = strcmp(expected, "reference") == 0;
  const hed_stats before = stats();
  const double v = root(spec, n, t);
  const hed_stats after = stats();
  ok(v == value, "%s: %g", what, v);
  is_str(by, expected, "%s: by whom", what);
  is_str(backend, device, "%s: for whom", what);
  ok(!native, "%s: not natively", what);
  ok(after.fallbacks - before.fallbacks >= 1, "%s: counted", what);
  if (!reference)
    is_uint(after.fallbacks_reference, before.fallbacks_reference, "%s: not the reference backend", what);
  else
    is_uint(after.fallbacks_reference - before.fallbacks_reference, after.fallbacks - before.fallbacks,
            "%s: the reference backend", what);
}

static void copy_module(const char *name)
{
  char command[3 * PATH_MAX], path[PATH_MAX];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  snprintf(command, sizeof command, "cp '%s/tests/modules/.libs/chameleon.so' '%s/%s.so'", build ? build : ".", dir, name);
  snprintf(path, sizeof path, "%s/%s.so", dir, name);
  if (system(command) != 0 || hed_backend_load(path) != HED_OK || hed_backend_require(name) != HED_OK)
    bail("%s: %s", name, hed_error_text());
}

static void test_policies(const char *first)
{
  hed_log_set(HED_LOG_WARN, note, NULL);
  root("faulty;fallback=warn", 3, HED_FLOAT32);
  char want[100];
  snprintf(want, sizeof want, "sqrt of float32 runs on %s, not on faulty:0", first);
  is_str(logged, want, "fallback=warn names both");
  logged[0] = 0;
  root("faulty", 3, HED_FLOAT32);
  is_str(logged, "", "without it nothing is logged");
  hed_log_set(HED_LOG_OFF, NULL, NULL);
  HED_BACKEND_CONTEXT("faulty;fallback=error")
    HED_SCOPE {
      const hed_stats before = stats();
      ok(!hed_sqrt(hed_full(HED_SHAPE(3), 4, HED_FLOAT32)) && hed_error() == HED_E_UNSUPPORTED, "fallback=error: none");
      has_str(hed_error_text(), "faulty:0 has no kernel of its own", "and says whose");
      is_str(by, "", "the tracer hears that nobody did it");
      ok(!native, "also not the device");
      is_uint(stats().fallbacks, before.fallbacks, "which is no fallback");
      hed_error_clear();
    }
}

/* A plan of one backend is nothing to those that take its transforms over. */
static void test_plan(const char *first)
{
  hed_fft_plan *plan = NULL;
  float v[16] = { 0 };
  copy_module("planner");
  HED_BACKEND_CONTEXT("planner")
    HED_SCOPE {
      hed_array *x = hed_astype(hed_full(HED_SHAPE(8), 1, HED_FLOAT32), HED_COMPLEX64), *y = NULL;
      is_int(hed_fft_plan_create(HED_OP_FFT1, HED_SHAPE(8), HED_COMPLEX64, NULL, &plan), HED_OK, "a plan: %s",
             hed_error_text());
      if (plan)
        y = hed_fft_plan_run(plan, x);
      ok(hed_to_host(y, v, sizeof v) == HED_OK && v[0] == 8 && v[2] == 0, "is run: %g, %s", (double)v[0], hed_error_text());
      is_str(by, first, "by another backend");
      hed_fft_plan_release(plan);
    }
}

static int program(const char *spec)
{
  hed_trace(trace, NULL);
  const double v = root(spec, 3, HED_FLOAT32);
  printf("%g by %s\n", v, by);
  return 0;
}

/* What this program says with cpu switched off. */
static void test_disabled(const char *self)
{
  char command[PATH_MAX + 100], line[100] = "";
  snprintf(command, sizeof command, "HEDDLE_DISABLE=cpu '%s' faulty", self);
  FILE *f = popen(command, "r");
  if (!f || !fgets(line, sizeof line, f))
    diag("%s says nothing", command);
  if (f)
    pclose(f);
  is_str(line, "2 by reference\n", "what the configuration disables takes no part");
}

int main(int argc, char **argv)
{
  setenv("HEDDLE_TEST_FAULTY", "few=1", 1); /* so that there is something that it lacks */
  if (argc > 1)
    return program(argv[1]);
  const char *tmp = getenv("TMPDIR");
  snprintf(dir, sizeof dir, "%s/heddle-fallback-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
  if (!mkdtemp(dir))
    bail("mkdtemp %s", dir);
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend: %s", hed_error_text());
  hed_trace(trace, NULL);
  hed_backend_info info = { .struct_size = sizeof info };
  hed_error_clear();
  root("faulty", 3, HED_FLOAT32); /* the first: what comes with Heddle is loaded */
  const bool fast = hed_backend_query("cpu", &info) == HED_OK && info.state == HED_BACKEND_READY;
  const char *first = fast ? "cpu" : "reference";
  check("a device", "faulty", 3, HED_FLOAT32, 2, "faulty:0", first);
  copy_module("plain");
  check("a host backend without kernels", "plain", 3, HED_FLOAT32, 2, "plain", first);
  test_policies(first);
  test_plan(first);
  test_disabled(argv[0]);
  copy_module("eager");
  check("a better one", "faulty;threads=1", 3, HED_FLOAT32, 1001, "faulty:0", "eager");
  check("with the threads that the context gives", "faulty;threads=3", 3, HED_FLOAT32, 1003, "faulty:0", "eager");
  check("whose kernel declines", "faulty", 2, HED_FLOAT32, 2, "faulty:0", first);
  check("which has none for the type", "plain", 3, HED_FLOAT64, 2, "plain", first);
  check("also from the host", "plain;threads=2", 3, HED_FLOAT32, 1002, "plain", "eager");
  const hed_stats before = stats();
  ok(root("reference", 3, HED_FLOAT32) == 2 && native, "the reference backend lacks nothing");
  is_str(by, "reference", "so it does its own");
  is_uint(stats().fallbacks, before.fallbacks, "without a fallback");
  hed_trace(NULL, NULL);
  char command[PATH_MAX];
  snprintf(command, sizeof command, "rm -rf '%s'", dir);
  ok(system(command) == 0 && hed_error() == HED_OK, "no error is left: %s", hed_error_text());
  return done();
}
