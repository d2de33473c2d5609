// SPDX-License-Identifier: BSD-3-Clause
/* Every elementwise row of the cpu module against the reference kernel, over
 * compute types, operand types, shapes, strides, repeated operands and thread counts.
 */
#include "backends/reference/kernels.h"
#include "base/half.h"
#include "rows.h"

static const hed_plugin *cpu;
static gen g;

enum { ROUNDS = 12, SHORT = 9 /* from this one on: short rows */ };

typedef struct rule {
  const char *name;
  int operands;
  char result;       /* S same, B bool, R real part */
  double rel, low, high;
  bool special;
} rule;

/* Relative tolerance 0: the same bits but for the sign of zero. Functions: units in the last place, of floats only. */
static const rule rules[] = {
  { "negative", 1, 'S', 0, -4, 4, true },      { "abs", 1, 'R', 1, -4, 4, true },
  { "square", 1, 'S', 0, -4, 4, true },        { "sqrt", 1, 'S', 0, -1, 4, true },
  { "reciprocal", 1, 'S', 0, -4, 4, true },    { "exp", 1, 'S', 2, -120, 120, true },
  { "log", 1, 'S', 2, -0.1, 4, true },         { "sin", 1, 'S', 2, -1000, 1000, true },
  { "cos", 1, 'S', 2, -1000, 1000, true },     { "floor", 1, 'S', 0, -4, 4, true },
  { "ceil", 1, 'S', 0, -4, 4, true },          { "conj", 1, 'S', 0, -4, 4, true },
  { "real", 1, 'R', 0, -4, 4, true },          { "imag", 1, 'R', 0, -4, 4, true },
  { "isnan", 1, 'B', 0, -4, 4, true },         { "isfinite", 1, 'B', 0, -4, 4, true },
  { "add", 2, 'S', 0, -4, 4, true },           { "subtract", 2, 'S', 0, -4, 4, true },
  { "multiply", 2, 'S', 0, -4, 4, true },      { "divide", 2, 'S', 0, -4, 4, true },
  { "maximum", 2, 'S', 0, -4, 4, true },       { "minimum", 2, 'S', 0, -4, 4, true },
  { "equal", 2, 'B', 0, -2, 2, true },         { "not_equal", 2, 'B', 0, -2, 2, true },
  { "less", 2, 'B', 0, -2, 2, true },          { "less_equal", 2, 'B', 0, -2, 2, true },
  { "greater", 2, 'B', 0, -2, 2, true },       { "greater_equal", 2, 'B', 0, -2, 2, true },
  { "bitwise_and", 2, 'S', 0, -4, 4, false },  { "bitwise_or", 2, 'S', 0, -4, 4, false },
  { "bitwise_xor", 2, 'S', 0, -4, 4, false },  { "where", 3, 'S', 0, -4, 4, true },
  { "clip", 1, 'S', 0, -4, 4, true },          { "tanh", 1, 'S', 4, -9, 9, true },
  { "log1p", 1, 'S', 4, -1, 4, true },         { "log2", 1, 'S', 4, -0.1, 4, true },
  { "tan", 1, 'S', 5, -50, 50, true },         { "arcsin", 1, 'S', 4, -1.1, 1.1, true },
  { "arctan2", 2, 'S', 4, -4, 4, true },       { "hypot", 2, 'S', 2, -4, 4, true },
  { "power", 2, 'S', 4, -4, 4, true },         { "angle", 1, 'R', 4, -4, 4, true },
  { "sinh", 1, 'S', 4, -9, 9, true },          { "cosh", 1, 'S', 4, -9, 9, true },
  { "logical_not", 1, 'B', 0, -2, 2, true },   { "logical_and", 2, 'B', 0, -2, 2, true },
  { "logical_or", 2, 'B', 0, -2, 2, true },    { "logical_xor", 2, 'B', 0, -2, 2, true },
  { "bitwise_not", 1, 'S', 0, -4, 4, false },  { "left_shift", 2, 'S', 0, -4, 4, false },
  { "count_ones", 1, 'S', 0, -4, 4, false },   { "count_zeros", 1, 'S', 0, -4, 4, false },
  { "isclose", 2, 'B', 0, -2, 2, true },       { "gamma", 1, 'S', 5, -3, 30, true },
  { "lgamma", 1, 'S', 5, 0, 30, true },        { "digamma", 1, 'S', 5, 0, 30, true },
};

static double epsilon_of(int dtype)
{
  int t = hed__real_of(dtype);
  return t == HED_ID_FLOAT64 ? 0x1p-52 : t == HED_ID_FLOAT32 ? 0x1p-23 : 0x1p-10;
}

static int op_by_name(const char *name)
{
#define HED_OP(ID, opname, impl, domain, result, args, results, doc) \
  if (!strcmp(name, #opname))                                        \
    return HED_OP_##ID;
#include <heddle/ops.def>
  return -1;
}

static hed_op_fn reference(int op)
{
#define KERNEL_(n) return ref_##n;
#define COMPOSITE_(n) return NULL;
#define VIEW_(n) return NULL;
#define HED_OP(ID, opname, impl, domain, result, args, results, doc) \
  if (op == HED_OP_##ID)                                             \
    impl##_(opname)
#include <heddle/ops.def>
  return NULL;
}

/* Both kernels on the same operands; the first element that differs. */
static int64_t both(const hed_op_entry *row, hed_call *call, const operand *out, double rel, double abs,
                    const char *what)
{
  gen copy = g;
  operand want = operand_new(&copy, out->v.dtype, out->v.ndim, out->v.dim, true);
  const hed_view *got_list[1] = { &out->v }, *want_list[1] = { &want.v };
  call->out = want_list;
  int32_t status = reference(call->op)((void *)(uintptr_t)&mock_host, call);
  call->out = got_list;
  int64_t bad = -2;
  if (status == HED_OK && row->fn(NULL, call) == HED_OK) {
    bad = first_difference(&out->v, &want.v, rel, abs);
    if (bad >= 0)
      diag("%s compute %s: element %lld is %.17g%+.17gi, the reference says %.17g%+.17gi", what,
           hed__dtypes[call->compute]->name, (long long)bad, creal(element(&out->v, bad)),
           cimag(element(&out->v, bad)), creal(element(&want.v, bad)), cimag(element(&want.v, bad)));
  } else {
    diag("%s: a kernel failed: %s", what, mock_text());
  }
  operand_free(&want);
  return bad;
}

/* A shape, now and then one large enough for two threads and for the flat path. */
static int any_shape(int round, int64_t *dim)
{
  if (round == 0) {
    dim[0] = 250001;
    return 1;
  }
  if (round >= SHORT) { /* of several blocks, as a rule */
    dim[0] = gen_int(&g, 1, 40);
    dim[1] = gen_int(&g, 1, 60);
    dim[2] = gen_int(&g, 1, gen_chance(&g, 30) ? 70 : 9);
    return 3;
  }
  if (round == 8) { /* tiles of all sizes */
    dim[0] = gen_int(&g, 8, 150);
    dim[1] = gen_int(&g, 8, 150);
    return 2;
  }
  if (round == 6) { /* rows that are long enough to be packed */
    dim[0] = gen_int(&g, 1, 5);
    dim[1] = gen_int(&g, 28, 1200);
    return 2;
  }
  return gen_shape(&g, 4, 9, 600, round == 1, dim);
}

/* Room for twice the elements of the last axis, of which V shows every other one. */
static operand every_other(int dtype, int ndim, const int64_t *dim, hed_view *v)
{
  int64_t wide[4];
  memcpy(wide, dim, (size_t)ndim * sizeof *dim);
  wide[ndim - 1] = 2 * dim[ndim - 1] - 1;
  operand o = operand_new(&g, dtype, ndim, wide, true);
  *v = o.v;
  v->dim[ndim - 1] = dim[ndim - 1];
  v->stride[ndim - 1] *= 2;
  return o;
}

/* The last axis shown from its end. */
static operand backwards(int dtype, int ndim, const int64_t *dim, hed_view *v)
{
  operand o = operand_new(&g, dtype, ndim, dim, true);
  *v = o.v;
  if (dim[ndim - 1] > 0)
    v->data = (char *)v->data + (dim[ndim - 1] - 1) * v->stride[ndim - 1];
  v->stride[ndim - 1] = -v->stride[ndim - 1];
  return o;
}

/* A matrix that lies by columns. */
static operand turned(int dtype, const int64_t *dim, hed_view *v)
{
  const int64_t across[2] = { dim[1], dim[0] };
  operand o = operand_new(&g, dtype, 2, across, true);
  *v = o.v;
  for (int k = 0; k < 2; k++) {
    v->dim[k] = dim[k];
    v->stride[k] = o.v.stride[1 - k];
  }
  return o;
}

static void elementwise(const rule *r)
{
  const hed_op_entry *row = row_of(cpu, r->name);
  int bad = 0, ran = 0;
  if (!row) {
    fail("%s has no row", r->name);
    return;
  }
  for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
    for (int round = 0; round < ROUNDS && (!row->dtypes || row->dtypes >> t & 1); round++) {
      int64_t dim[4];
      int ndim = any_shape(round, dim);
      if (round == 0 && !thorough((int)(r - rules) + t)) /* the large one */
        continue;
      operand in[3], out;
      hed_view shown[3];
      const hed_view *list[3];
      bool tidy = round == 0 || round == 8 || gen_chance(&g, round >= SHORT ? 80 : 30);
      for (int k = 0; k < r->operands; k++) {
        int dtype = r->operands == 3 && k == 0 ? HED_ID_BOOL : t;
        if (round == 4 || round == 5 || round == SHORT) /* a type that is converted on the way */
          dtype = t == HED_ID_FLOAT32 ? HED_ID_FLOAT16 : dtype == HED_ID_BOOL ? HED_ID_UINT8 : dtype;
        const bool sparse = (round == 6 || round == 7) && ndim > 0 && gen_chance(&g, 60);
        const bool across = round == 8 && gen_chance(&g, 90);
        const bool turn = sparse && gen_chance(&g, 40);
        in[k] = turn     ? backwards(dtype, ndim, dim, &shown[k])
                : sparse ? every_other(dtype, ndim, dim, &shown[k])
                : across ? turned(dtype, dim, &shown[k])
                         : operand_new(&g, dtype, ndim, dim, tidy);
        operand_fill(&g, &in[k], r->special, r->low, r->high);
        if (!sparse && !across)
          shown[k] = in[k].v;
        list[k] = &shown[k];
        if (round == 2 && ndim > 0 && k == r->operands - 1) /* a row repeated */
          shown[k].stride[gen_below(&g, (uint64_t)ndim)] = 0;
        for (int d = 0; d < ndim && round >= SHORT; d++)
          if (gen_chance(&g, 40))
            shown[k].stride[d] = 0;
        if (round == 3 && k == 0) /* one element repeated */
          memset(shown[k].stride, 0, sizeof shown[k].stride);
      }
      int rt = r->result == 'B' ? HED_ID_BOOL : r->result == 'R' ? hed__real_of(t) : t;
      out = operand_new(&g, (round == 5 || round == SHORT) && rt == HED_ID_FLOAT32 ? HED_ID_FLOAT64 : rt, ndim, dim, tidy);
      const hed_clip_params clip = { -1.5, 2.25 };
      const hed_isclose_params near = { 0.25, 0.125, gen_chance(&g, 50) };
      const bool close = !strcmp(r->name, "isclose");
      hed_call call = { .struct_size = sizeof call, .op = op_by_name(r->name), .n_in = r->operands,
                        .n_out = 1, .in = list, .params = close ? (const void *)&near : &clip, .compute = t, .max_threads = 2 };
      /* Subnormal results of functions: two of the least steps. */
      double least = hed__real_of(t) == HED_ID_FLOAT64 ? 0x1p-1073 : 0x1p-148;
      bool inexact = r->rel > 0 && hed__id_kind(t) >= HED_KIND_FLOAT;
      double rel = inexact ? r->rel : 0;
      const bool others = inexact || call.op == HED_OP_DIVIDE || call.op == HED_OP_RECIPROCAL || call.op == HED_OP_SQRT;
      if (hed__id_kind(t) == HED_KIND_COMPLEX && others) /* the reference has them from the C library and the compiler's */
        rel = call.op == HED_OP_POWER ? 48 : fmax(rel, 4);
      bad += both(row, &call, &out, rel * epsilon_of(t), inexact ? least : 0, r->name) != -1;
      ran++;
      for (int k = 0; k < r->operands; k++)
        operand_free(&in[k]);
      operand_free(&out);
    }
  ok(bad == 0 && ran > 0, "%s as the reference in %d cases", r->name, ran);
}

/* OUT is the operand. */
static void in_place(void)
{
  float x[100], want[100];
  for (int i = 0; i < 100; i++)
    want[i] = 2 * (x[i] = (float)i);
  hed_view v = { .data = x, .dtype = HED_ID_FLOAT32, .ndim = 1, .dim = { 100 }, .stride = { 4 } };
  const hed_view *in[2] = { &v, &v }, *out[1] = { &v };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_ADD, .n_in = 2, .n_out = 1, .in = in,
                    .out = out, .compute = HED_ID_FLOAT32, .max_threads = 1 };
  row_of(cpu, "add")->fn(NULL, &call);
  is_mem(x, want, sizeof x, "x + x into x");
}

/* Every 16-bit float, contiguous and one of two: only the bit of the sign changes. */
static void signs_of_halves(void)
{
  enum { ALL = 65536 };
  static uint16_t x[2 * ALL], y[2 * ALL];
  static const struct { const char *name; int op; uint16_t keep, flip; } rows[] = {
    { "negative", HED_OP_NEGATIVE, 0xffff, 0x8000 }, { "abs", HED_OP_ABS, 0x7fff, 0 },
  };
  for (int k = 0; k < 2; k++) {
    int bad = 0;
    for (int round = 0; round < 4; round++) {
      const int dtype = round % 2 ? HED_ID_BFLOAT16 : HED_ID_FLOAT16, step = 1 + round / 2;
      for (int i = 0; i < ALL; i++)
        x[i * step] = (uint16_t)i;
      const hed_view in = { .data = x, .dtype = dtype, .ndim = 1, .dim = { ALL }, .stride = { 2 * step } };
      const hed_view out = { .data = y, .dtype = dtype, .ndim = 1, .dim = { ALL }, .stride = { 2 * step } };
      const hed_view *ins[1] = { &in }, *outs[1] = { &out };
      hed_call call = { .struct_size = sizeof call, .op = rows[k].op, .n_in = 1, .n_out = 1, .in = ins, .out = outs,
                        .compute = HED_ID_FLOAT32, .max_threads = 2 };
      bad += row_of(cpu, rows[k].name)->fn(NULL, &call) != HED_OK;
      for (int i = 0; i < ALL; i++)
        bad += y[i * step] != (uint16_t)((i & rows[k].keep) ^ rows[k].flip);
    }
    is_int(bad, 0, "%s of every float16 and bfloat16", rows[k].name);
  }
}

static float half_truth(int op, float a, float b, float c)
{
  switch (op) {
  case HED_OP_ADD: return a + b;
  case HED_OP_SUBTRACT: return a - b;
  case HED_OP_MULTIPLY: return a * b;
  case HED_OP_DIVIDE: return a / b;
  case HED_OP_MAXIMUM: return a >= b || isnan(a) ? a : b;
  case HED_OP_MINIMUM: return a <= b || isnan(a) ? a : b;
  case HED_OP_SQUARE: return a * a;
  case HED_OP_SQRT: return sqrtf(a);
  case HED_OP_RECIPROCAL: return 1 / a;
  case HED_OP_CLIP: return a < -1.3f ? -1.3f : a > 2.7f ? 2.7f : a;
  case HED_OP_FMA: return fmaf(a, b, c);
  case HED_OP_EQUAL: return a == b;
  case HED_OP_NOT_EQUAL: return a != b;
  case HED_OP_LESS: return a < b;
  case HED_OP_LESS_EQUAL: return a <= b;
  case HED_OP_GREATER: return a > b;
  case HED_OP_GREATER_EQUAL: return a >= b;
  case HED_OP_ISNAN: return isnan(a);
  default: return isfinite(a);
  }
}

/* 16-bit floats of any bits, of many lengths, evenly spaced, repeated, and beside one float32: the bits of what float32 gives,
 * rounded once. */
static void arithmetic_of_halves(void)
{
  enum { MOST = 700, ROUNDS_OF_ONE = 120 };
  static const struct { const char *name; int op, operands; bool truth; } rows[] = {
    { "add", HED_OP_ADD, 2, false }, { "subtract", HED_OP_SUBTRACT, 2, false }, { "multiply", HED_OP_MULTIPLY, 2, false },
    { "divide", HED_OP_DIVIDE, 2, false }, { "maximum", HED_OP_MAXIMUM, 2, false }, { "minimum", HED_OP_MINIMUM, 2, false },
    { "square", HED_OP_SQUARE, 1, false }, { "sqrt", HED_OP_SQRT, 1, false }, { "reciprocal", HED_OP_RECIPROCAL, 1, false },
    { "clip", HED_OP_CLIP, 1, false }, { "fma", HED_OP_FMA, 3, false }, { "equal", HED_OP_EQUAL, 2, true },
    { "not_equal", HED_OP_NOT_EQUAL, 2, true }, { "less", HED_OP_LESS, 2, true },
    { "less_equal", HED_OP_LESS_EQUAL, 2, true }, { "greater", HED_OP_GREATER, 2, true },
    { "greater_equal", HED_OP_GREATER_EQUAL, 2, true }, { "isnan", HED_OP_ISNAN, 1, true },
    { "isfinite", HED_OP_ISFINITE, 1, true },
  };
  static const hed_clip_params limits = { .low = -1.3, .high = 2.7 };
  static const uint16_t odd[] = { 0, 0x7c00, 0x7f80, 0x7fc1 };
  static uint16_t in[3][4 * MOST];
  static char out[8 * MOST];
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    int bad = 0;
    for (int round = 0; round < scaled(ROUNDS_OF_ONE); round++) {
      const bool brain = round % 2;
      const int n = (int)gen_int(&g, 1, MOST), size = rows[r].truth ? 1 : 2, dtype = brain ? HED_ID_BFLOAT16 : HED_ID_FLOAT16;
      const int single = rows[r].operands == 2 && gen_chance(&g, 40) ? (int)gen_int(&g, 0, 1) : -1;
      const int spread = gen_chance(&g, 70) ? 1 : (int)gen_int(&g, 1, 4), near = gen_chance(&g, 50);
      const float one = (float)gen_double(&g, -3, 3);
      hed_view v[3], w = { .data = out, .dtype = rows[r].truth ? HED_ID_BOOL : dtype, .ndim = 1, .dim = { n },
                           .stride = { spread * size } };
      const hed_view *ins[3] = { v, v + 1, v + 2 }, *outs[1] = { &w };
      for (int k = 0; k < rows[r].operands; k++) {
        const int step = gen_chance(&g, 15) ? 0 : gen_chance(&g, 75) ? 1 : (int)gen_int(&g, 1, 4);
        for (int i = 0; i < 4 * MOST; i++) { /* of any size, or of few that meet */
          in[k][i] = (uint16_t)(near ? (brain ? 0x3f80 : 0x3c00) ^ (gen_u64(&g) & 0x8003) : gen_u64(&g));
          if (gen_chance(&g, 10))
            in[k][i] = (uint16_t)(odd[gen_below(&g, 4)] | (gen_u64(&g) & 0x8000));
        }
        v[k] = (hed_view){ .data = in[k], .dtype = dtype, .ndim = 1, .dim = { n }, .stride = { 2 * step } };
        if (k == single)
          v[k] = (hed_view){ .data = (void *)(uintptr_t)&one, .dtype = HED_ID_FLOAT32, .ndim = 1, .dim = { n } };
      }
      memset(out, 0x5a, sizeof out);
      hed_call call = { .struct_size = sizeof call, .op = rows[r].op, .n_in = rows[r].operands, .n_out = 1, .in = ins,
                        .out = outs, .params = &limits, .compute = HED_ID_FLOAT32, .max_threads = 2 };
      bad += row_of(cpu, rows[r].name)->fn(NULL, &call) != HED_OK;
      for (int i = 0; i < n; i++) {
        float x[3] = { 0 };
        for (int k = 0; k < rows[r].operands; k++) {
          const uint16_t h = in[k][i * (v[k].stride[0] / 2)];
          x[k] = k == single ? one : brain ? hed__bfloat_to_float(h) : hed__half_to_float(h);
        }
        const float want = half_truth(rows[r].op, x[0], x[1], x[2]);
        const uint16_t bits = rows[r].truth ? want != 0 : brain ? hed__float_to_bfloat(want) : hed__float_to_half(want);
        uint16_t got = (uint8_t)out[i * spread], quiet = brain ? 0x7fc0 : 0x7e00;
        if (!rows[r].truth)
          memcpy(&got, out + 2 * i * spread, 2);
        bad += isnan(want) ? (got & quiet) != quiet : got != bits;
        for (int k = size; k < spread * size; k++)
          bad += out[i * spread * size + k] != 0x5a;
      }
      bad += n * spread * size < (int)sizeof out && out[n * spread * size] != 0x5a;
    }
    is_int(bad, 0, "%s of float16 and bfloat16 as float32 rounded once", rows[r].name);
  }
}

/* int32 and one float32: the bits of what float32 gives, into any layout; powers are those of the numbers converted before. */
static void whole_and_real(void)
{
  static const struct { const char *name; int op; } rows[] = {
    { "add", HED_OP_ADD }, { "subtract", HED_OP_SUBTRACT }, { "multiply", HED_OP_MULTIPLY }, { "divide", HED_OP_DIVIDE },
    { "power", HED_OP_POWER }, { "maximum", HED_OP_MAXIMUM },
  };
  static const float ones[] = { 2, 2, 1, -1, 0.5f, 3, 2.5f, 0, -0.0f, INFINITY, NAN, 1e30f };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    const hed_op_entry *row = row_of(cpu, rows[r].name);
    int bad = 0;
    for (int round = 0; round < 60; round++) {
      int64_t dim[4];
      int ndim = round == 0 ? 1 : gen_shape(&g, 3, 30, 3000, round % 9 == 1, dim);
      if (round == 0)
        dim[0] = 1500001;
      const bool tidy = gen_chance(&g, 60);
      operand x = operand_new(&g, HED_ID_INT32, ndim, dim, tidy), y = operand_new(&g, HED_ID_FLOAT32, ndim, dim, true);
      operand o = operand_new(&g, HED_ID_FLOAT32, ndim, dim, tidy), w = operand_new(&g, HED_ID_FLOAT32, ndim, dim, true);
      const float one = ones[gen_below(&g, sizeof ones / sizeof *ones)];
      const int64_t n = hed__view_size(&x.v);
      for (int64_t k = 0; k < n; k++) {
        const int32_t v = (int32_t)(gen_u64(&g) >> 32) >> gen_below(&g, 31);
        memcpy(element_at(&x.v, k), &v, 4);
        *(float *)(void *)element_at(&y.v, k) = (float)v;
      }
      hed_view b = { .data = (void *)(uintptr_t)&one, .dtype = HED_ID_FLOAT32, .ndim = ndim };
      memcpy(b.dim, dim, sizeof dim);
      const hed_view *in[2] = { &x.v, &b }, *real[2] = { &y.v, &b }, *outs[1] = { &o.v }, *wants[1] = { &w.v };
      hed_call call = { .struct_size = sizeof call, .op = rows[r].op, .n_in = 2, .n_out = 1, .in = in, .out = outs,
                        .compute = HED_ID_FLOAT32, .max_threads = 2 };
      bad += row->fn(NULL, &call) != HED_OK;
      call.in = real;
      call.out = wants;
      bad += rows[r].op == HED_OP_POWER && row->fn(NULL, &call) != HED_OK;
      for (int64_t k = 0; k < n; k++) {
        const float a = *(float *)(void *)element_at(&y.v, k), got = *(float *)(void *)element_at(&o.v, k);
        const float want = rows[r].op != HED_OP_POWER ? half_truth(rows[r].op, a, one, 0)
                           : one == 2 ? a * a : *(float *)(void *)element_at(&w.v, k);
        bad += isnan(want) ? !isnan(got) : memcmp(&got, &want, 4) != 0;
      }
      operand_free(&x);
      operand_free(&y);
      operand_free(&o);
      operand_free(&w);
    }
    is_int(bad, 0, "%s of int32 and one float32", rows[r].name);
  }
}

/* Short rows, one operand with the same ones for every place of the first axis, the other with one again and again along the second:
 * as many rows as blocks are made of, a multiple of that, and others. */
static void rows_that_repeat(void)
{
  enum { FIRST = 7, MOST = 96 };
  static const int64_t rows[] = { 1, 2, 8, 16, 32, 48, 80, MOST, 15, 17, 31, 90 }, widths[] = { 1, 3, 5, 16, 50, 64 };
  const hed_op_entry *row = row_of(cpu, "subtract");
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    const int64_t w = widths[i];
    int bad = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      static float x[FIRST * 64], y[MOST * 64], o[FIRST * MOST * 64];
      const int64_t n = rows[r];
      for (int64_t k = 0; k < FIRST * w; k++)
        x[k] = (float)(1000 * k);
      for (int64_t k = 0; k < n * w; k++)
        y[k] = (float)k;
      hed_view a = { .data = (void *)x, .dtype = HED_ID_FLOAT32, .ndim = 3, .dim = { FIRST, n, w }, .stride = { 4 * w, 0, 4 } };
      hed_view b = { .data = (void *)y, .dtype = HED_ID_FLOAT32, .ndim = 3, .dim = { FIRST, n, w }, .stride = { 0, 4 * w, 4 } };
      hed_view to = a;
      to.data = (void *)o;
      to.stride[0] = 4 * w * n, to.stride[1] = 4 * w;
      const hed_view *in[2] = { &a, &b }, *outs[1] = { &to };
      hed_call call = { .struct_size = sizeof call, .op = HED_OP_SUBTRACT, .n_in = 2, .n_out = 1, .in = in, .out = outs,
                        .compute = HED_ID_FLOAT32, .max_threads = 2 };
      bad += row->fn(NULL, &call) != HED_OK;
      for (int64_t k = 0; k < FIRST * n * w; k++)
        bad += o[k] != x[k / (n * w) * w + k % w] - y[k % (n * w)];
    }
    is_int(bad, 0, "rows of %d that repeat", (int)w);
  }
}

int main(void)
{
  const char *why;
  if (!(cpu = mock_load(NULL, &why)))
    skip_all("no cpu module: %s", why);
  gen_seed(&g, tap_seed());
  for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
    elementwise(&rules[k]);
  in_place();
  signs_of_halves();
  arithmetic_of_halves();
  whole_and_real();
  rows_that_repeat();
  is_int(atomic_load(&mock_permits), 2, "all permits were given back");
  done_testing();
  return done();
}
