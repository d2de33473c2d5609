// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in the slots of a scope. L2. See scope.h. */
#include "base/alloc.h"
#include "base/invariant.h"
#include "core/array/array.h"
#include "core/array/scope.h"

bool hed__scope_add(hed_array *x)
{
  hed__tls *t = hed__tls_peek();
  struct hed_scope_state_ *s = t ? t->scope : NULL;
  if (!s)
    return true;
  hed__scope_block *b = s->blocks;
  if (!b || b->used == (int)(sizeof b->slot / sizeof b->slot[0])) {
    if (!(b = hed__calloc(1, sizeof *b)))
      return false;
    b->next = s->blocks;
    s->blocks = b;
  }
  x->scope_slot = &b->slot[b->used++];
  *x->scope_slot = x;
  return true;
}

hed_array *hed_keep(hed_array *x)
{
  if (x && x->scope_slot) {
    HED__ASSERT(*x->scope_slot == x);
    *x->scope_slot = NULL;
    x->scope_slot = NULL;
  }
  return x;
}

hed__scope_mark hed__scope_now(const hed__tls *t)
{
  const hed__scope_block *b = t->scope ? t->scope->blocks : NULL;
  return (hed__scope_mark){ b, b ? b->used : 0 };
}

bool hed__scope_has(const hed__tls *t, hed__scope_mark mark, const hed_array *x)
{
  for (const hed__scope_block *b = t->scope ? t->scope->blocks : NULL; b && x->scope_slot; b = b->next) {
    const int first = b == mark.block ? mark.used : 0;
    if (x->scope_slot >= b->slot + first && x->scope_slot < b->slot + b->used)
      return true;
    if (b == mark.block)
      break;
  }
  return false;
}
