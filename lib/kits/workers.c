// SPDX-License-Identifier: BSD-3-Clause
/* See workers.h. Contexts are derived on the calling thread, so that an unknown or unusable backend is reported before
 * any thread starts.
 *
 * Layer: L4, all kits.
 */
#include "kits/workers.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One item of the list: the spec without blanks and *COUNT. */
static hed_status parse_item(const char *op, const char *all, const char *s, size_t n, char *spec, int *count)
{
  while (n > 0 && isspace((unsigned char)*s))
    s++, n--;
  while (n > 0 && isspace((unsigned char)s[n - 1]))
    n--;
  const char *star = memchr(s, '*', n);
  size_t length = star ? (size_t)(star - s) : n;
  *count = 1;
  if (star) {
    char *end;
    long k = isdigit((unsigned char)star[1]) ? strtol(star + 1, &end, 10) : 0;
    if (k < 1 || k > HED__MOST_WORKERS || end != s + n)
      return hed_fail(HED_E_INVAL, "%s: workers '%.120s': '%.*s' should end with *COUNT, 1 to %d", op, all, n < 60 ? (int)n : 60, s,
                      HED__MOST_WORKERS);
    *count = (int)k;
  }
  while (length > 0 && isspace((unsigned char)s[length - 1]))
    length--;
  if (length == 0)
    return hed_fail(HED_E_INVAL, "%s: workers '%.120s': an entry is empty", op, all);
  if (length >= HED__WORKER_SPEC)
    return hed_fail(HED_E_INVAL, "%s: workers '%.60s...': an entry of %zu characters", op, all, length);
  memcpy(spec, s, length);
  spec[length] = '\0';
  return HED_OK;
}

hed_status hed__each_worker(const char *op, const char *workers, hed_status (*add)(void *list, const char *spec), void *list)
{
  hed_status status = HED_OK;
  int n = 0;
  for (const char *s = workers; status == HED_OK;) {
    char spec[HED__WORKER_SPEC];
    int count = 0;
    const size_t length = strcspn(s, ",");
    status = parse_item(op, workers, s, length, spec, &count);
    if (status == HED_OK && n + count > HED__MOST_WORKERS)
      status = hed_fail(HED_E_INVAL, "%s: workers '%.120s': more than %d", op, workers, HED__MOST_WORKERS);
    for (int k = 0; status == HED_OK && k < count; k++, n++)
      status = add(list, spec);
    if (s[length] == '\0')
      break;
    s += length + 1;
  }
  return status;
}

const char *hed__worker_threads(int n, const char *spec) { return n > 1 && !strcasestr(spec, "threads=") ? ";threads=1" : ""; }

hed_status hed__worker_context(const char *op, int number, const char *spec, const char *more, hed_context **out)
{
  char whole[HED__WORKER_SPEC + 32], why[400];
  (void)snprintf(whole, sizeof whole, "%s%s", spec, more);
  const hed_status status = hed_context_derive(NULL, whole, out);
  if (status == HED_OK)
    return HED_OK;
  (void)snprintf(why, sizeof why, "%s", hed_error_text());
  return hed_fail(status, "%s: worker %d, '%.40s': %s", op, number, spec, why);
}
