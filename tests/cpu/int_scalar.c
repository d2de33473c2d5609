// SPDX-License-Identifier: BSD-3-Clause
/* Every loop of whole numbers and truth values gives the bits of its formula in lib/base: of numbers of any size, the least and
 * the most, 0, 1 and -1 among them; few and many, with gaps, repeated, and in place. So do those of whole numbers beside one
 * float32, those of 16-bit floats that look at bits or round, and conversions of and to whole numbers. At every instruction set
 * that this processor has.
 */
#include "backends/cpu/kernels/kernels.h"
#include "base/dtype.h"
#include "base/formulas/formulas.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <string.h>

enum { MOST = 700, APART = 3, WIDEST = 16, ROUNDS = 60, ALL_HALVES = 65536 };

static const struct { const char *name; int op; bool function; int index; } ops[] = {
#define X(ID) { #ID, HED_OP_##ID, false, CPU_MAP_##ID },
  CPU_MAP_OPS(X)
#undef X
#define X(ID) { #ID, HED_OP_##ID, true, CPU_FN_##ID },
  CPU_FUNCTION_OPS(X)
#undef X
};

static int operands_of(int op)
{
  switch (op) {
#define HED_UNARY(ID, name, domain, result, cost, doc) case HED_OP_##ID:
#include <heddle/ops.def>
  case HED_OP_CLIP: case HED_OP_NAN_TO_NUM: return 1;
  case HED_OP_WHERE: return 3;
  default: return 2;
  }
}

static const void *params_of(gen *g, int op)
{
  static hed_clip_params clip;
  static hed_isclose_params near;
  static const double ends[] = { -INFINITY, -1e30, -200.5, -2.5, -1, 0, 0.5, 3, 99.5, 300, 1e10, 1e30, INFINITY, NAN };
  const uint64_t many = sizeof ends / sizeof *ends;
  clip = (hed_clip_params){ ends[gen_below(g, many)], ends[gen_below(g, many)] };
  near = (hed_isclose_params){ gen_chance(g, 50) ? 0.25 : 0, gen_int(g, 0, 40), false };
  return op == HED_OP_CLIP ? (const void *)&clip : &near;
}

/* N numbers of SIZE bytes, STEP bytes apart; small ones may be all that there are. */
static void fill(gen *g, int type, char *to, int64_t n, int64_t step)
{
  const int bits = 8 * (int)hed__id_size(type);
  const bool small = gen_chance(g, 40);
  for (int64_t i = 0; i < n; i++) {
    const uint64_t any = (uint64_t)((int64_t)gen_u64(g) >> gen_below(g, 64)), end = (uint64_t)1 << (bits - 1);
    const uint64_t v = type == HED_ID_BOOL ? gen_below(g, 2)
                       : small             ? (uint64_t)gen_int(g, -9, 9)
                       : gen_chance(g, 10) ? end - (uint64_t)gen_int(g, -1, 2)
                       : gen_chance(g, 10) ? (uint64_t)gen_int(g, -2, 2)
                                           : any;
    memcpy(to + i * step, &v, (size_t)hed__id_size(type)); /* the low bytes come first */
  }
}

static bool whole(int type) { return hed__id_kind(type) < HED_KIND_FLOAT; }

static bool one_case(gen *g, const char *name, int op, int type, hed__map_fn fn)
{
  static _Alignas(64) char in[3][MOST * APART * WIDEST], out[MOST * APART * WIDEST], want[MOST * APART * WIDEST];
  static char before[MOST * APART * WIDEST];
  const hed__formula *const formula = &hed__formulas[op][type];
  const int64_t size = hed__id_size(formula->result), n = gen_int(g, 0, gen_chance(g, 40) ? 20 : MOST);
  const int count = operands_of(op), apart = gen_chance(g, 70) ? 1 : (int)gen_int(g, 1, APART);
  const void *const params = params_of(g, op);
  char *p[4] = { want };
  int64_t s[4] = { size * apart };
  for (int k = 1; k <= count; k++) {
    const int t = k == 1 && hed__formula_first(op) >= 0 ? HED_ID_BOOL : type;
    s[k] = hed__id_size(t) * (gen_chance(g, 15) ? 0 : gen_chance(g, 80) ? 1 : gen_int(g, 1, APART));
    p[k] = in[k - 1];
    fill(g, t, in[k - 1], n > 0 ? n : 1, s[k] ? s[k] : 1);
  }
  memset(want, 0x55, sizeof want);
  const int to = (int)gen_int(g, 1, 2 * count);
  const bool in_place = to <= count && s[to] == s[0] && formula->result == type && (to > 1 || hed__formula_first(op) < 0);
  if (in_place)
    memcpy(want, p[to], sizeof want);
  else
    memset(out, 0x55, sizeof out);
  memcpy(before, in[count - 1], sizeof before);
  formula->fn(n, p, s, params);
  p[0] = in_place ? p[to] : out;
  fn(n, p, s, params);
  if (memcmp(p[0], want, sizeof want) == 0)
    return true;
  for (int64_t i = 0; i < n; i++)
    if (memcmp(p[0] + i * s[0], want + i * s[0], (size_t)size) != 0) {
      long long a = 0, b = 0, got = 0, right = 0;
      memcpy(&a, p[1] + i * s[1], (size_t)hed__id_size(type));
      memcpy(&b, before + i * s[count], (size_t)hed__id_size(type));
      memcpy(&got, p[0] + i * s[0], (size_t)size);
      memcpy(&right, want + i * s[0], (size_t)size);
      diag("%s of %s, %d of %d: bits %llx, %llx give %llx, not %llx", name, hed__dtypes[type]->name, (int)i, (int)n, a, b, got, right);
      break;
    }
  return false;
}

static void loops(gen *g, const char *level, const cpu_kernels *k)
{
  for (size_t r = 0; r < sizeof ops / sizeof *ops; r++) {
    int bad = 0, types = 0;
    for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++) {
      const hed__map_fn fn = ops[r].function ? (*k->functions)[ops[r].index][t] : k->map[ops[r].index][t];
      if (!fn || !whole(t) || !hed__formulas[ops[r].op][t].fn)
        continue;
      types++;
      for (int round = 0; round < ROUNDS && bad < 3; round++)
        bad += !one_case(g, ops[r].name, ops[r].op, t, fn);
    }
    if (types > 0)
      is_int(bad, 0, "%s %s of %d types", level, ops[r].name, types);
  }
}

/* All bytes over each of them, which is one for all: those divisors have inverses of their own. */
static void bytes_over_one(const char *level, const cpu_kernels *k)
{
  static const int ids[] = { HED_ID_INT8, HED_ID_UINT8 };
  char x[256], out[256], want[256], by;
  for (size_t r = 0; r < sizeof ops / sizeof *ops; r++) {
    int bad = 0;
    if (!ops[r].function || (ops[r].op != HED_OP_FLOOR_DIVIDE && ops[r].op != HED_OP_MOD && ops[r].op != HED_OP_FMOD &&
                             ops[r].op != HED_OP_POWER))
      continue;
    for (int t = 0; t < 2; t++)
      for (int d = 0; d < 256 && bad < 3; d++) {
        const hed__map_fn fn = (*k->functions)[ops[r].index][ids[t]];
        for (int i = 0; i < 256; i++)
          x[i] = (char)i;
        by = (char)d;
        hed__formulas[ops[r].op][ids[t]].fn(256, (char *const[]){ want, x, &by }, (const int64_t[]){ 1, 1, 0 }, NULL);
        fn(256, (char *const[]){ out, x, &by }, (const int64_t[]){ 1, 1, 0 }, NULL);
        for (int i = 0; i < 256 && bad < 3; i++)
          if (out[i] != want[i]) {
            diag("%s of %s: bits %x, %x give %x, not %x", ops[r].name, hed__dtypes[ids[t]]->name, i, d, out[i] & 255, want[i] & 255);
            bad++;
          }
      }
    is_int(bad, 0, "%s %s of all bytes and one", level, ops[r].name);
  }
}

/* Equal bits, or NaN both of them. */
static bool alike(float a, float b) { return memcmp(&a, &b, 4) == 0 || (isnan(a) && isnan(b)); }

static void beside_one_float(gen *g, const char *level, const cpu_kernels *k)
{
  static char x[MOST * APART * 8], out[MOST * APART * 4], want[MOST * 4];
  static float real[MOST];
  static const float ones[] = { 0, -0.0f, 1, -1, 2.5f, -2.5f, 3, 100, 127, -128, 255, 256, 65535, 16777217,
                                2147483648.0f, 1e30f, NAN, INFINITY, -INFINITY };
  int bad = 0;
  for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
    for (size_t r = 0; r < CPU_MAP_COUNT; r++)
      for (int round = 0; k->int_scalar[t][r] && round < ROUNDS / 3; round++) {
        const hed__formula *const formula = &hed__formulas[ops[r].op][HED_ID_FLOAT32];
        const int64_t size = hed__id_size(formula->result), n = gen_int(g, 1, MOST);
        const int64_t step = hed__id_size(t) * (gen_chance(g, 60) ? 1 : gen_int(g, 1, APART));
        float one = ones[gen_below(g, sizeof ones / sizeof *ones)];
        if (gen_chance(g, 50) || (r >= CPU_MAP_FLOOR_DIVIDE && !isfinite(one))) /* of few places, as remainders want it */
          one = (float)gen_int(g, -9000, 9000) / (1 << CPU_FRACTION_BITS);
        fill(g, t, x, n, step);
        hed__cast(t, HED_ID_FLOAT32)(n, (char *)real, 4, x, step);
        formula->fn(n, (char *const[]){ want, (char *)real, (char *)&one }, (const int64_t[]){ size, 4, 0 }, NULL);
        const int64_t apart = size * (gen_chance(g, 60) ? 1 : gen_int(g, 1, APART));
        k->int_scalar[t][r](n, (char *const[]){ out, x, (char *)&one }, (const int64_t[]){ apart, step, 0 }, NULL);
        for (int64_t i = 0; i < n; i++)
          bad += size == 1 ? out[i * apart] != want[i]
                           : !alike(*(float *)(void *)(out + i * apart), *(float *)(void *)(want + i * 4));
        if (bad) {
          diag("%s of %s and %g", ops[r].name, hed__dtypes[t]->name, (double)one);
          break;
        }
      }
  is_int(bad, 0, "%s whole numbers beside one float32", level);
}

/* Every float16 and bfloat16: what float32 gives. */
static void halves(gen *g, const char *level, const cpu_kernels *k)
{
  static const int rounding[] = { CPU_MAP_ROUND, CPU_MAP_TRUNC, CPU_MAP_FLOOR, CPU_MAP_CEIL, CPU_MAP_RELU, CPU_MAP_SIGN,
                                  CPU_MAP_ANGLE, CPU_MAP_SIGNBIT, CPU_MAP_CONJ, CPU_MAP_REAL_PART, CPU_MAP_COPYSIGN };
  static uint16_t x[2 * ALL_HALVES], y[ALL_HALVES], out[2 * ALL_HALVES], want[ALL_HALVES];
  static float real[ALL_HALVES], other[ALL_HALVES], single[ALL_HALVES];
  for (size_t r = 0; r < sizeof rounding / sizeof *rounding; r++) {
    int bad = 0;
    for (int round = 0; round < 4; round++) {
      const int type = round % 2 ? HED_ID_BFLOAT16 : HED_ID_FLOAT16, step = 2 + round / 2 * 2;
      const hed__map_fn fn = k->half[round % 2][0][rounding[r]];
      const hed__formula *const formula = &hed__formulas[ops[rounding[r]].op][HED_ID_FLOAT32];
      const bool truth = formula->result == HED_ID_BOOL;
      if (!fn)
        continue;
      for (int i = 0; i < ALL_HALVES; i++) {
        x[i * step / 2] = (uint16_t)i;
        y[i] = (uint16_t)gen_u64(g);
      }
      hed__cast(type, HED_ID_FLOAT32)(ALL_HALVES, (char *)real, 4, (char *)x, step);
      hed__cast(type, HED_ID_FLOAT32)(ALL_HALVES, (char *)other, 4, (char *)y, 2);
      const int64_t n = ALL_HALVES - (int64_t)gen_below(g, 40), size = truth ? 1 : 4;
      formula->fn(n, (char *const[]){ (char *)single, (char *)real, (char *)other }, (const int64_t[]){ size, 4, 4 }, NULL);
      if (!truth)
        hed__cast(HED_ID_FLOAT32, type)(n, (char *)want, 2, (char *)single, 4);
      fn(n, (char *const[]){ (char *)out, (char *)x, (char *)y }, (const int64_t[]){ truth ? 1 : step, step, 2 }, NULL);
      for (int64_t i = 0; i < n; i++) { /* signalling NaN may stay what they are */
        const uint16_t got = truth ? ((uint8_t *)out)[i] : out[i * step / 2];
        const uint16_t right = truth ? ((uint8_t *)single)[i] : want[i], quiet = type == HED_ID_FLOAT16 ? 0x200 : 0x40;
        bad += got != right && (truth || !isnan(real[i]) || (got | quiet) != right);
      }
    }
    is_int(bad, 0, "%s %s of every float16 and bfloat16", level, ops[rounding[r]].name);
  }
}

/* Numbers about the ends of what is converted to, among them. */
static void real_numbers(gen *g, double *x, int64_t n, bool near)
{
  for (int64_t i = 0; i < n; i++) {
    const double end = ldexp(1, (int)gen_int(g, 0, 66)) + (double)gen_int(g, -2, 2);
    x[i] = near || gen_chance(g, 80) ? gen_double(g, -300, 300) : gen_chance(g, 10) ? (double)NAN : gen_chance(g, 50) ? end : -end;
  }
}

static void whole_numbers(gen *g, int type, char *x, int64_t n, int64_t step)
{
  static const int64_t about[] = { 65504, 65520, 65536, 131072, 2048, 16777216 };
  fill(g, type, x, n, step);
  for (int64_t i = 0; i < n; i++)
    if (type != HED_ID_BOOL && gen_chance(g, 40)) {
      const int64_t v = (about[gen_below(g, 6)] + gen_int(g, -3, 3)) * (gen_chance(g, 50) ? 1 : -1);
      memcpy(x + i * step, &v, (size_t)hed__id_size(type));
    }
}

static void conversions(gen *g, const char *level, const cpu_kernels *k)
{
  static _Alignas(64) char x[MOST * APART * WIDEST], out[MOST * APART * WIDEST], want[MOST * APART * WIDEST];
  int bad = 0;
  for (int from = 0; from < HED_ID_CONCRETE_COUNT_; from++)
    for (int to = 0; to < HED_ID_CONCRETE_COUNT_; to++)
      for (int round = 0; round < ROUNDS && (whole(from) || (from == HED_ID_FLOAT64 && whole(to))) && bad < 3; round++) {
        const int64_t n = gen_int(g, 0, MOST);
        const bool tidy = gen_chance(g, 70);
        const int64_t ss = hed__id_size(from) * (tidy || from == HED_ID_FLOAT64 ? 1 : gen_int(g, 1, APART));
        const int64_t ds = hed__id_size(to) * (tidy ? 1 : gen_int(g, 1, APART));
        if (from == HED_ID_FLOAT64)
          real_numbers(g, (double *)(void *)x, n, gen_chance(g, 50));
        else
          whole_numbers(g, from, x, n, ss);
        memset(want, 0x55, sizeof want);
        memset(out, 0x55, sizeof out);
        hed__cast(from, to)(n, want, ds, x, ss);
        k->cast(from, to)(n, out, ds, x, ss);
        if (memcmp(out, want, sizeof want) != 0) {
          diag("%s to %s, %d numbers, %d and %d bytes apart", hed__dtypes[from]->name, hed__dtypes[to]->name, (int)n, (int)ss,
               (int)ds);
          bad++;
        }
      }
  is_int(bad, 0, "%s conversions of whole numbers to every type, and of float64 to them", level);
}

static void one_level(const char *level, const cpu_kernels *k)
{
  gen g;
  gen_seed(&g, tap_seed());
  loops(&g, level, k);
  bytes_over_one(level, k);
  beside_one_float(&g, level, k);
  halves(&g, level, k);
  conversions(&g, level, k);
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_kernels_##set)

int main(void)
{
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
