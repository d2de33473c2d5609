// SPDX-License-Identifier: BSD-3-Clause
/*
 * scatter_nd: values written to, or combined with, the elements that a list of indices names. L1.
 *
 * Every thread goes through the whole list and does the indices that are its own, so that each element gets its values in
 * the order of the list whatever the number of threads. Loops combine one row of a block; 16-bit floats compute in float32.
 */
#include "backends/cpu/move/index.h"

#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cmplx.h"
#include "base/half.h"
#include "base/nest.h"
#include "base/shape.h"
#include <heddle/ops/index.h>

typedef void (*row_fn)(int64_t n, char *d, int64_t ds, const char *s, int64_t ss);

/* The N indices of a list, DS bytes apart from D, of which [first, end) are to be done, and their values. */
typedef struct indices {
  int64_t n, first, end, ds, ss;
  const int64_t *at;
  char *d;
  const char *s;
  bool all;         /* the range is that of all indices */
  bool far;         /* which are prefetched ahead */
} indices;
typedef void (*list_fn)(const indices *p);

typedef struct loops {
  row_fn row;
  list_fn list;
} loops;

/* d = OP(d, s) for a row and for a list; GET and PUT turn stored elements into numbers of type C and back. */
#define STEP(T, C, GET, PUT, expression, to, from)                              \
  do {                                                                          \
    T *const to_ = (T *)(void *)(to);                                           \
    const C a = GET(*to_), b = GET(*(const T *)(const void *)(from));           \
    (void)a;                                                                    \
    *to_ = (T)PUT(expression);                                                  \
  } while (0)
#define LIST(fn, T, C, GET, PUT, expression)                                    \
  static void fn##_list(const indices *p)                                       \
  {                                                                             \
    const uint64_t first = (uint64_t)p->first, many = (uint64_t)(p->end - p->first); \
    const int64_t n = p->n, ds = p->ds, ss = p->ss;                             \
    const int64_t *at = p->at;                                                  \
    char *d = p->d;                                                             \
    const char *s = p->s;                                                       \
    int64_t i = 0;                                                              \
    if (p->all && ds == (int64_t)sizeof(T) && ss == ds) {                       \
      for (; p->far && i + CPU_PREFETCH_AHEAD < n; i++) {                       \
        __builtin_prefetch((T *)(void *)d + at[i + CPU_PREFETCH_AHEAD], 1);     \
        STEP(T, C, GET, PUT, expression, (T *)(void *)d + at[i], (const T *)(const void *)s + i); \
      }                                                                         \
      for (; i + 4 <= n; i += 4) {                                              \
        const int64_t a0 = at[i], a1 = at[i + 1], a2 = at[i + 2], a3 = at[i + 3]; \
        STEP(T, C, GET, PUT, expression, (T *)(void *)d + a0, (const T *)(const void *)s + i); \
        STEP(T, C, GET, PUT, expression, (T *)(void *)d + a1, (const T *)(const void *)s + i + 1); \
        STEP(T, C, GET, PUT, expression, (T *)(void *)d + a2, (const T *)(const void *)s + i + 2); \
        STEP(T, C, GET, PUT, expression, (T *)(void *)d + a3, (const T *)(const void *)s + i + 3); \
      }                                                                         \
    }                                                                           \
    for (; i < n; i++)                                                          \
      if ((uint64_t)at[i] - first < many)                                       \
        STEP(T, C, GET, PUT, expression, d + at[i] * ds, s + i * ss);           \
  }
#define ROW(fn, T, C, GET, PUT, expression)                                     \
  static void fn##_row(int64_t n, char *d, int64_t ds, const char *s, int64_t ss) \
  {                                                                             \
    for (int64_t i = 0; i < n; i++)                                             \
      STEP(T, C, GET, PUT, expression, d + i * ds, s + i * ss);                 \
  }                                                                             \
  LIST(fn, T, C, GET, PUT, expression)
#define SAME(x) (x)
#define BOOL_OF(x) ((x) != 0)

static inline float _Complex times_f(float _Complex a, float _Complex b)
{
  float ar = crealf(a), ai = cimagf(a), br = crealf(b), bi = cimagf(b);
  return CMPLXF(ar * br - ai * bi, ar * bi + ai * br);
}

static inline double _Complex times_d(double _Complex a, double _Complex b)
{
  double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
  return CMPLX(ar * br - ai * bi, ar * bi + ai * br);
}

/* Integers wrap: the sum and the product modulo 2^64, cut to the width. */
#define INTEGER(ID, T)                                             \
  ROW(ID##_add, T, uint64_t, (uint64_t), SAME, a + b)              \
  ROW(ID##_multiply, T, uint64_t, (uint64_t), SAME, a * b)         \
  ROW(ID##_max, T, T, SAME, SAME, a > b ? a : b)                   \
  ROW(ID##_min, T, T, SAME, SAME, a < b ? a : b)
#define REAL(ID, T, C, GET, PUT)                                   \
  ROW(ID##_add, T, C, GET, PUT, a + b)                             \
  ROW(ID##_multiply, T, C, GET, PUT, a * b)                        \
  ROW(ID##_max, T, C, GET, PUT, a > b || a != a ? a : b)           \
  ROW(ID##_min, T, C, GET, PUT, a < b || a != a ? a : b)

ROW(BOOL_add, uint8_t, bool, BOOL_OF, SAME, a || b)
ROW(BOOL_multiply, uint8_t, bool, BOOL_OF, SAME, a && b)
INTEGER(INT8, int8_t)
INTEGER(INT16, int16_t)
INTEGER(INT32, int32_t)
INTEGER(INT64, int64_t)
INTEGER(UINT8, uint8_t)
INTEGER(UINT16, uint16_t)
INTEGER(UINT32, uint32_t)
INTEGER(UINT64, uint64_t)
REAL(FLOAT16, uint16_t, float, hed__half_to_float, hed__float_to_half)
REAL(BFLOAT16, uint16_t, float, hed__bfloat_to_float, hed__float_to_bfloat)
REAL(FLOAT32, float, float, SAME, SAME)
REAL(FLOAT64, double, double, SAME, SAME)
ROW(COMPLEX64_add, float _Complex, float _Complex, SAME, SAME, a + b)
ROW(COMPLEX64_multiply, float _Complex, float _Complex, SAME, SAME, times_f(a, b))
ROW(COMPLEX128_add, double _Complex, double _Complex, SAME, SAME, a + b)
ROW(COMPLEX128_multiply, double _Complex, double _Complex, SAME, SAME, times_d(a, b))

LIST(set_1, uint8_t, uint8_t, SAME, SAME, b)
LIST(set_2, uint16_t, uint16_t, SAME, SAME, b)
LIST(set_4, uint32_t, uint32_t, SAME, SAME, b)
LIST(set_8, cpu_word64, cpu_word64, SAME, SAME, b)
LIST(set_16, double _Complex, double _Complex, SAME, SAME, b)
static const list_fn set_list[] = { set_1_list, set_2_list, set_4_list, set_8_list, set_16_list };

#define BOTH(fn) { fn##_row, fn##_list }
#define FOUR(ID) \
  [HED_ID_##ID] = { [HED_SCATTER_ADD] = BOTH(ID##_add), [HED_SCATTER_MULTIPLY] = BOTH(ID##_multiply), \
                    [HED_SCATTER_MAX] = BOTH(ID##_max), [HED_SCATTER_MIN] = BOTH(ID##_min) }
static const loops all[HED_ID_CONCRETE_COUNT_][HED_SCATTER_MIN + 1] = {
  [HED_ID_BOOL] = { [HED_SCATTER_ADD] = BOTH(BOOL_add), [HED_SCATTER_MULTIPLY] = BOTH(BOOL_multiply),
                    [HED_SCATTER_MAX] = BOTH(BOOL_add), [HED_SCATTER_MIN] = BOTH(BOOL_multiply) },
  FOUR(INT8), FOUR(INT16), FOUR(INT32), FOUR(INT64), FOUR(UINT8), FOUR(UINT16), FOUR(UINT32), FOUR(UINT64),
  FOUR(FLOAT16), FOUR(BFLOAT16), FOUR(FLOAT32), FOUR(FLOAT64),
  [HED_ID_COMPLEX64] = { [HED_SCATTER_ADD] = BOTH(COMPLEX64_add), [HED_SCATTER_MULTIPLY] = BOTH(COMPLEX64_multiply) },
  [HED_ID_COMPLEX128] = { [HED_SCATTER_ADD] = BOTH(COMPLEX128_add), [HED_SCATTER_MULTIPLY] = BOTH(COMPLEX128_multiply) },
};

typedef struct scatter {
  const hed_view *values, *indices;
  cpu_index_map map;
  hed__nest block;      /* out, values */
  int64_t targets;      /* elements of the axes chosen from */
  row_fn fn;
  list_fn list;         /* the block is one element and the list contiguous; else NULL */
} scatter;

static void scatter_part(void *arg, int32_t part, int32_t parts)
{
  const scatter *s = arg;
  const hed__nest *block = &s->block;
  int64_t n = s->indices->dim[0], rows_ = hed__nest_rows(block), each = s->targets / parts, more = s->targets % parts;
  int64_t first = part * each + CPU_MIN(part, more), end = first + each + (part < more);
  int32_t row = block->ndim - 1;
  if (s->list) {
    const indices p = { .n = n, .first = first, .end = end, .ds = s->map.stride[0], .ss = s->values->stride[0],
                       .at = s->indices->data, .d = block->data[0], .s = block->data[1], .all = parts == 1,
                       .far = s->targets * s->map.stride[0] > CPU_FAR };
    s->list(&p);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    int64_t index = *(const int64_t *)(const void *)((const char *)s->indices->data + i * s->indices->stride[0]);
    if (index < first || index >= end)
      continue;
    int64_t dto = cpu_index_offset(&s->map, index), dfrom = i * s->values->stride[0];
    if (block->ndim == 1) {
      s->fn(block->dim[0], block->data[0] + dto, block->stride[0][0], block->data[1] + dfrom, block->stride[1][0]);
      continue;
    }
    hed__walk w;
    hed__walk_init(&w, block, 0, rows_);
    while (hed__walk_next(&w))
      s->fn(block->dim[row], w.ptr[0] + dto, block->stride[0][row], w.ptr[1] + dfrom, block->stride[1][row]);
  }
}

int32_t cpu_scatter_nd(void *state, const hed_call *call)
{
  (void)state;
  const hed_gather_params *p = call->params;
  const hed_view *values = call->in[0], *out = call->out[0];
  int32_t id = out->dtype;
  scatter s = { .values = values, .indices = call->in[1], .targets = 1 };
  const int64_t size = hed__id_size(id);
  s.fn = p->op == HED_SCATTER_SET ? cpu_copy_words(size) : all[id][p->op].row;
  if (!s.fn || values->dtype != id)
    return HED_E_UNSUPPORTED;
  double work = 8;
  for (int32_t k = 0; k < values->ndim; k++)
    work *= (double)values->dim[k];
  if (work == 0)
    return HED_OK;
  for (int32_t k = 0; k < p->axes; k++)
    s.targets *= out->dim[k];
  hed_view to = hed__view_without(out, 0, p->axes), from = hed__view_without(values, 0, 1);
  hed__nest_init(&s.block, 2, (const hed_view *const[]){ &to, &from }, HED__NEST_REORDER);
  cpu_index_map_init(&s.map, out, 0, p->axes);
  if (s.block.ndim == 1 && s.block.dim[0] == 1 && s.map.axes == 1 && s.indices->stride[0] == sizeof(int64_t))
    s.list = p->op == HED_SCATTER_SET ? set_list[__builtin_ctzll((uint64_t)size)] : all[id][p->op].list;
  if (s.list) /* choosing one's own among single elements takes longer than doing them all */
    scatter_part(&s, 0, 1);
  else
    cpu_parallel_parts(call, s.targets, work, scatter_part, &s);
  return HED_OK;
}
