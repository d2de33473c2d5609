// SPDX-License-Identifier: BSD-3-Clause
/* Family map on an OpenCL device: every row of every type against the host's loop of the same formula, in its four layouts. */
#include "gen.h"
#include "run.h"

#include "base/dtype.h"
#include "base/formulas/formulas.h"
#include "base/half.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

enum { MOST = 640, SPECIAL = 1, WRAP = 2, WHOLE = 4, SIZES = 8, SPREAD = 16, ZEROS = 32, CANCELS = 64 };

static gen g;

/* ---- rows: how far off, on what, by cases.def ---- */

typedef struct row {
  const char *name;
  int n_in;
  double low, high, ulps;
  int flags;
} row;

static const char *const names[] = {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) [HED_OP_##ID] = #name,
#include <heddle/ops.def>
};

static row rows[HED_OP_COUNT_] = {
#define HED_UNARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = { .n_in = 1 },
#define HED_BINARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = { .n_in = 2 },
#include <heddle/ops.def>
  [HED_OP_WHERE] = { .n_in = 3 }, [HED_OP_CLIP] = { .n_in = 1 }, [HED_OP_CLIP_ARRAY] = { .n_in = 3 },
  [HED_OP_DIVIDE_WHERE] = { .n_in = 3 }, [HED_OP_LERP] = { .n_in = 3 }, [HED_OP_FMA] = { .n_in = 3 },
  [HED_OP_ISCLOSE] = { .n_in = 2 }, [HED_OP_ROTATE_LEFT] = { .n_in = 2 }, [HED_OP_ROTATE_RIGHT] = { .n_in = 2 },
  [HED_OP_THRESHOLD] = { .n_in = 1 }, [HED_OP_NAN_TO_NUM] = { .n_in = 1 }, [HED_OP_LEAKY_RELU] = { .n_in = 1 },
  [HED_OP_ELU] = { .n_in = 1 }, [HED_OP_GAUSSIAN] = { .n_in = 1 }, [HED_OP_NORM_SCORES] = { .n_in = 3 },
};

static void know_rows(void)
{
  static const struct { const char *name; double low, high, ulps; int flags; } cases[] = {
#define HED_CASE(name, job, low, high, ulps, flags, degree) { #name, low, high, ulps, flags },
#include "cases.def"
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int op = 0; op < HED_OP_COUNT_; op++)
      if (strcmp(names[op], cases[k].name) == 0) {
        rows[op].name = names[op];
        rows[op].low = cases[k].low;
        rows[op].high = cases[k].high;
        rows[op].ulps = cases[k].ulps;
        rows[op].flags = cases[k].flags;
      }
}

/* ---- parameters: as the host has them, and as arguments ---- */

typedef struct parameters {
  union {
    hed_clip_params clip;
    hed_clip_array_params clip_array;
    hed_divide_params divide;
    hed_isclose_params isclose;
    hed_rotate_params rotate;
    hed_threshold_params threshold;
    hed_nan_params nan;
    hed_slope_params slope;
    hed_gaussian_params gaussian;
    hed_norm_params norm;
  } host;
  u64 device[4];
} parameters;

static u64 bits(double x)
{
  u64 b;
  memcpy(&b, &x, 8);
  return b;
}

static parameters params_of(int op, int compute)
{
  parameters p = { .device = { 0 } };
  switch (op) {
  case HED_OP_CLIP:
    p.host.clip = (hed_clip_params){ -1.5, 2.25 };
    p.device[0] = bits(-1.5), p.device[1] = bits(2.25);
    break;
  case HED_OP_CLIP_ARRAY:
    p.host.clip_array = (hed_clip_array_params){ true, true };
    p.device[0] = p.device[1] = 1;
    break;
  case HED_OP_DIVIDE_WHERE:
    p.host.divide = (hed_divide_params){ -7.5 };
    p.device[0] = bits(-7.5);
    break;
  case HED_OP_ISCLOSE:
    p.host.isclose = (hed_isclose_params){ 0.5, 0.25, true };
    p.device[0] = bits(0.5), p.device[1] = bits(0.25), p.device[2] = 1;
    break;
  case HED_OP_ROTATE_LEFT:
  case HED_OP_ROTATE_RIGHT:
    p.host.rotate = (hed_rotate_params){ 8 * hed__id_size(compute) - 3 };
    p.device[0] = (u64)p.host.rotate.width;
    break;
  case HED_OP_THRESHOLD:
    p.host.threshold = (hed_threshold_params){ 0.5, 3.25, -1 };
    p.device[0] = bits(0.5), p.device[1] = bits(3.25), p.device[2] = bits(-1);
    break;
  case HED_OP_NAN_TO_NUM:
    p.host.nan = (hed_nan_params){ 0.5, 100, -200 };
    p.device[0] = bits(0.5), p.device[1] = bits(100), p.device[2] = bits(-200);
    break;
  case HED_OP_LEAKY_RELU:
  case HED_OP_ELU:
    p.host.slope = (hed_slope_params){ 0.75 };
    p.device[0] = bits(0.75);
    break;
  case HED_OP_GAUSSIAN:
    p.host.gaussian = (hed_gaussian_params){ 0.25, 1.5 };
    p.device[0] = bits(0.25), p.device[1] = bits(1.5);
    break;
  case HED_OP_NORM_SCORES:
    p.host.norm = (hed_norm_params){ 10, 0.5, true };
    p.device[0] = bits(10), p.device[1] = bits(0.5), p.device[2] = 1;
    break;
  default:
    break;
  }
  return p;
}

/* Is TYPE compiled? With HEDDLE_TEST_FULL=1 all are, else one of each kind that has loops of its own. */
static bool is_compiled(int type)
{
  return type == HED_ID_INT32 || type == HED_ID_FLOAT32 || type == HED_ID_COMPLEX64 || full_run();
}

/* Rows that devices leave to the host, in these types: see lib/backends/device/rows/rows.c. */
static bool is_host(int op, int compute)
{
  return compute == HED_ID_FLOAT64 ? op == HED_OP_GAMMA || op == HED_OP_LGAMMA || op == HED_OP_DIGAMMA
                                   : compute == HED_ID_COMPLEX128 && op == HED_OP_POWER;
}

/* ---- operands ---- */

static double real_of(const row *r)
{
  static const double special[] = { 0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5 };
  const uint64_t dice = gen_below(&g, 16);
  if ((r->flags & SPECIAL) && dice == 0)
    return special[gen_below(&g, 8)];
  const double x = r->low + (r->high - r->low) * gen_unit(&g);
  return r->flags & WHOLE ? rint(x) : x;
}

static void fill(void *data, int dtype, int n, const row *r)
{
  const hed_kind kind = hed__id_kind(dtype);
  for (int i = 0; i < n; i++) {
    if (kind == HED_KIND_BOOL) {
      ((uint8_t *)data)[i] = (uint8_t)(gen_below(&g, 3) == 0 ? 0 : gen_below(&g, 2) ? 1 : 200);
    } else if (kind == HED_KIND_INT || kind == HED_KIND_UINT) {
      const double small = rint(9 * gen_unit(&g) - (kind == HED_KIND_INT ? 4 : 0));
      const int64_t v = r->flags & WRAP && gen_below(&g, 2) ? (int64_t)gen_u64(&g) : (int64_t)small;
      memcpy((char *)data + i * hed__id_size(dtype), &v, (size_t)hed__id_size(dtype));
    } else if (dtype == HED_ID_FLOAT32) {
      ((float *)data)[i] = (float)real_of(r);
    } else if (dtype == HED_ID_FLOAT64) {
      ((double *)data)[i] = real_of(r);
    } else { /* both parts in [-3, 3], often on an axis */
      double re = 6 * gen_unit(&g) - 3, im = 6 * gen_unit(&g) - 3;
      re = gen_below(&g, 12) ? re : rint(re);
      im = gen_below(&g, 12) ? im : rint(im);
      if (dtype == HED_ID_COMPLEX64)
        ((float _Complex *)data)[i] = (float _Complex)CMPLX(re, im);
      else
        ((double _Complex *)data)[i] = CMPLX(re, im);
    }
  }
}

/* ---- comparison, in units in the last place ---- */

static double ulps_of(double got, double want, double size, bool is_float)
{
  if (got == want || (got != got && want != want))
    return 0;
  if (!isfinite(got) || !isfinite(want))
    return INFINITY;
  const double unit = is_float ? (double)(nextafterf((float)size, INFINITY) - (float)size) : nextafter(size, INFINITY) - size;
  return fabs(got - want) / unit;
}

static double distance(int dtype, const char *got, const char *want)
{
  switch (dtype) {
  case HED_ID_FLOAT32: return ulps_of(*(float *)got, *(float *)want, fabs(*(float *)want), true);
  case HED_ID_FLOAT64: return ulps_of(*(double *)got, *(double *)want, fabs(*(double *)want), false);
  case HED_ID_COMPLEX64: {
    const float *a = (const float *)got, *b = (const float *)want;
    const double size = hypot(b[0], b[1]);
    return fmax(ulps_of(a[0], b[0], size, true), ulps_of(a[1], b[1], size, true));
  }
  case HED_ID_COMPLEX128: {
    const double *a = (const double *)got, *b = (const double *)want;
    const double size = hypot(b[0], b[1]);
    return fmax(ulps_of(a[0], b[0], size, false), ulps_of(a[1], b[1], size, false));
  }
  default: return memcmp(got, want, (size_t)hed__id_size(dtype)) == 0 ? 0 : INFINITY;
  }
}

static bool compare(const char *name, const char *layout, int compute, int dtype, int n, const char *got, const char *want,
                    double ulps, const char *x, const char *y)
{
  double worst = 0;
  int at = 0;
  for (int i = 0; i < n; i++) {
    const double d = distance(dtype, got + i * hed__id_size(dtype), want + i * hed__id_size(dtype));
    if (!(d <= worst)) {
      worst = d;
      at = i;
    }
  }
  if (worst <= ulps)
    return true;
  char text[600] = "";
  for (int k = at * hed__id_size(dtype); k < (at + 1) * hed__id_size(dtype); k++)
    sprintf(text + strlen(text), "%02x/%02x ", (uint8_t)got[k], (uint8_t)want[k]);
  if (compute == HED_ID_FLOAT32)
    sprintf(text + strlen(text), "%a %a", ((const float *)x)[at], y ? ((const float *)y)[at] : 0);
  if (compute == HED_ID_FLOAT64)
    sprintf(text + strlen(text), "%a %a", ((const double *)x)[at], y ? ((const double *)y)[at] : 0);
  if (compute == HED_ID_COMPLEX128)
    sprintf(text + strlen(text), "%g %g", ((const double *)x)[2 * at], ((const double *)x)[2 * at + 1]);
  diag("%s_%s in %s: %g ulps at %d: %s", name, layout, hed__dtypes[compute]->name, worst, at, text);
  return false;
}

/* ---- a row ---- */

static bool check_row(run_program *p, int op, int compute)
{
  const row *r = &rows[op];
  const hed__formula *f = &hed__formulas[op][compute];
  const int n = 64 + scaled(MOST), first = hed__formula_first(op), size = hed__id_size(compute), out_size = hed__id_size(f->result);
  parameters q = params_of(op, compute);
  void *in[3] = { NULL }, *out = run_memory((size_t)(n * out_size));
  char *want = malloc((size_t)(n * out_size)), *at[4] = { want };
  int64_t stride[4] = { out_size };
  char entry[80];
  bool fine = true;
  for (int k = 0; k < r->n_in; k++) {
    const int dtype = k == 0 && first >= 0 ? first : compute;
    in[k] = run_memory((size_t)(n * hed__id_size(dtype)));
    fill(in[k], dtype, n, r);
    at[k + 1] = in[k];
    stride[k + 1] = hed__id_size(dtype);
  }
  f->fn(n, at, stride, &q.host);
  void *pointer[4] = { out, in[0], in[1], in[2] };

  hed__map_flat_args flat = { .n = n };
  memcpy(flat.param, q.device, sizeof q.device);
  snprintf(entry, sizeof entry, "%s_flat", r->name);
  fine = run(p, entry, run_groups(n), 1, 1, r->n_in + 1, pointer, &flat, sizeof flat) &&
         compare(r->name, "flat", compute, f->result, n, out, want, r->ulps, in[0], in[1]);

  /* the last operand single, once at its pointer, once as an argument; everything else of one element */
  const int last = r->n_in - 1;
  stride[last + 1] = 0;
  f->fn(n, at, stride, &q.host);
  flat.single = (u64)(gen_below(&g, 2) ? 1 : 0x100) << last;
  memcpy(flat.value[last], in[last], (size_t)(last == 0 && first >= 0 ? 1 : size));
  fine = fine && run(p, entry, run_groups(n), 1, 1, r->n_in + 1, pointer, &flat, sizeof flat) &&
         compare(r->name, "flat", compute, f->result, n, out, want, r->ulps, in[0], in[1]);
  run_forget();
  free(want);
  return fine;
}

/* The other layouts, of a row that stands for all: the texts are the same. */
static bool check_layouts(run_program *p, int op, int compute)
{
  const row *r = &rows[op];
  const hed__formula *f = &hed__formulas[op][compute];
  const int64_t dim[4] = { 70, 3, 2, 4 }; /* innermost first */
  const int64_t n = dim[0] * dim[1] * dim[2] * dim[3], room = 4 * n;
  const int size = hed__id_size(compute), out_size = hed__id_size(f->result);
  bool fine = true;
  for (int layout = 0; layout < 3 && fine; layout++) {
    char entry[80], *want = malloc((size_t)(room * out_size));
    void *pointer[3] = { run_memory((size_t)(room * out_size)), run_memory((size_t)(room * size)), run_memory((size_t)(room * size)) };
    hed__map_strided_args strided = { .n = { dim[0], dim[1], dim[2], dim[3] } };
    hed__map_rows_args by_rows = { .n = { dim[0], dim[1], dim[2] } };
    for (int k = 0; k < 3; k++) {
      int64_t step = layout == 0 ? 1 : 1 + (int64_t)gen_below(&g, 2);
      for (int a = 0; a < 4; a++) {
        strided.stride[k][a] = k > 0 && a == 1 && layout > 0 ? 0 : step;
        step *= dim[a] + (a == 0);
      }
      by_rows.stride[k][0] = strided.stride[k][1];
      by_rows.stride[k][1] = strided.stride[k][2];
    }
    fill(pointer[1], compute, (int)room, r);
    fill(pointer[2], compute, (int)room, r);
    memset(pointer[0], 0, (size_t)(room * out_size));
    memset(want, 0, (size_t)(room * out_size));
    for (int64_t i = 0; i < (layout == 0 ? n / dim[3] : n); i++) {
      char *at[3];
      for (int k = 0; k < 3; k++) {
        int64_t rest = i, offset = 0;
        for (int a = 0; a < 4; a++) {
          offset += rest % dim[a] * strided.stride[k][a];
          rest /= dim[a];
        }
        at[k] = (k ? (char *)pointer[k] : want) + offset * (k ? size : out_size);
      }
      f->fn(1, at, (int64_t[]){ out_size, size, size }, NULL);
    }
    snprintf(entry, sizeof entry, "%s_%s", r->name, layout == 0 ? "rows" : layout == 1 ? "strided" : "strided64");
    fine = layout == 0 ? run(p, entry, run_groups(dim[0]), dim[1], dim[2], 3, pointer, &by_rows, sizeof by_rows)
                       : run(p, entry, run_groups(dim[0]), dim[1], dim[2] * dim[3], 3, pointer, &strided, sizeof strided);
    fine = fine && compare(r->name, entry, compute, f->result, (int)room, pointer[0], want, r->ulps, pointer[1], pointer[2]);
    free(want);
    run_forget();
  }
  return fine;
}

int main(int argc, char **argv)
{
  const char *missing = run_open();
  if (missing)
    skip_all("%s", missing);
  gen_seed(&g, tap_seed());
  know_rows();
  diag("%s", run_device());
  for (int compute = 0; compute < HED_ID_CONCRETE_COUNT_; compute++) {
    int tried = 0, wrong = 0;
    if (compute == HED_ID_FLOAT16 || compute == HED_ID_BFLOAT16 || (argc > 1 ? atoi(argv[1]) != compute : !is_compiled(compute)))
      continue;
    run_program *p = run_build("map", compute, NULL);
    if (!ok(p != NULL, "the rows of %s build", hed__dtypes[compute]->name))
      continue;
    for (int op = 0; op < HED_OP_COUNT_; op++)
      if (hed__formulas[op] && hed__formulas[op][compute].fn && !is_host(op, compute) && thorough(op + compute)) {
        if (!rows[op].name)
          bail("no case of %s", names[op]);
        tried++;
        wrong += !check_row(p, op, compute);
      }
    is_int(wrong, 0, "%d rows of %s are the host's", tried, hed__dtypes[compute]->name);
    if (compute == HED_ID_BOOL || compute == HED_ID_FLOAT32 || compute == HED_ID_COMPLEX64)
      ok(check_layouts(p, compute == HED_ID_BOOL ? HED_OP_LOGICAL_XOR : HED_OP_MULTIPLY, compute) &&
           check_layouts(p, HED_OP_EQUAL, compute), "rows and strides of %s", hed__dtypes[compute]->name);
  }
  done_testing();
  return done();
}
