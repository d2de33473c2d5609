// SPDX-License-Identifier: BSD-3-Clause
/* .npz archives: members NAME.npy in a ZIP file, by libzip. L3.
 *
 * Reading believes neither the directory of the archive nor the heads of its members: a member must have the size that
 * its head implies, and a deflated one cannot be more than 1032 times as large as what is stored (the limit of the
 * format, RFC 1951). Writing hands libzip a stream per member, so that one array at a time is copied, and that only when
 * it does not lie in C order in host memory.
 */
#include "api/call/check.h"
#include "api/file/file.h"
#include "api/file/npy_stream.h"
#include "api/file/zip_load.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "core/memory/memory.h"
#include "core/array/settle.h"
#include <heddle/io.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef HED_HAVE_LIBZIP

enum { MOST_MEMBERS = 1 << 20, DEFLATE_LIMIT = 1032 };

typedef struct member {
  char *name;       /* without .npy; owned */
  zip_uint64_t index, size;
} member;

struct hed_npz {
  const hed__zip *lib;
  zip_t *zip;
  char *path;
  member *members;
  int n;
};

/* ---- reading ---- */

static hed_status zip_fail(const char *op, const char *path, const hed__zip *lib, zip_t *z)
{
  return hed_fail(HED_E_FORMAT, "%s: %s: %s", op, path, lib->zip_strerror(z));
}

static hed_status add_member(hed_npz *z, zip_uint64_t index)
{
  zip_stat_t st;
  if (z->lib->zip_stat_index(z->zip, index, ZIP_FL_ENC_RAW, &st) != 0)
    return zip_fail("npz_open", z->path, z->lib, z->zip);
  size_t n = st.valid & ZIP_STAT_NAME ? strlen(st.name) : 0;
  if (n <= 4 || strcmp(st.name + n - 4, ".npy") != 0)
    return HED_OK;
  if (!(st.valid & ZIP_STAT_SIZE) || !(st.valid & ZIP_STAT_COMP_SIZE) || st.size > SIZE_MAX / 2)
    return hed_fail(HED_E_FORMAT, "npz_open: %s: member %s has no size", z->path, st.name);
  if ((st.valid & ZIP_STAT_ENCRYPTION_METHOD) && st.encryption_method != ZIP_EM_NONE)
    return hed_fail(HED_E_FORMAT, "npz_open: %s: member %s is encrypted", z->path, st.name);
  if (st.comp_size < st.size / DEFLATE_LIMIT)
    return hed_fail(HED_E_FORMAT, "npz_open: %s: member %s cannot have %llu bytes, %llu are stored", z->path, st.name,
                    (unsigned long long)st.size, (unsigned long long)st.comp_size);
  member *m = &z->members[z->n];
  *m = (member){ .name = hed__malloc(n - 3), .index = index, .size = st.size };
  if (!m->name)
    return hed_fail(HED_E_NOMEM, "npz_open: %s: no memory for a name", z->path);
  memcpy(m->name, st.name, n - 4);
  m->name[n - 4] = 0;
  z->n++;
  return HED_OK;
}

hed_status hed_npz_open(const char *path, hed_npz **out)
{
  HED__UNCANCELLED;
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "npz_open: %s is NULL", path ? "out" : "path");
  *out = NULL;
  const hed__zip *lib = hed__zip_get("npz_open");
  if (!lib)
    return hed_error();
  size_t bytes; /* says in our words what the system refuses */
  int fd = hed__io_open("npz_open", path, &bytes);
  if (fd < 0)
    return (hed_status)fd;
  close(fd);
  hed_npz *z = hed__calloc(1, sizeof *z);
  char *copy = hed__strdup(path);
  hed_status status = z && copy ? HED_OK : hed_fail(HED_E_NOMEM, "npz_open: %s: no memory for a record", path);
  if (status != HED_OK) {
    hed__free(copy);
    hed__free(z);
    return status;
  }
  z->lib = lib;
  z->path = copy;
  int code = 0;
  z->zip = lib->zip_open(path, ZIP_RDONLY, &code);
  if (!z->zip) {
    zip_error_t e;
    lib->zip_error_init_with_code(&e, code);
    status = hed_fail(code == ZIP_ER_MEMORY ? HED_E_NOMEM : code == ZIP_ER_OPEN || code == ZIP_ER_READ ? HED_E_IO : HED_E_FORMAT,
                      "npz_open: %s: %s", path, lib->zip_error_strerror(&e));
    lib->zip_error_fini(&e);
  }
  zip_int64_t count = status == HED_OK ? lib->zip_get_num_entries(z->zip, 0) : 0;
  if (count > MOST_MEMBERS)
    status = hed_fail(HED_E_FORMAT, "npz_open: %s: %lld members, the limit is %d", path, (long long)count, MOST_MEMBERS);
  if (status == HED_OK && count > 0 && !(z->members = hed__calloc((size_t)count, sizeof *z->members)))
    status = hed_fail(HED_E_NOMEM, "npz_open: %s: no memory for %lld members", path, (long long)count);
  for (zip_int64_t k = 0; k < count && status == HED_OK; k++)
    status = add_member(z, (zip_uint64_t)k);
  if (status != HED_OK) {
    hed_npz_close(z);
    return status;
  }
  *out = z;
  return HED_OK;
}

void hed_npz_close(hed_npz *z)
{
  HED__UNCANCELLED;
  if (!z)
    return;
  if (z->zip)
    z->lib->zip_discard(z->zip);
  for (int k = 0; k < z->n; k++)
    hed__free(z->members[k].name);
  hed__free(z->members);
  hed__free(z->path);
  hed__free(z);
}

int hed_npz_count(const hed_npz *z) { return z ? z->n : 0; }
const char *hed_npz_name(const hed_npz *z, int k) { return z && k >= 0 && k < z->n ? z->members[k].name : NULL; }

typedef struct reading {
  const hed_npz *npz;
  zip_file_t *file;
} reading;

static hed_status from_member(hed__source *s, void *to, size_t n)
{
  reading *r = s->handle;
  char *p = to;
  while (n) {
    zip_int64_t got = r->npz->lib->zip_fread(r->file, p, n);
    if (got <= 0)
      return hed_fail(HED_E_FORMAT, "%s: %s: %s", s->op, s->name,
                      got < 0 ? "damaged data" : "the member ends early");
    p += got;
    n -= (size_t)got;
  }
  return HED_OK;
}

hed_array *hed_npz_load(hed_npz *z, const char *name)
{
  HED__UNCANCELLED;
  if (!z || !name) {
    hed_fail(HED_E_INVAL, "npz_load: %s is NULL", z ? "name" : "the archive");
    return NULL;
  }
  const member *m = NULL;
  for (int k = 0; k < z->n && !m; k++)
    if (strcmp(z->members[k].name, name) == 0)
      m = &z->members[k];
  if (!m) {
    char there[200] = "";
    for (int k = 0; k < z->n && k < 8; k++)
      snprintf(there + strlen(there), sizeof there - strlen(there), "%s%.40s", k ? ", " : "", z->members[k].name);
    hed_fail(HED_E_NOTFOUND, "npz_load: %s has no array '%.80s'; it has %d: %s", z->path, name, z->n, there);
    return NULL;
  }
  reading r = { .npz = z, .file = z->lib->zip_fopen_index(z->zip, m->index, 0) };
  if (!r.file) {
    zip_fail("npz_load", z->path, z->lib, z->zip);
    return NULL;
  }
  hed__source s = { .op = "npz_load", .name = name, .left = (size_t)m->size, .read = from_member, .handle = &r };
  hed_array *x = hed__npy_read(&s);
  char rest;
  /* The checksum is compared when the end is read. */
  if (x && (s.left != hed_array_nbytes(x) || z->lib->zip_fread(r.file, &rest, 1) != 0)) {
    hed_fail(HED_E_FORMAT, "npz_load: %s: array '%s' is damaged: %s", z->path, name,
             s.left != hed_array_nbytes(x) ? "there are bytes after the elements" : "its checksum is wrong");
    hed_release(x);
    x = NULL;
  }
  z->lib->zip_fclose(r.file);
  return x;
}

/* ---- writing ---- */

/* One member as libzip reads it: the head, then elements in C order. */
typedef struct stream {
  const hed__zip *lib;
  const hed_array *x;
  char *copy;            /* X's elements in C order, while they are read and do not lie so anyway */
  const char *data;
  char head[1024];
  size_t head_bytes, bytes, at;
  char reason[256];      /* what went wrong in here */
  zip_error_t error;
} stream;

/* Little-endian elements in C order of T's array: its own memory or a copy. */
static hed_status stream_open(stream *t)
{
  hed_status status = hed__array_settle(t->x);
  t->at = 0;
  if (status != HED_OK || !t->bytes)
    return status;
  if (t->x->storage->device->host && hed__is_c_contiguous(&t->x->view) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
    t->data = t->x->view.data;
    return HED_OK;
  }
  t->copy = hed__buffer_new(t->bytes, "save_npz");
  if (!t->copy)
    return hed_error();
  t->data = t->copy;
  return hed__npy_elements(t->x, t->copy);
}

static void stream_close(stream *t)
{
  hed__buffer_free(t->copy);
  t->copy = NULL;
  t->data = NULL;
}

static zip_int64_t stream_read(stream *t, void *to, size_t n)
{
  size_t done = 0;
  if (t->at < t->head_bytes) {
    done = t->head_bytes - t->at < n ? t->head_bytes - t->at : n;
    memcpy(to, t->head + t->at, done);
  }
  t->at += done;
  size_t from = t->at - t->head_bytes, left = t->at < t->head_bytes ? 0 : t->bytes - from;
  size_t more = left < n - done ? left : n - done;
  if (more)
    memcpy((char *)to + done, t->data + from, more);
  t->at += more;
  return (zip_int64_t)(done + more);
}

static zip_int64_t stream_call(void *user, void *data, zip_uint64_t n, zip_source_cmd_t command)
{
  stream *t = user;
  switch ((int)command) {
  case ZIP_SOURCE_OPEN:
    if (stream_open(t) == HED_OK)
      return 0;
    snprintf(t->reason, sizeof t->reason, "%s", hed_error_text());
    t->lib->zip_error_set(&t->error, ZIP_ER_INTERNAL, 0);
    stream_close(t);
    return -1;
  case ZIP_SOURCE_READ: return stream_read(t, data, (size_t)n);
  case ZIP_SOURCE_CLOSE: stream_close(t); return 0;
  case ZIP_SOURCE_STAT: {
    zip_stat_t *st = data;
    *st = (zip_stat_t){ .valid = ZIP_STAT_SIZE, .size = t->head_bytes + t->bytes };
    return (zip_int64_t)sizeof *st;
  }
  case ZIP_SOURCE_ERROR: {
    int codes[2] = { t->error.zip_err, t->error.sys_err };
    memcpy(data, codes, sizeof codes);
    return (zip_int64_t)sizeof codes;
  }
  case ZIP_SOURCE_FREE: return 0;
  case ZIP_SOURCE_SUPPORTS:
    return t->lib->zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                          ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
  default: return -1;
  }
}

/* A name that stays inside a folder into which the archive is unpacked. */
static bool name_ok(const char *name)
{
  if (!*name || *name == '/' || strlen(name) > 1024)
    return false;
  for (const char *p = name; p; p = strchr(p, '/')) {
    p += *p == '/';
    if (strncmp(p, "..", 2) == 0 && (p[2] == 0 || p[2] == '/'))
      return false;
  }
  return true;
}

static hed_status check_members(int n, const char *const *names, const hed_array *const *arrays)
{
  if (n < 0 || (n > 0 && (!names || !arrays)))
    return hed_fail(HED_E_INVAL, "save_npz: %s", n < 0 ? "n is negative" : names ? "arrays is NULL" : "names is NULL");
  for (int k = 0; k < n; k++) {
    if (!hed__given(arrays[k], "save_npz", "arrays"))
      return hed_error();
    if (!names[k] || !name_ok(names[k]))
      return hed_fail(HED_E_INVAL, "save_npz: name %d, '%.80s', cannot be a member", k, names[k] ? names[k] : "NULL");
    for (int j = 0; j < k; j++)
      if (strcmp(names[j], names[k]) == 0)
        return hed_fail(HED_E_INVAL, "save_npz: names %d and %d are both '%.80s'", j, k, names[k]);
    if (!hed__npy_size(arrays[k]))
      return hed_error();
  }
  return HED_OK;
}

/* Adds stream T as NAME.npy to Z. */
static hed_status add_stream(const hed__zip *lib, const char *path, zip_t *z, stream *t, const char *name, int level)
{
  size_t cap = strlen(name) + sizeof ".npy";
  char *full = hed__malloc(cap);
  if (!full)
    return hed_fail(HED_E_NOMEM, "save_npz: %s: no memory for a name", path);
  snprintf(full, cap, "%s.npy", name);
  zip_source_t *source = lib->zip_source_function(z, stream_call, t);
  zip_int64_t index = source ? lib->zip_file_add(z, full, source, ZIP_FL_ENC_UTF_8) : -1;
  hed_status status = HED_OK;
  if (index < 0 || lib->zip_set_file_compression(z, (zip_uint64_t)index, level ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                                 (zip_uint32_t)level) != 0) {
    status = hed_fail(HED_E_IO, "save_npz: %s: %s", path, lib->zip_strerror(z));
    if (source && index < 0)
      lib->zip_source_free(source);
  }
  hed__free(full);
  return status;
}

hed_status hed_save_npz_with(const char *path, int n, const char *const *names, const hed_array *const *arrays,
                             const hed_npz_options *opt)
{
  HED__UNCANCELLED;
  const int asked = opt ? opt->level : -1, level = asked < 0 ? 6 : asked; /* libzip's default is the slowest */
  hed_file *f;
  hed__size_guard guard;
  if (!path)
    return hed_fail(HED_E_INVAL, "save_npz: path is NULL");
  if (asked < -1 || asked > 9)
    return hed_fail(HED_E_INVAL, "save_npz: level is %d, of -1 to 9", asked);
  const hed__zip *lib = hed__zip_get("save_npz");
  hed_status status = lib ? check_members(n, names, arrays) : hed_error();
  if (status != HED_OK)
    return status;
  stream *streams = hed__calloc((size_t)n + 1, sizeof *streams);
  if (!streams)
    return hed_fail(HED_E_NOMEM, "save_npz: %s: no memory for %d members", path, n);
  if ((status = hed_file_create("save_npz", path, &f)) != HED_OK) {
    hed__free(streams);
    return status;
  }
  if (n == 0) { /* libzip makes no file for it; this is the end record of the format alone */
    static const char end[22] = "PK\5\6";
    hed__free(streams);
    return hed_file_close(f, hed_file_write(f, end, sizeof end));
  }
  int code = 0;
  zip_t *z = lib->zip_open(hed_file_temporary(f), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!z)
    status = hed_fail(code == ZIP_ER_MEMORY ? HED_E_NOMEM : HED_E_IO, "save_npz: %s: libzip cannot make it (%d)", path, code);
  for (int k = 0; k < n && status == HED_OK; k++) {
    hed_shape shape = hed__shape_of(arrays[k]);
    stream *t = &streams[k];
    t->lib = lib;
    t->x = arrays[k];
    t->bytes = hed_array_nbytes(arrays[k]);
    t->head_bytes = (size_t)hed__npy_format(arrays[k]->view.dtype, &shape, t->head);
    status = add_stream(lib, path, z, t, names[k], level);
  }
  hed__size_guard_begin(&guard);
  const bool written = status == HED_OK && lib->zip_close(z) == 0;
  hed__size_guard_end(&guard);
  if (status == HED_OK && !written) {
    const char *reason = lib->zip_strerror(z);
    for (int k = 0; k < n; k++)
      if (streams[k].reason[0])
        reason = streams[k].reason;
    status = hed_fail(HED_E_IO, "save_npz: %s: %s", path, reason);
    lib->zip_discard(z);
  } else if (status != HED_OK && z) {
    lib->zip_discard(z);
  }
  status = hed_file_close(f, status);
  hed__free(streams);
  return status;
}

hed_status hed_save_npz(const char *path, int n, const char *const *names, const hed_array *const *arrays, bool compressed)
{
  return hed_save_npz_with(path, n, names, arrays, &(hed_npz_options){ .level = compressed ? -1 : 0 });
}

#else /* without libzip's header */

static hed_status no_libzip(const char *op)
{
  return hed_fail(HED_E_UNAVAILABLE, "%s: archives need libzip, which was not there when Heddle was built", op);
}

hed_status hed_npz_open(const char *path, hed_npz **out)
{
  (void)path;
  if (out)
    *out = NULL;
  return no_libzip("npz_open");
}
int hed_npz_count(const hed_npz *z) { (void)z; return 0; }
const char *hed_npz_name(const hed_npz *z, int k) { (void)z; (void)k; return NULL; }
hed_array *hed_npz_load(hed_npz *z, const char *name)
{
  (void)z;
  (void)name;
  no_libzip("npz_load");
  return NULL;
}
void hed_npz_close(hed_npz *z) { (void)z; }
hed_status hed_save_npz(const char *path, int n, const char *const *names, const hed_array *const *arrays, bool compressed)
{
  (void)path;
  (void)n;
  (void)names;
  (void)arrays;
  (void)compressed;
  return no_libzip("save_npz");
}
hed_status hed_save_npz_with(const char *path, int n, const char *const *names, const hed_array *const *arrays,
                             const hed_npz_options *opt)
{
  (void)opt;
  return hed_save_npz(path, n, names, arrays, false);
}

#endif

hed_array *hed_load_npz(const char *path, const char *name)
{
  HED__UNCANCELLED;
  hed_npz *z;
  if (hed_npz_open(path, &z) != HED_OK)
    return NULL;
  hed_array *x = hed_npz_load(z, name);
  hed_npz_close(z);
  return x;
}
