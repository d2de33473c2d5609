// SPDX-License-Identifier: BSD-3-Clause
/* The text of a program: what the device is, what is wanted, the dialect, the family. L1. See device.h, "Programs". */
#include "backends/device/program/program.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that grows; with `at' NULL it is only measured. */
typedef struct text {
  char *at;
  size_t bytes;
} text;

static void add(text *t, const char *s, size_t n)
{
  if (t->at)
    memcpy(t->at + t->bytes, s, n);
  t->bytes += n;
}

static void define(text *t, const char *format, ...) HED_PRINTF(2, 3);

static void define(text *t, const char *format, ...)
{
  char line[160];
  va_list ap;
  va_start(ap, format);
  const int n = vsnprintf(line, sizeof line, format, ap);
  va_end(ap);
  add(t, "#define ", 8);
  add(t, line, (size_t)n);
  add(t, "\n", 1);
}

static const char *find(const char *name, size_t length)
{
  for (const dev_kernel_text *k = dev_kernel_texts; k->name; k++)
    if (strlen(k->name) == length && memcmp(k->name, name, length) == 0)
      return k->text;
  return NULL;
}

static bool add_file(text *t, const char *name, size_t length)
{
  const char *s = find(name, length);
  if (s)
    add(t, s, strlen(s));
  return s;
}

/* The headers of a family's first line, "//@ needs types.h each.h". */
static bool add_needs(text *t, const char *family)
{
  static const char needs[] = "//@ needs";
  bool good = true;
  if (strncmp(family, needs, sizeof needs - 1) != 0)
    return true;
  const char *s = family + sizeof needs - 1;
  while (*s == ' ' && good) {
    const size_t n = strcspn(++s, " \n");
    good = n == 0 || add_file(t, s, n);
    s += n;
  }
  return good;
}

static void add_defines(text *t, const dev_device *d, const dev_spec *spec)
{
  static const char *const operand[] = { "HED_IN0", "HED_IN1", "HED_IN2" };
  define(t, "HED_PROGRAM 1");
  if (d->limits.is_cpu)
    define(t, "DEVICE_CPU 1");
  if (!d->limits.float64)
    define(t, "NO_FLOAT64 1");
  if (!d->limits.exact_divide)
    define(t, "DIVIDE_ROUNDED 1");
  define(t, "PER_ITEM %d", dev_per_item(d));
  define(t, "BLOCK %u", (unsigned)(spec->block ? spec->block : d->limits.block));
  define(t, "HED_COMPUTE %d", (int)spec->compute);
  if (spec->out != DEV_TYPE_NONE)
    define(t, "HED_OUT %d", (int)spec->out);
  for (int k = 0; k < 3; k++)
    if (spec->in[k] != DEV_TYPE_NONE)
      define(t, "%s %d", operand[k], (int)spec->in[k]);
  if (spec->only)
    define(t, "HED_ONLY 1");
  for (const char *row = spec->only; row && *row; row += strspn(row, " ")) {
    const int n = (int)strcspn(row, " ");
    define(t, "HED_ROW_%.*s 1", n, row);
    row += n;
  }
  for (int k = 0; k < DEV_MOST_DEFINES && spec->define[k]; k++)
    define(t, "%s", spec->define[k]);
}

/* False where a file is not among the texts. */
static bool assemble(text *t, const dev_device *d, const dev_spec *spec)
{
  char name[64];
  const int n = snprintf(name, sizeof name, "%s.k", spec->family);
  const char *family = find(name, (size_t)n);
  add_defines(t, d, spec);
  bool good = family && add_file(t, "hedk.h", 6) && add_file(t, "args.h", 6) && add_needs(t, family);
  if (good)
    add(t, family, strlen(family));
  if (spec->body)
    add(t, spec->body, strlen(spec->body));
  add(t, "", 1);
  return good;
}

char *dev_source(const dev_device *d, const dev_spec *spec, size_t *bytes)
{
  text t = { NULL, 0 };
  if (!assemble(&t, d, spec)) {
    (void)d->host->fail(HED_E_UNSUPPORTED, "%s: no program of family %s", d->name, spec->family);
    return NULL;
  }
  char *s = d->host->alloc(t.bytes, 0);
  if (!s) {
    (void)d->host->fail(HED_E_NOMEM, "%s: no memory for the text of a program", d->name);
    return NULL;
  }
  t = (text){ s, 0 };
  (void)assemble(&t, d, spec);
  *bytes = t.bytes - 1;
  return s;
}
