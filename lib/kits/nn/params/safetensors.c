// SPDX-License-Identifier: BSD-3-Clause
/* A header of JSON, then raw little-endian data (github.com/huggingface/safetensors, README, "Format").
 *
 * Layer: L4, nn kit. A header is believed in nothing: its length is compared with the file's before memory is taken, the bytes of
 * an array with its shape and with the file, and ranges have to follow each other from the first byte of data to the last.
 */
#include "base/cancel.h"
#include "base/regular.h"
#include "kits/nn/params/json.h"
#include "kits/nn/params/tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 8, MOST_HEADER = 100000000, ALIGN = 8 };

static const struct format_type {
  const char *name;
  hed_dtype_id id;
} types[] = { { "BOOL", HED_ID_BOOL },         { "I8", HED_ID_INT8 },         { "I16", HED_ID_INT16 },    { "I32", HED_ID_INT32 },
              { "I64", HED_ID_INT64 },         { "U8", HED_ID_UINT8 },        { "U16", HED_ID_UINT16 },   { "U32", HED_ID_UINT32 },
              { "U64", HED_ID_UINT64 },        { "F16", HED_ID_FLOAT16 },     { "BF16", HED_ID_BFLOAT16 }, { "F32", HED_ID_FLOAT32 },
              { "F64", HED_ID_FLOAT64 },       { "C64", HED_ID_COMPLEX64 } };
enum { TYPES = sizeof types / sizeof types[0] };

/* Of a machine that has the other byte order: components of SIZE bytes are turned. */
static void to_host_order(void *data, size_t bytes, hed_dtype t)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  const size_t size = t == HED_COMPLEX64 ? 4 : hed_dtype_size(t);
  unsigned char *p = data;
  for (size_t at = 0; at + size <= bytes; at += size)
    for (size_t k = 0; k < size / 2; k++) {
      const unsigned char c = p[at + k];
      p[at + k] = p[at + size - 1 - k];
      p[at + size - 1 - k] = c;
    }
#else
  (void)data, (void)bytes, (void)t;
#endif
}

/* ---- out ---- */

static const char *type_name(hed_dtype t)
{
  for (int k = 0; k < TYPES; k++)
    if (types[k].id == hed_dtype_id_of(t))
      return types[k].name;
  return NULL;
}

/* The header, into OUT when it is not NULL; how long it is. OFFSET: where each array's data begin. */
static size_t write_header(const hed_nn_params *p, const uint64_t *offset, char *out)
{
  char piece[HED_MAX_NDIM * 24 + 128];
  size_t n = 0;
#define APPEND_QUOTED(text) (n += hed__nn_json_quote(text, out ? out + n : NULL))
#define APPEND(...)                                                                \
  do {                                                                             \
    const size_t more_ = (size_t)snprintf(piece, sizeof piece, __VA_ARGS__);       \
    if (out)                                                                       \
      memcpy(out + n, piece, more_);                                               \
    n += more_;                                                                    \
  } while (0)
  APPEND("{");
  for (int64_t k = 0; k < p->texts; k++) {
    APPEND("%s", k ? "," : "\"__metadata__\":{");
    APPEND_QUOTED(p->text[k].key);
    APPEND(":");
    APPEND_QUOTED(p->text[k].value);
  }
  if (p->texts)
    APPEND("}%s", p->n ? "," : "");
  for (int64_t k = 0; k < p->n; k++) {
    const hed_array *x = p->entry[k].x;
    const hed_shape s = hed_array_shape(x);
    APPEND_QUOTED(p->entry[k].name);
    APPEND(":{\"dtype\":\"%s\",\"shape\":[", type_name(hed_array_dtype(x)));
    for (int d = 0; d < s.ndim; d++)
      APPEND("%s%lld", d ? "," : "", (long long)s.dim[d]);
    APPEND("],\"data_offsets\":[%llu,%llu]}%s", (unsigned long long)offset[k],
           (unsigned long long)(offset[k] + hed_array_nbytes(x)), k + 1 < p->n ? "," : "");
  }
  APPEND("}");
  while (n % ALIGN)
    APPEND(" ");
#undef APPEND
#undef APPEND_QUOTED
  return n;
}

/* Wide elements come first, so that all are aligned. */
static int64_t width(const hed_nn_params *p, int64_t k) { return (int64_t)hed_dtype_size(hed_array_dtype(p->entry[k].x)); }

static hed_status write_data(hed_file *f, const hed_array *x)
{
  const size_t bytes = hed_array_nbytes(x);
  void *data = malloc(bytes ? bytes : 1);
  hed_status status = data ? hed_to_host(x, data, bytes) : hed_fail(HED_E_NOMEM, "hed_nn_params_save: no memory for %zu bytes", bytes);
  if (status == HED_OK) {
    to_host_order(data, bytes, hed_array_dtype(x));
    status = hed_file_write(f, data, bytes);
  }
  free(data);
  return status;
}

static hed_status write_all(const hed_nn_params *p, hed_file *f, const char *header, size_t length)
{
  unsigned char head[LENGTH];
  for (int k = 0; k < LENGTH; k++)
    head[k] = (unsigned char)((uint64_t)length >> 8 * k);
  hed_status status = hed_file_write(f, head, LENGTH);
  if (status == HED_OK)
    status = hed_file_write(f, header, length);
  for (int64_t size = 16; size > 0; size /= 2)
    for (int64_t k = 0; k < p->n && status == HED_OK; k++)
      if (width(p, k) == size)
        status = write_data(f, p->entry[k].x);
  return status;
}

hed_status hed__nn_save_safetensors(const hed_nn_params *p, const char *path)
{
  static const char *const op = "hed_nn_params_save";
  hed_file *f = NULL;
  for (int64_t k = 0; k < p->n; k++)
    if (!type_name(hed_array_dtype(p->entry[k].x)))
      return hed_fail(HED_E_DTYPE, "%s: \"%.100s\" is %s, for which the format has no name", op, p->entry[k].name,
                      hed_dtype_name(hed_array_dtype(p->entry[k].x)));
  uint64_t *offset = malloc((size_t)(p->n ? p->n : 1) * sizeof *offset), at = 0;
  if (!offset)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %lld offsets", op, (long long)p->n);
  for (int64_t size = 16; size > 0; size /= 2)
    for (int64_t k = 0; k < p->n; k++)
      if (width(p, k) == size) {
        offset[k] = at;
        at += hed_array_nbytes(p->entry[k].x);
      }
  const size_t length = write_header(p, offset, NULL);
  char *header = malloc(length);
  hed_status status = header ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for a header of %zu bytes", op, length);
  if (status == HED_OK && length > MOST_HEADER)
    status = hed_fail(HED_E_FORMAT, "%s: '%s': a header of %zu bytes; readers take %d", op, path, length, MOST_HEADER);
  if (status == HED_OK)
    status = hed_file_create(op, path, &f);
  if (status == HED_OK) {
    (void)write_header(p, offset, header);
    status = hed_file_close(f, write_all(p, f, header, length));
  }
  free(header);
  free(offset);
  return status;
}

/* ---- in ---- */

typedef struct range {
  char *name;             /* in the room for names */
  hed_dtype t;
  hed_shape shape;
  int64_t begin, end;     /* bytes behind the header */
} range;

typedef struct reader {
  const char *path;
  FILE *f;
  int64_t data;           /* bytes behind the header */
  hed__nn_json json;
  char *names, *name;     /* room for all strings of the header, and where the next one goes */
  range *ranges;
  int64_t n, room;
} reader;

static hed_status bad(const reader *r, const char *why, const char *name)
{
  return hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s': %s%s%.100s%s", r->path, why, name ? " \"" : "", name ? name : "",
                  name ? "\"" : "");
}

/* A string, kept in the room for names. */
static char *take_string(reader *r)
{
  char *text = r->name;
  if (!hed__nn_json_string(&r->json, text))
    return NULL;
  r->name += strlen(text) + 1;
  return text;
}

static hed_status take_texts(reader *r, hed_nn_params *p)
{
  hed_status status = HED_OK;
  if (p->texts)
    return bad(r, "__metadata__ is there twice", NULL);
  if (!hed__nn_json_is(&r->json, '{'))
    return bad(r, "__metadata__ is no object", NULL);
  if (hed__nn_json_is(&r->json, '}'))
    return HED_OK;
  do {
    const char *key = take_string(r);
    if (!key || !*key || !hed__nn_json_is(&r->json, ':'))
      return bad(r, "__metadata__ has no key", NULL);
    const char *value = take_string(r);
    if (!value)
      return bad(r, "no text in __metadata__ for", key);
    status = hed_nn_params_text(p, key) ? bad(r, "twice in __metadata__ is", key) : hed_nn_params_set_text(p, key, value);
  } while (status == HED_OK && hed__nn_json_is(&r->json, ','));
  return status != HED_OK || hed__nn_json_is(&r->json, '}') ? status : bad(r, "__metadata__ does not end", NULL);
}

static hed_status take_type(reader *r, range *a)
{
  const char *was = r->name, *name = take_string(r);
  r->name = (char *)was;    /* not kept */
  if (!name)
    return bad(r, "no dtype of", a->name);
  for (int k = 0; k < TYPES; k++)
    if (strcmp(types[k].name, name) == 0) {
      a->t = hed_dtype_of((int)types[k].id);
      return HED_OK;
    }
  return hed_fail(HED_E_DTYPE, "hed_nn_params_load: '%s': \"%.100s\" has dtype \"%.20s\", which Heddle does not have", r->path,
                  a->name,
                  name);
}

/* [N, N, ..] of at most ROOM numbers; how many, or -1. */
static int take_numbers(reader *r, int64_t *number, int room)
{
  int n = 0;
  if (!hed__nn_json_is(&r->json, '['))
    return -1;
  if (hed__nn_json_is(&r->json, ']'))
    return 0;
  do
    if (n == room || !hed__nn_json_number(&r->json, &number[n++]))
      return -1;
  while (hed__nn_json_is(&r->json, ','));
  return hed__nn_json_is(&r->json, ']') ? n : -1;
}

/* Does the range have the bytes of the shape, and lie in the file? */
static hed_status check_range(const reader *r, const range *a)
{
  int64_t bytes = (int64_t)hed_dtype_size(a->t);
  bool none = false;
  for (int k = 0; k < a->shape.ndim; k++) {
    const int64_t n = a->shape.dim[k] ? a->shape.dim[k] : 1;
    if (n > INT64_MAX / bytes)
      return bad(r, "too large a shape of", a->name);
    bytes *= n;
    none = none || a->shape.dim[k] == 0;
  }
  bytes = none ? 0 : bytes;
  if (a->begin > a->end || a->end > r->data)
    return hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s': \"%.100s\" has bytes %lld to %lld of %lld", r->path, a->name,
                    (long long)a->begin, (long long)a->end, (long long)r->data);
  if (a->end - a->begin != bytes)
    return hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s': \"%.100s\" has %lld bytes, its shape wants %lld", r->path, a->name,
                    (long long)(a->end - a->begin), (long long)bytes);
  return HED_OK;
}

/* {"dtype": .., "shape": .., "data_offsets": ..} in any order */
static hed_status take_range(reader *r, range *a)
{
  int64_t offsets[2];
  unsigned seen = 0;
  hed_status status = HED_OK;
  if (!hed__nn_json_is(&r->json, '{'))
    return bad(r, "no object for", a->name);
  do {
    static const char *const keys[] = { "dtype", "shape", "data_offsets" };
    const char *was = r->name, *key = take_string(r);
    r->name = (char *)was;
    int k = 0;
    while (key && k < 3 && strcmp(keys[k], key) != 0)
      k++;
    if (!key || k == 3 || (seen & 1u << k) || !hed__nn_json_is(&r->json, ':'))
      return bad(r, !key ? "no key in" : k == 3 ? "an unknown key in" : "a key is there twice, or has no value, in", a->name);
    seen |= 1u << k;
    if (k == 0)
      status = take_type(r, a);
    else if (k == 1) {
      a->shape.ndim = take_numbers(r, a->shape.dim, HED_MAX_NDIM);
      status = a->shape.ndim < 0 ? bad(r, "no shape, or one of more than 16 axes, of", a->name) : HED_OK;
    } else if (take_numbers(r, offsets, 2) != 2)
      status = bad(r, "no pair of data_offsets of", a->name);
  } while (status == HED_OK && hed__nn_json_is(&r->json, ','));
  if (status != HED_OK)
    return status;
  if (!hed__nn_json_is(&r->json, '}') || seen != 7)
    return bad(r, "one of dtype, shape and data_offsets is missing for", a->name);
  a->begin = offsets[0];
  a->end = offsets[1];
  return check_range(r, a);
}

static hed_status add_range(reader *r, char *name)
{
  if (r->n == r->room) {
    const int64_t room = r->room ? 2 * r->room : 16;
    range *more = realloc(r->ranges, (size_t)room * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "hed_nn_params_load: no memory for %lld arrays", (long long)room);
    r->ranges = more;
    r->room = room;
  }
  r->ranges[r->n] = (range){ .name = name };
  const hed_status status = take_range(r, &r->ranges[r->n]);
  r->n += status == HED_OK;
  return status;
}

static hed_status take_header(reader *r, hed_nn_params *p)
{
  hed_status status = HED_OK;
  if (!hed__nn_json_is(&r->json, '{'))
    return bad(r, "the header is no object", NULL);
  if (hed__nn_json_is(&r->json, '}'))
    return hed__nn_json_over(&r->json) ? HED_OK : bad(r, "something follows the header", NULL);
  do {
    char *name = take_string(r);
    if (!name || !hed__nn_json_is(&r->json, ':'))
      return bad(r, "the header has something else than a name", NULL);
    const char *wrong = strcmp(name, "__metadata__") == 0 ? NULL : hed__nn_bad_name(name);
    if (wrong)
      return hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s': the name \"%.100s\" %s", r->path, name, wrong);
    status = strcmp(name, "__metadata__") == 0 ? take_texts(r, p) : add_range(r, name);
  } while (status == HED_OK && hed__nn_json_is(&r->json, ','));
  if (status != HED_OK)
    return status;
  if (!hed__nn_json_is(&r->json, '}') || !hed__nn_json_over(&r->json))
    return bad(r, "the header does not end as it should", NULL);
  return HED_OK;
}

static int by_begin(const void *a, const void *b)
{
  const range *x = *(const range *const *)a, *y = *(const range *const *)b;
  return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->end > y->end) - (x->end < y->end);
}

/* One after the other from the first byte to the last. */
static hed_status check_cover(reader *r)
{
  int64_t at = 0;
  const range **order = malloc((size_t)(r->n ? r->n : 1) * sizeof *order);
  if (!order)
    return hed_fail(HED_E_NOMEM, "hed_nn_params_load: no memory for %lld ranges", (long long)r->n);
  hed_status status = HED_OK;
  for (int64_t k = 0; k < r->n; k++)
    order[k] = &r->ranges[k];
  qsort(order, (size_t)r->n, sizeof *order, by_begin);
  for (int64_t k = 0; k < r->n && status == HED_OK; k++) {
    if (order[k]->begin != at)
      status = bad(r, order[k]->begin < at ? "two arrays have the same bytes, one is" : "bytes of no array before", order[k]->name);
    at = order[k]->end;
  }
  if (status == HED_OK && at != r->data)
    status = hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s': %lld bytes of data, arrays have %lld", r->path, (long long)r->data,
                      (long long)at);
  free(order);
  return status;
}

static hed_status read_array(reader *r, int64_t first, const range *a, hed_nn_params *p)
{
  const size_t bytes = (size_t)(a->end - a->begin);
  hed_status status = HED_OK;
  if (hed_nn_params_find(p, a->name) >= 0)
    return bad(r, "there twice is", a->name);
  void *data = malloc(bytes ? bytes : 1);
  if (!data)
    return hed_fail(HED_E_NOMEM, "hed_nn_params_load: no memory for %zu bytes of \"%.100s\"", bytes, a->name);
  if (fseeko(r->f, (off_t)(first + a->begin), SEEK_SET) != 0 || fread(data, 1, bytes, r->f) != bytes)
    status = hed_fail(HED_E_IO, "hed_nn_params_load: '%s': \"%.100s\" cannot be read: %s", r->path, a->name,
                      feof(r->f) ? "the file has become shorter" : strerror(errno));
  else {
    to_host_order(data, bytes, a->t);
    HED_SCOPE_OR(status = hed_error()) {
      const hed_array *x = hed_from_host(data, a->shape, a->t);
      status = x ? hed_nn_params_set(p, a->name, x) : hed_error();
    }
  }
  free(data);
  return status;
}

/* The header's length against the file's; opens it. */
static hed_status open_file(reader *r, int64_t *length)
{
  unsigned char head[LENGTH];
  const char *why = NULL;
  uint64_t n = 0, bytes = 0;
  if (!(r->f = hed__regular_stream(r->path, &bytes, &why)))
    return hed_fail(HED_E_IO, "hed_nn_params_load: cannot open '%s': %s", r->path, why);
  const int64_t size = (int64_t)bytes;
  if (size < LENGTH || fread(head, 1, LENGTH, r->f) != LENGTH)
    return hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s' has %lld bytes, less than the length of a header", r->path,
                    (long long)size);
  for (int k = LENGTH - 1; k >= 0; k--)
    n = n << 8 | head[k];
  if (n > (uint64_t)(size - LENGTH) || n > MOST_HEADER)
    return hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s': a header of %llu bytes in a file of %lld; %d are the most", r->path,
                    (unsigned long long)n, (long long)size, MOST_HEADER);
  *length = (int64_t)n;
  r->data = size - LENGTH - *length;
  return HED_OK;
}

hed_status hed__nn_load_safetensors(const char *path, hed_nn_params *p)
{
  HED__UNCANCELLED;
  reader r = { .path = path };
  int64_t length = 0;
  char *header = NULL;
  hed_status status = open_file(&r, &length);
  if (status == HED_OK) {
    header = malloc((size_t)length + 1);
    r.names = r.name = malloc((size_t)length + 1);
    if (!header || !r.names)
      status = hed_fail(HED_E_NOMEM, "hed_nn_params_load: no memory for a header of %lld bytes", (long long)length);
    else if (fread(header, 1, (size_t)length, r.f) != (size_t)length)
      status = hed_fail(HED_E_IO, "hed_nn_params_load: '%s': the header cannot be read", path);
  }
  if (status == HED_OK) {
    r.json = (hed__nn_json){ header, header + length };
    status = take_header(&r, p);
  }
  if (status == HED_OK)
    status = check_cover(&r);
  for (int64_t k = 0; k < r.n && status == HED_OK; k++)
    status = read_array(&r, LENGTH + length, &r.ranges[k], p);
  if (r.f)
    (void)fclose(r.f);
  free(header);
  free(r.names);
  free(r.ranges);
  return status;
}
