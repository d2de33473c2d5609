// SPDX-License-Identifier: BSD-3-Clause
/* Numbers of operations matched by name: the list of interface 1.2, lists with rows less, more, elsewhere, under an alias;
 * lists that are none. L5, with internals. */
#include "core/ops/op_numbers.h"
#include "base/alloc.h"
#include "tap.h"
#include <heddle.h>
#include <stdlib.h>
#include <string.h>

/* What the list of 1.2 was when it was current, each name followed by a space: how many, and their FNV-1a hash. */
enum { COUNT_2 = 432 };
#define HASH_2 0xdc5a2af3681bd0dfull

static void test_old_list(void)
{
  uint64_t hash = 0xcbf29ce484222325ull;
  int count = 0, bad = 0;
  for (const char *const *line = hed__names_of_minor_2; *line; line++) {
    bad += !**line || **line == ' ';
    for (const char *s = *line;; s++) {
      hash = (hash ^ (unsigned char)(*s ? *s : ' ')) * 0x100000001b3ull;
      count += !*s || *s == ' ';
      bad += *s == ' ' && (s[1] == ' ' || !s[1]);
      if (!*s)
        break;
    }
  }
  is_int(bad, 0, "the list of 1.2 has one space between names");
  is_int(count, COUNT_2, "as many names as there were");
  ok(hash == HASH_2, "the same ones (%#llx)", (unsigned long long)hash);
}

static hed__numbers *make(uint32_t minor, uint32_t n, const char *const *names, hed_status *status, char *why)
{
  const hed_plugin p = { .struct_size = sizeof p, .abi_major = HED_ABI_MAJOR, .abi_minor = minor, .n_ops = n,
                         .op_names = names };
  *why = 0;
  return hed__numbers_make(&p, status, why, 400);
}

/* Every name of ours that LIST has, at its place there, and back. */
static void agrees(const hed__numbers *m, int n, const char *const *list, const char *what)
{
  int wrong = 0;
  for (int op = 0; op < HED_OP_COUNT_; op++) {
    int at = -1;
    for (int k = 0; k < n; k++)
      at = strcmp(list[k], hed_op_name(op)) == 0 ? k : at;
    wrong += m->theirs[op] != at || (at >= 0 && hed__numbers_ours(m, at) != op);
  }
  is_int(wrong, 0, "%s: every number there and back", what);
  ok(hed__numbers_ours(m, -1) == -1 && hed__numbers_ours(m, n) == -1, "%s: a number that is none", what);
}

static void test_lists(void)
{
  static const char *list[HED_OP_COUNT_ + 2];
  char why[400];
  hed_status s;
  for (int op = 0; op < HED_OP_COUNT_; op++)
    list[op] = hed_op_name(op);
  hed__numbers *m = make(3, HED_OP_COUNT_, list, &s, why);
  agrees(m, HED_OP_COUNT_, list, "the same list");
  hed__free(m);
  m = make(3, HED_OP_COUNT_ - 1, list + 1, &s, why);
  agrees(m, HED_OP_COUNT_ - 1, list + 1, "without the first row");
  hed__free(m);
  for (int k = 0; k < HED_OP_COUNT_; k++)
    list[k] = hed_op_name(HED_OP_COUNT_ - 1 - k);
  m = make(3, HED_OP_COUNT_, list, &s, why);
  agrees(m, HED_OP_COUNT_, list, "backwards");
  hed__free(m);
  list[0] = "new first";
  for (int op = 0; op < HED_OP_COUNT_; op++)
    list[op + 1] = hed_op_name(op);
  list[HED_OP_COUNT_ + 1] = "new last";
  m = make(3, HED_OP_COUNT_ + 2, list, &s, why);
  agrees(m, HED_OP_COUNT_ + 2, list, "with new rows");
  hed__free(m);

  m = make(3, 3, (const char *const[]){ "remainder", "add", "pow" }, &s, why);
  ok(m && m->theirs[HED_OP_MOD] == 0 && m->theirs[HED_OP_POWER] == 2 && hed__numbers_ours(m, 0) == HED_OP_MOD,
     "an alias of ours is the operation");
  hed__free(m);
  m = make(3, 3, (const char *const[]){ "power", "add", "pow" }, &s, why);
  ok(m && m->theirs[HED_OP_POWER] == 0 && hed__numbers_ours(m, 2) == HED_OP_POWER, "unless it is there by its name too");
  hed__free(m);
}

static void refused(uint32_t minor, uint32_t n, const char *const *names, const char *reason)
{
  char why[400];
  hed_status s = HED_OK;
  ok(!make(minor, n, names, &s, why) && s == HED_E_ABI, "minor %u, %u operations: refused", minor, n);
  has_str(why, reason, "with the reason");
}

static void test_refusals(void)
{
  const char *const names[] = { "add", "mod", NULL, "exp", "add", "" };
  refused(3, 0, names, "n_ops is 0");
  refused(3, 1000000000, names, "n_ops is 1000000000, 1 to 8192");
  refused(3, 4, names, "op_names[2] of 4 is NULL");
  refused(3, 1, names + 5, "op_names[0] of 1 is empty");
  refused(3, 2, (const char *const[]){ "add", "add" }, "'add' twice");
  refused(3, 3, (const char *const[]){ "of nobody", "add", "of nobody" }, "'of nobody' twice");
  refused(2, COUNT_2 - 1, NULL, "with 431 operations");
  refused(1, COUNT_2 + 1, NULL, "list of 432 of that time");
  char why[400];
  hed_status s;
  hed__numbers *m = make(2, COUNT_2, NULL, &s, why);
  ok(m && m->n == COUNT_2 && m->ours[0] == HED_OP_NEGATIVE && m->theirs[HED_OP_NEGATIVE] == 0, "1.2 with its list");
  hed__free(m);
}

static void test_no_memory(void)
{
  static const char *const one[] = { "add" };
  char why[400];
  for (uint32_t minor = 2; minor <= 3; minor++) {
    int failed = 0;
    hed_status s = HED_E_NOMEM;
    for (uint64_t k = 1; s == HED_E_NOMEM; k++) {
      const int64_t live = hed_test_alloc_live();
      hed_test_fail_alloc_at(k);
      hed__numbers *m = make(minor, minor == 2 ? COUNT_2 : 1, one, &s, why);
      hed_test_fail_alloc_at(0);
      failed += !m;
      ok(m ? s == HED_OK : s == HED_E_NOMEM && *why, "minor %u, allocation %d fails", minor, (int)k);
      hed__free(m);
      is_int(hed_test_alloc_live() - live, 0, "and nothing is left");
    }
    is_int(failed, 2, "each of two is needed");
  }
}

int main(void)
{
  test_old_list();
  test_lists();
  test_refusals();
  test_no_memory();
  return done();
}
