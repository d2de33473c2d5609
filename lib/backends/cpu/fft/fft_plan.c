// SPDX-License-Identifier: BSD-3-Clause
/*
 * The plan cache (fft_plan.h): a small table searched by hash, least recently used out first.
 *
 * One mutex guards the table and the counts; it is never held while FFTW works. Order of locks:
 * the shared FFTW lock is taken with the mutex free. An entry is made in state PLANNING and found by
 * others in that state: they wait on the condition, or take an estimated plan where there is one.
 */
#include "backends/cpu/fft/fft_plan.h"
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/kernels/fft/lines.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/team.h"
#include "base/cancel.h"
#include <fftw3.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum plan_state { PLANNING, READY, FAILED } plan_state;

struct cpu_plan {
  cpu_plan_key key;
  plan_state state;
  void *plan;
  /* What leasing writes, under the mutex: in a line of its own, as threads go on reading the rest. */
  _Alignas(64) uint64_t used; /* time of last lease, for LRU */
  uint64_t leases;     /* how often it was prefetched */
  int32_t refs;        /* leases out, plus one while in the table */
};

typedef struct plan_slot {
  uint64_t hash;
  cpu_plan *plan;
} plan_slot;

/* The mutex and what every lease writes are one line: a thread that leases after another one fetches it once. */
static struct {
  _Alignas(64) pthread_mutex_t mutex;
  uint64_t clock, hits;
} busy = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static plan_slot *slots; /* made at the first lease */
static int capacity;
static cpu_plan_counts counts;

/* ---- FFTW's loops over threads ----
 * FFTW waits for ever for a thread that cannot be made, so its loops run on this module's helpers, as many as there are; FFTW
 * before 3.3.9 cannot be told, and gets plans for one thread. A loop that the program has set for itself stays: FFTW has no
 * function that tells, but exports what it keeps. */

#ifdef HED_HAVE_FFTW_CALLBACK
typedef void fftw_loop(void *(*work)(char *), char *jobs, size_t size, int n, void *data);
extern fftw_loop *fftw_spawnloop_callback __attribute__((weak)), *fftwf_spawnloop_callback __attribute__((weak));

typedef struct fftw_jobs {
  void *(*work)(char *);
  char *first;
  size_t size;
} fftw_jobs;

static void run_job(void *arg, int32_t part, int32_t parts)
{
  const fftw_jobs *j = arg;
  (void)parts;
  j->work(j->first + (size_t)part * j->size);
}

static void run_jobs(void *(*work)(char *), char *jobs, size_t size, int n, void *data)
{
  fftw_jobs j = { work, jobs, size };
  (void)data;
  if (!cpu_host->forked())
    cpu_team_run(n, n, run_job, &j);
  else
    for (int32_t i = 0; i < n; i++)
      run_job(&j, i, n);
}

#define SHARE_OUT(P)                                                                               \
  static bool P##_shared_out(void)                                                                 \
  {                                                                                                \
    if (!P##_init_threads())                                                                       \
      return false;                                                                                \
    if (!&P##_spawnloop_callback || !P##_spawnloop_callback)                                       \
      P##_threads_set_callback(run_jobs, NULL);                                                    \
    return true;                                                                                   \
  }
#else
#define SHARE_OUT(P) static bool P##_shared_out(void) { return false; }
#endif

SHARE_OUT(fftw)
SHARE_OUT(fftwf)

/* ---- both precisions behind one face ---- */

#define PRECISION(P, R)                                                                            \
  static void *P##_make(const cpu_plan_key *k, const P##_iodim64 *d, const P##_iodim64 *l,         \
                        void *in, void *out, unsigned flags)                                       \
  {                                                                                                \
    switch (k->kind) {                                                                             \
    case CPU_FFT_R2C:                                                                              \
      return P##_plan_guru64_dft_r2c(k->rank, d, k->loops, l, in, out, flags);                     \
    case CPU_FFT_C2R:                                                                              \
      return P##_plan_guru64_dft_c2r(k->rank, d, k->loops, l, in, out, flags);                     \
    default:                                                                                       \
      return P##_plan_guru64_dft(k->rank, d, k->loops, l, in, out, k->sign, flags);                \
    }                                                                                              \
  }                                                                                                \
  /* Planner threads are process-wide state of FFTW: what the program had set is put back. */      \
  static void *P##_plan_locked(const cpu_plan_key *k, void *in, void *out, unsigned flags)         \
  {                                                                                                \
    P##_iodim64 d[HED_MAX_NDIM], l[HED_MAX_NDIM];                                                  \
    for (int i = 0; i < k->rank; i++)                                                              \
      d[i] = (P##_iodim64){ k->dim[i].n, k->dim[i].is, k->dim[i].os };                             \
    for (int i = 0; i < k->loops; i++)                                                             \
      l[i] = (P##_iodim64){ k->loop[i].n, k->loop[i].is, k->loop[i].os };                          \
    static bool threads_ready;                                                                     \
    if (k->threads > 1 && !threads_ready)                                                          \
      threads_ready = P##_shared_out();                                                            \
    int before = threads_ready ? P##_planner_nthreads() : 1;                                       \
    if (threads_ready)                                                                             \
      P##_plan_with_nthreads(k->threads);                                                          \
    void *p = P##_make(k, d, l, in, out, flags);                                                   \
    if (threads_ready)                                                                             \
      P##_plan_with_nthreads(before);                                                              \
    return p;                                                                                      \
  }                                                                                                \
  static void P##_execute_any(const cpu_plan *p, void *in, void *out)                              \
  {                                                                                                \
    if (p->key.kind == CPU_FFT_R2C)                                                                \
      P##_execute_dft_r2c(p->plan, in, out);                                                       \
    else if (p->key.kind == CPU_FFT_C2R)                                                           \
      P##_execute_dft_c2r(p->plan, in, out);                                                       \
    else                                                                                           \
      P##_execute_dft(p->plan, in, out);                                                           \
  }

PRECISION(fftw, double)
PRECISION(fftwf, float)

void cpu_plan_execute(const cpu_plan *plan, void *in, void *out)
{
  if (plan->key.single)
    fftwf_execute_any(plan, in, out);
  else
    fftw_execute_any(plan, in, out);
}

bool cpu_fft_aligned(const void *p, bool single)
{
  /* Only the address is looked at. */
  return single ? fftwf_alignment_of((float *)(uintptr_t)p) == 0
                : fftw_alignment_of((double *)(uintptr_t)p) == 0;
}

/* ---- planning ---- */

/* Bytes before and after element 0 that one side of the transform touches. */
static void extent(const cpu_plan_key *k, bool out, size_t *below, size_t *size)
{
  bool complex_side = k->kind == CPU_FFT_C2C || (k->kind == CPU_FFT_R2C) == out;
  int64_t low = 0, high = 0;
  for (int i = 0; i < k->rank + k->loops; i++) {
    const cpu_fft_dim *d = i < k->rank ? &k->dim[i] : &k->loop[i - k->rank];
    int64_t n = d->n, s = out ? d->os : d->is;
    if (i == k->rank - 1 && k->kind != CPU_FFT_C2C && complex_side)
      n = n / 2 + 1;
    if (s < 0)
      low += (n - 1) * s;
    else
      high += (n - 1) * s;
  }
  size_t item = (k->single ? sizeof(float) : sizeof(double)) * (complex_side ? 2 : 1);
  *below = (size_t)-low * item;
  *size = (size_t)(high - low + 1) * item;
}

/* Measuring long transforms takes tens of seconds with the shared lock held. */
static bool worth_measuring(const cpu_plan_key *k)
{
  double n = 1;
  for (int i = 0; i < k->rank; i++) {
    n *= (double)k->dim[i].n;
    if (k->dim[i].n > 65536)
      return false;
  }
  for (int i = 0; i < k->loops; i++)
    n *= (double)k->loop[i].n;
  return n <= 0x1p28;
}

static void *plan_locked(const cpu_plan_key *k, void *in, void *out, unsigned flags)
{
  return k->single ? fftwf_plan_locked(k, in, out, flags) : fftw_plan_locked(k, in, out, flags);
}

static void *make_plan(const cpu_plan_key *k)
{
  HED__UNCANCELLED; /* others wait for it, and FFTW's planner is held */
  if (k->kind == CPU_FFT_COLUMNS)
    return cpu_columns_make(k->dim[0].n, k->single);
  if (k->kind >= CPU_FFT_LINES)
    return cpu_lines_make((cpu_lines_kind)((k->kind - CPU_FFT_LINES) % 3), k->dim[0].n, k->kind >= CPU_FFT_MANY, k->single);
  static _Alignas(64) char dummy[2][64];
  unsigned flags = k->kind == CPU_FFT_C2R && !k->preserve ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT;
  if (!k->aligned)
    flags |= FFTW_UNALIGNED;
  /* A measuring planner writes into its arrays, so it gets its own. */
  void *in_block = NULL, *out_block = NULL, *in = dummy[0], *out = k->in_place ? in : dummy[1], *p;
  bool measure = k->effort > 0 && worth_measuring(k);
  if (measure) {
    size_t in_below, in_size, out_below, out_size;
    extent(k, false, &in_below, &in_size);
    extent(k, true, &out_below, &out_size);
    if (k->in_place)
      in_size = CPU_MAX(in_size, out_size);
    in_below = CPU_LINES(in_below);
    out_below = CPU_LINES(out_below);
    in_block = cpu_scratch_get(in_below + in_size);
    out_block = k->in_place ? NULL : cpu_scratch_get(out_below + out_size);
    if (in_block && (out_block || k->in_place)) {
      memset(in_block, 0, in_below + in_size);
      in = (char *)in_block + in_below;
      out = k->in_place ? in : (char *)out_block + out_below;
      flags |= k->effort > 2 ? FFTW_EXHAUSTIVE : k->effort > 1 ? FFTW_PATIENT : FFTW_MEASURE;
    } else {
      measure = false;
    }
  }
  if (!measure)
    flags |= FFTW_ESTIMATE;
  cpu_host->fftw_lock();
  p = measure ? plan_locked(k, in, out, flags | FFTW_WISDOM_ONLY) : NULL;
  bool known = p != NULL;
  if (!p)
    p = plan_locked(k, in, out, flags);
  cpu_host->fftw_unlock();
  if (measure && !known) {
    pthread_mutex_lock(&busy.mutex);
    counts.measured++;
    pthread_mutex_unlock(&busy.mutex);
  }
  cpu_scratch_put(in_block);
  cpu_scratch_put(out_block);
  return p;
}

/* Bytes that planning for N elements takes: twiddle factors; where N has a large factor, of a convolution twice as long, with the
 * transformed filter and buffers. */
static size_t bytes_to_plan(int64_t n)
{
  int64_t rest = n;
  for (int64_t factor = 2; factor <= 13; factor++)
    while (rest > 1 && rest % factor == 0)
      rest /= factor;
  return (size_t)n * (rest > 1 ? 320 : 48);
}

/* FFTW ends the process when its planner gets no memory: there has to be as much before it begins, and it is asked for where FFTW
 * has its own from, not in the host's pool. */
static bool room_to_plan(const cpu_plan_key *k)
{
  size_t bytes = k->effort > 0 ? 16 << 20 : 2 << 20;
  if (k->kind >= CPU_FFT_COLUMNS)
    return true;
  for (int i = 0; i < k->rank; i++)
    bytes += bytes_to_plan(k->dim[i].n);
  void *p = fftw_malloc(bytes);
  fftw_free(p);
  return p != NULL;
}

/* With no reference left and the mutex free. */
static void destroy(cpu_plan *p)
{
  if (!p)
    return;
  if (p->plan && p->key.kind >= CPU_FFT_COLUMNS) {
    cpu_host->free(p->plan);
  } else if (p->plan) {
    cpu_host->fftw_lock();
    if (p->key.single)
      fftwf_destroy_plan(p->plan);
    else
      fftw_destroy_plan(p->plan);
    cpu_host->fftw_unlock();
  }
  cpu_host->free(p);
}

/* ---- the table; all of these with the mutex held ---- */

static bool make_table(void)
{
  if (slots)
    return true;
  const char *bound = cpu_host->struct_size > offsetof(hed_host_api, setting) ? cpu_host->setting("fft_plans") : NULL;
  int n = bound ? atoi(bound) : CPU_PLAN_SLOTS;
  capacity = n >= 1 && n <= 4096 ? n : CPU_PLAN_SLOTS;
  slots = cpu_host->alloc((size_t)capacity * sizeof *slots, 64);
  if (slots)
    memset(slots, 0, (size_t)capacity * sizeof *slots);
  else
    capacity = 0;
  return slots != NULL;
}

/* FFTW does not tell what a plan takes; twiddle factors grow with the extents. */
static uint64_t guess_bytes(const cpu_plan_key *k)
{
  uint64_t n = sizeof(cpu_plan) + 8192;
  for (int i = 0; i < k->rank; i++)
    n += (uint64_t)k->dim[i].n * (k->single ? 8 : 16);
  return n;
}

static uint64_t hash_words(uint64_t h, const void *p, size_t bytes)
{
  /* FNV-1a on 64-bit words (G. Fowler, L. C. Noll, K.-P. Vo), with a shift to mix downwards. */
  for (size_t i = 0; i + 8 <= bytes; i += 8) {
    uint64_t w;
    memcpy(&w, (const char *)p + i, 8);
    h = (h ^ w) * 0x100000001b3u;
    h ^= h >> 29;
  }
  return h;
}

static uint64_t hash_key(const cpu_plan_key *k)
{
  uint64_t h = hash_words(0xcbf29ce484222325u, k, offsetof(cpu_plan_key, dim));
  h = hash_words(h, k->dim, (size_t)k->rank * sizeof *k->dim);
  return hash_words(h, k->loop, (size_t)k->loops * sizeof *k->loop);
}

static int find_slot(const cpu_plan_key *k, uint64_t hash)
{
  for (int i = 0; i < capacity; i++)
    if (slots[i].hash == hash && slots[i].plan && !memcmp(&slots[i].plan->key, k, sizeof *k))
      return i;
  return -1;
}

static cpu_plan *drop_ref(cpu_plan *p)
{
  if (--p->refs)
    return NULL;
  counts.destroyed += p->plan != NULL;
  return p;
}

/* An empty slot; *out is what had to go for it, to be destroyed after unlocking. Plans in the making
 * stay; with all slots in the making the last resort is slot 0. */
static int take_slot(cpu_plan **out)
{
  int oldest = -1;
  for (int i = 0; i < capacity; i++) {
    if (!slots[i].plan)
      return i;
    if (slots[i].plan->state != PLANNING && (oldest < 0 || slots[i].plan->used < slots[oldest].plan->used))
      oldest = i;
  }
  if (oldest < 0)
    oldest = 0;
  counts.evicted++;
  *out = drop_ref(slots[oldest].plan);
  slots[oldest].plan = NULL;
  return oldest;
}

static cpu_plan *lease(cpu_plan *p)
{
  p->refs++;
  p->leases++;
  p->used = ++busy.clock;
  return p;
}

static void forget(cpu_plan *p)
{
  for (int i = 0; i < capacity; i++)
    if (slots[i].plan == p) {
      slots[i].plan = NULL;
      p->refs--;
      return;
    }
}

/* ---- leasing ---- */

static double elements(const cpu_plan_key *k)
{
  double n = 1;
  for (int i = 0; i < k->rank; i++)
    n *= (double)k->dim[i].n;
  for (int i = 0; i < k->loops; i++)
    n *= (double)k->loop[i].n;
  return n;
}

/* Which effort serves KEY, of effort 1 or 2, when its own plan is not ready; see fft_plan.h. */
static int32_t effort_now(const cpu_plan_key *key, bool in_the_making)
{
  if (!worth_measuring(key))
    return 0;
  cpu_plan_key cheap = *key;
  cheap.effort = 0;
  int quick = find_slot(&cheap, hash_key(&cheap));
  uint64_t wait = elements(key) < 4096 ? 15 : 1;
  if (quick < 0 || slots[quick].plan->state != READY || slots[quick].plan->leases < wait)
    return 0;
  return in_the_making ? 0 : key->effort;
}

int32_t cpu_plan_get(const cpu_plan_key *wanted, bool now, cpu_plan **out)
{
  cpu_plan_key key = *wanted;
  cpu_plan *p, *evicted = NULL;
  *out = NULL;
  if (key.effort > 0 && cpu_wisdom_loaded())
    now = true;
  if (now && key.effort > 0 && !worth_measuring(&key))
    key.effort = 0;
  uint64_t hash = hash_key(&key);
  pthread_mutex_lock(&busy.mutex);
  if (!make_table()) {
    pthread_mutex_unlock(&busy.mutex);
    return cpu_host->fail(HED_E_NOMEM, "fft: no memory for the table of plans");
  }
  int at = find_slot(&key, hash);
  if (key.effort > 0 && !now && (at < 0 || slots[at].plan->state == PLANNING)) {
    key.effort = effort_now(&key, at >= 0);
    if (key.effort != wanted->effort) {
      hash = hash_key(&key);
      at = find_slot(&key, hash);
    }
  }
  if (at >= 0) {
    p = lease(slots[at].plan);
    if (p->state == PLANNING) {
      counts.waits++;
      HED__UNCANCELLED;
      while (p->state == PLANNING)
        pthread_cond_wait(&changed, &busy.mutex);
    } else {
      busy.hits++;
    }
  } else {
    p = room_to_plan(&key) ? cpu_host->alloc(sizeof *p, 64) : NULL;
    if (!p) {
      pthread_mutex_unlock(&busy.mutex);
      return cpu_host->fail(HED_E_NOMEM, "fft: no memory for a plan");
    }
    memset(p, 0, sizeof *p);
    p->key = key;
    p->refs = 1;
    p->state = PLANNING;
    lease(p);
    at = take_slot(&evicted);
    slots[at] = (plan_slot){ hash, p };
    counts.planned++;
    pthread_mutex_unlock(&busy.mutex);
    destroy(evicted);
    evicted = NULL;
    void *plan = make_plan(&key);
    pthread_mutex_lock(&busy.mutex);
    p->plan = plan;
    p->state = plan ? READY : FAILED;
    if (!plan)
      forget(p);
    pthread_cond_broadcast(&changed);
  }
  bool failed = p->state == FAILED;
  if (failed)
    evicted = drop_ref(p);
  pthread_mutex_unlock(&busy.mutex);
  destroy(evicted);
  if (failed)
    return cpu_host->fail(HED_E_UNSUPPORTED, "fft: FFTW has no plan for this layout");
  *out = p;
  return HED_OK;
}

void cpu_plan_put(cpu_plan *plan)
{
  if (!plan)
    return;
  pthread_mutex_lock(&busy.mutex);
  cpu_plan *dead = drop_ref(plan);
  pthread_mutex_unlock(&busy.mutex);
  destroy(dead);
}

const cpu_plan_key *cpu_plan_of(const cpu_plan *plan) { return &plan->key; }

const struct cpu_columns *cpu_plan_columns(const cpu_plan *plan) { return plan->plan; }

const struct cpu_lines *cpu_plan_lines(const cpu_plan *plan) { return plan->plan; }

cpu_plan_counts cpu_plan_stats(void)
{
  pthread_mutex_lock(&busy.mutex);
  cpu_plan_counts c = counts;
  c.hits = busy.hits;
  c.held = c.in_use = 0;
  c.bytes = 0;
  c.capacity = capacity;
  for (int i = 0; i < capacity; i++)
    if (slots[i].plan) {
      c.held++;
      c.in_use += slots[i].plan->refs > 1;
      c.bytes += guess_bytes(&slots[i].plan->key);
    }
  pthread_mutex_unlock(&busy.mutex);
  return c;
}

static void tell(void *arg, hed_cache_stats *out)
{
  (void)arg;
  cpu_plan_counts c = cpu_plan_stats();
  out->entries = c.held;
  out->capacity = c.capacity;
  out->hits = c.hits + c.waits;
  out->misses = c.planned;
  out->waits = c.waits;
  out->evictions = c.evicted;
  out->bytes = c.bytes;
  if (out->struct_size > offsetof(hed_cache_stats, in_use))
    out->in_use = c.in_use;
}

static size_t give_back(void *arg, size_t want)
{
  (void)arg;
  return cpu_fft_trim(want);
}

void cpu_plan_register(void)
{
  static hed_cache cache = { .struct_size = sizeof cache, .name = "cpu.fft_plans", .stats = tell, .trim = give_back };
  if (cpu_host->struct_size > offsetof(hed_host_api, cache_register))
    cpu_host->cache_register(&cache);
}

size_t cpu_plan_clear(void)
{
  size_t bytes = 0;
  for (int i = 0;; i++) {
    cpu_plan *dead = NULL;
    pthread_mutex_lock(&busy.mutex);
    while (i < capacity && !(slots[i].plan && slots[i].plan->state == READY))
      i++;
    bool end = i >= capacity;
    if (!end) {
      dead = drop_ref(slots[i].plan);
      slots[i].plan = NULL;
    }
    pthread_mutex_unlock(&busy.mutex);
    if (end)
      return bytes;
    if (dead)
      bytes += guess_bytes(&dead->key);
    destroy(dead);
  }
}

size_t cpu_fft_trim(size_t want)
{
  return want ? cpu_plan_clear() : 0;
}

void cpu_plan_fork_child(void)
{
  /* Plans made before the fork stay valid, but one in the making never becomes READY; a table that another thread was changing
   * is left behind as it is, with all its plans. */
  if (pthread_mutex_trylock(&busy.mutex) != 0) {
    slots = NULL;
    capacity = 0;
  }
  static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  static const pthread_cond_t fresh_cond = PTHREAD_COND_INITIALIZER;
  memcpy(&busy.mutex, &fresh, sizeof busy.mutex);
  memcpy(&changed, &fresh_cond, sizeof changed);
  for (int i = 0; i < capacity; i++)
    if (slots[i].plan && slots[i].plan->state == PLANNING)
      slots[i].plan = NULL;
}
