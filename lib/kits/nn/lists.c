// SPDX-License-Identifier: BSD-3-Clause
/* See lists.h.
 *
 * Layer: L4, nn kit.
 */
#include "base/invariant.h"
#include "kits/nn/lists.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool of_kind(const char *op, const char *name, const hed_array *x, bool whole_too)
{
  if (!hed__operand_given(op, name, x))
    return false;
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  const bool fits = kind == HED_KIND_FLOAT || (whole_too && kind != HED_KIND_COMPLEX);
  if (!fits)
    (void)hed_fail(HED_E_DTYPE, "%s: %s is %s, not %s", op, name, hed_dtype_name(hed_array_dtype(x)),
                   whole_too ? "real" : "a real float type");
  return fits;
}

bool hed__train_float(const char *op, const char *name, const hed_array *x) { return of_kind(op, name, x, false); }

bool hed__train_real(const char *op, const char *name, const hed_array *x) { return of_kind(op, name, x, true); }

bool hed__train_fits(const char *op, const char *name, const hed_array *x, const char *other, const hed_array *y)
{
  char has[HED__SHAPE_WORDS], wants[HED__SHAPE_WORDS];
  if (!hed__operand_given(op, name, x) || !hed__operand_given(op, other, y))
    return false;
  if (hed__same_shape(hed_array_shape(x), hed_array_shape(y)))
    return true;
  (void)hed_fail(HED_E_SHAPE, "%s: %s has shape %s, %s %s", op, name, hed__shape_words(hed_array_shape(x), has), other,
                 hed__shape_words(hed_array_shape(y), wants));
  return false;
}

hed_array *hed__train_same(const hed_array *x) { return x ? hed_astype(x, hed_array_dtype(x)) : NULL; }

hed_array *hed__train_out(hed_array *kept)
{
  hed_array *out = hed__train_same(kept);
  hed_release(kept);
  return out;
}

const char *hed__train_home(const hed_array *x)
{
  const char *space = hed_array_space(x);
  return strcmp(space, "host") == 0 ? "reference" : space;
}

hed_dtype hed__train_wide(void) { return hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32; }

void *hed__train_room(const char *op, int64_t n, size_t size)
{
  HED__ASSERT(size > 0);
  void *room = n < 0 || (uint64_t)n >= SIZE_MAX / 2 / size ? NULL : calloc((size_t)n + 1, size);
  if (!room)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %lld elements", op, (long long)n);
  return room;
}

/* X as T in host memory, where the device may have no such type. */
static void *on_host(const hed_array *x, hed_dtype t)
{
  void *out = NULL;
  HED_SCOPE {
    hed_array *host = hed_to(x, "reference"), *wide = NULL;
    if (host)
      HED_BACKEND_CONTEXT("reference") wide = hed_astype(host, t);
    const size_t bytes = hed_array_nbytes(wide);
    if (wide && !(out = malloc(bytes + 1)))
      (void)hed_fail(HED_E_NOMEM, "no memory for %lld elements on the host", (long long)hed_array_size(x));
    if (out && hed_to_host(wide, out, bytes) != HED_OK) {
      free(out);
      out = NULL;
    }
  }
  return out;
}

double *hed__train_doubles(const hed_array *x) { return on_host(x, HED_FLOAT64); }

int64_t *hed__train_integers(const hed_array *x) { return on_host(x, HED_INT64); }

hed_status hed__train_samples(const char *op, const char *what, int m, const hed_array *const *x, int64_t *samples)
{
  for (int k = 0; k < m; k++) {
    if (!hed__operand_given(op, what, x[k]))
      return hed_error();
    const int64_t n = hed_array_ndim(x[k]) > 0 ? hed_array_shape(x[k]).dim[0] : -1;
    if (n < 1)
      return hed_fail(HED_E_SHAPE, "%s: array %d of the %s has no samples", op, k, what);
    if (k > 0 && n != *samples)
      return hed_fail(HED_E_SHAPE, "%s: array %d of the %s has %lld samples, the first one %lld", op, k, what, (long long)n,
                      (long long)*samples);
    *samples = n;
  }
  return HED_OK;
}

int hed__train_named(const char *op, const char *what, const char *name, int n, const char *(*list)(int k))
{
  char known[400] = "";
  size_t at = 0;
  for (int k = 0; name && k < n; k++)
    if (strcmp(name, list(k)) == 0)
      return k;
  for (int k = 0; k < n && at < sizeof known; k++)
    at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", k ? ", " : "", list(k));
  if (!name)
    (void)hed_fail(HED_E_INVAL, "%s: the name of the %s is NULL", op, what);
  else
    (void)hed_fail(HED_E_NOTFOUND, "%s: no %s \"%s\"; known are %s", op, what, name, known);
  return -1;
}
