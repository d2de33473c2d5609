// SPDX-License-Identifier: BSD-3-Clause
/* The state of an optimiser in an .npz archive.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/optimize/optimizer.h"
#include "kits/nn/entries.h"
#include <stdlib.h>

static int states(const hed_nn_optimizer *s)
{
  int n = 0;
  while (hed__nn_state_of(s, n, NULL))
    n++;
  return n;
}

static hed_status listed(const char *op, const hed_nn_optimizer *s, const char *path, int *n, const char ***names, hed_array ***arrays)
{
  if (!s || !path)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, s ? "path" : "the optimiser");
  *n = states(s);
  *names = hed__train_room(op, *n, sizeof **names);
  *arrays = hed__train_room(op, *n, sizeof **arrays);
  for (int k = 0; *names && *arrays && k < *n; k++)
    (*arrays)[k] = hed__nn_state_of(s, k, &(*names)[k]);
  return *names && *arrays ? HED_OK : hed_error();
}

hed_status hed_nn_optimizer_save(const hed_nn_optimizer *s, const char *path)
{
  const char **names = NULL;
  hed_array **arrays = NULL;
  int n = 0;
  hed_status status = listed("hed_nn_optimizer_save", s, path, &n, &names, &arrays);
  if (status == HED_OK)
    status = hed_save_npz(path, n, names, (const hed_array *const *)arrays, false);
  free(names);
  free(arrays);
  return status;
}

hed_status hed_nn_optimizer_load(hed_nn_optimizer *s, const char *path)
{
  const char **names = NULL;
  hed_array **arrays = NULL;
  int n = 0;
  hed_status status = listed("hed_nn_optimizer_load", s, path, &n, &names, &arrays);
  if (status == HED_OK)
    status = hed__train_read("hed_nn_optimizer_load", path, n, names, arrays);
  free(names);
  free(arrays);
  return status;
}
