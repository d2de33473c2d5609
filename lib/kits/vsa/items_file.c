// SPDX-License-Identifier: BSD-3-Clause
/*
 * items_file.c: item memories in .npz archives.
 *
 * Layer: L4, vsa kit. Files are hostile: what an array says of another one is checked before it is believed.
 */
#include "kits/vsa/items.h"
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

/* ---- out ---- */

/* All labels, one after the other, and where each ends. */
static hed_status label_arrays(const hed_vsa_items *s, hed_array **bytes, hed_array **ends)
{
  size_t total = 0, at = 0;
  for (int64_t i = 0; i < s->n; i++)
    total += strlen(s->label[i]);
  char *text = malloc(total + 1);
  int64_t *end = malloc((size_t)(s->n + 1) * sizeof *end);
  if (text && end) {
    for (int64_t i = 0; i < s->n; i++) {
      const size_t length = strlen(s->label[i]);
      memcpy(text + at, s->label[i], length);
      end[i] = (int64_t)(at += length);
    }
    *bytes = hed_from_host(text, HED_SHAPE((int64_t)total), HED_UINT8);
    *ends = hed_from_host(end, HED_SHAPE(s->n), HED_INT64);
  } else
    (void)hed_fail(HED_E_NOMEM, "hed_vsa_items_save: no memory for labels");
  free(text);
  free(end);
  return text && end && *bytes && *ends ? HED_OK : hed_error();
}

hed_status hed_vsa_items_save(const hed_vsa_items *s, const char *path)
{
  const char *const names[] = { "format_version", "model", "dim", "seed", "labels", "label_ends", "matrix" };
  const int64_t version = VERSION;
  char model[HED__VSA_TEXT];
  hed_status status = HED_OK;
  if (!s || !path)
    return hed_fail(HED_E_INVAL, "hed_vsa_items_save: %s is NULL", s ? "path" : "the memory");
  hed__vsa_text(s->v, model);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *x[7] = { hed_from_host(&version, HED_SHAPE0, HED_INT64),
                        hed_from_host(model, HED_SHAPE((int64_t)strlen(model)), HED_UINT8),
                        hed_from_host(&s->v->o.dim, HED_SHAPE0, HED_INT64),
                        hed_from_host(&s->v->o.seed, HED_SHAPE0, HED_UINT64) };
    status = label_arrays(s, &x[4], &x[5]);
    x[6] = s->n ? hed_slice(s->vectors, 1, &HED_RANGE(0, s->n, 1))
                : hed_zeros(hed__vsa_joined(HED_SHAPE(0), s->v->shape), s->v->dtype);
    for (int k = 0; k < 7; k++)
      status = status == HED_OK && !x[k] ? hed_error() : status;
    if (status == HED_OK)
      status = hed_save_npz(path, 7, names, (const hed_array *const *)x, false);
  }
  return status;
}

/* ---- in ---- */

static hed_status wrong(const char *path, const char *name, const char *what)
{
  return hed_fail(HED_E_FORMAT, "hed_vsa_items_load: %s: %s %s", path, name, what);
}

/* The member NAME, a vector of T, in memory of its own; *N elements, and a zero byte behind them. */
static hed_status member(hed_npz *z, const char *path, const char *name, hed_dtype t, void **out, int64_t *n)
{
  hed_status status = HED_OK;
  *out = NULL;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *x = hed_npz_load(z, name);
    const size_t bytes = hed_array_nbytes(x);
    if (!x)
      status = hed_error();
    else if (hed_array_dtype(x) != t || hed_array_ndim(x) > 1)
      status = wrong(path, name, "is no vector of the right dtype");
    else if (!(*out = calloc(bytes + 1, 1)))
      status = hed_fail(HED_E_NOMEM, "hed_vsa_items_load: no memory for %s", name);
    else
      status = hed_to_host(x, *out, bytes);
    *n = hed_array_size(x);
  }
  if (status != HED_OK) {
    free(*out);
    *out = NULL;
  }
  return status;
}

/* Text of N bytes without a zero byte, as UTF-8 is written: no stray, missing or overlong bytes, no surrogates. */
static bool is_utf8(const unsigned char *s, int64_t n)
{
  for (int64_t i = 0; i < n;) {
    const int more = s[i] < 0x80 ? 0 : s[i] < 0xc2 ? -1 : s[i] < 0xe0 ? 1 : s[i] < 0xf0 ? 2 : s[i] < 0xf5 ? 3 : -1;
    if (s[i] == 0 || more < 0 || i + more >= n)
      return false;
    uint32_t c = more == 0 ? s[i] : s[i] & (0x3fU >> more);
    for (int k = 1; k <= more; k++) {
      if ((s[i + k] & 0xc0) != 0x80)
        return false;
      c = c << 6 | (s[i + k] & 0x3f);
    }
    if ((more == 2 && c < 0x800) || (more == 3 && (c < 0x10000 || c > 0x10ffff)) || (c >= 0xd800 && c < 0xe000))
      return false;
    i += more + 1;
  }
  return true;
}

/* Labels are cut out of TEXT (N bytes) at ENDS (COUNT of them); a list of them for the caller to free, and the text they lie in. */
static hed_status cut_labels(const char *path, const char *text, int64_t n, const int64_t *ends, int64_t count, char **room,
                             const char ***labels)
{
  *room = malloc((size_t)(n + count) + 1);
  *labels = calloc((size_t)count + 1, sizeof **labels);
  if (!*room || !*labels)
    return hed_fail(HED_E_NOMEM, "hed_vsa_items_load: no memory for %lld labels", (long long)count);
  for (int64_t i = 0, from = 0; i < count; from = ends[i++]) {
    if (ends[i] <= from || ends[i] > n)
      return wrong(path, "label_ends", "does not ascend within labels");
    if (!is_utf8((const unsigned char *)text + from, ends[i] - from))
      return wrong(path, "labels", "has one that is not UTF-8");
    memcpy(*room + from + i, text + from, (size_t)(ends[i] - from));
    (*room)[ends[i] + i] = '\0';
    (*labels)[i] = *room + from + i;
  }
  return count == 0 || ends[count - 1] == n ? HED_OK : wrong(path, "label_ends", "does not cover labels");
}

static hed_status fill(hed_npz *z, const char *path, hed_vsa_items *s)
{
  int64_t n = 0, count = 0, *ends = NULL;
  char *room = NULL;
  const char **labels = NULL;
  void *text = NULL, *end_bytes = NULL;
  hed_status status = member(z, path, "labels", HED_UINT8, &text, &n);
  if (status == HED_OK)
    status = member(z, path, "label_ends", HED_INT64, &end_bytes, &count);
  ends = end_bytes;
  if (status == HED_OK && count > INT32_MAX)
    status = wrong(path, "label_ends", "has too many elements");
  if (status == HED_OK)
    status = cut_labels(path, text, n, ends, count, &room, &labels);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *x = hed_npz_load(z, "matrix");
      if (!x || !hed__vsa_fits(s->v, "hed_vsa_items_load", "matrix", x))
        status = hed_error();
      else if (hed__vsa_batch(s->v, x) != 1 || hed_array_shape(x).dim[0] != count)
        status = wrong(path, "matrix", "has not as many rows as there are labels");
      else
        status = hed_vsa_items_add(s, (int)count, labels, x);
    }
  free(labels);
  free(room);
  free(text);
  free(end_bytes);
  return status;
}

static hed_status model_of(hed_npz *z, const char *path, hed_vsa **out)
{
  void *text = NULL, *version = NULL;
  int64_t n = 0;
  hed_status status = member(z, path, "format_version", HED_INT64, &version, &n);
  if (status == HED_OK && (n != 1 || *(int64_t *)version != VERSION))
    status = wrong(path, "format_version", "is not 1");
  if (status == HED_OK)
    status = member(z, path, "model", HED_UINT8, &text, &n);
  if (status == HED_OK && (status = hed_vsa_by_name(text, out)) != HED_OK && status != HED_E_NOMEM)
    status = hed_fail(HED_E_FORMAT, "hed_vsa_items_load: %s: the model is not known: %.200s", path, (const char *)text);
  free(text);
  free(version);
  return status;
}

hed_status hed_vsa_items_load(const char *path, hed_vsa *v, hed_vsa_items **out)
{
  hed_npz *z = NULL;
  hed_vsa *of_file = NULL;
  hed_vsa_items *s = NULL;
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "hed_vsa_items_load: %s is NULL", path ? "out" : "path");
  *out = NULL;
  hed_status status = hed_npz_open(path, &z);
  if (status == HED_OK)
    status = model_of(z, path, &of_file);
  if (status == HED_OK && v && v->model != of_file->model)
    status = hed_fail(HED_E_DTYPE, "hed_vsa_items_load: %s has vectors of %s, the model is %s", path,
                      of_file->name, v->name);
  if (status == HED_OK)
    status = hed_vsa_items_create(v ? v : of_file, &s);
  if (status == HED_OK)
    status = fill(z, path, s);
  hed_vsa_release(of_file);
  hed_npz_close(z);
  if (status == HED_OK)
    *out = s;
  else
    hed_vsa_items_release(s);
  return status;
}
