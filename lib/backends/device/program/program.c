// SPDX-License-Identifier: BSD-3-Clause
/* Programs in memory: each is built once, by the first who asks, while others wait; and what is written of them. L1.
 *
 * A binary is written when its program was built, and again once more of its kernels have been launched: some drivers
 * finish a kernel only then.
 */
#include "backends/device/program/cache.h"
#include "backends/device/program/program.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/dtype.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct entry {
  struct entry *next;
  void *native;                /* NULL: the program has none of that name */
  char name[];
} entry;

struct dev_program {
  dev_spec spec;
  uint64_t hash;
  bool made;                   /* or failed */
  bool again;                  /* it failed, for no fault of its own that the compiler named: to be tried anew */
  int32_t status;
  char text[DEV_TEXT];
  void *native;
  entry *entries;
  char *strings;               /* the spec's */
  unsigned char key[32];       /* of its file */
  unsigned char kept[32];      /* the hash of what the file has, 0 without one */
  bool unsaved;                /* kernels are known that its file does not have */
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

static uint64_t hash_of(const dev_spec *s)
{
  uint64_t h = mix_text(0xcbf29ce484222325u, s->family);
  h = mix(h, &s->compute, sizeof s->compute);
  h = mix(h, &s->out, sizeof s->out);
  h = mix(h, s->in, sizeof s->in);
  h = mix(h, &s->block, sizeof s->block);
  h = mix_text(mix_text(h, s->only), s->body);
  for (int k = 0; k < DEV_MOST_DEFINES && s->define[k]; k++)
    h = mix_text(h, s->define[k]);
  return h;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same(const dev_spec *a, const dev_spec *b)
{
  bool yes = same_text(a->family, b->family) && same_text(a->only, b->only) &&
             same_text(a->body, b->body) && a->compute == b->compute && a->out == b->out &&
             memcmp(a->in, b->in, sizeof a->in) == 0 && a->block == b->block;
  for (int k = 0; k < DEV_MOST_DEFINES && yes; k++) {
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

static dev_program *new_program(dev_device *d, const dev_spec *spec, uint64_t hash)
{
  size_t bytes = text_size(spec->family) + text_size(spec->only) + text_size(spec->body);
  for (int k = 0; k < DEV_MOST_DEFINES && spec->define[k]; k++)
    bytes += text_size(spec->define[k]);
  dev_program *p = d->host->alloc(sizeof *p, 0);
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
  p->spec.body = keep_text(&at, spec->body);
  for (int k = 0; k < DEV_MOST_DEFINES && spec->define[k]; k++)
    p->spec.define[k] = keep_text(&at, spec->define[k]);
  return p;
}

/* ---- written ---- */

/* Where it is another than its file has: drivers may add what they make of a kernel when it is first asked for. */
static void save(dev_device *d, dev_program *p)
{
  unsigned char hash[32];
  void *binary = NULL;
  size_t bytes = 0;
  if (d->port->binary_of(d->dev, p->native, &binary, &bytes) == HED_OK) {
    dev_text_key(binary, bytes, hash);
    if (memcmp(hash, p->kept, sizeof hash) != 0)
      dev_cache_write(d, p->key, binary, bytes);
    memcpy(p->kept, hash, sizeof hash);
  }
  d->host->free(binary);
}

/* The next program that has something new, NULL when there is none. */
static dev_program *next_unsaved(dev_device *d)
{
  dev_program *p = NULL;
  pthread_mutex_lock(&d->program_lock);
  for (int32_t k = 0; k < d->n_programs && !p; k++)
    if (d->programs[k]->made && d->programs[k]->status == HED_OK && d->programs[k]->unsaved) {
      p = d->programs[k];
      p->unsaved = false;
    }
  d->unsaved &= p != NULL;
  pthread_mutex_unlock(&d->program_lock);
  return p;
}

/* The member SAVE of a device. */
static void save_programs(dev_device *d, bool now)
{
  const uint64_t interval = 2000000000u, time = hed__now_ns();
  uint_fast64_t last = atomic_load(&d->saved_ns);
  if (!now && (time - last <= interval || !atomic_compare_exchange_strong(&d->saved_ns, &last, time) || !dev_cache_is_set(d)))
    return;
  for (dev_program *p; (p = next_unsaved(d)) != NULL;)
    save(d, p);
  dev_cache_tidy(d);
}

/* ---- the table; its lock is held ---- */

static dev_program *find(const dev_device *d, const dev_spec *spec, uint64_t hash)
{
  for (int32_t k = 0; k < d->n_programs; k++)
    if (d->programs[k]->hash == hash && same(&d->programs[k]->spec, spec))
      return d->programs[k];
  return NULL;
}

static dev_program *add(dev_device *d, const dev_spec *spec, uint64_t hash)
{
  if (d->n_programs == d->cap_programs) {
    const int32_t cap = d->cap_programs ? 2 * d->cap_programs : 64;
    dev_program **more = d->host->alloc((size_t)cap * sizeof(dev_program *), 0);
    if (!more)
      return NULL;
    if (d->n_programs)
      memcpy(more, d->programs, (size_t)d->n_programs * sizeof(dev_program *));
    d->host->free(d->programs);
    d->programs = more;
    d->cap_programs = cap;
  }
  dev_program *p = new_program(d, spec, hash);
  if (p)
    d->programs[d->n_programs++] = p;
  if (!d->save) /* once: it is read without the lock, where something is unsaved */
    d->save = save_programs;
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

static bool load_installed(dev_device *d, dev_program *p, const char *source, size_t source_bytes)
{
  unsigned char key[32];
  size_t bytes = 0;
  if (!d->port->installed)
    return false;
  dev_text_key(source, source_bytes, key);
  const void *binary = d->port->installed(d->dev, key, &bytes);
  return binary && d->port->load(d->dev, binary, bytes, &p->native) == HED_OK;
}

static bool load(dev_device *d, dev_program *p)
{
  size_t bytes = 0;
  void *binary = dev_cache_read(d, p->key, &bytes);
  const bool good = binary && d->port->load(d->dev, binary, bytes, &p->native) == HED_OK;
  if (good)
    dev_text_key(binary, bytes, p->kept);
  else if (binary)
    dev_cache_forget(d, p->key);
  d->host->free(binary);
  return good;
}

static int32_t compile(dev_device *d, dev_program *p, const char *source, size_t bytes)
{
  enum { LOG = 8192 };
  char *log = d->host->alloc(LOG, 0);
  if (!log)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a compiler's log", d->name);
  log[0] = 0;
  int32_t status = dev_status(d, d->port->build(d->dev, source, bytes, &p->native, log, LOG));
  if (log[0])
    d->host->log(HED_LOG_DEBUG, d->port->name, "%s", log);
  p->again = status != HED_OK && !log[0];
  if (p->again) {
    snprintf(p->text, sizeof p->text, "%s: the program %s for %s was not built", d->name, p->spec.family,
             hed__dtypes[p->spec.compute]->name);
  } else if (status != HED_OK) {
    shorten(log);
    snprintf(p->text, sizeof p->text, "%s: the program %s for %s was not built: %s", d->name, p->spec.family,
             hed__dtypes[p->spec.compute]->name, log);
    status = d->host->fail(status, "%s", p->text);
  }
  d->host->free(log);
  return status;
}

/* Outside all locks. */
static int32_t make(dev_device *d, dev_program *p)
{
  size_t bytes = 0;
  char *source = dev_source(d, &p->spec, &bytes);
  const uint64_t from = hed__now_ns(), profiled = dev_host_profile(d->host);
  if (!source) {
    snprintf(p->text, sizeof p->text, "%s: there is no program %s", d->name, p->spec.family);
    return HED_E_UNSUPPORTED;
  }
  dev_cache_key(d, source, bytes, p->key);
  const bool installed = load_installed(d, p, source, bytes), loaded = installed || (d->limits.binaries && load(d, p));
  const int32_t status = loaded ? HED_OK : compile(d, p, source, bytes);
  d->host->free(source);
  if (!loaded)
    dev_end_first();
  if (status == HED_OK && !loaded && d->limits.binaries)
    save(d, p);
  d->host->log(HED_LOG_DEBUG, d->port->name, "%s: %s %s%s%s for %s in %.1f ms", d->name,
               installed ? "found" : loaded ? "loaded" : "built", p->spec.family, p->spec.only ? " " : "",
               p->spec.only ? p->spec.only : "", hed__dtypes[p->spec.compute]->name, (double)(hed__now_ns() - from) * 1e-6);
  if (profiled) {
    char what[120];
    snprintf(what, sizeof what, "%s %s%s%s for %s", installed ? "find" : loaded ? "load" : "compile", p->spec.family,
             p->spec.only ? " " : "", p->spec.only ? p->spec.only : "", hed__dtypes[p->spec.compute]->name);
    d->host->profile_stage(what, profiled);
  }
  return status;
}

static int32_t get(dev_device *d, const dev_spec *spec, dev_program **out)
{
  const uint64_t hash = hash_of(spec);
  pthread_mutex_lock(&d->program_lock);
  dev_program *p = find(d, spec, hash);
  if (p && !(p->made && p->again)) {
    d->program_hits++;
    d->program_waits += !p->made;
    while (!p->made)
      pthread_cond_wait(&d->program_made, &d->program_lock);
    const int32_t status = p->status == HED_OK ? HED_OK : d->host->fail(p->status, "%s", p->text);
    pthread_mutex_unlock(&d->program_lock);
    *out = p;
    return status;
  }
  if (dev_ends()) {
    pthread_mutex_unlock(&d->program_lock);
    return dev_usable(d);
  }
  if (p)
    p->made = p->again = false;
  else
    p = add(d, spec, hash);
  d->n_building += p != NULL;
  pthread_mutex_unlock(&d->program_lock);
  if (!p)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a program", d->name);
  const int32_t status = make(d, p);
  pthread_mutex_lock(&d->program_lock);
  d->n_building--;
  p->made = true;
  p->status = status;
  pthread_cond_broadcast(&d->program_made);
  pthread_mutex_unlock(&d->program_lock);
  *out = p;
  return status;
}

/* Others may wait for a program that is being built, and drivers hold locks of their own. */
int32_t dev_program_get(dev_device *d, const dev_spec *spec, dev_program **out)
{
  HED__UNCANCELLED;
  return get(d, spec, out);
}

int32_t dev_program_entry(dev_device *d, dev_program *p, const char *name, void **out)
{
  int32_t status = HED_OK;
  pthread_mutex_lock(&d->program_lock);
  entry *e = p->entries;
  while (e && strcmp(e->name, name) != 0)
    e = e->next;
  if (!e && dev_ends()) {
    status = dev_usable(d);
  } else if (!e) {
    const size_t n = strlen(name) + 1;
    if (!(e = d->host->alloc(sizeof *e + n, 0))) {
      status = d->host->fail(HED_E_NOMEM, "%s: no memory for a kernel", d->name);
    } else {
      memcpy(e->name, name, n);
      e->native = NULL;
      status = dev_status(d, d->port->entry(d->dev, p->native, name, &e->native));
      if (status == HED_OK) {
        e->next = p->entries;
        p->entries = e;
        p->unsaved |= e->native != NULL;
        d->unsaved |= e->native && d->limits.binaries;
      } else {
        d->host->free(e);
      }
    }
  }
  if (status == HED_OK && !e->native)
    status = d->host->fail(HED_E_UNSUPPORTED, "%s: the program %s has no kernel %s", d->name, p->spec.family, name);
  if (status == HED_OK)
    *out = e->native;
  pthread_mutex_unlock(&d->program_lock);
  return status;
}

dev_spec dev_spec_of(const char *family, int32_t compute)
{
  return (dev_spec){ .family = family, .compute = compute, .out = DEV_TYPE_NONE,
                     .in = { DEV_TYPE_NONE, DEV_TYPE_NONE, DEV_TYPE_NONE } };
}

const char *dev_row_name(char only[DEV_ROW_NAME], const char *name)
{
  size_t n = 0;
  for (; name[n] && n < DEV_ROW_NAME - 1; n++)
    only[n] = (char)toupper((unsigned char)name[n]);
  only[n] = 0;
  return only;
}

int32_t dev_kernel(dev_device *d, const dev_spec *spec, const char *name, void **out)
{
  dev_program *p;
  int32_t status = dev_program_get(d, spec, &p);
  return status == HED_OK ? dev_program_entry(d, p, name, out) : status;
}
