// SPDX-License-Identifier: BSD-3-Clause
/* cuda on the driver of tests/cudashim: every call of the driver fails once, at its turn, in a short program. The program gets an
 * error with words or, where nothing was lost, its right result; the device serves again afterwards; contexts are as found. */
#include "tap.h"
#include <dlfcn.h>
#include <heddle.h>
#include <stdlib.h>
#include <string.h>

static void (*fail_at)(int n, unsigned code);
static int (*calls)(void);
static int (*depth)(void);

static bool open_shim(void)
{
  void *h = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void *f = h ? dlsym(h, "cudashim_fail") : NULL, *c = h ? dlsym(h, "cudashim_calls") : NULL,
       *d = h ? dlsym(h, "cudashim_depth") : NULL;
  memcpy(&fail_at, &f, sizeof f);
  memcpy(&calls, &c, sizeof c);
  memcpy(&depth, &d, sizeof d);
  return f && c && d;
}

enum { N = 64 };

/* Copies in, a kernel, a product, a transform there and back, copies out: 2 (k + 1) for element k. */
static hed_status program(bool *right)
{
  float in[N], out[N];
  hed_status status = HED_E_INTERNAL;
  *right = true;
  for (int k = 0; k < N; k++)
    in[k] = (float)k;
  HED_SCOPE
  {
    hed_array *x = hed_from_host(in, HED_SHAPE(8, 8), HED_FLOAT32), *one = hed_eye(8, 8, 0, HED_FLOAT32);
    hed_array *y = hed_multiply_scalar(hed_add_scalar(hed_matmul(x, one), 1), 2);
    hed_array *z = hed_irfftn(hed_rfftn(y, NULL), NULL);
    hed_array *turned = hed_copy(hed_transpose(z, NULL));
    status = turned ? hed_to_host(hed_transpose(turned, NULL), out, sizeof out) : hed_error();
  }
  for (int k = 0; k < N && status == HED_OK; k++)
    *right = *right && out[k] > 2 * (float)k + 1.99f && out[k] < 2 * (float)k + 2.01f;
  return status;
}

/* Factors one by one and together, and a product that TF32 may have: x + 1 for element k of the right side. */
static hed_status factors(bool *right)
{
  float in[3 * 16], out[3 * 16];
  hed_status status = HED_E_INTERNAL;
  *right = true;
  for (int k = 0; k < 48; k++)
    in[k] = (float)(k % 16 % 5 == 0 ? 8 : k % 3);
  HED_BACKEND_CONTEXT("cuda:0;math=tf32;fallback=error")
  HED_SCOPE
  {
    hed_array *a = hed_from_host(in, HED_SHAPE(3, 4, 4), HED_FLOAT32), *q = NULL, *r = NULL, *u = NULL, *s = NULL, *vh = NULL;
    hed_array *b = hed_matmul(a, hed_ones(HED_SHAPE(3, 4, 4), HED_FLOAT32));
    status = hed_qr(a, HED_QR_REDUCED, &q, &r);
    if (status == HED_OK)
      status = hed_svd(hed_copy(a), false, &u, &s, &vh);
    hed_array *y = status == HED_OK ? hed_add(hed_solve(a, b), hed_multiply_scalar(hed_sum(s, NULL), 0)) : NULL;
    status = y ? hed_to_host(hed_add_scalar(y, 1), out, sizeof out) : hed_error();
  }
  for (int k = 0; k < 48 && status == HED_OK; k++)
    *right = *right && out[k] > 1.999f && out[k] < 2.001f;
  return status;
}

/* The N-th call from now on fails, for every N that is reached. */
static void sweep(unsigned code, const char *name, hed_status (*run)(bool *))
{
  int failed = 0, silent = 0, wrong = 0, deep = 0, dead = 0, n, reached = 1;
  for (n = 1; reached && n < 2000; n++) {
    bool right;
    fail_at(n, code);
    const int before = calls();
    const hed_status status = run(&right);
    reached = calls() - before >= n;
    fail_at(0, 0);
    failed += status != HED_OK;
    silent += status != HED_OK && !*hed_error_text();
    wrong += status == HED_OK && !right;
    deep += depth() != 0;
    if (run(&right) != HED_OK || !right) {
      diag("after the failure of call %d: %s", n, hed_error_text());
      dead++;
      break;
    }
  }
  ok(n > 20 && failed > 0, "%s: %d calls failed, each once, and %d of these runs", name, n - 1, failed);
  is_int(silent, 0, "%s: each with words", name);
  is_int(wrong, 0, "%s: no wrong result", name);
  is_int(deep, 0, "%s: contexts as found", name);
  is_int(dead, 0, "%s: the device serves again", name);
}

/* Of two devices one is lost: that one says so, the other one goes on. */
static void lose(void)
{
  bool right;
  const int64_t list[2] = { 1, 0 };
  hed_array *taken = NULL, *more = NULL;
  HED_BACKEND_CONTEXT("cuda:0") HED_SCOPE {
    taken = hed_keep(hed_take(hed_ones(HED_SHAPE(2), HED_FLOAT32), hed_from_host(list, HED_SHAPE(2), HED_INT64), 0));
    more = hed_keep(hed_add_scalar(taken, 1));
  }
  fail_at(10, 719);
  is_int(program(&right), HED_E_UNAVAILABLE, "a launch that ends the context");
  fail_at(0, 0);
  for (int k = 0; k < 2; k++)
    ok(hed_to_host(k ? more : taken, &(float[2]){ 0 }, 8) != HED_OK && strstr(hed_error_text(), "lost"),
       "what might still have failed has: %s", hed_error_text());
  hed_release(more);
  hed_release(taken);
  is_int(program(&right), HED_E_UNAVAILABLE, "the device is lost");
  ok(strstr(hed_error_text(), "cuda:0 was lost"), "and says so: %s", hed_error_text());
  is_int(hed_set_backend("cuda:1"), HED_OK, "another device");
  ok(program(&right) == HED_OK && right, "goes on");
  is_int(depth(), 0, "contexts as found");
}

int main(void)
{
  bool right;
  if (hed_set_backend("cuda:0") != HED_OK || !open_shim())
    skip_all("no driver for tests: %s", hed_error_text());
  is_int(program(&right), HED_OK, "the program, undisturbed");
  ok(right, "its result");
  sweep(1, "invalid value", program);
  sweep(2, "out of memory", program);
  is_int(factors(&right), HED_OK, "factors, undisturbed");
  ok(right, "their result");
  sweep(1, "factors, invalid value", factors);
  sweep(2, "factors, out of memory", factors);
  lose();
  return done();
}
