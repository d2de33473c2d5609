// SPDX-License-Identifier: BSD-3-Clause
/*
 * fileio.c: safe reading, atomic writing, numbers without the locale.
 *
 * Layer: L4, match kit. Temporary files are made with O_EXCL and the permissions that an
 * ordinary open() would give, so the result looks as if it had been written in place.
 */
#include "kits/match/fileio.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hed_status hed__file_open(const char *op, const char *path, int *fd, uint64_t *size) {
  struct stat st;
  int f = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (f < 0)
    return hed_fail(HED_E_IO, "%s: cannot open '%s': %s", op, path, strerror(errno));
  if (fstat(f, &st) != 0 || !S_ISREG(st.st_mode)) {
    close(f);
    return hed_fail(HED_E_IO, "%s: '%s' is not a regular file", op, path);
  }
  *fd = f;
  *size = (uint64_t)st.st_size;
  return HED_OK;
}

hed_status hed__file_read_at(const char *op, const char *path, int fd, uint64_t offset,
                             void *dst, size_t n) {
  char *p = dst;
  size_t left = n;
  while (left > 0) {
    ssize_t got = pread(fd, p, left, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return hed_fail(HED_E_IO, "%s: cannot read '%s': %s", op, path, strerror(errno));
    if (got == 0)
      return hed_fail(HED_E_FORMAT, "%s: '%s' ends at byte %llu, %zu bytes too early", op,
                      path, (unsigned long long)offset, left);
    p += got;
    offset += (uint64_t)got;
    left -= (size_t)got;
  }
  return HED_OK;
}

hed_status hed__file_load(const char *op, const char *path, uint64_t most, char **text,
                          size_t *n) {
  hed_status status;
  uint64_t size = 0;
  char *buf = NULL;
  int fd = -1;

  *text = NULL;
  *n = 0;
  if ((status = hed__file_open(op, path, &fd, &size)) != HED_OK)
    return status;
  if (size > most) {
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has %llu bytes; at most %llu are read", op,
                      path, (unsigned long long)size, (unsigned long long)most);
    goto done;
  }
  buf = malloc((size_t)size + 1);
  if (!buf) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for the %llu bytes of '%s'", op,
                      (unsigned long long)size, path);
    goto done;
  }
  if ((status = hed__file_read_at(op, path, fd, 0, buf, (size_t)size)) != HED_OK)
    goto done;
  buf[size] = '\0';
  *text = buf;
  *n = (size_t)size;
  buf = NULL;
done:
  free(buf);
  close(fd);
  return status;
}

/* The name that a write to `path` would reach: symbolic links are followed. */
static hed_status final_name(const char *op, const char *path, char **out) {
  struct stat st;
  if (path[0] == '\0')
    return hed_fail(HED_E_INVAL, "%s: the name of the file to write is empty", op);
  if (stat(path, &st) == 0) {
    /* Renaming over a device or a folder would destroy it or fail late. */
    if (!S_ISREG(st.st_mode))
      return hed_fail(HED_E_IO, "%s: '%s' exists and is not a regular file", op, path);
    *out = realpath(path, NULL);
  } else {
    *out = strdup(path);
  }
  if (!*out)
    return hed_fail(errno == ENOMEM ? HED_E_NOMEM : HED_E_IO,
                    "%s: cannot resolve '%s': %s", op, path, strerror(errno));
  return HED_OK;
}

hed_status hed__outfile_open(hed__outfile *o, const char *op, const char *path) {
  hed_status status;
  int fd = -1;

  memset(o, 0, sizeof *o);
  if ((status = final_name(op, path, &o->path)) != HED_OK)
    return status;
  size_t room = strlen(o->path) + 40;
  o->temp = malloc(room);
  if (!o->temp) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for the name '%s'", op, path);
    goto fail;
  }
  for (unsigned attempt = 0; attempt < 1000 && fd < 0; attempt++) {
    snprintf(o->temp, room, "%s.%ld.%u.tmp", o->path, (long)getpid(), attempt);
    fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  if (fd < 0) {
    status = hed_fail(HED_E_IO, "%s: cannot write '%s': %s", op, path, strerror(errno));
    free(o->temp);
    o->temp = NULL;
    goto fail;
  }
  o->f = fdopen(fd, "wb");
  if (!o->f) {
    close(fd);
    status = hed_fail(HED_E_NOMEM, "%s: no memory to write '%s'", op, path);
    goto fail;
  }
  return HED_OK;
fail:
  hed__outfile_close(o);
  return status;
}

/* The new name lasts through a power cut only once the folder is on disk as well; some file
 * systems cannot do that, which is no reason to fail. */
static void sync_folder(const char *path) {
  char *folder = strdup(path);
  if (!folder)
    return;
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
  free(folder);
}

void hed__outfile_write(hed__outfile *o, const void *bytes, size_t n) {
  if (n > 0 && !o->cause && fwrite(bytes, 1, n, o->f) != n)
    o->cause = errno ? errno : EIO;
}

hed_status hed__outfile_commit(hed__outfile *o, const char *op) {
  int bad = o->cause || ferror(o->f), cause = o->cause ? o->cause : EIO;
  errno = 0;
  if (!bad && (fflush(o->f) != 0 || (fsync(fileno(o->f)) != 0 && errno != EINVAL))) {
    bad = 1;
    cause = errno ? errno : EIO;
  }
  if (fclose(o->f) != 0 && !bad) {
    bad = 1;
    cause = errno;
  }
  o->f = NULL;
  if (!bad && rename(o->temp, o->path) != 0) {
    bad = 1;
    cause = errno;
  }
  if (bad) {
    hed_status status =
        hed_fail(HED_E_IO, "%s: cannot write '%s': %s", op, o->path, strerror(cause));
    hed__outfile_close(o);
    return status;
  }
  free(o->temp);
  o->temp = NULL;
  sync_folder(o->path);
  return HED_OK;
}

void hed__outfile_close(hed__outfile *o) {
  if (o->f)
    fclose(o->f);
  if (o->temp)
    unlink(o->temp);
  free(o->temp);
  free(o->path);
  memset(o, 0, sizeof *o);
}

hed_status hed__c_locale_enter(hed__c_locale *c, const char *op) {
  c->previous = (locale_t)0;
  c->mine = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c->mine == (locale_t)0)
    return hed_fail(HED_E_NOMEM, "%s: no memory for a locale", op);
  c->previous = uselocale(c->mine);
  return HED_OK;
}

void hed__c_locale_leave(hed__c_locale *c) {
  if (c->mine == (locale_t)0)
    return;
  uselocale(c->previous);
  freelocale(c->mine);
  c->mine = (locale_t)0;
}

bool hed__parse_number(const char *s, size_t n, double *out) {
  char buf[64];
  while (n > 0 && (*s == ' ' || *s == '\t')) {
    s++;
    n--;
  }
  while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
    n--;
  if (n == 0 || n >= sizeof buf)
    return false;
  /* strtod() alone would take "nan", "inf" and hexadecimal, too. */
  for (size_t i = 0; i < n; i++)
    if (!strchr("+-.0123456789eE", s[i]) || s[i] == '\0')
      return false;
  memcpy(buf, s, n);
  buf[n] = '\0';
  char *end = NULL;
  double v = strtod(buf, &end);
  if (end != buf + n || !isfinite(v))
    return false;
  *out = v;
  return true;
}

hed_status hed__host_values(const char *op, const hed_array *x, float **values, size_t *n) {
  hed_status status = HED_OK;
  hed_array *real = NULL;
  float *buf = NULL;
  hed_shape shape = hed_array_shape(x);
  hed_dtype t = hed_array_dtype(x);
  size_t count = 1, bytes = 0;

  *values = NULL;
  *n = 0;
  if (t == HED_COMPLEX64 || t == HED_COMPLEX128)
    return hed_fail(HED_E_UNSUPPORTED, "%s: the data is %s; real values are needed", op,
                    hed_dtype_name(t));
  for (int32_t i = 0; i < shape.ndim; i++)
    if (__builtin_mul_overflow(count, (size_t)shape.dim[i], &count))
      return hed_fail(HED_E_NOMEM, "%s: the array has too many elements", op);
  if (__builtin_mul_overflow(count, sizeof(float), &bytes) || !(buf = malloc(bytes + 1)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu values", op, count);
  if (t != HED_FLOAT32) {
    real = hed_keep(hed_astype(x, HED_FLOAT32)); /* no scope of the caller releases it */
    if (!real) {
      status = hed_error();
      goto done;
    }
  }
  if ((status = hed_to_host(real ? real : x, buf, bytes)) != HED_OK)
    goto done;
  *values = buf;
  *n = count;
  buf = NULL;
done:
  hed_release(real);
  free(buf);
  return status;
}

const char *hed__printable(const char *s, size_t n, char *buf, size_t room) {
  size_t k = 0;
  for (; k < n && k + 1 < room; k++)
    buf[k] = s[k] >= 32 && s[k] < 127 ? s[k] : '?';
  buf[k] = '\0';
  return buf;
}
