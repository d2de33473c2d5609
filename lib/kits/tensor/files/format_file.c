// SPDX-License-Identifier: BSD-3-Clause
/* CP and Tucker tensors as .npz.
 *
 * Layer: L4, tensor kit. What is read is checked as an operand would be; the archive's reader guards sizes.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 24 };

/* Writes FIRST (weights or core, or NULL) and the factors, all under their names. */
static hed_status save(const char *path, const char *format, const char *first_name, hed_array *first, int order,
                       hed_array *const *factor)
{
  const char *names[HED_MAX_NDIM + 2];
  const hed_array *arrays[HED_MAX_NDIM + 2];
  char text[HED_MAX_NDIM][NAME_ROOM];
  hed_status status = HED_OK;
  int n = 0;
  HED_SCOPE_OR(return hed_error()) {
    names[n] = "format";
    arrays[n++] = hed_from_host(format, HED_SHAPE((int64_t)strlen(format)), HED_UINT8);
    if (first) {
      names[n] = first_name;
      arrays[n++] = first;
    }
    for (int k = 0; k < order; k++)
      if (factor[k]) {
        snprintf(text[k], sizeof text[k], "factor%d", k);
        names[n] = text[k];
        arrays[n++] = factor[k];
      }
    status = arrays[0] ? hed_save_npz(path, n, names, arrays, false) : hed_error();
  }
  return status;
}

static bool has(const hed_npz *z, const char *name)
{
  for (int k = 0; k < hed_npz_count(z); k++)
    if (strcmp(hed_npz_name(z, k), name) == 0)
      return true;
  return false;
}

/* Opens PATH, whose "format" has to be FORMAT. */
static hed_status open_as(const char *op, const char *path, const char *format, hed_npz **z)
{
  char text[16] = "";
  hed_status status = hed_npz_open(path, z);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *said = has(*z, "format") ? hed_npz_load(*z, "format") : NULL;
    status = said || !has(*z, "format") ? HED_OK : hed_error();
    const int64_t n = said && hed_array_dtype(said) == HED_UINT8 ? hed_array_size(said) : 0;
    if (n > 0 && n < (int64_t)sizeof text)
      status = hed_to_host(said, text, (size_t)n);
    if (status == HED_OK && strcmp(text, format) != 0)
      status = hed_fail(HED_E_FORMAT, "%s: '%s' holds no %s tensor: its array \"format\" is %s", op, path, format,
                        n ? "another" : "missing or no short text");
  }
  return status;
}

/* The array NAME of the archive, kept; NULL when it is not there, *STATUS when it cannot be read. */
static hed_array *load(hed_npz *z, const char *name, hed_status *status)
{
  hed_array *x = *status == HED_OK && has(z, name) ? hed_keep(hed_npz_load(z, name)) : NULL;
  if (*status == HED_OK && has(z, name) && !x)
    *status = hed_error();
  return x;
}

/* factor0, factor1, ..; the number of the last one and 1. */
static int load_factors(hed_npz *z, hed_array **factor, hed_status *status)
{
  int order = 0;
  for (int k = 0; k < HED_MAX_NDIM - 1; k++) {
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "factor%d", k);
    factor[k] = load(z, name, status);
    order = factor[k] ? k + 1 : order;
  }
  return order;
}

/* What a check says about arrays of a file is about its content. */
static hed_status of_content(hed_status status, const char *op, const char *path)
{
  char why[300];
  if (status == HED_OK || status == HED_E_NOMEM)
    return status;
  snprintf(why, sizeof why, "%s", hed_error_text());
  return hed_fail(HED_E_FORMAT, "%s: '%s': %s", op, path, why);
}

hed_status hed_cp_save(const char *path, const hed_cp *c)
{
  hed_status status = hed__cp_fits("hed_cp_save", c, NULL);
  return status == HED_OK ? save(path, "cp", "weights", c->weights, c->order, c->factor) : status;
}

hed_status hed_tucker_save(const char *path, const hed_tucker *t)
{
  hed_status status = hed_tucker_check(t);
  return status == HED_OK ? save(path, "tucker", "core", t->core, t->order, t->factor) : status;
}

hed_status hed_cp_load(const char *path, hed_cp *out)
{
  static const char *const op = "hed_cp_load";
  hed_npz *z = NULL;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_cp){ 0 };
  hed_status status = open_as(op, path, "cp", &z);
  hed_cp c = { 0 };
  c.weights = load(z, "weights", &status);
  c.order = load_factors(z, c.factor, &status);
  if (status == HED_OK) {
    c.rank = c.factor[0] && hed_array_ndim(c.factor[0]) == 2 ? hed_array_shape(c.factor[0]).dim[1] : 0;
    status = of_content(hed__cp_fits(op, &c, NULL), op, path);
  }
  hed_npz_close(z);
  if (status == HED_OK)
    *out = c;
  else
    hed_cp_clear(&c);
  return status;
}

hed_status hed_tucker_load(const char *path, hed_tucker *out)
{
  static const char *const op = "hed_tucker_load";
  hed_npz *z = NULL;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_tucker){ 0 };
  hed_status status = open_as(op, path, "tucker", &z);
  hed_tucker t = { 0 };
  t.core = load(z, "core", &status);
  const int factors = load_factors(z, t.factor, &status);
  if (status == HED_OK) {
    t.order = t.core ? hed_array_ndim(t.core) : 0;
    status = factors > t.order ? hed_fail(HED_E_FORMAT, "%s: '%s' has a factor %d for %d modes", op, path, factors - 1, (int)t.order)
                               : of_content(hed_tucker_check(&t), op, path);
  }
  hed_npz_close(z);
  if (status == HED_OK)
    *out = t;
  else
    hed_tucker_clear(&t);
  return status;
}
