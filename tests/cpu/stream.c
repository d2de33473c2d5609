// SPDX-License-Identifier: BSD-3-Clause
/* Results so large that they go past the caches: the same bytes as piece by piece, for operands of different widths, results
 * that are not aligned, in place, and some threads. Rows that repeat: the same bytes as with the repetitions written out. The
 * same of fused passes.
 */
#include "api.h"
#include "gen.h"
#include <math.h>

enum { N = 1800011, PIECE = 10000 };
static const char least[] = "262144"; /* bytes of results that do: far less than N of bool, more than PIECE of float64 */

static hed_array *a, *b, *c, *mask;

static hed_array *do_add(hed_array *const *x) { return hed_add(x[0], x[1]); }
static hed_array *do_scale(hed_array *const *x) { return hed_multiply_scalar(x[0], 0.3); }
static hed_array *do_exp(hed_array *const *x) { return hed_exp(x[0]); }
static hed_array *do_sin(hed_array *const *x) { return hed_sin(x[0]); }
static hed_array *do_where(hed_array *const *x) { return hed_where(x[3], x[0], x[1]); }
static hed_array *do_where_scalar(hed_array *const *x) { return hed_where_scalar(x[3], x[0], 0.5); }
static hed_array *do_fma(hed_array *const *x) { return hed_fma(x[0], x[1], x[2]); }
static hed_array *do_widen(hed_array *const *x) { return hed_astype(x[0], HED_FLOAT64); }
static hed_array *do_narrow(hed_array *const *x) { return hed_astype(x[0], HED_FLOAT16); }
static hed_array *do_less(hed_array *const *x) { return hed_less(x[0], x[1]); }

/* (a b + c) a - b */
static hed_array *do_chain(hed_array *const *x)
{
  hed_array *t[4] = { hed_multiply(x[0], x[1]) };
  t[1] = hed_add(t[0], x[2]);
  t[2] = hed_multiply(t[1], x[0]);
  t[3] = hed_subtract(t[2], x[1]);
  for (int k = 0; k < 3; k++)
    hed_release(t[k]);
  return t[3];
}

static hed_array *piece(hed_array *x, int64_t at, int64_t n)
{
  return hed_slice(x, 1, &HED_RANGE(at, at + n, 1));
}

/* WHOLE holds what MAKE gives of the operands, taken PIECE by PIECE. */
static void same(const hed_array *whole, hed_array *(*make)(hed_array *const *x), const char *what)
{
  const size_t size = hed_array_nbytes(whole) / (size_t)hed_array_size(whole);
  const char *data = hed_array_data(whole);
  int64_t wrong = -1;
  for (int64_t at = 0; at < N && wrong < 0; at += PIECE) {
    const int64_t n = N - at < PIECE ? N - at : PIECE;
    hed_array *x[4] = { piece(a, at, n), piece(b, at, n), piece(c, at, n), piece(mask, at, n) };
    hed_array *y = make(x);
    if (!y || memcmp(hed_array_data(y), data + (size_t)at * size, (size_t)n * size) != 0)
      wrong = at;
    hed_release(y);
    for (int k = 0; k < 4; k++)
      hed_release(x[k]);
  }
  is_int(wrong, -1, "%s", what);
}

static void results(void)
{
  static const struct { const char *name; hed_array *(*make)(hed_array *const *x); } ops[] = {
    { "add", do_add }, { "multiply by a number", do_scale }, { "exp", do_exp }, { "sin", do_sin },
    { "where", do_where }, { "where with a number", do_where_scalar }, { "fma", do_fma }, { "astype", do_widen },
    { "astype to less", do_narrow }, { "less", do_less },
  };
  hed_array *x[4] = { a, b, c, mask };
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
    hed_array *y = ops[k].make(x);
    same(y, ops[k].make, ops[k].name);
    hed_release(y);
  }
}

/* Made without operands, by type: one value in all of them, and the places of a range. */
static void made(void)
{
  hed_array *ones = hed_full(HED_SHAPE(N), 1.25, HED_FLOAT32), *range = hed_arange(3, 3 + 0.25 * N, 0.25, HED_FLOAT32);
  hed_array *whole = hed_arange_int(-5, 3 * (int64_t)N - 5, 3, HED_INT64), *down = hed_arange_int(N, -N, -2, HED_INT32);
  if (!ones || !range || !whole || !down)
    bail("ranges: %s", hed_error_text());
  const float *v = hed_array_data(ones), *r = hed_array_data(range);
  const int64_t *w = hed_array_data(whole);
  const int32_t *d = hed_array_data(down);
  int64_t wrong = -1;
  for (int64_t k = 0; k < N && wrong < 0; k++)
    if (v[k] != 1.25f || r[k] != (float)(3 + 0.25 * (double)k) || w[k] != 3 * k - 5 || d[k] != N - 2 * k)
      wrong = k;
  is_int(wrong, -1, "full and arange");
  RELEASE(ones, range, whole, down);
}

static void into(void)
{
  hed_array *room = hed_zeros(HED_SHAPE(N + 2), HED_FLOAT32), *y = piece(room, 1, N);
  is_int(hed_add_into(y, a, b), HED_OK, "a result that begins beside a line");
  same(y, do_add, "has the same elements");
  const float *all = hed_array_data(room);
  ok(all[0] == 0 && all[N + 1] == 0, "and nothing beside it is written");
  hed_array *copy = hed_copy(a);
  is_int(hed_add_into(copy, copy, b), HED_OK, "in place");
  same(copy, do_add, "the same elements too");
  hed_array *far = hed_multiply_scalar(a, 1e5), *sines = hed_sin(far); /* some go to the C library */
  is_int(hed_sin_into(far, far), HED_OK, "sin in place, near and far from 0");
  ok(sines && memcmp(hed_array_data(sines), hed_array_data(far), hed_array_nbytes(far)) == 0, "the same elements");
  RELEASE(far, sines, copy, y, room);
}

/* Quotients of complex64, some of them by zero or of infinities, as one by one. */
static void quotients(void)
{
  enum { COUNT = 880007, BESIDE = 3 };
  hed_array *x = hed_zeros(HED_SHAPE(COUNT), HED_COMPLEX64), *y = hed_zeros(HED_SHAPE(COUNT), HED_COMPLEX64);
  hed_array *room = hed_zeros(HED_SHAPE(COUNT + 2 * BESIDE), HED_COMPLEX64), *out = piece(room, BESIDE, COUNT);
  if (!x || !y || !room || !out)
    bail("inputs: %s", hed_error_text());
  float *u = hed_array_data(x), *v = hed_array_data(y);
  const float *from[2] = { hed_array_data(a), hed_array_data(b) };
  memcpy(u, from[0], 2 * COUNT * sizeof *u);
  memcpy(v, from[1], 2 * COUNT * sizeof *v);
  for (int64_t k = 0; k < COUNT; k += 997) {
    v[2 * k] = v[2 * k + 1] = 0;
    u[2 * k + 2] = INFINITY;
  }
  hed_array *got = hed_divide(x, y);
  is_int(hed_divide_into(out, x, y), HED_OK, "quotients that begin beside a line");
  const char *all = hed_array_data(room), *values = got ? hed_array_data(got) : NULL;
  const size_t before = BESIDE * 2 * sizeof *u, bytes = (size_t)COUNT * 2 * sizeof *u;
  ok(values && !memcmp(all + before, values, bytes), "the same elements");
  const float none[2 * BESIDE] = { 0 };
  ok(!memcmp(all, none, before) && !memcmp(all + before + bytes, none, before), "and nothing beside them is written");
  int64_t wrong = -1;
  for (int64_t k = 0; k < COUNT && wrong < 0 && values; k++) {
    const float *q = (const float *)(const void *)values + 2 * k;
    const double ar = u[2 * k], ai = u[2 * k + 1], br = v[2 * k], bi = v[2 * k + 1], norm = br * br + bi * bi;
    const float re = (float)((ar * br + ai * bi) / norm), im = (float)((ai * br - ar * bi) / norm);
    if (isnan(re) && isnan(im) ? !isinf(q[0]) && !isinf(q[1]) : !(q[0] == re || isnan(re)) || !(q[1] == im || isnan(im)))
      wrong = k;
  }
  is_int(wrong, -1, "the quotients of float64, rounded; infinite by zero and of infinities");
  hed_array *const made[] = { x, y, got, out, room };
  for (size_t k = 0; k < sizeof made / sizeof *made; k++)
    hed_release(made[k]);
}

/* Every other element of operands, from the first and from the second on. */
static void sparse(void)
{
  hed_array *both = hed_concatenate(2, (const hed_array *[]){ a, b }, 0);
  hed_array *x = hed_slice(both, 1, &HED_RANGE(0, 2 * N, 2)), *y = hed_slice(both, 1, &HED_RANGE(1, 2 * N, 2));
  hed_array *u = hed_copy(x), *v = hed_copy(y), *want = hed_subtract(u, v), *got = hed_subtract(x, y);
  ok(want && got && !memcmp(hed_array_data(want), hed_array_data(got), hed_array_nbytes(want)), "every other element");
  const float *all = hed_array_data(both), *first = hed_array_data(u);
  hed_array *square = hed_multiply(x, x);
  const float *squares = hed_array_data(square);
  int64_t wrong = 0, others = 0;
  for (int64_t i = 0; i < N; i++) {
    wrong += memcmp(&all[2 * i], &first[i], sizeof *first) != 0;
    others += squares && squares[i] != first[i] * first[i];
  }
  is_int(wrong, 0, "copied");
  ok(squares && others == 0, "one operand twice");
  hed_release(square);
  hed_array *head = piece(both, 0, N), *mixed = hed_multiply(head, x), *exps[2] = { hed_exp(x), hed_exp(u) };
  const float *products = hed_array_data(mixed);
  others = 0;
  for (int64_t i = 0; i < N; i++)
    others += products && products[i] != all[2 * i] * all[i];
  ok(products && others == 0, "with elements that are not, from the same one on");
  ok(exps[0] && exps[1] && !memcmp(hed_array_data(exps[0]), hed_array_data(exps[1]), hed_array_nbytes(exps[1])),
     "by a function that stores past the caches itself");
  hed_array *const more[] = { head, mixed, exps[0], exps[1] };
  for (size_t k = 0; k < sizeof more / sizeof *more; k++)
    hed_release(more[k]);
  is_int(hed_subtract_into(u, u, y), HED_OK, "in place");
  ok(!memcmp(hed_array_data(want), hed_array_data(u), hed_array_nbytes(want)), "the same elements");
  hed_array *const made[] = { both, x, y, u, v, want, got };
  for (size_t k = 0; k < sizeof made / sizeof *made; k++)
    hed_release(made[k]);
}

/* Copies of rows backwards and of rows that come again and again, of elements of 1 to 16 bytes, beside loops here. */
static void backwards_and_again(void)
{
  const hed_dtype types[] = { HED_UINT8, HED_INT16, HED_FLOAT32, HED_FLOAT64, HED_COMPLEX128 };
  enum { ROWS = 21, COLUMNS = 17003, DOWN = 2, ALONG = 3 };
  gen g;
  gen_seed(&g, tap_seed());
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    const size_t size = hed_dtype_size(types[t]);
    hed_array *x = hed_zeros(HED_SHAPE(ROWS, COLUMNS), types[t]), *turned = hed_flip(x, &HED_AXES(1));
    char *v = hed_array_data(x);
    if (!v || !turned)
      bail("inputs: %s", hed_error_text());
    gen_bytes(&g, v, (size_t)ROWS * COLUMNS * size);
    hed_array *back = hed_copy(turned), *tiled = hed_tile(x, HED_SHAPE(DOWN, ALONG));
    const char *u = hed_array_data(back), *w = hed_array_data(tiled);
    int64_t wrong = 0, others = 0;
    for (size_t i = 0; u && i < ROWS; i++)
      for (size_t j = 0; j < COLUMNS; j++)
        wrong += memcmp(u + (i * COLUMNS + j) * size, v + (i * COLUMNS + COLUMNS - 1 - j) * size, size) != 0;
    for (size_t i = 0; w && i < DOWN * ROWS * ALONG; i++)
      others += memcmp(w + i * COLUMNS * size, v + i / ALONG % ROWS * COLUMNS * size, COLUMNS * size) != 0;
    ok(u && wrong == 0, "rows of %s backwards", hed_dtype_name(types[t]));
    ok(w && others == 0, "and tiled");
    hed_array *const made[] = { x, turned, back, tiled };
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
      hed_release(made[k]);
  }
}

/* A function of one element that repeats. */
static void repeated_one(void)
{
  hed_array *one = hed_full(HED_SHAPE(1), 0.5, HED_FLOAT32), *wide = hed_broadcast_to(one, HED_SHAPE(N));
  hed_array *want = hed_exp(one), *got = hed_exp(wide);
  const float *value = hed_array_data(want), *all = hed_array_data(got);
  int64_t wrong = 0;
  for (int64_t i = 0; value && all && i < N; i++)
    wrong += all[i] != *value;
  ok(value && all && wrong == 0, "a function of one element that repeats: %d wrong", (int)wrong);
  hed_array *const made[] = { one, wide, want, got };
  for (size_t k = 0; k < sizeof made / sizeof *made; k++)
    hed_release(made[k]);
}

static void repeated(void)
{
  static const struct { int64_t m, p, width; hed_dtype type; } cases[] = {
    { 3, 500, 7, HED_FLOAT32 }, { 1, 9000, 1, HED_FLOAT64 }, { 40, 50, 50, HED_FLOAT32 }, { 5, 41, 333, HED_FLOAT64 },
    { 2, 90, 100, HED_COMPLEX64 }, { 3, 60, 1500, HED_FLOAT32 }, { 60, 400, 50, HED_FLOAT32 }, { 13, 7, 16000, HED_FLOAT32 },
    { 60, 399, 50, HED_FLOAT64 }, { 1, 1000, 1001, HED_FLOAT64 }, { 1, 80, 20001, HED_FLOAT32 },
    { 1, 860, 2064, HED_FLOAT32 }, { 1, 431, 2008, HED_FLOAT64 },
  };
  const hed_random noise = { .seed = tap_seed(), .seeded = true };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const hed_shape shape = HED_SHAPE(cases[i].m, cases[i].p, cases[i].width);
    hed_array *(*const draw)(hed_shape, hed_dtype, const hed_random *) =
        cases[i].type == HED_COMPLEX64 ? hed_random_phasor : hed_random_normal;
    hed_array *x = draw(HED_SHAPE(cases[i].m, 1, cases[i].width), cases[i].type, &noise);
    hed_array *y = draw(HED_SHAPE(1, cases[i].p, cases[i].width), cases[i].type, &noise);
    hed_array *wide = hed_broadcast_to(x, shape), *full = hed_copy(wide), *tall = hed_broadcast_to(y, shape), *other = hed_copy(tall);
    hed_array *want = hed_multiply(full, other), *got[3] = { hed_multiply(x, y), hed_multiply(y, x), hed_multiply(x, other) };
    for (int k = 0; k < 3; k++)
      ok(want && got[k] && !memcmp(hed_array_data(want), hed_array_data(got[k]), hed_array_nbytes(want)),
         "rows of %d that repeat, %d: %d x %d", (int)cases[i].width, k, (int)cases[i].m, (int)cases[i].p);
    if (cases[i].type != HED_COMPLEX64) {
      hed_array *half = hed_full(HED_SHAPE(1), 0.5, cases[i].type), *sum = hed_fma(x, half, other), *flat = hed_fma(full, half, other);
      ok(sum && flat && !memcmp(hed_array_data(sum), hed_array_data(flat), hed_array_nbytes(flat)), "and one element that does");
      RELEASE(half, sum, flat);
    }
    is_int(hed_multiply_into(full, full, y), HED_OK, "in place");
    ok(!memcmp(hed_array_data(want), hed_array_data(full), hed_array_nbytes(want)), "the same elements");
    hed_array *const all[] = { x, y, wide, full, tall, other, want, got[0], got[1], got[2] };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
      hed_release(all[k]);
  }
}

/* Long rows of whole lines, which end within a block: nothing is written behind the last. */
static void bounded(void)
{
  enum { ROWS = 860, WIDTH = 2064 };
  hed_array *flat = piece(b, 0, (int64_t)ROWS * WIDTH), *x = hed_reshape(flat, HED_SHAPE(ROWS, WIDTH)), *row = piece(a, 0, WIDTH);
  hed_array *room = hed_zeros(HED_SHAPE(ROWS + 1, WIDTH), HED_FLOAT32), *y = hed_slice(room, 1, &HED_RANGE(0, ROWS, 1));
  is_int(hed_add_into(y, row, x), HED_OK, "into the first rows of an array");
  const float *u = hed_array_data(row), *v = hed_array_data(x), *w = hed_array_data(room);
  int64_t wrong = 0;
  for (int64_t i = 0; i < (int64_t)(ROWS + 1) * WIDTH; i++)
    wrong += w[i] != (i < (int64_t)ROWS * WIDTH ? u[i % WIDTH] + v[i] : 0);
  is_int(wrong, 0, "their sums, and the row behind them as it was");
  hed_array *const all[] = { flat, x, row, room, y };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* Rows that are copied to places beside lines. */
static void rolled(void)
{
  enum { ROWS = 1800, WIDTH = 1000 };
  hed_array *flat = piece(a, 1, (int64_t)ROWS * WIDTH), *x = hed_reshape(flat, HED_SHAPE(ROWS, WIDTH));
  hed_array *y = hed_roll(x, &HED_AXES(3, 5), &HED_AXES(0, 1));
  const float *from = hed_array_data(x), *to = hed_array_data(y);
  int64_t wrong = -1;
  for (int64_t i = 0; to && i < (int64_t)ROWS * WIDTH && wrong < 0; i++)
    wrong = to[(i / WIDTH + 3) % ROWS * WIDTH + (i + 5) % WIDTH] == from[i] ? -1 : i;
  ok(to && wrong < 0, "roll: first wrong element %d", (int)wrong);
  RELEASE(flat, x, y);
}

/* Element I of X, whose type is TYPE. */
static double at(const void *x, hed_dtype type, int64_t i)
{
  return type == HED_FLOAT32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* Running sums of one lane, Z those of X, and of two: the same bits whoever hands them on to whom. */
static void handed_on(const hed_array *x, const hed_array *z)
{
  static const char *const crowd[] = { "cpu;threads=1", "cpu;threads=2", "cpu;threads=7" };
  hed_array *half = piece((hed_array *)(uintptr_t)x, 0, N / 32 * 16);
  for (size_t k = 0; k < sizeof crowd / sizeof *crowd; k++)
    HED_BACKEND_CONTEXT(crowd[k]) {
      hed_array *again = hed_cumsum(x, NULL), *rows = hed_stack(2, (const hed_array *[]){ half, half }, 0);
      hed_array *two = hed_cumsum(rows, &(hed_scan){ .axis = HED_AXES(1) });
      const size_t bytes = hed_array_nbytes(half);
      ok(again && !memcmp(hed_array_data(again), hed_array_data(z), hed_array_nbytes(z)), "%s: the same bits", crowd[k]);
      hed_array *const one = hed_cumsum(half, NULL);
      ok(two && one && !memcmp(hed_array_data(two), hed_array_data(one), bytes)
         && !memcmp((const char *)hed_array_data(two) + bytes, hed_array_data(one), bytes), "two lanes");
      hed_array *const all[] = { again, rows, two, one };
      for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        hed_release(all[i]);
    }
  hed_release(half);
}

/* Running sums, into a room with elements on both sides that stay, and in place; neighbours differ by the element. */
static void running(hed_dtype type)
{
  hed_array *x = hed_astype(a, type), *room = hed_zeros(HED_SHAPE(N + 2), type), *y = piece(room, 1, N), *z = hed_cumsum(x, NULL);
  is_int(hed_cumsum_into(y, x, NULL), HED_OK, "running sums of %s", hed_dtype_name(type));
  const float *v = hed_array_data(a);
  int64_t wrong = 0, other = 0;
  double sum = 0, size = 0;
  for (int64_t i = 0; i < N; i++) {
    sum += (double)v[i];
    size += fabs((double)v[i]);
    const double got = at(hed_array_data(y), type, i), again = at(hed_array_data(z), type, i);
    const double rounding = type == HED_FLOAT32 ? 6e-8 * fabs(sum) : 0;
    wrong += !(fabs(got - sum) <= rounding + 1e-13 * size);
    other += !(fabs(again - sum) <= rounding + 1e-13 * size);
  }
  is_int(wrong, 0, "are those of a loop");
  is_int(other, 0, "wherever they begin");
  ok(at(hed_array_data(room), type, 0) == 0 && at(hed_array_data(room), type, N + 1) == 0, "nothing beside them is written");
  handed_on(x, z);
  is_int(hed_cumsum_into(x, x, NULL), HED_OK, "in place");
  ok(!memcmp(hed_array_data(x), hed_array_data(z), hed_array_nbytes(z)), "the same");
  hed_array *const all[] = { x, room, y, z };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* What a mask chooses, and elements several times over. */
static void chosen(void)
{
  hed_array *x = hed_astype(a, HED_FLOAT64), *y = hed_get(x, 1, &HED_MASK(mask)), *twice = hed_repeat(x, 2, NULL);
  hed_array *three = hed_repeat(a, 3, NULL), *many = hed_repeat(mask, 40, NULL), *z = hed_get(a, 1, &HED_MASK(mask));
  const uint8_t *truth = hed_array_data(mask), *t40 = hed_array_data(many);
  const double *v = hed_array_data(x), *got = hed_array_data(y), *t2 = hed_array_data(twice);
  const float *w = hed_array_data(a), *t3 = hed_array_data(three), *narrow = hed_array_data(z);
  int64_t found = 0, wrong = 0, others = 0;
  for (int64_t i = 0; i < N; i++) {
    if (truth[i]) {
      wrong += found >= hed_array_size(y) || got[found] != v[i] || memcmp(&narrow[found], &w[i], sizeof *w) != 0;
      found++;
    }
    others += t2[2 * i] != v[i] || t2[2 * i + 1] != v[i] || memcmp(&t3[3 * i], &w[i], 4) || memcmp(&t3[3 * i + 1], &w[i], 4)
              || memcmp(&t3[3 * i + 2], &w[i], 4) || t40[40 * i] != truth[i] || t40[40 * i + 39] != truth[i];
  }
  is_int(wrong, 0, "what a mask chooses");
  ok(found == hed_array_size(y) && found == hed_array_size(z), "all of it");
  is_int(others, 0, "elements twice, three times and 40 times");
  hed_array *const all[] = { x, y, z, twice, three, many };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* Elements at random places of more memory than the second cache holds: taken, and added to. */
static void scattered(hed_dtype type)
{
  const hed_random seed = { .seed = tap_seed(), .seeded = true };
  enum { SOME = 1000003, MANY = 700001 };
  hed_array *part = piece(b, 0, SOME), *more = piece(b, SOME, MANY), *x = hed_astype(part, type), *values = hed_astype(more, type);
  hed_array *places = hed_random_integers(HED_SHAPE(MANY), 0, SOME, HED_INT64, &seed), *got = hed_take(x, places, 0);
  hed_array *sums = hed_scatter_add(values, places, SOME, 0);
  const int64_t *p = hed_array_data(places);
  double *want = calloc(SOME, sizeof *want);
  int64_t wrong = 0, off = 0;
  for (int64_t i = 0; want && i < MANY; i++) {
    wrong += at(hed_array_data(got), type, i) != at(hed_array_data(x), type, p[i]);
    want[p[i]] += at(hed_array_data(values), type, i);
    if (type == HED_FLOAT32)
      want[p[i]] = (double)(float)want[p[i]];
  }
  for (int64_t k = 0; want && k < SOME; k++)
    off += at(hed_array_data(sums), type, k) != want[k];
  is_int(wrong, 0, "%s at random places", hed_dtype_name(type));
  ok(want && off == 0, "added up there in the order of the list");
  free(want);
  hed_array *const all[] = { part, more, x, values, places, got, sums };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* Transposed matrices of ROWS x COLS: copied, turned by quarters, and two of them added up in a room with one element before
 * and some behind. */
static void turned(hed_dtype type, int64_t rows, int64_t cols)
{
  const hed_random noise = { .seed = tap_seed(), .seeded = true }, other = { .seed = tap_seed() + 1, .seeded = true };
  hed_array *x = hed_random_uniform(HED_SHAPE(rows, cols), type, &noise), *y = hed_random_uniform(HED_SHAPE(rows, cols), type, &other);
  hed_array *xt = hed_transpose(x, NULL), *yt = hed_transpose(y, NULL), *copy = hed_copy(xt), *twice = hed_add(xt, xt);
  hed_array *left = hed_rot90(x, 1, 0, 1), *right = hed_rot90(x, 3, 0, 1), *lefts = hed_copy(left), *rights = hed_copy(right);
  hed_array *room = hed_zeros(HED_SHAPE(rows * cols + 9), type), *inner = piece(room, 1, rows * cols);
  hed_array *to = hed_reshape(inner, HED_SHAPE(cols, rows));
  is_int(hed_add_into(to, xt, yt), HED_OK, "%s, %d x %d: added up", hed_dtype_name(type), (int)rows, (int)cols);
  const void *u = hed_array_data(x), *v = hed_array_data(y), *c0 = hed_array_data(copy), *c2 = hed_array_data(twice);
  const void *sum = hed_array_data(room), *cl = hed_array_data(lefts), *cr = hed_array_data(rights);
  int64_t wrong[4] = { 0 }, beside = at(sum, type, 0) != 0;
  for (int64_t r = 0; r < cols; r++)
    for (int64_t c1 = 0; c1 < rows; c1++) {
      const double p = at(u, type, c1 * cols + r), q = at(v, type, c1 * cols + r);
      wrong[0] += at(c0, type, r * rows + c1) != p;
      wrong[1] += at(c2, type, r * rows + c1) != p + p;
      wrong[3] += at(cl, type, (cols - 1 - r) * rows + c1) != p || at(cr, type, r * rows + rows - 1 - c1) != p;
      wrong[2] += at(sum, type, 1 + r * rows + c1) != (type == HED_FLOAT32 ? (double)((float)p + (float)q) : p + q);
    }
  for (int64_t i = rows * cols + 1; i < rows * cols + 9; i++)
    beside += at(sum, type, i) != 0;
  is_int(wrong[0], 0, "copied");
  is_int(wrong[3], 0, "turned by quarters");
  is_int(wrong[1], 0, "added to itself");
  is_int(wrong[2], 0, "added to another one");
  is_int(beside, 0, "nothing beside the result is written");
  hed_array *const all[] = { x, y, xt, yt, copy, twice, left, right, lefts, rights, room, inner, to };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* Triangles of rows that begin beside lines, and of columns. */
static void triangles(void)
{
  enum { ROWS = 1800, WIDTH = 1000 };
  hed_array *flat = piece(a, 1, (int64_t)ROWS * WIDTH), *x = hed_reshape(flat, HED_SHAPE(ROWS, WIDTH));
  hed_array *turned = hed_transpose(x, NULL);
  hed_array *low = hed_tril(x, -800), *high = hed_triu(x, -800), *columns = hed_tril(turned, 17);
  const float *from = hed_array_data(x), *below = hed_array_data(low), *above = hed_array_data(high);
  const float *down = hed_array_data(columns);
  int64_t wrong = 0;
  for (int64_t i = 0; below && above && down && i < ROWS; i++)
    for (int64_t k = 0; k < WIDTH; k++) {
      const float v = from[i * WIDTH + k];
      wrong += below[i * WIDTH + k] != (k <= i - 800 ? v : 0);
      wrong += above[i * WIDTH + k] != (k >= i - 800 ? v : 0);
      wrong += down[k * ROWS + i] != (i <= k + 17 ? v : 0);
    }
  ok(below && above && down && wrong == 0, "tril and triu: %d wrong elements", (int)wrong);
  hed_array *const all[] = { flat, x, turned, low, high, columns };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* A pass of several operations, with results of two widths, one that repeats, a reduction, and rows that begin beside lines. */
static void fused(void)
{
  hed_array *flat = piece(a, 3, 1800000), *x = hed_reshape(flat, HED_SHAPE(1800, 1000)), *row = piece(b, 0, 1000);
  hed_array *y[4] = { NULL }, *t = NULL, *five = hed_full(HED_SHAPE(1, 1), 5, HED_FLOAT32);
  hed_array *wide = hed_broadcast_to(five, HED_SHAPE(1800, 1000));
  HED_FUSED {
    t = hed_multiply(x, row);
    y[0] = hed_add(t, x);
    hed_release(t);
    y[1] = hed_astype(y[0], HED_FLOAT64);
    y[2] = hed_multiply(wide, wide);
    y[3] = hed_sum(y[0], NULL);
  }
  hed_array *product = hed_multiply(x, row), *want[2] = { hed_add(product, x), NULL };
  want[1] = hed_astype(want[0], HED_FLOAT64);
  for (int k = 0; k < 2; k++)
    ok(y[k] && memcmp(hed_array_data(y[k]), hed_array_data(want[k]), hed_array_nbytes(want[k])) == 0, "fused, result %d", k);
  const float *squares = hed_array_data(y[2]);
  int64_t wrong = -1;
  for (int64_t k = 0; squares && k < 1800000 && wrong < 0; k++)
    wrong = squares[k] == 25 ? -1 : k;
  is_int(wrong, -1, "fused, of one element that repeats");
  hed_array *chain = NULL;
  HED_FUSED
    chain = do_chain((hed_array *[]){ a, b, c });
  same(chain, do_chain, "fused, each on the result before");
  hed_release(chain);
  hed_array *kept[2] = { NULL }, *alone[2] = { hed_exp(flat), NULL }, *more = NULL;
  HED_FUSED { /* the first goes past the caches before the others begin */
    kept[0] = hed_exp(flat);
    more = hed_add(kept[0], flat);
    kept[1] = hed_multiply(more, flat);
    hed_release(more);
  }
  more = hed_add(alone[0], flat);
  alone[1] = hed_multiply(more, flat);
  for (int k = 0; k < 2; k++) {
    ok(kept[k] && memcmp(hed_array_data(kept[k]), hed_array_data(alone[k]), hed_array_nbytes(alone[k])) == 0,
       "fused, one that is no arithmetic and what goes on with it: result %d", k);
    RELEASE(kept[k], alone[k]);
  }
  hed_release(more);
  double sum[2] = { 0, 1 };
  hed_array *total = hed_sum(want[0], NULL);
  is_int(hed_item(y[3], &sum[0]), HED_OK, "and a sum of it");
  is_int(hed_item(total, &sum[1]), HED_OK, "beside that of the whole");
  ok(fabs(sum[0] - sum[1]) <= 1e-5 * fabs(sum[1]) + 1, "%g and %g", sum[0], sum[1]);
  hed_array *const all[] = { flat, x, row, five, wide, y[0], y[1], y[2], y[3], product, want[0], want[1], total };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* Operands with gaps, which are not the same for both. */
static void spaced(hed_dtype type)
{
  const int64_t step = type == HED_FLOAT32 ? 3 : 2, n = N / step - 1;
  hed_array *x = hed_astype(a, type), *y = hed_astype(b, type);
  hed_array *u = hed_slice(x, 1, &HED_RANGE(1, 1 + n * step, step)), *v = hed_slice(y, 1, &HED_RANGE(0, n * 2, 2));
  hed_array *sums = hed_add(u, v), *signs = hed_less(u, v), *squares = hed_square(u);
  if (!sums || !signs || !squares)
    bail("gaps: %s", hed_error_text());
  const char *p = hed_array_data(x), *q = hed_array_data(y), *r = hed_array_data(sums), *s = hed_array_data(squares);
  const bool *less = hed_array_data(signs);
  int64_t wrong = -1;
  for (int64_t k = 0; k < n && wrong < 0; k++) {
    double left, right;
    bool good;
    if (type == HED_FLOAT32) {
      const float l = ((const float *)(const void *)p)[1 + k * step], m = ((const float *)(const void *)q)[2 * k];
      good = ((const float *)(const void *)r)[k] == l + m && ((const float *)(const void *)s)[k] == l * l;
      left = (double)l;
      right = (double)m;
    } else {
      left = ((const double *)(const void *)p)[1 + k * step];
      right = ((const double *)(const void *)q)[2 * k];
      good = ((const double *)(const void *)r)[k] == left + right && ((const double *)(const void *)s)[k] == left * left;
    }
    if (!good || less[k] != (left < right))
      wrong = k;
  }
  is_int(wrong, -1, "operands with gaps, %s", hed_dtype_name(type));
  hed_array *const all[] = { x, y, u, v, sums, signs, squares };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* With sanitizers one of three. */
#define ROW(call) (void)(in_sample(row++) ? (call) : (void)0)

int main(void)
{
  setenv("HEDDLE_CPU_STREAM", least, 1);
  for (int threads = for_races() ? 3 : 1; threads <= 3; threads += 2) {
    char spec[32];
    snprintf(spec, sizeof spec, "cpu;threads=%d", threads);
    if (hed_backend_require("cpu") != HED_OK || hed_set_backend(spec) != HED_OK)
      skip_all("the cpu backend was not built");
    diag("%s", spec);
    const hed_random noise = { .seed = tap_seed(), .seeded = true };
    a = hed_random_normal(HED_SHAPE(N), HED_FLOAT32, &noise);
    b = hed_random_uniform(HED_SHAPE(N), HED_FLOAT32, &noise);
    c = hed_add(a, b);
    mask = hed_greater_scalar(a, 0);
    if (!a || !b || !c || !mask)
      bail("inputs: %s", hed_error_text());
    int row = 0;
    ROW(results());
    ROW(made());
    ROW(into());
    ROW(spaced(HED_FLOAT32));
    ROW(spaced(HED_FLOAT64));
    ROW(quotients());
    ROW(sparse());
    ROW(backwards_and_again());
    ROW(repeated_one());
    ROW(repeated());
    ROW(bounded());
    ROW(fused());
    ROW(rolled());
    ROW(running(HED_FLOAT32));
    ROW(running(HED_FLOAT64));
    ROW(chosen());
    ROW(triangles());
    ROW(scattered(HED_FLOAT32));
    ROW(scattered(HED_FLOAT64));
    ROW(turned(HED_FLOAT32, 911, 2053));
    ROW(turned(HED_FLOAT64, 1250, 852));
    ROW(turned(HED_FLOAT32, 129, 13001)); /* few columns of the result */
    ROW(turned(HED_FLOAT64, 77, 11003));
    ROW(turned(HED_FLOAT32, 340003, 5)); /* few rows */
    ROW(turned(HED_FLOAT64, 517, 2048)); /* rows of the operand 16 KiB apart */
    RELEASE(a, b, c, mask);
  }
  return done();
}
