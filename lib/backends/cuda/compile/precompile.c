// SPDX-License-Identifier: BSD-3-Clause
/* precompile FOLDER TARGET...: compiles the programs of precompiled.def by NVRTC to FOLDER/cuda-TARGET.hkb (installed.h). L1.
 *
 * A TARGET is sm_90 or the like, compute_75 for PTX, or `newest': the newest chip that NVRTC knows. What a file has for the same text
 * from the same NVRTC stays. Without NVRTC nothing is written: then it is needed at run time. A process for each target.
 */
#include "backends/cuda/compile/compile.h"
#include "backends/cuda/port/installed.h"
#include "backends/device/program/cache.h"
#include "backends/device/program/program.h"
#include "base/dtype.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1024 };

/* Types by letter, as in precompiled.def. */
static int32_t type_of(char letter)
{
  switch (letter) {
  case 'b': return HED_ID_BOOL;
  case 'u': return HED_ID_UINT32;
  case 'i': return HED_ID_INT32;
  case 'l': return HED_ID_INT64;
  case 'L': return HED_ID_UINT64;
  case 'f': return HED_ID_FLOAT32;
  case 'd': return HED_ID_FLOAT64;
  case 'c': return HED_ID_COMPLEX64;
  default: return HED_ID_COMPLEX128;
  }
}

/* ---- the programs ---- */

typedef struct program {
  cuda_installed_entry entry;
  char *data;
} program;

typedef struct list {
  const dev_device *device;
  const cuda_nvrtc *rtc;
  const char *target;
  const cuda_installed_header *old;
  program programs[MOST];
  int n;
  bool bad;
} list;

static void compile(list *l, const dev_spec *spec)
{
  char log[2000];
  size_t bytes = 0;
  char *text = dev_source(l->device, spec, &bytes);
  program *p = &l->programs[l->n];
  cuda_image image = { 0, NULL };
  if (!text || l->n == MOST) {
    l->bad = true;
    return;
  }
  dev_text_key(text, bytes, p->entry.key);
  const void *old = cuda_installed_find(l->old, p->entry.key, &image.bytes);
  if (old && (image.data = malloc(image.bytes)))
    memcpy(image.data, old, image.bytes);
  else
    (void)cuda_compile(l->rtc, text, l->target, &image, log, sizeof log);
  free(text);
  if (!image.data) {
    fprintf(stderr, "precompile: %s %s for %s: %s\n", spec->family, spec->only ? spec->only : "", l->target, log);
    l->bad = true;
    return;
  }
  p->entry.bytes = image.bytes;
  p->data = image.data;
  l->n++;
}

/* FAMILY for each of TYPES: for each of ROWS a program, or one of all (NULL). OUT: types of results, 0 for the natural one. */
static void compile_all(list *l, const char *family, const char *types, const char *rows, const char *outs, const char *define)
{
  for (const char *t = types; *t; t++)
    for (const char *o = outs ? outs : " "; *o; o++) {
      dev_spec spec = dev_spec_of(family, type_of(*t));
      char row[DEV_ROW_NAME];
      spec.define[0] = define;
      if (outs)
        spec.out = type_of(*o);
      if (outs && *o == *t)
        continue;
      if (!rows)
        compile(l, &spec);
      for (const char *r = rows; r && *r; r += strspn(r, " ")) {
        const int n = (int)strcspn(r, " ");
        snprintf(row, sizeof row, "%.*s", n, r);
        spec.only = row;
        compile(l, &spec);
        r += n;
      }
    }
}

static int by_key(const void *a, const void *b)
{
  return memcmp(((const program *)a)->entry.key, ((const program *)b)->entry.key, sizeof((cuda_installed_entry *)0)->key);
}

/* ---- the file ---- */

static bool write_file(list *l, const char *path, cuda_installed_header *h)
{
  char beside[PATH_MAX];
  uint64_t at = sizeof *h + (uint64_t)l->n * sizeof(cuda_installed_entry);
  qsort(l->programs, (size_t)l->n, sizeof *l->programs, by_key);
  for (int k = 0; k < l->n; k++) {
    l->programs[k].entry.offset = at;
    at += l->programs[k].entry.bytes;
  }
  h->count = (uint64_t)l->n;
  h->bytes = at;
  snprintf(beside, sizeof beside, "%.4000s.tmp", path);
  FILE *f = fopen(beside, "wb");
  bool good = f && fwrite(h, sizeof *h, 1, f) == 1;
  for (int k = 0; k < l->n && good; k++)
    good = fwrite(&l->programs[k].entry, sizeof l->programs[k].entry, 1, f) == 1;
  for (int k = 0; k < l->n && good; k++)
    good = fwrite(l->programs[k].data, l->programs[k].entry.bytes, 1, f) == 1;
  if (f)
    good = fclose(f) == 0 && good;
  if (!good || rename(beside, path) != 0) {
    perror(beside);
    return false;
  }
  return true;
}

static int precompile(const char *folder, const char *target, const dev_device *d, const cuda_nvrtc *rtc)
{
  static list l;
  char path[PATH_MAX], newest[20];
  cuda_installed_header h = { .magic = CUDA_INSTALLED_MAGIC };
  int major = 0, minor = 0;
  if (strcmp(target, "newest") == 0) {
    snprintf(newest, sizeof newest, "sm_%d", cuda_known_architecture(rtc, 1000));
    target = newest;
  }
  (void)rtc->nvrtcVersion(&major, &minor);
  snprintf(h.compiler, sizeof h.compiler, "nvrtc %d.%d", major, minor);
  snprintf(path, sizeof path, "%.3000s/cuda-%s.hkb", folder, target);
  l = (list){ .device = d, .rtc = rtc, .target = target, .old = cuda_installed_open(path) };
  if (l.old && memcmp(l.old->compiler, h.compiler, sizeof h.compiler) != 0)
    l.old = NULL;
#define HED_PRECOMPILED(family, types, rows, outs, define) compile_all(&l, family, types, rows, outs, define);
#include "backends/cuda/compile/precompiled.def"
  return l.bad || !write_file(&l, path, &h);
}

/* ---- what the layer asks of its host ---- */

static void *host_alloc(size_t bytes, size_t align)
{
  (void)align; /* none is asked for */
  return malloc(bytes ? bytes : 1);
}

static void host_free(void *p) { free(p); }

static int32_t host_fail(int32_t status, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  vfprintf(stderr, format, ap);
  va_end(ap);
  fprintf(stderr, "\n");
  return status;
}

int main(int argc, char **argv)
{
  static const hed_host_api host = { .alloc = host_alloc, .free = host_free, .fail = host_fail };
  static dev_device d = { .host = &host, .name = "precompile" };
  const cuda_nvrtc *rtc = cuda_nvrtc_get();
  int bad = 0, status = 0;
  if (argc < 3) {
    fprintf(stderr, "usage: precompile FOLDER TARGET...\n");
    return 2;
  }
  if (!rtc) {
    fprintf(stderr, "precompile: no NVRTC: no kernels are compiled now\n");
    return 0;
  }
  cuda_limits(&d.limits);
  for (int k = 2; k < argc; k++)
    if (fork() == 0)
      _exit(precompile(argv[1], argv[k], &d, rtc));
  while (wait(&status) > 0)
    bad += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  return bad > 0;
}
