// SPDX-License-Identifier: BSD-3-Clause
/* Plain files by read(), compressed ones through zlib, which is opened when the first of them is.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/files/stream.h"
#include "base/cancel.h"
#include "base/zlib.h"
#include "kits/match/files/fileio.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Deflate packs at most this many bytes into one. */
static const uint64_t densest = 1032;

struct hed__stream {
  const char *op, *path;
  int fd;
  uint64_t size;
  const hed__zlib *z;
  void *gz; /* NULL: plain */
  uint8_t head[1024];
  size_t n_head, at;
};

static hed_status open_unpacker(hed__stream *s)
{
  if (!(s->z = hed__zlib_get()))
    return hed_fail(HED_E_UNSUPPORTED, "%s: '%s' is compressed with gzip, and zlib is not there to unpack it", s->op, s->path);
  const int fd = dup(s->fd);
  if (fd < 0)
    return hed_fail(HED_E_IO, "%s: cannot read '%s': %s", s->op, s->path, strerror(errno));
  if (!(s->gz = s->z->gzdopen(fd, "rb"))) {
    close(fd);
    return hed_fail(HED_E_NOMEM, "%s: no memory to unpack '%s'", s->op, s->path);
  }
  return HED_OK;
}

hed_status hed__stream_open(const char *op, const char *path, hed__stream **out)
{
  HED__UNCANCELLED;
  uint8_t magic[2] = { 0, 0 };
  hed_status status;
  *out = NULL;
  hed__stream *s = calloc(1, sizeof *s);
  if (!s)
    return hed_fail(HED_E_NOMEM, "%s: no memory to read '%s'", op, path);
  s->op = op;
  s->path = path;
  if ((status = hed__file_open(op, path, &s->fd, &s->size)) != HED_OK) {
    free(s);
    return status;
  }
  if (s->size >= sizeof magic)
    status = hed__file_read_at(op, path, s->fd, 0, magic, sizeof magic);
  if (status == HED_OK && magic[0] == 0x1f && magic[1] == 0x8b)
    status = open_unpacker(s);
  s->at = sizeof s->head;
  if (status == HED_OK)
    status = hed__stream_read(s, s->head, sizeof s->head, &s->n_head);
  s->at = 0;
  if (status != HED_OK)
    hed__stream_close(s);
  else
    *out = s;
  return status;
}

void hed__stream_close(hed__stream *s)
{
  HED__UNCANCELLED;
  if (!s)
    return;
  if (s->gz)
    (void)s->z->gzclose(s->gz);
  close(s->fd);
  free(s);
}

const uint8_t *hed__stream_head(const hed__stream *s, size_t *n)
{
  *n = s->n_head;
  return s->head;
}

uint64_t hed__stream_size(const hed__stream *s, bool *exact)
{
  *exact = !s->gz;
  return *exact ? s->size : s->size < UINT64_MAX / densest ? s->size * densest : UINT64_MAX;
}

hed_status hed__stream_read(hed__stream *s, void *to, size_t n, size_t *got)
{
  HED__UNCANCELLED;
  uint8_t *p = to;
  *got = 0;
  if (s->at < s->n_head) {
    *got = s->n_head - s->at < n ? s->n_head - s->at : n;
    memcpy(p, s->head + s->at, *got);
    s->at += *got;
  }
  while (*got < n) {
    const size_t left = n - *got, piece = left < 1 << 30 ? left : 1 << 30;
    const ssize_t more = s->gz ? s->z->gzread(s->gz, p + *got, (unsigned)piece) : read(s->fd, p + *got, piece);
    if (more < 0 && !s->gz && errno == EINTR)
      continue;
    if (more < 0)
      return s->gz ? hed_fail(HED_E_FORMAT, "%s: '%s' is compressed with gzip and damaged", s->op, s->path)
                        : hed_fail(HED_E_IO, "%s: cannot read '%s': %s", s->op, s->path, strerror(errno));
    if (more == 0)
      break;
    *got += (size_t)more;
  }
  return HED_OK;
}

hed_status hed__stream_take(hed__stream *s, void *to, uint64_t n)
{
  uint8_t over[4096];
  while (n > 0) {
    const size_t piece = to ? (size_t)n : n < sizeof over ? (size_t)n : sizeof over;
    size_t got;
    const hed_status status = hed__stream_read(s, to ? to : over, piece, &got);
    if (status != HED_OK)
      return status;
    if (got < piece)
      return hed_fail(HED_E_FORMAT, "%s: '%s' ends %llu bytes too early", s->op, s->path, (unsigned long long)(n - got));
    n -= piece;
  }
  return HED_OK;
}

hed_status hed__file_load(const char *op, const char *path, uint64_t most, char **text, size_t *n)
{
  hed__stream *s;
  bool exact;
  size_t room, got = 0;
  char *all = NULL;
  *text = NULL;
  *n = 0;
  hed_status status = hed__stream_open(op, path, &s);
  if (status != HED_OK)
    return status;
  const uint64_t size = hed__stream_size(s, &exact);
  room = exact && size < most ? (size_t)size : 1 << 16;
  do {
    char *more = NULL;
    if (*n > most || (exact && size > most))
      status = hed_fail(HED_E_FORMAT, "%s: '%s' has %s%llu bytes; at most %llu are read", op, path, exact ? "" : "more than ",
                        (unsigned long long)(exact ? size : most), (unsigned long long)most);
    else if (!(more = realloc(all, room + 1)))
      status = hed_fail(HED_E_NOMEM, "%s: no memory for the %zu bytes of '%s'", op, room, path);
    else if ((all = more) != NULL)
      status = hed__stream_read(s, all + *n, room - *n, &got);
    *n += status == HED_OK ? got : 0;
    if (*n < room)
      break;
    room *= 2;
  } while (status == HED_OK && !exact);
  if (status == HED_OK && exact && *n < size)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' ends at byte %zu, %llu bytes too early", op, path, *n,
                      (unsigned long long)(size - *n));
  hed__stream_close(s);
  if (status != HED_OK) {
    free(all);
    *n = 0;
    return status;
  }
  all[*n] = '\0';
  *text = all;
  return HED_OK;
}
