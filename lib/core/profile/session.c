// SPDX-License-Identifier: BSD-3-Clause
/* Begin and end of a profile, threads that join, fork, the setting. L2. See profile.h. */
#include "core/profile/session.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "core/process/config.h"
#include "core/process/log.h"
#include "core/profile/write.h"
#include <errno.h>
#include <fcntl.h>
#include <heddle/ops.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* begin, end and joining */
static hed_profile_info last;                            /* of the profile before, under the lock */

enum { DEFAULT_SIZE = 64 << 20 };

static uint64_t wall_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void tell(hed_status s, const char *what)
{
  if (s != HED_OK)
    hed__log(HED_LOG_ERROR, "profile", "%s: %s; the program goes on without", what, hed_error_text());
}

static void moment(int k)
{
  hed__profile.head->ns[k] = hed__now_ns();
  hed__profile.head->ticks[k] = hed__ticks();
}

/* ---- devices: what the short way of a call asks ---- */

static void set_watched(void *arg, hed__device *d)
{
  (void)arg;
  atomic_fetch_or(&d->unusual, HED__DEVICE_PROFILED);
}
static void clear_watched(void *arg, hed__device *d)
{
  (void)arg;
  atomic_fetch_and(&d->unusual, (unsigned char)~HED__DEVICE_PROFILED);
}
void hed__profile_device(hed__device *d)
{
  if (atomic_load(&hed__profile_session))
    set_watched(NULL, d);
}

/* What is so while no profile is taken, with the lock held or while loading: threads join for the sake of a tool, or not. */
static void rest(void)
{
  const unsigned session = hed__nvtx_listens ? HED__PROFILE_LISTENS : 0;
  atomic_store(&hed__profile_session, session);
  hed__stack_tell(session != 0);
  hed__devices_each(session ? set_watched : clear_watched, NULL);
}

static bool is_on(void)
{
  const unsigned session = atomic_load(&hed__profile_session);
  return session && session != HED__PROFILE_LISTENS;
}

/* ---- begin ---- */

static hed_status cannot(const char *path)
{
  return hed_fail(HED_E_IO, "profile: %.300s cannot be written: %s", path, strerror(errno));
}

static void fill_head(void)
{
  hed__raw_head *h = hed__profile.head;
  h->version = HED__RAW_VERSION;
  h->chunk = HED__RAW_CHUNK;
  h->pid = (int32_t)getpid();
  h->ops = HED_OP_COUNT_;
  snprintf(h->program, sizeof h->program, "%s", program_invocation_short_name);
  hed__ticks_choose();
  h->wall = wall_ns();
  moment(0);
  do /* for the rate, should there be no end */
    moment(1);
  while (h->ns[1] < h->ns[0] + 200000);
  memcpy(h->magic, HED__RAW_MAGIC, sizeof h->magic); /* last: it is complete */
}

/* FILE.raw with its head. Under the lock. */
static hed_status open_raw(void)
{
  struct stat st;
  const char *raw = hed__profile.raw, *path = hed__profile.path;
  if (stat(path, &st) == 0) {
    if (!S_ISREG(st.st_mode))
      return hed_fail(HED_E_IO, "profile: %.300s is not a regular file", path);
    if (access(path, W_OK) != 0)
      return cannot(path);
  }
  const int fd = open(raw, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0)
    return cannot(raw);
  int e = posix_fallocate(fd, 0, HED__RAW_HEAD);
  void *head = e ? MAP_FAILED : mmap(NULL, HED__RAW_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED) {
    errno = e ? e : errno;
    const hed_status s = cannot(raw);
    close(fd);
    unlink(raw);
    return s;
  }
  hed__profile.fd = fd;
  hed__profile.head = head;
  fill_head();
  return HED_OK;
}

/* Every thread of the process passes a barrier, so that records need not have one each. False: the kernel has none (Linux 4.14),
 * or it is kept from the process. */
enum { REGISTER = 1 << 4, EXPEDITED = 1 << 3 }; /* membarrier's MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED and PRIVATE_EXPEDITED */
static bool barrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

static hed_status begin(const char *path, const hed_profile_options *o, bool by_setting)
{
  const uint64_t size = o->size ? o->size : DEFAULT_SIZE;
  const int length = snprintf(hed__profile.path, sizeof hed__profile.path, "%s", path);
  if (length <= 0 || (size_t)length >= sizeof hed__profile.path)
    return hed_fail(HED_E_INVAL, "profile: the name of the file has %d bytes; 1 to %zu are possible", length,
                    sizeof hed__profile.path - 1);
  snprintf(hed__profile.raw, sizeof hed__profile.raw, "%s.raw", path);
  hed_status s = hed__writer_ready(path);
  if (s == HED_OK && hed__fork_depth() == 0) /* a child may do nothing but become another program */
    s = open_raw();
  if (s != HED_OK)
    return s;
  hed__profile.number++;
  hed__profile.most = (uint32_t)((size + HED__RAW_CHUNK - 1) / HED__RAW_CHUNK);
  hed__profile.keep = o->keep;
  hed__profile.threads = 0;
  hed__profile.by_setting = by_setting;
  hed__profile.barrier = barrier(REGISTER);
  atomic_store(&hed__profile.end, HED__RAW_HEAD);
  atomic_store(&hed__profile_session, hed__profile.number);
  hed__stack_tell(true);
  hed__devices_each(set_watched, NULL);
  return HED_OK;
}

static hed_status check(const char *path, const hed_profile_options *opt, hed_profile_options *o)
{
  *o = (hed_profile_options){ .struct_size = sizeof *o };
  if (!path || !*path)
    return hed_fail(HED_E_INVAL, "profile_begin: path is %s", path ? "empty" : "NULL");
  if (opt && opt->struct_size < 8)
    return hed_fail(HED_E_INVAL, "profile_begin: struct_size of the options is %u", (unsigned)opt->struct_size);
  if (opt)
    memcpy(o, opt, opt->struct_size < sizeof *o ? opt->struct_size : sizeof *o);
  if (o->keep != HED_PROFILE_NEWEST && o->keep != HED_PROFILE_OLDEST)
    return hed_fail(HED_E_INVAL, "profile_begin: keep is %d; 0 (newest) and 1 (oldest) are possible", (int)o->keep);
  if (o->size > (uint64_t)1 << 40)
    return hed_fail(HED_E_INVAL, "profile_begin: size is %llu bytes; at most 1 TiB is possible", (unsigned long long)o->size);
  return HED_OK;
}

/* ---- threads ---- */

void (*hed__profile_contexts)(hed__tls *t);

bool hed__profile_join(hed__tls *t)
{
  HED__UNCANCELLED;
  bool joined = false;
  hed__profile_buffer *before = t->profile, *b = NULL;
  if (t->exiting)
    return false;
  pthread_mutex_lock(&lock);
  if (is_on() && hed__profile.fd < 0 && open_raw() != HED_OK) {
    tell(hed_error(), "in a child of fork");
    rest();
  }
  unsigned session = atomic_load(&hed__profile_session);
  const bool keeps = is_on();
  if (session)
    b = hed__calloc(1, sizeof *b + (keeps ? hed__profile.most * sizeof *b->away : 0));
  if (b) {
    b->session = session;
    b->serial = t->serial;
    b->parent = t->parent;
    b->tid = (uint64_t)syscall(SYS_gettid);
    atomic_init(&b->refs, keeps ? 2 : 1);
    if (keeps) {
      b->thread = ++hed__profile.threads;
      b->most = hed__profile.most - 1; /* and the live one */
      b->next = hed__profile.buffers;
      hed__profile.buffers = b;
    } else {
      b->number = 1; /* and no piece of memory: what comes is dropped */
    }
    t->profile = b;
    t->profile_session = session;
    t->profile_copies = atomic_load_explicit(&t->count[HED__COUNT_COPIES], memory_order_relaxed);
    hed__watch(t, HED__WATCH_PROFILE, true);
    joined = true;
  }
  pthread_mutex_unlock(&lock);
  if (joined) {
    hed__profile_buffer_release(before);
    hed__profile_contexts(t);
  }
  return joined;
}

void hed__profile_thread_exit(hed__tls *t)
{
  hed__profile_buffer_release(t->profile);
  t->profile = NULL;
  t->profile_session = 0;
}

void hed__profile_leave(hed__tls *t)
{
  hed__watch(t, HED__WATCH_PROFILE, false);
  hed__profile_thread_exit(t);
}

/* ---- end ---- */

/* Those that were in the midst of a record are through; a thread that is stopped there is not waited for for ever. */
static void wait_for_threads(void)
{
  if (hed__profile.barrier)
    (void)barrier(EXPEDITED);
  const uint64_t until = hed__now_ns() + 1000000000u;
  for (hed__profile_buffer *b = hed__profile.buffers; b; b = b->next)
    while (atomic_load_explicit(&b->busy, memory_order_acquire) && hed__now_ns() < until)
      sched_yield();
}

static void count(hed_profile_info *info)
{
  *info = (hed_profile_info){ .struct_size = sizeof *info };
  for (const hed__profile_buffer *b = hed__profile.buffers; b; b = b->next) {
    info->threads++;
    info->records += atomic_load_explicit(&b->records, memory_order_relaxed);
    info->dropped += atomic_load_explicit(&b->dropped, memory_order_relaxed);
  }
}

static void let_go(void)
{
  hed__profile_buffer *b = hed__profile.buffers, *next;
  hed__profile.buffers = NULL;
  for (; b; b = next) {
    next = b->next;
    hed__profile_buffer_release(b);
  }
  (void)munmap(hed__profile.head, HED__RAW_HEAD);
  (void)close(hed__profile.fd);
  hed__profile.head = NULL;
  hed__profile.fd = -1;
}

/* Under the lock. */
static hed_status end(void)
{
  rest();
  wait_for_threads();
  if (hed__profile.fd < 0)
    return HED_OK;
  moment(1);
  count(&last);
  hed__profile.head->ended = 1;
  const hed_status s = hed__write_trace(hed__profile.raw, hed__profile.path);
  let_go();
  if (s == HED_OK)
    (void)unlink(hed__profile.raw);
  return s;
}

hed_status hed_profile_begin(const char *path, const hed_profile_options *opt)
{
  HED__UNCANCELLED;
  hed_profile_options o;
  hed_status s = check(path, opt, &o);
  if (s != HED_OK)
    return s;
  if (!hed__tls_get())
    return hed_error();
  pthread_mutex_lock(&lock);
  if (is_on())
    s = hed_fail(HED_E_INVAL, "profile_begin: a profile is being taken already, to %.300s", hed__profile.path);
  else
    s = begin(path, &o, false);
  pthread_mutex_unlock(&lock);
  if (s == HED_OK && !hed__profiling(hed__tls_peek())) { /* it ends without a record */
    pthread_mutex_lock(&lock);
    (void)end();
    pthread_mutex_unlock(&lock);
    (void)unlink(path);
    s = hed_fail(HED_E_NOMEM, "profile_begin: no memory for this thread's records");
  }
  return s;
}

hed_status hed_profile_end(void)
{
  HED__UNCANCELLED;
  pthread_mutex_lock(&lock);
  const hed_status s = is_on() ? end() : hed_fail(HED_E_INVAL, "profile_end: no profile is being taken");
  pthread_mutex_unlock(&lock);
  hed__tls *t = hed__tls_peek();
  if (t)
    (void)hed__profiling(t);
  return s;
}

bool hed_profile_is_on(void) { return is_on(); }

hed_status hed_profile_query(hed_profile_info *out)
{
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "profile_query: %s", out ? "struct_size is not set" : "out is NULL");
  hed_profile_info info;
  pthread_mutex_lock(&lock);
  if (is_on())
    count(&info);
  else
    info = last;
  pthread_mutex_unlock(&lock);
  info.struct_size = out->struct_size;
  memcpy(out, &info, out->struct_size < sizeof info ? out->struct_size : sizeof info);
  return HED_OK;
}

hed_status hed_profile_convert(const char *raw, const char *out)
{
  HED__UNCANCELLED;
  if (!raw || !out)
    return hed_fail(HED_E_INVAL, "profile_convert: %s is NULL", raw ? "out" : "raw");
  const hed_status s = hed__writer_ready(out);
  return s == HED_OK ? hed__write_trace(raw, out) : s;
}

/* ---- the setting ---- */

/* The number of the process among those that were started together. */
static const char *rank(void)
{
  static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };
  const char *v = NULL;
  for (size_t k = 0; k < sizeof names / sizeof *names && !(v && *v); k++)
    v = secure_getenv(names[k]);
  return v && *v && strspn(v, "0123456789") == strlen(v) ? v : NULL;
}

/* PATH with .TAG before its extension. */
static void with_tag(const char *path, const char *tag, char *out, size_t cap)
{
  const char *slash = strrchr(path, '/'), *end = path + strlen(path);
  const char *gz = end - path > 3 && strcmp(end - 3, ".gz") == 0 ? end - 3 : end, *dot = gz;
  for (const char *p = gz; p > (slash ? slash : path); p--)
    if (*p == '.' && p != gz) {
      dot = p;
      break;
    }
  snprintf(out, cap, "%.*s.%s%s", (int)(dot - path), path, tag, dot);
}

/* PATH;size=N;keep=WHICH, in which %p is the number of the process. */
static hed_status read_setting(const char *v, char *path, size_t cap, hed_profile_options *o)
{
  char part[1024];
  size_t n = strcspn(v, ";"), at = 0;
  *o = (hed_profile_options){ .struct_size = sizeof *o };
  for (size_t k = 0; k < n && at + 12 < cap; k++)
    if (v[k] == '%' && k + 1 < n && v[k + 1] == 'p') {
      at += (size_t)snprintf(path + at, cap - at, "%d", (int)getpid());
      k++;
    } else {
      path[at++] = v[k];
    }
  path[at] = 0;
  for (v += n; *v; v += n) {
    n = strcspn(++v, ";");
    snprintf(part, sizeof part, "%.*s", (int)(n < 1000 ? n : 1000), v);
    char *end = part;
    if (strcmp(part, "keep=newest") == 0 || strcmp(part, "keep=oldest") == 0)
      o->keep = part[5] == 'o' ? HED_PROFILE_OLDEST : HED_PROFILE_NEWEST;
    else if (strncmp(part, "size=", 5) == 0 && part[5] >= '0' && part[5] <= '9') {
      o->size = strtoull(part + 5, &end, 10);
      const char *unit = *end ? strchr("KMG", *end) : NULL;
      if (unit && !end[1] && o->size < (uint64_t)1 << 40)
        o->size <<= 10 * (unit - "KMG" + 1);
      else if (*end)
        return hed_fail(HED_E_INVAL, "'%.100s' is no size", part);
    } else if (n)
      return hed_fail(HED_E_INVAL, "'%.100s' is not known; size=N and keep=newest or oldest are", part);
  }
  return HED_OK;
}

static hed_status begin_by_setting(void)
{
  char path[1024], tagged[1024], pid[24];
  hed_profile_options o, checked;
  const char *v = hed__config_get(HED__SET_PROFILE), *number = rank();
  hed_status s = read_setting(v, path, sizeof path, &o);
  const bool own = strstr(v, "%p") != NULL;
  if (s == HED_OK && hed__fork_depth() > 0 && !own) {
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    with_tag(path, pid, tagged, sizeof tagged);
  } else if (s == HED_OK && number && !own) {
    with_tag(path, number, tagged, sizeof tagged);
  } else {
    snprintf(tagged, sizeof tagged, "%s", path);
  }
  if (s == HED_OK)
    s = check(tagged, &o, &checked);
  if (s == HED_OK)
    s = begin(tagged, &checked, true);
  return s;
}

void hed__profile_exit(void)
{
  pthread_mutex_lock(&lock);
  if (is_on())
    tell(end(), "what was recorded stays where it is");
  pthread_mutex_unlock(&lock);
}

/* From the environment alone: a file must not make every program write. */
void hed__profile_load(void)
{
  const char *v = secure_getenv("HEDDLE_PROFILE");
  hed__nvtx_load();
  if (hed__nvtx_listens) {
    hed__ticks_choose();
    rest();
  }
  if (!v || !*v)
    return;
  pthread_mutex_lock(&lock);
  tell(begin_by_setting(), hed__config_source(HED__SET_PROFILE));
  pthread_mutex_unlock(&lock);
  (void)atexit(hed__profile_exit);
}

/* ---- fork: the file is the parent's ---- */

void hed__profile_fork_prepare(void) { pthread_mutex_lock(&lock); }
void hed__profile_fork_parent(void) { pthread_mutex_unlock(&lock); }

/* The parent's memory and file are left alone; a profile that the setting asked for goes on in a file of the child's own, which
 * is made at its first record. */
void hed__profile_fork_child(void)
{
  pthread_mutex_init(&lock, NULL);
  const bool goes_on = is_on() && hed__profile.by_setting;
  rest();
  for (hed__profile_buffer *b = hed__profile.buffers; b; b = b->next)
    if (b->live)
      (void)munmap(b->live, HED__RAW_CHUNK);
  hed__profile.buffers = NULL;
  if (hed__profile.head)
    (void)munmap(hed__profile.head, HED__RAW_HEAD);
  if (hed__profile.fd >= 0)
    (void)close(hed__profile.fd);
  hed__profile.fd = -1;
  hed__profile.head = NULL;
  hed__tls *t = hed__tls_peek();
  if (t) { /* it is abandoned, as the blocks of other threads are */
    t->profile = NULL;
    t->profile_session = 0;
  }
  if (goes_on) {
    pthread_mutex_lock(&lock);
    tell(begin_by_setting(), "in a child of fork");
    pthread_mutex_unlock(&lock);
  }
}
