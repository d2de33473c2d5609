// SPDX-License-Identifier: BSD-3-Clause
/* Other names of operations: as C functions, and as data. */
#include "api.h"
#include "alias.h"
#include <dlfcn.h>
#include <stdio.h>

static const struct { const char *alias, *name; } rows[] = {
#define HED_ALIAS(alias, name) { #alias, #name },
#include <heddle/ops.def>
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The symbols of both names, with something in front and behind, are one function. */
static bool same_symbol(const char *before, const char *alias, const char *name, const char *behind)
{
  char a[80], b[80];
  snprintf(a, sizeof a, "hed_%s%s%s", before, alias, behind);
  snprintf(b, sizeof b, "hed_%s%s%s", before, name, behind);
  const void *p = dlsym(RTLD_DEFAULT, a);
  return p && p == dlsym(RTLD_DEFAULT, b);
}

static void symbols(void)
{
  static const struct { const char *alias, *name; int forms; } list[] = {
#define HED_ALIAS(alias, name) { #alias, #name, 0 },
#define HED_ALIAS_INTO(alias, name) { #alias, #name, 1 },
#define HED_ALIAS_BINARY(alias, name) { #alias, #name, 2 },
#include <heddle/ops.def>
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    const char *a = list[k].alias, *n = list[k].name;
    bool good = same_symbol("", a, n, "");
    if (list[k].forms > 0)
      good = good && same_symbol("", a, n, "_into");
    if (list[k].forms > 1)
      good = good && same_symbol("", a, n, "_scalar") && same_symbol("scalar_", a, n, "") && same_symbol("", a, n, "_scalar_into") &&
             same_symbol("scalar_", a, n, "_into");
    ok(good, "hed_%s is found while the program runs", a);
  }
}

int main(void)
{
  alias_check("C");
  for (int k = 0; k < ROWS; k++) {
    int op = hed_op_by_name(rows[k].name), listed = 0;
    if (op < 0 || strcmp(hed_op_name(op), rows[k].name) != 0)
      fail("alias %s of %s, which is no operation", rows[k].alias, rows[k].name);
    if (hed_op_by_name(rows[k].alias) != op)
      fail("%s is found as %s", rows[k].alias, hed_op_name(hed_op_by_name(rows[k].alias)));
    for (int j = 0; hed_op_alias(op, j); j++)
      listed += strcmp(hed_op_alias(op, j), rows[k].alias) == 0;
    if (listed != 1)
      fail("%s is listed %d times among the aliases of %s", rows[k].alias, listed, rows[k].name);
    for (int j = 0; j < k; j++)
      if (strcmp(rows[j].alias, rows[k].alias) == 0)
        fail("%s names both %s and %s", rows[k].alias, rows[j].name, rows[k].name);
  }
  symbols();
  int all = 0;
  for (int op = 0; op < hed_op_count(); op++)
    for (int j = 0; hed_op_alias(op, j); j++)
      all++;
  is_int(all, ROWS, "every alias belongs to one operation");
  is_int(hed_op_by_name("asin"), HED_OP_ARCSIN, "asin is arcsin");
  is_str(hed_op_alias(HED_OP_ARCSIN, 0), "asin", "and arcsin has that alias");
  ok(!hed_op_alias(HED_OP_ARCSIN, 1) && !hed_op_alias(HED_OP_ARCSIN, -1), "and no other");
  ok(!hed_op_alias(HED_OP_WHERE, 0), "where has none");
  ok(!hed_op_alias(-1, 0) && !hed_op_alias(HED_OP_COUNT_, 0), "nor has what is no operation");
  done_testing();
  return done();
}
