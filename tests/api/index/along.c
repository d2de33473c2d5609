// SPDX-License-Identifier: BSD-3-Clause
/* take_along_axis, put_along_axis, take of rows, margins and isin against loops written out: arrays whose elements lie in any
 * order, every size of element, indices of several types, counted from either end, broadcast, the same one again and again.
 */
#include "api.h"
#include "gen.h"
#include <math.h>

enum { ELEMENTS = 60000, TYPES = 5, INDEX_TYPES = 4 };

static gen source;

/* A random shape, an axis of it, and an array of that shape somewhere in MEMORY. */
typedef struct subject {
  hed_shape shape;
  int axis;
  size_t size;
  gen_layout layout;
  hed_array *x;
} subject;

/* Indices along the axis: their shape, what they are, and as an array. */
typedef struct places {
  hed_shape shape, whole;   /* WHOLE: of the result */
  hed_array *array;
} places;

static _Alignas(64) uint8_t memory[ELEMENTS * 16], before[ELEMENTS * 16], from[ELEMENTS * 16];
static int64_t list[ELEMENTS];

static int64_t count(const hed_shape *s) { return elements_of(*s); }

/* A layout of at most ELEMENTS elements. */
static void choose(subject *s, int turn)
{
  static const hed_dtype types[TYPES] = { HED_UINT8, HED_INT16, HED_INT32, HED_UINT64, HED_COMPLEX128 };
  const hed_dtype t = types[turn % TYPES];
  s->size = hed_dtype_size(t);
  do {
    s->shape.ndim = gen_shape(&source, 3, turn % 4 ? 40 : 900, 15000, false, s->shape.dim);
    if (s->shape.ndim == 0)
      s->shape = HED_SHAPE(7);
    if (turn % 3)
      gen_layout_c(s->shape.ndim, s->shape.dim, s->size, &s->layout);
    else
      gen_layout_any(&source, s->shape.ndim, s->shape.dim, s->size, true, true, &s->layout);
  } while (s->layout.bytes > sizeof memory);
  s->axis = (int)gen_below(&source, (uint64_t)s->shape.ndim);
  s->x = hed_wrap(memory + s->layout.offset, s->shape, s->layout.stride, t, NULL, NULL);
}

/* N of them along the axis; WRITTEN: not more rows than x has. */
static void choose_places(const subject *s, int turn, places *p)
{
  static const hed_dtype types[INDEX_TYPES] = { HED_INT64, HED_INT32, HED_INT16, HED_UINT16 };
  const int64_t extent = s->shape.dim[s->axis];
  const hed_dtype t = types[turn / TYPES % INDEX_TYPES];
  p->whole = s->shape;
  p->whole.dim[s->axis] = gen_int(&source, 1, 2 * extent);
  while (count(&p->whole) > ELEMENTS)
    p->whole.dim[s->axis] = (p->whole.dim[s->axis] + 1) / 2;
  p->shape = p->whole;
  for (int k = 0; k < p->shape.ndim; k++)
    if (k != s->axis && gen_chance(&source, 15))
      p->shape.dim[k] = 1;
  const int64_t n = count(&p->shape);
  const bool back = t != HED_UINT16 && gen_chance(&source, 50);
  for (int64_t i = 0; i < n; i++)
    list[i] = gen_int(&source, back ? -extent : 0, extent - 1);
  hed_array *wide = hed_from_host(list, p->shape, HED_INT64);
  p->array = hed_astype(wide, t);
  hed_release(wide);
}

/* Position I of the result: where its element of x lies, in bytes. */
static int64_t named(const subject *s, const places *p, int64_t i)
{
  int64_t at = 0, index = 0, steps = 1, along = 0;
  for (int k = s->shape.ndim - 1; k >= 0; k--) {
    const int64_t here = i % p->whole.dim[k];
    i /= p->whole.dim[k];
    index += p->shape.dim[k] == 1 ? 0 : here * steps;
    steps *= p->shape.dim[k];
    at += k == s->axis ? 0 : here * s->layout.stride[k];
  }
  along = list[index] < 0 ? list[index] + s->shape.dim[s->axis] : list[index];
  return s->layout.offset + at + along * s->layout.stride[s->axis];
}

static void describe(const char *what, const subject *s, const places *p)
{
  diag("%s: %d axes, %lld %lld %lld; axis %d; %lld indices there, elements of %zu bytes", what, s->shape.ndim,
       (long long)s->shape.dim[0], (long long)s->shape.dim[1], (long long)s->shape.dim[2], s->axis,
       (long long)p->whole.dim[s->axis], s->size);
}

static void along(const char *backend)
{
  diag("along an axis on %s", backend);
  gen_seed(&source, 11);
  for (int turn = 0; turn < 300; turn++) {
    subject s;
    places p;
    gen_bytes(&source, memory, sizeof memory);
    for (size_t k = 3; k < sizeof memory; k += 4) /* no NaN */
      memory[k] &= 0x3f;
    choose(&s, turn);
    choose_places(&s, turn, &p);
    const int64_t n = count(&p.whole);
    hed_array *y = hed_take_along_axis(s.x, p.array, s.axis);
    bool good = y && hed_array_size(y) == n && hed_to_host(y, from, (size_t)n * s.size) == HED_OK;
    for (int64_t i = 0; i < n && good; i++)
      good = memcmp(from + (size_t)i * s.size, memory + named(&s, &p, i), s.size) == 0;
    if (!ok(good, "take_along_axis %d", turn))
      describe("take_along_axis", &s, &p);
    hed_release(y);
    /* back: other values, of which the last one of a place stays; nothing else changes */
    memcpy(before, memory, sizeof memory);
    const bool one = gen_chance(&source, 20);
    gen_bytes(&source, from, (size_t)n * s.size);
    for (size_t k = 3; k < (size_t)n * s.size; k += 4)
      from[k] &= 0x3f;
    hed_array *values = hed_from_host(from, one ? HED_SHAPE(1) : p.whole, hed_array_dtype(s.x));
    for (int64_t i = 0; i < n; i++)
      memcpy(before + named(&s, &p, i), from + (one ? 0 : (size_t)i * s.size), s.size);
    good = hed_put_along_axis(s.x, p.array, values, s.axis) == HED_OK && hed_wait(s.x) == HED_OK &&
           memcmp(before, memory, sizeof memory) == 0;
    if (!ok(good, "put_along_axis %d", turn))
      describe("put_along_axis", &s, &p);
    /* one index out of range: said with its value, and nothing is written */
    list[gen_below(&source, (uint64_t)count(&p.shape))] = 40000;
    hed_array *wrong = hed_from_host(list, p.shape, HED_INT64);
    hed_error_clear();
    good = hed_put_along_axis(s.x, wrong, values, s.axis) == HED_E_INDEX &&
           strstr(hed_error_text(), "put_along_axis: index 40000 is out of range for axis") != NULL && hed_wait(s.x) == HED_OK &&
           memcmp(before, memory, sizeof memory) == 0;
    if (!ok(good, "out of range %d", turn))
      diag("%s", hed_error_text());
    hed_error_clear();
    RELEASE(wrong, values, p.array, s.x);
  }
}

/* Rows of every number of bytes up to what is copied by words, out of little memory and of much; more than one axis behind. */
static void rows(const char *backend)
{
  diag("take of rows on %s", backend);
  for (int width = 1; width <= 140; width += width < 36 ? 1 : 13)
    for (int turn = 0; turn < 4; turn++) {
      const int64_t n = turn % 2 ? (int64_t)sizeof memory / width : 41, many = ELEMENTS * 16 / width < 1500 ? 300 : 1500;
      const int64_t gap = turn == 3 ? 2 : 1; /* every other row */
      const bool two = turn > 1 && width % 2 == 0;
      gen_bytes(&source, memory, (size_t)(n * width));
      for (int64_t i = 0; i < many; i++)
        list[i] = gen_int(&source, 0, n / gap - 1);
      const int64_t strides[] = { gap * width, two ? width / 2 : 1, 1 };
      const hed_shape shape = two ? HED_SHAPE(n / gap, 2, width / 2) : HED_SHAPE(n / gap, width);
      hed_array *x = hed_wrap(memory, shape, strides, HED_UINT8, NULL, NULL), *at = hed_from_host(list, HED_SHAPE(many), HED_INT64);
      hed_array *y = hed_take(x, at, 0);
      bool good = y && hed_array_size(y) == many * width && hed_to_host(y, from, (size_t)(many * width)) == HED_OK;
      for (int64_t i = 0; i < many && good; i++)
        good = memcmp(from + i * width, memory + list[i] * gap * width, (size_t)width) == 0;
      ok(good, "%lld rows of %d bytes of %lld, turn %d", (long long)many, width, (long long)n, turn);
      RELEASE(x, at, y);
    }
}

/* Margins of a constant about rows that are short, long, and not there. */
static void margins(const char *backend)
{
  static int32_t given[ELEMENTS], got[ELEMENTS];
  diag("margins on %s", backend);
  for (int turn = 0; turn < 120; turn++) {
    hed_shape shape = { 3, { gen_int(&source, 0, 4), gen_int(&source, 1, 5), gen_int(&source, 0, turn % 2 ? 150 : 20) } };
    hed_shape low = { .ndim = 3 }, high = { .ndim = 3 }, all = { .ndim = 3 };
    for (int k = 0; k < 3; k++) {
      low.dim[k] = gen_int(&source, 0, 3);
      high.dim[k] = gen_int(&source, 0, k == 2 && turn % 3 ? 140 : 3);
      all.dim[k] = low.dim[k] + shape.dim[k] + high.dim[k];
    }
    for (int64_t i = 0; i < count(&shape); i++)
      given[i] = (int32_t)gen_below(&source, 1000);
    hed_array *x = hed_from_host(given, shape, HED_INT32), *y = hed_pad(x, low, high, -7);
    bool good = y && hed_array_size(y) == count(&all) && hed_to_host(y, got, (size_t)count(&all) * 4) == HED_OK;
    for (int64_t i = 0; i < count(&all) && good; i++) {
      const int64_t at[3] = { i / all.dim[2] / all.dim[1] - low.dim[0], i / all.dim[2] % all.dim[1] - low.dim[1],
                              i % all.dim[2] - low.dim[2] };
      bool inside = true;
      for (int k = 0; k < 3; k++)
        inside = inside && at[k] >= 0 && at[k] < shape.dim[k];
      good = got[i] == (inside ? given[(at[0] * shape.dim[1] + at[1]) * shape.dim[2] + at[2]] : -7);
    }
    ok(good, "margins %lld %lld %lld of %lld %lld %lld", (long long)low.dim[0], (long long)low.dim[1], (long long)low.dim[2],
       (long long)shape.dim[0], (long long)shape.dim[1], (long long)shape.dim[2]);
    RELEASE(x, y);
  }
}

/* isin of lists that are compared with, searched in or made a table of; NaN is nowhere, zeros are one. */
static void members(const char *backend)
{
  static double x[3000], test[64];
  static uint8_t got[3000];
  const hed_dtype types[] = { HED_FLOAT64, HED_FLOAT32, HED_FLOAT16, HED_INT32, HED_INT64, HED_UINT8 };
  diag("isin on %s", backend);
  for (int t = 0; t < 6; t++)
    for (int n = 0; n < 40; n += n < 20 ? 1 : 7) {
      const bool whole = t > 2;
      for (int i = 0; i < 3000; i++)
        x[i] = !whole && i % 97 == 0 ? NAN : !whole && i % 89 == 0 ? -0.0 : (double)gen_int(&source, 0, 100);
      for (int i = 0; i < n; i++)
        test[i] = !whole && i == 3 ? NAN : (double)gen_int(&source, 0, 100);
      hed_array *wide = hed_from_host(x, HED_SHAPE(50, 60), HED_FLOAT64), *a = hed_astype(wide, types[t]);
      hed_array *list_ = hed_from_host(test, HED_SHAPE(n), HED_FLOAT64), *b = hed_astype(list_, types[t]), *y = hed_isin(a, b);
      bool good = y && hed_array_ndim(y) == 2 && hed_to_host(y, got, sizeof got) == HED_OK;
      for (int i = 0; i < 3000 && good; i++) {
        bool there = false;
        for (int k = 0; k < n; k++)
          there = there || x[i] == test[k];
        good = got[i] == there;
      }
      ok(good, "isin of %s in %d", hed_dtype_name(types[t]), n);
      hed_array *all[] = { wide, a, list_, b, y };
      for (int k = 0; k < 5; k++)
        hed_release(all[k]);
    }
}

/* Indices, values and what is written may be the same memory. */
static void overlaps(const char *backend)
{
  int64_t x[6] = { 3, 1, 4, 0, 5, 2 };
  diag("overlaps on %s", backend);
  hed_array *a = hed_from_host(x, HED_SHAPE(6), HED_INT64);
  is_int(hed_put_along_axis(a, a, a, 0), HED_OK, "x at its own values");
  hed_array *one = hed_scalar_int(1), *b = hed_broadcast_to(one, HED_SHAPE(6));
  API_FAIL(hed_put_along_axis(b, a, a, 0), HED_E_INVAL, "put_along_axis: x repeats its elements along axis 0");
  RELEASE(b, one);
  api_is(a, HED_SHAPE(6), HED_INT64, API_LIST(0, 1, 2, 3, 4, 5), "is read before it is written");
}

int main(void)
{
  api_each_backend(along);
  api_each_backend(rows);
  api_each_backend(margins);
  api_each_backend(members);
  api_each_backend(overlaps);
  done_testing();
  return done();
}
