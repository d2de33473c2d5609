// SPDX-License-Identifier: BSD-3-Clause
/* Arrays that a model makes once for each memory space.
 *
 * Layer: L4, vsa kit. See internal.h.
 */
#include "kits/vsa/internal.h"
#include <string.h>

/* That of SPACE, or NULL; the first free slot in *SLOT, -1 when there is none. */
static hed_array *find(hed_vsa *v, int which, const char *space, int *slot)
{
  *slot = -1;
  for (int k = 0; k < HED__VSA_SPACES; k++) {
    hed_array *x = v->constant[which][k];
    if (!x) {
      *slot = k;
      return NULL;
    }
    if (strcmp(hed_array_space(x), space) == 0)
      return x;
  }
  return NULL;
}

const hed_array *hed__vsa_constant_of(const hed_vsa *v, hed__vsa_constant which, const char *space,
                                      hed_array *(*make)(const hed_vsa *v))
{
  hed_vsa *w = (hed_vsa *)v; /* what it holds is made late, but always the same */
  int slot;
  pthread_mutex_lock(&w->lock);
  hed_array *x = find(w, which, space, &slot);
  pthread_mutex_unlock(&w->lock);
  if (x)
    return x;
  hed_array *made = make(v);
  if (!made || hed_wait(made) != HED_OK) /* not pending: other threads will read it */
    return NULL;
  pthread_mutex_lock(&w->lock);
  x = find(w, which, hed_array_space(made), &slot);
  if (!x && slot >= 0)
    x = w->constant[which][slot] = hed_keep(made);
  pthread_mutex_unlock(&w->lock);
  return x ? x : made;
}
