// SPDX-License-Identifier: BSD-3-Clause
/* Scopes of arrays: their beginning and their end. L2. */
#include "core/scope.h"
#include "base/alloc.h"
#include "core/array.h"

hed_status hed_scope_begin(hed_scope *out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "scope: out is NULL");
  *out = (hed_scope){ 0, NULL };
  hed__tls *t = hed__tls_get();
  struct hed_scope_state_ *s = t ? hed__calloc(1, sizeof *s) : NULL;
  if (!s)
    return hed_fail(HED_E_NOMEM, "scope: no memory");
  s->outer = t->scope;
  s->cookie = t->next_cookie++;
  t->scope = s;
  *out = (hed_scope){ .cookie = s->cookie, .state = s };
  return HED_OK;
}

static void drop(struct hed_scope_state_ *s)
{
  for (hed__scope_block *b = s->blocks, *next; b; b = next) {
    next = b->next;
    for (int i = b->used; i-- > 0;) {
      hed_array *x = b->slot[i];
      if (x) {
        x->scope_slot = NULL;
        hed_release(x);
      }
    }
    hed__free(b);
  }
  hed__free(s);
}

void hed_scope_end(hed_scope *s)
{
  hed__tls *t = hed__tls_peek();
  if (!s || !s->cookie)
    return;
  bool found = false; /* ended by another thread, or ended already: nothing of it is touched */
  if (t)
    for (struct hed_scope_state_ *q = t->scope; q; q = q->outer)
      found |= q == s->state && q->cookie == s->cookie;
  while (found && t->scope) {
    struct hed_scope_state_ *top = t->scope;
    t->scope = top->outer;
    found = top != s->state;
    drop(top);
  }
  *s = (hed_scope){ 0, NULL };
}

void hed__scope_drop_all(hed__tls *t)
{
  while (t->scope) {
    struct hed_scope_state_ *top = t->scope;
    t->scope = top->outer;
    drop(top);
  }
}
