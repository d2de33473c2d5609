// SPDX-License-Identifier: BSD-3-Clause
/* Modules: where they are looked for, how they are opened and checked. L2.
 *
 * Absolute entries of HEDDLE_PLUGIN_PATH come first (so a build tree wins over what is installed), then the library's own
 * directory (process/place.h). Never the working directory, never bare names. A privileged process reads no path from its
 * environment and accepts only files and directories that root owns and nobody else may write.
 */
#include "base/alloc.h"
#include "base/cancel.h"
#include "core/process/config.h"
#include "core/process/log.h"
#include "core/ops/op_numbers.h"
#include "core/process/place.h"
#include "core/modules/registry_internal.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

static bool privileged(void) { return getauxval(AT_SECURE) != 0; }

static bool trusted(const struct stat *st) { return st->st_uid == 0 && !(st->st_mode & (S_IWGRP | S_IWOTH)); }

/* Next directory of the search into DIR; *at starts at 0. False at the end. Relative entries are given out with
 * *relative set, to be reported. */
static bool next_directory(int *at, char *dir, size_t cap, bool *relative)
{
  const char *path = hed__config_get(HED__SET_PLUGIN_PATH);
  size_t offset = (size_t)*at;
  *relative = false;
  while (path && offset < strlen(path)) {
    const char *entry = path + offset;
    size_t n = strcspn(entry, ":");
    offset += n + (entry[n] == ':');
    *at = (int)offset;
    if (n == 0)
      continue;
    if (n < cap) {
      memcpy(dir, entry, n);
      dir[n] = 0;
      *relative = dir[0] != '/';
      return true;
    }
  }
  size_t end = path ? strlen(path) : 0;
  if (offset > end)
    return false;
  *at = (int)end + 1;
  snprintf(dir, cap, "%s", hed__module_folder());
  return true;
}

hed_status hed__plugin_check(hed__backend *b, const char *candidate, const hed_plugin *p)
{
  uint32_t least = (uint32_t)offsetof(hed_plugin, init) + sizeof p->init;
  if (p->struct_size < least || p->struct_size > 65536) {
    hed__backend_report(b, candidate, "abi", HED_E_ABI, "its struct_size is %u, at least %u and at most 65536 is needed",
                        p->struct_size, least);
    return HED_E_ABI;
  }
  if (p->abi_major != HED_ABI_MAJOR) {
    hed__backend_report(b, candidate, "abi", HED_E_ABI, "built for plug-in interface %u.%u, this is %d.%d", p->abi_major,
                        p->abi_minor, HED_ABI_MAJOR, HED_ABI_MINOR);
    return HED_E_ABI;
  }
  const char *missing = !p->name ? "name" : !p->probe ? "probe" : !p->init ? "init" : NULL;
  if (!missing && !(p->flags & HED_PLUGIN_HOST_MEMORY)) {
    if (p->struct_size < offsetof(hed_plugin, copy_out) + sizeof p->copy_out)
      missing = "alloc, free, copy_in, copy_out";
    else
      missing = !p->alloc ? "alloc" : !p->free ? "free" : !p->copy_in ? "copy_in" : !p->copy_out ? "copy_out" : NULL;
  }
  if (!missing && p->abi_minor >= 3 && (p->struct_size < offsetof(hed_plugin, op_names) + sizeof p->op_names || !p->op_names))
    missing = "op_names";
  if (!missing && (p->flags & HED_PLUGIN_STREAMS)) {
    if (p->flags & HED_PLUGIN_ORDERED) {
      hed__backend_report(b, candidate, "abi", HED_E_ABI, "it has streams and says that all it is given is in one order");
      return HED_E_ABI;
    }
    if (p->struct_size < offsetof(hed_plugin, stream) + sizeof p->stream || !p->stream)
      missing = "stream, which HED_PLUGIN_STREAMS needs";
  }
  if (missing) {
    hed__backend_report(b, candidate, "abi", HED_E_ABI, "it does not give %s", missing);
    return HED_E_ABI;
  }
  return HED_OK;
}

/* Of minor 0 fuse is another function: what a fused call may hold has grown. */
static bool fuses_as_we_do(const hed_plugin *p)
{
  return p->abi_minor >= 1;
}

/* Older plug-ins end earlier: the members they do not know, or know otherwise, are NULL in a copy of full size, kept for
 * ever. */
static const hed_plugin *full_size(const hed_plugin *p)
{
  if (p->struct_size >= sizeof *p && (!p->fuse || fuses_as_we_do(p)))
    return p;
  hed_plugin *copy = hed__calloc(1, sizeof *copy);
  if (!copy)
    return NULL;
  memcpy(copy, p, p->struct_size < sizeof *copy ? p->struct_size : sizeof *copy);
  if (!fuses_as_we_do(copy))
    copy->fuse = NULL;
  return copy;
}

/* The loader's words, read before anything else can overwrite them. */
static const char *loader_text(void)
{
  const char *t = dlerror();
  return t ? t : "the loader gave no reason";
}

static hed_status adopt(hed__backend *b, const char *path, const struct stat *st, const hed_plugin *p, bool by_path)
{
  hed_status s = hed__plugin_check(b, path, p);
  if (s != HED_OK)
    return s;
  if (!by_path && strcasecmp(p->name, b->name) != 0) {
    hed__backend_report(b, path, "abi", HED_E_ABI, "it calls itself '%.31s', not '%s'", p->name, b->name);
    return HED_E_ABI;
  }
  char why[400];
  hed__numbers *numbers = hed__numbers_make(p, &s, why, sizeof why);
  if (!numbers) {
    hed__backend_report(b, path, "abi", s, "%s", why);
    return s;
  }
  const hed_plugin *full = full_size(p);
  if (!full) {
    hed__free(numbers);
    hed__backend_report(b, path, "abi", HED_E_NOMEM, "no memory");
    return HED_E_NOMEM;
  }
  hed__backend_set_module(b, &(hed__module){ full, p, numbers, path, st->st_dev, st->st_ino });
  return HED_OK;
}

static const hed_plugin *open_file(hed__backend *b, const char *path, hed_status *status)
{
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    *status = HED_E_UNAVAILABLE;
    hed__backend_report(b, path, "open", *status, "%s", loader_text());
    return NULL;
  }
  dlerror();
  hed_plugin_entry_fn entry;
  void *symbol = dlsym(handle, HED_PLUGIN_SYMBOL);
  memcpy(&entry, &symbol, sizeof entry); /* a data pointer that is a function's, as POSIX allows */
  if (!entry) {
    *status = HED_E_ABI;
    hed__backend_report(b, path, "symbol", *status, "it is no module of Heddle: it has no function %s", HED_PLUGIN_SYMBOL);
    return NULL;
  }
  const hed_plugin *p = entry(HED_ABI_MAJOR, HED_ABI_MINOR);
  if (!p) {
    *status = HED_E_ABI;
    hed__backend_report(b, path, "abi", *status, "it refuses plug-in interface %d.%d", HED_ABI_MAJOR, HED_ABI_MINOR);
  }
  return p; /* handles are never closed: threads and keys of the module may be alive */
}

/* May this process open PATH (ST is the file's)? Any process that is not privileged may. */
static bool allowed(const char *path, const struct stat *st)
{
  struct stat dir;
  char parent[512];
  const char *slash = strrchr(path, '/');
  if (!privileged())
    return true;
  if ((size_t)(slash - path) >= sizeof parent)
    return false;
  snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
  return trusted(st) && stat(parent[0] ? parent : "/", &dir) == 0 && trusted(&dir);
}

static const char *const not_allowed =
  "the process is privileged and the file or its directory is not root's alone to write";

static hed_status try_file(hed__backend *b, const char *path, bool by_path)
{
  struct stat st;
  hed_status s = HED_OK;
  if (stat(path, &st) != 0) {
    s = errno == ENOENT || errno == ENOTDIR ? HED_E_NOTFOUND : HED_E_UNAVAILABLE;
    hed__backend_report(b, path, "search", s, "%s", strerror(errno));
    return s;
  }
  if (!allowed(path, &st)) {
    hed__backend_report(b, path, "search", HED_E_UNAVAILABLE, "%s", not_allowed);
    return HED_E_UNAVAILABLE;
  }
  hed__backend *same = hed__backend_by_file(st.st_dev, st.st_ino, b);
  if (same) {
    hed__backend_report(b, path, "search", HED_E_UNAVAILABLE, "the same file is loaded as backend '%s'", same->name);
    return HED_E_UNAVAILABLE;
  }
  const hed_plugin *p = open_file(b, path, &s);
  return p ? adopt(b, path, &st, p, by_path) : s;
}

hed_status hed__module_open(hed__backend *b, const char *path)
{
  if (path)
    return try_file(b, path, true);
  char dir[512], file[600];
  hed_status worst = HED_E_NOTFOUND, s;
  bool relative;
  for (int at = 0; next_directory(&at, dir, sizeof dir, &relative);) {
    if (relative) {
      hed__backend_report(b, dir, "search", HED_E_NOTFOUND, "a relative entry of %s is never searched",
                          hed__config_source(HED__SET_PLUGIN_PATH));
      continue;
    }
    snprintf(file, sizeof file, "%s/%s.so", dir, b->name);
    if ((s = try_file(b, file, false)) == HED_OK)
      return HED_OK;
    if (s != HED_E_NOTFOUND)
      worst = s;
  }
  if (worst == HED_E_NOTFOUND)
    hed__backend_report(b, "", "search", HED_E_NOTFOUND, "no module %s.so in HEDDLE_PLUGIN_PATH or %s%s", b->name,
                        hed__module_folder(), hed__module_ignored());
  return worst;
}

const char *hed__module_ignored(void)
{
  char dir[512];
  bool relative = false;
  for (int at = 0; !relative && next_directory(&at, dir, sizeof dir, &relative);)
    ;
  return relative ? "; a relative entry of HEDDLE_PLUGIN_PATH is ignored" : "";
}

void hed__module_scan(void)
{
  char dir[512];
  bool relative;
  HED__UNCANCELLED;
  for (int at = 0; next_directory(&at, dir, sizeof dir, &relative);) {
    DIR *d = relative ? NULL : opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
      size_t n = strlen(e->d_name);
      if (n > 3 && n - 3 < 32 && strcmp(e->d_name + n - 3, ".so") == 0 && e->d_name[0] != '.')
        (void)hed__backend_record(e->d_name, n - 3);
    }
    if (d)
      closedir(d);
  }
}

hed_status hed__module_load(const char *path, hed__backend **out)
{
  if (!path || path[0] != '/')
    return hed_fail(HED_E_INVAL, "backend_load: '%.200s' is not an absolute path", path ? path : "(null)");
  HED__UNCANCELLED;
  /* the name is the plug-in's own, so the file is looked into under its file name first */
  const char *base = strrchr(path, '/') + 1, *dot = strrchr(base, '.');
  size_t len = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  struct stat st;
  if (stat(path, &st) != 0)
    return hed_fail(errno == ENOENT || errno == ENOTDIR ? HED_E_NOTFOUND : HED_E_UNAVAILABLE, "backend_load: %.300s: %s",
                    path, strerror(errno));
  if (!allowed(path, &st))
    return hed_fail(HED_E_UNAVAILABLE, "backend_load: %.300s: %s", path, not_allowed);
  hed__backend *same = hed__backend_by_file(st.st_dev, st.st_ino, NULL);
  if (same) { /* loaded already, perhaps through another path: one copy */
    *out = same;
    return HED_OK;
  }
  hed__registry_opens(1);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  hed__registry_opens(-1);
  hed_plugin_entry_fn entry = NULL;
  void *symbol = handle ? dlsym(handle, HED_PLUGIN_SYMBOL) : NULL;
  memcpy(&entry, &symbol, sizeof entry);
  const hed_plugin *p = entry ? entry(HED_ABI_MAJOR, HED_ABI_MINOR) : NULL;
  bool named = p && p->struct_size >= offsetof(hed_plugin, name) + sizeof p->name && p->name;
  hed__backend *b = named ? hed__backend_record(p->name, strlen(p->name)) : hed__backend_record(base, len);
  if (!b)
    return hed_error();
  if (b->plugin) {
    hed__backend_report(b, path, "search", HED_E_BUSY, "skipped: backend '%s' is loaded from %s", b->name,
                        b->path[0] ? b->path : "the library itself");
    return hed_fail(HED_E_BUSY, "backend_load: %s calls itself '%s', which is loaded from %s", path, b->name,
                    b->path[0] ? b->path : "the library itself");
  }
  hed_status s = hed__module_open(b, path);
  *out = b;
  return s == HED_OK ? s : hed_fail(s, "backend_load: %s", b->reason);
}
