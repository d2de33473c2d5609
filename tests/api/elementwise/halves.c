// SPDX-License-Identifier: BSD-3-Clause
/* Results of the 16-bit floats are rounded to their type, also those that go into an array of another one: what is written is
 * what the new array would have held, converted. So it is with every other type.
 */
#include "api.h"
#include "gen.h"

enum { MOST = 300 };
static const hed_dtype *types(void)
{
  static hed_dtype t[7];
  t[0] = HED_FLOAT32, t[1] = HED_FLOAT64, t[2] = HED_COMPLEX64, t[3] = HED_COMPLEX128, t[4] = HED_FLOAT16, t[5] = HED_BFLOAT16;
  t[6] = HED_INT32;
  return t;
}

/* OUT is what MADE, which is released, becomes in OUT's type, and MADE is one that rounding has changed. */
static bool agrees(const hed_array *out, hed_array *made)
{
  hed_array *want = hed_astype(made, hed_array_dtype(out)), *same = hed_equal(out, want), *all = hed_all(same, NULL);
  double yes = 0;
  const bool good = all && hed_item(all, &yes) == HED_OK && yes == 1;
  RELEASE(made, want, same, all);
  return good;
}

static void rounds(const char *backend)
{
  static double a[MOST], b[MOST];
  gen g;
  gen_seed(&g, tap_seed());
  diag("halves on %s, %d threads", backend, api_threads);
  for (int k = 0; k < MOST; k++) {
    a[k] = gen_double(&g, 1, 60);
    b[k] = gen_double(&g, 1, 60);
  }
  for (int half = 0; half < 2; half++)
    for (int to = 0; to < 7; to++)
      for (int64_t n = 3; n <= MOST; n += MOST - 3) {
        const hed_dtype t = half ? HED_BFLOAT16 : HED_FLOAT16, other = types()[to];
        hed_array *x = api_array(HED_SHAPE(n, 1), t, a), *y = api_array(HED_SHAPE(n, 1), t, b);
        hed_array *out = hed_empty(HED_SHAPE(n, 1), other), *i = hed_astype(y, HED_INT32), *yes = hed_less(x, y);
        diag("%lld of %s into %s", (long long)n, hed_dtype_name(t), hed_dtype_name(other));
        ok(hed_multiply_into(out, x, y) == HED_OK && agrees(out, hed_multiply(x, y)), "multiply");
        ok(hed_sqrt_into(out, x) == HED_OK && agrees(out, hed_sqrt(x)), "sqrt");
        ok(hed_divide_scalar_into(out, x, 3) == HED_OK && agrees(out, hed_divide_scalar(x, 3)), "by a scalar");
        ok(hed_add_into(out, x, i) == HED_OK && agrees(out, hed_add(x, i)), "with integers");
        ok(hed_fma_into(out, x, y, x) == HED_OK && agrees(out, hed_fma(x, y, x)), "fma");
        ok(hed_clip_into(out, x, 1.1, 20.3) == HED_OK && agrees(out, hed_clip(x, 1.1, 20.3)), "clip");
        ok(hed_where_into(out, yes, x, y) == HED_OK && agrees(out, hed_where(yes, x, y)), "where");
        HED_FUSED {
          hed_array *sum = hed_add(x, y);
          is_int(hed_multiply_into(out, sum, y), HED_OK, "fused");
          hed_release(sum);
        }
        hed_array *sum = hed_add(x, y);
        ok(agrees(out, hed_multiply(sum, y)), "the same of a fused sum");
        hed_array *view = hed_transpose(out, NULL), *row = hed_reshape(x, HED_SHAPE(1, n));
        ok(hed_square_into(view, row) == HED_OK && agrees(view, hed_square(row)), "into a view");
        hed_array *all[] = { x, y, out, i, yes, sum, view, row };
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
          hed_release(all[k]);
      }
  hed_array *x = API_VECTOR(HED_FLOAT16, 0.1), *out = hed_empty(HED_SHAPE(1), HED_FLOAT32);
  hed_array *two = hed_empty(HED_SHAPE(2), HED_FLOAT32);
  is_int(hed_multiply_into(out, x, x), HED_OK, "0.1 squared");
  api_is(hed_copy(out), HED_SHAPE(1), HED_FLOAT32, API_LIST(0x1.478p-7), "in float16 9.994506835937500e-03");
  API_FAIL(hed_multiply_into(two, x, x), HED_E_SHAPE, "multiply: out has shape (2,), the result (1,)");
  RELEASE(x, out, two);
}

/* ---- the next number ---- */

/* Bits of a type whose infinity is INF as places in the order of numbers, zeros both at 0; and back. */
static int place_of(uint16_t h) { return h & 0x8000 ? -(h & 0x7fff) : h; }
static uint16_t at_place(int place, uint16_t zero) { return (uint16_t)(place < 0 ? 0x8000 - place : place > 0 ? place : zero); }

static bool is_nan(uint16_t h, int inf) { return (h & 0x7fff) > inf; }

static bool good_next(uint16_t got, uint16_t a, uint16_t b, int inf)
{
  const int from = place_of(a), to = place_of(b);
  if (is_nan(a, inf) || is_nan(b, inf))
    return is_nan(got, inf);
  if (from == to)
    return got == b;
  return got == at_place(from < to ? from + 1 : from - 1, a & 0x8000);
}

static void next_numbers(const char *backend)
{
  enum { ALL = 65536, SHIFTS = 6 };
  static uint16_t a[ALL], b[ALL], got[ALL];
  diag("nextafter on %s, %d threads", backend, api_threads);
  for (int k = 0; k < ALL; k++)
    a[k] = (uint16_t)k;
  for (int half = 0; half < 2; half++)
    for (int round = 0; round < SHIFTS; round++) {
      const int inf = half ? 0x7f80 : 0x7c00;
      const uint16_t ends[SHIFTS] = { (uint16_t)inf, (uint16_t)(inf | 0x8000), 0, 0x8000, 1, 0 };
      for (int k = 0; k < ALL; k++) /* towards one number, and then towards another each */
        b[k] = round < SHIFTS - 1 ? ends[round] : (uint16_t)(k * 40503 + 7);
      const hed_dtype t = half ? HED_BFLOAT16 : HED_FLOAT16;
      hed_array *x = hed_from_host(a, HED_SHAPE(ALL), t), *y = hed_from_host(b, HED_SHAPE(ALL), t), *next[4] = { NULL };
      next[0] = hed_nextafter(x, y);
      HED_FUSED {
        hed_array *same = hed_negative(x), *other = hed_negative(y), *n = hed_nextafter(same, other);
        next[1] = hed_negative(n);
        RELEASE(same, other, n);
      }
      next[2] = hed_copy(x);
      is_int(hed_nextafter_into(next[2], next[2], y), HED_OK, "in place");
      next[3] = hed_empty(HED_SHAPE(ALL), HED_FLOAT32);
      is_int(hed_nextafter_into(next[3], x, y), HED_OK, "into float32");
      for (int way = 0; way < 4; way++) {
        hed_array *n = hed_astype(next[way], t);
        int wrong = -1;
        if (!n)
          diag("%s", hed_error_text());
        ok(n && hed_array_dtype(next[way]) == (way == 3 ? HED_FLOAT32 : t) && hed_to_host(n, got, sizeof got) == HED_OK, "is there");
        for (int k = 0; k < ALL && wrong < 0; k++)
          wrong = good_next(got[k], a[k], b[k], inf) ? -1 : k;
        is_int(wrong, -1, "%s, towards %04x, way %d: wrong at bits", hed_dtype_name(t), (unsigned)b[wrong < 0 ? 0 : wrong], way);
        RELEASE(n, next[way]);
      }
      RELEASE(x, y);
    }
  if (strcmp(backend, "reference") != 0 && strcmp(backend, "cpu") != 0)
    return;
  hed_array *one = API_VECTOR(HED_FLOAT16, 1, 1, 65504), *up = hed_nextafter_scalar(one, 2), *down = hed_scalar_nextafter(1, one);
  api_is(up, HED_SHAPE(3), HED_FLOAT16, API_LIST(0x1.004p0, 0x1.004p0, 65472), "towards a number");
  api_is(down, HED_SHAPE(3), HED_FLOAT16, API_LIST(1, 1, 0x1.004p0), "of a number");
  hed_release(one);
}

int main(void)
{
  api_each_context(next_numbers);
  const char *const devices[] = { "faulty", "opencl", "cuda" };
  for (int k = 0; k < 3; k++) {
    api_threads = 1;
    if (hed_backend_require(devices[k]) == HED_OK)
      api_in(devices[k], k ? devices[k] : "faulty;dtype=relaxed", next_numbers);
  }
  api_each_context(rounds);
  done_testing();
  return done();
}
