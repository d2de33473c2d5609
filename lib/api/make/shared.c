// SPDX-License-Identifier: BSD-3-Clause
/* Shared-memory arrays: hed_shared_new, hed_to_shared, hed_from_shared. L3.
 *
 * A segment is a page with a description and then the elements. The description is written last, so that a process that
 * attaches too early finds none. It is read once, into private memory, and compared with the segment's size before
 * anything is mapped: the other side may be wrong, or change it meanwhile.
 */
#include "api/call/check.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "core/array/transfer.h"
#include <errno.h>
#include <fcntl.h>
#include <heddle/shared.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BEFORE = 4096 }; /* bytes before the elements: they begin on a page */

typedef struct description {
  char magic[8];
  uint32_t version;
  int32_t ndim;
  char dtype[16]; /* by name: numbers of dtypes are not for ever */
  int64_t dim[HED_MAX_NDIM];
  uint64_t bytes;
} description;

static const char magic[8] = "HEDSHM\r\n";

typedef struct segment {
  void *address;
  size_t bytes;
  pid_t maker;   /* process that removes the name, 0: nobody */
  char name[HED_SHARED_TOKEN];
} segment;

static void detach(void *arg)
{
  segment *s = arg;
  munmap(s->address, s->bytes);
  if (s->maker == getpid())
    shm_unlink(s->name);
  hed__free(s);
}

static hed_status shared_fail(const char *op, const char *name, int error)
{
  return hed_fail(error == ENOENT                         ? HED_E_NOTFOUND
                  : error == EEXIST                       ? HED_E_BUSY
                  : error == ENOSPC || error == ENOMEM ? HED_E_NOMEM
                                                          : HED_E_IO,
                  "%s: %.64s: %s", op, name, strerror(error));
}

static hed_status check_name(const char *op, const char *name)
{
  if (name && name[0] == '/' && name[1] && !strchr(name + 1, '/') && strlen(name) < HED_SHARED_TOKEN)
    return HED_OK;
  return hed_fail(HED_E_INVAL, "%s: '%.80s' is no name of a segment: '/', then 1 to %d bytes without '/'", op,
                  name ? name : "NULL", HED_SHARED_TOKEN - 2);
}

/* A name that nobody guesses by accident. */
static void make_name(char name[HED_SHARED_TOKEN])
{
  static atomic_uint counter;
  uint64_t salt = 0;
  if (getrandom(&salt, sizeof salt, GRND_NONBLOCK) != (ssize_t)sizeof salt)
    salt = (uint64_t)(uintptr_t)&salt;
  snprintf(name, HED_SHARED_TOKEN, "/heddle-%ld-%u-%016llx", (long)getpid(), atomic_fetch_add(&counter, 1),
           (unsigned long long)salt);
}

/* Maps segment S of descriptor FD, and makes the array of V's layout on it. S is the array's afterwards, or freed. */
static hed_array *map_segment(const char *op, int fd, segment *s, hed_view *v, bool read_only)
{
  s->address = mmap(NULL, s->bytes, read_only ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (s->address == MAP_FAILED) {
    shared_fail(op, s->name, errno);
    hed__free(s);
    return NULL;
  }
  v->data = (char *)s->address + BEFORE;
  hed_array *x = hed__array_wrap(hed__reference(), v, detach, s);
  if (!x) {
    s->maker = 0; /* the caller removes the name */
    detach(s);
  } else {
    x->read_only = read_only;
  }
  return x;
}

/* A segment for V's layout, with V.data set and X's elements in it, or zeros when X is NULL. */
static hed_array *make(const char *op, hed_view *v, const hed_array *x, const hed_shared *opt, char *token)
{
  HED__UNCANCELLED;
  description d = { .version = 1, .ndim = v->ndim };
  memcpy(d.magic, magic, sizeof magic);
  snprintf(d.dtype, sizeof d.dtype, "%s", hed__dtypes[v->dtype]->name);
  memcpy(d.dim, v->dim, (size_t)v->ndim * sizeof *v->dim);
  d.bytes = (uint64_t)hed__view_size(v) * (uint64_t)hed__id_size(v->dtype);
  hed__c_strides(v->ndim, v->dim, hed__id_size(v->dtype), v->stride);

  segment *s = hed__calloc(1, sizeof *s);
  if (!s) {
    hed_fail(HED_E_NOMEM, "%s: no memory for a record", op);
    return NULL;
  }
  int fd = -1;
  for (int tries = 0; fd < 0 && tries < 100; tries++) {
    if (opt && opt->name)
      snprintf(s->name, sizeof s->name, "%s", opt->name);
    else
      make_name(s->name);
    fd = shm_open(s->name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0 && ((opt && opt->name) || errno != EEXIST))
      break;
  }
  if (fd < 0) {
    shared_fail(op, s->name, errno);
    hed__free(s);
    return NULL;
  }
  char name[HED_SHARED_TOKEN];
  memcpy(name, s->name, sizeof name);
  s->maker = opt && opt->keep ? 0 : getpid();
  s->bytes = BEFORE + (size_t)d.bytes;
  hed_array *out = NULL;
  /* Without the reservation a full file system would be a signal at the first write. */
  int error = posix_fallocate(fd, 0, (off_t)s->bytes);
  if (error) {
    hed_fail(error == ENOSPC ? HED_E_NOMEM : HED_E_IO, "%s: %s: no room for %zu bytes in shared memory: %s", op, name,
             s->bytes, error == ENOSPC ? "it is full" : "it cannot be reserved");
    hed__free(s);
  } else {
    out = map_segment(op, fd, s, v, false);
  }
  bool good = out && (!x || hed__copy_out(x, v) == HED_OK);
  if (good && pwrite(fd, &d, sizeof d, 0) != (ssize_t)sizeof d) {
    shared_fail(op, name, errno);
    good = false;
  }
  close(fd);
  if (!good) {
    shm_unlink(name);
    hed_release(out);
    return NULL;
  }
  memcpy(token, name, sizeof name);
  return out;
}

hed_array *hed_shared_new(hed_shape shape, hed_dtype t, const hed_shared *opt, char token[HED_SHARED_TOKEN])
{
  if (!token || !t) {
    hed_fail(HED_E_INVAL, "shared_new: %s is NULL", t ? "token" : "dtype");
    return NULL;
  }
  if (opt && opt->name && check_name("shared_new", opt->name) != HED_OK)
    return NULL;
  int id = hed__dtype_concrete(t, hed__reference(), "shared_new");
  if (id < 0 || hed__check_shape("shared_new", "shape", &shape, id) != HED_OK)
    return NULL;
  hed_view v = { .dtype = id, .ndim = shape.ndim };
  memcpy(v.dim, shape.dim, sizeof v.dim);
  return make("shared_new", &v, NULL, opt, token);
}

hed_array *hed_to_shared(const hed_array *x, const hed_shared *opt, char token[HED_SHARED_TOKEN])
{
  if (!token) {
    hed_fail(HED_E_INVAL, "to_shared: token is NULL");
    return NULL;
  }
  if (!hed__given(x, "to_shared", "x") || (opt && opt->name && check_name("to_shared", opt->name) != HED_OK))
    return NULL;
  hed_view v = x->view;
  return make("to_shared", &v, x, opt, token);
}

/* The description of a segment of SIZE bytes, believed only as far as it fits. */
static hed_status read_description(const char *token, int fd, size_t size, hed_view *v)
{
  description d;
  if (size < BEFORE || pread(fd, &d, sizeof d, 0) != (ssize_t)sizeof d || memcmp(d.magic, magic, sizeof magic) != 0)
    return hed_fail(HED_E_FORMAT, "from_shared: %s: not a complete segment of Heddle", token);
  if (d.version != 1)
    return hed_fail(HED_E_FORMAT, "from_shared: %s: version %u, 1 is understood", token, (unsigned)d.version);
  d.dtype[sizeof d.dtype - 1] = 0;
  v->dtype = -1;
  for (int id = 0; id < HED_ID_CONCRETE_COUNT_; id++)
    if (strcmp(hed__dtypes[id]->name, d.dtype) == 0)
      v->dtype = id;
  if (v->dtype < 0)
    return hed_fail(HED_E_FORMAT, "from_shared: %s: unknown dtype '%s'", token, d.dtype);
  hed_shape shape = { .ndim = d.ndim };
  memcpy(shape.dim, d.dim, sizeof shape.dim);
  hed_status status = hed__check_shape("from_shared", "the segment's shape", &shape, v->dtype);
  if (status != HED_OK)
    return status;
  uint64_t bytes = (uint64_t)hed__shape_size(d.ndim, d.dim) * (uint64_t)hed__id_size(v->dtype);
  if (bytes != d.bytes || bytes > size - BEFORE)
    return hed_fail(HED_E_FORMAT, "from_shared: %s: shape %s of %s needs %llu bytes, the segment has %zu", token,
                    HED__TEXT(&shape), d.dtype, (unsigned long long)bytes, size - BEFORE);
  v->ndim = d.ndim;
  memcpy(v->dim, d.dim, sizeof d.dim);
  hed__c_strides(v->ndim, v->dim, hed__id_size(v->dtype), v->stride);
  return HED_OK;
}

hed_array *hed_from_shared(const char *token, bool read_only)
{
  HED__UNCANCELLED;
  struct stat st;
  hed_view v = { .ndim = 0 };
  hed_array *x = NULL;
  if (check_name("from_shared", token) != HED_OK)
    return NULL;
  int fd = shm_open(token, read_only ? O_RDONLY : O_RDWR, 0);
  if (fd < 0) {
    shared_fail("from_shared", token, errno);
    return NULL;
  }
  if (fstat(fd, &st) != 0)
    shared_fail("from_shared", token, errno);
  else if (read_description(token, fd, (size_t)st.st_size, &v) == HED_OK) {
    segment *s = hed__calloc(1, sizeof *s);
    if (s) {
      *s = (segment){ .bytes = (size_t)st.st_size };
      snprintf(s->name, sizeof s->name, "%s", token);
      x = map_segment("from_shared", fd, s, &v, read_only);
    } else {
      hed_fail(HED_E_NOMEM, "from_shared: %s: no memory for a record", token);
    }
  }
  close(fd);
  return x;
}

hed_status hed_shared_unlink(const char *token)
{
  hed_status status = check_name("shared_unlink", token);
  if (status == HED_OK && shm_unlink(token) != 0)
    status = shared_fail("shared_unlink", token, errno);
  return status;
}
