// SPDX-License-Identifier: BSD-3-Clause
/* The head of a .npy file: see npy_header.h. The dictionary is parsed by hand, by a reader that never looks beyond its
 * end and refuses whatever NumPy does not write. L3.
 */
#include "api/file/npy_header.h"

#include "base/dtype.h"
#include "base/shape.h"
#include <heddle/error.h>
#include <stdio.h>
#include <string.h>

/* ---- element types ---- */

static const struct { char kind; int size, id; } types[] = {
  { 'b', 1, HED_ID_BOOL },   { 'i', 1, HED_ID_INT8 },    { 'i', 2, HED_ID_INT16 },   { 'i', 4, HED_ID_INT32 },
  { 'i', 8, HED_ID_INT64 },  { 'u', 1, HED_ID_UINT8 },   { 'u', 2, HED_ID_UINT16 },  { 'u', 4, HED_ID_UINT32 },
  { 'u', 8, HED_ID_UINT64 }, { 'f', 2, HED_ID_FLOAT16 }, { 'f', 4, HED_ID_FLOAT32 }, { 'f', 8, HED_ID_FLOAT64 },
  { 'c', 8, HED_ID_COMPLEX64 }, { 'c', 16, HED_ID_COMPLEX128 },
};

/* Text, 'U' and a length, is numbers of Unicode along one more axis, the last (which in Fortran's order it cannot be). */
static hed_status read_descr(const char *op, const char *path, const char *s, size_t n, hed__npy *out)
{
  const char *whole = s;
  size_t length = n;
  char order = '=';
  if (n && strchr("<>=|", *s)) {
    order = *s++;
    n--;
  }
  int size = 0;
  char kind = n ? *s : 0;
  for (size_t k = 1; k < n && k < 10; k++)
    size = s[k] >= '0' && s[k] <= '9' && size >= 0 ? size * 10 + (s[k] - '0') : -1;
  if (kind == '?' && n == 1) {
    kind = 'b';
    size = 1;
  }
  if (kind == 'U' && n > 1 && n <= 10 && size >= 0 && order != '|' && out->shape.ndim < HED_MAX_NDIM &&
      !(out->fortran && out->shape.ndim > 1)) {
    out->shape.dim[out->shape.ndim++] = size;
    kind = 'u';
    n = 2;
    size = 4;
  }
  for (size_t k = 0; k < sizeof types / sizeof *types && n <= 3; k++)
    if (types[k].kind == kind && types[k].size == size) {
      if (size > 1 && order == '|')
        break;
      out->id = types[k].id;
      out->big = order == '>' || (order == '=' && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
      return HED_OK;
    }
  return hed_fail(HED_E_DTYPE, "%s: %s: elements are of type '%.*s', which Heddle does not have", op, path,
                  length > 40 ? 40 : (int)length, whole);
}

/* ---- the dictionary ---- */

typedef struct reader {
  const char *p, *end;
} reader;

static void blanks(reader *r)
{
  while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
    r->p++;
}

static bool take(reader *r, char c)
{
  blanks(r);
  if (r->p == r->end || *r->p != c)
    return false;
  r->p++;
  return true;
}

/* A quoted string without escapes. */
static bool string(reader *r, const char **s, size_t *n)
{
  blanks(r);
  if (r->p == r->end || (*r->p != '\'' && *r->p != '"'))
    return false;
  char quote = *r->p++;
  *s = r->p;
  while (r->p < r->end && *r->p != quote)
    if (*r->p++ == '\\')
      return false;
  if (r->p == r->end)
    return false;
  *n = (size_t)(r->p++ - *s);
  return true;
}

static bool word(reader *r, const char *w)
{
  size_t n = strlen(w);
  blanks(r);
  if ((size_t)(r->end - r->p) < n || memcmp(r->p, w, n) != 0)
    return false;
  r->p += n;
  return true;
}

/* (), (3,), (3, 4), with Python 2's "3L" allowed. */
static bool tuple(reader *r, hed_shape *s)
{
  s->ndim = 0;
  if (!take(r, '('))
    return false;
  bool comma = true;
  while (!take(r, ')')) {
    int64_t v = 0;
    int digits = 0;
    if (!comma || s->ndim == HED_MAX_NDIM)
      return false;
    blanks(r);
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++, digits++)
      if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *r->p - '0', &v))
        return false;
    if (digits == 0)
      return false;
    if (r->p < r->end && *r->p == 'L')
      r->p++;
    s->dim[s->ndim++] = v;
    comma = take(r, ',');
  }
  return true;
}

hed_status hed__npy_parse(const char *op, const char *path, const char *text, size_t n, hed__npy *out)
{
  reader r = { text, text + n };
  const char *key, *descr = NULL;
  size_t length, descr_length = 0;
  bool order = false, shape = false, comma = true;
  const char *wrong = "the head is not a dictionary of descr, fortran_order and shape";
  if (!take(&r, '{'))
    goto bad;
  while (!take(&r, '}')) {
    if (!comma || !string(&r, &key, &length) || !take(&r, ':'))
      goto bad;
    if (length == 5 && memcmp(key, "descr", 5) == 0 && !descr) {
      blanks(&r);
      if (r.p < r.end && *r.p == '[')
        return hed_fail(HED_E_DTYPE, "%s: %s: elements are records, which Heddle does not have", op, path);
      if (!string(&r, &descr, &descr_length)) {
        wrong = "descr is not a string";
        goto bad;
      }
    } else if (length == 13 && memcmp(key, "fortran_order", 13) == 0 && !order) {
      order = true;
      out->fortran = word(&r, "True");
      if (!out->fortran && !word(&r, "False")) {
        wrong = "fortran_order is neither True nor False";
        goto bad;
      }
    } else if (length == 5 && memcmp(key, "shape", 5) == 0 && !shape) {
      shape = true;
      if (!tuple(&r, &out->shape)) {
        wrong = "shape is not a tuple of at most 16 numbers";
        goto bad;
      }
    } else {
      wrong = "the head has an unknown or repeated key";
      goto bad;
    }
    comma = take(&r, ',');
  }
  blanks(&r);
  if (r.p != r.end || !descr || !order || !shape)
    goto bad;
  return read_descr(op, path, descr, descr_length, out);
bad:
  return hed_fail(HED_E_FORMAT, "%s: %s: %s", op, path, wrong);
}

int hed__npy_length_size(const char *op, const char *path, const unsigned char *magic)
{
  if (memcmp(magic, "\x93NUMPY", 6) != 0)
    return hed_fail(HED_E_FORMAT, "%s: %s: not a .npy file", op, path);
  if (magic[6] < 1 || magic[6] > 3)
    return hed_fail(HED_E_FORMAT, "%s: %s: version %d.%d is not 1 to 3", op, path, magic[6], magic[7]);
  return magic[6] == 1 ? 2 : 4;
}

int hed__npy_format(int id, const hed_shape *shape, char buf[1024])
{
  size_t k = 0;
  while (k < sizeof types / sizeof *types && types[k].id != id)
    k++;
  if (k == sizeof types / sizeof *types)
    return hed_fail(HED_E_DTYPE, "save_npy: x has dtype %s, for which the format has no name", hed__dtypes[id]->name);
  char *text = buf + 10;
  int n = snprintf(text, 128, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (", types[k].size > 1 ? '<' : '|',
                   types[k].kind, types[k].size);
  for (int j = 0; j < shape->ndim; j++)
    n += snprintf(text + n, 32, "%lld, ", (long long)shape->dim[j]);
  n += snprintf(text + n, 8, "), }");
  int total = (10 + n + 1 + 63) / 64 * 64;
  memset(text + n, ' ', (size_t)(total - 10 - n));
  buf[total - 1] = '\n';
  memcpy(buf, "\x93NUMPY\x01\x00", 8);
  buf[8] = (char)((total - 10) & 255);
  buf[9] = (char)((total - 10) >> 8);
  return total;
}
