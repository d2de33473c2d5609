// SPDX-License-Identifier: BSD-3-Clause
/* See kit_files.h. */
#include "kit_files.h"
#include "tap.h"
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[512];

static int visit(int remove_them) {
  int n = 0;
  DIR *d = opendir(folder);
  if (!d)
    return -1;
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    n++;
    if (remove_them)
      unlink(kit_path(e->d_name));
  }
  closedir(d);
  return n;
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *place) {
  (void)st, (void)kind, (void)place;
  return remove(path);
}

static void clean(void) {
  nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
}

void kit_folder(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/heddle-test-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder))
    bail("cannot make %s", folder);
  atexit(clean);
}

const char *kit_path(const char *name) {
  static char paths[8][1024];
  static int next;
  char *p = paths[next++ % 8];
  snprintf(p, sizeof paths[0], "%s/%s", folder, name);
  return p;
}

void kit_clear(void) {
  visit(1);
}

int kit_count(void) {
  return visit(0);
}

void kit_write(const char *path, const void *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
    bail("cannot write %s", path);
}

uint8_t *kit_read(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  if (!f)
    return NULL;
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  uint8_t *bytes = malloc((size_t)size + 1);
  if (!bytes || fread(bytes, 1, (size_t)size, f) != (size_t)size)
    bail("cannot read %s", path);
  fclose(f);
  bytes[size] = 0;
  *n = (size_t)size;
  return bytes;
}

void kit_limit_file_size(size_t n) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = n ? n : limit.rlim_max;
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
    bail("cannot set a limit on file sizes");
}
