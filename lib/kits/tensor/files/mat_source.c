// SPDX-License-Identifier: BSD-3-Clause
/* See mat_source.h.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/files/mat_source.h"
#include "base/zlib.h"
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
static hed_status begin_packed(hed__mat_source *s)
{
  if (!(s->lib = hed__zlib_get()))
    return hed_fail(HED_E_UNAVAILABLE, "%s: '%s' has compressed variables: " HED__ZLIB " does not load", s->op, s->path);
  memset(&s->z, 0, sizeof s->z);
  return s->lib->inflateInit_(&s->z, ZLIB_VERSION, (int)sizeof s->z) == Z_OK
             ? HED_OK : hed_fail(HED_E_NOMEM, "%s: '%s': no memory for zlib", s->op, s->path);
}

static hed_status refill(hed__mat_source *s)
{
  if (s->z.avail_in > 0 || s->stored == 0)
    return HED_OK;
  const size_t more = s->stored < sizeof s->in ? (size_t)s->stored : sizeof s->in;
  s->z.next_in = s->in;
  s->z.avail_in = (uInt)more;
  return take_stored(s, s->in, more);
}

static hed_status damaged(const hed__mat_source *s)
{
  return hed_fail(HED_E_FORMAT, "%s: '%s': a variable does not decompress", s->op, s->path);
}

static hed_status take_packed(hed__mat_source *s, void *out, size_t n)
{
  s->z.next_out = out;
  s->z.avail_out = (uInt)n;
  while (s->z.avail_out > 0) {
    const hed_status status = refill(s);
    if (status != HED_OK)
      return status;
    const int said = s->lib->inflate(&s->z, Z_NO_FLUSH);
    if (said != Z_OK && !(said == Z_STREAM_END && s->z.avail_out == 0))
      return said == Z_STREAM_END || said == Z_BUF_ERROR ? ended(s) : damaged(s);
  }
  return HED_OK;
}

/* The checksum is behind what fills the last eight bytes. */
static hed_status check_packed(hed__mat_source *s)
{
  unsigned char rest[8];
  int said = Z_OK;
  s->z.next_out = rest;
  s->z.avail_out = sizeof rest;
  while (said == Z_OK) {
    const hed_status status = refill(s);
    if (status != HED_OK)
      return status;
    said = s->lib->inflate(&s->z, Z_NO_FLUSH);
  }
  return said == Z_STREAM_END ? HED_OK : damaged(s);
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

static hed_status check_packed(hed__mat_source *s)
{
  return ended(s);
}

#endif

void hed__mat_swap(unsigned char *at, size_t n, int size)
{
  for (size_t i = 0; size > 1 && i < n; i++, at += size)
    for (int k = 0; k < size / 2; k++) {
      const unsigned char c = at[k];
      at[k] = at[size - 1 - k];
      at[size - 1 - k] = c;
    }
}

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

hed_status hed__mat_check(hed__mat_source *s)
{
  return s->packed ? check_packed(s) : HED_OK;
}

void hed__mat_end(hed__mat_source *s)
{
#ifdef HED_HAVE_ZLIB
  if (s->packed)
    (void)s->lib->inflateEnd(&s->z);
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
