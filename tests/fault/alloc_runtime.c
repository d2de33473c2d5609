// SPDX-License-Identifier: BSD-3-Clause
/* The runtime's questions and services, and small functions of arrays, with every allocation failing in turn: see fault.h. Also as
 * the first call of a process, which loads, reads settings and makes the thread's block, here without operands.
 * Contexts, snapshots and threads are in fault/alloc.c. L5.
 */
#include "arrays.h"
#include "fault.h"
#include <sys/wait.h>

static hed_array *x, *one, *target; /* operands, made once */

static result count(int n)
{
  return n >= 0 ? DONE : FAILED;
}

/* ---- backends and devices ---- */

static void nobody(void *arg, const char *a, const char *b, int32_t s, const char *c)
{
  (void)arg, (void)a, (void)b, (void)s, (void)c;
}
static result do_backend_list(void) { return count(hed_backend_list(NULL, 0)); }
static result do_available_devices(void)
{
  const char *names[8];
  return count(hed_available_devices(names, 8));
}
static result do_device_count(void) { return count(hed_device_count("reference")); }
static result do_explain(void) { return count(hed_backend_explain("reference", nobody, NULL)); }
static result do_supports(void) { return count(hed_backend_supports("reference", HED_OP_ADD, HED_FLOAT32)); }
static result do_device(void)
{
  char buf[64];
  return status(hed_backend_device("reference", 0, buf, sizeof buf));
}
static result do_get_device(void) { return hed_get_device(x) ? DONE : FAILED; }
static result do_push_pop(void)
{
  hed_frame f;
  return hed_backend_context_push("reference;threads=1", &f) == HED_OK ? status(hed_backend_context_pop()) : FAILED;
}
static result do_context_current(void)
{
  hed_context *c = hed_context_current();
  hed_context_info i = { .struct_size = sizeof i };
  hed_status s = c ? hed_context_query(c, &i) : hed_error();
  hed_context_release(c);
  return status(s);
}
static result do_resolve(void)
{
  hed_dtype_resolution r = { .struct_size = sizeof r };
  return status(hed_dtype_resolve(HED_REAL, NULL, &r));
}
/* What was chosen is undone, for `here` to stay. */
static result do_auto_select(void)
{
  hed_frame f;
  if (hed_backend_context_push(";threads=1", &f) != HED_OK)
    return FAILED;
  result r = status(hed_auto_select_backend());
  return hed_context_pop(f) == HED_OK ? r : FAILED;
}

/* ---- reports ---- */

static void no_setting(void *arg, const char *name, const char *value, const char *source)
{
  (void)arg, (void)name, (void)value, (void)source;
}
static void no_cache(void *arg, const hed_cache_stats *c) { (void)arg, (void)c; }
static void no_event(void *arg, const hed_trace_event *e) { (void)arg, (void)e; }
static void no_message(void *arg, hed_log_level l, const char *a, const char *b) { (void)arg, (void)l, (void)a, (void)b; }
/* Its file is what a failure may leave, complete or not; its memory goes. */
static result do_profile(void)
{
  const char *tmp = getenv("TMPDIR");
  char path[300], raw[310];
  snprintf(path, sizeof path, "%.200s/fault-profile-%d.json", tmp && *tmp ? tmp : "/tmp", (int)getpid());
  snprintf(raw, sizeof raw, "%s.raw", path);
  hed_status s = hed_profile_begin(path, NULL);
  if (s == HED_OK) {
    hed_profile_mark("here");
    hed_profile_range_end(hed_profile_range_begin("there"));
    s = hed_profile_convert(raw, path); /* what there is so far */
    const hed_status ended = hed_profile_end();
    s = s == HED_OK ? ended : s;
  }
  unlink(path);
  unlink(raw);
  return status(s);
}
static result do_config_list(void) { return count(hed_config_list(no_setting, NULL)); }
static result do_cache_list(void) { return count(hed_cache_list(no_cache, NULL)); }
static result do_trace(void)
{
  if (hed_trace(no_event, NULL) != HED_OK)
    return FAILED;
  result r = given(hed_add(x, x));
  return hed_trace(NULL, NULL) == HED_OK ? r : FAILED;
}
static result do_log_set(void)
{
  hed_log_set(HED_LOG_DEBUG, no_message, NULL);
  result r = given(hed_add(x, x));
  hed_log_set(HED_LOG_OFF, NULL, NULL);
  return r;
}
static result do_stats(void)
{
  hed_stats s = { .struct_size = sizeof s };
  return status(hed_stats_get(&s));
}
static result do_available_memory(void) { return hed_get_available_memory() > 0 ? DONE : FAILED; }
static result do_meter_read(void)
{
  hed_memory_meter m;
  hed_memory_reading r = { .struct_size = sizeof r };
  if (hed_memory_meter_begin("reference", &m) != HED_OK)
    return FAILED;
  hed_status s = hed_memory_meter_read(&m, &r);
  hed_memory_meter_end(&m);
  return status(s);
}
static result do_trim(void)
{
  (void)hed_trim("reference", 1, HED_TRIM_BLOCKS);
  return status(hed_error());
}
static result do_trim_then_add(void)
{
  (void)hed_free_cache();
  return given(hed_add(x, x));
}
static void *detach(void *arg)
{
  *(result *)arg = status(hed_thread_detach());
  return NULL;
}
static result do_detach(void)
{
  pthread_t t;
  result r = FAILED;
  if (hed_thread_create(&t, NULL, detach, &r) != 0)
    return hed_fail(HED_E_NOMEM, "thread_create: no child"), FAILED;
  pthread_join(t, NULL);
  if (r == FAILED)
    hed_fail(HED_E_NOMEM, "thread_detach, in the child");
  return r;
}
static result do_shared_unlink(void)
{
  char token[HED_SHARED_TOKEN];
  hed_array *a = hed_shared_new(HED_SHAPE(3), HED_FLOAT32, &(hed_shared){ .keep = true }, token);
  if (!a)
    return FAILED;
  hed_release(a);
  for (int k = 0; k < 2; k++) /* the name is not to stay */
    if (hed_shared_unlink(token) == HED_OK)
      return k == 0 ? DONE : FAILED;
  return fail("shared_unlink: %s", hed_error_text()), FAILED;
}

/* ---- arrays ---- */

static result do_to_host(void)
{
  float values[12];
  return status(hed_to_host(x, values, sizeof values));
}
static result do_wait(void) { return status(hed_wait(x)); }
static result do_item(void)
{
  double v;
  return status(hed_item(one, &v));
}
static result do_item_complex(void)
{
  double v[2];
  return status(hed_item_complex(one, v));
}
static result do_item_int(void)
{
  int64_t v;
  return status(hed_item_int(one, &v));
}
static result do_item_uint(void)
{
  uint64_t v;
  return status(hed_item_uint(one, &v));
}
static result do_keep(void)
{
  hed_scope s;
  if (hed_scope_begin(&s) != HED_OK)
    return FAILED;
  hed_array *a = hed_keep(hed_add(x, x));
  hed_scope_end(&s);
  return given(a);
}
static result do_scalar_bool(void) { return given(hed_scalar_bool(true)); }
static result do_scalar_int(void) { return given(hed_scalar_int(3)); }
static result do_scalar_uint(void) { return given(hed_scalar_uint(3)); }
static result do_scalar_complex(void) { return given(hed_scalar_complex(3, 4)); }
static result do_empty(void) { return given(hed_empty(HED_SHAPE(3), HED_FLOAT32)); }
static result do_empty_like(void) { return given(hed_empty_like(x)); }
static result do_full(void) { return given(hed_full(HED_SHAPE(3), 2, HED_FLOAT32)); }
static result do_full_like(void) { return given(hed_full_like(x, 2)); }
static result do_zeros_like(void) { return given(hed_zeros_like(x)); }
static result do_fill(void) { KEPT(target, hed_fill(target, 2)); }
static result do_fill_int(void) { KEPT(target, hed_fill_int(target, 2)); }
static result do_fill_complex(void) { KEPT(target, hed_fill_complex(target, 2, 0)); }
static result do_set(void) { KEPT(target, HED_SET(target, x, HED_SLICE(0, 3, 1))); }
static result do_set_turned(void) { KEPT(target, HED_SET(target, target, HED_SLICE(HED_SLICE_END, HED_SLICE_BEGIN, -1))); }
static result do_accumulate(void) { KEPT(target, HED_ACCUMULATE(target, HED_SCATTER_ADD, x, HED_SLICE(0, 3, 1))); }

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(backend_list), E(available_devices), E(device_count), E(explain), E(supports), E(device), E(get_device),
  E(push_pop), E(context_current), E(resolve), E(auto_select), E(config_list), E(profile), E(cache_list), E(trace),
  E(log_set), E(stats), E(available_memory), E(meter_read), E(trim), E(trim_then_add), E(detach), E(shared_unlink),
  E(to_host), E(wait), E(item), E(item_complex), E(item_int), E(item_uint), E(keep), E(scalar_bool),
  E(scalar_int), E(scalar_uint), E(scalar_complex), E(empty),
  E(empty_like), E(full), E(full_like), E(zeros_like), E(fill), E(fill_int), E(fill_complex), E(set), E(set_turned),
  E(accumulate),
#undef E
};

/* ---- first calls ---- */

static float values[4] = { 1, 2, 3, 4 };
static result do_wrap(void) { return given(hed_wrap(values, HED_SHAPE(4), NULL, HED_FLOAT32, NULL, NULL)); }
static result do_from_host(void) { return given(hed_from_host(values, HED_SHAPE(4), HED_FLOAT32)); }
static result do_scalar(void) { return given(hed_scalar(3)); }
static result do_arange(void) { return given(hed_arange(0, 4, 1, HED_FLOAT32)); }
static result do_random(void) { return given(hed_random_normal(HED_SHAPE(4), HED_FLOAT32, NULL)); }
static result do_pinned(void) { return given(hed_empty_pinned(HED_SHAPE(4), HED_FLOAT32, NULL)); }
static result do_require(void) { return status(hed_backend_require("reference")); }
static result do_default(void) { return status(hed_set_default_backend("reference")); }
static result do_permits(void)
{
  const int n = hed_permits_acquire(2);
  hed_permits_release(n);
  return DONE;
}
static result do_add(void)
{
  hed_array *a = hed_scalar(3), *b = hed_add(a, a);
  hed_release(a);
  return given(b);
}
static result do_map(void) { return given(hed_map_npy("/nonexistent", HED_MAP_READ)); }
static result do_create(void) { return given(hed_create_npy("/nonexistent/x", HED_SHAPE(3), HED_FLOAT32)); }
static result do_fused(void)
{
  hed_array *a = NULL;
  HED_FUSED a = hed_full(HED_SHAPE(3), 1, HED_FLOAT32);
  return given(a);
}

static const entry first[] = {
#define E(f) { #f, do_##f }
  E(wrap), E(from_host), E(scalar), E(arange), E(random), E(pinned), E(require), E(default), E(permits), E(add), E(map), E(create),
  E(fused),
#undef E
};

enum { NEVER = 1000 };

/* In a process of its own. N NEVER: how many allocations the call makes; else 0, or what is wrong when the N-th fails. */
static int cold(const entry *e, int n)
{
  int end = 0;
  const pid_t child = fork();
  if (child == 0) {
    hed_test_fail_alloc_at(n == NEVER ? 0 : (uint64_t)n);
    const result r = e->fn();
    hed_test_fail_alloc_at(0);
    if (n == NEVER)
      _exit(hed_test_alloc_count() < 250 ? (int)hed_test_alloc_count() : 250);
    if (r == FAILED && (hed_error() == HED_OK || !hed_error_text()[0]))
      _exit(1);
    hed_error_clear();
    (void)e->fn();
    _exit(0);
  }
  if (child < 0 || waitpid(child, &end, 0) != child)
    bail("no child");
  return WIFEXITED(end) ? WEXITSTATUS(end) : 1000 + WTERMSIG(end);
}

static void cold_storm(const entry *e)
{
  const int most = cold(e, NEVER);
  int wrong = 0;
  for (int n = 1; n <= most; n++) {
    const int status = cold(e, n);
    if (status && wrong++ == 0)
      diag("%s: %d when allocation %d fails", e->name, status, n);
  }
  is_int(wrong, 0, "%s as the first call: each of %d allocations may fail", e->name, most);
}

int main(void)
{
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 };
  for (size_t k = 0; k < sizeof first / sizeof first[0]; k++)
    cold_storm(&first[k]);
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    cold_storm(&entries[k]);
  if (!fault_on("reference"))
    return done();
  x = hed_from_host(data, HED_SHAPE(3, 4), HED_FLOAT32);
  one = hed_ones(HED_SHAPE(1), HED_FLOAT32);
  target = hed_zeros(HED_SHAPE(3, 4), HED_FLOAT32);
  if (!x || !one || !target)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k]);
  RELEASE(x, one, target);
  return done();
}
