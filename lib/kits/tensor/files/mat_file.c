// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of MATLAB's files, versions 5 to 7.
 *
 * Layer: L4, tensor kit. A file is gone through twice: once for what variables there are, of which no more than the heads are
 * read, and once for the one that is wanted.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/files/mat_source.h"
#include "base/cancel.h"
#include <errno.h>
#include <heddle/kits/tensor_mat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char op[] = "hed_load_mat";

enum { HEAD = 128, TAG = 8, NAME_ROOM = 256, LIST_ROOM = 240, MOST_RATIO = 1100 /* deflate makes no more of a byte */ };
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
  v->n = 1;
  v->shape.ndim = status == HED_OK ? (int)(p.n / 4) : 0;
  for (int k = 0; k < v->shape.ndim; k++) {
    const int32_t extent = (int32_t)number_of(s, dims + 4 * k);
    v->shape.dim[k] = extent;
    if (extent < 0 || __builtin_mul_overflow(v->n, (int64_t)extent, &v->n) || v->n > INT64_MAX / 16)
      return hed_fail(HED_E_FORMAT, "%s: '%s': extent %d of a variable is %d: more elements than can be counted", op, s->path, k,
                      (int)extent);
  }
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
  for (char *c = v->name; *c; c++)
    *c = *c < ' ' || *c == 127 ? '?' : *c; /* it stands in sentences */
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

/* What there is, for sentences. */
typedef struct contents {
  int n;
  uint64_t first;       /* where the one that is wanted begins; 0: there is none */
  char list[LIST_ROOM];
} contents;

static void list_variable(contents *c, const variable *v)
{
  size_t used = strlen(c->list);
  c->n++;
  if (used + NAME_ROOM / 4 > LIST_ROOM) {
    if (strcmp(c->list + used - 2, "..") != 0)
      snprintf(c->list + used, LIST_ROOM - used, ", ..");
    return;
  }
  snprintf(c->list + used, LIST_ROOM - used, "%s%.40s (%s)", used ? ", " : "", v->name,
           v->class < CLASSES ? class_names[v->class] : class_names[0]);
}

static hed_status find(hed__mat_source *s, uint64_t bytes, const char *name, contents *c)
{
  hed_status status = HED_OK;
  for (uint64_t at = HEAD, next = 0; at < bytes && status == HED_OK; at = next) {
    variable v;
    status = open_element(s, at, bytes, &v, &next);
    if (status != HED_OK)
      break;
    hed__mat_end(s);
    if (!v.name[0]) /* what objects need */
      continue;
    if (!c->first && (!name || strcmp(name, v.name) == 0))
      c->first = at;
    list_variable(c, &v);
  }
  if (status != HED_OK)
    return status;
  if (c->n == 0)
    return hed_fail(HED_E_NOTFOUND, "%s: '%s' has no variables", op, s->path);
  if (!name && c->n > 1)
    return hed_fail(HED_E_INVAL, "%s: '%s' has %d variables, of which one has to be named: %s", op, s->path, c->n, c->list);
  return c->first ? HED_OK : hed_fail(HED_E_NOTFOUND, "%s: '%s' has no %s; it has %s", op, s->path, name, c->list);
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

static void swap_bytes(unsigned char *at, size_t n, int size)
{
  for (size_t i = 0; size > 1 && i < n; i++, at += size)
    for (int k = 0; k < size / 2; k++) {
      const unsigned char c = at[k];
      at[k] = at[size - 1 - k];
      at[size - 1 - k] = c;
    }
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
      swap_bytes(in, now, (int)size);
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

/* Numbers in MATLAB's order as an array in C order. */
static hed_array *in_c_order(void *values, const variable *v, hed_dtype t)
{
  int64_t strides[HED_MAX_NDIM], step = hed_dtype_size(t);
  hed_array *out = NULL;
  for (int k = 0; k < v->shape.ndim; k++) {
    strides[k] = step;
    step *= v->shape.dim[k] > 0 ? v->shape.dim[k] : 1;
  }
  HED_SCOPE {
    hed_array *here = hed_wrap(values, v->shape, strides, t, NULL, NULL), *there = here ? hed_to(here, hed_get_backend()) : NULL;
    out = there ? hed_keep(hed_copy(there)) : NULL;
    if (out && hed_wait(out) != HED_OK) { /* the values are the caller's again */
      hed_release(out);
      out = NULL;
    }
  }
  return out;
}

static hed_array *read_variable(hed__mat_source *s, const variable *v)
{
  const hed_dtype t = dtype_of(v);
  if (!t) {
    (void)hed_fail(HED_E_DTYPE, "%s: '%s': %s is %s%s; real numbers, complex floats or logicals are expected", op, s->path, v->name,
                   v->flags & FLAG_COMPLEX ? "complex " : "", v->class < CLASSES ? class_names[v->class] : class_names[0]);
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
    out = in_c_order(values, v, t);
  free(values);
  return out;
}

/* ---- the file ---- */

/* Its first bytes: version 0x0100, in the byte order that the letters MI say. */
static hed_status take_file_head(hed__mat_source *s)
{
  unsigned char head[HEAD];
  const bool whole = fread(head, 1, HEAD, s->f) == HEAD;
  const bool little = whole && head[126] == 'I' && head[127] == 'M', big = whole && head[126] == 'M' && head[127] == 'I';
  const unsigned version = little ? head[124] | (unsigned)head[125] << 8 : head[125] | (unsigned)head[124] << 8;
  if (!little && !big)
    return hed_fail(HED_E_FORMAT, "%s: '%s' is no .mat file of version 5 to 7", op, s->path);
  if (version != 0x100)
    return hed_fail(HED_E_FORMAT, "%s: '%s' is a .mat file of version %s; those of 5 to 7 are read: save it with -v7", op, s->path,
                    version == 0x200 ? "7.3" : "that is not known");
  const uint16_t one = 1;
  s->swap = little != (*(const unsigned char *)&one == 1);
  return HED_OK;
}

hed_array *hed_load_mat(const char *path, const char *name)
{
  HED__UNCANCELLED;
  contents c = { .n = 0 };
  hed_array *out = NULL;
  struct stat st;
  if (!path) {
    (void)hed_fail(HED_E_INVAL, "%s: path is NULL", op);
    return NULL;
  }
  hed__mat_source s = { .op = op, .path = path, .f = fopen(path, "rb") };
  if (!s.f || fstat(fileno(s.f), &st) != 0 || !S_ISREG(st.st_mode)) {
    (void)hed_fail(HED_E_IO, "%s: cannot open '%s': %s", op, path, s.f ? "it is no regular file" : strerror(errno));
  } else if (take_file_head(&s) == HED_OK && find(&s, (uint64_t)st.st_size, name, &c) == HED_OK) {
    variable v;
    uint64_t next;
    if (open_element(&s, c.first, (uint64_t)st.st_size, &v, &next) == HED_OK) {
      out = read_variable(&s, &v);
      hed__mat_end(&s);
    }
  }
  if (s.f)
    (void)fclose(s.f);
  return out ? hed__tensor_given(out) : NULL;
}
