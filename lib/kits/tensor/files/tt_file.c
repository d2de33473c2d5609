// SPDX-License-Identifier: BSD-3-Clause
/* Trains as .npz archives.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/train/train.h"
#include <stdio.h>

enum { NAME = 16 };

hed_status hed_tt_save(const char *path, const hed_tt *x)
{
  char name[HED_MAX_NDIM][NAME];
  const char *names[HED_MAX_NDIM];
  const hed_array *arrays[HED_MAX_NDIM];
  hed_status status = hed__tt_check("hed_tt_save", "x", x);
  if (status == HED_OK && !path)
    status = hed_fail(HED_E_INVAL, "hed_tt_save: path is NULL");
  if (status != HED_OK)
    return status;
  for (int k = 0; k < x->order; k++) {
    snprintf(name[k], NAME, "core%d", k);
    names[k] = name[k];
    arrays[k] = x->core[k];
  }
  return hed_save_npz(path, x->order, names, arrays, false);
}

hed_status hed_tt_load(const char *path, hed_tt *out)
{
  hed_npz *z = NULL;
  hed_tt t = { 0 };
  char name[NAME];
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "hed_tt_load: %s is NULL", path ? "out" : "path");
  *out = t;
  hed_status status = hed_npz_open(path, &z);
  if (status == HED_OK && (hed_npz_count(z) < 1 || hed_npz_count(z) > HED_MAX_NDIM))
    status = hed_fail(HED_E_FORMAT, "hed_tt_load: '%s' holds %d arrays; a train has 1 to %d cores", path, hed_npz_count(z),
                      HED_MAX_NDIM);
  for (int k = 0; status == HED_OK && k < hed_npz_count(z); k++) {
    snprintf(name, NAME, "core%d", k);
    t.core[k] = hed_keep(hed_npz_load(z, name));
    t.order = k + 1;
    status = t.core[k]                       ? HED_OK
             : hed_error() == HED_E_NOTFOUND ? hed_fail(HED_E_FORMAT, "hed_tt_load: '%s' holds no %s", path, name)
                                             : hed_error();
  }
  hed_npz_close(z);
  if (status == HED_OK && hed__tt_check("hed_tt_load", path, &t) != HED_OK) {
    char why[400];
    snprintf(why, sizeof why, "%s", hed_error_text());
    status = hed_fail(HED_E_FORMAT, "%s", why);
  }
  if (status != HED_OK)
    hed_tt_clear(&t);
  *out = t;
  return status;
}
