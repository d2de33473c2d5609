// SPDX-License-Identifier: BSD-3-Clause
/* Scopes of arrays: their beginning and their end. L2. */
#include "core/array/scope.h"
#include "base/alloc.h"
#include "base/invariant.h"
#include "core/array/array.h"

hed_status hed_scope_begin(hed_scope *out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "scope: out is NULL");
  *out = (hed_scope){ 0, NULL };
  hed__tls *t = hed__tls_get();
  const int level = t && t->scope ? t->scope->level + 1 : 0;
  hed__scope_state *s = !t ? NULL : level < HED__SCOPES ? &t->scopes[level] : hed__calloc(1, sizeof *s);
  if (!s)
    return hed_fail(HED_E_NOMEM, "scope: no memory");
  *s = (hed__scope_state){ .outer = t->scope, .cookie = t->next_cookie++, .level = level };
  t->scope = s;
  *out = (hed_scope){ .cookie = s->cookie, .state = s };
  return HED_OK;
}

static void drop(hed__scope_state *s)
{
  for (hed__scope_block *b = s->blocks, *next; b; b = next) {
    next = b->next;
    for (int i = b->used; i-- > 0;) {
      hed_array *x = b->slot[i];
      if (x) {
        HED__ASSERT(x->scope_slot == &b->slot[i]);
        x->scope_slot = NULL;
        hed_release(x);
      }
    }
    hed__free(b);
  }
  if (s->level >= HED__SCOPES)
    hed__free(s);
}

void hed_scope_end(hed_scope *s)
{
  hed__tls *t = hed__tls_peek();
  if (!s || !s->cookie)
    return;
  bool found = false; /* ended by another thread, or ended already: nothing of it is touched */
  if (t)
    for (hed__scope_state *q = t->scope; q; q = q->outer)
      found |= q == s->state && q->cookie == s->cookie;
  while (found && t->scope) {
    hed__scope_state *top = t->scope;
    t->scope = top->outer;
    found = top != s->state;
    drop(top);
  }
  *s = (hed_scope){ 0, NULL };
}

void hed__scope_drop_all(hed__tls *t)
{
  while (t->scope) {
    hed__scope_state *top = t->scope;
    t->scope = top->outer;
    drop(top);
  }
}

void hed__scope_refuse(const hed__tls *t, hed__scope_mark mark, int n, hed_array **x)
{
  for (int j = 0; j < n; j++) {
    bool again = false;
    for (int i = 0; i < j && !again; i++)
      again = x[i] == x[j];
    if (x[j] && hed__scope_has(t, mark, x[j]) && (!again || hed__refs(x[j]) < 2))
      continue;
    hed_release(x[j]);
  }
  for (int j = 0; j < n; j++)
    x[j] = NULL;
}
