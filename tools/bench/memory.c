// SPDX-License-Identifier: BSD-3-Clause
/* Suite "memory", what results cost before anything is computed.
 *
 * Layer: L5. Floors: malloc and free for what comes from the pool, writing the bytes (memset in memory that is there) for
 * filled arrays, memcpy for copies.
 */
#include "bench.h"
#include <math.h>
#include <stdint.h>

#define BYTES (w->spec->dim[0])

BENCH_NEW(empty, hed_empty(HED_SHAPE(BYTES / 4), HED_FLOAT32))
BENCH_NEW(full, hed_full(HED_SHAPE(BYTES / 4), 1.5, HED_FLOAT32))
BENCH_NEW(add, hed_add(w->a[0], w->a[0]))
BENCH_STATUS(add_into, hed_add_into(w->a[1], w->a[0], w->a[0]))
BENCH_STATUS(to_host, hed_to_host(w->a[0], w->own, (size_t)BYTES))
BENCH_NEW(from_host, hed_from_host(w->own, HED_SHAPE(BYTES / 4), HED_FLOAT32))

/* The pool is emptied before each result: fresh pages from the system, touched for the first time. */
static hed_status first_touch(bench_work *w, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    hed_trim(NULL, SIZE_MAX, HED_TRIM_BLOCKS);
    hed_array *r = hed_full(HED_SHAPE(BYTES / 4), 1.5, HED_FLOAT32);
    if (!r)
      return hed_error();
    hed_release(r);
  }
  return HED_OK;
}

/* Sixteen results alive at once, released in the order in which they were made. */
static hed_status blocks(bench_work *w, int64_t n)
{
  hed_array *kept[16] = { 0 };
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    for (int k = 0; k < 16; k++)
      if (!(kept[k] = hed_empty(HED_SHAPE(BYTES / 4), HED_FLOAT32)))
        status = hed_error();
    for (int k = 0; k < 16; k++)
      hed_release(kept[k]);
  }
  return status;
}

static hed_status trim(bench_work *w, int64_t n)
{
  hed_status status = empty(w, 1);
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    hed_trim(NULL, SIZE_MAX, HED_TRIM_BLOCKS);
    status = empty(w, 1);
  }
  return status;
}

static hed_status query(bench_work *w, int64_t n)
{
  hed_memory_info info = { .struct_size = sizeof info };
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++)
    status = hed_memory_query(NULL, &info);
  (void)w;
  return status;
}

static hed_status meter(bench_work *w, int64_t n)
{
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    hed_memory_meter m;
    hed_memory_reading r = { .struct_size = sizeof r };
    status = hed_memory_meter_begin(NULL, &m);
    if (status == HED_OK)
      status = hed_memory_meter_read(&m, &r);
    hed_memory_meter_end(&m);
  }
  (void)w;
  return status;
}

/* ---- floors ---- */

static void malloc_run(void *state, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    void *volatile p = malloc(*(size_t *)state);
    free(p);
  }
}

static void malloc16_run(void *state, int64_t n)
{
  void *volatile p[16];
  for (int64_t i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      p[k] = malloc(*(size_t *)state);
    for (int k = 0; k < 16; k++)
      free(p[k]);
  }
}

enum floor { MALLOC, MALLOC16, STREAM };

typedef struct test {
  const char *name;
  bench_fn run;
  enum floor floor;
  double read, written; /* bytes per byte */
  const char *note;
  bool small, large;
} test;

static const test tests[] = {
  { "empty", empty, MALLOC, 0, 0, NULL, true, true },
  { "blocks16", blocks, MALLOC16, 0, 0, NULL, true, true },
  { "full", full, STREAM, 0, 1, "from the pool", true, true },
  { "first_touch", first_touch, STREAM, 0, 1, "fresh pages; the floor writes memory that is there", false, true },
  { "add_new", add, STREAM, 1, 1, NULL, false, true },
  { "add_into", add_into, STREAM, 1, 1, NULL, false, true },
  { "trim", trim, MALLOC, 0, 0, "emptying the pool and allocating again", true, true },
  { "from_host", from_host, STREAM, 1, 1, NULL, true, true },
  { "to_host", to_host, STREAM, 1, 1, NULL, true, true },
  { "query", query, MALLOC, 0, 0, NULL, true, false },
  { "meter", meter, MALLOC, 0, 0, NULL, true, false },
};

static void drop(bench_work *w)
{
  free(w->own);
}

static hed_status prepare(bench_work *w)
{
  static size_t bytes;
  const test *t = w->spec->what;
  bytes = (size_t)BYTES;
  w->own = malloc(bytes);
  w->drop = drop;
  if (!w->own)
    return hed_fail(HED_E_NOMEM, "no memory");
  memset(w->own, 0, bytes);
  w->a[0] = hed_ones(HED_SHAPE(BYTES / 4), HED_FLOAT32);
  w->a[1] = hed_ones(HED_SHAPE(BYTES / 4), HED_FLOAT32);
  hed_status status = bench_have(w, 2);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, w->a[0]);
  w->content = t->read == 0 ? BENCH_ONE_VALUE : BENCH_VALUES;
  w->run = t->run;
  w->note = t->note;
  w->read = t->read * (double)bytes;
  w->written = t->written * (double)bytes;
  if (t->floor == STREAM)
    return bench_floor_stream(w);
  w->floor = (bench_floor){ "malloc", t->floor == MALLOC ? malloc_run : malloc16_run, &bytes, NULL, NAN, 0, false };
  return HED_OK;
}

void bench_list_memory(bench *b)
{
  static const struct { const char *size; int64_t bytes; } sizes[] = { { "64B", 64 }, { "4KB", 4096 }, { "1MB", 1 << 20 },
                                                                       { "40MB", 40000000 } };
  for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
      bench_spec s = { .suite = "memory", .name = tests[i].name, .what = &tests[i], .prepare = prepare,
                       .dtype = HED_FLOAT32, .dim = { sizes[z].bytes } };
      snprintf(s.size, sizeof s.size, "%s", sizes[z].size);
      if (z < 2 ? tests[i].small : tests[i].large)
        bench_add(b, &s, tests[i].floor != STREAM);
    }
}
