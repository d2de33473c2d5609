// SPDX-License-Identifier: BSD-3-Clause
/* What an object's header says of its numbers and its class. See mat_h5.h.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/shapes.h"
#include "kits/tensor/files/mat_h5.h"
#include <string.h>

enum { OF_WHOLE = 0, OF_FLOAT = 1, OF_TEXT = 3, OF_COMPOUND = 6, REAL_BYTES = 20, DEFLATE = 1, SHUFFLE = 2 };

/* ---- types ---- */

static hed_dtype real_type(const unsigned char *d, size_t n, bool *big)
{
  static const unsigned char single[] = { 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0 };
  static const unsigned char wide[] = { 0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0 };
  const hed_dtype ints[2][4] = { { HED_UINT8, HED_UINT16, HED_UINT32, HED_UINT64 }, { HED_INT8, HED_INT16, HED_INT32, HED_INT64 } };
  if (n < 12)
    return NULL;
  const uint64_t size = hed__h5_number(d + 4, 4);
  *big = d[1] & 1;
  if ((d[0] & 15) == OF_FLOAT && n >= REAL_BYTES && !(d[1] & 0x40))
    return size == 4 && memcmp(d + 8, single, sizeof single) == 0 ? HED_FLOAT32
           : size == 8 && memcmp(d + 8, wide, sizeof wide) == 0   ? HED_FLOAT64 : NULL;
  if ((d[0] & 15) != OF_WHOLE || hed__h5_number(d + 8, 2) != 0 || hed__h5_number(d + 10, 2) != 8 * size)
    return NULL;
  for (int k = 0; k < 4; k++)
    if (size == 1u << k)
      return ints[d[1] >> 3 & 1][k];
  return NULL;
}

/* Two equal floats, real and imag: a complex number. */
static hed_dtype complex_type(const unsigned char *d, size_t n, bool *big)
{
  const int version = d[0] >> 4;
  const uint64_t size = hed__h5_number(d + 4, 4);
  hed_dtype part[2] = { NULL, NULL };
  bool order[2] = { false, false };
  size_t at = 8;
  if (hed__h5_number(d + 1, 2) != 2 || version < 1 || version > 3)
    return NULL;
  for (int k = 0; k < 2; k++) {
    const unsigned char *end = memchr(d + at, 0, n - at);
    const size_t length = end ? (size_t)(end - (d + at)) : 0, name = version < 3 ? (length / 8 + 1) * 8 : length + 1;
    const size_t bytes = version < 3 ? 4 : 1, more = version == 1 ? 28 : 0;
    if (!end || d[at] != "ri"[k] || n - at < name + bytes + more + REAL_BYTES)
      return NULL;
    at += name;
    if (hed__h5_number(d + at, (int)bytes) != (uint64_t)k * (size / 2))
      return NULL;
    at += bytes + more;
    part[k] = real_type(d + at, n - at, &order[k]);
    at += REAL_BYTES;
  }
  *big = order[0];
  if (!part[0] || part[0] != part[1] || order[0] != order[1] || size != 2 * (uint64_t)hed_dtype_size(part[0]))
    return NULL;
  return part[0] == HED_FLOAT32 ? HED_COMPLEX64 : part[0] == HED_FLOAT64 ? HED_COMPLEX128 : NULL;
}

static void take_type(hed__h5_object *o, const hed__h5_message *m)
{
  if (m->n >= 8)
    o->dtype = (m->data[0] & 15) == OF_COMPOUND ? complex_type(m->data, m->n, &o->big) : real_type(m->data, m->n, &o->big);
  o->size = o->dtype ? (size_t)hed_dtype_size(o->dtype) : 0;
}

/* ---- extents, places, filters ---- */

static void take_space(hed__h5_object *o, const hed__h5_message *m)
{
  const int version = m->n >= 4 ? m->data[0] : 0, ndim = version ? m->data[1] : 0;
  const size_t from = version == 1 ? 8 : 4;
  int64_t room = 1;
  bool none = false;
  if (version == 2 && m->data[3] == 2)
    o->wrong = "has no extents";
  else if (ndim > HED_MAX_NDIM)
    o->wrong = "has more axes than arrays have";
  else if ((version != 1 && version != 2) || m->n < from + 8 * (size_t)ndim)
    o->wrong = "has no extents";
  o->shape.ndim = o->wrong ? 0 : ndim;
  for (int k = 0; k < o->shape.ndim && !o->wrong; k++) {
    const uint64_t extent = hed__h5_number(m->data + from + 8 * (size_t)k, 8);
    if (extent > INT64_MAX || !hed__count_extent(&room, (int64_t)extent))
      o->wrong = "has more elements than can be counted";
    o->shape.dim[k] = (int64_t)extent;
    none = none || extent == 0;
  }
  o->n = none ? 0 : room;
}

static void take_layout(hed__h5_object *o, const hed__h5_message *m)
{
  const unsigned char *d = m->data;
  const int version = m->n >= 4 ? d[0] : 0;
  o->layout = version ? d[1] : -1;
  if (version != 3 && version != 4)
    o->wrong = "has its elements as only other versions of HDF5 have them";
  else if (o->layout == 3)
    o->wrong = "is put together from other places";
  else if (o->layout == 2 && version == 4)
    o->wrong = "has its chunks in an index of later versions of HDF5";
  else if (o->layout == 0) {
    o->at = m->at + 4;
    o->stored = hed__h5_number(d + 2, 2);
    if (o->stored > m->size - 4)
      o->wrong = "has elements outside its header";
  } else if (o->layout == 1 && m->n >= 18) {
    o->at = hed__h5_number(d + 2, 8);
    o->stored = hed__h5_number(d + 10, 8);
  } else if (o->layout == 2 && d[2] >= 1 && d[2] <= HED_MAX_NDIM + 1 && m->n >= 11 + 4 * (size_t)d[2]) {
    o->axes = d[2];
    o->at = hed__h5_number(d + 3, 8);
    for (int k = 0; k < o->axes; k++)
      o->chunk[k] = (uint32_t)hed__h5_number(d + 11 + 4 * (size_t)k, 4);
  } else
    o->wrong = "does not say where its elements are";
}

static void take_filters(hed__h5_object *o, const hed__h5_message *m)
{
  const int version = m->n >= 2 ? m->data[0] : 0, n = version ? m->data[1] : 0;
  size_t at = version == 1 ? 8 : 2;
  if (version != 1 && version != 2)
    o->wrong = "has filters of a version that is not known";
  for (int k = 0; k < n && !o->wrong; k++) {
    const int id = at + 8 <= m->n ? (int)hed__h5_number(m->data + at, 2) : 0;
    int *place = id == DEFLATE ? &o->deflate : id == SHUFFLE ? &o->shuffle : NULL;
    if (!place || *place >= 0) {
      o->wrong = place ? "has a filter twice" : "has a filter other than deflate and shuffle";
      break;
    }
    *place = o->filters++;
    const size_t name = version == 1 ? (size_t)hed__h5_number(m->data + at + 2, 2) : 0;
    const size_t values = (size_t)hed__h5_number(m->data + at + (version == 1 ? 6 : 4), 2);
    at += (version == 1 ? 8 : 6) + (name + 7) / 8 * 8 + 4 * (version == 1 ? (values + 1) / 2 * 2 : values);
  }
  if (o->shuffle > o->deflate && o->deflate >= 0)
    o->wrong = "is deflated before it is shuffled";
}

/* ---- attributes ---- */

static void take_attribute(hed__h5_object *o, const hed__h5_message *m)
{
  const unsigned char *d = m->data;
  const int version = m->n >= 9 ? d[0] : 0;
  if (version < 1 || version > 3)
    return;
  size_t part[3], at = version == 3 ? 9 : 8, from = at;
  for (int k = 0; k < 3; k++) {
    part[k] = (size_t)hed__h5_number(d + 2 + 2 * k, 2);
    from += version == 1 ? (part[k] + 7) / 8 * 8 : part[k];
  }
  const size_t type = at + (version == 1 ? (part[0] + 7) / 8 * 8 : part[0]);
  if (part[0] < 1 || part[1] < 8 || from > m->n || memchr(d + at, 0, part[0]) != d + at + part[0] - 1)
    return;
  const char *name = (const char *)d + at;
  const int class = d[type] & 15;
  const uint64_t size = hed__h5_number(d + type + 4, 4);
  const bool fits = size <= m->n - from && !(version > 1 && d[1]);
  if (strcmp(name, "MATLAB_sparse") == 0)
    o->sparse = true;
  else if (strcmp(name, "MATLAB_class") == 0) {
    const bool text = class == OF_TEXT && fits && size > 0 && size < sizeof o->class;
    memset(o->class, 0, sizeof o->class);
    memcpy(o->class, text ? (const char *)d + from : "unknown", text ? (size_t)size : sizeof "unknown");
  } else if (strcmp(name, "MATLAB_empty") == 0)
    for (size_t k = 0; class == OF_WHOLE && fits && size <= 8 && k < size; k++)
      o->empty = o->empty || d[from + k];
}

static bool on_object(void *arg, const hed__h5_message *m)
{
  hed__h5_object *o = arg;
  const bool shared = m->flags & 2;
  switch (m->type) {
  case HED__H5_SYMBOLS:
  case HED__H5_LINK_INFO:
  case HED__H5_LINK:
    o->group = true;
    break;
  case HED__H5_SPACE:
  case HED__H5_TYPE:
  case HED__H5_LAYOUT:
  case HED__H5_FILTERS:
    if (shared)
      o->wrong = "shares what it says of its elements with others";
    else if (!o->wrong)
      (m->type == HED__H5_SPACE ? take_space : m->type == HED__H5_TYPE ? take_type
       : m->type == HED__H5_LAYOUT ? take_layout : take_filters)(o, m);
    break;
  case HED__H5_EXTERNAL:
    o->wrong = "has its elements in other files";
    break;
  case HED__H5_ATTRIBUTE:
    if (!shared)
      take_attribute(o, m);
    break;
  case HED__H5_ATTRIBUTE_INFO:
    if (m->n < 10 || hed__h5_number(m->data + (m->data[1] & 1 ? 4 : 2), 8) != UINT64_MAX)
      o->wrong = "has its class as only later versions of HDF5 have it";
    break;
  default:
    break;
  }
  return true;
}

hed_status hed__h5_look(const hed__h5_tree *f, uint64_t object, hed__h5_object *o)
{
  *o = (hed__h5_object){ .n = -1, .layout = -1, .deflate = -1, .shuffle = -1 };
  const hed_status status = hed__h5_messages(f, object, on_object, o);
  if (o->n < 0 && !o->wrong)
    o->wrong = "has no extents";
  return status;
}
