// SPDX-License-Identifier: BSD-3-Clause
/* DLPack: what is exported is what the specification says, byte for byte; what is imported is checked; deleters run once,
 * wherever the last reference goes. The structs are declared here anew, as a program with DLPack's own header has them.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"

#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

typedef struct { uint32_t major, minor; } DLPackVersion;
typedef struct { int32_t device_type, device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

enum { READ_ONLY = 1, COPIED = 2 };

/* ---- export ---- */

static void layout(void)
{
  is_int(sizeof(DLTensor), 48, "a tensor has 48 bytes on 64-bit machines");
  is_int(offsetof(DLManagedTensorVersioned, dl_tensor), 32, "after 32 bytes of version, context, deleter, flags");
}

static const struct { hed_dtype_id id; int code, bits; } types[] = {
  { HED_ID_BOOL, 6, 8 },    { HED_ID_INT8, 0, 8 },      { HED_ID_INT16, 0, 16 },   { HED_ID_INT32, 0, 32 },
  { HED_ID_INT64, 0, 64 },  { HED_ID_UINT8, 1, 8 },     { HED_ID_UINT16, 1, 16 },  { HED_ID_UINT32, 1, 32 },
  { HED_ID_UINT64, 1, 64 }, { HED_ID_FLOAT16, 2, 16 },  { HED_ID_BFLOAT16, 4, 16 }, { HED_ID_FLOAT32, 2, 32 },
  { HED_ID_FLOAT64, 2, 64 }, { HED_ID_COMPLEX64, 5, 64 }, { HED_ID_COMPLEX128, 5, 128 },
};

static void every_type(void)
{
  is_int(sizeof types / sizeof *types, HED_ID_CONCRETE_COUNT_, "every element type is here");
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    hed_dtype t = hed_dtype_of(types[k].id);
    hed_array *x = hed_zeros(HED_SHAPE(2, 3), t), *y;
    DLManagedTensorVersioned *m = NULL;
    is_int(hed_to_dlpack(x, HED_COPY_NEVER, &m), HED_OK, "%s goes out", hed_dtype_name(t));
    ok(m && m->version.major == 1 && m->dl_tensor.dtype.code == types[k].code && m->dl_tensor.dtype.bits == types[k].bits &&
           m->dl_tensor.dtype.lanes == 1, "%s: version and type", hed_dtype_name(t));
    ok(m && m->dl_tensor.device.device_type == 1 && m->dl_tensor.device.device_id == 0 && m->flags == 0 &&
           m->dl_tensor.ndim == 2 && m->dl_tensor.shape[0] == 2 && m->dl_tensor.shape[1] == 3 &&
           m->dl_tensor.strides[0] == 3 && m->dl_tensor.strides[1] == 1 &&
           (char *)m->dl_tensor.data + m->dl_tensor.byte_offset == hed_array_data(x), "%s: host memory, C order",
       hed_dtype_name(t));
    y = hed_from_dlpack(m);
    ok(y && hed_array_dtype(y) == t && hed_array_data(y) == hed_array_data(x), "%s comes back, same memory",
       hed_dtype_name(t));
    RELEASE(y, x);
  }
}

static void lifetime(void)
{
  hed_stats before = { .struct_size = sizeof before }, after = before;
  hed_stats_get(&before);
  DLManagedTensorVersioned *m = NULL;
  HED_SCOPE {
    hed_array *x = hed_arange(0, 12, 1, HED_FLOAT64);
    hed_array *v = hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(11, HED_SLICE_END, -4) });
    hed_array *w = hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(10, HED_SLICE_BEGIN, -4) });
    hed_release(hed_keep(v));
    is_int(hed_to_dlpack(w, HED_COPY_NEVER, &m), HED_OK, "a view with a negative stride goes out");
  }
  const double *p = m->dl_tensor.data;
  ok(m->dl_tensor.strides[0] == -4 && m->dl_tensor.shape[0] == 3, "strides count elements, also backwards");
  ok(p[0] == 10 && p[m->dl_tensor.strides[0]] == 6 && p[2 * m->dl_tensor.strides[0]] == 2,
     "the tensor outlives the scope and the array");
  m->deleter(m);
  hed_stats_get(&after);
  is_int((int64_t)after.arrays_live, (int64_t)before.arrays_live, "the deleter releases the last handle");
  is_int((int64_t)after.bytes_live, (int64_t)before.bytes_live, "and the storage");
}

static void *call_deleter(void *arg)
{
  DLManagedTensorVersioned *m = arg;
  m->deleter(m);
  return NULL;
}

static void deleter_elsewhere(void)
{
  hed_stats before = { .struct_size = sizeof before }, after = before;
  hed_stats_get(&before);
  DLManagedTensorVersioned *m[8] = { 0 };
  pthread_t t[8];
  hed_array *x = hed_ones(HED_SHAPE(100), HED_INT16);
  for (int k = 0; k < 8; k++)
    hed_to_dlpack(x, HED_COPY_IF_NEEDED, &m[k]);
  hed_release(x);
  for (int k = 0; k < 8; k++)
    pthread_create(&t[k], NULL, call_deleter, m[k]);
  for (int k = 0; k < 8; k++)
    pthread_join(t[k], NULL);
  hed_stats_get(&after);
  is_int((int64_t)after.arrays_live, (int64_t)before.arrays_live, "deleters on eight threads release everything");
  is_int((int64_t)after.bytes_live, (int64_t)before.bytes_live, "once");
}

/* A program calls the deleter while it holds a lock of its own, and a callback of ours waits for that lock meanwhile: no
 * lock of Heddle's may be needed. */
static pthread_mutex_t application = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t inside;
static bool waited;
static atomic_bool deleted;

static void wait_for_application(void)
{
  if (waited)
    return;
  waited = true;
  pthread_barrier_wait(&inside);
  pthread_mutex_lock(&application);
  pthread_mutex_unlock(&application);
}

static void on_candidate(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  (void)arg, (void)candidate, (void)stage, (void)status, (void)reason;
  wait_for_application();
}

static void on_setting(void *arg, const char *name, const char *value, const char *source)
{
  (void)arg, (void)name, (void)value, (void)source;
  wait_for_application();
}

static void on_cache(void *arg, const hed_cache_stats *c)
{
  (void)arg, (void)c;
  wait_for_application();
}

static void *ask(void *what)
{
  const char *of = what;
  if (of[0] == 'b')
    (void)hed_backend_explain("faulty", on_candidate, NULL);
  else if (of[0] == 's')
    (void)hed_config_list(on_setting, NULL);
  else
    (void)hed_cache_list(on_cache, NULL);
  if (!waited) /* nothing was listed */
    pthread_barrier_wait(&inside);
  return NULL;
}

static void *delete_locked(void *m)
{
  call_deleter(m);
  atomic_store(&deleted, true);
  return NULL;
}

static void deleter_under_lock(void)
{
  static const char *const lists[] = { "backends", "settings", "caches" };
  hed_array *x = hed_ones(HED_SHAPE(3, 3), HED_FLOAT32), *const xs[] = { x, x, x };
  hed_release(hed_einsum("ij,jk,kl->il", 3, (const hed_array *const *)xs)); /* so that there is a cache */
  (void)hed_backend_require("faulty"); /* so that there is something to explain */
  pthread_barrier_init(&inside, NULL, 2);
  for (int k = 0; k < 3; k++) {
    DLManagedTensorVersioned *m = NULL;
    pthread_t asking, deleting;
    hed_array *y = hed_copy(x);
    waited = false;
    atomic_store(&deleted, false);
    hed_to_dlpack(y, HED_COPY_NEVER, &m);
    hed_release(y);
    pthread_mutex_lock(&application);
    if (!m || pthread_create(&asking, NULL, ask, (void *)(uintptr_t)lists[k]) != 0)
      bail("no tensor or no thread");
    pthread_barrier_wait(&inside);
    ok(waited, "the list of %s calls back", lists[k]);
    if (pthread_create(&deleting, NULL, delete_locked, m) != 0)
      bail("no thread");
    for (int n = 0; n < 1000 && !atomic_load(&deleted); n++)
      nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    if (!ok(atomic_load(&deleted), "meanwhile the deleter needs no lock that is held"))
      bail("deadlock");
    pthread_mutex_unlock(&application);
    pthread_join(deleting, NULL);
    pthread_join(asking, NULL);
  }
  pthread_barrier_destroy(&inside);
  hed_release(x);
}

static void flags(void)
{
  DLManagedTensorVersioned *m = NULL;
  hed_array *x = hed_arange(0, 4, 1, HED_INT32), *r = hed_read_only(x), *b = hed_broadcast_to(x, HED_SHAPE(3, 4));
  hed_array *empty = hed_zeros(HED_SHAPE(0, 5), HED_FLOAT32), *scalar = hed_full(HED_SHAPE0, 3, HED_FLOAT32);
  hed_to_dlpack(r, HED_COPY_NEVER, &m);
  is_int((int)m->flags, READ_ONLY, "a read-only array is a read-only tensor");
  hed_array *y = hed_from_dlpack(m);
  ok(hed_array_is_read_only(y), "and read-only when it comes back");
  is_int(hed_fill(y, 1), HED_E_INVAL, "so nobody writes it");
  hed_release(y);
  hed_to_dlpack(b, HED_COPY_NEVER, &m);
  ok(m->flags == READ_ONLY && m->dl_tensor.strides[0] == 0, "repeated elements are not to be written either");
  m->deleter(m);
  hed_to_dlpack(r, HED_COPY_ALWAYS, &m);
  ok(m->flags == COPIED && m->dl_tensor.data != hed_array_data(r), "a copy says that it is one");
  y = hed_from_dlpack(m);
  is_int(hed_fill(y, 9), HED_OK, "and may be written");
  int32_t v[4];
  hed_to_host(x, v, sizeof v);
  is_int(v[3], 3, "without the original changing");
  hed_release(y);
  hed_to_dlpack(empty, HED_COPY_NEVER, &m);
  ok(m->dl_tensor.data == NULL && m->dl_tensor.shape[1] == 5, "no elements: no address");
  y = hed_from_dlpack(m);
  is_int(hed_array_size(y), 0, "and back");
  hed_release(y);
  hed_to_dlpack(scalar, HED_COPY_NEVER, &m);
  is_int(m->dl_tensor.ndim, 0, "no dimensions");
  y = hed_from_dlpack(m);
  double value = 0;
  hed_item(y, &value);
  is_ulp(value, 3, 0, "and back");
  hed_array *all[] = { x, r, b, empty, scalar, y };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void odd_strides(void)
{
  float block[16] = { 0 };
  DLManagedTensorVersioned *m = NULL;
  for (int k = 0; k < 4; k++)
    block[3 * k] = (float)(k + 100);
  hed_array *x = hed_wrap(block, HED_SHAPE(4), (int64_t[]){ 12 }, HED_COMPLEX64, NULL, NULL);
  is_int(hed_to_dlpack(x, HED_COPY_NEVER, &m), HED_E_INVAL, "a stride of one and a half elements cannot be shared");
  ok(!m && strstr(hed_error_text(), "8 bytes"), "%s", hed_error_text());
  is_int(hed_to_dlpack(x, HED_COPY_IF_NEEDED, &m), HED_OK, "so it is copied where that is allowed");
  ok(m && m->flags == COPIED && ((float *)m->dl_tensor.data)[6] == 103, "and said");
  m->deleter(m);
  hed_release(x);
  is_ptr(hed_wrap(block, HED_SHAPE(4), (int64_t[]){ 7 }, HED_INT16, NULL, NULL), NULL, "strides that tear elements");
  ok(strstr(hed_error_text(), "stride 7 of axis 0 is no multiple of the 2 bytes"), "%s", hed_error_text());
  is_ptr(hed_wrap((char *)block + 2, HED_SHAPE(4), NULL, HED_FLOAT32, NULL, NULL), NULL, "and torn data");
  ok(strstr(hed_error_text(), "not aligned to the 4 bytes"), "are refused: %s", hed_error_text());
}

/* ---- import ---- */

typedef struct foreign {
  DLManagedTensorVersioned m;
  int64_t shape[20], strides[20];
  int deleted;
} foreign;

static void count(DLManagedTensorVersioned *m) { ((foreign *)m->manager_ctx)->deleted++; }

static foreign *tensor(foreign *f, void *data, int code, int bits, int n)
{
  *f = (foreign){ .m = { .version = { 1, 0 }, .manager_ctx = f, .deleter = count } };
  f->m.dl_tensor = (DLTensor){ .data = data, .device = { 1, 0 }, .ndim = 1, .dtype = { (uint8_t)code, (uint8_t)bits, 1 },
                               .shape = f->shape };
  f->shape[0] = n;
  return f;
}

static void *drop(void *x)
{
  HED_BACKEND_CONTEXT("reference")
    hed_release(x);
  return NULL;
}

static void import(void)
{
  foreign f;
  float v[6] = { 1, 2, 3, 4, 5, 6 };
  double sum = 0;
  hed_array *x = hed_from_dlpack(&tensor(&f, v, 2, 32, 6)->m), *s = hed_sum(x, NULL);
  hed_item(s, &sum);
  is_ulp(sum, 21, 0, "a tensor without strides is in C order");
  hed_array *half = hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(0, 3, 1) });
  hed_release(x);
  is_int(f.deleted, 0, "a view keeps it");
  pthread_t t;
  pthread_create(&t, NULL, drop, half);
  pthread_join(t, NULL);
  is_int(f.deleted, 1, "the last reference, on another thread, deletes it");
  hed_release(s);

  tensor(&f, v, 2, 32, 2)->m.dl_tensor.byte_offset = 8;
  f.m.dl_tensor.ndim = 2;
  f.shape[1] = 2;
  f.strides[0] = -1;
  f.strides[1] = 2;
  f.m.dl_tensor.strides = f.strides;
  x = hed_from_dlpack(&f.m);
  hed_array *c = hed_copy(x);
  float got[4];
  hed_to_host(c, got, sizeof got);
  ok(got[0] == 3 && got[1] == 5 && got[2] == 2 && got[3] == 4, "offset in bytes, strides in elements");
  RELEASE(x, c);
  tensor(&f, v, 2, 32, 6)->m.deleter = NULL;
  hed_release(hed_from_dlpack(&f.m));
  ok(true, "a tensor without a deleter is nobody's");
  tensor(&f, v, 2, 32, 6)->m.version.minor = 99;
  x = hed_from_dlpack(&f.m);
  ok(x != NULL, "a newer minor version is read");
  hed_release(x);
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.device.device_type = 3;
  x = hed_from_dlpack(&f.m);
  ok(x && !strcmp(hed_array_space(x), "host"), "pinned memory is host memory");
  hed_release(x);
}

static void refused(foreign *f, hed_status want, const char *text, const char *what)
{
  hed_error_clear();
  is_ptr(hed_from_dlpack(&f->m), NULL, "%s", what);
  is_int(hed_error(), want, "%s: status", what);
  ok(strstr(hed_error_text(), text) != NULL, "%s: %s", what, hed_error_text());
  is_int(f->deleted, 0, "%s: the tensor stays the caller's", what);
}

static void hostile(void)
{
  foreign f;
  float v[8] = { 0 };
  tensor(&f, v, 2, 32, 6)->m.version.major = 2;
  f.m.dl_tensor.shape = (void *)8; /* is not looked at */
  refused(&f, HED_E_ABI, "DLPack 2.0, version 1", "another major version");
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.dtype.lanes = 4;
  refused(&f, HED_E_DTYPE, "4 lanes", "vectors");
  refused(tensor(&f, v, 10, 8, 6), HED_E_DTYPE, "type code 10, 8 bits", "8-bit floats");
  refused(tensor(&f, v, 2, 80, 6), HED_E_DTYPE, "80 bits", "extended precision");
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.ndim = 17;
  refused(&f, HED_E_SHAPE, "17 dimensions, the limit is 16", "too many axes");
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.ndim = -1;
  refused(&f, HED_E_SHAPE, "-1 dimensions", "fewer than none");
  refused(tensor(&f, v, 2, 32, -3), HED_E_SHAPE, "-3", "a negative extent");
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.ndim = 3;
  f.shape[0] = f.shape[1] = f.shape[2] = INT64_C(1) << 30;
  refused(&f, HED_E_SHAPE, "1073741824", "more bytes than there are");
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.strides = f.strides;
  f.strides[0] = INT64_MAX / 2;
  refused(&f, HED_E_SHAPE, "stride 4611686018427387903 of axis 0", "a stride that overflows");
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.shape = NULL;
  refused(&f, HED_E_INVAL, "no shape", "no shape");
  refused(tensor(&f, NULL, 2, 32, 6), HED_E_INVAL, "data is NULL", "no data");
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.byte_offset = 2;
  refused(&f, HED_E_INVAL, "not aligned to the 4 bytes", "misaligned data");
  tensor(&f, v, 2, 32, 6)->m.dl_tensor.device.device_type = 77;
  refused(&f, HED_E_UNAVAILABLE, "device type 77, number 0", "memory of nobody");
  is_ptr(hed_from_dlpack(NULL), NULL, "NULL");
  is_int(hed_to_dlpack(NULL, HED_COPY_NEVER, &(DLManagedTensorVersioned *){ NULL }), HED_E_INVAL, "NULL out");
  hed_array *x = hed_zeros(HED_SHAPE(1), HED_FLOAT32);
  is_int(hed_to_dlpack(x, HED_COPY_NEVER, NULL), HED_E_INVAL, "nowhere to put it");
  DLManagedTensorVersioned *m;
  is_int(hed_to_dlpack(x, (hed_copy_policy)7, &m), HED_E_INVAL, "an unknown policy");
  hed_release(x);
}

/* Memory of a device: the faulty test backend calls itself an extension device (12). */
static void device(void)
{
  if (hed_backend_require("faulty") != HED_OK) {
    skip(4, "no faulty backend: %s", hed_error_text());
    return;
  }
  HED_BACKEND_CONTEXT("faulty") {
    float v[3] = { 1, 2, 3 }, got[3] = { 0 };
    DLManagedTensorVersioned *m = NULL;
    hed_array *x = hed_from_host(v, HED_SHAPE(3), HED_FLOAT32), *two = hed_add(x, x);
    is_int(hed_to_dlpack(two, HED_COPY_NEVER, &m), HED_OK, "device memory goes out after pending work");
    ok(m && m->dl_tensor.device.device_type == 12, "with its device type");
    hed_array *y = m ? hed_from_dlpack(m) : NULL;
    is_str(hed_array_space(y), hed_array_space(x), "and comes back to its space");
    hed_to_host(y, got, sizeof got);
    ok(got[0] == 2 && got[2] == 6, "with its values");
    RELEASE(y, two, x);
  }
}

/* ---- before version 1 ---- */

static int old_gone;
static void old_deleter(DLManagedTensor *m)
{
  (void)m;
  old_gone++;
}

static void unversioned(void)
{
  hed_array *x = hed_ones(HED_SHAPE(2, 3), HED_FLOAT32), *fixed = hed_read_only(x), *wide = hed_broadcast_to(x, HED_SHAPE(4, 2, 3));
  DLManagedTensor *m = NULL;
  is_int(hed_to_dlpack_unversioned(x, HED_COPY_NEVER, &m), HED_OK, "a tensor of before version 1");
  ok(m && m->dl_tensor.data == hed_array_data(x) && m->dl_tensor.ndim == 2 && m->dl_tensor.shape[1] == 3, "shares the elements");
  hed_release(x);
  ((float *)m->dl_tensor.data)[0] = 7;
  m->deleter(m);
  for (int k = 0; k < 2; k++) {
    const hed_array *y = k ? wide : fixed;
    m = NULL;
    is_int(hed_to_dlpack_unversioned(y, HED_COPY_NEVER, &m), HED_E_INVAL, "what is read-only does not go out as it is");
    has_str(hed_error_text(), "cannot be written", "the sentence says why");
    ok(!m, "nothing comes");
    is_int(hed_to_dlpack_unversioned(y, HED_COPY_IF_NEEDED, &m), HED_OK, "but as a copy");
    ok(m && m->dl_tensor.data != hed_array_data(y) && ((float *)m->dl_tensor.data)[0] == 7, "of the elements");
    m->deleter(m);
  }
  is_int(hed_to_dlpack_unversioned(wide, HED_COPY_IF_NEEDED, NULL), HED_E_INVAL, "out is NULL");
  RELEASE(fixed, wide);

  double data[6] = { 1, 2, 3, 4, 5, 6 };
  int64_t shape[2] = { 2, 3 };
  DLManagedTensor in = { .dl_tensor = { .data = data, .device = { 1, 0 }, .ndim = 2, .dtype = { 2, 64, 1 }, .shape = shape },
                         .deleter = old_deleter };
  x = hed_from_dlpack_unversioned(&in);
  ok(x && !hed_array_is_read_only(x) && hed_array_data(x) == data, "one comes in, to be written");
  hed_release(x);
  is_int(old_gone, 1, "and is given back once");
  in.dl_tensor.dtype.lanes = 2;
  ok(!hed_from_dlpack_unversioned(&in) && hed_error() == HED_E_DTYPE, "its elements are checked");
  ok(!hed_from_dlpack_unversioned(NULL) && hed_error() == HED_E_INVAL, "NULL is none");
  is_int(old_gone, 1, "what failed stays the caller's");
}

int main(void)
{
  layout();
  every_type();
  lifetime();
  deleter_elsewhere();
  deleter_under_lock();
  flags();
  odd_strides();
  import();
  hostile();
  device();
  unversioned();
  return done();
}
