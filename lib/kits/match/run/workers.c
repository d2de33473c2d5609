// SPDX-License-Identifier: BSD-3-Clause
/* The workers of a search, each with its context.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/job.h"
#include "kits/workers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_match_run";

void hed__worker_list_clear(hed__worker_list *c)
{
  for (int i = 0; c->context && i < c->n; i++)
    hed_context_release(c->context[i]);
  free(c->context);
  free(c->worker);
  *c = (hed__worker_list){ 0 };
}

/* What SPEC leaves out: one thread for a worker of several, measured plans for many rotations. */
static void complete(const hed__worker_list *c, const char *spec, size_t n_rotations, char *out, size_t room)
{
  const bool measure = n_rotations >= 64 && !strcasestr(spec, "fft=");
  snprintf(out, room, "%s%s", hed__worker_threads(c->n, spec), measure ? ";fft=measure" : "");
}

static hed_status add(void *list, const char *spec)
{
  hed__worker_list *c = list;
  hed_match_worker *w = realloc(c->worker, (size_t)(c->n + 1) * sizeof *w);
  if (w)
    c->worker = w;
  hed_context **x = w ? realloc(c->context, (size_t)(c->n + 1) * sizeof(hed_context *)) : NULL;
  if (!x)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %d workers", op, c->n + 1);
  c->context = x;
  c->context[c->n] = NULL;
  c->worker[c->n] = (hed_match_worker){ 0 };
  snprintf(c->worker[c->n].spec, sizeof c->worker[c->n].spec, "%s", spec);
  c->n++;
  return HED_OK;
}

static hed_status derive(hed__worker_list *c, int i, size_t n_rotations)
{
  char more[32];
  complete(c, c->worker[i].spec, n_rotations, more, sizeof more);
  return hed__worker_context(op, i, c->worker[i].spec, more, &c->context[i]);
}

hed_status hed_match_workers_check(const char *workers)
{
  hed__worker_list c = { 0 };
  if (!workers)
    return hed_fail(HED_E_INVAL, "%s: workers is NULL", op);
  const hed_status status = hed__each_worker(op, workers, add, &c);
  hed__worker_list_clear(&c);
  return status;
}

hed_status hed__worker_list_parse(hed__worker_list *c, const char *workers, size_t n_rotations)
{
  hed_status status = HED_OK;
  *c = (hed__worker_list){ 0 };
  if (!workers && (status = add(c, hed_get_backend())) == HED_OK) {
    char spec[32];
    complete(c, "", n_rotations, spec, sizeof spec);
    if (*spec)
      status = hed_context_derive(NULL, spec, &c->context[0]);
    else if (!(c->context[0] = hed_context_current()))
      status = hed_error();
  }
  if (workers)
    status = hed__each_worker(op, workers, add, c);
  for (int i = 0; workers && status == HED_OK && i < c->n; i++)
    status = derive(c, i, n_rotations);
  if (status != HED_OK)
    hed__worker_list_clear(c);
  return status;
}
