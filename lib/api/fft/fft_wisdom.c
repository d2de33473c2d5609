// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom of the context's backend in files: saved and loaded when asked, never by itself. L3.
 *
 * A reader sees the old file or the new one (file.h). What is in it is the backend's business; a file that is no regular
 * one, or larger than LARGEST, is not read.
 */
#include "api/file/file.h"
#include <heddle/io.h>
#include "base/alloc.h"
#include "base/cancel.h"
#include "base/folders.h"
#include "core/process/config.h"
#include "core/context/context.h"
#include "core/dispatch/dispatch.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <heddle/backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 16 << 20, PATH_CAP = 1024 };

/* The device that has wisdom, or NULL with the error set. */
static hed__device *wise(const char *op)
{
  hed__device *d = hed__current_device();
  if (d && (!d->plugin->fft_wisdom_export || !d->plugin->fft_wisdom_import)) {
    hed_fail(HED_E_UNSUPPORTED, "%s: backend %s has no wisdom", op, d->name);
    return NULL;
  }
  return d;
}

hed_status hed_fft_wisdom_path(char *buf, size_t cap)
{
  const char *op = "fft_wisdom_path";
  hed__device *d = hed__current_device();
  if (!d)
    return hed_error();
  const char *set = hed__config_get(HED__SET_CACHE_DIR);
  char home[PATH_CAP];
  if (set && strcmp(set, "none") == 0) /* nothing unasked; this is asked for */
    set = NULL;
  if (set && set[0] != '/')
    return hed_fail(HED_E_INVAL, "%s: %s: '%.100s' is not an absolute path", op, hed__config_source(HED__SET_CACHE_DIR), set);
  if (!set && !hed__config_cache_home(home, sizeof home))
    return hed_fail(HED_E_NOTFOUND, "%s: none of HEDDLE_CACHE_DIR, XDG_CACHE_HOME and HOME is an absolute path", op);
  const int n = snprintf(buf, cap, "%s/%s.wisdom", set ? set : home, d->plugin->name);
  return n >= 0 && (size_t)n < cap ? HED_OK : hed_fail(HED_E_INVAL, "%s: the path has %d bytes, there is room for %zu", op, n, cap);
}

/* PATH, or the default one in BUF. */
static const char *choose(const char *op, const char *path, char *buf)
{
  if (!path)
    return hed_fft_wisdom_path(buf, PATH_CAP) == HED_OK ? buf : NULL;
  if (*path && strlen(path) < PATH_CAP)
    return path;
  hed_fail(HED_E_INVAL, "%s: path is %s", op, *path ? "too long" : "empty");
  return NULL;
}

hed_status hed_fft_wisdom_save(const char *path)
{
  HED__UNCANCELLED;
  char buf[PATH_CAP], *text = NULL;
  size_t size = 0;
  hed__device *d = wise("fft_wisdom_save");
  const char *name = d ? choose("fft_wisdom_save", path, buf) : NULL;
  if (!name)
    return hed_error();
  hed_status status = (hed_status)d->plugin->fft_wisdom_export(d->state, &text, &size);
  if (status == HED_OK && !path)
    hed__make_folders(buf, 0777);
  hed_file *f;
  if (status == HED_OK && (status = hed_file_create("fft_wisdom_save", name, &f)) == HED_OK)
    status = hed_file_close(f, hed_file_write(f, text, size));
  hed__free(text);
  return status;
}

static hed_status read_file(const char *op, const char *path, char **text, size_t *size)
{
  int fd = hed__io_open(op, path, size);
  if (fd < 0)
    return (hed_status)fd;
  hed_status status = HED_OK;
  if (*size > LARGEST)
    status = hed_fail(HED_E_FORMAT, "%s: %s: has %zu bytes, wisdom has at most %d", op, path, *size, (int)LARGEST);
  else if (!(*text = hed__malloc(*size + 1)))
    status = hed_fail(HED_E_NOMEM, "%s: %s: no memory for %zu bytes", op, path, *size);
  if (status == HED_OK)
    status = hed__io_read(op, path, fd, *text, *size);
  close(fd);
  return status;
}

hed_status hed_fft_wisdom_load(const char *path)
{
  HED__UNCANCELLED;
  char buf[PATH_CAP], *text = NULL, why[300];
  size_t size = 0;
  hed__device *d = wise("fft_wisdom_load");
  const char *name = d ? choose("fft_wisdom_load", path, buf) : NULL;
  if (!name)
    return hed_error();
  hed_status status = read_file("fft_wisdom_load", name, &text, &size);
  if (status == HED_OK && (status = (hed_status)d->plugin->fft_wisdom_import(d->state, text, size)) != HED_OK) {
    snprintf(why, sizeof why, "%.290s", hed_error_text());
    hed_fail(status, "fft_wisdom_load: %.200s: %s", name, why);
  }
  hed__free(text);
  return status;
}

hed_status hed_fft_wisdom_forget(void)
{
  HED__UNCANCELLED;
  hed__device *d = wise("fft_wisdom_forget");
  return d ? (hed_status)d->plugin->fft_wisdom_import(d->state, NULL, 0) : hed_error();
}
