// SPDX-License-Identifier: BSD-3-Clause
/* Random programs on a device whose streams are late by chance: threads compute from arrays of their own and from shared
 * ones, release and make arrays, write through views, go to the other device and back, and use what the device lacks. What comes
 * out is what the same program gives with plain memory, and the device saw nothing out of program order. L5. */
#include "gen.h"
#include "memory.h"

enum { THREADS = 3, SHARED = 4, OWN = 6, N = 40, STEPS = 400 };

static hed_array *shared[SHARED];
static float shared_values[SHARED][N];

typedef struct own {
  uint64_t seed;
  int device;
  hed_array *array[OWN];
  float value[OWN][N];
  int wrong;
} own;

static hed_array *made(const float *v)
{
  return hed_from_host(v, HED_SHAPE(N), HED_FLOAT32);
}

static void check(own *o, int k)
{
  float got[N] = { 0 };
  bool same = hed_to_host(o->array[k], got, sizeof got) == HED_OK;
  for (int i = 0; i < N; i++)
    same &= got[i] == o->value[k][i];
  if (same)
    return;
  if (o->wrong++ < 3)
    fprintf(stderr, "# got %g %g .., not %g %g ..: %s\n", (double)got[0], (double)got[1], (double)o->value[k][0],
            (double)o->value[k][1], hed_error_text());
}

/* The result of one operation in place of array K, which is released with its last uses under way. */
static void replace(own *o, int k, hed_array *x)
{
  hed_release(o->array[k]);
  o->array[k] = x;
}

static void step(own *o, gen *g)
{
  const int k = (int)gen_below(g, OWN), a = (int)gen_below(g, OWN), b = (int)gen_below(g, SHARED);
  const int from = (int)gen_below(g, N / 2), to = from + (int)gen_below(g, N / 2) + 1;
  const hed_array *x = o->array[a], *y = shared[b];
  float *v = o->value[k], u[N];
  memcpy(u, o->value[a], sizeof u);
  switch (gen_below(g, 9)) {
  case 0: /* two operands */
    replace(o, k, hed_subtract(y, x));
    for (int i = 0; i < N; i++)
      v[i] = shared_values[b][i] - u[i];
    break;
  case 1: /* through the fallback, where the device has few kernels */
    replace(o, k, hed_maximum(x, y));
    for (int i = 0; i < N; i++)
      v[i] = u[i] > shared_values[b][i] ? u[i] : shared_values[b][i];
    break;
  case 2: /* over an array that others may still read */
    if (hed_add_into(o->array[k], x, y) != HED_OK)
      o->wrong++;
    for (int i = 0; i < N; i++)
      v[i] = u[i] + shared_values[b][i];
    break;
  case 3: { /* a part of one */
    hed_array *part = hed_slice(o->array[k], 1, &HED_RANGE(from, to, 1));
    o->wrong += hed_fill(part, 7) != HED_OK;
    hed_release(part);
    for (int i = from; i < to; i++)
      v[i] = 7;
    break;
  }
  case 4: { /* backwards */
    hed_array *flipped = hed_flip(x, NULL);
    replace(o, k, hed_negative(flipped));
    hed_release(flipped);
    for (int i = 0; i < N; i++)
      v[i] = -u[N - 1 - i];
    break;
  }
  case 5: /* from the program, whose memory changes at once */
    replace(o, k, made(u));
    memcpy(v, u, sizeof u);
    memset(u, 0x55, sizeof u);
    break;
  case 6: { /* to the other device and back */
    hed_array *far = hed_to(x, o->device ? "faulty:0" : "faulty:1");
    replace(o, k, hed_to(far, o->device ? "faulty:1" : "faulty:0"));
    hed_release(far);
    memcpy(v, u, sizeof u);
    break;
  }
  case 7: /* a number goes along; values stay small whole numbers */
    replace(o, k, hed_minimum_scalar(x, 9));
    for (int i = 0; i < N; i++)
      v[i] = u[i] < 9 ? u[i] : 9;
    break;
  default:
    check(o, k);
  }
}

static void *program(void *arg)
{
  own *o = arg;
  gen g;
  gen_seed(&g, o->seed);
  HED_BACKEND_CONTEXT("faulty") {
    for (int k = 0; k < OWN; k++) {
      for (int i = 0; i < N; i++)
        o->value[k][i] = (float)gen_int(&g, -9, 9);
      o->array[k] = made(o->value[k]);
    }
    for (int n = 0; n < scaled(STEPS); n++)
      step(o, &g);
    for (int k = 0; k < OWN; k++) {
      check(o, k);
      hed_release(o->array[k]);
    }
  }
  return NULL;
}

int main(void)
{
  /* negative and subtract are the device's own, maximum and minimum are not */
  setenv("HEDDLE_TEST_FAULTY", "few=1;delay_us=0;jitter_us=300;roam=1", 1);
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend: %s", hed_error_text());
  const uint64_t seed = tap_seed();
  gen g;
  gen_seed(&g, seed);
  HED_BACKEND_CONTEXT("faulty") {
    for (int k = 0; k < SHARED; k++) {
      for (int i = 0; i < N; i++)
        shared_values[k][i] = (float)gen_int(&g, -9, 9);
      shared[k] = made(shared_values[k]); /* nobody waits for it */
    }
    for (int round = 0; round < 3; round++) {
      static own o[THREADS];
      pthread_t t[THREADS];
      int wrong = 0;
      for (int k = 0; k < THREADS; k++) {
        o[k] = (own){ .seed = seed + (uint64_t)(100 * round + k + 1) };
        if (hed_thread_create(&t[k], NULL, program, &o[k]) != 0)
          bail("no thread");
      }
      for (int k = 0; k < THREADS; k++) {
        pthread_join(t[k], NULL);
        wrong += o[k].wrong;
      }
      is_int(wrong, 0, "round %d: %d programs give what they give with plain memory", round, THREADS);
    }
    for (int k = 0; k < SHARED; k++)
      hed_release(shared[k]);
  }
  is_int(query("violations"), 0, "all was in program order");
  ok(query("overlap") > 1, "while streams overlapped");
  return done();
}
