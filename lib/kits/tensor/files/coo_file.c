// SPDX-License-Identifier: BSD-3-Clause
/* Tensors of few entries as lines of text (.tns).
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "base/cancel.h"
#include "base/regular.h"
#include "kits/tensor/coo.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 4096 };

/* Numbers in files have a point whatever the program's locale. */
typedef struct plain_numbers { locale_t mine, before; } plain_numbers;

static hed_status numbers_begin(plain_numbers *p, const char *op)
{
  p->mine = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!p->mine)
    return hed_fail(HED_E_NOMEM, "%s: no memory for a locale", op);
  p->before = uselocale(p->mine);
  return HED_OK;
}

static void numbers_end(plain_numbers *p)
{
  if (p->mine) {
    uselocale(p->before);
    freelocale(p->mine);
  }
}

/* The entries read so far. */
typedef struct list {
  hed_shape shape;    /* ndim 0: no line yet */
  int64_t n, room;
  int64_t *at;
  double *values;
} list;

static hed_status grow(list *l, const char *op)
{
  const int64_t room = l->room ? 2 * l->room : 1024;
  int64_t *at = realloc(l->at, (size_t)room * (size_t)l->shape.ndim * sizeof *at);
  l->at = at ? at : l->at;
  double *values = at ? realloc(l->values, (size_t)room * sizeof *values) : NULL;
  l->values = values ? values : l->values;
  if (!values)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %lld entries", op, (long long)room);
  l->room = room;
  return HED_OK;
}

/* The numbers of TEXT, at most HED_MAX_NDIM, as text; how many, or -1 where there are more. */
static int divide(char *text, char **part)
{
  int n = 0;
  for (char *rest = NULL, *p = strtok_r(text, " \t\r\n,", &rest); p; p = strtok_r(NULL, " \t\r\n,", &rest)) {
    if (n == HED_MAX_NDIM)
      return -1;
    part[n++] = p;
  }
  return n;
}

static hed_status take_line(list *l, const char *op, const char *path, int64_t number, char *text)
{
  char *part[HED_MAX_NDIM], *end = NULL;
  const int n = divide(text, part), axes = n - 1;
  if (n == 0 || (n > 0 && part[0][0] == '#'))
    return HED_OK;
  if (n < 2)
    return hed_fail(HED_E_FORMAT, "%s: '%s', line %lld: 1 to %d coordinates and a value are expected", op, path, (long long)number,
                    HED_MAX_NDIM - 1);
  if (l->shape.ndim == 0)
    l->shape.ndim = axes;
  if (axes != l->shape.ndim)
    return hed_fail(HED_E_FORMAT, "%s: '%s', line %lld: %d coordinates, where lines before have %d", op, path, (long long)number, axes,
                    (int)l->shape.ndim);
  hed_status status = l->n == l->room ? grow(l, op) : HED_OK;
  for (int k = 0; k < axes && status == HED_OK; k++) {
    errno = 0;
    const long long at = strtoll(part[k], &end, 10);
    if (*end || errno || at < 1)
      return hed_fail(HED_E_FORMAT, "%s: '%s', line %lld: coordinate '%.40s' is no number from 1", op, path, (long long)number,
                      part[k]);
    l->at[l->n * axes + k] = at - 1;
    l->shape.dim[k] = at > l->shape.dim[k] ? at : l->shape.dim[k];
  }
  if (status != HED_OK)
    return status;
  l->values[l->n] = strtod(part[axes], &end);
  if (*end || !isfinite(l->values[l->n]))
    return hed_fail(HED_E_FORMAT, "%s: '%s', line %lld: value '%.40s' is no finite number", op, path, (long long)number, part[axes]);
  l->n++;
  return HED_OK;
}

static hed_status read_lines(list *l, const char *op, const char *path, FILE *f)
{
  char line[LINE_ROOM];
  hed_status status = HED_OK;
  for (int64_t number = 1; status == HED_OK && fgets(line, sizeof line, f); number++)
    status = strchr(line, '\n') || feof(f) ? take_line(l, op, path, number, line)
                                          : hed_fail(HED_E_FORMAT, "%s: '%s', line %lld: longer than %d bytes, or not text", op, path,
                                                     (long long)number, LINE_ROOM - 2);
  if (status == HED_OK && ferror(f))
    status = hed_fail(HED_E_IO, "%s: '%s': %s", op, path, strerror(errno));
  if (status == HED_OK && l->n == 0)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no entry", op, path);
  return status;
}

hed_status hed_coo_load_tns(const char *path, hed_coo *out)
{
  HED__UNCANCELLED;
  static const char *const op = "hed_coo_load_tns";
  list l = { .n = 0 };
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  *out = (hed_coo){ 0 };
  const char *why = NULL;
  uint64_t bytes = 0;
  FILE *f = hed__regular_stream(path, &bytes, &why);
  if (!f)
    return hed_fail(HED_E_IO, "%s: cannot open '%s': %s", op, path, why);
  plain_numbers p = { 0 };
  hed_status status = numbers_begin(&p, op);
  if (status == HED_OK)
    status = read_lines(&l, op, path, f);
  numbers_end(&p);
  (void)fclose(f);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *at = hed_from_host(l.at, HED_SHAPE(l.n, l.shape.ndim), HED_INT64);
      hed_array *values = hed_from_doubles(l.values, HED_SHAPE(l.n), hed__tensor_wide(HED_FLOAT64));
      status = at && values ? hed_coo_from(l.shape, at, values, out) : hed_error();
    }
  free(l.at);
  free(l.values);
  return status;
}

hed_status hed_coo_save_tns(const char *path, const hed_coo *x)
{
  static const char *const op = "hed_coo_save_tns";
  hed_status status = hed__coo_check(op, x);
  if (status == HED_OK && !path)
    status = hed_fail(HED_E_INVAL, "%s: path is NULL", op);
  if (status == HED_OK && hed_dtype_kind(hed_array_dtype(x->values)) == HED_KIND_COMPLEX)
    status = hed_fail(HED_E_DTYPE, "%s: x is %s; the format has real values", op, hed_dtype_name(hed_array_dtype(x->values)));
  if (status != HED_OK)
    return status;
  const int64_t n = hed_array_size(x->values), axes = x->shape.ndim;
  int64_t *at = malloc((size_t)(n * axes > 0 ? n * axes : 1) * sizeof *at);
  double *values = malloc((size_t)(n > 0 ? n : 1) * sizeof *values);
  if (!at || !values)
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %lld entries", op, (long long)n);
  if (status == HED_OK)
    status = hed_to_host(x->indices, at, (size_t)(n * axes) * sizeof *at);
  if (status == HED_OK)
    status = hed_tolist(x->values, values, n);
  plain_numbers p = { 0 };
  if (status == HED_OK)
    status = numbers_begin(&p, op);
  hed_file *f = NULL;
  if (status == HED_OK)
    status = hed_file_create(op, path, &f);
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    for (int64_t k = 0; k < axes; k++)
      (void)hed_file_print(f, "%lld ", (long long)at[i * axes + k] + 1); /* a failure is kept */
    status = hed_file_print(f, "%.17g\n", values[i]);
  }
  status = hed_file_close(f, status);
  numbers_end(&p);
  free(at);
  free(values);
  return status;
}
