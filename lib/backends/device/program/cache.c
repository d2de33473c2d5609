// SPDX-License-Identifier: BSD-3-Clause
/* Programs on disk, where there is a cache directory: CACHE/kernels/1/BACKEND/2 hex/62 hex.hkb, by the hash of all that changes
 * what a compiler makes. L1.
 *
 * A file is machine code for some drivers, so it must be the user's own, in folders that nobody else can write; it is checked
 * as a whole before it is used, and goes when something is wrong. Written beside and renamed, read without locks. Whatever
 * fails here costs a line of the log, and the program is built.
 */
#include "backends/device/program/cache.h"
#include "backends/device/program/sha256.h"
#include "base/folders.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 1024, HEX = 64, MOST_FILE = 256 << 20 };

/* What a file begins with; numbers as the machine has them, as the payload is for no other. */
typedef struct header {
  char magic[8];
  uint64_t payload;            /* bytes */
  unsigned char key[32], hash[32]; /* of the payload */
} header;

static const char magic[8] = "HEDHKB1";

/* ---- keys ---- */

void dev_cache_key(const dev_device *d, const char *source, size_t bytes, unsigned char key[32])
{
  dev_sha256 s;
  const char *identity = d->port->identity(d->dev);
  dev_sha256_begin(&s);
  dev_sha256_add(&s, magic, sizeof magic);
  dev_sha256_add(&s, identity, strlen(identity) + 1);
  dev_sha256_add(&s, source, bytes);
  dev_sha256_end(&s, key);
}

void dev_text_key(const void *text, size_t bytes, unsigned char key[32])
{
  dev_sha256 s;
  dev_sha256_begin(&s);
  dev_sha256_add(&s, text, bytes);
  dev_sha256_end(&s, key);
}

/* ---- folders ---- */

/* The user's own, or root's, and nobody else can write there. */
static bool is_private(int fd)
{
  struct stat st;
  return fstat(fd, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The folder of the backend's files, made where CREATE; false without one. */
static bool folder(const dev_device *d, char *path, bool create)
{
  const char *root = getauxval(AT_SECURE) ? NULL : d->host->setting("cache_dir");
  if (!root || root[0] != '/')
    return false;
  const int n = snprintf(path, PATH, "%s/kernels/1/%s/", root, d->port->name);
  if (n >= PATH - HEX - 8)
    return false;
  if (create)
    hed__make_folders(path, 0700);
  path[n - 1] = 0;
  return true;
}

bool dev_cache_is_set(const dev_device *d)
{
  char path[PATH];
  return folder(d, path, false);
}

/* Is it one that may be used? */
static bool is_trusted(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool good = fd >= 0 && is_private(fd);
  if (fd >= 0)
    close(fd);
  return good;
}

/* The file of KEY: its folder's path in FOLDER first. */
static bool path_of(const dev_device *d, const unsigned char key[32], char *path, bool create)
{
  char hex[HEX + 1];
  if (!folder(d, path, create) || !is_trusted(path))
    return false;
  for (int k = 0; k < 32; k++)
    snprintf(hex + 2 * k, 3, "%02x", key[k]);
  size_t n = strlen(path);
  snprintf(path + n, PATH - n, "/%.2s", hex);
  if (create)
    (void)mkdir(path, 0700);
  n = strlen(path);
  snprintf(path + n, PATH - n, "/%s.hkb", hex + 2);
  return true;
}

/* ---- reading ---- */

static bool read_all(int fd, void *p, size_t n)
{
  for (size_t got = 0; got < n;) {
    ssize_t k = read(fd, (char *)p + got, n - got);
    if (k < 0 && errno == EINTR)
      continue;
    if (k <= 0)
      return false;
    got += (size_t)k;
  }
  return true;
}

/* The payload of FD, NULL where it is not what KEY stands for. */
static void *payload_of(const dev_device *d, int fd, const unsigned char key[32], size_t *bytes)
{
  struct stat st;
  header h;
  unsigned char sum[32];
  if (!is_private(fd) || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !read_all(fd, &h, sizeof h) ||
      memcmp(h.magic, magic, sizeof magic) != 0 || memcmp(h.key, key, 32) != 0 || h.payload == 0 || h.payload > MOST_FILE ||
      (uint64_t)st.st_size != sizeof h + h.payload)
    return NULL;
  void *p = d->host->alloc((size_t)h.payload, 0);
  if (!p)
    return NULL;
  if (read_all(fd, p, (size_t)h.payload)) {
    dev_text_key(p, (size_t)h.payload, sum);
    if (memcmp(sum, h.hash, 32) == 0) {
      *bytes = (size_t)h.payload;
      return p;
    }
  }
  d->host->free(p);
  return NULL;
}

void *dev_cache_read(const dev_device *d, const unsigned char key[32], size_t *bytes)
{
  char path[PATH];
  if (!path_of(d, key, path, false))
    return NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return NULL;
  void *p = payload_of(d, fd, key, bytes);
  if (p)
    (void)futimens(fd, (const struct timespec[]){ { 0, UTIME_NOW }, { 0, UTIME_OMIT } }); /* its last use */
  close(fd);
  if (!p)
    dev_cache_forget(d, key);
  return p;
}

void dev_cache_forget(const dev_device *d, const unsigned char key[32])
{
  char path[PATH];
  if (!path_of(d, key, path, false) || unlink(path) != 0)
    return;
  d->host->log(HED_LOG_DEBUG, d->port->name, "%s was no program for this device, and is gone", path);
}

/* ---- writing ---- */

static bool write_all(int fd, const void *p, size_t n)
{
  for (size_t put = 0; put < n;) {
    ssize_t k = write(fd, (const char *)p + put, n - put);
    if (k < 0 && errno == EINTR)
      continue;
    if (k <= 0)
      return false;
    put += (size_t)k;
  }
  return true;
}

void dev_cache_write(const dev_device *d, const unsigned char key[32], const void *payload, size_t bytes)
{
  static atomic_uint serial;
  char path[PATH], beside[PATH + 32];
  header h = { .payload = bytes };
  if (bytes == 0 || bytes > MOST_FILE || !path_of(d, key, path, true))
    return;
  memcpy(h.magic, magic, sizeof magic);
  memcpy(h.key, key, 32);
  dev_text_key(payload, bytes, h.hash);
  snprintf(beside, sizeof beside, "%s.%ld.%u", path, (long)getpid(), atomic_fetch_add(&serial, 1));
  int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool good = fd >= 0 && write_all(fd, &h, sizeof h) && write_all(fd, payload, bytes);
  if (fd >= 0)
    good = close(fd) == 0 && good;
  good = good && rename(beside, path) == 0;
  if (!good) {
    d->host->log(HED_LOG_DEBUG, d->port->name, "%s was not written: %s", path, strerror(errno));
    if (fd >= 0)
      (void)unlink(beside);
  }
}

/* ---- the limit ---- */

typedef struct kept {
  struct timespec used;
  uint64_t bytes;
  char name[HEX + 16];         /* 2 hex/62 hex.hkb */
} kept;

static int by_use(const void *a, const void *b)
{
  const struct timespec *x = &((const kept *)a)->used, *y = &((const kept *)b)->used;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Files of the folder AT, SUB's, into LIST; their number. */
static size_t list_folder(int at, const char *sub, kept *list, size_t n, size_t cap)
{
  int fd = openat(at, sub, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  if (fd >= 0 && !dir)
    close(fd);
  for (const struct dirent *e; dir && n < cap && (e = readdir(dir));) {
    struct stat st;
    if (e->d_name[0] == '.' || strlen(e->d_name) > HEX + 8 || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
      continue;
    list[n] = (kept){ .used = st.st_atim, .bytes = (uint64_t)st.st_size };
    snprintf(list[n++].name, sizeof list->name, "%.2s/%.72s", sub, e->d_name);
  }
  if (dir)
    closedir(dir);
  return n;
}

/* HEDDLE_CACHE_MIB, 256 when it is not set. */
static uint64_t most_bytes(void)
{
  const char *text = secure_getenv("HEDDLE_CACHE_MIB");
  char *end;
  const unsigned long long mib = text ? strtoull(text, &end, 10) : 256;
  return (text && *text && *end == 0 && mib < 1 << 20 ? mib : 256) << 20;
}

void dev_cache_tidy(const dev_device *d)
{
  enum { MOST_FILES = 16384 };
  char path[PATH];
  size_t n = 0;
  uint64_t bytes = 0;
  if (!folder(d, path, false) || !is_trusted(path))
    return;
  int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (at < 0 || flock(at, LOCK_EX | LOCK_NB) != 0) { /* another process does it */
    if (at >= 0)
      close(at);
    return;
  }
  kept *list = d->host->alloc(MOST_FILES * sizeof *list, 0);
  for (int k = 0; list && k < 256; k++) {
    char sub[3];
    snprintf(sub, sizeof sub, "%02x", (unsigned)k);
    n = list_folder(at, sub, list, n, MOST_FILES);
  }
  for (size_t k = 0; k < n; k++)
    bytes += list[k].bytes;
  if (bytes > most_bytes()) {
    qsort(list, n, sizeof *list, by_use);
    for (size_t k = 0; k < n && bytes > most_bytes(); k++)
      if (unlinkat(at, list[k].name, 0) == 0)
        bytes -= list[k].bytes;
  }
  d->host->free(list);
  close(at);
}
