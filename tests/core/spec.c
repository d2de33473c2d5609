// SPDX-License-Identifier: BSD-3-Clause
/* Specs: every option, every way to get one wrong, what is kept from the context before. L5. */
#include "scenario.h"

static bool derive(const hed_context *base, const char *spec, hed_context_info *info)
{
  hed_context *c = NULL;
  memset(info, 0, sizeof *info);
  info->struct_size = sizeof *info;
  bool good = hed_context_derive(base, spec, &c) == HED_OK && hed_context_query(c, info) == HED_OK;
  if (!good)
    diag("%s: %s", spec, hed_error_text());
  hed_context_release(c);
  return good;
}

static void test_options(void)
{
  hed_context_info i;
  ok(derive(NULL, "reference", &i), "a backend's name");
  is_str(i.name, "reference", "is the context's");
  is_str(i.backend, "reference", "and the backend's");
  is_int(i.device, 0, "device 0");
  is_int(i.threads, 0, "no ceiling");
  is_int(i.mix, HED_MIX_FOLLOW, "mix=follow");
  is_int(i.fallback, HED_FALLBACK_ALLOW, "fallback=allow");
  ok(!i.relaxed, "dtype=strict");
  is_uint(i.memory_limit, 0, "no limit of memory");
  is_ptr(i.real, HED_FLOAT32, "REAL is float32");
  is_ptr(i.complex_, HED_COMPLEX64, "COMPLEX is complex64");
  is_ptr(i.index, HED_INT64, "INDEX is int64");
  ok(derive(NULL, "REFERENCE:0", &i) && strcmp(i.name, "reference") == 0, "case does not matter, the device may be said");
  ok(derive(NULL, ";threads=3", &i) && i.threads == 3 && strcmp(i.backend, "reference") == 0,
     "without a name the backend stays");
  ok(derive(NULL, "reference;Threads=0", &i) && i.threads == 0, "threads=0");
  ok(derive(NULL, "reference;threads=4096;", &i) && i.threads == 4096, "threads=4096 and a semicolon at the end");
  ok(derive(NULL, ";real=float64;complex=complex128;index=int32", &i) && i.real == HED_FLOAT64 &&
       i.complex_ == HED_COMPLEX128 && i.index == HED_INT32, "the abstract dtypes");
  ok(derive(NULL, ";real=bfloat16", &i) && i.real == HED_BFLOAT16, "real=bfloat16");
  ok(derive(NULL, ";dtype=relaxed", &i) && i.relaxed, "dtype=relaxed");
  ok(derive(NULL, ";dtype=strict", &i) && !i.relaxed, "dtype=strict");
  ok(derive(NULL, ";mix=strict", &i) && i.mix == HED_MIX_STRICT, "mix=strict");
  ok(derive(NULL, ";mix=COPY", &i) && i.mix == HED_MIX_COPY, "mix=COPY");
  ok(derive(NULL, ";mix=follow", &i) && i.mix == HED_MIX_FOLLOW, "mix=follow");
  ok(i.math == HED_MATH_IEEE && derive(NULL, ";math=tf32", &i) && i.math == HED_MATH_TF32, "math=tf32, only where it is asked for");
  ok(i.check == HED_CHECK_ASYNC && derive(NULL, ";check=sync", &i) && i.check == HED_CHECK_SYNC, "check=sync");
  ok(derive(NULL, ";check=async", &i) && i.check == HED_CHECK_ASYNC, "check=async");
  ok(derive(NULL, ";fallback=warn", &i) && i.fallback == HED_FALLBACK_WARN, "fallback=warn");
  ok(derive(NULL, ";fallback=error", &i) && i.fallback == HED_FALLBACK_ERROR, "fallback=error");
  ok(derive(NULL, ";fallback=allow", &i) && i.fallback == HED_FALLBACK_ALLOW, "fallback=allow");
  ok(derive(NULL, ";memory=1000", &i) && i.memory_limit == 1000, "memory in bytes");
  ok(derive(NULL, ";memory=3K", &i) && i.memory_limit == 3 << 10, "in KiB");
  ok(derive(NULL, ";memory=3m", &i) && i.memory_limit == 3 << 20, "in MiB");
  ok(derive(NULL, ";memory=3G", &i) && i.memory_limit == (size_t)3 << 30, "in GiB");
  ok(derive(NULL, ";memory=0", &i) && i.memory_limit == 0, "none");
  ok(derive(NULL, ";seed=18446744073709551615", &i) && i.seed == UINT64_MAX, "the greatest seed");
  ok(derive(NULL, ";threads=2;threads=5", &i) && i.threads == 5, "the last of two wins");
}

static void test_inheritance_of_options(void)
{
  hed_context *a = NULL;
  hed_context_info i;
  is_int(hed_context_derive(NULL, "reference;threads=3;real=float64;mix=strict;memory=1M;seed=9", &a), HED_OK, "a base");
  ok(derive(a, ";threads=4", &i), "derived");
  is_int(i.threads, 4, "what is said changes");
  ok(i.real == HED_FLOAT64 && i.mix == HED_MIX_STRICT && i.memory_limit == 1 << 20 && i.seed == 9, "the rest is kept");
  ok(derive(a, ";memory=2M", &i) && i.memory_limit == 2 << 20, "another limit, nested in the base's");
  hed_context *wider = NULL;
  hed_array *x = NULL;
  if (hed_context_derive(a, ";memory=2M", &wider) == HED_OK) {
    HED_CONTEXT(wider) x = hed_empty(HED_SHAPE(3 << 19), HED_UINT8);
    ok(!x && hed_error() == HED_E_LIMIT, "does not lift the base's");
    HED_CONTEXT(wider) x = hed_empty(HED_SHAPE(1 << 19), HED_UINT8);
    ok(x != NULL, "which leaves room for less");
    hed_release(x);
  }
  hed_context_release(wider);
  hed_context_release(a);
  hed_context_release(NULL);

  HED_BACKEND_CONTEXT(";memory=1K") {
    for (int k = 0; k < 3; k++)
      is_int(hed_set_backend(";memory=1M"), HED_OK, "a limit set in place of another");
    x = hed_empty(HED_SHAPE(4096), HED_UINT8);
    ok(x != NULL, "is not nested in it");
    hed_release(x);
  }
}

static void test_wrong(void)
{
  static const struct { const char *spec, *option, *value; hed_status status; } list[] = {
    { "nosuch", "nosuch", "", HED_E_NOTFOUND },
    { "reference:1", "reference", "1", HED_E_NOTFOUND },
    { "reference:x", "device", "x", HED_E_INVAL },
    { "reference:-1", "device", "-1", HED_E_INVAL },
    { "reference:", "device", "", HED_E_INVAL },
    { ":0", "backend", "", HED_E_INVAL },
    { "", "neither", "", HED_E_INVAL },
    { ";threads", "threads", "option=value", HED_E_INVAL },
    { ";threads=", "threads", "''", HED_E_INVAL },
    { ";threads=-1", "threads", "-1", HED_E_INVAL },
    { ";threads=4097", "threads", "4097", HED_E_INVAL },
    { ";threads=2x", "threads", "2x", HED_E_INVAL },
    { ";threads=2 2", "threads", "2 2", HED_E_INVAL },
    { ";threads=99999999999999999999", "threads", "99999999999999999999", HED_E_INVAL },
    { ";real=int32", "real", "int32", HED_E_INVAL },
    { ";real=real", "real", "real", HED_E_INVAL },
    { ";complex=float32", "complex", "float32", HED_E_INVAL },
    { ";index=uint8", "index", "uint8", HED_E_INVAL },
    { ";dtype=loose", "dtype", "loose", HED_E_INVAL },
    { ";mix=shaken", "mix", "shaken", HED_E_INVAL },
    { ";fallback=never", "fallback", "never", HED_E_INVAL },
    { ";math=fast", "math", "fast", HED_E_INVAL },
    { ";check=wait", "check", "wait", HED_E_INVAL },
    { ";memory=-1", "memory", "-1", HED_E_INVAL },
    { ";memory=1Q", "memory", "1Q", HED_E_INVAL },
    { ";memory=K", "memory", "K", HED_E_INVAL },
    { ";memory=18446744073709551615K", "memory", "18446744073709551615K", HED_E_INVAL },
    { ";seed=18446744073709551616", "seed", "18446744073709551616", HED_E_INVAL },
    { ";seed=", "seed", "''", HED_E_INVAL },
    { ";colour=red", "colour", "unknown option", HED_E_INVAL },
    { "reference;thread=2", "unknown option 'thread'; did you mean 'threads'? There are threads, real", "", HED_E_INVAL },
    { "reference;seede=2", "unknown option 'seede'; did you mean 'seed'?", "", HED_E_INVAL },
    { "reference;sede=2", "unknown option 'sede'; did you mean 'seed'?", "", HED_E_INVAL }, /* two neighbours the other way round */
    { ";mix=folow", "option mix cannot be 'folow'; did you mean 'follow'? There are follow, strict, copy", "", HED_E_INVAL },
    { "reference,threads=2", "options begin with ';', as in cpu;threads=2", "", HED_E_INVAL },
    { "referense", "no backend is called 'referense'; did you mean 'reference'?", "", HED_E_NOTFOUND },
    { "reference;threads=2;colour=red", "colour", "unknown option", HED_E_INVAL },
    { ";=3", "unknown option", "", HED_E_INVAL },
  };
  char longer[400];
  hed_context *none = NULL;
  (void)hed_context_derive(NULL, "nosuch", &none); /* what there is is found once, and stays known */
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    hed_context *c = (hed_context *)(uintptr_t)1;
    hed_error_clear();
    int64_t live = hed_test_alloc_live();
    is_int(hed_context_derive(NULL, list[k].spec, &c), list[k].status, "'%s' is wrong", list[k].spec);
    ok(c == NULL, "and gives no context");
    has_str(hed_error_text(), list[k].option, "the sentence names %s", list[k].option);
    has_str(hed_error_text(), list[k].value, "and '%s'", list[k].value);
    is_int(hed_backend_context_push(list[k].spec, NULL), list[k].status, "nor can it be pushed");
    is_int(hed_test_alloc_live(), live, "nothing stays of it");
  }
  hed_frame blank;
  hed_context_info info = { .struct_size = sizeof info };
  is_int(hed_backend_context_push(" reference ; threads = 3 ; seed=4", &blank), HED_OK, "blanks do not count");
  is_int(hed_context_query(NULL, &info) == HED_OK ? (int)info.threads : -1, 3, "and options are read");
  (void)hed_context_pop(blank);
  memset(longer, 'a', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  is_int(hed_backend_context_push(longer, NULL), HED_E_INVAL, "a spec of 399 bytes");
  has_str(hed_error_text(), "255", "is told the limit");
  is_int(hed_context_depth(), 0, "no frame was pushed");
  is_int(hed_backend_context_push(NULL, NULL), HED_E_INVAL, "no spec");
  is_int(hed_context_derive(NULL, NULL, &(hed_context *){ NULL }), HED_E_INVAL, "no spec to derive with");
  is_int(hed_context_derive(NULL, "reference", NULL), HED_E_INVAL, "nowhere to put the context");
  is_int(hed_set_default_backend(NULL), HED_E_INVAL, "no spec for the root");
  is_int(hed_set_backend(NULL), HED_E_INVAL, "no spec for the thread");
  is_int(hed_context_push(NULL, NULL), HED_E_INVAL, "no context to push");
  is_int(hed_context_query(NULL, NULL), HED_E_INVAL, "nowhere to put the description");
  is_int(hed_context_query(NULL, &(hed_context_info){ .struct_size = 0 }), HED_E_INVAL, "a description without its size");
}

static void *see_set(void *arg)
{
  *(int *)arg = here();
  has_str(hed_context_reason(), "inherited from the creating thread", "and know why");
  return NULL;
}

static void test_set(void)
{
  int seen = 0;
  is_int(hed_set_backend("reference;threads=21"), HED_OK, "set on the thread");
  is_int(here(), 21, "is in force");
  has_str(hed_context_reason(), "set", "for a reason");
  in_thread(see_set, &seen);
  is_int(seen, 21, "children inherit it");
  hed_frame f;
  is_int(push_tag(22, &f), HED_OK, "a frame over it");
  has_str(hed_context_reason(), "pushed", "has its reason");
  hed_frame bad = f;
  bad.cookie = 0;
  is_int(hed_context_pop(bad), HED_E_INVAL, "a token without its cookie");
  has_str(hed_error_text(), "the frame is empty", "is none");
  is_int(hed_set_backend(";threads=23"), HED_OK, "set within the frame");
  is_int(here(), 23, "replaces the frame's context");
  is_int(hed_context_depth(), 1, "and pushes none");
  is_int(hed_context_pop(f), HED_OK, "the frame's token is still good");
  is_int(here(), 21, "what was set before is in force again");
  is_int(hed_backend_context_pop(), HED_E_UNDERFLOW, "which is no frame");
  has_str(hed_error_text(), "set", "as the sentence says");
  hed_context *c = hed_context_current(), *d = hed_context_retain(c);
  is_ptr(d, c, "the current context, retained");
  is_int(tag_of(c), 21, "is the one in force");
  hed_context_release(c);
  hed_context_release(d);
  is_int(hed_auto_select_backend(), HED_OK, "the best usable backend");
  ok(hed_get_backend()[0] != '\0', "has a name: %s", hed_get_backend());
  has_str(hed_context_reason(), "scores", "and a reason: %s", hed_context_reason());
  is_int(hed_thread_detach(), HED_OK, "the thread's state dropped");
  is_int(here(), 1, "the root is followed again");
  is_int(hed_thread_detach(), HED_OK, "twice");
}

int main(void)
{
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  if (hed_set_default_backend(";threads=0") != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_options();
  test_inheritance_of_options();
  test_wrong();
  if (hed_set_default_backend(";threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  has_str(hed_context_reason(), "hed_set_default_backend", "the root's reason");
  test_set();
  return done();
}
