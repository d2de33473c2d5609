// SPDX-License-Identifier: BSD-3-Clause
/*
 * workers.c: "cpu*2,reference" becomes a list of contexts.
 *
 * Layer: L4, match kit. Contexts are derived on the calling thread, so that an unknown or unusable backend is
 * reported before any thread starts.
 */
#include "kits/match/run/job.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORKERS = 1024 };

void hed__worker_list_clear(hed__worker_list *c)
{
  for (int i = 0; c->context && i < c->n; i++)
    hed_context_release(c->context[i]);
  free(c->context);
  free(c->worker);
  *c = (hed__worker_list){ 0 };
}

/* The spec with what it leaves out: one thread for a worker of several, measured plans for many rotations. */
static void complete(const hed__worker_list *c, const char *spec, size_t n_rotations, char *out, size_t room)
{
  const bool serial = c->n > 1 && !strcasestr(spec, "threads=");
  const bool measure = n_rotations >= 64 && !strcasestr(spec, "fft=");
  snprintf(out, room, "%s%s%s", spec, serial ? ";threads=1" : "", measure ? ";fft=measure" : "");
}

/* One item of the list: the spec without blanks and *COUNT. */
static hed_status parse_item(const char *all, const char *s, size_t n, char *spec, size_t room, int *count)
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
    if (k < 1 || k > MOST_WORKERS || end != s + n)
      return hed_fail(HED_E_INVAL, "hed_match_run: workers '%.120s': '%.*s' should end with *COUNT, 1 to %d", all,
                      n < 60 ? (int)n : 60, s, MOST_WORKERS);
    *count = (int)k;
  }
  while (length > 0 && isspace((unsigned char)s[length - 1]))
    length--;
  if (length == 0)
    return hed_fail(HED_E_INVAL, "hed_match_run: workers '%.120s': an entry is empty", all);
  if (length >= room)
    return hed_fail(HED_E_INVAL, "hed_match_run: workers '%.60s...': an entry of %zu characters", all, length);
  memcpy(spec, s, length);
  spec[length] = '\0';
  return HED_OK;
}

static hed_status add(hed__worker_list *c, const char *spec)
{
  hed_match_worker *w = realloc(c->worker, (size_t)(c->n + 1) * sizeof *w);
  if (w)
    c->worker = w;
  hed_context **x = w ? realloc(c->context, (size_t)(c->n + 1) * sizeof(hed_context *)) : NULL;
  if (!x)
    return hed_fail(HED_E_NOMEM, "hed_match_run: no memory for %d workers", c->n + 1);
  c->context = x;
  c->context[c->n] = NULL;
  c->worker[c->n] = (hed_match_worker){ 0 };
  snprintf(c->worker[c->n].spec, sizeof c->worker[c->n].spec, "%s", spec);
  c->n++;
  return HED_OK;
}

static hed_status derive(hed__worker_list *c, int i, size_t n_rotations)
{
  char spec[sizeof c->worker[i].spec + 32];
  complete(c, c->worker[i].spec, n_rotations, spec, sizeof spec);
  if (hed_context_derive(NULL, spec, &c->context[i]) == HED_OK)
    return HED_OK;
  char why[400];
  hed_status status = hed_error();
  snprintf(why, sizeof why, "%s", hed_error_text());
  return hed_fail(status, "hed_match_run: worker %d, '%.40s': %s", i, c->worker[i].spec, why);
}

/* Entries of WORKERS. */
static hed_status add_all(hed__worker_list *c, const char *workers)
{
  hed_status status = HED_OK;
  for (const char *s = workers; status == HED_OK;) {
    char spec[sizeof c->worker[0].spec];
    int count = 0;
    size_t n = strcspn(s, ",");
    status = parse_item(workers, s, n, spec, sizeof spec, &count);
    if (status == HED_OK && c->n + count > MOST_WORKERS)
      status = hed_fail(HED_E_INVAL, "hed_match_run: workers '%.120s': more than %d", workers, MOST_WORKERS);
    for (int k = 0; status == HED_OK && k < count; k++)
      status = add(c, spec);
    if (s[n] == '\0')
      break;
    s += n + 1;
  }
  return status;
}

hed_status hed_match_workers_check(const char *workers)
{
  hed__worker_list c = { 0 };
  if (!workers)
    return hed_fail(HED_E_INVAL, "hed_match_run: workers is NULL");
  const hed_status status = add_all(&c, workers);
  hed__worker_list_clear(&c);
  return status;
}

hed_status hed__worker_list_parse(hed__worker_list *c, const char *workers, size_t n_rotations)
{
  hed_status status = HED_OK;
  *c = (hed__worker_list){ 0 };
  if (!workers && (status = add(c, hed_get_backend())) == HED_OK) {
    char spec[32] = "";
    complete(c, "", n_rotations, spec, sizeof spec);
    if (*spec)
      status = hed_context_derive(NULL, spec, &c->context[0]);
    else if (!(c->context[0] = hed_context_current()))
      status = hed_error();
  }
  if (workers)
    status = add_all(c, workers);
  for (int i = 0; workers && status == HED_OK && i < c->n; i++)
    status = derive(c, i, n_rotations);
  if (status != HED_OK)
    hed__worker_list_clear(c);
  return status;
}
