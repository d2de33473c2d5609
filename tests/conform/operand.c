// SPDX-License-Identifier: BSD-3-Clause
/* Operands of the conformance test: values by logical index, then one of several layouts through public views. */
#include "arrays.h"
#include "conform.h"

#include <heddle/reflect.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One number per (seed, operand, index): the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t hash(uint64_t seed, int k, int64_t index)
{
  uint64_t z = seed + (uint64_t)(k + 1) * 0x9e3779b97f4a7c15u;
  for (int round = 0; round < 2; round++) {
    z ^= round ? 0 : (uint64_t)index * 0xd1342543de82ef95u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
  }
  return z;
}

static double uniform(uint64_t h, double low, double high) { return low + (high - low) * (double)(h >> 11) * 0x1p-53; }

/* Truncation is good enough for test data; what does not fit becomes infinity. */
static uint16_t encode_half(float x)
{
  uint32_t b;
  memcpy(&b, &x, 4);
  uint16_t sign = (uint16_t)(b >> 16 & 0x8000u);
  b &= 0x7fffffffu;
  if (b > 0x7f800000u)
    return sign | 0x7e00;
  if (b >= 0x47800000u)
    return sign | 0x7c00;
  return (uint16_t)(sign | (b < 0x38800000u ? (uint32_t)(fabsf(x) * 0x1p24f) : (b - 0x38000000u) >> 13));
}

static uint16_t encode_bfloat(float x)
{
  uint32_t b;
  memcpy(&b, &x, 4);
  return (uint16_t)(b >> 16);
}

static double real_value(const run *r, uint64_t h, double low, double high)
{
  static const double special[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, 1 };
  static const double subnormal[] = { 0x1p-1060, -0x1p-140, 0x1.8p-130, -0x1p-20 }; /* of float64, float32, bfloat16, float16 */
  double x = uniform(h, low, high);
  if (r->c->flags & SUBNORMAL && h % 17 == 0)
    return subnormal[h / 17 % 4];
  if (r->c->flags & SPECIAL && h % 13 == 0)
    return special[h / 13 % 6];
  return r->c->flags & WHOLE ? rint(x) : x;
}

/* Counts of shifts and exponents have to be small to say anything. */
static int64_t whole_value(const run *r, int k, uint64_t h, hed_dtype t, double low, double high)
{
  int bits = 8 * (int)hed_dtype_size(t);
  bool is_signed = hed_dtype_kind(t) == HED_KIND_INT;
  if (r->c->flags & WRAP)
    return k == 1 && h % 2 ? (int64_t)(h / 2 % (uint64_t)(bits + 4)) - 2 : (int64_t)h;
  low = ceil(low);
  if (!is_signed && low < 0)
    low = 0;
  high = fmin(floor(high), ldexp(1, bits - is_signed) - 1);
  return high < low ? (int64_t)low : (int64_t)low + (int64_t)(h % (uint64_t)(high - low + 1));
}

/* Does the operand hold special values? Those of another type or range serve as parameters. */
static bool is_special(const run *r, hed_dtype t, double low, double high)
{
  return r->extent == PAIRS && t == r->dtype && low == r->c->low && high == r->c->high;
}

static void put_value(const run *r, int k, hed_dtype t, hed_shape shape, int64_t index, double low, double high, char *p)
{
  uint64_t h = hash(r->seed, k, index), h2 = hash(r->seed, k + 100, index);
  double x = real_value(r, h, low, high), small[2];
  small[0] = uniform(h, fmax(low, -3), fmin(high, 3));
  small[1] = uniform(h2, fmax(low, -3), fmin(high, 3));
  if (r->c->flags & WHOLE) {
    small[0] = rint(small[0]);
    small[1] = rint(small[1]);
  }
  if (is_special(r, t, low, high)) {
    pairs_value(r, k, t, shape, index, small);
    x = small[0];
  }
  float f[2] = { (float)small[0], (float)small[1] }, fx = (float)x;
  int64_t whole = whole_value(r, k, h, t, low, high);
  uint16_t half = hed_dtype_id_of(t) == HED_ID_FLOAT16 ? encode_half(fx) : encode_bfloat(fx);
  switch (hed_dtype_kind(t)) {
  case HED_KIND_BOOL: *(bool *)p = h >> 7 & 1; break;
  case HED_KIND_INT:
  case HED_KIND_UINT: memcpy(p, &whole, hed_dtype_size(t)); break; /* little endian: the low bytes */
  case HED_KIND_FLOAT: memcpy(p, t == HED_FLOAT64 ? (void *)&x : t == HED_FLOAT32 ? (void *)&fx : (void *)&half,
                              hed_dtype_size(t)); break;
  default: memcpy(p, t == HED_COMPLEX64 ? (void *)f : (void *)small, hed_dtype_size(t));
  }
}

/* Where logical element INDEX of SHAPE lies in a C-order array of shape HOLD. */
static int64_t place(layout l, hed_shape shape, hed_shape hold, int64_t index)
{
  int64_t at[HED_MAX_NDIM], offset = 0;
  for (int k = shape.ndim - 1; k >= 0; k--) {
    at[k] = index % shape.dim[k];
    index /= shape.dim[k];
  }
  for (int k = 0; k < hold.ndim; k++) {
    int64_t i = l == TRANSPOSED ? at[shape.ndim - 1 - k] : at[k];
    if (l == REVERSED) /* every second, from the end */
      i = hold.dim[k] - 1 - (k == 0 ? 2 : 1) * i;
    offset = offset * hold.dim[k] + (hold.dim[k] == 1 && shape.dim[k] != 1 ? 0 : i);
  }
  return offset;
}

static int written_beside;

int operands_written_beside(void) { return written_beside; }

static void end_guarded(void *p) { written_beside += !guard_free(p); }

hed_array *guarded(hed_shape shape, hed_dtype t, const void *data)
{
  size_t size = hed_dtype_size(t), bytes = (size_t)elements_of(shape) * size;
  hed_array *plain = hed_from_host(data, shape, t);
  if (!plain || strcmp(hed_array_space(plain), "host") != 0 || hed_array_dtype(plain) != t)
    return plain;
  hed_release(plain);
  void *p = guard_alloc(bytes, size);
  memcpy(p, data, bytes);
  hed_array *x = hed_wrap(p, shape, NULL, t, end_guarded, p);
  if (!x)
    end_guarded(p);
  return x;
}

/* ---- values, kept: every layout, and many cases, have the same ones ---- */

typedef struct value_key {
  uint64_t seed;
  double low, high;
  hed_shape shape;
  int k, id, flags, arrangement;
  bool repeats;
} value_key;

/* The values of an operand in C order. Borrowed until the next call. */
static const char *values(const run *r, int k, hed_dtype t, hed_shape shape, double low, double high, int repeated)
{
  enum { KEPT = 96 };
  static struct { value_key key; char *data; } kept[KEPT];
  static int next;
  value_key key;
  memset(&key, 0, sizeof key); /* with the gaps: keys are compared as bytes */
  key.seed = r->seed;
  key.low = low;
  key.high = high;
  key.shape.ndim = shape.ndim;
  memcpy(key.shape.dim, shape.dim, (size_t)shape.ndim * sizeof *shape.dim);
  key.k = k;
  key.id = hed_dtype_id_of(t);
  key.flags = r->c->flags;
  key.arrangement = is_special(r, t, low, high) ? pairs_arrangement(r) : -1;
  key.repeats = r->repeats;
  for (int j = 0; j < KEPT; j++)
    if (kept[j].data && memcmp(&kept[j].key, &key, sizeof key) == 0)
      return kept[j].data;
  size_t size = hed_dtype_size(t);
  char *data = calloc((size_t)elements_of(shape) + 1, size);
  for (int64_t i = 0; i < elements_of(shape); i++) {
    int64_t id = i;
    if (r->repeats && shape.ndim > 0) { /* what a broadcast operand can hold */
      hed_shape one = shape;
      one.dim[repeated] = 1;
      id = place(BROADCAST, shape, one, i);
    }
    put_value(r, k, t, shape, id, low, high, data + (size_t)i * size);
  }
  free(kept[next].data);
  memcpy(&kept[next].key, &key, sizeof key);
  kept[next].data = data;
  next = (next + 1) % KEPT;
  return data;
}

hed_array *operand_of(run *r, int k, hed_dtype t, hed_shape shape, double low, double high)
{
  return (r->make ? r->make : plain_operand)(r, k, t, shape, low, high);
}

hed_array *plain_operand(run *r, int k, hed_dtype t, hed_shape shape, double low, double high)
{
  layout l = shape.ndim == 0 || elements_of(shape) == 0 ? PLAIN : r->layout;
  int repeated = (k + 1) % (shape.ndim ? shape.ndim : 1); /* the axis along which a broadcast operand is equal */
  hed_shape hold = shape;
  for (int a = 0; a < shape.ndim; a++)
    if (l == TRANSPOSED)
      hold.dim[a] = shape.dim[shape.ndim - 1 - a];
  if (l == REVERSED)
    hold.dim[0] = 2 * shape.dim[0];
  if (l == BROADCAST)
    hold.dim[repeated] = 1;

  size_t size = hed_dtype_size(t);
  const char *plain = values(r, k, t, shape, low, high, repeated);
  if (l == PLAIN)
    return guarded(hold, t, plain);
  char *data = calloc((size_t)elements_of(hold) + 1, size);
  for (int64_t i = 0; i < elements_of(shape); i++)
    memcpy(data + (size_t)place(l, shape, hold, i) * size, plain + (size_t)i * size, size);
  hed_array *x = guarded(hold, t, data);
  free(data);
  if (l == TRANSPOSED)
    return hed_transpose(x, NULL);
  if (l == BROADCAST)
    return hed_broadcast_to(x, shape);
  if (l == REVERSED) {
    hed_slice_range ranges[HED_MAX_NDIM];
    for (int a = 0; a < shape.ndim; a++)
      ranges[a] = HED_RANGE(HED_SLICE_BEGIN, HED_SLICE_END, a == 0 ? -2 : -1);
    return hed_slice(x, shape.ndim, ranges);
  }
  return x;
}

hed_shape run_shape(const run *r)
{
  switch (r->extent) {
  case EMPTY: return HED_SHAPE(3, 0, 2);
  case SCALAR: return HED_SHAPE0;
  case LARGE: return HED_SHAPE(31, 37, 41);
  case PAIRS: return pairs_shape(r);
  case GIVEN: return r->shape;
  default: return HED_SHAPE(4, 5, 6);
  }
}

hed_array *operand(run *r, int k)
{
  return operand_of(r, k, r->dtype, run_shape(r), r->c->low, r->c->high);
}

bool may_lack_operand(const conform_case *c)
{
  const hed_api_function *f;
  bool yes = false;
  for (int k = 0; (f = hed_api_function_at(k)) != NULL; k++)
    for (int j = 0; j < f->n_arguments && f->op == hed_op_by_name(c->name); j++) {
      const hed_api_argument *a = &f->arguments[j];
      const hed_api_struct *s = NULL;
      for (int i = 0; strcmp(a->kind, "struct") == 0 && (s = hed_api_struct_at(i)) != NULL && strcmp(s->name, a->type) != 0; i++)
        ;
      yes |= a->nullable && strcmp(a->kind, "array") == 0;
      for (int i = 0; s && i < s->n_fields; i++)
        yes |= strcmp(s->fields[i].kind, "array") == 0;
    }
  return yes;
}
