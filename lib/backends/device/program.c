// SPDX-License-Identifier: BSD-3-Clause
/* Programs in memory: each is built once, by the first who asks, while others wait. L1. */
#include "backends/device/layer.h"
#include <stdio.h>
#include <string.h>

typedef struct entry {
  struct entry *next;
  void *native;                /* NULL: the program has none of that name */
  char name[];
} entry;

struct hed__program {
  hed__spec spec;
  uint64_t hash;
  bool made;                   /* or failed */
  int32_t status;
  char text[HED__TEXT];
  void *native;
  entry *entries;
  char *strings;               /* the spec's */
};

/* ---- specs ---- */

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
  const unsigned char *b = p;
  for (size_t k = 0; k < n; k++)
    h = (h ^ b[k]) * 0x100000001b3u;
  return h;
}

static uint64_t mix_text(uint64_t h, const char *s) { return s ? mix(h, s, strlen(s) + 1) : mix(h, "", 1); }

static uint64_t hash_of(const hed__spec *s)
{
  uint64_t h = mix_text(0xcbf29ce484222325u, s->family);
  h = mix(h, &s->compute, sizeof s->compute);
  h = mix(h, &s->out, sizeof s->out);
  h = mix(h, s->in, sizeof s->in);
  h = mix(h, &s->block, sizeof s->block);
  h = mix_text(h, s->only);
  for (int k = 0; k < HED__MOST_DEFINES && s->define[k]; k++)
    h = mix_text(h, s->define[k]);
  return h;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same(const hed__spec *a, const hed__spec *b)
{
  bool yes = same_text(a->family, b->family) && same_text(a->only, b->only) && a->compute == b->compute && a->out == b->out &&
             memcmp(a->in, b->in, sizeof a->in) == 0 && a->block == b->block;
  for (int k = 0; k < HED__MOST_DEFINES && yes; k++) {
    yes = same_text(a->define[k], b->define[k]);
    if (!a->define[k])
      break;
  }
  return yes;
}

static size_t text_size(const char *s) { return s ? strlen(s) + 1 : 0; }

static const char *keep_text(char **at, const char *s)
{
  const size_t n = text_size(s);
  char *p = s ? memcpy(*at, s, n) : NULL;
  *at += n;
  return p;
}

static hed__program *new_program(hed__device *d, const hed__spec *spec, uint64_t hash)
{
  size_t bytes = text_size(spec->family) + text_size(spec->only);
  for (int k = 0; k < HED__MOST_DEFINES && spec->define[k]; k++)
    bytes += text_size(spec->define[k]);
  hed__program *p = d->host->alloc(sizeof *p, 0);
  char *at = p ? d->host->alloc(bytes, 0) : NULL;
  if (!at) {
    d->host->free(p);
    return NULL;
  }
  memset(p, 0, sizeof *p);
  p->spec = *spec;
  p->hash = hash;
  p->strings = at;
  p->spec.family = keep_text(&at, spec->family);
  p->spec.only = keep_text(&at, spec->only);
  for (int k = 0; k < HED__MOST_DEFINES && spec->define[k]; k++)
    p->spec.define[k] = keep_text(&at, spec->define[k]);
  return p;
}

/* ---- the table; its lock is held ---- */

static hed__program *find(const hed__device *d, const hed__spec *spec, uint64_t hash)
{
  for (int32_t k = 0; k < d->n_programs; k++)
    if (d->programs[k]->hash == hash && same(&d->programs[k]->spec, spec))
      return d->programs[k];
  return NULL;
}

static hed__program *add(hed__device *d, const hed__spec *spec, uint64_t hash)
{
  if (d->n_programs == d->cap_programs) {
    const int32_t cap = d->cap_programs ? 2 * d->cap_programs : 64;
    hed__program **more = d->host->alloc((size_t)cap * sizeof(hed__program *), 0);
    if (!more)
      return NULL;
    if (d->n_programs)
      memcpy(more, d->programs, (size_t)d->n_programs * sizeof(hed__program *));
    d->host->free(d->programs);
    d->programs = more;
    d->cap_programs = cap;
  }
  hed__program *p = new_program(d, spec, hash);
  if (p)
    d->programs[d->n_programs++] = p;
  return p;
}


/* ---- building, outside all locks ---- */

/* The first lines of a compiler's log, in one. */
static void shorten(char *log)
{
  size_t n = strlen(log);
  n = n > 160 ? 160 : n;
  log[n] = 0;
  for (size_t k = 0; k < n; k++)
    log[k] = log[k] == '\n' ? ' ' : log[k];
}

static int32_t build(hed__device *d, hed__program *p)
{
  enum { LOG = 8192 };
  size_t bytes = 0;
  char *source = hed__source(d, &p->spec, &bytes), *log = NULL;
  int32_t status = source ? HED_OK : HED_E_UNSUPPORTED;
  if (source && !(log = d->host->alloc(LOG, 0)))
    status = d->host->fail(HED_E_NOMEM, "%s: no memory for a compiler's log", d->name);
  if (status == HED_OK) {
    log[0] = 0;
    status = hed__device_status(d, d->port->build(d->dev, source, bytes, &p->native, log, LOG));
    if (log[0])
      d->host->log(HED_LOG_DEBUG, p->spec.family, "%s", log);
    if (status != HED_OK) {
      shorten(log);
      status = d->host->fail(status, "%s: the program %s for type %d was not built: %s", d->name, p->spec.family,
                             (int)p->spec.compute, log);
      snprintf(p->text, sizeof p->text, "%s: the program %s for type %d was not built: %s", d->name, p->spec.family,
               (int)p->spec.compute, log);
    }
  }
  d->host->free(log);
  d->host->free(source);
  return status;
}

int32_t hed__program_get(hed__device *d, const hed__spec *spec, hed__program **out)
{
  const uint64_t hash = hash_of(spec);
  pthread_mutex_lock(&d->program_lock);
  hed__program *p = find(d, spec, hash);
  if (p) {
    while (!p->made)
      pthread_cond_wait(&d->program_made, &d->program_lock);
    const int32_t status = p->status == HED_OK ? HED_OK : d->host->fail(p->status, "%s", p->text);
    pthread_mutex_unlock(&d->program_lock);
    *out = p;
    return status;
  }
  p = add(d, spec, hash);
  pthread_mutex_unlock(&d->program_lock);
  if (!p)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a program", d->name);
  const int32_t status = build(d, p);
  pthread_mutex_lock(&d->program_lock);
  p->made = true;
  p->status = status;
  pthread_cond_broadcast(&d->program_made);
  pthread_mutex_unlock(&d->program_lock);
  *out = p;
  return status;
}

int32_t hed__program_entry(hed__device *d, hed__program *p, const char *name, void **out)
{
  int32_t status = HED_OK;
  pthread_mutex_lock(&d->program_lock);
  entry *e = p->entries;
  while (e && strcmp(e->name, name) != 0)
    e = e->next;
  if (!e) {
    const size_t n = strlen(name) + 1;
    if (!(e = d->host->alloc(sizeof *e + n, 0))) {
      status = d->host->fail(HED_E_NOMEM, "%s: no memory for a kernel", d->name);
    } else {
      memcpy(e->name, name, n);
      e->native = NULL;
      status = hed__device_status(d, d->port->entry(d->dev, p->native, name, &e->native));
      e->next = p->entries;
      p->entries = e;
    }
  }
  if (status == HED_OK && !e->native)
    status = d->host->fail(HED_E_UNSUPPORTED, "%s: the program %s has no kernel %s", d->name, p->spec.family, name);
  if (status == HED_OK)
    *out = e->native;
  pthread_mutex_unlock(&d->program_lock);
  return status;
}

int32_t hed__kernel(hed__device *d, const hed__spec *spec, const char *name, void **out)
{
  hed__program *p;
  int32_t status = hed__program_get(d, spec, &p);
  return status == HED_OK ? hed__program_entry(d, p, name, out) : status;
}
