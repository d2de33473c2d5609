// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions of lanes of a few elements and of rows of a few columns, of every type, against the reference: contiguous, turned
 * around, with gaps and in another order of axes; numbers that are tied, none, or leave the range half-way. From any number of
 * threads the same bits.
 */
#include "api.h"
#include "gen.h"
#include "scenario.h"
#include <math.h>
#include <string.h>

typedef hed_array *reduction(const hed_array *x, const hed_reduce *opt);
typedef enum data { TAME, TIED, WILD, DATA } data;

enum { MOST = 160000 };
static gen g;
static char memory[MOST * 16];
static double want[2 * MOST], got[2 * MOST];

static const struct { const char *name; reduction *run; bool rounded; } all[] = {
  { "sum", hed_sum, true },           { "prod", hed_prod, true },       { "mean", hed_mean, true },       { "var", hed_var, true },
  { "max", hed_max, false },          { "min", hed_min, false },        { "argmax", hed_argmax, false },
  { "argmin", hed_argmin, false },    { "any", hed_any, false },        { "all", hed_all, false },
  { "count_nonzero", hed_count_nonzero, false },                        { "nansum", hed_nansum, true },
  { "nanmax", hed_nanmax, false },    { "nanmin", hed_nanmin, false },  { "nanmean", hed_nanmean, true },
};

static hed_array *numbers(hed_dtype t, hed_shape shape, int64_t n, data what)
{
  const hed_kind kind = hed_dtype_kind(t);
  const bool half = hed_dtype_size(t) == 2, single = t == HED_FLOAT32 || t == HED_COMPLEX64;
  const int parts = kind == HED_KIND_COMPLEX ? 2 : 1, far = half ? 8 : single ? 60 : 600;
  if (kind < HED_KIND_FLOAT) {
    gen_bytes(&g, memory, (size_t)n * hed_dtype_size(t));
    for (int64_t i = 0; i < n * (int64_t)hed_dtype_size(t); i++)
      if (kind == HED_KIND_BOOL)
        memory[i] = (char)gen_chance(&g, what == TAME ? 50 : what == TIED ? 3 : 97);
      else if (what != WILD)
        memory[i] = (char)(memory[i] & (what == TAME ? 7 : 1));
    return hed_from_host(memory, shape, t);
  }
  double *v = (double *)(void *)memory;
  for (int64_t i = 0; i < n * parts; i++) {
    v[i] = what == TIED ? (double)gen_int(&g, -3, 9) : gen_double(&g, 0.5, 1.5);
    if (what == WILD)
      v[i] = ldexp(v[i], (int)gen_int(&g, -far, far));
    if (what == TIED && gen_below(&g, 40) == 0)
      v[i] = gen_chance(&g, 50) ? (double)NAN : parts == 2 ? 0 : gen_chance(&g, 50) ? -(double)INFINITY : (double)INFINITY;
  }
  hed_array *wide = hed_from_host(v, shape, parts == 2 ? HED_COMPLEX128 : HED_FLOAT64);
  return hed_astype(wide, t);
}

/* Results as complex numbers; 0 elements: there are none. */
static int64_t values(hed_array *y, double *to)
{
  hed_array *z = y ? hed_astype(y, HED_COMPLEX128) : NULL;
  const int64_t n = z ? hed_array_size(z) : 0;
  if (!z || hed_to_host(z, to, (size_t)(2 * n) * sizeof *to) != HED_OK)
    return 0;
  return n;
}

static bool near(const double *a, const double *b, double tolerance, double least)
{
  const double size = hypot(b[0], b[1]);
  for (int k = 0; k < 2; k++)
    if (!(a[k] == b[k] || (isnan(a[k]) && isnan(b[k])) || fabs(a[k] - b[k]) <= tolerance * size + least))
      return false;
  return true;
}

static bool agrees(hed_dtype t, hed_shape shape, int64_t n, hed_axes axes, int layout, data what, const char *threads)
{
  const bool half = hed_dtype_size(t) == 2, single = t == HED_FLOAT32 || t == HED_COMPLEX64;
  const hed_reduce opt = { .axes = axes };
  bool good = true;
  HED_SCOPE {
    hed_array *x = numbers(t, shape, n, what);
    if (layout == 1) /* turned around, as a copy keeps no strides */
      x = hed_flip(x, &HED_AXES(0));
    else if (layout == 2)
      x = hed_flip(x, &HED_AXES(-1));
    else if (layout == 3) { /* memory by columns */
      x = hed_swapaxes(hed_copy(hed_swapaxes(x, 0, -1)), 0, -1);
    } else if (layout == 4) { /* every other row, of rows that are longer */
      hed_array *wide = hed_concatenate(2, (const hed_array *[]){ x, x }, -1);
      x = hed_slice(wide, shape.ndim, (hed_slice_range[]){ { .start = 0, .stop = shape.dim[0], .step = 2 }, HED_ALL, HED_ALL });
    }
    for (size_t k = 0; k < sizeof all / sizeof *all && good; k++) {
      const char *name = all[k].name;
      int64_t results = 0, made = 0;
      const bool large = what == WILD || hed_dtype_size(t) == 8; /* squares cancel each other, or are too large */
      if ((large && strcmp(name, "var") == 0) || (what == WILD && hed_dtype_kind(t) == HED_KIND_COMPLEX && strcmp(name, "prod") != 0))
        continue;
      if (axes.n > 1 && strncmp(name, "arg", 3) == 0)
        continue;
      HED_BACKEND_CONTEXT("reference")
        results = values(all[k].run(x, &opt), want);
      if (results == 0) { /* not of this type */
        hed_error_clear();
        continue;
      }
      HED_BACKEND_CONTEXT(threads)
        made = values(all[k].run(x, &opt), got);
      good = made == results;
      const double tolerance = !all[k].rounded ? 0 : half ? 1e-2 : single ? 2e-6 : 1e-12;
      for (int64_t i = 0; i < results && good; i++) {
        good = near(got + 2 * i, want + 2 * i, tolerance, all[k].rounded ? half ? 1e-2 : single ? 1e-37 : 1e-300 : 0);
        if (!good)
          diag("%s %d of %s: %.17g %.17g, not %.17g %.17g", name, (int)i, hed_dtype_name(t), got[2 * i], got[2 * i + 1],
               want[2 * i], want[2 * i + 1]);
      }
      if (!good && made != results)
        diag("%s of %s: %s", name, hed_dtype_name(t), hed_error_text());
    }
  }
  return good;
}

static void one_type(hed_dtype t)
{
  static const int64_t many[] = { 32, 33, 64, 100, 127, 300, 1030, 3000 };
  bool good = true;
  for (int64_t few = 2; few < 18 && good; few++) /* also as many as are as long as one of the type that is computed in */
    good = agrees(t, HED_SHAPE(1, 1030, few), 1030 * few, HED_AXES(2), 0, TIED, "cpu;threads=1");
  ok(good, "lanes of 2 to 17 elements of %s", hed_dtype_name(t));
  good = true;
  for (int round = 0; round < scaled(300) && good; round++) {
    const int64_t few = gen_int(&g, 2, 17), n = many[gen_below(&g, sizeof many / sizeof *many)], before = gen_int(&g, 1, 3);
    const bool lanes = gen_chance(&g, 50);
    const int layout = (int)gen_below(&g, 5);
    const data what = (data)gen_below(&g, DATA);
    const char *threads = gen_chance(&g, 50) ? "cpu;threads=1" : "cpu;threads=3";
    hed_shape shape = HED_SHAPE(before, n, few);
    hed_axes axes = gen_chance(&g, 70) ? HED_AXES(lanes ? 2 : 1) : lanes ? HED_AXES(0, 2) : HED_AXES(0, 1);
    if (gen_chance(&g, 10)) { /* between long and short */
      shape = HED_SHAPE(before, 46, gen_int(&g, 5, 60));
      axes = gen_chance(&g, 50) ? HED_AXES(1) : HED_AXES(0, 1);
    }
    good = agrees(t, shape, shape.dim[0] * shape.dim[1] * shape.dim[2], axes, layout, what, threads);
    if (!good)
      diag("(%d, %d, %d) over %d axes, the first %d; layout %d, data %d, %s", (int)shape.dim[0], (int)shape.dim[1],
           (int)shape.dim[2], (int)axes.n, (int)axes.axis[0], layout, (int)what, threads);
  }
  ok(good, "a few elements of %s", hed_dtype_name(t));
}

/* The bits of what is rounded, and places, of what is cut into pieces. */
static void pieces(hed_dtype t)
{
  static const char *const specs[] = { "cpu;threads=1", "cpu;threads=2", "cpu;threads=5" };
  static reduction *const runs[] = { hed_sum, hed_prod, hed_mean, hed_argmax, hed_all };
  static const int64_t shapes[][2] = { { 23000, 3 }, { 10000, 7 }, { 3, 23000 }, { 8000, 8 } };
  bool same = true;
  for (int s = 0; s < 4; s++)
    for (int axis = 0; axis < 2; axis++)
      for (int f = 0; f < 5; f++)
        HED_SCOPE {
          const hed_shape shape = HED_SHAPE(shapes[s][0], shapes[s][1]);
          hed_array *x = numbers(t, shape, shape.dim[0] * shape.dim[1], f == 1 ? WILD : TAME);
          int64_t n = 0;
          for (int k = 0; k < 3; k++)
            HED_BACKEND_CONTEXT(specs[k]) {
              const int64_t made = values(runs[f](x, &(hed_reduce){ .axes = HED_AXES(axis) }), k ? got : want);
              same = same && (k == 0 || (made == n && memcmp(got, want, (size_t)(2 * n) * sizeof *got) == 0));
              n = made;
            }
          hed_error_clear();
        }
  ok(same, "the same of %s on 1, 2 and 5 threads", hed_dtype_name(t));
}

int main(void)
{
  const hed_dtype types[] = { HED_BOOL, HED_INT8, HED_INT16, HED_INT32, HED_INT64, HED_UINT8, HED_UINT16, HED_UINT32, HED_UINT64,
                              HED_FLOAT16, HED_BFLOAT16, HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  gen_seed(&g, tap_seed());
  if (hed_backend_require("cpu") != HED_OK)
    skip_all("no cpu backend: %s", hed_error_text());
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    one_type(types[k]);
    pieces(types[k]);
  }
  done_testing();
  return done();
}
