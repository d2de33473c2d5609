// SPDX-License-Identifier: BSD-3-Clause
/* A plug-in's numbers of operations and ours. L2. See op_numbers.h. */
#include "core/ops/op_numbers.h"
#include "base/alloc.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = 8192 }; /* operations that a list may have: more is no list */

/* The words of LINES, with the memory for them, released by hed__free; *n is how many there are. */
static const char **split(const char *const *lines, uint32_t *n)
{
  size_t bytes = 0, words = 0;
  for (const char *const *l = lines; *l; l++) {
    bytes += strlen(*l) + 1;
    words++;
    for (const char *s = *l; *s; s++)
      words += *s == ' ';
  }
  const char **names = hed__malloc(words * sizeof *names + bytes);
  if (!names)
    return NULL;
  char *text = (char *)(names + words);
  *n = 0;
  for (const char *const *l = lines; *l; l++) {
    char *rest;
    const size_t line = strlen(*l) + 1;
    memcpy(text, *l, line);
    for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
      names[(*n)++] = w;
    text += line;
  }
  return names;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Are N NAMES there, each once? */
static hed_status check(const char *const *names, uint32_t n, char *why, size_t cap)
{
  for (uint32_t k = 0; k < n; k++)
    if (!names[k] || !*names[k]) {
      snprintf(why, cap, "op_names[%u] of %u is %s", k, n, names[k] ? "empty" : "NULL");
      return HED_E_ABI;
    }
  const char **sorted = hed__malloc(n * sizeof *sorted);
  if (!sorted) {
    snprintf(why, cap, "no memory for its list of operations");
    return HED_E_NOMEM;
  }
  memcpy(sorted, names, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, by_text);
  const char *twice = NULL;
  for (uint32_t k = 1; k < n && !twice; k++)
    twice = strcmp(sorted[k - 1], sorted[k]) == 0 ? sorted[k] : NULL;
  if (twice)
    snprintf(why, cap, "op_names has '%.60s' twice", twice);
  hed__free(sorted);
  return twice ? HED_E_ABI : HED_OK;
}

/* Lists are alike for long stretches, so the operation after the last one is tried before the others. An alias of ours is
 * the operation too, unless the plug-in has that by its name. */
static hed__numbers *match(const char *const *names, uint32_t n)
{
  hed__numbers *m = hed__malloc(sizeof *m + n * sizeof m->ours[0]);
  if (!m)
    return NULL;
  m->n = (int32_t)n;
  for (int op = 0; op < HED_OP_COUNT_; op++)
    m->theirs[op] = -1;
  int next = 0;
  for (uint32_t k = 0; k < n; k++) {
    int op = next < HED_OP_COUNT_ && strcmp(names[k], hed_op_name(next)) == 0 ? next : hed_op_by_name(names[k]);
    m->ours[k] = (int16_t)op;
    if (op < 0)
      continue;
    if (m->theirs[op] < 0 || strcmp(names[k], hed_op_name(op)) == 0)
      m->theirs[op] = (int16_t)k;
    next = op + 1;
  }
  return m;
}

hed__numbers *hed__numbers_make(const hed_plugin *p, hed_status *status, char *why, size_t cap)
{
  const bool named = p->abi_minor >= 3;
  uint32_t n = p->n_ops;
  const char **old = named ? NULL : split(hed__names_of_minor_2, &n);
  hed__numbers *m = NULL;
  *status = HED_E_ABI;
  if (named && (n == 0 || n > MOST_OPERATIONS))
    snprintf(why, cap, "n_ops is %u, 1 to %d is needed", n, MOST_OPERATIONS);
  else if (old && n != p->n_ops)
    snprintf(why, cap, "built for plug-in interface %u.%u with %u operations, which it numbers without giving their names; only "
             "the list of %u of that time is known here: build it again with these headers, op_names given",
             p->abi_major, p->abi_minor, p->n_ops, n);
  else if (named || old)
    *status = named ? check(p->op_names, n, why, cap) : HED_OK;
  if ((!named && !old) || (*status == HED_OK && !(m = match(named ? p->op_names : old, n)))) {
    *status = HED_E_NOMEM;
    snprintf(why, cap, "no memory for its list of operations");
  }
  hed__free(old);
  return m;
}
