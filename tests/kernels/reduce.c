// SPDX-License-Identifier: BSD-3-Clause
/* Family reduce on an OpenCL device, in both schedules and all ways to read, against sums in long double. */
#include "gen.h"
#include "run.h"

#include "backends/device/kernels/args_reduce.h"
#include "base/dtype.h"

#include <math.h>
#include <stdio.h>

static gen g;

/* FAR: from 0, so that squares of what has not been shifted lose what matters. */
enum { MOST = 3 * 700 * 5, FAR = 1 << 22 };

static double number(int dtype, const void *p, int64_t i)
{
  switch (dtype) {
  case HED_ID_UINT8: return ((const uint8_t *)p)[i];
  case HED_ID_INT32: return ((const int32_t *)p)[i];
  case HED_ID_INT64: return (double)((const int64_t *)p)[i];
  case HED_ID_BOOL: return ((const uint8_t *)p)[i] != 0;
  case HED_ID_FLOAT32: return (double)((const float *)p)[i];
  default: return ((const double *)p)[i];
  }
}

static void set_number(int dtype, void *p, int64_t i, double x)
{
  switch (dtype) {
  case HED_ID_UINT8: ((uint8_t *)p)[i] = (uint8_t)fabs(x); break;
  case HED_ID_INT32: ((int32_t *)p)[i] = (int32_t)x; break;
  case HED_ID_FLOAT32: ((float *)p)[i] = (float)x; break;
  default: ((double *)p)[i] = x;
  }
}

/* The reduction of x[a, :, c] that ROW names; elements are NaN now and then where it looks for them. */
static double truth(const char *row, int dtype, const void *x, const hed__reduce_args *o, int64_t a, int64_t c)
{
  long double sum = 0, prod = 1, squares = 0, nansum = 0, cubes = 0;
  int64_t best_max = 0, best_min = 0, n = o->n[1], not_zero = 0;
  double most = -INFINITY, least = INFINITY;
#define X(r) number(dtype, x, a * o->stride[0] + (r) * o->stride[1] + c * o->stride[2])
  for (int64_t r = 0; r < n; r++) {
    const double v = X(r), max = X(best_max), min = X(best_min);
    sum += v;
    prod *= v;
    cubes += fabsl(v) * fabsl(v) * fabsl(v);
    nansum += v == v ? v : 0;
    not_zero += v != 0;
    if (max == max && (v > max || v != v))
      best_max = r;
    if (min == min && (v < min || v != v))
      best_min = r;
    most = v > most ? v : most;
    least = v < least ? v : least;
  }
  for (int64_t r = 0; r < n; r++)
    squares += (X(r) - sum / n) * (X(r) - sum / n);
  return strcmp(row, "sum") == 0      ? (double)sum
         : strcmp(row, "prod") == 0   ? (double)prod
         : strcmp(row, "mean") == 0   ? (double)(sum / n)
         : strcmp(row, "var") == 0    ? (double)(squares / (n - 1))
         : strcmp(row, "std") == 0    ? (double)sqrtl(squares / (n - 1))
         : strcmp(row, "max") == 0    ? X(best_max)
         : strcmp(row, "min") == 0    ? X(best_min)
         : strcmp(row, "argmax") == 0 ? (double)best_max
         : strcmp(row, "argmin") == 0 ? (double)best_min
         : strcmp(row, "any") == 0    ? not_zero > 0
         : strcmp(row, "all") == 0    ? not_zero == n
         : strcmp(row, "nansum") == 0 ? (double)nansum
         : strcmp(row, "nanmax") == 0 ? most
         : strcmp(row, "nanmin") == 0 ? least
         : strcmp(row, "vector_norm") == 0 ? (double)cbrtl(cubes)
                                      : (double)not_zero;
}

/* Launches both halves; FIRST is the family of states, WAY how it is read. */
static bool launch(run_program *p, const char *first, const char *row, bool cpu, const char *way, void *out, void *x, void *aux,
                   void *states, const hed__reduce_args *o)
{
  char entry[64];
  const int64_t units = o->n[0] * o->n[2] * o->parts;
  const bool by_group = strcmp(way, "inner") == 0 && !cpu, columns = strcmp(way, "columns") == 0;
  const int64_t each = columns && cpu ? RUN_BLOCK * HED__REDUCE_COLUMNS : RUN_BLOCK;
  snprintf(entry, sizeof entry, "%s_%s", first, way);
  if (!RUN(p, entry, columns ? (o->n[2] + each - 1) / each : by_group ? units : run_groups(units), columns ? o->parts : 1,
           columns ? o->n[0] : 1, o, states, x, aux))
    return false;
  const bool join_group = o->parts > 2;
  snprintf(entry, sizeof entry, "%s_join%s", row, join_group ? "_group" : "");
  return RUN(p, entry, join_group ? o->n[0] * o->n[2] : run_groups(o->n[0] * o->n[2]), 1, 1, o, out, states, aux);
}

static bool check(run_program *p, const char *first, const char *row, int dtype, int result, bool cpu, const char *way)
{
  const bool columns = strcmp(way, "columns") == 0;
  hed__reduce_args o = { .n = { 3, gen_int(&g, 1, scaled(700)), gen_int(&g, 1, 5) }, .ddof = 1, .to = { 11, 2 } };
  const double order = 3;
  memcpy(&o.order, &order, 8);
  o.n[1] = o.n[1] < 2 ? 2 : o.n[1];
  o.chunk = gen_int(&g, 1, 2) == 1 ? o.n[1] : 64;
  o.parts = (o.n[1] + o.chunk - 1) / o.chunk;
  if (columns)
    memcpy(o.stride, (int64_t[]){ o.n[1] * o.n[2], o.n[2], 1 }, sizeof o.stride);
  else
    memcpy(o.stride, (int64_t[]){ o.n[1] * o.n[2], 1, o.n[1] }, sizeof o.stride);
  void *x = run_memory(MOST * 8), *out = run_memory(64 * 16), *states = run_memory(3 * 5 * 700 * HED__REDUCE_STATE);
  void *aux = run_memory(15 * 32);
  const bool spread = strcmp(row, "var") == 0 || strcmp(row, "std") == 0, far = spread && gen_chance(&g, 50);
  const bool product = strcmp(row, "prod") == 0, with_nan = strstr(row, "nan") || strstr(row, "max") || strstr(row, "min");
  for (int64_t i = 0; i < MOST; i++)
    set_number(dtype, x, i, far                                                  ? FAR + rint(gen_double(&g, -9, 9))
                            : product                                            ? (gen_chance(&g, 50) ? 1.25 : 0.875)
                            : gen_chance(&g, 2) && with_nan && gen_chance(&g, 5) ? NAN
                            : gen_chance(&g, 30)                                 ? rint(gen_double(&g, -4, 4))
                                                                                 : gen_double(&g, -9, 9));
  memset(out, 0, 64 * 16);
  if (spread && dtype == HED_ID_FLOAT32)
    first = "moments";
  if (strcmp(first, "squares") == 0 && !launch(p, "mean", "centre", cpu, way, aux, x, aux, states, &o))
    return false;
  if (strcmp(first, "powers") == 0 && !launch(p, "extremes", "norms", cpu, way, aux, x, aux, states, &o))
    return false;
  bool fine = launch(p, first, row, cpu, way, out, x, aux, states, &o);
  for (int64_t a = 0; a < o.n[0] && fine; a++)
    for (int64_t c = 0; c < o.n[2] && fine; c++) {
      double want = truth(row, dtype, x, &o, a, c);
      want = result == HED_ID_UINT8 ? (double)(uint8_t)(int64_t)want : want; /* sums wrap */
      const double got = number(result, out, a * 11 + c * 2);
      const double ulp = result == HED_ID_FLOAT32 ? 0x1p-22 : result == HED_ID_FLOAT64 ? 0x1p-44 : 0;
      if (!(got == want || (got != got && want != want) || fabs(got - want) <= ulp * fabs(want) + (ulp > 0 ? ulp : 0))) {
        diag("%s_%s of %s: [%d, %d] is %.17g, not %.17g; n = %lld, %lld parts", row, way, hed__dtypes[dtype]->name, (int)a,
             (int)c, got, want, (long long)o.n[1], (long long)o.parts);
        fine = false;
      }
    }
  run_forget();
  return fine;
}

/* With an argument, one type stands for all: debuggers of kernels take long. */
int main(int argc, char **argv)
{
  (void)argv;
  static const struct { const char *first, *row; int result; bool floats; } rows[] = {
    { "sum", "sum", -1, false }, { "prod", "prod", -1, true }, { "mean", "mean", -1, true }, { "squares", "var", -1, true },
    { "squares", "std", -1, true }, { "max", "max", -1, false }, { "min", "min", -1, false },
    { "max", "argmax", HED_ID_INT64, false }, { "min", "argmin", HED_ID_INT64, false },
    { "count", "any", HED_ID_BOOL, false }, { "count", "all", HED_ID_BOOL, false },
    { "count", "count_nonzero", HED_ID_INT64, false }, { "nansum", "nansum", -1, true }, { "nanmax", "nanmax", -1, true },
    { "nanmin", "nanmin", -1, true }, { "powers", "vector_norm", -1, true },
  };
  static const int types[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_INT32, HED_ID_UINT8 };
  static const char *const ways[] = { "inner", "short", "columns" };
  const char *missing = run_open();
  if (missing)
    skip_all("%s", missing);
  gen_seed(&g, tap_seed());
  for (int cpu = 0; cpu < 2; cpu++)
    for (int t = 0; t < (argc > 1 ? 1 : 4); t++) {
      int wrong = 0;
      const int dtype = types[t];
      const bool floats = hed__id_kind(dtype) == HED_KIND_FLOAT;
      run_program *p = run_build("reduce", dtype, cpu ? "#define DEVICE_CPU 1" : NULL);
      if (!ok(p != NULL, "reductions of %s build", hed__dtypes[dtype]->name))
        continue;
      for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int way = 0; way < 3; way++)
          if ((floats || !rows[k].floats) && (argc > 1 || thorough((int)k + way + t)))
            wrong += !check(p, rows[k].first, rows[k].row, dtype, rows[k].result < 0 ? dtype : rows[k].result, cpu, ways[way]);
      is_int(wrong, 0, "reductions of %s, schedule %s", hed__dtypes[dtype]->name, cpu ? "long" : "wide");
    }
  done_testing();
  return done();
}
