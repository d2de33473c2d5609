// SPDX-License-Identifier: BSD-3-Clause
/* Families copy, make, gather, scatter, compact and scan on an OpenCL device, against loops. */
#include "gen.h"
#include "run.h"

#include "backends/device/kernels/args_gather.h"
#include "backends/device/kernels/args_make.h"
#include "backends/device/kernels/args_scan.h"
#include "base/cast.h"
#include "base/dtype.h"

#include <math.h>
#include <stdio.h>

static gen g;

static char *bytes(size_t n)
{
  char *p = run_memory(n);
  gen_bytes(&g, p, n);
  return p;
}

static void check_copies(bool cpu)
{
  static const int sizes[] = { 1, 2, 4, 8, 16 };
  for (int k = 0; k < 5; k++) {
    if (!thorough(k))
      continue;
    const int b = sizes[k];
    char define[64], name[64];
    snprintf(define, sizeof define, "#define HED_BYTES %d\n%s", b, cpu ? "#define DEVICE_CPU 1" : "");
    run_program *p = run_build("copy", HED_ID_UINT8, define);
    const int64_t n[3] = { 45, 70, 2 };
    char *x = bytes((size_t)(n[0] * n[1] * n[2] * b)), *out = bytes((size_t)(n[0] * n[1] * n[2] * b));
    hed__map_rows_args turn = { .n = { n[0], n[1], n[2] },
                                .stride = { { n[1], n[0] * n[1] }, { n[0], n[0] * n[1] } } };
    snprintf(name, sizeof name, "transposed elements of %d bytes, schedule %s", b, cpu ? "long" : "wide");
    bool fine = p && RUN(p, "copy_transposed", (n[0] + 31) / 32, (n[1] + 31) / 32, n[2], &turn, out, x);
    for (int64_t z = 0; z < n[2] && fine; z++)
      for (int64_t i = 0; i < n[0] * n[1] && fine; i++)
        fine = memcmp(out + (z * n[0] * n[1] + i) * b, x + (z * n[0] * n[1] + i % n[1] * n[0] + i / n[1]) * b, (size_t)b) == 0;
    ok(fine, "%s", name);

    hed__map_strided_args s = { .n = { n[0], n[1], n[2], 1 },
                                .stride = { { n[2] * n[1], n[2], 1, 0 }, { 1, n[0], n[0] * n[1], 0 } } };
    hed__map_rows_args rows = { .n = { n[0], n[1], n[2] },
                                .stride = { { n[0], n[0] * n[1] }, { 0, n[0] * n[1] } } };
    fine = p && RUN(p, b == 8 ? "copy_strided64" : "copy_strided", run_groups(n[0]), n[1], n[2], &s, out, x);
    for (int64_t i = 0; i < n[0] && fine; i++)
      for (int64_t j = 0; j < n[1] && fine; j++)
        for (int64_t k2 = 0; k2 < n[2] && fine; k2++)
          fine = memcmp(out + (i * n[2] * n[1] + j * n[2] + k2) * b, x + (i + j * n[0] + k2 * n[0] * n[1]) * b, (size_t)b) == 0;
    fine = fine && RUN(p, "copy_rows", cpu ? n[0] : run_groups(n[0]), n[1], n[2], &rows, out, x);
    for (int64_t z = 0; z < n[2] && fine; z++)
      for (int64_t j = 0; j < n[1] && fine; j++)
        fine = memcmp(out + (j * n[0] + z * n[0] * n[1]) * b, x + z * n[0] * n[1] * b, (size_t)(n[0] * b)) == 0;
    ok(fine, "strided elements of %d bytes", b);
    run_forget();
  }
}

static void check_casts(void)
{
  for (int from = 0; from < HED_ID_CONCRETE_COUNT_; from++) {
    bool fine = true;
    for (int to = 0; to < HED_ID_CONCRETE_COUNT_ && fine; to++) {
      enum { N = 300 };
      char define[60];
      const int a = hed__id_size(from), b = hed__id_size(to);
      if (from == to || gen_below(&g, 4) != 0)
        continue;
      snprintf(define, sizeof define, "#define HED_OUT %d", to);
      run_program *p = run_build("cast", from, define);
      char *x = bytes((size_t)(N * a)), *out = bytes((size_t)(N * b)), want[N * 16];
      for (int i = 0; i < N; i += 2) /* every second one a number of ordinary size */
        hed__cast(HED_ID_FLOAT64, from)(1, x + i * a, a, (const char *)&(double){ rint(gen_double(&g, -800, 3000)) / 8 }, 8);
      hed__cast(from, to)(N, want, b, x, a);
      fine = p && RUN(p, "astype_flat", run_groups(N), 1, 1, (&(hed__map_flat_args){ .n = N }), out, x);
      for (int i = 0; i < N && fine; i++)
        if (memcmp(out + i * b, want + i * b, (size_t)b) != 0) {
          double v, got, wanted;
          hed__cast(from, HED_ID_FLOAT64)(1, (char *)&v, 8, x + i * a, a);
          hed__cast(to, HED_ID_FLOAT64)(1, (char *)&got, 8, out + i * b, b);
          hed__cast(to, HED_ID_FLOAT64)(1, (char *)&wanted, 8, want + i * b, b);
          fine = wanted != wanted && got != got; /* which NaN is nobody's promise */
          if (!fine)
            diag("%.17g of %s as %s: %.17g, not %.17g", v, hed__dtypes[from]->name, hed__dtypes[to]->name, got, wanted);
        }
      run_forget();
    }
    ok(fine, "%s as the other types", hed__dtypes[from]->name);
  }
}

static void check_make(void)
{
  run_program *p = run_build("make", HED_ID_FLOAT16, NULL), *q = run_build("make", HED_ID_INT32, NULL);
  uint16_t *h = run_memory(200 * 2), want;
  int32_t *w = run_memory(200 * 4);
  const double start = 0.3, step = 1.7;
  hed__arange_args o = { .n = 99, .stride = 2 };
  memcpy(&o.start, &start, 8);
  memcpy(&o.step, &step, 8);
  bool fine = p && q && RUN(p, "arange", 2, 1, 1, &o, h);
  for (int i = 0; i < 99 && fine; i++) {
    const double v = start + i * step;
    hed__cast(HED_ID_FLOAT64, HED_ID_FLOAT16)(1, (char *)&want, 2, (const char *)&v, 8);
    fine = h[2 * i] == want;
  }
  ok(fine, "arange of float16");
  o.whole = 1, o.first = -5, o.increment = 3;
  fine = q && RUN(q, "arange", 2, 1, 1, &o, w);
  for (int i = 0; i < 99 && fine; i++)
    fine = w[2 * i] == -5 + 3 * i;
  hed__map_flat_args flat = { .n = 77, .value = { { (uint32_t)-9 } } };
  hed__map_strided_args s = { .n = { 5, 3, 2, 2 }, .stride = { { 1, 10, 50, 100 } }, .value = { { 44 } } };
  fine = fine && RUN(q, "fill_flat", 2, 1, 1, &flat, w) && w[0] == -9 && w[76] == -9 && w[77] != -9 &&
         RUN(q, "fill_strided", 1, 3, 4, &s, w) && w[0] == 44 && w[5] == -9 && w[24] == 44 && w[174] == 44 && w[175] != 44;
  ok(fine, "arange and fill of int32");
  run_forget();
}

static void check_gather(void)
{
  enum { EXTENT = 50, INNER = 7, N = 30, OUTER = 4 };
  run_program *p = run_build("gather", HED_ID_UINT8, "#define HED_BYTES 4");
  uint32_t *x = (uint32_t *)(void *)bytes(OUTER * EXTENT * INNER * 4), *out = (uint32_t *)(void *)bytes(OUTER * N * INNER * 4);
  int64_t *index = run_memory(N * 8), *record = run_memory(32);
  memset(record, 0, 32);
  for (int i = 0; i < N; i++)
    index[i] = gen_int(&g, -EXTENT, EXTENT - 1);
  hed__gather_args o = { .n = { INNER, N, OUTER }, .to = { 1, INNER, N * INNER }, .from = { 1, 0, EXTENT * INNER },
                         .index = { 0, 1, 0 }, .step = INNER, .extent = EXTENT, .code = 1 };
  bool fine = p && RUN(p, "gather", 1, N, OUTER, &o, out, x, index, record);
  for (int k = 0; k < OUTER * N * INNER && fine; k++) {
    const int64_t i = index[k / INNER % N];
    fine = out[k] == x[k / (N * INNER) * EXTENT * INNER + (i < 0 ? i + EXTENT : i) * INNER + k % INNER];
  }
  ok(fine && record[0] == 0, "elements are taken from where indices say");
  index[7] = EXTENT + 3;
  const uint32_t before = out[7 * INNER];
  x[0]++;
  ok(p && RUN(p, "gather", 1, N, OUTER, &o, out, x, index, record) && (record[0] & 0xffffffff) == 1 && record[1] == 1 &&
       record[2] == EXTENT + 3 && record[3] == EXTENT && out[7 * INNER] == before, "an index that there is not is reported");
  int64_t *sums = run_memory(4 * 8), *places = run_memory(10 * 8);
  memcpy(sums, (int64_t[]){ 0, 3, 3, 10 }, 32);
  hed__gather_args r = { .n = { 10 }, .extent = 4 };
  fine = p && RUN(p, "repeat_places", 1, 1, 1, &r, places, sums);
  for (int i = 0; i < 10; i++)
    fine = fine && places[i] == (i < 3 ? 1 : 3);
  ok(fine, "places of repeated elements");
  run_forget();
}

static int by_key(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : 1;
}

static void check_scatter(void)
{
  enum { N = 200, EXTENT = 40, WIDTH = 3 };
  run_program *p = run_build("scatter", HED_ID_FLOAT32, NULL);
  float *out = run_memory(EXTENT * WIDTH * 4), *values = run_memory(N * WIDTH * 4), want[EXTENT * WIDTH], set[EXTENT * WIDTH];
  int64_t *places = run_memory(N * 8), *record = run_memory(32);
  uint32_t *claims = run_memory(EXTENT * 4), *numbers = run_memory(N * 4);
  uint64_t *keys = run_memory(N * 8), pairs[N][2];
  hed__scatter_args o = { .n = N, .extent = EXTENT, .block = WIDTH, .code = 2 };
  memset(record, 0, 32);
  memset(claims, 0, EXTENT * 4);
  for (int i = 0; i < EXTENT * WIDTH; i++)
    want[i] = set[i] = out[i] = (float)gen_unit(&g);
  for (int i = 0; i < N; i++) {
    places[i] = gen_int(&g, 0, EXTENT - 1);
    for (int k = 0; k < WIDTH; k++) {
      values[i * WIDTH + k] = (float)gen_unit(&g);
      want[places[i] * WIDTH + k] += values[i * WIDTH + k];
      set[places[i] * WIDTH + k] = values[i * WIDTH + k];
    }
  }
  ok(p && RUN(p, "scatter_keys", run_groups(N), 1, 1, &o, keys, numbers, places, record), "places become keys");
  for (int i = 0; i < N; i++)
    pairs[i][0] = keys[i], pairs[i][1] = numbers[i];
  qsort(pairs, N, sizeof pairs[0], by_key);
  for (int i = 0; i < N; i++)
    keys[i] = pairs[i][0], numbers[i] = (uint32_t)pairs[i][1];
  ok(p && RUN(p, "scatter_add", run_groups(N * WIDTH), 1, 1, &o, out, values, keys, numbers), "values are added");
  is_mem(out, want, sizeof want, "in the order of the list, bit for bit");
  memcpy(out, want, sizeof want);
  ok(p && RUN(p, "scatter_claim", run_groups(N), 1, 1, &o, claims, places, record) &&
       RUN(p, "scatter_set", run_groups(N * WIDTH), 1, 1, &o, out, values, places, claims), "values are set");
  for (int i = 0; i < EXTENT; i++)
    if (claims[i] == 0)
      memcpy(set + i * WIDTH, want + i * WIDTH, WIDTH * 4);
  is_mem(out, set, sizeof set, "the last one stays");
  is_int(record[0], 0, "no place was out of range");
  run_forget();
}

static void check_compact(void)
{
  enum { N = 5000, EACH = 16, PIECES = (N + EACH - 1) / EACH };
  run_program *p = run_build("compact", HED_ID_FLOAT16, NULL);
  uint16_t *x = run_memory(N * 2);
  int64_t *sums = run_memory(PIECES * 8), *positions = run_memory(N * 8), *rows = run_memory(N * 3 * 8), found = 0;
  for (int i = 0; i < N; i++)
    x[i] = (uint16_t)(gen_chance(&g, 30) ? 1 + gen_below(&g, 0x7fff) : gen_chance(&g, 50) ? 0x8000 : 0);
  hed__compact_args o = { .n = N, .each = EACH, .found = N };
  bool fine = p && RUN(p, "count_true", run_groups(PIECES), 1, 1, &o, sums, x);
  for (int k = 1; k < PIECES; k++)
    sums[k] += sums[k - 1];
  o.found = sums[PIECES - 1];
  fine = fine && RUN(p, "place_true", run_groups(PIECES), 1, 1, &o, positions, x, sums);
  for (int i = 0; i < N && fine; i++)
    if (x[i] & 0x7fff)
      fine = positions[found++] == i;
  ok(fine && found == o.found, "positions of what is not 0");
  enum { PARTS = (N + RUN_BLOCK * HED__COMPACT_EACH - 1) / (RUN_BLOCK * HED__COMPACT_EACH) };
  uint32_t *words = memset(run_memory((1 + PARTS) * 4), 0, (1 + PARTS) * 4);
  int64_t *again = memset(run_memory(N * 8), 0, N * 8);
  fine = fine && RUN(p, "find_true", PARTS, 1, 1, &o, again, x, words);
  ok(fine && memcmp(again, positions, (size_t)found * 8) == 0, "and looking back");
  hed__coordinates_args c = { .n = found, .ndim = 3, .to = { 3, 1 }, .dim = { 50, 5, 20 } };
  fine = p && RUN(p, "coordinates", run_groups(found), 1, 1, &c, rows, positions);
  for (int64_t i = 0; i < found && fine; i++)
    fine = rows[3 * i] * 100 + rows[3 * i + 1] * 20 + rows[3 * i + 2] == positions[i] && rows[3 * i + 2] < 20 && rows[3 * i + 1] < 5;
  ok(fine, "coordinates of positions");
  run_forget();
}

/* How a line is scanned: an item a part, a group a part, or a group a part with a look at those before. */
typedef enum scan_way { BY_ITEMS, BY_GROUPS, LOOKING_BACK } scan_way;

/* PARTS or OFFSETS, which come before what is looked at. */
static bool scan_before(run_program *p, const char *row, scan_way way, const hed__scan_args *o, void *states, void *x)
{
  char entry[40];
  const int64_t units = o->n[0] * o->n[2] * o->parts, lines = o->n[0] * o->n[2];
  const char *lane = way == BY_GROUPS ? "lane_" : "";
  if (way == LOOKING_BACK)
    return true;
  snprintf(entry, sizeof entry, "%s_%sparts", row, lane);
  if (!RUN(p, entry, way == BY_GROUPS ? units : run_groups(units), 1, 1, o, states, x))
    return false;
  snprintf(entry, sizeof entry, "%s_%soffsets", row, lane);
  return RUN(p, entry, way == BY_GROUPS ? lines : run_groups(lines), 1, 1, o, states);
}

/* LONG_LINES: of more parts than are looked at one by one. */
static void check_scan(int dtype, const char *row, scan_way way, bool long_lines)
{
  enum { A = 3, MOST = 2000 };
  static const char *const ways[] = { "by items", "by groups", "looking back" }, *const entries[] = { "write", "lanes", "tiles" };
  const int64_t window = HED__SCAN_TILE * RUN_BLOCK * RUN_BLOCK, least = long_lines ? 2 * window + 20 : 130;
  const int64_t r = gen_int(&g, least, least + scaled(MOST)), c = way == BY_ITEMS ? 3 : 1;
  const int64_t tile = (way == LOOKING_BACK ? HED__SCAN_TILE : HED__SCAN_EACH) * RUN_BLOCK;
  const int64_t chunk = way == BY_ITEMS ? gen_int(&g, 20, 900) : way == BY_GROUPS ? tile * gen_int(&g, 1, 3) : tile;
  hed__scan_args o = { .n = { A, r, c }, .from = { r * c, c, 1 }, .to = { r * c, c, 1 }, .parts = (r + chunk - 1) / chunk,
                       .chunk = chunk };
  const bool sum = strcmp(row, "cumsum") == 0, prod = strcmp(row, "cumprod") == 0, max = strcmp(row, "cummax") == 0;
  const int size = hed__id_size(dtype), floats = hed__id_kind(dtype) == HED_KIND_FLOAT;
  run_program *p = run_build("scan", dtype, NULL);
  char *x = run_memory((size_t)(A * r * c * size)), *out = run_memory((size_t)(A * r * c * size)), entry[40];
  const int64_t n_states = A * c * (o.parts + o.parts / RUN_BLOCK + 1);
  void *states = run_memory((size_t)n_states * 16), *words = run_memory((size_t)(n_states + 1) * 4);
  double *value = malloc((size_t)(A * r * c) * 8);
  for (int64_t i = 0; i < A * r * c; i++) {
    value[i] = prod ? (floats ? 1 + gen_double(&g, -0.01, 0.01) : 3) : gen_double(&g, -9, 9);
    value[i] = floats ? value[i] : rint(value[i]);
    if (floats && !sum && !prod && gen_below(&g, 3000) == 0)
      value[i] = NAN;
    hed__cast(HED_ID_FLOAT64, dtype)(1, x + i * size, size, (const char *)&value[i], 8);
    hed__cast(dtype, HED_ID_FLOAT64)(1, (char *)&value[i], 8, x + i * size, size);
  }
  const int64_t units = A * c * o.parts;
  bool fine = p && scan_before(p, row, way, &o, states, x);
  snprintf(entry, sizeof entry, "%s_%s", row, entries[way]);
  for (int again = 0; again < 2 && way == LOOKING_BACK; again++) { /* the same bits, whoever waits for whom */
    char *before = again ? memcpy(malloc((size_t)(A * r * size)), out, (size_t)(A * r * size)) : NULL;
    memset(words, 0, (size_t)(n_states + 1) * 4);
    fine = fine && RUN(p, entry, units, 1, 1, &o, out, x, states, words);
    fine = fine && !(before && memcmp(before, out, (size_t)(A * r * size)) != 0);
    free(before);
  }
  if (way != LOOKING_BACK)
    fine = fine && RUN(p, entry, way == BY_GROUPS ? units : run_groups(units), 1, 1, &o, out, x, states);
  for (int64_t a = 0; a < A && fine; a++)
    for (int64_t k = 0; k < c && fine; k++) {
      double total = 0;
      uint64_t word = 0;
      for (int64_t i = 0; i < r && fine; i++) {
        const double v = value[(a * r + i) * c + k];
        const uint64_t w = (uint64_t)(int64_t)(floats ? 0 : v);
        double got, want;
        total = i == 0 ? v : sum ? total + v : prod ? total * v : total != total ? total : max ? fmax(total, v) : fmin(total, v);
        total = v != v ? v : total;
        word = i == 0 ? w : sum ? word + w : word * w;
        if (!floats && (sum || prod))
          hed__cast(HED_ID_UINT64, dtype)(1, (char *)&want, size, (const char *)&word, 8),
            hed__cast(dtype, HED_ID_FLOAT64)(1, (char *)&want, 8, (const char *)&want, size);
        else
          want = total;
        hed__cast(dtype, HED_ID_FLOAT64)(1, (char *)&got, 8, out + ((a * r + i) * c + k) * size, size);
        fine = got == want || (got != got && want != want) || (floats && fabs(got - want) <= 0x1p-18 * (1 + fabs(want)));
        if (!fine)
          diag("%s of %s: [%d, %d, %d] is %.17g, not %.17g", row, hed__dtypes[dtype]->name, (int)a, (int)i, (int)k, got, want);
      }
    }
  ok(fine, "%s of %s %s, %d parts", row, hed__dtypes[dtype]->name, ways[way], (int)o.parts);
  free(value);
  run_forget();
}

int main(void)
{
  static const char *const scans[] = { "cumsum", "cumprod", "cummax", "cummin" };
  const char *missing = run_open();
  if (missing)
    skip_all("%s", missing);
  gen_seed(&g, tap_seed());
  check_copies(false);
  check_copies(true);
  check_make();
  check_gather();
  check_scatter();
  check_compact();
  for (int k = 0; k < 4; k++)
    for (int way = BY_ITEMS; way <= LOOKING_BACK; way++) {
      if (thorough(k + way))
        check_scan(HED_ID_FLOAT32, scans[k], way, way == LOOKING_BACK && k == 0);
      if (thorough(k + way + 1))
        check_scan(HED_ID_INT32, scans[k], way, way == LOOKING_BACK && k == 2);
    }
  check_casts();
  done_testing();
  return done();
}
