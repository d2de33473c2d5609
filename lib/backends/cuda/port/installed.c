// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the files of installed programs. L1. See installed.h. */
#include "backends/cuda/port/installed.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const cuda_installed_entry *entries(const cuda_installed_header *h) { return (const cuda_installed_entry *)(h + 1); }

/* Does all that the file says lie in its BYTES? */
static bool is_whole(const cuda_installed_header *h, uint64_t bytes)
{
  bool good = memcmp(h->magic, CUDA_INSTALLED_MAGIC, sizeof h->magic) == 0 && h->bytes == bytes &&
              h->count <= (bytes - sizeof *h) / sizeof(cuda_installed_entry);
  for (uint64_t k = 0; good && k < h->count; k++) {
    const cuda_installed_entry *e = &entries(h)[k];
    good = e->offset <= bytes && e->bytes <= bytes - e->offset && (k == 0 || memcmp(e[-1].key, e->key, sizeof e->key) < 0);
  }
  return good;
}

const cuda_installed_header *cuda_installed_open(const char *path)
{
  struct stat st;
  void *p = MAP_FAILED;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(cuda_installed_header))
    p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (p == MAP_FAILED)
    return NULL;
  if (is_whole(p, (uint64_t)st.st_size))
    return p;
  munmap(p, (size_t)st.st_size);
  return NULL;
}

static int by_key(const void *key, const void *entry)
{
  return memcmp(key, ((const cuda_installed_entry *)entry)->key, sizeof((cuda_installed_entry *)0)->key);
}

const void *cuda_installed_find(const cuda_installed_header *h, const unsigned char key[32], size_t *bytes)
{
  const cuda_installed_entry *e = h ? bsearch(key, entries(h), (size_t)h->count, sizeof *e, by_key) : NULL;
  if (!e)
    return NULL;
  *bytes = (size_t)e->bytes;
  return (const char *)h + e->offset;
}

/* Beside the module's folder. */
static bool path_of(const char *target, char path[PATH_MAX])
{
  const cuda_installed_header *(*self)(const char *) = cuda_installed_open;
  char module[PATH_MAX];
  Dl_info info;
  void *p;
  memcpy(&p, &self, sizeof p); /* ISO C has no cast from a function pointer */
  if (!dladdr(p, &info) || !info.dli_fname || !realpath(info.dli_fname, module))
    return false;
  for (int k = 0; k < 2; k++) {
    char *slash = strrchr(module, '/');
    if (!slash)
      return false;
    *slash = 0;
  }
  return snprintf(path, PATH_MAX, "%s/kernels/cuda-%s.hkb", module, target) < PATH_MAX;
}

const cuda_installed_header *cuda_installed_get(cuda_installed *i, const char *target)
{
  char path[PATH_MAX];
  if (!i->tried) {
    i->tried = true;
    i->header = path_of(target, path) ? cuda_installed_open(path) : NULL;
  }
  return i->header;
}
