// SPDX-License-Identifier: BSD-3-Clause
/* See mat_source.h. zlib is opened at run time: programs that never read such a file do not carry it.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/files/mat_source.h"
#include "base/cancel.h"
#include <string.h>

static hed_status ended(const hed__mat_source *s)
{
  return hed_fail(HED_E_FORMAT, "%s: '%s': a variable ends within its data", s->op, s->path);
}

/* N bytes of the element in the file. */
static hed_status take_stored(hed__mat_source *s, void *out, size_t n)
{
  if (n > s->stored || fread(out, 1, n, s->f) != n)
    return ended(s);
  s->stored -= n;
  return HED_OK;
}

#ifdef HED_HAVE_ZLIB
#include <dlfcn.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
  __typeof__(inflateInit_) *inflateInit_;
  __typeof__(inflate) *inflate;
  __typeof__(inflateEnd) *inflateEnd;
} lib;
static bool ready;

static void load(void)
{
  HED__UNCANCELLED;
  void *h = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  ready = h != NULL;
#define FIND(name) do { void *f = ready ? dlsym(h, #name) : NULL; memcpy(&lib.name, &f, sizeof f); ready = f != NULL; } while (0)
  FIND(inflateInit_);
  FIND(inflate);
  FIND(inflateEnd);
#undef FIND
}

static hed_status begin_packed(hed__mat_source *s)
{
  pthread_once(&once, load);
  if (!ready)
    return hed_fail(HED_E_UNAVAILABLE, "%s: '%s' has compressed variables: libz.so.1 does not load", s->op, s->path);
  memset(&s->z, 0, sizeof s->z);
  return lib.inflateInit_(&s->z, ZLIB_VERSION, (int)sizeof s->z) == Z_OK
             ? HED_OK : hed_fail(HED_E_NOMEM, "%s: '%s': no memory for zlib", s->op, s->path);
}

static hed_status take_packed(hed__mat_source *s, void *out, size_t n)
{
  s->z.next_out = out;
  s->z.avail_out = (uInt)n;
  while (s->z.avail_out > 0) {
    if (s->z.avail_in == 0 && s->stored > 0) {
      const size_t more = s->stored < sizeof s->in ? (size_t)s->stored : sizeof s->in;
      const hed_status status = take_stored(s, s->in, more);
      if (status != HED_OK)
        return status;
      s->z.next_in = s->in;
      s->z.avail_in = (uInt)more;
    }
    const int said = lib.inflate(&s->z, Z_NO_FLUSH);
    if (said != Z_OK && !(said == Z_STREAM_END && s->z.avail_out == 0))
      return said == Z_STREAM_END || said == Z_BUF_ERROR
                 ? ended(s) : hed_fail(HED_E_FORMAT, "%s: '%s': a variable does not decompress", s->op, s->path);
  }
  return HED_OK;
}

#else

static hed_status begin_packed(hed__mat_source *s)
{
  return hed_fail(HED_E_UNAVAILABLE, "%s: '%s' has compressed variables; this Heddle is built without zlib", s->op, s->path);
}

static hed_status take_packed(hed__mat_source *s, void *out, size_t n)
{
  (void)out;
  (void)n;
  return ended(s);
}

#endif

hed_status hed__mat_begin(hed__mat_source *s, bool packed)
{
  s->packed = false;
  s->inside = UINT64_MAX; /* until the matrix says */
  if (packed) {
    const hed_status status = begin_packed(s);
    if (status != HED_OK)
      return status;
  }
  s->packed = packed;
  return HED_OK;
}

void hed__mat_end(hed__mat_source *s)
{
#ifdef HED_HAVE_ZLIB
  if (s->packed)
    (void)lib.inflateEnd(&s->z);
#endif
  s->packed = false;
}

hed_status hed__mat_take(hed__mat_source *s, void *out, uint64_t n)
{
  unsigned char ignored[256];
  hed_status status = n <= s->inside ? HED_OK : ended(s);
  while (n > 0 && status == HED_OK) {
    const size_t room = out ? 1 << 20 : sizeof ignored, now = n < room ? (size_t)n : room;
    void *to = out ? out : ignored;
    status = s->packed ? take_packed(s, to, now) : take_stored(s, to, now);
    out = out ? (char *)out + now : NULL;
    s->inside -= now;
    n -= now;
  }
  return status;
}
