// SPDX-License-Identifier: BSD-3-Clause
/* Files of the trace event format, as hed_profile_end writes them.
 *
 * Layer: L5. What is read is checked: a file may be anything, and of one that was cut off what there is counts.
 */
#include "profile.h"
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- texts and tracks ---- */

static bool grow(void *list, int32_t n, int32_t *cap, size_t size)
{
  if (n < *cap)
    return true;
  const int32_t more = *cap ? 2 * *cap : 64;
  void *p = realloc(*(void **)list, (size_t)more * size);
  if (!p)
    return false;
  *(void **)list = p;
  *cap = more;
  return true;
}

static size_t hash_of(const char *s, size_t n)
{
  size_t h = 1469598103934665603u;
  for (size_t k = 0; k < n; k++)
    h = (h ^ (unsigned char)s[k]) * 1099511628211u;
  return h;
}

static bool rehash(profile_data *d)
{
  const size_t buckets = d->buckets ? 2 * d->buckets : 256;
  int32_t *bucket = calloc(buckets, sizeof *bucket);
  if (!bucket)
    return false;
  for (int32_t k = 0; k < d->n_texts; k++) {
    size_t h = hash_of(d->text[k], strlen(d->text[k]));
    while (bucket[h % buckets])
      h++;
    bucket[h % buckets] = k + 1;
  }
  free(d->bucket);
  d->bucket = bucket;
  d->buckets = buckets;
  return true;
}

/* The number of the N bytes at S; -1: no memory. */
static int32_t text_of(profile_data *d, const char *s, size_t n)
{
  if ((size_t)d->n_texts * 2 >= d->buckets && !rehash(d))
    return -1;
  size_t h = hash_of(s, n);
  for (int32_t k; (k = d->bucket[h % d->buckets]) != 0; h++)
    if (strncmp(d->text[k - 1], s, n) == 0 && !d->text[k - 1][n])
      return k - 1;
  if (!grow(&d->text, d->n_texts, &d->cap_texts, sizeof *d->text) || !(d->text[d->n_texts] = strndup(s, n)))
    return -1;
  d->bucket[h % d->buckets] = d->n_texts + 1;
  return d->n_texts++;
}

static int32_t track_of(profile_data *d, int32_t file, long long pid, long long tid)
{
  for (int32_t k = d->n_tracks; k-- > 0;)
    if (d->track[k].file == file && d->track[k].pid == pid && d->track[k].tid == tid)
      return k;
  if (!grow(&d->track, d->n_tracks, &d->cap_tracks, sizeof *d->track))
    return -1;
  d->track[d->n_tracks] = (profile_track){ .file = file, .pid = pid, .tid = tid };
  return d->n_tracks++;
}

/* ---- JSON ---- */

typedef struct reader {
  profile_data *d;
  double base;       /* microseconds, of the times of the file */
  const char *p, *end;
  bool no_memory;
} reader;

static void skip_space(reader *r)
{
  while (r->p < r->end && isspace((unsigned char)*r->p))
    r->p++;
}

static bool accept(reader *r, char c)
{
  skip_space(r);
  if (r->p == r->end || *r->p != c)
    return false;
  r->p++;
  return true;
}

enum { LONGEST = 2048 };

/* A string into TEXT, cut to LONGEST - 1 bytes; characters beyond ASCII stay as they are. */
static bool read_string(reader *r, char *text)
{
  size_t n = 0;
  if (!accept(r, '"'))
    return false;
  for (; r->p < r->end && *r->p != '"'; r->p++) {
    char c = *r->p;
    if (c == '\\') {
      if (++r->p == r->end)
        return false;
      c = *r->p == 'n' ? '\n' : *r->p == 't' ? '\t' : *r->p;
      if (*r->p == 'u') {
        if (r->end - r->p < 5)
          return false;
        r->p += 4;
        c = '?';
      }
    }
    if (n < LONGEST - 1)
      text[n++] = c;
  }
  text[n] = 0;
  return accept(r, '"');
}

static bool read_number(reader *r, double *x)
{
  char text[64];
  size_t n = 0;
  skip_space(r);
  while (r->p + n < r->end && n < sizeof text - 1 && strchr("+-0123456789.eE", r->p[n]) && r->p[n])
    n++;
  memcpy(text, r->p, n);
  text[n] = 0;
  char *end;
  *x = strtod(text, &end);
  r->p += n;
  return n && !*end;
}

static bool read_word(reader *r, const char *word)
{
  const size_t n = strlen(word);
  skip_space(r);
  if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
    return false;
  r->p += n;
  return true;
}

/* What an event says. */
typedef struct said {
  char phase, name[LONGEST], category[LONGEST], on[LONGEST], why[LONGEST], how[LONGEST], thread_name[LONGEST];
  double pid, tid, ts, dur, bytes, calls, copies, fused, part;
} said;

typedef struct place {
  const char *key;
  char *text;
  double *number;
} place;

enum { DEEPEST = 64 };
static bool read_value(reader *r, const place *to, const place *args, int depth);

/* An object: what PLACES name, the rest is passed over; that of "args" by ARGS. */
static bool read_object(reader *r, const place *places, const place *args, int depth)
{
  char key[LONGEST];
  if (!accept(r, '{') || depth > DEEPEST)
    return false;
  if (accept(r, '}'))
    return true;
  do {
    static const place none = { NULL, NULL, NULL };
    if (!read_string(r, key) || !accept(r, ':'))
      return false;
    const place *p = places;
    while (p && p->key && strcmp(p->key, key) != 0)
      p++;
    if (!read_value(r, p && p->key ? p : &none, args && strcmp(key, "args") == 0 ? args : NULL, depth + 1))
      return false;
  } while (accept(r, ','));
  return accept(r, '}');
}

static bool read_value(reader *r, const place *to, const place *args, int depth)
{
  char text[LONGEST];
  double x;
  skip_space(r);
  if (r->p == r->end || depth > DEEPEST)
    return false;
  switch (*r->p) {
  case '"': return read_string(r, to->text ? to->text : text);
  case '{': return read_object(r, args, NULL, depth);
  case '[':
    r->p++;
    if (accept(r, ']'))
      return true;
    do
      if (!read_value(r, &(place){ NULL, NULL, NULL }, NULL, depth + 1))
        return false;
    while (accept(r, ','));
    return accept(r, ']');
  case 't': return read_word(r, "true");
  case 'f': return read_word(r, "false");
  case 'n': return read_word(r, "null");
  default: return read_number(r, to->number ? to->number : &x);
  }
}

/* ---- events ---- */

static bool add(profile_data *d, profile_event e)
{
  if (d->n == d->cap) {
    const size_t cap = d->cap ? 2 * d->cap : 1024;
    profile_event *more = realloc(d->event, cap * sizeof *more);
    if (!more)
      return false;
    d->event = more;
    d->cap = cap;
  }
  d->event[d->n++] = e;
  return true;
}

static bool note(reader *r, const said *s)
{
  profile_data *d = r->d;
  const int32_t track = track_of(d, d->files, (long long)s->pid, (long long)s->tid);
  if (track < 0)
    return false;
  if (s->phase == 'M' && strcmp(s->name, "thread_name") == 0) {
    d->track[track].name = text_of(d, s->thread_name, strlen(s->thread_name));
    return d->track[track].name >= 0;
  }
  if (s->phase != 'X')
    return true;
  profile_event e = {
    .start = r->base + s->ts,
    .length = s->dur,
    .bytes = s->bytes > 0 ? (uint64_t)s->bytes : 0,
    .track = track,
    .name = text_of(d, s->name, strlen(s->name)),
    .category = text_of(d, s->category, strlen(s->category)),
    .on = text_of(d, s->on, strlen(s->on)),
    .why = text_of(d, s->why, strlen(s->why)),
    .calls = strcmp(s->category, "op") != 0 ? 0 : s->calls > 0 && s->calls < 1e9 ? (uint32_t)s->calls : 1,
    .copies = s->copies > 0 && s->copies < 1e9 ? (uint32_t)s->copies : 0,
    .fused = s->fused > 0 && s->fused < 1e9 ? (uint32_t)s->fused : 0,
    .fallback = strcmp(s->how, "fallback") == 0,
    .goes_on = s->part > 1,
  };
  return e.name >= 0 && e.category >= 0 && e.on >= 0 && e.why >= 0 && add(d, e);
}

/* An event; false: it is none, or there is no memory. */
static bool read_event(reader *r, said *s)
{
  char phase[LONGEST];
  const place args[] = { { "on", s->on, NULL }, { "why", s->why, NULL }, { "how", s->how, NULL }, { "name", s->thread_name, NULL },
                         { "bytes", NULL, &s->bytes }, { "calls", NULL, &s->calls }, { "copies", NULL, &s->copies },
                         { "fused", NULL, &s->fused }, { "part", NULL, &s->part }, { NULL, NULL, NULL } };
  const place places[] = { { "ph", phase, NULL }, { "name", s->name, NULL }, { "cat", s->category, NULL }, { "pid", NULL, &s->pid },
                           { "tid", NULL, &s->tid }, { "ts", NULL, &s->ts }, { "dur", NULL, &s->dur }, { NULL, NULL, NULL } };
  phase[0] = s->name[0] = s->category[0] = s->on[0] = s->why[0] = s->how[0] = s->thread_name[0] = 0;
  s->pid = s->tid = s->ts = s->dur = s->bytes = s->calls = s->copies = s->fused = s->part = 0;
  if (!read_object(r, places, args, 0))
    return false;
  s->phase = phase[0];
  r->no_memory = !note(r, s);
  return !r->no_memory;
}

/* The members of the document before its events; false: it is something else. */
static bool read_head(reader *r)
{
  char key[LONGEST], format[LONGEST] = "";
  double dropped = 0, base = 0;
  const place other[] = { { "format", format, NULL }, { "dropped", NULL, &dropped }, { "base_ns", NULL, &base },
                          { NULL, NULL, NULL } };
  if (!accept(r, '{'))
    return false;
  do {
    if (!read_string(r, key) || !accept(r, ':'))
      return false;
    if (strcmp(key, "traceEvents") == 0) {
      r->d->dropped += dropped > 0 ? (uint64_t)dropped : 0;
      r->base = base / 1e3;
      return strcmp(format, "heddle.profile/1") == 0 && accept(r, '[');
    }
    if (strcmp(key, "otherData") == 0 ? !read_object(r, other, NULL, 0)
                                      : !read_value(r, &(place){ NULL, NULL, NULL }, NULL, 0))
      return false;
  } while (accept(r, ','));
  return false;
}

static int read_text(profile_data *d, const char *path, const char *text, size_t n)
{
  reader r = { .d = d, .p = text, .end = text + n };
  said *s = malloc(sizeof *s);
  bool whole = false;
  if (!s || text_of(d, "", 0) < 0) {
    free(s);
    return tool_fail(STATUS_MEMORY, "no memory to read %s", path);
  }
  if (!read_head(&r)) {
    free(s);
    return tool_fail(STATUS_INPUT, "%s is no profile of Heddle", path);
  }
  if (!(whole = accept(&r, ']'))) {
    while (read_event(&r, s) && accept(&r, ','))
      ;
    whole = !r.no_memory && accept(&r, ']');
  }
  free(s);
  if (r.no_memory)
    return tool_fail(STATUS_MEMORY, "no memory to read %s", path);
  if (!whole)
    (void)tool_fail(0, "%s ends in the middle; what comes before counts", path);
  d->files++;
  return 0;
}

/* ---- files ---- */

static char *slurp_plain(const char *path, size_t *n)
{
  FILE *f = fopen(path, "re");
  char *text = NULL;
  size_t cap = 0, got = 1;
  *n = 0;
  while (f && got) {
    if (cap - *n < 65536) {
      char *more = realloc(text, cap = cap ? 2 * cap : 1 << 20);
      if (!more) {
        errno = ENOMEM;
        break;
      }
      text = more;
    }
    got = fread(text + *n, 1, cap - *n, f);
    *n += got;
  }
  const bool good = f && !got && !ferror(f);
  if (f)
    fclose(f);
  if (good)
    return text;
  free(text);
  return NULL;
}

/* What is compressed is read by libz, as far as it goes. */
static char *slurp_gz(const char *path, size_t *n)
{
  enum { PIECE = 1 << 20 };
  void *z = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL), *file = NULL;
  void *(*gz_open)(const char *, const char *) = NULL;
  int (*gz_read)(void *, void *, unsigned) = NULL, (*gz_close)(void *) = NULL;
  char *text = NULL;
  *n = 0;
  if (z) {
    *(void **)&gz_open = dlsym(z, "gzopen");
    *(void **)&gz_read = dlsym(z, "gzread");
    *(void **)&gz_close = dlsym(z, "gzclose");
  }
  if (!gz_open || !gz_read || !gz_close) {
    errno = ENOSYS;
    return NULL;
  }
  if (!(file = gz_open(path, "rb")))
    return NULL;
  for (int got = 1; got > 0; *n += got > 0 ? (size_t)got : 0) {
    char *more = realloc(text, *n + PIECE);
    if (!more) {
      free(text);
      text = NULL;
      errno = ENOMEM;
      break;
    }
    text = more;
    got = gz_read(file, text + *n, PIECE);
  }
  (void)gz_close(file);
  return text;
}

static bool ends_in(const char *path, const char *ending)
{
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

/* Records of a process that did not come to its end. */
static char *slurp_raw(const char *path, size_t *n)
{
  char name[] = "/tmp/heddle-profile-XXXXXX";
  const int fd = mkstemp(name);
  if (fd < 0)
    return NULL;
  close(fd);
  char *text = NULL;
  errno = 0;
  if (hed_profile_convert(path, name) == HED_OK)
    text = slurp_plain(name, n);
  unlink(name);
  return text;
}

int profile_read(profile_data *d, const char *path)
{
  size_t n = 0;
  hed_error_clear();
  char *text = ends_in(path, ".raw") ? slurp_raw(path, &n) : ends_in(path, ".gz") ? slurp_gz(path, &n) : slurp_plain(path, &n);
  if (!text)
    return hed_error() ? tool_fail_status(hed_error())
           : errno == ENOSYS ? tool_fail(STATUS_INPUT, "%s is compressed, and there is no libz.so.1 to read it", path)
                             : tool_fail(STATUS_INPUT, "%s cannot be read: %s", path, strerror(errno));
  if (ends_in(path, ".raw"))
    (void)tool_fail(0, "%s is of a process that did not come to its end", path);
  const int code = read_text(d, path, text, n);
  free(text);
  return code;
}

/* ---- what is within what ---- */

static int by_time(const void *a, const void *b)
{
  const profile_event *x = a, *y = b;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->length > y->length ? -1 : x->length < y->length;
}

int profile_settle(profile_data *d)
{
  enum { OPEN = 1024 };
  size_t open[OPEN];
  int depth = 0;
  const int32_t context = text_of(d, "context", 7);
  if (context < 0)
    return tool_fail(STATUS_MEMORY, "no memory");
  if (d->n)
    qsort(d->event, d->n, sizeof *d->event, by_time);
  for (size_t k = 0; k < d->n; k++) {
    profile_event *e = &d->event[k];
    const double slack = 0.0015; /* times are written in nanoseconds */
    while (depth && (d->event[open[depth - 1]].track != e->track ||
                     d->event[open[depth - 1]].start + d->event[open[depth - 1]].length < e->start + slack))
      depth--;
    e->own = e->length;
    e->depth = depth;
    if (depth) {
      profile_event *outer = &d->event[open[depth - 1]];
      outer->own -= e->length < outer->own ? e->length : outer->own;
      e->context = outer->context;
    }
    if (e->category == context)
      e->context = e->name;
    if (depth < OPEN && e->length > 0)
      open[depth++] = k;
  }
  return 0;
}

void profile_free(profile_data *d)
{
  for (int32_t k = 0; k < d->n_texts; k++)
    free(d->text[k]);
  free(d->text);
  free(d->bucket);
  free(d->event);
  free(d->track);
  *d = (profile_data){ 0 };
}
