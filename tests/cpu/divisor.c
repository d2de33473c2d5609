// SPDX-License-Identifier: BSD-3-Clause
/* Whole numbers of every type divided by one divisor, at each instruction set of this machine, against quotients and remainders
 * of wider numbers: divisors next to powers of two, the least and the most, 0 and -1; numbers next to their multiples; few and
 * many of them, in place, and with gaps. And int32 and int64 each by its own, about where float64 no longer holds them.
 */
#include "base/dtype.h"
#include "children.h"
#include "gen.h"

__extension__ typedef __int128 twice;
enum { MOST = 403, RANDOM = 40, MULTIPLES = 3 };
typedef struct finding { bool right[3][HED_ID_CONCRETE_COUNT_], paired[3][2]; } finding;

static const struct { int op; const char *name; } ops[3] = {
  { HED_OP_FLOOR_DIVIDE, "floor_divide" }, { HED_OP_MOD, "mod" }, { HED_OP_FMOD, "fmod" }
};

static bool is_signed(int t) { return hed__id_kind(t) == HED_KIND_INT; }

static twice load(const char *x, int t)
{
  const int bits = 8 * (int)hed__id_size(t);
  uint64_t v = 0;
  for (int k = 0; k < bits; k += 8)
    v |= (uint64_t)(unsigned char)x[k / 8] << k;
  return is_signed(t) && v >> (bits - 1) ? (twice)v - ((twice)1 << bits) : (twice)v;
}

static void store(char *x, int t, twice v)
{
  for (int k = 0; k < hed__id_size(t); k++)
    x[k] = (char)(unsigned char)((uint64_t)v >> 8 * k);
}

static twice truth(int op, twice a, twice b)
{
  if (b == 0)
    return 0;
  const twice q = a / b, r = a % b;
  const bool down = r != 0 && (r < 0) != (b < 0);
  return op == HED_OP_FLOOR_DIVIDE ? q - down : op == HED_OP_MOD && down ? r + b : r;
}

/* Numbers divided by D: the first are next to multiples of it, or next to the least and the most, which wrap into each other. */
static void fill(gen *g, int t, char *x, int64_t step, int64_t n, twice d)
{
  for (int64_t k = 0; k < n; k++) {
    uint64_t any;
    gen_bytes(g, &any, sizeof any);
    const twice multiple = d == 0 ? 0 : (twice)(int64_t)any / d * d, least = is_signed(t) ? (twice)1 << (8 * hed__id_size(t) - 1) : 0;
    const twice about = k % MULTIPLES == 0 ? multiple : k % MULTIPLES == 1 ? least : (twice)(any >> any % 64);
    store(x + k * step, t, about + (k % MULTIPLES == 2 ? 0 : (twice)gen_int(g, -1, 1)));
  }
}

static bool divides(const hed_plugin *cpu, gen *g, int op, int t, twice divisor, int64_t n, int64_t apart, bool in_place)
{
  static _Alignas(64) char x[MOST * 16], out[MOST * 16], before[MOST * 16];
  char d[8];
  const int64_t size = hed__id_size(t), step = apart * size;
  store(d, t, divisor);
  fill(g, t, x, step, n, load(d, t));
  memcpy(before, x, sizeof x);
  hed_view o = { .data = in_place ? x : out, .dtype = t, .ndim = 1, .dim = { n }, .stride = { step } }, a = o, b = o;
  a.data = x;
  b.data = d;
  b.stride[0] = 0;
  const hed_view *in[2] = { &a, &b }, *list[1] = { &o };
  hed_call call = { .struct_size = sizeof call, .op = ops[op].op, .n_in = 2, .n_out = 1, .in = in, .out = list, .compute = t,
                    .max_threads = 1 };
  for (const hed_op_entry *row = cpu->ops; row->name; row++)
    if (!strcmp(row->name, ops[op].name) && row->fn(NULL, &call) != HED_OK)
      return false;
  for (int64_t k = 0; k < n; k++) {
    char want[8];
    const twice v = load(before + k * step, t);
    store(want, t, truth(ops[op].op, v, load(d, t)));
    if (memcmp((char *)o.data + k * step, want, (size_t)size) != 0) {
      diag("%s of %s: %lld by %lld is not %lld", ops[op].name, hed__dtypes[t]->name, (long long)v, (long long)load(d, t),
           (long long)load((char *)o.data + k * step, t));
      return false;
    }
  }
  return true;
}

static bool all_divisors(const hed_plugin *cpu, gen *g, int op, int t)
{
  const int bits = 8 * (int)hed__id_size(t);
  bool right = true;
  for (int k = 0; k < bits && right; k++)
    for (int about = -2; about <= 2 && right; about++) /* 0, 1, -1 and the least are among these */
      for (int sign = -1; sign <= 1 && right; sign += 2)
        right = divides(cpu, g, op, t, sign * (((twice)1 << k) + about), MOST - k % 7, 1, k % 2 == 1);
  for (int k = 0; k < RANDOM && right; k++) {
    uint64_t any;
    gen_bytes(g, &any, sizeof any);
    right = divides(cpu, g, op, t, (twice)(any >> any % 64), k < MOST / 8 ? k : MOST, 1 + k % 2, false) &&
            divides(cpu, g, op, t, -(twice)(any >> any % 64), MOST, 1, false);
  }
  return right;
}

/* Numbers of the size that float64 holds, most of them near its end, next to multiples of their divisors, or any. */
static int64_t one_of_many(gen *g, int64_t beside)
{
  const int64_t end = (int64_t)1 << 53, any = (int64_t)gen_u64(g);
  switch (gen_below(g, 8)) {
  case 0: return any;
  case 1: return (gen_chance(g, 50) ? end : -end) + gen_int(g, -3, 3);
  case 2: return any % end;
  case 3: return gen_int(g, -2, 2);
  case 4: case 5: return beside == 0 || beside == -1 ? any % end : any % end / beside * beside + gen_int(g, -1, 1);
  default: return any % end >> gen_below(g, 53);
  }
}

/* Of int64 and int32, each by its own divisor, in place or with gaps; stretches without a number that float64 does not hold. */
static bool pairs(const hed_plugin *cpu, gen *g, int op, int t)
{
  static _Alignas(64) char in[2][MOST * 16], before[2][MOST * 16], out[MOST * 16];
  const int64_t size = hed__id_size(t);
  for (int round = 0; round < 200; round++) {
    const int64_t n = gen_int(g, 1, MOST), apart = gen_chance(g, 80) ? 1 : 2, step = apart * size, end = (int64_t)1 << 53;
    const int to = (int)gen_below(g, 4), same = gen_chance(g, 10);
    const int64_t small = gen_chance(g, 60) ? n : n / 2;
    for (int64_t k = 0; k < n; k++) {
      int64_t b = one_of_many(g, 0), a = one_of_many(g, b);
      if (k < small && (a < -end || a >= end || b < -end || b >= end))
        a >>= 11, b >>= 11;
      store(in[0] + k * step, t, a);
      store(in[1] + k * step, t, b);
    }
    memcpy(before, in, sizeof in);
    hed_view v[2], o = { .data = to < 2 ? in[to] : out, .dtype = t, .ndim = 1, .dim = { n }, .stride = { step } };
    const bool one = to != 0 && gen_chance(g, 10);
    for (int k = 0; k < 2; k++)
      v[k] = (hed_view){ .data = in[same ? 0 : k], .dtype = t, .ndim = 1, .dim = { n }, .stride = { k == 0 && one ? 0 : step } };
    const hed_view *list[2] = { &v[0], &v[1] }, *outs[1] = { &o };
    hed_call call = { .struct_size = sizeof call, .op = ops[op].op, .n_in = 2, .n_out = 1, .in = list, .out = outs, .compute = t,
                      .max_threads = 1 };
    for (const hed_op_entry *row = cpu->ops; row->name; row++)
      if (!strcmp(row->name, ops[op].name) && row->fn(NULL, &call) != HED_OK)
        return false;
    for (int64_t k = 0; k < n; k++) {
      const twice a = load(before[0] + k * v[0].stride[0], t), b = load(before[same ? 0 : 1] + k * step, t);
      char want[8];
      store(want, t, truth(ops[op].op, a, b));
      if (memcmp((char *)o.data + k * step, want, (size_t)size) != 0) {
        diag("%s of %s: %lld by %lld is not %lld", ops[op].name, hed__dtypes[t]->name, (long long)a, (long long)b,
             (long long)load((char *)o.data + k * step, t));
        return false;
      }
    }
  }
  return true;
}

static void child(const hed_plugin *cpu, void *memory)
{
  finding *found = memory;
  gen g;
  gen_seed(&g, tap_seed());
  for (int op = 0; op < 3; op++)
    for (int w = 0; w < 2; w++)
      found->paired[op][w] = pairs(cpu, &g, op, w ? HED_ID_INT64 : HED_ID_INT32);
  for (int op = 0; op < 3; op++)
    for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
      found->right[op][t] = (!is_signed(t) && hed__id_kind(t) != HED_KIND_UINT) || all_divisors(cpu, &g, op, t);
}

static void report(const char *level, const void *memory)
{
  const finding *of_level = memory;
  for (int op = 0; op < 3; op++)
    for (int w = 0; w < 2; w++)
      ok(of_level->paired[op][w], "%s %s of %s, each by another", level, ops[op].name, w ? "int64" : "int32");
  for (int op = 0; op < 3; op++)
    for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
      if (is_signed(t) || hed__id_kind(t) == HED_KIND_UINT)
        ok(of_level->right[op][t], "%s %s of %s by one divisor", level, ops[op].name, hed__dtypes[t]->name);
}

int main(void)
{
  children_run(sizeof(finding), child, report);
  done_testing();
  return done();
}
