// SPDX-License-Identifier: BSD-3-Clause
/* Writing a trace's text. L2. See sink.h. */
#include "core/profile/sink.h"
#include "base/zlib.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static bool is_gz(const char *path)
{
  const size_t n = strlen(path);
  return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

hed_status hed__writer_ready(const char *path)
{
  return !is_gz(path) || hed__zlib_get()
           ? HED_OK
           : hed_fail(HED_E_UNSUPPORTED, "profile: %.300s is to be compressed, and there is no " HED__ZLIB "; "
                                         "a name without .gz is possible", path);
}

bool hed__sink_open(hed__sink *s, const char *path)
{
  s->file = NULL;
  s->gz = NULL;
  s->failed = false;
  s->used = 0;
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return false;
  if (is_gz(path))
    s->gz = hed__zlib_get()->gzdopen(fd, "wb4");
  else
    s->file = fdopen(fd, "w");
  if (s->file || s->gz)
    return true;
  close(fd);
  return false;
}

static void flush(hed__sink *s)
{
  if (s->failed || s->used == 0)
    ;
  else if (s->gz)
    s->failed = hed__zlib_get()->gzwrite(s->gz, s->text, (unsigned)s->used) != (int)s->used;
  else
    s->failed = fwrite(s->text, 1, s->used, s->file) != s->used;
  s->used = 0;
}

void hed__sink_put(hed__sink *s, const char *format, ...)
{
  enum { LONGEST = 2048 };
  va_list ap;
  if (s->used + LONGEST > sizeof s->text)
    flush(s);
  va_start(ap, format);
  const int n = vsnprintf(s->text + s->used, LONGEST, format, ap);
  va_end(ap);
  s->used += n < 0 ? 0 : n < LONGEST ? (size_t)n : LONGEST - 1;
}

/* What is no UTF-8 becomes a question mark: bytes of a name that the program gave. */
static int utf8_length(const unsigned char *p)
{
  const int n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
  for (int k = 1; k < n; k++)
    if ((p[k] & 0xc0) != 0x80)
      return 0;
  if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
    return 0;
  return n;
}

void hed__sink_quote(hed__sink *s, const char *text)
{
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    const int n = utf8_length(p);
    if (n == 0)
      hed__sink_put(s, "?");
    else if (*p == '"' || *p == '\\')
      hed__sink_put(s, "\\%c", *p);
    else if (*p < 0x20)
      hed__sink_put(s, "\\u%04x", *p);
    else
      hed__sink_put(s, "%.*s", n, (const char *)p);
    p += n ? n : 1;
  }
}

bool hed__sink_close(hed__sink *s)
{
  flush(s);
  if (s->gz)
    s->failed |= hed__zlib_get()->gzclose(s->gz) != 0;
  else
    s->failed |= fclose(s->file) != 0;
  if (s->failed && !errno)
    errno = EIO;
  return !s->failed;
}
