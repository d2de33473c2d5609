// SPDX-License-Identifier: BSD-3-Clause
/* A device is lost and the backend's other one is not; one is made anew; the last one takes the backend with it. L5. */
#include "scenario.h"
#include <sys/wait.h>
#include <dlfcn.h>

static int (*control)(const char *);

static void find_control(void)
{
  hed_backend_info info = { .struct_size = sizeof info };
  void *h = hed_backend_query("faulty", &info) == HED_OK ? dlopen(info.path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  void *p = h ? dlsym(h, "hed_faulty_control") : NULL;
  memcpy(&control, &p, sizeof control);
  if (!control)
    bail("no control of faulty");
}

/* 1 + 1 there; -1 with the error set when it cannot be had. */
static double two(const char *device)
{
  double v = -1;
  hed_frame f;
  if (hed_backend_context_push(device, &f) != HED_OK)
    return -1;
  HED_SCOPE {
    const hed_array *x = hed_full(HED_SHAPE(4), 1, HED_FLOAT32);
    float out[4];
    if (hed_to_host(hed_add(x, x), out, sizeof out) == HED_OK)
      v = (double)out[3];
  }
  hed_context_pop(f);
  return v;
}

/* The next operation on DEVICE takes it along; or a copy, which is none, FROM another. */
static void lose(const char *device, const char *from)
{
  HED_BACKEND_CONTEXT(from ? from : device)
    HED_SCOPE {
      const hed_array *x = hed_full(HED_SHAPE(4), 1, HED_FLOAT32);
      if (hed_wait(x) != HED_OK)
        bail("%s: %s", device, hed_error_text());
      control("sticky=1");
      ok(hed_wait(from ? hed_to(x, device) : hed_add(x, x)) < 0, "an operation takes %s with it", device);
      has_str(hed_error_text(), "took the device with it", "in the device's own words");
      has_str(hed_error_text(), from ? "wait: what an operand comes from failed" : "operation 'add'", "which one is told");
      hed_error_clear();
    }
}

static hed_backend_info query(void)
{
  hed_backend_info info = { .struct_size = sizeof info };
  if (hed_backend_query("faulty", &info) != HED_OK)
    bail("query: %s", hed_error_text());
  return info;
}

typedef struct reports { int n[2]; } reports;

static void count(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  reports *r = arg;
  for (int k = 0; k < 2; k++)
    r->n[k] += strcmp(candidate, k ? "faulty:1" : "faulty:0") == 0 && strcmp(stage, "device") == 0 &&
               status == HED_E_UNAVAILABLE && strstr(reason, "took the device with it");
}

/* FIRST and SECOND are losses of devices 0 and 1. */
static void reported(int first, int second)
{
  reports r = { { 0, 0 } };
  hed_backend_explain("faulty", count, &r);
  ok(r.n[0] == first && r.n[1] == second, "explain has %d and %d losses, by device", r.n[0], r.n[1]);
}

static bool listed(const char *device)
{
  const char *names[64];
  const int n = hed_available_devices(names, 64);
  for (int k = 0; k < n && k < 64; k++)
    if (strcmp(names[k], device) == 0)
      return true;
  return false;
}

static void test_one(hed_array *before, hed_context *context)
{
  char text[256];
  float out[4];
  lose("faulty:0", NULL);
  reported(1, 0);
  ok(two("faulty:0") < 0, "it cannot be chosen");
  is_int(hed_error(), HED_E_UNAVAILABLE, "it is not usable");
  has_str(hed_error_text(), "device 0", "the sentence names it");
  has_str(hed_error_text(), "took the device with it", "and says why");
  ok(two("faulty") < 0, "nor as the backend's first device");
  hed_error_clear();
  ok(two("faulty:1") == 2, "the other one computes: %s", hed_error_text());
  is_int(query().state, HED_BACKEND_READY, "the backend is ready");
  has_str(query().reason, "but for device 0: ", "but for one device");
  is_int(hed_device_count("faulty"), 2, "it has two devices as before");
  ok(!listed("faulty:0") && listed("faulty:1"), "one of them is available");
  ok(!hed_is_available("faulty:0") && hed_is_available("faulty:1"), "the same one by name");
  is_int(hed_backend_device("faulty", 0, text, sizeof text), HED_E_UNAVAILABLE, "no description of what is gone");
  has_str(hed_error_text(), "took the device with it", "but the reason");
  is_int(hed_backend_device("faulty", 1, text, sizeof text), HED_OK, "the other one has a description");
  is_int(hed_to_host(before, out, sizeof out), HED_E_UNAVAILABLE, "elements of before are gone");
  has_str(hed_error_text(), "faulty:0 is not usable any more: ", "the sentence names the device");
  hed_error_clear();

  is_int(hed_backend_require("faulty:1"), HED_OK, "asking for the other one");
  ok(two("faulty:0") < 0, "does not bring it back");
  hed_error_clear();
  is_int(hed_backend_require("faulty:0"), HED_OK, "asking for itself does: %s", hed_error_text());
  ok(two("faulty:0") == 2 && two("faulty:1") == 2, "both compute");
  is_int(query().state, HED_BACKEND_READY, "the backend is ready");
  is_str(query().reason, "usable", "without a but");
  is_int(hed_to_host(before, out, sizeof out), HED_E_UNAVAILABLE, "elements of before stay gone");
  hed_error_clear();
  HED_CONTEXT(context)
    HED_SCOPE
      ok(!hed_full(HED_SHAPE(4), 1, HED_FLOAT32), "so does a context of before");
  hed_error_clear();
  reported(1, 0);
}

static void test_last(void)
{
  lose("faulty:1", "faulty:0");
  reported(1, 1);
  is_int(query().state, HED_BACKEND_READY, "one device is left");
  lose("faulty:0", NULL);
  reported(2, 1);
  is_int(query().state, HED_BACKEND_FAILED, "the last one takes the backend with it");
  has_str(query().reason, "took the device with it", "and says why");
  ok(two("faulty:1") < 0 && two("faulty") < 0, "nothing works on it any more");
  hed_error_clear();
  is_int(hed_backend_require("faulty:1"), HED_OK, "asking for one device: %s", hed_error_text());
  is_int(query().state, HED_BACKEND_READY, "brings the backend back");
  ok(two("faulty:1") == 2 && two("faulty:0") == 2, "and both compute: %s", hed_error_text());
}

static void test_init(void)
{
  lose("faulty:0", NULL);
  control("init_fail=1");
  ok(hed_backend_require("faulty:0") < 0, "one that cannot be made anew");
  has_str(hed_error_text(), "was told to fail its initialisation", "says so");
  hed_error_clear();
  ok(two("faulty:1") == 2, "the other one computes");
  has_str(query().reason, "but for device 0: faulty:0 was told to fail", "the reason is the latest");
  is_int(hed_backend_require("faulty:0"), HED_OK, "the next attempt: %s", hed_error_text());
  ok(two("faulty:0") == 2, "and it computes");
}

/* In a process of its own: the best backend's first device cannot be made. */
static void test_choice(void)
{
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    setenv("HEDDLE_TEST_FAULTY", "probe=1000;init_fail=1", 1);
    if (hed_auto_select_backend() != HED_OK)
      _exit(2);
    hed_array *x = hed_ones(HED_SHAPE(4), HED_FLOAT32);
    _exit(strcmp(hed_array_space(x), "faulty:1") == 0 ? 0 : 3);
  }
  waitpid(child, &status, 0);
  is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0, "the automatic choice takes the next device");
}

int main(void)
{
  test_choice();
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  if (hed_backend_require("faulty") != HED_OK || hed_device_count("faulty") < 2)
    skip_all("no two faulty devices: %s", hed_error_text());
  find_control();
  is_int(hed_backend_require("faulty:x"), HED_E_INVAL, "no number");
  has_str(hed_error_text(), "'x' in 'faulty:x'", "is quoted");
  is_int(hed_backend_require("faulty:77"), HED_E_NOTFOUND, "no such device");
  has_str(hed_error_text(), "device 77", "is named");
  hed_error_clear();
  hed_array *before = NULL;
  hed_context *context = NULL;
  HED_BACKEND_CONTEXT("faulty:0")
    before = hed_full(HED_SHAPE(4), 1, HED_FLOAT32);
  if (hed_wait(before) != HED_OK || hed_context_derive(NULL, "faulty:0", &context) != HED_OK || two("faulty:1") != 2)
    bail("%s", hed_error_text());
  test_one(before, context);
  test_last();
  test_init();
  hed_release(before);
  hed_context_release(context);
  hed_stats s = { .struct_size = sizeof s };
  hed_stats_get(&s);
  is_uint(s.arrays_live, 0, "no array is left");
  return done();
}
