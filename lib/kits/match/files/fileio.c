// SPDX-License-Identifier: BSD-3-Clause
/* Safe reading, numbers without the locale.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/files/fileio.h"
#include "base/cancel.h"
#include "base/regular.h"
#include <math.h>
#include <stdlib.h>

hed_status hed__file_open(const char *op, const char *path, int *fd, uint64_t *size) {
  HED__UNCANCELLED;
  const char *why = NULL;
  *fd = hed__regular_open(path, size, &why);
  return *fd >= 0 ? HED_OK : hed_fail(HED_E_IO, "%s: cannot open '%s': %s", op, path, why);
}

hed_status hed__file_read_at(const char *op, const char *path, int fd, uint64_t offset,
                             void *dst, size_t n) {
  HED__UNCANCELLED;
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
