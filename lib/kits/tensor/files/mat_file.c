// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of MATLAB's files: those of versions 5 to 7 here, of version 7.3 in mat_hdf5.c.
 *
 * Layer: L4, tensor kit. A file is gone through twice: once for what variables there are, of which no more than the heads are
 * read, and once for the one that is wanted.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/files/mat_list.h"
#include "kits/tensor/files/mat_source.h"
#include "base/cancel.h"
#include "base/regular.h"
#include <heddle/kits/tensor_mat.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = HED__MAT;

enum { HEAD = 128, TAG = 8, NAME_ROOM = 256, MOST_RATIO = 1100 /* deflate makes no more of a byte */ };
enum { OF_INT8 = 1, OF_INT32 = 5, OF_UINT32 = 6, OF_FLOAT32 = 7, OF_FLOAT64 = 9, OF_MATRIX = 14, OF_PACKED = 15 };
enum { CLASS_DOUBLE = 6, CLASS_SINGLE = 7, CLASS_LAST_NUMBER = 15, CLASS_OPAQUE = 17, CLASSES = 18 };
enum { FLAG_LOGICAL = 0x200, FLAG_COMPLEX = 0x800 };

static const char *const class_names[CLASSES] = {
  "unknown", "cell", "struct", "object", "char", "sparse", "double", "single", "int8", "uint8", "int16", "uint16", "int32", "uint32",
  "int64", "uint64", "function", "opaque"
};
/* Bytes of the types of stored numbers; 0: no numbers. */
static const int stored_bytes[OF_MATRIX] = { 0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8 };

typedef struct variable {
  char name[NAME_ROOM];
  unsigned class, flags;
  hed_shape shape;
  int64_t n;
} variable;

static const char *class_name(const variable *v)
{
  return class_names[v->class < CLASSES ? v->class : 0];
}

static uint32_t number_of(const hed__mat_source *s, const unsigned char *at)
{
  uint32_t v;
  memcpy(&v, at, sizeof v);
  return s->swap ? __builtin_bswap32(v) : v;
}

static hed_status bad(const hed__mat_source *s, const char *what)
{
  return hed_fail(HED_E_FORMAT, "%s: '%s': %s", op, s->path, what);
}

/* ---- parts of a variable ---- */

typedef struct part {
  uint32_t type, n;
  bool small;             /* the data are within the tag */
  unsigned char data[4];
} part;

static hed_status take_tag(hed__mat_source *s, part *p)
{
  unsigned char tag[TAG];
  const hed_status status = hed__mat_take(s, tag, TAG);
  if (status != HED_OK)
    return status;
  *p = (part){ .type = number_of(s, tag), .n = number_of(s, tag + 4) };
  if (p->type >> 16) {
    p->small = true;
    p->n = p->type >> 16;
    p->type &= 0xffff;
    memcpy(p->data, tag + 4, 4);
    if (p->n > 4)
      return bad(s, "a short element has more than four bytes");
  }
  return HED_OK;
}

/* The data, of no more than ROOM bytes, and what fills the last eight. */
static hed_status take_data(hed__mat_source *s, const part *p, void *out, size_t room, const char *what)
{
  if (p->n > room)
    return hed_fail(HED_E_FORMAT, "%s: '%s': %s of %lu bytes; %zu at most are expected", op, s->path, what, (unsigned long)p->n, room);
  if (p->small) {
    memcpy(out, p->data, p->n);
    return HED_OK;
  }
  const hed_status status = hed__mat_take(s, out, p->n);
  return status == HED_OK ? hed__mat_take(s, NULL, (8 - p->n % 8) % 8) : status;
}

static hed_status take_shape(hed__mat_source *s, variable *v)
{
  unsigned char dims[4 * HED_MAX_NDIM];
  part p;
  hed_status status = take_tag(s, &p);
  if (status == HED_OK && (p.type != OF_INT32 || p.n % 4 != 0 || p.n < 8))
    status = bad(s, "a variable has no extents");
  if (status == HED_OK)
    status = take_data(s, &p, dims, sizeof dims, "extents");
  int64_t room = 1;
  bool none = false;
  v->shape.ndim = status == HED_OK ? (int)(p.n / 4) : 0;
  for (int k = 0; k < v->shape.ndim; k++) {
    const int32_t extent = (int32_t)number_of(s, dims + 4 * k);
    v->shape.dim[k] = extent;
    none = none || extent == 0;
    if (!hed__count_extent(&room, extent))
      return hed_fail(HED_E_FORMAT, "%s: '%s': extent %d of a variable is %d%s", op, s->path, k, (int)extent,
                      extent < 0 ? "" : ": more elements than can be counted");
  }
  v->n = none ? 0 : room;
  return status;
}

static hed_status take_head(hed__mat_source *s, variable *v)
{
  unsigned char flags[8];
  part p;
  hed_status status = take_tag(s, &p);
  *v = (variable){ .class = 0 };
  if (status == HED_OK && (p.type != OF_UINT32 || p.n != 8 || p.small))
    status = bad(s, "a variable does not begin with its class");
  if (status == HED_OK)
    status = hed__mat_take(s, flags, 8);
  if (status != HED_OK)
    return status;
  v->flags = number_of(s, flags);
  v->class = v->flags & 0xff;
  if (v->class != CLASS_OPAQUE)
    status = take_shape(s, v);
  if (status == HED_OK)
    status = take_tag(s, &p);
  if (status == HED_OK && p.type != OF_INT8)
    status = bad(s, "a variable has no name");
  if (status == HED_OK)
    status = take_data(s, &p, v->name, NAME_ROOM - 1, "a name");
  hed__mat_printable(v->name);
  return status;
}

/* ---- elements of the file ---- */

/* The next element's head; what is no variable, or has no name, has V->class 0. S is open in any case but an error; *NEXT is where the
 * element after it begins. */
static hed_status open_element(hed__mat_source *s, uint64_t at, uint64_t bytes, variable *v, uint64_t *next)
{
  unsigned char tag[TAG];
  *v = (variable){ .class = 0 };
  if (bytes - at < TAG || fseeko(s->f, (off_t)at, SEEK_SET) != 0 || fread(tag, 1, TAG, s->f) != TAG)
    return hed_fail(HED_E_FORMAT, "%s: '%s' ends within an element", op, s->path);
  const uint32_t type = number_of(s, tag);
  s->held = s->stored = number_of(s, tag + 4);
  if (s->stored > bytes - at - TAG)
    return hed_fail(HED_E_FORMAT, "%s: '%s': an element at byte %llu says %llu bytes; the file has %llu more", op, s->path,
                    (unsigned long long)at, (unsigned long long)s->stored, (unsigned long long)(bytes - at - TAG));
  *next = at + TAG + s->stored;
  if (type != OF_MATRIX && type != OF_PACKED)
    return hed_fail(HED_E_FORMAT, "%s: '%s': the element at byte %llu is no variable", op, s->path, (unsigned long long)at);
  hed_status status = hed__mat_begin(s, type == OF_PACKED);
  part p = { .type = OF_MATRIX, .n = (uint32_t)s->stored };
  if (status == HED_OK && type == OF_PACKED)
    status = take_tag(s, &p);
  if (status == HED_OK && p.type != OF_MATRIX)
    status = bad(s, "a compressed element is no variable");
  s->inside = p.n;
  if (status == HED_OK)
    status = take_head(s, v);
  if (status != HED_OK)
    hed__mat_end(s);
  return status;
}

/* *FIRST is where the variable that is wanted begins. */
static hed_status find(hed__mat_source *s, uint64_t bytes, const char *name, uint64_t *first)
{
  hed_status status = HED_OK;
  hed__mat_list l = { .n = 0 };
  for (uint64_t at = HEAD, next = 0; at < bytes && status == HED_OK; at = next) {
    variable v;
    status = open_element(s, at, bytes, &v, &next);
    if (status != HED_OK)
      break;
    hed__mat_end(s);
    if (!v.name[0]) /* what objects need */
      continue;
    if (!l.found && (!name || strcmp(name, v.name) == 0)) {
      l.found = true;
      *first = at;
    }
    hed__mat_list_add(&l, v.name, class_name(&v));
  }
  return status == HED_OK ? hed__mat_list_expect(&l, s->path, name) : status;
}

/* ---- numbers ---- */

static hed_dtype dtype_of(const variable *v)
{
  const hed_dtype ints[] = { HED_INT8, HED_UINT8, HED_INT16, HED_UINT16, HED_INT32, HED_UINT32, HED_INT64, HED_UINT64 };
  const bool is_complex = (v->flags & FLAG_COMPLEX) != 0;
  if (v->class == CLASS_DOUBLE || v->class == CLASS_SINGLE)
    return v->flags & FLAG_LOGICAL ? HED_BOOL : v->class == CLASS_DOUBLE ? is_complex ? HED_COMPLEX128 : HED_FLOAT64
                                                                        : is_complex ? HED_COMPLEX64 : HED_FLOAT32;
  if (v->class < CLASS_DOUBLE || v->class > CLASS_LAST_NUMBER || is_complex)
    return NULL;
  return v->flags & FLAG_LOGICAL ? HED_BOOL : ints[v->class - CLASS_SINGLE - 1];
}

/* The type that numbers of a class are stored as, where none is narrower. */
static uint32_t own_type(unsigned class)
{
  static const uint32_t types[CLASS_LAST_NUMBER + 1] = { [6] = 9, [7] = 7, [8] = 1, [9] = 2, [10] = 3, [11] = 4, [12] = 5, [13] = 6,
                                                         [14] = 12, [15] = 13 };
  return types[class];
}

/* A number of 32 bits at most, or a float. */
static double narrow(uint32_t type, const unsigned char *at)
{
  union { int8_t i1; uint8_t u1; int16_t i2; uint16_t u2; int32_t i4; uint32_t u4; float f4; double f8; } v;
  memcpy(&v, at, (size_t)stored_bytes[type]);
  switch (type) {
  case 1: return v.i1;
  case 2: return v.u1;
  case 3: return v.i2;
  case 4: return v.u2;
  case 5: return v.i4;
  case 6: return v.u4;
  case 7: return (double)v.f4;
  default: return v.f8;
  }
}

/* V as a number of the type TO; false where that has no room for it. */
static bool widen(uint32_t to, double v, unsigned char *out)
{
  static const double low[] = { 0, INT8_MIN, 0, INT16_MIN, 0, INT32_MIN, 0, 0, 0, 0, 0, 0, INT32_MIN, 0 };
  static const double high[] = { 0, INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX, 0, 0, 0, 0, 0, UINT32_MAX,
                                 UINT32_MAX };
  union { float f4; double f8; int64_t i; uint64_t u; } w;
  if (to == OF_FLOAT32 || to == OF_FLOAT64) {
    if (to == OF_FLOAT32)
      w.f4 = (float)v;
    else
      w.f8 = v;
    memcpy(out, &w, (size_t)stored_bytes[to]);
    return true;
  }
  if (!(v >= low[to] && v <= high[to]) || v != (double)(int64_t)v)
    return false;
  const int64_t whole = (int64_t)v;
  const int8_t i1 = (int8_t)whole;
  const int16_t i2 = (int16_t)whole;
  const int32_t i4 = (int32_t)whole;
  const int size = stored_bytes[to];
  memcpy(out, size == 1 ? (const void *)&i1 : size == 2 ? (const void *)&i2 : size == 4 ? (const void *)&i4 : (const void *)&whole,
         (size_t)size);
  return true;
}

/* The numbers of one part, of V->n elements, into OUT, one every STEP bytes. */
static hed_status take_numbers(hed__mat_source *s, const variable *v, const part *p, unsigned char *out, size_t step)
{
  unsigned char in[4096];
  const uint32_t to = own_type(v->class);
  const size_t size = (size_t)stored_bytes[p->type], wide = (size_t)stored_bytes[to];
  const bool logical = (v->flags & FLAG_LOGICAL) != 0;
  hed_status status = HED_OK;
  for (int64_t done = 0; done < v->n && status == HED_OK;) {
    const size_t most = sizeof in / size, now = (uint64_t)(v->n - done) < most ? (size_t)(v->n - done) : most;
    if (p->small)
      memcpy(in, p->data, p->n);
    else
      status = hed__mat_take(s, in, now * size);
    if (s->swap)
      hed__mat_swap(in, now, (int)size);
    for (size_t i = 0; i < now && status == HED_OK; i++, out += step)
      if (logical)
        *out = narrow(p->type, in + i * size) != 0;
      else if (p->type == to)
        memcpy(out, in + i * size, wide);
      else if (!widen(to, narrow(p->type, in + i * size), out))
        status = hed_fail(HED_E_FORMAT, "%s: '%s': %s is %s, and element %lld is %.17g", op, s->path, v->name, class_names[v->class],
                          (long long)(done + (int64_t)i), narrow(p->type, in + i * size));
    done += (int64_t)now;
  }
  return status == HED_OK && !p->small ? hed__mat_take(s, NULL, s->inside < 8 ? 0 : (8 - p->n % 8) % 8) : status;
}

/* A part that can be what V says, by its size and by what the file holds. */
static hed_status take_number_tag(hed__mat_source *s, const variable *v, part *p)
{
  const hed_status status = take_tag(s, p);
  if (status != HED_OK)
    return status;
  const int size = p->type < OF_MATRIX ? stored_bytes[p->type] : 0;
  if (size == 0 || (size == 8 && p->type != OF_FLOAT64 && p->type != own_type(v->class)))
    return hed_fail(HED_E_FORMAT, "%s: '%s': %s, %s, is stored as type %lu", op, s->path, v->name, class_names[v->class],
                    (unsigned long)p->type);
  if ((uint64_t)v->n != p->n / (uint64_t)size || p->n % (uint32_t)size != 0)
    return hed_fail(HED_E_FORMAT, "%s: '%s': %s has %lld elements by its extents and %lu bytes of %d", op, s->path, v->name,
                    (long long)v->n, (unsigned long)p->n, size);
  if (p->n > s->inside + (p->small ? 4 : 0) || p->n / (s->packed ? MOST_RATIO : 1) > s->held)
    return hed_fail(HED_E_FORMAT, "%s: '%s': %s says %lu bytes, which %llu in the file cannot be", op, s->path, v->name,
                    (unsigned long)p->n, (unsigned long long)s->held);
  return HED_OK;
}

static hed_array *read_variable(hed__mat_source *s, const variable *v)
{
  const hed_dtype t = dtype_of(v);
  if (!t) {
    char class[32];
    snprintf(class, sizeof class, "%s%s", v->flags & FLAG_COMPLEX ? "complex " : "", class_name(v));
    (void)hed__mat_no_numbers(s->path, v->name, class);
    return NULL;
  }
  part p;
  hed_array *out = NULL;
  const int parts = hed_dtype_kind(t) == HED_KIND_COMPLEX ? 2 : 1;
  const size_t size = (size_t)hed_dtype_size(t);
  hed_status status = take_number_tag(s, v, &p);
  unsigned char *values = status == HED_OK ? malloc((size_t)v->n * size + 1) : NULL;
  if (status == HED_OK && !values)
    status = hed_fail(HED_E_NOMEM, "%s: '%s': no memory for %lld elements", op, s->path, (long long)v->n);
  for (int k = 0; k < parts && status == HED_OK; k++) {
    if (k)
      status = take_number_tag(s, v, &p);
    if (status == HED_OK)
      status = take_numbers(s, v, &p, values + (size_t)k * (size / 2), size);
  }
  if (status == HED_OK)
    status = hed__mat_check(s);
  if (status == HED_OK)
    out = hed__mat_in_c_order(values, v->shape, t);
  free(values);
  return out;
}

/* ---- the file ---- */

/* Its first bytes: the version, in the byte order that the letters MI say. */
static hed_status take_file_head(hed__mat_source *s, bool *hdf5)
{
  static const unsigned char signature[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
  unsigned char head[HEAD];
  const bool whole = fread(head, 1, HEAD, s->f) == HEAD;
  const bool little = whole && head[126] == 'I' && head[127] == 'M', big = whole && head[126] == 'M' && head[127] == 'I';
  const unsigned version = little ? head[124] | (unsigned)head[125] << 8 : head[125] | (unsigned)head[124] << 8;
  *hdf5 = whole && (((little || big) && version == 0x200) || memcmp(head, signature, sizeof signature) == 0);
  if (*hdf5)
    return HED_OK;
  if (!little && !big)
    return hed_fail(HED_E_FORMAT, "%s: '%s' is no .mat file of version 5 to 7.3", op, s->path);
  if (version != 0x100)
    return hed_fail(HED_E_FORMAT, "%s: '%s' is a .mat file of version 0x%x; those of 5 to 7.3, 0x100 and 0x200, are read", op, s->path,
                    version);
  const uint16_t one = 1;
  s->swap = little != (*(const unsigned char *)&one == 1);
  return HED_OK;
}

static hed_array *load(hed__mat_source *s, const char *name, uint64_t bytes)
{
  variable v;
  hed_array *out = NULL;
  uint64_t first = 0, next;
  if (find(s, bytes, name, &first) == HED_OK && open_element(s, first, bytes, &v, &next) == HED_OK) {
    out = read_variable(s, &v);
    hed__mat_end(s);
  }
  return out;
}

hed_array *hed_load_mat(const char *path, const char *name)
{
  HED__UNCANCELLED;
  hed_array *out = NULL;
  uint64_t bytes = 0;
  const char *why = NULL;
  bool hdf5 = false;
  if (!path) {
    (void)hed_fail(HED_E_INVAL, "%s: path is NULL", op);
    return NULL;
  }
  hed__mat_source s = { .op = op, .path = path, .f = hed__regular_stream(path, &bytes, &why) };
  if (!s.f)
    (void)hed_fail(HED_E_IO, "%s: cannot open '%s': %s", op, path, why);
  else if (take_file_head(&s, &hdf5) == HED_OK)
    out = hdf5 ? hed__mat_load_hdf5(&s, name, bytes) : load(&s, name, bytes);
  if (s.f)
    (void)fclose(s.f);
  return out ? hed__tensor_given(out) : NULL;
}
