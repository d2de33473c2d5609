// SPDX-License-Identifier: BSD-3-Clause
/* Item memories in .npz archives.
 *
 * Layer: L4, vsa kit. Files are hostile: what an array says of another one is checked before it is believed.
 */
#include "kits/vsa/items.h"
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, HOLOVEC = 2 /* labels are text, and no model is named */ };

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

/* The member NAME, of T and at most NDIM axes, in memory of its own; its extents in *SHAPE, and a zero byte behind the elements. */
static hed_status member(hed_npz *z, const char *path, const char *name, hed_dtype t, int32_t ndim, void **out, hed_shape *shape)
{
  hed_status status = HED_OK;
  *out = NULL;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *x = hed_npz_load(z, name);
    const size_t bytes = hed_array_nbytes(x);
    if (!x)
      status = hed_error();
    else if (hed_array_dtype(x) != t || hed_array_ndim(x) > ndim)
      status = hed_fail(HED_E_FORMAT, "hed_vsa_items_load: %s: %s is %s with %d axes, not %s with %d", path, name,
                        hed_dtype_name(hed_array_dtype(x)), (int)hed_array_ndim(x), hed_dtype_name(t), (int)ndim);
    else if (!(*out = calloc(bytes + 1, 1)))
      status = hed_fail(HED_E_NOMEM, "hed_vsa_items_load: no memory for %s", name);
    else
      status = hed_to_host(x, *out, bytes);
    *shape = hed_array_shape(x);
  }
  if (status != HED_OK) {
    free(*out);
    *out = NULL;
  }
  return status;
}

/* C as UTF-8 behind TO; how many bytes that are, 0 where it is no character. */
static int put_utf8(unsigned char *to, uint32_t c)
{
  static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  if (c > 0x10ffff)
    return 0;
  to[0] = (unsigned char)(lead[more] | c >> 6 * more);
  for (int k = 1; k <= more; k++)
    to[k] = (unsigned char)(0x80 | (c >> 6 * (more - k) & 0x3f));
  return more + 1;
}

/* COUNT labels of WIDTH characters C, with zeros behind their ends, as UTF-8 one after the other, and where each ends. */
static hed_status narrow_labels(const char *path, const uint32_t *c, int64_t count, int64_t width, char **text, int64_t *bytes,
                                int64_t **ends)
{
  int64_t at = 0;
  if (count > INT32_MAX || (count > 0 && width == 0))
    return wrong(path, "labels", width ? "has too many elements" : "has an empty one");
  *text = malloc((size_t)(count * width) * 4 + 1);
  *ends = malloc((size_t)(count + 1) * sizeof **ends);
  if (!*text || !*ends)
    return hed_fail(HED_E_NOMEM, "hed_vsa_items_load: no memory for %lld labels", (long long)count);
  for (int64_t i = 0; i < count; (*ends)[i++] = at) {
    int64_t n = width;
    while (n > 0 && c[i * width + n - 1] == 0)
      n--;
    if (n == 0)
      return wrong(path, "labels", "has an empty one");
    for (int64_t k = 0; k < n; k++) {
      const int more = put_utf8((unsigned char *)*text + at, c[i * width + k]);
      if (more == 0)
        return wrong(path, "labels", "has a character above U+10FFFF");
      at += more;
    }
  }
  *bytes = at;
  return HED_OK;
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

static hed_status labels_of(hed_npz *z, const char *path, int64_t version, char **text, int64_t *n, int64_t **ends,
                            int64_t *count)
{
  hed_shape s = HED_SHAPE0;
  void *labels = NULL, *bytes = NULL;
  hed_status status = HED_OK;
  if (version == VERSION) {
    status = member(z, path, "labels", HED_UINT8, 1, &labels, &s);
    *text = labels;
    *n = hed__vsa_count(s);
    if (status == HED_OK)
      status = member(z, path, "label_ends", HED_INT64, 1, &bytes, &s);
    *ends = bytes;
    *count = hed__vsa_count(s);
    return status;
  }
  status = member(z, path, "labels", HED_UINT32, 2, &labels, &s);
  if (status == HED_OK && s.ndim != 2)
    status = wrong(path, "labels", "is no list of texts");
  *count = s.dim[0];
  if (status == HED_OK)
    status = narrow_labels(path, labels, *count, s.dim[1], text, n, ends);
  free(labels);
  return status;
}

/* Whether X holds nothing but what PLAIN, X in the dtype of the model's elements, can say. */
static bool is_kept(const hed_vsa *v, const hed_array *x, const hed_array *plain)
{
  double kept = 0;
  if (hed_dtype_kind(v->plain) == HED_KIND_FLOAT || hed_dtype_kind(v->plain) == HED_KIND_COMPLEX)
    return plain != NULL;
  hed_array *same = hed_equal(hed_astype(plain, hed_array_dtype(x)), x);
  if (v->model == HED_VSA_MAP)
    same = hed_logical_and(same, hed_equal_scalar(hed_abs(plain), 1));
  hed_array *all = hed_all(same, NULL);
  if (all && hed_item(all, &kept) == HED_OK && kept == 0)
    (void)hed_fail(HED_E_DTYPE, "hed_vsa_items_load: matrix (%s) has elements that %s vectors (%s) cannot have",
                   hed_dtype_name(hed_array_dtype(x)), v->name, hed_dtype_name(v->plain));
  return kept != 0;
}

/* Vectors in a plain layout of any dtype as V has them. */
static hed_array *as_model(const hed_vsa *v, const hed_array *x)
{
  if (!hed__vsa_ends_with("hed_vsa_items_load", "matrix", x, v->name, v->plain_shape))
    return NULL;
  const bool is_complex = hed_dtype_kind(v->plain) == HED_KIND_COMPLEX;
  if (is_complex != (hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX)) {
    (void)hed_fail(HED_E_DTYPE, "hed_vsa_items_load: matrix is %s, %s vectors are %s", hed_dtype_name(hed_array_dtype(x)),
                   v->name, hed_dtype_name(v->plain));
    return NULL;
  }
  hed_array *plain = hed_astype(x, v->plain);
  if (!is_kept(v, x, plain))
    return NULL;
  return v->o.layout == HED_VSA_PACKED ? hed_vsa_pack(v, plain) : plain;
}

static hed_status fill(hed_npz *z, const char *path, int64_t version, hed_vsa_items *s)
{
  int64_t n = 0, count = 0, *ends = NULL;
  char *room = NULL, *text = NULL;
  const char **labels = NULL;
  hed_status status = labels_of(z, path, version, &text, &n, &ends, &count);
  if (status == HED_OK && count > INT32_MAX)
    status = wrong(path, "labels", "has too many elements");
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *x = hed_npz_load(z, "matrix");
      const int64_t rows = hed_array_ndim(x) > 0 ? hed_array_shape(x).dim[0] : 0;
      const int32_t axes = 1 + (version == VERSION ? s->v->shape : s->v->plain_shape).ndim;
      if (!x || (version == VERSION && !hed__vsa_fits(s->v, "hed_vsa_items_load", "matrix", x)))
        status = hed_error();
      else if (hed_array_ndim(x) != axes || rows != count)
        status = hed_fail(HED_E_FORMAT, "hed_vsa_items_load: %s: matrix has %d axes and %lld rows; %d axes and %lld labels", path,
                          (int)hed_array_ndim(x), (long long)rows, (int)axes, (long long)count);
      else if (version != VERSION && !(x = as_model(s->v, x)))
        status = hed_error();
      else
        status = cut_labels(path, text, n, ends, count, &room, &labels);
      if (status == HED_OK)
        status = hed_vsa_items_add(s, (int)count, labels, x);
    }
  free(labels);
  free(room);
  free(text);
  free(ends);
  return status;
}

/* The version of the file, and its model where it names one. */
static hed_status model_of(hed_npz *z, const char *path, int64_t *version, hed_vsa **out)
{
  void *text = NULL, *number = NULL;
  hed_shape s = HED_SHAPE0;
  hed_status status = member(z, path, "format_version", HED_INT64, 1, &number, &s);
  if (status == HED_OK && (hed__vsa_count(s) != 1 || (*(int64_t *)number != VERSION && *(int64_t *)number != HOLOVEC)))
    status = wrong(path, "format_version", "is neither 1 nor 2");
  if (status == HED_OK)
    *version = *(int64_t *)number;
  if (status == HED_OK && *version == VERSION) {
    status = member(z, path, "model", HED_UINT8, 1, &text, &s);
    if (status == HED_OK && (status = hed_vsa_by_name(text, out)) != HED_OK && status != HED_E_NOMEM)
      status = hed_fail(HED_E_FORMAT, "hed_vsa_items_load: %s: the model is not known: %.200s", path, (const char *)text);
  }
  free(text);
  free(number);
  return status;
}

hed_status hed_vsa_items_load(const char *path, hed_vsa *v, hed_vsa_items **out)
{
  hed_npz *z = NULL;
  hed_vsa *of_file = NULL;
  hed_vsa_items *s = NULL;
  int64_t version = 0;
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "hed_vsa_items_load: %s is NULL", path ? "out" : "path");
  *out = NULL;
  hed_status status = hed_npz_open(path, &z);
  if (status == HED_OK)
    status = model_of(z, path, &version, &of_file);
  if (status == HED_OK && !v && !of_file)
    status = hed_fail(HED_E_INVAL, "hed_vsa_items_load: %s (format_version 2) names no model, and v is NULL", path);
  if (status == HED_OK && v && of_file && v->model != of_file->model)
    status = hed_fail(HED_E_DTYPE, "hed_vsa_items_load: %s has vectors of %s, the model is %s", path,
                      of_file->name, v->name);
  if (status == HED_OK)
    status = hed_vsa_items_create(v ? v : of_file, &s);
  if (status == HED_OK)
    status = fill(z, path, version, s);
  hed_vsa_release(of_file);
  hed_npz_close(z);
  if (status == HED_OK)
    *out = s;
  else
    hed_vsa_items_release(s);
  return status;
}
