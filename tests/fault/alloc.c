// SPDX-License-Identifier: BSD-3-Clause
/* Contexts, snapshots, threads and memory, with every allocation failing in turn: see fault.h; operations are in alloc_calls.c. L5. */
#include "fault.h"
#include <stdatomic.h>

static hed_array *x, *y; /* operands, made once */
static hed_context *context;
static hed_snapshot *snapshot;
static char path[64];

/* ---- arrays ---- */

static result do_fft_plan(void)
{
  hed_fft_plan *f = NULL, *i = NULL;
  hed_status s = hed_build_fft(HED_SHAPE(3, 4), HED_FLOAT32, NULL, &f, &i);
  if (s != HED_OK && (f || i))
    fail("build_fft: results with an error");
  if (s == HED_OK) {
    hed_array *half = hed_fft_plan_run(f, x);
    s = half ? HED_OK : hed_error();
    hed_release(half);
  }
  hed_fft_plan_release(f);
  hed_fft_plan_release(i);
  return status(s);
}
static result do_to(void) { return given(hed_to(x, "reference;threads=2")); }

static int done_calls;
static void done_with(void *arg) { done_calls += arg != NULL; }
static result do_wrap(void)
{
  static float data[4];
  int before = done_calls;
  hed_array *w = hed_wrap(data, HED_SHAPE(4), NULL, HED_FLOAT32, done_with, data);
  if (!w && done_calls != before)
    fail("wrap: done was called although wrapping failed");
  return given(w);
}

/* ---- the runtime ---- */

static result do_derive(void)
{
  hed_context *c = NULL;
  hed_status s = hed_context_derive(NULL, "reference;threads=2;memory=1M", &c);
  hed_context_release(c);
  return status(s);
}
static result do_push(void)
{
  char spec[64]; /* a new one each time: a known one is not derived again */
  static int n;
  hed_frame f;
  snprintf(spec, sizeof spec, "reference;threads=%d;memory=1M", 1 + n++ % 4000);
  hed_status s = hed_backend_context_push(spec, &f);
  return s == HED_OK ? status(hed_context_pop(f)) : FAILED;
}
static result do_push_context(void)
{
  hed_frame f;
  return hed_context_push(context, &f) == HED_OK ? status(hed_context_pop(f)) : FAILED;
}
static result do_push_stream(void)
{
  static hed_generator g;
  hed_frame f;
  return hed_context_push_stream(context, &g, &f) == HED_OK ? status(hed_context_pop(f)) : FAILED;
}
static result do_context_set(void) { return status(hed_context_set(context, NULL)); }
static result do_set(void) { return status(hed_set_backend("reference;memory=2M")); }
static result do_set_memory(void) { return status(hed_set_available_memory(2 << 20)); }
static result do_memory_query(void)
{
  hed_memory_info i = { .struct_size = sizeof i };
  return status(hed_memory_query("reference", &i));
}
static result do_meter(void)
{
  hed_memory_meter m;
  hed_status s = hed_memory_meter_begin("reference", &m);
  hed_memory_meter_end(&m);
  return status(s);
}
static result do_synchronize(void) { return status(hed_synchronize("reference")); }
static result do_set_device(void) { return status(hed_set_device(0)); }
static result do_device_push(void)
{
  hed_frame f;
  return hed_device_push(0, &f) == HED_OK ? status(hed_context_pop(f)) : FAILED;
}
static result do_device_supports(void) { return hed_device_supports("reference", "complex") == 1 ? DONE : FAILED; }
static result do_set_default(void) { return status(hed_set_default_backend("reference;threads=1")); }
static result do_capture(void)
{
  hed_snapshot *s = NULL;
  hed_status st = hed_capture(&s);
  hed_snapshot_release(s);
  return status(st);
}
static result do_adopt(void)
{
  hed_frame f;
  return hed_adopt(snapshot, 1, &f) == HED_OK ? status(hed_context_unwind(f)) : FAILED;
}
static result do_scope(void)
{
  hed_scope s;
  if (hed_scope_begin(&s) != HED_OK)
    return FAILED;
  hed_array *a = hed_add(x, y);
  hed_scope_end(&s);
  return a ? DONE : FAILED;
}
static atomic_int ran;
static void *run(void *arg)
{
  atomic_fetch_add(&ran, here() == 1);
  return arg;
}
static result do_thread(void)
{
  pthread_t t;
  int before = atomic_load(&ran);
  if (hed_thread_create(&t, NULL, run, NULL) != 0) {
    hed_fail(HED_E_NOMEM, "thread_create: no child");
    return FAILED;
  }
  pthread_join(t, NULL);
  if (atomic_load(&ran) != before + 1)
    fail("a child without its creator's context");
  return DONE;
}
static result do_require(void) { return status(hed_backend_require("reference")); }
static result do_query(void)
{
  hed_backend_info i = { .struct_size = sizeof i };
  return status(hed_backend_query("reference", &i));
}
static result do_save(void) { return status(hed_save_npy(path, x)); }
static result do_load(void) { return given(hed_load_npy(path)); }

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(fft_plan), E(to), E(wrap), E(derive), E(push), E(push_context), E(push_stream), E(context_set), E(set), E(set_memory),
  E(memory_query), E(meter), E(synchronize), E(set_device), E(device_push), E(device_supports), E(set_default), E(capture), E(adopt),
  E(scope), E(thread), E(require), E(query), E(save), E(load),
#undef E
};

int main(void)
{
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 };
  const char *tmp = getenv("TMPDIR");
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  snprintf(path, sizeof path, "%s/heddle-alloc-%d.npy", tmp && strlen(tmp) < 30 ? tmp : "/tmp", (int)getpid());
  x = hed_from_host(data, HED_SHAPE(3, 4), HED_FLOAT32);
  y = hed_add_scalar(x, 1);
  if (!x || !y ||
      hed_capture(&snapshot) != HED_OK ||
      hed_context_derive(NULL, ";threads=1", &context) != HED_OK || hed_save_npy(path, x) != HED_OK)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k]);
  unlink(path);
  hed_snapshot_release(snapshot);
  hed_context_release(context);
  return done();
}
