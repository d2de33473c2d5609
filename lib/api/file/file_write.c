// SPDX-License-Identifier: BSD-3-Clause
/* Files that take another's place all at once: the one writer of the library, the kits and the tool. L3.
 *
 * What is written has a temporary name in the same folder until it is on disk (fsync); then it is renamed, and the folder is
 * put on disk: a crash leaves the old file or the new one, never a part. Symbolic links are followed by hand, as rename does
 * not follow them. A size limit (RLIMIT_FSIZE) is an error like a full disk: its signal is held back for the calling thread
 * while the library writes.
 */
#include "api/file/file.h"

#include "base/alloc.h"
#include "base/cancel.h"
#include <errno.h>
#include <fcntl.h>
#include <heddle/io.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 18, MOST_LINKS = 40, MOST_TRIES = 100, STEM = 200 };

/* ---- the signal of a size limit ---- */

void hed__size_guard_begin(hed__size_guard *g)
{
  sigset_t pending;
  sigemptyset(&g->set);
  sigaddset(&g->set, SIGXFSZ);
  sigemptyset(&pending);
  (void)sigpending(&pending);
  g->foreign = sigismember(&pending, SIGXFSZ) == 1;
  pthread_sigmask(SIG_BLOCK, &g->set, &g->before);
}

void hed__size_guard_end(const hed__size_guard *g)
{
  const struct timespec at_once = { 0, 0 };
  const int error = errno;
  while (!g->foreign && sigtimedwait(&g->set, NULL, &at_once) < 0 && errno == EINTR)
    ;
  pthread_sigmask(SIG_SETMASK, &g->before, NULL);
  errno = error;
}

/* ---- names ---- */

static hed_status refuse(const hed_file *f, int error)
{
  return hed_fail(error == ENOMEM ? HED_E_NOMEM : HED_E_IO, "%s: cannot write '%s': %s", f->op, f->path, strerror(error));
}

/* How many bytes of PATH are its folder with the slash behind. */
static size_t folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The name that a write to PATH reaches, into NAME; what is there, into *ST: st_mode is 0 where nothing is. 0 or an errno. */
static int follow(const char *path, char name[PATH_MAX], struct stat *st)
{
  char link[PATH_MAX], next[PATH_MAX];
  if ((size_t)snprintf(name, PATH_MAX, "%s", path) >= PATH_MAX)
    return ENAMETOOLONG;
  for (int links = 0; links < MOST_LINKS; links++) {
    if (lstat(name, st) != 0) {
      st->st_mode = 0;
      return errno == ENOENT ? 0 : errno;
    }
    if (!S_ISLNK(st->st_mode))
      return 0;
    const ssize_t n = readlink(name, link, sizeof link - 1);
    if (n < 0)
      return errno;
    link[n] = 0;
    const int folder = link[0] == '/' ? 0 : (int)folder_length(name);
    if ((size_t)snprintf(next, sizeof next, "%.*s%s", folder, name, link) >= sizeof next)
      return ENAMETOOLONG;
    memcpy(name, next, sizeof next);
  }
  return ELOOP;
}

/* ---- making ---- */

/* The new file is for those for whom the old one was: where it cannot have the same group, the group may what all may. */
static int keep_access(int fd, const struct stat *old)
{
  mode_t mode = old->st_mode & 0777;
  struct stat now;
  if (fstat(fd, &now) != 0)
    return errno;
  if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) && fchown(fd, old->st_uid, old->st_gid) != 0 &&
      fchown(fd, (uid_t)-1, old->st_gid) != 0)
    mode = (mode & ~(mode_t)070) | (mode & 07) << 3;
  return fchmod(fd, mode) == 0 ? 0 : errno;
}

/* A new file beside the one that is replaced; 0 or an errno. */
static int make_temporary(hed_file *f, const struct stat *old)
{
  static atomic_uint counter;
  const size_t folder = folder_length(f->name);
  for (int tries = 0; tries < MOST_TRIES && f->fd < 0; tries++) {
    const int n = snprintf(f->temporary, sizeof f->temporary, "%.*s%.*s.%ld.%u.tmp", (int)folder, f->name, (int)STEM,
                           f->name + folder, (long)getpid(), atomic_fetch_add(&counter, 1));
    if ((size_t)n >= sizeof f->temporary)
      return ENAMETOOLONG;
    f->fd = open(f->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, old->st_mode ? 0600 : 0666);
    if (f->fd < 0 && errno != EEXIST)
      return errno;
  }
  if (f->fd < 0)
    return EEXIST;
  const int error = old->st_mode ? keep_access(f->fd, old) : 0;
  if (error) {
    close(f->fd);
    unlink(f->temporary);
  }
  return error;
}

hed_status hed_file_create(const char *op, const char *path, hed_file **out)
{
  HED__UNCANCELLED;
  struct stat old;
  if (out)
    *out = NULL;
  if (!op || !path || !out)
    return hed_fail(HED_E_INVAL, "file_create: %s is NULL", !op ? "op" : path ? "out" : "path");
  if (!*path)
    return hed_fail(HED_E_INVAL, "%s: the name of the file to write is empty", op);
  const size_t op_bytes = strlen(op) + 1, path_bytes = strlen(path) + 1;
  hed_file *f = hed__malloc(sizeof *f + op_bytes + path_bytes);
  if (!f)
    return hed_fail(HED_E_NOMEM, "%s: no memory to write '%s'", op, path);
  f->op = memcpy(f->words, op, op_bytes);
  f->path = memcpy(f->words + op_bytes, path, path_bytes);
  f->fd = -1;
  f->cause = 0;
  f->filled = 0;
  hed_status status = HED_OK;
  int error = follow(path, f->name, &old);
  if (!error && old.st_mode && !S_ISREG(old.st_mode))
    status = hed_fail(HED_E_IO, "%s: '%s' exists and is not a regular file", op, path);
  else if (!error && old.st_mode && faccessat(AT_FDCWD, f->name, W_OK, AT_EACCESS) != 0)
    error = errno;
  if (status == HED_OK && !error)
    error = make_temporary(f, &old);
  if (error)
    status = refuse(f, error);
  if (status != HED_OK) {
    hed__free(f);
    return status;
  }
  *out = f;
  return HED_OK;
}

const char *hed_file_temporary(const hed_file *f) { return f ? f->temporary : NULL; }

/* ---- writing ---- */

static void put(hed_file *f, const char *p, size_t n)
{
  HED__UNCANCELLED;
  hed__size_guard g;
  hed__size_guard_begin(&g);
  while (n && !f->cause) {
    const ssize_t done = write(f->fd, p, n < PIECE ? n : PIECE);
    if (done < 0 && errno != EINTR)
      f->cause = errno;
    if (done > 0) {
      p += done;
      n -= (size_t)done;
    }
  }
  hed__size_guard_end(&g);
}

static void flush(hed_file *f)
{
  put(f, f->buffer, f->filled);
  f->filled = 0;
}

hed_status hed_file_write(hed_file *f, const void *bytes, size_t n)
{
  if (!f || (n && !bytes))
    return hed_fail(HED_E_INVAL, "file_write: %s is NULL", f ? "bytes" : "the file");
  if (n > sizeof f->buffer - f->filled)
    flush(f);
  if (n > sizeof f->buffer) {
    put(f, bytes, n);
  } else if (n) {
    memcpy(f->buffer + f->filled, bytes, n);
    f->filled += n;
  }
  return f->cause ? refuse(f, f->cause) : HED_OK;
}

hed_status hed_file_print(hed_file *f, const char *format, ...)
{
  char line[512], *text = line;
  va_list args, again;
  if (!f || !format)
    return hed_fail(HED_E_INVAL, "file_print: %s is NULL", f ? "format" : "the file");
  va_start(args, format);
  va_copy(again, args);
  const int n = vsnprintf(line, sizeof line, format, args);
  if (n >= (int)sizeof line && (text = hed__malloc((size_t)n + 1)))
    vsnprintf(text, (size_t)n + 1, format, again);
  va_end(again);
  va_end(args);
  if ((n < 0 || !text) && !f->cause)
    f->cause = n < 0 ? errno : ENOMEM;
  const hed_status status = hed_file_write(f, text, n < 0 || !text ? 0 : (size_t)n);
  if (text != line)
    hed__free(text);
  return status;
}

/* ---- taking the place ---- */

/* Some file systems cannot; that is no reason to fail. */
static int sync_one(int fd)
{
  return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;
}

static int sync_path(const char *path, int flags)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
  if (fd < 0)
    return errno;
  const int error = sync_one(fd);
  close(fd);
  return error;
}

/* Somebody else may have written a file of the temporary name: then that is the one. */
static int sync_contents(const hed_file *f)
{
  struct stat ours, there;
  const int error = sync_one(f->fd);
  if (error)
    return error;
  if (fstat(f->fd, &ours) != 0 || lstat(f->temporary, &there) != 0)
    return errno;
  return ours.st_ino == there.st_ino && ours.st_dev == there.st_dev ? 0 : sync_path(f->temporary, O_NOFOLLOW);
}

/* A folder that may be written but not read cannot be put on disk. */
static int sync_folder(hed_file *f)
{
  const size_t n = folder_length(f->name);
  f->name[n] = 0;
  const int error = sync_path(n ? f->name : ".", O_DIRECTORY);
  return error == EACCES ? 0 : error;
}

hed_status hed_file_close(hed_file *f, hed_status status)
{
  HED__UNCANCELLED;
  if (!f)
    return status;
  if (status == HED_OK)
    flush(f);
  int error = status == HED_OK ? f->cause : 0;
  if (status == HED_OK && !error)
    error = sync_contents(f);
  if (close(f->fd) != 0 && status == HED_OK && !error)
    error = errno;
  if (status == HED_OK && !error && rename(f->temporary, f->name) != 0)
    error = errno;
  if (status != HED_OK || error) {
    unlink(f->temporary);
    status = error ? refuse(f, error) : status;
  } else if ((error = sync_folder(f)) != 0) {
    status = hed_fail(HED_E_IO, "%s: '%s' is written, but may be lost in a crash: its folder cannot be put on disk: %s", f->op,
                      f->path, strerror(error));
  }
  hed__free(f);
  return status;
}
