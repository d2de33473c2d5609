// SPDX-License-Identifier: BSD-3-Clause
/* Specs: "backend[:device][;option=value]..." applied to a context. L2.
 *
 * Options are one table: name and how its value is read into the context. Everything is read before anything is made.
 */
#include "base/alloc.h"
#include "base/dtype.h"
#include "core/context/context.h"
#include <errno.h>
#include <ctype.h>
#include <heddle/words.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { VALUE_MAX = 64, SPEC_MAX = 256 };

typedef struct draft { /* what the options of a spec ask for */
  hed_context c;
  bool limited;
  size_t limit;
} draft;

typedef bool read_fn(draft *d, const char *value);

static bool read_u64(const char *v, uint64_t high, uint64_t *out)
{
  char *end;
  if (*v < '0' || *v > '9')
    return false;
  errno = 0;
  unsigned long long n = strtoull(v, &end, 0);
  if (errno || *end || n > high)
    return false;
  *out = n;
  return true;
}

bool hed__read_device(const char *text, int32_t *index)
{
  uint64_t n;
  if (!read_u64(text, 1023, &n))
    return false;
  *index = (int32_t)n;
  return true;
}

static bool read_choice(const char *v, const char *const *names, int32_t *out)
{
  for (int32_t i = 0; names[i]; i++)
    if (strcasecmp(v, names[i]) == 0) {
      *out = i;
      return true;
    }
  return false;
}

static bool read_dtype(const char *v, hed_kind kind, int *out)
{
  for (int i = 0; i < HED_ID_CONCRETE_COUNT_; i++)
    if (strcmp(v, hed__dtypes[i]->name) == 0 && hed__id_kind(i) == kind) {
      *out = i;
      return true;
    }
  return false;
}

static bool read_threads(draft *d, const char *v)
{
  uint64_t n;
  if (!read_u64(v, 4096, &n))
    return false;
  d->c.threads = (int32_t)n;
  return true;
}

static bool read_real(draft *d, const char *v) { return read_dtype(v, HED_KIND_FLOAT, &d->c.real); }
static bool read_complex(draft *d, const char *v) { return read_dtype(v, HED_KIND_COMPLEX, &d->c.complex_); }
static bool read_index(draft *d, const char *v) { return read_dtype(v, HED_KIND_INT, &d->c.index); }

static bool read_policy(draft *d, const char *v)
{
  int32_t n;
  if (!read_choice(v, (const char *const[]){ "strict", "relaxed", NULL }, &n))
    return false;
  d->c.relaxed = n == 1;
  return true;
}

static bool read_mix(draft *d, const char *v)
{
  return read_choice(v, (const char *const[]){ "follow", "strict", "copy", NULL }, &d->c.mix);
}

static bool read_fallback(draft *d, const char *v)
{
  return read_choice(v, (const char *const[]){ "allow", "warn", "error", NULL }, &d->c.fallback);
}

static bool read_math(draft *d, const char *v)
{
  return read_choice(v, (const char *const[]){ "ieee", "tf32", NULL }, &d->c.math);
}

static bool read_check(draft *d, const char *v)
{
  return read_choice(v, (const char *const[]){ "async", "sync", NULL }, &d->c.check);
}

static bool read_effort(draft *d, const char *v)
{
  return read_choice(v, (const char *const[]){ "estimate", "measure", "patient", "exhaustive", NULL }, &d->c.effort);
}

static bool read_memory(draft *d, const char *v)
{
  char text[VALUE_MAX];
  size_t n = strlen(v);
  int shift = 0;
  memcpy(text, v, n + 1);
  if (n > 1) {
    const char *units = "KMGT", *u = strchr(units, text[n - 1] & ~0x20);
    if (u && *u) {
      shift = 10 * (int)(u - units + 1);
      text[n - 1] = 0;
    }
  }
  uint64_t bytes;
  if (!read_u64(text, UINT64_MAX >> 1 >> shift, &bytes))
    return false;
  d->limited = true;
  d->limit = (size_t)bytes << shift;
  return true;
}

static bool read_seed(draft *d, const char *v)
{
  if (!read_u64(v, UINT64_MAX, &d->c.seed))
    return false;
  d->c.seeded = true;
  return true;
}

static const struct {
  const char *name;
  read_fn *read;
  const char *values; /* for the sentence: a list of words, or in brackets what is possible */
} options[] = {
  { "threads", read_threads, "(0 to 4096)" },
  { "real", read_real, "float16, bfloat16, float32, float64" },
  { "complex", read_complex, "complex64, complex128" },
  { "index", read_index, "int8, int16, int32, int64" },
  { "dtype", read_policy, "strict, relaxed" },
  { "mix", read_mix, "follow, strict, copy" },
  { "fallback", read_fallback, "allow, warn, error" },
  { "fft", read_effort, "estimate, measure, patient, exhaustive" },
  { "math", read_math, "ieee, tf32" },
  { "check", read_check, "async, sync" },
  { "memory", read_memory, "(bytes, with K, M, G or T)" },
  { "seed", read_seed, "(0 to 2^64 - 1)" },
};

static hed_status bad(const char *source, int status, const char *spec, const char *why, const char *what)
{
  return hed_fail(status, "%s%sspec '%.80s': %s%s", source ? source : "", source ? ": " : "", spec, why, what);
}

/* S without blanks at its ends. */
static char *trim(char *s)
{
  while (isspace((unsigned char)*s))
    s++;
  char *end = s + strlen(s);
  while (end > s && isspace((unsigned char)end[-1]))
    *--end = 0;
  return s;
}

static hed_status unknown_option(const char *spec, const char *source, const char *name)
{
  char names[160] = "", choices[240];
  for (size_t i = 0, n = 0; i < sizeof options / sizeof options[0]; i++)
    n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", options[i].name);
  return hed_fail(HED_E_INVAL, "%s%sspec '%.80s': unknown option '%.60s'%s", source ? source : "", source ? ": " : "", spec, name,
                  hed_choices(name, names, choices, sizeof choices));
}

static hed_status read_option(draft *d, const char *spec, const char *source, char *text)
{
  char *eq = strchr(text, '=');
  if (!eq)
    return bad(source, HED_E_INVAL, spec, "not option=value: ", text);
  *eq = 0;
  text = trim(text);
  const char *value = trim(eq + 1);
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
    if (strcasecmp(text, options[i].name) == 0) {
      if (strlen(value) < VALUE_MAX && options[i].read(d, value))
        return HED_OK;
      char choices[120];
      snprintf(choices, sizeof choices, " %s", options[i].values);
      return hed_fail(HED_E_INVAL, "%s%sspec '%.80s': option %s cannot be '%.60s'%s", source ? source : "", source ? ": " : "", spec,
                      options[i].name, value,
                      *options[i].values == '(' ? choices : hed_choices(value, options[i].values, choices, sizeof choices));
    }
  return unknown_option(spec, source, text);
}

/* "name" or "name:index" */
static hed_status read_backend(draft *d, const char *spec, const char *source, char *text)
{
  int32_t index = 0;
  char *colon = strchr(text, ':');
  if (strchr(text, ','))
    return bad(source, HED_E_INVAL, spec, "options begin with ';', as in cpu;threads=2", "");
  if (colon) {
    *colon = 0;
    text = trim(text);
    if (!hed__read_device(trim(colon + 1), &index))
      return bad(source, HED_E_INVAL, spec, "not a device number: ", colon + 1);
  }
  if (!*text)
    return bad(source, HED_E_INVAL, spec, "no backend name before the device", "");
  hed__device *device = hed__device_get(text, strlen(text), index);
  if (!device) {
    if (source) {
      char why[400];
      snprintf(why, sizeof why, "%.390s", hed_error_text());
      return hed_fail(hed_error(), "%s: %s", source, why);
    }
    return hed_error();
  }
  if (device != d->c.device)
    d->c.stream = NULL;
  d->c.device = device;
  return HED_OK;
}

static hed__account *new_account(hed__account *outer, size_t limit)
{
  hed__account *a = hed__calloc(1, sizeof *a);
  if (a) {
    atomic_init(&a->refs, 1);
    a->limit = limit;
    a->outer = hed__account_retain(outer);
  }
  return a;
}

hed_status hed__context_derive(const hed_context *base, const char *spec, const char *source, hed_context **out)
{
  char text[SPEC_MAX];
  *out = NULL;
  if (strlen(spec) >= sizeof text)
    return bad(source, HED_E_INVAL, spec, "longer than 255 bytes", "");
  if (!*spec)
    return bad(source, HED_E_INVAL, spec, "names neither a backend nor an option", "");
  memcpy(text, spec, strlen(spec) + 1);
  draft d = { .limited = false };
  hed__context_copy(&d.c, base);
  hed_status s = HED_OK;
  char *part = text;
  for (int i = 0; part && s == HED_OK; i++) {
    char *next = strchr(part, ';');
    if (next)
      *next++ = 0;
    part = trim(part);
    if (*part)
      s = i == 0 ? read_backend(&d, spec, source, part) : read_option(&d, spec, source, part);
    part = next;
  }
  if (s == HED_OK && !d.c.device)
    s = bad(source, HED_E_UNAVAILABLE, spec, "no backend is usable", "");
  if (s != HED_OK)
    return s;
  hed_context *c;
  if ((s = hed__context_on(&d.c, d.c.device, &c)) != HED_OK)
    return s;
  if (d.limited) {
    hed__account *a = d.limit ? new_account(c->account, d.limit) : NULL;
    if (d.limit && !a) {
      hed_context_release(c);
      return hed_fail(HED_E_NOMEM, "spec '%.80s': no memory", spec);
    }
    if (a) { /* memory=0 lifts nothing that an outer context imposed */
      hed__account_release(c->account);
      c->account = a;
      c->limit_own = true;
    }
  }
  *out = c;
  return HED_OK;
}
