// SPDX-License-Identifier: BSD-3-Clause
/* Objects of HDF5 files, those of the ultrasound file format among them.
 *
 * Layer: L4, ultrasound kit. MATLAB writes axes the other way round, so an array of (samples, channels) has (channels, samples)
 * in the file and here. Extents in a file are believed only as far as the bytes that it holds can fill them, and nothing that lies in
 * other files is read.
 */
#include "kits/ultrasound/read.h"
#include "kits/shapes.h"
#include "kits/ultrasound/hdf5_load.h"

#ifdef HED_HAVE_HDF5
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* READ_ONLY is H5F_ACC_RDONLY, whose macro calls the library by its linked name. */
enum { READ_ONLY = 0, DEPTH = 8, SMALL = 1 << 20, MOST_RATIO = 1100, MOST_FILTERS = 32, LINKS = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct file {
  const hed__hdf5 *h;
  const char *path;
  hid_t id;
  hsize_t bytes;
} file;

static hed_status bad(const file *f, const char *name, const char *what)
{
  return hed_fail(HED_E_FORMAT, HED__US_READ ": '%s': %s %s", f->path, name, what);
}

/* The member NAME of a group, opened; negative when there is none, or a link to another place: it has a value. */
static hid_t member(const file *f, hid_t group, const char *name)
{
  char value[8];
  return f->h->H5Lexists(group, name, H5P_DEFAULT) > 0 && f->h->H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT) < 0
             ? f->h->H5Oopen(group, name, H5P_DEFAULT) : -1;
}

/* The attribute "class" of an object, "" without one. */
static void class_of(const file *f, hid_t object, char *out, size_t room)
{
  const hed__hdf5 *h = f->h;
  out[0] = 0;
  const hid_t a = h->H5Aexists(object, "class") > 0 ? h->H5Aopen(object, "class", H5P_DEFAULT) : -1;
  if (a < 0)
    return;
  const hid_t type = h->H5Aget_type(a), space = h->H5Aget_space(a);
  const size_t size = h->H5Tget_size(type);
  char text[128] = { 0 }, *text_at = NULL;
  if (h->H5Tget_class(type) == H5T_STRING && h->H5Sget_simple_extent_npoints(space) == 1) {
    if (h->H5Tis_variable_str(type) > 0) {
      if (h->H5Aread(a, type, &text_at) >= 0 && text_at)
        strncpy(text, text_at, sizeof text - 1);
      (void)h->H5free_memory(text_at);
    } else if (size < sizeof text && h->H5Aread(a, type, text) < 0)
      text[0] = 0;
  }
  (void)snprintf(out, room, "%.*s", (int)room - 1, text);
  (void)h->H5Sclose(space);
  (void)h->H5Tclose(type);
  (void)h->H5Aclose(a);
}

/* ---- arrays ---- */

typedef struct element {
  hid_t type; /* in memory */
  hed_dtype dtype;
  size_t size;
} element;

static hed_dtype real_dtype(H5T_class_t class, size_t size, bool is_signed)
{
  static const int sizes[] = { 1, 2, 4, 8 };
  const hed_dtype ints[2][4] = { { HED_UINT8, HED_UINT16, HED_UINT32, HED_UINT64 }, { HED_INT8, HED_INT16, HED_INT32, HED_INT64 } };
  if (class == H5T_FLOAT)
    return size == 4 ? HED_FLOAT32 : size == 8 ? HED_FLOAT64 : NULL;
  for (int i = 0; class == H5T_INTEGER && i < 4; i++)
    if (size == (size_t)sizes[i])
      return ints[is_signed][i];
  return NULL;
}

/* The dtype of a native type: numbers, or compounds of two equal floats. */
static hed_dtype dtype_of(const hed__hdf5 *h, hid_t type)
{
  const H5T_class_t class = h->H5Tget_class(type);
  if (class != H5T_COMPOUND)
    return real_dtype(class, h->H5Tget_size(type), class == H5T_INTEGER && h->H5Tget_sign(type) == H5T_SGN_2);
  if (h->H5Tget_nmembers(type) != 2)
    return NULL;
  const hid_t re = h->H5Tget_member_type(type, 0), im = h->H5Tget_member_type(type, 1);
  const size_t size = h->H5Tget_size(re);
  const bool pair = h->H5Tget_class(re) == H5T_FLOAT && h->H5Tget_class(im) == H5T_FLOAT && h->H5Tget_size(im) == size &&
                    h->H5Tget_size(type) == 2 * size && h->H5Tget_member_offset(type, 0) == 0 &&
                    h->H5Tget_member_offset(type, 1) == size;
  (void)h->H5Tclose(im);
  (void)h->H5Tclose(re);
  return !pair ? NULL : size == 4 ? HED_COMPLEX64 : size == 8 ? HED_COMPLEX128 : NULL;
}

static hed_status element_of(const file *f, hid_t d, const char *name, element *e)
{
  const hid_t stored = f->h->H5Dget_type(d);
  *e = (element){ .type = f->h->H5Tget_native_type(stored, H5T_DIR_ASCEND) };
  (void)f->h->H5Tclose(stored);
  if (e->type >= 0)
    e->dtype = dtype_of(f->h, e->type);
  if (!e->dtype) {
    if (e->type >= 0)
      (void)f->h->H5Tclose(e->type);
    return hed_fail(HED_E_DTYPE, HED__US_READ ": '%s': %s holds neither numbers nor pairs of floats", f->path, name);
  }
  e->size = f->h->H5Tget_size(e->type);
  return HED_OK;
}

/* Each filter makes no more than MOST_RATIO of a byte; one after itself could. */
static bool filters_differ(const hed__hdf5 *h, hid_t p)
{
  H5Z_filter_t seen[MOST_FILTERS];
  const int n = h->H5Pget_nfilters(p);
  for (int i = 0; i < n; i++) {
    unsigned flags = 0, config = 0;
    size_t values = 0;
    if (i == MOST_FILTERS || (seen[i] = h->H5Pget_filter2(p, (unsigned)i, &flags, &values, NULL, 0, NULL, &config)) < 0)
      return false;
    for (int k = 0; k < i; k++)
      if (seen[k] == seen[i])
        return false;
  }
  return n >= 0;
}

/* How N bytes lie in the file. Chunks are never larger than what they are of, but for small ones that can grow. */
static hed_status expect_storage(const file *f, hid_t d, const char *name, size_t size, hsize_t n)
{
  const hid_t p = f->h->H5Dget_create_plist(d);
  hed_status status = HED_OK;
  hsize_t chunk[H5S_MAX_RANK], bytes = size;
  const H5D_layout_t layout = p < 0 ? H5D_LAYOUT_ERROR : f->h->H5Pget_layout(p);
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    status = bad(f, name, "is put together from other places");
  else if (f->h->H5Pget_external_count(p) != 0)
    status = bad(f, name, "has its elements in other files");
  else if (!filters_differ(f->h, p))
    status = bad(f, name, "has a filter twice");
  const int axes = status == HED_OK && layout == H5D_CHUNKED ? f->h->H5Pget_chunk(p, H5S_MAX_RANK, chunk) : 0;
  const hsize_t most = n > SMALL ? n : SMALL;
  for (int i = 0; i < axes && status == HED_OK; i++) {
    if (chunk[i] == 0 || bytes > most / chunk[i])
      status = hed_fail(HED_E_FORMAT, HED__US_READ ": '%s': %s has %llu bytes, and chunks that are larger", f->path, name,
                        (unsigned long long)n);
    bytes *= chunk[i];
  }
  if (p >= 0)
    (void)f->h->H5Pclose(p);
  return status;
}

/* Extents, and the number of elements, which the file can hold. */
static hed_status extents(const file *f, hid_t d, const char *name, size_t size, hed_shape *s, size_t *n)
{
  hsize_t dims[H5S_MAX_RANK];
  int64_t room = (int64_t)size;
  bool none = false;
  const hid_t space = f->h->H5Dget_space(d);
  const int ndim = space < 0 ? -1 : f->h->H5Sget_simple_extent_ndims(space);
  const bool fits = ndim >= 0 && ndim <= HED_MAX_NDIM && f->h->H5Sget_simple_extent_dims(space, dims, NULL) == ndim &&
                    f->h->H5Sget_simple_extent_npoints(space) >= 0;
  if (space >= 0)
    (void)f->h->H5Sclose(space);
  if (!fits)
    return bad(f, name, "has no extents, or more axes than arrays have");
  *s = (hed_shape){ .ndim = ndim };
  for (int i = 0; i < ndim; i++) {
    if (dims[i] > INT64_MAX || !hed__count_extent(&room, (int64_t)dims[i]))
      return bad(f, name, "has more elements than can be counted");
    none = none || dims[i] == 0;
    s->dim[i] = (int64_t)dims[i];
  }
  const hsize_t stored = f->h->H5Dget_storage_size(d), bytes = none ? 0 : (hsize_t)room;
  if (stored > f->bytes || (bytes > SMALL && bytes / MOST_RATIO > stored))
    return hed_fail(HED_E_FORMAT, HED__US_READ ": '%s': %s says %llu bytes, of which %llu are in a file of %llu", f->path, name,
                    (unsigned long long)bytes, (unsigned long long)stored, (unsigned long long)f->bytes);
  *n = (size_t)bytes / size;
  return expect_storage(f, d, name, size, bytes);
}

/* Values from malloc() as an array, which owns them from then on, where the context works. */
static hed_array *owned(void *values, hed_shape s, hed_dtype t)
{
  hed_array *here = hed_keep(hed_wrap(values, s, NULL, t, free, values)), *out = NULL;
  if (!here)
    free(values);
  else
    out = hed_keep(hed_to(here, hed_get_backend()));
  hed_release(here);
  return out;
}

static void *room_for(const char *path, size_t n, size_t size)
{
  void *p = malloc(n > 0 ? n * size : 1);
  if (!p)
    (void)hed_fail(HED_E_NOMEM, HED__US_READ ": '%s': no memory for %zu bytes", path, n * size);
  return p;
}

static hed_status read_dataset(const file *f, hid_t d, const char *name, hed_array **out)
{
  hed_shape s;
  size_t n;
  element e;
  hed_status status = element_of(f, d, name, &e);
  if (status != HED_OK)
    return status;
  void *values = NULL;
  if ((status = extents(f, d, name, e.size, &s, &n)) == HED_OK && !(values = room_for(f->path, n, e.size)))
    status = hed_error();
  if (status == HED_OK && n > 0 && f->h->H5Dread(d, e.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    status = bad(f, name, "cannot be read");
    free(values);
  } else if (status == HED_OK)
    status = (*out = owned(values, s, e.dtype)) ? HED_OK : hed_error();
  (void)f->h->H5Tclose(e.type);
  return status;
}

/* Every second component of OUT from PART of a group. */
static hed_status read_part(const file *f, hid_t part, const char *name, const element *e, size_t n, int second, char *out)
{
  char *values = room_for(f->path, n, e->size);
  hed_status status = values ? HED_OK : hed_error();
  if (values && n > 0 && f->h->H5Dread(part, e->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    status = bad(f, name, "cannot be read");
  for (size_t i = 0; status == HED_OK && i < n; i++)
    memcpy(out + (2 * i + (size_t)second) * e->size, values + i * e->size, e->size);
  free(values);
  return status;
}

/* Groups "real" and "imag" of floats. */
static hed_status read_pair(const file *f, hid_t group, const char *name, hed_array **out)
{
  const hid_t part[2] = { member(f, group, "real"), member(f, group, "imag") };
  element e = { .type = -1 };
  hed_shape s[2];
  size_t n[2];
  char *values = NULL;
  hed_status status = part[0] >= 0 && part[1] >= 0 && f->h->H5Iget_type(part[0]) == H5I_DATASET &&
                      f->h->H5Iget_type(part[1]) == H5I_DATASET ? HED_OK : bad(f, name, "is a group without real and imag");
  if (status == HED_OK && (status = element_of(f, part[0], name, &e)) != HED_OK)
    e.type = -1;
  if (status == HED_OK && hed_dtype_kind(e.dtype) != HED_KIND_FLOAT)
    status = hed_fail(HED_E_DTYPE, HED__US_READ ": '%s': %s has parts of %s, not of floats", f->path, name, hed_dtype_name(e.dtype));
  for (int i = 0; i < 2 && status == HED_OK; i++)
    status = extents(f, part[i], name, 2 * e.size, &s[i], &n[i]);
  if (status == HED_OK && (s[0].ndim != s[1].ndim || memcmp(s[0].dim, s[1].dim, sizeof s[0].dim) != 0))
    status = bad(f, name, "has real and imag of different extents");
  if (status == HED_OK && !(values = room_for(f->path, n[0], 2 * e.size)))
    status = hed_error();
  for (int i = 0; i < 2 && status == HED_OK; i++)
    status = read_part(f, part[i], name, &e, n[0], i, values);
  if (status == HED_OK) {
    *out = owned(values, s[0], e.size == 4 ? HED_COMPLEX64 : HED_COMPLEX128);
    status = *out ? HED_OK : hed_error();
  } else
    free(values);
  if (e.type >= 0)
    (void)f->h->H5Tclose(e.type);
  for (int i = 0; i < 2; i++)
    if (part[i] >= 0)
      (void)f->h->H5Oclose(part[i]);
  return status;
}

static hed_status read_array(const file *f, hid_t object, const char *name, hed_array **out)
{
  return f->h->H5Iget_type(object) == H5I_DATASET ? read_dataset(f, object, name, out) : read_pair(f, object, name, out);
}

/* ---- objects of UFF ---- */

/* Member NAME, when there is one: an array, or one number. */
static hed_status optional_array(const file *f, hid_t group, const char *name, hed_array **out)
{
  const hid_t d = member(f, group, name);
  if (d < 0)
    return HED_OK;
  const hed_status status = read_array(f, d, name, out);
  (void)f->h->H5Oclose(d);
  return status;
}

static hed_status optional_number(const file *f, hid_t group, const char *name, double *out)
{
  hed_array *x = NULL;
  hed_status status = optional_array(f, group, name, &x);
  if (x && status == HED_OK)
    status = hed_item(x, out);
  hed_release(x);
  return status;
}

/* An axis of the scan, as one of the array's. */
static hed_status axis_of(const file *f, hid_t scan, const char *name, hed_array **out)
{
  hed_array *x = NULL;
  hed_status status = optional_array(f, scan, name, &x);
  if (x && status == HED_OK)
    status = (*out = hed_keep(hed_ravel(x))) ? HED_OK : hed_error();
  hed_release(x);
  return status;
}

/* Places in the file are a column of the image after the other, on the last axis, or on the first where no MATLAB wrote it. */
static hed_status shape_image(const file *f, const char *name, hed_us_data *out)
{
  const hed_array *down = out->z ? out->z : out->rho, *across = out->x ? out->x : out->theta;
  hed_shape s = hed_array_shape(out->data), image = { 0, { 0 } };
  const int64_t nz = hed_array_size(down), nx = hed_array_size(across);
  if (!down || !across)
    return bad(f, name, "has no scan with two axes");
  const bool last = s.ndim > 0 && nz > 0 && s.dim[s.ndim - 1] / nz == nx && s.dim[s.ndim - 1] % nz == 0;
  const bool first = s.ndim > 0 && nz > 0 && s.dim[0] / nz == nx && s.dim[0] % nz == 0;
  if (!last && !first)
    return hed_fail(HED_E_FORMAT, HED__US_READ ": '%s': %s has no axis of %lld x %lld places", f->path, name, (long long)nz,
                    (long long)nx);
  for (int32_t i = 0; i < s.ndim; i++) {
    const int64_t extent = s.dim[last ? i : s.ndim - 1 - i];
    if (i + 1 < s.ndim && extent != 1 && image.ndim < HED_MAX_NDIM - 2)
      image.dim[image.ndim++] = extent;
  }
  image.dim[image.ndim++] = nx;
  image.dim[image.ndim++] = nz;
  hed_array *turned = NULL;
  hed_scope scope;
  if (hed_scope_begin(&scope) == HED_OK) {
    turned = hed_keep(hed_matrix_transpose(hed_reshape(last ? out->data : hed_transpose(out->data, NULL), image)));
    hed_scope_end(&scope);
  }
  if (!turned)
    return hed_error();
  hed_release(out->data);
  out->data = turned;
  return HED_OK;
}

static hed_status read_uff(const file *f, hid_t group, const char *name, bool image, hed_us_data *out)
{
  const hid_t data = member(f, group, "data"), scan = image ? member(f, group, "scan") : -1;
  hed_status status = data >= 0 ? read_array(f, data, "data", &out->data) : bad(f, name, "has no data");
  static const char *const numbers[] = { "sampling_frequency", "initial_time", "sound_speed", "modulation_frequency" };
  double *const to[] = { &out->sampling_frequency, &out->initial_time, &out->sound_speed, &out->modulation_frequency };
  for (size_t i = 0; i < sizeof to / sizeof *to && status == HED_OK; i++)
    status = optional_number(f, group, numbers[i], to[i]);
  if (status == HED_OK && (out->sampling_frequency <= 0 || out->sound_speed <= 0 || isinf(out->sampling_frequency))) {
    char why[120];
    snprintf(why, sizeof why, "has sampling_frequency %g and sound_speed %g, which are above 0", out->sampling_frequency,
             out->sound_speed);
    status = bad(f, name, why);
  }
  static const char *const axes[] = { "z_axis", "x_axis", "depth_axis", "azimuth_axis" };
  hed_array **const axis[] = { &out->z, &out->x, &out->rho, &out->theta };
  for (size_t i = 0; i < sizeof axis / sizeof *axis && status == HED_OK && scan >= 0; i++)
    status = axis_of(f, scan, axes[i], axis[i]);
  if (status == HED_OK && image)
    status = shape_image(f, name, out);
  out->content = image ? HED_US_IMAGE : HED_US_CHANNELS;
  if (scan >= 0)
    (void)f->h->H5Oclose(scan);
  if (data >= 0)
    (void)f->h->H5Oclose(data);
  return status;
}

/* ---- which object ---- */

typedef enum kind { NOTHING, ARRAY, CHANNELS, IMAGE, GROUP } kind;

static bool has(const file *f, hid_t group, const char *name)
{
  return f->h->H5Lexists(group, name, H5P_DEFAULT) > 0;
}

/* By class; the first version of the format, of the PICMUS challenge, has none, so by what is there. */
static kind kind_of(const file *f, hid_t object)
{
  char class[32];
  if (f->h->H5Iget_type(object) == H5I_DATASET)
    return ARRAY;
  if (f->h->H5Iget_type(object) != H5I_GROUP)
    return NOTHING;
  class_of(f, object, class, sizeof class);
  if (strcmp(class, "uff.channel_data") == 0)
    return CHANNELS;
  if (strcmp(class, "uff.beamformed_data") == 0)
    return IMAGE;
  if (has(f, object, "data") && (has(f, object, "scan") || has(f, object, "sampling_frequency")))
    return has(f, object, "scan") ? IMAGE : CHANNELS;
  return has(f, object, "real") && has(f, object, "imag") ? ARRAY : GROUP;
}

typedef struct search {
  bool uff;          /* objects of UFF only, or arrays only */
  char found[64], there[160];
  int links;
} search;

/* The first object of the kind that is looked for, depth first, its path in s->found; what is passed by is listed. */
static bool find(const file *f, hid_t group, const char *prefix, int depth, search *s)
{
  H5G_info_t info;
  if (depth > DEPTH || f->h->H5Gget_info(group, &info) < 0)
    return false;
  for (hsize_t i = 0; i < info.nlinks && s->links < LINKS; i++) {
    char name[64], path[64 + 64 + 2];
    s->links++;
    const ssize_t n = f->h->H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    const hid_t object = n > 0 && n < (ssize_t)sizeof name ? member(f, group, name) : -1;
    const size_t length = object < 0 ? sizeof s->found : (size_t)snprintf(path, sizeof path, "%s%s", prefix, name);
    if (object < 0)
      continue;
    const kind k = kind_of(f, object);
    const bool is_it = length < sizeof s->found && (s->uff ? k == CHANNELS || k == IMAGE : k == ARRAY);
    if (is_it)
      memcpy(s->found, path, length + 1);
    else if (depth == 0) {
      const size_t used = strlen(s->there);
      (void)snprintf(s->there + used, sizeof s->there - used, "%s%s", used ? ", " : "", name);
    }
    bool done = is_it;
    if (!done && k == GROUP && length + 2 < sizeof s->found) {
      memcpy(path + length, "/", 2);
      done = find(f, object, path, depth + 1, s);
    }
    (void)f->h->H5Oclose(object);
    if (done)
      return true;
  }
  return false;
}

/* Every part of a path must be there: H5Oopen() alone says no more than that something is not. */
static hid_t by_path(const file *f, const char *path)
{
  char part[64];
  hid_t at = f->h->H5Oopen(f->id, "/", H5P_DEFAULT);
  while (at >= 0 && *path) {
    const size_t n = strcspn(path, "/");
    if (n >= sizeof part)
      break;
    memcpy(part, path, n);
    part[n] = 0;
    path += n + (path[n] == '/');
    if (n == 0)
      continue;
    const hid_t next = f->h->H5Iget_type(at) == H5I_GROUP ? member(f, at, part) : -1;
    (void)f->h->H5Oclose(at);
    at = next;
  }
  if (at >= 0 && *path) {
    (void)f->h->H5Oclose(at);
    at = -1;
  }
  return at;
}

static hed_status read_object(const file *f, const char *name, hed_us_data *out)
{
  search s = { .uff = true };
  const bool found = find(f, f->id, "", 0, &s);
  if (!name && !found) {
    s.uff = false;
    s.there[0] = 0;
    s.links = 0;
    (void)find(f, f->id, "", 0, &s);
  }
  const char *chosen = name ? name : s.found;
  const hid_t object = chosen[0] ? by_path(f, chosen) : -1;
  if (object < 0)
    return hed_fail(HED_E_NOTFOUND, HED__US_READ ": '%s' has no %s; it has %s%s%s", f->path, name ? name : "array that can be read",
                    s.found[0] ? s.found : "", s.found[0] && s.there[0] ? ", " : "", s.there[0] || s.found[0] ? s.there : "nothing");
  const kind k = kind_of(f, object);
  (void)snprintf(out->name, sizeof out->name, "%s", chosen);
  hed_status status;
  if (k == CHANNELS || k == IMAGE)
    status = read_uff(f, object, chosen, k == IMAGE, out);
  else
    status = k == ARRAY ? read_array(f, object, chosen, &out->data) : bad(f, chosen, "is no array");
  (void)f->h->H5Oclose(object);
  return status;
}

/* The library would print what fails. */
hed_status hed__us_read_hdf5(const char *path, const char *name, hed_us_data *out)
{
  file f = { .h = hed__hdf5_get(HED__US_READ), .path = path };
  H5E_auto2_t report = NULL;
  void *data = NULL;
  if (!f.h)
    return hed_error();
  pthread_mutex_lock(&lock);
  (void)f.h->H5Eget_auto2(H5E_DEFAULT, &report, &data);
  (void)f.h->H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  f.id = f.h->H5Fopen(path, READ_ONLY, H5P_DEFAULT);
  hed_status status;
  if (f.id < 0 || f.h->H5Fget_filesize(f.id, &f.bytes) < 0)
    status = hed_fail(HED_E_FORMAT, HED__US_READ ": '%s' begins as HDF5 and is none", path);
  else
    status = read_object(&f, name, out);
  if (f.id >= 0)
    (void)f.h->H5Fclose(f.id);
  (void)f.h->H5Eset_auto2(H5E_DEFAULT, report, data);
  pthread_mutex_unlock(&lock);
  return status;
}

#else

hed_status hed__us_read_hdf5(const char *path, const char *name, hed_us_data *out)
{
  (void)name;
  (void)out;
  return hed_fail(HED_E_UNAVAILABLE, HED__US_READ ": '%s' is HDF5; this Heddle is built without", path);
}

#endif
