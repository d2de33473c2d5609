// SPDX-License-Identifier: BSD-3-Clause
/* Integers as scalars: unsigned ones, what does not fit, comparisons beyond the other operand's type, and the statuses
 * that tell these from other mistakes.
 */
#include "api.h"
#include <math.h>

__extension__ typedef __int128 wide;

static const hed_dtype integers[] = { HED_INT8, HED_INT16, HED_INT32, HED_INT64, HED_UINT8, HED_UINT16, HED_UINT32, HED_UINT64 };

static wide least(hed_dtype t) { return hed_dtype_kind(t) == HED_KIND_UINT ? 0 : -((wide)1 << (8 * hed_dtype_size(t) - 1)); }
static wide most(hed_dtype t) { return least(t) + ((wide)1 << (8 * hed_dtype_size(t))) - 1; }

static hed_array *scalar_of(wide v)
{
  return v > INT64_MAX ? hed_scalar_uint((uint64_t)v) : hed_scalar_int((int64_t)v);
}

static hed_array *vector_of(hed_dtype t, const wide *v, int n)
{
  hed_array *x = hed_empty(HED_SHAPE(n), t);
  for (int k = 0; k < n; k++) {
    hed_array *at = hed_index(x, 0, k);
    if ((v[k] > INT64_MAX ? hed_fill_uint(at, (uint64_t)v[k]) : hed_fill_int(at, (int64_t)v[k])) != HED_OK)
      bail("%s", hed_error_text());
    hed_release(at);
  }
  return x;
}

static bool truth(int op, wide a, wide b)
{
  switch (op) {
  case 0: return a == b;
  case 1: return a != b;
  case 2: return a < b;
  case 3: return a <= b;
  case 4: return a > b;
  default: return a >= b;
  }
}

/* Every comparison of every integer type with scalars about both ends of every other one's range, on either side. */
static void comparisons(const char *backend)
{
  hed_array *(*const op[6])(const hed_array *, const hed_array *) = { hed_equal, hed_not_equal, hed_less, hed_less_equal,
                                                                      hed_greater, hed_greater_equal };
  hed_status (*const into[6])(hed_array *, const hed_array *, const hed_array *) = {
    hed_equal_into, hed_not_equal_into, hed_less_into, hed_less_equal_into, hed_greater_into, hed_greater_equal_into };
  int wrong = 0, done_ = 0;
  for (int i = 0; i < 8; i++) {
    const wide values[5] = { least(integers[i]), least(integers[i]) + 1, 1, most(integers[i]) - 1, most(integers[i]) };
    hed_array *x = vector_of(integers[i], values, 5), *out = hed_empty(HED_SHAPE(5), HED_BOOL);
    for (int j = 0; j < 8; j++)
      for (int d = -1; d <= 1; d++)
        for (int end = 0; end < 2; end++) {
          const wide s = (end ? most(integers[j]) : least(integers[j])) + d;
          if (s < INT64_MIN || s > UINT64_MAX)
            continue;
          hed_array *w = scalar_of(s);
          for (int k = 0; k < 6; k++)
            for (int left = 0; left < 2; left++) {
              bool got[5] = { false }, again[5] = { false };
              hed_array *y = left ? op[k](w, x) : op[k](x, w);
              const bool fine = y && hed_array_dtype(y) == HED_BOOL && hed_to_host(y, got, sizeof got) == HED_OK &&
                                (left ? into[k](out, w, x) : into[k](out, x, w)) == HED_OK &&
                                hed_to_host(out, again, sizeof again) == HED_OK;
              for (int n = 0; n < 5; n++, done_++) {
                const bool want = left ? truth(k, s, values[n]) : truth(k, values[n], s);
                if (!fine || got[n] != want || again[n] != want) {
                  if (!wrong++)
                    diag("%s: operation %d, element %d, scalar %s%lld: %s", hed_dtype_name(integers[i]), k, n, left ? "left " : "",
                         (long long)s, fine ? "wrong" : hed_error_text());
                }
              }
              hed_release(y);
            }
          hed_release(w);
        }
    RELEASE(x, out);
  }
  ok(done_ > 8000, "%s: comparisons were made (%d)", backend, done_);
  is_int(wrong, 0, "%s: all are right", backend);
}

static void unsigned_ones(const char *backend)
{
  diag("unsigned scalars on %s", backend);
  uint64_t u = 7;
  hed_array *w = hed_scalar_uint(UINT64_MAX), *small = hed_scalar_uint(3);
  hed_array *x = hed_full_uint(HED_SHAPE(2, 2), UINT64_MAX - 5, HED_UINT64), *i = hed_ones(HED_SHAPE(2), HED_INT64);
  ok(hed_array_is_weak(w) && !hed_array_is_weak(x) && !hed_array_is_weak(NULL), "weakness can be asked for");
  hed_array *y = hed_subtract(w, x), *z = hed_add(i, small), *both = hed_add(small, small);
  is_ptr(hed_array_dtype(y), HED_UINT64, "it takes the other operand's type");
  hed_array *top = hed_max(y, NULL);
  is_int(hed_item_uint(top, &u), HED_OK, "an unsigned item");
  is_uint(u, 5, "of the right value");
  is_ptr(hed_array_dtype(z), HED_INT64, "also a signed one");
  is_ptr(hed_array_dtype(both), HED_UINT64, "two of them are uint64");
  API_NULL(hed_add(i, w), HED_E_RANGE, "add: scalar b = 18446744073709551615 does not fit int64");
  hed_array *minus = hed_scalar_int(-1), *real = hed_scalar(-0.5), *large = hed_scalar(0x1p64), *nan = hed_scalar(NAN);
  API_NULL(hed_add(w, minus), HED_E_RANGE, "add: scalar b = -1 does not fit uint64");
  u = 7;
  API_FAIL(hed_item_uint(minus, &u), HED_E_RANGE, "item_uint: x is -1; 0 to 18446744073709551615 fit");
  API_FAIL(hed_item_uint(large, &u), HED_E_RANGE, "item_uint: x is 1.84467e+19");
  API_FAIL(hed_item_uint(nan, &u), HED_E_RANGE, "item_uint: x is nan");
  is_uint(u, 7, "nothing is written then");
  ok(hed_item_uint(real, &u) == HED_OK && u == 0, "what is cut to 0 fits");
  ok(hed_item_uint(w, &u) == HED_OK && u == UINT64_MAX, "the largest");
  hed_array *f = hed_full_uint(HED_SHAPE(1), UINT64_MAX, HED_FLOAT64);
  double d = 0;
  ok(hed_item(f, &d) == HED_OK && d == 0x1p64, "as a float it is not negative");
  is_int(hed_fill_uint(x, (uint64_t)1 << 63), HED_OK, "filled");
  hed_array *low = hed_min(x, NULL);
  ok(hed_item_uint(low, &u) == HED_OK && u == (uint64_t)1 << 63, "with an unsigned number");
  hed_array *const all[] = { w, small, x, i, y, z, both, minus, real, large, nan, f, top, low };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* ---- the forms with a number on a side: the C type of the number decides ---- */

/* V by TYPE: an int, an int64_t, a uint64_t, a float, a double. */
#define BY_TYPE(type, v, call)                       \
  switch (type) {                                    \
  case 0: { const int s = (int)(v); call; }          \
  case 1: { const int64_t s = (int64_t)(v); call; }  \
  case 2: { const uint64_t s = (uint64_t)(v); call; } \
  case 3: { const float s = (float)(v); call; }      \
  default: { const double s = (double)(v); call; }   \
  }
typedef struct scalar_form {
  const char *name;
  const char *domain; /* without f: a double that is whole is an integer there */
  hed_array *(*make)(const hed_array *x, bool left, int type, wide v);
  hed_status (*into)(hed_array *out, const hed_array *x, bool left, int type, wide v);
  hed_array *(*both)(const hed_array *a, const hed_array *b);
} scalar_form;
#define HED_BINARY(ID, name, domain, result, cost, doc)                                               \
  static hed_array *make_##name(const hed_array *x, bool left, int type, wide v)                      \
  {                                                                                                   \
    BY_TYPE(type, v, return left ? hed_scalar_##name(s, x) : hed_##name##_scalar(x, s))               \
  }                                                                                                   \
  static hed_status into_##name(hed_array *out, const hed_array *x, bool left, int type, wide v)      \
  {                                                                                                   \
    BY_TYPE(type, v, return left ? hed_scalar_##name##_into(out, s, x) : hed_##name##_scalar_into(out, x, s)) \
  }
#include <heddle/ops.def>
static const scalar_form forms[] = {
#define HED_BINARY(ID, name, domain, result, cost, doc) { #name, domain, make_##name, into_##name, hed_##name },
#include <heddle/ops.def>
};

/* One call, new and into, against the operation with a weak scalar W. */
static bool form_agrees(const scalar_form *f, const hed_array *x, const hed_array *w, bool left, int type, wide v)
{
  hed_error_clear();
  hed_array *want = left ? f->both(w, x) : f->both(x, w);
  const hed_status refused = hed_error();
  hed_error_clear();
  hed_array *got = f->make(x, left, type, v), *out = want ? hed_zeros_like(want) : hed_zeros_like(x);
  bool fine = want ? got && same_array(got, want) : !got && hed_error() == refused;
  const hed_status status = f->into(out, x, left, type, v);
  fine = fine && (want ? status == HED_OK && same_array(out, want) : status == refused);
  RELEASE(want, got, out);
  return fine;
}

/* Every binary operation, both sides, new and into, every type of array, numbers of five C types about the ends of every range. */
static void number_forms(const char *backend)
{
  const hed_dtype types[] = { HED_BOOL, HED_INT8, HED_INT16, HED_INT32, HED_INT64, HED_UINT8, HED_UINT16, HED_UINT32, HED_UINT64,
                              HED_FLOAT16, HED_BFLOAT16, HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  const wide values[] = { 0, 1, 3, -1, 127, 128, -129, 300, 16777217, (wide)1 << 31, ((wide)1 << 53) + 1, INT64_MAX, INT64_MIN,
                          UINT64_MAX };
  int calls = 0, wrong = 0;
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    hed_array *x = hed_zeros(HED_SHAPE(3), types[t]), *last = hed_index(x, 0, 2), *mid = hed_index(x, 0, 1);
    if (hed_fill_int(last, 5) != HED_OK || hed_fill_int(mid, 1) != HED_OK)
      bail("%s", hed_error_text());
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
      for (int type = 0; type < 5; type++) {
        const wide n = values[v];
        if (type == 0 ? n != (int)n : type == 1 ? n != (int64_t)n : type == 2 ? n < 0 : type == 3 && n != (wide)(float)n)
          continue;
        hed_array *w = type < 2 ? hed_scalar_int((int64_t)n) : type == 2 ? hed_scalar_uint((uint64_t)n) : hed_scalar((double)n);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
          for (int left = 0; left < 2; left++, calls++)
            if ((type < 3 || strchr(forms[f].domain, 'f')) && !form_agrees(&forms[f], x, w, left, type, n) && !wrong++)
              diag("%s of %s, C type %d, %s%lld: %s", forms[f].name, hed_dtype_name(types[t]), type, left ? "left " : "", (long long)n,
                   hed_error_text());
        hed_release(w);
      }
    RELEASE(x, last, mid);
  }
  ok(calls > 10000, "%s: forms with a number were called (%d)", backend, calls);
  is_int(wrong, 0, "%s: each goes by its number's type", backend);
}

/* What was asked for by type, in figures. */
static void check_whole_numbers(const char *backend)
{
  hed_array *x = hed_full_int(HED_SHAPE(2), 16777217, HED_INT64), *sum = hed_add_scalar(x, 0), *more = hed_greater_scalar(x, 16777216);
  hed_array *real = hed_add_scalar(x, 2.0), *twice = hed_multiply_scalar(hed_arange_int(0, 2, 1, HED_INT64), 2);
  hed_array *row = hed_arange_int(0, 5, 1, HED_INT64), *taken = hed_take(row, twice, 0), *chosen = hed_scalars_where(more, 7, -7L);
  int64_t v[2] = { 0, 0 };
  bool b[2] = { false, false };
  ok(hed_array_dtype(sum) == HED_INT64 && hed_to_host(sum, v, sizeof v) == HED_OK && v[0] == 16777217, "%s: int64 + 0", backend);
  ok(hed_to_host(more, b, sizeof b) == HED_OK && b[0] && b[1], "%s: int64 > int", backend);
  is_ptr(hed_dtype_kind(hed_array_dtype(real)) == HED_KIND_FLOAT ? real : NULL, real, "%s: with a double the result is real", backend);
  ok(taken && hed_to_host(taken, v, sizeof v) == HED_OK && v[1] == 2, "%s: twice an index is an index", backend);
  ok(hed_array_dtype(chosen) == HED_INT64 && hed_to_host(chosen, v, sizeof v) == HED_OK && v[0] == 7,
     "%s: where of two integers", backend);
  API_NULL(hed_add_scalar(hed_zeros(HED_SHAPE(1), HED_INT8), 300), HED_E_RANGE, "add: scalar b = 300 does not fit int8");
  API_NULL(hed_full_int(HED_SHAPE(1), 300, HED_INT8), HED_E_RANGE, "full_int: value 300 does not fit int8");
  API_NULL(hed_full_uint(HED_SHAPE(1), UINT64_MAX, HED_INT64), HED_E_RANGE, "value 18446744073709551615 does not fit int64");
  API_NULL(hed_apply_scalar(HED_OP_SQRT, x, HED_NUMBER(1)), HED_E_INVAL, "apply_scalar: op is");
}

static void whole_numbers(const char *backend)
{
  HED_SCOPE check_whole_numbers(backend);
}

/* A truth value changes no dtype, and two of them stay bool. */
static void truths(const char *backend)
{
  for (int id = 0; id < HED_ID_CONCRETE_COUNT_; id++) {
    hed_array *w = hed_scalar_bool(true), *x = hed_ones(HED_SHAPE(3), hed_dtype_of(id)), *mask = hed_equal(x, w);
    hed_array *both = hed_where(mask, w, w), *y = hed_where(mask, w, x), *all = hed_all(mask, NULL);
    double d = 0;
    is_ptr(hed_array_dtype(y), hed_dtype_of(id), "%s: beside %s it is one", backend, hed_dtype_name(hed_dtype_of(id)));
    is_ptr(hed_array_dtype(both), HED_BOOL, "two of them are bool");
    ok(hed_item(all, &d) == HED_OK && d == 1, "true equals 1");
    hed_array *const made[] = { w, x, mask, both, y, all };
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
      hed_release(made[k]);
  }
}

/* Memory in common, wherever it is. */
static void sharing(void)
{
  hed_array *x = hed_zeros(HED_SHAPE(4, 6), HED_FLOAT32), *other = hed_zeros(HED_SHAPE(4, 6), HED_FLOAT32);
  hed_array *row = hed_index(x, 0, 1), *next = hed_index(x, 0, 2), *t = hed_transpose(x, NULL);
  ok(hed_array_shares(x, row) && hed_array_shares(t, next), "a view shares with its array");
  ok(!hed_array_shares(row, next) && !hed_array_shares(x, other), "others do not");
  ok(!hed_array_shares(x, NULL) && !hed_array_shares(NULL, x), "nor does NULL");
  hed_array *const made[] = { x, other, row, next, t };
  for (size_t k = 0; k < sizeof made / sizeof *made; k++)
    hed_release(made[k]);
}

static void kinds(void)
{
  ok(hed_status_is(HED_E_AXIS, HED_E_SHAPE), "a wrong axis is a wrong shape");
  ok(hed_status_is(HED_E_INDEX, HED_E_INVAL) && hed_status_is(HED_E_RANGE, HED_E_INVAL), "indices and values are arguments");
  ok(hed_status_is(HED_E_INDEX, HED_E_INDEX), "each is itself");
  ok(!hed_status_is(HED_E_INVAL, HED_E_INDEX) && !hed_status_is(HED_E_INDEX, HED_E_RANGE) && !hed_status_is(HED_OK, HED_E_INVAL),
     "and nothing else");
  ok(!hed_status_is(-12345, HED_E_INVAL), "nor is a number that is none");
}

int main(void)
{
  kinds();
  sharing();
  api_each_backend(comparisons);
  api_each_backend(unsigned_ones);
  api_each_backend(number_forms);
  api_each_backend(whole_numbers);
  api_each_backend(truths);
  done_testing();
  return done();
}
