// SPDX-License-Identifier: BSD-3-Clause
/* Copies and elementwise operations of arrays whose elements lie in any order, long lists and masks, against loops written
 * out: shapes around the blocks and tiles of transposition, strides of both signs and none, every size of element.
 */
#include "api.h"
#include "gen.h"

enum { ELEMENTS = 60000 };

static gen source;

/* A view of up to four axes of random order, direction and gaps; its copy must have the elements in C order. */
static void copies(const char *backend)
{
  static uint8_t memory[ELEMENTS * 16], want[ELEMENTS * 16], got[ELEMENTS * 16];
  const hed_dtype types[] = { HED_UINT8, HED_UINT16, HED_FLOAT32, HED_INT64, HED_COMPLEX128 };
  const int64_t extents[] = { 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 130, 257 };
  diag("copies on %s", backend);
  gen_seed(&source, 7);
  gen_bytes(&source, memory, sizeof memory);
  for (size_t k = 0; k < sizeof memory; k += 4) /* no NaN: its payload need not survive */
    memory[k + 3] &= 0x3f;
  for (int turn = 0; turn < 400; turn++) {
    hed_dtype t = types[turn % 5];
    const int64_t size = (int64_t)hed_dtype_size(t);
    int n = (int)gen_int(&source, 1, 4), order[4];
    hed_shape shape = { .ndim = n };
    int64_t strides[4] = { 0 }, step = 1, first = 0, total = 1;
    gen_permutation(&source, n, order);
    for (int k = 0; k < n; k++) { /* from the axis that lies closest */
      int64_t dim = extents[gen_below(&source, sizeof extents / sizeof *extents)];
      int64_t gap = gen_chance(&source, 20) ? 2 : 1;
      while (dim > 1 && step * gap * dim > ELEMENTS)
        dim /= 2;
      while (dim > 1 && total * dim > ELEMENTS)
        dim /= 2;
      shape.dim[order[k]] = dim;
      bool back = gen_chance(&source, 20), none = gen_chance(&source, 10);
      strides[order[k]] = none ? 0 : back ? -step * gap : step * gap;
      first += back && !none ? step * gap * (dim - 1) : 0;
      step *= none ? 1 : gap * dim;
      total *= dim;
    }
    for (int64_t k = 0; k < total; k++) {
      int64_t at = first, rest = k;
      for (int a = n - 1; a >= 0; a--) {
        at += rest % shape.dim[a] * strides[a];
        rest /= shape.dim[a];
      }
      memcpy(want + k * size, memory + at * size, (size_t)size);
    }
    for (int a = 0; a < n; a++)
      strides[a] *= size;
    hed_array *x = hed_wrap(memory + first * size, shape, strides, t, NULL, NULL), *y = hed_copy(x);
    bool good = x && y && hed_to_host(y, got, (size_t)(total * size)) == HED_OK &&
                memcmp(got, want, (size_t)(total * size)) == 0;
    hed_shape s = shape;
    ok(good, "copy of %s %s with strides %lld, %lld, %lld, %lld", hed_dtype_name(t),
       n == 1 ? "list" : n == 2 ? "matrix" : "tensor", (long long)strides[0], (long long)strides[1],
       (long long)strides[2], (long long)strides[3]);
    if (!good)
      diag("%d axes: %lld %lld %lld %lld", n, (long long)s.dim[0], (long long)s.dim[1], (long long)s.dim[2],
           (long long)s.dim[3]);
    RELEASE(x, y);
  }
}

static void takes(const char *backend)
{
  enum { FROM = 777, COUNT = 1003 };
  static uint8_t memory[FROM * 16], got[COUNT * 16];
  static int64_t list[COUNT];
  const hed_dtype types[] = { HED_UINT8, HED_UINT16, HED_FLOAT32, HED_INT64, HED_COMPLEX128 };
  (void)backend;
  for (int k = 0; k < FROM * 16; k++)
    memory[k] = (uint8_t)(k % 4 == 3 ? 0x3f : gen_below(&source, 256));
  for (int t = 0; t < 5; t++) {
    const size_t size = hed_dtype_size(types[t]);
    for (int wrapped = 0; wrapped < 2; wrapped++) {
      for (int k = 0; k < COUNT; k++)
        list[k] = gen_int(&source, wrapped ? -FROM : 0, FROM - 1);
      hed_array *x = hed_from_host(memory, HED_SHAPE(FROM), types[t]), *i = hed_from_host(list, HED_SHAPE(17, 59), HED_INT64);
      hed_array *y = hed_take(x, i, 0), *z;
      bool good = y && hed_array_ndim(y) == 2 && hed_to_host(y, got, COUNT * size) == HED_OK;
      for (int k = 0; k < COUNT && good; k++)
        good = memcmp(got + (size_t)k * size, memory + (size_t)(list[k] < 0 ? list[k] + FROM : list[k]) * size, size) == 0;
      hed_array *flat = hed_reshape(i, HED_SHAPE(COUNT));
      z = hed_take_along_axis(x, flat, 0);
      ok(good, "take of %s%s", hed_dtype_name(types[t]), wrapped ? ", counted from the end" : "");
      good = z && hed_to_host(z, got, COUNT * size) == HED_OK;
      for (int k = 0; k < COUNT && good; k++)
        good = memcmp(got + (size_t)k * size, memory + (size_t)(list[k] < 0 ? list[k] + FROM : list[k]) * size, size) == 0;
      ok(good, "take_along_axis of %s%s", hed_dtype_name(types[t]), wrapped ? ", counted from the end" : "");
      hed_array *all[] = { x, i, y, z, flat };
      for (int k = 0; k < 5; k++)
        hed_release(all[k]);
    }
  }
  /* one index of many that is too large, at every place of the blocks in which they are looked at */
  hed_array *x = hed_from_host(memory, HED_SHAPE(FROM), HED_UINT8);
  for (int k = 0; k < COUNT; k++)
    list[k] = k % FROM;
  int refused = 0;
  for (int k = 0; k < 9; k++) {
    list[k == 8 ? COUNT - 1 : k] += k % 2 ? FROM : -2 * FROM;
    hed_array *i = hed_from_host(list, HED_SHAPE(COUNT), HED_INT64), *y = hed_take(x, i, 0);
    refused += !y && hed_error() == HED_E_INDEX;
    hed_error_clear();
    RELEASE(i, y);
    list[k == 8 ? COUNT - 1 : k] -= k % 2 ? FROM : -2 * FROM;
  }
  is_int(refused, 9, "an index out of range is refused wherever it stands");
  hed_release(x);
}

/* Copies read backwards and repeated elements, of sizes around those of vectors, against loops. */
static void turned(const char *backend)
{
  enum { MOST = 100, TIMES = 7 };
  static uint8_t memory[MOST * 16], got[MOST * TIMES * 16];
  const hed_dtype types[] = { HED_UINT8, HED_UINT16, HED_FLOAT32, HED_INT64, HED_COMPLEX128 };
  int wrong_flips = 0, wrong_repeats = 0;
  for (int k = 0; k < MOST * 16; k++)
    memory[k] = (uint8_t)(k % 4 == 3 ? 0x3f : gen_below(&source, 256));
  for (int round = 0; round < 5 * MOST; round++) {
    const hed_dtype t = types[round % 5];
    const int n = 1 + round / 5;
    const size_t size = hed_dtype_size(t);
    int64_t times[MOST];
    int total = 0;
    for (int k = 0; k < n; k++)
      total += (int)(times[k] = (int64_t)gen_below(&source, TIMES + 1));
    hed_array *x = hed_from_host(memory, HED_SHAPE(n), t), *back = hed_flip(x, NULL), *y = hed_copy(back);
    hed_array *counts = hed_from_host(times, HED_SHAPE(n), HED_INT64), *many = hed_repeat_each(x, counts, NULL);
    hed_array *same = hed_repeat(x, round % 4, NULL);
    bool good = y && hed_to_host(y, got, (size_t)n * size) == HED_OK;
    for (int k = 0; k < n && good; k++)
      good = memcmp(got + (size_t)k * size, memory + (size_t)(n - 1 - k) * size, size) == 0;
    wrong_flips += !good;
    good = many && hed_array_size(many) == total && hed_to_host(many, got, (size_t)total * size) == HED_OK;
    for (int k = 0, at = 0; k < n && good; k++)
      for (int i = 0; i < times[k] && good; i++)
        good = memcmp(got + (size_t)at++ * size, memory + (size_t)k * size, size) == 0;
    wrong_repeats += !good;
    const int longer = n * (round % 4);
    good = same && hed_array_size(same) == longer && hed_to_host(same, got, (size_t)longer * size) == HED_OK;
    for (int k = 0; k < longer && good; k++)
      good = memcmp(got + (size_t)k * size, memory + (size_t)(k / (round % 4)) * size, size) == 0;
    wrong_repeats += !good;
    hed_array *all[] = { x, back, y, counts, many, same };
    for (int k = 0; k < 6; k++)
      hed_release(all[k]);
  }
  is_int(wrong_flips, 0, "%s: %d copies backwards", backend, 5 * MOST);
  is_int(wrong_repeats, 0, "%s: %d repetitions", backend, 10 * MOST);
  enum { LONG = 100003 }; /* on several threads */
  hed_array *x = hed_arange_int(0, LONG, 1, HED_INT32), *y = hed_repeat(x, 3, NULL);
  hed_array *z = hed_arange_int(0, 3 * LONG, 1, HED_INT32), *three = hed_scalar_int(3), *want = hed_floor_divide(z, three);
  hed_array *differ = hed_not_equal(y, want);
  int64_t count = -1;
  hed_array *sum = hed_count_nonzero(differ, NULL);
  is_int(sum ? hed_item_int(sum, &count) : -1, HED_OK, "counted");
  is_int(count, 0, "%s: a long list three times", backend);
  hed_array *all[] = { x, y, z, three, want, differ, sum };
  for (int k = 0; k < 7; k++)
    hed_release(all[k]);
}

/* A short last axis brought to the front: few rows of the result, whose long columns threads share. */
static void permuted(const char *backend)
{
  enum { LONG = 5003, KINDS = 12 };
  static const int few[KINDS] = { 2, 3, 7, 16, 17, 20, 31, 32, 33, 63, 64, 65 };
  const hed_dtype types[] = { HED_UINT8, HED_UINT16, HED_FLOAT32, HED_INT64, HED_COMPLEX128 };
  int wrong = 0;
  for (int round = 0; round < 3 * KINDS; round++) {
    const hed_dtype t = types[round % 5];
    const int64_t n = few[round % KINDS], rows = gen_int(&source, 1, 3), columns = LONG + gen_int(&source, 0, 9);
    const size_t size = hed_dtype_size(t), bytes = (size_t)(n * rows * columns) * size;
    char *memory = malloc(bytes), *got = malloc(bytes);
    gen_bytes(&source, memory, bytes);
    hed_array *x = hed_from_host(memory, HED_SHAPE(rows, columns, n), t);
    hed_array *view = hed_transpose(x, &HED_AXES(2, 0, 1)), *y = hed_copy(view);
    bool good = y && hed_to_host(y, got, bytes) == HED_OK;
    for (int64_t i = 0; i < n && good; i++)
      for (int64_t j = 0; j < rows * columns && good; j++)
        good = memcmp(got + (size_t)(i * rows * columns + j) * size, memory + (size_t)(j * n + i) * size, size) == 0;
    if (!good)
      diag("%d x %d x %d of %s", (int)rows, (int)columns, (int)n, hed_dtype_name(t));
    wrong += !good;
    RELEASE(x, view, y);
    free(memory);
    free(got);
  }
  is_int(wrong, 0, "%s: short last axes to the front", backend);
}

/* What a long mask chooses, whole and read backwards, and where it is true: over several buffers, chunks and threads. */
static void masks(const char *backend)
{
  enum { COUNT = 40011, ROW = 1111 };
  static uint8_t memory[COUNT * 16], got[COUNT * 16], mask[COUNT];
  static int64_t places[2 * COUNT];
  const hed_dtype types[] = { HED_UINT8, HED_UINT16, HED_FLOAT32, HED_INT64, HED_COMPLEX128 };
  (void)backend;
  for (int k = 0; k < COUNT * 16; k++)
    memory[k] = (uint8_t)(k % 4 == 3 ? 0x3f : gen_below(&source, 256));
  for (int percent = 0; percent <= 100; percent += 25) {
    for (int k = 0; k < COUNT; k++)
      mask[k] = gen_chance(&source, (unsigned)percent);
    hed_array *m = hed_from_host(mask, HED_SHAPE(COUNT), HED_BOOL), *back = hed_flip(m, NULL);
    for (int t = 0; t < 5; t++)
      for (int reverse = 0; reverse < 2; reverse++) {
        const size_t size = hed_dtype_size(types[t]);
        hed_array *x = hed_from_host(memory, HED_SHAPE(COUNT), types[t]), *y = hed_compress(x, reverse ? back : m);
        bool good = y && hed_to_host(y, got, (size_t)hed_array_size(y) * size) == HED_OK;
        int64_t at = 0;
        for (int k = 0; k < COUNT && good; k++)
          if (mask[reverse ? COUNT - 1 - k : k])
            good = at < hed_array_size(y) &&
                   memcmp(got + (size_t)at++ * size, memory + (size_t)k * size, size) == 0;
        ok(good && at == hed_array_size(y), "compress of %s, %d %%%s", hed_dtype_name(types[t]), percent,
           reverse ? ", mask backwards" : "");
        RELEASE(x, y);
      }
    hed_array *part = hed_slice(m, 1, &HED_RANGE(0, ROW * 36, 1)), *matrix = hed_reshape(part, HED_SHAPE(36, ROW));
    hed_array *list[2] = { m, matrix };
    for (int k = 0; k < 2; k++) {
      hed_array *y = hed_nonzero(list[k]);
      bool good = y && hed_to_host(y, places, (size_t)hed_array_size(y) * 8) == HED_OK;
      int64_t at = 0, size = hed_array_size(list[k]);
      for (int64_t i = 0; i < size && good; i++)
        if (mask[i]) {
          good = at < hed_array_size(y) && (k ? places[at] * ROW + places[at + 1] : places[at]) == i;
          at += k + 1;
        }
      ok(good && at == hed_array_size(y), "nonzero of %s, %d %%", k ? "a matrix" : "a list", percent);
      hed_release(y);
    }
    RELEASE(m, back, matrix, part);
  }
}

/* Operands that lie in other orders than the result: sums, choices and square roots of transposed tensors. */
static void mixed(const char *backend)
{
  enum { MOST = 70 * 130 * 3 };
  static double a[MOST], b[MOST], got[MOST];
  const int64_t sides[] = { 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 70 };
  (void)backend;
  for (int turn = 0; turn < 60; turn++) {
    const int64_t r = sides[gen_below(&source, 11)], c = sides[gen_below(&source, 11)] + (turn % 3 ? 0 : 60), n = 1 + turn % 3;
    for (int64_t k = 0; k < n * r * c; k++) {
      a[k] = (double)gen_int(&source, 0, 120);
      b[k] = (double)gen_int(&source, 0, 120);
    }
    hed_array *d[2] = { hed_from_host(a, HED_SHAPE(n, c, r), HED_FLOAT64), hed_from_host(b, HED_SHAPE(n, r, c), HED_FLOAT64) };
    const hed_dtype t = turn % 4 == 0 ? HED_INT16 : turn % 4 == 1 ? HED_FLOAT32 : turn % 4 == 2 ? HED_FLOAT64 : HED_UINT8;
    hed_array *x = hed_astype(d[0], t), *y = hed_astype(d[1], t), *one = hed_astype(d[0], t);
    hed_array *xt = hed_transpose(x, &HED_AXES(0, 2, 1)), *ot = hed_transpose(one, &HED_AXES(0, 2, 1));
    hed_array *mask = hed_greater(ot, y), *sum = hed_add(xt, y), *twice = hed_add(xt, ot), *pick = hed_where(mask, xt, y);
    hed_array *all[] = { mask, sum, twice, pick };
    for (int k = 0; k < 4; k++) {
      hed_array *z = hed_astype(all[k], HED_FLOAT64);
      bool good = z && hed_to_host(z, got, (size_t)(n * r * c) * 8) == HED_OK;
      for (int64_t at = 0; at < n * r * c && good; at++) {
        const int64_t i = at / (r * c), j = at / c % r, l = at % c;
        const double p = a[(i * c + l) * r + j], q = b[at];
        const double want = k == 0 ? p > q : k == 1 ? p + q : k == 2 ? 2 * p : p > q ? p : q;
        good = got[at] == want;
      }
      ok(good, "%s of %s, %lld x %lld x %lld", k == 0 ? "greater" : k == 3 ? "where" : "add", hed_dtype_name(t), (long long)n,
         (long long)r, (long long)c);
      hed_release(z);
    }
    hed_array *rest[] = { d[0], d[1], x, y, one, xt, ot, mask, sum, twice, pick };
    for (int k = 0; k < 11; k++)
      hed_release(rest[k]);
  }
}

/* Between arrays and memory of the program, large enough for kernels and threads: every size of element, lists that begin
 * anywhere, arrays whose elements lie in another order. */
static void exchanged(const char *backend)
{
  enum { ROWS = 301, COLUMNS = 1007, ROOM = ROWS * COLUMNS * 16 + 64 };
  const hed_dtype types[] = { HED_BOOL, HED_INT8, HED_FLOAT16, HED_FLOAT32, HED_INT64, HED_COMPLEX64, HED_COMPLEX128 };
  const hed_axes turn = HED_AXES(1, 0);
  uint8_t *given = malloc(ROOM), *back = malloc(ROOM);
  if (!given || !back)
    bail("no memory");
  diag("lists on %s", backend);
  gen_seed(&source, 8);
  gen_bytes(&source, given, ROOM);
  for (size_t k = 0; k < ROOM; k++) /* true values are 1 */
    given[k] &= 1;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    const size_t size = hed_dtype_size(types[t]), bytes = size * ROWS * COLUMNS;
    for (size_t at = 0; at < 64; at += at < 4 ? 1 : 15) {
      hed_array *x = hed_from_host(given + at, HED_SHAPE(ROWS, COLUMNS), types[t]), *y = hed_transpose(x, &turn);
      memset(back, 0xaa, ROOM);
      bool good = x && y && hed_to_host(x, back + 63 - at, bytes) == HED_OK && memcmp(back + 63 - at, given + at, bytes) == 0;
      for (size_t k = 0; k < ROOM && good; k++)
        good = (k >= 63 - at && k < 63 - at + bytes) || back[k] == 0xaa;
      ok(good, "%s from place %d and to %d", hed_dtype_name(types[t]), (int)at, (int)(63 - at));
      good = y && hed_to_host(y, back + at, bytes) == HED_OK;
      for (size_t r = 0; r < ROWS && good; r++)
        for (size_t c = 0; c < COLUMNS && good; c++)
          good = memcmp(back + at + (c * ROWS + r) * size, given + at + (r * COLUMNS + c) * size, size) == 0;
      ok(good, "%s, rows and columns exchanged, to place %d", hed_dtype_name(types[t]), (int)at);
      RELEASE(x, y);
    }
  }
  free(given);
  free(back);
}

int main(void)
{
  api_each_backend(copies);
  api_each_backend(exchanged);
  api_each_backend(mixed);
  api_each_backend(masks);
  api_each_backend(turned);
  api_each_backend(permuted);
  api_each_backend(takes);
  done_testing();
  return done();
}
