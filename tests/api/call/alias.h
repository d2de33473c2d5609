// SPDX-License-Identifier: BSD-3-Clause
/* Every alias row in every form, for a C and a C++ program: an alias has the type and the address of what it names. */
#ifndef HED_TESTS_API_ALIAS_H
#define HED_TESTS_API_ALIAS_H

#include "tap.h"
#include <heddle.h>

typedef void (*alias_fn)(void);
typedef struct alias_pair {
  const char *alias, *name;
  alias_fn a, b;
} alias_pair;

/* The assignment does not compile when the types differ. */
#define ALIAS_PAIR(alias, name)                                   \
  {                                                               \
    __typeof__(&hed_##name) typed = hed_##alias;                  \
    alias_pair pair = { #alias, #name, (alias_fn)typed, (alias_fn)hed_##name }; \
    pairs[n++] = pair;                                            \
  }
enum { ALIAS_MAX = 2000 };

/* All rows of the list; returns how many pairs there are. */
static inline int alias_pairs(alias_pair *pairs)
{
  int n = 0;
#define HED_ALIAS(alias, name) ALIAS_PAIR(alias, name)
#define HED_ALIAS_INTO(alias, name) ALIAS_PAIR(alias, name) ALIAS_PAIR(alias##_into, name##_into)
#define HED_ALIAS_BINARY(alias, name)                             \
  HED_ALIAS_INTO(alias, name)                                     \
  ALIAS_PAIR(alias##_scalar, name##_scalar)                       \
  ALIAS_PAIR(scalar_##alias, scalar_##name)                       \
  ALIAS_PAIR(alias##_scalar_into, name##_scalar_into)             \
  ALIAS_PAIR(scalar_##alias##_into, scalar_##name##_into)
#include <heddle/ops.def>
  return n;
}

static inline void alias_check(const char *language)
{
  static alias_pair pairs[ALIAS_MAX];
  volatile const alias_pair *p = pairs; /* the comparison is made at run time */
  int n = alias_pairs(pairs), wrong = 0;
  for (int k = 0; k < n; k++)
    if (p[k].a != p[k].b || !p[k].a) {
      diag("%s is not %s", p[k].alias, p[k].name);
      wrong++;
    }
  ok(n > 20 && wrong == 0, "%s: %d aliases are what they name", language, n);

  const double values[3] = { 0.25, -1, 0 };
  hed_array *x = hed_from_host(values, HED_SHAPE(3), HED_FLOAT64), *y = hed_asin(x), *z = hed_pow_scalar(x, 2);
  double a[3], b[3];
  is_int(hed_to_host(y, a, sizeof a), HED_OK, "%s: hed_asin", language);
  is_int(hed_atan_into(y, y), HED_OK, "%s: hed_atan_into", language);
  is_int(hed_scalar_remainder_into(y, 5, z), HED_OK, "%s: hed_scalar_remainder_into", language);
  hed_to_host(z, b, sizeof b);
  ok(b[0] == 0.0625 && b[1] == 1, "%s: hed_pow_scalar", language);
  is_near(a[0], 0.25268025514207865, 1e-15, 0, "%s: arcsin(1/4)", language);
  int64_t whole = 0;
  hed_array *i = hed_full_int(HED_SHAPE0, 16777217, HED_INT64), *j = hed_multiply_scalar(i, 3u), *k = hed_pow_scalar(i, 1.0);
  ok(hed_item_int(j, &whole) == HED_OK && whole == 50331651, "%s: an integer stays whole", language);
  ok(hed_array_dtype(j) == HED_INT64 && hed_array_dtype(k) == HED_FLOAT32, "%s: the number's type decides", language);
  hed_release(k);
  hed_release(j);
  hed_release(i);
  hed_release(z);
  hed_release(y);
  hed_release(x);
}

#endif
