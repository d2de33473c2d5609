// SPDX-License-Identifier: BSD-3-Clause
/* Preloaded: says where a thread could be cancelled within Heddle, in code of its own or in what that calls: drivers, libraries,
 * constructors of modules. What is half done there stays so for ever, and locks are kept. L5.
 *
 * A cancellation point of libc that a function of the program's reaches through Heddle (libheddle*, its modules), with
 * cancellation enabled, is written to the file that HEDDLE_TEST_CANCEL names, once for each place:
 *
 *   POINT  REACHED FROM ..        each place as file+offset, what addr2line reads
 *
 * Functions of the program that Heddle calls may be cancelled, threads that run none of the program's are nobody's to cancel.
 * What is called within libc is not seen. */
#undef _FORTIFY_SOURCE /* its functions are inline, and these here take their places */
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

enum { FRAMES = 200, SEEN = 512 };

static __thread bool inside; /* within this file */

/* ---- the real ones ---- */

static void *real(const char *name, const char *version)
{
  void *p = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
  return p ? p : dlsym(RTLD_NEXT, name);
}

/* As early as can be: looking for them takes the loader's lock. */
#define REAL(name, version)                                                              \
  static __typeof__(&name) real_##name;                                                  \
  __attribute__((constructor)) static void find_##name(void)                             \
  {                                                                                      \
    void *p = real_##name ? NULL : real(#name, version);                                 \
    if (p)                                                                               \
      memcpy(&real_##name, &p, sizeof p);                                                \
  }

/* ---- places ---- */

/* The file that AT is in, and where it begins; the program's own is "". Unlike dladdr() it takes no lock. */
static const char *file_of(const void *at, uintptr_t *begin)
{
  struct dl_find_object o;
  if (_dl_find_object((void *)(uintptr_t)at, &o) != 0)
    return "?";
  *begin = o.dlfo_link_map->l_addr;
  return o.dlfo_link_map->l_name;
}

/* Is AT in code of Heddle's, but for what starts threads of the program's? */
static bool is_ours(const void *at)
{
  uintptr_t begin;
  const char *file = file_of(at, &begin), *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  return (strncmp(name, "libheddle", 9) == 0 && strncmp(name, "libheddle-inherit", 17) != 0) || strstr(file, "/backends/");
}

static bool is_program(const void *at)
{
  uintptr_t begin;
  return file_of(at, &begin)[0] == '\0';
}

typedef struct trace {
  const void *at[FRAMES];
  int n;
} trace;

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *arg)
{
  trace *t = arg;
  t->at[t->n++] = (const void *)(_Unwind_GetIP(c) - 1);
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

static void report(const char *point, const trace *t, int first)
{
  char line[4096];
  const char *path = getenv("HEDDLE_TEST_CANCEL");
  uintptr_t key = 0;
  int shown = 0;
  snprintf(line, sizeof line, "%s", point);
  for (int k = first; k < t->n && shown < 8; k++) {
    const size_t used = strlen(line);
    uintptr_t begin = 0;
    const char *file = file_of(t->at[k], &begin);
    if (!is_ours(t->at[k]))
      continue;
    const uintptr_t offset = (uintptr_t)t->at[k] - begin;
    key = key * 31 + (shown++ < 2 ? offset : 0);
    snprintf(line + used, sizeof line - used, "\t%s+0x%lx", file, (unsigned long)offset);
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

/* The thread is about to reach POINT. */
static void look(const char *point)
{
  int state;
  if (inside)
    return;
  inside = true;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  if (state == PTHREAD_CANCEL_ENABLE) {
    trace t = { .n = 0 };
    int k = 0, from;
    _Unwind_Backtrace(step, &t);
    while (k < t.n && !is_ours(t.at[k]) && !is_program(t.at[k]))
      k++;
    for (from = k; from < t.n && !is_program(t.at[from]);)
      from++;
    if (k < from && from < t.n)
      report(point, &t, k);
  }
  pthread_setcancelstate(state, NULL);
  inside = false;
}

/* ---- cancellation points ---- */

#define POINT_OF(version, type, name, params, args) \
  REAL(name, version)                               \
  API type name params { find_##name(); look(#name); return real_##name args; }
#define POINT(type, name, params, args) POINT_OF(NULL, type, name, params, args)

POINT_OF("GLIBC_2.3.2", int, pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), (c, m))
POINT_OF("GLIBC_2.3.2", int, pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t), (c, m, t))
POINT(int, pthread_cond_clockwait, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t k, const struct timespec *t), (c, m, k, t))

#define OPEN(name, params, args)                     \
  REAL(name, NULL)                                   \
  API int name params                                \
  {                                                  \
    va_list ap;                                      \
    va_start(ap, flags);                             \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0; \
    va_end(ap);                                      \
    find_##name();                                   \
    look(#name);                                     \
    return real_##name args;                         \
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
  look("fprintf");
  va_start(ap, format);
  const int n = vfprintf(f, format, ap);
  va_end(ap);
  return n;
}
