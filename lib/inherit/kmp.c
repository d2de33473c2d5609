// SPDX-License-Identifier: BSD-3-Clause
/* LLVM's OpenMP runtime, libomp (also libiomp5): regions and tasks run in the context of the thread that opens or makes
 * them.
 *
 * A region's microtask is replaced by one that enters, calls the program's with its words, and leaves. A task gets a
 * header between the runtime's block and the shared variables, an entry and a destructor of ours. Serial regions need
 * nothing. Prototypes: LLVM's openmp/runtime/src/kmp.h.
 */
#include "core/context/region.h"
#include "inherit/runtime.h"
#include <heddle/export.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define CALLER __builtin_return_address(0)
#define REAL(r, name, type) ((type)(r)->fn[OMP_##name])

typedef void micro_fn(int32_t *, int32_t *, ...);

/* ---- regions ---- */

enum { MOST = 256 };

typedef struct region {
  hed_region region;
  micro_fn *micro;
  int argc;
  void **word;
} region;

/* So many words as arguments. Who is called with more than it has takes no notice of them, by the calling conventions of
 * x86-64 and AArch64. */
#define W4(w, k) (w)[k], (w)[(k) + 1], (w)[(k) + 2], (w)[(k) + 3]
#define W16(w, k) W4(w, k), W4(w, (k) + 4), W4(w, (k) + 8), W4(w, (k) + 12)
#define W64(w, k) W16(w, k), W16(w, (k) + 16), W16(w, (k) + 32), W16(w, (k) + 48)
#define W256(w, k) W64(w, k), W64(w, (k) + 64), W64(w, (k) + 128), W64(w, (k) + 192)
#define BY_COUNT(n, w, call)          \
  do {                                \
    if ((n) <= 4)                     \
      call(W4(w, 0));                 \
    else if ((n) <= 16)               \
      call(W16(w, 0));                \
    else if ((n) <= 64)               \
      call(W64(w, 0));                \
    else                              \
      call(W256(w, 0));               \
  } while (0)

static int words_for(int argc)
{
  return argc <= 4 ? 4 : argc <= 16 ? 16 : argc <= 64 ? 64 : MOST;
}

static void run_member(int32_t *thread, int32_t *number, region *g)
{
  hed_region_save save;
  hed_region_enter(&g->region, (uint64_t)*number, &save);
#define CALL(...) g->micro(thread, number, __VA_ARGS__)
  BY_COUNT(g->argc, g->word, CALL);
#undef CALL
  hed_region_leave(&save);
}

typedef void fork_fn(void *ident, int32_t argc, micro_fn *micro, ...);
HED_API fork_fn __kmpc_fork_call, __kmpc_fork_teams;

static void fork_with(fork_fn *real, void *ident, int argc, micro_fn *micro, va_list list)
{
  void *word[MOST];
  region g = { .micro = micro, .argc = argc, .word = word };
  if (argc > MOST)
    __builtin_trap(); /* compilers hand over the addresses of that many variables in a struct */
  for (int k = 0; k < argc; k++)
    word[k] = va_arg(list, void *);
  for (int k = argc; k < words_for(argc); k++)
    word[k] = NULL;
  if (inherit_is_off() || !hed_region_open(&g.region)) {
#define CALL(...) real(ident, argc, micro, __VA_ARGS__)
    BY_COUNT(argc, word, CALL);
#undef CALL
    return;
  }
  hed_region_begin(&g.region);
  real(ident, 1, (micro_fn *)(void (*)(void))run_member, &g);
  hed_region_end(&g.region);
}

void __kmpc_fork_call(void *ident, int32_t argc, micro_fn *micro, ...)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_fork_call);
  va_list list;
  va_start(list, micro);
  fork_with(REAL(r, __kmpc_fork_call, fork_fn *), ident, argc, micro, list);
  va_end(list);
}

void __kmpc_fork_teams(void *ident, int32_t argc, micro_fn *micro, ...)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_fork_teams);
  va_list list;
  va_start(list, micro);
  fork_with(REAL(r, __kmpc_fork_teams, fork_fn *), ident, argc, micro, list);
  va_end(list);
}

typedef void fork_if_fn(void *ident, int32_t argc, micro_fn *micro, int32_t condition, void *args);
HED_API fork_if_fn __kmpc_fork_call_if;

void __kmpc_fork_call_if(void *ident, int32_t argc, micro_fn *micro, int32_t condition, void *args)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_fork_call_if);
  fork_if_fn *real = REAL(r, __kmpc_fork_call_if, fork_if_fn *);
  void *word[4] = { args, NULL, NULL, NULL };
  region g = { .micro = micro, .argc = 1, .word = word };
  if (inherit_is_off() || !hed_region_open(&g.region)) {
    real(ident, argc, micro, condition, args);
    return;
  }
  hed_region_begin(&g.region);
  real(ident, 1, (micro_fn *)(void (*)(void))run_member, condition, &g);
  hed_region_end(&g.region);
}

/* ---- tasks ---- */

typedef struct kmp_task kmp_task;
typedef int32_t entry_fn(int32_t, kmp_task *);
struct kmp_task { /* what compilers know of the runtime's block */
  void *shareds;
  entry_fn *entry;
  int32_t part;
  entry_fn *destructor;
};

enum { FLAG_DESTRUCTORS = 8, ALIGN = 16 };

typedef struct header {
  hed_region region;
  entry_fn *entry, *destructor;                 /* the program's */
  void (*duplicate)(kmp_task *, kmp_task *, int32_t);
  ptrdiff_t lower;                              /* where in the block a taskloop's first index is; 0: it is none */
} header;
enum { HEADER = (sizeof(header) + ALIGN - 1) / ALIGN * ALIGN };

static header *header_of(const kmp_task *t)
{
  return (header *)((char *)t->shareds - HEADER);
}

static int32_t run_task(int32_t thread, kmp_task *t)
{
  const header *h = header_of(t);
  hed_region_save save;
  hed_region_enter(&h->region, h->lower ? *(const uint64_t *)((const char *)t + h->lower) : 0, &save);
  const int32_t result = h->entry(thread, t);
  hed_region_leave(&save);
  return result;
}

static int32_t destroy_task(int32_t thread, kmp_task *t)
{
  header *h = header_of(t);
  const int32_t result = h->destructor ? h->destructor(thread, t) : 0;
  hed_region_release(&h->region);
  return result;
}

typedef kmp_task *alloc_fn(void *ident, int32_t thread, int32_t flags, size_t size, size_t shareds, entry_fn *entry);
HED_API alloc_fn __kmpc_omp_task_alloc;

kmp_task *__kmpc_omp_task_alloc(void *ident, int32_t thread, int32_t flags, size_t size, size_t shareds, entry_fn *entry)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_omp_task_alloc);
  alloc_fn *real = REAL(r, __kmpc_omp_task_alloc, alloc_fn *);
  hed_region from;
  if (inherit_is_off() || !hed_region_open(&from))
    return real(ident, thread, flags, size, shareds, entry);
  kmp_task *t = real(ident, thread, flags | FLAG_DESTRUCTORS, (size + ALIGN - 1) / ALIGN * ALIGN + HEADER,
                     shareds > sizeof(void *) ? shareds : sizeof(void *), run_task);
  if (t) {
    *header_of(t) = (header){ .region = from, .entry = entry };
    hed_region_hold(&header_of(t)->region);
    t->destructor = destroy_task;
  }
  return t;
}

/* The program sets a destructor of its own after it got the task. */
static void chain(kmp_task *t)
{
  if (t->entry == run_task && t->destructor != destroy_task) {
    header_of(t)->destructor = t->destructor;
    t->destructor = destroy_task;
  }
}

typedef int32_t start_fn(void *ident, int32_t thread, kmp_task *t);
typedef int32_t depend_fn(void *ident, int32_t thread, kmp_task *t, int32_t n, void *list, int32_t n_noalias, void *noalias);
typedef void if0_fn(void *ident, int32_t thread, kmp_task *t);
HED_API start_fn __kmpc_omp_task;
HED_API depend_fn __kmpc_omp_task_with_deps;
HED_API if0_fn __kmpc_omp_task_begin_if0;

int32_t __kmpc_omp_task(void *ident, int32_t thread, kmp_task *t)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_omp_task);
  chain(t);
  return REAL(r, __kmpc_omp_task, start_fn *)(ident, thread, t);
}

int32_t __kmpc_omp_task_with_deps(void *ident, int32_t thread, kmp_task *t, int32_t n, void *list, int32_t n_noalias, void *noalias)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_omp_task_with_deps);
  chain(t);
  return REAL(r, __kmpc_omp_task_with_deps, depend_fn *)(ident, thread, t, n, list, n_noalias, noalias);
}

void __kmpc_omp_task_begin_if0(void *ident, int32_t thread, kmp_task *t)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_omp_task_begin_if0);
  chain(t);
  REAL(r, __kmpc_omp_task_begin_if0, if0_fn *)(ident, thread, t);
}

typedef void duplicate_fn(kmp_task *, kmp_task *, int32_t);

static void duplicate_task(kmp_task *to, kmp_task *from, int32_t last)
{
  header *h = header_of(to);
  hed_region_hold(&h->region);
  if (h->duplicate)
    h->duplicate(to, from, last);
}

/* What the runtime gets for the program's DUPLICATE. */
static duplicate_fn *before_taskloop(kmp_task *t, const uint64_t *lower, duplicate_fn *duplicate)
{
  if (t->entry != run_task)
    return duplicate;
  chain(t);
  header_of(t)->duplicate = duplicate;
  header_of(t)->lower = (const char *)lower - (const char *)t;
  return duplicate_task;
}

typedef void taskloop_fn(void *ident, int32_t thread, kmp_task *t, int32_t condition, uint64_t *lower, uint64_t *upper,
                         int64_t stride, int32_t no_group, int32_t schedule, uint64_t grain, duplicate_fn *duplicate);
typedef void taskloop_5_fn(void *ident, int32_t thread, kmp_task *t, int32_t condition, uint64_t *lower, uint64_t *upper,
                           int64_t stride, int32_t no_group, int32_t schedule, uint64_t grain, int32_t modifier,
                           duplicate_fn *duplicate);
HED_API taskloop_fn __kmpc_taskloop;
HED_API taskloop_5_fn __kmpc_taskloop_5;

void __kmpc_taskloop(void *ident, int32_t thread, kmp_task *t, int32_t condition, uint64_t *lower, uint64_t *upper,
                     int64_t stride, int32_t no_group, int32_t schedule, uint64_t grain, duplicate_fn *duplicate)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_taskloop);
  REAL(r, __kmpc_taskloop, taskloop_fn *)(ident, thread, t, condition, lower, upper, stride, no_group, schedule, grain,
                                          before_taskloop(t, lower, duplicate));
}

void __kmpc_taskloop_5(void *ident, int32_t thread, kmp_task *t, int32_t condition, uint64_t *lower, uint64_t *upper,
                       int64_t stride, int32_t no_group, int32_t schedule, uint64_t grain, int32_t modifier,
                       duplicate_fn *duplicate)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP___kmpc_taskloop_5);
  REAL(r, __kmpc_taskloop_5, taskloop_5_fn *)(ident, thread, t, condition, lower, upper, stride, no_group, schedule, grain,
                                              modifier, before_taskloop(t, lower, duplicate));
}
