// SPDX-License-Identifier: BSD-3-Clause
/* The first launch of reductions: states of parts (args_reduce.h). L1. Which family it is of says, before:
 *
 *   INPUTS, HERE               what the kernels take besides states; what comes first in them: const hed__reduce_args args
 *   LINE, ELEMENT(r), NEXT(r)  of the elements of result (a, c): what is the same for all; the one at r, NEXT in C order
 *   ROW(r), COLUMN(l, s, r)    of the elements at r: what is the same for all; the one of result (a, c + l), S apart
 *   FOUR_AT(four, r), ONE_OF(four, k), IS_WIDE(begin)   four elements from r on, one of them, and where there are such from BEGIN
 *   AUX                        the address for contexts
 *   KEEP(i, s)                 writes the state S where number I is
 */
/* A part of r: from element BEGIN to END. */
#define PART                                                                                                           \
  const i64 begin = part * args.chunk, end = begin + args.chunk < args.n[1] ? begin + args.chunk : args.n[1];

/* Which part of which result unit NUMBER of the launch makes. */
#define UNIT(number)                                                                                                   \
  HERE                                                                                                                 \
  const i64 unit = number, part = unit % args.parts, rest = unit / args.parts;                                         \
  const i64 c = rest % args.n[2], a = rest / args.n[2];
/* What a unit has before its first element. */
#define BEGIN(name)                                                                                                    \
  PART                                                                                                                 \
  const name##context context = name##context_of(&args, a, c, AUX);                                                    \
  LINE

/* What the items of a group have, joined in tree[0]. */
#define TREE(name)                                                                                                     \
  for (int32_t apart = BLOCK / 2; apart > 0; apart /= 2) {                                                             \
    BARRIER();                                                                                                         \
    if (LANE < apart) {                                                                                                \
      name##state mine = tree[LANE];                                                                                   \
      const name##state theirs = tree[LANE + apart];                                                                   \
      name##merge(&mine, theirs);                                                                                      \
      tree[LANE] = mine;                                                                                               \
    }                                                                                                                  \
  }                                                                                                                    \
  BARRIER();

/* An item per part, for short ones. */
#define SHORT(name)                                                                                                    \
  KERNEL name##short(PTR(name##state, states), INPUTS)                                                                 \
  {                                                                                                                    \
    UNIT(ITEM_X)                                                                                                       \
    if (a < args.n[0]) {                                                                                               \
      BEGIN(name)                                                                                                      \
      name##state s = name##begin();                                                                                   \
      for (i64 r = begin; r < end; r++)                                                                                \
        name##step(&s, ELEMENT(r), r, context);                                                                        \
      KEEP((a * args.parts + part) * args.n[2] + c, s)                                                                 \
    }                                                                                                                  \
  }

#ifdef DEVICE_CPU
enum { LANES = 16 };
/* With PoCL means of columns take a third of the time, sums two thirds. Powers would take long to compile. */
#ifdef HED_ROW_VECTOR_NORM
#define UNROLL
#else
#define UNROLL _Pragma("unroll")
#endif
/* A part as one state, ALL, by BY(name). */
#define INNER_BY(name, by)                                                                                             \
  KERNEL name##inner(PTR(name##state, states), INPUTS)                                                                 \
  {                                                                                                                    \
    UNIT(ITEM_X)                                                                                                       \
    if (a < args.n[0]) {                                                                                               \
      BEGIN(name)                                                                                                      \
      name##state all = name##begin();                                                                                 \
      i64 r = begin;                                                                                                   \
      by(name)                                                                                                         \
      KEEP((a * args.parts + part) * args.n[2] + c, all)                                                               \
    }                                                                                                                  \
  }
#define BY_LANES(name)                                                                                                 \
  name##state s[LANES];                                                                                                \
  for (int32_t l = 0; l < LANES; l++)                                                                                  \
    s[l] = name##begin();                                                                                              \
  if (args.stride[1] == 1)                                                                                             \
    for (; r + LANES <= end; r += LANES)                                                                               \
      UNROLL                                                                                                           \
      for (int32_t l = 0; l < LANES; l++)                                                                              \
        name##step(&s[l], NEXT(r + l), r + l, context);                                                                \
  for (; r < end; r++)                                                                                                 \
    name##step(&s[(r - begin) % LANES], ELEMENT(r), r, context);                                                       \
  for (int32_t half_lanes = LANES / 2; half_lanes > 0; half_lanes /= 2)                                                \
    for (int32_t l = 0; l < half_lanes; l++)                                                                           \
      name##merge(&s[l], s[l + half_lanes]);                                                                           \
  all = s[0];
#define INNER(name) INNER_BY(name, BY_LANES)
#define COLUMNS(name)                                                                                                  \
  KERNEL name##columns(PTR(name##state, states), INPUTS)                                                               \
  {                                                                                                                    \
    HERE                                                                                                               \
    const i64 c = ITEM_X * HED__REDUCE_COLUMNS, part = GROUP_Y, a = GROUP_Z;                                           \
    if (c < args.n[2]) {                                                                                               \
      PART                                                                                                             \
      const int32_t columns = c + HED__REDUCE_COLUMNS < args.n[2] ? HED__REDUCE_COLUMNS : (int32_t)(args.n[2] - c);    \
      name##state s[HED__REDUCE_COLUMNS];                                                                              \
      name##context context[HED__REDUCE_COLUMNS];                                                                      \
      for (int32_t l = 0; l < columns; l++) {                                                                          \
        s[l] = name##begin();                                                                                          \
        context[l] = name##context_of(&args, a, c + l, AUX);                                                           \
      }                                                                                                                \
      for (i64 r = begin; r < end; r++) {                                                                              \
        ROW(r)                                                                                                         \
        if (columns == HED__REDUCE_COLUMNS && args.stride[2] == 1)                                                     \
          UNROLL                                                                                                       \
          for (int32_t l = 0; l < HED__REDUCE_COLUMNS; l++)                                                            \
            name##step(&s[l], COLUMN(l, 1, r), r, context[l]);                                                         \
        else                                                                                                           \
          for (int32_t l = 0; l < columns; l++)                                                                        \
            name##step(&s[l], COLUMN(l, args.stride[2], r), r, context[l]);                                            \
      }                                                                                                                \
      for (int32_t l = 0; l < columns; l++)                                                                            \
        KEEP((a * args.parts + part) * args.n[2] + c + l, s[l])                                                        \
    }                                                                                                                  \
  }
#else
#define STEPS(name, four, r)                                                                                           \
  for (int32_t k = 0; k < 4; k++)                                                                                      \
    name##step(&s, ONE_OF(four, k), (r) + k, context);
#define INNER(name)                                                                                                    \
  KERNEL name##inner(PTR(name##state, states), INPUTS)                                                                 \
  {                                                                                                                    \
    LOCAL(name##state, tree, BLOCK);                                                                                   \
    UNIT(GROUP_X)                                                                                                      \
    BEGIN(name)                                                                                                        \
    name##state s = name##begin();                                                                                     \
    i64 r = begin + LANE;                                                                                              \
    if (IS_WIDE(begin)) {                                                                                              \
      for (r = begin + 4 * LANE; r + 4 * BLOCK + 4 <= end; r += 8 * BLOCK) {                                           \
        FOUR_AT(first, r)                                                                                              \
        FOUR_AT(second, r + 4 * BLOCK)                                                                                 \
        STEPS(name, first, r)                                                                                          \
        STEPS(name, second, r + 4 * BLOCK)                                                                             \
      }                                                                                                                \
      if (r + 4 <= end) {                                                                                              \
        FOUR_AT(last, r)                                                                                               \
        STEPS(name, last, r)                                                                                           \
      }                                                                                                                \
      r = end - (end - begin) % 4 + LANE;                                                                              \
    }                                                                                                                  \
    for (; r < end; r += BLOCK)                                                                                        \
      name##step(&s, ELEMENT(r), r, context);                                                                          \
    tree[LANE] = s;                                                                                                    \
    TREE(name)                                                                                                         \
    if (LANE == 0)                                                                                                     \
      KEEP((a * args.parts + part) * args.n[2] + c, tree[0])                                                           \
  }
#define COLUMNS(name)                                                                                                  \
  KERNEL name##columns(PTR(name##state, states), INPUTS)                                                               \
  {                                                                                                                    \
    HERE                                                                                                               \
    const i64 c = ITEM_X, part = GROUP_Y, a = GROUP_Z;                                                                 \
    if (c < args.n[2]) {                                                                                               \
      PART                                                                                                             \
      const name##context context = name##context_of(&args, a, c, AUX);                                                \
      name##state s = name##begin();                                                                                   \
      for (i64 r = begin; r < end; r++) {                                                                              \
        ROW(r)                                                                                                         \
        name##step(&s, COLUMN(0, 1, r), r, context);                                                                   \
      }                                                                                                                \
      KEEP((a * args.parts + part) * args.n[2] + c, s)                                                                 \
    }                                                                                                                  \
  }
#endif

#define FIRST(name) SHORT(name) INNER(name) COLUMNS(name)

