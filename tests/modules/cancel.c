// SPDX-License-Identifier: BSD-3-Clause
/* Preloaded: says where a thread could be cancelled while it holds a lock of Heddle's, which nobody would ever give back. L5.
 *
 * Locks and unlocks are counted for each thread, with the place that locked. A cancellation point of libc that is reached
 * with cancellation enabled, while a lock is held that code of Heddle (libheddle*, its modules) took, is written to the file
 * that HEDDLE_TEST_CANCEL names, once for each pair of places:
 *
 *   POINT  LOCKED AT  REACHED FROM ..        each place as file+offset, what addr2line reads
 *
 * A wait for a condition gives its own lock back; one whose caller has nothing to clean up would keep it when it is
 * cancelled. Threads that Heddle or a driver makes are no program's to cancel. What is called within libc is not seen. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#define API __attribute__((visibility("default"), noinline))

enum { HELD = 32, FRAMES = 40, SEEN = 512 };

typedef struct held { const void *lock, *at; } held;

static __thread held list[HELD];
static __thread int n_held;
static __thread bool inside, exempt; /* within this file; a thread of Heddle's own */

/* ---- the real ones ---- */

static void *real(const char *name, const char *version)
{
  void *p = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
  return p ? p : dlsym(RTLD_NEXT, name);
}

#define REAL(name, version)                                \
  static __typeof__(&name) fn;                             \
  if (!fn) {                                               \
    void *p_ = real(#name, version);                       \
    memcpy(&fn, &p_, sizeof fn);                           \
  }

/* ---- places ---- */

/* Is AT in code of Heddle's? Its file and offset. */
static bool is_ours(const void *at, const char **file, uintptr_t *offset)
{
  Dl_info info;
  if (!at || !dladdr(at, &info) || !info.dli_fname)
    return false;
  const char *name = strrchr(info.dli_fname, '/');
  name = name ? name + 1 : info.dli_fname;
  *file = info.dli_fname;
  *offset = (uintptr_t)at - (uintptr_t)info.dli_fbase;
  return strncmp(name, "libheddle", 9) == 0 || strstr(info.dli_fname, "/backends/") != NULL;
}

typedef struct trace {
  const void *at[FRAMES], *begin[FRAMES]; /* of its function */
  bool cleans[FRAMES];
  int n;
} trace;

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *arg)
{
  trace *t = arg;
  t->at[t->n] = (const void *)(_Unwind_GetIP(c) - 1);
  t->begin[t->n] = (const void *)_Unwind_GetRegionStart(c);
  t->cleans[t->n++] = _Unwind_GetLanguageSpecificData(c) != 0;
  return t->n < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* ---- what was found ---- */

static bool is_new(uintptr_t key)
{
  static _Atomic uintptr_t seen[SEEN];
  for (int k = 0; k < SEEN; k++) {
    uintptr_t was = 0;
    if (__atomic_load_n(&seen[k], __ATOMIC_RELAXED) == key)
      return false;
    if (__atomic_compare_exchange_n((uintptr_t *)&seen[k], &was, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return true;
    if (was == key)
      return false;
  }
  return false;
}

static void add_place(char *line, size_t size, const void *at)
{
  const char *file = "?";
  uintptr_t offset = 0;
  const size_t used = strlen(line);
  (void)is_ours(at, &file, &offset);
  snprintf(line + used, size - used, "\t%s+0x%lx", file, (unsigned long)offset);
}

static void report(const char *point, const void *locked, const trace *t)
{
  char line[4096];
  const char *path = getenv("HEDDLE_TEST_CANCEL"), *file;
  uintptr_t offset, key = (uintptr_t)locked * 31;
  int shown = 0;
  snprintf(line, sizeof line, "%s", point);
  add_place(line, sizeof line, locked);
  for (int k = 0; k < t->n && shown < 8; k++)
    if (is_ours(t->at[k], &file, &offset)) {
      key = key * 31 + (shown++ ? 0 : offset);
      add_place(line, sizeof line, t->at[k]);
    }
  if (!path || !is_new(key | 1))
    return;
  strncat(line, "\n", sizeof line - strlen(line) - 1);
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0) {
    syscall(SYS_write, fd, line, strlen(line));
    syscall(SYS_close, fd);
  }
}

/* Does a function between the one that locked at LOCKED, or the caller of the wait, and the wait clean up? */
static bool cleans_up(const void *locked)
{
  trace t = { .n = 0 };
  const char *file;
  uintptr_t offset;
  bool yes = false, out = false;
  int ours = 0;
  const void *begin = _Unwind_FindEnclosingFunction((void *)(uintptr_t)locked);
  _Unwind_Backtrace(step, &t);
  for (int k = 0; k < t.n && !out && ours < 4; k++) {
    if (!is_ours(t.at[k], &file, &offset))
      continue;
    ours++;
    yes |= t.cleans[k];
    out = t.begin[k] == begin;
  }
  return yes;
}

/* The thread is about to reach POINT. OWN: a lock that it gives back meanwhile. */
static void look(const char *point, const void *own)
{
  int state;
  if (inside || exempt || n_held == 0)
    return;
  inside = true;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  const void *at = NULL;
  for (int k = 0; k < n_held && k < HELD && !at && state == PTHREAD_CANCEL_ENABLE; k++) {
    const char *file;
    uintptr_t offset;
    if (is_ours(list[k].at, &file, &offset))
      at = list[k].at;
    if (at && list[k].lock == own && cleans_up(at))
      at = NULL;
  }
  if (at) {
    trace t = { .n = 0 };
    _Unwind_Backtrace(step, &t);
    report(point, at, &t);
  }
  pthread_setcancelstate(state, NULL);
  inside = false;
}

static int hold(const void *lock, const void *at, int status)
{
  if (status == 0) {
    if (n_held < HELD)
      list[n_held] = (held){ lock, at };
    n_held++;
  }
  return status;
}

static void drop(const void *lock)
{
  int k = n_held < HELD ? n_held : HELD;
  while (k > 0 && list[k - 1].lock != lock)
    k--;
  if (k == 0)
    return;
  for (n_held--; k <= n_held && k < HELD; k++)
    list[k - 1] = list[k];
}

/* ---- locks ---- */

#define HERE __builtin_extract_return_addr(__builtin_return_address(0))
#define LOCK(name, type) \
  API int name(type *m) { REAL(name, NULL) return hold(m, HERE, fn(m)); }
#define TIMED(name, type) \
  API int name(type *m, const struct timespec *t) { REAL(name, NULL) return hold(m, HERE, fn(m, t)); }
#define UNLOCK(name, type) \
  API int name(type *m) { REAL(name, NULL) drop(m); return fn(m); }

LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
TIMED(pthread_mutex_timedlock, pthread_mutex_t)
UNLOCK(pthread_mutex_unlock, pthread_mutex_t)
UNLOCK(pthread_mutex_destroy, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
LOCK(pthread_rwlock_tryrdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_trywrlock, pthread_rwlock_t)
UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)

API int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
  REAL(pthread_mutex_init, NULL)
  drop(m);
  return fn(m, a);
}

/* A child's handlers make anew what was held. */
API pid_t fork(void)
{
  REAL(fork, NULL)
  const pid_t pid = fn();
  if (pid == 0)
    n_held = 0;
  return pid;
}

/* ---- threads ---- */

typedef struct start { void *(*fn)(void *); void *arg; } start;

static void *begin_exempt(void *arg)
{
  start s = *(start *)arg;
  free(arg);
  exempt = true;
  return s.fn(s.arg);
}

API int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
  const char *file;
  uintptr_t offset;
  REAL(pthread_create, "GLIBC_2.34")
  start *s = is_ours(HERE, &file, &offset) ? malloc(sizeof *s) : NULL;
  if (!s)
    return fn(t, a, f, arg);
  *s = (start){ f, arg };
  const int status = fn(t, a, begin_exempt, s);
  if (status != 0)
    free(s);
  return status;
}

/* ---- cancellation points ---- */

#define POINT(type, name, params, args) \
  API type name params { REAL(name, NULL) look(#name, NULL); return fn args; }

API int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
  REAL(pthread_cond_wait, "GLIBC_2.3.2")
  look("pthread_cond_wait", m);
  return fn(c, m);
}

API int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
  REAL(pthread_cond_timedwait, "GLIBC_2.3.2")
  look("pthread_cond_timedwait", m);
  return fn(c, m, t);
}

API int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t k, const struct timespec *t)
{
  REAL(pthread_cond_clockwait, NULL)
  look("pthread_cond_clockwait", m);
  return fn(c, m, k, t);
}

#define OPEN(name, params, args)                     \
  API int name params                                \
  {                                                  \
    va_list ap;                                      \
    va_start(ap, flags);                             \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0; \
    va_end(ap);                                      \
    REAL(name, NULL)                                 \
    look(#name, NULL);                               \
    return fn args;                                  \
  }
OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPEN(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))

POINT(int, creat, (const char *path, mode_t mode), (path, mode))
POINT(int, close, (int fd), (fd))
POINT(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n))
POINT(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
POINT(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
POINT(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at))
POINT(ssize_t, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at))
POINT(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at))
POINT(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n))
POINT(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
POINT(int, fsync, (int fd), (fd))
POINT(int, fdatasync, (int fd), (fd))
POINT(int, msync, (void *p, size_t n, int flags), (p, n, flags))
POINT(int, lockf, (int fd, int command, off_t n), (fd, command, n))
POINT(int, nanosleep, (const struct timespec *t, struct timespec *left), (t, left))
POINT(int, clock_nanosleep, (clockid_t c, int flags, const struct timespec *t, struct timespec *left), (c, flags, t, left))
POINT(int, usleep, (useconds_t us), (us))
POINT(unsigned, sleep, (unsigned s), (s))
POINT(int, poll, (struct pollfd *p, nfds_t n, int ms), (p, n, ms))
POINT(int, select, (int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t), (n, r, w, e, t))
POINT(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))
POINT(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags))
POINT(int, sem_wait, (sem_t *s), (s))
POINT(int, sem_timedwait, (sem_t *s, const struct timespec *t), (s, t))
POINT(int, pthread_join, (pthread_t t, void **result), (t, result))
POINT(pid_t, wait, (int *status), (status))
POINT(pid_t, waitpid, (pid_t p, int *status, int flags), (p, status, flags))
POINT(int, system, (const char *command), (command))
POINT(int, mkstemp, (char *path), (path))
POINT(FILE *, fopen, (const char *path, const char *mode), (path, mode))
POINT(FILE *, fopen64, (const char *path, const char *mode), (path, mode))
POINT(FILE *, popen, (const char *command, const char *mode), (command, mode))
POINT(int, fclose, (FILE *f), (f))
POINT(int, fflush, (FILE *f), (f))
POINT(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f))
POINT(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f))
POINT(char *, fgets, (char *p, int n, FILE *f), (p, n, f))
POINT(int, fputs, (const char *s, FILE *f), (s, f))
POINT(int, fgetc, (FILE *f), (f))
POINT(int, fputc, (int c, FILE *f), (c, f))
POINT(int, fseek, (FILE *f, long at, int from), (f, at, from))
POINT(int, vfprintf, (FILE *f, const char *format, va_list ap), (f, format, ap))
POINT(DIR *, opendir, (const char *path), (path))
POINT(int, closedir, (DIR *d), (d))

API int fprintf(FILE *f, const char *format, ...)
{
  va_list ap;
  look("fprintf", NULL);
  va_start(ap, format);
  const int n = vfprintf(f, format, ap);
  va_end(ap);
  return n;
}
