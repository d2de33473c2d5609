// SPDX-License-Identifier: BSD-3-Clause
/* See mat_list.h.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/files/mat_list.h"
#include <stdio.h>
#include <string.h>

void hed__mat_list_add(hed__mat_list *l, const char *name, const char *class)
{
  enum { LONGEST = 64 }; /* of a name with its class */
  const size_t used = strlen(l->text), room = sizeof l->text - used;
  l->n++;
  if (room >= LONGEST)
    snprintf(l->text + used, room, "%s%.40s (%.16s)", used ? ", " : "", name, class);
  else if (strcmp(l->text + used - 2, "..") != 0)
    snprintf(l->text + used, room, ", ..");
}

hed_status hed__mat_list_expect(const hed__mat_list *l, const char *path, const char *name)
{
  if (l->n == 0)
    return hed_fail(HED_E_NOTFOUND, HED__MAT ": '%s' has no variables", path);
  if (!name && l->n > 1)
    return hed_fail(HED_E_INVAL, HED__MAT ": '%s' has %d variables, of which one has to be named: %s", path, l->n, l->text);
  return l->found ? HED_OK : hed_fail(HED_E_NOTFOUND, HED__MAT ": '%s' has no %s; it has %s", path, name, l->text);
}

void hed__mat_printable(char *name)
{
  for (; *name; name++)
    *name = (unsigned char)*name < ' ' || *name == 127 ? '?' : *name;
}

hed_status hed__mat_no_numbers(const char *path, const char *name, const char *class)
{
  return hed_fail(HED_E_DTYPE, HED__MAT ": '%s': %s is %s; real numbers, complex floats or logicals are expected", path, name, class);
}

hed_array *hed__mat_in_c_order(void *values, hed_shape s, hed_dtype t)
{
  int64_t strides[HED_MAX_NDIM], step = hed_dtype_size(t);
  hed_array *out = NULL;
  for (int k = 0; k < s.ndim; k++) {
    strides[k] = step;
    step *= s.dim[k] > 0 ? s.dim[k] : 1;
  }
  HED_SCOPE {
    hed_array *here = hed_wrap(values, s, strides, t, NULL, NULL), *there = here ? hed_to(here, hed_get_backend()) : NULL;
    out = there ? hed_keep(hed_copy(there)) : NULL;
    if (out && hed_wait(out) != HED_OK) { /* the values are the caller's again */
      hed_release(out);
      out = NULL;
    }
  }
  return out;
}
